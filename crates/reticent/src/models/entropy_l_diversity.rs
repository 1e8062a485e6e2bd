//! Entropy l-diversity: in every class the sensitive values are as uncertain as `l` equally likely ones.
//!
//! Definition  for every class x: - sum over s of P(s | x) ln P(s | x) >= ln l.  exp of the left side is the class's
//!             effective number of values. P(s | x) is the share of s among the (person, value) pairs of the class.
//! Thwarts     attribute linkage, in the mean over values: a class may still favour one value.
//! Paper       Machanavajjhala et al., l-Diversity, ICDE 2006; survey section 2.2.1 and example 2.7, which rounds
//!             1.7548 up to 1.8: asked for 1.8, that table does not hold.
//! Monotone    entropy is concave: merging two classes that hold gives one that holds.
//! Rounding    logarithms are rounded. A class of equally likely values is judged by counting them; any other class that
//!             lies within 1e-9 of the bound does not hold.

use super::{Judge, Judgement, Listed, Merging, Model, ON, SENSITIVE, grouping, on_text, sensitive};
use crate::classes::{Group, Whole};
use crate::contract::{Breach, Reading};
use crate::error::Result;
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Schema;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "entropy-l-diversity",
        title: "entropy l-diversity",
        summary: "In every class the sensitive values are as uncertain as l equally likely ones.",
        paper: "Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, l-Diversity, ICDE 2006",
        thwarts: "attribute linkage",
        comparison: false,
        parameters: &[
            Parameter {
                name: "l",
                domain: Domain::Number(1.0, 1e9),
                default: None,
                meaning: "effective number of sensitive values in every class",
            },
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "golden::survey::example_2_7", "laws::models"],
    },
    build,
    joined: None,
};

/// Half the width of the zone in which rounded logarithms decide nothing.
const DOUBT: f64 = 1e-9;

#[derive(Debug)]
struct EntropyDiversity {
    l: f64,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping(arguments, "on", schema)?;
    let l = arguments.number("l")?;
    let make = |column| -> Box<dyn Model> { Box::new(EntropyDiversity { l, by: by.clone(), of: [column] }) };
    Ok(sensitive(arguments, schema)?.into_iter().map(make).collect())
}

/// Entropy in nats: ln n - (1/n) sum c ln c.
fn entropy(group: &Group<'_>) -> f64 {
    let total = group.counts.iter().map(|(_, count)| *count).sum::<u64>() as f64;
    let sum: f64 = group.counts.iter().map(|(_, count)| *count as f64 * (*count as f64).ln()).sum();
    total.ln() - sum / total
}

impl Model for EntropyDiversity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("entropy {}-diversity of {} {}", self.l, self.of[0], on_text(&self.by))
    }

    fn by(&self) -> &[String] {
        &self.by
    }

    fn of(&self) -> &[String] {
        &self.of
    }

    fn merging(&self) -> Merging {
        Merging::WithSatisfying
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        Ok(Box::new(|group| {
            let uniform = group.counts.windows(2).all(|pair| pair[0].1 == pair[1].1);
            if uniform {
                let values = group.counts.len() as f64;
                return Judgement { holds: values >= self.l, safety: values };
            }
            let entropy = entropy(group);
            Judgement { holds: entropy >= self.l.ln() + DOUBT, safety: entropy.exp() }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{} is as uncertain as {safety:.6} equally likely values, {} needed", self.of[0], self.l)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        let mut breaches = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let counts = reading.people_by_value(&records, &self.of)?;
            let pairs: u64 = counts.values().sum();
            // The sum of the definition, term by term.
            let entropy: f64 = counts.values().map(|count| *count as f64 / pairs as f64).map(|p| -p * p.ln()).sum();
            let equal = counts.values().min() == counts.values().max();
            let holds = if equal { counts.len() as f64 >= self.l } else { entropy - self.l.ln() > DOUBT / 2.0 };
            if !holds {
                breaches.push(reading.breach(&self.by, &class, self.explain(entropy.exp())));
            }
        }
        Ok(breaches)
    }
}
