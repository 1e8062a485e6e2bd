//! Secrets: what somebody may have in the sensitive columns, and what published cells show of it.
//!
//! A secret gives a value to every sensitive column of the history. A published record shows some of these columns, perhaps
//! generalized or hidden: it *covers* the secrets that it does not contradict. Values of different releases are the same when
//! they read the same; generalized ones are reconciled by the leaves below them.

use hashbrown::HashMap;

use super::scale::Scale;
use crate::error::{Obstacle, Result, did_you_mean};
use crate::history::{Held, History};
use crate::release::PublishedColumn;
use crate::schema::Role;
use reticent_inference::Value;

/// What a record shows of a secret, by number.
pub(super) type Cover = u32;

/// Some of the sensitive columns, one bit each.
pub(super) type Shape = u64;

/// More secrets than this are not told apart one by one.
const MOST: usize = 20_000;

/// Everything that people may have.
pub struct Secrets {
    /// The sensitive columns.
    pub columns: Vec<String>,
    /// By column: its values, by what they read.
    pub values: Vec<Vec<String>>,
    /// By secret: the value of each column; [`u32::MAX`] in columns that nothing was published of.
    pub all: Vec<Vec<u32>>,
    /// By secret: its columns, one bit each.
    shapes: Vec<Shape>,
    /// By release: the columns it has.
    of_release: Vec<Shape>,
    /// By cover: for each column, the values it allows; none when the column is not shown.
    shown: Vec<Vec<Option<Vec<u32>>>>,
    /// By cover: its secrets, ascending.
    below: Vec<Vec<Value>>,
    known: HashMap<Vec<Option<Vec<u32>>>, Cover>,
    /// Whether any cell says nothing.
    pub hidden: bool,
    /// By column: its pieces, where intervals are shown.
    scales: Vec<Option<Scale>>,
    /// Whether an interval covers several pieces of which it is not known how many values they have.
    pub wide: bool,
}

impl Secrets {
    /// Every secret that some record shows, or that can be put together from records of different columns. Of the sensitive
    /// columns only these, when some are named.
    pub fn of(history: &History, only: Option<&[String]>) -> Result<Secrets> {
        let columns = named(history, only)?;
        let scales: Vec<Option<Scale>> = columns.iter().map(|name| Scale::of(history, name)).collect();
        let values = scales.iter().map(|scale| scale.as_ref().map(|scale| scale.reads.clone()).unwrap_or_default());
        let values: Vec<Vec<String>> = values.collect();
        let mut secrets = Secrets {
            columns,
            values,
            all: Vec::new(),
            shapes: Vec::new(),
            of_release: Vec::new(),
            shown: Vec::new(),
            below: Vec::new(),
            known: HashMap::new(),
            hidden: false,
            scales,
            wide: false,
        };
        for held in &history.releases {
            let has = |at: usize| sensitive(held, &secrets.columns[at]).is_some();
            let shape = (0..secrets.columns.len()).filter(|at| has(*at)).fold(0, |shape, at| shape | 1 << at);
            secrets.of_release.push(shape);
        }
        for hidden in [false, true] {
            for held in &history.releases {
                secrets.collect_values(held, hidden)?;
            }
        }
        for held in &history.releases {
            secrets.covers(held)?;
        }
        secrets.make()?;
        Ok(secrets)
    }

    /// The values that cells show; or, of a column in which no cell shows any, what hidden cells may hide.
    fn collect_values(&mut self, held: &Held, hidden: bool) -> Result<()> {
        let mut any = false;
        for (at, name) in self.columns.iter().enumerate() {
            let Some(place) = sensitive(held, name).filter(|_| !hidden || self.values[at].is_empty()) else { continue };
            let column = &held.release.columns[place];
            let mut used = vec![false; column.nodes.len()];
            held.release.combos.codes[place].iter().for_each(|code| used[*code as usize] = true);
            let wanted = |(code, used): &(usize, &bool)| **used && hides(column, *code as u32) == hidden;
            for (code, _) in used.iter().enumerate().filter(|_| self.scales[at].is_none()).filter(wanted) {
                for leaf in leaves(column, code as u32) {
                    if !self.values[at].iter().any(|known| known == leaf) {
                        self.values[at].push(leaf.to_owned());
                    }
                }
            }
            any |= used.iter().enumerate().any(|(code, used)| *used && hides(column, code as u32));
        }
        self.hidden |= any;
        Ok(())
    }

    /// By combination of a release: what it covers.
    pub fn covers(&mut self, held: &Held) -> Result<Vec<Cover>> {
        let places: Vec<Option<usize>> = self.columns.iter().map(|name| sensitive(held, name)).collect();
        let mut of_code: Vec<Vec<Option<Vec<u32>>>> = Vec::new();
        for (at, place) in places.iter().enumerate() {
            let Some(place) = place else {
                of_code.push(Vec::new());
                continue;
            };
            let column = &held.release.columns[*place];
            let index: HashMap<&str, u32> = self.values[at].iter().map(String::as_str).zip(0..).collect();
            let allowed = |code: usize| {
                // A hidden cell says nothing: whatever anybody has.
                if hides(column, code as u32) {
                    return Some((0..self.values[at].len() as u32).collect());
                }
                if let Some(scale) = &self.scales[at] {
                    return Some(scale.below(column, code as u32));
                }
                let mut values: Vec<u32> =
                    leaves(column, code as u32).filter_map(|leaf| index.get(leaf).copied()).collect();
                values.sort_unstable();
                Some(values)
            };
            let of_codes: Vec<Option<Vec<u32>>> = (0..column.nodes.len()).map(allowed).collect();
            if self.scales[at].is_some() {
                let several = |code: &u32| of_codes[*code as usize].as_ref().is_some_and(|values| values.len() > 1);
                self.wide |= held.release.combos.codes[*place].iter().any(several);
            }
            of_code.push(of_codes);
        }
        let combos = &held.release.combos;
        let mut covers = Vec::with_capacity(combos.len());
        let mut by_codes: HashMap<Vec<u32>, Cover> = HashMap::new();
        for combo in 0..combos.len() {
            let codes: Vec<u32> = places.iter().flatten().map(|place| combos.codes[*place][combo]).collect();
            if let Some(cover) = by_codes.get(&codes) {
                covers.push(*cover);
                continue;
            }
            let mut next = codes.iter();
            let shown: Vec<Option<Vec<u32>>> = (0..places.len())
                .map(|at| places[at].and_then(|_| next.next()).and_then(|code| of_code[at][*code as usize].clone()))
                .collect();
            let cover = self.cover(shown);
            by_codes.insert(codes, cover);
            covers.push(cover);
        }
        Ok(covers)
    }

    /// What a record covers that shows nothing of anybody's secret.
    pub fn silent(&mut self) -> Cover {
        self.cover(vec![None; self.columns.len()])
    }

    fn cover(&mut self, shown: Vec<Option<Vec<u32>>>) -> Cover {
        if let Some(cover) = self.known.get(&shown) {
            return *cover;
        }
        let below = if self.all.is_empty() { Vec::new() } else { self.compatible(&shown) };
        self.known.insert(shown.clone(), self.shown.len() as Cover);
        self.shown.push(shown);
        self.below.push(below);
        self.shown.len() as Cover - 1
    }

    /// Puts secrets together.
    fn make(&mut self) -> Result<()> {
        let with: Vec<Shape> = self.of_release.iter().copied().filter(|shape| *shape != 0).collect();
        let all =
            if with.windows(2).all(|two| two[0] == two[1]) { self.shown_together()? } else { self.all_together()? };
        // Somebody has no more columns than were published of them: for every set of releases, what is left of each secret.
        let mut sets: Vec<Shape> = vec![0];
        for shape in &self.of_release {
            sets.extend(sets.clone().into_iter().map(|set| set | shape));
            sets.sort_unstable();
            sets.dedup();
            self.limit(sets.len())?;
        }
        let in_set = |set: Shape, column: usize| set >> column & 1 == 1;
        for set in sets {
            let left = |secret: &Vec<Option<u32>>| -> Vec<u32> {
                let columns = secret.iter().enumerate();
                columns.map(|(at, value)| value.filter(|_| in_set(set, at)).unwrap_or(u32::MAX)).collect()
            };
            let mut of_set: Vec<Vec<u32>> = all.iter().map(left).collect();
            of_set.sort_unstable();
            of_set.dedup();
            self.shapes.extend(of_set.iter().map(|_| set));
            self.all.extend(of_set);
            self.limit(self.all.len())?;
        }
        self.below = self.shown.iter().map(|shown| self.compatible(shown)).collect();
        Ok(())
    }

    /// Where all releases have the same columns: what some record shows.
    fn shown_together(&self) -> Result<Vec<Vec<Option<u32>>>> {
        let mut all: Vec<Vec<Option<u32>>> = Vec::new();
        for shown in self.shown.iter().filter(|shown| !shape(shown).is_empty()) {
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
                self.limit(some.len())?;
            }
            all.extend(some);
            all.sort_unstable();
            all.dedup();
            self.limit(all.len())?;
        }
        Ok(all)
    }

    /// Where they have not: somebody may have what no record shows together.
    fn all_together(&self) -> Result<Vec<Vec<Option<u32>>>> {
        let mut all: Vec<Vec<Option<u32>>> = vec![Vec::new()];
        for values in &self.values {
            let values: Vec<Option<u32>> =
                if values.is_empty() { vec![None] } else { (0..values.len() as u32).map(Some).collect() };
            all = all
                .iter()
                .flat_map(|part| values.iter().map(move |value| [part.clone(), vec![*value]].concat()))
                .collect();
            self.limit(all.len())?;
        }
        Ok(all)
    }

    fn limit(&self, secrets: usize) -> Result<()> {
        if secrets <= MOST {
            return Ok(());
        }
        Err(Obstacle::TooManyCombinations { columns: self.columns.clone(), limit: MOST }.into())
    }

    fn compatible(&self, shown: &[Option<Vec<u32>>]) -> Vec<Value> {
        let fits = |secret: &Vec<u32>| {
            secret.iter().zip(shown).all(|(value, shown)| shown.as_ref().is_none_or(|shown| shown.contains(value)))
        };
        (0..).zip(&self.all).filter(|(_, secret)| fits(secret)).map(|(at, _)| at).collect()
    }

    /// Every secret.
    pub fn all(&self) -> Vec<Value> {
        (0..self.all.len() as Value).collect()
    }

    /// The secrets that a record does not contradict.
    pub fn below(&self, cover: Cover) -> &[Value] {
        &self.below[cover as usize]
    }

    /// Whether a record says nothing.
    pub(crate) fn is_silent(&self, cover: Cover) -> bool {
        let shown = self.shown[cover as usize].iter().zip(&self.values);
        let mut silent = shown.map(|(shown, values)| shown.as_ref().is_none_or(|shown| shown.len() == values.len()));
        silent.all(|silent| silent)
    }

    /// Whether a record shows one value in each of its columns.
    pub(crate) fn is_plain(&self, cover: Cover) -> bool {
        self.shown[cover as usize].iter().flatten().all(|values| values.len() == 1)
    }

    /// The columns that a release has.
    pub fn columns_of(&self, release: usize) -> Shape {
        self.of_release[release]
    }

    /// Whether a secret has these columns and no other.
    pub(crate) fn has_shape(&self, secret: Value, shape: Shape) -> bool {
        self.shapes[secret as usize] == shape
    }

    /// Whether whatever one covers, the other does.
    pub fn is_within(&self, one: Cover, other: Cover) -> bool {
        one == other || self.below(one).iter().all(|secret| self.below(other).binary_search(secret).is_ok())
    }

    /// Whether some secret is covered by both.
    pub fn overlap(&self, one: Cover, other: Cover) -> bool {
        one == other || self.below(one).iter().any(|secret| self.below(other).binary_search(secret).is_ok())
    }

    /// Whether of any two covers one is within the other, or they have nothing in common: then counting what is below each says
    /// all there is.
    pub(crate) fn is_laminar(&self, shows: &[(Cover, u64)]) -> bool {
        let wide: Vec<Cover> = shows.iter().map(|(cover, _)| *cover).filter(|cover| !self.is_plain(*cover)).collect();
        wide.iter().enumerate().all(|(at, one)| {
            wide[..at].iter().all(|other| {
                self.is_within(*one, *other) || self.is_within(*other, *one) || !self.overlap(*one, *other)
            })
        })
    }

    /// Whether two records of different releases can be about one person whose secret is still the same.
    pub(crate) fn can_be_one(&self, one: Cover, other: Cover, varies: &[String]) -> bool {
        let both = self.shown[one as usize].iter().zip(&self.shown[other as usize]).zip(&self.columns);
        let mut agree = both.map(|((one, other), column)| match (one, other) {
            (Some(_), Some(_)) if varies.contains(column) => false,
            (Some(one), Some(other)) => one.iter().any(|value| other.contains(value)),
            _ => true,
        });
        agree.all(|agree| agree)
    }

    /// The value of a column in a secret, by what it reads; none when it is not known.
    pub fn reads(&self, secret: Value, column: usize) -> Option<&str> {
        let value = self.all[secret as usize][column];
        self.values[column].get(value as usize).map(String::as_str)
    }
}

/// The sensitive columns of a history, those together that some release shows together: they tell about each other.
pub(super) fn parts(history: &History) -> Result<Vec<Vec<String>>> {
    let told = named(history, None)?.into_iter().filter(|name| !is_silent(history, name));
    let mut parts: Vec<Vec<String>> = told.map(|name| vec![name]).collect();
    for held in &history.releases {
        let shown = |name: &String| sensitive(held, name).is_some();
        let (together, apart): (Vec<Vec<String>>, Vec<Vec<String>>) =
            parts.into_iter().partition(|part| part.iter().any(shown));
        parts = apart;
        if !together.is_empty() {
            parts.push(together.concat());
        }
    }
    let order = named(history, None)?;
    let place = |name: &String| order.iter().position(|known| known == name);
    parts.iter_mut().for_each(|part| part.sort_by_key(place));
    parts.sort_by_key(|part| part.first().and_then(place));
    Ok(parts)
}

/// Whether all cells of a column are hidden, and nothing says what they may hide: then nothing is told by it.
fn is_silent(history: &History, name: &str) -> bool {
    let silent = |held: &Held| match sensitive(held, name) {
        Some(place) => {
            let column = &held.release.columns[place];
            let hidden = |code: &u32| hides(column, *code) && leaves(column, *code).next().is_none();
            held.release.combos.codes[place].iter().all(hidden)
        }
        None => true,
    };
    Scale::of(history, name).is_none() && history.releases.iter().all(silent)
}

/// The sensitive columns of a history, in the order in which they were released first.
pub(super) fn named(history: &History, only: Option<&[String]>) -> Result<Vec<String>> {
    let mut columns: Vec<String> = Vec::new();
    for column in history.releases.iter().flat_map(|held| &held.release.columns) {
        if column.role == Role::Sensitive && !columns.contains(&column.name) {
            columns.push(column.name.clone());
        }
    }
    if columns.len() > Shape::BITS as usize {
        return Err(Obstacle::TooManySensitiveColumns { limit: Shape::BITS }.into());
    }
    let Some(only) = only else { return Ok(columns) };
    if let Some(stranger) = only.iter().find(|name| !columns.contains(name)) {
        let hint = did_you_mean(stranger, columns.iter().map(String::as_str));
        let suggestion = hint.unwrap_or_else(|| format!("there are: {}", columns.join(", ")));
        return Err(Obstacle::SensitiveColumnUnknown { column: stranger.clone(), columns, suggestion }.into());
    }
    Ok(only.to_vec())
}

/// Whether a cell says nothing.
pub(super) fn hides(column: &PublishedColumn, code: u32) -> bool {
    column.nodes[code as usize] == 0 && (column.tree.nodes().len() > 1 || column.tree.is_empty())
}

/// The columns that are shown.
fn shape(shown: &[Option<Vec<u32>>]) -> Vec<usize> {
    (0..shown.len()).filter(|column| shown[*column].is_some()).collect()
}

/// The place of a sensitive column in a release.
fn sensitive(held: &Held, name: &str) -> Option<usize> {
    held.release.columns.iter().position(|column| column.name == name && column.role == Role::Sensitive)
}

/// What the leaves below a published cell read.
fn leaves(column: &PublishedColumn, code: u32) -> impl Iterator<Item = &str> {
    let node = column.tree.node(column.nodes[code as usize]);
    column.tree.values()[node.codes.start as usize..node.codes.end as usize].iter().map(String::as_str)
}
