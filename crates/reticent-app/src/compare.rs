//! `compare`: rehearses a release under several policies, algorithms, thresholds or selections of columns.

use std::path::{Path, PathBuf};

use crate::Workspace;
use crate::answer::{Choice, ChoiceResult, CompareAnswer, MetricValue, RecodedAnswer};
use crate::context::Context;
use crate::error::{Class, Error, Result};
use crate::publish::rehearse_recoding;
use crate::request::{CompareRequest, PublishRequest, RehearseRequest, WhatIf};

/// Rehearses every choice. Publishes nothing.
pub(crate) fn compare(workspace: &Workspace, request: &CompareRequest, context: &Context) -> Result<CompareAnswer> {
    let folder = tempfile::tempdir().map_err(Error::file("write in", std::env::temp_dir()))?;
    let mut choices = Vec::new();
    for choice in choices_of(workspace, request)? {
        choices.push(rehearse_choice(workspace, request, choice, folder.path(), context)?);
        context.check()?;
    }
    Ok(CompareAnswer { choices })
}

/// A choice that is not rehearsed yet, with its thresholds.
type PendingChoice = (Choice, WhatIf);

/// Returns every combination of the settings to compare.
fn choices_of(workspace: &Workspace, request: &CompareRequest) -> Result<Vec<PendingChoice>> {
    fn or_none<T: Clone>(given: &[T]) -> Vec<Option<T>> {
        if given.is_empty() { vec![None] } else { given.iter().cloned().map(Some).collect() }
    }
    let own = vec![workspace.policy.clone()];
    let policies: &Vec<PathBuf> = if request.policies.is_empty() { &own } else { &request.policies };
    let mut choices = Vec::new();
    for policy in policies {
        for algorithm in or_none(&request.algorithms) {
            for k in or_none(&request.k) {
                for confidence in or_none(&request.confidence) {
                    for columns in or_none(&request.columns) {
                        let choice = Choice {
                            policy: policy.clone(),
                            algorithm: algorithm.clone(),
                            k,
                            confidence: confidence.map(|confidence| confidence.decimal()),
                            columns,
                            result: None,
                            error: None,
                            refusal: None,
                        };
                        choices.push((choice, WhatIf::new(k, confidence)?));
                    }
                }
            }
        }
    }
    Ok(choices)
}

/// Rehearses one choice. A refusal is a result, any other error is returned.
fn rehearse_choice(
    workspace: &Workspace,
    request: &CompareRequest,
    (mut choice, what_if): PendingChoice,
    folder: &Path,
    context: &Context,
) -> Result<Choice> {
    let rehearsal = RehearseRequest {
        publish: PublishRequest {
            data: request.data.clone(),
            name: request.name.clone(),
            output: folder.join("release.csv"),
            recipients: request.recipients.clone(),
            ignore_history: request.ignore_history,
            columns: choice.columns.clone(),
            algorithm: choice.algorithm.clone(),
            time_limit: None,
        },
        what_if,
    };
    let workspace = Workspace { policy: choice.policy.clone(), start_ledger: true, ..workspace.clone() };
    match rehearse_recoding(&workspace, &rehearsal, context) {
        Ok(answer) if answer.verified.holds() => choice.result = Some(choice_result(answer)),
        Ok(_) => choice.error = Some("the written file violates the requirement".to_owned()),
        Err(error) if error.class() == Class::Refused => {
            choice.error = Some(error.to_string());
            if let Error::Refused { remedies, .. } = error {
                choice.refusal = Some(*remedies);
            }
        }
        Err(error) => return Err(error),
    }
    Ok(choice)
}

fn choice_result(answer: RecodedAnswer) -> ChoiceResult {
    ChoiceResult {
        published: answer.published,
        suppressed: answer.suppressed,
        classes: answer.classes,
        algorithm: answer.algorithm,
        guarantee: answer.guarantee,
        risk: answer.risk,
        metrics: answer
            .metrics
            .iter()
            .map(|metric| MetricValue { id: metric.id, value: metric.measure.value })
            .collect(),
        search_seconds: answer.seconds.search,
    }
}
