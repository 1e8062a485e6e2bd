//! Excel and OpenDocument workbooks. A sheet is converted to comma-separated text in memory.

use std::io::Cursor;
use std::path::Path;

use calamine::{Data, Range, Reader, Sheets, open_workbook_auto_from_rs};
use reticent::taxonomy::number_text;

use crate::catch_panic::catch_panic;
use crate::error::{Error, Result};

/// A sheet as comma-separated text.
pub(crate) struct Sheet {
    /// Name of the sheet.
    pub(crate) name: String,
    /// Comma-separated text. Its lines have the numbers of the rows of the sheet, unless a cell has a line end.
    pub(crate) text: Vec<u8>,
}

/// Maximum number of sheet names in an error.
const MAX_LISTED: usize = 10;

/// Reads the sheet with this name, or the only sheet with data.
pub(crate) fn read(path: &Path, bytes: &[u8], wanted: Option<&str>, memory: u64) -> Result<Sheet> {
    let wrong = |message: &str| Error::malformed(path, None, message);
    let read = catch_panic(|| {
        // The errors of the library can contain cells.
        let damaged = |_| wrong("not a readable workbook; the file may be damaged, encrypted or of another kind");
        let mut workbook = open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(damaged)?;
        let (name, range) = choose(path, &mut workbook, wanted, memory)?;
        Ok(Sheet { text: csv_text(&range), name })
    });
    read.unwrap_or_else(|| Err(wrong("the workbook could not be read; save it again, or export the sheet as CSV")))
}

fn choose(
    path: &Path,
    workbook: &mut Sheets<Cursor<&[u8]>>,
    wanted: Option<&str>,
    memory: u64,
) -> Result<(String, Range<Data>)> {
    let names = workbook.sheet_names();
    let listed = |names: &[String]| {
        let first: Vec<&str> = names.iter().take(MAX_LISTED).map(String::as_str).collect();
        let more = if names.len() > MAX_LISTED { ", ..." } else { "" };
        format!("{}{more}", first.join(", "))
    };
    let mut open = |name: &str| {
        check_extent(path, workbook, name, memory)?;
        let damaged =
            |_| Error::malformed(path, None, format!("the sheet {name} could not be read; it may be damaged"));
        workbook.worksheet_range(name).map_err(damaged)
    };
    if let Some(wanted) = wanted {
        if !names.iter().any(|name| name == wanted) {
            let message = format!("the workbook has no sheet {wanted}; it has: {}", listed(&names));
            return Err(Error::malformed(path, None, message));
        }
        return Ok((wanted.to_owned(), open(wanted)?));
    }
    let mut filled = Vec::new();
    for name in names {
        let range = open(&name)?;
        if !range.is_empty() {
            filled.push((name, range));
        }
    }
    if filled.len() > 1 {
        let names: Vec<String> = filled.into_iter().map(|(name, _)| name).collect();
        let message =
            format!("several sheets have data: {}; name one in the policy: sheet under [source]", listed(&names));
        return Err(Error::malformed(path, None, message));
    }
    filled.pop().ok_or_else(|| Error::malformed(path, None, "no sheet has data"))
}

/// Checks that the cells of a sheet fit into the memory: the library stores every cell between the first and the last one,
/// also empty ones.
fn check_extent(path: &Path, workbook: &mut Sheets<Cursor<&[u8]>>, name: &str, memory: u64) -> Result<()> {
    let Sheets::Xlsx(xlsx) = workbook else { return Ok(()) };
    let damaged = |_| Error::malformed(path, None, format!("the sheet {name} could not be read; it may be damaged"));
    let mut cells = xlsx.worksheet_cells_reader(name).map_err(damaged)?;
    let (mut rows, mut columns) = (0, 0);
    while let Some(cell) = cells.next_cell().map_err(damaged)? {
        let (row, column) = cell.get_position();
        (rows, columns) = (rows.max(u64::from(row) + 1), columns.max(u64::from(column) + 1));
    }
    let count = rows.saturating_mul(columns);
    if count.saturating_mul(size_of::<Data>() as u64) <= memory {
        return Ok(());
    }
    let message = format!(
        "the sheet {name} has {rows} rows and {columns} columns, {count} cells, more than can be read; delete far cells, export the \
         sheet as CSV, or allow more memory"
    );
    Err(Error::malformed(path, None, message))
}

fn csv_text(range: &Range<Data>) -> Vec<u8> {
    let before = range.start().map_or(0, |(row, _)| row as usize);
    let mut text = "\n".repeat(before);
    for row in range.rows() {
        // A blank row is no record.
        if row.iter().all(|cell| cell_text(cell).is_empty()) {
            text.push('\n');
            continue;
        }
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            let cell = cell_text(cell);
            if cell.is_empty() || cell.contains([',', '"', '\n', '\r']) {
                text.push_str(&format!("\"{}\"", cell.replace('"', "\"\"")));
            } else {
                text.push_str(&cell);
            }
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// Returns the text of a cell. An error value such as `#N/A` is its text.
fn cell_text(cell: &Data) -> String {
    match cell {
        Data::Empty => String::new(),
        // As the program writes them to a text file.
        Data::Bool(true) => "TRUE".to_owned(),
        Data::Bool(false) => "FALSE".to_owned(),
        Data::Float(number) => number_text(*number),
        Data::DateTime(time) if time.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
            match (time.as_f64().fract() == 0.0, time.as_f64() < 1.0) {
                (true, false) => format!("{year:04}-{month:02}-{day:02}"),
                (_, true) => format!("{hour:02}:{minute:02}:{second:02}"),
                _ => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
            }
        }
        other => other.to_string(),
    }
}
