//! The gate of methods: what all releases together tell, against what is promised.

use reticent::attacks::{self, Scene, backward_correspondence, cross_correspondence, forward_correspondence};
use reticent::audit::{Proof, Question, admit, exchanged};
use reticent::history::{Disguise, Held, History};
use reticent::inference::Ask;
use reticent::methods::{self, Shown};
use reticent::registry::{Argument, Arguments};
use reticent::release::Release;
use reticent::share::Share;
use reticent::text::counted;
use serde::Serialize;

use super::Job;
use super::before::Before;
use crate::failure::Failure;
use crate::steward::exact;

/// So many times the usual work is spent where the usual one does not settle a release.
const PATIENT: u64 = 20;

/// What the audit of a release with its history found.
#[derive(Debug, Clone, Serialize)]
pub struct Audited {
    /// How well it had to be established: `exact`, `bounds`, `estimate` or `off`.
    pub proof: Proof,
    /// By sensitive column of which something is promised.
    pub columns: Vec<AuditedColumn>,
    /// Of a promise about records: how many people, at least, are in the same groups of all releases.
    pub alike: Option<u64>,
    /// Of another one: so many records, at least, can be anybody's, whichever earlier release this one is compared with.
    pub left: Option<u64>,
}

/// What the audit found of a column.
#[derive(Debug, Clone, Serialize)]
pub struct AuditedColumn {
    /// The column.
    pub column: String,
    /// Nobody's value may be told with more confidence than this.
    pub confidence: f64,
    /// People who were looked at.
    pub people: u64,
    /// The most that is told about any of them: at least,
    pub lower: f64,
    /// and at most.
    pub upper: f64,
    /// People in sets that have too many worlds to count.
    pub not_counted: u64,
    /// People of whom earlier releases tell more, and this one nothing more than they do.
    pub already: u64,
    /// The most that is told about any of these; 0 when there are none.
    pub already_most: f64,
}

impl AuditedColumn {
    fn of(column: &str, most: Share) -> AuditedColumn {
        AuditedColumn {
            column: column.to_owned(),
            confidence: most.to_f64(),
            people: 0,
            lower: 0.0,
            upper: 0.0,
            not_counted: 0,
            already: 0,
            already_most: 0.0,
        }
    }

    /// The worse of what two coalitions are told.
    fn take(&mut self, other: &AuditedColumn) {
        self.people = self.people.max(other.people);
        self.lower = self.lower.max(other.lower);
        self.upper = self.upper.max(other.upper);
        self.not_counted = self.not_counted.max(other.not_counted);
        self.already = self.already.max(other.already);
        self.already_most = self.already_most.max(other.already_most);
    }
}

/// A release of the same column whose owners are not known cannot be put together with one whose are.
fn followed(column: &str, tables: &[&Held]) -> Result<(), Failure> {
    let shows = |held: &&Held| held.release.columns.iter().any(|shown| shown.name == column);
    // A list is about the people of another table; where that is not held, about nobody who is known.
    let is_followed = |held: &&Held| {
        let about = held.disguise.of.unwrap_or(held.number);
        let mut people = tables.iter().filter(|table| table.number == about && table.disguise.of.is_none());
        people.next().is_some_and(|people| people.links.is_some())
    };
    match tables.iter().copied().filter(shows).find(|held| !is_followed(held)) {
        None => Ok(()),
        Some(held) => {
            let why = format!(
                "release {} {}, which its recipients can hold, shows {column} too, and it is not known whose its records are. To publish \
                 all the same, judge the release by itself with --alone",
                held.number, held.name
            );
            let what = "what all releases together give away".to_owned();
            Err(reticent::Error::CannotCheck { what, why }.into())
        }
    }
}

impl Job<'_> {
    /// Audits the release with its history. Refuses it where more is told than promised, or where that is not established.
    pub fn admit(&self, shown: &Shown, before: &Before) -> Result<Audited, Failure> {
        let policy = &self.loaded.policy;
        let mut audited = Audited { proof: policy.audit, columns: Vec::new(), alike: None, left: None };
        if policy.audit == Proof::Off {
            if shown.marginals.is_empty() {
                return Ok(audited);
            }
            let what = "what marginal tables give away".to_owned();
            let why = "the policy says `audit = \"off\"`; take that out, or `marginals`".to_owned();
            return Err(reticent::Error::CannotCheck { what, why }.into());
        }
        let new = methods::held(shown, &self.prepared.table.columns, &self.unheld())?;
        let with = |numbers: &[u64]| -> Vec<&Held> {
            let earlier = before.history.releases.iter().filter(|release| numbers.contains(&release.number));
            earlier.chain(&new).collect()
        };
        // What a coalition was told before is not held against the release, but it is to one of its members who was not.
        let numbers = |places: &Vec<usize>| -> Vec<u64> {
            let mut numbers: Vec<u64> = places.iter().map(|at| before.history.releases[*at].number).collect();
            numbers.dedup();
            numbers
        };
        let alone = before.history.held_alone(&self.options.to);
        let alone = alone.iter().map(numbers).filter(|alone| !before.held.contains(alone));
        for held in before.held.iter().cloned().chain(alone) {
            let tables = with(&held);
            for column in self.sensitive() {
                if let Some(most) = self.most(column)? {
                    followed(column, &tables)?;
                    self.admit_column(column, most, &tables, &mut audited)?;
                }
            }
            self.admit_records(&tables, before, shown, &mut audited)?;
            self.admit_left(&tables, before, shown, &mut audited)?;
        }
        Ok(audited)
    }

    /// The confidence that is allowed of a column: what is promised, and no more than the policy says.
    fn most(&self, column: &str) -> Result<Option<Share>, Failure> {
        let allowed = self.options.what_if.confidence.or(self.loaded.policy.short.confidence);
        let allowed = allowed.map(exact).transpose()?;
        Ok([self.promise(column), allowed].into_iter().flatten().min())
    }

    fn admit_column(&self, column: &str, most: Share, tables: &[&Held], audited: &mut Audited) -> Result<(), Failure> {
        self.ways.check_stop()?;
        self.ways.progress.busy("auditing");
        let varies = self.loaded.policy.inconsistent.iter().filter_map(|rule| rule.varying_column().map(str::to_owned));
        let question = Question {
            columns: Some(vec![column.to_owned()]),
            confidence: Some(most),
            varies: varies.collect(),
            worst: 0,
            ..Question::default()
        };
        let known = exchanged(tables, column).filter(|known| question.varies.is_empty() && known.most <= most);
        let mut found = AuditedColumn::of(column, most);
        match known {
            Some(known) => {
                (found.people, found.lower, found.upper) = (known.people, known.most.to_f64(), known.most.to_f64());
            }
            None => {
                let releases = tables.iter().map(|held| (*held).clone().canonical()).collect();
                let history = History { releases, lost: Vec::new() };
                let proof = self.loaded.policy.audit;
                let audit = match admit(&history, &question, proof) {
                    // A few sets of people may need more counting than is usual.
                    Err(reticent::Error::CannotCheck { .. }) => {
                        let Ask { steps, program, .. } = question.ask;
                        let ask = Ask { steps: steps * PATIENT, program: program * PATIENT, ..question.ask };
                        admit(&history, &Question { ask, ..question }, proof)?
                    }
                    audit => audit?,
                };
                let Some(told) = audit.columns.first() else { return Ok(()) };
                found.people = told.people;
                (found.lower, found.upper) = (told.highest.lower.value(), told.highest.upper.value());
                found.not_counted = audit.work.people_not_counted;
                (found.already, found.already_most) = (told.already, told.already_most.upper.value());
            }
        }
        match audited.columns.iter_mut().find(|known| known.column == column) {
            Some(known) => known.take(&found),
            None => audited.columns.push(found),
        }
        Ok(())
    }

    /// Where records are promised not to be linked: everybody shares all their groups with enough others.
    fn admit_records(
        &self,
        tables: &[&Held],
        before: &Before,
        shown: &Shown,
        audited: &mut Audited,
    ) -> Result<(), Failure> {
        let Some(most) = self.method.listed.linked(&self.arguments) else { return Ok(()) };
        let by_method = |held: &Held| held.number == 0 || before.series.contains(&held.number);
        let group = |held: &Held| by_method(held).then_some(shown.group.as_str());
        let tables = tables.iter().copied().filter(|held| held.disguise.of.is_none());
        let tables: Vec<(&Held, Option<&str>)> = tables.map(|held| (held, group(held))).collect();
        if let Some((held, _)) = tables.iter().find(|(held, _)| held.links.is_none()) {
            let what = "who is in the same groups of all releases".to_owned();
            let why = format!("the owners of release {} {} are not known", held.number, held.name);
            return Err(reticent::Error::CannotCheck { what, why }.into());
        }
        let alike = methods::fewest_alike(&tables);
        if Share::new(1, alike) > most {
            let message = format!(
                "all releases together leave somebody whose record is linked to them with more confidence than {}: only {} in the \
                 same groups of all",
                most.fraction(),
                crate::screen::people(alike)
            );
            return Err(reticent::Error::Refused { message }.into());
        }
        audited.alike = Some(audited.alike.unwrap_or(alike).min(alike));
        Ok(())
    }

    /// Where records are promised to be left: attacks on the release with each one before it leave enough.
    fn admit_left(
        &self,
        tables: &[&Held],
        before: &Before,
        shown: &Shown,
        audited: &mut Audited,
    ) -> Result<(), Failure> {
        let Some(least) = self.method.listed.left(&self.arguments) else { return Ok(()) };
        let of_series = |held: &&&Held| held.number == 0 || before.series.contains(&held.number);
        if let Some(other) = tables.iter().find(|held| !of_series(held)) {
            let what = "how many records are left to somebody".to_owned();
            let why = format!(
                "release {} {}, which its recipients can hold, is not one of this series. To publish all the same, judge the release by \
                 itself with --alone",
                other.number, other.name
            );
            return Err(reticent::Error::CannotCheck { what, why }.into());
        }
        let new: Vec<&Held> = tables.iter().copied().filter(|held| held.number == 0).collect();
        let people: Vec<(&Held, Option<&str>)> = new
            .iter()
            .filter(|held| held.disguise.of.is_none())
            .map(|held| (*held, Some(shown.group.as_str())))
            .collect();
        let too_few = |left: u64, by: String| {
            let records = counted(left, "record");
            let message = format!("{by} leaves only {records} that can be somebody's, and {least} are promised");
            Err(reticent::Error::Refused { message }.into())
        };
        let alone = methods::fewest_alike(&people);
        if alone < least {
            return too_few(alone, "the release".to_owned());
        }
        let arguments = Arguments::default().set("k", Argument::Number(least as f64));
        for number in before.series.iter().filter(|number| tables.iter().any(|held| held.number == **number)) {
            self.ways.check_stop()?;
            self.ways.progress.busy("auditing");
            let earlier = tables.iter().copied().filter(|held| held.number == *number);
            let releases = earlier.chain(new.iter().copied()).map(|held| held.clone().canonical()).collect();
            let history = History { releases, lost: Vec::new() };
            self.same_quasi(&history, shown)?;
            let scene = Scene {
                history: &history,
                people: &[],
                confidence: Share::new(1, 1),
                rows: &[],
                varies: &[],
                arguments: &arguments,
            };
            for attack in
                [&forward_correspondence::ENTRY, &cross_correspondence::ENTRY, &backward_correspondence::ENTRY]
            {
                let findings = attacks::run(attack.id, &scene)?;
                if let Some(why) = &findings.not_checked {
                    let (what, why) = (attack.title.to_owned(), why.clone());
                    return Err(reticent::Error::CannotCheck { what, why }.into());
                }
                if let Some(left) =
                    findings.iter().filter_map(|finding| finding.records).min().filter(|left| *left < least)
                {
                    return too_few(left, format!("{}, comparing it with release {number},", attack.title));
                }
            }
        }
        audited.left = Some(least);
        Ok(())
    }

    /// Records can be compared only where what was said of people before is still true of them.
    fn same_quasi(&self, history: &History, shown: &Shown) -> Result<(), Failure> {
        let mut people = history.releases.iter().filter(|held| held.disguise.of.is_none());
        let (Some(before), Some(now)) = (people.next(), people.next()) else { return Ok(()) };
        match methods::changed_quasi(before, now, &shown.group) {
            0 => Ok(()),
            changed => {
                let message = format!(
                    "what release {} {} said of {} is not true of them any more, because a quasi-identifier changed; {} needs people who \
                     stay as they were: leave the column out, or choose bcf-anonymity",
                    before.number,
                    before.name,
                    crate::screen::people(changed),
                    self.method.listed.entry.id
                );
                Err(reticent::Error::Refused { message }.into())
            }
        }
    }

    /// The release without its tables.
    fn unheld(&self) -> Held {
        Held {
            number: 0,
            name: self.options.name.clone(),
            date: String::new(),
            recipients: self.options.to.clone(),
            disguise: Disguise::default(),
            release: Release { columns: Vec::new(), combos: Default::default(), suppressed: 0 },
            links: None,
        }
    }
}
