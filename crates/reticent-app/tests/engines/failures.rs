//! Failures of databases: a clear code, nothing published, and no value of the data in any text.

use std::time::{Duration, Instant};

use reticent_app::Error;
use reticent_testkit::TestFolder;

use crate::databases::{ENGINES, TestDatabase};

const CANARY: &str = "ZZCANARY4711";

fn folder(source: &str) -> TestFolder {
    TestFolder::from_policy(&format!("[dataset]\nname = \"d\"\n[columns.x]\n[requirement]\nk = 2\n{source}"))
}

/// Publishes, and returns the error. Nothing was published, and no text shows the canary.
fn failure(folder: &TestFolder) -> Error {
    let error = folder.publish("", "one").run().unwrap_err();
    let hidden = format!("{error} {error:?} {} {}", error.data(), folder.events());
    assert!(!hidden.contains(CANARY), "{hidden}");
    assert!(!folder.exists("one.csv"));
    error
}

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn failures_have_codes() {
    let unreachable =
        "[source]\nengine = \"postgresql\"\nuri = \"postgresql://nobody@127.0.0.1:1/none\"\ntable = \"t\"\n";
    assert_eq!(failure(&folder(unreachable)).code(), "database-unreachable");
    let missing = "[source]\nengine = \"duckdb\"\nuri = \"/nowhere/x.duckdb\"\ntable = \"t\"\n";
    assert_eq!(failure(&folder(missing)).code(), "database-unreachable");
    for engine in ENGINES {
        let database = TestDatabase::new(engine);
        database.run("CREATE TABLE t (x TEXT)");
        let code = |rows: &str| failure(&folder(&database.source(rows))).code();
        assert_eq!(code("table = \"none\""), "database-table-unknown", "{engine}");
        assert_eq!(code("query = \"SELECT none FROM t\""), "database-table-unknown", "{engine}");
        assert_eq!(code("query = \"SELEC x FROM t\""), "database-query-invalid", "{engine}");
    }
}

/// The messages of databases quote cells.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn messages_of_databases_are_not_shown() {
    for engine in ["duckdb", "postgresql"] {
        let database = TestDatabase::new(engine);
        database.run(&format!("CREATE TABLE t (y TEXT);\nINSERT INTO t VALUES ('{CANARY}')"));
        let error = failure(&folder(&database.source("query = \"SELECT CAST(y AS INTEGER) AS x FROM t\"")));
        assert_eq!(error.code(), "database-failed", "{engine}: {error}");
    }
}

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn denied_permissions_have_codes() {
    let database = TestDatabase::new("postgresql");
    database.run("CREATE TABLE t (x TEXT)");
    let query = "query = \"SELECT x FROM t\"";
    let role = format!("reader_{}", std::process::id());
    let schema = database.rows("SELECT CAST(current_schema() AS TEXT)")[0][0].clone();
    database.run(&format!("CREATE ROLE {role} LOGIN;\nGRANT USAGE ON SCHEMA {schema} TO {role}"));
    let source = database.source(query).replace("postgres@", &format!("{role}@"));
    assert_eq!(failure(&folder(&source)).code(), "database-access-denied");
    // A role that reads can be without the right to create tables.
    database.run(&format!("GRANT SELECT ON t TO {role};\nINSERT INTO t VALUES ('a'), ('a')"));
    let writing = folder(&format!("{source}{}", database.destination().replace("postgres@", &format!("{role}@"))));
    let error = writing.publish("", "one").output("one").run().unwrap_err();
    assert_eq!(error.code(), "database-access-denied");
    assert_eq!(database.tables(), ["t"]);
    assert!(!writing.exists("one.release.json") && !writing.exists("ledger/catalogue.sqlite"));
    database
        .run(&format!("REVOKE ALL ON t FROM {role};\nREVOKE ALL ON SCHEMA {schema} FROM {role};\nDROP ROLE {role}"));
}

/// A source cannot write, not even by a query.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn sources_are_read_only() {
    let database = TestDatabase::new("postgresql");
    database.run(
        "CREATE TABLE t (x TEXT);\nINSERT INTO t VALUES ('a');\nCREATE FUNCTION f() RETURNS TEXT LANGUAGE SQL AS $$ INSERT INTO t VALUES \
         ('b') RETURNING x $$",
    );
    assert_eq!(failure(&folder(&database.source("query = \"SELECT f() AS x\""))).code(), "database-access-denied");
    assert_eq!(database.rows("SELECT x FROM t").len(), 1);
    let duckdb = TestDatabase::new("duckdb");
    let file = duckdb.file("written.csv");
    let code = failure(&folder(&duckdb.source(&format!("query = \"COPY (SELECT 1 AS x) TO '{}'\"", file.display()))));
    assert_eq!(code.code(), "database-query-invalid");
    assert!(!file.exists());
}

/// A query that closes the bracket around it could run other statements.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn a_source_is_one_query() {
    for engine in ENGINES {
        let database = TestDatabase::new(engine);
        database.run("CREATE TABLE t (x TEXT);\nINSERT INTO t VALUES ('a'), ('a')");
        for query in
            ["SELECT x FROM t) AS s; DROP TABLE t; SELECT * FROM (SELECT 1 AS x", "SELECT x FROM t; DROP TABLE t"]
        {
            let code = failure(&folder(&database.source(&format!("query = \"{query}\"")))).code();
            assert_eq!(code, "database-query-invalid", "{engine}: {query}");
        }
        assert_eq!(database.tables(), ["t"], "{engine}");
    }
}

/// A count that ends in the middle of a query does not break the questions after it.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn the_memory_limit_is_reported_after_an_interrupted_query() {
    let database = TestDatabase::new("postgresql");
    let query = "SELECT CAST(i AS TEXT) AS id, (i * 7919) % 3000 AS a FROM generate_series(1, 200000) i";
    let little = TestFolder::from_policy(&format!(
        "[dataset]\nname = \"d\"\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.a]\ntype = \"number\"\n[requirement]\n\
         k = 2\n{}",
        database.source(&format!("query = \"{query}\""))
    ));
    let error = little.with_memory(2 << 20).publish("", "one").run().unwrap_err();
    assert_eq!(error.code(), "memory-exceeded", "{error}");
}

/// The server ends the connection while it counts.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn a_lost_connection_publishes_nothing() {
    let database = TestDatabase::new("postgresql");
    database.run("CREATE TABLE t (x TEXT);\nINSERT INTO t VALUES ('a')");
    let slow = folder(&database.source("query = \"SELECT x FROM t, pg_sleep(20) AS reticent_test\""));
    std::thread::scope(|scope| {
        let publishing = scope.spawn(|| failure(&slow).code());
        let end = "SELECT CAST(pg_terminate_backend(pid) AS TEXT) FROM pg_stat_activity WHERE query LIKE '%reticent_test%' AND query LIKE \
                   '%GROUP BY%' AND pid <> pg_backend_pid()";
        let started = Instant::now();
        while database.rows(end).is_empty() {
            assert!(started.elapsed() < Duration::from_secs(15), "the query does not run");
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(publishing.join().unwrap(), "database-connection-lost");
    });
}

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn a_call_can_be_cancelled_and_has_a_time_limit() {
    let database = TestDatabase::new("postgresql");
    let sleeping = "query = \"SELECT CAST(pg_sleep(30) AS TEXT) AS x\"";
    let slow = folder(&database.source(sleeping));
    let cancel = slow.context().cancel.clone();
    std::thread::scope(|scope| {
        let publishing = scope.spawn(|| {
            let error = failure(&slow).code();
            (error, Instant::now())
        });
        std::thread::sleep(Duration::from_millis(800));
        let cancelled = Instant::now();
        cancel.cancel();
        let (code, ended) = publishing.join().unwrap();
        assert_eq!(code, "cancelled");
        assert!(ended - cancelled < Duration::from_secs(1), "{:?}", ended - cancelled);
    });
    let started = Instant::now();
    let limited = folder(&database.source(&format!("{sleeping}\ntimeout = 1")));
    assert_eq!(failure(&limited).code(), "database-timeout");
    assert!(started.elapsed() < Duration::from_secs(10));
}

/// Rows that are inserted while a release is made are not in it: every query sees the same rows.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn inserted_rows_are_not_seen() {
    let database = TestDatabase::new("postgresql");
    database.run("CREATE TABLE t (id TEXT, x TEXT);\nINSERT INTO t VALUES ('p', 'a'), ('q', 'a')");
    let policy = "[dataset]\nname = \"d\"\n[columns.id]\nrole = \"identifier\"\n[columns.x]\n[requirement]\nk = 2\n";
    // The first query of the engine calls the function, which sleeps while another session inserts a row.
    let source = database.source("query = \"SELECT t.id, t.x FROM t, pg_sleep(2) AS reticent_insert\"");
    let slow = TestFolder::from_policy(&format!("{policy}{source}"));
    std::thread::scope(|scope| {
        let publishing = scope.spawn(|| slow.publish("", "one").run().unwrap());
        std::thread::sleep(Duration::from_millis(1200));
        database.run("INSERT INTO t VALUES ('r', 'b')");
        publishing.join().unwrap();
    });
    assert_eq!(slow.rows("one.csv").len(), 2);
}

/// A password in a policy would be in the ledger.
#[test]
fn passwords_in_addresses_are_errors() {
    for uri in [
        format!("postgresql://ann:{CANARY}@host/db"),
        format!("postgresql://host/db?password={CANARY}"),
        format!("sc://host:15002/;token={CANARY}"),
        format!("host=db password={CANARY}"),
    ] {
        let source = format!("[source]\nengine = \"postgresql\"\nuri = \"{uri}\"\ntable = \"t\"\n");
        let error = failure(&folder(&source));
        assert_eq!(error.code(), "policy-invalid", "{error}");
        assert!(error.to_string().contains("contains a password or token"), "{error}");
    }
}

#[test]
fn a_missing_driver_is_named() {
    // No machine has a driver at this path; the variable is read when the driver is loaded.
    let source = "[source]\nengine = \"spark\"\nuri = \"sc://127.0.0.1:1\"\ntable = \"t\"\n";
    if std::env::var_os("RETICENT_DRIVER_SPARK").is_none() {
        let error = folder(source).publish("", "one").run().unwrap_err();
        assert_eq!(error.code(), "driver-missing", "{error}");
        assert!(error.to_string().contains("RETICENT_DRIVER_SPARK"), "{error}");
    }
}
