//! Leaks that only the join of several releases reveals.

use reticent::join::{Breadth, sub_histories};
use reticent::{History, InconsistentRules, Release};

use crate::oracle::small_joins::{SmallJoin, recorded};
use crate::support::{Data, model, other, quasi, sensitive, witnesses};

/// Two young people in two wards, and an earlier release with the sex of the people of each ward.
#[test]
fn releases_that_are_k_anonymous_can_violate_k_when_joined() {
    let new = Data::new(vec![quasi("age"), other("ward")], &["young w1", "young w2"]);
    let first = Data::new(vec![other("ward"), quasi("sex")], &["w1 f", "w1 f", "w2 m", "w2 m"]);
    assert!(witnesses(model("k-anonymity k=2", &new.schema()).as_ref(), new.raw()).is_empty());
    assert!(witnesses(model("k-anonymity k=2", &first.schema()).as_ref(), first.raw()).is_empty());
    let words = ["k-anonymity k=2"];
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &words, &[]);
    let surveys = small.surveys(&new.raw());
    // One constraint counts people of the new release, one counts people of the first.
    assert_eq!(surveys.iter().map(|survey| survey.violations.len()).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(surveys[0].worst.as_ref().unwrap().safety, 1.0);
    assert_eq!(surveys[0].violating, 2);
}

/// Every person has two possible illnesses in each release, but one in the join.
#[test]
fn releases_that_are_l_diverse_can_disclose_values_when_joined() {
    let new = Data::new(vec![quasi("town"), sensitive("ill")], &["t flu", "t hiv"]);
    let first = Data::new(
        vec![quasi("town"), quasi("job"), sensitive("ill")],
        &["t cook flu", "t cook gout", "t clerk hiv", "t clerk gout"],
    );
    for data in [&new, &first] {
        assert!(witnesses(model("distinct-l-diversity l=2", &data.schema()).as_ref(), data.raw()).is_empty());
    }
    let words = ["distinct-l-diversity l=2", "confidence-bounding h=0.5"];
    let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &words, &[]);
    let surveys = small.surveys(&new.raw());
    assert_eq!(surveys.iter().map(|survey| survey.violations.len()).collect::<Vec<_>>(), [1, 1, 1, 1]);
}

/// Zip codes with illnesses, with jobs, and with cars. Neither the job nor the car alone discloses an illness.
fn three_releases() -> (Data, Data, Data) {
    let new = Data::new(vec![quasi("zip"), sensitive("ill")], &["z1 flu", "z2 hiv", "z3 hiv", "z4 flu"]);
    let jobs = Data::new(vec![quasi("zip"), quasi("job")], &["z1 a", "z2 a", "z3 b", "z4 b"]);
    let cars = Data::new(vec![quasi("zip"), quasi("car")], &["z1 c", "z3 c", "z2 d", "z4 d"]);
    (new, jobs, cars)
}

/// Number of violations of each set of earlier releases.
fn violations_by_set(words: &str, sets: &[Vec<usize>]) -> Vec<usize> {
    let (new, jobs, cars) = three_releases();
    let earlier = vec![(recorded("jobs", &jobs, None), &jobs), (recorded("cars", &cars, None), &cars)];
    let small = SmallJoin::with_sets(&new, earlier, &[words], &[], sets);
    small.surveys(&new.raw()).iter().map(|survey| survey.violations.len()).collect()
}

#[test]
fn a_release_safe_with_each_earlier_release_can_violate_with_both() {
    let words = "xy-linkability h=0.5 x=job,car y=new.ill";
    assert_eq!(violations_by_set(words, &[vec![0], vec![1], vec![0, 1]]), [0, 0, 1]);
    assert_eq!(violations_by_set("xy-anonymity k=2 x=job,car y=new.ill", &[vec![0], vec![1], vec![0, 1]]), [0, 0, 1]);
    assert_eq!(
        violations_by_set("xy-anonymity k=2 x=job,car y=new.people", &[vec![0], vec![1], vec![0, 1]]),
        [0, 0, 1]
    );
    // Every breadth checks both releases for a recipient of both, but not for two non-colluding recipients of one each.
    for breadth in [Breadth::Auto, Breadth::EachAndAll, Breadth::Every] {
        let both = sub_histories(&[vec![0, 1]], breadth).unwrap();
        assert!(violations_by_set(words, &both).contains(&1), "{breadth:?}");
        let separate = sub_histories(&[vec![0], vec![1]], breadth).unwrap();
        assert!(violations_by_set(words, &separate).iter().all(|violations| *violations == 0), "{breadth:?}");
    }
}

#[test]
fn specialization_finds_a_release_that_is_safe_with_both() {
    let (new, jobs, cars) = three_releases();
    let earlier = vec![(recorded("jobs", &jobs, None), &jobs), (recorded("cars", &cars, None), &cars)];
    let sets = sub_histories(&[vec![0, 1]], Breadth::Every).unwrap();
    let small = SmallJoin::with_sets(&new, earlier, &["xy-linkability h=0.5 x=new.zip,job,car y=new.ill"], &[], &sets);
    let release: Release = small.specialize().unwrap().recoding.apply(&new.table()).unwrap();
    assert!(small.surveys(&release).iter().all(|survey| survey.violations.is_empty()));
    assert_eq!(release.contingency.rows(), 4);
    assert_eq!(release.contingency.len(), 2);
}

/// The rule excludes one of two matches.
#[test]
fn an_inconsistency_rule_removes_matches() {
    let new = Data::new(vec![quasi("sex")], &["f", "m"]);
    let first = Data::new(vec![quasi("town"), sensitive("ill")], &["t prostate", "t flu"]);
    let words = ["xy-anonymity k=2 x=sex y=first.ill"];
    let survey_with = |rules: &[InconsistentRules]| {
        let small = SmallJoin::new(&new, vec![(recorded("first", &first, None), &first)], &words, rules);
        small.surveys(&new.raw()).remove(0)
    };
    assert!(survey_with(&[]).violations.is_empty());
    let pair = |attribute: &str, value: &str| (attribute.to_owned(), value.to_owned());
    let survey = survey_with(&[InconsistentRules { one: pair("sex", "f"), other: pair("ill", "prostate") }]);
    assert_eq!(survey.violations.len(), 1);
    assert_eq!(survey.violations[0].witness, [pair("sex", "f")]);
}

/// The error prevents that only one of the two releases is checked.
#[test]
fn a_model_of_a_single_release_refuses_a_history_of_two() {
    let (new, jobs, _) = three_releases();
    let mut history = History::single(new.raw());
    history.releases.push(recorded("jobs", &jobs, None));
    assert!(model("k-anonymity k=2", &new.schema()).survey(&history).is_err());
}
