//! Per-call context: cancellation, progress events, clock, name of the steward, limits.
//!
//! There is no process-wide state. Calls with different contexts can run in one process at the same time, and each has its
//! own cancellation token.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reticent::error::Hint;
use reticent_engine::{Options, Phase};
use reticent_ledger::{Clock, Holder, Session, Staging};

use crate::error::{Error, Result};

/// Event during a call, which an interface can display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// Progress of a stage with measurable progress.
    Progress {
        /// Name of the stage, such as `counting`.
        stage: &'a str,
        /// Amount of completed work.
        done: u64,
        /// Total amount of work; 0 if it is unknown.
        total: u64,
    },
    /// A stage without measurable progress.
    Busy {
        /// Name of the stage, such as `auditing`.
        stage: &'a str,
    },
    /// Warning for the steward.
    Warning {
        /// Text of the warning.
        text: &'a str,
        /// Remedy, which the interface puts into words.
        hint: Option<Hint>,
    },
}

/// Receiver of events. It is called from any thread.
pub type Events = Arc<dyn Fn(Event<'_>) + Send + Sync>;

/// Resource limits of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Approximate memory for counting, in bytes.
    pub memory: u64,
    /// Number of threads; one per core if `None`.
    pub threads: Option<usize>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: Options::default().memory, threads: None }
    }
}

/// Maximum number of threads of a call.
const MAX_THREADS: usize = 1024;

/// Cancellation token of a call. Clones cancel the same call.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels the call. Returns whether it was cancelled before.
    pub fn cancel(&self) -> bool {
        self.0.swap(true, Ordering::SeqCst)
    }

    /// Returns whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Context of a call.
#[derive(Clone)]
pub struct Context {
    /// Cancellation token.
    pub cancel: Cancel,
    /// Name of the steward, which the ledger records.
    pub steward: String,
    events: Events,
    clock: Clock,
    memory: u64,
    threads: Option<usize>,
    show_values: bool,
    pool: Option<Arc<rayon::ThreadPool>>,
    staged: Arc<Mutex<Vec<PathBuf>>>,
    writers: Arc<AtomicUsize>,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Context { cancel, steward, memory, threads, .. } = self;
        write!(f, "Context({steward}, {memory} bytes, {threads:?} threads, cancelled {})", cancel.is_cancelled())
    }
}

impl Context {
    /// Creates a context with the system clock and default limits. Events are discarded.
    pub fn new(steward: &str) -> Context {
        let steward: String = steward.trim().chars().filter(|letter| !letter.is_control()).take(80).collect();
        let limits = Limits::default();
        Context {
            cancel: Cancel::default(),
            steward,
            events: Arc::new(|_| {}),
            clock: Clock::system(),
            memory: limits.memory,
            threads: None,
            show_values: false,
            pool: None,
            staged: Arc::default(),
            writers: Arc::default(),
        }
    }

    /// Sets the receiver of events.
    #[must_use]
    pub fn with_events(self, events: Events) -> Context {
        Context { events, ..self }
    }

    /// Sets the clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Context {
        Context { clock, ..self }
    }

    /// Sets whether errors show values of the data that do not fit the policy. By default, they show patterns.
    #[must_use]
    pub fn with_values_shown(self, show_values: bool) -> Context {
        Context { show_values, ..self }
    }

    /// Returns whether errors show values of the data.
    pub(crate) fn shows_values(&self) -> bool {
        self.show_values
    }

    /// Sets the resource limits.
    ///
    /// # Errors
    ///
    /// Returns an error if the threads cannot be started, or if there are none or too many.
    pub fn with_limits(self, limits: Limits) -> Result<Context> {
        let pool = match limits.threads {
            None => None,
            Some(threads) if !(1..=MAX_THREADS).contains(&threads) => {
                let why = format!("the number of threads is from 1 to {MAX_THREADS}");
                return Err(Error::Threads { threads, why });
            }
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let why = |error: rayon::ThreadPoolBuildError| Error::Threads { threads, why: error.to_string() };
                Some(Arc::new(pool.map_err(why)?))
            }
        };
        Ok(Context { memory: limits.memory, threads: limits.threads, pool, ..self })
    }

    /// Returns whether a call is writing to a ledger. If the process ends now, the next writing call completes the write.
    pub fn is_writing(&self) -> bool {
        self.writers.load(Ordering::SeqCst) > 0
    }

    /// Removes the staging folders of running calls, for an interface that is about to end its process.
    ///
    /// Does nothing while a call is writing to a ledger.
    pub fn abandon(&self) {
        if self.is_writing() {
            return;
        }
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        // If removal fails, the next release in the same output folder removes the staging folder.
        staged.drain(..).for_each(|folder| drop(Staging::remove_at(&folder)));
    }

    /// Returns an error if the call was cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Runs a call on the thread pool of the context.
    pub(crate) fn run<T: Send>(&self, call: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(call),
            None => call(),
        }
    }

    pub(crate) fn progress(&self, stage: &str, done: u64, total: u64) {
        (self.events)(Event::Progress { stage, done, total });
    }

    pub(crate) fn busy(&self, stage: &str) {
        (self.events)(Event::Busy { stage });
    }

    pub(crate) fn warn(&self, text: &str, hint: Option<Hint>) {
        (self.events)(Event::Warning { text, hint });
    }

    /// Returns the current time, in UTC.
    pub(crate) fn now(&self) -> String {
        self.clock.now()
    }

    /// Returns the current time in seconds since 1970.
    pub(crate) fn seconds(&self) -> u64 {
        self.clock.seconds()
    }

    /// Returns the current date, in UTC.
    pub(crate) fn today(&self) -> String {
        self.clock.today()
    }

    /// Returns the date of the next day, in UTC.
    pub(crate) fn tomorrow(&self) -> String {
        self.clock.tomorrow()
    }

    /// Returns the options of the engine.
    pub(crate) fn engine_options(&self) -> Options {
        let events = self.events.clone();
        let report = move |phase, done, total| {
            let stage = match phase {
                Phase::Profiling => "profiling",
                Phase::Counting => "counting",
                Phase::CountingOwners => "counting owners",
                Phase::Writing => "writing",
            };
            events(Event::Progress { stage, done, total });
        };
        Options {
            memory: self.memory,
            threads: self.threads,
            stop: self.cancel.0.clone(),
            progress: Some(Arc::new(report)),
            ..Options::default()
        }
    }

    /// Creates a session with a ledger.
    pub(crate) fn session(&self, doing: &str, wait: Duration) -> Session {
        let steward = self.steward.clone();
        let holder = Holder { steward, process: std::process::id(), since: self.clock.now(), doing: doing.to_owned() };
        let (stop, clock, writers) = (self.cancel.0.clone(), self.clock.clone(), self.writers.clone());
        Session { stop, clock, writers, ..Session::new(holder, wait) }
    }

    /// Creates a staging folder next to an output. [`Context::abandon`] removes it.
    pub(crate) fn stage(&self, output: &Path, ledger: &Path) -> Result<Staged> {
        let staging = Staging::create(output, ledger)?;
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        staged.push(staging.path().to_owned());
        Ok(Staged { staging, staged: self.staged.clone() })
    }
}

/// Staging folder that is registered with its context.
pub(crate) struct Staged {
    staging: Staging,
    staged: Arc<Mutex<Vec<PathBuf>>>,
}

impl Staged {
    /// Makes the ledger responsible for the folder, so that [`Context::abandon`] does not remove it.
    pub(crate) fn hand_over(&self) {
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        staged.retain(|folder| folder != self.staging.path());
    }

    /// Keeps the folder, so that a later call can complete the release.
    pub(crate) fn leave(&mut self) {
        self.staging.keep();
    }
}

impl std::ops::Deref for Staged {
    type Target = Staging;

    fn deref(&self) -> &Staging {
        &self.staging
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.hand_over();
    }
}
