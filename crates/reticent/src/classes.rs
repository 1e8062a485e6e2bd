//! Equivalence classes: records that carry the same published values, and what is counted in each. The hot kernel.

use hashbrown::HashSet;

use crate::combos::{Combos, Owner, Weight, ascending, combine};
use crate::release::PublishedColumn;
use crate::taxonomy::Code;

/// One class: how many people are in it, and how many of them carry each measured value.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// People in the class (records, where every record has its own owner).
    pub size: Weight,
    /// People with each measured value that occurs, in ascending order of the values.
    pub counts: &'a [(Code, Weight)],
}

/// The whole release, measured like one class, and the column that was measured.
#[derive(Debug, Clone)]
pub struct Whole<'a> {
    /// People in the release.
    pub size: Weight,
    /// People with each measured value that occurs, in ascending order of the values.
    pub counts: Vec<(Code, Weight)>,
    /// The measured column, when it is one.
    pub column: Option<&'a PublishedColumn>,
}

impl Whole<'_> {
    /// The same as a class.
    pub fn group(&self) -> Group<'_> {
        Group { size: self.size, counts: &self.counts }
    }
}

/// What is measured in every class: a code per combination.
#[derive(Debug, Clone)]
pub struct Measured {
    /// By combination.
    pub codes: Vec<Code>,
    /// One more than the highest code.
    pub len: usize,
}

impl Measured {
    /// Measures these columns together; no column at all measures people.
    pub fn new(combos: &Combos, columns: &[usize]) -> Measured {
        let codes = match columns {
            [] => vec![0; combos.len()],
            [column] => combos.codes[*column].clone(),
            several => together(combos, several),
        };
        let len = codes.iter().max().map_or(0, |most| *most as usize + 1);
        Measured { codes, len }
    }

    /// The whole release as one class.
    pub fn whole<'a>(&self, combos: &Combos, column: Option<&'a PublishedColumn>) -> Whole<'a> {
        let mut tally = Tally::new(self.len, combos.owners.is_some());
        for at in 0..combos.len() {
            tally.add(combos, self, at);
        }
        let group = tally.count();
        Whole { size: group.size, counts: group.counts.to_vec(), column }
    }
}

/// One code for each different combination of several columns.
fn together(combos: &Combos, columns: &[usize]) -> Vec<Code> {
    let parts: Vec<&[Code]> = columns.iter().map(|column| combos.codes[*column].as_slice()).collect();
    let mut codes = vec![0; combos.len()];
    let mut code = 0;
    let order = ascending(&parts, combos.len());
    for pair in 0..order.len() {
        let at = order[pair] as usize;
        if pair > 0 && parts.iter().any(|part| part[at] != part[order[pair - 1] as usize]) {
            code += 1;
        }
        codes[at] = code;
    }
    codes
}

/// Counts people by measured value, class after class, without allocating for each.
#[derive(Debug)]
pub struct Tally {
    by_code: Vec<Weight>,
    touched: Vec<Code>,
    size: Weight,
    /// Where an owner can have several records: who was seen with which value.
    seen: Option<Vec<(Code, Owner)>>,
    counts: Vec<(Code, Weight)>,
}

impl Tally {
    /// For measured codes below `len`.
    pub fn new(len: usize, owners: bool) -> Tally {
        let seen = owners.then(Vec::new);
        Tally { by_code: vec![0; len], touched: Vec::new(), size: 0, seen, counts: Vec::new() }
    }

    /// Adds a combination.
    #[inline]
    pub fn add(&mut self, combos: &Combos, measured: &Measured, at: usize) {
        let code = measured.codes[at];
        match (&mut self.seen, &combos.owners) {
            (Some(seen), Some(owners)) => seen.push((code, owners[at])),
            _ => {
                let weight = combos.weights[at];
                let count = &mut self.by_code[code as usize];
                if *count == 0 {
                    self.touched.push(code);
                }
                *count += weight;
                self.size += weight;
            }
        }
    }

    /// The class that was added since the last call.
    pub fn count(&mut self) -> Group<'_> {
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
        Group { size, counts: &self.counts }
    }
}

/// Visits every class of the combinations that agree on `by`: one of its members, and what was counted in it.
pub fn for_each(combos: &Combos, by: &[usize], measured: &Measured, mut visit: impl FnMut(usize, Group<'_>)) {
    let parts: Vec<&[Code]> = by.iter().map(|column| combos.codes[*column].as_slice()).collect();
    let order = ascending(&parts, combos.len());
    let mut tally = Tally::new(measured.len, combos.owners.is_some());
    for (place, at) in order.iter().enumerate() {
        let at = *at as usize;
        tally.add(combos, measured, at);
        let last = order.get(place + 1).is_none_or(|next| parts.iter().any(|part| part[*next as usize] != part[at]));
        if last {
            visit(at, tally.count());
        }
    }
}

/// Rows in every class on these columns.
pub fn sizes(combos: &Combos, by: &[usize]) -> Vec<Weight> {
    let codes: Vec<&[Code]> = by.iter().map(|column| combos.codes[*column].as_slice()).collect();
    combine(&codes, &combos.weights, None).weights
}

/// People with a record in a class for which `chosen` says so. Somebody with records in several classes counts once.
pub fn people_in(combos: &Combos, by: &[usize], measured: &Measured, chosen: impl Fn(&Group<'_>) -> bool) -> Weight {
    let mut rows = 0;
    let mut members: Vec<usize> = Vec::new();
    for_each(combos, by, measured, |member, group| {
        if chosen(&group) {
            rows += group.size;
            members.push(member);
        }
    });
    let Some(owners) = &combos.owners else { return rows };
    let class = |at: usize| -> Box<[Code]> { by.iter().map(|column| combos.codes[*column][at]).collect() };
    let classes: HashSet<Box<[Code]>> = members.into_iter().map(class).collect();
    let people: HashSet<Owner> =
        (0..combos.len()).filter(|at| classes.contains(&class(*at))).map(|at| owners[at]).collect();
    people.len() as Weight
}
