//! Raw table: dictionary-encoded columns and a weight per combination.

use std::collections::HashMap;
use std::sync::Arc;

use crate::column_names::has_private_name;
use crate::data::contingency::{ContingencyTable, Weight, combine};
use crate::data::links::Links;
use crate::data::schema::{Attribute, Missing, Role, Schema, TreeSource};
use crate::data::taxonomy::{Code, Taxonomy, Type, parse_scale, scale_text};
use crate::error::{Error, Result, TableFault, did_you_mean};
use crate::text::{counted, without_formula_guard};

/// Result of an engine's count: number of rows by combination of texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counts {
    /// Column names.
    pub names: Vec<String>,
    /// Texts as read, by column, then by code.
    pub values: Vec<Vec<String>>,
    /// Combinations with their number of rows.
    pub contingency: ContingencyTable,
    /// Owner links, if requested. Their indices refer to [`Counts::without_owners`].
    pub links: Option<Links>,
}

impl Counts {
    /// Counts rows of texts.
    pub fn from_rows<const N: usize>(names: [&str; N], rows: &[[&str; N]]) -> Counts {
        let mut values = vec![Vec::new(); N];
        let mut codes = vec![Vec::with_capacity(rows.len()); N];
        for (column, (values, codes)) in values.iter_mut().zip(&mut codes).enumerate() {
            let mut known: HashMap<&str, Code> = HashMap::new();
            for row in rows {
                let next = known.len() as Code;
                let code = *known.entry(row[column]).or_insert(next);
                if code == next {
                    values.push(row[column].to_owned());
                }
                codes.push(code);
            }
        }
        let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
        let contingency = combine(&views, &vec![1; rows.len()], None);
        Counts { names: names.map(str::to_owned).to_vec(), values, contingency, links: None }
    }

    /// Combinations of the columns in ascending order, merged across owners.
    pub fn without_owners(&self) -> ContingencyTable {
        let codes: Vec<&[Code]> = self.contingency.codes.iter().map(Vec::as_slice).collect();
        combine(&codes, &self.contingency.weights, None)
    }

    /// Removes owners, and the leading apostrophes that protect against spreadsheet formulas.
    pub fn plain(&self) -> Counts {
        let names = self.names.iter().map(|name| without_formula_guard(name).to_owned()).collect();
        let (values, codes): (Vec<Vec<String>>, Vec<Vec<Code>>) =
            self.values.iter().zip(&self.contingency.codes).map(|(texts, codes)| plain_column(texts, codes)).unzip();
        let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
        let contingency = combine(&views, &self.contingency.weights, None);
        Counts { names, values, contingency, links: None }
    }
}

/// Distinct plain texts of a column in ascending order, and the codes as indices into them.
fn plain_column(texts: &[String], codes: &[Code]) -> (Vec<String>, Vec<Code>) {
    let mut sorted: Vec<&str> = texts.iter().map(|text| without_formula_guard(text)).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place = |text: &String| sorted.binary_search(&without_formula_guard(text)).unwrap_or(0) as Code;
    let places: Vec<Code> = texts.iter().map(place).collect();
    let codes = codes.iter().map(|code| places[*code as usize]).collect();
    (sorted.into_iter().map(str::to_owned).collect(), codes)
}

/// One column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    /// Name of the column in the data.
    pub name: String,
    /// Role in the attack model.
    pub role: Role,
    /// Taxonomy whose leaves are the values.
    pub tree: Arc<Taxonomy>,
    /// Texts as read, each with its code; `None` if the policy drops its rows.
    pub texts: Arc<Vec<(String, Option<Code>)>>,
    /// Weight of the column in the information loss; 1 unless [`Table::with_column_weights`] sets it.
    pub loss_weight: f64,
}

/// Raw data: typed columns and a contingency table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Columns in the order of the counts.
    pub columns: Vec<Column>,
    /// Number of rows by combination.
    pub contingency: ContingencyTable,
    /// Treatment of missing values, by column with missing values.
    pub missing: Vec<MissingNote>,
    /// Number of rows dropped because of a missing value.
    pub dropped: Weight,
}

/// Missing values of a column and their treatment.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MissingNote {
    /// Column name.
    pub column: String,
    /// Number of rows without a value.
    pub rows: Weight,
    /// Treatment declared by the policy.
    pub meaning: Missing,
}

impl Table {
    /// Index in this table of each counted (untyped) combination; `None` if its rows are dropped.
    pub fn places(&self, counted: &ContingencyTable) -> Vec<Option<u32>> {
        let mut key = Vec::with_capacity(self.columns.len());
        let mut place = |at: usize| {
            key.clear();
            for (column, codes) in self.columns.iter().zip(&counted.codes) {
                key.push(column.texts[codes[at] as usize].1?);
            }
            self.contingency.find(&key).map(|place| place as u32)
        };
        (0..counted.len()).map(&mut place).collect()
    }

    /// Builds a table from counted texts: types the values by the schema and merges equal combinations.
    ///
    /// # Errors
    ///
    /// Returns an error if the table is empty, a value does not match its type or taxonomy, or a missing value is refused.
    pub fn build(counts: &Counts, schema: &Schema) -> Result<Table> {
        if counts.contingency.rows() == 0 {
            return Err(Error::Table { fault: TableFault::NoRows });
        }
        let mut columns = Vec::new();
        let mut codes = Vec::new();
        let mut missing = Vec::new();
        let mut unfit = Vec::new();
        for (at, name) in counts.names.iter().enumerate() {
            let attribute = schema.attribute(name)?;
            let weights = weights_by_code(&counts.contingency, at, counts.values[at].len());
            let typed = match Typed::new(attribute, schema, &counts.values[at], &weights) {
                // All columns are checked, so that one run shows all problems.
                Err(Error::Column { column, message }) => {
                    unfit.push((column, message));
                    continue;
                }
                typed => typed?,
            };
            missing.extend(typed.note);
            let from = &counts.contingency.codes[at];
            codes.push(from.iter().map(|code| typed.codes[*code as usize]).collect::<Vec<Code>>());
            let known = |code: &Code| (*code != DROPPED).then_some(*code);
            let texts =
                counts.values[at].iter().zip(&typed.codes).map(|(text, code)| (text.clone(), known(code))).collect();
            columns.push(Column {
                name: name.clone(),
                role: attribute.role,
                tree: Arc::new(typed.tree),
                texts: Arc::new(texts),
                loss_weight: 1.0,
            });
        }
        if !unfit.is_empty() {
            return Err(Error::columns(unfit));
        }
        let all = ContingencyTable {
            codes,
            weights: counts.contingency.weights.clone(),
            owners: counts.contingency.owners.clone(),
        };
        let kept = all.filter(|at| all.codes.iter().all(|codes| codes[at] != DROPPED));
        let dropped = all.rows() - kept.rows();
        if kept.is_empty() {
            return Err(Error::Table { fault: TableFault::EveryRowDropped });
        }
        let views: Vec<&[Code]> = kept.codes.iter().map(Vec::as_slice).collect();
        let contingency = combine(&views, &kept.weights, kept.owners.as_deref());
        Ok(Table { columns, contingency, missing, dropped })
    }

    /// Texts of a column that cannot be values by the schema: the reason for an error of [`Table::build`]. Empty if the reason
    /// is another one, or if the counts lack the column.
    pub fn unfit_texts<'a>(counts: &'a Counts, schema: &Schema, column: &str) -> Vec<&'a str> {
        let at = counts.names.iter().position(|name| name == column);
        let (Some(at), Ok(attribute)) = (at, schema.attribute(column)) else { return Vec::new() };
        let is_unfit = |text: &&String| match (&attribute.tree, schema.missing_values.contains(text)) {
            (_, true) => attribute.missing == Missing::Refuse,
            (TreeSource::Given(tree), _) => !tree.values().iter().any(|value| value == *text || value == text.trim()),
            (TreeSource::Prefixes, _) => text.contains('*'),
            _ => attribute.values != Type::Text && parse_scale(attribute.values, text).is_none(),
        };
        counts.values[at].iter().filter(is_unfit).map(String::as_str).collect()
    }

    /// Sets the weights of columns in the information loss. Names that the table does not have are ignored.
    pub fn with_column_weights(mut self, weights: &[(String, f64)]) -> Table {
        for column in &mut self.columns {
            if let Some((_, weight)) = weights.iter().find(|(name, _)| *name == column.name) {
                column.loss_weight = *weight;
            }
        }
        self
    }

    /// Index of a column.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such column. The error suggests the most similar name.
    pub fn position(&self, name: &str) -> Result<usize> {
        position(name, self.columns.iter().map(|column| column.name.as_str()))
    }

    /// Indices of several columns.
    ///
    /// # Errors
    ///
    /// Returns an error if a column does not exist.
    pub fn positions(&self, names: &[String]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.position(name)).collect()
    }

    /// Indices of the columns with this role.
    pub fn with_role(&self, role: Role) -> Vec<usize> {
        (0..self.columns.len()).filter(|at| self.columns[*at].role == role).collect()
    }

    /// Number of rows by value of a column.
    pub fn weights_of(&self, column: usize) -> Vec<Weight> {
        weights_by_code(&self.contingency, column, self.columns[column].tree.len())
    }
}

/// Index of a name, or an error that suggests the most similar name.
pub(crate) fn position<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Result<usize> {
    names.clone().position(|known| known == name).ok_or_else(|| {
        let hint = did_you_mean(name, names).map(|hint| format!("; {hint}")).unwrap_or_default();
        Error::column(name, format!("not a column of this release{hint}"))
    })
}

/// Texts published for a missing value if none of the policy's texts is free.
pub(crate) const FALLBACK_MISSING: [&str; 3] = ["", "missing", "(missing)"];

/// Marker for a code whose rows are dropped.
const DROPPED: Code = Code::MAX;

fn weights_by_code(contingency: &ContingencyTable, column: usize, len: usize) -> Vec<Weight> {
    let mut weights = vec![0; len];
    for (code, weight) in contingency.codes[column].iter().zip(&contingency.weights) {
        weights[*code as usize] += weight;
    }
    weights
}

/// A column's texts as codes of its taxonomy.
struct Typed {
    tree: Taxonomy,
    /// Taxonomy code by engine code.
    codes: Vec<Code>,
    note: Option<MissingNote>,
}

impl Typed {
    fn new(attribute: &Attribute, schema: &Schema, texts: &[String], weights: &[Weight]) -> Result<Typed> {
        let absent: Vec<bool> = texts.iter().map(|text| schema.missing_values.contains(text)).collect();
        check_missing_texts(attribute, texts, &absent)?;
        let rows: Weight = weights.iter().zip(&absent).filter(|(_, absent)| **absent).map(|(weight, _)| weight).sum();
        let note = (rows > 0).then(|| MissingNote { column: attribute.name.clone(), rows, meaning: attribute.missing });
        if rows > 0 && attribute.missing == Missing::Refuse {
            let message =
                format!("{} without a value, and the policy sets `missing = \"refuse\"`", counted(rows, "row"));
            return Err(Error::column(&attribute.name, message));
        }
        if absent.iter().all(|absent| *absent) {
            let message = "no row has a value; give it the role identifier, which excludes it, or list fewer texts in `missing-values`";
            return Err(Error::column(&attribute.name, message));
        }
        let (mut tree, mut codes) = match &attribute.tree {
            TreeSource::Given(tree) => (tree.clone(), codes_in_tree(attribute, tree, texts, &absent, weights)?),
            TreeSource::Flat if attribute.values == Type::Text || attribute.role != Role::QuasiIdentifier => {
                flat(attribute, texts, &absent, weights)?
            }
            TreeSource::Prefixes => prefixes(attribute, texts, &absent)?,
            _ => ordered(attribute, texts, &absent, weights)?,
        };
        if rows > 0 {
            let code = match attribute.missing {
                Missing::Value => {
                    let free = |label: &&str| {
                        tree.find(label).is_none() && !(tree.numbers().is_some() && looks_like_interval(label))
                    };
                    let mut labels = schema.missing_values.iter().map(String::as_str).chain(FALLBACK_MISSING);
                    let label = labels.find(free).unwrap_or(FALLBACK_MISSING[2]).to_owned();
                    tree.add_missing(&label)?
                }
                _ => DROPPED,
            };
            for (into, absent) in codes.iter_mut().zip(&absent) {
                if *absent {
                    *into = code;
                }
            }
        }
        Ok(Typed { tree, codes, note })
    }
}

/// Refuses a text that is both a missing value and a value of the taxonomy, because its meaning is ambiguous.
fn check_missing_texts(attribute: &Attribute, texts: &[String], absent: &[bool]) -> Result<()> {
    let TreeSource::Given(tree) = &attribute.tree else { return Ok(()) };
    match texts.iter().zip(absent).find(|(text, absent)| **absent && tree.find(text).is_some()) {
        None => Ok(()),
        Some((text, _)) => {
            let message = format!("`{text}` is in both `missing-values` and its taxonomy; remove it from one of them");
            Err(Error::column(&attribute.name, message))
        }
    }
}

/// Minimum number of rows with a value that an error text shows.
const MIN_SHOWN_ROWS: Weight = 10;

fn codes_in_tree(
    attribute: &Attribute,
    tree: &Taxonomy,
    texts: &[String],
    absent: &[bool],
    weights: &[Weight],
) -> Result<Vec<Code>> {
    let by_value: HashMap<&str, Code> =
        tree.values().iter().zip(0..).map(|(value, code)| (value.as_str(), code)).collect();
    let mut codes = Vec::with_capacity(texts.len());
    let (mut outside, mut rows, mut inner) = (0u64, 0, 0u64);
    let mut unknown = Vec::new();
    for ((text, absent), weight) in texts.iter().zip(absent).zip(weights) {
        let code = by_value.get(text.as_str()).or_else(|| by_value.get(text.trim()));
        if code.is_none() && !absent {
            outside += 1;
            rows += weight;
            inner += u64::from(tree.find(text).is_some());
            // A rare value can identify a person.
            unknown.extend((*weight >= MIN_SHOWN_ROWS).then_some(text.as_str()));
        }
        codes.push(code.copied().unwrap_or(0));
    }
    if outside == 0 {
        return Ok(codes);
    }
    let inner = if inner > 0 { format!("; {inner} of them are inner nodes, not leaves") } else { String::new() };
    let can_show = attribute.role == Role::QuasiIdentifier && !has_private_name(&attribute.name);
    let which = if can_show { examples_of(&unknown, outside) } else { String::new() };
    let message = format!(
        "{} in {} outside its taxonomy{which}{inner}; every value in the data must be a leaf of the taxonomy",
        counted(outside, "value"),
        counted(rows, "row")
    );
    Err(Error::column(&attribute.name, message))
}

/// Returns true if a text can be mistaken for a number, a date or an interval.
fn looks_like_interval(label: &str) -> bool {
    let scale = |values| parse_scale(values, label).is_some();
    label.starts_with(['[', '<', '>']) || label == "any" || scale(Type::Number) || scale(Type::Date)
}

/// Examples of quasi-identifier values outside the taxonomy, for error texts.
pub(crate) fn plain_examples(values: &[&str]) -> String {
    examples_of(values, values.len() as u64)
}

/// Examples of these values. `all` is the number of values outside the taxonomy.
///
/// Excludes values with a separator or a line break. They can contain cells of other columns or records.
fn examples_of(values: &[&str], all: u64) -> String {
    let plain = |value: &&&str| value.chars().count() <= 40 && !value.contains([',', ';', '|', '"', '\t', '\n', '\r']);
    format_examples(values.iter().filter(plain), all)
}

/// Examples of common texts for a missing value, for error texts. Other values are hidden, as they can be sensitive.
pub(crate) fn missing_markers(values: &[&str]) -> String {
    let usual = ["-", "--", ".", "..", "?", "na", "n/a", "nan", "nil", "none", "null", "missing", "unknown"];
    format_examples(values.iter().filter(|value| usual.contains(&value.to_lowercase().as_str())), values.len() as u64)
}

fn format_examples<'a>(examples: impl Iterator<Item = &'a &'a str>, all: u64) -> String {
    let first: Vec<String> = examples.take(3).map(|value| format!("`{value}`")).collect();
    let more = if all > first.len() as u64 { ", ..." } else { "" };
    if first.is_empty() { String::new() } else { format!(" ({}{more})", first.join(", ")) }
}

fn flat(attribute: &Attribute, texts: &[String], absent: &[bool], weights: &[Weight]) -> Result<(Taxonomy, Vec<Code>)> {
    if attribute.values != Type::Text {
        // 1, 1.0 and 01 are one value and are published in one spelling.
        let (numbers, codes) = scale(attribute, texts, absent, weights)?;
        return Ok((
            Taxonomy::flat(numbers.iter().map(|number| scale_text(attribute.values, *number)).collect()),
            codes,
        ));
    }
    let mut order: Vec<usize> = (0..texts.len()).filter(|at| !absent[*at]).collect();
    order.sort_by(|a, b| texts[*a].cmp(&texts[*b]));
    let mut codes = vec![0; texts.len()];
    for (code, at) in order.iter().enumerate() {
        codes[*at] = code as Code;
    }
    let values: Vec<String> = order.iter().map(|at| texts[*at].clone()).collect();
    let has_suppression = matches!(attribute.role, Role::QuasiIdentifier | Role::Sensitive);
    if has_suppression && values.iter().any(|value| value == crate::data::taxonomy::SUPPRESSED) {
        let message = "contains the value `*`, which marks a suppressed cell; add `*` to `missing-values`";
        return Err(Error::column(&attribute.name, message));
    }
    Ok((Taxonomy::flat(values), codes))
}

/// Taxonomy of the prefixes of the texts, and the index of each text.
fn prefixes(attribute: &Attribute, texts: &[String], absent: &[bool]) -> Result<(Taxonomy, Vec<Code>)> {
    let present = texts.iter().zip(absent).filter(|(_, absent)| !**absent).map(|(text, _)| text.clone());
    let tree = Taxonomy::by_prefix(&attribute.name, present.collect())?;
    let place = |text: &String| tree.values().binary_search(text).unwrap_or(0) as Code;
    let codes = texts.iter().map(place).collect();
    Ok((tree, codes))
}

/// Distinct numbers or days of the texts in ascending order, and the index of each text's number.
fn scale(
    attribute: &Attribute,
    texts: &[String],
    absent: &[bool],
    weights: &[Weight],
) -> Result<(Vec<f64>, Vec<Code>)> {
    check_scale(attribute, texts, absent, weights)?;
    let number = |(text, absent): (&String, &bool)| if *absent { None } else { parse_scale(attribute.values, text) };
    let numbers: Vec<Option<f64>> = texts.iter().zip(absent).map(number).collect();
    let mut distinct: Vec<f64> = numbers.iter().flatten().copied().collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let code_of =
        |number: &Option<f64>| number.map_or(0, |number| distinct.partition_point(|known| *known < number) as Code);
    let codes = numbers.iter().map(code_of).collect();
    Ok((distinct, codes))
}

fn ordered(
    attribute: &Attribute,
    texts: &[String],
    absent: &[bool],
    weights: &[Weight],
) -> Result<(Taxonomy, Vec<Code>)> {
    let (distinct, codes) = scale(attribute, texts, absent, weights)?;
    let (name, values) = (&attribute.name, attribute.values);
    let tree = match &attribute.tree {
        TreeSource::Intervals { levels, exact } => {
            let tree = Taxonomy::intervals(name, values, distinct, levels)?;
            if *exact { tree } else { tree.without_leaves() }
        }
        TreeSource::Grown { range } | TreeSource::Binned { range } => {
            if let Some((low, high)) = range
                && distinct.first().zip(distinct.last()).is_some_and(|(first, last)| first < low || last >= high)
            {
                let range = format!("[{},{})", scale_text(values, *low), scale_text(values, *high));
                return Err(Error::column(
                    name,
                    format!("has values outside its declared range {range} (upper bound excluded); widen the range"),
                ));
            }
            let tree = Taxonomy::grown(values, distinct, *range);
            if matches!(attribute.tree, TreeSource::Binned { .. }) { tree.binned() } else { tree }
        }
        _ => Taxonomy::grown(values, distinct, None),
    };
    Ok((tree, codes))
}

/// Checks that every text of a number or date column can be parsed.
fn check_scale(attribute: &Attribute, texts: &[String], absent: &[bool], weights: &[Weight]) -> Result<()> {
    let wrong: Vec<usize> =
        (0..texts.len()).filter(|at| !absent[*at] && parse_scale(attribute.values, &texts[*at]).is_none()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let rows: Weight = wrong.iter().map(|at| weights[*at]).sum();
    let (what, how) = match attribute.values {
        Type::Date => {
            ("dates written YYYY-MM-DD, or in the `format` of the column", "declare their `format`, rewrite them")
        }
        _ => (
            "numbers (NaN, infinities and whole numbers beyond 2^53 are not accepted)",
            "declare their `format`, correct them",
        ),
    };
    let message = format!(
        "{} with values that are not {what}; {how}, list them in `missing-values`, or declare `type = \"text\"`",
        counted(rows, "row")
    );
    Err(Error::column(&attribute.name, message))
}
