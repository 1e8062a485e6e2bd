//! Discretion: identifiers and sensitive values that were planted in the data appear in nothing that is printed, whatever
//! goes right or wrong.

use crate::support::{Desk, clinic_policy};

const NAME: &str = "ZZCANARYNAME";
const ILLNESS: &str = "ZZCANARYILLNESS";

fn data() -> String {
    let mut text = String::from("name,age,sex,city,illness\n");
    for row in 0..12 {
        let (name, illness) = if row == 5 { (NAME, ILLNESS) } else { ("someone", "flu") };
        text.push_str(&format!("{name}{row},{},F,Paris,{illness}\n", 30 + row));
    }
    text
}

#[track_caller]
fn silent(desk: &Desk, call: &str) {
    let ran = desk.run(call);
    let printed = format!("{}{}", ran.out, ran.err);
    assert!(!printed.is_empty());
    assert!(!printed.contains(NAME), "{call} printed an identifier:\n{printed}");
    assert!(!printed.contains(ILLNESS), "{call} printed a sensitive value:\n{printed}");
}

#[test]
fn nothing_planted_is_printed() {
    let strict = clinic_policy(3).replace("k = 3", "k = 3\nconfidence = 0.3");
    for (policy, change) in [
        (clinic_policy(3), ("", "")),
        (clinic_policy(13), ("", "")),
        (strict, ("", "")),
        // The sensitive column is called a number: its values are wrong, and must not be shown.
        (clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntype = \"number\""), ("", "")),
        (clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntaxonomy = \"t.csv\""), ("", "")),
        // The data is broken in a line that carries both.
        (clinic_policy(3), ("ZZCANARYILLNESS", "ZZCANARYILLNESS,more")),
        (clinic_policy(3), ("35,F", "x35x,F")),
    ] {
        let desk = Desk::new();
        desk.write("people.csv", if change.0.is_empty() { data() } else { data().replace(change.0, change.1) });
        desk.write("t.csv", "flu;*\n");
        desk.write("reticent.toml", policy);
        for call in [
            "check people.csv",
            "check people.csv --json",
            "publish people.csv --name one -o out.csv",
            "publish people.csv --name two -o out2.csv --json",
            "publish people.csv --name three -o out3.csv --algorithm optimal-full-domain",
        ] {
            silent(&desk, call);
        }
    }
}
