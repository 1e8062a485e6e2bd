//! Connections to databases. Every call runs on a thread of its own, so that a database that does not answer blocks nothing: the
//! caller hears a cancellation at once, and stops waiting after a time limit.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use adbc_core::error::Error as AdbcError;
use adbc_core::options::{AdbcVersion, OptionStatement, OptionValue};
use adbc_core::{
    CancelHandle, Connection as _, Database as _, Driver as _, LOAD_FLAG_DEFAULT, Optionable as _, Statement as _,
};
use adbc_driver_manager::{ManagedConnection, ManagedDriver};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_schema::SchemaRef;

use super::dialect::Dialect;
use super::failure::{DatabaseError, DatabaseOperation};
use crate::error::Result;
use crate::options::Options;

/// Time between two looks at the cancellation flag.
const POLL: Duration = Duration::from_millis(20);
/// Time that a cancelled call has to end, before its thread is left behind.
const GRACE: Duration = Duration::from_secs(2);
/// Maximum time for the removal of a table. The call before it may still hold the connection.
const MAX_REMOVAL: Duration = Duration::from_secs(10);
/// Number of rows of a batch of SQLite.
const SQLITE_BATCH_ROWS: i64 = 1 << 16;
/// Number of batches that wait for this process.
const BATCHES_AHEAD: usize = 2;

/// How to connect to a database.
#[derive(Debug, Clone)]
pub struct ConnectionOptions {
    /// Kind of database.
    pub dialect: Dialect,
    /// Address without credentials, or path of a file.
    pub uri: String,
    /// Library of the driver; searched for if none.
    pub driver: Option<PathBuf>,
    /// Whether the connection only reads.
    pub read_only: bool,
    /// Time without an answer after which a call fails.
    pub timeout: Duration,
}

/// A connection to a database.
pub struct Connection {
    connection: Mutex<ManagedConnection>,
    options: ConnectionOptions,
}

/// Does not print the address.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({})", self.dialect().id())
    }
}

/// A call on the thread of the connection.
pub(super) type Job = Box<dyn FnOnce(&mut ManagedConnection, &Answers) -> Result<(), AdbcError> + Send>;

/// Messages of a running call.
pub(super) enum Answer {
    /// The call began, and can be cancelled.
    Started(Box<dyn CancelHandle>),
    /// Rows are being written.
    Alive,
    Schema(SchemaRef),
    Batch(RecordBatch),
    Ended(Result<(), AdbcError>),
}

/// Sender of the messages of a call. The receiver is gone if the caller stopped waiting.
#[derive(Clone)]
pub(super) struct Answers(SyncSender<Answer>);

impl Answers {
    /// Shows that the call goes on, so that the time limit starts anew.
    pub(super) fn is_alive(&self) {
        // If messages wait already, they show the same.
        let _ = self.0.try_send(Answer::Alive);
    }

    fn send(&self, answer: Answer) -> Result<(), AdbcError> {
        let gone = |_| AdbcError::with_message_and_status("cancelled", adbc_core::error::Status::Cancelled);
        self.0.send(answer).map_err(gone)
    }
}

impl Connection {
    /// Connects to a database.
    pub fn open(options: ConnectionOptions, engine: &Options) -> Result<Arc<Connection>> {
        let dialect = options.dialect;
        let driver = load_driver(dialect, options.driver.as_deref())?;
        let (send, receive) = sync_channel(BATCHES_AHEAD);
        let settings = dialect.options(&options.uri, options.read_only);
        let opened = Arc::new(Mutex::new(None));
        let place = opened.clone();
        thread::spawn(move || {
            let mut driver = driver;
            let connect = || driver.new_database_with_opts(settings)?.new_connection();
            let result = connect().map(|connection| *lock(&place) = Some(connection));
            // The caller may have stopped waiting.
            let _ = send.send(Answer::Ended(result));
        });
        let waiting = Waiting { dialect, doing: DatabaseOperation::Connect, timeout: options.timeout, engine };
        waiting.receive(&receive, &mut |_| Ok(()))?;
        let connection = lock(&opened).take().ok_or(DatabaseError::Unreachable { engine: dialect.title() })?;
        let connection = Arc::new(Connection { connection: Mutex::new(connection), options });
        Ok(connection)
    }

    /// Returns the kind of database.
    pub fn dialect(&self) -> Dialect {
        self.options.dialect
    }

    /// Runs a statement without a result.
    pub(super) fn execute(self: &Arc<Self>, sql: &str, doing: DatabaseOperation, engine: &Options) -> Result<()> {
        self.query(sql, doing, engine, &mut |_| Ok(()))
    }

    /// Runs a query, and passes its batches on.
    pub(super) fn query(
        self: &Arc<Self>,
        sql: &str,
        doing: DatabaseOperation,
        engine: &Options,
        each: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let read = |answer: Answer| if let Answer::Batch(batch) = answer { each(batch) } else { Ok(()) };
        self.run(self.reading(sql), doing, engine, read)
    }

    /// Returns the columns of a query.
    pub(super) fn schema(self: &Arc<Self>, sql: &str, engine: &Options) -> Result<SchemaRef> {
        let mut schema = None;
        self.run(self.reading(sql), DatabaseOperation::Describe, engine, |answer| {
            if let Answer::Schema(found) = answer {
                schema = Some(found);
            }
            Ok(())
        })?;
        let (engine, doing) = (self.dialect().title(), DatabaseOperation::Describe);
        Ok(schema.ok_or(DatabaseError::QueryInvalid { engine, doing })?)
    }

    /// A call that reads the result of a query.
    fn reading(&self, sql: &str) -> Job {
        let sql = sql.to_owned();
        let is_sqlite = self.dialect() == Dialect::Sqlite;
        Box::new(move |connection, answers| {
            let mut statement = connection.new_statement()?;
            if is_sqlite {
                // The driver takes the types of columns from the first batch.
                let rows = OptionStatement::Other("adbc.sqlite.query.batch_rows".to_owned());
                statement.set_option(rows, OptionValue::Int(SQLITE_BATCH_ROWS))?;
            }
            statement.set_sql_query(&sql)?;
            // Without a receiver, a statement without a result still runs: it can be the removal of a table.
            let _ = answers.send(Answer::Started(statement.get_cancel_handle()));
            let reader = statement.execute()?;
            let _ = answers.send(Answer::Schema(reader.schema()));
            for batch in reader {
                answers.send(Answer::Batch(batch?))?;
            }
            Ok(())
        })
    }

    /// Returns the texts of a query with one column.
    pub(super) fn texts(
        self: &Arc<Self>,
        sql: &str,
        doing: DatabaseOperation,
        engine: &Options,
    ) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        self.query(sql, doing, engine, &mut |batch| {
            let column = batch.columns().first().and_then(|column| column.as_string_opt::<i32>());
            // Without the texts, the answer would be that there is nothing.
            let unknown = || DatabaseError::QueryInvalid { engine: self.dialect().title(), doing };
            texts.extend(column.ok_or_else(unknown)?.iter().map(|text| text.unwrap_or_default().to_owned()));
            Ok(())
        })?;
        Ok(texts)
    }

    /// Runs a call on a thread of its own.
    pub(super) fn run(
        self: &Arc<Self>,
        job: Job,
        doing: DatabaseOperation,
        engine: &Options,
        mut each: impl FnMut(Answer) -> Result<()>,
    ) -> Result<()> {
        let (send, receive) = sync_channel(BATCHES_AHEAD);
        let connection = self.clone();
        thread::spawn(move || {
            let answers = Answers(send);
            let result = job(&mut lock(&connection.connection), &answers);
            // The caller may have stopped waiting.
            let _ = answers.send(Answer::Ended(result));
        });
        let limit = if doing == DatabaseOperation::Remove { MAX_REMOVAL } else { Duration::MAX };
        let waiting = Waiting { dialect: self.dialect(), doing, timeout: self.options.timeout.min(limit), engine };
        waiting.receive(&receive, &mut each)
    }
}

/// Waits for the messages of a call.
struct Waiting<'a> {
    dialect: Dialect,
    doing: DatabaseOperation,
    timeout: Duration,
    engine: &'a Options,
}

impl Waiting<'_> {
    fn receive(&self, answers: &Receiver<Answer>, each: &mut dyn FnMut(Answer) -> Result<()>) -> Result<()> {
        let (dialect, doing) = (self.dialect, self.doing);
        let mut handle = None;
        let mut last = Instant::now();
        let reason = loop {
            match answers.recv_timeout(POLL) {
                Ok(Answer::Started(started)) => handle = Some(started),
                Ok(Answer::Ended(result)) => {
                    let failed = |error: AdbcError| DatabaseError::classify(dialect.title(), doing, &error);
                    return Ok(result.map_err(failed)?);
                }
                Ok(answer) => match each(answer) {
                    Ok(()) => last = Instant::now(),
                    Err(error) => break error,
                },
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(stopped) = self.engine.check_stop() {
                        break stopped;
                    }
                    if last.elapsed() >= self.timeout {
                        let seconds = self.timeout.as_secs();
                        break DatabaseError::TimedOut { engine: dialect.title(), doing, seconds }.into();
                    }
                }
                // The driver panicked or was unloaded.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(DatabaseError::ConnectionLost { engine: dialect.title(), doing }.into());
                }
            }
        };
        if let Some(handle) = handle {
            // A driver that cannot cancel ends at the next batch, whose receiver is gone.
            let _ = handle.try_cancel();
        }
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            match answers.recv_timeout(POLL) {
                Ok(Answer::Ended(_)) | Err(RecvTimeoutError::Disconnected) => break,
                _ => {}
            }
        }
        Err(reason)
    }
}

fn load_driver(dialect: Dialect, path: Option<&Path>) -> Result<ManagedDriver> {
    let library = dialect.driver();
    let given = path.map(Path::to_owned).or_else(|| std::env::var_os(library.variable).map(PathBuf::from));
    let loaded = match given {
        Some(path) => ManagedDriver::load_dynamic_from_filename(path, library.entry_point, AdbcVersion::V110),
        None => {
            let (name, entry_point) = (library.name, library.entry_point);
            ManagedDriver::load_from_name(name, entry_point, AdbcVersion::V110, LOAD_FLAG_DEFAULT, None)
        }
    };
    let missing =
        || DatabaseError::DriverMissing { engine: dialect.title(), library: library.name, variable: library.variable };
    loaded.map_err(|_| missing().into())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
