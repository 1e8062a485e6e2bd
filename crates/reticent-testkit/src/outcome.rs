//! Assertions on the results of verbs: passed, answered and violated, refused, or failed with a code.

use reticent_app::answer::{
    AuditAnswer, Check, Comparison, Countersigned, DemoAnswer, Diff, Drafted, ExportedHead, HistoryOf, Log,
    ProofChecked, Publication, Purged, RecordedEntry, Registered, Show, Verification,
};
use reticent_app::error::{Class, Error, Result};
use serde_json::Value;

/// An answer of a verb.
pub trait Answer: serde::Serialize + std::fmt::Debug {
    /// Whether every requirement that was judged holds. The command then exits with 0.
    fn holds(&self) -> bool {
        true
    }

    /// The documented JSON.
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap()
    }
}

impl Answer for Publication {
    fn holds(&self) -> bool {
        Publication::holds(self)
    }
}

impl Answer for Check {
    fn holds(&self) -> bool {
        Check::holds(self)
    }
}

impl Answer for AuditAnswer {
    fn holds(&self) -> bool {
        self.holds != Some(false)
    }
}

impl Answer for Verification {
    fn holds(&self) -> bool {
        self.intact
    }
}

impl Answer for DemoAnswer {
    fn holds(&self) -> bool {
        self.release.holds()
    }
}

impl Answer for Comparison {
    fn holds(&self) -> bool {
        self.choices.iter().any(|choice| choice.would.is_some())
    }
}

impl Answer for Countersigned {}
impl Answer for Diff {}
impl Answer for Drafted {}
impl Answer for ExportedHead {}
impl Answer for HistoryOf {}
impl Answer for Log {}
impl Answer for ProofChecked {}
impl Answer for Purged {}
impl Answer for RecordedEntry {}
impl Answer for Registered {}
impl Answer for Show {}

/// The result of a verb.
pub trait Outcome<T> {
    /// Asserts that the verb answered and every requirement holds: exit status 0.
    fn passes(self) -> T;

    /// Asserts that the verb answered and a requirement does not hold: exit status 1, of `verify` 4.
    fn violates(self) -> T;

    /// Asserts that the request, the policy or the data is wrong in this way: exit status 2.
    fn fails_with(self, code: &str) -> Error;

    /// Asserts that the release or the audit was refused for this reason: exit status 1.
    fn refused_with(self, code: &str) -> Error;

    /// Asserts a failure of this class, with this code.
    fn fails_as(self, class: Class, code: &str) -> Error;

    /// All that an interface can show of the result: the answer, or the error's text, data, hints and remedies.
    fn shown(&self) -> String;
}

impl<T: Answer> Outcome<T> for Result<T> {
    #[track_caller]
    fn passes(self) -> T {
        match self {
            Ok(answer) => {
                assert!(answer.holds(), "a requirement does not hold: {:#}", answer.json());
                answer
            }
            Err(error) => panic!("failed with {}: {error}\n{:#}", error.code(), error.data()),
        }
    }

    #[track_caller]
    fn violates(self) -> T {
        match self {
            Ok(answer) => {
                assert!(!answer.holds(), "every requirement holds: {:#}", answer.json());
                answer
            }
            Err(error) => panic!("failed with {}: {error}\n{:#}", error.code(), error.data()),
        }
    }

    #[track_caller]
    fn fails_with(self, code: &str) -> Error {
        self.fails_as(Class::Invalid, code)
    }

    #[track_caller]
    fn refused_with(self, code: &str) -> Error {
        self.fails_as(Class::Refused, code)
    }

    #[track_caller]
    fn fails_as(self, class: Class, code: &str) -> Error {
        match self {
            Ok(answer) => panic!("expected {code}, and it answered {:#}", answer.json()),
            Err(error) => {
                assert_eq!((error.code(), error.class()), (code, class), "{error}\n{:#}", error.data());
                error
            }
        }
    }

    fn shown(&self) -> String {
        match self {
            // Also fields that are not in the JSON, which an interface can read.
            Ok(answer) => format!("{}\n{answer:?}", answer.json()),
            Err(error) => {
                format!("{error}\n{}\n{}\n{:?}\n{error:?}", error.data(), refusal(error), error.hints())
            }
        }
    }
}

/// What is known about a refusal, and which remedies were tried, as the command prints it in JSON; null for other errors.
pub fn refusal(error: &Error) -> Value {
    match error {
        Error::Refused { relief, .. } => serde_json::to_value(relief).unwrap(),
        _ => Value::Null,
    }
}
