//! k-anonymity: everybody shares their published quasi-identifiers with at least `k - 1` other people.
//!
//! Definition  for every class x on the quasi-identifier: |x| >= k, counted in people.
//! Thwarts     record linkage within one release. Says nothing about what the class has in common.
//! Paper       Samarati and Sweeney 1998; survey section 2.1.1.
//! Monotone    merging a class of k with any class leaves at least k.

use super::{Judge, Judgement, Listed, Merging, Model, ON, grouping, of_people, on_text, people_share};
use crate::classes::Whole;
use crate::contract::{Breach, Reading};
use crate::error::Result;
use crate::joined::{Scope, Statement};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Schema;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "k-anonymity",
        title: "k-anonymity",
        summary: "Everybody shares their published quasi-identifiers with at least k - 1 other people.",
        paper: "Samarati and Sweeney, Protecting privacy when disclosing information, 1998",
        thwarts: "record linkage",
        comparison: false,
        parameters: &[
            Parameter { name: "k", domain: Domain::Whole(1), default: None, meaning: "people in the smallest class" },
            ON,
        ],
        evidence: &["oracle::models", "golden::survey::example_2_2", "laws::models"],
    },
    build,
    joined: Some(joined),
};

#[derive(Debug)]
struct KAnonymity {
    k: u64,
    by: Vec<String>,
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    Ok(vec![Box::new(KAnonymity { k: arguments.whole("k")?, by: grouping(arguments, "on", schema)? })])
}

fn joined(arguments: &Arguments, scope: &Scope, _: &Schema) -> Result<Vec<Statement>> {
    Ok(of_people(&scope.known(arguments, "on")?, arguments.whole("k")?, scope))
}

impl Model for KAnonymity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("{}-anonymity {}", self.k, on_text(&self.by))
    }

    fn by(&self) -> &[String] {
        &self.by
    }

    fn of(&self) -> &[String] {
        &[]
    }

    fn merging(&self) -> Merging {
        Merging::WithAny
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        Ok(Box::new(|group| Judgement { holds: group.size >= self.k, safety: group.size as f64 }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{} these values, {} needed", people_share(safety), self.k)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        let mut breaches = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let people = reading.people(&records);
            if people < self.k {
                breaches.push(reading.breach(&self.by, &class, self.explain(people as f64)));
            }
        }
        Ok(breaches)
    }
}
