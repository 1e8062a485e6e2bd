//! Tests for matching against naive definitions over all values.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::matches;
use crate::data::interval::Interval;
use crate::data::schema::Role;
use crate::data::taxonomy::{NodeId, Taxonomy, Type};
use crate::release::PublishedColumn;
use crate::release::recognise::{RecognitionInput, recognise};

const WORLD: &str = "*\n  Europe\n    France\n      Paris\n      Lyon\n    Norway\n      Oslo\n  America\n    Lima";
/// Another taxonomy of the same cities, without Lima and with Porto.
const SEAS: &str = "*\n  Atlantic\n    Oslo\n    Porto\n  Inland\n    Paris\n    Lyon";

fn tree(text: &str) -> Arc<Taxonomy> {
    Arc::new(Taxonomy::parse("city", text).unwrap())
}

fn column(tree: &Arc<Taxonomy>, nodes: Vec<NodeId>) -> PublishedColumn {
    PublishedColumn { name: "city".to_owned(), role: Role::QuasiIdentifier, tree: tree.clone(), nodes }
}

fn whole(text: &str) -> PublishedColumn {
    let tree = tree(text);
    let nodes = (0..tree.nodes().len()).collect();
    column(&tree, nodes)
}

fn recognised(values: Type, texts: &[&str], missing: &[&str]) -> PublishedColumn {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let missing: Vec<String> = missing.iter().map(|text| (*text).to_owned()).collect();
    let input = RecognitionInput {
        name: "c",
        role: Role::QuasiIdentifier,
        values: Some(values),
        tree: None,
        missing: &missing,
    };
    recognise(&input, &texts).unwrap().column
}

/// Returns true if two published labels match. Also checks symmetry.
#[track_caller]
fn do_match(one: &PublishedColumn, other: &PublishedColumn, a: &str, b: &str) -> bool {
    let code = |column: &PublishedColumn, label: &str| {
        (0..column.nodes.len() as u32).find(|code| column.label(*code) == label).unwrap_or_else(|| panic!("{label}"))
    };
    let there = matches(one, other)[code(one, a) as usize].contains(&code(other, b));
    assert_eq!(
        there,
        matches(other, one)[code(other, b) as usize].contains(&code(one, a)),
        "{a} and {b}: not symmetric"
    );
    there
}

fn leaves(column: &PublishedColumn, code: usize) -> BTreeSet<String> {
    column.tree.codes(column.nodes[code]).map(|code| column.tree.value(code).to_owned()).collect()
}

#[test]
fn values_of_one_taxonomy_match_on_one_path() {
    let world = whole(WORLD);
    let above = |mut node: NodeId, wanted: NodeId| loop {
        if node == wanted {
            return true;
        }
        match world.tree.node(node).parent {
            Some(parent) => node = parent,
            None => return false,
        }
    };
    let found = matches(&world, &world);
    for (one, codes) in found.iter().enumerate() {
        let expected: Vec<u32> = (0..world.nodes.len())
            .filter(|other| {
                above(world.nodes[one], world.nodes[*other]) || above(world.nodes[*other], world.nodes[one])
            })
            .map(|code| code as u32)
            .collect();
        assert_eq!(*codes, expected, "{}", world.label(one as u32));
    }
}

#[test]
fn two_taxonomies_match_by_common_leaves() {
    let (world, seas) = (whole(WORLD), whole(SEAS));
    for (one, codes) in matches(&world, &seas).iter().enumerate() {
        for other in 0..seas.nodes.len() {
            let either_root = world.nodes[one] == 0 || seas.nodes[other] == 0;
            let share = !leaves(&world, one).is_disjoint(&leaves(&seas, other));
            let there = codes.contains(&(other as u32));
            assert_eq!(there, either_root || share, "{} {}", world.label(one as u32), seas.label(other as u32));
        }
    }
    assert!(do_match(&world, &seas, "Norway", "Atlantic") && !do_match(&world, &seas, "France", "Atlantic"));
    assert!(!do_match(&world, &seas, "Lima", "Inland") && do_match(&world, &seas, "Lima", "*"));
}

/// Every set of two or three leaves of one taxonomy, with every value of two taxonomies and with every other set.
#[test]
fn sets_match_by_common_leaves() {
    let (mut world, mut seas) = (whole(WORLD), whole(SEAS));
    for column in [&mut world, &mut seas] {
        let tree = Arc::make_mut(&mut column.tree);
        let leaves = tree.len() as u32;
        for (one, step) in (0..leaves).flat_map(|one| (1..3).map(move |step| (one, step))) {
            let codes: Vec<u32> = (one..leaves).step_by(step).take(3).collect();
            tree.add_set(&codes);
        }
        column.nodes = (0..tree.nodes().len()).collect();
    }
    let sets = world.tree.nodes().iter().filter(|node| !node.parts.is_empty()).count();
    assert!(sets >= 4, "{sets}");
    for (one, other) in [(&world, &seas), (&seas, &world), (&world, &world)] {
        for (here, codes) in matches(one, other).iter().enumerate() {
            for there in 0..other.nodes.len() {
                let share = !leaves(one, here).is_disjoint(&leaves(other, there));
                let expected = one.nodes[here] == 0 || other.nodes[there] == 0 || share;
                let found = codes.contains(&(there as u32));
                assert_eq!(found, expected, "{} {}", one.label(here as u32), other.label(there as u32));
            }
        }
    }
}

/// A set of numbers matches an interval that contains one of them. A missing value in a set matches missing values only.
#[test]
fn sets_of_numbers_match_by_their_parts() {
    let one = recognised(Type::Number, &["{20,25,?}", "[26,30)", "27"], &["?"]);
    let other = recognised(Type::Number, &["[21,25]", "[21,25)", "?", "20", "{26,30}", "{28,?}", "[24,28]"], &["?"]);
    let met = |set: &str| {
        ["[21,25]", "[21,25)", "?", "20", "{26,30}", "{28,?}"].map(|text| do_match(&one, &other, set, text))
    };
    assert_eq!(met("{20,25,?}"), [true, false, true, true, false, true]);
    assert_eq!(met("[26,30)"), [false, false, false, false, true, true]);
    assert_eq!(met("27"), [false; 6]);
}

#[test]
fn intervals_match_where_they_overlap() {
    let one = recognised(Type::Number, &["20-29", "[25;35)", "<20", "40", "*", "?"], &["?"]);
    let other = recognised(Type::Number, &["29", "[29,40)", ">=40", "18.5", "?"], &["?"]);
    assert!(do_match(&one, &other, "20-29", "29") && do_match(&one, &other, "20-29", "[29,40)"));
    assert!(do_match(&one, &other, "40", ">=40") && !do_match(&one, &other, "40", "[29,40)"));
    assert!(do_match(&one, &other, "<20", "18.5") && !do_match(&one, &other, "<20", "29"));
    // Missing values match missing and suppressed values.
    assert!(do_match(&one, &other, "?", "?") && !do_match(&one, &other, "?", "29") && do_match(&one, &other, "*", "?"));
}

#[test]
fn masks_match_texts_with_their_prefix() {
    let one = recognised(Type::Text, &["476**", "4767*", "48123", "*"], &[]);
    let other = recognised(Type::Text, &["47677", "47601", "48***"], &[]);
    assert!(do_match(&one, &other, "476**", "47677") && do_match(&one, &other, "476**", "47601"));
    assert!(do_match(&one, &other, "4767*", "47677") && !do_match(&one, &other, "4767*", "47601"));
    assert!(do_match(&one, &other, "48123", "48***") && !do_match(&one, &other, "48123", "47677"));
    assert!(do_match(&one, &one, "476**", "4767*") && !do_match(&one, &other, "476**", "48***"));
}

#[test]
fn stars_in_the_middle_match_any_character() {
    let one = recognised(Type::Text, &["123**-****", "***-**-1234", "1985-**-**", "47*"], &[]);
    let other =
        recognised(Type::Text, &["12345-6789", "1****-****", "12445-6789", "111-22-1234", "111-22-12345", "4"], &[]);
    assert!(do_match(&one, &other, "123**-****", "12345-6789") && !do_match(&one, &other, "123**-****", "12445-6789"));
    assert!(do_match(&one, &other, "123**-****", "1****-****") && !do_match(&one, &one, "123**-****", "1985-**-**"));
    assert!(
        do_match(&one, &other, "***-**-1234", "111-22-1234") && !do_match(&one, &other, "***-**-1234", "111-22-12345")
    );
    assert!(!do_match(&one, &other, "47*", "4"));
}

/// A node represents the values below it, even if its label contains a star.
#[test]
fn label_with_a_star_matches_its_descendants() {
    let one = whole("*\n  Other*\n    Baker\n    Smith\n  Farmer");
    let other = whole("*\n  Baker\n  Farmer\n  Others");
    assert!(do_match(&one, &other, "Other*", "Baker") && !do_match(&one, &other, "Other*", "Farmer"));
    assert!(do_match(&one, &other, "Other*", "Others"));
}

#[test]
fn intervals_match_a_taxonomy_of_numbers() {
    let ages = column(
        &Arc::new(Taxonomy::parse("age", "*\n  young\n    20\n    25\n  old\n    70").unwrap()),
        (0..6).collect(),
    );
    let bands = recognised(Type::Number, &["20-29", "[30,80)"], &[]);
    assert!(do_match(&ages, &bands, "young", "20-29") && !do_match(&ages, &bands, "young", "[30,80)"));
    assert!(do_match(&ages, &bands, "70", "[30,80)") && do_match(&ages, &bands, "old", "[30,80)"));
}

proptest! {
    /// Two intervals match if and only if a multiple of one half is in both. Bounds are whole numbers, so halves suffice.
    #[test]
    fn intervals_match_if_they_have_a_common_number(
        bounds in prop::collection::vec((0u32..12, 0u32..12, any::<bool>(), any::<bool>()), 1..12),
        others in prop::collection::vec((0u32..12, 0u32..12, any::<bool>(), any::<bool>()), 1..12),
    ) {
        let texts = |bounds: &[(u32, u32, bool, bool)]| -> Vec<String> {
            let text = |(a, b, low, high): &(u32, u32, bool, bool)| {
                let (open, close) = (if *low { '[' } else { '(' }, if *high { ']' } else { ')' });
                format!("{open}{},{}{close}", a.min(b), a.max(b) + u32::from(a == b))
            };
            let mut texts: Vec<String> = bounds.iter().map(text).collect();
            texts.sort();
            texts.dedup();
            texts
        };
        let (first, second) = (texts(&bounds), texts(&others));
        let published = |texts: &[String]| recognised(Type::Number, &texts.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
        let found = matches(&published(&first), &published(&second));
        for (at, one) in first.iter().enumerate() {
            for (place, other) in second.iter().enumerate() {
                let read = |text: &str| Interval::parse(Type::Number, text).unwrap();
                let in_both = |half: u32| read(one).contains(f64::from(half) / 2.0) && read(other).contains(f64::from(half) / 2.0);
                prop_assert_eq!(found[at].contains(&(place as u32)), (0..60).any(in_both), "{} {}", one, other);
            }
        }
    }

    /// Generalization preserves matches.
    #[test]
    fn generalization_preserves_matches(seed in 0usize..1000) {
        let (world, seas) = (whole(WORLD), whole(SEAS));
        let found = matches(&world, &seas);
        let one = seed % world.nodes.len();
        if let Some(parent) = world.tree.node(world.nodes[one]).parent {
            let above = world.nodes.iter().position(|node| *node == parent).unwrap();
            prop_assert!(found[one].iter().all(|code| found[above].contains(code)));
        }
    }
}
