//! Releases as tables: their rows, their order, and that a table has its name only after the ledger recorded it.

use sha2::{Digest, Sha256};

use crate::conformance::{Case, outcome};
use crate::databases::{ENGINES, TestDatabase};

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The order of rows by its definition: ascending hashes of the seed, the digest of the row and its occurrence.
fn ordered(mut rows: Vec<Vec<String>>, seed: u64) -> Vec<Vec<String>> {
    rows.sort();
    let mut keyed: Vec<(String, Vec<String>)> = Vec::new();
    for row in rows {
        let digest = sha256(&row.iter().map(|text| format!("{}:{text}", text.len())).collect::<String>());
        let occurrence = 1 + keyed.iter().filter(|(_, known)| *known == row).count();
        keyed.push((sha256(&format!("{seed}:{digest}:{occurrence}")), row));
    }
    keyed.sort();
    keyed.into_iter().map(|(_, row)| row).collect()
}

fn seed_of(policy: &str) -> u64 {
    policy.lines().find_map(|line| line.strip_prefix("seed = ")).unwrap().parse().unwrap()
}

const READ: &str =
    "SELECT CAST(\"age\" AS TEXT), CAST(\"town\" AS TEXT), CAST(\"born\" AS TEXT), CAST(\"illness\" AS TEXT) FROM";

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn tables_have_the_rows_of_the_file_in_the_order_of_their_hashes() {
    let mut published = 0;
    for seed in 20..30 {
        let case = Case::new(seed);
        let files = case.folder("");
        files.write("people.csv", case.csv());
        let expected = outcome(&files, files.publish("people.csv", "one").run(), "one.csv");
        for engine in ENGINES {
            let database = TestDatabase::new(engine);
            let folder = case.folder(&database.destination());
            folder.write("people.csv", case.csv());
            let found = outcome(&folder, folder.publish("people.csv", "one").output("one").run(), "one.release.json");
            assert_eq!(found.as_ref().err(), expected.as_ref().err(), "{engine}, seed {seed}");
            if found.is_err() {
                assert!(database.tables().is_empty() && !folder.exists("one.release.json"), "{engine}, seed {seed}");
                continue;
            }
            published += 1;
            assert_eq!(database.tables(), ["one"], "{engine}");
            let rows = files.rows("one.csv");
            let (found, expected) = (database.rows(&format!("{READ} one")), ordered(rows, seed_of(&case.policy)));
            assert_eq!(found, expected, "{engine}, seed {seed}");
        }
    }
    assert!(published > 10, "{published}");
}

fn published(engine: &'static str) -> (TestDatabase, reticent_testkit::TestFolder) {
    let database = TestDatabase::new(engine);
    let folder = reticent_testkit::TestFolder::from_policy(&format!(
        "[dataset]\nname = \"d\"\n[columns.age]\ntype = \"number\"\n[columns.town]\n[columns.born]\n[columns.illness]\n\
         role = \"sensitive\"\n[requirement]\nk = 2\n{}",
        database.destination()
    ));
    folder.write("d.csv", "age,town,born,illness\n1,a,x,flu\n1,a,x,gout\n2,b,y,flu\n2,b,y,gout\n");
    folder.publish("d.csv", "one").output("one").run().unwrap();
    (database, folder)
}

/// The process can end between the commit of the ledger and the rename of the table.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn an_interrupted_rename_is_completed() {
    for engine in ENGINES {
        let (database, folder) = published(engine);
        let receipt: serde_json::Value = serde_json::from_str(&folder.read("one.release.json")).unwrap();
        let work = receipt["written-as"].as_str().unwrap();
        database.run(&format!("ALTER TABLE one RENAME TO \"{work}\""));
        assert_eq!(database.tables(), [work], "{engine}");
        folder.publish("d.csv", "two").output("two").run().unwrap();
        assert_eq!(database.tables(), ["one", "two"], "{engine}");
    }
}

/// The process can end before the commit of the ledger. Its table is removed; the tables of others are not.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn an_interrupted_write_is_removed() {
    for engine in ENGINES {
        let (database, folder) = published(engine);
        let left = format!("reticent_work_{:016x}", 7);
        database.run(&format!("CREATE TABLE {left} (a INTEGER);\nCREATE TABLE reticent_work_other (a INTEGER)"));
        let staging = folder.file(".reticent-work-abc123");
        std::fs::create_dir(&staging).unwrap();
        let receipt = folder.read("one.release.json").replace("\"one\"", "\"lost\"");
        let old =
            serde_json::from_str::<serde_json::Value>(&receipt).unwrap()["written-as"].as_str().unwrap().to_owned();
        std::fs::write(staging.join("release"), receipt.replace(&old, &left)).unwrap();
        std::fs::write(staging.join("held"), folder.file("ledger").display().to_string() + "\0").unwrap();
        folder.publish("d.csv", "two").output("two").run().unwrap();
        assert_eq!(database.tables(), ["one", "reticent_work_other", "two"], "{engine}");
        assert!(!staging.exists(), "{engine}");
    }
}

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn a_table_is_never_replaced() {
    for engine in ENGINES {
        let (database, folder) = published(engine);
        database.run("CREATE TABLE two (a INTEGER)");
        let error = folder.publish("d.csv", "two").output("two").run().unwrap_err();
        assert_eq!(error.code(), "table-exists", "{engine}");
        assert_eq!(database.tables(), ["one", "two"], "{engine}");
        assert!(!folder.exists("two.release.json"));
    }
}

/// A rehearsal writes the table, reads it back and removes it.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn a_rehearsal_leaves_no_table() {
    for engine in ENGINES {
        let (database, folder) = published(engine);
        assert!(folder.publish("d.csv", "two").output("two").rehearse().unwrap().holds());
        assert_eq!(database.tables(), ["one"], "{engine}");
    }
}
