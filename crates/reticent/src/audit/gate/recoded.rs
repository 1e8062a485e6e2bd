//! The gate for releases by algorithms: the posteriors given all releases that the recipients can hold.

use serde::Serialize;

use super::{AUDIT_OFF, Gate, NO_BOUND, Proof, admit};
use crate::audit::{AuditOptions, Identity};
use crate::data::schema::Role;
use crate::error::{Error, Obstacle, Result};
use crate::names::Confidence;
use crate::release::history::{History, RecordedRelease};
use crate::statement::{Level, Outcome, POSTERIOR, Parameter, REIDENTIFICATION, Scope, Statement};

/// Result of the gate for a release by an algorithm.
#[derive(Debug, Clone, Serialize)]
pub struct Audited {
    /// Required level of proof: `exact`, `bounds`, `estimate` or `off`.
    pub proof: Proof,
    /// Threshold on the posterior of a sensitive value; `None` if nothing was audited.
    pub confidence: Option<f64>,
    /// Number of people in the release, or of records if their owners are unknown.
    pub people: u64,
    /// Lower bound of the maximum posterior over all records.
    pub lower: f64,
    /// Upper bound of the maximum posterior over all records.
    pub upper: f64,
    /// Number of people whose posterior that any of several records has a value exceeds the threshold, or may exceed it.
    pub any_record_above: u64,
    /// Upper bound of the maximum of that posterior over all people.
    pub any_record_upper: f64,
    /// Number of people above the threshold before this release, which adds nothing about them.
    pub already_above: u64,
    /// Number of people in components with too many possible worlds to count.
    pub not_counted: u64,
    /// Number of people for whom a value is certain given all releases, although the policy sets no threshold.
    pub certain: u64,
    /// Re-identification risk given all releases that the recipients can hold; `None` if it was not computed.
    pub identity: Option<Identity>,
    /// Numbers of the earlier releases that were audited together with it.
    pub with: Vec<u64>,
    /// Numbers of the earlier releases without owner links, for which only joins were judged.
    pub join_only: Vec<u64>,
}

impl Audited {
    fn new(proof: Proof) -> Audited {
        Audited {
            proof,
            confidence: None,
            people: 0,
            lower: 0.0,
            upper: 0.0,
            any_record_above: 0,
            any_record_upper: 0.0,
            already_above: 0,
            not_counted: 0,
            certain: 0,
            identity: None,
            with: Vec::new(),
            join_only: Vec::new(),
        }
    }
}

/// Audits a candidate together with the releases that each coalition of its recipients holds.
///
/// `coalitions` are positions in the history. `earlier` returns a release of the history with its owner links.
///
/// # Errors
///
/// Returns an error if a posterior exceeds the threshold, or if the required level of proof is not reached.
pub fn admit_recoded(
    candidate: &RecordedRelease,
    history: &History,
    coalitions: &[Vec<usize>],
    earlier: &dyn Fn(usize) -> RecordedRelease,
    gate: &Gate<'_>,
) -> Result<Audited> {
    let mut audited = Audited::new(gate.proof);
    if gate.proof == Proof::Off {
        return Ok(audited);
    }
    audited.confidence = gate.confidence.map(Confidence::decimal);
    let options = AuditOptions {
        confidence: gate.confidence.map(Confidence::exact),
        reidentification: gate.reidentification.map(Confidence::exact),
        time_varying: gate.time_varying.clone(),
        units: gate.units.clone(),
        worst: 0,
        ..AuditOptions::default()
    };
    // A single recipient may lack earlier releases of the coalition. Then the candidate adds more for this recipient.
    let alone = history.releases_by_recipient(&candidate.recipients);
    let mut is_known = true;
    for positions in coalitions.iter().chain(alone.iter().filter(|alone| !coalitions.contains(alone))) {
        (gate.watch)()?;
        let releases = positions.iter().map(|at| earlier(*at)).filter(|recorded| !recorded.population);
        let releases = releases.chain([candidate.clone()]).collect();
        let together = History { releases, ..History::default() }.with_roles(&gate.roles);
        gate.record_sets.iter().try_for_each(|bound| bound.admit(&together))?;
        match audited.merge(&together, &options) {
            // Without a threshold, nothing is refused; the risk is only reported.
            Err(Error::CannotCheck(_)) if !options.judges() => is_known = false,
            merged => merged?,
        }
    }
    // The risk of one coalition does not bound that of another.
    audited.identity = audited.identity.take().filter(|_| is_known);
    // A release without recipients has no coalition to judge.
    if coalitions.is_empty() && alone.is_empty() && options.judges() {
        return Err(Error::CannotCheck(Obstacle::NotEstablished {}));
    }
    for numbers in [&mut audited.with, &mut audited.join_only] {
        numbers.sort_unstable();
        numbers.dedup();
    }
    Ok(audited)
}

impl Audited {
    /// The statements that the gate established about the candidate.
    pub fn statements(&self, gate: &Gate<'_>, scope: &Scope) -> Vec<Statement> {
        let posterior = self.posterior_statement(gate.confidence, scope.clone());
        let identity = gate.reidentification.map(|bound| {
            let outcome = match self.proof.level() {
                None => Outcome::Skipped { reason: AUDIT_OFF.to_owned() },
                // An estimate decides only if a bound does not.
                Some(Level::Estimate) if self.identity.as_ref().is_some_and(|identity| identity.may_be_above == 0) => {
                    Outcome::Judged { violations: 0, level: Level::Bound }
                }
                Some(level) => Outcome::Judged { violations: 0, level },
            };
            let parameters = [("bound".to_owned(), Parameter::Number(bound.decimal()))].into();
            Statement { model: REIDENTIFICATION.to_owned(), parameters, scope: scope.clone(), outcome }
        });
        let sets = gate.record_sets.iter().map(|bound| {
            let outcome = match self.proof {
                Proof::Off => Outcome::Skipped { reason: AUDIT_OFF.to_owned() },
                // Sets are counted exactly, and a candidate with violations was refused.
                _ => Outcome::Judged { violations: 0, level: Level::Exact },
            };
            Statement {
                model: bound.model.clone(),
                parameters: bound.parameters.clone(),
                scope: scope.clone(),
                outcome,
            }
        });
        [posterior].into_iter().chain(identity).chain(sets).collect()
    }

    fn posterior_statement(&self, confidence: Option<Confidence>, scope: Scope) -> Statement {
        let outcome = match (confidence, self.proof.level()) {
            (None, _) => Outcome::NotApplicable { reason: NO_BOUND.to_owned() },
            (Some(_), None) => Outcome::Skipped { reason: AUDIT_OFF.to_owned() },
            (Some(bound), Some(Level::Estimate)) if self.upper <= bound.decimal() => {
                Outcome::Judged { violations: 0, level: Level::Bound }
            }
            // A candidate with violations was refused.
            (Some(_), Some(level)) => Outcome::Judged { violations: 0, level },
        };
        let bound = confidence.map(|bound| ("bound".to_owned(), Parameter::Number(bound.decimal())));
        let already = (self.already_above > 0).then(|| ("already".to_owned(), Parameter::Whole(self.already_above)));
        let parameters = bound.into_iter().chain(already).collect();
        Statement { model: POSTERIOR.to_owned(), parameters, scope, outcome }
    }

    /// Audits the releases of one coalition, and keeps the worse figures.
    fn merge(&mut self, history: &History, options: &AuditOptions) -> Result<()> {
        let audit = admit(history, options, self.proof)?;
        let is_worse = |known: &Identity| known.prosecutor.upper < audit.identity.prosecutor.upper;
        if self.identity.as_ref().is_none_or(is_worse) {
            self.identity = Some(audit.identity.clone());
        }
        // A release without links was audited on its own, which is sufficient if one of the two has no sensitive column.
        let shows = |number: u64| {
            let recorded = history.releases.iter().filter(|recorded| recorded.number == number);
            let mut columns = recorded.flat_map(|recorded| &recorded.release.columns);
            columns.any(|column| column.role == Role::Sensitive)
        };
        let apart = |number: &u64| {
            (audit.unlinked.contains(&0) || audit.unlinked.contains(number)) && shows(0) && shows(*number)
        };
        let earlier = audit.releases.iter().map(|(number, _)| *number).filter(|number| *number != 0);
        let (only_joined, with): (Vec<u64>, Vec<u64>) = earlier.partition(apart);
        self.with.extend(with);
        self.join_only.extend(only_joined);
        for column in &audit.columns {
            self.people = self.people.max(column.people);
            self.lower = self.lower.max(column.highest_record.lower.value());
            self.upper = self.upper.max(column.highest_record.upper.value());
            self.any_record_above = self.any_record_above.max(column.any_record_above);
            self.already_above = self.already_above.max(column.already_above);
            self.any_record_upper = self.any_record_upper.max(column.highest.upper.value());
            if options.threshold(&column.name).is_none() {
                self.certain = self.certain.max(column.certain);
            }
        }
        self.not_counted = self.not_counted.max(audit.stats.people_not_counted);
        Ok(())
    }
}
