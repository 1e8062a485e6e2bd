//! The gate: before a release goes out, what it gives away together with all that its recipients can hold.

use hashbrown::HashMap;
use reticent::algorithms::Outcome;
use reticent::audit::{Proof, Question, admit};
use reticent::combos::Combos;
use reticent::history::{Disguise, Held, History};
use reticent::links::Links;
use reticent::schema::Role;
use reticent::table::Counts;
use serde::Serialize;

use super::Past;
use super::make::Job;
use crate::failure::Failure;
use crate::steward::exact;

/// What the audit of a release with its history found.
#[derive(Debug, Clone, Serialize)]
pub struct Audited {
    /// How well it had to be established: `exact`, `bounds`, `estimate` or `off`.
    pub proof: Proof,
    /// Nobody's value may be told with more confidence than this; none when nothing was looked at.
    pub confidence: Option<f64>,
    /// People in the release, or records where owners are not known.
    pub people: u64,
    /// The most that is told of any record: at least,
    pub lower: f64,
    /// and at most.
    pub upper: f64,
    /// People with several records, of whom it is told, or may be, with more confidence than allowed of one that any shows a value,
    pub any_above: u64,
    /// and the most with which that may be told of anybody.
    pub any_upper: f64,
    /// People of whom earlier releases tell more than allowed, and this one nothing more than they do; they are not among the above.
    pub already: u64,
    /// People in sets that have too many worlds to count.
    pub not_counted: u64,
    /// Earlier releases that were looked at with it, by number.
    pub with: Vec<u64>,
    /// Those that its recipients can hold besides, of which it is not known whose the records are: of these, only the joins were judged.
    pub only_joined: Vec<u64>,
}

impl Job<'_> {
    /// Audits the release with its history. Refuses it where more is told than allowed, or where that is not established.
    pub fn admit(&self, outcome: &Outcome, published: &Counts, past: &Past) -> Result<Audited, Failure> {
        let policy = &self.loaded.policy;
        let mut audited = Audited {
            proof: policy.audit,
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
        };
        let Some(confidence) = policy.short.confidence.filter(|_| policy.audit != Proof::Off) else {
            return Ok(audited);
        };
        audited.confidence = Some(confidence);
        let new = self.candidate(outcome, published)?;
        let varies = policy.inconsistent.iter().filter_map(|rule| rule.varying_column().map(str::to_owned));
        let question = Question {
            confidence: Some(exact(confidence)?),
            varies: varies.collect(),
            worst: 0,
            ..Question::default()
        };
        // What a coalition was told before is not held against the release, but it is to one of its members who was not.
        let alone = past.history.held_alone(&self.options.to);
        for held in past.held.iter().chain(alone.iter().filter(|alone| !past.held.contains(alone))) {
            self.ways.check_stop()?;
            self.ways.progress.busy("auditing");
            let earlier = held.iter().map(|at| past.with_people(*at));
            let history = History { releases: earlier.chain([new.clone()]).collect(), lost: Vec::new() };
            let audit = admit(&history, &question, policy.audit)?;
            // Where it is not known whose its own records are, it was looked at by itself; which tells all there is where one of the
            // two shows nothing sensitive.
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
            audited.with.extend(with);
            audited.only_joined.extend(only_joined);
            for column in &audit.columns {
                audited.people = audited.people.max(column.people);
                audited.lower = audited.lower.max(column.of_record.lower.value());
                audited.upper = audited.upper.max(column.of_record.upper.value());
                audited.any_above = audited.any_above.max(column.any_above);
                audited.already = audited.already.max(column.already);
                audited.any_upper = audited.any_upper.max(column.highest.upper.value());
            }
            audited.not_counted = audited.not_counted.max(audit.work.people_not_counted);
        }
        for numbers in [&mut audited.with, &mut audited.only_joined] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        Ok(audited)
    }

    /// The release as somebody holds it, and whose its records are.
    fn candidate(&self, outcome: &Outcome, published: &Counts) -> Result<Held, Failure> {
        let mut release = outcome.recoding.apply(&self.prepared.table)?;
        release.combos = Combos { owners: None, ..release.combos }.combined();
        let links = match &self.prepared.linked {
            None => None,
            Some(linked) => {
                let places = outcome.recoding.places(&self.prepared.table, &linked.counted, published)?;
                Some(onto(&linked.links.onto(&places), published, &release)?)
            }
        };
        Ok(Held {
            number: 0,
            name: self.options.name.clone(),
            date: String::new(),
            recipients: self.options.to.clone(),
            disguise: Disguise::default(),
            release,
            links,
        }
        .canonical())
    }
}

/// Links to published texts, turned into links to the release that has them. Somebody who cannot be found in it again is an error:
/// without them less would seem to be told than is.
fn onto(links: &Links, published: &Counts, release: &reticent::release::Release) -> Result<Links, Failure> {
    let order: Vec<Option<usize>> =
        release.columns.iter().map(|column| published.names.iter().position(|name| *name == column.name)).collect();
    let combos = &release.combos;
    let label = |at: usize, combo: usize| release.columns[at].label(combos.codes[at][combo]);
    let known: HashMap<Vec<&str>, u32> = (0..combos.len())
        .map(|combo| ((0..release.columns.len()).map(|at| label(at, combo)).collect(), combo as u32))
        .collect();
    let texts = |combo: usize| -> Option<Vec<&str>> {
        let text = |at: &Option<usize>| {
            let at = (*at)?;
            Some(published.values[at][published.combos.codes[at][combo] as usize].as_str())
        };
        order.iter().map(text).collect()
    };
    let place = |combo: usize| texts(combo).and_then(|texts| known.get(&texts).copied());
    let places: Vec<Option<u32>> = (0..published.combos.len()).map(place).collect();
    if places.contains(&None) {
        let what = "the release together with its history".to_owned();
        let why = "the written file does not hold what was to be published".to_owned();
        return Err(reticent::Error::CannotCheck { what, why }.into());
    }
    Ok(links.onto(&places))
}
