//! Values that databases treat in their own ways: collations, null values, numbers, dates, time zones and other types.

use std::time::Duration;

use reticent_engine::sql::{Connection, ConnectionOptions, Relation, SqlTable, TableName};
use reticent_engine::{CountColumn, CountRequest, Engine, Error, Options};

use crate::databases::TestDatabase;

/// The texts of the column `x` with their numbers of rows: counted by the database, and counted row by row.
fn counts(database: &TestDatabase, relation: &Relation) -> Result<Vec<(String, u64)>, Error> {
    let options = Options::default();
    let connection = ConnectionOptions {
        dialect: database.engine.parse().unwrap(),
        uri: database.uri.clone(),
        driver: None,
        read_only: true,
        timeout: Duration::from_secs(20),
    };
    let table = SqlTable::open(Connection::open(connection, &options)?, relation, options)?;
    let columns = vec![CountColumn { name: "x".to_owned(), bins: None }];
    let counts = table.count(&CountRequest { columns, ..CountRequest::default() })?;
    let texts = counts.contingency.codes[0].iter().map(|code| counts.values[0][*code as usize].clone());
    let counted: Vec<(String, u64)> = texts.zip(counts.contingency.weights.iter().copied()).collect();
    let profile = table.values(None)?.remove(0);
    assert_eq!(profile.values.as_ref(), Some(&counted));
    Ok(counted)
}

fn query(sql: &str) -> Relation {
    Relation::Query(sql.to_owned())
}

fn texts(database: &TestDatabase, relation: &Relation) -> Vec<(String, u64)> {
    counts(database, relation).unwrap_or_else(|error| panic!("{}: {relation:?}: {error}", database.engine))
}

/// Texts with their numbers of rows.
type Texts<'a> = &'a [(&'a str, u64)];

fn pairs(texts: Texts<'_>) -> Vec<(String, u64)> {
    texts.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect()
}

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn collations_do_not_merge_texts() {
    for (engine, kind) in
        [("duckdb", "TEXT COLLATE NOCASE"), ("sqlite", "TEXT COLLATE NOCASE"), ("postgresql", "TEXT COLLATE ci")]
    {
        let database = TestDatabase::new(engine);
        if engine == "postgresql" {
            database.run("CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
        }
        database.run(&format!(
            "CREATE TABLE t (x {kind});\nINSERT INTO t VALUES ('a'), ('A'), ('a'), ('\u{e9}'), ('e\u{301}')"
        ));
        let expected = pairs(&[("A", 1), ("a", 2), ("e\u{301}", 1), ("\u{e9}", 1)]);
        assert_eq!(texts(&database, &Relation::Table(TableName::parse("t"))), expected, "{engine}");
    }
}

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn types_have_the_texts_of_parquet_files() {
    let duckdb = TestDatabase::new("duckdb");
    let postgresql = TestDatabase::new("postgresql");
    let sqlite = TestDatabase::new("sqlite");
    let cases: [(&TestDatabase, &str, Texts<'_>); 19] = [
        (&duckdb, "SELECT * FROM (VALUES (1.50::DECIMAL(9,2)), (2)) t(x)", &[("1.50", 1), ("2.00", 1)]),
        (
            &duckdb,
            "SELECT * FROM (VALUES (0.0::DOUBLE), (-0.0::DOUBLE), (1e20::DOUBLE)) t(x)",
            &[("0", 2), ("100000000000000000000", 1)],
        ),
        (&duckdb, "SELECT 'NaN'::DOUBLE AS x", &[("NaN", 1)]),
        (&duckdb, "SELECT DATE '2024-02-29' AS x", &[("2024-02-29", 1)]),
        (&duckdb, "SELECT TIMESTAMP '2024-02-29 12:30:00' AS x", &[("2024-02-29T12:30:00", 1)]),
        (&duckdb, "SELECT true AS x", &[("true", 1)]),
        (
            &duckdb,
            "SELECT 170141183460469231731687303715884105727::HUGEINT AS x",
            &[("170141183460469231731687303715884105727", 1)],
        ),
        (&duckdb, "SELECT 'b'::ENUM('a', 'b') AS x", &[("b", 1)]),
        (
            &postgresql,
            "SELECT * FROM (VALUES (1.50::numeric), (1.5::numeric), (2)) t(x)",
            &[("1.5", 1), ("1.50", 1), ("2", 1)],
        ),
        (&postgresql, "SELECT * FROM (VALUES (0.0::float8), ('-0'::float8), (0.1)) t(x)", &[("0", 2), ("0.1", 1)]),
        (&postgresql, "SELECT 'NaN'::float8 AS x", &[("NaN", 1)]),
        (&postgresql, "SELECT * FROM (VALUES ('ab'::char(4)), ('ab'::char(4))) t(x)", &[("ab", 2)]),
        (&postgresql, "SELECT DATE '2024-02-29' AS x", &[("2024-02-29", 1)]),
        (
            &postgresql,
            "SELECT '0c8e2f4e-9b1c-4f2e-8a53-0a2b6c9d1e2f'::uuid AS x",
            &[("0c8e2f4e-9b1c-4f2e-8a53-0a2b6c9d1e2f", 1)],
        ),
        (&postgresql, "SELECT '{\"a\": 1}'::json AS x", &[("{\"a\": 1}", 1)]),
        (
            &duckdb,
            "SELECT '0c8e2f4e-9b1c-4f2e-8a53-0a2b6c9d1e2f'::UUID AS x",
            &[("0c8e2f4e-9b1c-4f2e-8a53-0a2b6c9d1e2f", 1)],
        ),
        // The driver takes the type of a column from its first values.
        (&sqlite, "SELECT NULL AS x UNION ALL SELECT 'b'", &[("", 1), ("b", 1)]),
        (&sqlite, "SELECT 1 AS x UNION ALL SELECT 2", &[("1", 1), ("2", 1)]),
        (&sqlite, "SELECT 1.5 AS x UNION ALL SELECT 0.1", &[("0.1", 1), ("1.5", 1)]),
    ];
    for (database, sql, expected) in cases {
        assert_eq!(texts(database, &query(sql)), pairs(expected), "{}: {sql}", database.engine);
    }
}

#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn values_without_a_text_are_errors() {
    let (duckdb, postgresql) = (TestDatabase::new("duckdb"), TestDatabase::new("postgresql"));
    let cases = [
        (&duckdb, "SELECT [1, 2] AS x"),
        (&duckdb, "SELECT INTERVAL '1 day' AS x"),
        (&duckdb, "SELECT {'a': 1} AS x"),
        (&duckdb, "SELECT TIMESTAMPTZ '2024-02-29 12:30:00+02' AS x"),
        (&postgresql, "SELECT TIMESTAMPTZ '2024-02-29 12:30:00+02' AS x"),
        (&postgresql, "SELECT ARRAY[1, 2] AS x"),
        (&postgresql, "SELECT INTERVAL '1 day' AS x"),
        (&postgresql, "SELECT 'infinity'::date AS x"),
    ];
    for (database, sql) in cases {
        let error = counts(database, &query(sql)).unwrap_err();
        assert_eq!(error.code(), "file-malformed", "{sql}: {error}");
        assert!(error.to_string().contains("`x`"), "{error}");
    }
}

/// SQLite stores values of several types in a column, and its driver would convert them.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn mixed_types_are_errors() {
    let sqlite = TestDatabase::new("sqlite");
    sqlite.run("CREATE TABLE t (x INTEGER);\nINSERT INTO t VALUES (1), ('ZZCANARY')");
    let error = counts(&sqlite, &Relation::Table(TableName::parse("t"))).unwrap_err();
    assert_eq!(error.code(), "database-types-mixed");
    assert!(!format!("{error} {error:?}").contains("ZZCANARY"));
}

/// Names with quotes, dots and spaces.
#[test]
#[ignore = "needs databases: ./run-tests engines"]
fn names_are_quoted() {
    for engine in crate::databases::ENGINES {
        let database = TestDatabase::new(engine);
        database.run("CREATE TABLE \"my \"\"table\" (\"x\" TEXT);\nINSERT INTO \"my \"\"table\" VALUES ('a')");
        assert_eq!(texts(&database, &Relation::Table(TableName::parse("my \"table"))), pairs(&[("a", 1)]), "{engine}");
    }
}
