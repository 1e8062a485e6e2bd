//! What was told before the newest release: what it tells no better is not held against it.

use hashbrown::HashMap;

use super::chances::{Chance, chances};
use super::several::Several;
use super::{Question, boards, threshold};
use crate::error::Result;
use crate::history::History;
use crate::links::Pseudonym;
use reticent_inference::{Ask, Fraction, solve};

/// By sensitive column and person: the values that are told with more confidence than allowed without the newest release, for sure,
/// and with how much at least.
#[derive(Default)]
pub(super) struct Before(pub(super) HashMap<String, HashMap<Pseudonym, HashMap<String, Fraction>>>);

pub(super) fn given_away(history: &History, question: &Question) -> Result<Before> {
    let mut before = Before::default();
    // The newest release may be several tables.
    let newest = history.releases.last().map(|held| held.number);
    let earlier = history.releases.iter().rposition(|held| Some(held.number) != newest).map_or(0, |at| at + 1);
    let earlier = &history.releases[..earlier];
    if !question.judges() || earlier.is_empty() {
        return Ok(before);
    }
    let history = History { releases: earlier.to_vec(), lost: Vec::new() };
    for board in boards(&history.in_views(), question)? {
        let answer = solve(&board.puzzle(), &Ask { bounds_only: board.relaxed, entropy: false, ..question.ask })?;
        let several = Several::of(&board);
        // What a column that varies told before was another value.
        let lasting = |(_, column): &(usize, &String)| !question.varies.contains(column);
        for (at, column) in board.secrets.columns.iter().enumerate().filter(lasting) {
            let Some(allowed) = question.allowed(column).map(threshold) else { continue };
            let above = |chances: &[Chance], allowed: Fraction| -> Vec<(u32, Fraction)> {
                let above = chances.iter().filter(|chance| chance.lower > allowed || chance.lower == Fraction::ONE);
                above.map(|chance| (chance.value, chance.lower)).collect()
            };
            // Those who have one place are mostly many who share it.
            let of_place = |place: usize| match board.speaks(place as u32, at) {
                true => above(&chances(&board.secrets, at, &answer.crowds[place]), allowed),
                false => Vec::new(),
            };
            let of_place: Vec<Vec<(u32, Fraction)>> = (0..board.alike.len()).map(of_place).collect();
            let known = before.0.entry(column.clone()).or_default();
            for somebody in &board.people {
                let told = match somebody.places.as_slice() {
                    [place] => of_place[*place as usize].clone(),
                    _ => {
                        // As it is judged: each record, and what is certain of all together.
                        let records = several.records(&answer, at, somebody);
                        let all = several.by_release(&records, at);
                        let certain = all.iter().flat_map(|(_, chances)| above(chances, Fraction::ONE));
                        records.iter().flat_map(|(_, chances)| above(chances, allowed)).chain(certain).collect()
                    }
                };
                let mut values: HashMap<String, Fraction> = HashMap::new();
                for (value, share) in told {
                    let value = board.secrets.values[at][value as usize].as_str();
                    let known = values.entry_ref(value).or_insert(share);
                    *known = (*known).max(share);
                }
                if let Some(pseudonym) = somebody.pseudonym.filter(|_| !values.is_empty()) {
                    known.insert(pseudonym, values);
                }
            }
        }
    }
    Ok(before)
}
