//! Candidate records of a person when an attacker compares two releases. Naive computation, independent of the library.

use std::collections::BTreeMap;

use reticent::RecordedRelease;

/// A published group.
#[derive(Default)]
struct Group {
    /// Published quasi-identifiers.
    labels: Vec<String>,
    /// Frequency of each listed value.
    lists: BTreeMap<String, usize>,
    /// Pseudonyms of the people.
    people: Vec<u128>,
}

/// The groups of a release: its table of people, and the list of a column.
fn groups(people: &RecordedRelease, list: &RecordedRelease) -> Vec<Group> {
    let text = |recorded: &RecordedRelease, column: usize, cell: usize| {
        let release = &recorded.release;
        release.columns[column].label(release.contingency.codes[column][cell]).to_owned()
    };
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    let links = people.links.as_ref().unwrap();
    for (person, cell) in links.pseudonyms.iter().zip(&links.cells) {
        let label = |column| text(people, column, *cell as usize);
        let group = groups.entry(label(0)).or_default();
        group.labels = (1..people.release.columns.len()).map(label).collect();
        group.people.push(*person);
    }
    for cell in 0..list.release.contingency.len() {
        let group = groups.get_mut(&text(list, 0, cell)).unwrap();
        *group.lists.entry(text(list, 1, cell)).or_default() += list.release.contingency.weights[cell] as usize;
    }
    groups.into_values().collect()
}

/// Whether a value can lie below both published texts.
fn overlap(one: &str, other: &str) -> bool {
    if let (Some(one), Some(other)) = (ends(one), ends(other)) {
        return one.0 <= other.1 && other.0 <= one.1;
    }
    let places = |text: &str| -> Vec<&str> {
        match text {
            "any" | "*" => vec!["n1", "n2", "s1", "s2", "s3", "sea"],
            "north" => vec!["n1", "n2"],
            "south" => vec!["s1", "s2", "s3"],
            place => ["n1", "n2", "s1", "s2", "s3", "sea"].into_iter().filter(|known| *known == place).collect(),
        }
    };
    let (one, other) = (places(one), places(other));
    one.is_empty() || other.is_empty() || one.iter().any(|place| other.contains(place))
}

/// The bounds of `[20,35]`, or of `27`.
fn ends(text: &str) -> Option<(f64, f64)> {
    let inner = text.trim_start_matches('[').trim_end_matches(']');
    match inner.split_once(',') {
        Some((low, high)) => Some((low.parse().ok()?, high.parse().ok()?)),
        None => inner.parse().ok().map(|number| (number, number)),
    }
}

/// Whether all records can be assigned to places (bipartite matching). Both are counts per group; `edges` connects groups.
fn can_assign(records: &[usize], places: &[usize], edges: &[Vec<bool>]) -> bool {
    let records: Vec<usize> = records.iter().enumerate().flat_map(|(old, count)| vec![old; *count]).collect();
    let places: Vec<usize> = places.iter().enumerate().flat_map(|(new, count)| vec![new; *count]).collect();
    let mut taken: Vec<Option<usize>> = vec![None; places.len()];
    fn assign(
        at: usize,
        edge: &dyn Fn(usize, usize) -> bool,
        taken: &mut [Option<usize>],
        visited: &mut [bool],
    ) -> bool {
        for place in 0..taken.len() {
            if edge(at, place) && !std::mem::replace(&mut visited[place], true) {
                let before = taken[place];
                if before.is_none_or(|other| assign(other, edge, taken, visited)) {
                    taken[place] = Some(at);
                    return true;
                }
            }
        }
        false
    }
    let edge = |record: usize, place: usize| edges[records[record]][places[place]];
    (0..records.len()).all(|record| assign(record, &edge, &mut taken, &mut vec![false; places.len()]))
}

/// Minimum number of candidate records of a person in the later release, given the comparison with the earlier one.
pub fn min_candidate_records(
    earlier: (&RecordedRelease, &RecordedRelease),
    later: (&RecordedRelease, &RecordedRelease),
) -> usize {
    let (old, new) = (groups(earlier.0, earlier.1), groups(later.0, later.1));
    let compatible =
        |one: &Group, other: &Group| one.labels.iter().zip(&other.labels).all(|(one, other)| overlap(one, other));
    let edges: Vec<Vec<bool>> = old.iter().map(|old| new.iter().map(|new| compatible(old, new)).collect()).collect();
    let frequencies = |groups: &[Group], value: &str| -> Vec<usize> {
        groups.iter().map(|group| group.lists.get(value).copied().unwrap_or(0)).collect()
    };
    let mut values: Vec<&String> = new.iter().flat_map(|group| group.lists.keys()).collect();
    values.sort_unstable();
    values.dedup();
    let largest =
        |limit: usize, feasible: &dyn Fn(usize) -> bool| (0..=limit).rev().find(|count| feasible(*count)).unwrap();
    let common = |from: usize, to: usize| -> usize {
        let of_value = |value: &&String| {
            let (records, places) = (frequencies(&old, value), frequencies(&new, value));
            let limit = if edges[from][to] { records[from].min(places[to]) } else { 0 };
            largest(limit, &|count| {
                let (mut records, mut places) = (records.clone(), places.clone());
                records[from] -= count;
                places[to] -= count;
                can_assign(&records, &places, &edges)
            })
        };
        values.iter().map(of_value).sum()
    };
    let free = |to: usize| -> usize {
        let of_value = |value: &&String| {
            let (records, places) = (frequencies(&old, value), frequencies(&new, value));
            largest(places[to], &|count| {
                let mut places = places.clone();
                places[to] -= count;
                can_assign(&records, &places, &edges)
            })
        };
        values.iter().map(of_value).sum()
    };
    let mut fewest = usize::MAX;
    for (to, group) in new.iter().enumerate() {
        for (from, before) in old.iter().enumerate() {
            if group.people.iter().any(|person| before.people.contains(person)) {
                fewest = fewest.min(common(from, to));
            }
        }
        if group.people.iter().any(|person| old.iter().all(|old| !old.people.contains(person))) {
            fewest = fewest.min(free(to));
        }
    }
    fewest
}

/// Minimum number of candidate records of a person in a single release: the size of the smallest group.
pub fn min_group_size(people: &RecordedRelease, list: &RecordedRelease) -> usize {
    groups(people, list).iter().map(|group| group.people.len()).min().unwrap_or(usize::MAX)
}
