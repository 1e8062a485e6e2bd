//! Equivalence classes: records with equal published values, and the counts in each class. Performance-critical.

use hashbrown::HashSet;

use crate::data::contingency::{ContingencyTable, Owner, Weight, ascending, combine};
use crate::data::taxonomy::Code;
use crate::release::PublishedColumn;

/// Counts of one equivalence class.
#[derive(Debug, Clone, Copy)]
pub struct EquivalenceClass<'a> {
    /// Number of people in the class; records if every record has its own owner.
    pub size: Weight,
    /// Number of people by measured value that occurs, in ascending order of the values.
    pub counts: &'a [(Code, Weight)],
}

/// Counts of the whole release as one class, and the measured column.
#[derive(Debug, Clone)]
pub struct Whole<'a> {
    /// Number of people in the release.
    pub size: Weight,
    /// Number of people by measured value that occurs, in ascending order of the values.
    pub counts: Vec<(Code, Weight)>,
    /// Measured column, if exactly one column is measured.
    pub column: Option<&'a PublishedColumn>,
}

impl Whole<'_> {
    /// The counts as an equivalence class.
    pub fn as_class(&self) -> EquivalenceClass<'_> {
        EquivalenceClass { size: self.size, counts: &self.counts }
    }
}

/// Measured value of each combination, as a code.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Code by combination.
    pub codes: Vec<Code>,
    /// Highest code plus one.
    pub len: usize,
}

impl Measured {
    /// Measures combinations of values of these columns. Without columns, only people are counted.
    pub fn new(contingency: &ContingencyTable, columns: &[usize]) -> Measured {
        let codes = match columns {
            [] => vec![0; contingency.len()],
            [column] => contingency.codes[*column].clone(),
            several => combined_keys(contingency, several),
        };
        let len = codes.iter().max().map_or(0, |maximum| *maximum as usize + 1);
        Measured { codes, len }
    }

    /// Counts of the whole release as one class.
    pub fn whole<'a>(&self, contingency: &ContingencyTable, column: Option<&'a PublishedColumn>) -> Whole<'a> {
        let mut counter = ClassCounter::new(self.len, contingency.owners.is_some());
        for at in 0..contingency.len() {
            counter.add(contingency, self, at);
        }
        let class = counter.count();
        Whole { size: class.size, counts: class.counts.to_vec(), column }
    }
}

/// Assigns one code to each distinct combination of several columns.
fn combined_keys(contingency: &ContingencyTable, columns: &[usize]) -> Vec<Code> {
    let parts: Vec<&[Code]> = columns.iter().map(|column| contingency.codes[*column].as_slice()).collect();
    let mut codes = vec![0; contingency.len()];
    let mut code = 0;
    let order = ascending(&parts, contingency.len());
    for pair in 0..order.len() {
        let at = order[pair] as usize;
        if pair > 0 && parts.iter().any(|part| part[at] != part[order[pair - 1] as usize]) {
            code += 1;
        }
        codes[at] = code;
    }
    codes
}

/// Counts people by measured value, one class at a time, and reuses its buffers.
#[derive(Debug)]
pub struct ClassCounter {
    by_code: Vec<Weight>,
    touched: Vec<Code>,
    size: Weight,
    /// Pairs of value and owner, if an owner can have several records.
    seen: Option<Vec<(Code, Owner)>>,
    counts: Vec<(Code, Weight)>,
}

impl ClassCounter {
    /// Creates a counter for measured codes below `len`.
    pub fn new(len: usize, owners: bool) -> ClassCounter {
        let seen = owners.then(Vec::new);
        ClassCounter { by_code: vec![0; len], touched: Vec::new(), size: 0, seen, counts: Vec::new() }
    }

    /// Adds a combination to the current class.
    #[inline]
    pub fn add(&mut self, contingency: &ContingencyTable, measured: &Measured, at: usize) {
        let code = measured.codes[at];
        match (&mut self.seen, &contingency.owners) {
            (Some(seen), Some(owners)) => seen.push((code, owners[at])),
            _ => {
                let weight = contingency.weights[at];
                let count = &mut self.by_code[code as usize];
                if *count == 0 {
                    self.touched.push(code);
                }
                *count += weight;
                self.size += weight;
            }
        }
    }

    /// Returns the counts of the current class and starts a new class.
    pub fn count(&mut self) -> EquivalenceClass<'_> {
        self.counts.clear();
        let mut size = std::mem::take(&mut self.size);
        if let Some(seen) = &mut self.seen {
            seen.sort_unstable();
            seen.dedup();
            for pair in seen.iter() {
                match self.counts.last_mut() {
                    Some((code, count)) if *code == pair.0 => *count += 1,
                    _ => self.counts.push((pair.0, 1)),
                }
            }
            seen.sort_unstable_by_key(|pair| pair.1);
            seen.dedup_by_key(|pair| pair.1);
            size = seen.len() as Weight;
            seen.clear();
        } else {
            self.touched.sort_unstable();
            for code in self.touched.drain(..) {
                self.counts.push((code, std::mem::take(&mut self.by_code[code as usize])));
            }
        }
        EquivalenceClass { size, counts: &self.counts }
    }
}

/// Visits each equivalence class on the columns `by`, with the index of one member and its counts.
pub fn for_each(
    contingency: &ContingencyTable,
    by: &[usize],
    measured: &Measured,
    mut visit: impl FnMut(usize, EquivalenceClass<'_>),
) {
    for_each_while(contingency, by, measured, |member, class| {
        visit(member, class);
        true
    });
}

/// As [`for_each`], until `visit` returns false.
pub(crate) fn for_each_while(
    contingency: &ContingencyTable,
    by: &[usize],
    measured: &Measured,
    mut visit: impl FnMut(usize, EquivalenceClass<'_>) -> bool,
) {
    let parts: Vec<&[Code]> = by.iter().map(|column| contingency.codes[*column].as_slice()).collect();
    let order = ascending(&parts, contingency.len());
    let mut counter = ClassCounter::new(measured.len, contingency.owners.is_some());
    for (place, at) in order.iter().enumerate() {
        let at = *at as usize;
        counter.add(contingency, measured, at);
        let last = order.get(place + 1).is_none_or(|next| parts.iter().any(|part| part[*next as usize] != part[at]));
        if last && !visit(at, counter.count()) {
            return;
        }
    }
}

/// Number of rows of each equivalence class on these columns.
pub fn sizes(contingency: &ContingencyTable, by: &[usize]) -> Vec<Weight> {
    let codes: Vec<&[Code]> = by.iter().map(|column| contingency.codes[*column].as_slice()).collect();
    combine(&codes, &contingency.weights, None).weights
}

/// Number of people in the classes that satisfy `chosen`, given the index of one member and the counts. A person in several classes
/// counts once.
pub fn people_in(
    contingency: &ContingencyTable,
    by: &[usize],
    measured: &Measured,
    chosen: impl Fn(usize, &EquivalenceClass<'_>) -> bool,
) -> Weight {
    let mut rows = 0;
    let mut members: Vec<usize> = Vec::new();
    for_each(contingency, by, measured, |member, class| {
        if chosen(member, &class) {
            rows += class.size;
            members.push(member);
        }
    });
    let Some(owners) = &contingency.owners else { return rows };
    let class = |at: usize| -> Box<[Code]> { by.iter().map(|column| contingency.codes[*column][at]).collect() };
    let classes: HashSet<Box<[Code]>> = members.into_iter().map(class).collect();
    let people: HashSet<Owner> =
        (0..contingency.len()).filter(|at| classes.contains(&class(*at))).map(|at| owners[at]).collect();
    people.len() as Weight
}
