//! Recursive (c, l)-diversity: the most frequent sensitive value of a class is bounded by the counts of the rare values.
//!
//! Definition  r1 < c (r_l + r_(l+1) + ... + rm), where r1 >= r2 >= ... >= rm are the counts of the values of a class.
//! Protects    against attribute linkage by frequency, even if the attacker excludes l - 2 values.
//! Paper       Machanavajjhala et al., l-Diversity, ICDE 2006; survey section 2.2.1.
//! Joined      the same of the tuples with a value on X, for every value on X (see `join`).
//! Monotone    merging two classes that satisfy the model gives a class that satisfies it (ICDE 2006, theorem 5.3).

use super::{
    Judge, Judgement, Merging, Model, ModelDef, ON, SENSITIVE, distribution, grouping_columns, on_text,
    sensitive_columns, sensitive_constraints,
};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::{Error, Result};
use crate::join::{Constraint, JOINED_X, JoinScope};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::Whole;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "recursive-cl-diversity",
        title: "recursive (c, l)-diversity",
        summary: "For every equivalence class with counts r1 >= r2 >= ... >= rm of its sensitive values: \
                  r1 < c (r_l + r_(l+1) + ... + rm).",
        paper: "Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, l-Diversity, ICDE 2006",
        protects_against: "attribute linkage",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "c",
                domain: Domain::Number(0.001, 1e6),
                default: None,
                meaning: "factor: the most frequent value must be less than c times as frequent as the rare values",
            },
            ParameterDef {
                name: "l",
                domain: Domain::Whole(1),
                default: None,
                meaning: "rank from which values count as rare, in descending order of frequency",
            },
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

#[derive(Debug)]
struct RecursiveDiversity {
    c: Ratio,
    l: usize,
    by: Vec<String>,
    of: [String; 1],
}

/// Reads the parameters c and l.
fn parameters(arguments: &Arguments) -> Result<(Ratio, usize)> {
    let c = Ratio::from_decimal(arguments.number("c")?);
    Ok((c.ok_or_else(|| Error::policy(None, "`c` has too many digits"))?, arguments.whole("l")? as usize))
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping_columns(arguments, "on", schema)?;
    let (c, l) = parameters(arguments)?;
    let make = |column| -> Box<dyn Model> { Box::new(RecursiveDiversity { c, l, by: by.clone(), of: [column] }) };
    Ok(sensitive_columns(arguments, schema)?.into_iter().map(make).collect())
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, _: &Schema) -> Result<Vec<Constraint>> {
    let (c, l) = parameters(arguments)?;
    sensitive_constraints(arguments, scope, |of| {
        let model = RecursiveDiversity { c, l, by: vec![JOINED_X.to_owned()], of: of.clone() };
        Ok(distribution(model, format!("recursive ({c}, {l})-diversity")))
    })
}

impl Model for RecursiveDiversity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("recursive ({}, {})-diversity of {} {}", self.c, self.l, self.of[0], on_text(&self.by))
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
            let mut counts: Vec<u64> = class.counts.iter().map(|(_, count)| *count).collect();
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
            "the most frequent value of {} is {:.4} times as frequent as the rare values, less than {} required",
            self.of[0], -safety, self.c
        )
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        let mut violations = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let mut counts: Vec<u64> = reading.people_by_value(&records, &self.of)?.into_values().collect();
            counts.sort_unstable();
            counts.reverse();
            let rare: u64 = counts.get(self.l - 1..).unwrap_or_default().iter().sum();
            // r1 / rare < c; violated if there are no rare values.
            if rare == 0 || Ratio::new(counts[0], rare) >= self.c {
                violations.push(reading.violation(
                    &self.by,
                    &class,
                    self.explain(-(counts[0] as f64) / rare.max(1) as f64),
                ));
            }
        }
        Ok(violations)
    }
}
