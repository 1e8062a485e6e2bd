//! Identifiers that a registered file shows. The ledger records for which records it does, and never the identifiers themselves.

use reticent::contingency::ContingencyTable;
use reticent::{Counts, Links};
use reticent_engine::{CountColumn, CountRequest, Engine, Error as EngineError};

use crate::error::Result;

/// Text that replaces every identifier.
const SHOWN: &str = "shown";

/// Counts a file with its identifier columns, each replaced by whether a record shows the identifier.
///
/// A column with too many distinct values is taken to be shown by every record.
pub(super) fn count(
    engine: &dyn Engine,
    mut request: CountRequest,
    identifiers: &[String],
    missing: &[String],
) -> Result<Counts> {
    let mut uncounted: Vec<String> = Vec::new();
    let mut asked: Vec<String> = identifiers.to_vec();
    let kept = request.columns.clone();
    let counts = loop {
        let with = asked.iter().map(|name| CountColumn { name: name.clone(), bins: None });
        request.columns = kept.iter().cloned().chain(with).collect();
        match engine.count(&request) {
            Err(EngineError::TooManyValues { column, .. }) if asked.contains(&column) => {
                asked.retain(|name| *name != column);
                uncounted.push(column);
            }
            counts => break counts?,
        }
    };
    let mut masked = mask(counts, &asked, missing);
    for name in uncounted {
        masked.names.push(name);
        masked.values.push(vec![SHOWN.to_owned()]);
        let records = masked.contingency.weights.len();
        masked.contingency.codes.push(vec![0; records]);
    }
    Ok(masked)
}

/// Replaces the texts of identifier columns, and merges the combinations that become equal.
fn mask(mut counts: Counts, identifiers: &[String], missing: &[String]) -> Counts {
    // Links refer to the combinations without owners.
    let base = counts.without_owners();
    let mut codes = base.codes.clone();
    for at in (0..counts.names.len()).filter(|at| identifiers.contains(&counts.names[*at])) {
        let is_shown = |text: &String| u32::from(!text.trim().is_empty() && !missing.contains(text));
        let shown: Vec<u32> = counts.values[at].iter().map(is_shown).collect();
        codes[at].iter_mut().for_each(|code| *code = shown[*code as usize]);
        counts.values[at] = vec![String::new(), SHOWN.to_owned()];
    }
    let merged = ContingencyTable { codes: codes.clone(), weights: base.weights, owners: None }.combined();
    let place = |at: usize| {
        let key: Vec<u32> = codes.iter().map(|codes| codes[at]).collect();
        merged.find(&key).map(|place| place as u32)
    };
    let places: Vec<Option<u32>> = (0..codes.first().map_or(0, Vec::len)).map(place).collect();
    let links = counts.links.take().map(|links: Links| links.remap(&places));
    Counts { contingency: merged, links, ..counts }
}
