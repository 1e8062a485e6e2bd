//! Timeline: the audit of a history after each of its releases.

use serde::Serialize;

use super::{Audit, AuditOptions, ColumnAudit, MeanRisk, PosteriorRange, audit};
use crate::error::{Error, Obstacle, Result};
use crate::release::history::{History, RecordedRelease};

/// Summary of the audit of a history up to a release.
#[derive(Debug, Clone, Serialize)]
pub struct TimelinePoint {
    /// Number of the newest release.
    pub release: u64,
    /// Name of the newest release.
    pub name: String,
    /// Date of the newest release.
    pub date: String,
    /// Number of people in the history.
    pub people: u64,
    /// Maximum prosecutor risk.
    pub prosecutor: PosteriorRange,
    /// Average prosecutor risk.
    pub marketer: MeanRisk,
    /// Number of people to whom a record certainly belongs.
    pub singled_out: u64,
    /// Summary by sensitive column.
    pub columns: Vec<TimelineColumn>,
}

/// Summary of the audit of a sensitive column.
#[derive(Debug, Clone, Serialize)]
pub struct TimelineColumn {
    /// Name of the column.
    pub name: String,
    /// Number of people whose value is certain.
    pub certain: u64,
    /// Number of people whose posterior certainly exceeds the threshold.
    pub above: u64,
    /// Number of people whose posterior may exceed the threshold.
    pub may_be_above: u64,
    /// Estimate of the maximum posterior.
    pub highest: f64,
    /// Expected accuracy of guessing the most probable value of every person.
    pub accuracy: f64,
    /// Whether estimates or upper bounds of some people enter `highest` and `accuracy`.
    pub estimated: bool,
}

/// Maximum number of points: only the newest releases get one.
const MAX_POINTS: usize = 36;

/// Name of each release, with the audit of the history up to it.
pub type Timeline = Vec<(String, Audit)>;

/// Audits the history up to each release, as summaries and in full. The last point is `whole`.
///
/// Calls `watch` before each audit.
///
/// # Errors
///
/// Returns an error if an audit fails, or if `watch` returns one.
pub fn timeline(
    history: &History,
    whole: &Audit,
    options: &AuditOptions,
    watch: &dyn Fn() -> Result<()>,
) -> Result<(Vec<TimelinePoint>, Timeline)> {
    let (mut points, mut audits) = (Vec::new(), Vec::new());
    let brief = AuditOptions { worst: 0, per_person: false, pairs: false, ..options.clone() };
    // Index of the last table of each release.
    let ends: Vec<usize> = (0..history.releases.len())
        .filter(|at| history.releases.get(at + 1).is_none_or(|next| next.number != history.releases[*at].number))
        .collect();
    for newest in ends[ends.len().saturating_sub(MAX_POINTS)..].iter().copied() {
        watch()?;
        let last = newest + 1 == history.releases.len();
        let until = History { releases: history.releases[..=newest].to_vec(), ..History::default() };
        let audit = match last {
            true => Some(whole.clone()),
            false => audit_until(&until, &brief)?,
        };
        let Some(audit) = audit else {
            // Points are comparable only if all of them use the same background knowledge.
            (points, audits) = (Vec::new(), Vec::new());
            continue;
        };
        points.push(point(&history.releases[newest], &audit));
        audits.push((history.releases[newest].name.clone(), audit));
    }
    Ok((points, audits))
}

/// Audits a history up to a release, with the background knowledge about its people. Returns `None` if the knowledge does
/// not apply to the shorter history.
fn audit_until(until: &History, options: &AuditOptions) -> Result<Option<Audit>> {
    // A proportion of all people need not hold for fewer people.
    if options.knowledge.has_proportions() {
        return Ok(None);
    }
    match audit(until, &options.within(until)) {
        Err(Error::CannotCheck(Obstacle::BackgroundKnowledgeInvalid { .. })) => Ok(None),
        found => Ok(Some(found?)),
    }
}

fn point(recorded: &RecordedRelease, audit: &Audit) -> TimelinePoint {
    let column = |column: &ColumnAudit| TimelineColumn {
        name: column.name.clone(),
        certain: column.certain,
        above: column.above,
        may_be_above: column.may_be_above,
        highest: column.highest.estimate,
        accuracy: column.accuracy,
        estimated: column.estimated + column.bounds_only > 0,
    };
    TimelinePoint {
        release: recorded.number,
        name: recorded.name.clone(),
        date: recorded.date.clone(),
        people: audit.people,
        prosecutor: audit.identity.prosecutor,
        marketer: audit.identity.marketer,
        singled_out: audit.identity.singled_out,
        columns: audit.columns.iter().map(column).collect(),
    }
}
