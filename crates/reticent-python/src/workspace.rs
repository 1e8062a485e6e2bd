//! The verbs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use reticent_app::request::{CheckProofRequest, PublishRequest, WitnessRequest};
use reticent_app::{Answered, Attached, PlannedRelease, PolicySource, PolicyText, ReleaseName};
use serde::Serialize;

use crate::context::Context;
use crate::data::data;
use crate::errors::{exception, parse};
use crate::run::{Receivers, guarded, run};

/// Text, files and folder of a policy in memory.
type PolicyParts = (String, BTreeMap<String, String>, PathBuf);

fn policy_source((toml, files, folder): PolicyParts) -> PolicySource {
    PolicyText { toml, files, folder }.into()
}

/// A policy, a ledger and its key.
#[pyclass(frozen)]
pub(crate) struct Workspace {
    workspace: reticent_app::Workspace,
}

#[pymethods]
impl Workspace {
    /// `policy` is a path, or the parts of a policy in memory.
    #[new]
    #[pyo3(signature = (policy=None, policy_file=None, ledger=None, key=None, create=false, wait=60.0))]
    fn new(
        policy: Option<PolicyParts>,
        policy_file: Option<PathBuf>,
        ledger: Option<PathBuf>,
        key: Option<PathBuf>,
        create: bool,
        wait: f64,
    ) -> Workspace {
        let file = || policy_file.map_or(PolicySource::Absent, PolicySource::File);
        let wait = Duration::try_from_secs_f64(wait.clamp(0.0, 1e9)).unwrap_or_default();
        let policy: PolicySource = policy.map_or_else(file, policy_source);
        Workspace { workspace: reticent_app::Workspace { policy, ledger, key, start_ledger: create, wait } }
    }

    /// Calls a verb.
    #[pyo3(signature = (verb, request, context, rows=None, policies=Vec::new(), progress=None, warn=None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
    fn call(
        &self,
        py: Python<'_>,
        verb: &str,
        request: &str,
        context: &Context,
        rows: Option<&Bound<'_, PyAny>>,
        policies: Vec<PolicyParts>,
        progress: Option<Py<PyAny>>,
        warn: Option<Py<PyAny>>,
    ) -> PyResult<Answer> {
        let request = parse(py, request)?;
        let policies = policies.into_iter().map(policy_source).collect();
        let attached = Attached { data: rows.map(data).transpose()?, policies };
        let receivers = Receivers { progress, warn };
        let call =
            |context: &reticent_app::Context| reticent_app::call(&self.workspace, verb, request, attached, context);
        run(py, &context.start(py)?, &receivers, call).map(Answer::new)
    }

    /// Plans a release.
    #[pyo3(signature = (request, context, rows, progress=None, warn=None))]
    fn plan(
        &self,
        py: Python<'_>,
        request: &str,
        context: &Context,
        rows: &Bound<'_, PyAny>,
        progress: Option<Py<PyAny>>,
        warn: Option<Py<PyAny>>,
    ) -> PyResult<Plan> {
        let mut request: PublishRequest =
            reticent_app::read(parse(py, request)?).map_err(|error| exception(py, &error))?;
        request.data = data(rows)?;
        let plan = |context: &reticent_app::Context| self.workspace.plan(&request, context);
        let plan = run(py, &context.start(py)?, &Receivers { progress, warn }, plan)?;
        let answer = reticent_app::publication(plan.answer()).map_err(|error| exception(py, &error))?;
        Ok(Plan { plan, answer })
    }
}

/// A planned release.
#[pyclass(frozen)]
pub(crate) struct Plan {
    plan: PlannedRelease,
    answer: Answered,
}

#[pymethods]
impl Plan {
    /// The release as it would be published.
    #[getter]
    fn answer(&self) -> Answer {
        Answer::new(self.answer.clone())
    }

    /// The equivalence classes as regions of the data, as JSON.
    fn classes(&self, py: Python<'_>) -> PyResult<String> {
        let classes = guarded(py, || self.plan.classes())?.map_err(|error| exception(py, &error))?;
        text(py, &classes)
    }

    /// Publishes the release.
    #[pyo3(signature = (name, output, context, progress=None, warn=None))]
    fn publish(
        &self,
        py: Python<'_>,
        name: &str,
        output: PathBuf,
        context: &Context,
        progress: Option<Py<PyAny>>,
        warn: Option<Py<PyAny>>,
    ) -> PyResult<Answer> {
        let name = ReleaseName::new(name).map_err(|error| exception(py, &error.into()))?;
        let publish = |context: &reticent_app::Context| {
            self.plan.publish(name, output, context).and_then(|answer| reticent_app::publication(&Arc::new(answer)))
        };
        run(py, &context.start(py)?, &Receivers { progress, warn }, publish).map(Answer::new)
    }
}

/// The answer of a verb.
#[pyclass(frozen)]
pub(crate) struct Answer {
    answered: Answered,
}

impl Answer {
    fn new(answered: Answered) -> Answer {
        Answer { answered }
    }
}

#[pymethods]
impl Answer {
    /// The answer as JSON.
    fn json(&self) -> String {
        self.answered.json.to_string()
    }

    /// Whether every requirement holds; `None` without a verdict.
    #[getter]
    fn holds(&self) -> Option<bool> {
        self.answered.holds
    }

    /// The answer as an HTML fragment; `None` if the verb has none.
    fn html(&self, py: Python<'_>, internal: bool) -> PyResult<Option<String>> {
        self.answered.html.as_ref().map(|html| guarded(py, || html(!internal))).transpose()
    }
}

fn text(py: Python<'_>, answer: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|_| crate::errors::internal(py, None))
}

/// Checks an exported proof without the ledger. Returns the answer as JSON.
#[pyfunction]
pub(crate) fn check_proof(py: Python<'_>, request: &str) -> PyResult<String> {
    let request: CheckProofRequest = reticent_app::read(parse(py, request)?).map_err(|error| exception(py, &error))?;
    let check = |context: &reticent_app::Context| reticent_app::check_proof(&request, context);
    text(py, &run(py, &reticent_app::Context::new(""), &Receivers::default(), check)?)
}

/// Countersigns a head. Returns the answer as JSON.
#[pyfunction]
pub(crate) fn witness(py: Python<'_>, request: &str) -> PyResult<String> {
    let request: WitnessRequest = reticent_app::read(parse(py, request)?).map_err(|error| exception(py, &error))?;
    let countersign = |context: &reticent_app::Context| reticent_app::witness(&request, context);
    text(py, &run(py, &reticent_app::Context::new(""), &Receivers::default(), countersign)?)
}

/// Runs the demo in a new folder. Returns the answer as JSON.
#[pyfunction]
pub(crate) fn demo(py: Python<'_>, folder: PathBuf, context: &Context) -> PyResult<String> {
    let demo = |context: &reticent_app::Context| reticent_app::demo(&folder, context);
    let answer = run(py, &context.start(py)?, &Receivers::default(), demo)?;
    text(py, &answer)
}
