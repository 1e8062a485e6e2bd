//! Pairs of releases of the same people without common owner links: the unknown is each person's pair of groups.
//!
//! A person in a group of one release is in a group of the other release that matches it in the lossy join. Each group has as
//! many people as records. So the group in the other release acts as one more unknown attribute of each person, and the same
//! solver applies. For an attacker who knows a person's groups in both releases, the posterior of a value is its conditional
//! probability given this attribute.
//!
//! Applies only if both releases have the same number of records and every group matches a group of the other release.
//! Otherwise they are not about the same people, and each is judged on its own.

use std::sync::Arc;

use super::attacker_view::AttackerView;
use super::figures::PosteriorRange;
use super::marginal_tables;
use super::{AuditOptions, group_name, to_fraction};
use crate::data::contingency::ContingencyTable;
use crate::data::schema::Role;
use crate::data::taxonomy::{Code, Taxonomy};
use crate::error::{Obstacle, Result};
use crate::join::lossy::matching_codes;
use crate::release::history::{History, RecordedRelease};
use crate::release::{PublishedColumn, Release};
use reticent_inference::{Fraction, Posterior, SolveOptions, Value, solve};

/// Result for the people in a group of each of two releases.
#[derive(Debug, Clone, serde::Serialize)]
pub struct PairAudit {
    /// Numbers of the two releases.
    pub releases: [u64; 2],
    /// Sensitive column; `None` if the pair could not be judged.
    pub column: Option<String>,
    /// Reason why the pair could not be judged.
    pub not_judged: Option<String>,
    /// Number of pairs of groups that can have people in common.
    pub pairs: u64,
    /// Number of pairs of groups with a posterior that certainly exceeds the threshold.
    pub above: u64,
    /// Number of pairs of groups with a posterior that may exceed the threshold.
    pub may_be_above: u64,
    /// Estimated number of people in the latter pairs of groups.
    pub people_may_be_above: f64,
    /// Maximum posterior over all pairs of groups.
    pub highest: PosteriorRange,
    /// Published quasi-identifiers of the pair of groups with the maximum posterior.
    #[serde(serialize_with = "crate::witness::as_cells")]
    pub worst: Vec<(String, String)>,
}

impl PairAudit {
    /// Returns whether a value is certain in some pair of groups.
    pub fn is_certain(&self) -> bool {
        self.highest.lower == Fraction::ONE
    }
}

/// Judges every two releases of which at least one has no owner links.
pub(super) fn pairs(history: &History, options: &AuditOptions) -> Result<Vec<PairAudit>> {
    let mut results = Vec::new();
    // The links of one release do not help if the other has none.
    let plain: Vec<&RecordedRelease> =
        history.releases.iter().filter(|recorded| recorded.presentation.is_none()).collect();
    for (at, one) in plain.iter().enumerate() {
        for other in plain[at + 1..].iter().filter(|other| one.links.is_none() || other.links.is_none()) {
            let Some(both) = ReleasePair::new(one, other, options)? else { continue };
            let known = options.knowledge.columns().any(|column| both.is_about(column));
            if known {
                let why = "background knowledge is not used for releases whose record owners are unknown";
                results.push(both.not_judged(why.to_owned()));
                continue;
            }
            // A time-varying column of the second release is judged with the roles of the releases exchanged.
            let swapped =
                if shows_time_varying(other, options) { ReleasePair::new(other, one, options)? } else { None };
            let judged = both.judge(options, |_| true, &mut results);
            let judged = judged.and_then(|()| match &swapped {
                Some(swapped) => swapped.judge(options, |name| options.time_varying.contains(name), &mut results),
                None => Ok(()),
            });
            if let Err(error) = judged {
                results.push(both.not_judged(error.to_string()));
            }
        }
    }
    Ok(results)
}

/// Numbers of the releases without owner links whose combination with other releases is not established.
///
/// For an attacker who knows the groups of all people, two releases with sensitive columns may disclose more than their pairs
/// of groups show. For an attacker who knows the groups of one person, a judged pair is established, but three releases may leave
/// one value where every two leave several. Two releases without sensitive columns disclose nothing.
pub(super) fn unresolved(history: &History, pairs: &[PairAudit], options: &AuditOptions) -> Vec<u64> {
    let judged = |one: u64, other: u64| {
        pairs
            .iter()
            .any(|pair| pair.not_judged.is_none() && pair.releases.contains(&one) && pair.releases.contains(&other))
    };
    let has_sensitive =
        |recorded: &RecordedRelease| recorded.release.columns.iter().any(|column| column.role == Role::Sensitive);
    let open = |(at, recorded): &(usize, &RecordedRelease)| {
        let others = history.releases.iter().filter(|other| other.number != recorded.number);
        let others = others.filter(|other| match options.knows_everyone {
            true => has_sensitive(recorded) && has_sensitive(other),
            false => has_sensitive(recorded) || has_sensitive(other),
        });
        let others = others.map(|other| other.number);
        let others: std::collections::BTreeSet<u64> = others.collect();
        recorded.links.is_none()
            && marginal_tables::counted_release(history, *at).is_none()
            && !others.is_empty()
            && (options.knows_everyone
                || others.len() > 1
                || others.iter().any(|other| !judged(recorded.number, *other)))
    };
    history.releases.iter().enumerate().filter(open).map(|(_, recorded)| recorded.number).collect()
}

/// Name of the column with the group in the other release. No column of a file has this name.
const GROUP_COLUMN: &str = "\u{0}group";

/// Maximum number of cells (pairs of groups times values) of a problem.
const MAX_CELLS: usize = 2_000_000;

/// Two releases of the same people.
struct ReleasePair {
    /// The first release unchanged, and the second with [`GROUP_COLUMN`] instead of its quasi-identifiers.
    history: History,
    /// Whether a group of the second release matches, by group of the first and group of the second.
    matching: Vec<Vec<bool>>,
    /// Index of a contingency-table cell of the group, by group of the second release.
    members: Vec<usize>,
    other: RecordedRelease,
}

impl ReleasePair {
    /// Returns `None` if the releases are not about the same people, have no join key, or have no sensitive column.
    fn new(one: &RecordedRelease, other: &RecordedRelease, options: &AuditOptions) -> Result<Option<ReleasePair>> {
        let quasi = |recorded: &RecordedRelease| -> Vec<usize> {
            let columns = 0..recorded.release.columns.len();
            columns.filter(|at| recorded.release.columns[*at].role == Role::QuasiIdentifier).collect()
        };
        let (ours, theirs) = (quasi(one), quasi(other));
        let (first, second) = (&one.release, &other.release);
        let sensitive = [first, second].iter().any(|release| release.columns.iter().any(|c| c.role == Role::Sensitive));
        let mut demands = Vec::new();
        for here in &ours {
            for there in &theirs {
                let fitting = matching_codes(&first.columns[*here], &second.columns[*there], &options.rules);
                demands.extend(fitting.map(|fitting| (*here, *there, fitting)));
            }
        }
        if !sensitive || demands.is_empty() || first.contingency.rows() != second.contingency.rows() {
            return Ok(None);
        }
        let (_, a) = group_records(&first.contingency, &ours);
        let (group_of_cell, b) = group_records(&second.contingency, &theirs);
        let fit = |a: &usize, b: &usize| {
            let (first, second) = (&first.contingency.codes, &second.contingency.codes);
            demands.iter().all(|(here, there, fitting)| fitting[first[*here][*a] as usize].contains(second[*there][*b]))
        };
        let matching: Vec<Vec<bool>> = a.iter().map(|a| b.iter().map(|b| fit(a, b)).collect()).collect();
        let dangling = matching.iter().any(|row| !row.contains(&true))
            || (0..b.len()).any(|at| !matching.iter().any(|row| row[at]));
        if dangling {
            return Ok(None);
        }
        let marked = RecordedRelease {
            release: with_group_column(second, &group_of_cell, b.len(), &options.time_varying),
            ..other.clone()
        };
        let one = RecordedRelease { links: None, ..one.clone() };
        let marked = RecordedRelease { links: None, ..marked };
        let history = History { releases: vec![one, marked], ..History::default() };
        Ok(Some(ReleasePair { history, matching, members: b, other: other.clone() }))
    }

    /// Returns whether either release has this sensitive column.
    fn is_about(&self, name: &str) -> bool {
        let columns = [&self.history.releases[0], &self.other].map(|recorded| &recorded.release.columns);
        columns.into_iter().flatten().any(|column| column.role == Role::Sensitive && column.name == name)
    }

    fn empty(&self, column: Option<String>) -> PairAudit {
        PairAudit {
            releases: {
                let (one, other) = (self.history.releases[0].number, self.other.number);
                [one.min(other), one.max(other)]
            },
            column,
            not_judged: None,
            pairs: 0,
            above: 0,
            may_be_above: 0,
            people_may_be_above: 0.0,
            highest: PosteriorRange::ZERO,
            worst: Vec::new(),
        }
    }

    fn not_judged(&self, why: String) -> PairAudit {
        PairAudit { not_judged: Some(why), ..self.empty(None) }
    }

    /// Judges the columns for which `asked` returns true.
    fn judge(
        &self,
        options: &AuditOptions,
        asked: impl Fn(&String) -> bool,
        results: &mut Vec<PairAudit>,
    ) -> Result<()> {
        let mut view = AttackerView::new(&self.history, None, options)?;
        let matches: usize = self.matching.iter().flatten().filter(|matching| **matching).count();
        if matches.saturating_mul(view.domain.tuples.len() / self.members.len().max(1)) > MAX_CELLS {
            return Err(Obstacle::PairsTooMany {}.into());
        }
        // Both releases have the same people: keep those of the first.
        view.classes.pop();
        view.people.pop();
        let last = view.groups.len() - 1;
        let column = view.domain.columns.len() - 1;
        let group_of =
            |view: &AttackerView, tuple: Value| -> Option<usize> { view.domain.label(tuple, column)?.parse().ok() };
        for class_id in 0..view.classes.len() {
            let possible = view
                .domain
                .all_tuples()
                .into_iter()
                .filter(|tuple| group_of(&view, *tuple).is_some_and(|b| self.matching[class_id][b]));
            view.classes[class_id].known = Some(possible.collect());
            view.classes[class_id].groups.push(last as u32);
        }
        view.groups[last].classes = (0..view.classes.len() as u32).collect();
        let solve_options = SolveOptions { bounds_only: view.relaxed, entropy: false, ..options.solve };
        let solution = solve(&view.problem(), &solve_options)?;
        for at in 0..column {
            let name = view.domain.columns[at].clone();
            if !asked(&name) || options.columns.as_ref().is_some_and(|columns| !columns.contains(&name)) {
                continue;
            }
            let mut pair = self.empty(Some(name));
            for (class_id, posteriors) in solution.classes.iter().enumerate() {
                for group in 0..self.members.len() {
                    let there: Vec<&Posterior> =
                        posteriors.iter().filter(|posterior| group_of(&view, posterior.value) == Some(group)).collect();
                    if !there.is_empty() {
                        self.add(&mut pair, &view, at, (class_id, group), &there, options);
                    }
                }
            }
            results.push(pair);
        }
        Ok(())
    }

    /// Adds the posteriors of the people in a pair of groups.
    fn add(
        &self,
        pair: &mut PairAudit,
        view: &AttackerView,
        column: usize,
        (class_id, group): (usize, usize),
        there: &[&Posterior],
        options: &AuditOptions,
    ) {
        let value = |posterior: &&&Posterior| view.domain.tuples[posterior.value as usize][column];
        let mut values: Vec<u32> =
            there.iter().map(|posterior| value(&posterior)).filter(|value| *value != u32::MAX).collect();
        values.sort_unstable();
        values.dedup();
        if values.is_empty() {
            return;
        }
        pair.pairs += 1;
        let mut level = PosteriorRange::ZERO;
        for one in values {
            let sum = |of: &dyn Fn(&Posterior) -> f64, have: bool| -> f64 {
                there.iter().filter(|posterior| (value(posterior) == one) == have).map(|posterior| of(posterior)).sum()
            };
            let ratio = |having: f64, others: f64| if having > 0.0 { having / (having + others) } else { 0.0 };
            let only = there.iter().all(|posterior| value(&posterior) == one);
            let exactly = |have: bool| {
                let fitting = there.iter().filter(|posterior| !have || value(posterior) == one);
                fitting
                    .map(|posterior| posterior.exact())
                    .try_fold(Fraction::new(0, 1), |sum, exact| Some(sum.plus(exact?)))
            };
            let (lower, upper) =
                match exactly(true).zip(exactly(false)).and_then(|(having, all)| having.checked_div(all)) {
                    _ if only => (Fraction::ONE, Fraction::ONE),
                    Some(exact) => (exact, exact),
                    None => {
                        let lower = ratio(
                            sum(&|posterior| posterior.lower.value(), true),
                            sum(&|posterior| posterior.upper.value(), false),
                        );
                        let upper = ratio(
                            sum(&|posterior| posterior.upper.value(), true),
                            sum(&|posterior| posterior.lower.value(), false),
                        );
                        (Fraction::below(lower), Fraction::above(upper))
                    }
                };
            let best = ratio(sum(&Posterior::best, true), sum(&Posterior::best, false));
            level = level.elementwise_max(PosteriorRange {
                lower,
                upper,
                estimate: best.clamp(lower.value(), upper.value()),
            });
        }
        if let Some(threshold) = options.threshold(&view.domain.columns[column]).map(to_fraction) {
            pair.above += u64::from(level.lower > threshold);
            if level.upper > threshold {
                pair.may_be_above += 1;
                pair.people_may_be_above +=
                    there.iter().map(|posterior| posterior.best()).sum::<f64>() * view.classes[class_id].people as f64;
            }
        }
        if (level.lower, level.estimate) > (pair.highest.lower, pair.highest.estimate) || pair.worst.is_empty() {
            pair.worst = group_name(&self.history, &view.groups[view.classes[class_id].groups[0] as usize]);
            let theirs = &self.other.release;
            let member = self.members[group];
            let quasi = theirs.columns.iter().enumerate().filter(|(_, column)| column.role == Role::QuasiIdentifier);
            pair.worst.extend(quasi.map(|(at, column)| {
                (column.name.clone(), column.label(theirs.contingency.codes[at][member]).to_owned())
            }));
        }
        pair.highest = pair.highest.elementwise_max(level);
    }
}

/// Returns the group of each cell, and one cell of each group.
fn group_records(contingency: &ContingencyTable, by: &[usize]) -> (Vec<u32>, Vec<usize>) {
    let mut known: hashbrown::HashMap<Vec<Code>, u32> = hashbrown::HashMap::new();
    let mut members = Vec::new();
    let mut group_of_cell = Vec::with_capacity(contingency.len());
    for cell in 0..contingency.len() {
        let key = by.iter().map(|column| contingency.codes[*column][cell]).collect();
        group_of_cell.push(*known.entry(key).or_insert_with(|| {
            members.push(cell);
            members.len() as u32 - 1
        }));
    }
    (group_of_cell, members)
}

/// Returns whether a release has a time-varying sensitive column.
fn shows_time_varying(recorded: &RecordedRelease, options: &AuditOptions) -> bool {
    let sensitive = recorded.release.columns.iter().filter(|column| column.role == Role::Sensitive);
    sensitive.into_iter().any(|column| options.time_varying.contains(&column.name))
}

/// Replaces the quasi-identifiers of a release by [`GROUP_COLUMN`], which puts all people in one group. Drops time-varying
/// columns, whose values may differ in the other release.
fn with_group_column(release: &Release, group_of_cell: &[u32], groups: usize, time_varying: &[String]) -> Release {
    let stays = |column: &PublishedColumn| column.role == Role::Sensitive && !time_varying.contains(&column.name);
    let keep: Vec<usize> = (0..release.columns.len()).filter(|at| stays(&release.columns[*at])).collect();
    let mut columns: Vec<PublishedColumn> = keep.iter().map(|at| release.columns[*at].clone()).collect();
    let tree = Arc::new(Taxonomy::flat((0..groups).map(|group| group.to_string()).collect()));
    // A flat taxonomy sorts its values, so look up each node by its label.
    let nodes: Vec<_> = (0..groups).map(|group| tree.find(&group.to_string()).unwrap_or(0)).collect();
    columns.push(PublishedColumn { name: GROUP_COLUMN.to_owned(), role: Role::Sensitive, tree, nodes });
    let mut codes: Vec<Vec<Code>> = keep.iter().map(|at| release.contingency.codes[*at].clone()).collect();
    codes.push(group_of_cell.to_vec());
    let contingency = ContingencyTable { codes, weights: release.contingency.weights.clone(), owners: None }.combined();
    Release { columns, contingency, suppressed: release.suppressed }
}
