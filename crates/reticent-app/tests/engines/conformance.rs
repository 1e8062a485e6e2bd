//! Random tables and policies through every engine: the releases are equal byte for byte, and so are the refusals.

use reticent_app::Error;
use reticent_app::answer::Publication;
use reticent_testkit::TestFolder;

use crate::databases::{ENGINES, TestDatabase};

/// Numbers of the generator of Steele, Lea and Flood (OOPSLA 2014).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % end
    }

    pub fn choose<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }
}

/// A random table with texts that are special in CSV or SQL, dates, numbers, null values and people with several rows.
pub struct Case {
    pub rows: Vec<Vec<Option<String>>>,
    pub policy: String,
}

pub const COLUMNS: [(&str, &str); 5] =
    [("id", "TEXT"), ("age", "BIGINT"), ("town", "TEXT"), ("born", "DATE"), ("illness", "TEXT")];

impl Case {
    pub fn new(seed: u64) -> Case {
        let mut random = Random(seed);
        let several = random.below(2) == 0;
        let count = 12 + random.below(40);
        let towns = ["Bern", "Basel", "a,b", "q\"t", "\u{e9}", "O'Brien", "line\nbreak", "BERN", "0", "NULL"];
        let mut rows = Vec::new();
        for at in 0..count {
            let person = if several { random.below(count) } else { at };
            let age = (random.below(8) > 0).then(|| (20 + random.below(40)).to_string());
            // In files, a null value and an empty text are the same.
            let town = match random.below(8) {
                0 => None,
                1 => Some(String::new()),
                _ => Some(random.choose(&towns).to_owned()),
            };
            let born = (random.below(9) > 0)
                .then(|| format!("19{}-0{}-1{}", 50 + random.below(9), 1 + random.below(9), random.below(9)));
            let illness = Some(random.choose(&["flu", "HIV", "gout", "none"]).to_owned());
            rows.push(vec![Some(format!("p{person}")), age, town, born, illness]);
        }
        let owner = if several || random.below(2) == 0 { "owner = \"id\"\n" } else { "" };
        let confidence = random.choose(&["", "confidence = 0.9\n", "confidence = 0.2\n"]);
        let policy = format!(
            "[dataset]\nname = \"d\"\n{owner}[columns.id]\nrole = \"identifier\"\n[columns.age]\ntype = \"number\"\n[columns.town]\n\
             [columns.born]\ntype = \"date\"\nintervals = [\"year\", \"decade\"]\n[columns.illness]\nrole = \"sensitive\"\n\
             [requirement]\nk = {}\n{confidence}[release]\nsuppression = 0.{}\nseed = {}\n",
            2 + random.below(4),
            random.below(4),
            random.below(1 << 40)
        );
        Case { rows, policy }
    }

    pub fn csv(&self) -> String {
        let cell = |cell: &Option<String>| format!("\"{}\"", cell.as_deref().unwrap_or_default().replace('"', "\"\""));
        let line = |row: &Vec<Option<String>>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        names.join(",") + "\n" + &self.rows.iter().map(line).collect::<String>()
    }

    /// Returns the policy with more tables.
    pub fn folder(&self, more: &str) -> TestFolder {
        let folder = TestFolder::from_policy(&format!("{}{more}", self.policy));
        folder.create_fixed_ledger();
        folder
    }

    pub fn load(&self, database: &TestDatabase) {
        // SQLite has no type for dates.
        let columns = COLUMNS
            .map(|(name, kind)| (name, if database.engine == "sqlite" && kind == "DATE" { "TEXT" } else { kind }));
        database.create("people", &columns, &self.rows);
    }
}

/// The bytes of the release, or the code of the error.
pub fn outcome(folder: &TestFolder, result: Result<Publication, Error>, file: &str) -> Result<String, String> {
    match result {
        Ok(answer) if answer.holds() => Ok(folder.read(file)),
        Ok(_) => Err("violated".to_owned()),
        Err(error) => Err(error.code().to_owned()),
    }
}

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn every_engine_makes_the_same_release() {
    let (mut published, mut refused) = (0, 0);
    for seed in 0..14 {
        let case = Case::new(seed);
        let expected = case.folder("");
        expected.write("people.csv", case.csv());
        let result = expected.publish("people.csv", "one").run();
        let expected = outcome(&expected, result, "one.csv");
        *(if expected.is_ok() { &mut published } else { &mut refused }) += 1;
        for engine in ENGINES {
            let database = TestDatabase::new(engine);
            case.load(&database);
            let folder = case.folder(&database.source("table = \"people\""));
            let found = outcome(&folder, folder.publish("", "one").run(), "one.csv");
            assert_eq!(found, expected, "{engine}, seed {seed}");
            let query = case.folder(&database.source("query = \"SELECT * FROM people -- all;\""));
            assert_eq!(
                outcome(&query, query.publish("", "one").run(), "one.csv"),
                expected,
                "query of {engine}, seed {seed}"
            );
        }
    }
    assert!(published >= 5 && refused >= 1, "{published} published, {refused} refused");
}

/// `check`, `init` and `compare` see the same data in every engine.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn every_engine_answers_the_other_verbs() {
    let case = Case::new(3);
    let files = case.folder("");
    files.write("people.csv", case.csv());
    let check = serde_json::to_value(files.check("people.csv").unwrap()).unwrap();
    let draft = |text: String| text.split("[columns").skip(1).map(str::to_owned).collect::<Vec<_>>();
    files.init_overwriting("people.csv").unwrap();
    let drafted = draft(files.read("reticent.toml"));
    for engine in ENGINES {
        let database = TestDatabase::new(engine);
        case.load(&database);
        let folder = case.folder(&database.source("table = \"people\""));
        assert_eq!(serde_json::to_value(folder.check("").unwrap()).unwrap(), check, "{engine}");
        let request = reticent_app::request::DatabaseSource::new(
            engine,
            &database.uri,
            reticent_app::request::DatabaseRows::Table("people".to_owned()),
        );
        let request = reticent_app::request::InitRequest { data: request.into(), ..folder.init_request("", true) };
        folder.workspace().init(&request, folder.context()).unwrap();
        let text = folder.read("reticent.toml");
        assert!(text.contains(&format!("[source]\nengine = \"{engine}\"\n")), "{text}");
        assert_eq!(draft(text), drafted, "{engine}");
    }
}
