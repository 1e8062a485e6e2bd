//! Statements about a release that were judged before it was published: the model, its parameters, over which releases, and
//! with what outcome.
//!
//! The ledger records these. A release with a violated statement, or without a judged one, is never recorded. The names of the
//! fields are part of the ledger's format and do not change.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::registry::{Argument, Arguments};

/// The written tables are those that were to be published.
pub const TABLES_MATCH: &str = "tables-match";
/// No person's posterior exceeds a bound.
pub const POSTERIOR: &str = "posterior";
/// Every person shares all their groups with so many others.
pub const RECORD_LINKAGE: &str = "record-linkage";

/// A statement about a release, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// The model's id, or one of the constants of this module.
    pub model: String,
    /// Its parameters, and the columns it is about.
    pub parameters: BTreeMap<String, Parameter>,
    /// The releases it is about.
    pub scope: Scope,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Whole(u64),
    /// Another number.
    Number(f64),
    /// A text.
    Text(String),
    /// Several texts, such as columns.
    List(Vec<String>),
    /// A number for each of several texts.
    Table(BTreeMap<String, f64>),
}

/// The releases that a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "releases")]
pub enum Scope {
    /// The release alone, although its recipients can hold others.
    This,
    /// The release joined with these earlier ones, by number.
    Joined {
        /// The earlier releases.
        with: Vec<u64>,
    },
    /// The release with everything that its recipients can hold.
    History,
}

/// What became of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// It was judged.
    Judged {
        /// How many equivalence classes, people or files violate it.
        violations: u64,
        /// How well that is established.
        level: Level,
    },
    /// It does not apply to this release.
    NotApplicable {
        /// Why, as a code.
        reason: String,
    },
    /// It was not judged, because the policy says so.
    Skipped {
        /// Why, as a code.
        reason: String,
    },
}

/// How well an outcome is established.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Every figure is exact.
    Exact,
    /// True bounds decide.
    Bound,
    /// An estimate decides, and may be wrong.
    Estimate,
}

impl Statement {
    /// A model that was judged exactly.
    pub fn judged(model: &str, parameters: BTreeMap<String, Parameter>, scope: Scope, violations: u64) -> Statement {
        let outcome = Outcome::Judged { violations, level: Level::Exact };
        Statement { model: model.to_owned(), parameters, scope, outcome }
    }

    /// Whether violations were found.
    pub fn is_violated(&self) -> bool {
        matches!(self.outcome, Outcome::Judged { violations: 1.., .. })
    }

    /// Whether it was judged.
    pub fn is_judged(&self) -> bool {
        matches!(self.outcome, Outcome::Judged { .. })
    }
}

/// The parameters of a model, and the columns that it groups by and measures.
pub fn parameters(arguments: &Arguments, on: &[String], of: &[String]) -> BTreeMap<String, Parameter> {
    let given = arguments.names().filter_map(|name| Some((name.to_owned(), arguments.get(name)?.into())));
    let mut parameters: BTreeMap<String, Parameter> = given.collect();
    for (name, columns) in [("on", on), ("of", of)] {
        if !columns.is_empty() {
            parameters.insert(name.to_owned(), Parameter::List(columns.to_vec()));
        }
    }
    parameters
}

impl From<&Argument> for Parameter {
    fn from(argument: &Argument) -> Parameter {
        match argument {
            Argument::Number(number) if number.fract() == 0.0 && (0.0..1e15).contains(number) => {
                Parameter::Whole(*number as u64)
            }
            Argument::Number(number) => Parameter::Number(*number),
            Argument::Word(word) => Parameter::Text(word.clone()),
            Argument::Words(words) => Parameter::List(words.clone()),
            Argument::Thresholds(each) => Parameter::Table(each.iter().cloned().collect()),
            Argument::Flag(flag) => Parameter::Flag(*flag),
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parameter::Flag(flag) => write!(f, "{flag}"),
            Parameter::Whole(number) => write!(f, "{number}"),
            Parameter::Number(number) => write!(f, "{number}"),
            Parameter::Text(text) => f.write_str(text),
            Parameter::List(texts) => f.write_str(&texts.join(", ")),
            Parameter::Table(each) => {
                let each: Vec<String> = each.iter().map(|(text, number)| format!("{text} = {number}")).collect();
                f.write_str(&each.join(", "))
            }
        }
    }
}

/// The model, its parameters and the releases, without the outcome.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given: Vec<String> = self.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        write!(f, "{}", self.model)?;
        if !given.is_empty() {
            write!(f, " ({})", given.join("; "))?;
        }
        match &self.scope {
            Scope::This => Ok(()),
            Scope::Joined { with } => {
                let numbers: Vec<String> = with.iter().map(u64::to_string).collect();
                write!(f, ", joined with release {}", numbers.join(", "))
            }
            Scope::History => f.write_str(", with all releases that its recipients can hold"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stored form is part of the ledger's format.
    #[test]
    fn the_stored_form_does_not_change() {
        let arguments = Arguments::default().set("k", Argument::Number(5.0));
        let on = ["age".to_owned(), "sex".to_owned()];
        let judged = Statement::judged("k-anonymity", parameters(&arguments, &on, &[]), Scope::This, 0);
        let text = r#"{"model":"k-anonymity","parameters":{"k":5,"on":["age","sex"]},"scope":{"releases":"this"},"outcome":"judged","violations":0,"level":"exact"}"#;
        assert_eq!(serde_json::to_string(&judged).unwrap(), text);
        let skipped = Statement {
            model: POSTERIOR.to_owned(),
            parameters: [("bound".to_owned(), Parameter::Text("1/3".to_owned()))].into(),
            scope: Scope::Joined { with: vec![1, 4] },
            outcome: Outcome::Skipped { reason: "audit-off".to_owned() },
        };
        let text = r#"{"model":"posterior","parameters":{"bound":"1/3"},"scope":{"releases":"joined","with":[1,4]},"outcome":"skipped","reason":"audit-off"}"#;
        assert_eq!(serde_json::to_string(&skipped).unwrap(), text);
        assert_eq!(serde_json::from_str::<Statement>(text).unwrap(), skipped);
        assert_eq!(judged.to_string(), "k-anonymity (k = 5; on = age, sex)");
        assert_eq!(skipped.to_string(), "posterior (bound = 1/3), joined with release 1, 4");
    }
}
