//! Judging the new release over a join: class by class of its values on X, from counts and from what each class meets.
//!
//! A class of the new release is judged with every value on X of the earlier releases that it meets, and its judgement is the
//! worst. Records of a class that have the same values in the join columns meet the same; where they have not (a join column is
//! not in X), what they meet is added up.
//!
//! Distinct values are counted in general by listing them. They need not be listed where they cannot repeat, which is what the
//! paper's four cases are: all records of the class meet the same (1); what is counted are records of the earlier release (2),
//! of the new one (3), or of both (4). Case 2 is not safe as printed: a generalized earlier record meets records of the new
//! release with different values, and is then counted for each. It is used only where earlier values match one value each.

mod survey;

use std::sync::OnceLock;

use hashbrown::HashMap;

use super::related::Related;
use super::rest::{Met, Profile, Rest, join_columns};
use super::values::Value;
use super::{At, Of, Rule, Statement};
use crate::classes::Measured;
use crate::combos::{Combos, Weight, ascending};
use crate::contract::Judgement;
use crate::error::{Error, Obstacle, Result};
use crate::history::{Held, History};
use crate::join::{Inconsistent, Tuples};
use crate::release::PublishedColumn;
use crate::share::Share;
use crate::taxonomy::{Code, NodeId, Taxonomy};

/// A statement over a sub-history, ready to judge ways to publish a table.
pub struct Joint<'a> {
    /// What is demanded.
    pub statement: &'a Statement,
    earlier: Vec<&'a Held>,
    /// The columns of the new release that are in X.
    x: Vec<usize>,
    /// Its join columns whose published values a class agrees on, and can change as the search goes on.
    turning: Vec<usize>,
    /// Its other join columns.
    still: Vec<usize>,
    /// Its columns that are counted, and whether its people are.
    y: Vec<usize>,
    people: bool,
    /// Whether anything of the earlier releases is counted.
    counts_earlier: bool,
    /// By code of the one column that is counted, if it is an earlier release's: its bound.
    bounds: Vec<Option<Share>>,
    rest: Rest<'a>,
    related: OnceLock<Related>,
    /// Whether what is counted is listed even where it cannot repeat.
    lists: bool,
}

/// What is counted in a class of the new release: by combination a code, and by code what it means.
#[derive(Debug)]
pub struct Cells {
    /// By combination, and one more than the highest.
    pub measured: Measured,
    cells: Vec<Cell>,
    /// By number: the values of the join columns that are not among those a class agrees on.
    extras: Vec<Box<[u32]>>,
    /// Whether the people are told apart by their number, not counted as records.
    by_owner: bool,
    /// By code of the one column that is counted, if it is the new release's: its bound.
    bounds: Vec<Option<Share>>,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    extra: u32,
    y: u32,
}

/// The worst that can be told of a class.
#[derive(Debug, Clone, Copy)]
struct Found {
    holds: bool,
    safety: f64,
    /// The value on X of the earlier releases with which it is told.
    x: u32,
}

impl Found {
    const NOTHING: Found = Found { holds: true, safety: f64::INFINITY, x: u32::MAX };

    fn worse(self, other: Found) -> Found {
        let worst = if (other.holds, other.safety) < (self.holds, self.safety) { other } else { self };
        Found { holds: self.holds && other.holds, safety: self.safety.min(other.safety), x: worst.x }
    }
}

/// A line of the list of what a class meets.
type Line = (u32, u32, u32, Tuples, Tuples);

impl<'a> Joint<'a> {
    /// For releases with these columns, of which some places are generalized.
    pub fn new(
        statement: &'a Statement,
        columns: &[PublishedColumn],
        generalized: &[usize],
        history: &'a History,
        earlier: &[usize],
        rules: &'a [Inconsistent],
    ) -> Result<Joint<'a>> {
        let earlier: Vec<&Held> = earlier.iter().map(|at| &history.releases[*at]).collect();
        let ours: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let x: Vec<usize> = statement.x.iter().filter(|at| at.release == 0).map(|at| at.column).collect();
        let joins = join_columns(&ours, &earlier, rules);
        let (turning, still): (Vec<usize>, Vec<usize>) =
            joins.into_iter().partition(|column| x.contains(column) && generalized.contains(column));
        let keys: Vec<usize> = turning.iter().chain(&still).copied().collect();
        let y = statement.y.iter().filter_map(|of| match of {
            Of::Column(At { release: 0, column }) => Some(*column),
            _ => None,
        });
        let rest = Rest::new(statement, &ours, &keys, &earlier, rules);
        let bounds = match (&statement.rule, statement.y.as_slice()) {
            (Rule::AtMost(bounds), [Of::Column(At { release, column })]) if *release > 0 => {
                bounds.by_label(&earlier[*release - 1].release.columns[*column])
            }
            _ => Vec::new(),
        };
        Ok(Joint {
            statement,
            x,
            turning,
            still,
            y: y.collect(),
            people: statement.y.contains(&Of::People(0)),
            counts_earlier: statement.y.iter().any(|of| of.release() > 0),
            bounds,
            rest,
            earlier,
            related: OnceLock::new(),
            lists: false,
        })
    }

    /// The same, listing what is counted even where it cannot repeat: slower, and the same answers.
    pub fn listing(mut self) -> Joint<'a> {
        self.lists = true;
        self
    }

    /// The same, asking from now on whether anybody still waits for an answer.
    pub(crate) fn heeding(mut self, abort: &'a (dyn Fn() -> bool + Sync)) -> Joint<'a> {
        self.rest.heed(abort);
        self
    }

    /// How much is remembered of what classes meet: a measure of how long judging takes.
    pub(crate) fn burden(&self) -> u64 {
        self.rest.kept()
    }

    /// The columns of the new release that make its classes.
    pub fn by(&self) -> &[usize] {
        &self.x
    }

    /// The join columns on which a class agrees, in the order in which their values are to be given.
    pub(crate) fn turning(&self) -> &[usize] {
        &self.turning
    }

    /// The other join columns.
    pub(super) fn still(&self) -> &[usize] {
        &self.still
    }

    /// The earlier releases.
    pub fn earlier(&self) -> &[&'a Held] {
        &self.earlier
    }

    pub(super) fn rest(&self) -> &Rest<'a> {
        &self.rest
    }

    pub(super) fn related_in(&self) -> &OnceLock<Related> {
        &self.related
    }

    /// Whether a join column outside X is generalized: then a class's judgement depends on more than its own values.
    pub(crate) fn reaches_beyond(&self, generalized: &[usize]) -> bool {
        self.still.iter().any(|column| generalized.contains(column) && !self.x.contains(column))
    }

    /// The number of a published value of a join column on which classes agree, by its place in `turning`.
    pub fn value(&self, place: usize, tree: &Taxonomy, node: NodeId) -> u32 {
        self.rest.value(place, &Value::Node(tree, node))
    }

    /// The number of a part of an interval that is not published yet.
    pub fn part(&self, place: usize, tree: &Taxonomy, codes: std::ops::Range<Code>) -> Option<u32> {
        let interval = tree.interval_over(&codes)?;
        Some(self.rest.value(place, &Value::Part(&tree.interval_label(&codes), tree.value_type(), interval)))
    }

    /// What is counted, for combinations of these columns (places as in the new release).
    pub fn cells(&self, combos: &Combos, columns: &[PublishedColumn]) -> Cells {
        let by_owner = self.people && combos.owners.is_some();
        let mut parts: Vec<&[Code]> = self.still.iter().map(|column| combos.codes[*column].as_slice()).collect();
        let values = self.still.iter().zip(self.turning.len()..).map(|(column, key)| {
            let mut values: Vec<Option<u32>> = vec![None; columns[*column].nodes.len()];
            for code in &combos.codes[*column] {
                values[*code as usize].get_or_insert_with(|| {
                    let of = &columns[*column];
                    self.rest.value(key, &Value::Node(&of.tree, of.nodes[*code as usize]))
                });
            }
            values
        });
        let values: Vec<Vec<Option<u32>>> = values.collect();
        // A record is a value of its own; an owner has the values of all their records.
        let counted = if self.people && !by_owner { &[][..] } else { &self.y };
        parts.extend(counted.iter().map(|column| combos.codes[*column].as_slice()));
        parts.extend(combos.owners.as_deref().filter(|_| by_owner));
        let mut cells: Vec<Cell> = Vec::new();
        let mut codes = vec![0; combos.len()];
        let (mut extras, mut ys) = (HashMap::new(), HashMap::new());
        let order = ascending(&parts, combos.len());
        for (place, at) in order.iter().enumerate() {
            let at = *at as usize;
            let same = place > 0 && parts.iter().all(|part| part[at] == part[order[place - 1] as usize]);
            if !same {
                let value = |(column, values): (&usize, &Vec<Option<u32>>)| {
                    values[combos.codes[*column][at] as usize].unwrap_or_default()
                };
                let extra: Box<[u32]> = self.still.iter().zip(&values).map(value).collect();
                let y: Box<[u32]> = parts[self.still.len()..].iter().map(|part| part[at]).collect();
                let next = extras.len() as u32;
                let extra = *extras.entry(extra).or_insert(next);
                let next = ys.len() as u32;
                let single = if let [one] = *y { Some(one) } else { None };
                let y = single.unwrap_or_else(|| *ys.entry(y).or_insert(next));
                cells.push(Cell { extra, y });
            }
            codes[at] = cells.len().saturating_sub(1) as Code;
        }
        let mut listed = vec![Box::default(); extras.len()];
        extras.into_iter().for_each(|(values, number)| listed[number as usize] = values);
        let bounds = match (&self.statement.rule, self.statement.y.as_slice()) {
            (Rule::AtMost(bounds), [Of::Column(At { release: 0, column })]) => bounds.by_label(&columns[*column]),
            _ => Vec::new(),
        };
        Cells { measured: Measured { codes, len: cells.len() }, cells, extras: listed, by_owner, bounds }
    }

    /// What can be told of a class of the new release: `key` are the numbers of the values on which it agrees, `counts` how
    /// many of its records have which code.
    pub fn judge(&self, cells: &Cells, key: &[u32], counts: &[(Code, Weight)]) -> Judgement {
        let found = self.worst(cells, key, counts, false);
        Judgement { holds: found.holds && !self.rest.gave_up(), safety: found.safety }
    }

    /// The worst; where it is to be told, with the first of the values on X with which it is.
    fn worst(&self, cells: &Cells, key: &[u32], counts: &[(Code, Weight)], tells: bool) -> Found {
        if tells {
            let found = self.by_x(cells, key, counts);
            let worst = found.iter().copied().fold(Found::NOTHING, Found::worse);
            let like = |one: &&Found| (one.holds, one.safety) == (worst.holds, worst.safety);
            let first = found.iter().filter(like).min_by_key(|one| self.rest.x_codes(one.x));
            return Found { x: first.map_or(worst.x, |first| first.x), ..worst };
        }
        let Some((first, _)) = counts.first() else { return Found::NOTHING };
        let extra = cells.cells[*first as usize].extra;
        let together = counts.iter().all(|(code, _)| cells.cells[*code as usize].extra == extra);
        if together
            && !self.counts_earlier
            && !self.lists
            && self.related.get().is_some_and(|related| related.ours_match())
        {
            return self.by_itself(cells, counts);
        }
        if together && !self.lists {
            let profile = self.profile(cells, key, extra);
            return match profile.met.first() {
                None => Found::NOTHING,
                Some(met) if !self.counts_earlier => Found { x: met.x, ..self.by_itself(cells, counts) },
                Some(_) if self.y.is_empty() && !self.people => self.by_earlier(&profile),
                Some(_) => self.with_earlier(cells, counts, &profile),
            };
        }
        if !self.lists && self.y.is_empty() && !self.people && !self.still_matters() {
            // With a value on X all records that meet it meet the same.
            let mut extras: Vec<u32> = counts.iter().map(|(code, _)| cells.cells[*code as usize].extra).collect();
            extras.sort_unstable();
            extras.dedup();
            let found = extras.into_iter().map(|extra| self.by_earlier(&self.profile(cells, key, extra)));
            return found.fold(Found::NOTHING, Found::worse);
        }
        match self.statement.rule {
            Rule::AtLeast(least) if self.cannot_repeat(cells) && !self.lists => {
                self.added_up(cells, key, counts, least)
            }
            _ => self.listed(cells, key, counts),
        }
    }

    fn profile(&self, cells: &Cells, key: &[u32], extra: u32) -> std::sync::Arc<Profile> {
        let mut values = Vec::with_capacity(key.len() + self.still.len());
        values.extend(key);
        values.extend(&cells.extras[extra as usize]);
        self.rest.profile(&values)
    }

    /// How many different values of the new release there are, where all its records meet the same.
    fn different_here(&self, cells: &Cells, counts: &[(Code, Weight)]) -> Tuples {
        match (self.people, cells.by_owner) {
            (true, false) => counts.iter().map(|(_, weight)| Tuples::from(*weight)).sum(),
            _ => counts.len() as Tuples,
        }
    }

    /// Nothing of the earlier releases is counted, and all records meet the same.
    fn by_itself(&self, cells: &Cells, counts: &[(Code, Weight)]) -> Found {
        match &self.statement.rule {
            Rule::AtLeast(least) => at_least(self.different_here(cells, counts), *least, 0),
            Rule::AtMost(_) => {
                let total: Tuples = counts.iter().map(|(_, weight)| Tuples::from(*weight)).sum();
                let share = |(code, weight): &(Code, Weight)| {
                    self.at_most(&cells.bounds, cells.cells[*code as usize].y, Tuples::from(*weight), total, 0)
                };
                counts.iter().map(share).fold(Found::NOTHING, Found::worse)
            }
        }
    }

    /// Only something of the earlier releases is counted, and all records meet the same.
    fn by_earlier(&self, profile: &Profile) -> Found {
        let of_met = |met: &Met| match &self.statement.rule {
            Rule::AtLeast(least) => {
                let different = met.ys.iter().fold(0, |sum: Tuples, y| sum.saturating_add(y.different));
                at_least(different, *least, met.x)
            }
            Rule::AtMost(_) => met
                .ys
                .iter()
                .map(|y| self.at_most(&self.bounds, y.y, y.tuples, met.tuples, met.x))
                .fold(Found::NOTHING, Found::worse),
        };
        let (holds, safety, x) = *profile.worst.get_or_init(|| {
            let found = profile.met.iter().map(of_met).fold(Found::NOTHING, Found::worse);
            (found.holds, found.safety, found.x)
        });
        Found { holds, safety, x }
    }

    /// Something of both is counted, and all records meet the same: values of both go with each other.
    fn with_earlier(&self, cells: &Cells, counts: &[(Code, Weight)], profile: &Profile) -> Found {
        let here = self.different_here(cells, counts);
        let total: Tuples = counts.iter().map(|(_, weight)| Tuples::from(*weight)).sum();
        let of_met = |met: &Met| match &self.statement.rule {
            Rule::AtLeast(least) => {
                let different = met.ys.iter().fold(0, |sum: Tuples, y| sum.saturating_add(y.different));
                at_least(here.saturating_mul(different), *least, met.x)
            }
            Rule::AtMost(_) => {
                let most = counts.iter().map(|(_, weight)| Tuples::from(*weight)).max().unwrap_or(0);
                let met_most = met.ys.iter().map(|y| y.tuples).max().unwrap_or(0);
                self.at_most(&[], 0, most.saturating_mul(met_most), total.saturating_mul(met.tuples), met.x)
            }
        };
        profile.met.iter().map(of_met).fold(Found::NOTHING, Found::worse)
    }

    /// Whether what is counted depends on a join column on which a class does not agree.
    fn still_matters(&self) -> bool {
        let matters = |(at, column): (usize, &usize)| {
            !self.x.contains(column) && self.rest.is_asked_of_counted(self.turning.len() + at)
        };
        self.still.iter().enumerate().any(matters)
    }

    /// Whether no value of Y can be met by records of the class that meet different things.
    fn cannot_repeat(&self, cells: &Cells) -> bool {
        let ours = self.people && !cells.by_owner;
        let theirs = || {
            let people = |at: usize| self.statement.y.contains(&Of::People(at + 1));
            let known = |(at, held): (usize, &&Held)| people(at) && !super::rest::has_several_records(held);
            // Records that meet different things differ in a column that some counted release joins.
            let told_apart = |(at, column): (usize, &usize)| {
                self.x.contains(column) || self.rest.is_asked_of_counted(self.turning.len() + at)
            };
            self.earlier.iter().enumerate().filter(|(at, _)| self.rest.is_counted(at + 1)).all(known)
                && self.still.iter().enumerate().all(told_apart)
                && self.counts_earlier
                && self.related.get().is_some_and(Related::are_points)
        };
        ours || theirs()
    }

    /// Nothing repeats, so counts can be added up.
    fn added_up(&self, cells: &Cells, key: &[u32], counts: &[(Code, Weight)], least: u64) -> Found {
        let mut by_extra: HashMap<u32, Tuples> = HashMap::new();
        for (code, weight) in counts {
            let more = if self.people && !cells.by_owner { Tuples::from(*weight) } else { 1 };
            *by_extra.entry(cells.cells[*code as usize].extra).or_default() += more;
        }
        let mut by_x: HashMap<u32, Tuples> = HashMap::new();
        for (extra, here) in by_extra {
            for met in &self.profile(cells, key, extra).met {
                let different = met.ys.iter().fold(0, |sum: Tuples, y| sum.saturating_add(y.different));
                let sum = by_x.entry(met.x).or_default();
                *sum = sum.saturating_add(here.saturating_mul(different));
            }
        }
        by_x.into_iter().map(|(x, different)| at_least(different, least, x)).fold(Found::NOTHING, Found::worse)
    }

    /// In general: everything that the class meets is listed by value on X and on Y.
    fn listed(&self, cells: &Cells, key: &[u32], counts: &[(Code, Weight)]) -> Found {
        self.by_x(cells, key, counts).into_iter().fold(Found::NOTHING, Found::worse)
    }

    /// What can be told with every value on X of the earlier releases.
    fn by_x(&self, cells: &Cells, key: &[u32], counts: &[(Code, Weight)]) -> Vec<Found> {
        let mut lines: Vec<Line> = Vec::new();
        let mut profiles: HashMap<u32, std::sync::Arc<Profile>> = HashMap::new();
        let records = self.people && !cells.by_owner;
        for (code, weight) in counts {
            let Cell { extra, y } = cells.cells[*code as usize];
            let profile = profiles.entry(extra).or_insert_with(|| self.profile(cells, key, extra));
            let (y, different) = if records { (*code, Tuples::from(*weight)) } else { (y, 1) };
            for met in &profile.met {
                let line = |theirs: &super::rest::MetY| {
                    let tuples = theirs.tuples.saturating_mul(Tuples::from(*weight));
                    (met.x, y, theirs.y, tuples, theirs.different.saturating_mul(different))
                };
                lines.extend(met.ys.iter().map(line));
            }
        }
        lines.sort_unstable();
        let by_x = lines.chunk_by(|one, next| one.0 == next.0);
        by_x.map(|lines| self.of_lines(cells, lines)).collect()
    }

    /// What can be told with one value on X.
    fn of_lines(&self, cells: &Cells, lines: &[Line]) -> Found {
        let x = lines[0].0;
        let by_y = lines.chunk_by(|one, next| (one.1, one.2) == (next.1, next.2));
        match &self.statement.rule {
            Rule::AtLeast(least) => {
                let different = by_y.fold(0, |sum: Tuples, lines| sum.saturating_add(lines[0].4));
                at_least(different, *least, x)
            }
            Rule::AtMost(_) => {
                let sum = |lines: &[Line]| lines.iter().fold(0, |sum: Tuples, line| sum.saturating_add(line.3));
                let total = sum(lines);
                let of_y = |lines: &[Line]| {
                    let (own, y) = match self.counts_earlier {
                        true => (&self.bounds, lines[0].2),
                        false => (&cells.bounds, lines[0].1),
                    };
                    self.at_most(own, y, sum(lines), total, x)
                };
                by_y.map(of_y).fold(Found::NOTHING, Found::worse)
            }
        }
    }

    /// Whether a value has no greater share than it may.
    fn at_most(&self, own: &[Option<Share>], y: u32, tuples: Tuples, total: Tuples, x: u32) -> Found {
        let Rule::AtMost(bounds) = &self.statement.rule else { return Found::NOTHING };
        let bound = if own.is_empty() { bounds.general() } else { own.get(y as usize).copied().flatten() };
        let Some(bound) = bound else { return Found { holds: true, safety: 0.0, x } };
        let share = Share { numerator: tuples, denominator: total.max(1) };
        Found { holds: share <= bound, safety: -share.to_f64(), x }
    }

    /// An error where there is too much to count.
    pub fn check(&self) -> Result<()> {
        if self.rest.is_aborted() {
            return Err(Error::Stopped);
        }
        if !self.rest.gave_up() {
            return Ok(());
        }
        let releases = self.earlier.iter().map(|held| held.name.clone()).collect();
        Err(Obstacle::JoinTooLarge { releases }.into())
    }
}

fn at_least(different: Tuples, least: u64, x: u32) -> Found {
    Found { holds: different >= Tuples::from(least), safety: different as f64, x }
}
