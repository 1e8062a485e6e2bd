//! docs/json.md: it tells every field that the commands answer in JSON, and no other. Field names are a promise.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{CLINIC, RunCommand, TestFolder, clinic_policy};

/// The page of error codes.
const ERRORS: &str = include_str!("../../../../docs/errors.md");

/// Documented fields that no call below can fill, and why.
const NEVER_FILLED: &[(&str, &str, &str)] = &[
    ("check", "data.notes[]", "needs a column with four million different values"),
    ("publish", "table", "needs a database"),
    (
        "publish",
        "tried[].refused",
        "needs a table for which one default algorithm finds a release and another does not",
    ),
    ("publish", "verified.joins[].violations[]", "only a wrong search makes a file whose join violates the policy"),
    ("publish", "verified.joins[].violations[].witness[]", "as above"),
    ("publish", "verified.joins[].violations[].witness[].column", "as above"),
    ("publish", "verified.joins[].violations[].witness[].value", "as above"),
    ("publish", "verified.joins[].violations[].explanation", "as above"),
    ("show", "recorded.content.made.tried[].refused", "as for publish"),
    ("export-head", "witnesses[]", "a head is countersigned after it is exported"),
    ("audit", "coalitions[].audit.pairs[].not_judged", "needs groups by the thousand"),
];

/// By command: every path that occurred, and whether something ever stood there, not null and not an empty list.
#[derive(Default)]
struct Answers(BTreeMap<String, BTreeMap<String, bool>>);

impl Answers {
    /// Runs a call that answers.
    #[track_caller]
    fn ask(&mut self, folder: &TestFolder, call: &str, status: i32) {
        self.ask_as(call.split_whitespace().next().unwrap(), folder, call, status);
    }

    /// The same for a section of the page that is not called like the command.
    #[track_caller]
    fn ask_as(&mut self, section: &str, folder: &TestFolder, call: &str, status: i32) {
        let ran = folder.run(&format!("{call} --json")).exits(status);
        assert_eq!(ran.err, "", "{call}");
        let command = call.split_whitespace().next().unwrap();
        let mut answer = ran.json();
        if command == "schema" {
            // What stands in it is JSON Schema's affair.
            ["properties", "if", "else"].iter().for_each(|name| answer[*name] = Value::Bool(true));
        }
        // The fields of the data of an error depend on its code.
        if let Some(data) = answer.pointer_mut("/other/data") {
            *data = Value::Bool(true);
        }
        // The parameters of a statement depend on its model.
        hide_parameters(&mut answer);
        collect(&answer, "", self.0.entry(section.to_owned()).or_default());
    }

    /// Runs a call that fails.
    #[track_caller]
    fn fail(&mut self, folder: &TestFolder, call: &str, status: i32) {
        let ran = folder.run(&format!("{call} --json")).exits(status);
        assert_eq!(ran.out, "", "{call}");
        self.error(&ran.err, status);
    }

    #[track_caller]
    fn error(&mut self, said: &str, status: i32) {
        let mut error: Value = serde_json::from_str(said).unwrap_or_else(|error| panic!("{error}: {said}"));
        assert_eq!(error["status"], status, "{said}");
        let code = error["code"].as_str().unwrap_or_default();
        assert!(ERRORS.contains(&format!("| `{code}` |")), "docs/errors.md does not list {code}");
        // The fields of the data depend on the code.
        error["data"] = Value::Bool(true);
        collect(&error, "", self.0.entry("errors".to_owned()).or_default());
    }
}

/// Replaces the parameters of all statements.
fn hide_parameters(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(hide_parameters),
        Value::Object(fields) => {
            if fields.contains_key("outcome")
                && let Some(parameters) = fields.get_mut("parameters")
            {
                *parameters = Value::Bool(true);
            }
            fields.values_mut().for_each(hide_parameters);
        }
        _ => {}
    }
}

/// Every path below a value.
fn collect(value: &Value, path: &str, found: &mut BTreeMap<String, bool>) {
    let mut note = |path: &str, filled: bool| *found.entry(path.to_owned()).or_default() |= filled;
    match value {
        Value::Array(list) => {
            let path = format!("{path}[]");
            note(&path, !list.is_empty());
            list.iter().for_each(|element| collect(element, &path, found));
        }
        Value::Object(fields) => {
            if !path.is_empty() {
                note(path, true);
            }
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                collect(value, &format!("{path}{dot}{name}"), found);
            }
        }
        value => note(path, !value.is_null()),
    }
}

/// The rows of the page by section: path and meaning.
fn page() -> BTreeMap<String, Vec<(String, String)>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let page = std::fs::read_to_string(page).unwrap();
    let row = |line: &str| {
        let (path, meaning) = line.strip_prefix("| `")?.split_once("` | ")?;
        Some((path.to_owned(), meaning.to_owned()))
    };
    let section = |text: &str| {
        let (title, rest) = text.split_once('\n').unwrap();
        (title.to_owned(), rest.lines().filter_map(row).collect())
    };
    page.split("\n## ").skip(1).map(section).collect()
}

/// The paths behind `a.*`: those of the section that its meaning links to, below the path that it names, if any.
fn fields_of_other_section(page: &BTreeMap<String, Vec<(String, String)>>, path: &str, meaning: &str) -> Vec<String> {
    let section = meaning.split_once("](#").unwrap().1.split_once(')').unwrap().0;
    let below = meaning.split('`').nth(1).map(|below| format!("{below}.")).unwrap_or_default();
    let (_, fields) = page.iter().find(|(title, _)| title.replace(' ', "-") == section).unwrap();
    let paths = fields.iter().filter_map(|(path, _)| path.strip_prefix(&below));
    paths.map(|rest| format!("{}{rest}", path.trim_end_matches('*'))).collect()
}

/// A clinic whose people are known by their names; one has no sex.
fn clinic() -> TestFolder {
    let policy = clinic_policy(3)
        .replace("name = \"clinic\"", "name = \"clinic\"\nowner = \"name\"")
        .replace("[columns.sex]", "[columns.sex]\nmissing = \"drop\"")
        .replace("[columns.city]", "[columns.city]\ntaxonomy = \"city.csv\"");
    let folder = TestFolder::clinic(&policy);
    folder.write("people.csv", format!("{CLINIC}Mia,40,,Oslo,flu\n"));
    folder.write("city.csv", "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n");
    folder.write("old.csv", "name,age,city,ward\nAda,30-39,France,a\nBen,30-39,Paris,a\nZoe,90+,*,b\n");
    // Nobody protects the illness, and one person is alone with theirs.
    folder.write("bare.csv", CLINIC.replace("Leo,54,M,Oslo,diabetes", "Leo,54,M,Oslo,gout"));
    folder.write(
        "lax.toml",
        policy.replace("k = 3", "[[requirement.models]]\nmodel = \"xy-anonymity\"\nk = 2\ny = [\"next.people\"]"),
    );
    folder.write("bare.toml", clinic_policy(12).replace("role = \"sensitive\"", "role = \"other\""));
    folder
}

/// Every command, with every optional part of its answer.
fn answers() -> Answers {
    let (mut all, folder, empty) = (Answers::default(), clinic(), TestFolder::new());
    empty.write("people.csv", CLINIC);
    all.ask(&empty, "doctor", 2);
    for call in ["init people.csv", "demo", "catalogue", "schema", "completions bash", "man -o man"] {
        all.ask(&empty, call, 0);
    }
    empty.write("dates.csv", "born,ill\n31.01.1980,N/A\n1.12.1981,flu\n");
    all.ask(&empty, "init dates.csv --policy dates.toml", 0);
    all.ask_as("explain", &empty, "--explain key-unusable", 0);
    all.ask(&folder, "check", 0);
    let preset = folder.read("reticent.toml").replace("k = 3", "preset = \"wp29-05-2014\"");
    folder.write("preset.toml", preset);
    all.ask(&folder, "check --policy preset.toml", 0);
    all.ask(&folder, "check people.csv", 1);
    folder.write("high.toml", clinic_policy(99));
    all.ask(&folder, "check people.csv --policy high.toml", 1);
    all.ask(&folder, "taxonomy update people.csv --dry-run", 0);
    all.ask(&folder, "check bare.csv --policy bare.toml", 1);
    all.ask(&folder, "publish bare.csv --policy bare.toml --name bare -o bare-out.csv --dry-run", 0);
    // In the file two values are written alike, and together they exceed the bound of one.
    folder.write("alike.csv", "age,s\n30,'+pos\n30,+pos\n30,+pos\n30,+pos\n30,neg\n");
    folder.write(
        "alike.toml",
        "[columns.age]\n[columns.s]\nrole = \"sensitive\"\n[[requirement.models]]\nmodel = \"confidence-bounding\"\n\
         values = { \"'+pos\" = 0.3 }\non = [\"age\"]\n",
    );
    all.ask(&folder, "publish alike.csv --policy alike.toml --name alike -o alike-out.csv", 1);
    all.ask(
        &folder,
        "register old.csv --name old --to press --date 2020-05-01 --group-column ward --sensitive city",
        0,
    );
    all.ask(&folder, "publish people.csv --name one --to press -o one.csv --ignore-history", 0);
    all.ask(&folder, "export-head -o head.json", 0);
    all.ask(&folder, "publish people.csv --name two --to clinic -o two.csv --columns age,illness --ignore-history", 0);
    all.ask(&folder, "show one --proof one.proof", 0);
    all.ask(&folder, "check-proof one.proof", 0);
    all.ask(&folder, "witness head.json --name auditor --key witness.key --previous kept.txt", 0);
    all.ask(&folder, "export-head --since head.json --proof since.proof -o next.txt", 0);
    all.ask(&folder, "check-proof since.proof --head head.json", 0);
    all.ask(&folder, "witness next.txt --name auditor --key witness.key --previous kept.txt --proof since.proof", 0);
    let kept =
        folder.run("witness next.txt --name auditor --key witness.key --previous kept.txt --json").exits(0).json();
    let witness = kept["witness"].as_str().unwrap().to_owned();
    all.ask(&folder, &format!("record-witness kept.txt --witness {witness}"), 0);
    all.ask(&folder, "diff old one", 0);
    all.ask(&folder, "diff one two", 0);
    all.ask(&folder, "publish people.csv --name same --to press -o same.csv --ignore-history", 0);
    // Judged together with a release that is about other people, too.
    let next = clinic();
    all.ask(&next, "register old.csv --name old --to press --date 2020-05-01 --sensitive city", 0);
    all.ask(&next, "publish people.csv --name next --to guest -o next.csv --columns age,sex --policy lax.toml", 0);
    all.ask(&next, "log", 0);
    all.ask(&next, "show next", 0);
    // And with releases of which it is known whose the records are, and of which it is not.
    let held = TestFolder::new();
    held.write(
        "reticent.toml",
        "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ill]\nrole = \"sensitive\"\n\
         [requirement]\nconfidence = 0.9\n",
    );
    held.write("one.csv", "pid,zip,ill\na,1,x\nb,1,y\n");
    held.write("plain.csv", "zip,ill\n1,x\n1,y\n");
    all.ask(&held, "publish one.csv --name one --to press -o out-one.csv", 0);
    all.ask(&held, "register plain.csv --name plain --to press --date 2020-05-01", 0);
    all.ask(&held, "publish one.csv --name two --to press -o out-two.csv", 0);
    // And beside a data set about other people.
    let apart = held.read("reticent.toml") + "[history]\nunrelated-data-sets = [\"taxes\"]\n";
    held.write("apart.toml", apart);
    all.ask(&held, "publish one.csv --policy apart.toml --name apart --to press -o apart.csv --dry-run", 0);
    // And with a population register.
    held.write("list.csv", "pid,zip\na,1\nb,1\nc,2\n");
    all.ask(&held, "register list.csv --as population --name list --to press --date 2020-05-01", 0);
    all.ask(&held, "audit", 1);
    next.write("lists.csv", "ward,false,city\na,1,Paris\na,1,France\n");
    next.write("marginal.csv", "city\nParis\n");
    let lists = "register lists.csv --name lists --to ward --date 2020-05-01 --sensitive city --group-column ward --counterfeit-column false";
    all.ask(&next, &format!("{lists} --separate-columns"), 0);
    all.ask(
        &next,
        "register marginal.csv --name marginal --to ward --date 2020-05-01 --sensitive city --marginal-of lists",
        0,
    );
    all.ask(&next, "show lists", 0);
    all.ask(&next, "show marginal", 0);
    audits(&mut all);
    methods(&mut all);
    choices(&mut all);
    corrections(&mut all);
    all.ask(&folder, "purge one --reason asked --yes", 0);
    all.ask(&folder, "verify --head head.json", 0);
    for call in ["log", "show old", "show one", "show two", "history for press,stranger"] {
        all.ask(&folder, call, 0);
    }
    std::fs::set_permissions(folder.file("ledger"), Permissions::from_mode(0o755)).unwrap();
    folder.write("two.csv", "other bytes");
    all.ask(&folder, "verify", 4);
    all
}

/// A withdrawal, amendments and an erasure, and what other commands answer after them.
fn corrections(all: &mut Answers) {
    let folder = clinic();
    folder.write("owner.txt", "Leo\n");
    all.ask(&folder, "publish people.csv --name one --to press -o one.csv", 0);
    all.ask(&folder, "publish people.csv --name two --to press -o two.csv --ignore-history", 0);
    all.ask(&folder, "publish people.csv --name three --to press -o three.csv --columns age,sex", 0);
    std::fs::remove_file(folder.file("two.csv")).unwrap();
    all.ask(&folder, "withdraw two --reason unsent", 0);
    all.ask(&folder, "amend one --add-recipient ward --role sex=sensitive --reason known", 0);
    all.ask(&folder, "amend one --recipients ward --reason known", 0);
    all.ask(&folder, "erase --owner-file owner.txt --reason asked --dry-run", 0);
    all.ask(&folder, "erase --owner-file owner.txt --reason asked --yes", 0);
    all.ask(&folder, "publish people.csv --name four --to press -o four.csv --ignore-history", 0);
    all.ask(&folder, "compare people.csv --to press --k 3 --ignore-history", 0);
    for call in ["log", "show one", "show two", "history for press,ward"] {
        all.ask(&folder, call, 0);
    }
}

/// Audits of two bucketized releases, of two whose owners are not known, and of what is left after an erasure.
fn audits(all: &mut Answers) {
    let folder = TestFolder::figure_1();
    all.ask(&folder, "audit --per-person --worst 15 --attack all --effort 0 --samples 2000 --reidentification 0.09 --html report.html", 1);
    all.ask(&folder, "audit --attack homogeneity,difference", 1);
    all.ask(&folder, "purge march --reason asked --yes", 0);
    all.ask(&folder, "audit", 1);
    let folder = TestFolder::new();
    folder.write("jobs.csv", "age,job\n30,Nurse\n40,Nurse\n40,Cook\n");
    folder.write("ills.csv", "job,ill\nNurse,flu\nNurse,gout\nCook,flu\n");
    folder.run("register jobs.csv --name jobs --to press --date 2026-05-01 --quasi-identifier age,job").exits(0);
    all.ask(&folder, "audit", 0);
    folder
        .run("register ills.csv --name ills --to press --date 2026-05-02 --quasi-identifier job --sensitive ill")
        .exits(0);
    all.ask(&folder, "audit --confidence 0.6 --attack homogeneity,table-linkage", 1);
    folder.write("more.csv", "name,job,ill\nAnn,Nurse,flu\n");
    let more = "register more.csv --name more --to press --date 2026-05-03 --identifier name --quasi-identifier job --sensitive ill";
    all.ask(&folder, more, 0);
    all.ask(&folder, "audit", 1);
    all.ask(&TestFolder::engineers(), "audit --adversary algorithm --population people.csv", 1);
    all.ask(&TestFolder::downcoded(), "audit --confidence 0.9 --adversary algorithm --population people.csv", 1);
}

/// Releases with fully suppressed quasi-identifiers, and an algorithm that finds none.
fn choices(all: &mut Answers) {
    let folder = TestFolder::clinic_with_owner(3);
    all.ask(&folder, "compare people.csv --html page.html", 0);
    folder.replace("reticent.toml", "k = 3", "k = 3\nconfidence = 1");
    all.ask(&folder, "publish people.csv --name one --to press -o one.csv", 0);
    let others: String = folder
        .read("people.csv")
        .lines()
        .filter(|line| !line.starts_with("Leo"))
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write("others.csv", others);
    all.ask(&folder, "publish others.csv --name two --to press -o two.csv --dry-run", 0);
    folder.replace("reticent.toml", "confidence = 1", "confidence = 0.67");
    all.fail(&folder, "publish others.csv --name two --to press -o two.csv --dry-run", 1);
    let series = folder.read("reticent.toml").split("[requirement]").next().unwrap().to_owned();
    folder.write("series.toml", series + "[release]\nmethod = \"m-invariance\"\n[release.options]\nm = 2\n");
    let next = "publish others.csv --name three --to press -o three --policy series.toml";
    all.ask_as("publish by a method", &folder, next, 0);
    all.ask(&folder, "show three", 0);
    let folder = TestFolder::from_policy(
        "[dataset]\nname = \"d\"\n[columns.place]\ntaxonomy = \"place.csv\"\n[columns.kind]\n[requirement]\nk = 5\n[release]\n\
         algorithm = \"top-down-specialization\"\n",
    );
    folder.write("place.csv", "a;north;*\nb;north;*\nc;south;*\nd;south;*\ne;east;*\n");
    let people = ["a"; 50].into_iter().chain(["c"; 50]).chain(["e"; 4]).enumerate();
    folder.write(
        "people.csv",
        "place,kind\n".to_owned() + &people.map(|(at, place)| format!("{place},k{at}\n")).collect::<String>(),
    );
    all.ask(&folder, "publish people.csv --name one -o one.csv --dry-run", 0);
}

/// The same table again, by two methods.
fn methods(all: &mut Answers) {
    let section = "publish by a method";
    let policy = "[dataset]\nowner = \"id\"\n[columns.id]\n[columns.age]\ntype = \"number\"\nmissing = \"drop\"\n[columns.note]\n\
                  [columns.ill]\nrole = \"sensitive\"\n[columns.pay]\nrole = \"sensitive\"\n[release]\nmethod = \"METHOD\"\n\
                  [release.options]\n";
    let rows = |from: usize, to: usize, ill: &dyn Fn(usize) -> usize| -> String {
        let row = |at: usize| format!("p{at},{},free text {at},i{},w{}\n", 20 + at, ill(at), at % 3);
        "id,age,note,ill,pay\n".to_owned() + &(from..to).map(row).collect::<String>() + "late,,x,i0,w0\n"
    };
    let folder = TestFolder::new();
    let plus = "primary = \"ill\"\nl = { ill = 3, pay = 2 }\n";
    folder.write("reticent.toml", policy.replace("METHOD", "decomposition-plus") + plus);
    folder.write(
        "each.toml",
        policy.replace("METHOD", "decomposition")
            + &plus.replace('3', "2")
            + "marginals = \"each\"\n[requirement]\nreidentification = 1\n[history]\nunrelated-data-sets = [\"taxes\"]\n",
    );
    folder.write("even.csv", "id,age,note,ill,pay\na,1,x,i,w\nb,2,y,j,v\nc,3,z,i,v\nd,4,u,j,w\n");
    all.ask_as(section, &folder, "publish even.csv --name even -o even --policy each.toml --dry-run", 0);
    folder.write("one.csv", rows(0, 13, &|at| at % 3));
    folder.write("two.csv", rows(1, 14, &|at| if at == 4 { 2 } else { at % 3 }));
    all.ask_as(section, &folder, "publish one.csv --name one -o one --dry-run", 0);
    all.ask_as(section, &folder, "publish one.csv --name one -o one", 0);
    all.ask_as(section, &folder, "publish two.csv --name three -o three", 0);
    // Which people a method publishes is random; one of these is published.
    for person in 3..13 {
        folder.write("owner.txt", format!("p{person}\n"));
        all.ask(&folder, "erase --owner-file owner.txt --reason asked --dry-run", 0);
    }
    all.ask(&folder, "erase --owner-file owner.txt --reason asked --yes", 0);
    all.ask_as(section, &folder, "publish two.csv --name two -o two --ignore-history", 0);
    all.ask(&folder, "show one", 0);
    all.ask(&folder, "show three", 0);
    let folder = TestFolder::new();
    folder.write("reticent.toml", policy.replace("METHOD", "bcf-anonymity") + "k = 3\n");
    folder.write("one.csv", rows(0, 13, &|at| at % 3));
    all.ask_as(section, &folder, "publish one.csv --name one -o one", 0);
    all.ask(&folder, "show one", 0);
    // Most people of city A have a value that is too frequent.
    let folder = TestFolder::new();
    let city = policy
        .replace("METHOD", "m-invariance")
        .replace("[columns.age]\ntype = \"number\"\nmissing = \"drop\"\n[columns.note]", "[columns.city]");
    folder.write(
        "reticent.toml",
        city.replace("[columns.pay]\nrole = \"sensitive\"\n", "") + "m = 3\ncounterfeits = false\n",
    );
    let row = |at: usize| if at < 60 { format!("{at},A,x\n") } else { format!("{at},B,{}\n", ["y", "z"][at % 2]) };
    folder.write("one.csv", "id,city,ill\n".to_owned() + &(0..100).map(row).collect::<String>());
    all.ask_as(section, &folder, "publish one.csv --name one -o one --dry-run", 0);
    // A release by a method that is no longer offered.
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reticent-ledger/tests/fixtures/format-1-methods");
    let old = TestFolder::from_policy(&(policy.replace("METHOD", "bcf-anonymity") + "k = 3\n"));
    old.copy_from(&fixture);
    #[cfg(unix)]
    std::fs::set_permissions(old.file("reticent.key"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    all.ask(&old, "authenticate", 0);
    all.ask(&old, "verify", 0);
    all.ask(&old, "log", 0);
    all.ask(&old, "show bcf-anonymity-by-flow", 0);
}

/// Every kind of error.
fn errors(all: &mut Answers) {
    let folder = clinic();
    let call = "publish people.csv --name one --to press -o one.csv";
    all.error(&interrupted(&folder, call), 130);
    // Together with the first release, the next one is too sure of somebody's illness.
    let policy = folder
        .read("reticent.toml")
        .replace("k = 3", "k = 3\nconfidence = 0.67\naudit = \"estimate\"\nreidentification = 0.9");
    folder.write("reticent.toml", policy + "\n[recipients]\nnon-colluding = [\"press\", \"stranger\"]\n");
    all.ask(&folder, call, 0);
    all.ask(
        &folder,
        "publish people.csv --name six --to press --columns age,sex -o six.csv --dry-run --ignore-history",
        0,
    );
    // Without one person, it cannot be computed from the first.
    let is_other = |line: &&str| !line.starts_with("Leo,");
    folder.write(
        "others.csv",
        folder.read("people.csv").lines().filter(is_other).map(|line| format!("{line}\n")).collect::<String>(),
    );
    let next = "publish others.csv --name two --to press,stranger --columns sex,illness -o two.csv";
    all.fail(&folder, next, 1);
    all.fail(&folder, &format!("{next} --dry-run --confidence 0.6"), 1);
    // A weaker threshold is a remedy.
    all.fail(&folder, &format!("{next} --dry-run --confidence 0.3 --ignore-history"), 1);
    let compared = "compare others.csv --name two --to press,stranger --columns sex,illness --columns age,sex";
    all.ask(&folder, &format!("{compared} --algorithm top-down-specialization --k 3 --confidence 0.67,0.6"), 0);
    all.fail(&folder, "show two", 2);
    all.fail(&folder, "register none.csv --name none --to press --date 2020-05-01", 3);
    let lock = OpenOptions::new().read(true).write(true).open(folder.file("ledger/lock")).unwrap();
    lock.lock().unwrap();
    all.fail(&folder, "purge one --reason asked --yes --wait 0", 5);
    drop(lock);
    folder.write("ledger/catalogue.sqlite", "no catalogue");
    all.fail(&folder, "log", 4);
    all.fail(&folder, "publish", 2);
    all.fail(&folder, "publish people.csv --nome one", 2);
}

/// What a call says that is interrupted while it waits for its policy.
fn interrupted(folder: &TestFolder, call: &str) -> String {
    assert!(Command::new("mkfifo").arg(folder.file("pipe")).status().unwrap().success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_reticent"));
    command
        .args(call.split_whitespace())
        .args(["--policy", "pipe", "--json"])
        .current_dir(folder.path())
        .env("RETICENT_NEW_LEDGER", "true");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = OpenOptions::new().write(true).open(folder.file("pipe")).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    std::thread::sleep(std::time::Duration::from_millis(500));
    pipe.write_all(folder.read("reticent.toml").as_bytes()).unwrap();
    drop(pipe);
    let ran = child.wait_with_output().unwrap();
    assert_eq!(ran.status.code(), Some(130));
    String::from_utf8(ran.stderr).unwrap()
}

#[test]
fn the_page_tells_every_field_and_no_other() {
    let (page, mut all) = (page(), answers());
    errors(&mut all);
    let help = TestFolder::new().run("help").exits(0).out;
    let listed = help.lines().skip_while(|line| *line != "Commands:").take_while(|line| !line.is_empty());
    for line in listed.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))) {
        let command = line.split_whitespace().next().unwrap();
        assert!(command == "help" || all.0.contains_key(command), "`{command}` is not asked here");
    }
    for (command, found) in &all.0 {
        let rows = page.get(command).unwrap_or_else(|| panic!("docs/json.md has no section `## {command}`"));
        let (elsewhere, here): (Vec<_>, Vec<_>) = rows.iter().partition(|(path, _)| path.ends_with(".*"));
        let here: BTreeSet<&str> = here.iter().map(|(path, _)| path.as_str()).collect();
        let elsewhere: BTreeSet<String> =
            elsewhere.iter().flat_map(|(path, meaning)| fields_of_other_section(&page, path, meaning)).collect();
        let is_documented = |path: &str| here.contains(path) || elsewhere.contains(path);
        // A list that is null occurs without its brackets.
        let undocumented = found
            .iter()
            .filter(|(path, filled)| !is_documented(path) && (**filled || !is_documented(&format!("{path}[]"))));
        let undocumented: Vec<&String> = undocumented.map(|(path, _)| path).collect();
        assert!(
            undocumented.is_empty(),
            "`{command}` answers fields that docs/json.md does not have: {undocumented:#?}"
        );
        let unfilled: BTreeSet<&str> = here.into_iter().filter(|path| found.get(*path) != Some(&true)).collect();
        let known = NEVER_FILLED.iter().filter(|(of, ..)| of == command).map(|(_, path, _)| *path).collect();
        assert_eq!(
            unfilled, known,
            "`{command}`: documented and never filled (left), known to be never filled (right)"
        );
    }
}
