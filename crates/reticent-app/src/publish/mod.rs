//! `publish`: makes a release that satisfies the policy given its history, verifies the written file, and records it.
//!
//! The file gets its final name only after the ledger entry is committed.

mod coverage;
mod group;
mod pipeline;
mod plan;
mod planned;
mod recode;

use reticent::error::Obstacle;
use reticent::policy::PolicyChanges;
use reticent::statement::Scope;
use reticent::taxonomy::{Taxonomy, Type};
use reticent::{History, Role, Schema, TreeSource};
use reticent_ledger::{BodyColumn, BodyTree, Hash, HistoryScope, Published};
use std::borrow::Cow;

use crate::Workspace;
use crate::answer::{Publication, RecodedAnswer};
use crate::context::Context;
use crate::dataset::{LoadedPolicy, load, load_changed};
use crate::error::{Error, Problem, Result};
use crate::request::PublishRequest;
use plan::{Plan, PlanPurpose};

pub(crate) use group::PEOPLE;
pub use planned::PlannedRelease;
pub(crate) use planned::plan;

/// Publishes a release.
pub(crate) fn publish(workspace: &Workspace, request: &PublishRequest, context: &Context) -> Result<Publication> {
    retry_if_started(|| run(workspace, request, PlanPurpose::Release, context))
}

/// Rehearses a release: executes all steps, but publishes and records nothing.
pub(crate) fn rehearse(workspace: &Workspace, request: &PublishRequest, context: &Context) -> Result<Publication> {
    run(workspace, request, PlanPurpose::Rehearsal, context)
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
    purpose: PlanPurpose,
    context: &Context,
) -> Result<Publication> {
    let loaded = load_for(workspace, request, purpose)?;
    match loaded.policy.method {
        Some(method) => {
            method.def.check_offered()?;
            let request = group::folder_request(request);
            let plan = Plan::new(workspace, &request, purpose, loaded, context);
            group::publish(&plan, method).map(|answer| Publication::Grouped(Box::new(answer)))
        }
        None => {
            let request = table_request(request, &loaded);
            let plan = Plan::new(workspace, &request, purpose, loaded, context);
            recode::publish(&plan).map(|answer| Publication::Recoded(Box::new(answer)))
        }
    }
}

/// Publishes by an algorithm. Returns an error if the policy names a republication method.
pub(crate) fn publish_recoding(
    workspace: &Workspace,
    request: &PublishRequest,
    context: &Context,
) -> Result<RecodedAnswer> {
    let loaded = load_for(workspace, request, PlanPurpose::Release)?;
    check_has_algorithm(&loaded)?;
    let request = table_request(request, &loaded);
    recode::publish(&Plan::new(workspace, &request, PlanPurpose::Release, loaded, context))
}

/// Rehearsals of a release with different settings. The data and the history are read once.
pub(crate) struct Rehearsals<'a> {
    workspace: &'a Workspace,
    context: &'a Context,
    preparation: recode::Preparation,
}

impl<'a> Rehearsals<'a> {
    /// Reads the data and the history. Returns an error if the policy names a republication method.
    pub fn new(workspace: &'a Workspace, request: &PublishRequest, context: &'a Context) -> Result<Rehearsals<'a>> {
        let loaded = load_for(workspace, request, PlanPurpose::Rehearsal)?;
        check_has_algorithm(&loaded)?;
        let plan = Plan::new(workspace, request, PlanPurpose::Rehearsal, loaded, context);
        let (preparation, _) = recode::Preparation::new(&plan)?;
        Ok(Rehearsals { workspace, context, preparation })
    }

    /// Rehearses with other settings, but with the same data, columns, recipients and name.
    pub fn rehearse(&self, request: &PublishRequest) -> Result<RecodedAnswer> {
        let loaded = load_for(self.workspace, request, PlanPurpose::Rehearsal)?;
        let plan = Plan::new(self.workspace, request, PlanPurpose::Rehearsal, loaded, self.context);
        recode::rehearse(&plan, &self.preparation)
    }
}

/// Loads the policy with the changed thresholds of a request. Only a rehearsal can weaken a threshold.
fn load_for(workspace: &Workspace, request: &PublishRequest, purpose: PlanPurpose) -> Result<LoadedPolicy> {
    let changes = &request.changes;
    // The ledger and the JSON answers write signed 64-bit integers.
    if request.seed.is_some_and(|seed| i64::try_from(seed).is_err()) {
        let why = "`seed` must be at most 9,223,372,036,854,775,807".to_owned();
        return Err(Problem::RequestInvalid { why }.into());
    }
    if let Some(k) = changes.k.filter(|k| *k < 2) {
        return Err(Problem::SmallK { k }.into());
    }
    let loaded = load_changed(&workspace.policy, changes)?;
    if purpose == PlanPurpose::Release && *changes != PolicyChanges::default() {
        let own = load(&workspace.policy)?;
        if let Some((threshold, own, asked)) = changes.weakened(&own.policy) {
            return Err(Problem::WeakerThanPolicy { threshold, asked, own }.into());
        }
    }
    Ok(loaded)
}

/// Returns the request with the receipt as its output, if the output is a table.
fn table_request<'r>(request: &'r PublishRequest, loaded: &LoadedPolicy) -> Cow<'r, PublishRequest> {
    match recode::receipt_path(&request.output, loaded.policy.destination.as_ref()) {
        Some(output) => Cow::Owned(PublishRequest { output, ..request.clone() }),
        None => Cow::Borrowed(request),
    }
}

/// Returns an error if the policy names a republication method.
fn check_has_algorithm(loaded: &LoadedPolicy) -> Result<()> {
    match loaded.policy.method {
        Some(method) => {
            method.def.check_offered()?;
            Err(Problem::MethodNotComparable { method: method.def.entry.id.to_owned() }.into())
        }
        None => Ok(()),
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
