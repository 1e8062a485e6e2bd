//! Who is where on a board: people with the same groups throughout are alike, and somebody of whom more is said is set apart.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::{Alike, Board, Group, Nameless, Record, Somebody};
use crate::links::Pseudonym;

impl Board {
    /// Gives everybody their place.
    ///
    /// Somebody whose secret changed is followed by the links alone: an attacker does not know whose did. So where people hang
    /// together with such a person through groups, nobody is followed from release to release, and what each release tells by
    /// itself remains.
    pub(super) fn seat(&mut self, mut of_person: Vec<(Pseudonym, Record)>, nameless: Vec<Nameless>, varies: &[String]) {
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        of_person.par_sort_unstable();
        // What is expected to change tells nothing of later or earlier values.
        let all_vary = self.secrets.columns.iter().all(|column| varies.contains(column));
        let people: Vec<&[(Pseudonym, Record)]> = of_person.chunk_by(|one, next| one.0 == next.0).collect();
        let several =
            |records: &[(Pseudonym, Record)]| records.windows(2).any(|two| two[0].1.release == two[1].1.release);
        let changed: Vec<bool> = people
            .iter()
            .map(|records| !all_vary && !several(records) && self.stays(records, varies).len() > 1)
            .collect();
        let astray = self.astray(&people, &changed);
        for (records, changed) in people.iter().zip(&changed) {
            let several = several(records);
            let lost = |(_, record): &(Pseudonym, Record)| astray.get(record.group as usize) == Some(&true);
            let apart = several || (!all_vary && records.iter().any(lost));
            let stays = if apart { self.stays_where(records, |_, _| false) } else { self.stays(records, varies) };
            let groups = stays.iter().flatten().map(|record| record.group).collect();
            self.several += u64::from(several);
            let own: Vec<u32> = stays.iter().map(|stay| self.place(stay, &mut known)).collect();
            let releases = stays.iter().flatten().map(|record| record.release);
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
        self.stays_where(records, |known, record| !vary && self.secrets.can_be_one(known.cover, record.cover, varies))
    }

    /// The same, where it is said which records may be of one stay. A record of a table that counts values of a release's people is of
    /// the stay that has the record of that release which it counts.
    fn stays_where(
        &self,
        records: &[(Pseudonym, Record)],
        same: impl Fn(&Record, &Record) -> bool,
    ) -> Vec<Vec<Record>> {
        let mut stays: Vec<Vec<Record>> = Vec::new();
        for (_, record) in records {
            if let Some(about) = self.abouts[record.release] {
                let is_of = |stay: &&mut Vec<Record>| {
                    stay.iter().any(|known| known.release == about && Some(known.group) == record.of)
                        && !stay.iter().any(|known| known.release == record.release)
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
            let groups = records.iter().map(|(_, record)| record.group).filter(|group| self.says_anything(*group));
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
            for (_, record) in records.iter() {
                astray[top(&mut above, record.group) as usize] = true;
            }
        }
        (0..self.groups.len() as u32).map(|group| astray[top(&mut above, group) as usize]).collect()
    }

    /// The place of somebody with these records, at most one a release.
    fn place(&mut self, stay: &[Record], places: &mut HashMap<Vec<u32>, u32>) -> u32 {
        // A group of a release that has nothing secret tells nobody apart.
        let groups = stay.iter().map(|record| record.group).filter(|group| self.says_anything(*group));
        let groups: Vec<u32> = groups.collect();
        let alike = &mut self.alike;
        let place = *places.entry(groups).or_insert_with_key(|groups| {
            alike.push(Alike { groups: groups.clone(), ..Alike::default() });
            alike.len() as u32 - 1
        });
        let finest = stay.iter().map(|record| record.cover).min_by_key(|cover| self.secrets.below(*cover).len());
        let here = &mut self.alike[place as usize];
        here.people += 1;
        if let Some(cover) = finest {
            *here.seen.entry(cover).or_insert(0) += 1;
        }
        place
    }

    /// Sets these people apart from those alike, all at once, so that something can be said of them together: their places.
    pub(crate) fn divide(&mut self, these: &HashSet<Pseudonym>) -> Vec<u32> {
        let mut inside: HashMap<u32, u64> = HashMap::new();
        let is_inside = |somebody: &Somebody| somebody.pseudonym.is_some_and(|pseudonym| these.contains(&pseudonym));
        for somebody in self.people.iter().filter(|somebody| is_inside(somebody)) {
            somebody.places.iter().for_each(|place| *inside.entry(*place).or_insert(0) += 1);
        }
        let mut own: HashMap<u32, u32> = HashMap::new();
        let mut divided: Vec<(u32, u64)> = inside.into_iter().collect();
        divided.sort_unstable();
        for (place, people) in divided {
            own.insert(place, self.part(place, people));
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
    pub(crate) fn set_apart(&mut self, pseudonym: Pseudonym) -> Option<Vec<u32>> {
        // Those who are not called anything come after all others.
        let called = self.people.partition_point(|somebody| somebody.pseudonym.is_some());
        let at = self.people[..called].binary_search_by_key(&Some(pseudonym), |somebody| somebody.pseudonym).ok()?;
        let places = self.people[at].places.clone();
        let own: Vec<u32> = places.into_iter().map(|place| self.part(place, 1)).collect();
        self.people[at].places.clone_from(&own);
        Some(own)
    }
    /// A place of their own for so many of those alike; the one that they have where they are all.
    fn part(&mut self, place: u32, people: u64) -> u32 {
        let new = self.alike.len() as u32;
        let whole = &mut self.alike[place as usize];
        if whole.people == people {
            return place;
        }
        whole.people -= people;
        // Who has what among the rest is no longer known here, and need not be.
        whole.seen.clear();
        let part = Alike { people, ..whole.clone() };
        part.groups.iter().for_each(|group| self.groups[*group as usize].alike.push(new));
        self.alike.push(part);
        new
    }
}
