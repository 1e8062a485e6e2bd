//! `reticent taxonomy update`: adds the values of new data to the taxonomy files.

use reticent_app::Workspace;
use reticent_app::answer::{TaxonomyChange, TaxonomyUpdateAnswer};
use reticent_app::request::TaxonomyUpdateRequest;

use crate::args::{Taxonomy, TaxonomyAction, TaxonomyUpdate};
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{HINT, plural};

/// Runs an action on the taxonomies.
pub fn run(options: &Taxonomy, console: &Console) -> Result<u8, Error> {
    let TaxonomyAction::Update(options) = &options.action;
    let request = TaxonomyUpdateRequest { data: options.data.clone().into(), dry_run: options.dry_run };
    let answer = Workspace::new(&options.policy).update_taxonomies(&request, &console.context)?;
    console.answer(&answer, |answer| print(answer, options))?;
    Ok(0)
}

fn print(answer: &TaxonomyUpdateAnswer, options: &TaxonomyUpdate) {
    if answer.columns.is_empty() {
        println!("No column of the data has a taxonomy file.");
    }
    for change in &answer.columns {
        println!("{}: {}", change.column, described(change));
    }
    let changed: Vec<&TaxonomyChange> =
        answer.columns.iter().filter(|change| change.beside_similar + change.below_root > 0).collect();
    match (changed.is_empty(), options.dry_run) {
        (true, _) => {}
        (false, true) => println!("\n{HINT}Nothing was written. Without --dry-run, the values are added.{HINT:#}"),
        (false, false) => {
            let files: Vec<&str> = changed.iter().map(|change| change.file.as_str()).collect();
            println!("\n{HINT}Review the last lines of {}, then `reticent check`.{HINT:#}", files.join(", "));
        }
    }
}

fn described(change: &TaxonomyChange) -> String {
    let value = |count: u64, what: &str| (count > 0).then(|| format!("{} {what}", plural(count, "new value")));
    let inner = (change.inner_nodes > 0).then(|| {
        format!("{} already an inner node, and must be a leaf: rename the node", plural(change.inner_nodes, "value"))
    });
    let parts = [
        value(change.beside_similar, "beside a similar value"),
        value(change.below_root, "below the root: insert a group if they have one"),
        inner,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "complete".to_owned() } else { parts.join("; ") }
}
