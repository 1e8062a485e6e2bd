//! Records that are left to somebody when two releases are compared, from what was published and apart from the library's code.

use std::collections::BTreeMap;

use reticent::RecordedRelease;

/// A group as it was published: what it says of its people, how often it lists each value, and who they are.
#[derive(Default)]
struct Group {
    says: Vec<String>,
    lists: BTreeMap<String, usize>,
    people: Vec<u128>,
}

/// The groups of a release: its table of people, and the list of a column.
fn groups(people: &RecordedRelease, list: &RecordedRelease) -> Vec<Group> {
    let text = |held: &RecordedRelease, column: usize, combo: usize| {
        let release = &held.release;
        release.columns[column].label(release.contingency.codes[column][combo]).to_owned()
    };
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    let links = people.links.as_ref().unwrap();
    for (who, combo) in links.pseudonyms.iter().zip(&links.cells) {
        let says = |column| text(people, column, *combo as usize);
        let group = groups.entry(says(0)).or_default();
        group.says = (1..people.release.columns.len()).map(says).collect();
        group.people.push(*who);
    }
    for combo in 0..list.release.contingency.len() {
        let group = groups.get_mut(&text(list, 0, combo)).unwrap();
        *group.lists.entry(text(list, 1, combo)).or_default() += list.release.contingency.weights[combo] as usize;
    }
    groups.into_values().collect()
}

/// Whether a person can be what both texts say.
fn can_be(one: &str, other: &str) -> bool {
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

/// The ends of `[20,35]`, or of `27`.
fn ends(text: &str) -> Option<(f64, f64)> {
    let inner = text.trim_start_matches('[').trim_end_matches(']');
    match inner.split_once(',') {
        Some((low, high)) => Some((low.parse().ok()?, high.parse().ok()?)),
        None => inner.parse().ok().map(|number| (number, number)),
    }
}

/// Whether all records find a place: by old group how many there are, by new group how many places.
fn fits(records: &[usize], places: &[usize], edges: &[Vec<bool>]) -> bool {
    let records: Vec<usize> = records.iter().enumerate().flat_map(|(old, many)| vec![old; *many]).collect();
    let places: Vec<usize> = places.iter().enumerate().flat_map(|(new, many)| vec![new; *many]).collect();
    let mut taken: Vec<Option<usize>> = vec![None; places.len()];
    fn seat(at: usize, free: &dyn Fn(usize, usize) -> bool, taken: &mut [Option<usize>], asked: &mut [bool]) -> bool {
        for place in 0..taken.len() {
            if free(at, place) && !std::mem::replace(&mut asked[place], true) {
                let before = taken[place];
                if before.is_none_or(|other| seat(other, free, taken, asked)) {
                    taken[place] = Some(at);
                    return true;
                }
            }
        }
        false
    }
    let free = |record: usize, place: usize| edges[records[record]][places[place]];
    (0..records.len()).all(|record| seat(record, &free, &mut taken, &mut vec![false; places.len()]))
}

/// The fewest records of the later release, or of the earlier, that can be anybody's when the two are compared.
pub fn fewest(earlier: (&RecordedRelease, &RecordedRelease), later: (&RecordedRelease, &RecordedRelease)) -> usize {
    let (old, new) = (groups(earlier.0, earlier.1), groups(later.0, later.1));
    let meet = |one: &Group, other: &Group| one.says.iter().zip(&other.says).all(|(one, other)| can_be(one, other));
    let edges: Vec<Vec<bool>> = old.iter().map(|old| new.iter().map(|new| meet(old, new)).collect()).collect();
    let often = |groups: &[Group], value: &str| -> Vec<usize> {
        groups.iter().map(|group| group.lists.get(value).copied().unwrap_or(0)).collect()
    };
    let mut values: Vec<&String> = new.iter().flat_map(|group| group.lists.keys()).collect();
    values.sort_unstable();
    values.dedup();
    let most = |limit: usize, fits: &dyn Fn(usize) -> bool| (0..=limit).rev().find(|many| fits(*many)).unwrap();
    let common = |from: usize, to: usize| -> usize {
        let of_value = |value: &&String| {
            let (records, places) = (often(&old, value), often(&new, value));
            let limit = if edges[from][to] { records[from].min(places[to]) } else { 0 };
            most(limit, &|many| {
                let (mut records, mut places) = (records.clone(), places.clone());
                records[from] -= many;
                places[to] -= many;
                fits(&records, &places, &edges)
            })
        };
        values.iter().map(of_value).sum()
    };
    let free = |to: usize| -> usize {
        let of_value = |value: &&String| {
            let (records, places) = (often(&old, value), often(&new, value));
            most(places[to], &|many| {
                let mut places = places.clone();
                places[to] -= many;
                fits(&records, &places, &edges)
            })
        };
        values.iter().map(of_value).sum()
    };
    let mut fewest = usize::MAX;
    for (to, group) in new.iter().enumerate() {
        for (from, before) in old.iter().enumerate() {
            if group.people.iter().any(|who| before.people.contains(who)) {
                fewest = fewest.min(common(from, to));
            }
        }
        if group.people.iter().any(|who| old.iter().all(|old| !old.people.contains(who))) {
            fewest = fewest.min(free(to));
        }
    }
    fewest
}

/// The fewest records of one release that can be anybody's by itself.
pub fn fewest_alone(people: &RecordedRelease, list: &RecordedRelease) -> usize {
    groups(people, list).iter().map(|group| group.people.len()).min().unwrap_or(usize::MAX)
}
