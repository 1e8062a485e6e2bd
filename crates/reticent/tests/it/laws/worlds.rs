//! All worlds that fit what a method listed, counted apart from the library's code.

use std::collections::{BTreeMap, BTreeSet};

/// A list of one column of one group of one release: whose, what, and whether it is a set.
pub struct Listing {
    pub members: Vec<u128>,
    pub values: Vec<(String, u64)>,
    pub set: bool,
}

/// The exact share of all worlds in which somebody has a value; none when there are too many.
pub fn told(listings: &[Listing]) -> Option<BTreeMap<(u128, String), f64>> {
    let mut candidates: BTreeMap<u128, BTreeSet<&str>> = BTreeMap::new();
    for listing in listings {
        let listed: BTreeSet<&str> = listing.values.iter().map(|(value, _)| value.as_str()).collect();
        for member in &listing.members {
            let known = candidates.entry(*member).or_insert_with(|| listed.clone());
            *known = known.intersection(&listed).copied().collect();
        }
    }
    let mut left: BTreeSet<u128> = candidates.keys().copied().collect();
    let mut found = BTreeMap::new();
    while let Some(first) = left.first().copied() {
        // Everybody who hangs together with this one through lists that count.
        let mut together = vec![first];
        left.remove(&first);
        let mut at = 0;
        while at < together.len() {
            let one = together[at];
            for listing in listings.iter().filter(|listing| !listing.set && listing.members.contains(&one)) {
                for member in &listing.members {
                    if left.remove(member) {
                        together.push(*member);
                    }
                }
            }
            at += 1;
        }
        let relevant: Vec<&Listing> = listings
            .iter()
            .filter(|listing| !listing.set && listing.members.iter().any(|who| together.contains(who)))
            .collect();
        let mut search = Search {
            people: &together,
            candidates: &candidates,
            listings: &relevant,
            used: relevant.iter().map(|_| BTreeMap::new()).collect(),
            world: Vec::new(),
            worlds: 0,
            having: BTreeMap::new(),
            steps: 3_000_000,
        };
        search.go();
        if search.steps == 0 {
            return None;
        }
        assert!(search.worlds > 0, "no world fits what was published");
        for ((who, value), times) in search.having {
            found.insert((who, value.to_owned()), times as f64 / search.worlds as f64);
        }
    }
    Some(found)
}

struct Search<'a> {
    people: &'a [u128],
    candidates: &'a BTreeMap<u128, BTreeSet<&'a str>>,
    listings: &'a [&'a Listing],
    used: Vec<BTreeMap<&'a str, u64>>,
    world: Vec<&'a str>,
    worlds: u64,
    having: BTreeMap<(u128, &'a str), u64>,
    steps: u64,
}

impl<'a> Search<'a> {
    fn go(&mut self) {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return;
        }
        let Some(who) = self.people.get(self.world.len()).copied() else {
            self.worlds += 1;
            for (who, value) in self.people.iter().zip(&self.world) {
                *self.having.entry((*who, value)).or_insert(0) += 1;
            }
            return;
        };
        for value in self.candidates[&who].clone() {
            let of: Vec<usize> =
                (0..self.listings.len()).filter(|at| self.listings[*at].members.contains(&who)).collect();
            let often = |listing: &Listing| {
                listing.values.iter().find(|(known, _)| known == value).map_or(0, |(_, times)| *times)
            };
            let fits = of.iter().all(|at| self.used[*at].get(value).copied().unwrap_or(0) < often(self.listings[*at]));
            if !fits {
                continue;
            }
            of.iter().for_each(|at| *self.used[*at].entry(value).or_insert(0) += 1);
            self.world.push(value);
            self.go();
            self.world.pop();
            of.iter().for_each(|at| *self.used[*at].get_mut(value).unwrap() -= 1);
        }
    }
}

/// The same for many worlds: people who are in the same listings, a cell, are told the same, so that only how many of a cell have
/// which value is tried.
pub fn told_by_cells(listings: &[Listing]) -> Option<BTreeMap<(u128, String), f64>> {
    let mut of: BTreeMap<u128, Vec<usize>> = BTreeMap::new();
    for (at, listing) in listings.iter().enumerate() {
        listing.members.iter().for_each(|who| of.entry(*who).or_default().push(at));
    }
    let mut cells: BTreeMap<Vec<usize>, Vec<u128>> = BTreeMap::new();
    of.into_iter().for_each(|(who, of)| cells.entry(of).or_default().push(who));
    let mut found = BTreeMap::new();
    while let Some((first, people)) = cells.pop_first() {
        // Everybody who hangs together with this cell.
        let mut together = vec![(first, people)];
        let mut at = 0;
        while at < together.len() {
            let near: Vec<Vec<usize>> =
                cells.keys().filter(|of| of.iter().any(|one| together[at].0.contains(one))).cloned().collect();
            together.extend(near.iter().filter_map(|of| cells.remove_entry(of)));
            at += 1;
        }
        let values: BTreeSet<&str> =
            together.iter().flat_map(|(of, _)| &listings[of[0]].values).map(|(value, _)| value.as_str()).collect();
        let values: Vec<&str> = values.into_iter().collect();
        let often = |listing: &Listing, value: &&str| {
            listing.values.iter().find(|(known, _)| known == value).map_or(0, |(_, times)| *times)
        };
        let mut tables = Tables {
            room: listings.iter().map(|listing| values.iter().map(|value| often(listing, value)).collect()).collect(),
            table: vec![vec![0; values.len()]; together.len()],
            cells: &together,
            worlds: 0.0,
            having: vec![vec![0.0; values.len()]; together.len()],
            steps: 30_000,
        };
        tables.go(0, 0, together[0].1.len() as u64, 1.0);
        if tables.steps == 0 {
            return None;
        }
        assert!(tables.worlds > 0.0, "no world fits what was published");
        for ((_, people), having) in together.iter().zip(&tables.having) {
            for (who, (value, times)) in
                people.iter().flat_map(|who| values.iter().zip(having).map(move |one| (*who, one)))
            {
                found.insert((who, (*value).to_owned()), times / tables.worlds / people.len() as f64);
            }
        }
    }
    Some(found)
}

struct Tables<'a> {
    /// By listing, by value: how many more may have it.
    room: Vec<Vec<u64>>,
    cells: &'a [(Vec<usize>, Vec<u128>)],
    /// By cell, by value: how many have it.
    table: Vec<Vec<u64>>,
    worlds: f64,
    having: Vec<Vec<f64>>,
    steps: u64,
}

impl Tables<'_> {
    /// Goes on with a value of a cell of whom so many have none yet.
    fn go(&mut self, cell: usize, value: usize, left: u64, weight: f64) {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return;
        }
        if left == 0 {
            match self.cells.get(cell + 1) {
                Some((_, people)) => self.go(cell + 1, 0, people.len() as u64, weight),
                None => {
                    self.worlds += weight;
                    for (having, table) in self.having.iter_mut().flatten().zip(self.table.iter().flatten()) {
                        *having += weight * *table as f64;
                    }
                }
            }
            return;
        }
        let of = &self.cells[cell].0;
        if value == self.table[cell].len() || of.is_empty() {
            return;
        }
        let most = of.iter().map(|listing| self.room[*listing][value]).min().unwrap_or(0).min(left);
        // Of n people, n! / (a! b! ...) ways; n! is the same for all tables.
        let mut ways = weight;
        for times in 0..=most {
            ways /= times.max(1) as f64;
            self.table[cell][value] = times;
            of.iter().for_each(|listing| self.room[*listing][value] -= times);
            self.go(cell, value + 1, left - times, ways);
            of.iter().for_each(|listing| self.room[*listing][value] += times);
        }
        self.table[cell][value] = 0;
    }
}
