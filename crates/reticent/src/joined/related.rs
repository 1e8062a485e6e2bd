//! Which records of a release match none of another, and when a candidate that violates a statement can be given up for good.
//!
//! A specialization that violates a statement can be given up if whatever is more specific violates it too. The paper's lemmas
//! 4.1 and 4.2 say that this is always so; they are false (docs/decisions/0007). Where the published values of the join columns
//! of the new release are all in X, a class meets one thing only, and the following is proved. *Related* means that every record
//! of the new table, as it is, matches some tuple of earlier records; generalizing it keeps the match.
//!
//! 1. Y in the new release. What is counted in a class is what it would be without the join; the join says only whether the
//!    class is there. If the new table is related, classes that are split leave no class out, and parts of a class have fewer
//!    different values, or, one of them, no smaller share.
//! 2. Y in earlier releases, X in none of them, at least. A part of a class meets some of the tuples that the class met, and,
//!    being related, at least one.
//! 3. The same, at most, where earlier values match one value of the new table each, and the one earlier release that is counted
//!    has no record without a match. The share is that of the tuples met, which is a mean of those of the parts; every part,
//!    if not of this class then of another, is there, because the earlier records in it match somebody.
//! 4. Y in one earlier release, all its join columns in X, and no record of it without a match. What is counted depends on the
//!    value on X in that release alone, and every such value is there whatever is done to the new table.

use std::collections::BTreeMap;

use super::judge::Joint;
use super::rest::{Rest, join_columns};
use super::values::Value;
use super::{Of, Rule, Statement};
use crate::combos::{Combos, Weight};
use crate::history::{Held, History};
use crate::join::Inconsistent;
use crate::recoding::{Recoded, Recoding};
use crate::table::Table;
use crate::taxonomy::Code;

/// How a table, as it is, is related to the releases of a sub-history.
#[derive(Debug)]
pub(super) struct Related {
    ours: bool,
    theirs: bool,
    points: bool,
}

impl Related {
    /// Whether every record of the new table matches some tuple of earlier records.
    pub(super) fn ours_match(&self) -> bool {
        self.ours
    }

    /// Whether earlier values match one value of the new table each.
    pub(super) fn are_points(&self) -> bool {
        self.points
    }
}

/// Records of two releases that match none of the other.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Dangling {
    /// The number of the earlier release, and its name.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// Records of the new table that match none of the earlier release, however finely they are published.
    pub ours: Weight,
    /// Records of the earlier release that match none of the new table.
    pub theirs: Weight,
}

/// What of the new table matches nothing in earlier releases, and the other way round. Only pairs with some are told.
pub fn dangling(table: &Table, history: &History, earlier: &[usize], rules: &[Inconsistent]) -> Vec<Dangling> {
    let raw = Recoding::identity(table);
    let ours: Vec<&str> = raw.columns.iter().map(|recoded| recoded.column.name.as_str()).collect();
    let mut found = Vec::new();
    for held in earlier.iter().map(|at| &history.releases[*at]) {
        let keys = join_columns(&ours, &[held], rules);
        let rest = Rest::new(&NOTHING, &ours, &keys, &[held], rules);
        let reach = Reach::of(&rest, table, &raw, &keys);
        let theirs = rest.unreached(&reach.marks);
        if reach.unmatched > 0 || theirs > 0 {
            found.push(Dangling { number: held.number, name: held.name.clone(), ours: reach.unmatched, theirs });
        }
    }
    found
}

/// By combination of a table: whether its records, as they are, match some tuple of records of earlier releases. None where that would
/// take too long to find out.
pub(super) fn matched(table: &Table, raw: &Recoding, held: &[&Held], rules: &[Inconsistent]) -> Option<Vec<bool>> {
    let ours: Vec<&str> = raw.columns.iter().map(|recoded| recoded.column.name.as_str()).collect();
    let keys = join_columns(&ours, held, rules);
    let rest = Rest::new(&NOTHING, &ours, &keys, held, rules);
    let combos = Combos { owners: None, ..table.combos.clone() }.project(&keys);
    let values = Reach::values(&rest, raw, &keys);
    let mut marks = rest.unmarked();
    let reached: Vec<bool> = (0..combos.len())
        .map(|at| {
            let here: Vec<u32> = (0..keys.len()).map(|key| values[key][combos.codes[key][at] as usize]).collect();
            rest.reach(&here, &mut marks)
        })
        .collect();
    let place = |at: usize| {
        let key: Vec<Code> = keys.iter().map(|column| table.combos.codes[*column][at]).collect();
        combos.find(&key)
    };
    let found = (0..table.combos.len()).map(|at| place(at).is_some_and(|place| reached[place])).collect();
    (!rest.gave_up()).then_some(found)
}

/// By set of earlier releases: the records of a table that, as they are, match some tuple of records of these; all of them where that would
/// take too long to find out.
pub fn matching(table: &Table, history: &History, sets: &[&[usize]], rules: &[Inconsistent]) -> Vec<Weight> {
    let raw = Recoding::identity(table);
    let rows = |set: &&[usize]| {
        let held: Vec<&Held> = set.iter().map(|at| &history.releases[*at]).collect();
        let matched = matched(table, &raw, &held, rules).unwrap_or_else(|| vec![true; table.combos.len()]);
        matched.iter().zip(&table.combos.weights).filter(|(matched, _)| **matched).map(|(_, rows)| *rows).sum()
    };
    sets.iter().map(rows).collect()
}

/// A statement that demands nothing.
const NOTHING: Statement = Statement {
    x: Vec::new(),
    y: Vec::new(),
    rule: Rule::AtLeast(0),
    title: String::new(),
    counted: String::new(),
    demanded_by: (String::new(), BTreeMap::new()),
};

/// What the records of a table, as they are, reach in the earlier releases.
struct Reach {
    /// Rows that match nothing.
    unmatched: Weight,
    /// By group of the first release that is counted: whether some record reaches it.
    marks: Vec<bool>,
    /// By join column: the numbers of its values.
    values: Vec<Vec<u32>>,
}

impl Reach {
    /// By join column, by code of the table: the number of its value.
    fn values(rest: &Rest<'_>, raw: &Recoding, keys: &[usize]) -> Vec<Vec<u32>> {
        let number = |(key, column): (usize, &usize)| -> Vec<u32> {
            let Recoded { column, map } = &raw.columns[*column];
            let node = |code: &u32| Value::Node(&column.tree, column.nodes[*code as usize]);
            map.iter().map(|code| rest.value(key, &node(code))).collect()
        };
        keys.iter().enumerate().map(number).collect()
    }

    fn of(rest: &Rest<'_>, table: &Table, raw: &Recoding, keys: &[usize]) -> Reach {
        let values = Reach::values(rest, raw, keys);
        let combos = Combos { owners: None, ..table.combos.clone() }.project(keys);
        let (mut unmatched, mut marks) = (0, rest.unmarked());
        for at in 0..combos.len() {
            let here: Vec<u32> = (0..keys.len()).map(|key| values[key][combos.codes[key][at] as usize]).collect();
            if !rest.reach(&here, &mut marks) {
                unmatched += combos.weights[at];
            }
        }
        Reach { unmatched, marks, values }
    }
}

impl Joint<'_> {
    /// Finds out how a table is related to the earlier releases. `raw` publishes it as it is.
    pub fn relate(&self, table: &Table, raw: &Recoding) {
        self.related_in().get_or_init(|| {
            let keys: Vec<usize> = self.turning().iter().chain(self.still()).copied().collect();
            let reach = Reach::of(self.rest(), table, raw, &keys);
            let theirs = self.rest().is_reached(&reach.marks);
            Related { ours: reach.unmatched == 0, theirs, points: self.rest().are_points(&reach.values) }
        });
    }

    /// Whether the verdict is the same whatever is done to the new release (4 above).
    pub(crate) fn is_constant(&self, generalized: &[usize]) -> bool {
        let earlier =
            self.statement.y.iter().all(|of| of.release() > 0) && self.statement.x.iter().any(|at| at.release > 0);
        earlier && self.keeps_violating(generalized)
    }

    /// Whether two statements are judged alike, because both look at the new release alone (1 above).
    pub(crate) fn says_the_same(&self, other: &Joint<'_>) -> bool {
        let alone = |joint: &Joint<'_>| {
            let related = joint.related_in().get().is_some_and(|related| related.ours);
            let known = joint.still().iter().all(|column| joint.by().contains(column));
            related && known && joint.statement.y.iter().all(|of| of.release() == 0)
        };
        let rule = |joint: &Joint<'_>| format!("{:?}", joint.statement.rule);
        alone(self)
            && alone(other)
            && self.by() == other.by()
            && self.statement.y == other.statement.y
            && rule(self) == rule(other)
    }

    /// Whether what violates the statement once violates it ever after, however the new release is specialized. False where
    /// that is not proved.
    pub fn keeps_violating(&self, generalized: &[usize]) -> bool {
        let Some(related) = self.related_in().get() else { return false };
        let known = self.still().iter().all(|column| self.by().contains(column));
        let counted = |of: &Of| matches!(of, Of::Column(at) if at.release == 0 && generalized.contains(&at.column));
        if !known || self.reaches_beyond(generalized) || !related.ours || self.statement.y.iter().any(counted) {
            return false;
        }
        let statement = self.statement;
        let mut counted = statement.y.iter().map(Of::release);
        let Some(release) = counted.next().filter(|first| counted.all(|other| other == *first)) else { return false };
        let x_in_earlier = statement.x.iter().any(|at| at.release > 0);
        match (release, x_in_earlier, &statement.rule) {
            (0, _, _) => true,
            (_, false, Rule::AtLeast(_)) => true,
            (_, false, Rule::AtMost(_)) => related.points && related.theirs,
            (_, true, _) => related.theirs && self.rest().is_fixed(),
        }
    }
}
