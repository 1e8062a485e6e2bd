//! Recursive (c, l)-diversity: the most frequent sensitive value is not too frequent, nor are the next ones too rare.
//!
//! Definition  in every class let r1 >= r2 >= ... >= rm be the counts of its values: r1 < c (r_l + r_(l+1) + ... + rm).
//! Thwarts     attribute linkage by frequency: even with l - 2 values ruled out, one value does not stand out.
//! Paper       Machanavajjhala et al., l-Diversity, ICDE 2006; survey section 2.2.1.
//! Monotone    merging two classes that hold gives one that holds (ICDE 2006, theorem 5.3).

use super::{Judge, Judgement, Listed, Merging, Model, ON, SENSITIVE, grouping, on_text, sensitive};
use crate::classes::Whole;
use crate::contract::{Breach, Reading};
use crate::error::{Error, Result};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Schema;
use crate::share::Share;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "recursive-cl-diversity",
        title: "recursive (c, l)-diversity",
        summary: "In every class the most frequent value occurs less than c times as often as the l-th and rarer ones together.",
        paper: "Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, l-Diversity, ICDE 2006",
        thwarts: "attribute linkage",
        comparison: false,
        parameters: &[
            Parameter {
                name: "c",
                domain: Domain::Number(0.001, 1e6),
                default: None,
                meaning: "how much more frequent the first value may be",
            },
            Parameter {
                name: "l",
                domain: Domain::Whole(1),
                default: None,
                meaning: "from which value on the rarer ones are added up",
            },
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "laws::models"],
    },
    build,
    joined: None,
};

#[derive(Debug)]
struct RecursiveDiversity {
    c: Share,
    l: usize,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping(arguments, "on", schema)?;
    let c =
        Share::from_decimal(arguments.number("c")?).ok_or_else(|| Error::policy(None, "`c` has too many digits"))?;
    let l = arguments.whole("l")? as usize;
    let make = |column| -> Box<dyn Model> { Box::new(RecursiveDiversity { c, l, by: by.clone(), of: [column] }) };
    Ok(sensitive(arguments, schema)?.into_iter().map(make).collect())
}

impl Model for RecursiveDiversity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("recursive ({}, {})-diversity of {} {}", self.c, self.l, self.of[0], on_text(&self.by))
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
            let mut counts: Vec<u64> = group.counts.iter().map(|(_, count)| *count).collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let first = counts.first().copied().unwrap_or(0);
            let tail: u64 = counts.iter().skip(self.l - 1).sum();
            let holds = u128::from(first) * self.c.denominator < self.c.numerator * u128::from(tail);
            Judgement {
                holds,
                safety: -(first as f64 / tail.max(1) as f64) - if tail == 0 { first as f64 } else { 0.0 },
            }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!(
            "the first value of {} is {:.4} times as frequent as the rare ones together, less than {} allowed",
            self.of[0], -safety, self.c
        )
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        let mut breaches = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let mut counts: Vec<u64> = reading.people_by_value(&records, &self.of)?.into_values().collect();
            counts.sort_unstable();
            counts.reverse();
            let rare: u64 = counts.get(self.l - 1..).unwrap_or_default().iter().sum();
            // r1 / rare < c, with nothing rare never small enough.
            if rare == 0 || Share::new(counts[0], rare) >= self.c {
                breaches.push(reading.breach(&self.by, &class, self.explain(-(counts[0] as f64) / rare.max(1) as f64)));
            }
        }
        Ok(breaches)
    }
}
