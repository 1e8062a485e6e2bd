//! Tests that every mistake in a policy is reported with its line and, if possible, a correction.

use proptest::prelude::*;

use super::*;

/// Checks that parsing fails on this line with this text.
#[track_caller]
fn check(text: &str, line: usize, expect: &str) {
    let error = Policy::parse(text).unwrap_err().to_string();
    assert!(error.starts_with(&format!("policy line {line}: ")), "{error}");
    assert!(error.contains(expect), "{error}");
}

/// Checks a column with these keys. Its table starts on line 1.
#[track_caller]
fn check_column(keys: &str, line: usize, expect: &str) {
    check(&format!("[columns.age]\n{keys}\n[requirement]\nk = 2"), line, expect);
}

/// Checks a requirement with these keys. Its table starts on line 1.
#[track_caller]
fn check_requirement(keys: &str, line: usize, expect: &str) {
    check(&format!("[requirement]\n{keys}\n[columns.sick]\nrole = \"sensitive\""), line, expect);
}

/// Checks a release with these keys. Its table starts on line 1.
#[track_caller]
fn check_release(keys: &str, line: usize, expect: &str) {
    check(&format!("[release]\n{keys}\n[columns.id]\nrole = \"identifier\"\n[requirement]\nk = 2"), line, expect);
}

#[test]
fn syntax() {
    check("[requirement]\nk = = 5", 2, "");
    check("[requirement]\nk = 5\nk = 6", 3, "duplicate key");
    check("[columns.a]\n\n[columns.a]\n", 3, "duplicate key");
    check("[columns.a]\nrole = \"oth", 2, "");
    check("[columns.é]\n", 1, "");
}

/// No spelling of its own name lets a policy exclude its own releases.
#[test]
fn a_data_set_is_not_unrelated_to_itself() {
    let policy = |name: &str, unrelated: &str| {
        format!("[history]\nunrelated-data-sets = [\"{unrelated}\"]\n[columns.age]\n[requirement]\nk = 2\n{name}")
    };
    let named = "[dataset]\nname = \"Clinic\"\n";
    for own in ["Clinic", "clinic", " CLINIC "] {
        check(&policy(named, own), 2, "releases of the same data set are always joined");
    }
    check(&policy("", "data"), 2, "releases of the same data set are always joined");
    check(&policy(named, "taxes\", \"taxes"), 2, "lists \"taxes\" twice");
    assert_eq!(Policy::parse(&policy(named, "taxes")).unwrap().unrelated_data_sets, ["taxes"]);
}

#[test]
fn unknown_keys() {
    check(
        "[column.age]\n",
        1,
        "`column` is not a policy key; valid keys here: dataset, columns, requirement, release, history, recipients, source, \
         destination, ledger \
         (did you mean `columns`?)",
    );
    check("# first\n[dataset]\nnmae = \"x\"", 3, "`dataset.nmae` is not a policy key");
    check("k = 5", 1, "(it belongs under [requirement])");
    check_column("rolle = \"other\"", 2, "(did you mean `role`?)");
    check_column("\n\nseed = 3", 4, "(it belongs under [release])");
    check_requirement("confidense = 0.5", 2, "(did you mean `confidence`?)");
    check_release("supression = 0.5", 2, "(did you mean `suppression`?)");
    check("[columns.\"a b\"]\nrole = \"other\"\nfoo = 1", 3, "`columns.\"a b\".foo` is not a policy key");
    check("[requirement]\nk = 2\n[columns]\nage = { role = \"other\",\n rule = 1 }", 5, "did you mean `role`?");
}

#[test]
fn wrong_types() {
    check("dataset = 3", 1, "`dataset` is 3, and must be a table");
    check("[dataset]\nname = 3", 2, "`dataset.name` is 3, and must be a text, in quotes");
    check("[dataset]\nmissing-values = \"\"", 2, "is a text, and must be a list, in [ ]");
    check("[dataset]\nmissing-values = [\n\"\",\n1]", 4, "is 1, and must be a text");
    check("[dataset]\nmissing-values = [\"NA\", \"NA\"]", 2, "lists \"NA\" twice");
    check("[columns]\nage = \"other\"", 2, "`columns.age` is a text, and must be a table");
    check_column("exact = \"no\"", 2, "is a text, and must be true or false");
    check_column("taxonomy = true", 2, "is true, and must be a text");
    check_column("type = \"number\"\nintervals = 5", 3, "is 5, and must be a list");
    check_requirement("models = 1", 2, "must be a list");
    check_release("options = 1", 2, "must be a table");
    check_release(
        "purpose = 1",
        2,
        "must be \"general\", { classify = \"column\" }, { cluster = 5 } or { queries = \"file\" }",
    );
    check_column("weight = \"2\"", 2, "must be a number, without quotes");
}

#[test]
fn impossible_words() {
    check_column("role = \"sensitiv\"", 2, "(did you mean `sensitive`?)");
    check_column("type = \"float\"", 2, "`columns.age.type` is \"float\", and must be one of: text, number, date");
    check_column("missing = \"dropped\"", 2, "(did you mean `drop`?)");
    check_release("suppress = \"rows\"", 2, "must be one of: records, cells");
    check_release("algorithm = \"top-down-specialisation\"", 2, "(did you mean `top-down-specialization`?)");
    check_release("purpose = \"genral\"", 2, "(did you mean `general`?)");
}

#[test]
fn impossible_numbers() {
    check_requirement("k = 1", 2, "`requirement.k` is 1, and must be a whole number, at least 2");
    check_requirement("k = -3", 2, "is -3, and");
    check_requirement("k = 5.0", 2, "must be a whole number");
    check_requirement("k = 99999999999999999999999", 2, "must be a whole number");
    check_requirement("confidence = 0", 2, "must be a number above 0 and up to 1");
    check_requirement("confidence = 1.5", 2, "must be a number above 0 and up to 1");
    check_requirement("confidence = nan", 2, "must be a finite number");
    check_requirement("confidence = \"0.5\"", 2, "must be a number, without quotes");
    check_release("suppression = 1.5", 2, "must be a number from 0 and up to 1");
    check_release("suppression = 0.000000000000000000001", 2, "decimals");
    check_column("weight = 0", 2, "is 0, and must be a number above 0");
    check_column("weight = inf", 2, "must be a finite number");
    check_release("seed = -1", 2, "must be a whole number, at least 0");
}

#[test]
fn requirements() {
    let error = Policy::parse("[columns.a]\n").unwrap_err().to_string();
    assert!(error.contains("has no requirement; add for example\n[requirement]\nk = 5"), "{error}");
    check("[columns.a]\n[requirement]\nmodels = []", 2, "has no requirement");
    check_requirement("[[requirement.models]]\nl = 2", 2, "without a model");
    check_requirement("[[requirement.models]]\nmodel = 2", 3, "must be a text");
    check_requirement("[[requirement.models]]\nmodel = \"t-closeness\"\nt = [1, 2]", 4, "must be a text");
    check_requirement("[[requirement.models]]\nmodel = \"t-closeness\"\nt = 2020-01-01", 4, "is a date without quotes");
    check_requirement("[[requirement.models]]\nmodel = \"x\"\nvalues = { HIV = \"low\" }", 4, "must be a number");
}

#[test]
fn models_are_checked_when_the_requirement_is_built() {
    let text = "[columns.a]\n[requirement]\n[[requirement.models]]\n\nmodel = \"k-anonimity\"\nk = 3";
    let policy = Policy::parse(text).unwrap();
    let schema = schema_of(&policy).unwrap();
    let error = crate::requirement::Requirement::build(&policy.model_specs(&schema), &schema).unwrap_err().to_string();
    assert_eq!(error, "policy line 5: there is no model `k-anonimity` (did you mean `k-anonymity`?)");
    assert_eq!(crate::catalogue::check_models(&policy.model_specs(&schema)).unwrap_err().to_string(), error);
}

#[test]
fn a_model_from_another_list_is_explained() {
    let check = |model: &str, hint: &str| {
        let text = format!("[columns.a]\n[requirement]\n[[requirement.models]]\nmodel = {model:?}\nk = 3");
        let policy = Policy::parse(&text).unwrap();
        let specs = policy.model_specs(&schema_of(&policy).unwrap());
        let error = crate::catalogue::check_models(&specs).unwrap_err().to_string();
        assert_eq!(error, format!("policy line 4: there is no model `{model}` ({hint})"));
    };
    check("K-Anonymity", "did you mean `k-anonymity`?");
    check("m-invariance", "it is a republication method: write method = \"m-invariance\"");
    check("top-down-specialization", "it is an algorithm: write algorithm = \"top-down-specialization\"");
    check("skewness", "`skewness` is an entry of kind `attack`");
}

#[test]
fn intervals() {
    let number = |levels: &str| format!("type = \"number\"\nintervals = {levels}");
    check_column(&number("[]"), 3, "has no level");
    check_column(&number("[5, 0]"), 3, "is 0, and must be a width of at least");
    check_column(&number("[5, inf]"), 3, "must be a finite number");
    check_column(&number("[5,\n12]"), 4, "levels that do not nest");
    check_column(&number("[10, 5]"), 3, "do not nest");
    check_column(&number("[5, 5]"), 3, "do not nest");
    check_column(&number("[20, [18, 40]]"), 3, "do not nest");
    check_column(&number("[[1, 2, 3], [1, 2.5]]"), 3, "do not nest");
    check_column(&number("[[1, 2, 3], 5]"), 3, "do not nest");
    check_column(&number("[\"year\"]"), 3, "uses a calendar unit");
    check_column(&number("[[]]"), 3, "without bounds");
    check_column(&number("[[3,\n 1]]"), 4, "do not ascend");
    check_column(&number("[[\"1950-01-01\"]]"), 3, "must be a number");
    let date = |levels: &str| format!("type = \"date\"\nintervals = {levels}");
    check_column(&date("[\"yaer\"]"), 3, "(did you mean `year`?)");
    check_column(&date("[\"year\", \"month\"]"), 3, "do not nest");
    check_column(&date("[\"year\", [\"1950-07-01\"]]"), 3, "do not nest");
    check_column(&date("[7, \"month\"]"), 3, "do not nest");
    check_column(&date("[[1950]]"), 3, "must be a date \"YYYY-MM-DD\"");
    check_column(&date("[[\"1950-02-30\"]]"), 3, "must be a date \"YYYY-MM-DD\"");
    for good in ["[0.1, 0.5, 1]", "[1, [2, 3], [3]]", "[[0, 10.5]]"] {
        Policy::parse(&format!("[columns.a]\n{}\n[requirement]\nk = 2", number(good))).unwrap();
    }
    for good in ["[1, \"month\"]", "[7, 28]", "[\"quarter\", [\"1950-07-01\"]]", "[\"decade\", [1950-01-01]]"] {
        Policy::parse(&format!("[columns.a]\n{}\n[requirement]\nk = 2", date(good))).unwrap();
    }
}

#[test]
fn contradictions() {
    check_column("intervals = [5]", 2, "is for numbers and dates");
    check_column("range = [0, 5]", 2, "is for numbers and dates");
    check_column("taxonomy = \"a.csv\"\ntype = \"number\"\nintervals = [5]", 4, "and `taxonomy` are both given");
    check_column("type = \"number\"\nrange = [0, 120]\nintervals = [5]", 3, "remove one");
    check_column("type = \"number\"\nrange = [120, 0]", 3, "do not ascend");
    check_column("type = \"number\"\nrange = [1, 2, 3]", 3, "must have two bounds");
    check_column("exact = false", 2, "needs `intervals`");
    check_column("taxonomy = \" \"", 2, "is empty; write the path of a file");
    check("[dataset]\nowner = \"idd\"\n[columns.id]\n[requirement]\nk = 2", 2, "(did you mean `id`?)");
    check_release("purpose = { classify = \"ids\" }", 2, "(did you mean `id`?)");
    check_release("purpose = { classify = \"id\" }", 2, "names an identifier");
    check_release("purpose = { classif = \"id\" }", 2, "(did you mean `classify`?)");
    check_release("purpose = { }", 2, "must be \"general\", {");
    check_release("purpose = { cluster = 1 }", 2, "is 1, and must be a whole number, at least 2");
    check_release("purpose = { querys = \"x\" }", 2, "(did you mean `queries`?)");
    check_release("purpose = { queries = \" \" }", 2, "is empty; write the path of a file");
    check_release("purpose = { cluster = 3, classify = \"id\" }", 2, "must be \"general\", {");
    check_release("[release.options]\nnonsense = 1", 2, "has no parameter `nonsense`");
}

#[test]
fn windows_files_and_byte_order_marks_are_read() {
    let windows = HOSPITAL.replace('\n', "\r\n");
    assert_eq!(Policy::parse(&windows).unwrap(), hospital());
    assert_eq!(Policy::parse(&format!("\u{feff}{HOSPITAL}")).unwrap(), hospital());
}

#[test]
fn rules_about_two_columns() {
    let with =
        |rule: &str| format!("[columns.sex]\n[columns.ill]\n[requirement]\nk = 2\n[history]\ninconsistent = [{rule}]");
    let cases = [
        ("{ sex = \"male\" }", "must give values to two columns"),
        ("{ sex = \"male\", ill = \"pregnancy\", age = \"9\" }", "must give values to two columns"),
        ("{ sex = \"male\", il = \"pregnancy\" }", "is not a column of the policy (did you mean `ill`?)"),
        ("{ sex = \"male\", ill = 3 }", "must be a text"),
        ("\"male\"", "must be a table"),
    ];
    for (rule, expect) in cases {
        check(&with(rule), 6, expect);
    }
    let time_varying = "[columns.a]\n[requirement]\nk = 2\n[history]\ntime-varying = [\"aa\"]";
    check(time_varying, 5, "names \"aa\", which is not a column of the policy (did you mean `a`?)");
    check("[columns.a]\n[requirement]\nk = 2\n[history]\njudge = \"some\"", 5, "must be one of: auto, each, every");
    let text = "[columns.city]\ntaxonomy = \"c\"\n[columns.ill]\n[requirement]\nk = 2\n[history]\n\
                inconsistent = [{ city = \"Pariss\", ill = \"x\" }]";
    let error = schema_of(&Policy::parse(text).unwrap()).unwrap_err().to_string();
    assert!(error.contains("does not have (did you mean `Paris`?)"), "{error}");
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = format!("[columns.a]\nintervals = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Policy::parse(&deep).is_err());
    let dotted = format!("{} = 1", vec!["a"; 100_000].join("."));
    assert!(Policy::parse(&dotted).is_err());
}

proptest! {
    #[test]
    fn the_reader_never_panics_on_random_text(text in "\\PC{0,80}") {
        let _ = Policy::parse(&text);
    }

    #[test]
    fn the_reader_never_panics_on_mutations(at in 0..HOSPITAL.len(), cut in 0usize..12, put in "[ -~\n]{0,8}") {
        let mut text = HOSPITAL.as_bytes().to_vec();
        let end = (at + cut).min(text.len());
        text.splice(at..end, put.bytes());
        let text = String::from_utf8_lossy(&text);
        if let Ok(policy) = Policy::parse(&text) {
            let schema = schema_of(&policy);
            let _ = schema.map(|schema| crate::requirement::Requirement::build(&policy.model_specs(&schema), &schema));
        }
    }
}

/// Keys of version 0.1 are rejected with their new name.
#[test]
fn a_renamed_key_is_named() {
    let history = "[columns.a]\n[requirement]\nk = 2\n[history]\nvaries = [\"a\"]";
    check(history, 5, "`history.varies` is now called `time-varying`");
    let recipients = "[columns.a]\n[requirement]\nk = 2\n[recipients]\nseparate = [\"a\", \"b\"]";
    check(recipients, 5, "`recipients.separate` is now called `non-colluding`");
    // Only where the new name belongs.
    check("[columns.a]\nvaries = true\n[requirement]\nk = 2", 2, "is not a policy key");
}
