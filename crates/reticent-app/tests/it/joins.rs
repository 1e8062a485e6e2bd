//! Releases that are judged on their join with earlier releases: which releases are joined, and which sets of them.

use reticent_testkit::{Answer, Outcome, TestFolder, refusal};
use serde_json::Value;

/// Eight diagnoses of five people each; a, b and c are the bits of their number. Any two columns leave two diagnoses, all
/// three one.
fn bits() -> TestFolder {
    let folder = TestFolder::from_policy(
        "[columns.a]\n[columns.b]\n[columns.c]\n[columns.diagnosis]\nrole = \"sensitive\"\n\
         [requirement]\nk = 5\nconfidence = 0.6\n[release]\nseed = 1\n",
    );
    let row = |at: usize| format!("a{},b{},c{},d{}\n", at % 2, at / 2 % 2, at / 4 % 2, at % 8);
    folder.write("people.csv", "a,b,c,diagnosis\n".to_owned() + &(0..40).map(row).collect::<String>());
    folder
}

/// The sets of earlier releases that were looked at.
fn sets(answer: &Value) -> Vec<Vec<u64>> {
    let numbers = |set: &Value| set["with"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    answer["joins"].as_array().unwrap().iter().map(numbers).collect()
}

/// Registers a text as `NAME.csv` with these quasi-identifiers and sensitive columns.
pub fn register(folder: &TestFolder, name: &str, text: &str, quasi_identifier: &str, sensitive: &str) {
    let file = format!("{name}.csv");
    folder.write(&file, text);
    let call = folder.register(&file, name).date("2020-01-01");
    call.quasi_identifier(quasi_identifier).sensitive(sensitive).run().passes();
}

#[test]
fn releases_about_others_do_not_empty_the_join() {
    let folder = bits();
    for (name, columns) in [("r1", "a,diagnosis"), ("r2", "b,diagnosis")] {
        folder.publish("people.csv", name).columns(columns).run().passes();
    }
    for year in 0..3 {
        let row = |at: usize| format!("x{},mange{}\n", at % 2, at % (3 + year));
        folder.write("vets.csv", "breed,diagnosis\n".to_owned() + &(0..40).map(row).collect::<String>());
        let call = folder.register("vets.csv", &format!("vets{year}")).date(&format!("202{year}-01-01"));
        call.sensitive("diagnosis").run().passes();
    }
    let answer = folder.publish("people.csv", "r3").columns("c,diagnosis").run().passes().json();
    let of = |with: &[u64]| {
        let together = answer["joins"].as_array().unwrap();
        together.iter().find(|set| set["with"] == serde_json::json!(with)).cloned().unwrap_or_default()
    };
    assert_eq!(of(&[1, 2])["names"], serde_json::json!(["r1", "r2"]), "{answer:#}");
    let joined = answer["verified"]["joins"].as_array().unwrap();
    let statements = joined.iter().filter(|statement| statement["with"] == serde_json::json!([1, 2])).count();
    assert_eq!(statements, 6, "{joined:#?}");
    let mut with_vets = sets(&answer).into_iter().filter(|set| set.iter().any(|number| *number > 2)).peekable();
    assert!(with_vets.peek().is_some(), "{answer:#}");
    for set in with_vets {
        assert_eq!(of(&set)["matching"], 0, "nobody of this table can be in all of {set:?}");
    }
    let text = folder.read("r3.csv");
    assert!(!text.contains("c0") && !text.contains("c1"), "all three bits are published:\n{text}");
}

/// The number of a group is no attribute of a person.
#[test]
fn releases_that_mark_groups_are_not_joined() {
    let folder = bits();
    folder.write("old.csv", "group,a,diagnosis\n1,a0,d0\n1,a0,d2\n2,a1,d1\n2,a1,d3\n");
    folder.register("old.csv", "old").date("2020-01-01").group_column("group").sensitive("diagnosis").run().passes();
    let call = folder.publish("people.csv", "new").columns("b,diagnosis");
    let error = call.run().refused_with("not-recordwise");
    assert_eq!((&error.data()["release"], &error.data()["name"]), (&1.into(), &"old".into()));
    call.ignore_history().run().passes();
}

/// A release that was published twice is held once.
#[test]
fn the_same_release_twice_adds_nothing() {
    let folder = bits();
    folder.publish("people.csv", "r1").columns("a,diagnosis").run().passes();
    let call = folder.publish("people.csv", "r2").columns("b,diagnosis");
    let alone = call.rehearse().passes().json();
    for copy in 0..3 {
        let name = format!("copy{copy}");
        folder.register("r1.csv", &name).date("2020-01-01").sensitive("diagnosis").run().passes();
    }
    let again = call.rehearse().passes().json();
    assert_eq!(again["joins"].as_array().unwrap().len(), 1);
    assert_eq!(again["columns"], alone["columns"]);
}

/// A column that changes from month to month would make nobody match.
#[test]
fn columns_that_vary_do_not_join() {
    let month = |visits: usize| {
        let row = |at: usize| format!("a{},b{},{visits},d{}\n", at % 2, at / 2 % 2, at % 4);
        "a,b,visits,diagnosis\n".to_owned() + &(0..40).map(row).collect::<String>()
    };
    let policy = |history: &str| {
        format!(
            "[columns.a]\n[columns.b]\n[columns.visits]\nrole = \"other\"\n[columns.diagnosis]\nrole = \"sensitive\"\n\
             [requirement]\nk = 2\nconfidence = 0.6\n{history}\n[release]\nseed = 1\n"
        )
    };
    let folder = TestFolder::from_policy(&policy(""));
    folder.write("people.csv", month(1));
    folder.publish("people.csv", "january").columns("a,visits,diagnosis").run().passes();
    folder.write("people.csv", month(2));
    let call = folder.publish("people.csv", "february").columns("b,visits,diagnosis");
    let answer = call.rehearse().passes().json();
    let dangling = &answer["dangling"][0];
    assert_eq!((&dangling["name"], &dangling["unmatched_new"]), (&"january".into(), &40.into()), "{dangling}");
    assert_eq!(answer["columns"][0]["published"], serde_json::json!(["b0", "b1"]));
    folder.write("reticent.toml", policy("[history]\ntime-varying = [\"visits\"]"));
    let answer = call.rehearse().passes().json();
    assert_ne!(answer["columns"][0]["published"], serde_json::json!(["b0", "b1"]), "a and b leave one diagnosis");
}

/// Releases about half of the people do not hide what others disclose about the other half: those are judged without them.
#[test]
fn releases_about_some_do_not_hide_the_others() {
    let folder = bits();
    for (name, columns) in [("r1", "a,diagnosis"), ("r2", "b,diagnosis")] {
        folder.publish("people.csv", name).columns(columns).run().passes();
    }
    for ward in 0..3 {
        // The first four diagnoses only, which are those of c0.
        let row = |at: usize| format!("z{},d{}\n", at / 4 % (2 + ward), at % 4);
        folder.write("ward.csv", "ward,diagnosis\n".to_owned() + &(0..160).map(row).collect::<String>());
        let call = folder.register("ward.csv", &format!("ward{ward}")).date(&format!("202{ward}-01-01"));
        call.sensitive("diagnosis").run().passes();
    }
    let call = folder.publish("people.csv", "r3").columns("c,diagnosis").with_confidence(1.0);
    let sets = sets(&call.rehearse().passes().json());
    assert!(sets.contains(&vec![1, 2]) && sets.contains(&vec![1, 2, 3, 4, 5]), "{sets:?}");
}

/// A policy that bounds the confidence in a disease for an attacker who knows ages and jobs; jobs are published unchanged.
const JOBS: &str = "[columns.age]\ntype = \"number\"\n[columns.job]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n\
                    [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"age\", \"job\"]\ny = [\"disease\"]\nh = 0.5\n[release]\nseed = 1\n";

/// Two releases with the same bytes are two where a requirement names the second: lawyers would be disclosed to have the flu.
#[test]
fn a_release_that_is_named_is_not_another_one() {
    let folder = TestFolder::from_policy(
        "[columns.zip]\n[columns.job]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n[requirement]\nk = 2\n\
         [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"second.disease\"]\nh = 0.5\n[release]\nseed = 1\n",
    );
    folder.write("people.csv", "zip,job,disease\n1,lawyer,flu\n1,lawyer,flu\n2,artist,cold\n2,artist,cold\n");
    for name in ["first", "second"] {
        folder.publish("people.csv", name).columns("zip,disease").run().passes();
    }
    folder.publish("people.csv", "new").columns("zip,job").run().passes();
    assert!(folder.rows("new.csv").iter().all(|row| row[0] != "1" && row[0] != "2"), "{}", folder.read("new.csv"));
}

/// The same file registered with a column as a quasi-identifier, and then as sensitive: the requirement on the second counts.
#[test]
fn a_release_in_other_roles_is_another_one() {
    let folder = TestFolder::from_policy(
        "[columns.zip]\n[columns.job]\n[columns.disease]\nrole = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.5\naudit = \"off\"\n\
         [release]\nseed = 1\n",
    );
    folder.write("people.csv", "zip,job,disease\n1,lawyer,flu\n1,lawyer,flu\n2,artist,cold\n2,artist,cold\n");
    let old = "zip,disease\n1,flu\n1,flu\n2,cold\n2,cold\n";
    register(&folder, "wrong", old, "zip,disease", "");
    register(&folder, "right", old, "zip", "disease");
    let answer = folder.publish("people.csv", "new").columns("zip,job").run().passes().json();
    let joins = answer["verified"]["joins"].as_array().unwrap().iter();
    let of_disease = joins.filter(|join| join["requirement"].as_str().unwrap().contains("confidence in right.disease"));
    let already = of_disease.map(|join| join["already_violated"].as_u64().unwrap()).max();
    assert_eq!(already, Some(2), "every zip has one disease: {answer:#}");
}

/// Two releases that contradict each other empty the join of all five, and not what two others disclose together.
#[test]
fn releases_that_contradict_each_other_do_not_empty_the_join() {
    let folder = TestFolder::from_policy(&format!("[columns.zip]\n[columns.region]\n[columns.sex]\n{JOBS}"));
    folder.write(
        "people.csv",
        "zip,region,age,sex,job,disease\n1,north,30,m,lawyer,flu\n1,north,30,f,lawyer,flu\n2,south,30,m,artist,cold\n2,south,30,f,artist,cold\n",
    );
    register(&folder, "a", "zip,age,disease\n1,30,flu\n1,30,flu\n2,30,cold\n2,30,cold\n", "zip,age", "");
    register(&folder, "b", "zip,region\n1,north\n1,north\n2,south\n2,south\n", "zip,region", "");
    register(&folder, "c", "region\nnorth\nsouth\nnorth\nsouth\n", "region", "");
    register(&folder, "d", "region,sex\nnorth,m\nsouth,m\n", "region,sex", "");
    register(&folder, "e", "region,sex\nnorth,f\nsouth,f\n", "region,sex", "");
    folder.publish("people.csv", "new").columns("region,job").run().passes();
    let text = folder.read("new.csv");
    assert!(!text.contains("north") && !text.contains("south"), "{text}");
}

/// A copy of a release counts once, so that four are still few enough to judge every subset of them.
#[test]
fn a_copy_changes_nothing() {
    let folder = TestFolder::from_policy(
        "[columns.zip]\n[columns.age]\n[columns.p]\n[columns.q]\n[columns.t]\n[columns.job]\nrole = \"other\"\n\
         [columns.disease]\nrole = \"sensitive\"\n[requirement]\nk = 2\naudit = \"off\"\n\
         [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"disease\"]\nh = 0.5\n[release]\nseed = 1\n",
    );
    folder.write("people.csv", "zip,age,p,q,t,job,disease\n1,1,0,1,1,lawyer,cold\n2,2,1,0,1,lawyer,flu\n");
    let twice = |head: &str, rows: &[&str]| {
        head.to_owned() + "\n" + &rows.iter().map(|row| format!("{row}\n{row}\n")).collect::<String>()
    };
    register(&folder, "r1", &twice("zip,p", &["1,0"]), "zip,p", "");
    register(&folder, "r2", &twice("age,q", &["2,0"]), "age,q", "");
    register(&folder, "r3", &twice("p,q,t", &["0,0,0", "0,1,1", "1,0,1", "1,1,0"]), "p,q,t", "");
    register(&folder, "r4", &twice("t,disease", &["0,flu", "1,cold"]), "t", "disease");
    let call = folder.publish("people.csv", "new").columns("zip,age,job");
    let confidence = || {
        let error = call.run().refused_with("requirement-unreachable");
        refusal(&error)["violations"][0]["worst"]["safety"].clone()
    };
    assert_eq!(confidence(), -1.0);
    folder.register("r1.csv", "copy").date("2020-01-01").quasi_identifier("zip,p").run().passes();
    assert_eq!(confidence(), -1.0);
}

/// Three that contradict each other, beside four that do not: three largest sets, however many subsets there are.
#[test]
fn three_that_contradict_each_other_are_not_many_sets() {
    let folder = TestFolder::from_policy(
        "[columns.c]\n[columns.u]\n[columns.v]\n[columns.w]\n[columns.s]\nrole = \"sensitive\"\n\
         [requirement]\nconfidence = 1.0\naudit = \"off\"\n[release]\nseed = 1\n",
    );
    folder.write("people.csv", "c,u,v,w,s\n1,0,0,0,x\n1,0,0,0,y\n");
    // None of them can be computed from another one.
    for times in 1..=4 {
        let rows = "c,u\n".to_owned() + &"1,0\n".repeat(times) + &"1,1\n".repeat(times + 2);
        register(&folder, &format!("r{times}"), &rows, "c,u", "");
    }
    register(&folder, "r5", "c,u,v\n1,0,0\n1,1,1\n", "c,u,v", "");
    register(&folder, "r6", "c,v,w\n1,0,0\n1,1,1\n", "c,v,w", "");
    register(&folder, "r7", "c,w,u\n1,0,1\n1,1,0\n", "c,w,u", "");
    let answer = folder.publish("people.csv", "new").columns("c,s").run().passes().json();
    let sets = sets(&answer);
    assert_eq!((sets.iter().filter(|set| set.len() == 6).count(), sets.len()), (3, 10), "{answer:#}");
}

/// People are counted, and not inferred.
#[test]
fn linkability_of_people_is_invalid() {
    let folder = TestFolder::from_policy(
        "[columns.zip]\n[columns.job]\n[columns.disease]\nrole = \"sensitive\"\n\
         [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"first.people\"]\nh = 0.5\n[release]\nseed = 1\n",
    );
    folder.write("people.csv", "zip,job,disease\n1,lawyer,flu\n1,lawyer,flu\n1,lawyer,flu\n");
    register(&folder, "first", "zip,disease\n1,flu\n1,flu\n1,flu\n", "zip", "disease");
    let error = folder.publish("people.csv", "new").columns("zip,job").run().fails_with("policy-invalid");
    assert!(error.to_string().contains("xy-anonymity"), "{error}");
}

/// Releases are joined on a sensitive column of the person. A column that the policy declares to describe records joins none: another
/// record of the same person can have another value.
#[test]
fn a_column_of_records_does_not_join() {
    let jobs = |per: &str| {
        let folder = TestFolder::from_policy(&format!(
            "[columns.id]\nrole = \"identifier\"\n[columns.city]\n[columns.job]\n[columns.illness]\nrole = \"sensitive\"\n{per}\
             [requirement]\nk = 2\n"
        ));
        folder.write("d.csv", "id,city,job,illness\n1,A,x,flu\n2,A,y,hiv\n3,B,x,cold\n4,B,y,ulcer\n");
        folder.publish("d.csv", "one").columns("city,illness").run().passes();
        folder.publish("d.csv", "two").columns("job,illness").run().passes().json()["columns"][0]["published"].clone()
    };
    // Joined on illness, one person is in each city and job; on no column, all pairs of two records and two fit.
    assert_eq!(jobs(""), serde_json::json!(["*"]));
    assert_eq!(jobs("per = \"record\"\n"), serde_json::json!(["x", "y"]));
}

/// A requirement over two releases without a common column is judged on all pairs of their records.
#[test]
fn a_requirement_over_unconnected_releases_is_judged_on_all_pairs() {
    let policy = |h: f64| {
        TestFolder::from_policy(&format!(
            "[columns.id]\nrole = \"identifier\"\n[columns.city]\n[columns.job]\n[columns.illness]\nrole = \"sensitive\"\n\
             [requirement]\nk = 2\n[[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"second.job\"]\n\
             y = [\"first.illness\"]\nh = {h}\n"
        ))
    };
    let rows = "id,city,job,illness\n1,A,x,flu\n2,A,x,flu\n3,A,y,flu\n4,B,y,hiv\n5,B,x,hiv\n6,B,y,flu\n";
    // Flu has 4 of 6 records of the first release, and so of the pairs with every job.
    for (h, is_met) in [(0.5, false), (0.7, true)] {
        let folder = policy(h);
        folder.write("d.csv", rows);
        folder.publish("d.csv", "first").columns("city,illness").run().passes();
        let second = folder.publish("d.csv", "second").columns("job").run();
        match is_met {
            true => assert_eq!(second.passes().json()["joins"][0]["matching"], 6, "every record of the second release"),
            false => drop(second.refused_with("requirement-unreachable")),
        }
    }
}

/// A release that can be computed from an earlier one adds nothing to it, although the lossy join would multiply the shares of a value.
#[test]
fn a_release_computed_from_an_earlier_one_adds_nothing() {
    let policy = |models: &str| {
        format!(
            "[columns.site]\n[columns.city]\n[columns.disease]\nrole = \"sensitive\"\n[requirement]\nk = 2\nconfidence = 0.7\naudit = \"off\"\n\
             {models}[release]\nseed = 1\n"
        )
    };
    let people = "site,city,disease\ns,a,flu\ns,a,flu\ns,a,cold\ns,b,flu\ns,b,flu\ns,b,cold\n";
    let folder = TestFolder::from_policy(&policy(""));
    folder.write("people.csv", people);
    folder.publish("people.csv", "first").run().passes();
    // Two thirds of flu, joined with two thirds of flu, are four fifths.
    let answer = folder.publish("people.csv", "totals").columns("site,disease").run().passes().json();
    let joins = answer["verified"]["joins"].as_array().unwrap();
    assert!(!joins.is_empty() && joins.iter().all(|join| join["computable_from"] == 1), "{answer:#}");
    assert!(answer["notes"].to_string().contains("adds nothing to joins with release 1"), "{answer:#}");
    // Another person's disease cannot be computed.
    folder.write("more.csv", &(people.to_owned() + "s,b,flu\n"));
    folder.publish("more.csv", "later").columns("site,disease").run().refused_with("requirement-unreachable");
    // (X,Y)-linkability keeps the definition of the paper.
    let model = "[[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"city\"]\ny = [\"disease\"]\nh = 0.7\n";
    let explicit = TestFolder::from_policy(&policy(model));
    explicit.write("people.csv", people);
    explicit.publish("people.csv", "first").run().passes();
    explicit.publish("people.csv", "totals").columns("site,disease").run().refused_with("requirement-unreachable");
}

/// A finer release matches a coarser one, but cannot be computed from it.
#[test]
fn a_finer_release_is_not_computed_from_a_coarser_one() {
    let folder = TestFolder::from_policy(
        "[columns.site]\n[columns.city]\n[columns.disease]\nrole = \"sensitive\"\ntaxonomy = \"disease.csv\"\n\
         [[requirement.models]]\nmodel = \"confidence-bounding\"\nvalues = { flu = 0.5 }\n[release]\nseed = 1\n",
    );
    folder.write("disease.csv", "flu;resp;any\nasthma;resp;any\ncancer;onc;any\n");
    let rows = |row: &str, times: usize| format!("{row}\n").repeat(times);
    let first = [rows("s,a,resp", 9), rows("s,a,onc", 1), rows("s,b,resp", 1), rows("s,b,onc", 29)].concat();
    register(&folder, "first", &format!("site,city,disease\n{first}"), "site,city", "disease");
    folder.write("people.csv", format!("site,disease\n{}{}", rows("s,flu", 10), rows("s,cancer", 30)));
    // Nine of the ten people of city a have flu; the join says three quarters.
    folder.publish("people.csv", "totals").run().refused_with("requirement-unreachable");
}

/// Equal records of known owners need not be of the same people.
#[test]
fn a_release_of_known_owners_is_not_computed_from_another() {
    let folder = TestFolder::from_policy(
        "[dataset]\nowner = \"id\"\n[columns.id]\n[columns.site]\n[columns.city]\n[columns.disease]\nrole = \"sensitive\"\n\
         [requirement]\nk = 2\n[release]\nseed = 1\n",
    );
    let people = |first: &str| -> String {
        let of = |from: usize, to: usize, row: &str| (from..to).map(|at| format!("{at},{row}\n")).collect::<String>();
        match first {
            "" => of(10, 15, "s,a,flu") + &of(20, 25, "s,b,cancer"),
            one => format!("{one},s,a,flu\n").repeat(5) + &of(20, 25, "s,b,cancer"),
        }
    };
    folder.write("first.csv", format!("id,site,city,disease\n{}", people("")));
    folder.write("next.csv", format!("id,site,city,disease\n{}", people("10")));
    folder.publish("first.csv", "one").columns("site,city,disease").run().passes();
    // Joined with city a, all five records are of one person.
    folder.publish("next.csv", "two").columns("site,disease").run().refused_with("requirement-unreachable");
}
