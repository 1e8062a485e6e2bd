//! Small histories by hand: where the library and the definition of the lossy join once differed.

use reticent::algorithms::{Control, Guarantee, Purpose, RecodingTask, SearchOutcome, Suppression, run};
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

/// An earlier release of a table, published as it is or by a recoding.
pub fn recorded(name: &str, data: &Data, recoding: Option<&Recoding>) -> RecordedRelease {
    let alone = Data { owners: None, ..data.clone() };
    let table = alone.table();
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
        presentation: Presentation::default(),
        release,
        links,
    }
}

/// A new table, earlier releases, and what is demanded of them together.
pub struct SmallJoin {
    pub data: Data,
    pub history: History,
    pub requirement: Requirement,
}

impl SmallJoin {
    /// Everything earlier is joined with the new release, which is called `new`.
    pub fn new(
        data: &Data,
        earlier: Vec<(RecordedRelease, &Data)>,
        words: &[&str],
        rules: &[InconsistentRules],
    ) -> SmallJoin {
        let all: Vec<usize> = (0..earlier.len()).collect();
        SmallJoin::with_sets(data, earlier, words, rules, &[all])
    }

    /// The same for each of some sets of earlier releases.
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
        let history = History { releases: earlier.into_iter().map(|(held, _)| held).collect(), ..History::default() };
        let member = Member {
            name: "new".to_owned(),
            columns: data.cols.iter().map(|col| (col.name.clone(), col.role)).collect(),
        };
        let wordings: Vec<ModelSpec> = words.iter().map(|words| spec(words)).collect();
        let mut requirement = Requirement::from_specs(&[], &schema).unwrap();
        requirement.join(&wordings, &schema, member, &history, sets, rules.to_vec()).unwrap();
        SmallJoin { data: data.clone(), history, requirement }
    }

    /// Also demanded of the new release by itself.
    pub fn with_model(mut self, words: &str) -> SmallJoin {
        self.requirement.models = crate::support::requirement(&[words], &self.data.schema()).models;
        self
    }

    pub fn constraints(&self) -> Vec<(&JoinRequirement, &Constraint)> {
        let joined = self.requirement.joins.iter();
        joined.flat_map(|together| together.constraints.iter().map(move |statement| (together, statement))).collect()
    }

    pub fn join_check<'a>(&'a self, together: &'a JoinRequirement, statement: &'a Constraint) -> JoinCheck<'a> {
        let table = self.data.table();
        let identity = Recoding::identity(&table);
        let columns: Vec<PublishedColumn> = identity.columns.iter().map(|recoded| recoded.column.clone()).collect();
        let quasi = table.with_role(Role::QuasiIdentifier);
        let rules = &self.requirement.rules;
        let joint = JoinCheck::new(statement, &columns, &quasi, &self.history, &together.earlier, rules).unwrap();
        joint.compute_relation(&table, &identity);
        joint
    }

    /// What every statement finds in a release.
    pub fn surveys(&self, release: &Release) -> Vec<Survey> {
        let survey = |(together, statement): (&JoinRequirement, &Constraint)| {
            self.join_check(together, statement).survey(release).unwrap()
        };
        self.constraints().into_iter().map(survey).collect()
    }

    pub fn specialize(&self) -> reticent::Result<SearchOutcome> {
        let table = self.data.table();
        let task = RecodingTask {
            table: &table,
            history: &self.history,
            requirement: &self.requirement,
            purpose: &Purpose::General,
            suppression: Suppression::NONE,
        };
        run("top-down-specialization", &task, Arguments::default(), &Control::QUIET)
    }
}

/// Person 0 has two illnesses: with the person, these are two different things to count, as the pairs (person, illness)
/// are.
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

/// The same in an earlier release.
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

/// Where everybody's sex is hidden there is one value, and where it is shown there are two: what was violated is not. A hidden
/// value is one that nobody can be too sure of.
#[test]
fn nothing_is_claimed_where_counted_values_are_generalized() {
    let new = Data::new(vec![quasi("sex"), quasi("job")], &["f cook", "m cook"]);
    let first = Data::new(vec![quasi("job")], &["cook", "cook"]);
    for words in ["xy-anonymity k=2 x=new.job y=new.sex", "xy-linkability h=0.9 x=new.job y=new.sex"] {
        let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
        let table = new.table();
        let hidden = cut_at(&table, &[("sex", &["*"])]).apply(&table).unwrap();
        let hides = usize::from(words.starts_with("xy-anonymity"));
        assert_eq!(small.surveys(&hidden)[0].violations.len(), hides, "{words}");
        assert_eq!(small.surveys(&new.raw())[0].violations.len(), 0, "{words}");
        for (together, statement) in small.constraints() {
            assert!(!small.join_check(together, statement).keeps_violating(&[0]), "{words}");
            assert!(!small.join_check(together, statement).keeps_violating(&[0, 1]), "{words}");
        }
    }
}

/// A release that satisfies a model by itself and a statement when joined is not refused, and the model is judged where
/// everything says nothing, not on the table as it is.
#[test]
fn a_model_beside_a_statement_is_judged_on_what_is_published() {
    let new = Data::new(vec![quasi("sex")], &["f", "m"]);
    let first = Data::new(vec![quasi("sex")], &["f", "m"]);
    let words = "xy-anonymity k=1 x=new.sex y=first.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[])
        .with_model("k-anonymity k=2");
    let outcome = small.specialize().unwrap_or_else(|error| panic!("{error}"));
    let release = outcome.recoding.apply(&new.table()).unwrap();
    assert_eq!(release.contingency.weights, [2]);
}

/// Job is in no x, but it joins: where it says nothing, every illness goes with u. So there is something to publish.
#[test]
fn what_joins_is_generalized_too() {
    let new = Data::new(vec![other("note"), quasi("job")], &["u cook", "u cook"]);
    let first = Data::new(vec![quasi("job"), sensitive("ill")], &["cook flu", "clerk hiv"]);
    let words = "xy-linkability h=0.5 x=new.note y=first.ill";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let table = new.table();
    let hidden = cut_at(&table, &[("job", &["*"])]).apply(&table).unwrap();
    assert!(small.surveys(&hidden)[0].violations.is_empty());
    let outcome = small.specialize().unwrap_or_else(|error| panic!("{error}"));
    assert!(small.surveys(&outcome.recoding.apply(&table).unwrap())[0].violations.is_empty());
}

/// Where several x are equally bad, the same one is shown each time.
#[test]
fn the_same_witness_is_shown_each_time() {
    let new = Data::new(vec![quasi("sex")], &["f", "m"]);
    let ages: Vec<String> = (0..12).map(|age| format!("a{age}")).collect();
    let first = Data::new(vec![quasi("age")], &ages.iter().map(String::as_str).collect::<Vec<_>>());
    let words = "xy-anonymity k=2 x=first.age y=first.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let shown = || small.surveys(&new.raw()).remove(0).worst.unwrap().witness;
    let once = shown();
    let mut random = Random(1);
    for _ in 0..30 {
        // Tables of other sizes lie elsewhere in memory.
        let _kept: Vec<u8> = vec![0; random.below(1000)];
        assert_eq!(shown(), once);
    }
}

/// Half have hiv, which is allowed, and a quarter flu, which is not: the largest share is still one half, as it is where
/// a single release is judged.
#[test]
fn the_worst_share_is_the_largest_that_is_bounded() {
    let new = Data::new(vec![quasi("sex"), sensitive("ill")], &["f hiv", "f hiv", "f flu", "f gout"]);
    let first = Data::new(vec![quasi("sex")], &["f"]);
    let words = "xy-linkability values=flu:0,hiv:0.5 x=sex y=ill";
    let alone = crate::support::model(words, &new.schema()).survey(&new.history()).unwrap();
    assert_eq!(alone.worst.unwrap().safety, -0.5);
    let words = "xy-linkability values=flu:0,hiv:0.5 x=new.sex y=ill";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let survey = small.surveys(&new.raw()).remove(0);
    assert_eq!(survey.violations.len(), 1);
    assert_eq!(survey.worst.unwrap().safety, -0.5);
}

/// A join that holds nothing has no worst x, and certainly none that is infinitely safe.
#[test]
fn an_empty_join_has_no_worst() {
    let new = Data::new(vec![quasi("sex")], &["f"]);
    let first = Data::new(vec![quasi("sex")], &["m"]);
    let words = "xy-anonymity k=2 x=new.sex y=first.people";
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
    let survey = small.surveys(&new.raw()).remove(0);
    assert!(survey.violations.is_empty());
    assert!(survey.worst.is_none_or(|worst| worst.safety.is_finite()));
}

/// Ten people in each of forty-five releases: the join has more tuples than any machine number counts, and shares are what
/// they are in the new release.
#[test]
fn many_releases_have_very_many_tuples() {
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
    let told: Vec<(f64, usize)> =
        surveys.iter().map(|survey| (survey.worst.as_ref().unwrap().safety, survey.violations.len())).collect();
    assert_eq!(told, [(-0.5, 0), (-0.5, 1), (2.0, 0), (10.0, 1)]);
}

/// Pairs of people of several releases: as many as the people of each, multiplied; or an error where they are too many.
#[test]
fn people_of_many_releases_are_very_many() {
    let first = Data::new(vec![quasi("sex")], &["f"; 10]);
    for releases in [2, 3, 5, 8, 12, 20, 45] {
        let earlier = (0..releases).map(|at| (recorded(&format!("r{at}"), &first, None), &first)).collect();
        let people: Vec<String> = (0..releases).map(|at| format!("r{at}.people")).collect();
        let words = format!("xy-anonymity k=11 x=sex y={}", people.join(","));
        let small = SmallJoin::new(&first, earlier, &[&words], &[]);
        let (together, statement) = small.constraints()[0];
        match small.join_check(together, statement).survey(&first.raw()) {
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

/// One person with two records in a class is one person in it.
#[test]
fn a_violating_class_has_people_not_records() {
    let new = Data::new(vec![quasi("sex"), sensitive("ill")], &["f flu", "f hiv"]).owned(&[0, 0]);
    let first = Data::new(vec![quasi("sex")], &["f"]);
    for words in ["xy-anonymity k=2 x=new.sex y=new.people", "xy-linkability h=0.4 x=new.sex y=new.ill"] {
        let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &[words], &[]);
        let survey = small.surveys(&new.raw()).remove(0);
        assert_eq!(survey.violating, 1, "{words}");
        assert_eq!(survey.violations[0].people, 1, "{words}");
    }
}

/// Whoever is shown as a witness is in the join: the man in b matches the first release's only man in b, who is a cook.
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
        assert!([["m", "cook"], ["f", "smith"]].contains(&[texts[0], texts[1]]), "{texts:?} match nowhere");
    }
}

/// Where common sense leaves no match at all, no statement over the join holds anything back.
#[test]
fn an_empty_join_holds_nothing_back() {
    let rows = ["f u", "f u", "m u", "m u"];
    let new = Data::new(vec![quasi("sex"), other("note")], &rows);
    let first = Data::new(vec![sensitive("ill")], &["flu"]);
    let rule =
        InconsistentRules { one: ("note".to_owned(), "u".to_owned()), other: ("ill".to_owned(), "flu".to_owned()) };
    for words in ["xy-anonymity k=2 x=new.sex y=first.ill", "xy-linkability h=0.5 x=new.sex y=first.ill"] {
        for alone in [false, true] {
            let small = SmallJoin::new(
                &new,
                vec![(recorded("first", &first, None), &first)],
                &[words],
                std::slice::from_ref(&rule),
            );
            let small = if alone { small.with_model("k-anonymity k=2") } else { small };
            let outcome = small.specialize().unwrap();
            let release = outcome.recoding.apply(&new.table()).unwrap();
            let shown: Vec<String> = super::lossy::texts(&release, 0);
            assert_eq!(outcome.guarantee, Guarantee::LocallyMaximal, "{words}");
            assert_eq!((release.contingency.len(), shown[0].as_str()), (2, "f"), "{words}, alone {alone}");
        }
    }
}

/// Days are published as months, so both are one class, whoever's sex is shown: nothing holds it back. Also without any
/// earlier release.
#[test]
fn a_counted_column_is_judged_as_it_is_published() {
    let months = TreeSource::Intervals { levels: vec![IntervalLevel::Month, IntervalLevel::Year], exact: false };
    let day = Col { values: Type::Date, tree: months, ..quasi("day") };
    let new = Data::new(vec![quasi("sex"), day], &["f 2024-01-05", "f 2024-01-31"]);
    let table = new.table();
    let requirement = requirement(&["xy-linkability h=1 x=sex y=day", "k-anonymity k=2"], &new.schema());
    let task = RecodingTask {
        table: &table,
        history: &History::default(),
        requirement: &requirement,
        purpose: &Purpose::General,
        suppression: Suppression::NONE,
    };
    let outcome = run("top-down-specialization", &task, Arguments::default(), &Control::QUIET).unwrap();
    let raw = History::single(new.raw());
    assert!(requirement.survey(&raw).unwrap().iter().all(|(_, survey)| survey.violations.is_empty()));
    let release = outcome.recoding.apply(&table).unwrap();
    assert!(outcome.guarantee != Guarantee::LocallyMaximal || super::lossy::texts(&release, 0)[0] == "f");
}
