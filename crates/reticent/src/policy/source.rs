//! Reads how the data is written: the table `[source]`, and the format of a column.

use super::SourcePolicy;
use super::reader::{Item, TableReader};
use crate::data::taxonomy::Type;
use crate::data::text_format::{DateFormat, NumberFormat, TextFormat};
use crate::error::Result;

/// Reads the table `[source]`.
pub(super) fn source(table: &TableReader<'_>) -> Result<SourcePolicy> {
    let not_empty = |name: &str| match table.get(name) {
        Some(item) if item.text()?.trim().is_empty() => Err(item.wrong("is empty; remove it")),
        Some(item) => Ok(Some(item.text()?.to_owned())),
        None => Ok(None),
    };
    Ok(SourcePolicy {
        encoding: not_empty("encoding")?,
        delimiter: table.get("delimiter").map(delimiter).transpose()?,
        sheet: not_empty("sheet")?,
    })
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
