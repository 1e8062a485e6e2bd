//! Planned releases: judged in memory, and published without another search.

use reticent::ReleaseName;
use reticent::registry::Argument;
use reticent::requirement::ModelSpec;
use reticent_ledger::{Head, Key};

use super::output::Output;
use super::search::Search;
use super::{
    LoadedReleases, Preparation, RecodeMaker, RecodedCandidate, ReleaseData, check_output, load_releases, publish,
    publish_by,
};
use crate::answer::RecodedAnswer;
use crate::dataset::LoadedPolicy;
use crate::error::{Problem, Result};
use crate::publish::pipeline::{Maker, make_in_any_way, timed};
use crate::publish::plan::Plan;

/// A planned release: its data, and the recoding that was judged.
pub(crate) struct Planned {
    /// Policy with all files that it names.
    loaded: LoadedPolicy,
    pub(super) data: ReleaseData,
    pub(super) planning: Planning,
    /// Head of the ledger; `None` if there was no ledger.
    head: Option<Head>,
    name: ReleaseName,
    /// Fingerprint of the key for owner links.
    key: Option<String>,
}

/// What the search of a plan found.
#[derive(Clone, Default)]
pub(super) struct Planning {
    pub(super) search: Search,
    /// Candidate, and the head with which it was judged.
    pub(super) candidate: Option<(Option<Head>, RecodedCandidate)>,
}

impl Planned {
    /// Returns whether the release was planned with this policy and its files.
    pub(crate) fn is_of(&self, loaded: &LoadedPolicy) -> bool {
        self.loaded.text == loaded.text && self.loaded.files == loaded.files
    }
}

/// Plans a release: judges it in memory.
pub(crate) fn plan(plan: Plan<'_>) -> Result<(RecodedAnswer, Planned)> {
    let (Preparation { data, loaded }, key) = Preparation::new(&plan)?;
    let LoadedReleases { recalled, past, load_seconds, read_seconds } = loaded;
    let maker = RecodeMaker::new(&plan, &data, Planning::default());
    let made = make_in_any_way(&plan, &maker, &recalled, &past);
    let mut made = made.map_err(|error| maker.explain(error, &recalled, &past))?;
    (made.seconds.load_history, made.seconds.read) = (load_seconds, read_seconds);
    let candidate = made.audited.is_some().then(|| (recalled.head, made.candidate.clone()));
    let mut answer = maker.answer(made, None, &recalled, &past)?;
    answer.alternative = maker.alternative(&answer, &recalled, &past)?;
    let planning = Planning { search: maker.into_search().summary(), candidate };
    let (name, head, key) = (plan.request.name.clone(), recalled.head, key.map(|key| key.fingerprint()));
    Ok((answer, Planned { loaded: plan.loaded, data, planning, head, name, key }))
}

/// Publishes a planned release with the present history. If the history or the key has changed, the release is made again.
///
/// # Errors
///
/// Returns an error if the ledger does not extend the one of the plan: then releases are missing in it.
pub(crate) fn publish_planned(plan: &Plan<'_>, planned: &Planned) -> Result<RecodedAnswer> {
    check_output(plan)?;
    let mut load_seconds = 0.0;
    let (recalled, past) = timed(&mut load_seconds, || load_releases(plan))?;
    if recalled.head != planned.head {
        let extends = match (&planned.head, plan.access.open_if_exists()?) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(head), Some(ledger)) => ledger.extends(head)?,
        };
        return if extends { publish(plan) } else { Err(Problem::PlanOutdated.into()) };
    }
    let key = plan.loaded.policy.owner.as_ref().map(|_| plan.owner_key(&recalled)).transpose()?;
    // Pseudonyms of another key belong to other people.
    let has_other_key = key.as_ref().map(Key::fingerprint) != planned.key;
    if has_other_key || planned.name != plan.request.name && names_releases(&plan.loaded.policy.models) {
        return publish(plan);
    }
    plan.check_unrelated(&recalled, planned.data.prepared.linked.as_ref().map(|linked| &linked.links))?;
    let maker = RecodeMaker::new(plan, &planned.data, planned.planning.clone()).with_output(Output::open(plan)?);
    publish_by(&maker, LoadedReleases { recalled, past, load_seconds, read_seconds: 0.0 }, key.as_ref())
}

/// Returns whether a model can name a release, as in `release.column`. With another name, a release can have other requirements.
fn names_releases(specs: &[ModelSpec]) -> bool {
    let has_dot = |argument: &Argument| match argument {
        Argument::Word(word) => word.contains('.'),
        Argument::Words(words) => words.iter().any(|word| word.contains('.')),
        _ => false,
    };
    let arguments = |spec: &ModelSpec| spec.arguments.names().any(|name| spec.arguments.get(name).is_some_and(has_dot));
    specs.iter().any(|spec| spec.is_xy_model() || arguments(spec))
}
