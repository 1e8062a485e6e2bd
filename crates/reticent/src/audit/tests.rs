//! Worked examples, from published texts to what is told.
#![allow(clippy::expect_used, clippy::panic)]

mod gates;

use super::gate::admit;
use super::*;
use crate::combos::Combos;
use crate::history::{Disguise, Held};
use crate::links::Links;
use crate::release::{PublishedColumn, Release};
use crate::taxonomy::Taxonomy;

/// A bucketized release: groups of people, by number, and the values of each.
pub(super) fn bucketized(number: u64, groups: &[(&[u128], &[&str])]) -> Held {
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
    let place = |row: &(u32, u32)| distinct.binary_search(row).expect("a row") as u32;
    let weight = |row: &(u32, u32)| rows.iter().filter(|other| *other == row).count() as u64;
    let links = Links::collect(people.iter().zip(&rows).map(|(person, row)| (*person, place(row))).collect());
    let column = |name: &str, role, values: Vec<String>| {
        let tree = std::sync::Arc::new(Taxonomy::flat(values));
        let nodes = (0..tree.len() as u32).map(|code| tree.leaf_of(code)).collect();
        PublishedColumn { name: name.to_owned(), role, tree, nodes }
    };
    let combos = Combos {
        codes: vec![distinct.iter().map(|row| row.0).collect(), distinct.iter().map(|row| row.1).collect()],
        weights: distinct.iter().map(weight).collect(),
        owners: None,
    };
    let columns = vec![column("group", Role::Other, marks), column("disease", Role::Sensitive, values)];
    Held {
        number,
        name: format!("release-{number}"),
        date: "2026-01-01".to_owned(),
        recipients: Vec::new(),
        disguise: Disguise { groups: Some("group".to_owned()), ..Disguise::default() },
        release: Release { columns, combos, suppressed: 0 },
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
    History { releases: vec![first, second], lost: Vec::new() }
}

fn question() -> Question {
    Question { confidence: Share::from_decimal(0.6), each: true, worst: 3, ..Question::default() }
}

#[test]
fn figure_1_of_the_paper_through_a_history() {
    let history = figure_1();
    let audit = audit(&history, &question()).expect("an audit");
    assert_eq!((audit.people, audit.worlds.as_deref(), audit.changed), (15, Some("16"), 0));
    let column = &audit.columns[0];
    assert_eq!((column.certain, column.above, column.may_be_above), (3, 3, 3));
    assert!((column.entropy_bits.expect("converged") - 14.0).abs() < 1e-8);
    assert_eq!(audit.worst.len(), 3);
    for case in &audit.worst {
        let because = case.because.as_ref().expect("a reason");
        let mut releases: Vec<u64> = because.groups.iter().map(|group| group.release).collect();
        releases.dedup();
        assert_eq!(releases, [1, 2], "both releases are needed");
    }
}

/// A release of texts, each column flat, owners not known.
fn plain(number: u64, names: &[(&str, Role)], rows: &[&[&str]]) -> Held {
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
    let combos = Combos { codes, weights: vec![1; rows.len()], owners: None }.combined();
    Held {
        number,
        name: format!("t{number}"),
        date: "2026-01-01".to_owned(),
        recipients: Vec::new(),
        disguise: Disguise::default(),
        release: Release { columns, combos, suppressed: 0 },
        links: None,
    }
}

/// The survey's examples 6.1 and 6.2: joined on Job, everybody of (30, US) has Cancer; here so does everybody, each job having one
/// disease.
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
    let history = History { releases: vec![first, second], lost: Vec::new() };
    let audit = audit(&history, &question()).expect("an audit");
    let [pair] = audit.pairs.as_slice() else { panic!("{:?}", audit.pairs) };
    assert_eq!((pair.releases, pair.pairs, pair.above), ([1, 2], 5, 5));
    assert_eq!(pair.highest.lower, Fraction::ONE);
}

/// Two people of one job in two countries: who is where is not told, and each disease is as likely.
#[test]
fn pairs_of_groups_are_told_by_what_fits() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let first = plain(1, &[("age", quasi), ("job", quasi)], &[&["30", "Nurse"], &["40", "Nurse"], &["40", "Cook"]]);
    let second =
        plain(2, &[("job", quasi), ("disease", sensitive)], &[&["Nurse", "Flu"], &["Nurse", "HIV"], &["Cook", "Flu"]]);
    let history = History { releases: vec![first, second], lost: Vec::new() };
    let audit = audit(&history, &question()).expect("an audit");
    let [pair] = audit.pairs.as_slice() else { panic!("{:?}", audit.pairs) };
    // (30, Nurse), (40, Nurse), (40, Cook): only the cook is told.
    assert_eq!((pair.pairs, pair.above, pair.may_be_above), (3, 1, 1));
}

/// Nobody of the second release is told; but it tells about three people who are only in the first.
#[test]
fn the_gate_refuses_what_the_newest_release_brings() {
    let both = figure_1();
    let first = History { releases: both.releases[..1].to_vec(), lost: Vec::new() };
    assert!(admit(&first, &question(), Proof::Exact).is_ok());
    let refused = admit(&both, &question(), Proof::Bounds);
    assert!(
        matches!(
            &refused,
            Err(crate::Error::Refused(crate::error::Refusal::PosteriorAboveConfidence { people: 3, .. }))
        ),
        "{refused:?}"
    );
    // What was told before is not held against a release that adds nothing.
    let mut again = both.releases[1].clone();
    (again.number, again.name) = (3, "again".to_owned());
    let three = History { releases: [both.releases, vec![again]].concat(), lost: Vec::new() };
    assert!(admit(&three, &question(), Proof::Bounds).is_ok());
}

/// What is too much to count is not a pass, unless an estimate may decide.
#[test]
fn the_gate_does_not_pass_what_it_could_not_establish() {
    let first = bucketized(1, &[(&[1, 2], &[F, D]), (&[3, 4, 5], &[F, D, D])]);
    let second = bucketized(2, &[(&[1, 5], &[F, D]), (&[2, 3, 4], &[D, F, D])]);
    let open = History { releases: vec![first, second], lost: Vec::new() };
    // The most that is told about anybody is 2/3.
    let hasty =
        Question { ask: Ask { steps: 0, ..Ask::default() }, confidence: Share::from_decimal(0.75), ..question() };
    let judged = admit(&open, &hasty, Proof::Bounds);
    assert!(matches!(&judged, Err(crate::Error::CannotCheck(_))), "{judged:?}");
    let judged =
        admit(&open, &Question { ask: Ask::default(), ..hasty.clone() }, Proof::Exact).map(|audit| audit.above());
    let estimated = admit(&open, &hasty, Proof::Estimate).map(|audit| audit.above());
    assert_eq!((judged.ok(), estimated.ok()), (Some(0), Some(0)));
}

/// Three releases leave one world. Without counting, flows do not see it; whole people do, and the release is refused for what it
/// tells, not for what could not be established.
#[test]
fn the_gate_uses_what_programs_prove() {
    let first = bucketized(1, &[(&[2, 4], &[D, F]), (&[1, 3, 5], &[F, D, F])]);
    let second = bucketized(2, &[(&[1, 2], &[F, D]), (&[3, 4, 5], &[D, F, F])]);
    let third = bucketized(3, &[(&[2, 5], &[D, F]), (&[1, 3, 4], &[F, D, F])]);
    let history = History { releases: vec![first, second, third], lost: Vec::new() };
    let hasty = |program: u64| Question { ask: Ask { steps: 0, program, ..Ask::default() }, ..question() };
    let without = admit(&history, &hasty(0), Proof::Bounds);
    assert!(matches!(&without, Err(crate::Error::CannotCheck(_))), "{without:?}");
    let with = admit(&history, &hasty(100_000), Proof::Bounds);
    assert!(matches!(&with, Err(crate::Error::Refused(_))), "{with:?}");
}

/// The same release without the links of somebody: a record that is nobody's.
fn counterfeit(held: Held, who: u128) -> Held {
    let links = held.links.clone().expect("links");
    let kept = (0..links.len()).filter(|link| links.pseudonyms[*link] != who);
    let kept: Vec<(u128, u32)> = kept.map(|link| (links.pseudonyms[link], links.combos[link])).collect();
    Held { links: Some(Links::collect(kept)), ..held }
}

/// The case that m-invariance starts from: Alice (2) leaves, and with her the last bronchitis. Whatever group Bob (1) is in next
/// tells what he has, unless it holds a record that is nobody's.
#[test]
fn an_absence_tells_and_a_counterfeit_hides_it() {
    let first = bucketized(1, &[(&[1, 2], &["dyspepsia", "bronchitis"])]);
    let second = bucketized(2, &[(&[1, 3], &["dyspepsia", "gastritis"])]);
    let told = History { releases: vec![first.clone(), second], lost: Vec::new() };
    assert_eq!(audit(&told, &question()).expect("an audit").columns[0].certain, 3);
    let hidden = counterfeit(bucketized(2, &[(&[1, 99], &["dyspepsia", "bronchitis"])]), 99);
    let hidden = History { releases: vec![first, hidden], lost: Vec::new() };
    let column = &audit(&hidden, &question()).expect("an audit").columns[0];
    assert_eq!((column.people, column.certain, column.highest.upper), (2, 0, Fraction::new(1, 2)));
}

/// Sixty people in groups of three with the same three diseases, drawn anew in every one of six releases: nobody can count the
/// worlds, and everybody has each disease with 1/3, because exchanging diseases changes nothing that was published.
#[test]
fn invariant_groups_are_exact_however_many_worlds_there_are() {
    let people: Vec<u128> = (0..60).collect();
    let mut releases = Vec::new();
    for number in 1..=6 {
        // Each group has one person of each disease, another one each time.
        let groups: Vec<Vec<u128>> =
            (0..20u128).map(|at| vec![at, 20 + (at * number + number) % 20, 40 + (at * 3 + number) % 20]).collect();
        let valued: Vec<(&[u128], &[&str])> = groups.iter().map(|group| (group.as_slice(), &[D, F, P][..])).collect();
        let distinct: std::collections::BTreeSet<u128> = groups.iter().flatten().copied().collect();
        if distinct.len() == people.len() {
            releases.push(bucketized(number as u64, &valued));
        }
    }
    assert!(releases.len() >= 2, "{}", releases.len());
    let history = History { releases, lost: Vec::new() };
    let hasty = Question { ask: Ask { steps: 0, ..Ask::default() }, ..question() };
    let audit = audit(&history, &hasty).expect("an audit");
    let column = &audit.columns[0];
    assert_eq!(
        (column.exact, column.highest.lower, column.highest.upper),
        (60, Fraction::new(1, 3), Fraction::new(1, 3))
    );
    assert!(admit(&history, &hasty, Proof::Exact).is_ok());
}

/// The same release with somebody behind each row.
fn owned(held: Held, rows: &[&[&str]], people: &[u128]) -> Held {
    let combos = &held.release.combos;
    let place = |row: &[&str]| {
        let is_at = |at: usize| {
            let label = |column: usize| held.release.columns[column].label(combos.codes[column][at]);
            (0..row.len()).all(|column| label(column) == row[column])
        };
        (0..combos.len()).find(|at| is_at(*at)).expect("a row") as u32
    };
    let links = Links::collect(people.iter().zip(rows).map(|(person, row)| (*person, place(row))).collect());
    Held { links: Some(links), ..held }
}

/// A table of counts of a release's people is a projection of it, also where somebody (1) has two records: each is counted where it is.
#[test]
fn a_table_of_counts_follows_records_and_not_people() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let rows: [&[&str]; 4] = [&["20", "Z2", "a"], &["20", "Z2", "c"], &["30", "Z1", "c"], &["30", "Z1", "b"]];
    let first = plain(1, &[("age", quasi), ("zip", quasi), ("ill", sensitive)], &rows);
    let first = owned(first, &rows, &[1, 2, 1, 3]);
    let mut counts =
        plain(2, &[("zip", quasi), ("ill", sensitive)], &[&["Z1", "b"], &["Z1", "c"], &["Z2", "a"], &["Z2", "c"]]);
    counts.disguise.of = Some(1);
    let alone = History { releases: vec![first.clone()], lost: Vec::new() };
    let both = History { releases: vec![first, counts], lost: Vec::new() };
    for history in [alone, both] {
        let column = &audit(&history, &question()).expect("an audit").columns[0];
        assert_eq!((column.certain, column.above), (0, 0), "{column:?}");
    }
}

/// What is known of somebody is put on the board also beside a release of which nobody knows whose the records are; and the two are then
/// not judged as a pair, because there it would not be used.
#[test]
fn what_is_known_beside_a_release_without_owners() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let rows: [&[&str]; 2] = [&["M", "C", "x"], &["M", "C", "y"]];
    let first = plain(1, &[("sex", quasi), ("city", quasi), ("ill", sensitive)], &rows);
    let first = owned(first, &rows, &[1, 2]);
    let second = plain(2, &[("city", quasi), ("ill", sensitive)], &[&["C", "x"], &["C", "y"]]);
    let history = History { releases: vec![first, second], lost: Vec::new() };
    let of_one = Question { everybody: false, ..question() };
    let nothing = audit(&history, &of_one).expect("an audit");
    assert!(nothing.is_established() && nothing.columns[0].certain == 0);
    for who in [1, 2] {
        let known = Known { who, column: "ill".to_owned(), value: "x".to_owned(), has: true };
        let knowledge = Knowledge { known: vec![known], ..Knowledge::default() };
        let told = audit(&history, &Question { knowledge, ..of_one.clone() }).expect("an audit");
        assert!(told.columns[0].certain == 1, "{:?}", told.columns[0]);
        assert!(!told.is_established() && told.pairs[0].not_judged.is_some(), "{:?}", told.pairs);
    }
}

/// Where a value may change from release to release, a pair of groups tells no more than each of them.
#[test]
fn pairs_of_what_varies_tell_nothing_of_each_other() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let by =
        |number, name, rows: &[&[&str]]| plain(number, &[("city", quasi), (name, quasi), ("ill", sensitive)], rows);
    let first = by(1, "sex", &[&["C", "M", "x"], &["C", "M", "y"], &["C", "F", "z"], &["C", "F", "w"]]);
    let second = by(2, "zip", &[&["C", "1", "x"], &["C", "1", "z"], &["C", "2", "y"], &["C", "2", "w"]]);
    let history = History { releases: vec![first, second], lost: Vec::new() };
    let stays = audit(&history, &question()).expect("an audit");
    assert_eq!((stays.pairs.len(), stays.pairs[0].above), (1, 4));
    let varies = audit(&history, &Question { varies: vec!["ill".to_owned()], ..question() }).expect("an audit");
    assert!(!varies.pairs.is_empty());
    for pair in &varies.pairs {
        assert_eq!((pair.column.as_deref(), pair.above, pair.may_be_above), (Some("ill"), 0, 0), "{pair:?}");
        assert_eq!(pair.highest.upper, Fraction::new(1, 2));
    }
}

/// Five records of one person are one person, who is alone; and two views of one release are one release.
#[test]
fn identity_counts_people_and_releases() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let rows: [&[&str]; 6] = [&["30", "a"], &["30", "b"], &["30", "c"], &["30", "d"], &["30", "e"], &["40", "a"]];
    let one = owned(plain(1, &[("age", quasi), ("ill", sensitive)], &rows), &rows, &[1, 1, 1, 1, 1, 2]);
    let identity = audit(&History { releases: vec![one], lost: Vec::new() }, &question()).expect("an audit").identity;
    assert_eq!((identity.singled_out, identity.prosecutor_highest, identity.prosecutor_average), (2, 1.0, 1.0));
    let view = |name, rows: &[&[&str]]| {
        let mut view = owned(plain(1, &[("age", quasi), (name, sensitive)], rows), rows, &[1, 2]);
        view.disguise.apart = true;
        view
    };
    let views = vec![view("ill", &[&["30", "a"], &["40", "b"]]), view("drug", &[&["30", "p"], &["40", "q"]])];
    let identity = audit(&History { releases: views, lost: Vec::new() }, &question()).expect("an audit").identity;
    assert_eq!((identity.in_several, identity.linkable, identity.singled_out), (0, 0, 2));
}

/// Three releases without owners, each in four groups of three of four values: every two of somebody's groups leave two values, and three
/// of them can leave one. So nothing is established by looking at every two.
#[test]
fn three_releases_without_owners_are_not_established_by_pairs() {
    let (quasi, sensitive) = (Role::QuasiIdentifier, Role::Sensitive);
    let release = |number, name: &'static str| {
        let groups = [("1", ["x", "y", "z"]), ("2", ["x", "y", "w"]), ("3", ["x", "z", "w"]), ("4", ["y", "z", "w"])];
        let rows: Vec<[&str; 3]> = groups.iter().flat_map(|(group, ills)| ills.map(|ill| ["C", *group, ill])).collect();
        let rows: Vec<&[&str]> = rows.iter().map(|row| row.as_slice()).collect();
        plain(number, &[("city", quasi), (name, quasi), ("ill", sensitive)], &rows)
    };
    let all = [release(1, "a"), release(2, "b"), release(3, "c")];
    let of_one = Question { everybody: false, ..question() };
    let two = audit(&History { releases: all[..2].to_vec(), lost: Vec::new() }, &of_one).expect("an audit");
    assert!(two.is_established() && two.not_followed.is_empty(), "{:?}", two.pairs);
    let three = audit(&History { releases: all.to_vec(), lost: Vec::new() }, &of_one).expect("an audit");
    assert!(three.pairs.iter().all(|pair| pair.not_judged.is_none() && pair.may_be_above == 0));
    assert_eq!((three.is_established(), three.not_followed.as_slice()), (false, [1, 2, 3].as_slice()));
}

/// What one of two recipients was told before does not make it known to the other.
#[test]
fn what_somebody_holds_alone() {
    let to = |number, names: &[&str]| {
        let recipients = names.iter().map(|name| (*name).to_owned()).collect();
        Held { recipients, ..bucketized(number, &[(&[1, 2, 3], &[F, P, D])]) }
    };
    let releases = vec![to(1, &["alice"]), to(2, &["bob"]), to(3, &["public"]), to(4, &["alice", "bob"])];
    let history = History { releases, lost: Vec::new() };
    let alone = |names: &[&str]| -> Vec<Vec<usize>> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        history.held_alone(&names).into_iter().collect()
    };
    assert_eq!(alone(&["alice"]), [vec![0, 2, 3]]);
    assert_eq!(alone(&["alice", "bob"]), [vec![0, 2, 3], vec![1, 2, 3]]);
    assert_eq!((alone(&["carol"]), alone(&["carol", "dave"])), (vec![vec![2]], vec![vec![2]]));
    // What is public reaches each of them, and who has nothing yet.
    assert_eq!(alone(&["public"]), [vec![0, 2, 3], vec![1, 2, 3], vec![2]]);
    // Alice was told 1's value before; Bob is told it by the next release, which brings nothing new to both together.
    let x = |number, to: &str, values: &'static [&'static str], people: &'static [u128]| Held {
        recipients: vec![to.to_owned()],
        ..bucketized(number, &[(people, values)])
    };
    let told = x(1, "alice", &[F], &[1]);
    let hidden = x(2, "bob", &[F, D, P], &[1, 2, 3]);
    let new = x(3, "bob", &[F, H, L], &[1, 4, 5]);
    let both = History { releases: vec![told, hidden.clone(), new.clone()], lost: Vec::new() };
    assert!(admit(&both, &question(), Proof::Bounds).is_ok());
    let bob = History { releases: vec![hidden, new], lost: Vec::new() };
    assert!(matches!(admit(&bob, &question(), Proof::Bounds), Err(crate::Error::Refused(_))));
}

/// Who knows everybody's groups in both releases takes what the women have off what the second group has, which leaves flu for the two
/// men in it. By pairs of groups that is not seen, so that the two are established for nobody who knows as much.
#[test]
fn pairs_of_groups_establish_nothing_for_who_knows_everybody() {
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
    let whom: Vec<u128> = (1..=9).collect();
    let by_sex: Vec<[&str; 3]> = people.map(|[sex, _, ill]| ["X", sex, ill]).to_vec();
    let by_zip: Vec<[&str; 3]> = people.map(|[_, zip, ill]| ["X", zip, ill]).to_vec();
    let [by_sex, by_zip] = [&by_sex, &by_zip].map(|rows| rows.iter().map(|row| row.as_slice()).collect::<Vec<_>>());
    let one = plain(1, &[("area", quasi), ("sex", quasi), ("ill", sensitive)], &by_sex);
    let one = owned(one, &by_sex, &whom);
    let two = plain(2, &[("area", quasi), ("zip", quasi), ("ill", sensitive)], &by_zip);
    let question = Question { confidence: Some(Share::new(4, 5)), ..question() };
    let unknown = audit(&History { releases: vec![one.clone(), two.clone()], lost: Vec::new() }, &question);
    let unknown = unknown.expect("an audit");
    assert_eq!((unknown.may_be_above(), unknown.not_followed.as_slice()), (0, [2].as_slice()));
    assert!(
        !unknown.is_established() && unknown.pairs.iter().all(|pair| pair.may_be_above == 0),
        "{:?}",
        unknown.pairs
    );
    // Where it is known whose the records are, it is seen.
    let known = vec![one, owned(two, &by_zip, &whom)];
    let known = audit(&History { releases: known, lost: Vec::new() }, &question).expect("an audit");
    assert_eq!(known.columns[0].certain, 2);
}
