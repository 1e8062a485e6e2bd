//! In which order the rows of the releases stand in their files.

use hashbrown::HashMap;
use reticent::combos::Owner;
use reticent::{Held, History};
use reticent_engine::Embedded;
use reticent_ledger::{Entry, Hash, Ledger};

use crate::context::Context;
use crate::publish::PEOPLE;

/// By release: the combination of each row, in the order of its file; none where the file is gone, was changed, or is written in
/// other words than the ledger keeps.
pub(crate) fn rows(history: &History, ledger: &Ledger, entries: &[Entry], context: &Context) -> Vec<Option<Vec<u32>>> {
    history.releases.iter().map(|held| of_release(held, ledger, entries, context)).collect()
}

fn of_release(held: &Held, ledger: &Ledger, entries: &[Entry], context: &Context) -> Option<Vec<u32>> {
    if held.disguise.of.is_some() {
        return None;
    }
    let recorded = entries.iter().find(|entry| entry.number == held.number)?.release()?;
    let file = recorded.file.as_ref()?;
    let path = ledger.outside(&file.path);
    let (sha256, _) = Hash::of_file(&path).ok()?;
    if sha256 != file.sha256 {
        return None;
    }
    // Of a folder, the table of people.
    let path = if path.is_dir() { path.join(format!("{PEOPLE}.csv")) } else { path };
    let numbers: Vec<Owner> = (0..u32::try_from(recorded.records).ok()?).collect();
    let counts = Embedded::open_file(&path, context.engine_options()).ok()?.count_rows(&numbers).ok()?;
    let release = &held.release;
    let order: Vec<usize> = release
        .columns
        .iter()
        .map(|column| counts.names.iter().position(|name| *name == column.name))
        .collect::<Option<_>>()?;
    let label = |at: usize, combo: usize| release.columns[at].label(release.combos.codes[at][combo]);
    let known: HashMap<Vec<&str>, u32> = (0..release.combos.len())
        .map(|combo| ((0..release.columns.len()).map(|at| label(at, combo)).collect(), combo as u32))
        .collect();
    let mut rows = vec![0; numbers.len()];
    for (at, row) in counts.combos.owners.as_ref()?.iter().enumerate() {
        let text = |column: &usize| counts.values[*column][counts.combos.codes[*column][at] as usize].as_str();
        let texts: Vec<&str> = order.iter().map(text).collect();
        rows[*row as usize] = *known.get(&texts)?;
    }
    Some(rows)
}
