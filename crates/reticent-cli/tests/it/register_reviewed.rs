//! What a review found in what is entered: each of these was read in one way and meant in another.

use crate::support::Desk;

const POLICY: &str = "[dataset]\nmissing-values = [\"NA\"]\n[columns.age]\ntype = \"number\"\n[columns.zip]\n[columns.insured]\nrole = \"identifier\"\n\
                      [columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n[release]\nseed = 1\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("reticent.toml", POLICY);
    desk
}

fn register(desk: &Desk, name: &str, text: &str) -> crate::support::Ran {
    desk.write(&format!("{name}.csv"), text);
    desk.run(&format!("register {name}.csv --name {name} --to press --date 2020-01-01"))
}

/// Empty cells stand for no value although the policy lists only NA; what is stored is understood again.
#[test]
fn what_was_entered_can_be_judged_with() {
    let desk = desk();
    register(&desk, "old", "age,ill\n30,x\n30,y\n,x\n,y\n40,x\n40,y\n").exits(0).says("missing values");
    desk.run("audit").exits(0);
    desk.write("new.csv", "age,zip,insured,ill\n30,1,a,x\n30,1,b,y\n40,1,c,x\n40,1,d,y\n");
    desk.run("publish new.csv --name new --to press --columns age,zip -o out.csv").exits(0);
    let desk = Desk::new();
    register(&desk, "old", "age,ward\n20,x\n30,x\nmissing,x\n").exits(0);
    desk.run("audit").exits(0);
}

/// Another spelling would be another column: it would join nothing, and names would be stored.
#[test]
fn columns_are_not_told_apart_by_capitals() {
    let desk = desk();
    register(&desk, "one", "Age,ill\n30,x\n40,y\n").exits(2).says("is written `age`");
    register(&desk, "two", "age,Insured\n30,Ann\n40,Bob\n").exits(2).says("is written `insured`");
    register(&desk, "three", "age,ward\n30,x\n40,x\n").exits(0);
    register(&desk, "four", "age,Ward\n30,x\n40,x\n").exits(2).says("is written `ward`");
}

/// One star beside longer numbers is any end, and not ten numbers.
#[test]
fn one_star_is_not_one_digit_of_a_longer_number() {
    let desk = Desk::new();
    desk.write("reticent.toml", "[columns.zip]\n[columns.city]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.5\naudit = \"off\"\n[release]\nseed = 1\n");
    desk.write(
        "reticent-number.toml",
        desk.read("reticent.toml").replace("[columns.zip]", "[columns.zip]\ntype = \"number\""),
    );
    desk.write("old.csv", "zip,ill\n476*,x\n476*,y\n48123,z\n");
    let call = "register old.csv --name old --to press --date 2020-01-01";
    desk.run(&format!("{call} --policy reticent-number.toml")).exits(2).says("write a star for each digit");
    desk.run(call).exits(0).says("1 masked prefix");
    // Found out, it is a text.
    let bare = Desk::new();
    bare.write("old.csv", "zip,ward\n476*,x\n476*,x\n48123,x\n48123,x\n");
    let answer = bare.run(&format!("{call} --json")).exits(0).json();
    assert_eq!(answer["columns"][0]["type"], "text", "{answer}");
}

#[test]
fn nothing_is_not_a_release() {
    register(&desk(), "empty", "age,zip\n").exits(2).says("has no records");
}

/// A blank that nobody sees makes no other value, and no other person.
#[test]
fn blanks_that_do_not_break_are_blanks() {
    let desk = Desk::new();
    desk.write("one.csv", "town,ward\nLyon\u{a0},x\nLyon,y\n\u{2009}Oslo,x\n");
    let answer = desk.run("register one.csv --name one --to press --date 2020-01-01 --json").exits(0).json();
    assert_eq!(answer["columns"][0]["recognised"]["values"], 2, "{answer}");
}

/// Nobody of sixteen came back: more likely their numbers are written differently.
#[test]
fn owners_who_are_all_new_are_noticed() {
    let desk = Desk::new();
    desk.write(
        "reticent.toml",
        "[dataset]\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.age]\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nk = 2\n[release]\nseed = 1\n",
    );
    let rows = |spell: &dyn Fn(usize) -> String| {
        (0..16).map(|at| format!("{},{},v{}\n", spell(at), at / 4, at % 3)).collect::<String>()
    };
    desk.write("one.csv", format!("id,age,ill\n{}", rows(&|at| at.to_string())));
    desk.write("two.csv", format!("id,age,ill\n{}", rows(&|at| format!("{at}.0"))));
    let said = "they are written differently";
    let ran = desk.run("publish one.csv --name one --to press -o one-out.csv").exits(0);
    assert!(!ran.out.contains(said));
    desk.run("publish two.csv --name two --to press --alone -o two-out.csv").exits(0).says(said);
    desk.run("register two.csv --name again --to press --date 2020-01-01").exits(0);
    let ran = desk.run("publish one.csv --name three --to press --alone -o three-out.csv").exits(0);
    assert!(!ran.out.contains(said));
}
