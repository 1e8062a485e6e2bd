//! The generator never changes, and the buckets neither lose nor duplicate rows.

use super::*;

#[test]
fn buckets_together_hold_every_row_once() {
    let contingency =
        ContingencyTable { codes: vec![vec![0, 0, 3]], weights: vec![5, 7, 900], owners: Some(vec![1, 2, 1]) };
    for buckets in 1..5 {
        let mut rows: Vec<u32> = ShuffledRows::with_buckets(&contingency, 11, buckets).flatten().collect();
        rows.sort_unstable();
        let expected: Vec<u32> = [vec![0; 5], vec![1; 7], vec![2; 900]].concat();
        assert_eq!(rows, expected, "{buckets} buckets");
    }
}

#[test]
fn the_generator_never_changes() {
    let mut generator = Generator::new(1);
    let numbers = [generator.next_number(), generator.next_number()];
    assert_eq!(numbers, [0x910a_2dec_8902_5cc1, 0xbeeb_8da1_658e_ec67]);
}

#[test]
fn every_order_of_three_is_about_as_likely() {
    let mut seen = std::collections::BTreeMap::new();
    let mut generator = Generator::new(5);
    for _ in 0..6000 {
        let mut items = [0, 1, 2];
        generator.shuffle(&mut items);
        *seen.entry(items).or_insert(0) += 1;
    }
    assert!(seen.len() == 6 && seen.values().all(|count| (850..1150).contains(count)), "{seen:?}");
}
