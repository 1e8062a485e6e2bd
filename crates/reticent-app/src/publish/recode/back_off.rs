//! A coarser release, if the releases of all algorithms are refused.

use reticent::Recoding;
use reticent::algorithms::{self, BackedOff, Control, Guarantee, SearchOutcome};
use reticent::error::Obstacle;
use reticent::requirement::Requirement;

use super::past::EarlierReleases;
use super::{RecodeMaker, RecodedCandidate};
use crate::error::{Error, Result};

impl RecodeMaker<'_> {
    /// Returns whether a coarser release is searched if the releases of all algorithms are refused. A baseline is published unchanged.
    pub(super) fn backs_off(&self) -> bool {
        let is_baseline = |id: &&str| algorithms::named(id).is_ok_and(|listed| listed.entry.comparison);
        self.plan.loaded.policy.back_off.states != Some(0) && !self.algorithms().iter().any(is_baseline)
    }

    /// Searches a coarser release than that of the algorithm with the least loss. The releases of all algorithms were refused.
    ///
    /// # Errors
    ///
    /// Returns the refusal of an algorithm, or of the audit of its release, if no judged release passes.
    pub(super) fn back_off(&self, past: &EarlierReleases, requirement: Requirement) -> Result<RecodedCandidate> {
        let tried = self.tried();
        let with_release = tried.iter().filter_map(|tried| Some((tried.algorithm.as_str(), tried.loss?)));
        let best = with_release.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(algorithm, _)| algorithm);
        let algorithm = best.unwrap_or(self.algorithms()[0]);
        let last = self.refused_by().filter(|_| best.is_none());
        let last = last.as_deref().unwrap_or(algorithm);
        let task = self.task(past, &requirement);
        let deadline = self.deadline();
        let search_with = |algorithm: &str| match self.search(algorithm, &task, deadline) {
            Err(Error::Library(error)) if error.is_refusal() => Ok(Err(error)),
            searched => searched.map(Ok),
        };
        let searched = search_with(algorithm)?;
        let watch = || self.plan.watch_audit();
        let gate = self.plan.gate(&watch)?;
        let admits = |recoding: &Recoding| {
            let published = recoding.apply(&self.prepared.table)?.counts();
            self.admit(recoding, &published, past, &gate).map(drop)
        };
        let context = self.plan.context;
        let (stop, abort) = (|| false, || context.check().is_err());
        let progress = |what: &str, done: u64, total: u64| context.progress(what, done, total);
        let control = Control { stop: &stop, abort: &abort, progress: &progress };
        let base = searched.as_ref().ok().map(|outcome| &outcome.recoding);
        let back_off = self.plan.loaded.policy.back_off;
        let search = |base| {
            let found = back_off.search(&task, base, &admits, &control);
            context.check().and(found.map_err(Error::from))
        };
        let mut found = search(base)?;
        if found.is_none() && base.is_some() {
            // Records that the algorithm suppressed are published again.
            found = search(None)?;
        }
        let Some(BackedOff { recoding, judged, budget }) = found else {
            let searched = if last == algorithm { searched } else { search_with(last)? };
            let refused = searched.and_then(|outcome| admits(&outcome.recoding));
            return Err(refused.err().unwrap_or_else(|| Obstacle::NotEstablished {}.into()).into());
        };
        let note = format!(
            "the release of {algorithm} was refused, so {} judged (budget: {budget}), and the best of them that passes was used",
            if judged == 1 { "1 coarser release was".to_owned() } else { format!("{judged} coarser releases were") }
        );
        let (steps, notes) = searched.map_or((0, Vec::new()), |outcome| (outcome.steps, outcome.notes));
        let notes = notes.into_iter().chain([note]).collect();
        let outcome = SearchOutcome { recoding, guarantee: Guarantee::Safe, steps: steps + judged, notes };
        Ok(RecodedCandidate::new(algorithm.to_owned(), requirement, outcome))
    }
}
