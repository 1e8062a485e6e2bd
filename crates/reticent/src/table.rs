//! The table: the raw data the steward holds, as dictionary-encoded columns and a weight per combination.

use std::collections::HashMap;
use std::sync::Arc;

use crate::column_names::is_called_private;
use crate::combos::{Combos, Weight, combine};
use crate::error::{Error, Result, TableFault, did_you_mean};
use crate::links::Links;
use crate::schema::{Attribute, Missing, Role, Schema, Tree};
use crate::taxonomy::{Code, Taxonomy, Type, parse_scale, scale_text};
use crate::text::{counted, plain};

/// What an engine answers: how many rows carry each combination of these columns' texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counts {
    /// The columns' names.
    pub names: Vec<String>,
    /// By column, by code: the text that was read.
    pub values: Vec<Vec<String>>,
    /// The combinations.
    pub combos: Combos,
    /// Whose the rows are, where that was asked for; its places are those in [`Counts::without_owners`].
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
        let combos = combine(&views, &vec![1; rows.len()], None);
        Counts { names: names.map(str::to_owned).to_vec(), values, combos, links: None }
    }

    /// The combinations of the columns alone, ascending: what several owners carry is one combination. Where `combos` has
    /// no owners, this is `combos` as an engine answers it; where it has, neighbours with equal codes are taken as one.
    pub fn without_owners(&self) -> Combos {
        let codes: Vec<&[Code]> = self.combos.codes.iter().map(Vec::as_slice).collect();
        combine(&codes, &self.combos.weights, None)
    }

    /// The same without owners, and without the apostrophes that keep spreadsheets from computing a cell.
    pub fn plain(&self) -> Counts {
        let names = self.names.iter().map(|name| plain(name).to_owned()).collect();
        let (values, codes): (Vec<Vec<String>>, Vec<Vec<Code>>) =
            self.values.iter().zip(&self.combos.codes).map(|(texts, codes)| plain_column(texts, codes)).unzip();
        let views: Vec<&[Code]> = codes.iter().map(Vec::as_slice).collect();
        let combos = combine(&views, &self.combos.weights, None);
        Counts { names, values, combos, links: None }
    }
}

/// The plain texts of a column, ascending and each once, and the codes as places among them.
fn plain_column(texts: &[String], codes: &[Code]) -> (Vec<String>, Vec<Code>) {
    let mut sorted: Vec<&str> = texts.iter().map(|text| plain(text)).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place = |text: &String| sorted.binary_search(&plain(text)).unwrap_or(0) as Code;
    let places: Vec<Code> = texts.iter().map(place).collect();
    let codes = codes.iter().map(|code| places[*code as usize]).collect();
    (sorted.into_iter().map(str::to_owned).collect(), codes)
}

/// One column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name in the data.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// Its taxonomy; the leaves are the values.
    pub tree: Arc<Taxonomy>,
    /// The texts that were read, each with its code; none where the policy leaves its rows out.
    pub texts: Arc<Vec<(String, Option<Code>)>>,
}

/// The raw data: typed columns and counted combinations.
#[derive(Debug, Clone)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// How many rows carry each combination.
    pub combos: Combos,
    /// What happened to missing values on the way in.
    pub missing: Vec<MissingNote>,
    /// Rows left out because a missing value asks for it.
    pub dropped: Weight,
}

/// How many values of a column were missing, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MissingNote {
    /// The column.
    pub column: String,
    /// Rows without a value.
    pub rows: Weight,
    /// What the policy says they mean.
    pub meaning: Missing,
}

impl Table {
    /// By combination that was counted, before it was typed: its place among the table's; none where its rows are left out.
    pub fn places(&self, counted: &Combos) -> Vec<Option<u32>> {
        let mut key = Vec::with_capacity(self.columns.len());
        let mut place = |at: usize| {
            key.clear();
            for (column, codes) in self.columns.iter().zip(&counted.codes) {
                key.push(column.texts[codes[at] as usize].1?);
            }
            self.combos.find(&key).map(|place| place as u32)
        };
        (0..counted.len()).map(&mut place).collect()
    }

    /// Types the counted texts as the schema says, checks that every taxonomy covers its column, and puts combinations
    /// together that turn out equal.
    pub fn build(counts: &Counts, schema: &Schema) -> Result<Table> {
        if counts.combos.rows() == 0 {
            return Err(Error::Table { fault: TableFault::NoRows });
        }
        let mut columns = Vec::new();
        let mut codes = Vec::new();
        let mut missing = Vec::new();
        for (at, name) in counts.names.iter().enumerate() {
            let attribute = schema.attribute(name)?;
            let weights = weights_by_code(&counts.combos, at, counts.values[at].len());
            let typed = Typed::new(attribute, schema, &counts.values[at], &weights)?;
            missing.extend(typed.note);
            let from = &counts.combos.codes[at];
            codes.push(from.iter().map(|code| typed.codes[*code as usize]).collect::<Vec<Code>>());
            let known = |code: &Code| (*code != LEFT_OUT).then_some(*code);
            let texts =
                counts.values[at].iter().zip(&typed.codes).map(|(text, code)| (text.clone(), known(code))).collect();
            columns.push(Column {
                name: name.clone(),
                role: attribute.role,
                tree: Arc::new(typed.tree),
                texts: Arc::new(texts),
            });
        }
        let all = Combos { codes, weights: counts.combos.weights.clone(), owners: counts.combos.owners.clone() };
        let kept = all.filter(|at| all.codes.iter().all(|codes| codes[at] != LEFT_OUT));
        let dropped = all.rows() - kept.rows();
        if kept.is_empty() {
            return Err(Error::Table { fault: TableFault::EveryRowDropped });
        }
        let views: Vec<&[Code]> = kept.codes.iter().map(Vec::as_slice).collect();
        let combos = combine(&views, &kept.weights, kept.owners.as_deref());
        Ok(Table { columns, combos, missing, dropped })
    }

    /// The place of a column, or an error that names the nearest one.
    pub fn position(&self, name: &str) -> Result<usize> {
        position(name, self.columns.iter().map(|column| column.name.as_str()))
    }

    /// The places of several columns.
    pub fn positions(&self, names: &[String]) -> Result<Vec<usize>> {
        names.iter().map(|name| self.position(name)).collect()
    }

    /// The places of the columns with this role.
    pub fn with_role(&self, role: Role) -> Vec<usize> {
        (0..self.columns.len()).filter(|at| self.columns[*at].role == role).collect()
    }

    /// How many rows carry each value of a column.
    pub fn weights_of(&self, column: usize) -> Vec<Weight> {
        weights_by_code(&self.combos, column, self.columns[column].tree.len())
    }
}

/// The place of a name, or an error that names the nearest one.
pub(crate) fn position<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Result<usize> {
    names.clone().position(|known| known == name).ok_or_else(|| {
        let hint = did_you_mean(name, names).map(|hint| format!("; {hint}")).unwrap_or_default();
        Error::column(name, format!("not among the columns of this release{hint}"))
    })
}

/// What a missing value is published as where none of the policy's texts can stand for it.
pub(crate) const SPARE_MISSING: [&str; 3] = ["", "missing", "(missing)"];

/// Marks a code whose rows the policy leaves out.
const LEFT_OUT: Code = Code::MAX;

fn weights_by_code(combos: &Combos, column: usize, len: usize) -> Vec<Weight> {
    let mut weights = vec![0; len];
    for (code, weight) in combos.codes[column].iter().zip(&combos.weights) {
        weights[*code as usize] += weight;
    }
    weights
}

/// A column's texts as codes of its taxonomy.
struct Typed {
    tree: Taxonomy,
    /// By the engine's code.
    codes: Vec<Code>,
    note: Option<MissingNote>,
}

impl Typed {
    fn new(attribute: &Attribute, schema: &Schema, texts: &[String], weights: &[Weight]) -> Result<Typed> {
        let absent: Vec<bool> = texts.iter().map(|text| schema.missing_values.contains(text)).collect();
        refuse_covered(attribute, texts, &absent)?;
        let rows: Weight = weights.iter().zip(&absent).filter(|(_, absent)| **absent).map(|(weight, _)| weight).sum();
        let note = (rows > 0).then(|| MissingNote { column: attribute.name.clone(), rows, meaning: attribute.missing });
        if rows > 0 && attribute.missing == Missing::Refuse {
            let message =
                format!("{} without a value, and the policy says `missing = \"refuse\"`", counted(rows, "row"));
            return Err(Error::column(&attribute.name, message));
        }
        if absent.iter().all(|absent| *absent) {
            let message = "no row has a value; give it the role identifier, which leaves it out, or list fewer texts in `missing-values`";
            return Err(Error::column(&attribute.name, message));
        }
        let (mut tree, mut codes) = match &attribute.tree {
            Tree::Given(tree) => (tree.clone(), codes_in_tree(attribute, tree, texts, &absent, weights)?),
            Tree::Flat if attribute.values == Type::Text || attribute.role != Role::QuasiIdentifier => {
                flat(attribute, texts, &absent, weights)?
            }
            _ => ordered(attribute, texts, &absent, weights)?,
        };
        if rows > 0 {
            let code = match attribute.missing {
                Missing::Value => {
                    let free = |label: &&str| {
                        tree.find(label).is_none() && !(tree.numbers().is_some() && like_an_interval(label))
                    };
                    let mut labels = schema.missing_values.iter().map(String::as_str).chain(SPARE_MISSING);
                    let label = labels.find(free).unwrap_or(SPARE_MISSING[2]).to_owned();
                    tree.add_missing(&label)?
                }
                _ => LEFT_OUT,
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

/// A text that stands for a missing value and is also a value of the taxonomy would be one or the other by chance.
fn refuse_covered(attribute: &Attribute, texts: &[String], absent: &[bool]) -> Result<()> {
    let Tree::Given(tree) = &attribute.tree else { return Ok(()) };
    match texts.iter().zip(absent).find(|(text, absent)| **absent && tree.find(text).is_some()) {
        None => Ok(()),
        Some((text, _)) => {
            let message =
                format!("`{text}` stands both in `missing-values` and in its taxonomy; take it out of one of them");
            Err(Error::column(&attribute.name, message))
        }
    }
}

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
            unknown.push(text.as_str());
        }
        codes.push(code.copied().unwrap_or(0));
    }
    if outside == 0 {
        return Ok(codes);
    }
    let inner =
        if inner > 0 { format!("; {inner} of them stand inside the tree, not at its leaves") } else { String::new() };
    let shown = attribute.role == Role::QuasiIdentifier && !is_called_private(&attribute.name);
    let which = if shown { listed(&unknown) } else { String::new() };
    let message = format!(
        "{} in {} outside its taxonomy{which}{inner}; every value of the data must be a leaf of it",
        counted(outside, "value"),
        counted(rows, "row")
    );
    Err(Error::column(&attribute.name, message))
}

/// Whether a text could be taken for a number, a date or an interval of them.
fn like_an_interval(label: &str) -> bool {
    let scale = |values| parse_scale(values, label).is_some();
    label.starts_with(['[', '<', '>']) || label == "any" || scale(Type::Number) || scale(Type::Date)
}

/// The first few of some quasi-identifier's values that its taxonomy does not have, for an error about them. What is no plain word is not
/// shown: a cell with a separator or a line break in it has swallowed others, of other columns or records.
pub(crate) fn listed(values: &[&str]) -> String {
    let plain = |value: &&&str| value.chars().count() <= 40 && !value.contains([',', ';', '|', '"', '\t', '\n', '\r']);
    in_brackets(values.iter().filter(plain), values.len())
}

/// Of values that are no numbers or dates, those that people write where they have none; others may belong to another column.
pub(crate) fn gaps(values: &[&str]) -> String {
    let usual = ["-", "--", ".", "..", "?", "na", "n/a", "nan", "nil", "none", "null", "missing", "unknown"];
    in_brackets(values.iter().filter(|value| usual.contains(&value.to_lowercase().as_str())), values.len())
}

fn in_brackets<'a>(shown: impl Iterator<Item = &'a &'a str>, all: usize) -> String {
    let first: Vec<String> = shown.take(3).map(|value| format!("`{value}`")).collect();
    let more = if all > first.len() { ", ..." } else { "" };
    if first.is_empty() { String::new() } else { format!(" ({}{more})", first.join(", ")) }
}

fn flat(attribute: &Attribute, texts: &[String], absent: &[bool], weights: &[Weight]) -> Result<(Taxonomy, Vec<Code>)> {
    if attribute.values != Type::Text {
        // 1, 1.0 and 01 are one value, and are published in one spelling.
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
    let told = matches!(attribute.role, Role::QuasiIdentifier | Role::Sensitive);
    if told && values.iter().any(|value| value == crate::taxonomy::SUPPRESSED) {
        let message =
            "contains the value `*`, which is what a suppressed cell is published as; add `*` to `missing-values`";
        return Err(Error::column(&attribute.name, message));
    }
    Ok((Taxonomy::flat(values), codes))
}

/// The numbers or days behind texts, ascending and each once; and by text, the place of its own.
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
        Tree::Intervals { levels, exact } => {
            let tree = Taxonomy::intervals(name, values, distinct, levels)?;
            if *exact { tree } else { tree.without_leaves() }
        }
        Tree::Grown { range } | Tree::Binned { range } => {
            if let Some((low, high)) = range
                && distinct.first().zip(distinct.last()).is_some_and(|(first, last)| first < low || last >= high)
            {
                let range = format!("[{},{})", scale_text(values, *low), scale_text(values, *high));
                return Err(Error::column(
                    name,
                    format!(
                        "has values outside its declared range {range}, whose end is not part of it; widen the range"
                    ),
                ));
            }
            let tree = Taxonomy::grown(values, distinct, *range);
            if matches!(attribute.tree, Tree::Binned { .. }) { tree.binned() } else { tree }
        }
        _ => Taxonomy::grown(values, distinct, None),
    };
    Ok((tree, codes))
}

/// Every text of a number or date column must be one.
fn check_scale(attribute: &Attribute, texts: &[String], absent: &[bool], weights: &[Weight]) -> Result<()> {
    let wrong: Vec<usize> =
        (0..texts.len()).filter(|at| !absent[*at] && parse_scale(attribute.values, &texts[*at]).is_none()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let rows: Weight = wrong.iter().map(|at| weights[*at]).sum();
    let (what, how) = match attribute.values {
        Type::Date => ("dates written YYYY-MM-DD", "rewrite them"),
        _ => ("numbers (NaN, infinities and whole numbers beyond 2^53 are none here)", "correct them"),
    };
    let message = format!(
        "{} with values that are not {what}; {how}, list them in `missing-values`, or declare `type = \"text\"`",
        counted(rows, "row")
    );
    Err(Error::column(&attribute.name, message))
}
