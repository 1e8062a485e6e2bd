//! Assertions on the results of verbs: passed, violated, refused, or failed with a code.

use reticent_app::answer::{
    AmendAnswer, AuditAnswer, CheckAnswer, CompareAnswer, Countersigned, DemoAnswer, DiffAnswer, EraseAnswer,
    ExportedHead, HistoryAnswer, InitAnswer, LogAnswer, ProofChecked, Publication, PurgeAnswer, RecordedEntry,
    RegisterAnswer, ShowAnswer, VerifyAnswer, WithdrawAnswer,
};
use reticent_app::error::{Class, Error, Result};
use serde_json::Value;

/// Answer of a verb.
pub trait Answer: serde::Serialize + std::fmt::Debug {
    /// Returns true if every judged requirement holds. The command then exits with 0.
    fn holds(&self) -> bool {
        true
    }

    /// Returns the documented JSON.
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap()
    }
}

impl Answer for Publication {
    fn holds(&self) -> bool {
        Publication::holds(self)
    }
}

impl Answer for CheckAnswer {
    fn holds(&self) -> bool {
        CheckAnswer::holds(self)
    }
}

impl Answer for AuditAnswer {
    fn holds(&self) -> bool {
        self.holds != Some(false)
    }
}

impl Answer for VerifyAnswer {
    fn holds(&self) -> bool {
        self.intact
    }
}

impl Answer for DemoAnswer {
    fn holds(&self) -> bool {
        DemoAnswer::holds(self)
    }
}

impl Answer for CompareAnswer {
    fn holds(&self) -> bool {
        self.choices.iter().any(|choice| choice.result.is_some())
    }
}

impl Answer for Countersigned {}
impl Answer for DiffAnswer {}
impl Answer for InitAnswer {}
impl Answer for ExportedHead {}
impl Answer for HistoryAnswer {}
impl Answer for LogAnswer {}
impl Answer for ProofChecked {}
impl Answer for PurgeAnswer {}
impl Answer for WithdrawAnswer {}
impl Answer for AmendAnswer {}
impl Answer for EraseAnswer {}
impl Answer for RecordedEntry {}
impl Answer for RegisterAnswer {}
impl Answer for ShowAnswer {}

/// Assertions on the result of a verb.
pub trait Outcome<T> {
    /// Asserts an answer for which every requirement holds: exit status 0.
    fn passes(self) -> T;

    /// Asserts an answer for which a requirement is violated: exit status 1, or 4 for `verify`.
    fn violates(self) -> T;

    /// Asserts an error with this code in the request, the policy or the data: exit status 2.
    fn fails_with(self, code: &str) -> Error;

    /// Asserts that the release or the audit was refused with this code: exit status 1.
    fn refused_with(self, code: &str) -> Error;

    /// Asserts an error of this class with this code.
    fn fails_as(self, class: Class, code: &str) -> Error;

    /// Returns everything that an interface can display: the answer, or the text, data, hints and remedies of the
    /// error.
    fn visible_text(&self) -> String;
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
            Ok(answer) => panic!("expected {code}, but the verb answered {:#}", answer.json()),
            Err(error) => {
                assert_eq!((error.code(), error.class()), (code, class), "{error}\n{:#}", error.data());
                error
            }
        }
    }

    fn visible_text(&self) -> String {
        match self {
            // The debug output adds fields that are not in the JSON but are available to interfaces.
            Ok(answer) => format!("{}\n{answer:?}", answer.json()),
            Err(error) => {
                format!("{error}\n{}\n{}\n{:?}\n{error:?}", error.data(), refusal(error), error.hints())
            }
        }
    }
}

/// Returns the JSON of a refusal and its remedies, as the command prints it; null for other errors.
pub fn refusal(error: &Error) -> Value {
    match error {
        Error::Refused { remedies, .. } => serde_json::to_value(remedies).unwrap(),
        _ => Value::Null,
    }
}
