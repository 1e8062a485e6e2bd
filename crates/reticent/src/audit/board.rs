//! From a history to people, groups, and what the groups show: everything an attacker who knows who is where has to go on.
//!
//! A *secret* is what somebody may have in the sensitive columns that were published about them. A *group* is the records of a
//! release that nothing published tells apart but their secrets: the class on its quasi-identifiers, or the records that carry
//! the same value of the column that marks groups.
//!
//! People are known by the links of the ledger: who is in which group of which release. What the links also say, namely whose
//! secret is whose, is used for one thing only: to notice that somebody's changed between two releases.

mod puzzle;
mod seats;

use hashbrown::HashMap;

use super::counted;
use super::secrets::{Cover, Secrets, Shape};
use crate::combos::Combos;
use crate::error::{Obstacle, Result};
use crate::history::{Held, History};
use crate::links::Pseudonym;
use crate::schema::Role;
use crate::taxonomy::Code;
use reticent_inference::{Count, Value};

/// People, groups and what they show.
pub struct Board {
    /// What people may have.
    pub secrets: Secrets,
    /// The groups of all releases.
    pub groups: Vec<Group>,
    /// People whom nothing tells apart.
    pub alike: Vec<Alike>,
    /// Everybody, by what they are called.
    pub people: Vec<Somebody>,
    /// People with several records in one release.
    pub several: u64,
    /// By release of the history: whether it is known whose its records are.
    pub linked: Vec<bool>,
    /// True when what overlapping values show was not used in full: bounds hold, and nothing is exact.
    pub relaxed: bool,
    /// What else is known, over those alike.
    pub said: Vec<Count>,
    /// By group: what anybody in it may have.
    shown: Vec<Vec<Value>>,
    /// By release: the one about whose people it counts values.
    abouts: Vec<Option<usize>>,
}

/// A group of a release.
#[derive(Debug, Clone)]
pub struct Group {
    /// The release, by place in the history.
    pub release: usize,
    /// A combination of the release that is in the group.
    pub member: usize,
    /// Its records.
    pub records: u64,
    /// How many of them are said to be nobody's.
    pub counterfeits: u64,
    /// Whether its values are listed once, and may be nobody's.
    pub set: bool,
    /// What its records show, and how many show it.
    pub shows: Vec<(Cover, u64)>,
    /// Its people, by place among those alike.
    pub alike: Vec<u32>,
}

/// People whom nothing tells apart.
#[derive(Debug, Clone, Default)]
pub struct Alike {
    /// How many.
    pub people: u64,
    /// The groups they are in.
    pub groups: Vec<u32>,
    /// What they are known to have, whatever was published.
    pub known: Option<Vec<Value>>,
    /// Whether somebody is among them whose records in several releases are not followed, although the attacker can: they have
    /// several in one release, or their secret changed.
    pub loose: bool,
    /// What they have in the files, as far as that helps to find a world: a cover, and how many.
    seen: HashMap<Cover, u64>,
}

/// Somebody.
#[derive(Debug, Clone)]
pub struct Somebody {
    /// What they are called; none in a release whose owners are not known.
    pub pseudonym: Option<Pseudonym>,
    /// Where they are, by place among those alike: one, unless they have several records or their secret changed.
    pub places: Vec<u32>,
    /// How many people this stands for: more than one only where nobody is called anything.
    pub people: u64,
    /// The group in each release they are in, also where it shows nothing secret, by place.
    pub groups: Vec<u32>,
    /// Whether their secret changed between releases.
    pub changed: bool,
}

/// One record of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    release: usize,
    group: u32,
    /// What it shows.
    cover: Cover,
    /// Where it counts values of another release's people: the group that they have there.
    of: Option<u32>,
}

/// A group whose people are not known, what it shows, and the groups of tables that count the values of the same people.
pub(super) type Nameless = (u32, Vec<(Cover, u64)>, Vec<u32>);

impl Board {
    /// Sets the board for these sensitive columns, or for all. `varies` are those that may change from release to release.
    pub fn of(history: &History, only: Option<&[String]>, varies: &[String]) -> Result<Board> {
        let mut secrets = Secrets::of(history, only)?;
        let mut groups: Vec<Group> = Vec::new();
        let mut of_person: Vec<(Pseudonym, Record)> = Vec::new();
        let mut nameless: Vec<Nameless> = Vec::new();
        let mut linked = Vec::new();
        let mut grouped: Vec<Vec<u32>> = Vec::new();
        let mut abouts: Vec<Option<usize>> = Vec::new();
        for (at, held) in history.releases.iter().enumerate() {
            let covers = secrets.covers(held)?;
            let first = groups.len() as u32;
            let of_combo = group(held, at, &covers, &mut groups)?;
            grouped.push(of_combo.clone());
            let about = counted::about(history, at);
            abouts.push(about);
            linked.push(held.links.is_some() || about.is_some_and(|about| history.releases[about].links.is_some()));
            if let Some(about) = about {
                let silent = secrets.silent();
                let of_group = counted::groups(history, at, about, &of_combo)?;
                match &history.releases[about].links {
                    Some(links) => of_person.extend((0..links.len()).flat_map(|link| {
                        let combo = links.combos[link] as usize;
                        let of = Some(grouped[about][combo]);
                        let record = Record { release: at, group: of_group[combo], cover: silent, of };
                        std::iter::repeat_n((links.pseudonyms[link], record), links.records[link] as usize)
                    })),
                    None => counted::beside(history, &grouped[about], &of_group, &mut nameless, at)?,
                }
                continue;
            }
            match &held.links {
                Some(links) => {
                    for link in 0..links.len() {
                        let combo = links.combos[link] as usize;
                        let record = Record { release: at, group: of_combo[combo], cover: covers[combo], of: None };
                        let record = (links.pseudonyms[link], record);
                        of_person.extend(std::iter::repeat_n(record, links.records[link] as usize));
                    }
                }
                None if counted::first_view(history, at) < at => {
                    let view = counted::first_view(history, at);
                    counted::beside(history, &grouped[view], &of_combo, &mut nameless, at)?;
                }
                None => nameless.extend(
                    (first..groups.len() as u32).map(|group| (group, groups[group as usize].shows.clone(), Vec::new())),
                ),
            }
        }
        let mut board = Board {
            secrets,
            groups,
            alike: Vec::new(),
            people: Vec::new(),
            several: 0,
            linked,
            relaxed: false,
            said: Vec::new(),
            shown: Vec::new(),
            abouts,
        };
        board.shown = board.groups.iter().map(|group| board.may(group)).collect();
        board.relaxed = board.secrets.wide || board.groups.iter().any(|group| !board.secrets.is_laminar(&group.shows));
        board.seat(of_person, nameless, varies);
        board.relaxed |= board.groups.iter().any(|group| board.hides_nobodys(group));
        Ok(board)
    }

    /// Whether some of a group's records are nobody's, and some do not show one value: then counts by value do not say all there is.
    fn hides_nobodys(&self, group: &Group) -> bool {
        let people: u64 = group.alike.iter().map(|place| self.alike[*place as usize].people).sum();
        let plain = |(cover, _): &(Cover, u64)| self.secrets.is_plain(*cover);
        !group.set
            && self.secrets.columns_of(group.release) != 0
            && people < group.records
            && !group.shows.iter().all(plain)
    }

    /// How many people a group has; its records where nobody is known to be in it.
    pub fn people_in(&self, group: &Group) -> u64 {
        let people: u64 = group.alike.iter().map(|place| self.alike[*place as usize].people).sum();
        if people == 0 { group.records } else { people }
    }

    fn may(&self, group: &Group) -> Vec<Value> {
        let below = group.shows.iter().flat_map(|(cover, _)| self.secrets.below(*cover));
        let mut may: Vec<Value> = below.copied().collect();
        may.sort_unstable();
        may.dedup();
        may
    }

    /// The sensitive columns that were published of people.
    fn shape(&self, groups: impl Iterator<Item = u32>) -> Shape {
        let releases = groups.map(|group| self.groups[group as usize].release);
        releases.fold(0, |shape, release| shape | self.secrets.columns_of(release))
    }

    /// Whether a group is of a release that has anything secret, shown or hidden.
    fn says_anything(&self, group: u32) -> bool {
        self.secrets.columns_of(self.groups[group as usize].release) != 0
    }

    /// Whether anything was published of people in a column.
    pub fn speaks(&self, place: u32, column: usize) -> bool {
        self.shape(self.alike[place as usize].groups.iter().copied()) >> column & 1 == 1
    }
}

/// The groups of a release: by combination, the place of its group.
fn group(held: &Held, at: usize, covers: &[Cover], groups: &mut Vec<Group>) -> Result<Vec<u32>> {
    let release = &held.release;
    let by: Vec<usize> = match &held.disguise.groups {
        Some(column) => vec![release.position(column)?],
        None => {
            let columns = 0..release.columns.len();
            columns.filter(|column| release.columns[*column].role == Role::QuasiIdentifier).collect()
        }
    };
    let Combos { codes, weights, .. } = &release.combos;
    let mut known: HashMap<Vec<Code>, u32> = HashMap::new();
    let mut of_combo = Vec::with_capacity(weights.len());
    for combo in 0..weights.len() {
        let key: Vec<Code> = by.iter().map(|column| codes[*column][combo]).collect();
        let place = *known.entry(key).or_insert_with(|| {
            groups.push(Group {
                release: at,
                member: combo,
                records: 0,
                counterfeits: 0,
                set: held.disguise.set,
                shows: Vec::new(),
                alike: Vec::new(),
            });
            groups.len() as u32 - 1
        });
        let group = &mut groups[place as usize];
        group.records += weights[combo];
        match group.shows.iter_mut().find(|(cover, _)| *cover == covers[combo]) {
            Some((_, records)) => *records += weights[combo],
            None => group.shows.push((covers[combo], weights[combo])),
        }
        of_combo.push(place);
    }
    counted::counterfeits(held, at, &of_combo, groups)?;
    if by.is_empty()
        && held.disguise.groups.is_none()
        && release.columns.iter().all(|column| column.role != Role::Sensitive)
    {
        return Err(Obstacle::NothingToAudit { release: held.number, name: held.name.clone() }.into());
    }
    Ok(of_combo)
}
