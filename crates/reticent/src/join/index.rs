//! Join index: the earlier tuples that match records of the new release, by join key.
//!
//! Published values of the join columns are numbered on first use. For each combination of them, the matching tuples of
//! earlier records are counted once, by value on X and on Y, and cached.
//!
//! *Witness* releases are not counted. For them, only the existence of a matching tuple is checked (`histories.rs`).

mod matching_groups;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use hashbrown::HashMap;

use super::histories::counted_releases;
use super::values::{JoinKey, JoinValue, Slot};
use super::visit::{Visit, Ys};
use super::{ColumnRef, Constraint, Counted};
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::taxonomy::Code;
use crate::join::lossy::{CodeSet, InconsistentRules, Tuples, are_related, matching_codes};
use crate::release::history::RecordedRelease;
pub(super) use matching_groups::Candidates;

/// Earlier tuples that match a combination of join values.
#[derive(Debug, Default)]
pub(super) struct JoinProfile {
    /// Counts by value on X of the earlier releases, ascending.
    pub(super) matched: Vec<MatchedX>,
    /// Cached result of [`super::JoinCheck`] if it depends on this profile only: verdict, safety and value on X.
    pub(super) worst: OnceLock<(bool, f64, u32)>,
}

/// Counts for one value on X of the earlier releases.
#[derive(Debug, Default)]
pub(super) struct MatchedX {
    /// Number of the value on X.
    pub(super) x: u32,
    /// Number of tuples of records.
    pub(super) tuples: Tuples,
    /// Counts by value on Y of the earlier releases, ascending.
    pub(super) ys: Vec<MatchedY>,
}

impl MatchedX {
    /// Number of distinct values on Y.
    pub(super) fn different(&self) -> Tuples {
        self.ys.iter().fold(0, |sum, y| sum.saturating_add(y.different))
    }
}

/// Counts for one value on Y.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchedY {
    /// Value on Y: a code if Y has a single earlier element, otherwise its number.
    pub(super) y: u32,
    /// Number of tuples of records.
    pub(super) tuples: Tuples,
    /// Number of distinct values represented; more than one if records are counted as people.
    pub(super) different: Tuples,
}

/// Index of the earlier releases of a set, for one constraint.
pub(super) struct JoinIndex<'a> {
    /// Counted releases, followed by witness releases.
    members: Vec<IndexedRelease>,
    /// Number of counted releases.
    counted: usize,
    keys: Vec<JoinKey<'a>>,
    several_y: bool,
    cache: RwLock<HashMap<Box<[u32]>, Arc<JoinProfile>>>,
    /// Counts of the earlier releases without the new one, by number of the value on X; `None` if a limit is exceeded.
    before: OnceLock<Option<HashMap<u32, MatchedX>>>,
    xs: Mutex<Numbers>,
    ys: Mutex<Numbers>,
    too_many: AtomicBool,
    /// Number of cached values of X and Y.
    stored: AtomicU64,
    /// Number of groups tried as witnesses.
    witness_trials: AtomicU64,
    abort: Option<&'a (dyn Fn() -> bool + Sync)>,
    aborted: AtomicBool,
}

/// Maximum number of cached values of X and Y for one constraint.
const MAX_STORED: u64 = 4_000_000;
/// Maximum number of groups tried as witnesses for one constraint.
const MAX_WITNESS_TRIALS: u64 = 300_000_000;

/// An earlier release in the index.
pub(super) struct IndexedRelease {
    /// Index among the joined releases, from 1.
    pub(super) release: usize,
    /// Groups of records with equal values in `columns`.
    pub(super) groups: ContingencyTable,
    /// Columns of the release that define the groups.
    pub(super) columns: Vec<usize>,
    /// Columns of X, as indices into the columns of `groups`.
    pub(super) x: Vec<usize>,
    /// Columns of Y, as indices into the columns of `groups`.
    pub(super) y: Vec<usize>,
    /// Whether records are counted as people.
    pub(super) records: bool,
    queries: Vec<SlotQuery>,
    conditions: Vec<IndexCondition>,
    /// Groups that match the first condition, by code of the other release; `None` if the lists are too long.
    groups_by_first_condition: Option<Vec<Vec<u32>>>,
}

/// Condition that a column matches a join column of the new release.
struct SlotQuery {
    /// Index of the column in the groups.
    place: usize,
    /// Index of the join key of the new release.
    key: usize,
    /// Index of the slot in the join key.
    slot: usize,
    /// Groups by code.
    groups: Vec<Vec<u32>>,
}

/// Condition that a column matches a column of a preceding release.
struct IndexCondition {
    /// Index of the column in the groups.
    place: usize,
    /// Index of the preceding release in the index.
    member: usize,
    /// Index of the column in the groups of the preceding release.
    there: usize,
    /// Matching codes by code of the preceding release.
    matching: Vec<CodeSet>,
}

/// Join columns of the new release: columns related to a column of an earlier release.
pub(crate) fn join_columns(ours: &[&str], earlier: &[&RecordedRelease], rules: &[InconsistentRules]) -> Vec<usize> {
    let joins = |name: &&str| {
        earlier
            .iter()
            .any(|recorded| recorded.release.columns.iter().any(|theirs| are_related(name, &theirs.name, rules)))
    };
    (0..ours.len()).filter(|column| joins(&ours[*column])).collect()
}

impl<'a> JoinIndex<'a> {
    /// Builds the index. `ours` are the column names of the new release; `keys` are its join columns, in the order of the
    /// values passed to [`JoinIndex::profile`].
    pub(super) fn new(
        constraint: &Constraint,
        ours: &[&str],
        keys: &[usize],
        earlier: &[&'a RecordedRelease],
        rules: &'a [InconsistentRules],
    ) -> JoinIndex<'a> {
        JoinIndex::without(None, constraint, ours, keys, earlier, rules)
    }

    /// As [`JoinIndex::new`], with groups that do not distinguish a column of the earlier releases.
    pub(super) fn without(
        column: Option<&str>,
        constraint: &Constraint,
        ours: &[&str],
        keys: &[usize],
        earlier: &[&'a RecordedRelease],
        rules: &'a [InconsistentRules],
    ) -> JoinIndex<'a> {
        let mut columns = vec![ours.to_vec()];
        columns.extend(
            earlier.iter().map(|recorded| recorded.release.columns.iter().map(|column| column.name.as_str()).collect()),
        );
        let is_counted = counted_releases(constraint, &columns, rules);
        let (mut order, witnesses): (Vec<usize>, Vec<usize>) =
            (1..=earlier.len()).partition(|release| is_counted.contains(release));
        let counted = order.len();
        order.extend(witnesses);
        let mut index = JoinIndex {
            members: Vec::new(),
            counted,
            keys: keys.iter().map(|column| JoinKey::new(*column)).collect(),
            several_y: constraint.y.iter().filter(|of| of.release() > 0).count() > 1,
            cache: RwLock::default(),
            before: OnceLock::new(),
            xs: Mutex::default(),
            ys: Mutex::default(),
            too_many: AtomicBool::new(false),
            stored: AtomicU64::new(0),
            witness_trials: AtomicU64::new(0),
            abort: None,
            aborted: AtomicBool::new(false),
        };
        for release in order {
            index.add(column, constraint, release, ours, earlier, rules);
        }
        index
    }

    fn add(
        &mut self,
        without: Option<&str>,
        constraint: &Constraint,
        release: usize,
        ours: &[&str],
        earlier: &[&'a RecordedRelease],
        rules: &'a [InconsistentRules],
    ) {
        let recorded = earlier[release - 1];
        let theirs = &recorded.release.columns;
        let others: Vec<&str> = earlier
            .iter()
            .enumerate()
            .filter(|(at, _)| at + 1 != release)
            .flat_map(|(_, recorded)| recorded.release.columns.iter().map(|column| column.name.as_str()))
            .chain(ours.iter().copied())
            .collect();
        let is_used = |column: &usize| {
            let at = ColumnRef { release, column: *column };
            let is_left_out = Some(theirs[*column].name.as_str()) == without;
            !is_left_out
                && (constraint.x.contains(&at)
                    || constraint.y.contains(&Counted::Column(at))
                    || others.iter().any(|other| are_related(&theirs[*column].name, other, rules)))
        };
        let columns: Vec<usize> = (0..theirs.len()).filter(is_used).collect();
        let people = constraint.y.contains(&Counted::People(release));
        let with_owners = people && has_several_records(recorded);
        let groups = if with_owners { by_owner(recorded, &columns) } else { plain(recorded).project(&columns) };
        let place = |column: usize| columns.iter().position(|known| *known == column);
        let x = constraint.x.iter().filter(|at| at.release == release).filter_map(|at| place(at.column)).collect();
        let mut y: Vec<usize> = constraint
            .y
            .iter()
            .filter_map(|of| match of {
                Counted::Column(at) if at.release == release => place(at.column),
                _ => None,
            })
            .collect();
        if with_owners {
            y.push(columns.len());
        }
        let mut queries = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            for (at, key) in self.keys.iter_mut().enumerate() {
                if are_related(&theirs[*column].name, ours[key.column], rules) {
                    queries.push(SlotQuery {
                        place,
                        key: at,
                        slot: key.slots.len(),
                        groups: by_code(&groups.codes[place], theirs[*column].nodes.len()),
                    });
                    key.slots.push(Slot::new(ours[key.column], &theirs[*column], rules));
                }
            }
        }
        let mut conditions = Vec::new();
        for (member, other) in self.members.iter().enumerate() {
            for (there, column) in other.columns.iter().enumerate() {
                let one = &earlier[other.release - 1].release.columns[*column];
                for (place, column) in columns.iter().enumerate() {
                    let matching = matching_codes(one, &theirs[*column], rules);
                    conditions.extend(matching.map(|matching| IndexCondition { place, member, there, matching }));
                }
            }
        }
        let groups_by_first_condition =
            conditions.first().and_then(|condition: &IndexCondition| condition.groups_by_code(&groups));
        let records = people && !with_owners;
        self.members.push(IndexedRelease {
            release,
            groups,
            columns,
            x,
            y,
            records,
            queries,
            conditions,
            groups_by_first_condition,
        });
    }

    /// Number of a value of a join column.
    pub(super) fn value(&self, key: usize, value: &JoinValue<'_>) -> u32 {
        self.keys[key].number(value)
    }

    /// Earlier tuples that match records with these values.
    pub(super) fn profile(&self, values: &[u32]) -> Arc<JoinProfile> {
        if let Some(profile) = self.cache.read().unwrap_or_else(PoisonError::into_inner).get(values) {
            return profile.clone();
        }
        let profile = Arc::new(self.count(values));
        let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
        cache.entry(values.into()).or_insert(profile).clone()
    }

    /// Counts for a value on X among the earlier releases without the new one; `None` if they are too many to count.
    pub(super) fn before(&self, x: u32) -> Option<&MatchedX> {
        let count = || {
            let all = |member: &IndexedRelease| {
                let groups = member.groups.len();
                Candidates { list: (0..groups as u32).collect(), marks: vec![true; groups] }
            };
            let candidates: Vec<Candidates> = self.members.iter().map(all).collect();
            let matched = self.count_among(&candidates)?;
            Some(matched.into_iter().map(|matched| (matched.x, matched)).collect())
        };
        self.before.get_or_init(count).as_ref()?.get(&x)
    }

    /// Groups of every release that match values of the join columns.
    pub(super) fn candidates(&self, values: &[u32]) -> Vec<Candidates> {
        let seen: Vec<_> = self.keys.iter().map(|key| key.seen()).collect();
        self.members.iter().map(|member| member.candidates(values, &seen)).collect()
    }

    /// Number of the value on X of groups of the counted releases.
    pub(super) fn number_of_x(&self, tuple: &[u32]) -> u32 {
        let of_member = |(member, group): (&IndexedRelease, &u32)| -> Vec<Code> {
            member.x.iter().map(|place| member.groups.codes[*place][*group as usize]).collect()
        };
        let codes: Vec<Code> = self.members[..self.counted].iter().zip(tuple).flat_map(of_member).collect();
        numbered(&self.xs, &codes)
    }

    /// Counted releases, followed by witness releases.
    pub(super) fn members(&self) -> &[IndexedRelease] {
        &self.members
    }

    /// Number of counted releases.
    pub(super) fn counted(&self) -> usize {
        self.counted
    }

    /// Returns true if a limit was exceeded or the call was cancelled, so that counts are incomplete.
    pub(super) fn gave_up(&self) -> bool {
        self.too_many.load(Ordering::Relaxed)
    }

    /// Sets the function that is polled for cancellation.
    pub(super) fn set_abort(&mut self, abort: &'a (dyn Fn() -> bool + Sync)) {
        self.abort = Some(abort);
    }

    /// Polls for cancellation. After cancellation, the index gives up.
    pub(super) fn is_aborted(&self) -> bool {
        if self.abort.is_some_and(|abort| abort()) {
            self.aborted.store(true, Ordering::Relaxed);
            self.give_up();
        }
        self.aborted.load(Ordering::Relaxed)
    }

    /// Number of cached values of X and Y.
    pub(super) fn stored(&self) -> u64 {
        self.stored.load(Ordering::Relaxed)
    }

    /// Declares the counts incomplete.
    pub(super) fn give_up(&self) {
        self.too_many.store(true, Ordering::Relaxed);
    }

    /// Returns true if an earlier release is counted, and false if it is a witness.
    pub(super) fn is_counted(&self, release: usize) -> bool {
        self.members[..self.counted].iter().any(|member| member.release == release)
    }

    /// New marks for [`JoinIndex::mark_reached`], by group of the first release.
    pub(super) fn new_marks(&self) -> Vec<bool> {
        vec![false; self.members.first().map_or(0, |member| member.groups.len())]
    }

    /// Returns true if a tuple matches these values. Marks the groups of the first release that are in such a tuple.
    pub(super) fn mark_reached(&self, values: &[u32], marks: &mut [bool]) -> bool {
        let candidates = self.candidates(values);
        let mut reached = self.members.is_empty();
        if candidates.iter().any(|candidates| candidates.list.is_empty()) {
            return false;
        }
        for group in candidates.first().map_or(&[][..], |candidates| &candidates.list) {
            if (reached && marks[*group as usize]) || !self.has_witness(&candidates, &[*group]) {
                continue;
            }
            marks[*group as usize] = true;
            reached = true;
        }
        reached
    }

    /// Returns true if exactly one release is counted and all its groups are marked.
    pub(super) fn all_reached(&self, marks: &[bool]) -> bool {
        self.counted == 1 && marks.iter().all(|mark| *mark)
    }

    /// Number of records of the first release in unmarked groups.
    pub(super) fn unreached(&self, marks: &[bool]) -> Weight {
        let Some(member) = self.members.first() else { return 0 };
        member.groups.weights.iter().zip(marks).filter(|(_, mark)| !**mark).map(|(weight, _)| weight).sum()
    }

    /// Returns true if exactly one release is counted and all its join columns are in X.
    pub(super) fn has_join_columns_in_x(&self) -> bool {
        let [member] = &self.members[..self.counted] else { return false };
        let joined = |other: &IndexedRelease| other.conditions.iter().any(|condition| condition.member == 0);
        let in_x = |place: usize| member.x.contains(&place);
        let by_others = self.members[1..].iter().filter(|other| joined(other)).flat_map(|other| &other.conditions);
        member.queries.iter().all(|query| in_x(query.place))
            && by_others.filter(|condition| condition.member == 0).all(|condition| in_x(condition.there))
    }

    /// Returns true if a join column of the new release joins a counted release.
    pub(super) fn joins_counted(&self, key: usize) -> bool {
        self.members[..self.counted].iter().any(|member| member.queries.iter().any(|query| query.key == key))
    }

    /// Returns true if every earlier value matches at most one value of the new table. `raw` are the numbers of the
    /// original values, by join column.
    pub(super) fn matches_single_values(&self, raw: &[Vec<u32>]) -> bool {
        self.keys.iter().zip(raw).all(|(key, values)| {
            let seen = key.seen();
            key.slots.iter().enumerate().all(|(slot, of)| {
                let mut matched = vec![false; of.codes];
                let mut values = values.clone();
                values.sort_unstable();
                values.dedup();
                let codes = values.iter().flat_map(|value| seen.matching[*value as usize][slot].codes(of.codes));
                codes.into_iter().all(|code| !std::mem::replace(&mut matched[code as usize], true))
            })
        })
    }

    /// Value on X with this number: column and code, for the columns of X in counted releases.
    pub(super) fn x_values(&self, number: u32) -> Vec<(ColumnRef, Code)> {
        let columns = self.members[..self.counted].iter().flat_map(|member| {
            member.x.iter().map(|place| ColumnRef { release: member.release, column: member.columns[*place] })
        });
        columns.zip(self.x_codes(number)).collect()
    }

    /// Codes of the value on X with this number.
    pub(super) fn x_codes(&self, number: u32) -> Vec<Code> {
        let xs = self.xs.lock().unwrap_or_else(PoisonError::into_inner);
        xs.1.get(number as usize).map(|codes| codes.to_vec()).unwrap_or_default()
    }

    fn count(&self, values: &[u32]) -> JoinProfile {
        if self.gave_up() || self.is_aborted() {
            return JoinProfile::default();
        }
        let candidates = self.candidates(values);
        if candidates.iter().any(|candidates| candidates.list.is_empty()) {
            return JoinProfile::default();
        }
        let Some(matched) = self.count_among(&candidates) else {
            self.give_up();
            return JoinProfile::default();
        };
        let stored: usize = matched.iter().map(|matched: &MatchedX| 1 + matched.ys.len()).sum();
        if self.stored.fetch_add(stored as u64, Ordering::Relaxed) > MAX_STORED {
            self.give_up();
        }
        JoinProfile { matched, worst: OnceLock::new() }
    }

    /// Counts the tuples of these groups by value on X, ascending; `None` if a limit is exceeded.
    fn count_among(&self, candidates: &[Candidates]) -> Option<Vec<MatchedX>> {
        let mut visit = Visit::new(self, candidates);
        visit.extend(&mut Vec::with_capacity(self.members.len()), 1, 1);
        if visit.gave_up {
            return None;
        }
        let by_x = visit.by_x;
        let mut matched = Vec::new();
        for (codes, collected) in by_x {
            if !self.has_witness(candidates, &collected.tuple) {
                continue;
            }
            let mut ys: Vec<MatchedY> = match collected.ys {
                Ys::None => vec![MatchedY { y: 0, tuples: collected.tuples, different: 1 }],
                Ys::Some(ys) => {
                    let number = |y: Box<[Code]>| if self.several_y { numbered(&self.ys, &y) } else { y[0] };
                    ys.into_iter()
                        .map(|(y, (tuples, different))| MatchedY { y: number(y), tuples, different })
                        .collect()
                }
            };
            ys.sort_unstable_by_key(|matched| matched.y);
            matched.push(MatchedX { x: numbered(&self.xs, &codes), tuples: collected.tuples, ys });
        }
        matched.sort_unstable_by_key(|matched| matched.x);
        Some(matched)
    }

    /// Returns true if the remaining releases have groups that match the tuple.
    pub(super) fn has_witness(&self, candidates: &[Candidates], tuple: &[u32]) -> bool {
        let at = tuple.len();
        if at == self.members.len() {
            return true;
        }
        let trials = self.witness_trials.fetch_add(1, Ordering::Relaxed);
        if trials > MAX_WITNESS_TRIALS || (trials.is_multiple_of(4096) && self.is_aborted()) {
            self.give_up();
        }
        if self.gave_up() {
            return false;
        }
        let mut tuple = tuple.to_vec();
        self.members[at].matching_groups(&self.members, &candidates[at], &tuple.clone()).any(|group| {
            tuple.push(group);
            let exists = self.has_witness(candidates, &tuple);
            tuple.pop();
            exists
        })
    }
}

/// Numbers by value, and values by number.
type Numbers = (HashMap<Box<[Code]>, u32>, Vec<Box<[Code]>>);

/// Number of a value, assigned on first use.
fn numbered(numbers: &Mutex<Numbers>, value: &[Code]) -> u32 {
    let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(number) = numbers.0.get(value) {
        return *number;
    }
    let next = numbers.1.len() as u32;
    numbers.0.insert(value.into(), next);
    numbers.1.push(value.into());
    next
}

fn by_code(codes: &[Code], len: usize) -> Vec<Vec<u32>> {
    let mut groups = vec![Vec::new(); len];
    codes.iter().zip(0..).for_each(|(code, at)| groups[*code as usize].push(at));
    groups
}

/// Returns true if the owner links show that a person has several records in a release.
pub(super) fn has_several_records(recorded: &RecordedRelease) -> bool {
    recorded.links.as_ref().is_some_and(|links| links.rows() > links.people())
}

fn plain(recorded: &RecordedRelease) -> ContingencyTable {
    ContingencyTable { owners: None, ..recorded.release.contingency.clone() }
}

/// Records of a release on some columns, with the owner as an additional last column.
fn by_owner(recorded: &RecordedRelease, columns: &[usize]) -> ContingencyTable {
    let Some(links) = &recorded.links else { return plain(recorded).project(columns) };
    let contingency = &recorded.release.contingency;
    let mut owner = 0;
    let owners: Vec<Code> = (0..links.len())
        .map(|at| {
            owner += Code::from(at > 0 && links.pseudonyms[at] != links.pseudonyms[at - 1]);
            owner
        })
        .collect();
    let mut codes: Vec<Vec<Code>> = columns
        .iter()
        .map(|column| links.cells.iter().map(|cell| contingency.codes[*column][*cell as usize]).collect())
        .collect();
    codes.push(owners);
    let weights: Vec<Weight> = links.records.iter().map(|records| Weight::from(*records)).collect();
    ContingencyTable { codes, weights, owners: None }.combined()
}
