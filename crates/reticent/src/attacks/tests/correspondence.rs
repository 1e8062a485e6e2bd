//! Correspondence attacks on example 3.11 of the notes, and maximum flows on small random cases.

use super::small::{Small, attack, brief, certain, history, linked, obstacle, quasi, sensitive};
use crate::attacks::AttackConfidence;
use crate::attacks::max_flow::BipartiteFlow;
use crate::ratio::Ratio;
use crate::registry::{Argument, Arguments};

const PLACES: &str = "World\n  Europe\n    UK\n    France";
const JOBS: &str = "Any\n  Professional\n    Lawyer\n    Engineer";

/// Five European lawyers; later five British and five French professionals, including the five lawyers.
///
/// Persons 1 and 2 are French: two of the three lawyers with flu, and none with diabetes.
fn two() -> (Small, Small) {
    let cols = [quasi("place").tree(PLACES), quasi("job").tree(JOBS), sensitive("ill")];
    let first = [(1, "Flu"), (2, "Flu"), (3, "Flu"), (4, "Diabetes"), (5, "Diabetes")];
    let british = [(3, "Flu"), (4, "Diabetes"), (5, "Diabetes"), (11, "Diabetes"), (12, "HIV")];
    let french = [(1, "Flu"), (2, "Flu"), (13, "Flu"), (14, "Flu"), (15, "HIV")];
    let rows = |class: &str, rows: &[(u128, &str)]| -> Vec<(u128, String)> {
        rows.iter().map(|(person, ill)| (*person, format!("{class}, {ill}"))).collect()
    };
    let small = |number, rows: Vec<(u128, String)>| {
        let rows: Vec<(u128, &str)> = rows.iter().map(|(person, row)| (*person, row.as_str())).collect();
        linked(number, &cols, &rows)
    };
    let later = [rows("UK, Professional", &british), rows("France, Professional", &french)].concat();
    (small(1, rows("Europe, Lawyer", &first)), small(2, later))
}

#[test]
fn forward() {
    let (first, second) = two();
    let findings = certain("forward-correspondence", &[&first, &second]);
    // Two diabetes records are cracked; three flu records remain for the two French lawyers.
    assert_eq!(findings.len(), 1);
    assert_eq!(brief(&findings[0]), ("Europe/Lawyer".to_owned(), 2, "Flu".to_owned()));
    assert_eq!((findings[0].records, findings[0].certain), (Some(3), true));
}

#[test]
fn cross() {
    let (first, second) = two();
    let findings = certain("cross-correspondence", &[&first, &second]);
    // One flu record and one HIV record are cracked; three flu records remain.
    assert_eq!(findings.len(), 1);
    assert_eq!(brief(&findings[0]), ("France/Professional".to_owned(), 2, "Flu".to_owned()));
    assert_eq!(findings[0].records, Some(3));
}

#[test]
fn backward() {
    let (first, second) = two();
    assert!(certain("backward-correspondence", &[&first, &second]).is_empty());
    // Two flu records are cracked in France, two diabetes records in the UK: three of five records remain in each group.
    let arguments = Arguments::default().set("k", Argument::Number(4.0));
    let findings = attack("backward-correspondence", &history(&[&first, &second]), Ratio::new(1, 1), &arguments);
    let findings = findings.expect("findings");
    assert_eq!(
        findings.iter().map(|finding| (finding.people, finding.records)).collect::<Vec<_>>(),
        [(3, Some(3)), (2, Some(3))]
    );
    assert!(
        findings[0].text.starts_with(
            "of the 5 records in the group of 3 people of France / Professional (not in release 1), only 3"
        )
    );
    // HIV is one of five records, and one of the three remaining ones.
    let third =
        attack("backward-correspondence", &history(&[&first, &second]), Ratio::new(1, 3), &Arguments::default());
    let third = third.expect("findings");
    let hiv = third.iter().filter(|finding| brief(finding).2 == "HIV");
    assert!(
        hiv.clone().count() == 2
            && hiv.clone().all(|finding| finding.confidence == AttackConfidence::Estimate(1.0 / 3.0))
    );
}

#[test]
fn the_later_release_must_contain_all_people() {
    let (first, second) = two();
    for id in ["forward-correspondence", "cross-correspondence", "backward-correspondence"] {
        let reason = obstacle(attack(id, &history(&[&second, &first]), Ratio::new(1, 1), &Arguments::default()));
        assert!(reason.contains("all people of an earlier release"), "{reason}");
    }
}

/// Deterministic pseudorandom numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// All assignments of the left records, each as the flow from every left group to every right group.
fn ways(supply: &[u64], capacity: &[u64], to: &[Vec<u32>]) -> Vec<Vec<Vec<u64>>> {
    let records: Vec<usize> =
        supply.iter().enumerate().flat_map(|(left, records)| (0..*records).map(move |_| left)).collect();
    let mut ways = vec![vec![vec![0; capacity.len()]; supply.len()]];
    for left in records {
        let mut more = Vec::new();
        for way in &ways {
            for right in to[left].iter().map(|right| *right as usize) {
                if way.iter().map(|flow| flow[right]).sum::<u64>() < capacity[right] {
                    let mut next = way.clone();
                    next[left][right] += 1;
                    more.push(next);
                }
            }
        }
        more.sort();
        more.dedup();
        ways = more;
    }
    ways
}

#[test]
fn flows_match_the_enumeration_of_all_assignments() {
    let mut random = Random(7);
    let (mut possible, mut forced) = (0, 0);
    for _ in 0..3000 {
        let (lefts, rights) = (1 + random.below(3) as usize, 1 + random.below(4) as usize);
        let supply: Vec<u64> = (0..lefts).map(|_| random.below(4)).collect();
        let capacity: Vec<u64> = (0..rights).map(|_| random.below(5)).collect();
        let to: Vec<Vec<u32>> =
            (0..lefts).map(|_| (0..rights as u32).filter(|_| random.below(3) > 0).collect()).collect();
        let ways = ways(&supply, &capacity, &to);
        let Some(flow) = BipartiteFlow::new(&supply, &capacity, &to) else {
            assert!(ways.is_empty());
            continue;
        };
        possible += 1;
        for right in 0..rights {
            let used = |way: &Vec<Vec<u64>>| way.iter().map(|flow| flow[right]).sum::<u64>();
            let fewest = ways.iter().map(used).min().expect("a way");
            assert_eq!(flow.min_records(right), fewest, "{supply:?} {capacity:?} {to:?} {right}");
            forced += u64::from(fewest > 0);
            for left in 0..lefts {
                let max_records = ways.iter().map(|way| way[left][right]).max();
                assert_eq!(
                    Some(flow.max_records(left, right)),
                    max_records,
                    "{supply:?} {capacity:?} {to:?} {left} {right}"
                );
            }
            // Closed form of the paper, if all groups are compatible.
            if to.iter().all(|to| to.len() == rights) {
                let (all, elsewhere) = (supply.iter().sum::<u64>(), capacity.iter().sum::<u64>() - capacity[right]);
                assert_eq!(fewest, all.saturating_sub(elsewhere));
            }
        }
    }
    assert!(possible > 500 && forced > 500, "{possible} {forced}");
}
