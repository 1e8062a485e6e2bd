//! Counted values of the new release: what distinguishes the records of a class.

use hashbrown::HashMap;

use super::JoinCheck;
use crate::data::contingency::{ContingencyTable, Weight, ascending};
use crate::data::taxonomy::Code;
use crate::join::repeated::RepeatedColumn;
use crate::join::values::JoinValue;
use crate::join::{ColumnRef, Counted, Limit};
use crate::ratio::Ratio;
use crate::release::PublishedColumn;
use crate::release::classes::Measured;

/// Counted values of the new release: a code by combination, and the meaning of each code.
#[derive(Debug)]
pub struct ClassCells {
    /// Codes by combination.
    pub measured: Measured,
    /// Meaning of each code.
    pub(super) cells: Vec<ClassCell>,
    /// Values of the constant join columns, by number.
    pub(super) extras: Vec<Box<[u32]>>,
    /// Number of the value of the repeated column, by code. Empty without one.
    pub(super) repeated: Vec<u32>,
    /// Whether people are counted by owner instead of by record.
    pub(super) by_owner: bool,
    /// Bound by code, if Y is a single column of the new release.
    pub(super) bounds: Vec<Option<Ratio>>,
    /// The counted column of the whole new release, for a distribution.
    pub(super) whole: Option<Box<WholeColumn>>,
}

/// A column of a whole release: number of records, number of records by code, and the column.
#[derive(Debug)]
pub(super) struct WholeColumn {
    pub(super) size: Weight,
    pub(super) counts: Vec<(Code, Weight)>,
    pub(super) column: PublishedColumn,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ClassCell {
    /// Number of the values of the constant join columns.
    pub(super) extra: u32,
    /// Value on Y of the new release.
    pub(super) y: u32,
}

impl JoinCheck<'_> {
    /// Counted values for combinations of these columns, in the order of the new release.
    pub fn cells(&self, contingency: &ContingencyTable, columns: &[PublishedColumn]) -> ClassCells {
        let by_owner = self.people && contingency.owners.is_some();
        let mut parts: Vec<&[Code]> =
            self.constant.iter().map(|column| contingency.codes[*column].as_slice()).collect();
        let values = self.constant.iter().zip(self.varying.len()..).map(|(column, key)| {
            let mut values: Vec<Option<u32>> = vec![None; columns[*column].nodes.len()];
            for code in &contingency.codes[*column] {
                values[*code as usize].get_or_insert_with(|| {
                    let of = &columns[*column];
                    self.index().value(key, &JoinValue::Node(&of.tree, of.nodes[*code as usize]))
                });
            }
            values
        });
        let values: Vec<Vec<Option<u32>>> = values.collect();
        // Records with different values of a repeated column are counted separately.
        let repeated = self.repeated().map(AsRef::as_ref);
        let first_y = parts.len() + usize::from(repeated.is_some());
        parts.extend(repeated.map(|of| contingency.codes[of.column].as_slice()));
        let number_of = |of: &RepeatedColumn<'_>, code: Code| {
            let number = of.numbers.get(columns[of.column].label(code));
            number.copied().unwrap_or_else(|| {
                self.index().give_up();
                0
            })
        };
        let mut numbers = Vec::new();
        // A record is a separate value. An owner has the values of all records of the owner.
        let counted = if self.people && !by_owner { &[][..] } else { &self.y };
        parts.extend(counted.iter().map(|column| contingency.codes[*column].as_slice()));
        parts.extend(contingency.owners.as_deref().filter(|_| by_owner));
        let mut cells: Vec<ClassCell> = Vec::new();
        let mut codes = vec![0; contingency.len()];
        let (mut extras, mut ys) = (HashMap::new(), HashMap::new());
        let order = ascending(&parts, contingency.len());
        for (place, at) in order.iter().enumerate() {
            let at = *at as usize;
            let same = place > 0 && parts.iter().all(|part| part[at] == part[order[place - 1] as usize]);
            if !same {
                let value = |(column, values): (&usize, &Vec<Option<u32>>)| {
                    values[contingency.codes[*column][at] as usize].unwrap_or_default()
                };
                let extra: Box<[u32]> = self.constant.iter().zip(&values).map(value).collect();
                let y: Box<[u32]> = parts[first_y..].iter().map(|part| part[at]).collect();
                let next = extras.len() as u32;
                let extra = *extras.entry(extra).or_insert(next);
                let next = ys.len() as u32;
                let single = if let [one] = *y { Some(one) } else { None };
                let y = single.unwrap_or_else(|| *ys.entry(y).or_insert(next));
                cells.push(ClassCell { extra, y });
                numbers.extend(repeated.map(|of| number_of(of, contingency.codes[of.column][at])));
            }
            codes[at] = cells.len().saturating_sub(1) as Code;
        }
        let mut listed = vec![Box::default(); extras.len()];
        extras.into_iter().for_each(|(values, number)| listed[number as usize] = values);
        let bounds = match (&self.constraint.limit, self.constraint.y.as_slice()) {
            (Limit::AtMost(bounds), [Counted::Column(ColumnRef { release: 0, column })]) => {
                bounds.by_label(&columns[*column])
            }
            _ => Vec::new(),
        };
        let whole = match (&self.constraint.limit, self.constraint.y.as_slice()) {
            (Limit::Distribution(_), [Counted::Column(ColumnRef { release: 0, column })]) => {
                let records = ContingencyTable { owners: None, ..contingency.clone() };
                let whole = Measured::new(&records, &[*column]).whole(&records, None);
                let column = columns[*column].clone();
                Some(Box::new(WholeColumn { size: whole.size, counts: whole.counts, column }))
            }
            _ => None,
        };
        ClassCells {
            measured: Measured { codes, len: cells.len() },
            cells,
            extras: listed,
            repeated: numbers,
            by_owner,
            bounds,
            whole,
        }
    }
}
