//! `publish`: makes a release that satisfies the policy given its history, verifies the written file, and records it.
//!
//! The file gets its final name only after the ledger entry is committed.

mod coverage;
mod group;
mod pipeline;
mod plan;
mod recode;

use reticent::error::Obstacle;
use reticent::statement::Scope;
use reticent::taxonomy::{Taxonomy, Type};
use reticent::{History, Role, Schema, TreeSource};
use reticent_ledger::{BodyColumn, BodyTree, Hash, HistoryScope, Published};

use crate::Workspace;
use crate::answer::{Publication, RecodedAnswer};
use crate::context::Context;
use crate::dataset::{LoadedPolicy, load};
use crate::error::{Error, Problem, Result};
use crate::request::{PublishRequest, RehearseRequest, WhatIf};
use plan::Plan;

pub(crate) use group::PEOPLE;

/// Publishes a release.
pub(crate) fn publish(workspace: &Workspace, request: &PublishRequest, context: &Context) -> Result<Publication> {
    retry_if_started(|| run(workspace, request, None, context))
}

/// Rehearses a release: executes all steps, but publishes and records nothing.
pub(crate) fn rehearse(workspace: &Workspace, request: &RehearseRequest, context: &Context) -> Result<Publication> {
    run(workspace, &request.publish, Some(request.what_if), context)
}

/// Runs a verb that may create the ledger. Runs it again if another process created the ledger at the same time.
pub(crate) fn retry_if_started<T>(verb: impl Fn() -> Result<T>) -> Result<T> {
    match verb() {
        Err(Error::Problem(Problem::LedgerStarted { .. })) => verb(),
        done => done,
    }
}

fn run(
    workspace: &Workspace,
    request: &PublishRequest,
    rehearsal: Option<WhatIf>,
    context: &Context,
) -> Result<Publication> {
    let loaded = load(&workspace.policy)?;
    match loaded.policy.method {
        Some(method) => {
            method.def.check_offered()?;
            let request = group::folder_request(request);
            let plan = Plan::new(workspace, &request, rehearsal, loaded, context);
            group::publish(&plan, method).map(Publication::Grouped)
        }
        None => {
            let plan = Plan::new(workspace, request, rehearsal, loaded, context);
            recode::publish(&plan).map(Publication::Recoded)
        }
    }
}

/// Publishes by an algorithm. Returns an error if the policy names a republication method.
pub(crate) fn publish_recoding(
    workspace: &Workspace,
    request: &PublishRequest,
    context: &Context,
) -> Result<RecodedAnswer> {
    recode::publish(&Plan::new(workspace, request, None, load_recoding(workspace)?, context))
}

/// Rehearses by an algorithm. Returns an error if the policy names a republication method.
pub(crate) fn rehearse_recoding(
    workspace: &Workspace,
    request: &RehearseRequest,
    context: &Context,
) -> Result<RecodedAnswer> {
    let loaded = load_recoding(workspace)?;
    recode::publish(&Plan::new(workspace, &request.publish, Some(request.what_if), loaded, context))
}

fn load_recoding(workspace: &Workspace) -> Result<LoadedPolicy> {
    let loaded = load(&workspace.policy)?;
    match loaded.policy.method {
        Some(method) => {
            method.def.check_offered()?;
            Err(Problem::MethodNotComparable { method: method.def.entry.id.to_owned() }.into())
        }
        None => Ok(loaded),
    }
}

/// Returns the history, or an error if contents were erased: then its disclosure can no longer be computed.
fn check_complete(history: History) -> Result<History> {
    match history.erased.first() {
        None => Ok(history),
        Some(lost) => {
            let (release, name) = (lost.number, lost.name.clone());
            Err(reticent::Error::CannotCheck(Obstacle::EarlierReleaseErased { release, name }).into())
        }
    }
}

/// Returns the description of a column in the ledger, including the taxonomy of its published texts.
fn body_column(
    (name, role, of): (&str, Role, &Taxonomy),
    schema: &Schema,
    taxonomies: &[(String, String)],
) -> BodyColumn {
    let attribute = schema.attributes.iter().find(|attribute| attribute.name == name);
    let written = taxonomies.iter().find(|(known, _)| known == name);
    let tree = match (attribute.map(|attribute| &attribute.tree), written) {
        (Some(TreeSource::Given(_)), Some((_, text))) => BodyTree::Taxonomy(Hash::digest(text.as_bytes())),
        _ if of.numbers().is_some() => BodyTree::Recognised,
        _ => BodyTree::Flat,
    };
    BodyColumn {
        name: name.to_owned(),
        role,
        values: attribute.map_or(Type::Text, |attribute| attribute.values),
        tree,
        missing: of.missing().map(|code| of.value(code).to_owned()).into_iter().collect(),
        published: of.sets().map(|(text, leaves)| (text.to_owned(), Published::Leaves(leaves))).collect(),
    }
}

/// Returns whether the release was judged alone or with its history.
fn scope(judged: &HistoryScope) -> Scope {
    if matches!(judged, HistoryScope::Alone { .. }) { Scope::This } else { Scope::History }
}
