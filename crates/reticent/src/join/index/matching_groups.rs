//! Groups of an earlier release that match values of the new release, and groups of other earlier releases.

use super::{IndexCondition, IndexedRelease, by_code};
use crate::data::contingency::ContingencyTable;
use crate::data::taxonomy::Code;
use crate::join::lossy::{CodeSet, MAX_LISTED};
use crate::join::values::SeenValues;

/// Groups of a release that match the values of the new release.
pub(in crate::join) struct Candidates {
    /// Matching groups, ascending.
    pub(in crate::join) list: Vec<u32>,
    /// Whether a group matches, by group; empty if few groups match.
    pub(super) marks: Vec<bool>,
}

/// Number of groups for each matching group from which the matching groups are not marked.
const FEW: usize = 32;

impl Candidates {
    fn contains(&self, group: u32) -> bool {
        match self.marks.is_empty() {
            true => self.list.binary_search(&group).is_ok(),
            false => self.marks[group as usize],
        }
    }
}

impl IndexedRelease {
    pub(super) fn candidates(&self, values: &[u32], seen: &[std::sync::RwLockReadGuard<'_, SeenValues>]) -> Candidates {
        let len = self.groups.len();
        let matching: Vec<&CodeSet> = self
            .queries
            .iter()
            .map(|query| &seen[query.key].matching[values[query.key] as usize][query.slot])
            .collect();
        let size = |at: &usize| -> usize {
            let groups = &self.queries[*at].groups;
            matching[*at].codes(groups.len()).iter().map(|code| groups[*code as usize].len()).sum()
        };
        let Some(first) = (0..self.queries.len()).min_by_key(size) else {
            return Candidates { list: (0..len as u32).collect(), marks: vec![true; len] };
        };
        let codes: Vec<&[Code]> = self.queries.iter().map(|query| self.groups.codes[query.place].as_slice()).collect();
        let all = |group: &u32| {
            codes.iter().zip(&matching).all(|(codes, matching)| matching.contains(codes[*group as usize]))
        };
        let groups = &self.queries[first].groups;
        let selected = matching[first].codes(groups.len());
        let selected = selected.iter().flat_map(|code| groups[*code as usize].iter().copied());
        let mut list: Vec<u32> = selected.filter(all).collect();
        list.sort_unstable();
        let is_marked = !self.conditions.is_empty() && list.len() * FEW >= len;
        let mut marks = vec![false; if is_marked { len } else { 0 }];
        if is_marked {
            list.iter().for_each(|group| marks[*group as usize] = true);
        }
        Candidates { list, marks }
    }

    /// Groups that match the groups chosen in preceding releases.
    pub(in crate::join) fn matching_groups<'b>(
        &'b self,
        members: &'b [IndexedRelease],
        candidates: &'b Candidates,
        tuple: &'b [u32],
    ) -> impl Iterator<Item = u32> + 'b {
        let code = |condition: &IndexCondition| {
            members[condition.member].groups.codes[condition.there][tuple[condition.member] as usize]
        };
        let first = self.conditions.first().zip(self.groups_by_first_condition.as_ref());
        let first = first.map(|(condition, groups)| &groups[code(condition) as usize]);
        let rest: Vec<(&[Code], &CodeSet)> = self
            .conditions
            .iter()
            .skip(1)
            .map(|condition| {
                (self.groups.codes[condition.place].as_slice(), &condition.matching[code(condition) as usize])
            })
            .collect();
        let few = first.is_none_or(|first| candidates.list.len() < first.len());
        let list: &[u32] = if few { &candidates.list } else { first.map_or(&[][..], Vec::as_slice) };
        let condition = self.conditions.first().filter(|_| few);
        let check = condition.map(|condition| {
            (self.groups.codes[condition.place].as_slice(), &condition.matching[code(condition) as usize])
        });
        list.iter().copied().filter(move |group| {
            let at = *group as usize;
            (few || candidates.contains(*group))
                && check.iter().chain(&rest).all(|(codes, matching)| matching.contains(codes[at]))
        })
    }
}

impl IndexCondition {
    /// Matching groups by code of the preceding release; `None` if the lists are too long.
    pub(super) fn groups_by_code(&self, groups: &ContingencyTable) -> Option<Vec<Vec<u32>>> {
        let codes = &groups.codes[self.place];
        let by_code = by_code(codes, codes.iter().max().map_or(0, |maximum| *maximum as usize + 1));
        let mut left = MAX_LISTED;
        let mut lists = Vec::new();
        for set in &self.matching {
            let selected = set.codes(by_code.len());
            let selected = selected.iter().filter_map(|code| by_code.get(*code as usize));
            let mut list: Vec<u32> = selected.flatten().copied().collect();
            list.sort_unstable();
            left = left.checked_sub(list.len())?;
            lists.push(list);
        }
        Some(lists)
    }
}
