//! `compare`: what releases would be like under several policies, algorithms or thresholds, side by side.

use std::path::{Path, PathBuf};

use crate::Workspace;
use crate::answer::{Choice, Comparison, MetricValue, Published, WouldPublish};
use crate::context::Context;
use crate::error::{Class, Error, Result};
use crate::publish::rehearse_recoding;
use crate::request::{CompareRequest, PublishRequest, RehearseRequest, WhatIf};

/// Compares, and publishes nothing.
pub(crate) fn compare(workspace: &Workspace, request: &CompareRequest, context: &Context) -> Result<Comparison> {
    let folder = tempfile::tempdir().map_err(Error::file("write in", std::env::temp_dir()))?;
    let mut choices = Vec::new();
    for choice in choices_of(workspace, request)? {
        choices.push(judge(workspace, request, choice, folder.path(), context)?);
        context.check()?;
    }
    Ok(Comparison { choices })
}

/// One choice, and the thresholds that it stands for.
type Open = (Choice, WhatIf);

/// Every combination of what is to be compared.
fn choices_of(workspace: &Workspace, request: &CompareRequest) -> Result<Vec<Open>> {
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
                            would: None,
                            refused: None,
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

/// Rehearses one way to publish.
fn judge(
    workspace: &Workspace,
    request: &CompareRequest,
    (mut choice, what_if): Open,
    folder: &Path,
    context: &Context,
) -> Result<Choice> {
    let rehearsal = RehearseRequest {
        publish: PublishRequest {
            data: request.data.clone(),
            name: request.name.clone(),
            output: folder.join("release.csv"),
            recipients: request.recipients.clone(),
            alone: request.alone,
            columns: choice.columns.clone(),
            algorithm: choice.algorithm.clone(),
            time_limit: None,
        },
        what_if,
    };
    let workspace = Workspace { policy: choice.policy.clone(), start_ledger: true, ..workspace.clone() };
    match rehearse_recoding(&workspace, &rehearsal, context) {
        Ok(answer) if answer.verified.holds() => choice.would = Some(would(answer)),
        Ok(_) => choice.refused = Some("the written file violates the requirement".to_owned()),
        Err(error) if error.class() == Class::Refused => {
            choice.refused = Some(error.to_string());
            if let Error::Refused { relief, .. } = error {
                choice.refusal = Some(*relief);
            }
        }
        Err(error) => return Err(error),
    }
    Ok(choice)
}

fn would(answer: Published) -> WouldPublish {
    WouldPublish {
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
        search: answer.seconds.search,
    }
}
