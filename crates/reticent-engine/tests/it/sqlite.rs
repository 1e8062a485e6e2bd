//! A second engine, which profiles, counts and recodes with SQL in SQLite. It shares only `write_rows` (row order and
//! file) with the embedded engine.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard};

use reticent::contingency::{ContingencyTable, Weight};
use reticent::taxonomy::{Type, parse_date, parse_number};
use reticent::{Counts, Recoding, RecodingRule, Table};
use reticent_engine::{CountRequest, Engine, FoundRow, Options, Profile, Result, Sink, WriteSummary, write_rows};
use rusqlite::Connection;
use rusqlite::types::Value;

/// The rows as a table `t` with columns `c0`, `c1` and so on.
#[derive(Debug)]
pub struct Sqlite {
    database: Mutex<Connection>,
    names: Vec<String>,
}

impl Sqlite {
    pub fn new(names: &[String], rows: &[Vec<String>]) -> Sqlite {
        let database = Connection::open_in_memory().unwrap();
        let columns: Vec<String> = (0..names.len()).map(|at| format!("c{at} TEXT")).collect();
        let sqlite = Sqlite { database: Mutex::new(database), names: names.to_vec() };
        sqlite.load("t", &columns, rows.iter().map(|row| row.iter().cloned().map(Value::Text).collect()));
        sqlite
    }

    /// Creates a table with these rows.
    fn load(&self, table: &str, columns: &[String], rows: impl Iterator<Item = Vec<Value>>) {
        let database = self.database();
        database
            .execute_batch(&format!("DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({})", columns.join(", ")))
            .unwrap();
        let parameters = vec!["?"; columns.len()].join(", ");
        let mut insert = database.prepare(&format!("INSERT INTO {table} VALUES ({parameters})")).unwrap();
        for row in rows {
            insert.execute(rusqlite::params_from_iter(row)).unwrap();
        }
    }

    fn database(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap()
    }

    fn position(&self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap()
    }

    /// Runs a query that returns texts, an owner and a count in each row.
    fn counts(&self, names: Vec<String>, query: &str, with_owners: bool) -> Counts {
        let width = names.len();
        let database = self.database();
        let mut statement = database.prepare(query).unwrap();
        let found = statement.query_map([], |row| {
            let texts: Vec<String> = (0..width).map(|at| row.get(at)).collect::<rusqlite::Result<_>>()?;
            Ok((texts, row.get::<_, u32>(width)?, row.get::<_, i64>(width + 1)? as Weight))
        });
        let found: Vec<(Vec<String>, u32, Weight)> = found.unwrap().map(|row| row.unwrap()).collect();
        let values: Vec<Vec<String>> = (0..width)
            .map(|at| {
                let texts: std::collections::BTreeSet<String> = found.iter().map(|(row, ..)| row[at].clone()).collect();
                texts.into_iter().collect()
            })
            .collect();
        let mut weights: BTreeMap<(Vec<u32>, u32), Weight> = BTreeMap::new();
        for (row, owner, weight) in found {
            let codes =
                row.iter().zip(&values).map(|(text, texts)| texts.binary_search(text).unwrap() as u32).collect();
            *weights.entry((codes, if with_owners { owner } else { 0 })).or_insert(0) += weight;
        }
        let contingency = ContingencyTable {
            codes: (0..width).map(|at| weights.keys().map(|(codes, _)| codes[at]).collect()).collect(),
            owners: with_owners.then(|| weights.keys().map(|(_, owner)| *owner).collect()),
            weights: weights.into_values().collect(),
        };
        Counts { names, values, contingency, links: None }
    }

    /// Creates two tables per column (raw text to published code, code to label), and one table of the rules.
    fn load_recoding(&self, table: &Table, recoding: &Recoding) {
        for (at, (column, recoded)) in table.columns.iter().zip(&recoding.columns).enumerate() {
            let codes = column.texts.iter().filter_map(|(text, code)| Some((text, recoded.map[(*code)? as usize])));
            let rows = codes.map(|(text, code)| vec![Value::Text(text.clone()), Value::Integer(code.into())]);
            self.load(&format!("m{at}"), &["raw TEXT".to_owned(), "code INTEGER".to_owned()], rows);
            let labels = (0..recoded.column.nodes.len() as u32)
                .map(|code| vec![Value::Integer(code.into()), Value::Text(recoded.column.label(code).to_owned())]);
            self.load(&format!("l{at}"), &["code INTEGER".to_owned(), "label TEXT".to_owned()], labels);
        }
        let mut columns: Vec<String> = recoding.on.iter().map(|at| format!("k{at} INTEGER")).collect();
        columns.push("dropped INTEGER".to_owned());
        columns.extend((0..recoding.columns.len()).map(|at| format!("h{at} INTEGER")));
        let rules = recoding.rules.iter().map(|(class, rule)| {
            let mut row: Vec<Value> = class.iter().map(|code| Value::Integer((*code).into())).collect();
            row.push(Value::Integer((*rule == RecodingRule::Drop).into()));
            let hidden = |at: usize| matches!(rule, RecodingRule::Hide(columns) if columns.contains(&at));
            row.extend((0..recoding.columns.len()).map(|at| Value::Integer(hidden(at).into())));
            row
        });
        self.load("rules", &columns, rules);
    }

    /// A query that returns the published rows: one projection with joins.
    fn recoding_query(&self, table: &Table, recoding: &Recoding) -> String {
        let mut labels = Vec::new();
        let mut joins = String::new();
        for (at, column) in table.columns.iter().enumerate() {
            joins += &format!(" JOIN m{at} ON m{at}.raw = t.c{}", self.position(&column.name));
        }
        let mut class: Vec<String> = recoding.on.iter().map(|at| format!("k{at} = m{at}.code")).collect();
        class.push("1".to_owned());
        joins += &format!(" LEFT JOIN rules ON {}", class.join(" AND "));
        for (at, recoded) in recoding.columns.iter().enumerate() {
            let code = format!("CASE WHEN h{at} = 1 THEN {} ELSE m{at}.code END", recoded.column.root());
            joins += &format!(" JOIN l{at} ON l{at}.code = {code}");
            labels.push(format!("l{at}.label"));
        }
        let groups = column_numbers(labels.len());
        let labels = labels.join(", ");
        format!("SELECT {labels}, 0, COUNT(*) FROM t{joins} WHERE COALESCE(dropped, 0) = 0 GROUP BY {groups}")
    }
}

impl Sqlite {
    /// Writes the recoded table, which SQL computes.
    pub fn write(&self, table: &Table, recoding: &Recoding, sink: &Sink) -> Result<WriteSummary> {
        self.load_recoding(table, recoding);
        let names = recoding.columns.iter().map(|recoded| recoded.column.name.clone()).collect();
        let counts = self.counts(names, &self.recoding_query(table, recoding), false);
        write_rows(&counts, sink, &Options::default())
    }
}

impl Engine for Sqlite {
    fn values(&self, columns: Option<&[String]>) -> Result<Vec<Profile>> {
        let profile = |name: &String| {
            let at = self.position(name);
            let query = format!("SELECT c{at}, 0, COUNT(*) FROM t GROUP BY c{at} ORDER BY c{at}");
            let counts = self.counts(vec![name.clone()], &query, false);
            naive_profile(name, counts.values[0].clone().into_iter().zip(counts.contingency.weights).collect())
        };
        Ok(columns.unwrap_or(&self.names).iter().map(profile).collect())
    }

    fn count(&self, request: &CountRequest) -> Result<Counts> {
        let names: Vec<String> = request.columns.iter().map(|column| column.name.clone()).collect();
        let mut parts: Vec<String> = names.iter().map(|name| format!("c{}", self.position(name))).collect();
        let mut with_owners = false;
        parts.push(match &request.owner {
            None => "0".to_owned(),
            Some(owner) => {
                let owner = self.position(owner);
                let query = format!("SELECT COUNT(*) > COUNT(DISTINCT c{owner}) FROM t");
                with_owners = self.database().query_row(&query, [], |row| row.get(0)).unwrap();
                format!("(SELECT MIN(o.rowid) FROM t o WHERE o.c{owner} = t.c{owner})")
            }
        });
        let groups = column_numbers(parts.len());
        let query = format!("SELECT {}, COUNT(*) FROM t GROUP BY {groups}", parts.join(", "));
        Ok(self.counts(names, &query, with_owners))
    }

    fn id(&self) -> &'static str {
        "naive"
    }

    fn columns(&self) -> &[String] {
        &self.names
    }

    fn locate(&self, _: &str, _: &HashSet<&str>, _: usize) -> Result<Vec<FoundRow>> {
        Ok(Vec::new())
    }

    fn check_unchanged(&self) -> Result<()> {
        Ok(())
    }
}

/// The numbers of the first columns of a query, for `GROUP BY`.
fn column_numbers(count: usize) -> String {
    (1..=count).map(|at| at.to_string()).collect::<Vec<_>>().join(", ")
}

/// The profile of a column, computed naively from its definition.
fn naive_profile(name: &str, values: Vec<(String, Weight)>) -> Profile {
    let filled: Vec<&(String, Weight)> = values.iter().filter(|(text, _)| !text.is_empty()).collect();
    let all = |parse: fn(&str) -> Option<f64>| {
        let numbers: Option<Vec<(f64, Weight)>> =
            filled.iter().map(|(text, weight)| Some((parse(text)?, *weight))).collect();
        numbers.filter(|numbers| !numbers.is_empty())
    };
    let (inferred_type, numbers) = match (all(parse_number), all(parse_date)) {
        (Some(numbers), _) => (Type::Number, numbers),
        (_, Some(days)) => (Type::Date, days),
        _ => (Type::Text, Vec::new()),
    };
    let mut rows: Vec<f64> = numbers.iter().flat_map(|(number, weight)| vec![*number; *weight as usize]).collect();
    rows.sort_by(f64::total_cmp);
    let mut quantiles: Vec<f64> = (0..1024).filter_map(|at| rows.get(at * rows.len() / 1024).copied()).collect();
    quantiles.dedup();
    Profile {
        formats: None,
        name: name.to_owned(),
        rows: values.iter().map(|(_, weight)| weight).sum(),
        empty: values.iter().filter(|(text, _)| text.is_empty()).map(|(_, weight)| weight).sum(),
        distinct: values.len() as u64,
        distinct_is_bound: false,
        values: Some(values),
        inferred_type,
        extent: rows.first().zip(rows.last()).map(|(least, greatest)| (*least, *greatest)),
        quantiles,
    }
}
