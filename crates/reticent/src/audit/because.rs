//! Why: a small set of releases and groups that already tells what all of them tell.
//!
//! Groups around the person are added until they tell it by themselves; then releases, and after them groups, are taken away again
//! as long as the rest still tells it. So nothing in what is left is superfluous; another set may be smaller.

use super::board::{Board, Group, Somebody};
use super::chances::{Chance, chances};
use super::group_name;
use crate::history::{Held, History};
use reticent_inference::{Answer, Ask, Fraction, solve};

/// Releases and groups that tell something.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Because {
    /// The groups, oldest release first.
    pub groups: Vec<GroupShown>,
    /// In one sentence, without any sensitive value.
    pub words: String,
}

/// A group, and what it shows.
#[derive(Debug, Clone, serde::Serialize)]
pub struct GroupShown {
    /// The release's number.
    pub release: u64,
    /// Its name.
    pub name: String,
    /// When it went out.
    pub date: String,
    /// The group's published quasi-identifiers, or its number.
    #[serde(serialize_with = "crate::witness::as_cells")]
    pub group: Vec<(String, String)>,
    /// People in it.
    pub people: u64,
    /// Whether those of whom it is told are in it; a group of others tells of them by what it leaves.
    pub theirs: bool,
    /// Whether its values are listed once, however many have them.
    pub set: bool,
    /// What its records show, for internal eyes: the value, and how many records.
    #[serde(serialize_with = "super::shown::counts")]
    pub shows: Vec<(String, u64)>,
}

/// At most so many groups are looked at,
const MOST_GROUPS: usize = 400;
/// and so many are taken away one by one.
const MOST_SINGLE: usize = 60;

/// The smallest set found; none when what is told is not told by any that was tried.
pub(super) fn because(
    board: &Board,
    history: &History,
    answer: &Answer,
    (place, who): (u32, Option<&Somebody>),
    column: usize,
    chance: &Chance,
) -> Option<Because> {
    let aim = Aim { board, place, column, value: chance.value, least: chance.lower };
    if chance.lower.numerator == 0 || answer.crowds[place as usize].is_empty() {
        return None;
    }
    if let Some(places) = who.map(|who| in_same_release(board, place, who)).filter(|places| places.len() > 1) {
        let mut groups: Vec<u32> =
            places.iter().flat_map(|place| &board.alike[*place as usize].groups).copied().collect();
        groups.sort_unstable();
        groups.dedup();
        let because = shown(board, history, &groups, &places, column);
        let name = because.groups.first().map(|group| group.name.clone()).unwrap_or_default();
        let words = format!("{} records of {name} are theirs, and any of them may show it", places.len());
        return Some(Because { words, ..because });
    }
    let mut groups = aim.around()?;
    let mut releases: Vec<usize> = groups.iter().map(|group| board.groups[*group as usize].release).collect();
    releases.sort_unstable();
    releases.dedup();
    for release in releases {
        let without: Vec<u32> =
            groups.iter().copied().filter(|group| board.groups[*group as usize].release != release).collect();
        if aim.is_told_by(&without) {
            groups = without;
        }
    }
    if groups.len() <= MOST_SINGLE {
        for group in groups.clone() {
            let without: Vec<u32> = groups.iter().copied().filter(|other| *other != group).collect();
            if aim.is_told_by(&without) {
                groups = without;
            }
        }
    }
    Some(shown(board, history, &groups, &[place], column))
}

/// The places of somebody's records in the release that one of them is of.
fn in_same_release(board: &Board, place: u32, who: &Somebody) -> Vec<u32> {
    let release = |place: u32| {
        let group = board.alike[place as usize].groups.first();
        group.map(|group| board.groups[*group as usize].release)
    };
    who.places.iter().copied().filter(|other| release(*other) == release(place)).collect()
}

/// What is to be told of whom.
struct Aim<'a> {
    board: &'a Board,
    place: u32,
    column: usize,
    value: u32,
    least: Fraction,
}

impl Aim<'_> {
    /// Groups around the person that tell it by themselves.
    fn around(&self) -> Option<Vec<u32>> {
        let mut groups = self.board.alike[self.place as usize].groups.clone();
        loop {
            if self.is_told_by(&groups) {
                return Some(groups);
            }
            let before = groups.len();
            let people: Vec<u32> =
                groups.iter().flat_map(|group| self.board.groups[*group as usize].alike.clone()).collect();
            groups.extend(people.iter().flat_map(|place| &self.board.alike[*place as usize].groups));
            groups.sort_unstable();
            groups.dedup();
            if groups.len() == before || groups.len() > MOST_GROUPS {
                return None;
            }
        }
    }

    fn is_told_by(&self, groups: &[u32]) -> bool {
        let (puzzle, places) = self.board.puzzle_of(groups);
        let Ok(at) = places.binary_search(&self.place) else { return false };
        let ask =
            Ask { entropy: false, steps: 200_000, program: 200_000, bounds_only: self.board.relaxed, ..Ask::default() };
        let Ok(answer) = solve(&puzzle, &ask) else { return false };
        let chances = chances(&self.board.secrets, self.column, &answer.crowds[at]);
        chances.iter().any(|chance| chance.value == self.value && chance.lower >= self.least)
    }
}

/// What a record shows: of several columns that tell about each other, what it shows of each.
fn record(board: &Board, held: &Held, cover: u32, column: usize) -> String {
    let secrets = &board.secrets;
    let reads = |column: usize| {
        let mut reads: Vec<&str> =
            secrets.below(cover).iter().filter_map(|secret| secrets.reads(*secret, column)).collect();
        reads.sort_unstable();
        reads.dedup();
        if reads.len() > 4 { format!("one of {} values", reads.len()) } else { reads.join(" or ") }
    };
    let shown = |at: &usize| held.release.columns.iter().any(|known| known.name == secrets.columns[*at]);
    // The one that is asked about first.
    let others = (0..secrets.columns.len()).filter(|at| *at != column);
    let all: Vec<usize> = std::iter::once(column).chain(others).filter(shown).collect();
    match all.as_slice() {
        [] => reads(column),
        [one] if *one == column => reads(column),
        all => all.iter().map(|at| format!("{} {}", secrets.columns[*at], reads(*at))).collect::<Vec<_>>().join(", "),
    }
}

/// How many people are in a group: somebody with several records is one.
fn people_in(board: &Board, group: &Group) -> u64 {
    if board.several == 0 {
        return board.people_in(group);
    }
    let there = |somebody: &&Somebody| somebody.places.iter().any(|place| group.alike.contains(place));
    match board.people.iter().filter(there).map(|somebody| somebody.people).sum() {
        0 => board.people_in(group),
        people => people,
    }
}

fn shown(board: &Board, history: &History, groups: &[u32], places: &[u32], column: usize) -> Because {
    let mut groups = groups.to_vec();
    groups.sort_unstable_by_key(|group| (board.groups[*group as usize].release, *group));
    let one = |group: &u32| {
        let theirs = places.iter().any(|place| board.alike[*place as usize].groups.contains(group));
        let group = &board.groups[*group as usize];
        let held = &history.releases[group.release];
        let mut shows: Vec<(String, u64)> = Vec::new();
        for (cover, records) in &group.shows {
            let text = record(board, held, *cover, column);
            match shows.iter_mut().find(|(known, _)| *known == text) {
                Some((_, known)) => *known += records,
                None => shows.push((text, *records)),
            }
        }
        shows.sort();
        GroupShown {
            release: held.number,
            name: held.name.clone(),
            date: held.date.clone(),
            group: group_name(history, group),
            people: people_in(board, group),
            theirs,
            set: group.set,
            shows,
        }
    };
    let groups: Vec<GroupShown> = groups.iter().map(one).collect();
    let mut releases: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    releases.dedup();
    let words = match (groups.len(), releases.len()) {
        (1, _) => format!("one group of {} tells it by itself", releases[0]),
        (many, 1) => format!("{many} groups of {} tell it together", releases[0]),
        (many, _) => format!("{many} groups of {} tell it together", releases.join(" and ")),
    };
    Because { groups, words }
}
