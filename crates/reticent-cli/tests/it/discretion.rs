//! Discretion: identifiers and sensitive values that were planted in the data are in nothing that the command prints.

use crate::support::{RunCommand, TestFolder, clinic_policy};

const SECRETS: [&str; 2] = ["ZZCANARYNAME", "ZZCANARYILLNESS"];

/// Twelve people; one has a planted name and a planted illness.
fn data() -> String {
    let mut data = String::from("name,age,sex,city,illness\n");
    for row in 0..12 {
        let [name, illness] = if row == 5 { SECRETS } else { ["someone", "flu"] };
        data.push_str(&format!("{name}{row},{},F,Paris,{illness}\n", 30 + row));
    }
    data
}

#[track_caller]
fn prints_none_of(folder: &TestFolder, call: &str, secrets: &[&str]) {
    let ran = folder.run(call);
    let printed = format!("{}{}", ran.out, ran.err);
    assert!(!printed.is_empty(), "{call}");
    assert!(secrets.iter().all(|secret| !printed.contains(secret)), "{call}:\n{printed}");
}

/// `reticent-app` is tested with more calls; here every text is that of the command.
#[test]
fn nothing_planted_is_printed() {
    let strict = clinic_policy(3).replace("k = 3", "k = 3\nconfidence = 0.3");
    let as_number = clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntype = \"number\"");
    let as_tree = clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntaxonomy = \"t.csv\"");
    for (policy, data) in [
        (clinic_policy(3), data()),
        (clinic_policy(13), data()),
        (strict, data()),
        (as_number, data()),
        (as_tree, data()),
        // The line with both values is wrong.
        (clinic_policy(3), data().replace(SECRETS[1], &format!("{},more", SECRETS[1]))),
        (clinic_policy(3), data().replace("35,F", "x35x,F")),
    ] {
        let folder = TestFolder::from_policy(&policy);
        folder.write("people.csv", data);
        folder.write("t.csv", "flu;*\n");
        for call in [
            "check people.csv",
            "publish people.csv --name one -o one.csv",
            "publish people.csv --name two -o two.csv --dry-run --json",
            "compare people.csv --algorithm optimal-full-domain",
        ] {
            prints_none_of(&folder, call, &SECRETS);
        }
        // An audit names values and no person.
        prints_none_of(&folder, "audit --worst 0", &SECRETS[..1]);
    }
}

#[test]
fn nothing_planted_is_printed_by_the_verbs_of_the_ledger() {
    let folder =
        TestFolder::from_policy(&clinic_policy(3).replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\""));
    folder.write("people.csv", data());
    folder.write("old.csv", format!("name,age,illness\n{}5,30-39,{}\nsomeone2,30-39,flu\n", SECRETS[0], SECRETS[1]));
    folder.write("owner.txt", format!("{}5\n", SECRETS[0]));
    for call in [
        "init people.csv --policy drafted.toml",
        "publish people.csv --name one --to press -o one.csv",
        "publish people.csv --name two --to press -o two.csv --ignore-history",
        "publish people.csv --name one --to press -o again.csv",
        "register old.csv --name old --to press --date 2020-01-01",
        "log",
        "show one",
        "show old",
        "diff one two",
        "diff one old",
        "history for press",
        "verify",
        "export-head",
        "erase --owner-file owner.txt --reason asked --dry-run",
        "erase --owner-file owner.txt --reason asked",
        "erase --owner-file owner.txt --reason asked --yes",
        "erase --owner-file owner.txt --reason asked --yes",
        "amend one --role sex=sensitive --add-recipient ward --reason known",
        "withdraw old --reason unsent",
        "purge two --reason asked",
        "purge two --reason asked --yes",
        "show two",
        "log --json",
    ] {
        prints_none_of(&folder, call, &SECRETS);
    }
}
