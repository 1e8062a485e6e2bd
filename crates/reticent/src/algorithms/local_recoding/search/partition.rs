//! A partition of combinations into groups that satisfy the requirement.

use std::collections::{BTreeMap, HashMap};

use super::cover::Cover;
use super::problem::Problem;

/// Group of an unassigned combination.
pub(super) const NO_GROUP: u32 = u32::MAX;

/// Number of nearest groups that are judged as the next one to merge.
const JUDGED_GROUPS: usize = 24;

/// Group of combinations; without members, it does not exist any more.
pub(super) struct GroupState<C> {
    pub members: Vec<u32>,
    pub weight: u64,
    pub cover: C,
    /// Loss of one record.
    pub loss: f64,
}

impl<C> GroupState<C> {
    /// Loss of all records.
    pub(super) fn total_loss(&self) -> f64 {
        self.weight as f64 * self.loss
    }
}

pub(super) struct Partition<'a, C> {
    pub problem: &'a Problem<'a>,
    pub groups: Vec<GroupState<C>>,
    /// Group of each combination.
    group_of: Vec<u32>,
    /// A group by the hash of its published values.
    by_key: HashMap<u64, u32>,
}

impl<'a, C: Cover> Partition<'a, C> {
    pub(super) fn new(problem: &'a Problem<'a>) -> Self {
        let group_of = vec![NO_GROUP; problem.len()];
        Partition { problem, groups: Vec::new(), group_of, by_key: HashMap::new() }
    }

    pub(super) fn group(&self, group: u32) -> &GroupState<C> {
        &self.groups[group as usize]
    }

    pub(super) fn group_of(&self, combination: u32) -> Option<u32> {
        Some(self.group_of[combination as usize]).filter(|group| *group != NO_GROUP)
    }

    /// Groups with members.
    pub(super) fn live(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.groups).filter(|(_, group)| !group.members.is_empty()).map(|(id, _)| id)
    }

    /// Combinations without a group.
    pub(super) fn unassigned(&self) -> Vec<u32> {
        (0u32..).zip(&self.group_of).filter(|(_, group)| **group == NO_GROUP).map(|(id, _)| id).collect()
    }

    /// Loss of all records that have a group.
    pub(super) fn total_loss(&self) -> f64 {
        self.groups.iter().map(GroupState::total_loss).sum()
    }

    /// Adds a group that satisfies the requirement.
    pub(super) fn add(&mut self, members: Vec<u32>) {
        let group = self.groups.len() as u32;
        let cover = C::of(self.problem, &members);
        let (weight, loss) = (self.problem.total_weight(&members), cover.loss(self.problem));
        members.iter().for_each(|member| self.group_of[*member as usize] = group);
        self.groups.push(GroupState { members, weight, cover, loss });
        self.merge_equal(group);
    }

    /// Removes a group; its members have no group afterwards.
    pub(super) fn remove(&mut self, group: u32) -> Vec<u32> {
        let state = &mut self.groups[group as usize];
        let members = std::mem::take(&mut state.members);
        (state.weight, state.loss) = (0, 0.0);
        members.iter().for_each(|member| self.group_of[*member as usize] = NO_GROUP);
        members
    }

    /// Adds a combination that has no group to a group.
    pub(super) fn insert(&mut self, combination: u32, group: u32) {
        let state = &mut self.groups[group as usize];
        state.members.push(combination);
        state.weight += self.problem.weight(combination);
        state.cover.insert(self.problem, combination);
        state.loss = state.cover.loss(self.problem);
        self.group_of[combination as usize] = group;
        self.merge_equal(group);
    }

    /// Replaces the members of a group. Each new member must have no group or this one.
    pub(super) fn replace(&mut self, group: u32, members: Vec<u32>) {
        self.remove(group);
        let state = &mut self.groups[group as usize];
        state.weight = self.problem.total_weight(&members);
        if !members.is_empty() {
            state.cover = C::of(self.problem, &members);
            state.loss = state.cover.loss(self.problem);
        }
        members.iter().for_each(|member| self.group_of[*member as usize] = group);
        state.members = members;
        self.merge_equal(group);
    }

    /// Increase of the loss of all records of a group, if a combination is added.
    pub(super) fn insertion_loss(&self, combination: u32, group: u32) -> f64 {
        let state = self.group(group);
        let weight = state.weight + self.problem.weight(combination);
        weight as f64 * state.cover.loss_with(self.problem, combination) - state.total_loss()
    }

    /// Whether the group satisfies the requirement with another combination.
    pub(super) fn accepts(&self, combination: u32, group: u32) -> bool {
        if self.problem.merging_is_safe() {
            return true;
        }
        let mut members = self.group(group).members.clone();
        members.push(combination);
        self.problem.satisfies(&members)
    }

    /// Merges a group with another one that publishes the same values, if both together satisfy the requirement.
    fn merge_equal(&mut self, group: u32) {
        if self.group(group).members.is_empty() {
            return;
        }
        let key = self.group(group).cover.key(self.problem);
        let other = self.by_key.insert(key, group).filter(|other| *other != group);
        let Some(other) = other.filter(|other| self.are_equal(*other, group)) else { return };
        let union = [self.group(other).members.as_slice(), &self.group(group).members].concat();
        if !self.problem.merging_is_safe() && !self.problem.satisfies(&union) {
            return;
        }
        let added = self.remove(group);
        added.iter().for_each(|member| self.group_of[*member as usize] = other);
        let addition = self.group(group).cover.clone();
        let weight = self.problem.total_weight(&added);
        let state = &mut self.groups[other as usize];
        state.cover.unite(self.problem, &addition);
        state.weight += weight;
        state.members = union;
        self.by_key.insert(key, other);
    }

    fn are_equal(&self, one: u32, other: u32) -> bool {
        let (one, other) = (self.group(one), self.group(other));
        !one.members.is_empty() && one.cover.same(self.problem, &other.cover)
    }

    /// Groups of all combinations. Groups that publish the same values are merged.
    pub(super) fn finish(mut self) -> Vec<Vec<u32>> {
        while let Some(violating) = self.merge_all_equal() {
            self.merge_upward(violating);
        }
        self.groups.into_iter().map(|group| group.members).filter(|members| !members.is_empty()).collect()
    }

    /// Merges groups that publish the same values. Returns the members of a class that violates the requirement, removed.
    fn merge_all_equal(&mut self) -> Option<Vec<u32>> {
        let mut classes: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for group in self.live() {
            classes.entry(self.group(group).cover.key(self.problem)).or_default().push(group);
        }
        for mut class in classes.into_values() {
            while let Some(group) = class.pop() {
                let (equal, others) = class.iter().partition(|other| self.are_equal(**other, group));
                class = others;
                let equal: Vec<u32> = equal;
                if equal.is_empty() {
                    continue;
                }
                let mut union = self.remove(group);
                equal.iter().for_each(|other| union.append(&mut self.remove(*other)));
                if !self.problem.satisfies(&union) {
                    return Some(union);
                }
                self.replace(group, union);
            }
        }
        None
    }

    /// Merges combinations without a group with the nearest groups until the union satisfies the requirement: 0, 1, 2, 4,
    /// 8 and so on groups.
    pub(super) fn merge_upward(&mut self, members: Vec<u32>) {
        let nearest = self.nearest_groups(&members, usize::MAX);
        let mut union = members;
        let (mut merged, mut next) = (0, 0);
        loop {
            for group in &nearest[merged..next] {
                union.extend(&self.group(*group).members);
            }
            merged = next;
            if merged == nearest.len() || self.problem.satisfies(&union) {
                break;
            }
            next = (merged * 2).max(1).min(nearest.len());
        }
        nearest[..merged].iter().for_each(|group| drop(self.remove(*group)));
        self.add(union);
    }

    /// Merges a combination without a group with at most `limit` groups, each time the safest one of the nearest of
    /// `compared` groups, until the union satisfies the requirement. Without success, nothing changes.
    pub(super) fn merge_safest(&mut self, combination: u32, compared: usize, limit: usize) {
        let mut union = vec![combination];
        let mut nearest = self.nearest_groups(&union, compared);
        let mut merged = Vec::new();
        while !self.problem.satisfies(&union) {
            let mut best: Option<(f64, usize)> = None;
            for (at, group) in nearest.iter().take(JUDGED_GROUPS).enumerate() {
                let verdict = self.problem.judge(&[union.as_slice(), &self.group(*group).members].concat());
                let safety = if verdict.holds { f64::INFINITY } else { verdict.safety };
                if best.is_none_or(|(other, _)| safety > other) {
                    best = Some((safety, at));
                }
            }
            let Some((_, at)) = best.filter(|_| merged.len() < limit) else { return };
            let group = nearest.remove(at);
            union.extend(&self.group(group).members);
            merged.push(group);
        }
        merged.iter().for_each(|group| drop(self.remove(*group)));
        self.add(union);
    }

    /// Groups, ascending by the loss of the union with these combinations. Of more than `limit` groups, some are skipped.
    fn nearest_groups(&self, members: &[u32], limit: usize) -> Vec<u32> {
        let cover = C::of(self.problem, members);
        let union_loss = |group: u32| {
            let mut union = cover.clone();
            union.unite(self.problem, &self.group(group).cover);
            union.loss(self.problem)
        };
        let stride = self.live().count().div_ceil(limit).max(1);
        let mut nearest: Vec<(f64, u32)> =
            self.live().step_by(stride).map(|group| (union_loss(group), group)).collect();
        nearest.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        nearest.into_iter().map(|(_, group)| group).collect()
    }
}
