//! Running attacks by name.

use serde::Serialize;

use crate::attacks::{self, Finding, Person, Scene};
use crate::audit::Question;
use crate::error::{Result, did_you_mean};
use crate::history::{Held, History};
use crate::registry::{Arguments, Entry};
use crate::schema::Role;
use crate::share::Share;

/// What an attack found.
#[derive(Debug, Clone, Serialize)]
pub struct Attacked {
    /// The attack.
    pub id: String,
    /// Its name.
    pub title: String,
    /// Why it could not be run, if it could not.
    pub not_run: Option<String>,
    /// What it could not look at beside what it found, and why.
    pub not_checked: Option<String>,
    /// What it found, worst first.
    pub findings: Vec<Finding>,
}

/// What attacks may use besides the releases.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// People about whom something is known.
    pub people: &'a [Person],
    /// By number of a release: the order of its rows, where it is known.
    pub rows: &'a [(u64, Option<Vec<u32>>)],
    /// The policy's `k`, if it has one.
    pub k: Option<u64>,
}

/// The entry of an attack; without one, a hint with the attacks there are.
pub fn known_attack(id: &str) -> std::result::Result<&'static Entry, String> {
    if let Some(listed) = attacks::LIST.iter().find(|listed| listed.entry.id == id) {
        return Ok(&listed.entry);
    }
    let names = attacks::LIST.iter().map(|listed| listed.entry.id);
    let hint = did_you_mean(id, names.clone());
    Err(hint.unwrap_or_else(|| format!("there are: all, {}", names.collect::<Vec<_>>().join(", "))))
}

/// Runs one attack. An attack that cannot be run says why.
///
/// # Errors
///
/// None of the attack's own: these are in the answer.
pub fn attack(
    entry: &Entry,
    held: &History,
    question: &Question,
    beside: &Beside<'_>,
    arguments: &Arguments,
) -> Result<Attacked> {
    let row_order = |held: &Held| beside.rows.iter().find(|(number, _)| *number == held.number)?.1.clone();
    let rows: Vec<Option<Vec<u32>>> = held.releases.iter().map(row_order).collect();
    let asked = question.columns.as_ref().map(|columns| only(held, columns));
    let scene = Scene {
        history: asked.as_ref().unwrap_or(held),
        people: beside.people,
        confidence: least_not_allowed(question),
        rows: &rows,
        varies: &question.varies,
        arguments,
    };
    let (id, title) = (entry.id.to_owned(), entry.title.to_owned());
    let knows = !question.knowledge.known.is_empty() || !question.knowledge.statements.is_empty();
    let knows = knows.then(|| "what the attacker knows besides is not used by it".to_owned());
    Ok(match attacks::run(&id, &scene) {
        Ok(found) => {
            let why: Vec<String> = found.not_checked.into_iter().chain(knows).collect();
            let not_checked = (!why.is_empty()).then(|| why.join("; "));
            Attacked { id, title, not_run: None, not_checked, findings: found.all }
        }
        Err(error) => Attacked { id, title, not_run: Some(error.to_string()), not_checked: None, findings: Vec::new() },
    })
}

/// The same history, in which no other columns than these are sensitive.
fn only(held: &History, columns: &[String]) -> History {
    let mut held = held.clone();
    for column in held.releases.iter_mut().flat_map(|held| &mut held.release.columns) {
        if column.role == Role::Sensitive && !columns.contains(&column.name) {
            column.role = Role::Other;
        }
    }
    held
}

/// The least confidence that exceeds the bound of some column: nothing above a bound is passed over, and nothing within it is a
/// finding.
fn least_not_allowed(question: &Question) -> Share {
    let certain = Share::new(1, 1);
    let promised = question.promised.iter().map(|(_, most)| *most);
    match promised.chain(question.confidence).min() {
        Some(allowed) if allowed < certain => Share {
            numerator: allowed.numerator.saturating_mul(FINE).saturating_add(1),
            denominator: allowed.denominator.saturating_mul(FINE),
        },
        _ => certain,
    }
}

/// More people than any ratio is of: no such ratio lies between a bound and the bound plus one part in so many.
const FINE: u128 = 1 << 40;
