//! What a history discloses, release by release.

use serde::Serialize;

use super::{Audit, Column, Question, audit};
use crate::error::{Error, Obstacle, Result};
use crate::history::{Held, History};

/// What a history up to some release discloses, in short.
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
    /// What is disclosed of each sensitive column by then.
    pub columns: Vec<MomentColumn>,
}

/// What was disclosed of a sensitive column.
#[derive(Debug, Clone, Serialize)]
pub struct MomentColumn {
    /// The column.
    pub name: String,
    /// People whose value is certain.
    pub certain: u64,
    /// People whose posterior exceeds the bound.
    pub above: u64,
    /// People whose posterior may exceed the bound.
    pub may_be_above: u64,
    /// The maximum posterior, as far as it is known.
    pub highest: f64,
    /// The accuracy of an attacker who guesses the most probable value of every person.
    pub average: f64,
}

/// More releases than this are not audited one after the other.
const MOST_MOMENTS: usize = 36;

/// By name of a release, the audit of everything up to it.
pub type Timeline = Vec<(String, Audit)>;

/// In short and in full, what everything up to each release discloses; the last is the whole. `watch` is asked before each.
///
/// # Errors
///
/// If an audit fails, or if `watch` asks to stop.
pub fn timeline(
    held: &History,
    whole: &Audit,
    question: &Question,
    watch: &dyn Fn() -> Result<()>,
) -> Result<(Vec<Moment>, Timeline)> {
    let (mut over_time, mut then) = (Vec::new(), Vec::new());
    let brief = Question { worst: 0, each: false, pairs: false, ..question.clone() };
    // The last table of each release.
    let ends: Vec<usize> = (0..held.releases.len())
        .filter(|at| held.releases.get(at + 1).is_none_or(|next| next.number != held.releases[*at].number))
        .collect();
    for newest in ends[ends.len().saturating_sub(MOST_MOMENTS)..].iter().copied() {
        watch()?;
        let last = newest + 1 == held.releases.len();
        let until = History { releases: held.releases[..=newest].to_vec(), lost: Vec::new() };
        let moment_then = match last {
            true => Some(whole.clone()),
            false => audit_then(&until, &brief)?,
        };
        let Some(moment_then) = moment_then else {
            // What each release adds is known only if all of them are audited in the same way.
            (over_time, then) = (Vec::new(), Vec::new());
            continue;
        };
        over_time.push(moment(&held.releases[newest], &moment_then));
        then.push((held.releases[newest].name.clone(), moment_then));
    }
    Ok((over_time, then))
}

/// The audit of a history up to some release, with the same background knowledge as far as it is about people of that time. None
/// if the knowledge cannot be used for it.
fn audit_then(until: &History, question: &Question) -> Result<Option<Audit>> {
    // A statement about everybody need not be true of fewer people.
    if question.knowledge.is_of_everybody() {
        return Ok(None);
    }
    match audit(until, &question.within(until)) {
        Err(Error::CannotCheck(Obstacle::BackgroundKnowledgeInvalid { .. })) => Ok(None),
        found => Ok(Some(found?)),
    }
}

fn moment(held: &Held, audit: &Audit) -> Moment {
    let column = |column: &Column| MomentColumn {
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
        columns: audit.columns.iter().map(column).collect(),
    }
}
