//! Somebody with several records in one release: that any of them shows a value.
//!
//! A group *stands alone* where nobody in it is in another group that says anything, nothing else is known of anybody there, and every
//! record is somebody's and shows one value. A world deals its records to its people, and every deal is as likely as any other. Of
//! n records, c of which show a value, somebody has r: in C(n - c, r) of C(n, r) deals none of these shows it. Groups that stand alone do
//! not depend on each other, so that is the product over the groups that somebody's records are in.
//!
//! Elsewhere it is at least as likely as that one of the records shows it, and at most as likely as for all of them together.
//!
//! The more records somebody has, the likelier it is that one of them shows a value, whatever was published. So that is told, and what is
//! allowed is a matter of each record, as for the models; unless it is certain, which only releases can make it.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::board::{Board, Group, Somebody};
use super::chances::{Chance, chances};
use reticent_inference::{Answer, Fraction};

/// What is told at a place.
pub(super) type At = (u32, Vec<Chance>);

/// What is told of people, however many records they have.
pub(super) struct Several<'a> {
    board: &'a Board,
    /// By group: whether it stands alone; nothing where nobody has several records.
    alone: Vec<bool>,
}

impl<'a> Several<'a> {
    pub(super) fn of(board: &'a Board) -> Several<'a> {
        if board.several == 0 {
            return Several { board, alone: Vec::new() };
        }
        let said: HashSet<u32> = board.said.iter().flat_map(|count| &count.of).map(|(place, _)| *place).collect();
        let stands_alone = |(at, group): (u32, &Group)| {
            let own = |place: &u32| {
                let alike = &board.alike[*place as usize];
                alike.groups == [at] && alike.known.is_none() && !alike.loose && !said.contains(place)
            };
            let people: u64 = group.alike.iter().map(|place| board.alike[*place as usize].people).sum();
            !group.set
                && group.counterfeits == 0
                && people == group.records
                && group.alike.iter().all(own)
                && group.shows.iter().all(|(cover, _)| board.secrets.below(*cover).len() == 1)
        };
        Several { board, alone: (0..).zip(&board.groups).map(stands_alone).collect() }
    }

    /// What is told of a column of each record of somebody, with its place.
    pub(super) fn records(&self, answer: &Answer, column: usize, somebody: &Somebody) -> Vec<At> {
        let places = somebody.places.iter().filter(|place| self.board.speaks(**place, column));
        let told = places.map(|at| (*at, chances(&self.board.secrets, column, &answer.crowds[*at as usize])));
        told.filter(|(_, chances)| !chances.is_empty()).collect()
    }

    /// What is told of all records of somebody in each release, with the place of one of them: that any of them shows a value.
    pub(super) fn by_release(&self, records: &[At], column: usize) -> Vec<At> {
        let mut by_release: Vec<(Option<usize>, Vec<&At>)> = Vec::new();
        for record in records {
            let release = self.group_of(record.0).map(|group| self.board.groups[group as usize].release);
            match by_release.iter_mut().find(|(known, _)| *known == release) {
                Some((_, records)) => records.push(record),
                None => by_release.push((release, vec![record])),
            }
        }
        let any = |(_, records): (Option<usize>, Vec<&At>)| match records.as_slice() {
            [one] => (*one).clone(),
            several => (several[0].0, self.any(several, column)),
        };
        by_release.into_iter().map(any).collect()
    }

    fn group_of(&self, place: u32) -> Option<u32> {
        self.board.alike[place as usize].groups.first().copied()
    }

    /// What is told of all records of somebody in one release: that any of them shows a value.
    fn any(&self, records: &[&At], column: usize) -> Vec<Chance> {
        let mut own: BTreeMap<u32, u64> = BTreeMap::new();
        let mut others: Vec<&Vec<Chance>> = Vec::new();
        for (place, chances) in records.iter().copied() {
            match self.group_of(*place).filter(|group| self.alone.get(*group as usize) == Some(&true)) {
                Some(group) => *own.entry(group).or_insert(0) += 1,
                None => others.push(chances),
            }
        }
        // By value: that no record in a group that stands alone shows it, exactly where that can be written.
        let mut none: BTreeMap<u32, (Option<Fraction>, f64)> = BTreeMap::new();
        for (group, records) in own {
            let group = &self.board.groups[group as usize];
            for (value, showing) in self.showing(group, column) {
                let (exact, rounded) = none.entry(value).or_insert((Some(Fraction::ONE), 1.0));
                let (here, rounded_here) = none_of(group.records, showing, records);
                *exact = exact.zip(here).and_then(|(all, here)| all.times(here));
                *rounded *= rounded_here;
            }
        }
        let chance = |(value, (exact, rounded)): (u32, (Option<Fraction>, f64))| {
            let any = exact.map_or(1.0 - rounded, |none| none.rest().value());
            let bounds = exact.map(|none| (none.rest(), none.rest()));
            let (lower, upper) = bounds.unwrap_or_else(|| (Fraction::below(any), Fraction::above(any)));
            Chance { value, lower, upper, worlds: Some(any), sampled: None, entropy: Some(any) }
        };
        let mut all: Vec<Chance> = none.into_iter().map(chance).collect();
        for other in others.into_iter().flatten() {
            match all.iter_mut().find(|known| known.value == other.value) {
                None => all.push(*other),
                Some(known) => {
                    let either = 1.0 - (1.0 - known.best()) * (1.0 - other.best());
                    known.lower = known.lower.max(other.lower);
                    known.upper = known.upper.plus_up(other.upper);
                    (known.worlds, known.sampled, known.entropy) = (None, None, Some(either));
                }
            }
        }
        all.sort_unstable_by_key(|chance| chance.value);
        all
    }

    /// How many records of a group that stands alone show which value.
    fn showing(&self, group: &Group, column: usize) -> BTreeMap<u32, u64> {
        let secrets = &self.board.secrets;
        let mut showing = BTreeMap::new();
        for (cover, records) in &group.shows {
            let value = secrets.below(*cover).first().map(|secret| secrets.all[*secret as usize][column]);
            if let Some(value) = value.filter(|value| *value != u32::MAX) {
                *showing.entry(value).or_insert(0) += records;
            }
        }
        showing
    }
}

/// The share of deals in which none of so many records out of all shows what others show: exactly, where that can be written, and
/// rounded.
fn none_of(all: u64, showing: u64, own: u64) -> (Option<Fraction>, f64) {
    let not = all.saturating_sub(showing);
    if not < own {
        return (Some(Fraction::new(0, 1)), 0.0);
    }
    let (mut exact, mut rounded) = (Some(Fraction::ONE), 1.0);
    for nth in 0..own {
        let factor = Fraction::new(u128::from(not - nth), u128::from(all - nth));
        exact = exact.and_then(|share| share.times(factor));
        rounded *= factor.value();
    }
    (exact, rounded)
}

#[cfg(test)]
mod tests {
    use super::none_of;
    use reticent_inference::Fraction;

    /// By listing all ways to choose which records are somebody's.
    #[test]
    fn as_all_deals_are_counted() {
        for all in 1..=9u64 {
            for showing in 0..=all {
                for own in 0..=all {
                    let deals = (0u32..1 << all).filter(|deal| u64::from(deal.count_ones()) == own);
                    let shows = (1u32 << showing) - 1;
                    let (mut deal_count, mut none) = (0u128, 0u128);
                    for deal in deals {
                        deal_count += 1;
                        none += u128::from(deal & shows == 0);
                    }
                    let (exact, rounded) = none_of(all, showing, own);
                    assert_eq!(exact, Some(Fraction::new(none, deal_count)), "{all} {showing} {own}");
                    assert!((rounded - none as f64 / deal_count as f64).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn rounded_where_it_cannot_be_written() {
        let (exact, rounded) = none_of(1_000_000_007, 500_000_003, 40);
        assert_eq!(exact, None);
        assert!((rounded / 2f64.powi(-40) - 1.0).abs() < 1e-6, "{rounded}");
    }
}
