//! Values that can be exchanged for each other: when every count of one has its like for the other, exchanging the two turns
//! worlds into worlds, so both are equally likely for everybody. That is what m-invariance rests on, and it holds however large
//! a piece is.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::Value;
use super::pieces::{Merged, Piece};

/// What a count of a value says, whatever the value: whom it counts, and the bounds.
type Said = (Vec<u32>, u64, u64);

/// Values of a piece that are as likely as others.
#[derive(Debug, Clone, Default)]
pub(super) struct Alike(
    /// By value: how many there are, itself included, where there are others.
    HashMap<Value, u32>,
);

impl Alike {
    pub(super) fn of(piece: &Piece) -> Alike {
        Alike(classes(piece))
    }

    /// How many values, itself included, are as likely as this one. Whoever may have one of them may have all: that is part of what
    /// makes them alike.
    pub(super) fn to(&self, value: Value) -> u32 {
        if self.0.is_empty() { 1 } else { self.0.get(&value).copied().unwrap_or(1) }
    }

    /// Whether all open values of a crowd can be exchanged for each other.
    pub(super) fn all_of(&self, piece: &Piece, crowd: Merged) -> bool {
        let values = &piece.value[crowd.cells()];
        values.iter().all(|value| self.to(*value) as usize == values.len())
    }

    /// Whether that is so of everybody: then each value is as likely as the others, and none is forced.
    pub(super) fn everywhere(&self, piece: &Piece) -> bool {
        piece.crowds.iter().all(|crowd| self.all_of(piece, *crowd))
    }
}

/// By value: the size of its class.
fn classes(piece: &Piece) -> HashMap<Value, u32> {
    let mut said: BTreeMap<Value, Vec<Said>> = BTreeMap::new();
    let mut may: BTreeMap<Value, Vec<u32>> = candidates(piece).into_iter().map(|value| (value, Vec::new())).collect();
    if may.is_empty() {
        return HashMap::new();
    }
    let mut crowd_of: Vec<u32> = Vec::with_capacity(piece.value.len());
    for (crowd, at) in piece.crowds.iter().zip(0..) {
        for value in &piece.value[crowd.cells()] {
            crowd_of.push(at);
            if let Some(crowds) = may.get_mut(value) {
                crowds.push(at);
            }
        }
    }
    let mut mixed: Vec<Value> = Vec::new();
    let counted = piece.rows_of.turned(piece.rows.len());
    for (at, row) in piece.rows.iter().enumerate() {
        let cells = counted.at(at);
        let value = |cell: &u32| piece.value[*cell as usize];
        let Some(first) = cells.first().map(value) else { continue };
        if cells.iter().any(|cell| value(cell) != first) {
            mixed.extend(cells.iter().map(value));
            continue;
        }
        if !may.contains_key(&first) {
            continue;
        }
        let crowds = cells.iter().map(|cell| crowd_of[*cell as usize]).collect();
        said.entry(first).or_default().push((crowds, row.least, row.most));
    }
    let mut sizes: HashMap<(Vec<Said>, Vec<u32>), Vec<Value>> = HashMap::new();
    for (value, crowds) in may {
        let mut said = said.remove(&value).unwrap_or_default();
        said.sort_unstable();
        if !mixed.contains(&value) {
            sizes.entry((said, crowds)).or_default().push(value);
        }
    }
    sizes
        .into_values()
        .flat_map(|values| values.clone().into_iter().map(move |value| (value, values.len() as u32)))
        .collect()
}

/// Values that may be alike: as many crowds may have another one, and the sum of their places is the same.
fn candidates(piece: &Piece) -> Vec<Value> {
    let mut sums: HashMap<Value, (u64, u64)> = HashMap::new();
    for (crowd, at) in piece.crowds.iter().zip(0..) {
        for value in &piece.value[crowd.cells()] {
            let (crowds, places) = sums.entry(*value).or_default();
            (*crowds, *places) = (*crowds + 1, *places + at);
        }
    }
    let mut shared: HashMap<(u64, u64), u32> = HashMap::new();
    sums.values().for_each(|sum| *shared.entry(*sum).or_default() += 1);
    sums.into_iter().filter(|(_, sum)| shared[sum] > 1).map(|(value, _)| value).collect()
}
