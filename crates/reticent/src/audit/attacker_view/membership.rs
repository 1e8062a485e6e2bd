//! Assignment of people to classes: people with the same groups in all releases are indistinguishable.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::{AttackerView, UnlinkedGroup, ViewClass, ViewGroup, ViewPerson, ViewRecord};
use crate::audit::AuditOptions;
use crate::data::links::Pseudonym;
use crate::data::schema::Unit;

impl AttackerView {
    /// Assigns every person to one or more classes.
    ///
    /// An attacker does not know which people have a changed value. So in a connected component of groups that contains such a
    /// person, no person is linked across releases, and each release is used on its own.
    pub(super) fn assign_classes(
        &mut self,
        mut person_records: Vec<(Pseudonym, ViewRecord)>,
        unlinked_groups: Vec<UnlinkedGroup>,
        options: &AuditOptions,
    ) {
        let time_varying = options.time_varying.as_slice();
        let mut known: HashMap<Vec<(u32, u64)>, u32> = HashMap::new();
        person_records.par_sort_unstable();
        // A time-varying value implies nothing about earlier or later values.
        let all_vary = self.domain.columns.iter().all(|column| time_varying.contains(column));
        let people: Vec<&[(Pseudonym, ViewRecord)]> = person_records.chunk_by(|one, next| one.0 == next.0).collect();
        let has_several =
            |records: &[(Pseudonym, ViewRecord)]| records.windows(2).any(|two| two[0].1.release == two[1].1.release);
        self.units = self.units_of(&people, options);
        let of_person = self.units.iter().all(|unit| *unit == Unit::Person);
        let mixed = !of_person && self.units.contains(&Unit::Person);
        let linked = |records: &[(Pseudonym, ViewRecord)]| of_person || !has_several(records);
        let changed: Vec<bool> = people
            .par_iter()
            .map(|records| !all_vary && linked(records) && self.value_runs(records, time_varying).len() > 1)
            .collect();
        let inconsistent = self.components_with_changes(&people, &changed);
        for (records, changed) in people.iter().zip(&changed) {
            let multiple = has_several(records);
            let is_inconsistent =
                |(_, record): &(Pseudonym, ViewRecord)| inconsistent.get(record.group as usize) == Some(&true);
            let separate = !linked(records) || (!all_vary && records.iter().any(is_inconsistent));
            let runs =
                if separate { self.split_runs(records, |_, _| false) } else { self.value_runs(records, time_varying) };
            let all = runs.iter().flatten().map(|record| (record.group, Some(record.cover))).collect();
            self.multi_record_people += u64::from(multiple);
            self.unlinked_record_people += u64::from(multiple && runs.len() > 1);
            let own: Vec<u32> = runs.iter().map(|run| self.add_to_class(run, &mut known)).collect();
            let releases = runs.iter().flatten().map(|record| record.release);
            let mut in_releases: Vec<usize> = releases.filter(|at| self.domain.columns_of(*at) != 0).collect();
            in_releases.dedup();
            // Records of a release that the attacker links by the values of the person are not independent.
            let linked_in_release = multiple && (mixed || of_person && separate);
            if runs.len() > 1 && (in_releases.len() > 1 && !all_vary || linked_in_release) {
                own.iter().for_each(|class_id| self.classes[*class_id as usize].incomplete = true);
            }
            let pseudonym = Some(records[0].0);
            self.people.push(ViewPerson { pseudonym, classes: own, people: 1, records: all, changed: *changed });
        }
        for (group, shows, more) in unlinked_groups {
            let ViewGroup { records, counterfeits, .. } = self.groups[group as usize];
            let people = records.saturating_sub(counterfeits);
            // It is unknown which of the records are counterfeit.
            let observed = if counterfeits == 0 && more.is_empty() { shows } else { Vec::new() };
            let groups: Vec<u32> = [group].into_iter().chain(more).collect();
            self.classes.push(ViewClass { people, groups: groups.clone(), observed, ..ViewClass::default() });
            let class_id = self.classes.len() as u32 - 1;
            let records = groups.into_iter().map(|group| (group, None)).collect();
            self.people.push(ViewPerson { pseudonym: None, classes: vec![class_id], people, records, changed: false });
        }
        self.sort_classes();
        self.shared_groups = vec![false; self.linked.len()];
        for (class_id, class) in (0..).zip(&self.classes) {
            class.groups.iter().for_each(|group| self.groups[*group as usize].classes.push(class_id));
            let release = |group: &u32| self.groups[*group as usize].release;
            let several = class.records.iter().enumerate().filter(|(_, records)| **records > 1);
            several.for_each(|(at, _)| self.shared_groups[release(&class.groups[at])] = true);
            // Groups are in the order of their releases.
            let twice = class.groups.windows(2).filter(|two| release(&two[0]) == release(&two[1]));
            twice.for_each(|two| self.shared_groups[release(&two[0])] = true);
        }
    }

    /// Sorts the classes by their groups. What can be counted within the limits of the solver then does not depend on the
    /// order of the pseudonyms, and so not on the key of the ledger.
    fn sort_classes(&mut self) {
        let mut order: Vec<u32> = (0..self.classes.len() as u32).collect();
        let key = |class_id: &u32| {
            let class = &self.classes[*class_id as usize];
            (&class.groups, &class.records)
        };
        order.par_sort_by(|one, other| key(one).cmp(&key(other)));
        let mut place = vec![0u32; order.len()];
        (0..).zip(&order).for_each(|(new, old)| place[*old as usize] = new);
        let mut classes: Vec<Option<ViewClass>> = std::mem::take(&mut self.classes).into_iter().map(Some).collect();
        self.classes = order.iter().filter_map(|old| classes[*old as usize].take()).collect();
        for person in &mut self.people {
            person.classes.iter_mut().for_each(|class_id| *class_id = place[*class_id as usize]);
            person.classes.sort_unstable();
        }
    }

    /// Unit of each column: as the policy says, or the person if the records of every person in a release have the same value.
    fn units_of(&self, people: &[&[(Pseudonym, ViewRecord)]], options: &AuditOptions) -> Vec<Unit> {
        let given = |name: &String| options.units.iter().find(|(known, _)| known == name).map(|(_, unit)| *unit);
        let mut units: Vec<Option<Unit>> = self.domain.columns.iter().map(given).collect();
        for two in people.iter().flat_map(|records| records.windows(2)) {
            let [(_, one), (_, other)] = two else { continue };
            for (at, unit) in units.iter_mut().enumerate().filter(|(_, unit)| unit.is_none()) {
                if one.release == other.release && !self.domain.is_consistent_in(one.cover, other.cover, at) {
                    *unit = Some(Unit::Record);
                }
            }
        }
        units.into_iter().map(|unit| unit.unwrap_or(Unit::Person)).collect()
    }

    /// Splits the records of a person into runs that can have the same sensitive tuple.
    fn value_runs(&self, records: &[(Pseudonym, ViewRecord)], time_varying: &[String]) -> Vec<Vec<ViewRecord>> {
        // Each release is used on its own for time-varying columns.
        let vary = self.domain.columns.iter().any(|column| time_varying.contains(column));
        self.split_runs(records, |known, record| match known.release == record.release {
            true => self.domain.is_consistent(known.cover, record.cover, &[]),
            false => !vary && self.domain.is_consistent(known.cover, record.cover, time_varying),
        })
    }

    /// Splits the records of a person into runs of records that are pairwise `same`.
    ///
    /// A record of a marginal table joins the run with the record that it counts.
    fn split_runs(
        &self,
        records: &[(Pseudonym, ViewRecord)],
        same: impl Fn(&ViewRecord, &ViewRecord) -> bool,
    ) -> Vec<Vec<ViewRecord>> {
        let mut runs: Vec<Vec<ViewRecord>> = Vec::new();
        for (_, record) in records {
            if let Some(counted) = self.counted_release[record.release] {
                let is_of = |run: &&mut Vec<ViewRecord>| {
                    run.iter().any(|known| known.release == counted && Some(known.group) == record.counted_group)
                        && !run.iter().any(|known| known.release == record.release)
                };
                if let Some(run) = runs.iter_mut().find(is_of) {
                    run.push(*record);
                    continue;
                }
            }
            match runs.last_mut() {
                Some(run) if run.iter().all(|known| same(known, record)) => run.push(*record),
                _ => runs.push(vec![*record]),
            }
        }
        runs
    }

    /// Returns, by group, whether its connected component contains a person with a changed value. Empty if there is none.
    fn components_with_changes(&self, people: &[&[(Pseudonym, ViewRecord)]], changed: &[bool]) -> Vec<bool> {
        if !changed.contains(&true) {
            return Vec::new();
        }
        let mut parent: Vec<u32> = (0..self.groups.len() as u32).collect();
        fn top(parent: &mut [u32], mut group: u32) -> u32 {
            while parent[group as usize] != group {
                parent[group as usize] = parent[parent[group as usize] as usize];
                group = parent[group as usize];
            }
            group
        }
        for records in people {
            let groups = records.iter().map(|(_, record)| record.group).filter(|group| self.is_informative(*group));
            let mut groups = groups.map(|group| top(&mut parent, group)).collect::<Vec<_>>().into_iter();
            if let Some(first) = groups.next() {
                groups.for_each(|group| {
                    let group = top(&mut parent, group);
                    parent[group as usize] = top(&mut parent, first);
                });
            }
        }
        let mut inconsistent = vec![false; self.groups.len()];
        for (records, _) in people.iter().zip(changed).filter(|(_, changed)| **changed) {
            for (_, record) in records.iter() {
                inconsistent[top(&mut parent, record.group) as usize] = true;
            }
        }
        (0..self.groups.len() as u32).map(|group| inconsistent[top(&mut parent, group) as usize]).collect()
    }

    /// Adds a person with these records, which have the same sensitive tuple, to a class and returns its index.
    fn add_to_class(&mut self, run: &[ViewRecord], class_ids: &mut HashMap<Vec<(u32, u64)>, u32>) -> u32 {
        // Groups of releases without sensitive columns do not distinguish people.
        let groups = run.iter().map(|record| record.group).filter(|group| self.is_informative(*group));
        let mut groups: Vec<u32> = groups.collect();
        groups.sort_unstable();
        let with_records = groups.chunk_by(|one, next| one == next).map(|same| (same[0], same.len() as u64)).collect();
        let classes = &mut self.classes;
        let class_id = *class_ids.entry(with_records).or_insert_with_key(|with_records| {
            let (groups, records): (Vec<u32>, Vec<u64>) = with_records.iter().copied().unzip();
            let records = if records.iter().all(|records| *records == 1) { Vec::new() } else { records };
            classes.push(ViewClass { groups, records, ..ViewClass::default() });
            classes.len() as u32 - 1
        });
        let finest = run.iter().map(|record| record.cover).min_by_key(|cover| self.domain.tuples_of(*cover).len());
        let here = &mut self.classes[class_id as usize];
        here.people += 1;
        if let Some(cover) = finest {
            match here.observed.binary_search_by_key(&cover, |(known, _)| *known) {
                Ok(at) => here.observed[at].1 += 1,
                Err(at) => here.observed.insert(at, (cover, 1)),
            }
        }
        class_id
    }

    /// Moves these people to classes of their own, so that constraints can apply to them together. Returns the class indices.
    pub(crate) fn isolate_people(&mut self, people: &HashSet<Pseudonym>) -> Vec<u32> {
        let mut inside: HashMap<u32, u64> = HashMap::new();
        let is_inside = |person: &ViewPerson| person.pseudonym.is_some_and(|pseudonym| people.contains(&pseudonym));
        for person in self.people.iter().filter(|person| is_inside(person)) {
            person.classes.iter().for_each(|class_id| *inside.entry(*class_id).or_insert(0) += 1);
        }
        let mut own: HashMap<u32, u32> = HashMap::new();
        let mut divided: Vec<(u32, u64)> = inside.into_iter().collect();
        divided.sort_unstable();
        for (class_id, people) in divided {
            own.insert(class_id, self.split_off(class_id, people));
        }
        for person in &mut self.people {
            if is_inside(person) {
                person.classes.iter_mut().for_each(|class_id| *class_id = own[&*class_id]);
            }
        }
        let mut class_ids: Vec<u32> = own.into_values().collect();
        class_ids.sort_unstable();
        class_ids
    }

    /// Moves a person to classes of their own. Returns the class indices, or `None` if the person is not in the view.
    pub(crate) fn isolate_person(&mut self, pseudonym: Pseudonym) -> Option<Vec<u32>> {
        // People without a pseudonym come last.
        let linked = self.people.partition_point(|person| person.pseudonym.is_some());
        let at = self.people[..linked].binary_search_by_key(&Some(pseudonym), |person| person.pseudonym).ok()?;
        let class_ids = self.people[at].classes.clone();
        let own: Vec<u32> = class_ids.into_iter().map(|class_id| self.split_off(class_id, 1)).collect();
        self.people[at].classes.clone_from(&own);
        Some(own)
    }

    /// Splits `people` people off a class and returns the index of their class, which is the same if they are the whole class.
    fn split_off(&mut self, class_id: u32, people: u64) -> u32 {
        let new = self.classes.len() as u32;
        let whole = &mut self.classes[class_id as usize];
        if whole.people == people {
            return class_id;
        }
        whole.people -= people;
        // The actual values of the remaining people are no longer known, and are not needed.
        whole.observed.clear();
        let part = ViewClass { people, ..whole.clone() };
        part.groups.iter().for_each(|group| self.groups[*group as usize].classes.push(new));
        self.classes.push(part);
        new
    }
}
