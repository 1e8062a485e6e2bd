//! The sensitive domain: all sensitive tuples that people may have, and the tuples compatible with a published record.
//!
//! A sensitive tuple has one value for each sensitive column of the history. A published record shows some of these columns,
//! possibly generalized or suppressed. Its *cover* is the set of tuples that are compatible with it. Values of different
//! releases are equal if their labels are equal. Generalized values are compared by the leaves below them.

use hashbrown::{HashMap, HashSet};

use super::scale::SensitiveScale;
use crate::data::schema::Role;
use crate::error::{Obstacle, Result, did_you_mean};
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};
use reticent_inference::Value;

/// Index of a cover: the published sensitive values of a record.
pub(super) type ValueCover = u32;

/// A set of sensitive columns, one bit each.
pub(super) type Shape = u64;

/// Maximum number of sensitive tuples in a domain.
const MAX_TUPLES: usize = 20_000;

/// The domain of sensitive tuples of a history.
pub struct SensitiveDomain {
    /// Names of the sensitive columns.
    pub columns: Vec<String>,
    /// Labels of the values, by column.
    pub values: Vec<Vec<String>>,
    /// Value index in each column, by tuple. [`u32::MAX`] in columns outside the tuple's shape.
    pub tuples: Vec<Vec<u32>>,
    /// Columns with a value, by tuple.
    tuple_shapes: Vec<Shape>,
    /// Sensitive columns, by release.
    release_shapes: Vec<Shape>,
    /// Possible values in each column, by cover. `None` if the column is not published.
    cover_values: Vec<Vec<Option<Vec<u32>>>>,
    /// Compatible tuples in ascending order, by cover.
    cover_tuples: Vec<Vec<Value>>,
    cover_ids: HashMap<Vec<Option<Vec<u32>>>, ValueCover>,
    /// Whether any sensitive cell is suppressed.
    pub has_suppressed: bool,
    /// Segments of a numeric column with published intervals, by column.
    scales: Vec<Option<SensitiveScale>>,
    /// Whether a published interval covers several segments. Then the number of values in each segment is unknown.
    pub has_wide_intervals: bool,
}

impl SensitiveDomain {
    /// Builds the domain of the given sensitive columns, or of all: every tuple that a record shows, or that combines the
    /// values of different records if the releases have different columns.
    ///
    /// # Errors
    ///
    /// Returns an error if a column is unknown, or if there are too many columns or tuples.
    pub fn new(history: &History, only: Option<&[String]>) -> Result<SensitiveDomain> {
        let columns = sensitive_columns(history, only)?;
        let scales: Vec<Option<SensitiveScale>> =
            columns.iter().map(|name| SensitiveScale::new(history, name)).collect();
        let values = scales.iter().map(|scale| scale.as_ref().map(|scale| scale.labels.clone()).unwrap_or_default());
        let values: Vec<Vec<String>> = values.collect();
        let mut domain = SensitiveDomain {
            columns,
            values,
            tuples: Vec::new(),
            tuple_shapes: Vec::new(),
            release_shapes: Vec::new(),
            cover_values: Vec::new(),
            cover_tuples: Vec::new(),
            cover_ids: HashMap::new(),
            has_suppressed: false,
            scales,
            has_wide_intervals: false,
        };
        for recorded in &history.releases {
            let has = |at: usize| sensitive_position(recorded, &domain.columns[at]).is_some();
            let shape = (0..domain.columns.len()).filter(|at| has(*at)).fold(0, |shape, at| shape | 1 << at);
            domain.release_shapes.push(shape);
        }
        for recorded in &history.releases {
            domain.collect_values(recorded);
        }
        for recorded in &history.releases {
            domain.covers(recorded)?;
        }
        domain.build_tuples()?;
        Ok(domain)
    }

    /// Collects the values that the records of a release can have: the leaves below each published node. A suppressed cell can
    /// stand for every leaf of its taxonomy.
    fn collect_values(&mut self, recorded: &RecordedRelease) {
        for (at, name) in self.columns.iter().enumerate() {
            let Some(position) = sensitive_position(recorded, name) else { continue };
            let column = &recorded.release.columns[position];
            let mut used = vec![false; column.nodes.len()];
            recorded.release.contingency.codes[position].iter().for_each(|code| used[*code as usize] = true);
            let used: Vec<u32> = (0..).zip(&used).filter(|(_, used)| **used).map(|(code, _)| code).collect();
            self.has_suppressed |= used.iter().any(|code| suppresses(column, *code));
            if self.scales[at].is_some() {
                continue;
            }
            let mut known: HashSet<String> = self.values[at].iter().cloned().collect();
            for leaf in used.iter().flat_map(|code| leaves(column, *code)) {
                if known.insert(leaf.to_owned()) {
                    self.values[at].push(leaf.to_owned());
                }
            }
        }
    }

    /// Returns the cover of each contingency-table cell of a release.
    pub fn covers(&mut self, recorded: &RecordedRelease) -> Result<Vec<ValueCover>> {
        let positions: Vec<Option<usize>> =
            self.columns.iter().map(|name| sensitive_position(recorded, name)).collect();
        let mut of_code: Vec<Vec<Option<Vec<u32>>>> = Vec::new();
        for (at, position) in positions.iter().enumerate() {
            let Some(position) = position else {
                of_code.push(Vec::new());
                continue;
            };
            let column = &recorded.release.columns[*position];
            let index: HashMap<&str, u32> = self.values[at].iter().map(String::as_str).zip(0..).collect();
            let values_of = |code: usize| {
                // A suppressed cell is compatible with every value.
                if suppresses(column, code as u32) {
                    return Some((0..self.values[at].len() as u32).collect());
                }
                if let Some(scale) = &self.scales[at] {
                    return Some(scale.segments_of(column, code as u32));
                }
                let mut values: Vec<u32> =
                    leaves(column, code as u32).filter_map(|leaf| index.get(leaf).copied()).collect();
                values.sort_unstable();
                Some(values)
            };
            let of_codes: Vec<Option<Vec<u32>>> = (0..column.nodes.len()).map(values_of).collect();
            if self.scales[at].is_some() {
                let several = |code: &u32| of_codes[*code as usize].as_ref().is_some_and(|values| values.len() > 1);
                self.has_wide_intervals |= recorded.release.contingency.codes[*position].iter().any(several);
            }
            of_code.push(of_codes);
        }
        let contingency = &recorded.release.contingency;
        let mut covers = Vec::with_capacity(contingency.len());
        let mut by_codes: HashMap<Vec<u32>, ValueCover> = HashMap::new();
        for cell in 0..contingency.len() {
            let codes: Vec<u32> =
                positions.iter().flatten().map(|position| contingency.codes[*position][cell]).collect();
            if let Some(cover) = by_codes.get(&codes) {
                covers.push(*cover);
                continue;
            }
            let mut next = codes.iter();
            let shown: Vec<Option<Vec<u32>>> = (0..positions.len())
                .map(|at| positions[at].and_then(|_| next.next()).and_then(|code| of_code[at][*code as usize].clone()))
                .collect();
            let cover = self.cover(shown);
            by_codes.insert(codes, cover);
            covers.push(cover);
        }
        Ok(covers)
    }

    /// Returns the cover of a record without any published sensitive value.
    pub fn suppressed_cover(&mut self) -> ValueCover {
        self.cover(vec![None; self.columns.len()])
    }

    fn cover(&mut self, shown: Vec<Option<Vec<u32>>>) -> ValueCover {
        if let Some(cover) = self.cover_ids.get(&shown) {
            return *cover;
        }
        let below = if self.tuples.is_empty() { Vec::new() } else { self.compatible(&shown) };
        self.cover_ids.insert(shown.clone(), self.cover_values.len() as ValueCover);
        self.cover_values.push(shown);
        self.cover_tuples.push(below);
        self.cover_values.len() as ValueCover - 1
    }

    /// Builds the tuples of the domain.
    fn build_tuples(&mut self) -> Result<()> {
        let with: Vec<Shape> = self.release_shapes.iter().copied().filter(|shape| *shape != 0).collect();
        let all = if with.windows(2).all(|two| two[0] == two[1]) {
            self.observed_tuples()?
        } else {
            self.cartesian_product()?
        };
        // A tuple has values only in columns that were published about the person: project it on every union of releases.
        let mut sets: Vec<Shape> = vec![0];
        for shape in &self.release_shapes {
            sets.extend(sets.clone().into_iter().map(|set| set | shape));
            sets.sort_unstable();
            sets.dedup();
            self.check_limit(sets.len())?;
        }
        let in_set = |set: Shape, column: usize| set >> column & 1 == 1;
        for set in sets {
            let left = |tuple: &Vec<Option<u32>>| -> Vec<u32> {
                let columns = tuple.iter().enumerate();
                columns.map(|(at, value)| value.filter(|_| in_set(set, at)).unwrap_or(u32::MAX)).collect()
            };
            let mut of_set: Vec<Vec<u32>> = all.iter().map(left).collect();
            of_set.sort_unstable();
            of_set.dedup();
            self.tuple_shapes.extend(of_set.iter().map(|_| set));
            self.tuples.extend(of_set);
            self.check_limit(self.tuples.len())?;
        }
        self.cover_tuples = self.cover_values.iter().map(|shown| self.compatible(shown)).collect();
        Ok(())
    }

    /// Returns the tuples that some record shows, if all releases have the same columns.
    fn observed_tuples(&self) -> Result<Vec<Vec<Option<u32>>>> {
        let mut all: Vec<Vec<Option<u32>>> = Vec::new();
        for shown in self.cover_values.iter().filter(|shown| !shown_columns(shown).is_empty()) {
            let mut some: Vec<Vec<Option<u32>>> = vec![Vec::new()];
            for values in shown {
                let values: Vec<Option<u32>> = match values {
                    Some(values) => values.iter().map(|value| Some(*value)).collect(),
                    None => vec![None],
                };
                some = some
                    .iter()
                    .flat_map(|part| values.iter().map(move |value| [part.clone(), vec![*value]].concat()))
                    .collect();
                self.check_limit(some.len())?;
            }
            all.extend(some);
            all.sort_unstable();
            all.dedup();
            self.check_limit(all.len())?;
        }
        Ok(all)
    }

    /// Returns all combinations of values, if the releases have different columns.
    fn cartesian_product(&self) -> Result<Vec<Vec<Option<u32>>>> {
        let mut all: Vec<Vec<Option<u32>>> = vec![Vec::new()];
        for values in &self.values {
            let values: Vec<Option<u32>> =
                if values.is_empty() { vec![None] } else { (0..values.len() as u32).map(Some).collect() };
            all = all
                .iter()
                .flat_map(|part| values.iter().map(move |value| [part.clone(), vec![*value]].concat()))
                .collect();
            self.check_limit(all.len())?;
        }
        Ok(all)
    }

    fn check_limit(&self, domain: usize) -> Result<()> {
        if domain <= MAX_TUPLES {
            return Ok(());
        }
        Err(Obstacle::TooManyCombinations { columns: self.columns.clone(), limit: MAX_TUPLES }.into())
    }

    fn compatible(&self, shown: &[Option<Vec<u32>>]) -> Vec<Value> {
        let fits = |tuple: &Vec<u32>| {
            tuple.iter().zip(shown).all(|(value, shown)| shown.as_ref().is_none_or(|shown| shown.contains(value)))
        };
        (0..).zip(&self.tuples).filter(|(_, tuple)| fits(tuple)).map(|(at, _)| at).collect()
    }

    /// All tuples.
    pub fn all_tuples(&self) -> Vec<Value> {
        (0..self.tuples.len() as Value).collect()
    }

    /// Tuples that are compatible with a cover.
    pub fn tuples_of(&self, cover: ValueCover) -> &[Value] {
        &self.cover_tuples[cover as usize]
    }

    /// Returns whether a cover does not restrict any column.
    pub(crate) fn is_suppressed(&self, cover: ValueCover) -> bool {
        let shown = self.cover_values[cover as usize].iter().zip(&self.values);
        let mut all_values =
            shown.map(|(shown, values)| shown.as_ref().is_none_or(|shown| shown.len() == values.len()));
        all_values.all(|all_values| all_values)
    }

    /// Returns whether a cover has one value in each of its columns.
    pub(crate) fn is_plain(&self, cover: ValueCover) -> bool {
        self.cover_values[cover as usize].iter().flatten().all(|values| values.len() == 1)
    }

    /// Sensitive columns of a release.
    pub fn columns_of(&self, release: usize) -> Shape {
        self.release_shapes[release]
    }

    /// Returns whether a tuple has values in exactly these columns.
    pub(crate) fn has_shape(&self, tuple: Value, shape: Shape) -> bool {
        self.tuple_shapes[tuple as usize] == shape
    }

    /// Returns whether the tuples of `one` are a subset of those of `other`.
    pub fn is_within(&self, one: ValueCover, other: ValueCover) -> bool {
        one == other || self.tuples_of(one).iter().all(|tuple| self.tuples_of(other).binary_search(tuple).is_ok())
    }

    /// Returns whether two covers have a tuple in common.
    pub fn overlap(&self, one: ValueCover, other: ValueCover) -> bool {
        one == other || self.tuples_of(one).iter().any(|tuple| self.tuples_of(other).binary_search(tuple).is_ok())
    }

    /// Returns whether the covers form a laminar family: any two are nested or disjoint. Then one count for each cover
    /// expresses all constraints.
    pub(crate) fn is_laminar(&self, shows: &[(ValueCover, u64)]) -> bool {
        let wide: Vec<ValueCover> =
            shows.iter().map(|(cover, _)| *cover).filter(|cover| !self.is_plain(*cover)).collect();
        wide.iter().enumerate().all(|(at, one)| {
            wide[..at].iter().all(|other| {
                self.is_within(*one, *other) || self.is_within(*other, *one) || !self.overlap(*one, *other)
            })
        })
    }

    /// Returns whether two records of different releases can belong to one person with an unchanged tuple.
    pub(crate) fn is_consistent(&self, one: ValueCover, other: ValueCover, time_varying: &[String]) -> bool {
        let both = self.cover_values[one as usize].iter().zip(&self.cover_values[other as usize]).zip(&self.columns);
        let mut agree = both.map(|((one, other), column)| match (one, other) {
            (Some(_), Some(_)) if time_varying.contains(column) => false,
            (Some(one), Some(other)) => one.iter().any(|value| other.contains(value)),
            _ => true,
        });
        agree.all(|agree| agree)
    }

    /// Returns whether two records can have the same value in a column.
    pub(crate) fn is_consistent_in(&self, one: ValueCover, other: ValueCover, column: usize) -> bool {
        match (&self.cover_values[one as usize][column], &self.cover_values[other as usize][column]) {
            (Some(one), Some(other)) => one.iter().any(|value| other.contains(value)),
            _ => true,
        }
    }

    /// Label of a tuple's value in a column; `None` if the tuple has no value there.
    pub fn label(&self, tuple: Value, column: usize) -> Option<&str> {
        let value = self.tuples[tuple as usize][column];
        self.values[column].get(value as usize).map(String::as_str)
    }
}

/// Partitions the sensitive columns of a history into sets that are connected by common releases.
pub(super) fn connected_columns(history: &History) -> Result<Vec<Vec<String>>> {
    let informative = sensitive_columns(history, None)?.into_iter().filter(|name| !is_suppressed(history, name));
    let mut parts: Vec<Vec<String>> = informative.map(|name| vec![name]).collect();
    for recorded in &history.releases {
        let shown = |name: &String| sensitive_position(recorded, name).is_some();
        let (together, apart): (Vec<Vec<String>>, Vec<Vec<String>>) =
            parts.into_iter().partition(|part| part.iter().any(shown));
        parts = apart;
        if !together.is_empty() {
            parts.push(together.concat());
        }
    }
    let order = sensitive_columns(history, None)?;
    let position = |name: &String| order.iter().position(|known| known == name);
    parts.iter_mut().for_each(|part| part.sort_by_key(position));
    parts.sort_by_key(|part| part.first().and_then(position));
    Ok(parts)
}

/// Returns whether all cells of a column are suppressed and its domain is unknown, so that it discloses nothing.
fn is_suppressed(history: &History, name: &str) -> bool {
    let uninformative = |recorded: &RecordedRelease| match sensitive_position(recorded, name) {
        Some(position) => {
            let column = &recorded.release.columns[position];
            let suppressed = |code: &u32| suppresses(column, *code) && leaves(column, *code).next().is_none();
            recorded.release.contingency.codes[position].iter().all(suppressed)
        }
        None => true,
    };
    SensitiveScale::new(history, name).is_none() && history.releases.iter().all(uninformative)
}

/// Sensitive columns of a history in the order of their first release, or `only` if all of these exist.
pub(super) fn sensitive_columns(history: &History, only: Option<&[String]>) -> Result<Vec<String>> {
    let mut columns: Vec<String> = Vec::new();
    for column in history.releases.iter().flat_map(|recorded| &recorded.release.columns) {
        if column.role == Role::Sensitive && !columns.contains(&column.name) {
            columns.push(column.name.clone());
        }
    }
    if columns.len() > Shape::BITS as usize {
        return Err(Obstacle::TooManySensitiveColumns { limit: Shape::BITS }.into());
    }
    let Some(only) = only else { return Ok(columns) };
    if let Some(unknown) = only.iter().find(|name| !columns.contains(name)) {
        let hint = did_you_mean(unknown, columns.iter().map(String::as_str));
        let suggestion = hint.unwrap_or_else(|| format!("there are: {}", columns.join(", ")));
        return Err(Obstacle::SensitiveColumnUnknown { column: unknown.clone(), columns, suggestion }.into());
    }
    Ok(only.to_vec())
}

/// Returns whether a cell is suppressed.
pub(super) fn suppresses(column: &PublishedColumn, code: u32) -> bool {
    column.nodes[code as usize] == 0 && (column.tree.nodes().len() > 1 || column.tree.is_empty())
}

/// Indices of the published columns.
fn shown_columns(shown: &[Option<Vec<u32>>]) -> Vec<usize> {
    (0..shown.len()).filter(|column| shown[*column].is_some()).collect()
}

/// Position of a sensitive column in a release.
fn sensitive_position(recorded: &RecordedRelease, name: &str) -> Option<usize> {
    recorded.release.columns.iter().position(|column| column.name == name && column.role == Role::Sensitive)
}

/// Labels of the leaves below a published cell.
fn leaves(column: &PublishedColumn, code: u32) -> impl Iterator<Item = &str> {
    let tree = &column.tree;
    tree.codes(column.nodes[code as usize]).map(|code| tree.value(code))
}
