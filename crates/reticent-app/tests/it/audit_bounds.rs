//! What an audit calls exact, certain or established: only what follows from the releases.

use reticent_app::answer::AuditAnswer;
use reticent_testkit::{Answer, AuditCall, Outcome, TestFolder};
use serde_json::{Value, json};

/// A policy with these sensitive columns, beside `pid`, `group` and `zip`.
fn folder(sensitive: &[&str], confidence: f64, more: &str) -> TestFolder {
    let columns: String = sensitive.iter().map(|name| format!("[columns.{name}]\nrole = \"sensitive\"\n")).collect();
    TestFolder::from_policy(&format!(
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n\
         [columns.zip]\n{columns}[requirement]\nconfidence = {confidence}\n[release]\nseed = 1\n{more}"
    ))
}

/// Registers a release to everybody; one with the column `group` is bucketized by it.
fn register(folder: &TestFolder, name: &str, text: &str) {
    folder.write(&format!("{name}.csv"), text);
    let call = folder.register(&format!("{name}.csv"), name);
    let grouped = text.lines().next().unwrap().split(',').any(|column| column == "group");
    if grouped { call.group_column("group") } else { call }.run().passes();
}

fn column(answer: &AuditAnswer, at: usize) -> Value {
    answer.json()["coalitions"][0]["audit"]["columns"][at].clone()
}

fn violated(call: AuditCall<'_>) -> AuditAnswer {
    let answer = call.run().violates();
    assert_eq!(answer.holds, Some(false));
    answer
}

/// One of two columns differs from release to release: the other one still discloses, and nothing unlinked is called exact.
/// Identical files in ledgers with other random keys: what the audit can count within its limits, and its figures, are the same.
#[test]
fn figures_do_not_depend_on_the_key() {
    let mut state = 7u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let values: Vec<&str> = (0..48).map(|_| ["flu", "cold", "burn", "hiv"][draw(4)]).collect();
    let mut release = || -> String {
        let mut people: Vec<usize> = (0..48).collect();
        (1..48).rev().for_each(|at| people.swap(at, draw(at + 1)));
        people.iter().enumerate().map(|(at, person)| format!("p{person},{},{}\n", at / 4, values[*person])).collect()
    };
    let releases = [release(), release(), release()];
    let figures = |effort: u64| {
        let folder = TestFolder::from_policy(
            "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n[columns.illness]\n\
             role = \"sensitive\"\n[requirement]\nconfidence = 0.6\n",
        );
        for (at, rows) in releases.iter().enumerate() {
            folder.write(&format!("r{at}.csv"), format!("id,group,illness\n{rows}"));
            let call = folder.register(&format!("r{at}.csv"), &format!("r{at}")).date(&format!("2026-01-0{}", at + 1));
            call.group_column("group").run().passes();
        }
        let audit = folder.audit().effort(effort).run().unwrap().json()["coalitions"][0]["audit"].clone();
        let column = &audit["columns"][0];
        let of_column =
            ["exact", "certain", "may_be_certain", "above", "may_be_above", "estimated", "bounds_only", "histogram"];
        let of_stats = ["components_counted", "people_not_counted", "bounds_computed"];
        let figures = of_column.map(|name| column[name].clone()).into_iter();
        (figures.collect::<Vec<_>>(), of_stats.map(|name| audit["stats"][name].clone()), audit["worlds"].clone())
    };
    for effort in [0, 1, 5] {
        let first = figures(effort);
        (0..3).for_each(|_| assert_eq!(figures(effort), first, "effort {effort}"));
    }
}

#[test]
fn a_changed_column_does_not_hide_what_another_discloses() {
    let folder = folder(&["disease", "visits"], 0.5, "");
    register(&folder, "r1", "pid,group,disease,visits\np,1,HIV,1\nq,1,Flu,2\nr,1,Cold,3\n");
    register(&folder, "r2", "pid,group,disease,visits\np,1,HIV,4\nq,1,Flu,5\n");
    let answer = violated(folder.audit());
    assert!(column(&answer, 0)["may_be_above"].as_u64() > Some(0), "{answer:?}");
}

/// Values that are written differently are not the same, and no reason to pass.
#[test]
fn another_spelling_is_not_exact() {
    let folder = folder(&["disease"], 0.5, "");
    register(&folder, "r1", "pid,group,disease\np,1,HIV\nq,1,Flu\nr,1,Cold\n");
    register(&folder, "r2", "pid,group,disease\np,1,hiv\nq,1,flu\n");
    assert_eq!(column(&violated(folder.audit()), 0)["exact"], 0);
}

/// One release has owner links and the other has none: nothing is established.
#[test]
fn a_release_without_owner_links_establishes_nothing() {
    let folder = folder(&["disease"], 0.5, "");
    register(&folder, "a", "zip,disease\nz1,HIV\nz1,Flu\nz2,Cold\nz2,Gout\nz3,Ulcer\nz3,Cough\n");
    register(&folder, "r2", "pid,group,disease\np,1,HIV\nr,1,Cold\nq,2,Flu\ns,2,Gout\n");
    assert_eq!(violated(folder.audit()).coalitions[0].audit.unresolved, [1]);
}

/// A person may have two values that no record shows together.
#[test]
fn values_need_not_be_shown_together() {
    let folder = folder(&["a", "b"], 0.5, "");
    register(&folder, "r1", "pid,group,a,b\nu,1,HIV,x\nv,1,Flu,y\n");
    register(&folder, "r2", "pid,group,a\np,1,Flu\nq,1,HIV\n");
    register(&folder, "r3", "pid,group,b\np,1,x\nw,1,x\n");
    let answer = violated(folder.audit().confidence(0.9));
    // Nobody's `a` is certain; the `b` of both people of the third release is.
    assert_eq!((&column(&answer, 0)["certain"], &column(&answer, 1)["certain"]), (&json!(0), &json!(2)));
    assert_eq!(column(&answer, 0)["highest"]["upper"], 0.5);
}

/// Two of three people have two records each in both releases; the third has one, and left.
#[test]
fn several_records_of_a_person_are_bounded() {
    let folder = folder(&["disease"], 0.5, "");
    register(&folder, "r1", "pid,group,disease\np,1,HIV\nq,1,Flu\nq,1,Flu2\np,1,HIV2\nr,1,Cold\n");
    register(&folder, "r2", "pid,group,disease\np,1,HIV\nq,1,Flu\nq,1,Flu2\np,1,HIV2\n");
    let answer = violated(folder.audit());
    assert!(column(&answer, 0)["may_be_above"].as_u64() > Some(0), "{answer:?}");
}

/// An audit of one column counts what another one discloses about it.
#[test]
fn one_column_is_judged_with_all() {
    let folder = folder(&["a", "b"], 0.5, "");
    register(&folder, "r1", "pid,group,a,b\np,1,HIV,x\nq,1,Flu,y\n");
    register(&folder, "r2", "pid,group,b\np,1,x\nq,2,y\n");
    assert_eq!(column(&violated(folder.audit().columns("a")), 0)["certain"], 2);
}

/// A release whose sensitive values are all suppressed contradicts nothing.
#[test]
fn a_suppressed_release_contradicts_nothing() {
    let folder = folder(&["disease"], 0.5, "");
    register(&folder, "r1", "pid,group,disease\np,1,HIV\nq,1,Flu\n");
    register(&folder, "r2", "pid,group,disease\np,1,*\n");
    let answer = folder.audit().run().passes();
    assert_eq!((answer.holds, answer.coalitions[0].audit.worlds.as_deref()), (Some(true), Some("2")));
}

const NUMBERS: &str = "[columns.pay]\nrole = \"sensitive\"\ntype = \"number\"\n";

/// A policy with the sensitive columns `ill` and the number `pay`.
fn with_pay(more: &str) -> TestFolder {
    let folder = folder(&["ill"], 0.6, more);
    folder.replace("reticent.toml", "[requirement]\n", &format!("{NUMBERS}[requirement]\n"));
    folder
}

/// Intervals of one column that overlap are not different values.
#[test]
fn overlapping_intervals_are_not_exact() {
    let folder = with_pay("");
    register(&folder, "r", "pid,zip,pay\na,y,\"[0,20)\"\nb,y,\"[0,10)\"\nc,o,\"[0,20)\"\nd,o,\"[20,40)\"\n");
    // One of the first two is below 10 for certain, the other below 20.
    assert_eq!(column(&violated(folder.audit()), 0)["exact"], 0);
    // Values and the intervals they lie in: the same people, nothing changed.
    let folder = with_pay("");
    register(&folder, "one", "pid,zip,pay\na,y,12\nb,y,35\n");
    register(&folder, "two", "pid,zip,pay\na,y,\"[10,30)\"\nb,y,\"[30,50)\"\n");
    assert_eq!(folder.audit().run().passes().coalitions[0].audit.changed_people, 0);
}

/// A person who shares all groups with one whose value changed is not certain.
#[test]
fn a_changed_value_makes_nobody_certain() {
    let folder = with_pay("");
    register(&folder, "one", "pid,zip,ill\ncid,z,Cold\ndee,z,Flu\neve,z,HIV\n");
    register(&folder, "two", "pid,zip,ill\ncid,z,Cold\ndee,z,Flu\neve,z,Flu\n");
    let found = column(&violated(folder.audit().per_person()), 0);
    assert_eq!((&found["certain"], &found["exact"]), (&json!(0), &json!(0)));
}

/// Two of three records are one person's: that any of them shows a value is more likely than that a given one does.
#[test]
fn any_of_several_records_may_show_a_value() {
    let folder = with_pay("");
    register(&folder, "one", "pid,zip,ill\nann,y,HIV\nann,y,Flu\nbob,y,Flu\n");
    let answer = violated(folder.audit().confidence(0.7));
    assert_eq!(column(&answer, 0)["may_be_above"], 1);
    // That is so for one person only.
    assert_eq!(answer.coalitions[0].audit.worst[0].people, 1);
}

/// Where columns are too many together, those that are left out may tell people apart: nothing is exact.
#[test]
fn one_column_of_too_many_is_not_exact() {
    let folder = with_pay("");
    let rows = |row: &dyn Fn(usize) -> String| (0..150).map(row).collect::<String>();
    folder.write("one.csv", format!("pid,zip,ill,pay\n{}", rows(&|at| format!("p{at},z{},i{at},{at}\n", at / 2))));
    folder.write("two.csv", format!("pid,zip,pay\n{}", rows(&|at| format!("p{at},y{at},{at}\n"))));
    for name in ["one", "two"] {
        folder.register(&format!("{name}.csv"), name).to("press").quasi_identifier("zip").run().passes();
    }
    assert_eq!(column(&violated(folder.audit().columns("ill")), 0)["exact"], 0);
}

/// A marginal table of a value that varies is about the release it counts, whichever was released since.
#[test]
fn a_marginal_of_a_varying_value_is_about_its_release() {
    let people = "pid,group,zip,ill\na,1,m,x\nb,1,f,y\nc,2,m,z\nd,2,f,w\n";
    let all = "pid,group,zip,ill\na,1,m,x\nb,1,f,y\nc,1,m,z\nd,1,f,w\n";
    for order in [["one", "two", "of"], ["one", "of", "two"]] {
        let folder = with_pay("[history]\ntime-varying = [\"ill\"]\n");
        for name in order {
            match name {
                "one" => register(&folder, name, people),
                "two" => register(&folder, name, all),
                _ => {
                    folder.write("of.csv", "zip,ill\nm,x\nm,z\nf,y\nf,w\n");
                    folder.register("of.csv", name).marginal_of("one").run().passes();
                }
            }
        }
        assert_eq!(column(&violated(folder.audit()), 0)["certain"], 4, "{order:?}");
    }
}

/// A suppressed cell beside a counterfeit: p1 and p2 cannot both have the value that no record shows.
#[test]
fn suppressed_cells_beside_counterfeits_are_not_exact() {
    let folder = with_pay("");
    folder.write("one.csv", "pid,zip,ill,fake\np1,a,x,1\np2,a,*,1\n,a,z,1\nq1,b,y,0\nq2,b,x,0\nq3,b,z,0\n");
    folder.register("one.csv", "one").counterfeit_column("fake").run().passes();
    violated(folder.audit().confidence(0.35));
}
