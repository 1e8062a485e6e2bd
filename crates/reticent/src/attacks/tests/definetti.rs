//! What marked groups teach: the notes' 3.14, exact and drawn.

use super::small::{Small, attack, brief, history, obstacle, other, quasi, sensitive, unlinked};
use crate::attacks::Confidence;
use crate::attacks::definetti::{Bucket, Buckets, sampling, worlds};
use crate::registry::Arguments;
use crate::share::Share;

/// Groups of smokers and others with cancer or flu. A record's own value means nothing, so they are put in any order.
fn marked(groups: &[(&str, &str)]) -> Small {
    let mut rows = Vec::new();
    for (at, (people, values)) in groups.iter().enumerate() {
        let pairs = people.chars().zip(values.chars());
        let name = |value| if value == 'c' { "cancer" } else { "flu" };
        rows.extend(pairs.map(|(kind, value)| format!("{kind}, g{at}, {}", name(value))));
    }
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut small = unlinked(1, &[quasi("smoker"), other("group"), sensitive("ill")], &rows);
    small.held.disguise.groups = Some("group".to_owned());
    small
}

#[test]
fn smokers() {
    let small = marked(&[("ssn", "ccf"), ("snn", "fcf"), ("sn", "fc")]);
    let found = attack("definetti", &history(&[&small]), Share::new(3, 4), &Arguments::default()).expect("findings");
    // The smoker of the third group has cancer with 196/257, where half of the group has it.
    let third: Vec<_> =
        found.iter().filter(|finding| finding.confidence == Confidence::Exact(Share::new(196, 257))).collect();
    assert!(third.iter().any(|finding| brief(finding) == ("g2/s".to_owned(), 1, "cancer".to_owned())), "{found:?}");
    assert!(third.iter().any(|finding| brief(finding) == ("g2/n".to_owned(), 1, "flu".to_owned())));
    // With groups of one kind and one value beside it: nine in ten.
    let small = marked(&[("ss", "cc"), ("nn", "ff"), ("sn", "fc")]);
    let found = attack("definetti", &history(&[&small]), Share::new(3, 4), &Arguments::default()).expect("findings");
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|finding| finding.confidence == Confidence::Exact(Share::new(9, 10)) && !finding.certain));
}

#[test]
fn the_estimate_is_near() {
    let bucket = |kinds: [u64; 2], values: [u64; 2]| Bucket {
        kinds: (0..).zip(kinds).collect(),
        values: (0..).zip(values).collect(),
    };
    let groups = vec![bucket([2, 1], [2, 1]), bucket([1, 2], [1, 2]), bucket([1, 1], [1, 1])];
    let buckets = Buckets { kinds: 2, values: 2, groups };
    let exact = worlds::posterior(&buckets).expect("few worlds");
    assert_eq!(exact[2][0][0], Confidence::Exact(Share::new(196, 257)));
    let drawn = sampling::posterior(&buckets, 40_000, 5);
    for (exact, drawn) in exact.iter().flatten().flatten().zip(drawn.iter().flatten().flatten()) {
        assert!(matches!(drawn, Confidence::Estimate(_)));
        assert!((exact.to_f64() - drawn.to_f64()).abs() < 0.01, "{exact:?} {drawn:?}");
    }
    assert_eq!(sampling::posterior(&buckets, 100, 5), sampling::posterior(&buckets, 100, 5));
}

#[test]
fn groups_must_be_marked() {
    let mut small = marked(&[("sn", "fc")]);
    small.held.disguise.groups = None;
    let why = obstacle(attack("definetti", &history(&[&small]), Share::new(1, 2), &Arguments::default()));
    assert!(why.contains("does not mark groups"), "{why}");
}
