//! Translation of an attacker view into a constraint problem: classes, possible tuples, and counts.

use rayon::prelude::*;

use super::{AttackerView, ViewClass, ViewGroup};
use crate::audit::sensitive_domain::ValueCover;
use reticent_inference::{Count, PersonClass, Problem, Value, WeightedCount};

/// Number of groups per parallel task.
const CHUNK: usize = 1 << 8;
/// Maximum number of layers of a release. Each layer is one source of counts.
const MAX_LAYERS: u32 = 1024;

/// Counts of groups.
#[derive(Default)]
struct GroupCounts {
    plain: Vec<Count>,
    /// Counts of releases in which a person of a class has several records.
    weighted: Vec<WeightedCount>,
}

impl AttackerView {
    /// Builds the constraint problem of all groups.
    pub fn problem(&self) -> Problem {
        let classes: Vec<PersonClass> =
            self.classes.par_iter().map(|class| self.person_class(class, |_| true)).collect();
        let of_chunk = |(chunk, groups): (usize, &[ViewGroup])| {
            let mut counts = GroupCounts::default();
            for (at, group) in (chunk as u32 * CHUNK as u32..).zip(groups) {
                self.counts((at, group), &classes, &|class_id| Some(class_id), &mut counts);
            }
            counts
        };
        let counts: Vec<GroupCounts> = self.groups.par_chunks(CHUNK).enumerate().map(of_chunk).collect();
        let (mut plain, mut weighted) = (Vec::new(), Vec::new());
        for counts in counts {
            plain.extend(counts.plain);
            weighted.extend(counts.weighted);
        }
        plain.extend(self.known_counts.iter().cloned());
        let known_solution = self.known_solution(&classes);
        let incomplete =
            (0..).zip(&self.classes).filter(|(_, class)| class.incomplete).map(|(class_id, _)| class_id).collect();
        Problem { classes, counts: plain, weighted, known_solution, incomplete }
    }

    /// Builds the constraint problem of some groups only, and returns it with the indices of its classes.
    pub(crate) fn problem_of(&self, groups: &[u32]) -> (Problem, Vec<u32>) {
        let mut class_ids: Vec<u32> =
            groups.iter().flat_map(|group| &self.groups[*group as usize].classes).copied().collect();
        class_ids.sort_unstable();
        class_ids.dedup();
        let person_class =
            |class_id: &u32| self.person_class(&self.classes[*class_id as usize], |group| groups.contains(&group));
        let classes: Vec<PersonClass> = class_ids.iter().map(person_class).collect();
        let mut counts = GroupCounts::default();
        for group in groups {
            let local = |class_id: u32| class_ids.binary_search(&class_id).ok().map(|index| index as u32);
            self.counts((*group, &self.groups[*group as usize]), &classes, &local, &mut counts);
        }
        let incomplete = (0..).zip(&class_ids).filter(|(_, class_id)| self.classes[**class_id as usize].incomplete);
        let incomplete = incomplete.map(|(at, _)| at).collect();
        let GroupCounts { plain, weighted } = counts;
        (Problem { classes, counts: plain, weighted, incomplete, ..Problem::default() }, class_ids)
    }

    fn person_class(&self, class: &ViewClass, counts_here: impl Fn(u32) -> bool) -> PersonClass {
        let groups = || class.groups.iter().copied().filter(|group| counts_here(*group));
        if !groups().any(|group| self.is_informative(group)) {
            return PersonClass { people: 0, possible: Vec::new() };
        }
        let mut possible: Option<Vec<Value>> = class.known.clone();
        for group in groups() {
            let here = &self.possible[group as usize];
            possible = Some(match possible {
                Some(possible) => possible.into_iter().filter(|value| here.binary_search(value).is_ok()).collect(),
                None => here.clone(),
            });
        }
        let mut possible = possible.unwrap_or_else(|| self.domain.all_tuples());
        let shape = self.shape(groups());
        possible.retain(|tuple| self.domain.has_shape(*tuple, shape));
        PersonClass { people: class.people, possible }
    }

    /// Adds the counts of a group: bounds on the number of records whose owners have a tuple of each cover.
    ///
    /// The lower bound is the number of records within the cover, less the records beyond those of known people. The
    /// upper bound is the number of records that are not disjoint from the cover. `index` returns the index of a class in
    /// `classes`.
    fn counts(
        &self,
        (at, group): (u32, &ViewGroup),
        classes: &[PersonClass],
        index: &dyn Fn(u32) -> Option<u32>,
        counts: &mut GroupCounts,
    ) {
        let ViewGroup { release, values, records, .. } = group;
        let with_records = |class_id: &u32| {
            let per_person = self.classes[*class_id as usize].records_per_person(at);
            index(*class_id).map(|index| (index, per_person))
        };
        let members: Vec<(u32, u64)> = group.classes.iter().filter_map(with_records).collect();
        let owned = members.iter().map(|(class_id, per_person)| classes[*class_id as usize].people * per_person);
        let surplus = records.saturating_sub(owned.sum());
        let informative: Vec<ValueCover> =
            values.iter().map(|(cover, _)| *cover).filter(|cover| !self.domain.is_suppressed(*cover)).collect();
        let layers = self.layers(&informative);
        for (cover, layer) in informative.iter().zip(layers) {
            let tuples = self.domain.tuples_of(*cover);
            let within = |other: &ValueCover| self.domain.is_within(*other, *cover);
            let disjoint = |other: &ValueCover| !self.domain.overlap(*other, *cover);
            let sum = |keep: &dyn Fn(&ValueCover) -> bool| -> u64 {
                values.iter().filter(|(other, _)| keep(other)).map(|(_, records)| records).sum()
            };
            if group.values_listed_once {
                continue;
            }
            let (lower, upper) = (sum(&within).saturating_sub(surplus), records - sum(&disjoint));
            let cells = members
                .iter()
                .flat_map(|(class_id, per_person)| tuples.iter().map(move |tuple| (*class_id, *tuple, *per_person)));
            // A person in several groups of the release is in several counts, which a source does not allow.
            if self.shared_groups[*release] {
                counts.weighted.push(WeightedCount { cells: cells.collect(), lower, upper });
            } else {
                let source = *release as u32 * MAX_LAYERS + layer;
                let cells = cells.map(|(class_id, tuple, _)| (class_id, tuple)).collect();
                counts.plain.push(Count { source, cells, lower, upper });
            }
        }
    }

    /// Assigns overlapping covers to different layers, so that no source counts a tuple twice.
    fn layers(&self, covers: &[ValueCover]) -> Vec<u32> {
        let mut layers: Vec<u32> = Vec::with_capacity(covers.len());
        let plain = covers.iter().all(|cover| self.domain.is_plain(*cover));
        for (at, cover) in covers.iter().enumerate() {
            let taken = |layer: &u32| {
                let before = covers[..at].iter().zip(&layers);
                before.filter(|(_, known)| *known == layer).any(|(other, _)| self.domain.overlap(*other, *cover))
            };
            layers.push(if plain {
                0
            } else {
                (0..MAX_LAYERS - 1).find(|layer| !taken(layer)).unwrap_or(MAX_LAYERS - 1)
            });
        }
        layers
    }

    /// Returns the actual assignment, if it is known, as an initial solution.
    fn known_solution(&self, classes: &[PersonClass]) -> Option<Vec<(u32, Value, u64)>> {
        let mut assignments = Vec::new();
        for (class_id, class) in (0..).zip(&self.classes) {
            if classes[class_id as usize].people == 0 {
                continue;
            }
            let shape = self.shape(class.groups.iter().copied());
            for (cover, people) in &class.observed {
                let mut fitting =
                    self.domain.tuples_of(*cover).iter().filter(|tuple| self.domain.has_shape(**tuple, shape));
                let (Some(value), None) = (fitting.next(), fitting.next()) else { return None };
                classes[class_id as usize].possible.binary_search(value).ok()?;
                assignments.push((class_id, *value, *people));
            }
        }
        Some(assignments)
    }
}
