//! Drafted trees: interval levels for numbers, taxonomies to fill in for texts.

use std::collections::{BTreeSet, HashSet};

use super::ColumnSketch;
use super::toml_text::toml_text;
use crate::taxonomy::{SUPPRESSED, number_text};

/// A taxonomy is drafted for at most this many values; nobody fills in more by hand.
const MOST_VALUES: usize = 200;
/// A number column with so few values needs no intervals.
const FEW_VALUES: u64 = 12;

/// The taxonomies drafted so far.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// By path.
    pub written: Vec<(String, String)>,
    /// Names in use, in lower case: some file systems know no other.
    taken: HashSet<String>,
}

impl Files {
    /// Drafts a taxonomy and answers with the line that names it, or with a comment on why there is none.
    pub(super) fn taxonomy_line(&mut self, column: &ColumnSketch) -> String {
        let Some(values) = fillable(column) else {
            return super::NO_TAXONOMY.to_owned();
        };
        let path = format!("taxonomies/{}.csv", self.file_name(&column.name));
        self.written.push((path.clone(), taxonomy_text(&values)));
        format!("taxonomy = {}   # put groups between each value and the root: value;group;root", toml_text(&path))
    }

    fn file_name(&mut self, column: &str) -> String {
        let keeps = |character: char| character.is_alphanumeric() || character == '-' || character == '_';
        let plain: String = column.chars().take(60).map(|c| if keeps(c) { c } else { '_' }).collect();
        let plain = if plain.is_empty() { "column".to_owned() } else { plain };
        let free = |name: &String| !self.taken.contains(&name.to_lowercase());
        let numbered = (2..).map(|number: u64| format!("{plain}-{number}"));
        let name = std::iter::once(plain.clone()).chain(numbered).find(free).unwrap_or(plain);
        self.taken.insert(name.to_lowercase());
        name
    }
}

/// The values of a text column that a person can put into a tree. Blanks around a value do not tell it from another.
fn fillable(column: &ColumnSketch) -> Option<BTreeSet<&str>> {
    let listed = column.values.as_ref()?;
    let values: BTreeSet<&str> = listed.iter().map(|(text, _)| text.trim()).filter(|text| !text.is_empty()).collect();
    (2..=MOST_VALUES).contains(&values.len()).then_some(values)
}

fn taxonomy_text(values: &BTreeSet<&str>) -> String {
    let numbered = (2..).map(|number: u64| format!("any {number}"));
    let mut roots = [SUPPRESSED.to_owned(), "any".to_owned()].into_iter().chain(numbered);
    let root = roots.find(|root| !values.contains(root.as_str())).unwrap_or_default();
    values.iter().map(|value| format!("{};{root}\n", csv_field(value))).collect()
}

/// A field of a `;` separated file; a byte order mark that belongs to the value is kept from the start of the file.
fn csv_field(value: &str) -> String {
    let plain = !value.contains([';', '"', '\n', '\r', '\u{feff}']);
    if plain { value.to_owned() } else { format!("\"{}\"", value.replace('"', "\"\"")) }
}

/// `intervals = [5, 10, 20]`, as a comment where the column has few values; nothing where it does not vary.
pub(super) fn intervals_line(column: &ColumnSketch) -> Option<String> {
    let widths: Vec<String> = widths(&column.quantiles).into_iter().map(number_text).collect();
    let mark = if column.distinct <= FEW_VALUES { "# " } else { "" };
    (!widths.is_empty()).then(|| format!("{mark}intervals = [{}]", widths.join(", ")))
}

/// Round widths, each a multiple of the one before: about twenty of the finest cover the spread.
fn widths(quantiles: &[f64]) -> Vec<f64> {
    let finite: Vec<f64> = quantiles.iter().copied().filter(|number| number.is_finite()).collect();
    let (Some(low), Some(high)) = (middle(&finite, 0.02), middle(&finite, 0.98)) else { return Vec::new() };
    let spread = high - low;
    let whole = finite.iter().all(|number| number.fract() == 0.0);
    // A width of 1 says nothing more than a whole number itself.
    let least = if whole { 2.0 } else { 1e-6 };
    let finest = (spread / 20.0).max(least);
    nice_from(finest).into_iter().filter(|width| *width < spread).take(3).collect()
}

/// The number this share of the way through an ascending list.
fn middle(ascending: &[f64], share: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    ascending.get((last as f64 * share).round() as usize).copied()
}

/// The lowest of 1, 2 or 5 times a power of ten that is not below `least`, and the round widths it divides.
fn nice_from(least: f64) -> Vec<f64> {
    const STEPS: &[&[u32]] = &[&[1, 5, 10, 50], &[2, 10, 20, 100], &[5, 10, 20, 100], &[10, 50, 100, 500]];
    let exponent = least.log10().floor() as i32;
    let scaled = |step: u32| {
        let ten = 10f64.powi(exponent.abs());
        if exponent < 0 { f64::from(step) / ten } else { f64::from(step) * ten }
    };
    let steps = STEPS.iter().find(|steps| scaled(steps[0]) >= least).copied().unwrap_or_default();
    steps.iter().map(|step| scaled(*step)).collect()
}
