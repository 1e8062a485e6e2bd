//! Owners: numbers only, only when somebody has several records, and the same whatever the threads do.

use std::collections::BTreeMap;

use reticent::table::Counts;
use reticent_engine::{Ask, Embedded, Engine, Error, Options};

use crate::support::ask;

fn count(text: &str, threads: usize) -> reticent_engine::Result<Counts> {
    let options = Options { threads: Some(threads), block_bytes: 16, ..Options::default() };
    let engine = Embedded::from_csv(text.as_bytes(), options)?;
    engine.count(&Ask { owner: Some("who".to_owned()), ..ask(&["a"]) })
}

#[test]
fn an_owner_for_every_row_is_no_owner() {
    let counts = count("who,a\np,1\nq,1\nr,2\n", 2).unwrap();
    assert_eq!(counts.combos.owners, None);
    assert_eq!(counts.combos.weights, [2, 1]);
}

#[test]
fn rows_of_one_owner_are_told_apart_from_those_of_others() {
    let mut text = "who,a\n".to_owned();
    for at in 0..500 {
        text += &format!("person {},{}\n", at % 120, at % 5);
    }
    let counts = count(&text, 1).unwrap();
    let owners = counts.combos.owners.as_ref().unwrap();
    let mut rows_by_owner: BTreeMap<u32, u64> = BTreeMap::new();
    for (owner, weight) in owners.iter().zip(&counts.combos.weights) {
        *rows_by_owner.entry(*owner).or_insert(0) += weight;
    }
    assert_eq!((rows_by_owner.len(), counts.combos.rows(), counts.combos.people()), (120, 500, 120));
    assert!(rows_by_owner.keys().copied().eq(0..120));
    for threads in 2..5 {
        assert_eq!(count(&text, threads).unwrap(), counts);
    }
}

#[test]
fn rows_without_owner_are_refused() {
    let error = count("who,a\np,1\n,1\n ,2\n", 2).unwrap_err();
    assert!(matches!(error, Error::OwnerMissing { rows: 2, .. }), "{error}");
}

#[test]
fn the_owner_column_may_also_be_counted() {
    let engine = Embedded::from_csv(b"who,a\np,1\np,2\n", Options::default()).unwrap();
    let counts = engine.count(&Ask { owner: Some("who".to_owned()), ..ask(&["who", "a"]) }).unwrap();
    assert_eq!(counts.values, [vec!["p"], vec!["1", "2"]]);
    assert_eq!(counts.combos.owners, Some(vec![0, 0]));
}
