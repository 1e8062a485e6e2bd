//! Links against maps of pairs: what is put together, what is moved, what is left out, and what is never shown.

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

/// The links in their order: a list, since a map would hide a wrong order and a pair that is there twice.
fn listed(links: &Links) -> Vec<((Pseudonym, u32), u32)> {
    assert!(links.pseudonyms.len() == links.len() && links.combos.len() == links.len());
    (0..links.len()).map(|at| ((links.pseudonyms[at], links.combos[at]), links.records[at])).collect()
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
    fn pairs_are_put_together_in_order(pairs in pairs()) {
        let expected = naive(&pairs);
        let links = Links::collect(pairs.clone());
        prop_assert_eq!(listed(&links), expected.into_iter().collect::<Vec<_>>());
        let people: BTreeSet<Pseudonym> = pairs.iter().map(|(pseudonym, _)| *pseudonym).collect();
        prop_assert_eq!(links.people(), people.len() as u64);
        prop_assert_eq!(links.rows(), pairs.len() as u64);
        prop_assert_eq!(links.is_empty(), pairs.is_empty());
        for (combo, total) in links.totals(6).into_iter().enumerate() {
            prop_assert_eq!(total, pairs.iter().filter(|(_, place)| *place as usize == combo).count() as u64);
        }
    }

    #[test]
    fn links_are_moved(pairs in pairs(), places in prop::collection::vec(prop::option::of(0u32..4), 0..7)) {
        let place = |combo: u32| places.get(combo as usize).copied().flatten();
        let moved: Vec<_> = pairs.iter().filter_map(|(pseudonym, combo)| Some((*pseudonym, place(*combo)?))).collect();
        prop_assert_eq!(Links::collect(pairs).onto(&places), Links::collect(moved));
    }
}

#[test]
fn moving_puts_together_and_leaves_out() {
    let links = Links::collect(vec![(7, 2), (7, 0), (3, 1), (7, 2), (7, 1)]);
    assert_eq!(listed(&links), [((3, 1), 1), ((7, 0), 1), ((7, 1), 1), ((7, 2), 2)]);
    let moved = links.onto(&[Some(5), None, Some(5)]);
    assert_eq!(listed(&moved), [((7, 5), 3)]);
    assert_eq!(moved.totals(6), [0, 0, 0, 0, 0, 3]);
}

#[test]
fn a_count_too_large_stays_the_largest() {
    let links = Links { pseudonyms: vec![1, 1], combos: vec![0, 1], records: vec![u32::MAX, 2] };
    assert_eq!(links.rows(), u64::from(u32::MAX) + 2);
    assert_eq!(links.onto(&[Some(0), Some(0)]).records, [u32::MAX]);
}

#[test]
fn only_how_many_is_shown() {
    let links = Links::collect(vec![(123_456_789, 31), (123_456_789, 31), (5, 42)]);
    assert_eq!(format!("{links:?}"), "Links(2)");
    assert_eq!(format!("{links:#?}"), "Links(2)");
}

proptest! {
    /// What is known by owner against a map, over additions of owners who ascend, some of them several times.
    #[test]
    fn what_is_known_by_owner_is_what_a_map_would_know(
        additions in prop::collection::vec(prop::collection::vec((0..10u128, 0..100u64), 0..8), 0..5),
    ) {
        let (mut known, mut map) = (ByOwner::default(), BTreeMap::new());
        for mut added in additions {
            added.sort_by_key(|(who, _)| *who);
            for (who, one) in &added {
                map.entry(*who).and_modify(|before: &mut u64| *before = before.wrapping_mul(7) + one).or_insert(*one);
            }
            known.add(added, |before, one| before.wrapping_mul(7) + one);
        }
        prop_assert_eq!((known.len(), known.is_empty()), (map.len(), map.is_empty()));
        prop_assert_eq!(known.values(), map.values().copied().collect::<Vec<_>>());
        prop_assert_eq!(known.of_each(0..12), (0..12).map(|who| map.get(&who).copied()).collect::<Vec<_>>());
        prop_assert!((0..12).all(|who| known.get(who) == map.get(&who).copied()));
    }
}

#[test]
fn the_last_that_is_said_of_an_owner_is_known() {
    let last: ByOwner<u64> = [(3, 1), (1, 2), (3, 4)].into_iter().collect();
    assert_eq!((last.get(1), last.get(2), last.get(3)), (Some(2), None, Some(4)));
}
