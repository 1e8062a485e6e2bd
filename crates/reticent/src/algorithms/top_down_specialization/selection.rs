//! Choice of the state that is published: the best by the loss on the paths of all attempts.

use super::SpecializationSearch;
use super::loss::{Loss, LossMeasure};
use crate::algorithms::{Guarantee, RecodingTask, SearchOutcome};
use crate::error::{Refusal, Result};
use crate::join::JoinCheck;
use crate::operations::suppress_cells::suppress_cells;
use crate::operations::suppress_records::suppress_records;
use crate::release::recoding::Recoding;

/// Maximum number of combinations, over all states of a path, for which every state is suppressed and measured. For larger tables the
/// states are measured in the order of the loss that the search computed.
const MAX_MEASURED: usize = 200_000;

/// The best state so far.
struct Kept {
    outcome: SearchOutcome,
    loss: Loss,
}

/// Selection of the best state.
pub(super) struct Selection<'a> {
    task: &'a RecodingTask<'a>,
    loss_measure: &'a LossMeasure,
    join_checks: &'a [JoinCheck<'a>],
    limit: u64,
    kept: Option<Kept>,
    /// Lowest number of suppressed records of the rejected states.
    above_limit: Option<u64>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(
        task: &'a RecodingTask<'a>,
        loss_measure: &'a LossMeasure,
        join_checks: &'a [JoinCheck<'a>],
    ) -> Selection<'a> {
        let limit = task.suppression.max_suppressed(task.table.contingency.rows());
        Selection { task, loss_measure, join_checks, limit, kept: None, above_limit: None }
    }

    /// Keeps the best state of the path of a search if it is better than the kept one. Without suppression, the last state of a path is
    /// its best. `is_single` states that there is only one path, so that it need not be measured.
    pub(super) fn consider(
        &mut self,
        search: &SpecializationSearch<'_>,
        finished: bool,
        is_single: bool,
    ) -> Result<()> {
        let last = search.steps.len();
        if self.limit == 0 {
            let recoding = search.recoding_after(last);
            let loss = if is_single { 0 } else { self.loss_measure.of_release(self.task, &recoding) };
            self.keep(search, finished, last, recoding, loss);
            return Ok(());
        }
        let measures_all = (last + 1).saturating_mul(self.task.table.contingency.len()) <= MAX_MEASURED;
        for steps in most_promising_first(search) {
            let Some(recoding) = self.suppressed(search.recoding_after(steps))? else { continue };
            let loss = self.loss_measure.of_release(self.task, &recoding);
            self.keep(search, finished, steps, recoding, loss);
            if !measures_all {
                break;
            }
        }
        Ok(())
    }

    /// Suppresses the violating classes. Returns `None` if that suppresses all records, or more than allowed.
    fn suppressed(&mut self, mut recoding: Recoding) -> Result<Option<Recoding>> {
        let suppress = if self.task.suppression.cells { suppress_cells } else { suppress_records };
        let suppressed = suppress(self.task.table, &mut recoding, self.task.requirement, self.join_checks)?;
        if suppressed <= self.limit && suppressed < self.task.table.contingency.rows() {
            return Ok(Some(recoding));
        }
        self.above_limit = Some(self.above_limit.map_or(suppressed, |fewest| fewest.min(suppressed)));
        Ok(None)
    }

    fn keep(
        &mut self,
        search: &SpecializationSearch<'_>,
        finished: bool,
        steps: usize,
        recoding: Recoding,
        loss: Loss,
    ) {
        if self.kept.as_ref().is_some_and(|kept| kept.loss <= loss) {
            return;
        }
        let mut notes = Vec::new();
        let unsplit = search.has_unsplit_interval();
        if unsplit {
            let note = "Intervals were split at the bound with the highest gain or at the median; other bounds might allow further splits.";
            notes.push(note.to_owned());
        }
        if !finished {
            notes.push("The search was stopped before it finished; a more specific release may exist.".to_owned());
        }
        let undone = search.steps.len() - steps;
        if undone > 0 {
            notes.push(format!(
                "{undone} steps were undone, because the release without them loses less information or is within the suppression limit."
            ));
        }
        // With suppression, a further step can be valid and not pay for the records that it suppresses.
        let maximal = finished && !unsplit && self.limit == 0;
        let guarantee = if maximal { Guarantee::LocallyMaximal } else { Guarantee::Safe };
        self.kept = Some(Kept { outcome: SearchOutcome { recoding, guarantee, steps: steps as u64, notes }, loss });
    }

    pub(super) fn outcome(self) -> Result<SearchOutcome> {
        let (left_out, limit) = (self.above_limit.unwrap_or(self.task.table.contingency.rows()), self.limit);
        match self.kept {
            Some(kept) => Ok(kept.outcome),
            None => Err(Refusal::SuppressionAboveLimit { left_out, limit }.into()),
        }
    }
}

/// Returns the numbers of steps of the states of a path: by their loss, then the longest first. States whose loss the search
/// did not compute are last.
fn most_promising_first(search: &SpecializationSearch<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..=search.steps.len()).rev().collect();
    order.sort_by_key(|steps| search.losses.get(*steps).copied().flatten().map_or((true, 0), |loss| (false, loss)));
    order
}
