//! Reads where the data is and how it is written: the table `[source]`, and the format of a column.

use super::reader::{Item, TableReader};
use super::{DatabaseDestination, DatabaseRows, DatabaseSource, SourcePolicy};
use crate::data::taxonomy::Type;
use crate::data::text_format::{DateFormat, NumberFormat, TextFormat};
use crate::error::Result;

/// Seconds without an answer of a database after which a query fails.
pub(super) const TIMEOUT: u64 = 3600;

/// Reads the table `[source]`.
pub(super) fn source(table: &TableReader<'_>) -> Result<SourcePolicy> {
    let not_empty = |name: &str| match table.get(name) {
        Some(item) if item.text()?.trim().is_empty() => Err(item.wrong("is empty; remove it")),
        Some(item) => Ok(Some(item.text()?.to_owned())),
        None => Ok(None),
    };
    let database = database(table)?;
    if database.is_some()
        && let Some(item) = ["encoding", "delimiter", "sheet"].iter().find_map(|name| table.get(name))
    {
        return Err(item.wrong("describes files, but `engine` names a database; remove one of them"));
    }
    Ok(SourcePolicy {
        database,
        encoding: not_empty("encoding")?,
        delimiter: table.get("delimiter").map(delimiter).transpose()?,
        sheet: not_empty("sheet")?,
    })
}

/// Reads the table or query of a database.
fn database(table: &TableReader<'_>) -> Result<Option<DatabaseSource>> {
    let Some(engine) = table.get("engine") else {
        return match ["uri", "table", "query", "timeout"].iter().find_map(|name| table.get(name)) {
            Some(item) => {
                Err(item.wrong("describes a database; add engine = \"postgresql\" (or duckdb, spark, sqlite)"))
            }
            None => Ok(None),
        };
    };
    let Some(uri) = table.get("uri") else {
        return Err(engine.wrong("needs the address of the database: add uri = \"...\""));
    };
    let rows = match (table.get("table"), table.get("query")) {
        (Some(name), None) => DatabaseRows::Table(not_empty(name)?),
        (None, Some(query)) => DatabaseRows::Query(address(query)?),
        (Some(_), Some(query)) => return Err(query.wrong("contradicts `table`; remove one of them")),
        (None, None) => {
            return Err(engine.wrong("needs the rows to read: add table = \"NAME\" or query = \"SELECT ...\""));
        }
    };
    Ok(Some(DatabaseSource { engine: engine.text()?.to_owned(), uri: address(uri)?, rows, timeout: timeout(table)? }))
}

/// Reads the table `[destination]`.
pub(super) fn destination(table: &TableReader<'_>) -> Result<Option<DatabaseDestination>> {
    match (table.get("engine"), table.get("uri")) {
        (None, None) => Ok(None),
        (Some(engine), Some(uri)) => {
            let engine = engine.text()?.to_owned();
            Ok(Some(DatabaseDestination { engine, uri: address(uri)?, timeout: timeout(table)? }))
        }
        (Some(item), None) => Err(item.wrong("needs the address of the database: add uri = \"...\"")),
        (None, Some(item)) => {
            Err(item.wrong("needs the kind of database: add engine = \"postgresql\" (or duckdb, spark, sqlite)"))
        }
    }
}

fn timeout(table: &TableReader<'_>) -> Result<u64> {
    Ok(table.get("timeout").map(|item| item.whole(1)).transpose()?.unwrap_or(TIMEOUT))
}

/// Reads an address or a query. A password in it would be in the ledger with the policy, so it is an error that does not repeat it.
fn address(item: &Item<'_>) -> Result<String> {
    let uri = not_empty(item)?;
    if has_secret(&uri) {
        return Err(item.wrong(
            "contains a password or token; remove it, and give it to the driver by its environment or its own files (such as \
             PGPASSFILE for PostgreSQL)",
        ));
    }
    Ok(uri)
}

/// Words in the names of parameters whose values are secrets.
const SECRETS: [&str; 6] = ["password", "passwd", "pwd", "token", "secret", "key"];

/// Returns whether an address or a query has a password, or a parameter that is a secret.
pub fn has_secret(text: &str) -> bool {
    let has_password = text.split("://").skip(1).any(|after| {
        // A password can contain any other character, so everything up to the last sign is the user.
        let word = after.split_whitespace().next().unwrap_or_default();
        word.rsplit_once('@').is_some_and(|(user, _)| user.split('/').next().is_some_and(|user| user.contains(':')))
    });
    has_password || has_secret_parameter(text)
}

/// Returns whether a parameter, such as `password = x`, has a name with a word for secrets.
fn has_secret_parameter(text: &str) -> bool {
    let lower = text.to_lowercase();
    let names = lower.match_indices('=').map(|(at, _)| lower[..at].trim_end());
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    let last_word = |text: &str| text.chars().rev().take_while(|letter| is_part(*letter)).collect::<Vec<char>>();
    names.map(last_word).any(|letters| {
        let name: String = letters.into_iter().rev().collect();
        SECRETS.iter().any(|secret| name.split(['_', '-']).any(|word| word.ends_with(secret)))
    })
}

fn not_empty(item: &Item<'_>) -> Result<String> {
    match item.text()?.trim() {
        "" => Err(item.wrong("is empty; remove it")),
        text => Ok(text.to_owned()),
    }
}

fn delimiter(item: &Item<'_>) -> Result<u8> {
    match item.text()?.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => Ok(*byte),
        _ => Err(item.wrong("must be one ASCII character that is neither a quote nor a line end, such as \";\"")),
    }
}

/// Reads the format of a column of dates or numbers.
pub(super) fn format(table: &TableReader<'_>, values: Type) -> Result<Option<TextFormat>> {
    let years = table.get("years-from");
    let Some(item) = table.get("format") else {
        return match years {
            Some(years) => Err(years.wrong("applies to two-digit years (%y) in `format`; remove it")),
            None => Ok(None),
        };
    };
    let text = item.text()?;
    match values {
        Type::Text => {
            Err(item.wrong("is for dates and numbers; add type = \"date\" or type = \"number\", or remove it"))
        }
        Type::Date => {
            let from = years.map(|years| years.whole(1000)).transpose()?;
            let from = from.map(|from| i16::try_from(from).unwrap_or(i16::MAX));
            let format = DateFormat::new(text, from).map_err(|why| item.wrong(why))?;
            Ok(Some(TextFormat::Date(format)))
        }
        Type::Number => match years {
            Some(years) => Err(years.wrong("applies to dates; remove it")),
            None => Ok(Some(TextFormat::Number(NumberFormat::new(text).map_err(|why| item.wrong(why))?))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::has_secret;

    #[test]
    fn secrets_are_found() {
        for text in [
            "postgresql://ann:x@host/db",
            "postgresql://ann:pa?ss@host/db",
            "postgresql://ann:pa;ss@host/db",
            "postgresql://host/db?password=x",
            "postgresql://host/db?sslpassword=x",
            "sc://host:15002/;token=x",
            "host=db password = x",
            "host=db\tPASSWORD=x",
            "md:db?motherduck_token=x",
            "SELECT * FROM postgres_scan('host=h password=x', 'public', 't')",
            "ATTACH 's3://b' (SECRET_KEY = 'x')",
        ] {
            assert!(has_secret(text), "{text}");
        }
        for text in [
            "postgresql://ann@db.example.org:5432/clinic?sslmode=require&options=-csearch_path%3Da",
            "sc://spark.example.org:15002/;use_ssl=true",
            "/data/clinic.duckdb",
            "SELECT * FROM t WHERE sex = 'F' AND keyword = 'a@b:c'",
            ":memory:",
        ] {
            assert!(!has_secret(text), "{text}");
        }
    }
}
