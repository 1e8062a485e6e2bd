//! Confidence bounding: no sensitive value can be inferred from the quasi-identifiers with confidence above `h`.
//!
//! Definition  for every template <QID -> s, h>: Conf(qid -> s) = a(s, qid) / a(qid) <= h for every class qid.
//! Protects    against attribute linkage within one release. The short form `confidence = 0.5` of a policy is this model.
//! Paper       Wang, Fung and Yu, Handicapping attacker's confidence, KAIS 11(3), 2007; survey section 2.2.2.
//! Monotone    the confidence in a merged class is a weighted mean of the confidences in its parts.

use super::xy_linkability::{H, VALUES};
use super::{
    Bounds, Judge, Merging, Model, ModelDef, ON, SENSITIVE, grouping_columns, on_text, sensitive_columns,
    sensitive_constraints,
};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::Result;
use crate::join::{Constraint, JoinScope, Limit};
use crate::registry::{Arguments, Entry, Kind};
use crate::release::classes::Whole;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "confidence-bounding",
        title: "confidence bounding",
        summary: "For every equivalence class x on the quasi-identifiers and every sensitive value s with threshold h: \
                  |(x, s)| / |x| <= h.",
        paper: "Wang, Fung and Yu, Handicapping attacker's confidence: an alternative to k-anonymization, KAIS 11(3), 2007",
        protects_against: "attribute linkage",
        comparison: false,
        parameters: &[H, VALUES, ON, SENSITIVE],
        evidence: &["oracle::models", "golden::survey::example_2_6", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

#[derive(Debug)]
struct ConfidenceBounding {
    bounds: Bounds,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping_columns(arguments, "on", schema)?;
    let columns = sensitive_columns(arguments, schema)?;
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for column in columns {
        let of = [column];
        let bounds = Bounds::new(&LISTED.entry, arguments, "h", &of, schema)?;
        models.push(Box::new(ConfidenceBounding { bounds, by: by.clone(), of }));
    }
    Ok(models)
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, schema: &Schema) -> Result<Vec<Constraint>> {
    sensitive_constraints(arguments, scope, |of| {
        Ok(Limit::AtMost(Bounds::new(&LISTED.entry, arguments, "h", of, schema)?))
    })
}

impl Model for ConfidenceBounding {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("confidence in {} {} {}", self.of[0], self.bounds, on_text(&self.by))
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

    fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>> {
        self.bounds.judge(whole)
    }

    fn explain(&self, safety: f64) -> String {
        self.bounds.explain(&self.of, safety)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        self.bounds.naive(reading, &self.by, &self.of)
    }
}
