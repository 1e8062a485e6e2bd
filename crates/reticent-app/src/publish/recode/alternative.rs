//! What would keep more detail, if quasi-identifiers of a release are fully suppressed.

use reticent::Ratio;
use reticent::algorithms::{LIST, RecodingTask, Suppression};
use reticent::metrics::PURPOSE_LOSS;
use reticent::policy::DEFAULT_ALGORITHMS;

use super::past::EarlierReleases;
use super::{LoadedHistory, RecodeMaker};
use crate::answer::{AlternativeAnswer, RecodedAnswer};
use crate::error::{Error, Result};

/// Limits of suppression to try, in percent.
const LIMITS: [u128; 2] = [5, 10];

impl RecodeMaker<'_> {
    /// Returns the settings with the least loss that keep a fully suppressed quasi-identifier; `None` if nothing is fully suppressed, or if
    /// no tried settings keep more. The other settings of the policy stay.
    ///
    /// The release of the alternative satisfies the models, the joins and the audit, as the published one does. It was not written to a
    /// file.
    pub(super) fn alternative(
        &self,
        answer: &RecodedAnswer,
        recalled: &LoadedHistory,
        past: &EarlierReleases,
    ) -> Result<Option<AlternativeAnswer>> {
        let is_baseline = |id: &str| LIST.iter().any(|listed| listed.entry.id == id && listed.entry.comparison);
        if answer.fully_suppressed.is_empty() || is_baseline(&answer.algorithm) {
            return Ok(None);
        }
        let policy = &self.plan.loaded.policy;
        let requirement = self.requirement(recalled, past)?;
        let published = answer.metric(PURPOSE_LOSS).unwrap_or(1.0);
        let watch = || self.plan.watch_audit();
        let gate = self.plan.gate(&watch)?;
        let own = policy.suppression.limit;
        let higher = LIMITS.iter().map(|percent| Ratio { numerator: *percent, denominator: 100 });
        let higher = higher.filter(|limit| limit.numerator * own.denominator > own.numerator * limit.denominator);
        let tried = self.tried();
        let combinations = self.prepared.table.contingency.len();
        let tries = usize::try_from(policy.max_tries(combinations)).unwrap_or(usize::MAX);
        let offered = DEFAULT_ALGORITHMS.iter().take(tries);
        let mut best: Option<AlternativeAnswer> = None;
        for limit in [own].into_iter().chain(higher) {
            for algorithm in offered.clone() {
                if limit == own && tried.iter().any(|tried| tried.algorithm == **algorithm) {
                    continue;
                }
                let suppression = Suppression { limit, ..policy.suppression };
                let task = RecodingTask { suppression, ..self.task(past, &requirement) };
                let outcome = match self.search(algorithm, &task, None) {
                    Err(Error::Library(error)) if error.is_refusal() => continue,
                    searched => searched?,
                };
                let loss = self.loss(&outcome.recoding)?;
                let release = outcome.recoding.apply(&self.prepared.table)?;
                let fully_suppressed = self.fully_suppressed(&release);
                let is_better = loss < best.as_ref().map_or(published, |best| best.loss);
                if !is_better || fully_suppressed.len() >= answer.fully_suppressed.len() {
                    continue;
                }
                match self.admit(&outcome.recoding, &release.counts(), past, &gate) {
                    Ok(_) => {}
                    Err(error) if error.is_refusal() => continue,
                    Err(error) => return Err(error.into()),
                }
                best = Some(AlternativeAnswer {
                    algorithm: (*algorithm).to_owned(),
                    suppression: limit.numerator as f64 / limit.denominator as f64,
                    loss,
                    classes: self.classes(&release)?,
                    suppressed: release.suppressed,
                    fully_suppressed,
                });
            }
            if best.is_some() {
                break;
            }
        }
        Ok(best)
    }
}
