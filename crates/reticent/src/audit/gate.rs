//! The gate: a release goes out only when what it tells together with its history is established to be allowed.

use super::{Audit, Question, audit};
use crate::error::{Error, Result};
use crate::history::History;
use crate::inference::Ask;
use crate::text::counted;

/// How well it must be established that nobody's value is told with more confidence than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Every probability is known exactly.
    Exact,
    /// Bounds that are true do not reach above.
    #[default]
    Bounds,
    /// The best estimate is not above; it may be wrong.
    Estimate,
    /// Not looked at.
    Off,
}

impl Proof {
    /// The words of the policy.
    pub const WORDS: &'static [&'static str] = &["exact", "bounds", "estimate", "off"];

    /// From the word of the policy.
    pub fn of(word: &str) -> Option<Proof> {
        match word {
            "exact" => Some(Proof::Exact),
            "bounds" => Some(Proof::Bounds),
            "estimate" => Some(Proof::Estimate),
            "off" => Some(Proof::Off),
            _ => None,
        }
    }

    /// The word of the policy.
    pub fn word(self) -> &'static str {
        match self {
            Proof::Exact => "exact",
            Proof::Bounds => "bounds",
            Proof::Estimate => "estimate",
            Proof::Off => "off",
        }
    }
}

/// Audits a history whose newest release is a candidate. Refuses when it brings that more is told about anybody than allowed, be
/// they in it or not, or when that could not be established.
pub fn admit(history: &History, question: &Question, proof: Proof) -> Result<Audit> {
    // The estimate is made where it decides.
    let ask = Ask { entropy: proof == Proof::Estimate, ..question.ask };
    let question = Question { newly: true, pairs: false, ask, ..question.clone() };
    let audit = audit(history, &question)?;
    for column in &audit.columns {
        let earlier: Vec<String> =
            audit.releases[..audit.releases.len() - 1].iter().map(|(_, name)| name.clone()).collect();
        let together =
            if earlier.is_empty() { String::new() } else { format!(" together with {}", earlier.join(", ")) };
        let allowed = question.allowed(&column.name).map_or(1.0, |confidence| confidence.to_f64() * 100.0);
        let allowed = crate::taxonomy::number_text((allowed * 10.0).round() / 10.0);
        let people = |people: u64| {
            if people == 1 { "1 person".to_owned() } else { format!("{} people", crate::text::grouped(people)) }
        };
        if column.above > 0 {
            let message = format!(
                "this release{together} tells the {} of {} with more confidence than {allowed} %. `reticent audit` tells what earlier \
                 releases give away already; fewer columns or other recipients may help, or to ask for more: a lower `confidence` of an algorithm, a greater \
                 m, l or k of a method{}",
                column.name,
                people(column.above),
                if audit.several > 0 { "; or fewer records of people who have several" } else { "" },
            );
            return Err(Error::Refused { message });
        }
        let (open, why) = match proof {
            Proof::Exact => {
                (column.people - column.exact, "is told with a confidence that is not known exactly; allowed are")
            }
            Proof::Bounds => (column.may_be_above, "may be told with more confidence than"),
            Proof::Estimate => (column.likely_above, "is by the best estimate told with more confidence than"),
            Proof::Off => (0, ""),
        };
        if open > 0 {
            let why = format!(
                "the {} of {} {why} {allowed} %{together}{}. To publish a table again, let a method keep people in the groups they were in \
                 ([release] method, such as \"m-invariance\"); or publish fewer columns, or let an estimate decide with \
                 `audit = \"estimate\"` under [requirement]",
                column.name,
                people(open),
                obstacles(&audit),
            );
            let what = "what all releases together give away".to_owned();
            return Err(Error::CannotCheck { what, why });
        }
    }
    Ok(audit)
}

/// What stood in the way, in words.
fn obstacles(audit: &Audit) -> String {
    let mut words = Vec::new();
    if audit.several > 0 {
        words.push("people with several records in one release are not followed to others".to_owned());
    }
    if audit.changed > 0 {
        words.push("values that changed, or are written differently, are not followed".to_owned());
    }
    if audit.work.not_counted > 0 {
        let sets = counted(audit.work.not_counted, "set");
        words.push(format!("{sets} of people who depend on each other could not be counted"));
    }
    if words.is_empty() { String::new() } else { format!(": {}", words.join("; ")) }
}
