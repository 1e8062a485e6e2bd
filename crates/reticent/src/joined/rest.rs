//! What records of the new release meet in the earlier ones: a function of the values in their join columns.
//!
//! Values of the new release are known by what is published for them, and numbered as they come. For every combination of
//! them that comes up, the tuples of earlier records that fit are counted once, by value on X and on Y, and remembered.
//!
//! Left out of the counting are *witnesses*, releases that only say whether there is a tuple at all (`histories.rs`).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use hashbrown::HashMap;

use super::histories::counted;
use super::values::{Key, Seen, Slot, Value};
use super::visit::{Visit, Ys};
use super::{At, Of, Statement};
use crate::combos::{Combos, Weight};
use crate::history::Held;
use crate::join::{Inconsistent, MOST_LISTED, Row, Tuples, fits, relate};
use crate::taxonomy::Code;

/// What a combination of values meets: by value on X of the earlier releases, ascending.
#[derive(Debug, Default)]
pub(super) struct Profile {
    pub(super) met: Vec<Met>,
    /// The worst that can be told, where it depends on nothing else: whether the statement holds, how safe, and with which
    /// value on X.
    pub(super) worst: OnceLock<(bool, f64, u32)>,
}

/// What is met with one value on X of the earlier releases.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// The value, as it is numbered.
    pub(super) x: u32,
    /// Tuples of records.
    pub(super) tuples: Tuples,
    /// By value on Y of the earlier releases, ascending.
    pub(super) ys: Vec<MetY>,
}

/// Tuples with one value on Y.
#[derive(Debug, Clone, Copy)]
pub(super) struct MetY {
    /// The value: a code where Y is one column of one release, else as it is numbered.
    pub(super) y: u32,
    pub(super) tuples: Tuples,
    /// How many different values it stands for: more than one where records are people.
    pub(super) different: Tuples,
}

/// The earlier releases of a sub-history, arranged for one statement.
pub(super) struct Rest<'a> {
    /// Those that are counted, then the witnesses.
    members: Vec<Earlier>,
    counted: usize,
    keys: Vec<Key<'a>>,
    several_y: bool,
    found: RwLock<HashMap<Box<[u32]>, Arc<Profile>>>,
    xs: Mutex<Numbers>,
    ys: Mutex<Numbers>,
    too_many: AtomicBool,
    /// How much is remembered, and how many groups were tried as witnesses.
    kept: AtomicU64,
    tried: AtomicU64,
    abort: Option<&'a (dyn Fn() -> bool + Sync)>,
    aborted: AtomicBool,
}

/// More values of X and Y than this are not remembered for one statement.
const MOST_KEPT: u64 = 4_000_000;
/// More groups than this are not tried as witnesses for one statement.
const MOST_TRIED: u64 = 300_000_000;

/// One earlier release.
pub(super) struct Earlier {
    /// Its place among the releases that are joined, from 1.
    release: usize,
    pub(super) groups: Combos,
    columns: Vec<usize>,
    /// Places of columns of X, and of Y.
    pub(super) x: Vec<usize>,
    pub(super) y: Vec<usize>,
    /// Whether its records are counted as people.
    pub(super) records: bool,
    asks: Vec<Ask>,
    demands: Vec<Demand>,
    /// For the first demand, by code there, the groups that fit; none where these lists would be long.
    fitting: Option<Vec<Vec<u32>>>,
}

/// A column that must fit a join column of the new release.
struct Ask {
    place: usize,
    key: usize,
    slot: usize,
    /// By code: the groups with it.
    groups: Vec<Vec<u32>>,
}

/// A column that must fit a column of a release before it.
struct Demand {
    place: usize,
    member: usize,
    there: usize,
    /// By code there: the codes here that fit.
    fits: Vec<Row>,
}

/// The join columns of the new release: those that have something to do with a column of an earlier one.
pub(crate) fn join_columns(ours: &[&str], earlier: &[&Held], rules: &[Inconsistent]) -> Vec<usize> {
    let joins = |name: &&str| {
        earlier.iter().any(|held| held.release.columns.iter().any(|theirs| relate(name, &theirs.name, rules)))
    };
    (0..ours.len()).filter(|column| joins(&ours[*column])).collect()
}

impl<'a> Rest<'a> {
    /// `ours` are the columns of the new release by name, `keys` its join columns in the order in which values will be given.
    pub(super) fn new(
        statement: &Statement,
        ours: &[&str],
        keys: &[usize],
        earlier: &[&'a Held],
        rules: &'a [Inconsistent],
    ) -> Rest<'a> {
        let mut columns = vec![ours.to_vec()];
        columns.extend(
            earlier.iter().map(|held| held.release.columns.iter().map(|column| column.name.as_str()).collect()),
        );
        let is_counted = counted(statement, &columns, rules);
        let (mut order, witnesses): (Vec<usize>, Vec<usize>) =
            (1..=earlier.len()).partition(|release| is_counted.contains(release));
        let counted = order.len();
        order.extend(witnesses);
        let mut rest = Rest {
            members: Vec::new(),
            counted,
            keys: keys.iter().map(|column| Key::of(*column)).collect(),
            several_y: statement.y.iter().filter(|of| of.release() > 0).count() > 1,
            found: RwLock::default(),
            xs: Mutex::default(),
            ys: Mutex::default(),
            too_many: AtomicBool::new(false),
            kept: AtomicU64::new(0),
            tried: AtomicU64::new(0),
            abort: None,
            aborted: AtomicBool::new(false),
        };
        for release in order {
            rest.add(statement, release, ours, earlier, rules);
        }
        rest
    }

    fn add(
        &mut self,
        statement: &Statement,
        release: usize,
        ours: &[&str],
        earlier: &[&'a Held],
        rules: &'a [Inconsistent],
    ) {
        let held = earlier[release - 1];
        let theirs = &held.release.columns;
        let others: Vec<&str> = earlier
            .iter()
            .enumerate()
            .filter(|(at, _)| at + 1 != release)
            .flat_map(|(_, held)| held.release.columns.iter().map(|column| column.name.as_str()))
            .chain(ours.iter().copied())
            .collect();
        let is_used = |column: &usize| {
            let at = At { release, column: *column };
            statement.x.contains(&at)
                || statement.y.contains(&Of::Column(at))
                || others.iter().any(|other| relate(&theirs[*column].name, other, rules))
        };
        let columns: Vec<usize> = (0..theirs.len()).filter(is_used).collect();
        let people = statement.y.contains(&Of::People(release));
        let with_owners = people && has_several_records(held);
        let groups = if with_owners { by_owner(held, &columns) } else { plain(held).project(&columns) };
        let place = |column: usize| columns.iter().position(|known| *known == column);
        let x = statement.x.iter().filter(|at| at.release == release).filter_map(|at| place(at.column)).collect();
        let mut y: Vec<usize> = statement
            .y
            .iter()
            .filter_map(|of| match of {
                Of::Column(at) if at.release == release => place(at.column),
                _ => None,
            })
            .collect();
        if with_owners {
            y.push(columns.len());
        }
        let mut asks = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            for (at, key) in self.keys.iter_mut().enumerate() {
                if relate(&theirs[*column].name, ours[key.column], rules) {
                    asks.push(Ask {
                        place,
                        key: at,
                        slot: key.slots.len(),
                        groups: by_code(&groups.codes[place], theirs[*column].nodes.len()),
                    });
                    key.slots.push(Slot::new(ours[key.column], &theirs[*column], rules));
                }
            }
        }
        let mut demands = Vec::new();
        for (member, other) in self.members.iter().enumerate() {
            for (there, column) in other.columns.iter().enumerate() {
                let one = &earlier[other.release - 1].release.columns[*column];
                for (place, column) in columns.iter().enumerate() {
                    let fits = fits(one, &theirs[*column], rules);
                    demands.extend(fits.map(|fits| Demand { place, member, there, fits }));
                }
            }
        }
        let fitting = demands.first().and_then(|demand: &Demand| demand.fitting(&groups));
        let records = people && !with_owners;
        self.members.push(Earlier { release, groups, columns, x, y, records, asks, demands, fitting });
    }

    /// The number of a value of a join column.
    pub(super) fn value(&self, key: usize, value: &Value<'_>) -> u32 {
        self.keys[key].number(value)
    }

    /// What records with these values meet.
    pub(super) fn profile(&self, values: &[u32]) -> Arc<Profile> {
        if let Some(profile) = self.found.read().unwrap_or_else(PoisonError::into_inner).get(values) {
            return profile.clone();
        }
        let profile = Arc::new(self.count(values));
        let mut found = self.found.write().unwrap_or_else(PoisonError::into_inner);
        found.entry(values.into()).or_insert(profile).clone()
    }

    /// The earlier releases: those that are counted, then the witnesses.
    pub(super) fn members(&self) -> &[Earlier] {
        &self.members
    }

    /// How many of them are counted.
    pub(super) fn counted(&self) -> usize {
        self.counted
    }

    /// Whether something could not be counted because there is too much of it.
    pub(super) fn gave_up(&self) -> bool {
        self.too_many.load(Ordering::Relaxed)
    }

    /// Asks from now on whether anybody still waits.
    pub(super) fn heed(&mut self, abort: &'a (dyn Fn() -> bool + Sync)) {
        self.abort = Some(abort);
    }

    /// Whether nobody waits any more; then it gives up.
    pub(super) fn is_aborted(&self) -> bool {
        if self.abort.is_some_and(|abort| abort()) {
            self.aborted.store(true, Ordering::Relaxed);
            self.give_up();
        }
        self.aborted.load(Ordering::Relaxed)
    }

    /// How much is remembered.
    pub(super) fn kept(&self) -> u64 {
        self.kept.load(Ordering::Relaxed)
    }

    fn give_up(&self) {
        self.too_many.store(true, Ordering::Relaxed);
    }

    /// Whether an earlier release is counted, and not only asked whether there is a tuple.
    pub(super) fn is_counted(&self, release: usize) -> bool {
        self.members[..self.counted].iter().any(|member| member.release == release)
    }

    /// By group of the first release that is counted: not reached yet.
    pub(super) fn unmarked(&self) -> Vec<bool> {
        vec![false; self.members.first().map_or(0, |member| member.groups.len())]
    }

    /// Whether there is a tuple for these values; marks the groups of the first release that are in one.
    pub(super) fn reach(&self, values: &[u32], marks: &mut [bool]) -> bool {
        let seen: Vec<_> = self.keys.iter().map(|key| key.seen()).collect();
        let allowed: Vec<Allowed> = self.members.iter().map(|member| member.allowed(values, &seen)).collect();
        let mut reached = self.members.is_empty();
        if allowed.iter().any(|allowed| allowed.list.is_empty()) {
            return false;
        }
        for group in allowed.first().map_or(&[][..], |allowed| &allowed.list) {
            if (reached && marks[*group as usize]) || !self.is_witnessed(&allowed, &[*group]) {
                continue;
            }
            marks[*group as usize] = true;
            reached = true;
        }
        reached
    }

    /// Whether one release is counted, and every record of it is reached.
    pub(super) fn is_reached(&self, marks: &[bool]) -> bool {
        self.counted == 1 && marks.iter().all(|mark| *mark)
    }

    /// Records of the first release that are not reached.
    pub(super) fn unreached(&self, marks: &[bool]) -> Weight {
        let Some(member) = self.members.first() else { return 0 };
        member.groups.weights.iter().zip(marks).filter(|(_, mark)| !**mark).map(|(weight, _)| weight).sum()
    }

    /// Whether one release is counted, and all its join columns are in X.
    pub(super) fn is_fixed(&self) -> bool {
        let [member] = &self.members[..self.counted] else { return false };
        let joined = |other: &Earlier| other.demands.iter().any(|demand| demand.member == 0);
        let in_x = |place: usize| member.x.contains(&place);
        let by_others = self.members[1..].iter().filter(|other| joined(other)).flat_map(|other| &other.demands);
        member.asks.iter().all(|ask| in_x(ask.place))
            && by_others.filter(|demand| demand.member == 0).all(|demand| in_x(demand.there))
    }

    /// Whether a join column of the new release joins a release that is counted.
    pub(super) fn is_asked_of_counted(&self, key: usize) -> bool {
        self.members[..self.counted].iter().any(|member| member.asks.iter().any(|ask| ask.key == key))
    }

    /// Whether earlier values match one value of the new release each: `raw` says, by join column, its values as they are.
    pub(super) fn are_points(&self, raw: &[Vec<u32>]) -> bool {
        self.keys.iter().zip(raw).all(|(key, values)| {
            let seen = key.seen();
            key.slots.iter().enumerate().all(|(slot, of)| {
                let mut matched = vec![false; of.codes];
                let mut values = values.clone();
                values.sort_unstable();
                values.dedup();
                let codes = values.iter().flat_map(|value| seen.fits[*value as usize][slot].codes(of.codes));
                codes.into_iter().all(|code| !std::mem::replace(&mut matched[code as usize], true))
            })
        })
    }

    /// The values on X behind a number: by column of X in earlier releases that are counted.
    pub(super) fn x_values(&self, number: u32) -> Vec<(At, Code)> {
        let columns = self.members[..self.counted].iter().flat_map(|member| {
            member.x.iter().map(|place| At { release: member.release, column: member.columns[*place] })
        });
        columns.zip(self.x_codes(number)).collect()
    }

    /// The same as codes.
    pub(super) fn x_codes(&self, number: u32) -> Vec<Code> {
        let xs = self.xs.lock().unwrap_or_else(PoisonError::into_inner);
        xs.1.get(number as usize).map(|codes| codes.to_vec()).unwrap_or_default()
    }

    fn count(&self, values: &[u32]) -> Profile {
        if self.gave_up() || self.is_aborted() {
            return Profile::default();
        }
        let seen: Vec<_> = self.keys.iter().map(|key| key.seen()).collect();
        let allowed: Vec<Allowed> = self.members.iter().map(|member| member.allowed(values, &seen)).collect();
        if allowed.iter().any(|allowed| allowed.list.is_empty()) {
            return Profile::default();
        }
        let mut visit = Visit::new(self, &allowed);
        visit.extend(&mut Vec::with_capacity(self.members.len()), 1, 1);
        if visit.gave_up {
            self.give_up();
            return Profile::default();
        }
        let by_x = visit.by_x;
        let mut met = Vec::new();
        for (codes, collected) in by_x {
            if !self.is_witnessed(&allowed, &collected.tuple) {
                continue;
            }
            let mut ys: Vec<MetY> = match collected.ys {
                Ys::None => vec![MetY { y: 0, tuples: collected.tuples, different: 1 }],
                Ys::Some(ys) => {
                    let number = |y: Box<[Code]>| if self.several_y { numbered(&self.ys, &y) } else { y[0] };
                    ys.into_iter().map(|(y, (tuples, different))| MetY { y: number(y), tuples, different }).collect()
                }
            };
            ys.sort_unstable_by_key(|met| met.y);
            met.push(Met { x: numbered(&self.xs, &codes), tuples: collected.tuples, ys });
        }
        met.sort_unstable_by_key(|met| met.x);
        let kept: usize = met.iter().map(|met: &Met| 1 + met.ys.len()).sum();
        if self.kept.fetch_add(kept as u64, Ordering::Relaxed) > MOST_KEPT {
            self.give_up();
        }
        Profile { met, worst: OnceLock::new() }
    }

    /// Whether the witnesses have a tuple that fits.
    fn is_witnessed(&self, allowed: &[Allowed], tuple: &[u32]) -> bool {
        let at = tuple.len();
        if at == self.members.len() {
            return true;
        }
        let tried = self.tried.fetch_add(1, Ordering::Relaxed);
        if tried > MOST_TRIED || (tried.is_multiple_of(4096) && self.is_aborted()) {
            self.give_up();
        }
        if self.gave_up() {
            return false;
        }
        let mut tuple = tuple.to_vec();
        self.members[at].fitting(&self.members, &allowed[at], &tuple.clone()).any(|group| {
            tuple.push(group);
            let found = self.is_witnessed(allowed, &tuple);
            tuple.pop();
            found
        })
    }
}

/// The groups of a release that fit the values of the new one.
pub(super) struct Allowed {
    pub(super) list: Vec<u32>,
    /// By group.
    marks: Vec<bool>,
}

impl Earlier {
    fn allowed(&self, values: &[u32], seen: &[std::sync::RwLockReadGuard<'_, Seen>]) -> Allowed {
        let len = self.groups.len();
        let fits: Vec<&Row> =
            self.asks.iter().map(|ask| &seen[ask.key].fits[values[ask.key] as usize][ask.slot]).collect();
        let size = |at: &usize| -> usize {
            let groups = &self.asks[*at].groups;
            fits[*at].codes(groups.len()).iter().map(|code| groups[*code as usize].len()).sum()
        };
        let Some(first) = (0..self.asks.len()).min_by_key(size) else {
            return Allowed { list: (0..len as u32).collect(), marks: vec![true; len] };
        };
        let codes: Vec<&[Code]> = self.asks.iter().map(|ask| self.groups.codes[ask.place].as_slice()).collect();
        let all = |group: &u32| codes.iter().zip(&fits).all(|(codes, fits)| fits.has(codes[*group as usize]));
        let groups = &self.asks[first].groups;
        let near = fits[first].codes(groups.len());
        let near = near.iter().flat_map(|code| groups[*code as usize].iter().copied());
        let mut list: Vec<u32> = near.filter(all).collect();
        list.sort_unstable();
        let mut marks = vec![false; if self.demands.is_empty() { 0 } else { len }];
        if !marks.is_empty() {
            list.iter().for_each(|group| marks[*group as usize] = true);
        }
        Allowed { list, marks }
    }

    /// The groups that fit what was chosen of the releases before.
    pub(super) fn fitting<'b>(
        &'b self,
        members: &'b [Earlier],
        allowed: &'b Allowed,
        tuple: &'b [u32],
    ) -> impl Iterator<Item = u32> + 'b {
        let code = |demand: &Demand| members[demand.member].groups.codes[demand.there][tuple[demand.member] as usize];
        let first = self.demands.first().zip(self.fitting.as_ref());
        let first = first.map(|(demand, fitting)| &fitting[code(demand) as usize]);
        let rest: Vec<(&[Code], &Row)> = self
            .demands
            .iter()
            .skip(1)
            .map(|demand| (self.groups.codes[demand.place].as_slice(), &demand.fits[code(demand) as usize]))
            .collect();
        let few = first.is_none_or(|first| allowed.list.len() < first.len());
        let (list, looked): (&[u32], &[bool]) =
            if few { (&allowed.list, &[]) } else { (first.map_or(&[][..], Vec::as_slice), &allowed.marks) };
        let demand = self.demands.first().filter(|_| few);
        let check =
            demand.map(|demand| (self.groups.codes[demand.place].as_slice(), &demand.fits[code(demand) as usize]));
        list.iter().copied().filter(move |group| {
            let at = *group as usize;
            looked.get(at).copied().unwrap_or(true)
                && check.iter().chain(&rest).all(|(codes, fits)| fits.has(codes[at]))
        })
    }
}

impl Demand {
    /// By code there: the groups that fit. None where that would be much.
    fn fitting(&self, groups: &Combos) -> Option<Vec<Vec<u32>>> {
        let codes = &groups.codes[self.place];
        let by_code = by_code(codes, codes.iter().max().map_or(0, |most| *most as usize + 1));
        let mut left = MOST_LISTED;
        let mut lists = Vec::new();
        for row in &self.fits {
            let near = row.codes(by_code.len());
            let near = near.iter().filter_map(|code| by_code.get(*code as usize));
            let mut list: Vec<u32> = near.flatten().copied().collect();
            list.sort_unstable();
            left = left.checked_sub(list.len())?;
            lists.push(list);
        }
        Some(lists)
    }
}

/// Things by number, and the numbers of things.
type Numbers = (HashMap<Box<[Code]>, u32>, Vec<Box<[Code]>>);

/// The number of something, given in the order in which things come.
fn numbered(numbers: &Mutex<Numbers>, what: &[Code]) -> u32 {
    let mut numbers = numbers.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(number) = numbers.0.get(what) {
        return *number;
    }
    let next = numbers.1.len() as u32;
    numbers.0.insert(what.into(), next);
    numbers.1.push(what.into());
    next
}

fn by_code(codes: &[Code], len: usize) -> Vec<Vec<u32>> {
    let mut groups = vec![Vec::new(); len];
    codes.iter().zip(0..).for_each(|(code, at)| groups[*code as usize].push(at));
    groups
}

/// Whether the steward knows that somebody has several records in a release.
pub(super) fn has_several_records(held: &Held) -> bool {
    held.links.as_ref().is_some_and(|links| links.rows() > links.people())
}

fn plain(held: &Held) -> Combos {
    Combos { owners: None, ..held.release.combos.clone() }
}

/// The records of a release on some columns, told apart by owner, who is one column more.
fn by_owner(held: &Held, columns: &[usize]) -> Combos {
    let Some(links) = &held.links else { return plain(held).project(columns) };
    let combos = &held.release.combos;
    let mut owner = 0;
    let owners: Vec<Code> = (0..links.len())
        .map(|at| {
            owner += Code::from(at > 0 && links.pseudonyms[at] != links.pseudonyms[at - 1]);
            owner
        })
        .collect();
    let mut codes: Vec<Vec<Code>> = columns
        .iter()
        .map(|column| links.combos.iter().map(|combo| combos.codes[*column][*combo as usize]).collect())
        .collect();
    codes.push(owners);
    let weights: Vec<Weight> = links.records.iter().map(|records| Weight::from(*records)).collect();
    Combos { codes, weights, owners: None }.combined()
}
