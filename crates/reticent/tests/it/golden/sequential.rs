//! Example 1 and section 4 of the paper on sequential releases, counterexamples to its lemmas, and examples 6.1 and 6.2 of
//! the survey.

use std::collections::BTreeMap;

use reticent::verify::SENSITIVE_NOT_SHOWN;
use reticent::{LossyJoin, Recoding, RecodingRule, Release};

use crate::oracle::small_joins::{SmallJoin, recorded};
use crate::support::{Data, cut_at, model, other, quasi, quasi_tree, sensitive, witnesses};

const JOBS: &str = "ANY\n  Banker\n  Clerk\n  Driver\n  Engineer";
const D: &str = "any\n  d\n    d1\n    d2\n  d3";
const PAIR: &str = "d\n  d1\n  d2";

/// T1 of example 1, the new release.
fn people() -> Data {
    Data::new(
        vec![quasi("name"), quasi_tree("job", JOBS), other("class")],
        &["Alice Banker c1", "Alice Banker c1", "Bob Clerk c2", "Bob Driver c3", "Cathy Engineer c4"],
    )
}

/// T2 of example 1, the earlier release.
fn patients() -> Data {
    Data::new(
        vec![quasi_tree("job", JOBS), sensitive("disease")],
        &["Banker Cancer", "Banker Cancer", "Clerk HIV", "Driver Cancer", "Engineer HIV"],
    )
}

/// A single constraint on the join of a table with an earlier release of another table.
fn joined(new: &Data, first: &Data, recoding: Option<&Recoding>, words: &str) -> SmallJoin {
    let small = SmallJoin::new(new, vec![(recorded("first", first, recoding), first)], &[words], &[]);
    assert_eq!(small.constraints().len(), 1, "{words}");
    small
}

/// Safety of each violating class of the new release, by the texts of the class.
fn classes(small: &SmallJoin, release: &Release) -> BTreeMap<String, f64> {
    let survey = small.surveys(release).remove(0);
    let own = |witness: &[(String, String)]| {
        let own: Vec<&str> =
            witness.iter().filter(|(name, _)| !name.contains('.')).map(|(_, text)| text.as_str()).collect();
        own.join(" ")
    };
    survey.violations.iter().map(|violation| (own(&violation.witness), violation.safety)).collect()
}

fn expect(small: &SmallJoin, release: &Release, expected: &[(&str, f64)]) {
    let found = classes(small, release);
    let expected: BTreeMap<String, f64> =
        expected.iter().map(|(class, safety)| ((*class).to_owned(), *safety)).collect();
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{found:?}");
    for (class, safety) in &expected {
        assert!((found[class] - safety).abs() < 1e-12, "{class}: {} and not {safety}", found[class]);
    }
}

fn size(new: &Release, first: &Release) -> u128 {
    LossyJoin::new(&[new, first], &[], &[Vec::new(), Vec::new()]).size()
}

/// Safety of the worst class of the constraint.
fn worst(small: &SmallJoin, release: &Release) -> f64 {
    small.surveys(release).remove(0).worst.unwrap().safety
}

/// In the counterexamples, specialization removes violations. So `keeps_violating` must not claim that they persist.
fn assert_no_claim(small: &SmallJoin, generalized: &[usize]) {
    for (join, constraint) in small.constraints() {
        assert!(!small.join_check(join, constraint).keeps_violating(generalized), "{}", constraint.title);
    }
}

#[test]
fn example_1_sizes() {
    let (new, first) = (people(), patients());
    assert_eq!(size(&new.raw(), &first.raw()), 7);
    // The groups of name and disease have 4, 1, 1 and 1 rows. A row is a pair of people of both releases.
    let rows = joined(&new, &first, None, "xy-anonymity k=100 x=name,disease y=new.people,first.people");
    expect(&rows, &new.raw(), &[("Alice", 4.0), ("Bob", 1.0), ("Cathy", 1.0)]);
    // The four rows belong to only two people of T1.
    let of_new = joined(&new, &first, None, "xy-anonymity k=100 x=name,disease y=new.people");
    expect(&of_new, &new.raw(), &[("Alice", 2.0), ("Bob", 1.0), ("Cathy", 1.0)]);
    // For k = 2, only the class of Alice is large enough.
    let two = joined(&new, &first, None, "xy-anonymity k=2 x=name,disease y=new.people");
    expect(&two, &new.raw(), &[("Bob", 1.0), ("Cathy", 1.0)]);
}

#[test]
fn example_1_k_anonymity_has_a_constraint_for_each_release() {
    let (new, first) = (people(), patients());
    let words = ["k-anonymity k=2 on=name,disease"];
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &words, &[]);
    assert_eq!(small.constraints().len(), 2);
    let bad: Vec<usize> = small.surveys(&new.raw()).iter().map(|survey| survey.violations.len()).collect();
    assert_eq!(bad, [2, 2]);
}

#[test]
fn example_1_inferences() {
    let (new, first) = (people(), patients());
    let different = joined(&new, &first, None, "xy-anonymity k=100 x=name y=disease");
    expect(&different, &new.raw(), &[("Alice", 1.0), ("Bob", 2.0), ("Cathy", 1.0)]);
    let any = joined(&new, &first, None, "xy-linkability h=0 x=name y=disease");
    expect(&any, &new.raw(), &[("Alice", -1.0), ("Bob", -0.5), ("Cathy", -1.0)]);
    let cancer = joined(&new, &first, None, "xy-linkability values=Cancer:0 x=name y=disease");
    expect(&cancer, &new.raw(), &[("Alice", -1.0), ("Bob", -0.5)]);
    let hiv = joined(&new, &first, None, "xy-linkability values=HIV:0 x=name y=disease");
    expect(&hiv, &new.raw(), &[("Bob", -0.5), ("Cathy", -1.0)]);
    // With bound 1/2, only Bob is safe. With bound 1, all people are safe.
    let half = joined(&new, &first, None, "confidence-bounding h=0.5 on=name");
    expect(&half, &new.raw(), &[("Alice", -1.0), ("Cathy", -1.0)]);
    expect(&joined(&new, &first, None, "confidence-bounding h=1 on=name"), &new.raw(), &[]);
}

#[test]
fn example_1_with_every_job_generalized() {
    let (new, first) = (people(), patients());
    let table = new.table();
    let release = cut_at(&table, &[("job", &["ANY"])]).apply(&table).unwrap();
    assert_eq!(size(&release, &first.raw()), 25);
    let cancer = joined(&new, &first, None, "xy-linkability values=Cancer:0 x=name y=disease");
    expect(&cancer, &release, &[("Alice", -0.6), ("Bob", -0.6), ("Cathy", -0.6)]);
    let hiv = joined(&new, &first, None, "xy-linkability values=HIV:0 x=name y=disease");
    expect(&hiv, &release, &[("Alice", -0.4), ("Bob", -0.4), ("Cathy", -0.4)]);
    expect(&joined(&new, &first, None, "xy-linkability h=0.6 x=name y=disease"), &release, &[]);
    // An attacker who knows the job in T2 needs no join.
    let known = joined(&new, &first, None, "xy-linkability h=0.99 x=name,job y=disease");
    expect(&known, &release, &[("Alice ANY", -1.0), ("Bob ANY", -1.0), ("Cathy ANY", -1.0)]);
}

/// After d is specialized to d2, c2 has no match, and the anonymity rises from 1 to 2.
#[test]
fn section_4_specialization_can_raise_anonymity() {
    let new = Data::new(vec![quasi("c"), quasi_tree("d", D)], &["c1 d3", "c2 d2"]);
    let first = Data::new(vec![quasi_tree("d", D), sensitive("y")], &["d3 y3", "d3 y2", "d1 y1"]);
    let table = new.table();
    let before = cut_at(&table, &[("d", &["d"])]).apply(&table).unwrap();
    assert_eq!((size(&before, &first.raw()), size(&new.raw(), &first.raw())), (3, 2));
    let all = joined(&new, &first, None, "xy-anonymity k=100 x=c,d y=first.y");
    expect(&all, &before, &[("c1 d3", 2.0), ("c2 d", 1.0)]);
    expect(&all, &new.raw(), &[("c1 d3", 2.0)]);
    let two = joined(&new, &first, None, "xy-anonymity k=2 x=c,d y=first.y");
    expect(&two, &before, &[("c2 d", 1.0)]);
    expect(&two, &new.raw(), &[]);
    assert_no_claim(&two, &[0, 1]);
    let table = new.table();
    let found = reticent::join::dangling(&table, &two.history, &[0], &[]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].unmatched_new, found[0].unmatched_earlier), (1, 1));
}

/// Lemma 4.1 does not hold if Y counts people of both releases.
#[test]
fn counterexample_a() {
    let base: Vec<&str> = [vec!["c1 d1"; 1], vec!["c3 d1"; 9], vec!["c2 d2"; 5]].concat();
    let new = Data::new(vec![quasi("c"), quasi_tree("d", PAIR)], &base);
    let second: Vec<&str> = base.iter().map(|row| &row[3..]).collect();
    let first = Data::new(vec![quasi_tree("d", PAIR)], &second);
    let table = new.table();
    let above = cut_at(&table, &[("d", &["d"])]).apply(&table).unwrap();
    let small = joined(&new, &first, None, "xy-anonymity k=1000 x=c,d y=new.people,first.people");
    assert_eq!((worst(&small, &above), worst(&small, &new.raw())), (5.0, 10.0));
    expect(&small, &above, &[("c1 d", 5.0), ("c2 d", 25.0), ("c3 d", 45.0)]);
    expect(&small, &new.raw(), &[("c1 d1", 10.0), ("c2 d2", 25.0), ("c3 d1", 90.0)]);
    assert_no_claim(&small, &[0, 1]);
    assert_no_claim(&small, &[1]);
}

/// Lemma 4.2 does not hold if X lacks a join column.
#[test]
fn counterexample_b() {
    let base = ["d1 f z", "d1 f z", "d1 f z", "d1 e y", "d2 e z"];
    let new = Data::new(vec![quasi_tree("d", PAIR), quasi("e"), sensitive("y")], &base);
    let second: Vec<&str> = base.iter().map(|row| &row[..4]).collect();
    let first = Data::new(vec![quasi_tree("d", PAIR), quasi("e")], &second);
    let table = new.table();
    let above = cut_at(&table, &[("d", &["d"])]).apply(&table).unwrap();
    let small = joined(&new, &first, None, "xy-linkability values=y:0.12 x=new.d y=new.y");
    expect(&small, &above, &[("d", -2.0 / 13.0)]);
    assert!((worst(&small, &new.raw()) + 0.1).abs() < 1e-12);
    expect(&small, &new.raw(), &[]);
    assert_no_claim(&small, &[0]);
}

/// Lemma 4.2 does not hold if the earlier release is generalized and X lacks its column.
#[test]
fn counterexample_c() {
    let new = Data::new(vec![quasi("c"), quasi_tree("d", PAIR)], &["b d2", "a d1", "a d1"]);
    let first = Data::new(vec![quasi_tree("d", PAIR), sensitive("y")], &["d2 z", "d1 y", "d1 z"]);
    let mut recoding = Recoding::identity(&first.table());
    let table = first.table();
    let code = |column: usize, text: &str| {
        let known = recoding.columns[column].column.nodes.len() as u32;
        (0..known).find(|code| recoding.columns[column].column.label(*code) == text).unwrap()
    };
    let class = vec![code(0, "d1"), code(1, "y")].into_boxed_slice();
    recoding.on = vec![0, 1];
    recoding.rules.insert(class, RecodingRule::Hide(vec![0]));
    assert_eq!(recoding.apply(&table).unwrap().contingency.len(), 3);
    let table = new.table();
    let above = cut_at(&table, &[("d", &["d"])]).apply(&table).unwrap();
    let small = joined(&new, &first, Some(&recoding), "xy-linkability values=z:0.6 x=c,new.d y=first.y");
    expect(&small, &above, &[("a d", -2.0 / 3.0), ("b d", -2.0 / 3.0)]);
    expect(&small, &new.raw(), &[]);
    assert_eq!(worst(&small, &new.raw()), -0.5);
    assert_no_claim(&small, &[0, 1]);
    assert_no_claim(&small, &[1]);
}

/// Lemma 4.1 does not hold if X lacks a join column and has a column of the earlier release.
#[test]
fn counterexample_d() {
    let base = ["a d1 f g z", "b d2 f h y", "b d2 e h z", "b d1 f g y"];
    let new = Data::new(
        vec![quasi("c"), quasi_tree("d", PAIR), quasi("e")],
        &base.iter().map(|row| &row[..6]).collect::<Vec<_>>(),
    );
    let first = Data::new(
        vec![quasi_tree("d", PAIR), quasi("e"), quasi("g"), sensitive("y")],
        &base.iter().map(|row| &row[2..]).collect::<Vec<_>>(),
    );
    let table = new.table();
    let above = cut_at(&table, &[("d", &["d"])]).apply(&table).unwrap();
    let small = joined(&new, &first, None, "xy-anonymity k=2 x=c,new.d,first.g y=first.y");
    assert_eq!((worst(&small, &above), worst(&small, &new.raw())), (1.0, 2.0));
    assert_no_claim(&small, &[0, 1]);
    assert_no_claim(&small, &[1]);
}

/// Examples 6.1 and 6.2: the join singles out a person and gives a new inference, but it also hides others.
#[test]
fn survey_6_1_and_6_2() {
    let new = Data::new(
        vec![quasi("age"), quasi("job"), other("class")],
        &["30 Lawyer c1", "30 Lawyer c1", "40 Carpenter c2", "40 Electrician c3", "50 Engineer c4", "50 Clerk c4"],
    );
    let first = Data::new(
        vec![quasi("job"), quasi("birthplace"), sensitive("disease")],
        &[
            "Lawyer US Cancer",
            "Lawyer US Cancer",
            "Carpenter France HIV",
            "Electrician UK Cancer",
            "Engineer France HIV",
            "Clerk US HIV",
        ],
    );
    assert_eq!(size(&new.raw(), &first.raw()), 8);
    // Without the join, the new release has no sample unique age; the first has one birthplace with a single person.
    assert!(witnesses(model("k-anonymity k=2 on=age", &new.schema()).as_ref(), new.raw()).is_empty());
    let born = witnesses(model("k-anonymity k=2 on=birthplace", &first.schema()).as_ref(), first.raw());
    assert_eq!(born.into_iter().collect::<Vec<_>>(), [["UK"]]);
    let rows = joined(&new, &first, None, "xy-anonymity k=100 x=age,birthplace y=new.people,first.people");
    expect(&rows, &new.raw(), &[("30", 4.0), ("40", 1.0), ("50", 1.0)]);
    let two = joined(&new, &first, None, "xy-anonymity k=2 x=age,birthplace y=new.people");
    expect(&two, &new.raw(), &[("40", 1.0), ("50", 1.0)]);
    let cancer = joined(&new, &first, None, "xy-linkability values=Cancer:0.9 x=age,birthplace y=disease");
    let survey = cancer.surveys(&new.raw()).remove(0);
    let witness = |age: &str, born: &str| {
        vec![("age".to_owned(), age.to_owned()), ("first.birthplace".to_owned(), born.to_owned())]
    };
    let found: Vec<_> = survey.violations.iter().map(|violation| violation.witness.clone()).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.contains(&witness("30", "US")) && found.contains(&witness("40", "UK")), "{found:?}");
    assert!(survey.violations.iter().all(|violation| violation.safety == -1.0));
    assert!(found.iter().flatten().all(|(_, text)| text != SENSITIVE_NOT_SHOWN));
}
