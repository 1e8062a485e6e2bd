//! (X, Y)-anonymity: every value on X goes with at least `k` different values on Y.
//!
//! Definition  a_Y(x) = number of distinct y that occur with x;  A_Y(X) = min over x;  holds when A_Y(X) >= k.
//! Thwarts     record linkage, also where a person has several records or Y is a property; through joins of releases.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, definition 3.1.
//! Monotone    merging adds values on Y, it takes none away.

use super::{Judge, Judgement, Listed, Merging, Model, grouping, named, on_text};
use crate::classes::Whole;
use crate::contract::{Breach, Reading};
use crate::error::Result;
use crate::joined::{Rule, Scope, Statement};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Schema;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "xy-anonymity",
        title: "(X, Y)-anonymity",
        summary: "Every combination of values on X occurs with at least k different combinations of values on Y.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, definition 3.1",
        thwarts: "record linkage",
        comparison: false,
        parameters: &[
            Parameter {
                name: "k",
                domain: Domain::Whole(1),
                default: None,
                meaning: "different values on Y for each value on X",
            },
            Parameter {
                name: "x",
                domain: Domain::Columns,
                default: Some(""),
                meaning: "the columns an attacker knows, as column or release.column; all quasi-identifiers when not given",
            },
            Parameter {
                name: "y",
                domain: Domain::Columns,
                default: None,
                meaning: "the columns whose values are counted, as column or release.column; people or release.people counts people",
            },
        ],
        evidence: &["oracle::models", "laws::models"],
    },
    build,
    joined: Some(joined),
};

#[derive(Debug)]
struct XyAnonymity {
    k: u64,
    x: Vec<String>,
    y: Vec<String>,
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let y = named(arguments.words("y")?.unwrap_or_default(), schema)?;
    Ok(vec![Box::new(XyAnonymity { k: arguments.whole("k")?, x: grouping(arguments, "x", schema)?, y })])
}

fn joined(arguments: &Arguments, scope: &Scope, _: &Schema) -> Result<Vec<Statement>> {
    let x = scope.known(arguments, "x")?;
    let counted = scope.counted(arguments.words("y")?.unwrap_or_default());
    let least = arguments.whole("k")?;
    Ok(counted.iter().filter_map(|y| scope.statement(&x, y, Rule::AtLeast(least))).collect())
}

impl Model for XyAnonymity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("(X, Y)-anonymity with k = {} of {} {}", self.k, self.y.join(", "), on_text(&self.x))
    }

    fn by(&self) -> &[String] {
        &self.x
    }

    fn of(&self) -> &[String] {
        &self.y
    }

    fn merging(&self) -> Merging {
        Merging::WithAny
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        Ok(Box::new(|group| {
            let distinct = group.counts.len();
            Judgement { holds: distinct as u64 >= self.k, safety: distinct as f64 }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{safety} different values of {}, {} needed", self.y.join(", "), self.k)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        let mut breaches = Vec::new();
        for (class, records) in reading.classes(&self.x)? {
            let distinct = reading.people_by_value(&records, &self.y)?.len() as u64;
            if distinct < self.k {
                breaches.push(reading.breach(&self.x, &class, self.explain(distinct as f64)));
            }
        }
        Ok(breaches)
    }
}
