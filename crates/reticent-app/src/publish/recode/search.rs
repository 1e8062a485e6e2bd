//! The releases of several algorithms, in ascending order of their loss for the purpose.
//!
//! If the policy names no algorithm, the default ones are tried in a fixed order. Their number depends on the number of distinct
//! combinations of the table and on `tries` of the policy, never on time, so the choice can be reproduced. It is recorded in the ledger.

use std::sync::MutexGuard;
use std::time::Instant;

use reticent::Recoding;
use reticent::algorithms::SearchOutcome;
use reticent::error::Obstacle;
use reticent::metrics::{Comparison, purpose_loss};
use reticent::requirement::Requirement;

use super::RecodeMaker;
use super::past::EarlierReleases;
use crate::answer::TriedAnswer;
use crate::error::{Error, Result};

/// Number of algorithms that are tried at least, as long as none of them found a release.
const TRIES_WITHOUT_RELEASE: u64 = 2;

/// The release of one algorithm.
#[derive(Clone)]
pub(super) struct Found {
    pub algorithm: String,
    pub outcome: SearchOutcome,
    /// Loss for the purpose.
    pub loss: f64,
}

/// State of the search: the tried algorithms, and their releases that were not used yet.
#[derive(Clone, Default)]
pub(super) struct Search {
    tried: Vec<TriedAnswer>,
    /// Releases in ascending order of their loss. A used one is `None`.
    found: Vec<Option<Found>>,
    /// Refusal to report if there is no release: that of the last algorithm that could judge the requirement.
    refused: Option<reticent::Error>,
    /// Id of that algorithm.
    refused_by: Option<String>,
    /// End of the time limit, which the back-off shares.
    deadline: Option<Instant>,
}

impl Search {
    /// Returns the outcome of the search without the releases that were not used.
    pub fn summary(self) -> Search {
        Search { found: Vec::new(), deadline: None, ..self }
    }

    /// Number of candidates. If no algorithm found a release, the refusal takes the place of one.
    pub fn ways(&self) -> usize {
        self.found.len().max(1)
    }
}

impl RecodeMaker<'_> {
    /// Returns the tried algorithms with their loss, in the order in which they were tried.
    pub(super) fn tried(&self) -> Vec<TriedAnswer> {
        self.lock_search().tried.clone()
    }

    /// Returns the end of the time limit.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.lock_search().deadline
    }

    /// Returns the algorithm whose refusal is reported if there is no release.
    pub(super) fn refused_by(&self) -> Option<String> {
        self.lock_search().refused_by.clone()
    }

    /// Returns how many algorithms are tried, unless none of them finds a release.
    pub(super) fn max_tries(&self) -> u64 {
        self.plan.loaded.policy.max_tries(self.prepared.table.contingency.len()).min(self.algorithms().len() as u64)
    }

    pub(super) fn lock_search(&self) -> MutexGuard<'_, Search> {
        // A poisoned lock means that another thread panicked, and that panic ends the call.
        self.search.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Runs the algorithms, and keeps their releases. A time limit applies to all of them together.
    pub(super) fn search_all(&self, past: &EarlierReleases, requirement: &Requirement) -> Result<()> {
        let task = self.task(past, requirement);
        let deadline = self.plan.request.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut search = Search { deadline, ..Search::default() };
        let mut found: Vec<Found> = Vec::new();
        for (at, algorithm) in self.algorithms().into_iter().enumerate() {
            let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let enough = if found.is_empty() { self.max_tries().max(TRIES_WITHOUT_RELEASE) } else { self.max_tries() };
            if at as u64 >= enough || is_over && !found.is_empty() {
                break;
            }
            let mut tried = TriedAnswer { algorithm: algorithm.to_owned(), loss: None, refused: None };
            match self.search(algorithm, &task, deadline) {
                Ok(outcome) => {
                    let loss = self.loss(&outcome.recoding)?;
                    tried.loss = Some(loss);
                    found.push(Found { algorithm: algorithm.to_owned(), outcome, loss });
                }
                Err(Error::Library(error)) if error.is_refusal() => {
                    tried.refused = Some(error.code().to_owned());
                    let is_judged = |error: &reticent::Error| matches!(error, reticent::Error::Refused(_));
                    if is_judged(&error) || !search.refused.as_ref().is_some_and(is_judged) {
                        search.refused = Some(error);
                        search.refused_by = Some(algorithm.to_owned());
                    }
                }
                Err(error) => return Err(error),
            }
            search.tried.push(tried);
        }
        // The sort is stable: of equal losses, the algorithm that was tried first is used.
        found.sort_by(|one, other| one.loss.total_cmp(&other.loss));
        search.found = found.into_iter().map(Some).collect();
        *self.lock_search() = search;
        Ok(())
    }

    /// Returns the next release by its loss; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Returns a refusal in place of the first release, if there is none.
    pub(super) fn next_candidate(&self, way: usize) -> Result<Option<Found>> {
        let mut search = self.lock_search();
        if search.found.is_empty() && way == 0 {
            return Err(search.refused.take().unwrap_or_else(|| Obstacle::NotEstablished {}.into()).into());
        }
        Ok(search.found.get_mut(way).and_then(Option::take))
    }

    /// Returns the loss of a recoding for the purpose of the policy.
    pub(super) fn loss(&self, recoding: &Recoding) -> Result<f64> {
        let (table, purpose) = (&self.prepared.table, &self.plan.loaded.policy.purpose);
        let release = recoding.apply(table)?;
        Ok(purpose_loss(&Comparison { table, recoding, release: &release, purpose })?)
    }

    /// Returns a note about the choice between several algorithms.
    pub(super) fn choice_note(&self, algorithm: &str) -> Option<String> {
        let tried = self.tried();
        let losses: Vec<(&str, f64)> =
            tried.iter().filter_map(|tried| Some((tried.algorithm.as_str(), tried.loss?))).collect();
        let of = |id: &str| losses.iter().find(|(known, _)| *known == id).map(|(_, loss)| *loss);
        if tried.len() == 1 {
            return None;
        }
        let refused: Vec<&str> =
            tried.iter().filter(|tried| tried.loss.is_none()).map(|tried| tried.algorithm.as_str()).collect();
        let mut texts = Vec::new();
        if let Some(own) = of(algorithm).filter(|_| losses.len() > 1) {
            let others = losses.iter().filter(|(known, _)| *known != algorithm);
            let others: Vec<String> = others.map(|(id, loss)| format!("{id} {loss:.4}")).collect();
            texts.push(format!("loss for the purpose: {algorithm} {own:.4} (used), {}", others.join(", ")));
        }
        if !refused.is_empty() {
            texts.push(format!("no release within the policy by {}", refused.join(", ")));
        }
        (!texts.is_empty()).then(|| format!("{} algorithms were tried: {}", tried.len(), texts.join("; ")))
    }
}
