//! Worked examples of audits.
#![allow(clippy::expect_used, clippy::panic)]

mod gates;

use super::gate::admit;
use super::*;
use crate::data::contingency::ContingencyTable;
use crate::data::links::Links;
use crate::data::taxonomy::Taxonomy;
use crate::release::history::{Presentation, RecordedRelease};
use crate::release::{PublishedColumn, Release};

/// Builds a bucketized release from groups: the people and the values of each.
pub(super) fn bucketized(number: u64, groups: &[(&[u128], &[&str])]) -> RecordedRelease {
    let mut values: Vec<String> =
        groups.iter().flat_map(|(_, values)| values.iter().map(|v| (*v).to_owned())).collect();
    values.sort();
    values.dedup();
    let marks: Vec<String> = (1..=groups.len()).map(|group| format!("{group:03}")).collect();
    let mut rows: Vec<(u32, u32)> = Vec::new();
    let mut people = Vec::new();
    for (group, (members, of_group)) in (0..).zip(groups) {
        for (person, value) in members.iter().zip(*of_group) {
            rows.push((group, values.binary_search_by(|known| known.as_str().cmp(value)).expect("a value") as u32));
            people.push(*person);
        }
    }
    let mut distinct = rows.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let row_index = |row: &(u32, u32)| distinct.binary_search(row).expect("a row") as u32;
    let weight = |row: &(u32, u32)| rows.iter().filter(|other| *other == row).count() as u64;
    let links = Links::from_rows(people.iter().zip(&rows).map(|(person, row)| (*person, row_index(row))).collect());
    let column = |name: &str, role, values: Vec<String>| {
        let tree = std::sync::Arc::new(Taxonomy::flat(values));
        let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
        PublishedColumn { name: name.to_owned(), role, tree, nodes }
    };
    let contingency = ContingencyTable {
        codes: vec![distinct.iter().map(|row| row.0).collect(), distinct.iter().map(|row| row.1).collect()],
        weights: distinct.iter().map(weight).collect(),
        owners: None,
    };
    let columns = vec![column("group", Role::Other, marks), column("disease", Role::Sensitive, values)];
    RecordedRelease {
        number,
        name: format!("release-{number}"),
        date: "2026-01-01".to_owned(),
        recipients: Vec::new(),
        population: false,
        presentation: Presentation { group_column: Some("group".to_owned()), ..Presentation::default() },
        release: Release { columns, contingency, suppressed: 0 },
        links: Some(links),
    }
}

const D: &str = "Diabetes";
const F: &str = "Flu";
const P: &str = "Pneumonia";
const H: &str = "HIV";
const L: &str = "Lung cancer";

fn figure_1() -> History {
    let first = bucketized(
        1,
        &[
            (&[1, 2, 3, 4], &[F, P, D, F]),
            (&[5, 6, 7], &[F, P, D]),
            (&[8, 9, 10], &[H, F, L]),
            (&[11, 12, 13], &[P, H, D]),
        ],
    );
    let second = bucketized(
        2,
        &[(&[1, 2, 14], &[F, P, D]), (&[3, 4, 15], &[D, F, P]), (&[5, 8, 11], &[F, H, P]), (&[6, 9, 12], &[P, F, H])],
    );
    History { releases: vec![first, second], ..History::default() }
}

fn test_options() -> AuditOptions {
    AuditOptions { confidence: Ratio::from_decimal(0.6), per_person: true, worst: 3, ..AuditOptions::default() }
}

#[test]
fn figure_1_of_the_paper_through_a_history() {
    let history = figure_1();
    let audit = audit(&history, &test_options()).expect("an audit");
    assert_eq!((audit.people, audit.worlds.as_deref(), audit.changed_people), (15, Some("16"), 0));
    let column = &audit.columns[0];
    assert_eq!((column.certain, column.above, column.may_be_above), (3, 3, 3));
    assert!((column.entropy_bits.expect("converged") - 14.0).abs() < 1e-8);
    assert_eq!(audit.worst.len(), 3);
    for case in &audit.worst {
        let explanation = case.explanation.as_ref().expect("an explanation");
        let mut releases: Vec<u64> = explanation.groups.iter().map(|group| group.release).collect();
        releases.dedup();
        assert_eq!(releases, [1, 2], "both releases are needed");
    }
}

/// Builds a release from texts, with flat taxonomies and without owner links.
fn plain(number: u64, names: &[(&str, Role)], rows: &[&[&str]]) -> RecordedRelease {
    let mut columns = Vec::new();
    let mut codes = Vec::new();
    for (at, (name, role)) in names.iter().enumerate() {
        let mut values: Vec<String> = rows.iter().map(|row| row[at].to_owned()).collect();
        values.sort();
        values.dedup();
        codes.push(
            rows.iter().map(|row| values.iter().position(|value| value == row[at]).expect("a value") as u32).collect(),
        );
        let tree = std::sync::Arc::new(Taxonomy::flat(values));
        let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
        columns.push(PublishedColumn { name: (*name).to_owned(), role: *role, tree, nodes });
    }
    let contingency = ContingencyTable { codes, weights: vec![1; rows.len()], owners: None }.combined();
    RecordedRelease {
        number,
        name: format!("t{number}"),
        date: "2026-01-01".to_owned(),
        recipients: Vec::new(),
        population: false,
        presentation: Presentation::default(),
        release: Release { columns, contingency, suppressed: 0 },
        links: None,
    }
}

/// Examples 6.1 and 6.2 of the survey: after the join on Job, every person of (30, US) has Cancer. Here every person's disease
/// is certain, since each job has one disease.
#[test]
fn two_releases_of_the_same_people_by_pairs_of_groups() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let first = plain(
        1,
        &[("age", quasi), ("job", quasi)],
        &[
            &["30", "Lawyer"],
            &["30", "Lawyer"],
            &["40", "Carpenter"],
            &["40", "Electrician"],
            &["50", "Engineer"],
            &["50", "Clerk"],
        ],
    );
    let second = plain(
        2,
        &[("job", quasi), ("country", quasi), ("disease", sensitive)],
        &[
            &["Lawyer", "US", "Cancer"],
            &["Lawyer", "US", "Cancer"],
            &["Carpenter", "France", "HIV"],
            &["Electrician", "UK", "Cancer"],
            &["Engineer", "France", "HIV"],
            &["Clerk", "US", "HIV"],
        ],
    );
    let history = History { releases: vec![first, second], ..History::default() };
    let audit = audit(&history, &test_options()).expect("an audit");
    let [pair] = audit.pairs.as_slice() else { panic!("{:?}", audit.pairs) };
    assert_eq!((pair.releases, pair.pairs, pair.above), ([1, 2], 5, 5));
    assert_eq!(pair.highest.lower, Fraction::ONE);
}

/// Two people with one job: their groups in the other release are unknown, and both diseases are equally likely.
#[test]
fn a_pair_of_groups_discloses_only_forced_values() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let first = plain(1, &[("age", quasi), ("job", quasi)], &[&["30", "Nurse"], &["40", "Nurse"], &["40", "Cook"]]);
    let second =
        plain(2, &[("job", quasi), ("disease", sensitive)], &[&["Nurse", "Flu"], &["Nurse", "HIV"], &["Cook", "Flu"]]);
    let history = History { releases: vec![first, second], ..History::default() };
    let audit = audit(&history, &test_options()).expect("an audit");
    let [pair] = audit.pairs.as_slice() else { panic!("{:?}", audit.pairs) };
    // (30, Nurse), (40, Nurse), (40, Cook): only the value of the cook is certain.
    assert_eq!((pair.pairs, pair.above, pair.may_be_above), (3, 1, 1));
}

/// The second release discloses no value of its own people, but those of three people who are only in the first release.
#[test]
fn the_gate_refuses_new_disclosures() {
    let both = figure_1();
    let first = History { releases: both.releases[..1].to_vec(), ..History::default() };
    assert!(admit(&first, &test_options(), Proof::Exact).is_ok());
    let refused = admit(&both, &test_options(), Proof::Bounds);
    assert!(
        matches!(
            &refused,
            Err(crate::Error::Refused(crate::error::Refusal::PosteriorAboveConfidence { people: 3, .. }))
        ),
        "{refused:?}"
    );
    // Prior disclosures do not count against a release that adds nothing.
    let mut again = both.releases[1].clone();
    (again.number, again.name) = (3, "again".to_owned());
    let three = History { releases: [both.releases, vec![again]].concat(), ..History::default() };
    assert!(admit(&three, &test_options(), Proof::Bounds).is_ok());
}

/// If worlds are not counted, the gate does not admit the release, except by an estimate.
#[test]
fn the_gate_does_not_admit_without_proof() {
    let first = bucketized(1, &[(&[1, 2], &[F, D]), (&[3, 4, 5], &[F, D, D])]);
    let second = bucketized(2, &[(&[1, 5], &[F, D]), (&[2, 3, 4], &[D, F, D])]);
    let open = History { releases: vec![first, second], ..History::default() };
    // The maximum posterior is 2/3.
    let hasty = AuditOptions {
        solve: SolveOptions { steps: 0, ..SolveOptions::default() },
        confidence: Ratio::from_decimal(0.75),
        ..test_options()
    };
    let judged = admit(&open, &hasty, Proof::Bounds);
    assert!(matches!(&judged, Err(crate::Error::CannotCheck(_))), "{judged:?}");
    let judged = admit(&open, &AuditOptions { solve: SolveOptions::default(), ..hasty.clone() }, Proof::Exact)
        .map(|audit| audit.above());
    let estimated = admit(&open, &hasty, Proof::Estimate).map(|audit| audit.above());
    assert_eq!((judged.ok(), estimated.ok()), (Some(0), Some(0)));
}

/// Three releases leave one world. Flow bounds do not prove that without counting, but linear programs do. Then the release
/// is refused because of a violation, not because of a missing proof.
#[test]
fn the_gate_uses_bounds_of_linear_programs() {
    let first = bucketized(1, &[(&[2, 4], &[D, F]), (&[1, 3, 5], &[F, D, F])]);
    let second = bucketized(2, &[(&[1, 2], &[F, D]), (&[3, 4, 5], &[D, F, F])]);
    let third = bucketized(3, &[(&[2, 5], &[D, F]), (&[1, 3, 4], &[F, D, F])]);
    let history = History { releases: vec![first, second, third], ..History::default() };
    let hasty = |program: u64| AuditOptions {
        solve: SolveOptions { steps: 0, program_steps: program, ..SolveOptions::default() },
        ..test_options()
    };
    let without = admit(&history, &hasty(0), Proof::Bounds);
    assert!(matches!(&without, Err(crate::Error::CannotCheck(_))), "{without:?}");
    let with = admit(&history, &hasty(100_000), Proof::Bounds);
    assert!(matches!(&with, Err(crate::Error::Refused(_))), "{with:?}");
}

/// Removes the links of a person, so that the person's records become counterfeit.
fn counterfeit(recorded: RecordedRelease, person: u128) -> RecordedRelease {
    let links = recorded.links.clone().expect("links");
    let kept = (0..links.len()).filter(|link| links.pseudonyms[*link] != person);
    let kept: Vec<(u128, u32)> = kept.map(|link| (links.pseudonyms[link], links.cells[link])).collect();
    RecordedRelease { links: Some(Links::from_rows(kept)), ..recorded }
}

/// The motivating example of m-invariance: Alice (2) leaves, and bronchitis is then in no other group. Bob's (1) next group
/// discloses his value, unless it contains a counterfeit record.
#[test]
fn a_counterfeit_prevents_inference_from_an_absence() {
    let first = bucketized(1, &[(&[1, 2], &["dyspepsia", "bronchitis"])]);
    let second = bucketized(2, &[(&[1, 3], &["dyspepsia", "gastritis"])]);
    let without = History { releases: vec![first.clone(), second], ..History::default() };
    assert_eq!(audit(&without, &test_options()).expect("an audit").columns[0].certain, 3);
    let with = counterfeit(bucketized(2, &[(&[1, 99], &["dyspepsia", "bronchitis"])]), 99);
    let with = History { releases: vec![first, with], ..History::default() };
    let column = &audit(&with, &test_options()).expect("an audit").columns[0];
    assert_eq!((column.people, column.certain, column.highest.upper), (2, 0, Fraction::new(1, 2)));
}

/// Sixty people in groups of three with the same three diseases, regrouped in each of six releases. There are too many worlds
/// to count, but every posterior is exactly 1/3, since the diseases are exchangeable.
#[test]
fn posteriors_of_invariant_groups_are_exact_without_counting() {
    let people: Vec<u128> = (0..60).collect();
    let mut releases = Vec::new();
    for number in 1..=6 {
        // Each group has one person with each disease, in a new combination.
        let groups: Vec<Vec<u128>> =
            (0..20u128).map(|at| vec![at, 20 + (at * number + number) % 20, 40 + (at * 3 + number) % 20]).collect();
        let valued: Vec<(&[u128], &[&str])> = groups.iter().map(|group| (group.as_slice(), &[D, F, P][..])).collect();
        let distinct: std::collections::BTreeSet<u128> = groups.iter().flatten().copied().collect();
        if distinct.len() == people.len() {
            releases.push(bucketized(number as u64, &valued));
        }
    }
    assert!(releases.len() >= 2, "{}", releases.len());
    let history = History { releases, ..History::default() };
    let hasty = AuditOptions { solve: SolveOptions { steps: 0, ..SolveOptions::default() }, ..test_options() };
    let audit = audit(&history, &hasty).expect("an audit");
    let column = &audit.columns[0];
    assert_eq!(
        (column.exact, column.highest.lower, column.highest.upper),
        (60, Fraction::new(1, 3), Fraction::new(1, 3))
    );
    assert!(admit(&history, &hasty, Proof::Exact).is_ok());
}

/// Adds an owner to each row of a release.
fn owned(recorded: RecordedRelease, rows: &[&[&str]], people: &[u128]) -> RecordedRelease {
    let contingency = &recorded.release.contingency;
    let row_index = |row: &[&str]| {
        let is_at = |at: usize| {
            let label = |column: usize| recorded.release.columns[column].label(contingency.codes[column][at]);
            (0..row.len()).all(|column| label(column) == row[column])
        };
        (0..contingency.len()).find(|at| is_at(*at)).expect("a row") as u32
    };
    let links = Links::from_rows(people.iter().zip(rows).map(|(person, row)| (*person, row_index(row))).collect());
    RecordedRelease { links: Some(links), ..recorded }
}

/// A marginal table is a projection of its release, even if a person (1) has two records: each record is counted in its own cell.
#[test]
fn a_marginal_table_counts_records() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let rows: [&[&str]; 4] = [&["20", "Z2", "a"], &["20", "Z2", "c"], &["30", "Z1", "c"], &["30", "Z1", "b"]];
    let first = plain(1, &[("age", quasi), ("zip", quasi), ("ill", sensitive)], &rows);
    let first = owned(first, &rows, &[1, 2, 1, 3]);
    let mut counts =
        plain(2, &[("zip", quasi), ("ill", sensitive)], &[&["Z1", "b"], &["Z1", "c"], &["Z2", "a"], &["Z2", "c"]]);
    counts.presentation.about_release = Some(1);
    let alone = History { releases: vec![first.clone()], ..History::default() };
    let both = History { releases: vec![first, counts], ..History::default() };
    for history in [alone, both] {
        let column = &audit(&history, &test_options()).expect("an audit").columns[0];
        assert_eq!((column.certain, column.above), (0, 0), "{column:?}");
    }
}

/// Background knowledge applies even if another release has no owner links. The two releases are then not judged as a pair,
/// since pairs do not use the knowledge.
#[test]
fn background_knowledge_with_an_unlinked_release() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let rows: [&[&str]; 2] = [&["M", "C", "x"], &["M", "C", "y"]];
    let first = plain(1, &[("sex", quasi), ("city", quasi), ("ill", sensitive)], &rows);
    let first = owned(first, &rows, &[1, 2]);
    let second = plain(2, &[("city", quasi), ("ill", sensitive)], &[&["C", "x"], &["C", "y"]]);
    let history = History { releases: vec![first, second], ..History::default() };
    let of_one = AuditOptions { knows_everyone: false, ..test_options() };
    let without = audit(&history, &of_one).expect("an audit");
    assert!(without.is_established() && without.columns[0].certain == 0);
    for person in [1, 2] {
        let known = KnownValue { person, column: "ill".to_owned(), value: "x".to_owned(), has: true };
        let knowledge = BackgroundKnowledge { known: vec![known], ..BackgroundKnowledge::default() };
        let with = audit(&history, &AuditOptions { knowledge, ..of_one.clone() }).expect("an audit");
        assert!(with.columns[0].certain == 1, "{:?}", with.columns[0]);
        assert!(!with.is_established() && with.pairs[0].not_judged.is_some(), "{:?}", with.pairs);
    }
}

/// If a value is time-varying, a pair of groups discloses no more than each group alone.
#[test]
fn pairs_of_time_varying_values_are_independent() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let by =
        |number, name, rows: &[&[&str]]| plain(number, &[("city", quasi), (name, quasi), ("ill", sensitive)], rows);
    let first = by(1, "sex", &[&["C", "M", "x"], &["C", "M", "y"], &["C", "F", "z"], &["C", "F", "w"]]);
    let second = by(2, "zip", &[&["C", "1", "x"], &["C", "1", "z"], &["C", "2", "y"], &["C", "2", "w"]]);
    let history = History { releases: vec![first, second], ..History::default() };
    let stays = audit(&history, &test_options()).expect("an audit");
    assert_eq!((stays.pairs.len(), stays.pairs[0].above), (1, 4));
    let varies =
        audit(&history, &AuditOptions { time_varying: vec!["ill".to_owned()], ..test_options() }).expect("an audit");
    assert!(!varies.pairs.is_empty());
    for pair in &varies.pairs {
        assert_eq!((pair.column.as_deref(), pair.above, pair.may_be_above), (Some("ill"), 0, 0), "{pair:?}");
        assert_eq!(pair.highest.upper, Fraction::new(1, 2));
    }
}

/// Five records of one person are one person, who is singled out. Two views of one release are one release.
#[test]
fn identity_counts_people_and_releases() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let rows: [&[&str]; 6] = [&["30", "a"], &["30", "b"], &["30", "c"], &["30", "d"], &["30", "e"], &["40", "a"]];
    let one = owned(plain(1, &[("age", quasi), ("ill", sensitive)], &rows), &rows, &[1, 1, 1, 1, 1, 2]);
    let identity =
        audit(&History { releases: vec![one], ..History::default() }, &test_options()).expect("an audit").identity;
    let risks = (identity.prosecutor.lower.value(), identity.marketer.estimate);
    assert_eq!((identity.singled_out, risks), (2, (1.0, 1.0)));
    let view = |name, rows: &[&[&str]]| {
        let mut view = owned(plain(1, &[("age", quasi), (name, sensitive)], rows), rows, &[1, 2]);
        view.presentation.columns_separate = true;
        view
    };
    let views = vec![view("ill", &[&["30", "a"], &["40", "b"]]), view("drug", &[&["30", "p"], &["40", "q"]])];
    let identity =
        audit(&History { releases: views, ..History::default() }, &test_options()).expect("an audit").identity;
    assert_eq!((identity.with_several_records, identity.linkable, identity.singled_out), (0, 0, 2));
}

/// Three releases without owner links, each with four groups of three of four values. Every two groups of a person leave two
/// values, but three can leave one. So pairs alone establish nothing.
#[test]
fn pairs_do_not_establish_three_unlinked_releases() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let release = |number, name: &'static str| {
        let groups = [("1", ["x", "y", "z"]), ("2", ["x", "y", "w"]), ("3", ["x", "z", "w"]), ("4", ["y", "z", "w"])];
        let rows: Vec<[&str; 3]> = groups.iter().flat_map(|(group, ills)| ills.map(|ill| ["C", *group, ill])).collect();
        let rows: Vec<&[&str]> = rows.iter().map(|row| row.as_slice()).collect();
        plain(number, &[("city", quasi), (name, quasi), ("ill", sensitive)], &rows)
    };
    let all = [release(1, "a"), release(2, "b"), release(3, "c")];
    let of_one = AuditOptions { knows_everyone: false, ..test_options() };
    let two = audit(&History { releases: all[..2].to_vec(), ..History::default() }, &of_one).expect("an audit");
    assert!(two.is_established() && two.unresolved.is_empty(), "{:?}", two.pairs);
    let three = audit(&History { releases: all.to_vec(), ..History::default() }, &of_one).expect("an audit");
    assert!(three.pairs.iter().all(|pair| pair.not_judged.is_none() && pair.may_be_above == 0));
    assert_eq!((three.is_established(), three.unresolved.as_slice()), (false, [1, 2, 3].as_slice()));
}

/// A disclosure to one recipient is not a disclosure to another.
#[test]
fn recipients_are_judged_individually() {
    let to = |number, names: &[&str]| {
        let recipients = names.iter().map(|name| (*name).to_owned()).collect();
        RecordedRelease { recipients, ..bucketized(number, &[(&[1, 2, 3], &[F, P, D])]) }
    };
    let releases = vec![to(1, &["alice"]), to(2, &["bob"]), to(3, &["public"]), to(4, &["alice", "bob"])];
    let history = History { releases, ..History::default() };
    let held = |names: &[&str]| -> Vec<Vec<usize>> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        history.releases_by_recipient(&names).into_iter().collect()
    };
    assert_eq!(held(&["alice"]), [vec![0, 2, 3]]);
    assert_eq!(held(&["alice", "bob"]), [vec![0, 2, 3], vec![1, 2, 3]]);
    assert_eq!((held(&["carol"]), held(&["carol", "dave"])), (vec![vec![2]], vec![vec![2]]));
    // A public release reaches all recipients, including those without earlier releases.
    assert_eq!(held(&["public"]), [vec![0, 2, 3], vec![1, 2, 3], vec![2]]);
    // Alice already has the value of person 1. The next release discloses it to Bob, but adds nothing for both together.
    let x = |number, to: &str, values: &'static [&'static str], people: &'static [u128]| RecordedRelease {
        recipients: vec![to.to_owned()],
        ..bucketized(number, &[(people, values)])
    };
    let certain = x(1, "alice", &[F], &[1]);
    let uncertain = x(2, "bob", &[F, D, P], &[1, 2, 3]);
    let new = x(3, "bob", &[F, H, L], &[1, 4, 5]);
    let both = History { releases: vec![certain, uncertain.clone(), new.clone()], ..History::default() };
    assert!(admit(&both, &test_options(), Proof::Bounds).is_ok());
    let bob = History { releases: vec![uncertain, new], ..History::default() };
    assert!(matches!(admit(&bob, &test_options(), Proof::Bounds), Err(crate::Error::Refused(_))));
}

/// An attacker who knows all groups in both releases subtracts the women's values from those of the second group, which leaves
/// flu for its two men. Pairs of groups do not show that, so they establish nothing for this attacker.
#[test]
fn pairs_establish_nothing_for_an_attacker_who_knows_all_groups() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let people: [[&str; 3]; 9] = [
        ["M", "2", "flu"],
        ["M", "2", "flu"],
        ["F", "2", "HIV"],
        ["F", "2", "HIV"],
        ["F", "2", "asthma"],
        ["M", "1", "HIV"],
        ["M", "1", "cold"],
        ["M", "1", "flu"],
        ["M", "1", "asthma"],
    ];
    let owners: Vec<u128> = (1..=9).collect();
    let by_sex: Vec<[&str; 3]> = people.map(|[sex, _, ill]| ["X", sex, ill]).to_vec();
    let by_zip: Vec<[&str; 3]> = people.map(|[_, zip, ill]| ["X", zip, ill]).to_vec();
    let [by_sex, by_zip] = [&by_sex, &by_zip].map(|rows| rows.iter().map(|row| row.as_slice()).collect::<Vec<_>>());
    let one = plain(1, &[("area", quasi), ("sex", quasi), ("ill", sensitive)], &by_sex);
    let one = owned(one, &by_sex, &owners);
    let two = plain(2, &[("area", quasi), ("zip", quasi), ("ill", sensitive)], &by_zip);
    let options = AuditOptions { confidence: Some(Ratio::new(4, 5)), ..test_options() };
    let unknown = audit(&History { releases: vec![one.clone(), two.clone()], ..History::default() }, &options);
    let unknown = unknown.expect("an audit");
    assert_eq!((unknown.may_be_above(), unknown.unresolved.as_slice()), (0, [2].as_slice()));
    assert!(
        !unknown.is_established() && unknown.pairs.iter().all(|pair| pair.may_be_above == 0),
        "{:?}",
        unknown.pairs
    );
    // With owner links, the audit finds it.
    let known = vec![one, owned(two, &by_zip, &owners)];
    let known = audit(&History { releases: known, ..History::default() }, &options).expect("an audit");
    assert_eq!(known.columns[0].certain, 2);
}
