//! Remedies for a refused release: its violations, the violations of earlier releases, and changes that would let it pass.
//!
//! Everything is judged on the fully generalized release: every quasi-identifier is suppressed to the root of its taxonomy. If
//! this release passes its models, joins and audit after a change, then at least one release passes.

use std::collections::BTreeMap;

use crate::algorithms::{RecodingTask, generalized_columns, root_release};
use crate::data::contingency::ContingencyTable;
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource};
use crate::data::table::Table;
use crate::data::taxonomy::number_text;
use crate::error::Result;
use crate::join::lossy::InconsistentRules;
use crate::join::{JoinCheck, Limit};
use crate::models::{LIST, Violation};
use crate::registry::{Argument, Domain};
use crate::release::history::{History, RecordedRelease};
use crate::requirement::{ModelSpec, Requirement, for_release};

/// The input of the search for remedies: a refused release.
#[derive(Clone, Copy)]
pub struct RefusedRelease<'a> {
    /// Name of the release.
    pub name: &'a str,
    /// Raw data, restricted to the columns of the release.
    pub table: &'a Table,
    /// All columns of the policy.
    pub schema: &'a Schema,
    /// Required models.
    pub specs: &'a [ModelSpec],
    /// Number of leading `specs` that come from the short form. They may fail to build: then they impose nothing.
    pub shorthand_specs: usize,
    /// Earlier releases.
    pub history: &'a History,
    /// Sets of earlier releases that the release is joined with, as indices into `history`.
    pub sets: &'a [Vec<usize>],
    /// Pairs of values that no person has both of.
    pub rules: &'a [InconsistentRules],
    /// Whether a specification applies to the join with a set of earlier releases.
    pub applies: &'a dyn Fn(usize, &[usize]) -> bool,
    /// Specification that bounds posteriors, with the highest posterior that the fully generalized release leaves, if it is known.
    pub posterior: Option<(usize, f64)>,
    /// Whether the audit admits the fully generalized release after a change.
    pub admits: &'a dyn Fn(&Remedy) -> bool,
}

/// A reference to an earlier release.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct ReleaseRef {
    /// Number in the ledger.
    pub number: u64,
    /// Name of the release.
    pub name: String,
}

/// A model or join constraint that is violated.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct UnmetRequirement {
    /// Earlier releases of the join, without the new release.
    pub releases: Vec<ReleaseRef>,
    /// Title of the model or constraint.
    pub requirement: String,
    /// The worst violation.
    pub worst: Violation,
}

/// A change that would let the release pass.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// Relax these thresholds.
    Thresholds(Vec<Threshold>),
    /// Publish without these columns.
    Columns(Vec<String>),
    /// Publish without this recipient.
    Recipient(String),
}

/// A change of one parameter of a model.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Threshold {
    /// Id of the model.
    pub model: String,
    /// Name of the parameter.
    pub parameter: String,
    /// Current value.
    pub from: f64,
    /// Value with which the release passes.
    pub to: f64,
}

/// Violations of a refused release, and remedies.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Remedies {
    /// Violations of the earlier releases without the new one. No change to the new release removes them.
    pub earlier_violations: Vec<UnmetRequirement>,
    /// Violations of the fully generalized new release.
    pub violations: Vec<UnmetRequirement>,
    /// Changes with which the fully generalized release passes its models, joins and audit, the smallest change first.
    pub remedies: Vec<Remedy>,
    /// Republication method that can continue the earlier releases, if this is possible. It was not tried.
    pub series: Option<SeriesStart>,
}

/// A republication method that continues ordinary releases.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SeriesStart {
    /// Id of the method.
    pub method: &'static str,
    /// Its options in the policy, such as `m = 2`, with the bound of the policy.
    pub options: String,
}

impl SeriesStart {
    /// Returns a method for these sensitive columns with a bound that does not exceed a confidence bound; 1/2 without one.
    pub fn new(sensitive: &[&str], confidence: Option<f64>) -> SeriesStart {
        let values = confidence.map_or(2, |confidence| ((1.0 / confidence - 1e-9).ceil() as u64).max(2));
        match sensitive {
            [first, _, ..] => {
                let each: Vec<String> = sensitive.iter().map(|name| format!("{name:?} = {values}")).collect();
                let options = format!("primary = {first:?}, l = {{ {} }}", each.join(", "));
                SeriesStart { method: "decomposition-plus", options }
            }
            _ => SeriesStart { method: "m-invariance", options: format!("m = {values}") },
        }
    }
}

/// Result of judging a fully generalized release.
#[derive(Debug, Default)]
struct RemedyCheck {
    failing: Vec<UnmetRequirement>,
    /// True if there is no constraint, or if a specification cannot be built.
    invalid: bool,
    /// Number of models and join constraints.
    constraints: usize,
    /// Minimum count over the violations, by index of the specification, for models that require a minimum count.
    lowest_counts: BTreeMap<usize, f64>,
    /// Maximum share over the violations, by index of the specification, for models that bound a share.
    highest_shares: BTreeMap<usize, f64>,
}

impl RefusedRelease<'_> {
    /// Computes the violations and the remedies.
    ///
    /// `recipients` has, for each recipient, the sets of earlier releases that apply without this recipient.
    ///
    /// # Errors
    ///
    /// Returns an error if a model or a join constraint cannot be judged.
    pub fn remedies(&self, recipients: &[(String, Vec<Vec<usize>>)]) -> Result<Remedies> {
        let mut judged = self.judge(self.table, self.sets)?;
        if let Some((spec, highest)) = self.posterior {
            let bound = self.specs[spec].arguments.get("h");
            if matches!(bound, Some(Argument::Number(bound)) if highest > *bound) {
                judged.record_safety(spec, -highest);
            }
        }
        let mut remedies: Vec<(f64, Remedy)> = Vec::new();
        remedies.extend(self.thresholds(&judged));
        remedies.extend(self.columns()?);
        for (name, sets) in recipients {
            if self.judge(self.table, sets)?.passes() {
                remedies.push((1.0 / recipients.len() as f64, Remedy::Recipient(name.clone())));
            }
        }
        remedies.retain(|(_, remedy)| (self.admits)(remedy));
        remedies.sort_by(|one, other| one.0.total_cmp(&other.0));
        Ok(Remedies {
            earlier_violations: self.earlier_violations()?,
            violations: judged.failing,
            remedies: remedies.into_iter().map(|(_, remedy)| remedy).collect(),
            series: None,
        })
    }

    /// Judges the fully generalized table, alone and joined with sets of earlier releases.
    fn judge(&self, table: &Table, sets: &[Vec<usize>]) -> Result<RemedyCheck> {
        let schema = table_schema(table);
        let mut judged = RemedyCheck::default();
        for (at, spec) in self.specs.iter().enumerate() {
            let spec_slice = std::slice::from_ref(spec);
            let specs = for_release(spec_slice, self.name, &schema, self.schema, &self.names());
            let mut requirement = match Requirement::from_specs(&specs, &schema) {
                Ok(requirement) => requirement,
                Err(_) if at < self.shorthand_specs => Requirement::default(),
                // The specification is invalid for these columns.
                Err(_) => {
                    judged.invalid = true;
                    continue;
                }
            };
            let columns = table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
            let new = crate::join::Member { name: self.name.to_owned(), columns, population: false };
            let applies = |_: usize, set: &[usize]| (self.applies)(at, set);
            requirement.join_where(spec_slice, self.schema, new, self.history, sets, self.rules.to_vec(), &applies)?;
            let task = RecodingTask::new(table, self.history, &requirement);
            judged.constraints += requirement.models.len();
            judged.constraints += requirement.joins.iter().map(|join| join.constraints.len()).sum::<usize>();
            judged.add(&task, at)?;
        }
        judged.invalid |= judged.constraints == 0;
        Ok(judged)
    }

    /// Returns the names of all releases, including the refused one.
    fn names(&self) -> Vec<&str> {
        self.history.releases.iter().map(|recorded| recorded.name.as_str()).chain([self.name]).collect()
    }

    /// Returns the thresholds with which the judged release passes, and the relative size of the change.
    fn thresholds(&self, judged: &RemedyCheck) -> Option<(f64, Remedy)> {
        let mut changes = Vec::new();
        let mut size: f64 = 0.0;
        let failed: std::collections::BTreeSet<usize> =
            judged.lowest_counts.keys().chain(judged.highest_shares.keys()).copied().collect();
        for at in failed {
            let spec = &self.specs[at];
            let entry = LIST.iter().find(|listed| listed.entry.id == spec.model)?.entry;
            for parameter in entry.parameters {
                let Some(Argument::Number(from)) = spec.arguments.get(parameter.name) else { continue };
                let to = match parameter.domain {
                    Domain::Whole(least) => {
                        let Some(to) = judged.lowest_counts.get(&at) else { continue };
                        let least = if entry.id == "k-anonymity" { least.max(2) } else { least };
                        if *to < least as f64 {
                            return None;
                        }
                        *to
                    }
                    Domain::Number(..) => {
                        let Some(to) = judged.highest_shares.get(&at) else { continue };
                        (to * 1e4).ceil() / 1e4
                    }
                    _ => continue,
                };
                if to == *from {
                    continue;
                }
                size = size.max((to - from).abs() / from.max(1e-9));
                changes.push(Threshold {
                    model: spec.model.clone(),
                    parameter: parameter.name.to_owned(),
                    from: *from,
                    to,
                });
            }
            // Thresholds of single values are not changed.
            if matches!(spec.arguments.get("values"), Some(Argument::Thresholds(_)))
                && judged.highest_shares.contains_key(&at)
            {
                return None;
            }
        }
        let helps = !changes.is_empty() && changes.iter().all(|change| change.to <= 1.0 || change.from > 1.0);
        helps.then_some((size, Remedy::Thresholds(changes)))
    }

    /// Returns the columns without which the release passes: single columns or, if there are none, pairs.
    fn columns(&self) -> Result<Vec<(f64, Remedy)>> {
        let places = 0..self.table.columns.len();
        let singles: Vec<Vec<usize>> = places.clone().map(|at| vec![at]).collect();
        let pairs = places.clone().flat_map(|one| (one + 1..places.end).map(move |other| vec![one, other]));
        let few = places.len() <= 12 && self.sets.len() <= 4;
        let pairs: Vec<Vec<usize>> = if few { pairs.collect() } else { Vec::new() };
        for choices in [singles, pairs] {
            let mut remedies = Vec::new();
            for dropped in choices.iter().filter(|dropped| dropped.len() < places.len()) {
                let table = drop_columns(self.table, dropped);
                // Without a quasi-identifier, the models of the short form do not apply.
                if table.with_role(Role::QuasiIdentifier).is_empty() {
                    continue;
                }
                if self.judge(&table, self.sets)?.passes() {
                    let names = dropped.iter().map(|at| self.table.columns[*at].name.clone()).collect();
                    remedies.push((dropped.len() as f64 / places.len() as f64, Remedy::Columns(names)));
                }
            }
            if !remedies.is_empty() {
                return Ok(remedies);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the violations of earlier releases, alone and joined, without the new one.
    fn earlier_violations(&self) -> Result<Vec<UnmetRequirement>> {
        let mut violations = Vec::new();
        let mut sets: Vec<Vec<usize>> = self.sets.iter().flatten().map(|at| vec![*at]).collect();
        sets.extend(self.sets.iter().filter(|set| set.len() > 1).cloned());
        sets.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        sets.dedup();
        for set in sets {
            let Some((last, others)) = set.split_last() else { continue };
            // A violation of a subset is also a violation of the set.
            let known = |failing: &UnmetRequirement| {
                failing
                    .releases
                    .iter()
                    .all(|release| set.iter().any(|at| self.history.releases[*at].number == release.number))
            };
            if violations.iter().any(known) {
                continue;
            }
            violations.extend(self.first_violation(*last, others)?);
        }
        Ok(violations)
    }

    /// Returns the first violation of a recorded release joined with others; alone if `others` is empty.
    fn first_violation(&self, last: usize, others: &[usize]) -> Result<Option<UnmetRequirement>> {
        let recorded: &RecordedRelease = &self.history.releases[last];
        // A population register alone has no requirement to meet.
        if recorded.population && others.is_empty() {
            return Ok(None);
        }
        let member = recorded.member();
        let mut releases: Vec<ReleaseRef> =
            others.iter().chain([&last]).map(|at| release_ref(self.history, *at)).collect();
        releases.sort_unstable();
        if others.is_empty() {
            let schema = columns_schema(&member.columns);
            let specs = for_release(self.specs, &member.name, &schema, self.schema, &self.names());
            for spec in &specs {
                let Ok(requirement) = Requirement::from_specs(std::slice::from_ref(spec), &schema) else { continue };
                for (title, survey) in requirement.survey(&History::single(recorded.with_owners()))? {
                    if let Some(worst) = survey.violations.into_iter().next() {
                        return Ok(Some(UnmetRequirement { releases, requirement: title, worst }));
                    }
                }
            }
            return Ok(None);
        }
        let mut requirement = Requirement::default();
        let set = [others.to_vec()];
        let applies = |spec: usize, _: &[usize]| {
            let releases: Vec<usize> = others.iter().copied().chain([last]).collect();
            (self.applies)(spec, &releases)
        };
        let rules = self.rules.to_vec();
        requirement.join_where(self.specs, self.schema, member, self.history, &set, rules, &applies)?;
        for join in &requirement.joins {
            for constraint in &join.constraints {
                let columns = &recorded.release.columns;
                let check = JoinCheck::new(constraint, columns, &[], self.history, &join.earlier, &requirement.rules)?;
                if let Some(worst) = check.survey(&recorded.with_owners())?.violations.into_iter().next() {
                    return Ok(Some(UnmetRequirement { releases, requirement: constraint.title.clone(), worst }));
                }
            }
        }
        Ok(None)
    }
}

impl RemedyCheck {
    fn passes(&self) -> bool {
        self.failing.is_empty() && !self.invalid
    }

    fn add(&mut self, task: &RecodingTask<'_>, spec: usize) -> Result<()> {
        let columns = generalized_columns(task)?;
        let release = root_release(task, &columns)?;
        for (title, survey) in task.requirement.survey(&History::single(release.clone()))? {
            if let Some(worst) = survey.violations.into_iter().next() {
                self.record_safety(spec, worst.safety);
                self.failing.push(UnmetRequirement { releases: Vec::new(), requirement: title, worst });
            }
        }
        for join in &task.requirement.joins {
            for constraint in &join.constraints {
                let (published, rules) = (&release.columns, &task.requirement.rules);
                let check = JoinCheck::new(constraint, published, &columns, task.history, &join.earlier, rules)?;
                let Some(worst) = check.survey(&release)?.violations.into_iter().next() else { continue };
                match constraint.limit {
                    Limit::AtLeast(_) => self.record_safety(spec, worst.safety),
                    Limit::AtMost(_) => self.record_safety(spec, worst.safety.min(-0.0)),
                    // No threshold is suggested for a distribution over a join.
                    Limit::Distribution(_) => {}
                }
                let releases = join.earlier.iter().map(|at| release_ref(task.history, *at)).collect();
                self.failing.push(UnmetRequirement { releases, requirement: constraint.title.clone(), worst });
            }
        }
        Ok(())
    }

    /// Records the safety of a violation: negative for shares, positive for counts.
    fn record_safety(&mut self, spec: usize, safety: f64) {
        if safety.is_sign_negative() {
            let most = self.highest_shares.entry(spec).or_insert(0.0);
            *most = most.max(-safety);
        } else {
            let least = self.lowest_counts.entry(spec).or_insert(f64::INFINITY);
            *least = least.min(safety);
        }
    }
}

impl std::fmt::Display for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Remedy::Thresholds(changes) => {
                let text = |change: &Threshold| {
                    let Threshold { model, parameter, from, to } = change;
                    let (from, to) = (number_text(*from), number_text(*to));
                    match model.as_str() {
                        // The keys of the short form.
                        "confidence-bounding" => format!("confidence = {to} instead of {from}"),
                        "k-anonymity" => format!("k = {to} instead of {from}"),
                        _ => format!("{parameter} = {to} instead of {from} ({model})"),
                    }
                };
                let changes: Vec<String> = changes.iter().map(text).collect();
                write!(f, "relax the requirement: {}", changes.join(" and "))
            }
            Remedy::Columns(columns) => write!(f, "publish without column {}", columns.join(" and column ")),
            Remedy::Recipient(name) => write!(f, "publish without recipient {name}"),
        }
    }
}

fn release_ref(history: &History, at: usize) -> ReleaseRef {
    let recorded = &history.releases[at];
    ReleaseRef { number: recorded.number, name: recorded.name.clone() }
}

fn table_schema(table: &Table) -> Schema {
    let columns: Vec<_> = table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
    columns_schema(&columns)
}

fn columns_schema(columns: &[(String, crate::data::schema::Role)]) -> Schema {
    let attribute = |(name, role): &(String, crate::data::schema::Role)| Attribute {
        name: name.clone(),
        role: *role,
        values: crate::data::taxonomy::Type::Text,
        missing: Missing::Value,
        tree: TreeSource::Flat,
    };
    Schema { attributes: columns.iter().map(attribute).collect(), owner: None, missing_values: Vec::new() }
}

fn drop_columns(table: &Table, dropped: &[usize]) -> Table {
    let kept: Vec<usize> = (0..table.columns.len()).filter(|at| !dropped.contains(at)).collect();
    let combos: ContingencyTable = table.contingency.project(&kept);
    let columns = kept.iter().map(|at| table.columns[*at].clone()).collect();
    Table { columns, contingency: combos, missing: Vec::new(), dropped: table.dropped }
}
