//! A planned release: judged with its history, but not written. Publishing it reads neither the data nor searches again.

use std::path::PathBuf;
use std::sync::Arc;

use reticent::ReleaseName;

use super::plan::{Plan, PlanPurpose};
use super::{group, load_for, recode, retry_if_started, run, table_request};
use crate::Workspace;
use crate::answer::{Publication, PublishedClass};
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::request::PublishRequest;

/// A release that was searched and judged with its history, but not written.
///
/// A plan of a republication method was written to a temporary folder and verified; publishing it forms the groups again.
pub struct PlannedRelease {
    workspace: Workspace,
    /// Request, with the seed of the plan.
    request: PublishRequest,
    answer: Arc<Publication>,
    /// Data and recoding; `None` for a republication method.
    recoded: Option<recode::Planned>,
}

/// Plans a release.
pub(crate) fn plan(workspace: &Workspace, request: &PublishRequest, context: &Context) -> Result<PlannedRelease> {
    let loaded = load_for(workspace, request, PlanPurpose::Preview)?;
    let (seed, answer, recoded) = match loaded.policy.method {
        Some(method) => {
            method.def.check_offered()?;
            let request = group::folder_request(request);
            let plan = Plan::new(workspace, &request, PlanPurpose::Preview, loaded, context);
            (plan.seed, Publication::Grouped(Box::new(group::publish(&plan, method)?)), None)
        }
        None => {
            let request = table_request(request, &loaded);
            let plan = Plan::new(workspace, &request, PlanPurpose::Preview, loaded, context);
            let seed = plan.seed;
            let (answer, planned) = recode::plan(plan)?;
            (seed, Publication::Recoded(Box::new(answer)), Some(planned))
        }
    };
    let request = PublishRequest { seed: Some(seed), ..request.clone() };
    Ok(PlannedRelease { workspace: workspace.clone(), request, answer: Arc::new(answer), recoded })
}

impl PlannedRelease {
    /// Returns the release as it would be published with the present history.
    pub fn answer(&self) -> &Arc<Publication> {
        &self.answer
    }

    /// Returns the equivalence classes of the release as regions of the data. They contain values of the data.
    ///
    /// # Errors
    ///
    /// Returns an error for a republication method, whose groups are no regions.
    pub fn classes(&self) -> Result<Vec<PublishedClass>> {
        let not_regions = || Error::from(Problem::OptionForAlgorithms { option: "classes" });
        self.recoded.as_ref().ok_or_else(not_regions)?.classes()
    }

    /// Writes, verifies and records the release. If the history, the policy or the key has changed, it is made again.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Workspace::publish`].
    pub fn publish(&self, name: ReleaseName, output: PathBuf, context: &Context) -> Result<Publication> {
        let request = PublishRequest { name, output, ..self.request.clone() };
        context.run(|| retry_if_started(|| self.try_publish(&request, context)))
    }

    fn try_publish(&self, request: &PublishRequest, context: &Context) -> Result<Publication> {
        let Some(planned) = &self.recoded else {
            return run(&self.workspace, request, PlanPurpose::Release, context);
        };
        let loaded = load_for(&self.workspace, request, PlanPurpose::Release)?;
        if !planned.is_of(&loaded) {
            return run(&self.workspace, request, PlanPurpose::Release, context);
        }
        let request = table_request(request, &loaded);
        let plan = Plan::new(&self.workspace, &request, PlanPurpose::Release, loaded, context);
        recode::publish_planned(&plan, planned).map(|answer| Publication::Recoded(Box::new(answer)))
    }
}
