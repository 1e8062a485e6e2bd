//! The taxonomy parser: any text is read or refused, and what is read is a tree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use reticent::taxonomy::{Cut, Taxonomy};

fuzz_target!(|text: &str| {
    let Ok(tree) = Taxonomy::parse("column", text) else { return };
    assert_eq!(tree.node(0).parent, None);
    for (id, node) in tree.nodes().iter().enumerate().skip(1) {
        let parent = node.parent.expect("only the root has no parent");
        assert!(tree.node(parent).children.contains(&id));
        assert!(tree.node(parent).span.start <= node.span.start && node.span.end <= tree.node(parent).span.end);
    }
    assert_eq!(Cut::bottom(&tree).nodes().len(), tree.len());
    for level in tree.full_domain_levels() {
        assert_eq!(level.len(), tree.len());
    }
    let labels: std::collections::BTreeSet<&str> = tree.nodes().iter().map(|node| node.label.as_str()).collect();
    assert_eq!(labels.len(), tree.nodes().len(), "two nodes are published under one text");
});
