//! k-anonymity: every equivalence class on the quasi-identifiers contains at least `k` people.
//!
//! Definition  |x| >= k for every equivalence class x, counted in people.
//! Protects    against record linkage within one release, but not against attribute linkage.
//! Paper       Samarati and Sweeney 1998; survey section 2.1.1.
//! Monotone    merging a class of k people with any class gives a class of at least k people.

use super::{
    Judge, Judgement, Merging, Model, ModelDef, ON, class_size_text, grouping_columns, on_text, people_constraints,
};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::Result;
use crate::join::{Constraint, JoinScope};
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::Whole;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "k-anonymity",
        title: "k-anonymity",
        summary: "Every equivalence class x on the quasi-identifiers contains at least k people: |x| >= k.",
        paper: "Samarati and Sweeney, Protecting privacy when disclosing information, 1998",
        protects_against: "record linkage",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "k",
                domain: Domain::Whole(1),
                default: None,
                meaning: "minimum number of people in an equivalence class",
            },
            ON,
        ],
        evidence: &["oracle::models", "golden::survey::example_2_2", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

#[derive(Debug)]
struct KAnonymity {
    k: u64,
    by: Vec<String>,
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    Ok(vec![Box::new(KAnonymity { k: arguments.whole("k")?, by: grouping_columns(arguments, "on", schema)? })])
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, _: &Schema) -> Result<Vec<Constraint>> {
    Ok(people_constraints(&scope.known(arguments, "on")?, arguments.whole("k")?, scope))
}

impl Model for KAnonymity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("{}-anonymity {}", self.k, on_text(&self.by))
    }

    fn grouped_by(&self) -> &[String] {
        &self.by
    }

    fn measured(&self) -> &[String] {
        &[]
    }

    fn merging(&self) -> Merging {
        Merging::WithAny
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        Ok(Box::new(|class| Judgement { holds: class.size >= self.k, safety: class.size as f64 }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{} in the class, at least {} required", class_size_text(safety), self.k)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        let mut violations = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let people = reading.people(&records);
            if people < self.k {
                violations.push(reading.violation(&self.by, &class, self.explain(people as f64)));
            }
        }
        Ok(violations)
    }
}
