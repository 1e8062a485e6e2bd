//! The searches whose best state is kept.
//!
//! Every greedy order fails for some tables, and a search that may suppress more can choose other steps and end worse. So the search
//! is repeated without suppression, with fixed lower limits and with the limit itself, each with two divisors of the score.
//! A looser limit is therefore never worse than no suppression or than one of the fixed limits. If a limit did not reject any
//! candidate, searches with higher limits are equal and are not run.

use super::gain::Gain;
use crate::algorithms::RecodingTask;
use crate::ratio::Ratio;

/// Lower suppression limits that are tried in addition to the limit of the task, in per mille.
const LOWER_LIMITS: [u64; 7] = [0, 10, 20, 50, 100, 200, 500];

/// Settings of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attempt {
    pub(super) gain: Gain,
    /// Maximum number of suppressed records.
    pub(super) limit: u64,
    /// Whether the gain is the reduction of the loss.
    pub(super) by_loss: bool,
    pub(super) divisor: Divisor,
    /// Whether the task allows suppression, even if this search does not use it.
    pub(super) suppresses: bool,
}

/// Divisor of the score of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Divisor {
    /// One plus the decrease of the measures of the models.
    PrivacyLoss,
    /// One plus the number of newly suppressed records, which use up the limit.
    SuppressedRecords,
}

/// The attempts that remain.
pub(super) struct AttemptPlan {
    /// In reverse order.
    remaining: Vec<Attempt>,
    /// Limit of the last attempt, and whether it rejected a candidate in any attempt with this limit.
    last: Option<(u64, bool)>,
    is_single: bool,
}

impl AttemptPlan {
    pub(super) fn new(task: &RecodingTask<'_>, gain: Gain, is_paper_score: bool) -> AttemptPlan {
        let rows = task.table.contingency.rows();
        let limit = task.suppression.max_suppressed(rows);
        let lower = LOWER_LIMITS.iter().map(|share| Ratio::new(*share, 1000));
        let mut limits: Vec<u64> =
            lower.map(|share| (u128::from(rows) * share.numerator / share.denominator) as u64).collect();
        limits.retain(|lower| *lower < limit);
        limits.push(limit);
        limits.dedup();
        let with_limit = |limit_of_attempt: &u64| {
            attempts(gain, *limit_of_attempt, is_paper_score)
                .into_iter()
                .map(|attempt| Attempt { suppresses: limit > 0, ..attempt })
        };
        let mut remaining: Vec<Attempt> = limits.iter().flat_map(with_limit).collect();
        remaining.reverse();
        AttemptPlan { is_single: remaining.len() == 1, remaining, last: None }
    }

    pub(super) fn is_single(&self) -> bool {
        self.is_single
    }

    /// Returns the next attempt. Returns `None` after a limit that rejected no candidate.
    pub(super) fn next_attempt(&mut self) -> Option<Attempt> {
        let attempt = *self.remaining.last()?;
        match self.last {
            Some((limit, false)) if limit < attempt.limit => return None,
            Some((limit, _)) if limit == attempt.limit => {}
            _ => self.last = Some((attempt.limit, false)),
        }
        self.remaining.pop()
    }

    /// Records whether the last attempt rejected a candidate because of its limit.
    pub(super) fn record(&mut self, limited: bool) {
        if let Some((_, known)) = &mut self.last {
            *known |= limited;
        }
    }
}

/// Returns the attempts with this limit.
fn attempts(gain: Gain, limit: u64, is_paper_score: bool) -> Vec<Attempt> {
    let by_loss = match gain {
        Gain::Entropy => !is_paper_score,
        Gain::Discernibility => true,
        Gain::Distortion => limit > 0,
    };
    let attempt = Attempt { gain, limit, by_loss, divisor: Divisor::PrivacyLoss, suppresses: limit > 0 };
    let other = Attempt { divisor: Divisor::SuppressedRecords, ..attempt };
    match by_loss && (limit > 0 || gain == Gain::Entropy) {
        true => vec![attempt, other],
        false => vec![attempt],
    }
}
