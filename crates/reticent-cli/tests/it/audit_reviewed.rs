//! What a review of the audit found: each of these said "holds", or "certain", and was wrong.

use serde_json::Value;

use crate::support::Desk;

/// A desk with a policy over these sensitive columns, beside `pid`, `group` and `zip`.
fn desk(sensitive: &[&str], more: &str) -> Desk {
    let desk = Desk::new();
    let columns: String = sensitive.iter().map(|name| format!("[columns.{name}]\nrole = \"sensitive\"\n")).collect();
    desk.write(
        "reticent.toml",
        format!(
            "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.group]\nrole = \"other\"\n\
             [columns.zip]\n{columns}[requirement]\nconfidence = 0.5\n[release]\nseed = 1\n{more}"
        ),
    );
    desk
}

/// Registers a bucketized release of a desk.
fn bucketized(desk: &Desk, number: usize, text: &str) {
    desk.write(&format!("r{number}.csv"), text);
    let call = format!("register r{number}.csv --name r{number} --to public --date 2026-01-0{number} --groups group");
    desk.run(&call).exits(0);
}

fn audited(desk: &Desk, call: &str, status: i32) -> Value {
    desk.run(&format!("{call} --json")).exits(status).json()
}

fn column(answer: &Value, at: usize) -> &Value {
    &answer["coalitions"][0]["audit"]["columns"][at]
}

/// One of two columns differs from release to release: the other still tells, and what is not followed is not called exact.
#[test]
fn a_column_that_changed_does_not_hide_what_another_tells() {
    let desk = desk(&["disease", "visits"], "");
    bucketized(&desk, 1, "pid,group,disease,visits\np,1,HIV,1\nq,1,Flu,2\nr,1,Cold,3\n");
    bucketized(&desk, 2, "pid,group,disease,visits\np,1,HIV,4\nq,1,Flu,5\n");
    let answer = audited(&desk, "audit", 1);
    assert_eq!(answer["holds"], false);
    assert!(column(&answer, 0)["may_be_above"].as_u64() > Some(0), "{answer}");
}

/// Values that are written differently are no reason to say that nothing is told.
#[test]
fn another_spelling_is_not_followed_and_not_passed() {
    let desk = desk(&["disease"], "");
    bucketized(&desk, 1, "pid,group,disease\np,1,HIV\nq,1,Flu\nr,1,Cold\n");
    bucketized(&desk, 2, "pid,group,disease\np,1,hiv\nq,1,flu\n");
    let answer = audited(&desk, "audit", 1);
    assert_eq!((&answer["holds"], column(&answer, 0)["exact"].as_u64()), (&false.into(), Some(0)));
}

/// Whose records are whose is known of one release only: that nothing is told cannot be established.
#[test]
fn a_release_of_unknown_owners_beside_another_establishes_nothing() {
    let desk = desk(&["disease"], "");
    desk.write("a.csv", "zip,disease\nz1,HIV\nz1,Flu\nz2,Cold\nz2,Gout\nz3,Ulcer\nz3,Cough\n");
    desk.run("register a.csv --name a --to public --date 2026-01-01").exits(0);
    bucketized(&desk, 2, "pid,group,disease\np,1,HIV\nr,1,Cold\nq,2,Flu\ns,2,Gout\n");
    let answer = audited(&desk, "audit", 1);
    assert_eq!(answer["coalitions"][0]["audit"]["not_followed"][0], 1, "{answer}");
}

/// Somebody may have two values that no record shows together.
#[test]
fn values_need_not_be_shown_together() {
    let desk = desk(&["a", "b"], "");
    bucketized(&desk, 1, "pid,group,a,b\nu,1,HIV,x\nv,1,Flu,y\n");
    bucketized(&desk, 2, "pid,group,a\np,1,Flu\nq,1,HIV\n");
    bucketized(&desk, 3, "pid,group,b\np,1,x\nw,1,x\n");
    let answer = audited(&desk, "audit --confidence 0.9", 1);
    // Nobody's `a` is told; of `b`, both of the third release are.
    assert_eq!((column(&answer, 0)["certain"].as_u64(), column(&answer, 1)["certain"].as_u64()), (Some(0), Some(2)));
    assert_eq!(column(&answer, 0)["highest"]["upper"], 0.5);
}

/// Two of three people have two records each in both releases; the third has one, and left.
#[test]
fn several_records_make_nothing_exact_that_is_certain() {
    let desk = desk(&["disease"], "");
    bucketized(&desk, 1, "pid,group,disease\np,1,HIV\nq,1,Flu\nq,1,Flu2\np,1,HIV2\nr,1,Cold\n");
    bucketized(&desk, 2, "pid,group,disease\np,1,HIV\nq,1,Flu\nq,1,Flu2\np,1,HIV2\n");
    let answer = audited(&desk, "audit", 1);
    assert!(column(&answer, 0)["may_be_above"].as_u64() > Some(0), "{answer}");
}

/// Asked about one column only, what another tells about it is told.
#[test]
fn one_column_is_judged_with_all() {
    let desk = desk(&["a", "b"], "");
    bucketized(&desk, 1, "pid,group,a,b\np,1,HIV,x\nq,1,Flu,y\n");
    bucketized(&desk, 2, "pid,group,b\np,1,x\nq,2,y\n");
    assert_eq!(column(&audited(&desk, "audit --column a", 1), 0)["certain"].as_u64(), Some(2));
}

/// A threshold that cannot be compared exactly is refused, and not left out.
#[test]
fn a_threshold_with_too_many_digits_is_refused() {
    let desk = desk(&["disease"], "");
    bucketized(&desk, 1, "pid,group,disease\np,1,HIV\nq,1,HIV\n");
    desk.run("audit --confidence 0.012345678901234567").exits(2);
}

/// Somebody whose value was told once is still protected when they have another.
#[test]
fn what_was_told_before_excuses_that_value_only() {
    let policy = "[recipients]\n";
    let desk = desk(&["disease"], policy);
    desk.write(
        "reticent.toml",
        desk.read("reticent.toml")
            .replace("confidence = 0.5", "k = 2\nconfidence = 0.5")
            .replace("[columns.group]\nrole = \"other\"\n", ""),
    );
    for (name, text) in
        [("r0", "pid,zip,disease\nr,z9,X\n"), ("r1", "pid,zip,disease\np,z1,HIV\nq,z1,Flu\nr,z1,Cold\n")]
    {
        desk.write(&format!("{name}.csv"), text);
        desk.run(&format!("register {name}.csv --name {name} --to public --date 2026-01-01")).exits(0);
    }
    desk.write("t.csv", "pid,zip,disease\np,z1,HIV\nq,z1,Flu\n");
    desk.run("publish t.csv --name t --to public -o out.csv").exits(1);
}

/// A release in which everything secret is hidden contradicts nothing.
#[test]
fn a_release_that_hides_everything_tells_nothing() {
    let desk = desk(&["disease"], "");
    bucketized(&desk, 1, "pid,group,disease\np,1,HIV\nq,1,Flu\n");
    bucketized(&desk, 2, "pid,group,disease\np,1,*\n");
    let answer = audited(&desk, "audit", 0);
    assert_eq!((&answer["holds"], &answer["coalitions"][0]["audit"]["worlds"]), (&true.into(), &"2".into()));
}

/// A column that no release has is not one of which nothing is told.
#[test]
fn a_misspelled_column_is_an_error() {
    let desk = desk(&["disease"], "");
    bucketized(&desk, 1, "pid,group,disease\np,1,HIV\nq,1,HIV\n");
    let ran = desk.run("audit --column diseas").exits(2);
    assert!(ran.err.contains("did you mean `disease`?"), "{}", ran.err);
}
