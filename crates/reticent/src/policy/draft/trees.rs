//! Drafted generalization: interval levels for numbers, taxonomy files for texts.

use std::collections::{BTreeSet, HashSet};

use super::ColumnSketch;
use super::toml_text::toml_text;
use crate::data::taxonomy::{SUPPRESSED, number_text};

/// Maximum number of values of a drafted taxonomy; larger ones are impractical to complete by hand.
const MAX_TAXONOMY_VALUES: usize = 200;
/// A number column with at most this many values needs no intervals.
const MAX_UNBINNED_VALUES: u64 = 12;

/// Taxonomy files drafted so far.
#[derive(Debug, Default)]
pub(super) struct TaxonomyFiles {
    /// Path and content of each file.
    pub written: Vec<(String, String)>,
    /// File names in use, in lower case, because some file systems ignore case.
    taken: HashSet<String>,
}

impl TaxonomyFiles {
    /// Drafts a taxonomy file. Returns the policy line that names it, or a comment if none is drafted.
    pub(super) fn taxonomy_line(&mut self, column: &ColumnSketch) -> String {
        let Some(values) = taxonomy_values(column) else {
            return super::NO_TAXONOMY.to_owned();
        };
        let path = format!("taxonomies/{}.csv", self.file_name(&column.name));
        self.written.push((path.clone(), taxonomy_text(&values)));
        format!("taxonomy = {}   # complete this file: value;group;root", toml_text(&path))
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

/// Returns the values of a text column for which a taxonomy is drafted. Surrounding white space is ignored.
fn taxonomy_values(column: &ColumnSketch) -> Option<BTreeSet<&str>> {
    let listed = column.values.as_ref()?;
    let values: BTreeSet<&str> = listed.iter().map(|(text, _)| text.trim()).filter(|text| !text.is_empty()).collect();
    (2..=MAX_TAXONOMY_VALUES).contains(&values.len()).then_some(values)
}

fn taxonomy_text(values: &BTreeSet<&str>) -> String {
    let numbered = (2..).map(|number: u64| format!("any {number}"));
    let mut roots = [SUPPRESSED.to_owned(), "any".to_owned()].into_iter().chain(numbered);
    let root = roots.find(|root| !values.contains(root.as_str())).unwrap_or_default();
    values.iter().map(|value| format!("{};{root}\n", csv_field(value))).collect()
}

/// Returns a field of a `;` separated file. A value that starts with a byte order mark is quoted, so that the mark is not the
/// first character of the file.
fn csv_field(value: &str) -> String {
    let plain = !value.contains([';', '"', '\n', '\r', '\u{feff}']);
    if plain { value.to_owned() } else { format!("\"{}\"", value.replace('"', "\"\"")) }
}

/// Returns `intervals = [5, 10, 20]`, commented out if the column has few values; `None` if all values are equal.
pub(super) fn intervals_line(column: &ColumnSketch) -> Option<String> {
    let widths: Vec<String> = widths(&column.quantiles).into_iter().map(number_text).collect();
    let mark = if column.distinct <= MAX_UNBINNED_VALUES { "# " } else { "" };
    (!widths.is_empty()).then(|| format!("{mark}intervals = [{}]", widths.join(", ")))
}

/// Returns up to three round widths, each a multiple of the one before. About twenty of the finest cover the central 96 %.
fn widths(quantiles: &[f64]) -> Vec<f64> {
    let finite: Vec<f64> = quantiles.iter().copied().filter(|number| number.is_finite()).collect();
    let (Some(low), Some(high)) = (quantile(&finite, 0.02), quantile(&finite, 0.98)) else { return Vec::new() };
    let spread = high - low;
    let whole = finite.iter().all(|number| number.fract() == 0.0);
    // For whole numbers, a width of 1 is the same as the exact value.
    let least = if whole { 2.0 } else { 1e-6 };
    let finest = (spread / 20.0).max(least);
    round_widths(finest).into_iter().filter(|width| *width < spread).take(3).collect()
}

/// Returns the element at this fraction of an ascending list.
fn quantile(ascending: &[f64], share: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    ascending.get((last as f64 * share).round() as usize).copied()
}

/// Returns the smallest of 1, 2 or 5 times a power of ten that is at least `least`, followed by round multiples of it.
fn round_widths(least: f64) -> Vec<f64> {
    const STEPS: &[&[u32]] = &[&[1, 5, 10, 50], &[2, 10, 20, 100], &[5, 10, 20, 100], &[10, 50, 100, 500]];
    let exponent = least.log10().floor() as i32;
    let scaled = |step: u32| {
        let ten = 10f64.powi(exponent.abs());
        if exponent < 0 { f64::from(step) / ten } else { f64::from(step) * ten }
    };
    let steps = STEPS.iter().find(|steps| scaled(steps[0]) >= least).copied().unwrap_or_default();
    steps.iter().map(|step| scaled(*step)).collect()
}
