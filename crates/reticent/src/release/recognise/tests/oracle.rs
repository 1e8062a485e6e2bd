//! Trees of published values against naive comparisons of all pairs.

use std::collections::BTreeSet;

use proptest::collection::btree_set;
use proptest::prelude::*;

use super::*;

/// Checks that parents contain their children, leaves are numbered from left to right, and `leaf_of` finds every value.
fn check_tree(tree: &Taxonomy) {
    let mut leaves = 0;
    for (id, node) in tree.nodes().iter().enumerate() {
        let below: Vec<u32> = node.children.iter().flat_map(|child| tree.node(*child).span.clone()).collect();
        if node.children.is_empty() && id > 0 {
            assert_eq!(node.span.len(), 1);
            assert_eq!((tree.value(node.span.start), tree.leaf_of(node.span.start)), (node.label.as_str(), id));
            leaves += 1;
        } else {
            assert_eq!(below, node.span.clone().collect::<Vec<u32>>(), "{}", node.label);
        }
    }
    assert_eq!(leaves, tree.len());
}

/// An interval of halves from 0 to 6, in one of several notations.
fn an_interval() -> impl Strategy<Value = String> {
    (0..13u8, 0..13u8, 0..7u8).prop_map(|(one, another, form)| {
        let text = |halves: u8| format!("{}", f64::from(halves) / 2.0);
        let (low, high) = (text(one.min(another)), text(one.max(another)));
        match form {
            0 => low,
            1 => format!("<{low}"),
            2 => format!(">={high}"),
            3 if low != high => format!("({low},{high})"),
            4 if low != high => format!("[{low},{high})"),
            5 => format!("[{low},{high}]"),
            _ => format!("{low}-{high}"),
        }
    })
}

fn recognised_texts(input: &RecognitionInput<'_>, published: &BTreeSet<String>) -> (Vec<String>, PublishedColumn) {
    let published: Vec<String> = published.iter().cloned().collect();
    let column = recognise(input, &published).unwrap().column;
    (published, column)
}

proptest! {
    #[test]
    fn parent_is_the_smallest_containing_interval(published in btree_set(an_interval(), 0..25)) {
        let input = RecognitionInput { values: Some(Type::Number), ..with_role(QUASI) };
        let (published, column) = recognised_texts(&input, &published);
        let tree = &column.tree;
        check_tree(tree);
        let read: Vec<Interval> = published.iter().map(|text| Interval::parse(Type::Number, text).unwrap()).collect();
        for (one, node) in read.iter().zip(&column.nodes) {
            prop_assert_eq!(tree.interval(*node), Some(*one));
            let around: Vec<&Interval> = read.iter().filter(|other| one.within(other) && *other != one).collect();
            match tree.node(*node).parent {
                Some(0) => prop_assert!(around.is_empty(), "{one:?} lies in {around:?}"),
                Some(parent) => {
                    let parent = tree.interval(parent).unwrap();
                    prop_assert!(around.contains(&&parent));
                    let nearer = around.iter().find(|other| other.within(&parent) && ***other != parent);
                    prop_assert!(nearer.is_none(), "{nearer:?} lies between {one:?} and {parent:?}");
                }
                None => prop_assert!(false, "{one:?} is the root"),
            }
        }
        for (one, another) in read.iter().zip(&column.nodes).flat_map(|a| read.iter().zip(&column.nodes).map(move |b| (a, b))) {
            prop_assert_eq!(one.0 == another.0, one.1 == another.1, "equal intervals, and only those, share a node");
        }
        let lows: Vec<Interval> = (0..tree.len() as u32).filter_map(|code| tree.interval(tree.leaf_of(code))).collect();
        prop_assert!(lows.windows(2).all(|pair| pair[0].cmp_low(&pair[1]).is_lt()), "leaves do not ascend");
    }

    #[test]
    fn parent_is_the_mask_with_the_longest_prefix(published in btree_set("[aö]{1,3}\\*{0,3}", 0..16)) {
        let (published, column) = recognised_texts(&with_role(QUASI), &published);
        check_tree(&column.tree);
        let masks: Vec<&String> = published.iter().filter(|text| text.ends_with('*')).collect();
        for (text, node) in published.iter().zip(&column.nodes).filter(|(text, _)| !text.ends_with('*')) {
            let mut around: Vec<&&String> = masks.iter().filter(|mask| covers(mask, text)).collect();
            // Of two masks with equal prefixes, the one with several stars is more specific: it represents one length only.
            around.sort_by_key(|mask| (prefix(mask).len(), mask.len()));
            let expect = around.last().map_or("*", |mask| mask.as_str());
            prop_assert_eq!(parent(&column, *node), expect, "{} in {:?}", text, &published);
        }
        for (mask, node) in published.iter().zip(&column.nodes).filter(|(text, _)| text.ends_with('*')) {
            let parent = parent(&column, *node);
            let covered = published.iter().filter(|text| !text.ends_with('*') && covers(mask, text));
            for text in covered.filter(|_| parent != "*") {
                prop_assert!(covers(parent, text), "{parent} is the parent of {mask} but does not cover {text}");
            }
        }
    }
}

fn parent(column: &PublishedColumn, node: NodeId) -> &str {
    &column.tree.node(column.tree.node(node).parent.unwrap()).label
}

fn prefix(mask: &str) -> &str {
    mask.trim_end_matches('*')
}

/// Naive definition: whether a mask covers a text.
fn covers(mask: &str, text: &str) -> bool {
    let several = mask.ends_with("**");
    text.starts_with(prefix(mask)) && (!several || text.chars().count() == mask.chars().count())
}
