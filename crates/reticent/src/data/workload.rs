//! Workload of count queries: how many records have certain values in certain columns.
//!
//! A condition selects values of one column: the leaves below a taxonomy node, a single value, or the numbers and dates between
//! two bounds. The estimate of a query from published values assumes that the leaves of a published value are equally likely:
//!
//! ```text
//! estimate = sum over published records of the product over conditions of |leaves of the value that match| / |leaves|
//! ```
//!
//! Source      LeFevre, DeWitt and Ramakrishnan, Workload-aware anonymization, KDD 2006; uniform estimates as in Xiao and Tao,
//!             Anatomy, VLDB 2006.

use std::ops::Range;

use crate::data::table::Table;
use crate::data::taxonomy::{Code, Taxonomy, Type, parse_scale};
use crate::error::{Error, Result, did_you_mean};

/// Count queries for which a release is made.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Workload {
    /// File of the queries, for errors.
    pub file: String,
    /// Queries in the order of the file.
    pub queries: Vec<CountQuery>,
}

/// A count query: the number of records that satisfy all conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct CountQuery {
    /// Conditions, at most one for each column.
    pub conditions: Vec<Condition>,
    /// Weight of the query in means over the workload.
    pub weight: f64,
}

/// Condition on one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Name of the column.
    pub column: String,
    /// Selected values.
    pub values: SelectedValues,
    /// Line of the file, from 1.
    pub line: usize,
}

/// Values that a condition selects.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectedValues {
    /// A value, or the values below a taxonomy node with this label.
    Label(String),
    /// Numbers, or days since 1970-01-01, from the first to the second bound, both included.
    Between(f64, f64),
}

/// Minimum share of the records in the denominator of a relative error. Relative errors of smaller counts are not meaningful.
pub(crate) const MIN_SELECTIVITY: f64 = 0.001;

/// Width of a random condition, in tenths of the values of the column.
const RANGE_TENTHS: usize = 3;

/// A query on the codes of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CodeQuery {
    pub conditions: Vec<CodeCondition>,
    pub weight: f64,
}

/// A condition on the codes of one column of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CodeCondition {
    /// Index of the column in the table.
    pub column: usize,
    /// Number of selected codes before each code, and of all selected codes at the end.
    before: Vec<u32>,
}

impl CodeCondition {
    /// Creates a condition from a predicate on the codes of a column.
    pub(crate) fn new(column: usize, codes: usize, selects: impl Fn(Code) -> bool) -> CodeCondition {
        let mut before = Vec::with_capacity(codes + 1);
        let mut count = 0;
        before.push(count);
        for code in 0..codes as Code {
            count += u32::from(selects(code));
            before.push(count);
        }
        CodeCondition { column, before }
    }

    /// Draws a range of values of a column. `below(n)` returns a random number below `n`.
    pub(crate) fn draw(column: usize, codes: usize, below: &mut dyn FnMut(usize) -> usize) -> CodeCondition {
        let width = (codes * RANGE_TENTHS).div_ceil(10).max(1);
        let low = below(codes - width + 1);
        CodeCondition::new(column, codes, |code| (low..low + width).contains(&(code as usize)))
    }

    pub(crate) fn contains(&self, code: Code) -> bool {
        self.matching(&(code..code + 1)) > 0
    }

    /// Number of selected codes in a range.
    pub(crate) fn matching(&self, codes: &Range<Code>) -> u32 {
        self.before[codes.end as usize] - self.before[codes.start as usize]
    }

    /// Share of these leaves that the condition selects, given as disjoint ranges.
    pub(crate) fn share(&self, leaves: &[Range<Code>]) -> f64 {
        let all: u32 = leaves.iter().map(|codes| codes.end - codes.start).sum();
        let matching: u32 = leaves.iter().map(|codes| self.matching(codes)).sum();
        if all == 0 { 0.0 } else { f64::from(matching) / f64::from(all) }
    }
}

impl CodeQuery {
    /// Whether a combination of the table satisfies all conditions.
    pub(crate) fn matches(&self, codes: &[Vec<Code>], at: usize) -> bool {
        self.conditions.iter().all(|condition| condition.contains(codes[condition.column][at]))
    }
}

impl Workload {
    /// Returns the queries on the codes of a table, and the number of queries on columns that the table does not have.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no queries, if a condition names a value that its column does not have, or bounds a column without numbers.
    pub(crate) fn resolve(&self, table: &Table) -> Result<(Vec<CodeQuery>, u64)> {
        if self.queries.is_empty() {
            let message = "there are no queries".to_owned();
            return Err(Error::Workload { file: self.file.clone(), line: None, message, hint: None });
        }
        let (mut queries, mut inapplicable) = (Vec::new(), 0);
        for query in &self.queries {
            let place = |condition: &Condition| table.columns.iter().position(|column| column.name == condition.column);
            let places: Option<Vec<usize>> = query.conditions.iter().map(place).collect();
            let Some(places) = places else {
                inapplicable += 1;
                continue;
            };
            let conditions = query.conditions.iter().zip(places);
            let conditions = conditions.map(|(condition, column)| {
                let tree = &table.columns[column].tree;
                self.codes(condition, column, tree)
            });
            queries.push(CodeQuery { conditions: conditions.collect::<Result<_>>()?, weight: query.weight });
        }
        Ok((queries, inapplicable))
    }

    fn codes(&self, condition: &Condition, column: usize, tree: &Taxonomy) -> Result<CodeCondition> {
        match &condition.values {
            SelectedValues::Between(from, to) => {
                let number = |code: Code| match tree.numbers() {
                    Some(numbers) => numbers.get(code as usize).copied(),
                    None => number_of(tree.value(code)),
                };
                let selects = |code: Code| number(code).is_some_and(|number| (*from..=*to).contains(&number));
                if tree.numbers().is_none() && (0..tree.len() as Code).all(|code| number(code).is_none()) {
                    return Err(self.wrong(condition, "has bounds, but the column has no numbers or dates", None));
                }
                Ok(CodeCondition::new(column, tree.len(), selects))
            }
            SelectedValues::Label(label) => {
                if let Some(node) = tree.find(label) {
                    let codes = tree.node(node).span.clone();
                    return Ok(CodeCondition::new(column, tree.len(), |code| codes.contains(&code)));
                }
                // A number or date can be absent from the data, or have another spelling.
                let Some(number) = number_of(label).filter(|_| tree.numbers().is_some()) else {
                    return Err(self.wrong(condition, "names a value that the column does not have", None));
                };
                let selects = |code: Code| tree.numbers().and_then(|all| all.get(code as usize)) == Some(&number);
                Ok(CodeCondition::new(column, tree.len(), selects))
            }
        }
    }

    /// Checks the value of a condition against the taxonomy of its column.
    pub(crate) fn check_label(&self, condition: &Condition, tree: &Taxonomy) -> Result<()> {
        let SelectedValues::Label(label) = &condition.values else { return Ok(()) };
        if tree.find(label).is_some() {
            return Ok(());
        }
        let hint = did_you_mean(label, tree.nodes().iter().map(|node| node.label.as_str()));
        Err(self.wrong(condition, "names a value that the taxonomy of the column does not have", hint))
    }

    /// Returns an error about a condition.
    fn wrong(&self, condition: &Condition, message: &str, hint: Option<String>) -> Error {
        let message = format!("the condition on `{}` {message}", condition.column);
        Error::Workload { file: self.file.clone(), line: Some(condition.line), message, hint }
    }
}

/// Returns the number or day of a text.
fn number_of(text: &str) -> Option<f64> {
    parse_scale(Type::Number, text).or_else(|| parse_scale(Type::Date, text))
}
