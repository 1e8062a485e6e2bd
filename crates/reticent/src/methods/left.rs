//! How many records are left to somebody when a release is compared with earlier ones of the same people and fewer.
//!
//! Every record of an earlier release is one of the new release, with the same sensitive value, in a group that can be the same. For
//! somebody in both, only records of their group here that can be records of their group there can be theirs (forward and cross:
//! the same number, seen from either side); for a newcomer, only those that records of the earlier release need not be (backward).
//! Both are flows from earlier groups to new ones, for each value by itself, and which record is truly whose is a first one: where
//! enough people are truly common, or new, nothing is searched. Otherwise records change places, until enough are left or
//! none can.
//!
//! Groups are taken to say of their people what is true of them and no more. What is published says less, and leaves more.
//!
//! When a group of the new release is split, every way to place records afterwards is a way to place them before. So fewer or as many are
//! left, of every group: what is not safe to split now will never be. And a way that was found stays one as long as no group through
//! which records changed places is split.

use std::collections::{BTreeMap, VecDeque};

use hashbrown::{HashMap, HashSet};

use crate::taxonomy::Code;

/// A group of an earlier release, or of the new one, by number.
type Old = u32;
type New = u32;

/// By quasi-identifier: the least and the greatest code.
type Bounds = Vec<(Code, Code)>;

/// People, and what they have.
pub(super) struct People<'a> {
    /// By quasi-identifier, by record.
    pub quasi: &'a [Vec<Code>],
    /// By sensitive column, by record.
    pub sensitive: &'a [Vec<Code>],
}

impl People<'_> {
    fn bounds(&self, people: &[u32]) -> Bounds {
        let of_column = |codes: &Vec<Code>| {
            let codes = people.iter().map(|at| codes[*at as usize]);
            (codes.clone().min().unwrap_or(0), codes.max().unwrap_or(0))
        };
        self.quasi.iter().map(of_column).collect()
    }
}

/// A release that is being made, compared with earlier ones.
pub(super) struct Left<'a> {
    people: People<'a>,
    /// So many records must be left.
    k: u64,
    comparisons: Vec<Comparison>,
    /// Groups of the new release, also those that were split.
    groups: Vec<Group>,
    /// By group: claims that rest on records changing places through it.
    rests: HashMap<New, HashSet<Claim>>,
}

/// That enough records are left to people of a group: in a comparison, to those of an earlier group or to newcomers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Claim {
    comparison: usize,
    of: Option<Old>,
    group: New,
}

/// An earlier release, and one sensitive column.
struct Comparison {
    column: usize,
    /// By record: its earlier group; none for newcomers.
    of: Vec<Option<Old>>,
    /// By earlier group: its bounds, and where its records of a value truly are.
    bounds: Vec<Bounds>,
    truly: Vec<BTreeMap<(Code, New), u64>>,
    /// By earlier group: the groups that can be the same.
    can_be: Vec<Vec<New>>,
}

/// A group of the new release.
struct Group {
    /// Whether it was not split.
    is_whole: bool,
    /// By comparison.
    sides: Vec<Side>,
}

/// A group as one comparison sees it.
#[derive(Default)]
struct Side {
    /// By value: its records.
    records: BTreeMap<Code, u64>,
    /// By value and earlier group: those of it.
    old: BTreeMap<(Code, Old), u64>,
    /// By earlier group: people of it.
    common: BTreeMap<Old, u64>,
    newcomers: u64,
    /// Earlier groups that can be the same.
    can_be: Vec<Old>,
}

impl Side {
    fn of_value(&self, value: Code) -> impl Iterator<Item = (Old, u64)> {
        self.old.range((value, 0)..=(value, Old::MAX)).map(|((_, old), records)| (*old, *records))
    }
}

impl<'a> Left<'a> {
    /// Compares groups, which are numbered from 0, with earlier releases, each given by the group of every record, where it has one.
    /// None where fewer records are left to somebody.
    pub fn new(people: People<'a>, groups: &[&[u32]], k: u64, earlier: &[Vec<Option<Old>>]) -> Option<Left<'a>> {
        let mut comparisons = Vec::new();
        for of in earlier {
            let groups = of.iter().flatten().max().map_or(0, |last| *last as usize + 1);
            let mut members: Vec<Vec<u32>> = vec![Vec::new(); groups];
            (0..).zip(of).for_each(|(at, group)| {
                group.iter().for_each(|group| members[*group as usize].push(at));
            });
            for column in 0..people.sensitive.len() {
                comparisons.push(Comparison {
                    column,
                    of: of.clone(),
                    bounds: members.iter().map(|members| people.bounds(members)).collect(),
                    truly: vec![BTreeMap::new(); groups],
                    can_be: vec![Vec::new(); groups],
                });
            }
        }
        let mut left = Left { people, k, comparisons, groups: Vec::new(), rests: HashMap::new() };
        let made: Vec<New> = groups.iter().map(|people| left.make(people, None)).collect();
        made.iter().for_each(|group| left.attach(*group));
        let claims = left.claims(None, &made)?;
        left.rest(claims);
        Some(left)
    }

    /// Splits a group into people who are apart, if enough records stay left to everybody; says which groups these are.
    pub fn split(&mut self, group: New, parts: &[&[u32]]) -> Option<Vec<New>> {
        let made: Vec<New> = parts.iter().map(|people| self.make(people, Some(group))).collect();
        self.detach(group);
        made.iter().for_each(|part| self.attach(*part));
        match self.claims(Some(group), &made) {
            Some(claims) => {
                self.rests.remove(&group);
                self.rest(claims);
                Some(made)
            }
            None => {
                made.iter().for_each(|part| self.detach(*part));
                self.groups.truncate(self.groups.len() - made.len());
                self.attach(group);
                None
            }
        }
    }

    /// Remembers what claims rest on.
    fn rest(&mut self, claims: Vec<(Claim, HashSet<New>)>) {
        for (claim, through) in claims {
            for group in through {
                self.rests.entry(group).or_default().insert(claim);
            }
        }
    }

    /// The claims of new groups, and those of others that rested on one that was split, each with the groups that it rests on. None
    /// where one does not hold.
    fn claims(&self, whole: Option<New>, parts: &[New]) -> Option<Vec<(Claim, HashSet<New>)>> {
        let rested = whole.and_then(|whole| self.rests.get(&whole));
        let mut claims: HashSet<Claim> = rested.into_iter().flatten().copied().collect();
        for group in parts {
            for (comparison, side) in self.groups[*group as usize].sides.iter().enumerate() {
                claims.extend(side.common.keys().map(|old| Claim { comparison, of: Some(*old), group: *group }));
                claims.extend((side.newcomers > 0).then_some(Claim { comparison, of: None, group: *group }));
            }
        }
        let holds = |claim: Claim| Some((claim, Search::new(self, claim).holds()?));
        claims.into_iter().filter(|claim| self.groups[claim.group as usize].is_whole).map(holds).collect()
    }

    fn make(&mut self, people: &[u32], within: Option<New>) -> New {
        let bounds = self.people.bounds(people);
        let meets = |other: &Bounds| bounds.iter().zip(other).all(|(one, other)| one.0 <= other.1 && other.0 <= one.1);
        let sides = self.comparisons.iter().enumerate().map(|(at, comparison)| {
            let mut side = Side::default();
            for person in people {
                let value = self.people.sensitive[comparison.column][*person as usize];
                *side.records.entry(value).or_insert(0) += 1;
                match comparison.of[*person as usize] {
                    None => side.newcomers += 1,
                    Some(old) => {
                        *side.old.entry((value, old)).or_insert(0) += 1;
                        *side.common.entry(old).or_insert(0) += 1;
                    }
                }
            }
            let among: Vec<Old> = match within {
                Some(whole) => self.groups[whole as usize].sides[at].can_be.clone(),
                None => (0..comparison.bounds.len() as Old).collect(),
            };
            side.can_be = among.into_iter().filter(|old| meets(&comparison.bounds[*old as usize])).collect();
            side
        });
        let sides = sides.collect();
        self.groups.push(Group { is_whole: false, sides });
        self.groups.len() as New - 1
    }

    fn attach(&mut self, group: New) {
        self.groups[group as usize].is_whole = true;
        for (comparison, side) in self.comparisons.iter_mut().zip(&self.groups[group as usize].sides) {
            side.can_be.iter().for_each(|old| comparison.can_be[*old as usize].push(group));
            for ((value, old), records) in &side.old {
                comparison.truly[*old as usize].insert((*value, group), *records);
            }
        }
    }

    fn detach(&mut self, group: New) {
        self.groups[group as usize].is_whole = false;
        for (comparison, side) in self.comparisons.iter_mut().zip(&self.groups[group as usize].sides) {
            side.can_be.iter().for_each(|old| comparison.can_be[*old as usize].retain(|known| *known != group));
            for (value, old) in side.old.keys() {
                comparison.truly[*old as usize].remove(&(*value, group));
            }
        }
    }
}

/// A search for a way to place records that leaves enough.
struct Search<'a> {
    left: &'a Left<'a>,
    claim: Claim,
    comparison: &'a Comparison,
    /// Where records of a value are, beyond where they truly are.
    moved: HashMap<(Old, New), i64>,
    through: HashSet<New>,
}

impl<'a> Search<'a> {
    fn new(left: &'a Left<'a>, claim: Claim) -> Search<'a> {
        let comparison = &left.comparisons[claim.comparison];
        Search { left, claim, comparison, moved: HashMap::new(), through: HashSet::new() }
    }

    /// The groups through which records change places so that enough are left; none when they cannot.
    fn holds(mut self) -> Option<HashSet<New>> {
        let side = self.side(self.claim.group);
        let mut left = match self.claim.of {
            Some(old) => side.common.get(&old).copied().unwrap_or(0),
            None => side.newcomers,
        };
        for value in side.records.keys() {
            self.moved.clear();
            while left < self.left.k {
                let Some(more) = self.more(*value, self.left.k - left) else { break };
                left += more;
            }
            if left >= self.left.k {
                return Some(self.through);
            }
        }
        None
    }

    fn side(&self, group: New) -> &'a Side {
        &self.left.groups[group as usize].sides[self.claim.comparison]
    }

    /// Records of a value that an earlier group has in a group.
    fn placed(&self, value: Code, old: Old, group: New) -> u64 {
        let truly = self.side(group).old.get(&(value, old)).copied().unwrap_or(0);
        truly.saturating_add_signed(self.moved.get(&(old, group)).copied().unwrap_or(0))
    }

    /// Records of a value in a group that are nobody's of the earlier release.
    fn free(&self, value: Code, group: New) -> u64 {
        let side = self.side(group);
        let taken: u64 = side.of_value(value).map(|(_, records)| records).sum();
        let moved: i64 = self.moved.iter().filter(|((_, to), _)| *to == group).map(|(_, records)| records).sum();
        side.records.get(&value).copied().unwrap_or(0) - taken.saturating_add_signed(moved)
    }

    /// Where the earlier group of the claim has records that could come here.
    fn elsewhere(&self, value: Code) -> Vec<New> {
        let Some(old) = self.claim.of else { return Vec::new() };
        let truly = self.comparison.truly[old as usize].range((value, 0)..=(value, New::MAX)).map(|((_, at), _)| *at);
        let moved = self.moved.keys().filter(|(of, _)| *of == old).map(|(_, at)| *at);
        let all = truly.chain(moved).filter(|at| *at != self.claim.group && self.placed(value, old, *at) > 0);
        all.collect()
    }

    /// Leaves more records of a value, at most so many, by one chain of exchanges; none when there is no chain.
    fn more(&mut self, value: Code, most: u64) -> Option<u64> {
        let here = self.claim.group;
        let elsewhere = self.elsewhere(value);
        // Of somebody's earlier group, a record must come here from somewhere.
        let come = match self.claim.of {
            Some(old) => elsewhere.first().map(|at| (old, *at)),
            None => None,
        };
        if self.claim.of.is_some() && come.is_none() {
            return None;
        }
        let chain = self.chain(value, &elsewhere)?;
        let end = chain.last().map_or(here, |(_, group)| *group);
        // Either a record that nobody needs is at the end, or one of the earlier group, which then comes from there.
        let come = come.map(|(old, at)| if elsewhere.contains(&end) { (old, end) } else { (old, at) });
        let ends_free = come.is_none_or(|(_, at)| at != end);
        let mut amount = if ends_free { most.min(self.free(value, end)) } else { most };
        amount = come.map_or(amount, |(old, at)| amount.min(self.placed(value, old, at)));
        let mut from = here;
        for (old, to) in &chain {
            amount = amount.min(self.placed(value, *old, from));
            from = *to;
        }
        from = here;
        for (old, to) in chain {
            self.shift(old, from, to, amount);
            from = to;
        }
        if let Some((old, at)) = come {
            self.shift(old, at, here, amount);
        }
        Some(amount)
    }

    fn shift(&mut self, old: Old, from: New, to: New, records: u64) {
        *self.moved.entry((old, from)).or_insert(0) -= records as i64;
        *self.moved.entry((old, to)).or_insert(0) += records as i64;
        self.through.extend([from, to]);
    }

    /// A shortest chain of records, each going to the place of the next, that makes room here and ends where a record is free or, for
    /// somebody's earlier group, at one of its records. Nothing where there is room already.
    fn chain(&self, value: Code, elsewhere: &[New]) -> Option<Vec<(Old, New)>> {
        let here = self.claim.group;
        if self.claim.of.is_some() && self.free(value, here) > 0 {
            return Some(Vec::new());
        }
        let ends = |group: New| group != here && (self.free(value, group) > 0 || elsewhere.contains(&group));
        let mut before: HashMap<New, (Old, New)> = HashMap::new();
        let mut asked: HashSet<Old> = HashSet::new();
        let mut open = VecDeque::from([here]);
        while let Some(group) = open.pop_front() {
            for old in self.olds(value, group) {
                // Their own records stay.
                if (group == here && self.claim.of == Some(old)) || !asked.insert(old) {
                    continue;
                }
                for next in &self.comparison.can_be[old as usize] {
                    let known = *next == here || before.contains_key(next);
                    if known || !self.side(*next).records.contains_key(&value) {
                        continue;
                    }
                    before.insert(*next, (old, group));
                    if ends(*next) {
                        return Some(chain_to(*next, here, &before));
                    }
                    open.push_back(*next);
                }
            }
        }
        None
    }

    /// Earlier groups with records of a value in a group.
    fn olds(&self, value: Code, group: New) -> Vec<Old> {
        let truly = self.side(group).of_value(value).map(|(old, _)| old);
        let moved = self.moved.keys().filter(|(_, at)| *at == group).map(|(old, _)| *old);
        let mut all: Vec<Old> = truly.chain(moved).filter(|old| self.placed(value, *old, group) > 0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The chain that was found, from its beginning.
fn chain_to(end: New, here: New, before: &HashMap<New, (Old, New)>) -> Vec<(Old, New)> {
    let mut chain = Vec::new();
    let mut at = end;
    while at != here {
        let (old, from) = before[&at];
        chain.push((old, at));
        at = from;
    }
    chain.reverse();
    chain
}
