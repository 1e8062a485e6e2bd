//! The deFinetti attack on example 3.14 of the notes, exact and sampled.

use super::small::{Small, attack, brief, history, obstacle, other, quasi, sensitive, unlinked};
use crate::attacks::AttackConfidence;
use crate::attacks::definetti::{AnatomyBucket, AnatomyBuckets, sampling, worlds};
use crate::ratio::Ratio;
use crate::registry::Arguments;

/// Groups of smokers and nonsmokers with cancer or flu. The assignment of values to the records of a group is arbitrary.
fn bucketized(groups: &[(&str, &str)]) -> Small {
    let mut rows = Vec::new();
    for (at, (people, values)) in groups.iter().enumerate() {
        let pairs = people.chars().zip(values.chars());
        let name = |value| if value == 'c' { "cancer" } else { "flu" };
        rows.extend(pairs.map(|(kind, value)| format!("{kind}, g{at}, {}", name(value))));
    }
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut small = unlinked(1, &[quasi("smoker"), other("group"), sensitive("ill")], &rows);
    small.recorded.presentation.group_column = Some("group".to_owned());
    small
}

#[test]
fn smokers() {
    let small = bucketized(&[("ssn", "ccf"), ("snn", "fcf"), ("sn", "fc")]);
    let findings = attack("definetti", &history(&[&small]), Ratio::new(3, 4), &Arguments::default()).expect("findings");
    // The smoker of the third group has cancer with posterior 196/257; the share in the group is 1/2.
    let third: Vec<_> =
        findings.iter().filter(|finding| finding.confidence == AttackConfidence::Exact(Ratio::new(196, 257))).collect();
    assert!(third.iter().any(|finding| brief(finding) == ("g2/s".to_owned(), 1, "cancer".to_owned())), "{findings:?}");
    assert!(third.iter().any(|finding| brief(finding) == ("g2/n".to_owned(), 1, "flu".to_owned())));
    // Two other groups with one kind and one value each: posterior 9/10.
    let small = bucketized(&[("ss", "cc"), ("nn", "ff"), ("sn", "fc")]);
    let findings = attack("definetti", &history(&[&small]), Ratio::new(3, 4), &Arguments::default()).expect("findings");
    assert_eq!(findings.len(), 2);
    assert!(
        findings
            .iter()
            .all(|finding| finding.confidence == AttackConfidence::Exact(Ratio::new(9, 10)) && !finding.certain)
    );
}

#[test]
fn the_estimate_is_close_to_the_exact_posterior() {
    let bucket = |kinds: [u64; 2], values: [u64; 2]| AnatomyBucket {
        kinds: (0..).zip(kinds).collect(),
        values: (0..).zip(values).collect(),
    };
    let groups = vec![bucket([2, 1], [2, 1]), bucket([1, 2], [1, 2]), bucket([1, 1], [1, 1])];
    let buckets = AnatomyBuckets { kinds: 2, values: 2, groups };
    let exact = worlds::posterior(&buckets).expect("few worlds");
    assert_eq!(exact[2][0][0], AttackConfidence::Exact(Ratio::new(196, 257)));
    let drawn = sampling::posterior(&buckets, 40_000, 5);
    for (exact, drawn) in exact.iter().flatten().flatten().zip(drawn.iter().flatten().flatten()) {
        assert!(matches!(drawn, AttackConfidence::Estimate(_)));
        assert!((exact.to_f64() - drawn.to_f64()).abs() < 0.01, "{exact:?} {drawn:?}");
    }
    assert_eq!(sampling::posterior(&buckets, 100, 5), sampling::posterior(&buckets, 100, 5));
}

#[test]
fn the_release_must_be_bucketized() {
    let mut small = bucketized(&[("sn", "fc")]);
    small.recorded.presentation.group_column = None;
    let reason = obstacle(attack("definetti", &history(&[&small]), Ratio::new(1, 2), &Arguments::default()));
    assert!(reason.contains("is not bucketized"), "{reason}");
}
