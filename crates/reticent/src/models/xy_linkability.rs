//! (X, Y)-linkability: no value on Y can be inferred from a value on X with confidence above `h`.
//!
//! Definition  l_y(x) = a(y, x) / a(x);  L_Y(X) = max over x and y;  holds when L_Y(X) <= h. Where only some values of Y
//!             are sensitive, the maximum runs over those, each with a threshold of its own. a() counts people.
//! Thwarts     attribute linkage, also through the join of several releases.
//! Paper       Wang and Fung, Anonymizing Sequential Releases, KDD 2006, definition 3.2.
//! Monotone    a merged class's confidence is a mean of its parts', so merging classes that hold gives one that holds.

use super::{Bounds, Judge, Listed, Merging, Model, grouping, named, on_text};
use crate::classes::Whole;
use crate::contract::{Breach, Reading};
use crate::error::{Error, Result};
use crate::joined::{Of, Rule, Scope, Statement};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Schema;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "xy-linkability",
        title: "(X, Y)-linkability",
        summary: "No value on Y can be inferred from a combination of values on X with confidence above its threshold.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, definition 3.2",
        thwarts: "attribute linkage",
        comparison: false,
        parameters: &[
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
                meaning: "the columns whose values must not be inferred, as column or release.column",
            },
            H,
            VALUES,
        ],
        evidence: &["oracle::models", "golden::survey::example_2_6", "laws::models"],
    },
    build,
    joined: Some(joined),
};

pub(super) const H: Parameter = Parameter {
    name: "h",
    domain: Domain::Number(0.0, 1.0),
    default: Some(""),
    meaning: "highest confidence allowed for every value that has no threshold of its own",
};

pub(super) const VALUES: Parameter = Parameter {
    name: "values",
    domain: Domain::Thresholds,
    default: Some(""),
    meaning: "sensitive values, each with its own highest confidence; without a threshold for all, only these are bounded",
};

#[derive(Debug)]
struct XyLinkability {
    x: Vec<String>,
    y: Vec<String>,
    bounds: Bounds,
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let y = named(arguments.words("y")?.unwrap_or_default(), schema)?;
    let bounds = Bounds::new(&LISTED.entry, arguments, "h", &y, schema)?;
    Ok(vec![Box::new(XyLinkability { x: grouping(arguments, "x", schema)?, y, bounds })])
}

fn joined(arguments: &Arguments, scope: &Scope, schema: &Schema) -> Result<Vec<Statement>> {
    let x = scope.known(arguments, "x")?;
    let mut statements = Vec::new();
    for y in scope.counted(arguments.words("y")?.unwrap_or_default()) {
        if y.iter().any(|of| matches!(of, Of::People(_))) {
            let message = "`y` names people, and it is values that (X, Y)-linkability keeps from being inferred; how many people remain is what \
                           xy-anonymity counts";
            return Err(Error::policy(None, message));
        }
        let bounds = Bounds::new(&LISTED.entry, arguments, "h", &scope.names(&y), schema)?;
        statements.extend(scope.statement(&x, &y, Rule::AtMost(bounds)));
    }
    Ok(statements)
}

impl Model for XyLinkability {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("(X, Y)-linkability of {} {} {}", self.y.join(", "), self.bounds, on_text(&self.x))
    }

    fn by(&self) -> &[String] {
        &self.x
    }

    fn of(&self) -> &[String] {
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

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        self.bounds.naive(reading, &self.x, &self.y)
    }
}
