//! `explain`: the meaning and the remedy of an error code, from the table that docs/errors.md is generated from.

use crate::answer::Explanation;
use crate::error::{CODES, Problem, Result};

/// Returns the meaning and the remedy of an error code.
///
/// # Errors
///
/// Returns an error if there is no such code.
pub fn explain(code: &str) -> Result<Explanation> {
    let all = || CODES.iter().flat_map(|(subject, codes)| codes.iter().map(move |known| (*subject, known)));
    let wanted = code.trim();
    match all().find(|(_, known)| known.code == wanted) {
        Some((subject, known)) => {
            Ok(Explanation { code: known.code, subject, meaning: known.meaning, remedy: known.remedy })
        }
        None => {
            let hint = reticent::error::did_you_mean(wanted, all().map(|(_, known)| known.code));
            Err(Problem::NoSuchErrorCode { wanted: wanted.to_owned(), hint }.into())
        }
    }
}
