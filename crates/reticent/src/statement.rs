//! Statements: requirements that were judged before a release was published.
//!
//! A statement has a model, its parameters, its scope (the releases it is about) and its outcome. The ledger records the
//! statements of a release. It never records a release that violates a statement, or that has no judged statement. The serialized
//! field names are part of the ledger format and must not change.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::registry::{Argument, Arguments};

/// Model id: the written tables equal the tables that were to be published.
pub const TABLES_MATCH: &str = "tables-match";
/// Model id: no person's posterior exceeds a bound.
pub const POSTERIOR: &str = "posterior";
/// Model id: no person's prosecutor risk exceeds a bound.
pub const REIDENTIFICATION: &str = "reidentification";
/// Model id: every person shares the groups of all releases with a minimum number of people.
pub const RECORD_LINKAGE: &str = "record-linkage";

/// A requirement on a release, and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Id of the model, or a constant of this module.
    pub model: String,
    /// Parameters by name, including the columns (`on`, `of`).
    pub parameters: BTreeMap<String, Parameter>,
    /// Releases that the statement is about.
    pub scope: Scope,
    /// Outcome of judging the statement.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// A parameter value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Parameter {
    /// True or false.
    Flag(bool),
    /// A non-negative integer.
    Whole(u64),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list of texts, such as column names.
    List(Vec<String>),
    /// A map from texts to numbers, such as thresholds by value.
    Table(BTreeMap<String, f64>),
}

/// The releases that a statement is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "releases")]
pub enum Scope {
    /// Only the new release, without the other releases of its recipients.
    This,
    /// The new release joined with earlier releases.
    Joined {
        /// Numbers of the earlier releases.
        with: Vec<u64>,
    },
    /// The new release with all releases that its recipients can hold.
    History,
}

/// The outcome of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// The statement was judged.
    Judged {
        /// Number of equivalence classes, people or files that violate the statement.
        violations: u64,
        /// Evidence level of the outcome.
        level: Level,
    },
    /// The statement does not apply to this release.
    NotApplicable {
        /// Code of the reason.
        reason: String,
    },
    /// The statement was not judged, because the policy switches it off.
    Skipped {
        /// Code of the reason.
        reason: String,
    },
}

/// Evidence level of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Exact figures decide the outcome.
    Exact,
    /// Proven upper or lower bounds decide the outcome.
    Bound,
    /// An estimate decides the outcome; it may be wrong.
    Estimate,
}

impl Statement {
    /// Creates a statement that was judged exactly.
    pub fn judged(model: &str, parameters: BTreeMap<String, Parameter>, scope: Scope, violations: u64) -> Statement {
        let outcome = Outcome::Judged { violations, level: Level::Exact };
        Statement { model: model.to_owned(), parameters, scope, outcome }
    }

    /// Returns true if the statement was judged and has violations.
    pub fn is_violated(&self) -> bool {
        matches!(self.outcome, Outcome::Judged { violations: 1.., .. })
    }

    /// Returns true if the statement was judged.
    pub fn is_judged(&self) -> bool {
        matches!(self.outcome, Outcome::Judged { .. })
    }
}

/// Returns the parameters of a model, with its grouping columns as `on` and its measured columns as `of`.
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

/// Writes the model, its parameters and its scope, without the outcome.
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

    /// The serialized form is part of the ledger format.
    #[test]
    fn serialized_form_is_stable() {
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
