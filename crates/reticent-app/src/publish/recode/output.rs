//! Where a release by an algorithm is written: a file, or a table of the database that the policy names as its destination.
//!
//! A table is published with a receipt: a small file with its name, its content digest and the name under which it was written. The
//! ledger records the receipt as it records a file, so an interrupted publication is completed or undone by the same rules. The
//! receipt gets its name with the ledger's entry; the table gets its name directly after that, or, after an interruption, with the
//! next publication to the same database.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reticent::Counts;
use reticent::policy::DatabaseDestination;
use reticent_engine::sql::{
    Connection, ConnectionOptions, Dialect, MAX_NAME, SqlDestination, TableName, WORK_PREFIX, content_digest,
};
use reticent_engine::{Compression, Format, Options, Sink, WriteSummary, read_back, read_back_with_owners, write_rows};
use reticent_ledger::{Entry, Hash, Ledger, Staging};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Problem, Result};
use crate::publish::plan::{Plan, draw_number};

/// Ending of the file name of a receipt. The name before it is the name of the table.
const RECEIPT: &str = ".release.json";

/// Where a release is written.
pub(super) enum Output {
    File(Format),
    Table(Box<TableOutput>),
}

/// A new table of a database.
pub(super) struct TableOutput {
    destination: SqlDestination,
    uri: String,
    table: TableName,
}

/// A written release.
pub(crate) struct WrittenRelease {
    pub summary: WriteSummary,
    /// Table without its final name; `None` for a file.
    table: Option<WorkTable>,
}

impl WrittenRelease {
    /// Creates the summary of a release that was not written.
    pub(super) fn unwritten(rows: u64) -> WrittenRelease {
        WrittenRelease { summary: WriteSummary { rows, neutralised: 0, owners: None }, table: None }
    }
}

/// A table that is removed on drop, unless the ledger recorded its release.
struct WorkTable {
    destination: SqlDestination,
    work: TableName,
    table: TableName,
    is_recorded: AtomicBool,
}

impl Drop for WorkTable {
    fn drop(&mut self) {
        if !self.is_recorded.load(Ordering::SeqCst) {
            // Another error is reported, or this was a rehearsal. The next publication removes a remaining table.
            let _ = self.destination.remove(&self.work);
        }
    }
}

/// What a receipt says about a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Receipt {
    engine: String,
    uri: String,
    /// Name of the table.
    table: String,
    /// Name under which it was written and verified.
    written_as: String,
    columns: Vec<String>,
    rows: u64,
    /// Hash of the rows, in no order.
    content: String,
    /// Rule of the row order.
    order: String,
}

impl Receipt {
    fn read(path: &Path) -> Option<Receipt> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }
}

/// Returns the path of the receipt if an output is a table of the policy's destination: a name without an extension of a file.
pub(crate) fn receipt_path(output: &Path, destination: Option<&DatabaseDestination>) -> Option<PathBuf> {
    destination?;
    let name = output.file_name()?.to_str()?;
    let is_file = file_format(name).is_some() || name.ends_with(RECEIPT);
    (!is_file).then(|| output.with_file_name(format!("{name}{RECEIPT}")))
}

/// Returns the form of the output by its name.
pub(super) fn check_name(plan: &Plan<'_>) -> Result<()> {
    let output = &plan.request.output;
    match table_of(output) {
        Some(_) if plan.loaded.policy.destination.is_some() => Ok(()),
        _ => format_of(output).map(drop),
    }
}

/// Returns the name of the table of a receipt.
fn table_of(output: &Path) -> Option<TableName> {
    let name = output.file_name()?.to_str()?.strip_suffix(RECEIPT)?;
    (!name.is_empty()).then(|| TableName::parse(name))
}

/// Returns the file format for a file name extension.
fn format_of(path: &Path) -> Result<Format> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    file_format(&name).ok_or_else(|| Problem::OutputFormat { path: path.to_owned() }.into())
}

fn file_format(name: &str) -> Option<Format> {
    match name.to_lowercase() {
        name if name.ends_with(".csv") => Some(Format::Csv(Compression::None)),
        name if name.ends_with(".csv.gz") => Some(Format::Csv(Compression::Gzip)),
        name if name.ends_with(".csv.zst") => Some(Format::Csv(Compression::Zstd)),
        name if name.ends_with(".parquet") => Some(Format::Parquet),
        _ => None,
    }
}

impl Output {
    /// Returns the output of a release. Connects to the database of a table, and completes or removes the tables of interrupted
    /// publications.
    pub(super) fn open(plan: &Plan<'_>) -> Result<Output> {
        let output = &plan.request.output;
        let (Some(table), Some(policy)) = (table_of(output), &plan.loaded.policy.destination) else {
            return Ok(Output::File(format_of(output)?));
        };
        let DatabaseDestination { engine, uri, timeout } = policy;
        let unknown = || Problem::RequestInvalid { why: format!("there is no database engine `{engine}`") };
        let dialect: Dialect = engine.parse().map_err(|_| unknown())?;
        let options = plan.context.engine_options();
        let timeout = Duration::from_secs(*timeout);
        let connection = ConnectionOptions { dialect, uri: uri.clone(), driver: None, read_only: false, timeout };
        let destination = SqlDestination::new(Connection::open(connection, &options)?, &options);
        if table.table().len() > MAX_NAME {
            let why = format!("the name of the table has more than {MAX_NAME} bytes");
            return Err(Problem::RequestInvalid { why }.into());
        }
        let table = TableOutput { destination, uri: uri.clone(), table };
        if plan.publishes() {
            table.recover(plan)?;
        }
        if table.destination.exists(&table.table)? {
            return Err(Problem::TableExists { table: table.table.to_string() }.into());
        }
        Ok(Output::Table(Box::new(table)))
    }

    /// Writes rows in canonical form.
    pub(super) fn write(&self, rows: &Counts, seed: u64, release: &Path, options: &Options) -> Result<WrittenRelease> {
        match self {
            Output::File(format) => {
                let sink = Sink { path: release.to_owned(), format: *format, seed };
                Ok(WrittenRelease { summary: write_rows(rows, &sink, options)?, table: None })
            }
            Output::Table(output) => output.write(rows, seed, release),
        }
    }

    /// Reads the written release: every column, every text unchanged. `expected` returns the rows that were written; they give the
    /// owners of the rows of a table, and nothing else.
    pub(super) fn read_back(
        &self,
        written: &WrittenRelease,
        release: &Path,
        expected: impl FnOnce() -> Counts,
        options: &Options,
    ) -> Result<Counts> {
        match (&written.table, &written.summary.owners) {
            (Some(table), _) => table.read_back(expected(), release),
            (None, None) => Ok(read_back(release, options)?),
            (None, Some(owners)) => Ok(read_back_with_owners(release, owners, options)?),
        }
    }
}

impl TableOutput {
    fn write(&self, rows: &Counts, seed: u64, receipt: &Path) -> Result<WrittenRelease> {
        let work = self.table.beside(&format!("{WORK_PREFIX}{:016x}", draw_number()));
        let about = Receipt {
            engine: self.destination.id().to_owned(),
            uri: self.uri.clone(),
            table: self.table.to_string(),
            written_as: work.to_string(),
            columns: rows.names.clone(),
            rows: rows.contingency.rows(),
            content: content_digest(rows),
            order: "sha256".to_owned(),
        };
        // The receipt is written first: a later publication that finds it in an abandoned staging folder removes the table.
        let text = serde_json::to_string_pretty(&about).unwrap_or_default() + "\n";
        std::fs::write(receipt, text).map_err(Error::file("write", receipt))?;
        let destination = self.destination.clone();
        let table = WorkTable { destination, work: work.clone(), table: self.table.clone(), is_recorded: false.into() };
        let summary = self.destination.write(rows, &work, seed)?;
        Ok(WrittenRelease { summary, table: Some(table) })
    }

    /// Completes publications that were interrupted after the ledger recorded them, and removes the tables of those that were
    /// interrupted before.
    fn recover(&self, plan: &Plan<'_>) -> Result<()> {
        let left = self.destination.work_tables(&self.table)?;
        if left.is_empty() {
            return Ok(());
        }
        let mut recorded = Vec::new();
        if let Some(ledger) = plan.access.open_if_exists()? {
            let receipts =
                ledger.entries()?.iter().filter_map(|entry| recorded_receipt(&ledger, entry)).collect::<Vec<_>>();
            recorded.extend(receipts.into_iter().filter(|receipt| self.is_here(receipt)));
        }
        for receipt in &recorded {
            let (work, table) = (TableName::parse(&receipt.written_as), TableName::parse(&receipt.table));
            if left.contains(&work)
                && let Err(error) = self.destination.rename(&work, &table)
            {
                // It does not concern the new release.
                let text = format!("the table {table} of an earlier release is still called {work} ({})", error.code());
                plan.context.warn(&text, None);
            }
        }
        let folder = plan.request.output.parent().filter(|folder| !folder.as_os_str().is_empty());
        for staging in Staging::unneeded(folder.unwrap_or(Path::new(".")), &plan.access.folder) {
            let receipt = Receipt::read(&staging.join("release")).filter(|receipt| self.is_here(receipt));
            let work = receipt.map(|receipt| receipt.written_as);
            let is_recorded = recorded.iter().any(|receipt| Some(&receipt.written_as) == work.as_ref());
            let work = work.map(|work| TableName::parse(&work)).filter(|work| left.contains(work) && !is_recorded);
            if let Some(work) = work {
                self.destination.remove(&work)?;
            }
        }
        Ok(())
    }

    fn is_here(&self, receipt: &Receipt) -> bool {
        receipt.engine == self.destination.id() && receipt.uri == self.uri
    }
}

/// Returns the receipt of a release in a table.
fn recorded_receipt(ledger: &Ledger, entry: &Entry) -> Option<Receipt> {
    let file = entry.release()?.file.as_ref()?;
    let path = ledger.resolve_path(&file.path);
    // Another file at this path has another hash.
    let is_receipt = || Hash::digest_file(&path).is_ok_and(|(hash, _)| hash == file.sha256);
    (file.path.to_string().ends_with(RECEIPT) && is_receipt()).then(|| Receipt::read(&path))?
}

impl WorkTable {
    fn read_back(&self, expected: Counts, receipt: &Path) -> Result<Counts> {
        let read = self.destination.read_back(&self.work)?;
        let digest = content_digest(&read);
        let is_written = Receipt::read(receipt).is_some_and(|receipt| receipt.content == digest);
        if !is_written || digest != content_digest(&expected) {
            return Err(Problem::TableDiffers { table: self.work.to_string() }.into());
        }
        // The rows are those that were written, so their owners are, too.
        Ok(if expected.contingency.owners.is_some() { expected } else { read })
    }
}

impl WrittenRelease {
    /// Keeps a table, because the ledger recorded its release, or may have.
    pub(super) fn keep(&self) {
        if let Some(written) = &self.table {
            written.is_recorded.store(true, Ordering::SeqCst);
        }
    }

    /// Returns the name of the table; none for a file.
    pub(super) fn table(&self) -> Option<String> {
        self.table.as_ref().map(|written| written.table.to_string())
    }

    /// Gives a table its final name, after the ledger recorded its release.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails. The release is recorded then, and the next publication completes it.
    pub(super) fn finish(&self) -> Result<()> {
        let Some(written) = &self.table else { return Ok(()) };
        self.keep();
        written.destination.rename(&written.work, &written.table).map_err(|source| {
            let (table, work) = (written.table.to_string(), written.work.to_string());
            Problem::TableUnnamed { table, work, code: source.code() }.into()
        })
    }
}
