//! (X, Y)-linkability: no value on Y can be inferred from a value on X with confidence above `h`.
//!
//! Definition  L_Y(X) <= h, where l_y(x) = a(y, x) / a(x), L_Y(X) = max over x and y of l_y(x), and a() counts people. With
//!             `values`, each of these values y has its own threshold.
//! Protects    against attribute linkage, also in joins of releases.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, definition 3.2.
//! Monotone    the confidence in a merged class is a weighted mean of the confidences in its parts.

use super::{Bounds, Judge, Merging, Model, ModelDef, grouping_columns, on_text, published_columns};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::{Error, Result};
use crate::join::{Constraint, Counted, JoinScope, Limit};
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::Whole;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "xy-linkability",
        title: "(X, Y)-linkability",
        summary: "No value y on Y can be inferred from a value x on X with confidence above its threshold h: |(x, y)| / |x| <= h.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, definition 3.2",
        protects_against: "attribute linkage",
        comparison: false,
        parameters: &[
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
                meaning: "columns whose values must not be inferred, as column or release.column",
            },
            H,
            VALUES,
        ],
        evidence: &["oracle::models", "golden::survey::example_2_6", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

pub(super) const H: ParameterDef = ParameterDef {
    name: "h",
    domain: Domain::Number(0.0, 1.0),
    default: Some(""),
    meaning: "maximum confidence for values without a threshold of their own",
};

pub(super) const VALUES: ParameterDef = ParameterDef {
    name: "values",
    domain: Domain::Thresholds,
    default: Some(""),
    meaning: "sensitive values with their own maximum confidence; without a general threshold, only these values are bounded",
};

#[derive(Debug)]
struct XyLinkability {
    x: Vec<String>,
    y: Vec<String>,
    bounds: Bounds,
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let y = published_columns(arguments.words("y")?.unwrap_or_default(), schema)?;
    let bounds = Bounds::new(&LISTED.entry, arguments, "h", &y, schema)?;
    Ok(vec![Box::new(XyLinkability { x: grouping_columns(arguments, "x", schema)?, y, bounds })])
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, schema: &Schema) -> Result<Vec<Constraint>> {
    let x = scope.known(arguments, "x")?;
    let mut constraints = Vec::new();
    for y in scope.counted(arguments.words("y")?.unwrap_or_default()) {
        if y.iter().any(|of| matches!(of, Counted::People(_))) {
            let message = "`y` contains `people`, but (X, Y)-linkability bounds the inference of values; use xy-anonymity to count people";
            return Err(Error::policy(None, message));
        }
        let bounds = Bounds::new(&LISTED.entry, arguments, "h", &scope.names(&y), schema)?;
        let constraint = scope.constraint(&x, &y, Limit::AtMost(bounds));
        constraints.extend(constraint.map(|constraint| Constraint { excuses_earlier: false, ..constraint }));
    }
    Ok(constraints)
}

impl Model for XyLinkability {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("(X, Y)-linkability of {} {} {}", self.y.join(", "), self.bounds, on_text(&self.x))
    }

    fn grouped_by(&self) -> &[String] {
        &self.x
    }

    fn measured(&self) -> &[String] {
        &self.y
    }

    fn merging(&self) -> Merging {
        Merging::WithSatisfying
    }

    fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>> {
        self.bounds.judge(whole)
    }

    fn explain(&self, safety: f64) -> String {
        self.bounds.explain(&self.y, safety)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        self.bounds.naive(reading, &self.x, &self.y)
    }
}
