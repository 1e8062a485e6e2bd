//! Tests for owner links against a naive map of pairs.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

type Naive = BTreeMap<(Pseudonym, u32), u32>;

fn naive(pairs: &[(Pseudonym, u32)]) -> Naive {
    let mut links = Naive::new();
    for pair in pairs {
        *links.entry(*pair).or_insert(0) += 1;
    }
    links
}

/// Links as a list. A map would hide a wrong order and duplicate pairs.
fn listed(links: &Links) -> Vec<((Pseudonym, u32), u32)> {
    assert!(links.pseudonyms.len() == links.len() && links.cells.len() == links.len());
    (0..links.len()).map(|at| ((links.pseudonyms[at], links.cells[at]), links.records[at])).collect()
}

/// Pseudonyms that differ in high bits only, in low bits only, and in both.
fn pseudonym() -> impl Strategy<Value = Pseudonym> {
    prop_oneof![0u128..4, (0u128..4).prop_map(|high| high << 100), any::<u128>()]
}

fn pairs() -> impl Strategy<Value = Vec<(Pseudonym, u32)>> {
    prop::collection::vec((pseudonym(), 0u32..6), 0..60)
}

proptest! {
    #[test]
    fn pairs_are_merged_in_order(pairs in pairs()) {
        let expected = naive(&pairs);
        let links = Links::from_rows(pairs.clone());
        prop_assert_eq!(listed(&links), expected.into_iter().collect::<Vec<_>>());
        let people: BTreeSet<Pseudonym> = pairs.iter().map(|(pseudonym, _)| *pseudonym).collect();
        prop_assert_eq!(links.people(), people.len() as u64);
        prop_assert_eq!(links.rows(), pairs.len() as u64);
        prop_assert_eq!(links.is_empty(), pairs.is_empty());
        for (cell, total) in links.rows_by_cell(6).into_iter().enumerate() {
            prop_assert_eq!(total, pairs.iter().filter(|(_, place)| *place as usize == cell).count() as u64);
        }
    }

    #[test]
    fn remap_matches_naive(pairs in pairs(), places in prop::collection::vec(prop::option::of(0u32..4), 0..7)) {
        let place = |cell: u32| places.get(cell as usize).copied().flatten();
        let moved: Vec<_> = pairs.iter().filter_map(|(pseudonym, cell)| Some((*pseudonym, place(*cell)?))).collect();
        prop_assert_eq!(Links::from_rows(pairs).remap(&places), Links::from_rows(moved));
    }
}

#[test]
fn remap_merges_and_drops() {
    let links = Links::from_rows(vec![(7, 2), (7, 0), (3, 1), (7, 2), (7, 1)]);
    assert_eq!(listed(&links), [((3, 1), 1), ((7, 0), 1), ((7, 1), 1), ((7, 2), 2)]);
    let moved = links.remap(&[Some(5), None, Some(5)]);
    assert_eq!(listed(&moved), [((7, 5), 3)]);
    assert_eq!(moved.rows_by_cell(6), [0, 0, 0, 0, 0, 3]);
}

#[test]
fn row_counts_saturate() {
    let links = Links { pseudonyms: vec![1, 1], cells: vec![0, 1], records: vec![u32::MAX, 2] };
    assert_eq!(links.rows(), u64::from(u32::MAX) + 2);
    assert_eq!(links.remap(&[Some(0), Some(0)]).records, [u32::MAX]);
}

#[test]
fn debug_prints_only_the_number_of_links() {
    let links = Links::from_rows(vec![(123_456_789, 31), (123_456_789, 31), (5, 42)]);
    assert_eq!(format!("{links:?}"), "Links(2)");
    assert_eq!(format!("{links:#?}"), "Links(2)");
}

proptest! {
    /// `ByOwner` behaves like a map for sorted additions with repeated owners.
    #[test]
    fn by_owner_behaves_like_a_map(
        additions in prop::collection::vec(prop::collection::vec((0..10u128, 0..100u64), 0..8), 0..5),
    ) {
        let (mut known, mut map) = (ByOwner::default(), BTreeMap::new());
        for mut added in additions {
            added.sort_by_key(|(owner, _)| *owner);
            for (owner, one) in &added {
                map.entry(*owner).and_modify(|before: &mut u64| *before = before.wrapping_mul(7) + one).or_insert(*one);
            }
            known.add(added, |before, one| before.wrapping_mul(7) + one);
        }
        prop_assert_eq!((known.len(), known.is_empty()), (map.len(), map.is_empty()));
        prop_assert_eq!(known.values(), map.values().copied().collect::<Vec<_>>());
        prop_assert_eq!(known.get_sorted(0..12), (0..12).map(|owner| map.get(&owner).copied()).collect::<Vec<_>>());
        prop_assert!((0..12).all(|owner| known.get(owner) == map.get(&owner).copied()));
    }
}

#[test]
fn last_value_of_an_owner_wins() {
    let last: ByOwner<u64> = [(3, 1), (1, 2), (3, 4)].into_iter().collect();
    assert_eq!((last.get(1), last.get(2), last.get(3)), (Some(2), None, Some(4)));
}
