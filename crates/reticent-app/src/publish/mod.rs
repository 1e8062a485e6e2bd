//! `publish`: make a release that is safe given its history, verify the written bytes, record it, and only then give it its name.

mod group;
mod pipeline;
mod plan;
mod recode;

use reticent::error::Obstacle;
use reticent::statement::Scope;
use reticent::taxonomy::{Taxonomy, Type};
use reticent::{History, Role, Schema, Tree};
use reticent_ledger::{BodyColumn, BodyTree, Hash, Judged};

use crate::Workspace;
use crate::answer::{Publication, Published};
use crate::context::Context;
use crate::dataset::{Loaded, load};
use crate::error::{Error, Problem, Result};
use crate::request::{PublishRequest, RehearseRequest, WhatIf};
use plan::Plan;

pub(crate) use group::PEOPLE;

/// Publishes a release.
pub(crate) fn publish(workspace: &Workspace, request: &PublishRequest, context: &Context) -> Result<Publication> {
    again_if_started(|| run(workspace, request, None, context))
}

/// Rehearses a release: does everything but publish it.
pub(crate) fn rehearse(workspace: &Workspace, request: &RehearseRequest, context: &Context) -> Result<Publication> {
    run(workspace, &request.publish, Some(request.what_if), context)
}

/// Runs a verb that may start the ledger, and once more if another process started one meanwhile.
pub(crate) fn again_if_started<T>(verb: impl Fn() -> Result<T>) -> Result<T> {
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
            method.listed.offered()?;
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

/// Publishes by an algorithm; an error if the policy names a method.
pub(crate) fn publish_recoding(
    workspace: &Workspace,
    request: &PublishRequest,
    context: &Context,
) -> Result<Published> {
    recode::publish(&Plan::new(workspace, request, None, load_recoding(workspace)?, context))
}

/// Rehearses by an algorithm; an error if the policy names a method.
pub(crate) fn rehearse_recoding(
    workspace: &Workspace,
    request: &RehearseRequest,
    context: &Context,
) -> Result<Published> {
    let loaded = load_recoding(workspace)?;
    recode::publish(&Plan::new(workspace, &request.publish, Some(request.what_if), loaded, context))
}

fn load_recoding(workspace: &Workspace) -> Result<Loaded> {
    let loaded = load(&workspace.policy)?;
    match loaded.policy.method {
        Some(method) => {
            method.listed.offered()?;
            Err(Problem::MethodNotComparable { method: method.listed.entry.id.to_owned() }.into())
        }
        None => Ok(loaded),
    }
}

/// A history of which nothing was erased: otherwise what it discloses can no longer be computed.
fn whole(history: History) -> Result<History> {
    match history.lost.first() {
        None => Ok(history),
        Some(lost) => {
            let (release, name) = (lost.number, lost.name.clone());
            Err(reticent::Error::CannotCheck(Obstacle::EarlierReleaseErased { release, name }).into())
        }
    }
}

/// What a column's published texts are nodes of.
fn body_column(
    (name, role, of): (&str, Role, &Taxonomy),
    schema: &Schema,
    taxonomies: &[(String, String)],
) -> BodyColumn {
    let attribute = schema.attributes.iter().find(|attribute| attribute.name == name);
    let written = taxonomies.iter().find(|(known, _)| known == name);
    let tree = match (attribute.map(|attribute| &attribute.tree), written) {
        (Some(Tree::Given(_)), Some((_, text))) => BodyTree::Taxonomy(Hash::of(text.as_bytes())),
        _ if of.numbers().is_some() => BodyTree::Recognised,
        _ => BodyTree::Flat,
    };
    BodyColumn {
        name: name.to_owned(),
        role,
        values: attribute.map_or(Type::Text, |attribute| attribute.values),
        tree,
        missing: of.missing().map(|code| of.value(code).to_owned()).into_iter().collect(),
        published: Default::default(),
    }
}

/// The releases that a release was judged with.
fn scope(judged: &Judged) -> Scope {
    if matches!(judged, Judged::Alone { .. }) { Scope::This } else { Scope::History }
}
