//! `taxonomy update`: adds the values of new data to the taxonomy files of the policy.

use reticent::{Role, Taxonomy};
use reticent_engine::Engine;

use crate::Workspace;
use crate::answer::{Confidential, TaxonomyChange, TaxonomyUpdateAnswer};
use crate::context::Context;
use crate::dataset::load;
use crate::error::{Error, Problem, Result};
use crate::reading::source_options;
use crate::request::TaxonomyUpdateRequest;

/// Adds the values that the taxonomies lack. All files are prepared before the first is replaced.
pub(crate) fn update(
    workspace: &Workspace,
    request: &TaxonomyUpdateRequest,
    context: &Context,
) -> Result<TaxonomyUpdateAnswer> {
    let loaded = load(&workspace.policy)?;
    let options = source_options(&loaded.policy, context);
    let engine = request.data.or_of(&loaded.policy).open(options)?;
    loaded.policy.check_columns(engine.columns())?;
    let folder = workspace.policy.folder();
    if !request.dry_run {
        workspace.policy.require_file()?;
    }
    let in_data = |name: &String| engine.columns().contains(name);
    let mut changes = Vec::new();
    let mut texts: Vec<(String, String)> = Vec::new();
    for column in loaded.policy.columns.iter().filter(|column| in_data(&column.name)) {
        let Some(file) = column.taxonomy.as_ref().filter(|_| !matches!(column.role, Role::Identifier | Role::Drop))
        else {
            continue;
        };
        let Some((_, text)) = loaded.taxonomies.iter().find(|(name, _)| *name == column.name) else { continue };
        let values = values(engine.as_ref(), &column.name, &loaded.policy.missing_values)?;
        let extended = Taxonomy::extended(&column.name, text, &values)?;
        let changed = extended.text != *text;
        changes.push(TaxonomyChange {
            column: column.name.clone(),
            file: folder.join(file).display().to_string(),
            beside_similar: extended.beside_similar,
            below_root: extended.below_root,
            inner_nodes: extended.inner_nodes,
        });
        if changed {
            texts.push((file.clone(), extended.text));
        }
    }
    if !request.dry_run {
        for (path, text) in &texts {
            replace(&folder.join(path), text)?;
        }
    }
    Ok(TaxonomyUpdateAnswer {
        columns: changes,
        written: !request.dry_run && !texts.is_empty(),
        texts: Confidential(texts),
    })
}

/// Returns the values of a column, without missing ones.
fn values(engine: &dyn Engine, column: &str, missing: &[String]) -> Result<Vec<String>> {
    let profile = engine.values(Some(&[column.to_owned()]))?.into_iter().next();
    let listed = profile.and_then(|profile| profile.values);
    let too_many =
        || Error::from(Problem::TooManyValuesInColumn { column: column.to_owned(), remedy: "remove its taxonomy" });
    let listed = listed.ok_or_else(too_many)?;
    Ok(listed.into_iter().map(|(text, _)| text).filter(|text| !missing.contains(text)).collect())
}

/// Replaces a file in one step, so that an interruption leaves the old one.
fn replace(path: &std::path::Path, text: &str) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    std::fs::write(&new, text).map_err(Error::file("write", &new))?;
    std::fs::rename(&new, path).map_err(Error::file("replace", path))
}
