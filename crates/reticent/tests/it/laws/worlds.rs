//! Posteriors by counting all possible worlds of published lists. Naive computation, independent of the library.

use std::collections::{BTreeMap, BTreeSet};

/// Published list of a column of a group.
pub struct Listing {
    /// Pseudonyms of the members of the group.
    pub members: Vec<u128>,
    /// Listed values with their frequencies.
    pub values: Vec<(String, u64)>,
    /// Whether the list is a set of values without frequencies.
    pub set: bool,
}

/// Exact posterior of each person and value, or `None` if there are too many possible worlds.
pub fn posteriors(listings: &[Listing]) -> Option<BTreeMap<(u128, String), f64>> {
    let mut candidates: BTreeMap<u128, BTreeSet<&str>> = BTreeMap::new();
    for listing in listings {
        let listed: BTreeSet<&str> = listing.values.iter().map(|(value, _)| value.as_str()).collect();
        for member in &listing.members {
            let known = candidates.entry(*member).or_insert_with(|| listed.clone());
            *known = known.intersection(&listed).copied().collect();
        }
    }
    let mut remaining: BTreeSet<u128> = candidates.keys().copied().collect();
    let mut found = BTreeMap::new();
    while let Some(first) = remaining.first().copied() {
        // The connected component of this person through lists with frequencies.
        let mut component = vec![first];
        remaining.remove(&first);
        let mut at = 0;
        while at < component.len() {
            let one = component[at];
            for listing in listings.iter().filter(|listing| !listing.set && listing.members.contains(&one)) {
                for member in &listing.members {
                    if remaining.remove(member) {
                        component.push(*member);
                    }
                }
            }
            at += 1;
        }
        let relevant: Vec<&Listing> = listings
            .iter()
            .filter(|listing| !listing.set && listing.members.iter().any(|person| component.contains(person)))
            .collect();
        let mut search = WorldSearch {
            people: &component,
            candidates: &candidates,
            listings: &relevant,
            used: relevant.iter().map(|_| BTreeMap::new()).collect(),
            world: Vec::new(),
            worlds: 0,
            counts: BTreeMap::new(),
            steps: 3_000_000,
        };
        search.search();
        if search.steps == 0 {
            return None;
        }
        assert!(search.worlds > 0, "no possible world matches the published lists");
        for ((person, value), times) in search.counts {
            found.insert((person, value.to_owned()), times as f64 / search.worlds as f64);
        }
    }
    Some(found)
}

/// Enumeration of the possible worlds of a component.
struct WorldSearch<'a> {
    people: &'a [u128],
    candidates: &'a BTreeMap<u128, BTreeSet<&'a str>>,
    listings: &'a [&'a Listing],
    used: Vec<BTreeMap<&'a str, u64>>,
    world: Vec<&'a str>,
    worlds: u64,
    counts: BTreeMap<(u128, &'a str), u64>,
    steps: u64,
}

impl<'a> WorldSearch<'a> {
    fn search(&mut self) {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return;
        }
        let Some(person) = self.people.get(self.world.len()).copied() else {
            self.worlds += 1;
            for (person, value) in self.people.iter().zip(&self.world) {
                *self.counts.entry((*person, value)).or_insert(0) += 1;
            }
            return;
        };
        for value in self.candidates[&person].clone() {
            let of: Vec<usize> =
                (0..self.listings.len()).filter(|at| self.listings[*at].members.contains(&person)).collect();
            let frequency = |listing: &Listing| {
                listing.values.iter().find(|(known, _)| known == value).map_or(0, |(_, times)| *times)
            };
            let feasible =
                of.iter().all(|at| self.used[*at].get(value).copied().unwrap_or(0) < frequency(self.listings[*at]));
            if !feasible {
                continue;
            }
            of.iter().for_each(|at| *self.used[*at].entry(value).or_insert(0) += 1);
            self.world.push(value);
            self.search();
            self.world.pop();
            of.iter().for_each(|at| *self.used[*at].get_mut(value).unwrap() -= 1);
        }
    }
}

/// The same posteriors for more worlds. People in the same lists form a cell and have equal posteriors, so the search enumerates only
/// the number of people of each cell with each value.
pub fn posteriors_by_cells(listings: &[Listing]) -> Option<BTreeMap<(u128, String), f64>> {
    let mut of: BTreeMap<u128, Vec<usize>> = BTreeMap::new();
    for (at, listing) in listings.iter().enumerate() {
        listing.members.iter().for_each(|person| of.entry(*person).or_default().push(at));
    }
    let mut cells: BTreeMap<Vec<usize>, Vec<u128>> = BTreeMap::new();
    of.into_iter().for_each(|(person, of)| cells.entry(of).or_default().push(person));
    let mut found = BTreeMap::new();
    while let Some((first, people)) = cells.pop_first() {
        // The connected component of this cell.
        let mut component = vec![(first, people)];
        let mut at = 0;
        while at < component.len() {
            let near: Vec<Vec<usize>> =
                cells.keys().filter(|of| of.iter().any(|one| component[at].0.contains(one))).cloned().collect();
            component.extend(near.iter().filter_map(|of| cells.remove_entry(of)));
            at += 1;
        }
        let values: BTreeSet<&str> =
            component.iter().flat_map(|(of, _)| &listings[of[0]].values).map(|(value, _)| value.as_str()).collect();
        let values: Vec<&str> = values.into_iter().collect();
        let frequency = |listing: &Listing, value: &&str| {
            listing.values.iter().find(|(known, _)| known == value).map_or(0, |(_, times)| *times)
        };
        let mut tables = Tables {
            capacity: listings
                .iter()
                .map(|listing| values.iter().map(|value| frequency(listing, value)).collect())
                .collect(),
            table: vec![vec![0; values.len()]; component.len()],
            cells: &component,
            worlds: 0.0,
            counts: vec![vec![0.0; values.len()]; component.len()],
            steps: 30_000,
        };
        tables.search(0, 0, component[0].1.len() as u64, 1.0);
        if tables.steps == 0 {
            return None;
        }
        assert!(tables.worlds > 0.0, "no possible world matches the published lists");
        for ((_, people), counts) in component.iter().zip(&tables.counts) {
            for (person, (value, times)) in
                people.iter().flat_map(|person| values.iter().zip(counts).map(move |one| (*person, one)))
            {
                found.insert((person, (*value).to_owned()), times / tables.worlds / people.len() as f64);
            }
        }
    }
    Some(found)
}

/// Enumeration of the contingency tables of a component.
struct Tables<'a> {
    /// Number of further people who can have each value, for each list.
    capacity: Vec<Vec<u64>>,
    cells: &'a [(Vec<usize>, Vec<u128>)],
    /// Number of people with each value, for each cell.
    table: Vec<Vec<u64>>,
    worlds: f64,
    counts: Vec<Vec<f64>>,
    steps: u64,
}

impl Tables<'_> {
    /// Assigns a value to some of the remaining people of a cell.
    fn search(&mut self, cell: usize, value: usize, remaining: u64, weight: f64) {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            return;
        }
        if remaining == 0 {
            match self.cells.get(cell + 1) {
                Some((_, people)) => self.search(cell + 1, 0, people.len() as u64, weight),
                None => {
                    self.worlds += weight;
                    for (counts, table) in self.counts.iter_mut().flatten().zip(self.table.iter().flatten()) {
                        *counts += weight * *table as f64;
                    }
                }
            }
            return;
        }
        let of = &self.cells[cell].0;
        if value == self.table[cell].len() || of.is_empty() {
            return;
        }
        let limit = of.iter().map(|listing| self.capacity[*listing][value]).min().unwrap_or(0).min(remaining);
        // n people have n! / (a! b! ...) assignments. The factor n! is the same for all tables.
        let mut ways = weight;
        for times in 0..=limit {
            ways /= times.max(1) as f64;
            self.table[cell][value] = times;
            of.iter().for_each(|listing| self.capacity[*listing][value] -= times);
            self.search(cell, value + 1, remaining - times, ways);
            of.iter().for_each(|listing| self.capacity[*listing][value] += times);
        }
        self.table[cell][value] = 0;
    }
}
