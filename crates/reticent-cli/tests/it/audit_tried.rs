//! What a first user of the audit met: each of these was wrong, or said the wrong thing.

use serde_json::Value;

use crate::support::Desk;

fn desk(more: &str) -> Desk {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        format!(
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n[columns.zip]\n\
             [columns.ill]\nrole = \"sensitive\"\n[columns.pay]\nrole = \"sensitive\"\ntype = \"number\"\n\
             [requirement]\nconfidence = 0.6\n{more}"
        ),
    );
    desk
}

fn enter(desk: &Desk, name: &str, text: &str, more: &str) {
    desk.write(&format!("{name}.csv"), text);
    desk.run(&format!("register {name}.csv --name {name} --to press --date 2026-01-01 {more}")).exits(0);
}

fn column(answer: &Value) -> &Value {
    &answer["coalitions"][0]["audit"]["columns"][0]
}

/// Within a marked group people have quasi-identifiers of their own, and a statement speaks of those who have its value.
#[test]
fn a_statement_speaks_of_people_and_not_of_groups() {
    let desk = desk("");
    enter(&desk, "r", "pid,group,zip,ill\nann,1,z1,HIV\nbob,1,z2,Flu\ncid,2,z3,Flu\ndee,2,z4,Cold\n", "--groups group");
    desk.write("k.txt", "P(ill = HIV | zip = z1) <= 0.5\n");
    let answer = desk.run("audit --knows k.txt --json").exits(1).json();
    assert_eq!(column(&answer)["certain"], 2, "{answer}");
    // What is true in the data contradicts nothing.
    desk.write("k.txt", "P(ill = \"HIV\" | zip = z1) >= 0.9\n");
    assert_eq!(column(&desk.run("audit --knows k.txt --json").exits(1).json())["certain"], 2);
}

/// Intervals of one column that overlap are not different values.
#[test]
fn intervals_that_overlap_are_cut() {
    let desk = desk("");
    enter(&desk, "r", "pid,zip,pay\na,y,\"[0,20)\"\nb,y,\"[0,10)\"\nc,o,\"[0,20)\"\nd,o,\"[20,40)\"\n", "");
    let answer = desk.run("audit --json").exits(1).json();
    // One of the first two is below 10 for sure, the other below 20: nothing is exact.
    assert_eq!((&column(&answer)["exact"], &answer["holds"]), (&0.into(), &false.into()), "{answer}");
    // Values and the intervals they lie in are told together: the same people, nothing changed.
    let desk = self::desk("");
    enter(&desk, "one", "pid,zip,pay\na,y,12\nb,y,35\n", "");
    enter(&desk, "two", "pid,zip,pay\na,y,\"[10,30)\"\nb,y,\"[30,50)\"\n", "");
    let answer = desk.run("audit --json").exits(0).json();
    assert_eq!(answer["coalitions"][0]["audit"]["changed"], 0, "{answer}");
}

/// Who shares all groups with somebody whose value changed is told as much as they are: nothing.
#[test]
fn nobody_is_certain_because_somebody_changed() {
    let desk = desk("");
    enter(&desk, "one", "pid,zip,ill\ncid,z,Cold\ndee,z,Flu\neve,z,HIV\n", "");
    enter(&desk, "two", "pid,zip,ill\ncid,z,Cold\ndee,z,Flu\neve,z,Flu\n", "");
    let answer = desk.run("audit --json --each").exits(1).json();
    let found = column(&answer);
    assert_eq!((&found["certain"], &found["exact"]), (&0.into(), &0.into()), "{answer}");
}

/// Two of three records are somebody's: that one of them shows a value is likelier than that a given one does.
#[test]
fn any_of_several_records_may_show_it() {
    let desk = desk("");
    enter(&desk, "one", "pid,zip,ill\nann,y,HIV\nann,y,Flu\nbob,y,Flu\n", "");
    let answer = desk.run("audit --confidence 0.7 --json").exits(1).json();
    assert_eq!(column(&answer)["may_be_above"], 1, "{answer}");
    // That is so of one person only.
    assert_eq!(answer["coalitions"][0]["audit"]["worst"][0]["people"], 1, "{answer}");
}

/// What was not judged together holds for no attacker.
#[test]
fn releases_that_were_not_judged_do_not_hold() {
    let desk = desk("");
    enter(&desk, "one", "pid,ill\na,Cold\nb,Flu\n", "");
    enter(&desk, "two", "pid,zip,ill\na,z,Cold\nb,z,Flu\n", "");
    let ran = desk.run("audit --adversary quasi-identifiers").exits(1);
    ran.says("could not be judged");
}

/// Calls that are wrong are told apart from releases that tell too much.
#[test]
fn wrong_calls_are_not_breaches() {
    let desk = desk("[recipients]\nseparate = [\"press\", \"ministry\"]\n");
    enter(&desk, "one", "pid,zip,ill\na,z,Cold\nb,z,Flu\n", "");
    desk.run("register one.csv --name two --to ministry --date 2026-01-01").exits(0);
    desk.run("audit --policy other.toml").exits(2).says("there is no policy other.toml");
    desk.run("audit --for pres").exits(2).says("did you mean `press`");
    desk.run("audit --for press,ministry").exits(2).says("never to combine");
    for wrong in ["nonsense", "\"zoe\" has ill = Flu", "\"a\" has ill = Gout", "3 of \"a\", \"b\" have ill = Flu"] {
        desk.write("k.txt", format!("{wrong}\n"));
        desk.run("audit --for press --knows k.txt").exits(2);
    }
    desk.write("k.txt", "\"a\" has ill = Flu\n\"a\" has not ill = Flu\n");
    desk.run("audit --for press --knows k.txt").exits(2).says("contradicts the releases, or itself");
    desk.run("audit --for press --column nothing").exits(2);
    desk.write("there.html", "");
    desk.run("audit --for press --html there.html").exits(2).says("choose another name");
    desk.write("m.csv", "ill\nCold\n");
    desk.run("register m.csv --name m --to press --date 2026-01-01 --of one").exits(2).says("one row for each");
}

/// Where columns are too many together, what is left out may tell anybody apart: nothing is exact.
#[test]
fn one_column_of_too_many_is_not_exact() {
    let desk = desk("");
    let rows = |row: &dyn Fn(usize) -> String| (0..150).map(row).collect::<String>();
    desk.write("one.csv", format!("pid,zip,ill,pay\n{}", rows(&|at| format!("p{at},z{},i{at},{at}\n", at / 2))));
    desk.write("two.csv", format!("pid,zip,pay\n{}", rows(&|at| format!("p{at},y{at},{at}\n"))));
    for name in ["one", "two"] {
        let call = format!("register {name}.csv --name {name} --to press --date 2026-01-01 --quasi-identifier zip");
        desk.run(&call).exits(0);
    }
    let answer = desk.run("audit --column ill --json").exits(1).json();
    assert_eq!((&column(&answer)["exact"], &answer["holds"]), (&0.into(), &false.into()));
}

/// A marginal table of a value that varies is about the release it counts, whatever was released since.
#[test]
fn a_marginal_of_what_varies_is_of_its_release() {
    let people = "pid,group,zip,ill\na,1,m,x\nb,1,f,y\nc,2,m,z\nd,2,f,w\n";
    let all = "pid,group,zip,ill\na,1,m,x\nb,1,f,y\nc,1,m,z\nd,1,f,w\n";
    for order in [["one", "two", "of"], ["one", "of", "two"]] {
        let desk = desk("[history]\nvaries = [\"ill\"]\n");
        for name in order {
            let (text, more) = match name {
                "one" => (people, "--groups group"),
                "two" => (all, "--groups group"),
                _ => ("zip,ill\nm,x\nm,z\nf,y\nf,w\n", "--of one"),
            };
            enter(&desk, name, text, more);
        }
        let answer = desk.run("audit --json").exits(1).json();
        assert_eq!(column(&answer)["certain"], 4, "{order:?}");
    }
}

/// A hidden cell beside a counterfeit: p1 and p2 cannot both have what no record shows.
#[test]
fn hidden_cells_beside_counterfeits_are_not_exact() {
    let desk = desk("");
    let text = "pid,zip,ill,fake\np1,a,x,1\np2,a,*,1\n,a,z,1\nq1,b,y,0\nq2,b,x,0\nq3,b,z,0\n";
    enter(&desk, "one", text, "--counterfeits fake");
    let answer = desk.run("audit --confidence 0.35 --json").exits(1).json();
    assert_eq!(answer["holds"], false, "{answer}");
}

/// A statement that says nothing changes nothing that another says; one that cannot be understood is refused.
#[test]
fn statements_do_not_disturb_each_other() {
    let desk = desk("");
    enter(&desk, "one", "pid,group,zip,ill\na,1,m,flu\nb,1,m,hiv\nc,1,f,cold\nd,1,f,flu\n", "--groups group");
    desk.write("k.txt", "P(ill = flu) >= 0.5\nP(ill = hiv | zip = m) <= 1\n");
    let answer = desk.run("audit --knows k.txt --json").exits(0).json();
    assert_eq!((&column(&answer)["certain"], &answer["coalitions"][0]["audit"]["worlds"]), (&0.into(), &"12".into()));
    enter(&desk, "two", "pid,group,ill\na,1,flu\nb,1,hiv\ne,1,hiv\ng,1,flu\n", "--groups group");
    desk.run("audit --knows k.txt").exits(2).says("do not show whether");
}
