//! Row order of the published files, for attacks that use it.

use hashbrown::HashMap;
use reticent::contingency::Owner;
use reticent::{History, RecordedRelease};
use reticent_engine::Embedded;
use reticent_ledger::{Entry, Hash, Ledger};

use crate::context::Context;
use crate::publish::PEOPLE;

/// Returns, for each release, the combination of each row in file order.
///
/// `None` if the file is missing, was modified, or has texts that the ledger does not have.
pub(crate) fn rows(history: &History, ledger: &Ledger, entries: &[Entry], context: &Context) -> Vec<Option<Vec<u32>>> {
    history.releases.iter().map(|recorded_release| of_release(recorded_release, ledger, entries, context)).collect()
}

fn of_release(
    recorded_release: &RecordedRelease,
    ledger: &Ledger,
    entries: &[Entry],
    context: &Context,
) -> Option<Vec<u32>> {
    if recorded_release.presentation.about_release.is_some() {
        return None;
    }
    let recorded = entries.iter().find(|entry| entry.number == recorded_release.number)?.release()?;
    let file = recorded.file.as_ref()?;
    let path = ledger.resolve_path(&file.path);
    let (sha256, _) = Hash::digest_file(&path).ok()?;
    if sha256 != file.sha256 {
        return None;
    }
    // A folder contains the table of people.
    let path = if path.is_dir() { path.join(format!("{PEOPLE}.csv")) } else { path };
    let numbers: Vec<Owner> = (0..u32::try_from(recorded.records).ok()?).collect();
    let counts = Embedded::open_file(&path, context.engine_options()).ok()?.count_rows(&numbers).ok()?;
    let release = &recorded_release.release;
    let order: Vec<usize> = release
        .columns
        .iter()
        .map(|column| counts.names.iter().position(|name| *name == column.name))
        .collect::<Option<_>>()?;
    let label = |at: usize, combo: usize| release.columns[at].label(release.contingency.codes[at][combo]);
    let known: HashMap<Vec<&str>, u32> = (0..release.contingency.len())
        .map(|combo| ((0..release.columns.len()).map(|at| label(at, combo)).collect(), combo as u32))
        .collect();
    let mut rows = vec![0; numbers.len()];
    for (at, row) in counts.contingency.owners.as_ref()?.iter().enumerate() {
        let text = |column: &usize| counts.values[*column][counts.contingency.codes[*column][at] as usize].as_str();
        let texts: Vec<&str> = order.iter().map(text).collect();
        rows[*row as usize] = *known.get(&texts)?;
    }
    Some(rows)
}
