//! The rows a release will have, as texts: what a recoding makes of a table.

use rayon::prelude::*;
use reticent::combos::{Combos, Owner, Weight, bits};
use reticent::taxonomy::Code;
use reticent::{Counts, Recoding, Table};

use crate::ascending::Collected;

/// Combinations recoded by one thread at a time.
const CHUNK: usize = 1 << 16;

/// The published rows in their canonical form: texts ascending, only those that occur, combinations ascending.
///
/// It depends on nothing but the rows that are published, so two engines that publish the same rows get the same.
pub fn published(table: &Table, recoding: &Recoding) -> Counts {
    let rows = recode(&table.combos, recoding);
    let (values, codes): (Vec<_>, Vec<Vec<Code>>) = recoding
        .columns
        .par_iter()
        .zip(rows.codes)
        .map(|(recoded, codes)| canonical(|code| recoded.column.label(code), recoded.column.nodes.len(), codes))
        .unzip();
    let mut widths: Vec<u32> = values.iter().map(|texts: &Vec<String>| bits(texts.len() as u32)).collect();
    widths.extend(rows.owners.as_ref().map(|_| Owner::BITS));
    let mut collected = Collected::new(widths, rows.weights.len());
    for (at, weight) in rows.weights.iter().enumerate() {
        let owner = rows.owners.as_ref().map(|owners| owners[at]);
        collected.push(codes.iter().map(|codes| codes[at]).chain(owner), *weight);
    }
    let combos = collected.combined(rows.owners.is_some());
    let names = recoding.columns.iter().map(|recoded| recoded.column.name.clone()).collect();
    Counts { names, values, combos, links: None }
}

/// The published codes of every combination that is not left out.
fn recode(combos: &Combos, recoding: &Recoding) -> Combos {
    let starts: Vec<usize> = (0..combos.len()).step_by(CHUNK).collect();
    let parts: Vec<Combos> = starts
        .into_par_iter()
        .map(|start| recode_chunk(combos, recoding, start..combos.len().min(start + CHUNK)))
        .collect();
    let mut all = empty(recoding.columns.len(), combos.owners.is_some());
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

fn recode_chunk(combos: &Combos, recoding: &Recoding, places: std::ops::Range<usize>) -> Combos {
    let mut part = empty(recoding.columns.len(), combos.owners.is_some());
    let mut row = Vec::new();
    for at in places {
        if !recoding.publish(combos, at, &mut row) {
            continue;
        }
        for (into, code) in part.codes.iter_mut().zip(&row) {
            into.push(*code);
        }
        part.weights.push(combos.weights[at]);
        if let (Some(into), Some(owners)) = (&mut part.owners, &combos.owners) {
            into.push(owners[at]);
        }
    }
    part
}

fn empty(columns: usize, with_owners: bool) -> Combos {
    let owners: Option<Vec<Owner>> = with_owners.then(Vec::new);
    Combos { codes: vec![Vec::new(); columns], weights: Vec::<Weight>::new(), owners }
}

/// The texts that occur, ascending, and the codes as places among them.
fn canonical<'a>(label: impl Fn(Code) -> &'a str, count: usize, mut codes: Vec<Code>) -> (Vec<String>, Vec<Code>) {
    let mut occurs = vec![false; count];
    for code in &codes {
        occurs[*code as usize] = true;
    }
    let mut texts: Vec<&str> = (0..count).filter(|code| occurs[*code]).map(|code| label(code as Code)).collect();
    texts.sort_unstable();
    texts.dedup();
    let place = |code: usize| texts.binary_search(&label(code as Code)).unwrap_or(0) as Code;
    let places: Vec<Code> = (0..count).map(|code| if occurs[code] { place(code) } else { 0 }).collect();
    for code in &mut codes {
        *code = places[*code as usize];
    }
    (texts.into_iter().map(str::to_owned).collect(), codes)
}
