//! The published rows of a release, as texts: the result of recoding a table.

use rayon::prelude::*;
use reticent::contingency::{ContingencyTable, Owner, Weight, bits};
use reticent::taxonomy::Code;
use reticent::{Counts, Recoding, Table};

use crate::sort_merge::CombinationBuffer;

/// Number of combinations that a thread recodes at a time.
const CHUNK: usize = 1 << 16;

/// Returns the published rows in canonical form: only occurring texts, and both texts and combinations in ascending
/// order.
///
/// The form depends only on the published rows, so it is the same for all engines.
pub fn published(table: &Table, recoding: &Recoding) -> Counts {
    let rows = recode(&table.contingency, recoding);
    let (values, codes): (Vec<_>, Vec<Vec<Code>>) = recoding
        .columns
        .par_iter()
        .zip(rows.codes)
        .map(|(recoded, codes)| canonical(|code| recoded.column.label(code), recoded.column.nodes.len(), codes))
        .unzip();
    let mut widths: Vec<u32> = values.iter().map(|texts: &Vec<String>| bits(texts.len() as u32)).collect();
    widths.extend(rows.owners.as_ref().map(|_| Owner::BITS));
    let mut collected = CombinationBuffer::new(widths, rows.weights.len());
    for (at, weight) in rows.weights.iter().enumerate() {
        let owner = rows.owners.as_ref().map(|owners| owners[at]);
        collected.push(codes.iter().map(|codes| codes[at]).chain(owner), *weight);
    }
    let contingency = collected.into_table(rows.owners.is_some());
    let names = recoding.columns.iter().map(|recoded| recoded.column.name.clone()).collect();
    Counts { names, values, contingency, links: None }
}

/// Returns the published codes of every combination that is not suppressed.
fn recode(contingency: &ContingencyTable, recoding: &Recoding) -> ContingencyTable {
    let starts: Vec<usize> = (0..contingency.len()).step_by(CHUNK).collect();
    let parts: Vec<ContingencyTable> = starts
        .into_par_iter()
        .map(|start| recode_chunk(contingency, recoding, start..contingency.len().min(start + CHUNK)))
        .collect();
    let mut all = empty(recoding.columns.len(), contingency.owners.is_some());
    for part in parts {
        for (into, codes) in all.codes.iter_mut().zip(part.codes) {
            into.extend(codes);
        }
        all.weights.extend(part.weights);
        if let (Some(into), Some(owners)) = (&mut all.owners, part.owners) {
            into.extend(owners);
        }
    }
    all
}

fn recode_chunk(
    contingency: &ContingencyTable,
    recoding: &Recoding,
    indices: std::ops::Range<usize>,
) -> ContingencyTable {
    let mut part = empty(recoding.columns.len(), contingency.owners.is_some());
    let mut row = Vec::new();
    for at in indices {
        if !recoding.publish(contingency, at, &mut row) {
            continue;
        }
        for (into, code) in part.codes.iter_mut().zip(&row) {
            into.push(*code);
        }
        part.weights.push(contingency.weights[at]);
        if let (Some(into), Some(owners)) = (&mut part.owners, &contingency.owners) {
            into.push(owners[at]);
        }
    }
    part
}

fn empty(columns: usize, with_owners: bool) -> ContingencyTable {
    let owners: Option<Vec<Owner>> = with_owners.then(Vec::new);
    ContingencyTable { codes: vec![Vec::new(); columns], weights: Vec::<Weight>::new(), owners }
}

/// Returns the occurring texts in ascending order, and the codes as indices into them.
fn canonical<'a>(label: impl Fn(Code) -> &'a str, count: usize, mut codes: Vec<Code>) -> (Vec<String>, Vec<Code>) {
    let mut occurs = vec![false; count];
    for code in &codes {
        occurs[*code as usize] = true;
    }
    let mut texts: Vec<&str> = (0..count).filter(|code| occurs[*code]).map(|code| label(code as Code)).collect();
    texts.sort_unstable();
    texts.dedup();
    let index = |code: usize| texts.binary_search(&label(code as Code)).unwrap_or(0) as Code;
    let indices: Vec<Code> = (0..count).map(|code| if occurs[code] { index(code) } else { 0 }).collect();
    for code in &mut codes {
        *code = indices[*code as usize];
    }
    (texts.into_iter().map(str::to_owned).collect(), codes)
}
