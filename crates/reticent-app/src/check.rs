//! `check`: how risky the data is as it stands, and what the policy demands.

use reticent::models::Violation;
use reticent::risk::risk;
use reticent::verify::UNSHOWN;
use reticent::{History, Release, Role, Schema};

use crate::Workspace;
use crate::answer::{Check, ColumnRole, DataFindings, ModelFinding};
use crate::context::Context;
use crate::dataset::{Loaded, Prepared, load, prepare};
use crate::error::Result;
use crate::request::CheckRequest;

/// What there is to say about the data of a policy with a method.
const METHOD_NOTE: &str = "What a method promises is about releases, not about the data: `reticent publish --dry-run` tells whether it can be \
                           kept";

/// Checks the policy, and the data if there is any.
pub(crate) fn check(workspace: &Workspace, request: &CheckRequest, context: &Context) -> Result<Check> {
    let loaded = load(&workspace.policy)?;
    let by_method = loaded.policy.method.is_some();
    loaded.policy.method.map_or(Ok(()), |method| method.listed.offered())?;
    let (mut demands, data): (Vec<String>, _) = if request.data.is_empty() {
        let requirement = loaded.requirement(&loaded.schema, "", &[])?;
        if !by_method {
            requirement.check()?;
        }
        (requirement.models.iter().map(|model| model.title()).collect(), None)
    } else {
        let prepared = prepare(&loaded, &request.data, None, ("", &[]), None, context)?;
        if !by_method {
            prepared.requirement.check()?;
        }
        let findings = find(&loaded, &prepared, request.witnesses)?;
        (prepared.requirement.models.iter().map(|model| model.title()).collect(), Some(findings))
    };
    demands.extend(loaded.promises()?);
    Ok(Check {
        dataset: loaded.policy.dataset.clone(),
        demands,
        columns: column_lines(&loaded.schema),
        data,
        suppression: loaded.policy.suppression,
    })
}

fn column_lines(schema: &Schema) -> Vec<ColumnRole> {
    schema
        .attributes
        .iter()
        .map(|attribute| ColumnRole { name: attribute.name.clone(), role: attribute.role })
        .collect()
}

fn find(loaded: &Loaded, prepared: &Prepared, witnesses: usize) -> Result<DataFindings> {
    let release = Release::raw(&prepared.table)?;
    let mut on: Vec<String> = prepared.schema.with_role(Role::QuasiIdentifier);
    if on.is_empty() {
        on = prepared.requirement.models.iter().flat_map(|model| model.by().to_vec()).collect();
        on.sort();
        on.dedup();
    }
    let k = loaded.policy.short.k.unwrap_or(2);
    let risk = risk(&release, &prepared.schema, &on, k)?;
    let history = History::single(release);
    let mut models = Vec::new();
    let doubtful = prepared.doubtful();
    let discreet = |mut violation: Violation| {
        // What may name people, or be sensitive, is not shown before the policy gives it a role.
        let doubt = |name: &String| doubtful.iter().any(|(doubtful, _)| doubtful == name);
        violation.witness.iter_mut().filter(|(name, _)| doubt(name)).for_each(|(_, value)| *value = UNSHOWN.to_owned());
        violation
    };
    for (model, survey) in prepared.requirement.survey(&history)? {
        models.push(ModelFinding {
            model,
            holds: survey.violations.is_empty(),
            classes: survey.classes,
            people_in_violating_classes: survey.violating,
            violating_classes: survey.violations.len(),
            worst: survey.worst.map(discreet),
            witnesses: survey.violations.into_iter().take(witnesses).map(discreet).collect(),
        });
    }
    let table = &prepared.table;
    let mut warnings: Vec<String> = doubtful.iter().map(|(_, warning)| warning.clone()).collect();
    if loaded.policy.method.is_none() {
        warnings.extend(prepared.unprotected(|_| true)?);
    }
    let mut notes = prepared.notes.clone();
    if loaded.policy.method.is_some() {
        notes.push(METHOD_NOTE.to_owned());
    }
    Ok(DataFindings { risk, models, missing: table.missing.clone(), dropped: table.dropped, warnings, notes })
}
