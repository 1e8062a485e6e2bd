//! Discretion: identifiers and sensitive values that were planted in the data are in nothing that the command prints.

use crate::support::{RunCommand, TestFolder, clinic_policy};

/// `reticent-app` is tested with more policies and verbs; here every text is that of the command.
#[test]
fn nothing_planted_is_printed() {
    const SECRETS: [&str; 2] = ["ZZCANARYNAME", "ZZCANARYILLNESS"];
    let mut data = String::from("name,age,sex,city,illness\n");
    for row in 0..12 {
        let [name, illness] = if row == 5 { SECRETS } else { ["someone", "flu"] };
        data.push_str(&format!("{name}{row},{},F,Paris,{illness}\n", 30 + row));
    }
    let as_number = clinic_policy(3).replace("role = \"sensitive\"", "role = \"sensitive\"\ntype = \"number\"");
    for policy in [clinic_policy(3), clinic_policy(13), as_number] {
        let folder = TestFolder::of_policy(&policy);
        folder.write("people.csv", &data);
        for call in ["check people.csv", "publish people.csv --name one -o one.csv", "audit --worst 0"] {
            let ran = folder.run(call);
            let printed = format!("{}{}", ran.out, ran.err);
            assert!(!printed.is_empty(), "{call}");
            // An audit names values and no person.
            let secrets = if call.starts_with("audit") { &SECRETS[..1] } else { &SECRETS[..] };
            assert!(secrets.iter().all(|secret| !printed.contains(secret)), "{call}:\n{printed}");
        }
    }
}
