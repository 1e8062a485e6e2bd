//! Regression tests on small histories: cases in which the library differed from the definition of the lossy join.

use reticent::algorithms::{Control, Guarantee, RecodingTask, SearchOutcome, run};
use reticent::join::{Constraint, JoinCheck, JoinRequirement, Member};
use reticent::models::Survey;
use reticent::registry::Arguments;
use reticent::requirement::{ModelSpec, Requirement};
use reticent::taxonomy::{IntervalLevel, Type};
use reticent::{
    History, InconsistentRules, Links, Presentation, PublishedColumn, Recoding, RecordedRelease, Release, Role,
    TreeSource,
};

use crate::support::{Col, Data, Random, cut_at, other, quasi, requirement, sensitive, spec};

/// An earlier release of a table, raw or with a recoding.
pub fn recorded(name: &str, data: &Data, recoding: Option<&Recoding>) -> RecordedRelease {
    let table = Data { owners: None, ..data.clone() }.table();
    let release = recoding.unwrap_or(&Recoding::identity(&table)).apply(&table).unwrap();
    let links = data.owners.as_ref().map(|owners| {
        let place = |row: &Vec<String>| {
            (0..release.contingency.len()).find(|at| super::lossy::texts(&release, *at) == *row).unwrap() as u32
        };
        Links::from_rows(data.rows.iter().zip(owners).map(|(row, owner)| (u128::from(*owner), place(row))).collect())
    });
    RecordedRelease {
        number: 1,
        name: name.to_owned(),
        date: "2024-01-01".to_owned(),
        recipients: vec!["public".to_owned()],
        population: false,
        presentation: Presentation::default(),
        release,
        links,
    }
}

/// A new table, earlier releases, and a requirement on their join.
pub struct SmallJoin {
    pub data: Data,
    pub history: History,
    pub requirement: Requirement,
}

impl SmallJoin {
    /// Joins the new release, named `new`, with all earlier releases.
    pub fn new(
        data: &Data,
        earlier: Vec<(RecordedRelease, &Data)>,
        words: &[&str],
        rules: &[InconsistentRules],
    ) -> SmallJoin {
        let all: Vec<usize> = (0..earlier.len()).collect();
        SmallJoin::with_sets(data, earlier, words, rules, &[all])
    }

    /// Joins the new release with each of these sets of earlier releases.
    pub fn with_sets(
        data: &Data,
        earlier: Vec<(RecordedRelease, &Data)>,
        words: &[&str],
        rules: &[InconsistentRules],
        sets: &[Vec<usize>],
    ) -> SmallJoin {
        let mut cols: Vec<Col> = data.cols.clone();
        for (_, data) in &earlier {
            for col in &data.cols {
                if cols.iter().all(|known| known.name != col.name) {
                    cols.push(col.clone());
                }
            }
        }
        let schema = Data { cols, rows: Vec::new(), owners: None }.schema();
        let history =
            History { releases: earlier.into_iter().map(|(recorded, _)| recorded).collect(), ..History::default() };
        let member = Member {
            name: "new".to_owned(),
            columns: data.cols.iter().map(|col| (col.name.clone(), col.role)).collect(),
            population: false,
        };
        let specs: Vec<ModelSpec> = words.iter().map(|words| spec(words)).collect();
        let mut requirement = Requirement::from_specs(&[], &schema).unwrap();
        requirement.join(&specs, &schema, member, &history, sets, rules.to_vec()).unwrap();
        SmallJoin { data: data.clone(), history, requirement }
    }

    /// Adds a model that the new release must satisfy without the join.
    pub fn with_model(mut self, words: &str) -> SmallJoin {
        self.requirement.models = crate::support::requirement(&[words], &self.data.schema()).models;
        self
    }

    pub fn constraints(&self) -> Vec<(&JoinRequirement, &Constraint)> {
        let joins = self.requirement.joins.iter();
        joins.flat_map(|join| join.constraints.iter().map(move |constraint| (join, constraint))).collect()
    }

    pub fn join_check<'a>(&'a self, join: &'a JoinRequirement, constraint: &'a Constraint) -> JoinCheck<'a> {
        let table = self.data.table();
        let identity = Recoding::identity(&table);
        let columns: Vec<PublishedColumn> = identity.columns.iter().map(|recoded| recoded.column.clone()).collect();
        let quasi = table.with_role(Role::QuasiIdentifier);
        let rules = &self.requirement.rules;
        let check = JoinCheck::new(constraint, &columns, &quasi, &self.history, &join.earlier, rules).unwrap();
        check.compute_relation(&table, &identity);
        check
    }

    /// Survey of every constraint on a release.
    pub fn surveys(&self, release: &Release) -> Vec<Survey> {
        let survey = |(join, constraint): (&JoinRequirement, &Constraint)| {
            self.join_check(join, constraint).survey(release).unwrap()
        };
        self.constraints().into_iter().map(survey).collect()
    }

    pub fn specialize(&self) -> reticent::Result<SearchOutcome> {
        let table = self.data.table();
        let task = RecodingTask::new(&table, &self.history, &self.requirement);
        run("top-down-specialization", &task, Arguments::default(), &Control::QUIET)
    }
}

/// Person 0 has two illnesses. Y counts pairs of a person and an illness, so it counts two.
#[test]
fn people_with_several_records_are_counted_with_their_values() {
    let new = Data::new(vec![quasi("sex"), sensitive("ill")], &["f flu", "f hiv"]).owned(&[0, 0]);
    let first = Data::new(vec![quasi("sex")], &["f"]);
    let words = "xy-anonymity k=2 x=new.sex y=new.ill,new.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let survey = small.surveys(&new.raw()).remove(0);
    assert_eq!(survey.worst.unwrap().safety, 2.0);
    assert!(survey.violations.is_empty());
}

/// The same for an earlier release.
#[test]
fn people_of_earlier_releases_are_counted_with_their_values() {
    let new = Data::new(vec![quasi("sex")], &["f"]);
    let first = Data::new(vec![quasi("sex"), sensitive("ill")], &["f flu", "f hiv"]).owned(&[0, 0]);
    let words = "xy-anonymity k=2 x=new.sex y=first.ill,first.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let survey = small.surveys(&new.raw()).remove(0);
    assert_eq!(survey.worst.unwrap().safety, 2.0);
    assert!(survey.violations.is_empty());
}

/// With suppressed sex, there is one value; after specialization there are two, so the violation disappears. A suppressed value
/// has no confidence.
#[test]
fn a_violation_is_not_claimed_to_persist_if_columns_of_y_are_generalized() {
    let new = Data::new(vec![quasi("sex"), quasi("job")], &["f cook", "m cook"]);
    let first = Data::new(vec![quasi("job")], &["cook", "cook"]);
    for words in ["xy-anonymity k=2 x=new.job y=new.sex", "xy-linkability h=0.9 x=new.job y=new.sex"] {
        let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
        let table = new.table();
        let suppressed = cut_at(&table, &[("sex", &["*"])]).apply(&table).unwrap();
        let expected = usize::from(words.starts_with("xy-anonymity"));
        assert_eq!(small.surveys(&suppressed)[0].violations.len(), expected, "{words}");
        assert_eq!(small.surveys(&new.raw())[0].violations.len(), 0, "{words}");
        for (join, constraint) in small.constraints() {
            assert!(!small.join_check(join, constraint).keeps_violating(&[0]), "{words}");
            assert!(!small.join_check(join, constraint).keeps_violating(&[0, 1]), "{words}");
        }
    }
}

/// A release that satisfies a model and a constraint on the join is not refused. The model is checked on the generalized release,
/// not on the raw table.
#[test]
fn a_model_next_to_a_join_constraint_is_checked_on_the_published_release() {
    let new = Data::new(vec![quasi("sex")], &["f", "m"]);
    let first = Data::new(vec![quasi("sex")], &["f", "m"]);
    let words = "xy-anonymity k=1 x=new.sex y=first.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[])
        .with_model("k-anonymity k=2");
    let outcome = small.specialize().unwrap_or_else(|error| panic!("{error}"));
    let release = outcome.recoding.apply(&new.table()).unwrap();
    assert_eq!(release.contingency.weights, [2]);
}

/// Job is a join column but not in X. If it is suppressed, u matches every illness. So a safe release exists.
#[test]
fn join_columns_outside_x_are_generalized() {
    let new = Data::new(vec![other("note"), quasi("job")], &["u cook", "u cook"]);
    let first = Data::new(vec![quasi("job"), sensitive("ill")], &["cook flu", "clerk hiv"]);
    let words = "xy-linkability h=0.5 x=new.note y=first.ill";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let table = new.table();
    let suppressed = cut_at(&table, &[("job", &["*"])]).apply(&table).unwrap();
    assert!(small.surveys(&suppressed)[0].violations.is_empty());
    let outcome = small.specialize().unwrap_or_else(|error| panic!("{error}"));
    assert!(small.surveys(&outcome.recoding.apply(&table).unwrap())[0].violations.is_empty());
}

/// Several x are equally bad.
#[test]
fn the_witness_is_deterministic() {
    let new = Data::new(vec![quasi("sex")], &["f", "m"]);
    let ages: Vec<String> = (0..12).map(|age| format!("a{age}")).collect();
    let first = Data::new(vec![quasi("age")], &ages.iter().map(String::as_str).collect::<Vec<_>>());
    let words = "xy-anonymity k=2 x=first.age y=first.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let witness = || small.surveys(&new.raw()).remove(0).worst.unwrap().witness;
    let first_witness = witness();
    let mut random = Random(1);
    for _ in 0..30 {
        // Allocations of random size change the addresses of the tables.
        let _kept: Vec<u8> = vec![0; random.below(1000)];
        assert_eq!(witness(), first_witness);
    }
}

/// HIV has confidence 1/2, which is its bound. Flu has 1/4, above its bound of 0. The worst confidence is 1/2, as for a single
/// release.
#[test]
fn the_worst_confidence_is_the_largest_of_all_bounded_values() {
    let new = Data::new(vec![quasi("sex"), sensitive("ill")], &["f hiv", "f hiv", "f flu", "f gout"]);
    let first = Data::new(vec![quasi("sex")], &["f"]);
    let words = "xy-linkability values=flu:0,hiv:0.5 x=sex y=ill";
    let single = crate::support::model(words, &new.schema()).survey(&new.history()).unwrap();
    assert_eq!(single.worst.unwrap().safety, -0.5);
    let words = "xy-linkability values=flu:0,hiv:0.5 x=new.sex y=ill";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let survey = small.surveys(&new.raw()).remove(0);
    assert_eq!(survey.violations.len(), 1);
    assert_eq!(survey.worst.unwrap().safety, -0.5);
}

/// An empty join has no worst x, in particular none with infinite safety.
#[test]
fn an_empty_join_has_no_infinite_safety() {
    let new = Data::new(vec![quasi("sex")], &["f"]);
    let first = Data::new(vec![quasi("sex")], &["m"]);
    let words = "xy-anonymity k=2 x=new.sex y=first.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let survey = small.surveys(&new.raw()).remove(0);
    assert!(survey.violations.is_empty());
    assert!(survey.worst.is_none_or(|worst| worst.safety.is_finite()));
}

/// Ten people in each of 45 releases. The number of tuples exceeds all integer types; the confidences equal those of the new
/// release.
#[test]
fn confidences_are_right_for_very_many_tuples() {
    let rows: Vec<&str> = [vec!["f flu"; 5], vec!["f hiv"; 5]].concat();
    let new = Data::new(vec![quasi("sex"), sensitive("ill")], &rows);
    let first = Data::new(vec![quasi("sex")], &["f"; 10]);
    let earlier = (0..45).map(|at| (recorded(&format!("r{at}"), &first, None), &first)).collect();
    let words = [
        "xy-linkability h=0.5 x=sex y=new.ill",
        "xy-linkability h=0.4 x=sex y=new.ill",
        "xy-anonymity k=2 x=sex y=new.ill",
        "xy-anonymity k=11 x=sex y=r3.people",
    ];
    let small = SmallJoin::new(&new, earlier, &words, &[]);
    let surveys = small.surveys(&new.raw());
    let results: Vec<(f64, usize)> =
        surveys.iter().map(|survey| (survey.worst.as_ref().unwrap().safety, survey.violations.len())).collect();
    assert_eq!(results, [(-0.5, 0), (-0.5, 1), (2.0, 0), (10.0, 1)]);
}

/// The number of tuples of people is the product of the numbers of people of each release, or too large to compute.
#[test]
fn tuples_of_people_of_many_releases_are_counted_or_an_error() {
    let first = Data::new(vec![quasi("sex")], &["f"; 10]);
    for releases in [2, 3, 5, 8, 12, 20, 45] {
        let earlier = (0..releases).map(|at| (recorded(&format!("r{at}"), &first, None), &first)).collect();
        let people: Vec<String> = (0..releases).map(|at| format!("r{at}.people")).collect();
        let words = format!("xy-anonymity k=11 x=sex y={}", people.join(","));
        let small = SmallJoin::new(&first, earlier, &[&words], &[]);
        let (join, constraint) = small.constraints()[0];
        match small.join_check(join, constraint).survey(&first.raw()) {
            Ok(survey) => {
                assert!(survey.violations.is_empty(), "{releases}: {survey:?}");
                let counted = survey.worst.unwrap().safety;
                assert!(releases > 12 || counted == 10f64.powi(releases), "{releases}: {counted}");
                println!("{releases} {counted}");
            }
            Err(error) => {
                assert!(matches!(error, reticent::Error::CannotCheck(_)) && releases > 5, "{releases}: {error}")
            }
        }
    }
}

/// A person with two records in a class counts once.
#[test]
fn a_violating_class_counts_people_not_records() {
    let new = Data::new(vec![quasi("sex"), sensitive("ill")], &["f flu", "f hiv"]).owned(&[0, 0]);
    let first = Data::new(vec![quasi("sex")], &["f"]);
    for words in ["xy-anonymity k=2 x=new.sex y=new.people", "xy-linkability h=0.4 x=new.sex y=new.ill"] {
        let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
        let survey = small.surveys(&new.raw()).remove(0);
        assert_eq!(survey.violating, 1, "{words}");
        assert_eq!(survey.violations[0].people, 1, "{words}");
    }
}

/// A witness is a tuple of the join. The man in ward b matches only the cook of the first release.
#[test]
fn a_witness_is_in_the_join() {
    let new = Data::new(vec![quasi("sex"), other("ward")], &["f b", "m b", "f a"]);
    let first = Data::new(vec![quasi("sex"), other("ward"), quasi("job")], &["m b cook", "f a smith", "f b smith"]);
    let words = "xy-anonymity k=3 x=new.sex,job y=new.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let survey = small.surveys(&new.raw()).remove(0);
    assert_eq!(survey.violations.len(), 2);
    for violation in &survey.violations {
        let texts: Vec<&str> = violation.witness.iter().map(|(_, text)| text.as_str()).collect();
        assert!([["m", "cook"], ["f", "smith"]].contains(&[texts[0], texts[1]]), "{texts:?} is not in the join");
    }
}

/// The rules exclude all matches, so a constraint on the join does not limit the specialization.
#[test]
fn an_empty_join_does_not_limit_the_release() {
    let rows = ["f u", "f u", "m u", "m u"];
    let new = Data::new(vec![quasi("sex"), other("note")], &rows);
    let first = Data::new(vec![sensitive("ill")], &["flu"]);
    let rule =
        InconsistentRules { one: ("note".to_owned(), "u".to_owned()), other: ("ill".to_owned(), "flu".to_owned()) };
    for words in ["xy-anonymity k=2 x=new.sex y=first.ill", "xy-linkability h=0.5 x=new.sex y=first.ill"] {
        for with_model in [false, true] {
            let small = SmallJoin::new(
                &new,
                vec![(recorded("first", &first, None), &first)],
                &[words],
                std::slice::from_ref(&rule),
            );
            let small = if with_model { small.with_model("k-anonymity k=2") } else { small };
            let outcome = small.specialize().unwrap();
            let release = outcome.recoding.apply(&new.table()).unwrap();
            let texts: Vec<String> = super::lossy::texts(&release, 0);
            assert_eq!(outcome.guarantee, Guarantee::LocallyMaximal, "{words}");
            assert_eq!((release.contingency.len(), texts[0].as_str()), (2, "f"), "{words}, with model {with_model}");
        }
    }
}

/// Days are published as months, so both records have the same month and sex can be published. There is no earlier release.
#[test]
fn a_column_of_y_is_checked_as_it_is_published() {
    let months = TreeSource::Intervals { levels: vec![IntervalLevel::Month, IntervalLevel::Year], exact: false };
    let day = Col { values: Type::Date, tree: months, ..quasi("day") };
    let new = Data::new(vec![quasi("sex"), day], &["f 2024-01-05", "f 2024-01-31"]);
    let table = new.table();
    let requirement = requirement(&["xy-linkability h=1 x=sex y=day", "k-anonymity k=2"], &new.schema());
    let history = History::default();
    let task = RecodingTask::new(&table, &history, &requirement);
    let outcome = run("top-down-specialization", &task, Arguments::default(), &Control::QUIET).unwrap();
    let raw = History::single(new.raw());
    assert!(requirement.survey(&raw).unwrap().iter().all(|(_, survey)| survey.violations.is_empty()));
    let release = outcome.recoding.apply(&table).unwrap();
    assert!(outcome.guarantee != Guarantee::LocallyMaximal || super::lossy::texts(&release, 0)[0] == "f");
}

/// Numbers of tuples that are too large to count are never within a limit. The share of a value is 2^80 / (2^80 + 3^50) = 0.63 after two
/// earlier releases; after five, 2^200 is too large.
#[test]
fn numbers_of_tuples_that_are_too_large_violate() {
    let new = Data::new(vec![quasi("q"), sensitive("s")], &["a x", "a y"]);
    let survey = |releases: usize| {
        let mut earlier = Vec::new();
        for name in &["r1", "r2", "r3", "r4", "r5"][..releases] {
            let mut one = recorded(name, &new, None);
            one.release.contingency.weights = vec![1 << 40, 3u64.pow(25)];
            earlier.push((one, &new));
        }
        let small = SmallJoin::new(&new, earlier, &["xy-linkability h=0.9 x=q y=new.s"], &[]);
        small.surveys(&new.raw()).remove(0)
    };
    assert!(survey(2).violations.is_empty());
    let violations = survey(5).violations;
    assert!(violations[0].explanation.contains("too many ways"), "{violations:?}");
}
