//! Judgement in general: lists the tuples that a class matches, by value on X and on Y.

use hashbrown::HashMap;

use super::{ClassCell, ClassCells, ClassSafety, JoinCheck};
use crate::data::contingency::Weight;
use crate::data::taxonomy::Code;
use crate::join::Limit;
use crate::join::index::{JoinProfile, MatchedY};
use crate::join::lossy::Tuples;

/// Entry of the list of matches: value on X, new and earlier value on Y, tuples, distinct values.
type Line = (u32, u32, u32, Tuples, Tuples);

impl JoinCheck<'_> {
    /// Judgement in general: lists all matches of the class by value on X and on Y.
    pub(super) fn listed_safety(&self, cells: &ClassCells, key: &[u32], counts: &[(Code, Weight)]) -> ClassSafety {
        self.safety_by_x(cells, key, counts).into_iter().fold(ClassSafety::VACUOUS, ClassSafety::worse)
    }

    /// Judgement by value on X of the earlier releases.
    pub(super) fn safety_by_x(&self, cells: &ClassCells, key: &[u32], counts: &[(Code, Weight)]) -> Vec<ClassSafety> {
        let mut lines: Vec<Line> = Vec::new();
        let mut profiles: HashMap<u32, std::sync::Arc<JoinProfile>> = HashMap::new();
        let records = self.people && !cells.by_owner;
        for (code, weight) in counts {
            let ClassCell { extra, y } = cells.cells[*code as usize];
            let profile = profiles.entry(extra).or_insert_with(|| self.profile(cells, key, extra));
            let (y, different) = if records { (*code, Tuples::from(*weight)) } else { (y, 1) };
            for matched in &profile.matched {
                let line = |theirs: &MatchedY| {
                    let tuples = theirs.tuples.saturating_mul(Tuples::from(*weight));
                    (matched.x, y, theirs.y, tuples, theirs.different.saturating_mul(different))
                };
                lines.extend(matched.ys.iter().map(line));
            }
        }
        lines.sort_unstable();
        let by_x = lines.chunk_by(|one, next| one.0 == next.0);
        by_x.map(|lines| self.safety_of_lines(cells, lines)).collect()
    }

    /// Judgement for one value on X.
    fn safety_of_lines(&self, cells: &ClassCells, lines: &[Line]) -> ClassSafety {
        let x = lines[0].0;
        let by_y = lines.chunk_by(|one, next| (one.1, one.2) == (next.1, next.2));
        match &self.constraint.limit {
            Limit::AtLeast(minimum) => {
                let different = by_y.fold(0, |sum: Tuples, lines| sum.saturating_add(lines[0].4));
                self.at_least(different, *minimum, x)
            }
            Limit::AtMost(_) => {
                let sum = |lines: &[Line]| lines.iter().fold(0, |sum: Tuples, line| sum.saturating_add(line.3));
                let total = sum(lines);
                let of_y = |lines: &[Line]| {
                    let (own, y) = match self.counts_earlier {
                        true => (&self.bounds, lines[0].2),
                        false => (&cells.bounds, lines[0].1),
                    };
                    self.at_most(own, y, sum(lines), total, x)
                };
                by_y.map(of_y).fold(ClassSafety::VACUOUS, ClassSafety::worse)
            }
            Limit::Distribution(_) => {
                let mut ys: Vec<(Code, Tuples)> = Vec::new();
                for lines in by_y {
                    let y = if self.counts_earlier { lines[0].2 } else { lines[0].1 };
                    ys.push((y, lines.iter().fold(0, |sum: Tuples, line| sum.saturating_add(line.3))));
                }
                match self.counts_earlier {
                    true => self.distribution_of_earlier(ys, x),
                    false => self.distribution(cells, ys, x),
                }
            }
        }
    }
}
