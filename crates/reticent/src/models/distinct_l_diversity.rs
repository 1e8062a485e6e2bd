//! Distinct l-diversity: every equivalence class contains at least `l` distinct sensitive values.
//!
//! Definition  the number of distinct sensitive values in x is at least l, for every equivalence class x.
//! Protects    against the homogeneity attack. It does not bound the share of the most frequent value.
//! Paper       Machanavajjhala et al., l-Diversity, ICDE 2006; survey section 2.2.1.
//! Monotone    merging classes never removes a value.

use super::{
    Judge, Judgement, Merging, Model, ModelDef, ON, SENSITIVE, grouping_columns, on_text, sensitive_columns,
    sensitive_constraints,
};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::Result;
use crate::join::{Constraint, JoinScope, Limit};
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::Whole;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "distinct-l-diversity",
        title: "distinct l-diversity",
        summary: "Every equivalence class on the quasi-identifiers contains at least l distinct sensitive values.",
        paper: "Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, l-Diversity, ICDE 2006",
        protects_against: "attribute linkage (homogeneity)",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "l",
                domain: Domain::Whole(1),
                default: None,
                meaning: "minimum number of distinct sensitive values in a class",
            },
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "golden::survey::example_2_6", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

#[derive(Debug)]
struct DistinctDiversity {
    l: u64,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping_columns(arguments, "on", schema)?;
    let l = arguments.whole("l")?;
    let make = |column| -> Box<dyn Model> { Box::new(DistinctDiversity { l, by: by.clone(), of: [column] }) };
    Ok(sensitive_columns(arguments, schema)?.into_iter().map(make).collect())
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, _: &Schema) -> Result<Vec<Constraint>> {
    sensitive_constraints(arguments, scope, |_| Ok(Limit::AtLeast(arguments.whole("l")?)))
}

impl Model for DistinctDiversity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("distinct {}-diversity of {} {}", self.l, self.of[0], on_text(&self.by))
    }

    fn grouped_by(&self) -> &[String] {
        &self.by
    }

    fn measured(&self) -> &[String] {
        &self.of
    }

    fn merging(&self) -> Merging {
        Merging::WithAny
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        Ok(Box::new(|class| {
            let distinct = class.counts.len();
            Judgement { holds: distinct as u64 >= self.l, safety: distinct as f64 }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{safety} distinct values of {}, at least {} required", self.of[0], self.l)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        let mut violations = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let distinct = reading.people_by_value(&records, &self.of)?.len() as u64;
            if distinct < self.l {
                violations.push(reading.violation(&self.by, &class, self.explain(distinct as f64)));
            }
        }
        Ok(violations)
    }
}
