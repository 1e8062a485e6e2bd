//! Check of a constraint over a join, class by class of the new release on X.
//!
//! The judgement of a class is the worst over the values on X of the earlier releases that it matches. Records of a class with
//! equal join keys match the same earlier tuples. If a join column is not in X, records of a class can have different keys, and
//! their matches are added up.
//!
//! Distinct values are counted in general by listing them. Listing is unnecessary if values cannot repeat, as in the paper's four
//! cases: all records of the class have the same matches (1), or the counted values are records of the earlier release (2), of
//! the new one (3), or of both (4). Case 2 is wrong as printed: a generalized earlier record can match records of the new
//! release with different values and is then counted for each. It is used only if every earlier value matches at most one value.

mod cells;
mod distribution;
mod listed;
mod repeated;
mod survey;

use std::sync::{Arc, OnceLock};

use cells::ClassCell;
pub use cells::ClassCells;
use distribution::greatest_common_divisor;

use hashbrown::HashMap;

use super::index::{JoinIndex, JoinProfile, MatchedX, join_columns};
use super::pruning::Relation;
use super::repeated::{RepeatedColumn, RepeatedColumns};
use super::values::JoinValue;
use super::{ColumnRef, Constraint, Counted, Limit};
use crate::contract::{Judge, Judgement};
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::taxonomy::{Code, NodeId, Taxonomy};
use crate::error::{Error, Obstacle, Result};
use crate::join::lossy::{InconsistentRules, Tuples};
use crate::ratio::Ratio;
use crate::release::PublishedColumn;
use crate::release::classes::Measured;
use crate::release::history::{History, RecordedRelease};

/// Checker of a constraint over a set of earlier releases, for candidate recodings of a table.
pub struct JoinCheck<'a> {
    /// Constraint to check.
    pub constraint: &'a Constraint,
    earlier: Vec<&'a RecordedRelease>,
    /// Columns of the new release in X.
    x: Vec<usize>,
    /// Join columns of the new release in X whose published values change during a search.
    varying: Vec<usize>,
    /// Other join columns of the new release.
    constant: Vec<usize>,
    /// Columns of the new release in Y.
    y: Vec<usize>,
    /// Whether the people of the new release are in Y.
    people: bool,
    /// Whether Y has elements in earlier releases.
    counts_earlier: bool,
    /// Whether what the earlier releases alone violate is excused.
    excuses_earlier: bool,
    /// Bound by code, if Y is a single column of an earlier release.
    bounds: Vec<Option<Ratio>>,
    /// Judge of a distribution, if Y is a single column of an earlier release.
    judge: Option<Judge<'a>>,
    counts: EarlierCounts<'a>,
    relation: OnceLock<Relation>,
    /// Whether values are listed even if they cannot repeat.
    always_list: bool,
    /// Maximum number of tuples of a repeated column that are all judged.
    max_exact: usize,
}

/// A value on X of the earlier releases.
#[derive(Debug, Clone, Copy)]
struct ValueOnX<'m> {
    /// Number of the value.
    number: u32,
    /// Counts without the new release, if they are known. Otherwise the index counts them.
    before: Option<&'m MatchedX>,
}

impl From<u32> for ValueOnX<'_> {
    fn from(number: u32) -> Self {
        ValueOnX { number, before: None }
    }
}

/// Judgement of a class with its worst value on X.
#[derive(Debug, Clone, Copy)]
struct ClassSafety {
    holds: bool,
    safety: f64,
    /// Number of the worst value on X of the earlier releases.
    x: u32,
}

impl ClassSafety {
    /// Judgement of a class without matches.
    const VACUOUS: ClassSafety = ClassSafety { holds: true, safety: f64::INFINITY, x: u32::MAX };

    /// Whether the class counts as violating without a value on X that violates the limit.
    fn is_unproved(&self) -> bool {
        !self.holds && self.x == u32::MAX
    }

    fn worse(self, other: ClassSafety) -> ClassSafety {
        let worst = if (other.holds, other.safety) < (self.holds, self.safety) { other } else { self };
        ClassSafety { holds: self.holds && other.holds, safety: self.safety.min(other.safety), x: worst.x }
    }
}

/// Varying and constant join columns of the new release.
pub(super) fn keys(
    constraint: &Constraint,
    ours: &[&str],
    generalized: &[usize],
    earlier: &[&RecordedRelease],
    rules: &[InconsistentRules],
) -> (Vec<usize>, Vec<usize>) {
    let in_x = |column: &usize| constraint.x.contains(&ColumnRef { release: 0, column: *column });
    let joins = join_columns(ours, earlier, rules).into_iter();
    joins.partition(|column| in_x(column) && generalized.contains(column))
}

/// Counts of the earlier releases.
enum EarlierCounts<'a> {
    /// By value on X, counted when they are needed.
    Index(Box<JoinIndex<'a>>),
    /// By class, with the counts of a repeated column.
    Repeated(Arc<RepeatedColumn<'a>>),
}

impl<'a> JoinCheck<'a> {
    /// Creates a checker for releases with these columns, of which those in `generalized` change during a search.
    pub fn new(
        constraint: &'a Constraint,
        columns: &[PublishedColumn],
        generalized: &[usize],
        history: &'a History,
        earlier: &[usize],
        rules: &'a [InconsistentRules],
    ) -> Result<JoinCheck<'a>> {
        let repeated = &mut RepeatedColumns::new(None);
        JoinCheck::sharing(Some(repeated), constraint, columns, generalized, history, earlier, rules)
    }

    /// As [`JoinCheck::new`], but lists values even if they cannot repeat. Slower, with equal results; for tests.
    pub fn listing(
        constraint: &'a Constraint,
        columns: &[PublishedColumn],
        generalized: &[usize],
        history: &'a History,
        earlier: &[usize],
        rules: &'a [InconsistentRules],
    ) -> Result<JoinCheck<'a>> {
        let check = JoinCheck::sharing(None, constraint, columns, generalized, history, earlier, rules)?;
        Ok(JoinCheck { always_list: true, ..check })
    }

    /// Judges a repeated column by bounds even if there are few tuples; for tests.
    pub fn with_bounds(self) -> JoinCheck<'a> {
        JoinCheck { max_exact: 0, ..self }
    }

    /// As [`JoinCheck::new`], with the repeated columns of other constraints.
    pub(crate) fn sharing(
        repeated: Option<&mut RepeatedColumns<'a>>,
        constraint: &'a Constraint,
        columns: &[PublishedColumn],
        generalized: &[usize],
        history: &'a History,
        earlier: &[usize],
        rules: &'a [InconsistentRules],
    ) -> Result<JoinCheck<'a>> {
        let set = earlier;
        let earlier: Vec<&RecordedRelease> = set.iter().map(|at| &history.releases[*at]).collect();
        let ours: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let x: Vec<usize> = constraint.x.iter().filter(|at| at.release == 0).map(|at| at.column).collect();
        let (varying, mut constant) = keys(constraint, &ours, generalized, &earlier, rules);
        let repeated = repeated.and_then(|known| known.of(constraint, columns, generalized, (set, &earlier), rules));
        constant.retain(|column| repeated.as_ref().is_none_or(|repeated| repeated.column != *column));
        let y = constraint.y.iter().filter_map(|of| match of {
            Counted::Column(ColumnRef { release: 0, column }) => Some(*column),
            _ => None,
        });
        let counts = match repeated {
            Some(repeated) => EarlierCounts::Repeated(repeated),
            None => {
                let keys: Vec<usize> = varying.iter().chain(&constant).copied().collect();
                EarlierCounts::Index(Box::new(JoinIndex::new(constraint, &ours, &keys, &earlier, rules)))
            }
        };
        let bounds = match (&constraint.limit, constraint.y.as_slice()) {
            (Limit::AtMost(bounds), [Counted::Column(ColumnRef { release, column })]) if *release > 0 => {
                bounds.by_label(&earlier[*release - 1].release.columns[*column])
            }
            _ => Vec::new(),
        };
        let judge = match (&constraint.limit, constraint.y.as_slice()) {
            (Limit::Distribution(of), [Counted::Column(ColumnRef { release, column })]) if *release > 0 => {
                let release = &earlier[*release - 1].release;
                let records = ContingencyTable { owners: None, ..release.contingency.clone() };
                let column_of = Some(&release.columns[*column]);
                Some(of.model.judge(&Measured::new(&records, &[*column]).whole(&records, column_of))?)
            }
            _ => None,
        };
        Ok(JoinCheck {
            constraint,
            x,
            varying,
            constant,
            y: y.collect(),
            people: constraint.y.contains(&Counted::People(0)),
            counts_earlier: constraint.y.iter().any(|of| of.release() > 0),
            excuses_earlier: constraint.excuses_earlier && constraint.x.iter().any(|at| at.release > 0),
            bounds,
            judge,
            counts,
            earlier,
            relation: OnceLock::new(),
            always_list: false,
            max_exact: repeated::MAX_EXACT,
        })
    }

    /// Sets the function that is polled for cancellation.
    pub(crate) fn with_abort(mut self, abort: &'a (dyn Fn() -> bool + Sync)) -> JoinCheck<'a> {
        if let EarlierCounts::Index(index) = &mut self.counts {
            index.set_abort(abort);
        }
        self
    }

    /// Returns true if the check enforces at least what another one does, because both limit the values of one repeated column.
    pub(crate) fn implies(&self, other: &JoinCheck<'_>) -> bool {
        let (Some(one), Some(two)) = (self.repeated(), other.repeated()) else { return false };
        let is_column = |check: &JoinCheck<'_>| matches!(check.constraint.y.as_slice(), [Counted::Column(_)]);
        // The whole release that a distribution is compared with differs.
        let is_share = !matches!(self.constraint.limit, Limit::Distribution(_));
        let limit = |check: &JoinCheck<'_>| format!("{:?}", check.constraint.limit);
        std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(two))
            && is_share
            && is_column(self)
            && is_column(other)
            && !self.excuses_values()
            && (!self.constraint.excuses_earlier || other.constraint.excuses_earlier)
            && limit(self) == limit(other)
    }

    /// Number of cached index entries, or of steps for a repeated column, as a measure of the cost of judging.
    pub(crate) fn stored_entries(&self) -> u64 {
        if self.repeated().is_some() { repeated::MAX_STEPS as u64 } else { self.index().stored() }
    }

    /// Columns of the new release in X, which define its classes.
    pub fn by(&self) -> &[usize] {
        &self.x
    }

    /// Varying join columns, in the order of the values in a key.
    pub(crate) fn varying(&self) -> &[usize] {
        &self.varying
    }

    /// Constant join columns.
    pub(super) fn constant(&self) -> &[usize] {
        &self.constant
    }

    /// Earlier releases.
    pub fn earlier(&self) -> &[&'a RecordedRelease] {
        &self.earlier
    }

    pub(super) fn index(&self) -> &JoinIndex<'a> {
        match &self.counts {
            EarlierCounts::Index(index) => index,
            EarlierCounts::Repeated(repeated) => &repeated.index,
        }
    }

    fn repeated(&self) -> Option<&Arc<RepeatedColumn<'a>>> {
        match &self.counts {
            EarlierCounts::Index(_) => None,
            EarlierCounts::Repeated(repeated) => Some(repeated),
        }
    }

    pub(super) fn relation(&self) -> &OnceLock<Relation> {
        &self.relation
    }

    /// Returns true if a join column outside X is generalized. Then the judgement of a class depends on more than its values.
    pub(crate) fn has_generalized_key_outside_x(&self, generalized: &[usize]) -> bool {
        self.constant.iter().any(|column| generalized.contains(column) && !self.x.contains(column))
    }

    /// Number of a published value of a varying join column, given by its index in `varying`.
    pub fn value(&self, place: usize, tree: &Taxonomy, node: NodeId) -> u32 {
        self.index().value(place, &JoinValue::Node(tree, tree.published_node(node)))
    }

    /// Number of a range of codes of a grown tree, before the tree is split. `None` if the tree has no numeric scale.
    pub fn interval_value(&self, place: usize, tree: &Taxonomy, codes: std::ops::Range<Code>) -> Option<u32> {
        let interval = tree.interval_over(&codes)?;
        Some(
            self.index()
                .value(place, &JoinValue::SubInterval(&tree.interval_label(&codes), tree.value_type(), interval)),
        )
    }

    /// Judges a class of the new release. `key` are the numbers of its values in the varying join columns; `counts` is
    /// the number of records by code.
    pub fn judge(&self, cells: &ClassCells, key: &[u32], counts: &[(Code, Weight)]) -> Judgement {
        let found = self.worst(cells, key, counts, false);
        Judgement { holds: found.holds && !self.index().gave_up(), safety: found.safety }
    }

    /// Worst judgement over the values on X. If `with_witness`, `x` is the first of the worst values on X.
    fn worst(&self, cells: &ClassCells, key: &[u32], counts: &[(Code, Weight)], with_witness: bool) -> ClassSafety {
        if let Some(repeated) = self.repeated() {
            return self.worst_of_repeated(repeated, cells, key, counts, with_witness);
        }
        if with_witness {
            let found = self.safety_by_x(cells, key, counts);
            let worst = found.iter().copied().fold(ClassSafety::VACUOUS, ClassSafety::worse);
            let like = |one: &&ClassSafety| (one.holds, one.safety) == (worst.holds, worst.safety);
            let first = found.iter().filter(like).min_by_key(|one| self.index().x_codes(one.x));
            return ClassSafety { x: first.map_or(worst.x, |first| first.x), ..worst };
        }
        let Some((first, _)) = counts.first() else { return ClassSafety::VACUOUS };
        let extra = cells.cells[*first as usize].extra;
        let same_key = counts.iter().all(|(code, _)| cells.cells[*code as usize].extra == extra);
        if same_key
            && !self.counts_earlier
            && !self.always_list
            && self.relation.get().is_some_and(|relation| relation.new_all_match())
        {
            return self.new_release_safety(cells, counts);
        }
        if same_key && !self.always_list {
            let profile = self.profile(cells, key, extra);
            return match profile.matched.first() {
                None => ClassSafety::VACUOUS,
                Some(matched) if !self.counts_earlier => {
                    ClassSafety { x: matched.x, ..self.new_release_safety(cells, counts) }
                }
                Some(_) if self.y.is_empty() && !self.people => self.earlier_safety(&profile),
                Some(_) => self.product_safety(cells, counts, &profile),
            };
        }
        if !self.always_list && self.y.is_empty() && !self.people && !self.counts_depend_on_constant_keys() {
            // All records that match a value on X have the same counts for it.
            let mut extras: Vec<u32> = counts.iter().map(|(code, _)| cells.cells[*code as usize].extra).collect();
            extras.sort_unstable();
            extras.dedup();
            let found = extras.into_iter().map(|extra| self.earlier_safety(&self.profile(cells, key, extra)));
            return found.fold(ClassSafety::VACUOUS, ClassSafety::worse);
        }
        match self.constraint.limit {
            Limit::AtLeast(minimum) if self.cannot_repeat(cells) && !self.always_list => {
                self.additive_safety(cells, key, counts, minimum)
            }
            _ => self.listed_safety(cells, key, counts),
        }
    }

    fn profile(&self, cells: &ClassCells, key: &[u32], extra: u32) -> std::sync::Arc<JoinProfile> {
        let mut values = Vec::with_capacity(key.len() + self.constant.len());
        values.extend(key);
        values.extend(&cells.extras[extra as usize]);
        self.index().profile(&values)
    }

    /// Number of distinct values on Y in the new release, if all records of the class have the same matches.
    fn distinct_in_new(&self, cells: &ClassCells, counts: &[(Code, Weight)]) -> Tuples {
        match (self.people, cells.by_owner) {
            (true, false) => counts.iter().map(|(_, weight)| Tuples::from(*weight)).sum(),
            _ => counts.len() as Tuples,
        }
    }

    /// Judgement if Y is in the new release only and all records have the same matches.
    fn new_release_safety(&self, cells: &ClassCells, counts: &[(Code, Weight)]) -> ClassSafety {
        match &self.constraint.limit {
            Limit::AtLeast(minimum) => self.at_least(self.distinct_in_new(cells, counts), *minimum, 0),
            Limit::AtMost(_) => {
                let total: Tuples = counts.iter().map(|(_, weight)| Tuples::from(*weight)).sum();
                let judge = |(code, weight): &(Code, Weight)| {
                    self.at_most(&cells.bounds, cells.cells[*code as usize].y, Tuples::from(*weight), total, 0)
                };
                counts.iter().map(judge).fold(ClassSafety::VACUOUS, ClassSafety::worse)
            }
            Limit::Distribution(_) => {
                let ys = counts.iter().map(|(code, weight)| (cells.cells[*code as usize].y, Tuples::from(*weight)));
                self.distribution(cells, ys.collect(), 0)
            }
        }
    }

    /// Judgement if Y is in earlier releases only and all records have the same matches.
    fn earlier_safety(&self, profile: &JoinProfile) -> ClassSafety {
        let of_x = |matched: &MatchedX| match &self.constraint.limit {
            Limit::AtLeast(minimum) => self.at_least(matched.different(), *minimum, matched.x),
            Limit::AtMost(_) => matched
                .ys
                .iter()
                .map(|y| self.at_most(&self.bounds, y.y, y.tuples, matched.tuples, matched.x))
                .fold(ClassSafety::VACUOUS, ClassSafety::worse),
            Limit::Distribution(_) => {
                self.distribution_of_earlier(matched.ys.iter().map(|y| (y.y, y.tuples)).collect(), matched.x)
            }
        };
        let (holds, safety, x) = *profile.worst.get_or_init(|| {
            let found = profile.matched.iter().map(of_x).fold(ClassSafety::VACUOUS, ClassSafety::worse);
            (found.holds, found.safety, found.x)
        });
        ClassSafety { holds, safety, x }
    }

    /// Judgement if Y is in both and all records have the same matches: the values form a product.
    fn product_safety(&self, cells: &ClassCells, counts: &[(Code, Weight)], profile: &JoinProfile) -> ClassSafety {
        let here = self.distinct_in_new(cells, counts);
        let total: Tuples = counts.iter().map(|(_, weight)| Tuples::from(*weight)).sum();
        let of_x = |matched: &MatchedX| match &self.constraint.limit {
            Limit::AtLeast(minimum) => self.at_least(here.saturating_mul(matched.different()), *minimum, matched.x),
            Limit::AtMost(_) => {
                let max_new = counts.iter().map(|(_, weight)| Tuples::from(*weight)).max().unwrap_or(0);
                let max_earlier = matched.ys.iter().map(|y| y.tuples).max().unwrap_or(0);
                self.at_most(
                    &[],
                    0,
                    max_new.saturating_mul(max_earlier),
                    total.saturating_mul(matched.tuples),
                    matched.x,
                )
            }
            // A distribution is of one column.
            Limit::Distribution(_) => self.not_judged(matched.x),
        };
        profile.matched.iter().map(of_x).fold(ClassSafety::VACUOUS, ClassSafety::worse)
    }

    /// Returns true if the counts depend on a constant join column outside X.
    fn counts_depend_on_constant_keys(&self) -> bool {
        let matters = |(at, column): (usize, &usize)| {
            !self.x.contains(column) && self.index().joins_counted(self.varying.len() + at)
        };
        self.constant.iter().enumerate().any(matters)
    }

    /// Returns true if records with different matches cannot have a common value on Y.
    fn cannot_repeat(&self, cells: &ClassCells) -> bool {
        let ours = self.people && !cells.by_owner;
        let theirs = || {
            let people = |at: usize| self.constraint.y.contains(&Counted::People(at + 1));
            let known =
                |(at, recorded): (usize, &&RecordedRelease)| people(at) && !super::index::has_several_records(recorded);
            // Records with different matches differ in a column that joins a counted release.
            let is_distinguished = |(at, column): (usize, &usize)| {
                self.x.contains(column) || self.index().joins_counted(self.varying.len() + at)
            };
            self.earlier.iter().enumerate().filter(|(at, _)| self.index().is_counted(at + 1)).all(known)
                && self.constant.iter().enumerate().all(is_distinguished)
                && self.counts_earlier
                && self.relation.get().is_some_and(Relation::single_valued)
        };
        ours || theirs()
    }

    /// Judgement by adding up counts, if values cannot repeat.
    fn additive_safety(&self, cells: &ClassCells, key: &[u32], counts: &[(Code, Weight)], minimum: u64) -> ClassSafety {
        let mut by_extra: HashMap<u32, Tuples> = HashMap::new();
        for (code, weight) in counts {
            let more = if self.people && !cells.by_owner { Tuples::from(*weight) } else { 1 };
            *by_extra.entry(cells.cells[*code as usize].extra).or_default() += more;
        }
        let mut by_x: HashMap<u32, Tuples> = HashMap::new();
        for (extra, here) in by_extra {
            for matched in &self.profile(cells, key, extra).matched {
                let different = matched.different();
                let sum = by_x.entry(matched.x).or_default();
                *sum = sum.saturating_add(here.saturating_mul(different));
            }
        }
        by_x.into_iter()
            .map(|(x, different)| self.at_least(different, minimum, x))
            .fold(ClassSafety::VACUOUS, ClassSafety::worse)
    }

    /// Judgement of the ratio of a value on Y against its bound.
    fn at_most<'m>(
        &'m self,
        own: &[Option<Ratio>],
        y: u32,
        tuples: Tuples,
        total: Tuples,
        at: impl Into<ValueOnX<'m>>,
    ) -> ClassSafety {
        let at = at.into();
        let Limit::AtMost(bounds) = &self.constraint.limit else { return ClassSafety::VACUOUS };
        let bound = if own.is_empty() { bounds.general() } else { own.get(y as usize).copied().flatten() };
        let Some(bound) = bound else { return ClassSafety { holds: true, safety: 0.0, x: at.number } };
        let ratio = Ratio { numerator: tuples, denominator: total.max(1) };
        let was_violated = || {
            let before = self.before(at)?;
            let of_y = before.ys.iter().find(|of| of.y == y)?;
            Some(ratio <= Ratio { numerator: of_y.tuples, denominator: before.tuples.max(1) })
        };
        ClassSafety { holds: ratio <= bound || was_violated() == Some(true), safety: -ratio.to_f64(), x: at.number }
    }

    /// Judgement of a number of distinct values on Y.
    fn at_least<'m>(&'m self, different: Tuples, minimum: u64, at: impl Into<ValueOnX<'m>>) -> ClassSafety {
        let at = at.into();
        let was_violated = || self.before(at).is_some_and(|before| different >= before.different());
        let holds = different >= Tuples::from(minimum) || was_violated();
        ClassSafety { holds, safety: different as f64, x: at.number }
    }

    /// Counts for a value on X without the new release, if the constraint counts in earlier releases only.
    fn before<'m>(&'m self, at: ValueOnX<'m>) -> Option<&'m MatchedX> {
        if !self.excuses_values() {
            return None;
        }
        at.before.or_else(|| self.index().before(at.number))
    }

    /// Returns true if a value on X may violate the limit as much as the earlier releases alone do.
    fn excuses_values(&self) -> bool {
        self.excuses_earlier && self.counts_earlier && self.y.is_empty() && !self.people
    }

    /// Checks that all counts were complete.
    ///
    /// # Errors
    ///
    /// Returns an error if the check was cancelled or the join is too large.
    pub fn check(&self) -> Result<()> {
        if self.index().is_aborted() {
            return Err(Error::Stopped);
        }
        if !self.index().gave_up() {
            return Ok(());
        }
        let releases = self.earlier.iter().map(|recorded| recorded.name.clone()).collect();
        Err(Obstacle::JoinTooLarge { releases }.into())
    }
}
