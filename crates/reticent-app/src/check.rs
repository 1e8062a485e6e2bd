//! `check`: re-identification risk of the original data without its suppressed values, and whether it satisfies the policy.

use reticent::models::Violation;
use reticent::reachability::unreachable_models;
use reticent::risk::{class_sizes, minimal_quasi_identifier, risk};
use reticent::text::people;
use reticent::verify::SENSITIVE_NOT_SHOWN;
use reticent::{History, Release, Role, Schema, Unit};

use crate::Workspace;
use crate::answer::{CheckAnswer, ColumnRole, DataFindings, ModelFinding, PresetAnswer};
use crate::context::Context;
use crate::dataset::{LoadedPolicy, PreparedData, load, prepare};
use crate::error::Result;
use crate::request::CheckRequest;

/// Note for a policy with a republication method.
const METHOD_NOTE: &str = "The guarantee of a republication method applies to releases, not to the original data; rehearse the release to \
                           see whether the method can publish it";

/// Checks the policy, and the data if the request names any.
pub(crate) fn check(workspace: &Workspace, request: &CheckRequest, context: &Context) -> Result<CheckAnswer> {
    let loaded = load(&workspace.policy)?;
    let by_method = loaded.policy.method.is_some();
    loaded.policy.method.map_or(Ok(()), |method| method.def.check_offered())?;
    let mut units = loaded.policy.units();
    let rows = request.data.or_of(&loaded.policy);
    let (mut requirements, data): (Vec<String>, _) = if rows.is_empty() {
        let requirement = loaded.requirement(&loaded.schema, "", &[])?;
        if !by_method {
            requirement.check()?;
        }
        (requirement.models.iter().map(|model| model.title()).collect(), None)
    } else {
        let prepared = prepare(&loaded, &rows, None, ("", &[]), None, context)?;
        let doubtful = prepared.role_warnings();
        // As in `publish`: the risk and the models are those of the data without the suppressed values.
        let prepared = prepared.with_suppressed_values(&loaded.policy)?;
        if !by_method {
            prepared.requirement.check()?;
        }
        units = prepared.units(&loaded.policy)?.into_iter().map(|known| (known.column, known.unit)).collect();
        let findings = data_findings(&loaded, &prepared, &doubtful, request.witnesses)?;
        (prepared.requirement.models.iter().map(|model| model.title()).collect(), Some(findings))
    };
    requirements.extend(loaded.promise_texts()?);
    Ok(CheckAnswer {
        dataset: loaded.policy.dataset.clone(),
        preset: loaded.policy.preset.map(|preset| PresetAnswer { preset, keys: preset.keys() }),
        requirements,
        columns: column_lines(&loaded.schema, &units),
        data,
        suppression: loaded.policy.suppression,
    })
}

fn column_lines(schema: &Schema, units: &[(String, Unit)]) -> Vec<ColumnRole> {
    let per = |column: &str| units.iter().find(|(name, _)| name == column).map(|(_, unit)| *unit);
    schema
        .attributes
        .iter()
        .map(|attribute| ColumnRole { name: attribute.name.clone(), role: attribute.role, per: per(&attribute.name) })
        .collect()
}

/// Returns a warning for each sensitive column that no requirement limits: a release can disclose its values with certainty.
fn unbounded_columns(prepared: &PreparedData) -> Vec<String> {
    let table = &prepared.table;
    let models = &prepared.requirement.models;
    let is_bounded = |name: &String| models.iter().any(|model| model.measured().contains(name));
    let sensitive = table.with_role(Role::Sensitive).into_iter().filter(|at| !is_bounded(&table.columns[*at].name));
    let warning = |at: usize| {
        let weights = table.weights_of(at);
        let share = weights.iter().max().map_or(0.0, |most| *most as f64 / weights.iter().sum::<u64>().max(1) as f64);
        format!(
            "no requirement limits what can be inferred about {}: a release can disclose it with certainty. Set `confidence` under \
             [requirement]; its most frequent value has a share of {:.1} %, so no bound below that can be met",
            table.columns[at].name,
            100.0 * share
        )
    };
    sensitive.map(warning).collect()
}

/// Returns the findings in the data. `doubtful` has a column and a warning for each role that may be wrong.
fn data_findings(
    loaded: &LoadedPolicy,
    prepared: &PreparedData,
    doubtful: &[(String, String)],
    witnesses: usize,
) -> Result<DataFindings> {
    let release = Release::raw(&prepared.table)?;
    let mut on: Vec<String> = prepared.schema.with_role(Role::QuasiIdentifier);
    if on.is_empty() {
        on = prepared.requirement.models.iter().flat_map(|model| model.grouped_by().to_vec()).collect();
        on.sort();
        on.dedup();
    }
    let k = loaded.policy.shorthand.k.unwrap_or(2);
    let risk = risk(&release, &prepared.schema, &on, k)?;
    let class_sizes = class_sizes(&release, &on)?;
    let history = History::single(release);
    let mut models = Vec::new();
    let redact = |mut violation: Violation| {
        // Values of a column that may be an identifier or sensitive are not shown before the steward confirms its role.
        let is_doubtful = |name: &String| doubtful.iter().any(|(doubtful, _)| doubtful == name);
        violation
            .witness
            .iter_mut()
            .filter(|(name, _)| is_doubtful(name))
            .for_each(|(_, value)| *value = SENSITIVE_NOT_SHOWN.to_owned());
        violation
    };
    for (model, survey) in prepared.requirement.survey(&history)? {
        models.push(ModelFinding {
            model,
            holds: survey.violations.is_empty(),
            classes: survey.classes,
            people_in_violating_classes: survey.violating,
            violating_classes: survey.violations.len(),
            worst: survey.worst.map(redact),
            witnesses: survey.violations.into_iter().take(witnesses).map(redact).collect(),
        });
    }
    let table = &prepared.table;
    let mut warnings: Vec<String> = doubtful.iter().map(|(_, warning)| warning.clone()).collect();
    if loaded.policy.method.is_none() {
        warnings.extend(prepared.unique_value_warnings(|_| true)?);
        warnings.extend(unbounded_columns(prepared));
    }
    let mut notes = prepared.notes.clone();
    let declared = loaded.policy.units();
    for unit in prepared.units(&loaded.policy)?.iter().filter(|known| known.people_with_differing_records > 0) {
        let is_declared = declared.iter().any(|(column, _)| *column == unit.column);
        let advice = if is_declared { "" } else { "; joins assume one value, unless the policy says per = \"record\"" };
        notes.push(format!(
            "{} describes the record, not the person: the records of {} differ in it{advice}",
            unit.column,
            people(unit.people_with_differing_records)
        ));
    }
    if loaded.policy.method.is_some() {
        notes.push(METHOD_NOTE.to_owned());
    }
    let unreachable = match loaded.policy.method {
        None => unreachable_models(table, &prepared.requirement, &loaded.policy.suppression)?,
        Some(_) => Vec::new(),
    };
    let quasi = table.with_role(Role::QuasiIdentifier);
    let named: Vec<(usize, &str)> = quasi.iter().map(|at| (*at, table.columns[*at].name.as_str())).collect();
    let minimal_quasi_identifier = minimal_quasi_identifier(&table.contingency, &named);
    Ok(DataFindings {
        risk,
        class_sizes,
        minimal_quasi_identifier,
        models,
        unreachable,
        missing: table.missing.clone(),
        dropped: table.dropped,
        warnings,
        notes,
    })
}
