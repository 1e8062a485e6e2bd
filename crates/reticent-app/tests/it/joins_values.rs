//! Which values of two releases can be one person's: numbers, missing values, masked texts and dates.

use reticent_testkit::{Answer, Outcome, TestFolder, refusal};

use crate::joins::register;

const LINKABILITY: &str = "[columns.job]\nrole = \"other\"\n[columns.disease]\nrole = \"sensitive\"\n\
                           [[requirement.models]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\ny = [\"disease\"]\nh = 0.5\n[release]\nseed = 1\n";

/// A number is its value, however it is spelled, in columns of any role.
#[test]
fn numbers_of_registered_releases_are_numbers() {
    let folder = TestFolder::from_policy(
        "[columns.city]\n[columns.salary]\ntype = \"number\"\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.7\n[release]\nseed = 1\n",
    );
    folder.write("people.csv", "city,salary\nA,100\nA,100\nA,200\nB,300\nB,400\nB,300\n");
    // Every salary of A is 100; as texts they would be three values.
    folder.write("old.csv", "city,salary\nA,100\nA,100.0\nA,100.00\nB,300\nB,400\nB,200\n");
    folder.register("old.csv", "old").date("2020-01-01").run().passes();
    let error = folder.publish("people.csv", "new").run().refused_with("requirement-unreachable");
    let already = &refusal(&error)["earlier_violations"][0];
    assert_eq!(already["releases"], serde_json::json!([{ "number": 1, "name": "old" }]));
    assert_eq!(already["worst"]["safety"], -1.0, "the confidence is 1: {already}");
}

/// Two texts that stand for a missing value are one value.
#[test]
fn missing_values_are_one_value() {
    let folder = TestFolder::from_policy(
        "[dataset]\nmissing-values = [\"NA\", \"-\"]\n[columns.city]\n[columns.diagnosis]\nrole = \"sensitive\"\n\
         [requirement]\nconfidence = 0.5\n[release]\nseed = 1\n",
    );
    // With one more person than the old release, the cities cannot be computed from it.
    folder.write("people.csv", "city,diagnosis\nA,flu\nA,cold\nB,flu\nB,cold\nB,flu\n");
    folder.write("old.csv", "city,diagnosis\nA,NA\nA,-\nB,flu\nB,cold\n");
    folder.register("old.csv", "old").date("2020-01-01").run().passes();
    let answer = folder.publish("people.csv", "new").columns("city").run().passes().json();
    assert_eq!(answer["verified"]["joins"][0]["already_violated"], 1, "the confidence is 1 in city A: {answer:#}");
}

/// A label with stars in the middle stands for the values below it, and for those that it can mask.
#[test]
fn stars_mask_letters_wherever_they_stand() {
    let people = "zip,age,job,disease\n12345-6789,30,lawyer,flu\n12399-0001,30,lawyer,flu\n99945-1234,30,artist,cold\n99911-1111,30,artist,cold\n";
    let old = "zip,age,disease\n123**-****,30,flu\n123**-****,30,flu\n999**-****,30,cold\n999**-****,30,cold\n";
    let tree = "12345-6789;123**-****;1****-****;*\n12399-0001;123**-****;1****-****;*\n\
                99945-1234;999**-****;9****-****;*\n99911-1111;999**-****;9****-****;*\n";
    for taxonomy in ["taxonomy = \"zip.csv\"\n", ""] {
        let folder = TestFolder::from_policy(&format!(
            "[columns.zip]\n{taxonomy}[columns.age]\ntype = \"number\"\n{}",
            LINKABILITY.replace("[\"job\"]", "[\"age\", \"job\"]")
        ));
        folder.write("people.csv", people);
        folder.write("zip.csv", tree);
        register(&folder, "old", old, "zip,age", "disease");
        folder.publish("people.csv", "new").columns("zip,job").run().passes();
        assert!(folder.rows("new.csv").iter().all(|row| row[0] == "*"), "{taxonomy}{}", folder.read("new.csv"));
    }
}

/// A masked text stands for numbers too, wherever its stars are; one of stars only stands for every number.
#[test]
fn masks_stand_for_numbers() {
    let policy = |kind: &str| format!("[columns.zip]\ntype = \"{kind}\"\n{LINKABILITY}");
    let artists = "50001,artist,flu\n50002,artist,cold\n50003,artist,flu\n50004,artist,cold\n";
    for mask in ["12**5", "**3*5", "*****"] {
        let folder = TestFolder::from_policy(&policy("text"));
        folder.write("people.csv", format!("zip,job,disease\n12345,lawyer,flu\n12385,lawyer,flu\n{artists}"));
        let old = format!("zip,disease\n{mask},flu\n{mask},flu\n50001,flu\n50002,cold\n50003,flu\n50004,cold\n");
        register(&folder, "old", &old, "zip", "disease");
        folder.write("reticent.toml", policy("number"));
        let result = folder.publish("people.csv", "new").columns("zip,job").run();
        if let Err(error) = &result {
            assert_eq!(error.class(), reticent_app::error::Class::Refused, "{mask}: {error}");
        }
        let shown = |row: &Vec<String>| row[1] == "lawyer" && !row[0].starts_with('*');
        let disclosed = result.is_ok_and(|answer| answer.holds()) && folder.rows("new.csv").iter().any(shown);
        assert!(!disclosed, "{mask}: {}", folder.read("new.csv"));
    }
}

/// A masked value of the data may be one value in one release and another in the next: all together then match nobody.
#[test]
fn masks_in_the_data_hide_no_contradiction() {
    let folder = TestFolder::from_policy(&format!(
        "[columns.zip]\n[columns.age]\n[columns.q]\n[requirement]\nk = 2\naudit = \"off\"\n{LINKABILITY}"
    ));
    folder.write("people.csv", "zip,age,q,job,disease\n12**,30,1,lawyer,flu\n12**,30,1,lawyer,flu\n5555,50,1,clerk,flu\n5555,50,1,clerk,cold\n");
    register(&folder, "a", "zip,age\n12**,30\n12**,30\n5555,50\n5555,50\n", "zip,age", "");
    register(&folder, "b", "age,disease\n30,flu\n30,flu\n50,flu\n50,cold\n", "age", "disease");
    register(&folder, "c", "zip\n1234\n1234\n5555\n5555\n", "zip", "");
    register(&folder, "d", "zip\n1256\n1256\n5555\n5555\n", "zip", "");
    register(&folder, "e", "zip,q\n12**,1\n12**,1\n5555,1\n5555,1\n", "zip,q", "");
    match folder.publish("people.csv", "new").columns("zip,job").run() {
        Ok(answer) => assert!(!answer.holds() || !folder.read("new.csv").contains("12**,lawyer")),
        Err(error) => assert_eq!(error.class(), reticent_app::error::Class::Refused, "{error}"),
    }
}

/// Whether the year 1985 is the second of July cannot be known.
#[test]
fn numbers_and_dates_are_not_compared() {
    let policy = |kind: &str| format!("[columns.born]\ntype = \"{kind}\"\n{LINKABILITY}");
    let folder = TestFolder::from_policy(&policy("number"));
    folder.write("people.csv", "born,job,disease\n1985-07-02,lawyer,flu\n1985-01-03,lawyer,flu\n1990-05-05,artist,cold\n1990-07-07,artist,cold\n");
    register(&folder, "old", "born,disease\n1985,flu\n1985,flu\n1990,cold\n1990,cold\n", "born", "disease");
    folder.write("reticent.toml", policy("date"));
    let call = folder.publish("people.csv", "new").columns("born,job");
    let error = call.run().refused_with("columns-not-comparable");
    assert_eq!(error.data()["column"], "born");
    let varies = policy("date").replace("[[requirement.models]]", "[requirement]\nk = 2\n[[requirement.models]]");
    folder.write("reticent.toml", varies + "[history]\ntime-varying = [\"born\"]\n");
    call.run().passes();
}
