//! What a history gives away, release by release.

use reticent::audit::{Audit, Column, Question, audit};
use reticent::history::{Held, History};
use serde::Serialize;

use crate::failure::Failure;
use crate::steward::Ways;

/// What a history gives away, in short.
#[derive(Debug, Clone, Serialize)]
pub struct Moment {
    /// The newest release.
    pub release: u64,
    /// Its name.
    pub name: String,
    /// When it went out.
    pub date: String,
    /// People in the history.
    pub people: u64,
    /// What is told of each sensitive column by then.
    pub columns: Vec<ToldThen>,
}

/// What was told of a sensitive column.
#[derive(Debug, Clone, Serialize)]
pub struct ToldThen {
    /// The column.
    pub name: String,
    /// People about whom it is certain.
    pub certain: u64,
    /// About whom more is told than allowed, for sure.
    pub above: u64,
    /// About whom more may be told than allowed.
    pub may_be_above: u64,
    /// The most that is told about anybody, as far as it is known.
    pub highest: f64,
    /// How often whoever guesses everybody's most likely value is right.
    pub average: f64,
}

/// More releases than this are not looked at one after the other.
const MOST_MOMENTS: usize = 36;

/// By name of a release, the audit of everything up to it.
pub type Then = Vec<(String, Audit)>;

/// In short and in full, what everything up to each release tells; the last is the whole.
pub fn moments(
    held: &History,
    whole: &Audit,
    question: &Question,
    ways: &Ways,
) -> Result<(Vec<Moment>, Then), Failure> {
    let (mut over_time, mut then) = (Vec::new(), Vec::new());
    let brief = Question { worst: 0, each: false, pairs: false, ..question.clone() };
    // The last table of each release.
    let ends: Vec<usize> = (0..held.releases.len())
        .filter(|at| held.releases.get(at + 1).is_none_or(|next| next.number != held.releases[*at].number))
        .collect();
    for newest in ends[ends.len().saturating_sub(MOST_MOMENTS)..].iter().copied() {
        ways.check_stop()?;
        let last = newest + 1 == held.releases.len();
        let until = History { releases: held.releases[..=newest].to_vec(), lost: Vec::new() };
        let moment_then = match last {
            true => Some(whole.clone()),
            false => audit_then(&until, &brief)?,
        };
        let Some(moment_then) = moment_then else {
            // What each release brings can only be told where all of it is looked at in the same way.
            (over_time, then) = (Vec::new(), Vec::new());
            continue;
        };
        over_time.push(moment(&held.releases[newest], &moment_then));
        then.push((held.releases[newest].name.clone(), moment_then));
    }
    Ok((over_time, then))
}

/// What a history up to some release tells, to who knows the same as in the end, as far as it is about people of that time. None where
/// that could not be used for it.
fn audit_then(until: &History, question: &Question) -> Result<Option<Audit>, Failure> {
    // What is said of everybody need not be so of fewer.
    if question.knowledge.is_of_everybody() {
        return Ok(None);
    }
    match audit(until, &question.within(until)) {
        Err(reticent::Error::CannotCheck { what, .. }) if what == "the background knowledge" => Ok(None),
        found => Ok(Some(found?)),
    }
}

fn moment(held: &Held, audit: &Audit) -> Moment {
    let told = |column: &Column| ToldThen {
        name: column.name.clone(),
        certain: column.certain,
        above: column.above,
        may_be_above: column.may_be_above,
        highest: column.highest.best,
        average: column.average,
    };
    Moment {
        release: held.number,
        name: held.name.clone(),
        date: held.date.clone(),
        people: audit.people,
        columns: audit.columns.iter().map(told).collect(),
    }
}
