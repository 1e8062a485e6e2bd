//! The gate for releases by algorithms: what a release discloses together with everything its recipients can hold.

use serde::Serialize;

use super::{AUDIT_OFF, Gate, NO_BOUND, Proof, admit};
use crate::audit::Question;
use crate::error::{Error, Obstacle, Result};
use crate::history::{Held, History};
use crate::names::Confidence;
use crate::schema::Role;
use crate::statement::{Outcome, POSTERIOR, Parameter, Scope, Statement};

/// What the audit of a release with its history found.
#[derive(Debug, Clone, Serialize)]
pub struct Audited {
    /// How well it had to be established: `exact`, `bounds`, `estimate` or `off`.
    pub proof: Proof,
    /// The bound on the posterior of a sensitive value; none when nothing was looked at.
    pub confidence: Option<f64>,
    /// People in the release, or records where owners are not known.
    pub people: u64,
    /// The maximum posterior over all records: its lower bound,
    pub lower: f64,
    /// and its upper bound.
    pub upper: f64,
    /// People with several records for whom the posterior that any record shows a value exceeds the bound, or may,
    pub any_above: u64,
    /// and the upper bound of that posterior over all people.
    pub any_upper: f64,
    /// People about whom earlier releases disclose more than the bound, and this one nothing more; they are not among the above.
    pub already: u64,
    /// People in components that have too many possible worlds to count.
    pub not_counted: u64,
    /// Earlier releases that were audited with it, by number.
    pub with: Vec<u64>,
    /// Earlier releases without owner links that its recipients can hold: of these, only the joins were judged.
    pub only_joined: Vec<u64>,
}

impl Audited {
    fn new(proof: Proof) -> Audited {
        Audited {
            proof,
            confidence: None,
            people: 0,
            lower: 0.0,
            upper: 0.0,
            any_above: 0,
            any_upper: 0.0,
            already: 0,
            not_counted: 0,
            with: Vec::new(),
            only_joined: Vec::new(),
        }
    }
}

/// Audits a candidate with what each coalition of its recipients holds, given by places in the history. `earlier` gives a
/// release of the history with its owner links.
///
/// # Errors
///
/// If the candidate discloses more than the bound, or if that could not be established.
pub fn admit_recoded(
    candidate: &Held,
    history: &History,
    held: &[Vec<usize>],
    earlier: &dyn Fn(usize) -> Held,
    gate: &Gate<'_>,
) -> Result<Audited> {
    let mut audited = Audited::new(gate.proof);
    let Some(confidence) = gate.confidence.filter(|_| gate.proof != Proof::Off) else { return Ok(audited) };
    audited.confidence = Some(confidence.decimal());
    let question =
        Question { confidence: Some(confidence.exact()), varies: gate.varies.clone(), worst: 0, ..Question::default() };
    // A recipient who was not told what the coalition was told before is judged without it too.
    let alone = history.held_alone(&candidate.recipients);
    for places in held.iter().chain(alone.iter().filter(|alone| !held.contains(alone))) {
        (gate.watch)()?;
        let releases = places.iter().map(|at| earlier(*at)).chain([candidate.clone()]).collect();
        audited.take(&History { releases, lost: Vec::new() }, &question)?;
    }
    // A release without recipients has no coalition that could be judged.
    if held.is_empty() && alone.is_empty() {
        return Err(Error::CannotCheck(Obstacle::NotEstablished {}));
    }
    for numbers in [&mut audited.with, &mut audited.only_joined] {
        numbers.sort_unstable();
        numbers.dedup();
    }
    Ok(audited)
}

impl Audited {
    /// What the gate established about the candidate.
    pub fn statement(&self, confidence: Option<Confidence>, scope: Scope) -> Statement {
        let outcome = match (confidence, self.proof.level()) {
            (None, _) => Outcome::NotApplicable { reason: NO_BOUND.to_owned() },
            (Some(_), None) => Outcome::Skipped { reason: AUDIT_OFF.to_owned() },
            // A candidate with violations was refused.
            (Some(_), Some(level)) => Outcome::Judged { violations: 0, level },
        };
        let bound = confidence.map(|bound| ("bound".to_owned(), Parameter::Number(bound.decimal())));
        let already = (self.already > 0).then(|| ("already".to_owned(), Parameter::Whole(self.already)));
        let parameters = bound.into_iter().chain(already).collect();
        Statement { model: POSTERIOR.to_owned(), parameters, scope, outcome }
    }

    /// Audits what one coalition holds, and keeps the worse figures.
    fn take(&mut self, history: &History, question: &Question) -> Result<()> {
        let audit = admit(history, question, self.proof)?;
        // Without links of its own, a release was audited alone; that covers everything if one of two shows nothing sensitive.
        let shows = |number: u64| {
            let held = history.releases.iter().filter(|held| held.number == number);
            let mut columns = held.flat_map(|held| &held.release.columns);
            columns.any(|column| column.role == Role::Sensitive)
        };
        let apart = |number: &u64| {
            (audit.unlinked.contains(&0) || audit.unlinked.contains(number)) && shows(0) && shows(*number)
        };
        let earlier = audit.releases.iter().map(|(number, _)| *number).filter(|number| *number != 0);
        let (only_joined, with): (Vec<u64>, Vec<u64>) = earlier.partition(apart);
        self.with.extend(with);
        self.only_joined.extend(only_joined);
        for column in &audit.columns {
            self.people = self.people.max(column.people);
            self.lower = self.lower.max(column.of_record.lower.value());
            self.upper = self.upper.max(column.of_record.upper.value());
            self.any_above = self.any_above.max(column.any_above);
            self.already = self.already.max(column.already);
            self.any_upper = self.any_upper.max(column.highest.upper.value());
        }
        self.not_counted = self.not_counted.max(audit.work.people_not_counted);
        Ok(())
    }
}
