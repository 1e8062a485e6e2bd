//! Explanations: a minimal set of releases and groups that implies a posterior.
//!
//! The search adds groups around the person until they imply the lower bound of the posterior. Then it removes releases and
//! groups while the rest still implies the bound. A posterior can fall and rise as groups are added, so it then examines every
//! subset of a small result. A result is called minimal only if no proper subset implies the bound. There may be other
//! minimal sets, also smaller ones.

use super::attacker_view::{AttackerView, ViewGroup, ViewPerson};
use super::group_name;
use super::marginals::{ColumnPosterior, marginals};
use crate::release::history::{History, RecordedRelease};
use reticent_inference::{Fraction, Solution, SolveOptions, solve};

/// A minimal set of groups that implies a posterior.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Explanation {
    /// Groups, oldest release first.
    pub groups: Vec<ExplainingGroup>,
    /// One sentence without sensitive values.
    pub text: String,
    /// Whether no proper subset of the groups implies the posterior. If false, groups may be superfluous.
    pub minimal: bool,
}

/// A group of an explanation, with its published values.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ExplainingGroup {
    /// Number of the release.
    pub release: u64,
    /// Name of the release.
    pub name: String,
    /// Date of the release.
    pub date: String,
    /// Published quasi-identifiers of the group, or its value of the group column.
    #[serde(serialize_with = "crate::witness::as_cells")]
    pub group: Vec<(String, String)>,
    /// Number of people in the group.
    pub people: u64,
    /// Whether the group contains the explained person. Other groups contribute by exclusion.
    pub contains_person: bool,
    /// Whether each value is listed once for the whole group.
    pub values_listed_once: bool,
    /// Published values with their numbers of records. Confidential.
    #[serde(serialize_with = "super::serde_pairs::counts")]
    pub values: Vec<(String, u64)>,
}

/// Maximum number of groups that the search considers.
const MAX_GROUPS: usize = 400;
/// Maximum number of groups for the removal of single groups.
const MAX_SINGLE_REMOVALS: usize = 60;
/// Maximum number of groups of which every subset is examined.
const MAX_SUBSET_GROUPS: usize = 6;

/// Finds a minimal set of groups that implies the lower bound of a posterior. Returns `None` if there is none within the limits.
pub(super) fn explain(
    view: &AttackerView,
    history: &History,
    solution: &Solution,
    (class_id, person): (u32, Option<&ViewPerson>),
    column: usize,
    posterior: &ColumnPosterior,
) -> Option<Explanation> {
    let target = ExplanationTarget { view, class: class_id, column, value: posterior.value, lower: posterior.lower };
    if posterior.lower.numerator == 0 || solution.classes[class_id as usize].is_empty() {
        return None;
    }
    if let Some(class_ids) =
        person.map(|person| classes_in_release(view, class_id, person)).filter(|class_ids| class_ids.len() > 1)
    {
        let mut groups: Vec<u32> =
            class_ids.iter().flat_map(|class_id| &view.classes[*class_id as usize].groups).copied().collect();
        groups.sort_unstable();
        groups.dedup();
        let explanation = explanation_of(view, history, &groups, &class_ids, column);
        let name = explanation.groups.first().map(|group| group.name.clone()).unwrap_or_default();
        let text = format!("the person has {} records in {name}, and any of them may have this value", class_ids.len());
        return Some(Explanation { text, ..explanation });
    }
    let mut groups = target.sufficient_groups()?;
    let release_of = |group: &u32| view.groups[*group as usize].release;
    loop {
        let before = groups.len();
        let mut releases: Vec<usize> = groups.iter().map(release_of).collect();
        releases.sort_unstable();
        releases.dedup();
        for release in releases {
            target.remove(&mut groups, &|group| release_of(group) == release);
        }
        if groups.len() <= MAX_SINGLE_REMOVALS {
            for group in groups.clone() {
                target.remove(&mut groups, &|other| *other == group);
            }
        }
        if groups.len() == before {
            break;
        }
    }
    let minimal = groups.len() <= MAX_SUBSET_GROUPS;
    if minimal {
        groups = target.smallest_subset(groups);
    }
    Some(Explanation { minimal, ..explanation_of(view, history, &groups, &[class_id], column) })
}

/// Classes of a person's records in the release of `class_id`.
fn classes_in_release(view: &AttackerView, class_id: u32, person: &ViewPerson) -> Vec<u32> {
    let release = |class_id: u32| {
        let group = view.classes[class_id as usize].groups.first();
        group.map(|group| view.groups[*group as usize].release)
    };
    person.classes.iter().copied().filter(|other| release(*other) == release(class_id)).collect()
}

/// The lower bound to explain: a value of a column for the people of a class.
struct ExplanationTarget<'a> {
    view: &'a AttackerView,
    class: u32,
    column: usize,
    value: u32,
    lower: Fraction,
}

impl ExplanationTarget<'_> {
    /// Removes some groups if the rest implies the bound.
    fn remove(&self, groups: &mut Vec<u32>, is_removed: &dyn Fn(&u32) -> bool) {
        let without: Vec<u32> = groups.iter().copied().filter(|group| !is_removed(group)).collect();
        if without.len() < groups.len() && self.is_implied_by(&without) {
            *groups = without;
        }
    }

    /// The first subset in order of size that implies the bound. The whole set does.
    fn smallest_subset(&self, groups: Vec<u32>) -> Vec<u32> {
        let subset = |bits: u32| -> Vec<u32> {
            groups.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, group)| *group).collect()
        };
        let mut subsets: Vec<u32> = (1..(1u32 << groups.len()) - 1).collect();
        subsets.sort_by_key(|bits| bits.count_ones());
        let smaller = subsets.into_iter().map(subset).find(|subset| self.is_implied_by(subset));
        smaller.unwrap_or(groups)
    }

    /// Returns groups around the class that imply the bound.
    fn sufficient_groups(&self) -> Option<Vec<u32>> {
        let mut groups = self.view.classes[self.class as usize].groups.clone();
        loop {
            if self.is_implied_by(&groups) {
                return Some(groups);
            }
            let before = groups.len();
            let people: Vec<u32> =
                groups.iter().flat_map(|group| self.view.groups[*group as usize].classes.clone()).collect();
            groups.extend(people.iter().flat_map(|class_id| &self.view.classes[*class_id as usize].groups));
            groups.sort_unstable();
            groups.dedup();
            if groups.len() == before || groups.len() > MAX_GROUPS {
                return None;
            }
        }
    }

    fn is_implied_by(&self, groups: &[u32]) -> bool {
        let (problem, class_ids) = self.view.problem_of(groups);
        let Ok(at) = class_ids.binary_search(&self.class) else { return false };
        let solve_options = SolveOptions {
            entropy: false,
            steps: 200_000,
            program_steps: 200_000,
            bounds_only: self.view.relaxed,
            ..SolveOptions::default()
        };
        let Ok(solution) = solve(&problem, &solve_options) else { return false };
        let posteriors = marginals(&self.view.domain, self.column, &solution.classes[at]);
        posteriors.iter().any(|posterior| posterior.value == self.value && posterior.lower >= self.lower)
    }
}

/// Text of a record's published values, with column names if it shows several connected columns.
fn record_text(view: &AttackerView, recorded: &RecordedRelease, cover: u32, column: usize) -> String {
    let domain = &view.domain;
    let labels = |column: usize| {
        let mut labels: Vec<&str> =
            domain.tuples_of(cover).iter().filter_map(|tuple| domain.label(*tuple, column)).collect();
        labels.sort_unstable();
        labels.dedup();
        if labels.len() > 4 { format!("one of {} values", labels.len()) } else { labels.join(" or ") }
    };
    let shown = |at: &usize| recorded.release.columns.iter().any(|known| known.name == domain.columns[*at]);
    // The explained column comes first.
    let others = (0..domain.columns.len()).filter(|at| *at != column);
    let all: Vec<usize> = std::iter::once(column).chain(others).filter(shown).collect();
    match all.as_slice() {
        [] => labels(column),
        [one] if *one == column => labels(column),
        all => all.iter().map(|at| format!("{} {}", domain.columns[*at], labels(*at))).collect::<Vec<_>>().join(", "),
    }
}

/// Number of people in a group. A person with several records counts once.
fn people_in(view: &AttackerView, group: &ViewGroup) -> u64 {
    if view.multi_record_people == 0 {
        return view.people_in(group);
    }
    let there = |person: &&ViewPerson| person.classes.iter().any(|class_id| group.classes.contains(class_id));
    match view.people.iter().filter(there).map(|person| person.people).sum() {
        0 => view.people_in(group),
        people => people,
    }
}

fn explanation_of(
    view: &AttackerView,
    history: &History,
    groups: &[u32],
    class_ids: &[u32],
    column: usize,
) -> Explanation {
    let mut groups = groups.to_vec();
    groups.sort_unstable_by_key(|group| (view.groups[*group as usize].release, *group));
    let one = |group: &u32| {
        let contains_person = class_ids.iter().any(|class_id| view.classes[*class_id as usize].groups.contains(group));
        let group = &view.groups[*group as usize];
        let recorded = &history.releases[group.release];
        let mut values: Vec<(String, u64)> = Vec::new();
        for (cover, records) in &group.values {
            let text = record_text(view, recorded, *cover, column);
            match values.iter_mut().find(|(known, _)| *known == text) {
                Some((_, known)) => *known += records,
                None => values.push((text, *records)),
            }
        }
        values.sort();
        ExplainingGroup {
            release: recorded.number,
            name: recorded.name.clone(),
            date: recorded.date.clone(),
            group: group_name(history, group),
            people: people_in(view, group),
            contains_person,
            values_listed_once: group.values_listed_once,
            values,
        }
    };
    let groups: Vec<ExplainingGroup> = groups.iter().map(one).collect();
    let mut releases: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    releases.dedup();
    let text = match (groups.len(), releases.len()) {
        (1, _) => format!("one group of {} explains this probability", releases[0]),
        (many, 1) => format!("{many} groups of {} together explain this probability", releases[0]),
        (many, _) => format!("{many} groups of {} together explain this probability", releases.join(" and ")),
    };
    Explanation { groups, text, minimal: false }
}
