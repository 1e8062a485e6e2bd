//! The gate for releases by republication methods: what all releases together disclose, against what the method promises.

use serde::Serialize;

use super::{AUDIT_OFF, Gate, Proof, admit};
use crate::audit::group_checks::fewest_alike;
use crate::audit::{Question, exchanged};
use crate::error::{Error, Obstacle, Refusal, Result};
use crate::history::{Held, History};
use crate::share::Share;
use crate::statement::{Level, Outcome, POSTERIOR, Parameter, RECORD_LINKAGE, Scope, Statement};
use reticent_inference::Ask;

/// So many times the usual work is spent where the usual work does not settle a release.
const PATIENT: u64 = 20;

/// What the audit of a release with its history found.
#[derive(Debug, Clone, Serialize)]
pub struct AuditedGroups {
    /// How well it had to be established: `exact`, `bounds`, `estimate` or `off`.
    pub proof: Proof,
    /// By sensitive column with a promise.
    pub columns: Vec<AuditedColumn>,
    /// For a promise about linkage: how many people, at least, share all their groups in all releases.
    pub alike: Option<u64>,
}

/// What the audit found about a column.
#[derive(Debug, Clone, Serialize)]
pub struct AuditedColumn {
    /// The column.
    pub column: String,
    /// The bound on the posterior of a value.
    pub confidence: f64,
    /// People who were looked at.
    pub people: u64,
    /// The maximum posterior over all people: its lower bound,
    pub lower: f64,
    /// and its upper bound.
    pub upper: f64,
    /// People in components that have too many possible worlds to count.
    pub not_counted: u64,
    /// People about whom earlier releases disclose more, and this one nothing more.
    pub already: u64,
    /// The upper bound of the maximum posterior over these; 0 when there are none.
    pub already_most: f64,
    /// People whose posterior exceeds the bound. A release with such people is refused.
    #[serde(skip)]
    pub above: u64,
}

impl AuditedColumn {
    fn new(column: &str, most: Share) -> AuditedColumn {
        AuditedColumn {
            column: column.to_owned(),
            confidence: most.to_f64(),
            people: 0,
            lower: 0.0,
            upper: 0.0,
            not_counted: 0,
            already: 0,
            already_most: 0.0,
            above: 0,
        }
    }

    /// Keeps the worse of what two coalitions can infer.
    fn take(&mut self, other: &AuditedColumn) {
        self.people = self.people.max(other.people);
        self.lower = self.lower.max(other.lower);
        self.upper = self.upper.max(other.upper);
        self.not_counted = self.not_counted.max(other.not_counted);
        self.already = self.already.max(other.already);
        self.already_most = self.already_most.max(other.already_most);
        self.above = self.above.max(other.above);
    }
}

/// A candidate by a republication method, and what is promised about it.
#[derive(Debug)]
pub struct GroupedCandidate<'a> {
    /// The method's id.
    pub method: &'a str,
    /// Its tables; the number of the release is 0.
    pub tables: &'a [Held],
    /// The column that numbers its groups.
    pub group: &'a str,
    /// Whether it publishes marginal tables.
    pub marginals: bool,
    /// By sensitive column: the bound on the posterior, where one is promised or demanded.
    pub bounds: &'a [(String, Share)],
    /// The bound on the probability that a record is a given person's, where that is promised.
    pub linked: Option<Share>,
}

/// Audits a candidate with what each coalition of its recipients holds, given by release numbers. `series` are the numbers of
/// the releases that a method published.
///
/// # Errors
///
/// If the candidate discloses more than is promised, or if that could not be established.
pub fn admit_grouped(
    candidate: &GroupedCandidate<'_>,
    history: &History,
    held: &[Vec<u64>],
    series: &[u64],
    gate: &Gate<'_>,
) -> Result<AuditedGroups> {
    let mut audited = AuditedGroups { proof: gate.proof, columns: Vec::new(), alike: None };
    if gate.proof == Proof::Off {
        return match candidate.marginals {
            true => Err(Error::CannotCheck(Obstacle::MarginalsUnaudited {})),
            false => Ok(audited),
        };
    }
    let numbers = |places: &Vec<usize>| -> Vec<u64> {
        let mut numbers: Vec<u64> = places.iter().map(|at| history.releases[*at].number).collect();
        numbers.dedup();
        numbers
    };
    // A recipient who was not told what the coalition was told before is judged without it too.
    let recipients = candidate.tables.first().map(|held| held.recipients.clone()).unwrap_or_default();
    let alone = history.held_alone(&recipients);
    // A release without recipients has no coalition that could be judged.
    if held.is_empty() && alone.is_empty() {
        return Err(Error::CannotCheck(Obstacle::NotEstablished {}));
    }
    let alone = alone.iter().map(numbers).filter(|alone| !held.contains(alone));
    for numbers in held.iter().cloned().chain(alone) {
        let earlier = history.releases.iter().filter(|release| numbers.contains(&release.number));
        let tables: Vec<&Held> = earlier.chain(candidate.tables).collect();
        for (column, most) in candidate.bounds {
            followed(column, &tables)?;
            (gate.watch)()?;
            audited.take(audit_column(column, *most, &tables, gate)?);
        }
        audited.admit_linkage(candidate, &tables, series)?;
    }
    Ok(audited)
}

/// A release of the same column without owner links cannot be judged together with one that has them.
fn followed(column: &str, tables: &[&Held]) -> Result<()> {
    let shows = |held: &&Held| held.release.columns.iter().any(|shown| shown.name == column);
    // A list is about the people of another table.
    let is_followed = |held: &&Held| {
        let about = held.disguise.of.unwrap_or(held.number);
        let mut people = tables.iter().filter(|table| table.number == about && table.disguise.of.is_none());
        people.next().is_some_and(|people| people.links.is_some())
    };
    match tables.iter().copied().filter(shows).find(|held| !is_followed(held)) {
        None => Ok(()),
        Some(held) => {
            let (release, name, column) = (held.number, held.name.clone(), column.to_owned());
            Err(Error::CannotCheck(Obstacle::SharedColumnUnlinked { release, name, column }))
        }
    }
}

/// What the tables disclose about one column.
fn audit_column(column: &str, most: Share, tables: &[&Held], gate: &Gate<'_>) -> Result<Option<AuditedColumn>> {
    let question = Question {
        columns: Some(vec![column.to_owned()]),
        confidence: Some(most),
        varies: gate.varies.clone(),
        worst: 0,
        ..Question::default()
    };
    let mut found = AuditedColumn::new(column, most);
    let known = exchanged(tables, column).filter(|known| question.varies.is_empty() && known.most <= most);
    if let Some(known) = known {
        (found.people, found.lower, found.upper) = (known.people, known.most.to_f64(), known.most.to_f64());
        return Ok(Some(found));
    }
    let releases = tables.iter().map(|held| (*held).clone().canonical()).collect();
    let history = History { releases, lost: Vec::new() };
    let audit = match admit(&history, &question, gate.proof) {
        // A few components may need more counting than is usual.
        Err(Error::CannotCheck(_)) => {
            let Ask { steps, program, .. } = question.ask;
            let ask = Ask { steps: steps * PATIENT, program: program * PATIENT, ..question.ask };
            admit(&history, &Question { ask, ..question }, gate.proof)?
        }
        audit => audit?,
    };
    let Some(told) = audit.columns.first() else { return Ok(None) };
    found.people = told.people;
    (found.lower, found.upper) = (told.highest.lower.value(), told.highest.upper.value());
    found.not_counted = audit.work.people_not_counted;
    (found.already, found.already_most) = (told.already, told.already_most.upper.value());
    found.above = told.above;
    Ok(Some(found))
}

impl AuditedGroups {
    /// What the gate established about the candidate. `bound` says of a column what was promised, as it is to be read.
    pub fn statements(
        &self,
        candidate: &GroupedCandidate<'_>,
        scope: &Scope,
        bound: &dyn Fn(&AuditedColumn) -> String,
    ) -> Vec<Statement> {
        let outcome = |violations: u64| match self.proof.level() {
            Some(level) => Outcome::Judged { violations, level },
            None => Outcome::Skipped { reason: AUDIT_OFF.to_owned() },
        };
        let posterior = |column: &AuditedColumn| {
            let of = ("of".to_owned(), Parameter::List(vec![column.column.clone()]));
            let bound = ("bound".to_owned(), Parameter::Text(bound(column)));
            // Earlier releases disclose more about these people.
            let already = (column.already > 0).then(|| ("already".to_owned(), Parameter::Whole(column.already)));
            Statement {
                model: POSTERIOR.to_owned(),
                parameters: [of, bound].into_iter().chain(already).collect(),
                scope: scope.clone(),
                outcome: outcome(column.above),
            }
        };
        let linked = |alike: u64| candidate.linked.is_some_and(|most| Share::new(1, alike) > most);
        let violations = u64::from(self.alike.is_some_and(linked));
        let records = self.alike.map(|alike| Statement {
            model: RECORD_LINKAGE.to_owned(),
            parameters: [("others".to_owned(), Parameter::Whole(alike.saturating_sub(1)))].into(),
            scope: scope.clone(),
            outcome: Outcome::Judged { violations, level: Level::Exact },
        });
        self.columns.iter().map(posterior).chain(records).collect()
    }

    fn take(&mut self, found: Option<AuditedColumn>) {
        let Some(found) = found else { return };
        match self.columns.iter_mut().find(|known| known.column == found.column) {
            Some(known) => known.take(&found),
            None => self.columns.push(found),
        }
    }

    /// Where records are promised not to be linked: every person shares all their groups with enough others.
    fn admit_linkage(&mut self, candidate: &GroupedCandidate<'_>, tables: &[&Held], series: &[u64]) -> Result<()> {
        let Some(most) = candidate.linked else { return Ok(()) };
        let by_method = |held: &Held| held.number == 0 || series.contains(&held.number);
        let group = |held: &Held| by_method(held).then_some(candidate.group);
        let tables = tables.iter().copied().filter(|held| held.disguise.of.is_none());
        let tables: Vec<(&Held, Option<&str>)> = tables.map(|held| (held, group(held))).collect();
        if let Some((held, _)) = tables.iter().find(|(held, _)| held.links.is_none()) {
            let (release, name) = (held.number, held.name.clone());
            return Err(Error::CannotCheck(Obstacle::ReleaseUnlinked { release, name }));
        }
        let alike = fewest_alike(&tables);
        if Share::new(1, alike) > most {
            return Err(Error::Refused(Refusal::RecordsLinked { bound: most.fraction(), people: alike }));
        }
        self.alike = Some(self.alike.unwrap_or(alike).min(alike));
        Ok(())
    }
}
