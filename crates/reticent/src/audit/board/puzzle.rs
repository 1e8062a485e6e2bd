//! What the groups of a board say, as a puzzle: crowds, what each may have, and counts.

use super::{Alike, Board, Group};
use crate::audit::secrets::Cover;
use reticent_inference::{Count, Crowd, Puzzle, Value};

/// So many sources a release can be.
const MOST_LAYERS: u32 = 1024;

impl Board {
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
    pub(crate) fn puzzle_of(&self, groups: &[u32]) -> (Puzzle, Vec<u32>) {
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
}
