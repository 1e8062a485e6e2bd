//! Named attacks.

use serde::Serialize;

use crate::attacks::{self, AttackInput, Finding, KnownPerson};
use crate::audit::AuditOptions;
use crate::data::schema::Role;
use crate::error::{Result, did_you_mean};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Entry};
use crate::release::history::{History, RecordedRelease};

/// Result of running an attack.
#[derive(Debug, Clone, Serialize)]
pub struct AttackRun {
    /// Id of the attack.
    pub id: String,
    /// Title of the attack.
    pub title: String,
    /// Reason why the attack could not run.
    pub not_run: Option<String>,
    /// Part that the attack could not check, with the reason.
    pub not_checked: Option<String>,
    /// Findings, the most severe first.
    pub findings: Vec<Finding>,
}

/// Input of attacks in addition to the releases.
#[derive(Debug, Clone, Copy)]
pub struct AttackContext<'a> {
    /// People that the attacker knows.
    pub people: &'a [KnownPerson],
    /// Row order of each release, by release number; `None` if it is unknown.
    pub rows: &'a [(u64, Option<Vec<u32>>)],
    /// `k` of the policy, if it has one.
    pub k: Option<u64>,
}

/// Finds the registry entry of an attack.
///
/// # Errors
///
/// Returns a suggestion if there is no attack with this id.
pub fn known_attack(id: &str) -> std::result::Result<&'static Entry, String> {
    if let Some(listed) = attacks::LIST.iter().find(|listed| listed.entry.id == id) {
        return Ok(&listed.entry);
    }
    let names = attacks::LIST.iter().map(|listed| listed.entry.id);
    let hint = did_you_mean(id, names.clone());
    Err(hint.unwrap_or_else(|| format!("there are: all, {}", names.collect::<Vec<_>>().join(", "))))
}

/// Runs one attack.
///
/// # Errors
///
/// Errors of the attack itself are in [`AttackRun::not_run`].
pub fn attack(
    entry: &Entry,
    history: &History,
    options: &AuditOptions,
    context: &AttackContext<'_>,
    arguments: &Arguments,
) -> Result<AttackRun> {
    let row_order =
        |recorded: &RecordedRelease| context.rows.iter().find(|(number, _)| *number == recorded.number)?.1.clone();
    let rows: Vec<Option<Vec<u32>>> = history.releases.iter().map(row_order).collect();
    let asked = options.columns.as_ref().map(|columns| restrict_sensitive(history, columns));
    let input = AttackInput {
        history: asked.as_ref().unwrap_or(history),
        people: context.people,
        confidence: min_violating_confidence(options),
        rows: &rows,
        time_varying: &options.time_varying,
        arguments,
    };
    let (id, title) = (entry.id.to_owned(), entry.title.to_owned());
    let knows = !options.knowledge.known.is_empty() || !options.knowledge.statements.is_empty();
    let knows = knows.then(|| "this attack does not use the attacker's background knowledge".to_owned());
    Ok(match attacks::run(&id, &input) {
        Ok(found) => {
            let why: Vec<String> = found.not_checked.into_iter().chain(knows).collect();
            let not_checked = (!why.is_empty()).then(|| why.join("; "));
            AttackRun { id, title, not_run: None, not_checked, findings: found.all }
        }
        Err(error) => {
            AttackRun { id, title, not_run: Some(error.to_string()), not_checked: None, findings: Vec::new() }
        }
    })
}

/// Copies a history, with only the given columns as sensitive columns.
fn restrict_sensitive(history: &History, columns: &[String]) -> History {
    let mut history = history.clone();
    for column in history.releases.iter_mut().flat_map(|recorded| &mut recorded.release.columns) {
        if column.role == Role::Sensitive && !columns.contains(&column.name) {
            column.role = Role::Other;
        }
    }
    history
}

/// The smallest confidence above the lowest threshold, so that attacks report every violation and nothing within the thresholds.
fn min_violating_confidence(options: &AuditOptions) -> Ratio {
    let certain = Ratio::new(1, 1);
    let thresholds = options.column_thresholds.iter().map(|(_, bound)| *bound);
    match thresholds.chain(options.confidence).min() {
        Some(bound) if bound < certain => Ratio {
            numerator: bound.numerator.saturating_mul(RESOLUTION).saturating_add(1),
            denominator: bound.denominator.saturating_mul(RESOLUTION),
        },
        _ => certain,
    }
}

/// Resolution of confidences: no ratio of people lies between a threshold and the next step above it.
const RESOLUTION: u128 = 1 << 40;
