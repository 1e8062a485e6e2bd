//! Judgement of the distribution of a column among the joined tuples with a value on X.

use super::{ClassCells, ClassSafety, JoinCheck, ValueOnX};
use crate::contract::Judge;
use crate::data::contingency::Weight;
use crate::data::taxonomy::Code;
use crate::join::Limit;
use crate::join::lossy::Tuples;
use crate::ratio::Ratio;
use crate::release::classes::{EquivalenceClass, Whole};

/// Maximum sum of counts, after division, of which the shares are judged.
const MAX_SHARES: Weight = 1 << 40;

/// Greatest common divisor.
pub(super) fn greatest_common_divisor(mut one: Tuples, mut other: Tuples) -> Tuples {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl JoinCheck<'_> {
    /// Judgement of the distribution of a column of the new release.
    pub(super) fn distribution(&self, cells: &ClassCells, ys: Vec<(Code, Tuples)>, x: u32) -> ClassSafety {
        let (Limit::Distribution(of), Some(known)) = (&self.constraint.limit, &cells.whole) else {
            return self.not_judged(x);
        };
        let whole = Whole { size: known.size, counts: known.counts.clone(), column: Some(&known.column) };
        match of.model.judge(&whole) {
            Ok(judge) => self.judge_shares(&judge, ys, x),
            Err(_) => self.not_judged(x),
        }
    }

    /// Judgement of the distribution of a column of an earlier release. It holds if the history alone has the same shares.
    pub(super) fn distribution_of_earlier<'m>(
        &'m self,
        ys: Vec<(Code, Tuples)>,
        at: impl Into<ValueOnX<'m>>,
    ) -> ClassSafety {
        let at = at.into();
        let Some(judge) = &self.judge else { return self.not_judged(at.number) };
        let found = self.judge_shares(judge, ys.clone(), at.number);
        let was_violated = || {
            let before = self.before(at)?;
            let known = |y: Code| before.ys.iter().find(|of| of.y == y).map_or(0, |of| of.tuples);
            let total: Tuples = ys.iter().map(|(_, tuples)| tuples).sum();
            let share = |tuples, total: Tuples| Ratio { numerator: tuples, denominator: total.max(1) };
            let same = |(y, tuples): &(Code, Tuples)| share(*tuples, total) == share(known(*y), before.tuples);
            Some(ys.len() == before.ys.len() && ys.iter().all(same))
        };
        ClassSafety { holds: found.holds || was_violated() == Some(true), ..found }
    }

    /// Judges the shares of values. Counts are divided by their greatest common divisor.
    fn judge_shares(&self, judge: &Judge<'_>, mut ys: Vec<(Code, Tuples)>, x: u32) -> ClassSafety {
        ys.sort_unstable();
        let divisor =
            ys.iter().fold(0, |divisor: Tuples, (_, tuples)| greatest_common_divisor(divisor, *tuples)).max(1);
        let weight = |(code, tuples): &(Code, Tuples)| Some((*code, Weight::try_from(tuples / divisor).ok()?));
        let counts: Option<Vec<(Code, Weight)>> = ys.iter().map(weight).collect();
        let size = counts.as_ref().and_then(|counts| counts.iter().try_fold(0u64, |sum, of| sum.checked_add(of.1)));
        match (counts, size.filter(|size| *size < MAX_SHARES)) {
            (Some(counts), Some(size)) => {
                let found = judge(&EquivalenceClass { size, counts: &counts });
                ClassSafety { holds: found.holds, safety: found.safety, x }
            }
            _ => self.not_judged(x),
        }
    }

    /// Judgement of a value on X that cannot be judged: the check fails.
    pub(super) fn not_judged(&self, x: u32) -> ClassSafety {
        self.index().give_up();
        ClassSafety { holds: false, safety: f64::NEG_INFINITY, x }
    }
}
