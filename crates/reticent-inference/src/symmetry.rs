//! Exchangeable values: values whose swap maps possible worlds to possible worlds.
//!
//! Two values are exchangeable if the same classes can have them, and if every count of one has an equal count of the other: same
//! classes, same bounds. Then both have the same posterior for every person, however large the component is. The guarantee of
//! m-invariance is based on this.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::Value;
use super::components::{Component, MergedClass};

/// A count without its value: classes, lower bound, upper bound.
type Signature = (Vec<u32>, u64, u64);

/// Orbits of exchangeable values of a component.
#[derive(Debug, Clone, Default)]
pub(super) struct Symmetry(
    /// By value: size of its orbit, including the value. Values may be missing; their orbit size is 1.
    HashMap<Value, u32>,
);

impl Symmetry {
    pub(super) fn new(component: &Component) -> Symmetry {
        Symmetry(orbit_sizes(component))
    }

    /// Number of values that are exchangeable with this one, including itself. A class can have all of them or none.
    pub(super) fn orbit_size(&self, value: Value) -> u32 {
        if self.0.is_empty() { 1 } else { self.0.get(&value).copied().unwrap_or(1) }
    }

    /// Whether all open values of a class are exchangeable.
    pub(super) fn covers_class(&self, component: &Component, class: MergedClass) -> bool {
        let values = &component.value[class.cells()];
        values.iter().all(|value| self.orbit_size(*value) as usize == values.len())
    }

    /// Whether this holds for every class. Then all open values of a class have the same posterior, and no cell is fixed.
    pub(super) fn covers_component(&self, component: &Component) -> bool {
        component.classes.iter().all(|class| self.covers_class(component, *class))
    }
}

/// By value: size of its orbit.
fn orbit_sizes(component: &Component) -> HashMap<Value, u32> {
    let mut signatures: BTreeMap<Value, Vec<Signature>> = BTreeMap::new();
    let mut classes_by_value: BTreeMap<Value, Vec<u32>> =
        candidates(component).into_iter().map(|value| (value, Vec::new())).collect();
    if classes_by_value.is_empty() {
        return HashMap::new();
    }
    let mut class_of: Vec<u32> = Vec::with_capacity(component.value.len());
    for (class, at) in component.classes.iter().zip(0..) {
        for value in &component.value[class.cells()] {
            class_of.push(at);
            if let Some(classes) = classes_by_value.get_mut(value) {
                classes.push(at);
            }
        }
    }
    let mut mixed: Vec<Value> = Vec::new();
    let counted = component.rows_of.transposed(component.rows.len());
    for (at, row) in component.rows.iter().enumerate() {
        let cells = counted.at(at);
        let value = |cell: &u32| component.value[*cell as usize];
        let Some(first) = cells.first().map(value) else { continue };
        if cells.iter().any(|cell| value(cell) != first) {
            mixed.extend(cells.iter().map(value));
            continue;
        }
        if !classes_by_value.contains_key(&first) {
            continue;
        }
        let classes = cells.iter().map(|cell| class_of[*cell as usize]).collect();
        signatures.entry(first).or_default().push((classes, row.lower, row.upper));
    }
    let mut orbits: HashMap<(Vec<Signature>, Vec<u32>), Vec<Value>> = HashMap::new();
    for (value, classes) in classes_by_value {
        let mut signatures = signatures.remove(&value).unwrap_or_default();
        signatures.sort_unstable();
        if !mixed.contains(&value) {
            orbits.entry((signatures, classes)).or_default().push(value);
        }
    }
    orbits
        .into_values()
        .flat_map(|values| values.clone().into_iter().map(move |value| (value, values.len() as u32)))
        .collect()
}

/// Candidates for exchangeable values: another value has the same number of classes and the same sum of class indices.
fn candidates(component: &Component) -> Vec<Value> {
    let mut sums: HashMap<Value, (u64, u64)> = HashMap::new();
    for (class, at) in component.classes.iter().zip(0..) {
        for value in &component.value[class.cells()] {
            let (classes, places) = sums.entry(*value).or_default();
            (*classes, *places) = (*classes + 1, *places + at);
        }
    }
    let mut shared: HashMap<(u64, u64), u32> = HashMap::new();
    sums.values().for_each(|sum| *shared.entry(*sum).or_default() += 1);
    sums.into_iter().filter(|(_, sum)| shared[sum] > 1).map(|(value, _)| value).collect()
}
