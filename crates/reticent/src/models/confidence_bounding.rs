//! Confidence bounding: no sensitive value can be inferred from the quasi-identifier with confidence above `h`.
//!
//! Definition  for every template <QID -> s, h>: Conf(qid -> s) = a(s, qid) / a(qid) <= h for every class qid.
//! Thwarts     attribute linkage within one release. The short form `confidence = 0.5` of a policy is this model.
//! Paper       Wang, Fung and Yu, Handicapping attacker's confidence, KAIS 11(3), 2007; survey section 2.2.2.
//! Monotone    a merged class's confidence is a mean of its parts'.

use super::xy_linkability::{H, VALUES};
use super::{Bounds, Judge, Listed, Merging, Model, ON, SENSITIVE, grouping, of_sensitive, on_text, sensitive};
use crate::classes::Whole;
use crate::contract::{Breach, Reading};
use crate::error::Result;
use crate::joined::{Rule, Scope, Statement};
use crate::registry::{Arguments, Entry, Kind};
use crate::schema::Schema;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "confidence-bounding",
        title: "confidence bounding",
        summary: "No sensitive value can be inferred from a person's quasi-identifiers with confidence above its threshold.",
        paper: "Wang, Fung and Yu, Handicapping attacker's confidence: an alternative to k-anonymization, KAIS 11(3), 2007",
        thwarts: "attribute linkage",
        comparison: false,
        parameters: &[H, VALUES, ON, SENSITIVE],
        evidence: &["oracle::models", "golden::survey::example_2_6", "laws::models"],
    },
    build,
    joined: Some(joined),
};

#[derive(Debug)]
struct ConfidenceBounding {
    bounds: Bounds,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping(arguments, "on", schema)?;
    let columns = sensitive(arguments, schema)?;
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for column in columns {
        let of = [column];
        let bounds = Bounds::new(&LISTED.entry, arguments, "h", &of, schema)?;
        models.push(Box::new(ConfidenceBounding { bounds, by: by.clone(), of }));
    }
    Ok(models)
}

fn joined(arguments: &Arguments, scope: &Scope, schema: &Schema) -> Result<Vec<Statement>> {
    of_sensitive(arguments, scope, |of| Ok(Rule::AtMost(Bounds::new(&LISTED.entry, arguments, "h", of, schema)?)))
}

impl Model for ConfidenceBounding {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("confidence in {} {} {}", self.of[0], self.bounds, on_text(&self.by))
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

    fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>> {
        self.bounds.judge(whole)
    }

    fn explain(&self, safety: f64) -> String {
        self.bounds.explain(&self.of, safety)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        self.bounds.naive(reading, &self.by, &self.of)
    }
}
