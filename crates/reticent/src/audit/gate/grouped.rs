//! The gate for releases by republication methods: the posteriors given all releases, against the bounds of the method.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{AUDIT_OFF, Gate, Proof, admit};
use crate::audit::group_checks::min_indistinguishable;
use crate::audit::{AuditOptions, Identity, exchangeability};
use crate::error::{Error, Obstacle, Refusal, Result};
use crate::names::Confidence;
use crate::ratio::Ratio;
use crate::release::history::{History, RecordedRelease};
use crate::statement::{Level, Outcome, POSTERIOR, Parameter, RECORD_LINKAGE, REIDENTIFICATION, Scope, Statement};
use reticent_inference::SolveOptions;

/// Factor by which the solver limits increase if the default limits do not suffice.
const THOROUGH_FACTOR: u64 = 20;

/// Result of the gate for a release by a republication method.
#[derive(Debug, Clone, Serialize)]
pub struct AuditedGroups {
    /// Required level of proof: `exact`, `bounds`, `estimate` or `off`.
    pub proof: Proof,
    /// Results by sensitive column with a bound.
    pub columns: Vec<AuditedColumn>,
    /// Smallest number of people who share all their groups in all releases, if the method bounds record linkage.
    pub min_indistinguishable: Option<u64>,
    /// Re-identification risk given all releases that the recipients can hold; `None` if it was not computed.
    pub identity: Option<Identity>,
}

/// Result of the gate for one column.
#[derive(Debug, Clone, Serialize)]
pub struct AuditedColumn {
    /// Name of the column.
    pub column: String,
    /// Bound on the posterior of a value.
    pub confidence: f64,
    /// Number of people audited.
    pub people: u64,
    /// Lower bound of the maximum posterior over all people.
    pub lower: f64,
    /// Upper bound of the maximum posterior over all people.
    pub upper: f64,
    /// Number of people in components with too many possible worlds to count.
    pub not_counted: u64,
    /// Number of people above the bound before this release, which adds nothing about them.
    pub already_above: u64,
    /// Upper bound of the maximum posterior over these people; 0 if there are none.
    pub already_highest: f64,
    /// Number of people whose posterior exceeds the bound. A release with such people is refused.
    #[serde(skip)]
    pub above: u64,
}

impl AuditedColumn {
    fn new(column: &str, bound: Ratio) -> AuditedColumn {
        AuditedColumn {
            column: column.to_owned(),
            confidence: bound.to_f64(),
            people: 0,
            lower: 0.0,
            upper: 0.0,
            not_counted: 0,
            already_above: 0,
            already_highest: 0.0,
            above: 0,
        }
    }

    /// Keeps the worse figures of two coalitions.
    fn merge(&mut self, other: &AuditedColumn) {
        self.people = self.people.max(other.people);
        self.lower = self.lower.max(other.lower);
        self.upper = self.upper.max(other.upper);
        self.not_counted = self.not_counted.max(other.not_counted);
        self.already_above = self.already_above.max(other.already_above);
        self.already_highest = self.already_highest.max(other.already_highest);
        self.above = self.above.max(other.above);
    }
}

/// A candidate of a republication method, with the bounds that it must meet.
#[derive(Debug)]
pub struct GroupedCandidate<'a> {
    /// Id of the method.
    pub method: &'a str,
    /// Tables of the candidate, with release number 0.
    pub tables: &'a [RecordedRelease],
    /// Name of the group column.
    pub group_column: &'a str,
    /// Whether the candidate has marginal tables.
    pub has_marginals: bool,
    /// Bound on the posterior, by sensitive column, from the method or the policy.
    pub bounds: &'a [(String, Ratio)],
    /// Bound on the probability that a record belongs to a given person, if the method has one.
    pub linkage_bound: Option<Ratio>,
}

/// Audits a candidate together with the releases that each coalition of its recipients holds.
///
/// `coalitions` and `series` are release numbers. `series` are the releases that a method published.
///
/// # Errors
///
/// Returns an error if a bound is exceeded, or if the required level of proof is not reached.
pub fn admit_grouped(
    candidate: &GroupedCandidate<'_>,
    history: &History,
    coalitions: &[Vec<u64>],
    series: &[u64],
    gate: &Gate<'_>,
) -> Result<AuditedGroups> {
    let mut audited =
        AuditedGroups { proof: gate.proof, columns: Vec::new(), min_indistinguishable: None, identity: None };
    if gate.proof == Proof::Off {
        return match candidate.has_marginals {
            true => Err(Error::CannotCheck(Obstacle::MarginalsUnaudited {})),
            false => Ok(audited),
        };
    }
    let numbers = |positions: &Vec<usize>| -> Vec<u64> {
        let mut numbers: Vec<u64> = positions.iter().map(|at| history.releases[*at].number).collect();
        numbers.dedup();
        numbers
    };
    // A single recipient may lack earlier releases of the coalition. Then the candidate adds more for this recipient.
    let recipients = candidate.tables.first().map(|recorded| recorded.recipients.clone()).unwrap_or_default();
    let alone = history.releases_by_recipient(&recipients);
    // A release without recipients has no coalition to judge.
    if coalitions.is_empty() && alone.is_empty() {
        return Err(Error::CannotCheck(Obstacle::NotEstablished {}));
    }
    let alone = alone.iter().map(numbers).filter(|alone| !coalitions.contains(alone));
    let mut is_known = true;
    for numbers in coalitions.iter().cloned().chain(alone) {
        let earlier =
            history.releases.iter().filter(|release| !release.population && numbers.contains(&release.number));
        let tables: Vec<&RecordedRelease> = earlier.chain(candidate.tables).collect();
        for (column, bound) in candidate.bounds {
            check_owner_links(column, &tables)?;
            (gate.watch)()?;
            audited.merge(audit_column(column, *bound, &tables, gate)?);
        }
        audited.admit_linkage(candidate, &tables, series)?;
        (gate.watch)()?;
        is_known &= audited.admit_identity(&tables, gate)?;
    }
    // The risk of one coalition does not bound that of another.
    audited.identity = audited.identity.take().filter(|_| is_known);
    Ok(audited)
}

/// Returns an error if a release with this column has no owner links, since it cannot be judged together with the others.
fn check_owner_links(column: &str, tables: &[&RecordedRelease]) -> Result<()> {
    let shows = |recorded: &&RecordedRelease| recorded.release.columns.iter().any(|shown| shown.name == column);
    // The owners of a list are those of the table that it is about.
    let is_followed = |recorded: &&RecordedRelease| {
        let about = recorded.presentation.about_release.unwrap_or(recorded.number);
        let mut people =
            tables.iter().filter(|table| table.number == about && table.presentation.about_release.is_none());
        people.next().is_some_and(|people| people.links.is_some())
    };
    match tables.iter().copied().filter(shows).find(|recorded| !is_followed(recorded)) {
        None => Ok(()),
        Some(recorded) => {
            let (release, name, column) = (recorded.number, recorded.name.clone(), column.to_owned());
            Err(Error::CannotCheck(Obstacle::SharedColumnUnlinked { release, name, column }))
        }
    }
}

/// Audits one column of the tables. Returns `None` if the audit has no result for it.
fn audit_column(
    column: &str,
    bound: Ratio,
    tables: &[&RecordedRelease],
    gate: &Gate<'_>,
) -> Result<Option<AuditedColumn>> {
    let options = AuditOptions {
        columns: Some(vec![column.to_owned()]),
        confidence: Some(bound),
        time_varying: gate.time_varying.clone(),
        units: gate.units.clone(),
        worst: 0,
        identity: false,
        ..AuditOptions::default()
    };
    let mut found = AuditedColumn::new(column, bound);
    let known =
        exchangeability(tables, column).filter(|known| options.time_varying.is_empty() && known.max_posterior <= bound);
    if let Some(known) = known {
        (found.people, found.lower, found.upper) =
            (known.people, known.max_posterior.to_f64(), known.max_posterior.to_f64());
        return Ok(Some(found));
    }
    let releases = tables.iter().map(|recorded| (*recorded).clone().canonical()).collect();
    let history = History { releases, ..History::default() }.with_roles(&gate.roles);
    let audit = match admit(&history, &options, gate.proof) {
        // Some components may need more than the default limits.
        Err(Error::CannotCheck(_)) => {
            let SolveOptions { steps, program_steps: program, .. } = options.solve;
            let solve_options = SolveOptions {
                steps: steps * THOROUGH_FACTOR,
                program_steps: program * THOROUGH_FACTOR,
                ..options.solve
            };
            admit(&history, &AuditOptions { solve: solve_options, ..options }, gate.proof)?
        }
        audit => audit?,
    };
    let Some(figures) = audit.columns.first() else { return Ok(None) };
    found.people = figures.people;
    (found.lower, found.upper) = (figures.highest.lower.value(), figures.highest.upper.value());
    found.not_counted = audit.stats.people_not_counted;
    (found.already_above, found.already_highest) = (figures.already_above, figures.already_highest.upper.value());
    found.above = figures.above;
    Ok(Some(found))
}

impl AuditedGroups {
    /// The statements that the gate established about the candidate. `bound` returns the text of a column's bound.
    pub fn statements(
        &self,
        candidate: &GroupedCandidate<'_>,
        reidentification: Option<Confidence>,
        scope: &Scope,
        bound: &dyn Fn(&AuditedColumn) -> String,
    ) -> Vec<Statement> {
        let outcome = |violations: u64| match self.proof.level() {
            Some(level) => Outcome::Judged { violations, level },
            None => Outcome::Skipped { reason: AUDIT_OFF.to_owned() },
        };
        if self.proof == Proof::Off {
            let skipped = |model: &str, parameters: BTreeMap<String, Parameter>| Statement {
                model: model.to_owned(),
                parameters,
                scope: scope.clone(),
                outcome: Outcome::Skipped { reason: AUDIT_OFF.to_owned() },
            };
            let of = |column: &String| [("of".to_owned(), Parameter::List(vec![column.clone()]))].into();
            let posteriors = candidate.bounds.iter().map(|(column, _)| skipped(POSTERIOR, of(column)));
            let records = candidate.linkage_bound.map(|_| skipped(RECORD_LINKAGE, BTreeMap::new()));
            let identity = reidentification.map(|_| skipped(REIDENTIFICATION, BTreeMap::new()));
            return posteriors.chain(records).chain(identity).collect();
        }
        let posterior = |column: &AuditedColumn| {
            let of = ("of".to_owned(), Parameter::List(vec![column.column.clone()]));
            let bound = ("bound".to_owned(), Parameter::Text(bound(column)));
            // Earlier releases already exceed the bound for these people.
            let already =
                (column.already_above > 0).then(|| ("already".to_owned(), Parameter::Whole(column.already_above)));
            Statement {
                model: POSTERIOR.to_owned(),
                parameters: [of, bound].into_iter().chain(already).collect(),
                scope: scope.clone(),
                outcome: outcome(column.above),
            }
        };
        let linked = |people: u64| candidate.linkage_bound.is_some_and(|bound| Ratio::new(1, people) > bound);
        let violations = u64::from(self.min_indistinguishable.is_some_and(linked));
        let records = self.min_indistinguishable.map(|people| Statement {
            model: RECORD_LINKAGE.to_owned(),
            parameters: [("others".to_owned(), Parameter::Whole(people.saturating_sub(1)))].into(),
            scope: scope.clone(),
            outcome: Outcome::Judged { violations, level: Level::Exact },
        });
        let identity = reidentification.map(|bound| Statement {
            model: REIDENTIFICATION.to_owned(),
            parameters: [("bound".to_owned(), Parameter::Number(bound.decimal()))].into(),
            scope: scope.clone(),
            outcome: outcome(0),
        });
        self.columns.iter().map(posterior).chain(records).chain(identity).collect()
    }

    /// Computes the re-identification risk, and checks its bound if there is one. Returns whether the risk is known.
    fn admit_identity(&mut self, tables: &[&RecordedRelease], gate: &Gate<'_>) -> Result<bool> {
        let options = AuditOptions {
            columns: Some(Vec::new()),
            reidentification: gate.reidentification.map(Confidence::exact),
            time_varying: gate.time_varying.clone(),
            units: gate.units.clone(),
            worst: 0,
            ..AuditOptions::default()
        };
        let releases = tables.iter().map(|recorded| (*recorded).clone().canonical()).collect();
        let history = History { releases, ..History::default() }.with_roles(&gate.roles);
        let audit = match admit(&history, &options, gate.proof) {
            // Without a bound, the risk is only reported.
            Err(Error::CannotCheck(_)) if gate.reidentification.is_none() => return Ok(false),
            audit => audit?,
        };
        let is_worse = |known: &Identity| known.prosecutor.upper < audit.identity.prosecutor.upper;
        if self.identity.as_ref().is_none_or(is_worse) {
            self.identity = Some(audit.identity);
        }
        Ok(true)
    }

    fn merge(&mut self, found: Option<AuditedColumn>) {
        let Some(found) = found else { return };
        match self.columns.iter_mut().find(|known| known.column == found.column) {
            Some(known) => known.merge(&found),
            None => self.columns.push(found),
        }
    }

    /// Checks the bound on record linkage: every person shares all their groups with sufficiently many others.
    fn admit_linkage(
        &mut self,
        candidate: &GroupedCandidate<'_>,
        tables: &[&RecordedRelease],
        series: &[u64],
    ) -> Result<()> {
        let Some(bound) = candidate.linkage_bound else { return Ok(()) };
        let by_method = |recorded: &RecordedRelease| recorded.number == 0 || series.contains(&recorded.number);
        let group = |recorded: &RecordedRelease| by_method(recorded).then_some(candidate.group_column);
        let tables = tables.iter().copied().filter(|recorded| recorded.presentation.about_release.is_none());
        let tables: Vec<(&RecordedRelease, Option<&str>)> =
            tables.map(|recorded| (recorded, group(recorded))).collect();
        if let Some((recorded, _)) = tables.iter().find(|(recorded, _)| recorded.links.is_none()) {
            let (release, name) = (recorded.number, recorded.name.clone());
            return Err(Error::CannotCheck(Obstacle::ReleaseUnlinked { release, name }));
        }
        let people = min_indistinguishable(&tables);
        if Ratio::new(1, people) > bound {
            return Err(Error::Refused(Refusal::RecordsLinked { bound: bound.fraction(), people }));
        }
        self.min_indistinguishable = Some(self.min_indistinguishable.unwrap_or(people).min(people));
        Ok(())
    }
}
