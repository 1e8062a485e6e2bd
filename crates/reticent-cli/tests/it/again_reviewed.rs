//! What a review found in releases by methods, each as a steward would meet it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Desk;

const HEAD: &str = "[dataset]\nowner = \"p\"\n[columns.p]\n[columns.age]\ntype = \"number\"\n";
const S: &str = "[columns.s]\nrole = \"sensitive\"\n";
const T: &str = "[columns.t]\nrole = \"sensitive\"\n";

fn policy(columns: &str, method: &str, options: &str) -> String {
    format!("{HEAD}{columns}[release]\nmethod = \"{method}\"\nseed = 7\n[release.options]\n{options}\n")
}

fn publish(desk: &Desk, name: &str, text: &str, policy: &str, status: i32) -> Value {
    desk.write("reticent.toml", policy);
    desk.write(&format!("{name}.csv"), text);
    let ran = desk.run(&format!("publish {name}.csv --name {name} -o out-{name} --json")).exits(status);
    if status == 0 { ran.json() } else { Value::String(ran.err) }
}

/// An earlier release of people and a list about them, of unknown owners: together with the next all four would be certain.
#[test]
fn a_list_about_people_who_are_not_known_is_noticed() {
    let desk = Desk::new();
    let policy = policy(S, "m-invariance", "m = 2");
    desk.write("reticent.toml", &policy);
    desk.write("old.csv", "group_id,age\n1,21\n1,22\n2,25\n2,27\n");
    desk.write("list.csv", "group_id,s\n1,x\n1,y\n2,x\n2,z\n");
    let register = "--to public --date 2026-01-01";
    desk.run(&format!("register old.csv --name old {register} --quasi-identifier age,group_id")).exits(0);
    desk.run(&format!("register list.csv --name list {register} --sensitive s --quasi-identifier group_id --of old"))
        .exits(0);
    let said = publish(&desk, "new", "p,age,s\na,21,x\nb,22,y\nc,25,z\ne,27,x\n", &policy, 1);
    assert!(said.as_str().unwrap().contains("it is not known whose its records are"), "{said}");
}

/// A list of a group that counts, beside one that names values once: both name them once, since nobody could tell them apart.
#[test]
fn lists_of_a_column_are_read_in_one_way() {
    let desk = Desk::new();
    let policy = |l: u32, diversity: &str| {
        let options = format!("primary = \"s\"\nl = {{ s = 4, t = {l} }}\ndiversity = \"{diversity}\"");
        self::policy(&format!("{S}{T}"), "decomposition-plus", &options)
    };
    let first = "p,age,s,t\na,21,x,1\nb,22,y,2\nc,25,z,3\ne,27,u,3\n";
    let second = format!("{first}f,30,x,1\ng,31,y,1\nh,32,z,2\ni,33,u,3\n");
    publish(&desk, "r1", first, &policy(2, "distinct"), 0);
    for (name, l, diversity) in [("r2", 2, "frequency"), ("r3", 3, "distinct")] {
        let answer = publish(&desk, name, &second, &policy(l, diversity), 0);
        assert_eq!(answer["published"], 8, "{name} {answer}");
        let rows = desk.read(&format!("out-{name}/t.csv"));
        let different: BTreeSet<&str> = rows.lines().collect();
        assert_eq!(different.len(), rows.lines().count(), "{name} tells how often: {rows}");
    }
}

/// Who was published stays, whichever column is primary now.
#[test]
fn another_primary_column_keeps_groups() {
    let desk = Desk::new();
    let policy = |primary: &str| {
        policy(&format!("{S}{T}"), "decomposition-plus", &format!("primary = \"{primary}\"\nl = {{ s = 2, t = 2 }}"))
    };
    let first = "p,age,s,t\na,21,x,1\nb,22,y,2\nc,25,x,3\ne,27,y,4\n";
    let second = format!("{first}f,30,x,1\ng,31,y,2\n");
    publish(&desk, "r1", first, &policy("s"), 0);
    for (name, primary) in [("r2", "t"), ("r3", "t"), ("r4", "s")] {
        assert_eq!(publish(&desk, name, &second, &policy(primary), 0)["published"], 6, "{name}");
    }
}

/// The order of columns in the policy says nothing, so nobody's values changed.
#[test]
fn columns_in_another_order_are_the_same() {
    for (method, options) in
        [("decomposition-plus", "primary = \"s\"\nl = { s = 2, t = 2 }"), ("bcf-anonymity", "k = 2")]
    {
        let desk = Desk::new();
        let first = "p,age,s,t\na,21,x,1\nb,22,y,2\nc,25,x,3\ne,27,y,4\n";
        publish(&desk, "r1", first, &policy(&format!("{S}{T}"), method, options), 0);
        let second = format!("{first}f,30,x,1\ng,31,y,2\n");
        let answer = publish(&desk, "r2", &second, &policy(&format!("{T}{S}"), method, options), 0);
        assert_eq!(answer["published"], 6, "{method} {answer}");
    }
}

/// A star is what a hidden cell reads; a value that is one would be told to be anything.
#[test]
fn a_star_is_no_sensitive_value() {
    let desk = Desk::new();
    let said = publish(&desk, "r", "p,age,s\na,21,x\nb,22,*\nc,25,x\ne,27,*\n", &policy(S, "m-invariance", "m = 2"), 2);
    assert!(said.as_str().unwrap().contains("missing-values"), "{said}");
}

/// Ages 21, 22, 25 and 27 are all published as [20,30), which could stand for three other values: (4 - 1) / 4.
#[test]
fn what_no_single_value_is_published_of_is_lost() {
    for form in ["generalized", "anatomized"] {
        let desk = Desk::new();
        let policy = policy(S, "m-invariance", "m = 2")
            .replace("type = \"number\"\n", "type = \"number\"\nintervals = [10]\nexact = false\n")
            .replace("seed = 7\n", &format!("seed = 7\nform = \"{form}\"\n"));
        let answer = publish(&desk, "r", "p,age,s\na,21,x\nb,22,y\nc,25,x\ne,27,y\n", &policy, 0);
        assert!(desk.read("out-r/people.csv").lines().skip(1).all(|line| line.contains("[20,30)")));
        assert_eq!(answer["utility"]["iloss"], 0.75, "{form}");
    }
}

/// Why nobody could be published is said.
#[test]
fn no_group_has_reasons() {
    let desk = Desk::new();
    let policy = policy(S, "m-invariance", "m = 2");
    publish(&desk, "r1", "p,age,s\na,21,x\nb,22,y\n", &policy, 0);
    let said = publish(&desk, "r2", "p,age,s\na,21,y\nb,22,x\n", &policy, 1);
    assert!(said.as_str().unwrap().contains("a sensitive value is not the one that was published"), "{said}");
}
