//! Values that are never published (`suppress-values`), and the options of other algorithms.

use reticent_testkit::{Answer, Outcome, TestFolder, clinic_policy, method_policy, month};

fn clinic_without(values: &str) -> String {
    clinic_policy(2).replace("[columns.city]\n", &format!("[columns.city]\nsuppress-values = {values}\n"))
}

#[test]
fn no_algorithm_publishes_a_suppressed_value() {
    let folder = TestFolder::clinic(&clinic_without("[\"Oslo\", \"Paris\"]"));
    for algorithm in
        ["local-recoding", "top-down-specialization", "multidimensional-specialization", "optimal-full-domain"]
    {
        let call = folder.publish("people.csv", algorithm).ignore_history().algorithm(algorithm);
        let answer = call.run().passes().json();
        assert_eq!(answer["published"], 12, "{algorithm}");
        let text = folder.read(&format!("{algorithm}.csv"));
        assert!(!text.contains("Oslo") && !text.contains("Paris"), "{algorithm}: {text}");
        assert!(text.lines().filter(|line| line.contains(",*,")).count() >= 7, "{algorithm}: {text}");
    }
}

/// Lyon and Bergen have two people each, so they can be published next to suppressed cells.
#[test]
fn the_other_values_of_the_column_are_published() {
    let policy = "[columns.city]\nsuppress-values = [\"Nice\"]\n[requirement]\nk = 2\n[release]\nseed = 1\n";
    for algorithm in ["local-recoding", "top-down-specialization", "optimal-full-domain"] {
        let folder = TestFolder::from_policy(policy);
        folder.write("d.csv", "city\nNice\nNice\nLyon\nLyon\nMetz\nMetz\nMetz\n");
        folder.publish("d.csv", "out").algorithm(algorithm).run().passes();
        let mut cells = folder.rows("out.csv").concat();
        cells.sort();
        assert_eq!(cells, ["*", "*", "Lyon", "Lyon", "Metz", "Metz", "Metz"], "{algorithm}");
    }
}

/// One person is from Metz and two are from Nice. The suppressed cells of all three are one class.
#[test]
fn check_judges_the_data_without_suppressed_values() {
    let check = |suppressed: &str| {
        let policy = format!("[columns.city]\nsuppress-values = [{suppressed}]\n[requirement]\nk = 3\n");
        let folder = TestFolder::from_policy(&policy);
        folder.write("d.csv", "city\nMetz\nNice\nNice\nLyon\nLyon\nLyon\n");
        let found = folder.check("d.csv").unwrap().json()["data"].clone();
        let risk = &found["risk"];
        (risk["classes"].as_u64(), risk["smallest_class"].as_u64(), found["models"][0]["holds"].as_bool())
    };
    assert_eq!(check(""), (Some(3), Some(1), Some(false)));
    assert_eq!(check("\"Metz\""), (Some(3), Some(1), Some(false)));
    assert_eq!(check("\"Metz\", \"Nice\""), (Some(2), Some(3), Some(true)));
    let folder = TestFolder::clinic(&clinic_without("[\"Olso\"]"));
    assert_eq!(folder.check("people.csv").fails_with("column-unfit").data()["column"], "city");
}

/// The second release is joined with the first one, in which a suppressed cell can be any value.
#[test]
fn releases_with_suppressed_values_are_joined_and_audited() {
    let folder = TestFolder::clinic(&clinic_without("[\"Oslo\"]"));
    folder.publish("people.csv", "one").to("press").run().passes();
    folder.publish("people.csv", "two").to("press").columns("sex,city,illness").run().passes();
    for name in ["one.csv", "two.csv"] {
        assert!(!folder.read(name).contains("Oslo"));
    }
    folder.verify().passes();
    // Without a bound on the posterior, the classes may disclose a value. The audit reads suppressed cells all the same.
    folder.audit().run().unwrap();
}

#[test]
fn an_unknown_value_is_an_error() {
    let folder = TestFolder::clinic(&clinic_without("[\"Olso\"]"));
    let error = folder.publish("people.csv", "one").run().fails_with("column-unfit");
    assert_eq!(error.data()["column"], "city");
    folder.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n");
    folder.replace("reticent.toml", "suppress-values", "taxonomy = \"city.csv\"\nsuppress-values");
    let error = folder.publish("people.csv", "one").run().fails_with("policy-invalid");
    assert!(error.to_string().contains("did you mean `Oslo`?"), "{error}");
    folder.replace("reticent.toml", "Olso", "Norway");
    let error = folder.publish("people.csv", "one").run().fails_with("policy-invalid");
    assert!(error.to_string().contains("inner node"), "{error}");
}

#[test]
fn only_texts_of_quasi_identifiers_can_be_suppressed() {
    for (from, to) in [
        ("type = \"number\"", "type = \"number\"\nsuppress-values = [\"34\"]"),
        ("role = \"sensitive\"", "role = \"sensitive\"\nsuppress-values = [\"flu\"]"),
    ] {
        let folder = TestFolder::clinic(&clinic_policy(2).replace(from, to));
        folder.publish("people.csv", "one").run().fails_with("policy-invalid");
    }
}

#[test]
fn methods_suppress_values_in_the_generalized_form_or_refuse() {
    let policy = |method: &str, options: &str| {
        method_policy(method, options).replace("[columns.city]\n", "[columns.city]\nsuppress-values = [\"Oslo\"]\n")
    };
    let folder = TestFolder::monthly(&policy("m-invariance", "m = 2"));
    for (number, name) in ["jan", "feb"].into_iter().enumerate() {
        folder.write(&format!("{name}.csv"), month(0..40 + 5 * number, false));
        folder.publish_month(name).run().passes();
        let files = std::fs::read_dir(folder.file(&format!("out-{name}"))).unwrap();
        let texts: String =
            files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap_or_default()).collect();
        assert!(texts.contains("Bergen") || texts.contains("France") || texts.contains("Paris"), "{texts}");
        assert!(!texts.contains("Oslo"), "{texts}");
    }
    folder.verify().passes();
    let folder = TestFolder::monthly(&policy("anatomy", "l = 2"));
    folder.write("jan.csv", month(0..40, false));
    let error = folder.publish_month("jan").run().fails_with("policy-invalid");
    assert!(error.to_string().contains("suppress-values"), "{error}");
}

/// `gain` is a parameter of both algorithms, `zero-gain` only of the first.
#[test]
fn another_algorithm_keeps_the_options_that_it_accepts() {
    let policy = clinic_policy(3)
        + "algorithm = \"top-down-specialization\"\n[release.options]\ngain = \"discernibility\"\nzero-gain = false\n";
    let folder = TestFolder::clinic(&policy);
    let with = |algorithm: &str| {
        let call = folder.publish("people.csv", algorithm).ignore_history().algorithm(algorithm);
        (call.run().passes().json()["notes"].to_string(), folder.read(&format!("{algorithm}.csv")))
    };
    let (own, _) = with("top-down-specialization");
    assert!(!own.contains("does not accept"), "{own}");
    let (notes, kept) = with("multidimensional-specialization");
    assert!(notes.contains("`zero-gain`") && !notes.contains("`gain`"), "{notes}");
    let own_policy = clinic_policy(3)
        + "algorithm = \"multidimensional-specialization\"\n[release.options]\ngain = \"discernibility\"\n";
    let same = TestFolder::clinic(&own_policy);
    same.publish("people.csv", "same").run().passes();
    assert_eq!(kept, same.read("same.csv"));
    let wrong = TestFolder::clinic(&own_policy.replace("gain =", "zero-gain ="));
    assert!(wrong.publish("people.csv", "one").run().fails_with("policy-invalid").to_string().contains("zero-gain"));
}
