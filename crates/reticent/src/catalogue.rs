//! The catalogue: the union of all registries, and suggestions for unknown names.

use crate::error::{Error, Result};
use crate::registry::{Entry, Kind, by_name, unknown};
use crate::requirement::ModelSpec;
use crate::{algorithms, attacks, metrics, models, operations, republication};

/// Returns all entries, ordered by kind and then by list order.
pub fn all() -> Vec<&'static Entry> {
    let models = models::LIST.iter().map(|listed| &listed.entry);
    let operations = operations::LIST.iter();
    let metrics = metrics::LIST.iter().map(|listed| &listed.entry);
    let algorithms = algorithms::LIST.iter().map(|listed| &listed.entry);
    let attacks = attacks::LIST.iter().map(|listed| &listed.entry);
    let methods = republication::LIST.iter().map(|listed| &listed.entry);
    models.chain(operations).chain(metrics).chain(algorithms).chain(methods).chain(attacks).collect()
}

/// Returns a suggestion if the typed name is the title of an entry, or the name of an entry of another kind.
pub(crate) fn suggest(kind: Kind, typed: &str) -> Option<String> {
    let (here, elsewhere): (Vec<&Entry>, Vec<&Entry>) = all().into_iter().partition(|entry| entry.kind == kind);
    let other = |entry: &&Entry| {
        let (id, kind) = (entry.id, entry.kind);
        match kind {
            Kind::Algorithm => format!("it is an algorithm: write algorithm = \"{id}\""),
            Kind::Method => format!("it is a republication method: write method = \"{id}\""),
            kind => format!("`{id}` is an entry of kind `{kind}`"),
        }
    };
    by_name(&here, typed).or_else(|| elsewhere.iter().find(|entry| entry.has_name(typed)).map(other))
}

/// Checks that every specification names an existing model.
///
/// # Errors
///
/// Returns an error for the first specification whose model is not in [`models::LIST`]. The error suggests a similar name.
pub fn check_models(specs: &[ModelSpec]) -> Result<()> {
    let entries = || models::LIST.iter().map(|listed| &listed.entry);
    for spec in specs {
        let id = &spec.model;
        if entries().any(|entry| entry.id == id) {
            continue;
        }
        let error = match suggest(Kind::Model, id) {
            Some(hint) => Error::Unknown { kind: Kind::Model, id: id.clone(), hint: Some(hint) },
            None => unknown(Kind::Model, id, entries()),
        };
        return Err(match spec.line {
            Some(line) => Error::policy(Some(line), error.to_string()),
            None => error,
        });
    }
    Ok(())
}
