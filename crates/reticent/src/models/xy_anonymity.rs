//! (X, Y)-anonymity: every value on X is linked to at least `k` distinct values on Y.
//!
//! Definition  A_Y(X) >= k, where a_Y(x) is the number of distinct y that occur with x, and A_Y(X) = min over x of a_Y(x).
//! Protects    against record linkage, also if a person has several records or Y is an attribute, and in joins of releases.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, definition 3.1.
//! Monotone    merging classes never removes a value on Y.

use super::{Judge, Judgement, Merging, Model, ModelDef, grouping_columns, on_text, published_columns};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::Result;
use crate::join::{Constraint, JoinScope, Limit};
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::Whole;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "xy-anonymity",
        title: "(X, Y)-anonymity",
        summary: "Every value x on X occurs with at least k distinct values on Y: A_Y(X) = min over x of |{y : (x, y) occurs}| >= k.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, definition 3.1",
        protects_against: "record linkage",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "k",
                domain: Domain::Whole(1),
                default: None,
                meaning: "minimum number of distinct values on Y for each value on X",
            },
            ParameterDef {
                name: "x",
                domain: Domain::Columns,
                default: Some(""),
                meaning: "columns that the attacker knows, as column or release.column; all quasi-identifiers if not given",
            },
            ParameterDef {
                name: "y",
                domain: Domain::Columns,
                default: None,
                meaning: "columns whose distinct values are counted, as column or release.column; people or release.people counts people",
            },
        ],
        evidence: &["oracle::models", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

#[derive(Debug)]
struct XyAnonymity {
    k: u64,
    x: Vec<String>,
    y: Vec<String>,
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let y = published_columns(arguments.words("y")?.unwrap_or_default(), schema)?;
    Ok(vec![Box::new(XyAnonymity { k: arguments.whole("k")?, x: grouping_columns(arguments, "x", schema)?, y })])
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, _: &Schema) -> Result<Vec<Constraint>> {
    let x = scope.known(arguments, "x")?;
    let counted = scope.counted(arguments.words("y")?.unwrap_or_default());
    let least = arguments.whole("k")?;
    let constraints = counted.iter().filter_map(|y| scope.constraint(&x, y, Limit::AtLeast(least)));
    Ok(constraints.map(|constraint| Constraint { excuses_earlier: false, ..constraint }).collect())
}

impl Model for XyAnonymity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("(X, Y)-anonymity with k = {} of {} {}", self.k, self.y.join(", "), on_text(&self.x))
    }

    fn grouped_by(&self) -> &[String] {
        &self.x
    }

    fn measured(&self) -> &[String] {
        &self.y
    }

    fn merging(&self) -> Merging {
        Merging::WithAny
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        Ok(Box::new(|class| {
            let distinct = class.counts.len();
            Judgement { holds: distinct as u64 >= self.k, safety: distinct as f64 }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{safety} distinct values of {}, at least {} required", self.y.join(", "), self.k)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        let mut violations = Vec::new();
        for (class, records) in reading.classes(&self.x)? {
            let distinct = reading.people_by_value(&records, &self.y)?.len() as u64;
            if distinct < self.k {
                violations.push(reading.violation(&self.x, &class, self.explain(distinct as f64)));
            }
        }
        Ok(violations)
    }
}
