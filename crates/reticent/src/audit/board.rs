//! From a history to people, groups, and what the groups show: everything an attacker who knows who is where has to go on.
//!
//! A *secret* is what somebody may have in the sensitive columns that were published about them. A *group* is the records of a
//! release that nothing published tells apart but their secrets: the class on its quasi-identifiers, or the records that carry
//! the same value of the column that marks groups.
//!
//! People are known by the links of the ledger: who is in which group of which release. What the links also say, namely whose
//! secret is whose, is used for one thing only: to notice that somebody's changed between two releases.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::counted;
use super::secrets::{Cover, Secrets, Shape};
use crate::combos::Combos;
use crate::error::{Error, Result};
use crate::history::{Held, History};
use crate::inference::{Count, Crowd, Puzzle, Value};
use crate::links::Pseudonym;
use crate::schema::Role;
use crate::taxonomy::Code;

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

/// So many sources a release can be.
const MOST_LAYERS: u32 = 1024;

/// One record of somebody: release, group, and what it shows.
type Record = (usize, u32, Cover);

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
                        let record = (at, of_group[links.combos[link] as usize], silent);
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
                        let record = (links.pseudonyms[link], (at, of_combo[combo], covers[combo]));
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

    /// The release that a group is of: a list is of the one about whose people it is.
    pub fn release_of(&self, group: &Group) -> usize {
        self.abouts[group.release].unwrap_or(group.release)
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

    /// Gives everybody their place.
    ///
    /// Somebody whose secret changed is followed by the links alone: an attacker does not know whose did. So where people hang
    /// together with such a person through groups, nobody is followed from release to release, and what each release tells by
    /// itself remains.
    fn seat(&mut self, mut of_person: Vec<(Pseudonym, Record)>, nameless: Vec<Nameless>, varies: &[String]) {
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        of_person.par_sort_unstable();
        // What is expected to change tells nothing of later or earlier values.
        let all_vary = self.secrets.columns.iter().all(|column| varies.contains(column));
        let people: Vec<&[(Pseudonym, Record)]> = of_person.chunk_by(|one, next| one.0 == next.0).collect();
        let several = |records: &[(Pseudonym, Record)]| records.windows(2).any(|two| two[0].1.0 == two[1].1.0);
        let changed: Vec<bool> = people
            .iter()
            .map(|records| !all_vary && !several(records) && self.stays(records, varies).len() > 1)
            .collect();
        let astray = self.astray(&people, &changed);
        for (records, changed) in people.iter().zip(&changed) {
            let several = several(records);
            let lost = |(_, (_, group, _)): &(Pseudonym, Record)| astray.get(*group as usize) == Some(&true);
            let apart = several || (!all_vary && records.iter().any(lost));
            let stays = if apart { self.stays_where(records, |_, _| false) } else { self.stays(records, varies) };
            let groups = stays.iter().flatten().map(|(_, group, _)| *group).collect();
            self.several += u64::from(several);
            let own: Vec<u32> = stays.iter().map(|stay| self.place(stay, &mut known)).collect();
            let releases = stays.iter().flatten().map(|(release, _, _)| *release);
            let mut in_releases: Vec<usize> = releases.filter(|at| self.secrets.columns_of(*at) != 0).collect();
            in_releases.dedup();
            if stays.len() > 1 && in_releases.len() > 1 && !all_vary {
                own.iter().for_each(|place| self.alike[*place as usize].loose = true);
            }
            let pseudonym = Some(records[0].0);
            self.people.push(Somebody { pseudonym, places: own, people: 1, groups, changed: *changed });
        }
        for (group, shows, more) in nameless {
            let Group { records, counterfeits, .. } = self.groups[group as usize];
            let people = records.saturating_sub(counterfeits);
            // Which of them are nobody's is not known.
            let seen = if counterfeits == 0 && more.is_empty() { shows.into_iter().collect() } else { HashMap::new() };
            let groups: Vec<u32> = [group].into_iter().chain(more).collect();
            self.alike.push(Alike { people, groups: groups.clone(), seen, ..Alike::default() });
            let place = self.alike.len() as u32 - 1;
            self.people.push(Somebody { pseudonym: None, places: vec![place], people, groups, changed: false });
        }
        for (place, alike) in (0..).zip(&self.alike) {
            alike.groups.iter().for_each(|group| self.groups[*group as usize].alike.push(place));
        }
    }

    /// The records of somebody, as long as their secret stays the same.
    fn stays(&self, records: &[(Pseudonym, Record)], varies: &[String]) -> Vec<Vec<Record>> {
        // What may change is told by each release of its own.
        let vary = self.secrets.columns.iter().any(|column| varies.contains(column));
        self.stays_where(records, |known, record| !vary && self.secrets.can_be_one(known.2, record.2, varies))
    }

    /// The same, where it is said which records may be of one stay. A table that counts values of a release's people is of the stay
    /// that the release is of.
    fn stays_where(
        &self,
        records: &[(Pseudonym, Record)],
        same: impl Fn(&Record, &Record) -> bool,
    ) -> Vec<Vec<Record>> {
        let mut stays: Vec<Vec<Record>> = Vec::new();
        for (_, record) in records {
            if let Some(about) = self.abouts[record.0] {
                let is_of = |stay: &&mut Vec<Record>| {
                    let has = |release: usize| stay.iter().any(|known| known.0 == release);
                    has(about) && !has(record.0)
                };
                if let Some(stay) = stays.iter_mut().find(is_of) {
                    stay.push(*record);
                    continue;
                }
            }
            match stays.last_mut() {
                Some(stay) if stay.iter().all(|known| same(known, record)) => stay.push(*record),
                _ => stays.push(vec![*record]),
            }
        }
        stays
    }

    /// By group: whether somebody whose secret changed is in it, or in one that hangs together with it through people. Nothing when
    /// nobody's did.
    fn astray(&self, people: &[&[(Pseudonym, Record)]], changed: &[bool]) -> Vec<bool> {
        if !changed.contains(&true) {
            return Vec::new();
        }
        let mut above: Vec<u32> = (0..self.groups.len() as u32).collect();
        fn top(above: &mut [u32], mut group: u32) -> u32 {
            while above[group as usize] != group {
                above[group as usize] = above[above[group as usize] as usize];
                group = above[group as usize];
            }
            group
        }
        for records in people {
            let groups = records.iter().map(|(_, (_, group, _))| *group).filter(|group| self.says_anything(*group));
            let mut groups = groups.map(|group| top(&mut above, group)).collect::<Vec<_>>().into_iter();
            if let Some(first) = groups.next() {
                groups.for_each(|group| {
                    let group = top(&mut above, group);
                    above[group as usize] = top(&mut above, first);
                });
            }
        }
        let mut astray = vec![false; self.groups.len()];
        for (records, _) in people.iter().zip(changed).filter(|(_, changed)| **changed) {
            for (_, (_, group, _)) in records.iter() {
                astray[top(&mut above, *group) as usize] = true;
            }
        }
        (0..self.groups.len() as u32).map(|group| astray[top(&mut above, group) as usize]).collect()
    }

    /// The place of somebody with these records, at most one a release.
    fn place(&mut self, stay: &[Record], places: &mut HashMap<Vec<u32>, u32>) -> u32 {
        // A group of a release that has nothing secret tells nobody apart.
        let groups = stay.iter().map(|(_, group, _)| *group).filter(|group| self.says_anything(*group));
        let groups: Vec<u32> = groups.collect();
        let alike = &mut self.alike;
        let place = *places.entry(groups).or_insert_with_key(|groups| {
            alike.push(Alike { groups: groups.clone(), ..Alike::default() });
            alike.len() as u32 - 1
        });
        let finest = stay.iter().map(|(_, _, cover)| *cover).min_by_key(|cover| self.secrets.below(*cover).len());
        let here = &mut self.alike[place as usize];
        here.people += 1;
        if let Some(cover) = finest {
            *here.seen.entry(cover).or_insert(0) += 1;
        }
        place
    }

    /// The puzzle of all groups.
    pub fn puzzle(&self) -> Puzzle {
        let crowds: Vec<Crowd> = self.alike.iter().map(|alike| self.crowd(alike, |_| true)).collect();
        let mut counts = Vec::new();
        for group in &self.groups {
            self.counts(group, &crowds, &group.alike, &mut counts);
        }
        counts.extend(self.said.iter().cloned());
        let seen = self.seen(&crowds);
        let loose = (0..).zip(&self.alike).filter(|(_, alike)| alike.loose).map(|(place, _)| place).collect();
        Puzzle { crowds, counts, seen, loose }
    }

    /// The puzzle of some groups by themselves, and its people by place among those alike.
    pub fn puzzle_of(&self, groups: &[u32]) -> (Puzzle, Vec<u32>) {
        let mut places: Vec<u32> =
            groups.iter().flat_map(|group| &self.groups[*group as usize].alike).copied().collect();
        places.sort_unstable();
        places.dedup();
        let crowd = |place: &u32| self.crowd(&self.alike[*place as usize], |group| groups.contains(&group));
        let crowds: Vec<Crowd> = places.iter().map(crowd).collect();
        let mut counts = Vec::new();
        for group in groups.iter().map(|group| &self.groups[*group as usize]) {
            let local = |place: &u32| places.binary_search(place).ok().map(|place| place as u32);
            let alike: Vec<u32> = group.alike.iter().filter_map(local).collect();
            self.counts(group, &crowds, &alike, &mut counts);
        }
        let loose = (0..).zip(&places).filter(|(_, place)| self.alike[**place as usize].loose);
        let loose = loose.map(|(at, _)| at).collect();
        (Puzzle { crowds, counts, loose, ..Puzzle::default() }, places)
    }

    fn crowd(&self, alike: &Alike, counts_here: impl Fn(u32) -> bool) -> Crowd {
        let groups = || alike.groups.iter().copied().filter(|group| counts_here(*group));
        if !groups().any(|group| self.says_anything(group)) {
            return Crowd { people: 0, may: Vec::new() };
        }
        let mut may: Option<Vec<Value>> = alike.known.clone();
        for group in groups() {
            let here = &self.shown[group as usize];
            may = Some(match may {
                Some(may) => may.into_iter().filter(|value| here.binary_search(value).is_ok()).collect(),
                None => here.clone(),
            });
        }
        let mut may = may.unwrap_or_else(|| self.secrets.all());
        let shape = self.shape(groups());
        may.retain(|secret| self.secrets.has_shape(*secret, shape));
        Crowd { people: alike.people, may }
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

    /// What a group says: at least so many have what is below a cover as its records show, and at most what the others leave.
    /// Records beyond the people who are known to be there may be anybody's.
    fn counts(&self, group: &Group, crowds: &[Crowd], alike: &[u32], counts: &mut Vec<Count>) {
        let Group { release, shows, records, .. } = group;
        let people: u64 = alike.iter().map(|place| crowds[*place as usize].people).sum();
        let spare = records.saturating_sub(people);
        let said: Vec<Cover> =
            shows.iter().map(|(cover, _)| *cover).filter(|cover| !self.secrets.is_silent(*cover)).collect();
        let layers = self.layers(&said);
        for (cover, layer) in said.iter().zip(layers) {
            let below = self.secrets.below(*cover);
            let within = |other: &Cover| self.secrets.is_within(*other, *cover);
            let apart = |other: &Cover| !self.secrets.overlap(*other, *cover);
            let sum = |keep: &dyn Fn(&Cover) -> bool| -> u64 {
                shows.iter().filter(|(other, _)| keep(other)).map(|(_, records)| records).sum()
            };
            let of = alike.iter().flat_map(|place| below.iter().map(move |value| (*place, *value))).collect();
            if group.set {
                continue;
            }
            counts.push(Count {
                source: *release as u32 * MOST_LAYERS + layer,
                of,
                least: sum(&within).saturating_sub(spare),
                most: records - sum(&apart),
            });
        }
    }

    /// Covers that have something in common, in layers of their own: what a source counts, it counts once.
    fn layers(&self, covers: &[Cover]) -> Vec<u32> {
        let mut layers: Vec<u32> = Vec::with_capacity(covers.len());
        let plain = covers.iter().all(|cover| self.secrets.is_plain(*cover));
        for (at, cover) in covers.iter().enumerate() {
            let taken = |layer: &u32| {
                let before = covers[..at].iter().zip(&layers);
                before.filter(|(_, known)| *known == layer).any(|(other, _)| self.secrets.overlap(*other, *cover))
            };
            layers.push(if plain {
                0
            } else {
                (0..MOST_LAYERS - 1).find(|layer| !taken(layer)).unwrap_or(MOST_LAYERS - 1)
            });
        }
        layers
    }

    /// What people have, where that is known to whoever made the releases: a world to start from.
    fn seen(&self, crowds: &[Crowd]) -> Option<Vec<(u32, Value, u64)>> {
        let mut seen = Vec::new();
        for (place, alike) in (0..).zip(&self.alike) {
            if crowds[place as usize].people == 0 {
                continue;
            }
            let shape = self.shape(alike.groups.iter().copied());
            for (cover, people) in &alike.seen {
                let mut fitting =
                    self.secrets.below(*cover).iter().filter(|secret| self.secrets.has_shape(**secret, shape));
                let (Some(value), None) = (fitting.next(), fitting.next()) else { return None };
                crowds[place as usize].may.binary_search(value).ok()?;
                seen.push((place, *value, *people));
            }
        }
        Some(seen)
    }

    /// Sets these people apart from those alike, all at once, so that something can be said of them together: their places.
    pub fn divide(&mut self, these: &HashSet<Pseudonym>) -> Vec<u32> {
        let mut inside: HashMap<u32, u64> = HashMap::new();
        let is_inside = |somebody: &Somebody| somebody.pseudonym.is_some_and(|pseudonym| these.contains(&pseudonym));
        for somebody in self.people.iter().filter(|somebody| is_inside(somebody)) {
            somebody.places.iter().for_each(|place| *inside.entry(*place).or_insert(0) += 1);
        }
        let mut own: HashMap<u32, u32> = HashMap::new();
        let mut divided: Vec<(u32, u64)> = inside.into_iter().collect();
        divided.sort_unstable();
        for (place, people) in divided {
            if self.alike[place as usize].people == people {
                own.insert(place, place);
                continue;
            }
            self.alike[place as usize].people -= people;
            self.alike[place as usize].seen.clear();
            let Alike { groups, known, loose, .. } = self.alike[place as usize].clone();
            let new = self.alike.len() as u32;
            groups.iter().for_each(|group| self.groups[*group as usize].alike.push(new));
            self.alike.push(Alike { people, groups, known, loose, seen: HashMap::new() });
            own.insert(place, new);
        }
        for somebody in &mut self.people {
            if is_inside(somebody) {
                somebody.places.iter_mut().for_each(|place| *place = own[&*place]);
            }
        }
        let mut places: Vec<u32> = own.into_values().collect();
        places.sort_unstable();
        places
    }

    /// Sets somebody apart from those alike, so that something can be said of them alone. None when they are not there.
    pub fn set_apart(&mut self, pseudonym: Pseudonym) -> Option<Vec<u32>> {
        let at = self.people.binary_search_by_key(&Some(pseudonym), |somebody| somebody.pseudonym).ok()?;
        let places = self.people[at].places.clone();
        let mut own = Vec::new();
        for place in places {
            if self.alike[place as usize].people == 1 {
                own.push(place);
                continue;
            }
            self.alike[place as usize].people -= 1;
            // Who has what among the rest is no longer known here, and need not be.
            self.alike[place as usize].seen.clear();
            let groups = self.alike[place as usize].groups.clone();
            let new = self.alike.len() as u32;
            groups.iter().for_each(|group| self.groups[*group as usize].alike.push(new));
            let Alike { known, loose, .. } = self.alike[place as usize].clone();
            self.alike.push(Alike { people: 1, groups, known, loose, seen: HashMap::new() });
            own.push(new);
        }
        self.people[at].places.clone_from(&own);
        Some(own)
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
        let why = format!("release {} {} has neither quasi-identifiers nor sensitive columns", held.number, held.name);
        return Err(Error::CannotCheck { what: "what the releases give away together".to_owned(), why });
    }
    Ok(of_combo)
}
