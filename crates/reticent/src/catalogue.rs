//! The catalogue: all registries together, and suggestions for a name that stands in another list.

use crate::error::{Error, Result};
use crate::registry::{Entry, Kind, by_name, unknown};
use crate::requirement::Wording;
use crate::{algorithms, attacks, methods, metrics, models, operations};

/// Every entry there is, by kind and in the order of the lists.
pub fn all() -> Vec<&'static Entry> {
    let models = models::LIST.iter().map(|listed| &listed.entry);
    let operations = operations::LIST.iter();
    let metrics = metrics::LIST.iter().map(|listed| &listed.entry);
    let algorithms = algorithms::LIST.iter().map(|listed| &listed.entry);
    let attacks = attacks::LIST.iter().map(|listed| &listed.entry);
    let methods = methods::LIST.iter().map(|listed| &listed.entry);
    models.chain(operations).chain(metrics).chain(algorithms).chain(methods).chain(attacks).collect()
}

/// The suggestion for the title of an entry, or for the name of an entry in another list.
pub(crate) fn meant(kind: Kind, typed: &str) -> Option<String> {
    let (here, elsewhere): (Vec<&Entry>, Vec<&Entry>) = all().into_iter().partition(|entry| entry.kind == kind);
    let other = |entry: &&Entry| {
        let (id, kind) = (entry.id, entry.kind);
        match kind {
            Kind::Algorithm => format!("it is an algorithm: write algorithm = \"{id}\""),
            Kind::Method => format!("it is a method, for the same table again and again: write method = \"{id}\""),
            kind => format!("`{id}` is the name of a {kind}"),
        }
    };
    by_name(&here, typed).or_else(|| elsewhere.iter().find(|entry| entry.is_called(typed)).map(other))
}

/// Refuses wordings whose model does not exist, and suggests what was meant.
///
/// # Errors
///
/// The first wording that names a model which is not in [`models::LIST`].
pub fn check_models(wordings: &[Wording]) -> Result<()> {
    let entries = || models::LIST.iter().map(|listed| &listed.entry);
    for wording in wordings {
        let id = &wording.model;
        if entries().any(|entry| entry.id == id) {
            continue;
        }
        let error = match meant(Kind::Model, id) {
            Some(hint) => Error::Unknown { kind: Kind::Model, id: id.clone(), hint: Some(hint) },
            None => unknown(Kind::Model, id, entries()),
        };
        return Err(match wording.line {
            Some(line) => Error::policy(Some(line), error.to_string()),
            None => error,
        });
    }
    Ok(())
}
