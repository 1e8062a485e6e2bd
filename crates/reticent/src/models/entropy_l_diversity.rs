//! Entropy l-diversity: the entropy of the sensitive values in every equivalence class is at least ln `l`.
//!
//! Definition  for every class x: - sum over s of P(s | x) ln P(s | x) >= ln l. P(s | x) is the share of s among the
//!             (person, value) pairs of the class. exp(entropy) is the effective number of values.
//! Protects    against attribute linkage on average over the values. One value may still be much more frequent.
//! Paper       Machanavajjhala et al., l-Diversity, ICDE 2006; survey section 2.2.1 and example 2.7. The example rounds
//!             1.7548 up to 1.8; its table violates the model with l = 1.8.
//! Joined      the same of the tuples with a value on X, for every value on X (see `join`).
//! Monotone    entropy is concave: merging two classes that satisfy the model gives a class that satisfies it.
//! Rounding    logarithms are rounded. A class with a uniform distribution is judged by its number of values. Any other
//!             class within 1e-9 of the bound violates the model.

use super::{
    Judge, Judgement, Merging, Model, ModelDef, ON, SENSITIVE, distribution, grouping_columns, on_text,
    sensitive_columns, sensitive_constraints,
};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::Result;
use crate::join::{Constraint, JOINED_X, JoinScope};
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::{EquivalenceClass, Whole};

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "entropy-l-diversity",
        title: "entropy l-diversity",
        summary: "For every equivalence class x on the quasi-identifiers, the entropy of the sensitive values is at least ln l: \
                  -sum_s P(s|x) ln P(s|x) >= ln l.",
        paper: "Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, l-Diversity, ICDE 2006",
        protects_against: "attribute linkage",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "l",
                domain: Domain::Number(1.0, 1e9),
                default: None,
                meaning: "minimum effective number of sensitive values in a class, exp(entropy)",
            },
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "golden::survey::example_2_7", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

/// Margin above ln l within which rounded logarithms do not prove that a class satisfies the model.
const ROUNDING_MARGIN: f64 = 1e-9;

#[derive(Debug)]
struct EntropyDiversity {
    l: f64,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping_columns(arguments, "on", schema)?;
    let l = arguments.number("l")?;
    let make = |column| -> Box<dyn Model> { Box::new(EntropyDiversity { l, by: by.clone(), of: [column] }) };
    Ok(sensitive_columns(arguments, schema)?.into_iter().map(make).collect())
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, _: &Schema) -> Result<Vec<Constraint>> {
    let l = arguments.number("l")?;
    sensitive_constraints(arguments, scope, |of| {
        let model = EntropyDiversity { l, by: vec![JOINED_X.to_owned()], of: of.clone() };
        Ok(distribution(model, format!("entropy {l}-diversity")))
    })
}

/// Computes the entropy in nats: ln n - (1/n) sum c ln c.
fn entropy(class: &EquivalenceClass<'_>) -> f64 {
    let total = class.counts.iter().map(|(_, count)| *count).sum::<u64>() as f64;
    let sum: f64 = class.counts.iter().map(|(_, count)| *count as f64 * (*count as f64).ln()).sum();
    total.ln() - sum / total
}

impl Model for EntropyDiversity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("entropy {}-diversity of {} {}", self.l, self.of[0], on_text(&self.by))
    }

    fn grouped_by(&self) -> &[String] {
        &self.by
    }

    fn measured(&self) -> &[String] {
        &self.of
    }

    fn merging(&self) -> Merging {
        Merging::WithSatisfying
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        Ok(Box::new(|class| {
            let uniform = class.counts.windows(2).all(|pair| pair[0].1 == pair[1].1);
            if uniform {
                let values = class.counts.len() as f64;
                return Judgement { holds: values >= self.l, safety: values };
            }
            let entropy = entropy(class);
            Judgement { holds: entropy >= self.l.ln() + ROUNDING_MARGIN, safety: entropy.exp() }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("the effective number of values of {} is {safety:.6}, at least {} required", self.of[0], self.l)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        let mut violations = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let counts = reading.people_by_value(&records, &self.of)?;
            let pairs: u64 = counts.values().sum();
            // The sum of the definition.
            let entropy: f64 = counts.values().map(|count| *count as f64 / pairs as f64).map(|p| -p * p.ln()).sum();
            let equal = counts.values().min() == counts.values().max();
            let holds =
                if equal { counts.len() as f64 >= self.l } else { entropy - self.l.ln() > ROUNDING_MARGIN / 2.0 };
            if !holds {
                violations.push(reading.violation(&self.by, &class, self.explain(entropy.exp())));
            }
        }
        Ok(violations)
    }
}
