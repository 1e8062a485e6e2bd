//! Relief: what a refused release fails on even when it says as little as it can, whether earlier releases fail on it without
//! this one, and what would let it pass.
//!
//! Everything here is judged on the release with every quasi-identifier at its root. Where that passes after a change, some
//! release passes: that one.

use std::collections::BTreeMap;

use crate::algorithms::{Purpose, Suppression, Task, generalized_columns, top};
use crate::combos::Combos;
use crate::error::Result;
use crate::history::{Held, History};
use crate::join::Inconsistent;
use crate::joined::{Joint, Rule};
use crate::models::{LIST, Violation};
use crate::registry::{Argument, Domain};
use crate::requirement::{Requirement, Wording, spoken_here};
use crate::schema::{Attribute, Missing, Schema, Tree};
use crate::table::Table;
use crate::taxonomy::number_text;

/// A release that was refused.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// Its name.
    pub name: &'a str,
    /// The raw data, with the columns it was to have.
    pub table: &'a Table,
    /// All columns of the policy.
    pub schema: &'a Schema,
    /// What is required.
    pub wordings: &'a [Wording],
    /// How many of these, the first, are the short form's: they say nothing where no column is sensitive.
    pub short: usize,
    /// What was released before.
    pub history: &'a History,
    /// The sets of earlier releases it is judged with.
    pub sets: &'a [Vec<usize>],
    /// Values that no one person has.
    pub rules: &'a [Inconsistent],
}

/// An earlier release.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Named {
    /// Its number in the ledger.
    pub number: u64,
    /// Its name.
    pub name: String,
}

/// What a release, or several together, fail on.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Failing {
    /// The earlier releases; without the new one.
    pub releases: Vec<Named>,
    /// What is demanded.
    pub demand: String,
    /// The worst violation.
    pub worst: Violation,
}

/// A change that would let the release pass.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offer {
    /// Ask for less.
    Thresholds(Vec<Threshold>),
    /// Publish without these columns.
    Columns(Vec<String>),
    /// Publish to the others only.
    Recipient(String),
}

/// A parameter that would have to be another.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Threshold {
    /// The model.
    pub model: String,
    /// Its parameter.
    pub parameter: String,
    /// What it is.
    pub from: f64,
    /// What it would have to be.
    pub to: f64,
}

/// What is known about a refusal.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Relief {
    /// What earlier releases give away without the new one: nothing that is done to it can help.
    pub already: Vec<Failing>,
    /// What the new release fails on even when it says as little as it can.
    pub failing: Vec<Failing>,
    /// What would let it pass, the smallest change first.
    pub offers: Vec<Offer>,
    /// Whether a release that passes is audited with its history besides, which may refuse it all the same.
    pub audited_besides: bool,
}

/// By wording: what fails, and the least safe measure for statements that count, and for those that bound a share.
#[derive(Debug, Default)]
struct Judged {
    failing: Vec<Failing>,
    /// Whether nothing is demanded, or something that cannot be.
    hopeless: bool,
    demands: usize,
    least: BTreeMap<usize, f64>,
    most: BTreeMap<usize, f64>,
}

impl Refused<'_> {
    /// Finds out what fails and what would help. `recipients` are the sets it would be judged with, without one of them each.
    pub fn relief(&self, recipients: &[(String, Vec<Vec<usize>>)]) -> Result<Relief> {
        let judged = self.judge(self.table, self.sets)?;
        let mut offers: Vec<(f64, Offer)> = Vec::new();
        offers.extend(self.thresholds(&judged));
        offers.extend(self.columns()?);
        for (name, sets) in recipients {
            if self.judge(self.table, sets)?.passes() {
                offers.push((1.0 / recipients.len() as f64, Offer::Recipient(name.clone())));
            }
        }
        offers.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ok(Relief {
            already: self.already()?,
            failing: judged.failing,
            offers: offers.into_iter().map(|(_, offer)| offer).collect(),
            audited_besides: false,
        })
    }

    /// Judges a table that says as little as it can, by itself and with sets of earlier releases.
    fn judge(&self, table: &Table, sets: &[Vec<usize>]) -> Result<Judged> {
        let schema = of_table(table);
        let mut judged = Judged::default();
        for (at, wording) in self.wordings.iter().enumerate() {
            let one = std::slice::from_ref(wording);
            let here = spoken_here(one, self.name, &schema, self.schema, &self.names());
            let mut requirement = match Requirement::of_models(&here, &schema) {
                Ok(requirement) => requirement,
                Err(_) if at < self.short => Requirement::default(),
                // The policy would be wrong.
                Err(_) => {
                    judged.hopeless = true;
                    continue;
                }
            };
            let columns = table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
            let new = crate::joined::Member { name: self.name.to_owned(), columns };
            requirement.join(one, self.schema, new, self.history, sets, self.rules.to_vec())?;
            let task = Task {
                table,
                history: self.history,
                requirement: &requirement,
                purpose: &Purpose::General,
                suppression: Suppression::NONE,
            };
            judged.demands += requirement.models.len();
            judged.demands += requirement.joined.iter().map(|together| together.statements.len()).sum::<usize>();
            judged.add(&task, at)?;
        }
        judged.hopeless |= judged.demands == 0;
        Ok(judged)
    }

    /// The names of all releases.
    fn names(&self) -> Vec<&str> {
        self.history.releases.iter().map(|held| held.name.as_str()).chain([self.name]).collect()
    }

    /// The thresholds that would let the release pass as it is judged.
    fn thresholds(&self, judged: &Judged) -> Option<(f64, Offer)> {
        let mut changes = Vec::new();
        let mut size: f64 = 0.0;
        let failed: std::collections::BTreeSet<usize> =
            judged.least.keys().chain(judged.most.keys()).copied().collect();
        for at in failed {
            let wording = &self.wordings[at];
            let entry = LIST.iter().find(|listed| listed.entry.id == wording.model)?.entry;
            for parameter in entry.parameters {
                let Some(Argument::Number(from)) = wording.arguments.get(parameter.name) else { continue };
                let to = match parameter.domain {
                    Domain::Whole(least) => {
                        let Some(to) = judged.least.get(&at) else { continue };
                        let least = if entry.id == "k-anonymity" { least.max(2) } else { least };
                        if *to < least as f64 {
                            return None;
                        }
                        *to
                    }
                    Domain::Number(..) => {
                        let Some(to) = judged.most.get(&at) else { continue };
                        (to * 1e4).ceil() / 1e4
                    }
                    _ => continue,
                };
                if to == *from {
                    continue;
                }
                size = size.max((to - from).abs() / from.max(1e-9));
                changes.push(Threshold {
                    model: wording.model.clone(),
                    parameter: parameter.name.to_owned(),
                    from: *from,
                    to,
                });
            }
            // A threshold of a single value is the policy's to change.
            if matches!(wording.arguments.get("values"), Some(Argument::Thresholds(_))) && judged.most.contains_key(&at)
            {
                return None;
            }
        }
        let helps = !changes.is_empty() && changes.iter().all(|change| change.to <= 1.0 || change.from > 1.0);
        helps.then_some((size, Offer::Thresholds(changes)))
    }

    /// The fewest columns without which the release passes: every single one, or else every pair.
    fn columns(&self) -> Result<Vec<(f64, Offer)>> {
        let places = 0..self.table.columns.len();
        let singles: Vec<Vec<usize>> = places.clone().map(|at| vec![at]).collect();
        let pairs = places.clone().flat_map(|one| (one + 1..places.end).map(move |other| vec![one, other]));
        let few = places.len() <= 12 && self.sets.len() <= 4;
        let pairs: Vec<Vec<usize>> = if few { pairs.collect() } else { Vec::new() };
        for choices in [singles, pairs] {
            let mut offers = Vec::new();
            for gone in choices.iter().filter(|gone| gone.len() < places.len()) {
                let table = without(self.table, gone);
                if self.judge(&table, self.sets)?.passes() {
                    let names = gone.iter().map(|at| self.table.columns[*at].name.clone()).collect();
                    offers.push((gone.len() as f64 / places.len() as f64, Offer::Columns(names)));
                }
            }
            if !offers.is_empty() {
                return Ok(offers);
            }
        }
        Ok(Vec::new())
    }

    /// What earlier releases fail on without the new one.
    fn already(&self) -> Result<Vec<Failing>> {
        let mut found = Vec::new();
        let mut sets: Vec<Vec<usize>> = self.sets.iter().flatten().map(|at| vec![*at]).collect();
        sets.extend(self.sets.iter().filter(|set| set.len() > 1).cloned());
        sets.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        sets.dedup();
        for set in sets {
            let Some((last, others)) = set.split_last() else { continue };
            // Who fails by itself fails whatever it is joined with.
            let known = |failing: &Failing| {
                failing
                    .releases
                    .iter()
                    .all(|release| set.iter().any(|at| self.history.releases[*at].number == release.number))
            };
            if found.iter().any(known) {
                continue;
            }
            found.extend(self.failing_among(*last, others)?);
        }
        Ok(found)
    }

    fn failing_among(&self, last: usize, others: &[usize]) -> Result<Option<Failing>> {
        let held: &Held = &self.history.releases[last];
        let member = held.member();
        let mut releases: Vec<Named> = others.iter().chain([&last]).map(|at| named(self.history, *at)).collect();
        releases.sort_unstable();
        if others.is_empty() {
            let schema = of_columns(&member.columns);
            let here = spoken_here(self.wordings, &member.name, &schema, self.schema, &self.names());
            for wording in &here {
                let Ok(requirement) = Requirement::of_models(std::slice::from_ref(wording), &schema) else { continue };
                for (demand, survey) in requirement.survey(&History::single(held.with_people()))? {
                    if let Some(worst) = survey.violations.into_iter().next() {
                        return Ok(Some(Failing { releases, demand, worst }));
                    }
                }
            }
            return Ok(None);
        }
        let mut requirement = Requirement::default();
        let set = [others.to_vec()];
        requirement.join(self.wordings, self.schema, member, self.history, &set, self.rules.to_vec())?;
        for together in &requirement.joined {
            for statement in &together.statements {
                let columns = &held.release.columns;
                let joint = Joint::new(statement, columns, &[], self.history, &together.earlier, &requirement.rules)?;
                if let Some(worst) = joint.survey(&held.with_people())?.violations.into_iter().next() {
                    return Ok(Some(Failing { releases, demand: statement.title.clone(), worst }));
                }
            }
        }
        Ok(None)
    }
}

impl Judged {
    fn passes(&self) -> bool {
        self.failing.is_empty() && !self.hopeless
    }

    fn add(&mut self, task: &Task<'_>, wording: usize) -> Result<()> {
        let columns = generalized_columns(task)?;
        let release = top(task, &columns)?;
        for (demand, survey) in task.requirement.survey(&History::single(release.clone()))? {
            if let Some(worst) = survey.violations.into_iter().next() {
                self.note(wording, worst.safety);
                self.failing.push(Failing { releases: Vec::new(), demand, worst });
            }
        }
        for together in &task.requirement.joined {
            for statement in &together.statements {
                let (published, rules) = (&release.columns, &task.requirement.rules);
                let joint = Joint::new(statement, published, &columns, task.history, &together.earlier, rules)?;
                let Some(worst) = joint.survey(&release)?.violations.into_iter().next() else { continue };
                match statement.rule {
                    Rule::AtLeast(_) => self.note(wording, worst.safety),
                    Rule::AtMost(_) => self.note(wording, worst.safety.min(-0.0)),
                }
                let releases = together.earlier.iter().map(|at| named(task.history, *at)).collect();
                self.failing.push(Failing { releases, demand: statement.title.clone(), worst });
            }
        }
        Ok(())
    }

    /// Shares are measured below 0, and what is counted above.
    fn note(&mut self, wording: usize, safety: f64) {
        if safety.is_sign_negative() {
            let most = self.most.entry(wording).or_insert(0.0);
            *most = most.max(-safety);
        } else {
            let least = self.least.entry(wording).or_insert(f64::INFINITY);
            *least = least.min(safety);
        }
    }
}

impl std::fmt::Display for Offer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Offer::Thresholds(changes) => {
                let text = |change: &Threshold| {
                    let Threshold { model, parameter, from, to } = change;
                    let (from, to) = (number_text(*from), number_text(*to));
                    match model.as_str() {
                        // As the short form of a policy calls it.
                        "confidence-bounding" => format!("confidence = {to} instead of {from}"),
                        "k-anonymity" => format!("k = {to} instead of {from}"),
                        _ => format!("{parameter} = {to} instead of {from} ({model})"),
                    }
                };
                write!(f, "ask for less: {} is enough", changes.iter().map(text).collect::<Vec<_>>().join(" and "))
            }
            Offer::Columns(columns) => write!(f, "publish it without {}", columns.join(" and ")),
            Offer::Recipient(name) => write!(f, "publish it without {name} as a recipient"),
        }
    }
}

fn named(history: &History, at: usize) -> Named {
    let held = &history.releases[at];
    Named { number: held.number, name: held.name.clone() }
}

fn of_table(table: &Table) -> Schema {
    let columns: Vec<_> = table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
    of_columns(&columns)
}

fn of_columns(columns: &[(String, crate::schema::Role)]) -> Schema {
    let attribute = |(name, role): &(String, crate::schema::Role)| Attribute {
        name: name.clone(),
        role: *role,
        values: crate::taxonomy::Type::Text,
        missing: Missing::Value,
        tree: Tree::Flat,
    };
    Schema { attributes: columns.iter().map(attribute).collect(), owner: None, missing_values: Vec::new() }
}

fn without(table: &Table, gone: &[usize]) -> Table {
    let kept: Vec<usize> = (0..table.columns.len()).filter(|at| !gone.contains(at)).collect();
    let combos: Combos = table.combos.project(&kept);
    let columns = kept.iter().map(|at| table.columns[*at].clone()).collect();
    Table { columns, combos, missing: Vec::new(), dropped: table.dropped }
}
