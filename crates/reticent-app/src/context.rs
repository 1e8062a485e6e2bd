//! The context of a call: cancellation, progress events, the clock, the steward's name and limits.
//!
//! A context is all that a call shares with its caller. There is no process-wide state: calls with different contexts can
//! run in one process at the same time, and each is cancelled by its own token.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reticent::error::Hint;
use reticent_engine::{Options, Phase};
use reticent_ledger::{Clock, Holder, Session, Staging};

use crate::error::{Error, Result};

/// Something that a caller may want to show while a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// A stage of the work, and how much of how much is done; `total` is 0 if the total is not known.
    Progress {
        /// The stage, such as `counting`.
        stage: &'a str,
        /// How much is done.
        done: u64,
        /// Of how much.
        total: u64,
    },
    /// A stage of the work that does not report how far it is.
    Busy {
        /// The stage, such as `auditing`.
        stage: &'a str,
    },
    /// Something that a steward should look at.
    Warning {
        /// In words.
        text: &'a str,
        /// What would help, for the interface to put into its own words.
        hint: Option<Hint>,
    },
}

/// Receives events, from any thread.
pub type Events = Arc<dyn Fn(Event<'_>) + Send + Sync>;

/// What a call may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// About how many bytes counting may use.
    pub memory: u64,
    /// How many threads work; as many as there are cores if not given.
    pub threads: Option<usize>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: Options::default().memory, threads: None }
    }
}

/// Stops a call from another thread. Clones stop the same call.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the call to stop. Answers whether it was asked before.
    pub fn cancel(&self) -> bool {
        self.0.swap(true, Ordering::SeqCst)
    }

    /// Whether the call was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The context of a call.
#[derive(Clone)]
pub struct Context {
    /// Stops the call.
    pub cancel: Cancel,
    /// The name that the ledger records.
    pub steward: String,
    events: Events,
    clock: Clock,
    memory: u64,
    threads: Option<usize>,
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
    /// A context without events and limits, with the system's clock.
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
            pool: None,
            staged: Arc::default(),
            writers: Arc::default(),
        }
    }

    /// Sends events to this receiver.
    #[must_use]
    pub fn with_events(self, events: Events) -> Context {
        Context { events, ..self }
    }

    /// Takes the time from this clock.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Context {
        Context { clock, ..self }
    }

    /// Keeps to these limits.
    ///
    /// # Errors
    ///
    /// If so many threads cannot be started.
    pub fn with_limits(self, limits: Limits) -> Result<Context> {
        let pool = match limits.threads {
            None => None,
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let why = |error: rayon::ThreadPoolBuildError| Error::Threads { threads, why: error.to_string() };
                Some(Arc::new(pool.map_err(why)?))
            }
        };
        Ok(Context { memory: limits.memory, threads: limits.threads, pool, ..self })
    }

    /// Whether a call is writing to a ledger: ending the process now would leave the rest to the next command that writes.
    pub fn is_writing(&self) -> bool {
        self.writers.load(Ordering::SeqCst) > 0
    }

    /// Removes the staging folders of calls that run, for an interface that ends its process at once.
    /// A release that is being recorded is left to the ledger.
    pub fn abandon(&self) {
        if self.is_writing() {
            return;
        }
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        // A folder that stays is swept by the next release that is published beside it.
        staged.drain(..).for_each(|folder| drop(Staging::remove_at(&folder)));
    }

    /// An error once the call was cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Runs a call on the threads that it may use.
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

    /// The time, in UTC.
    pub(crate) fn now(&self) -> String {
        self.clock.now()
    }

    /// The time, in seconds since 1970.
    pub(crate) fn seconds(&self) -> u64 {
        self.clock.seconds()
    }

    /// The day, in UTC.
    pub(crate) fn today(&self) -> String {
        self.clock.today()
    }

    /// The day after this one, in UTC.
    pub(crate) fn tomorrow(&self) -> String {
        self.clock.tomorrow()
    }

    /// The options of the engine.
    pub(crate) fn engine_options(&self) -> Options {
        let events = self.events.clone();
        let tell = move |phase, done, total| {
            let stage = match phase {
                Phase::Profiling => "looking at the data",
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
            progress: Some(Arc::new(tell)),
            ..Options::default()
        }
    }

    /// A session with a ledger.
    pub(crate) fn session(&self, doing: &str, wait: Duration) -> Session {
        let steward = self.steward.clone();
        let holder = Holder { steward, process: std::process::id(), since: self.clock.now(), doing: doing.to_owned() };
        let (stop, clock, writers) = (self.cancel.0.clone(), self.clock.clone(), self.writers.clone());
        Session { stop, clock, writers, ..Session::new(holder, wait) }
    }

    /// A staging folder beside an output, which [`Context::abandon`] removes too.
    pub(crate) fn stage(&self, output: &Path, ledger: &Path) -> Result<Staged> {
        let staging = Staging::create(output, ledger)?;
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        staged.push(staging.path().to_owned());
        Ok(Staged { staging, staged: self.staged.clone() })
    }
}

/// A staging folder that its context knows of.
pub(crate) struct Staged {
    staging: Staging,
    staged: Arc<Mutex<Vec<PathBuf>>>,
}

impl Staged {
    /// From here on the ledger looks after the folder, and [`Context::abandon`] leaves it alone.
    pub(crate) fn hand_over(&self) {
        let mut staged = self.staged.lock().unwrap_or_else(PoisonError::into_inner);
        staged.retain(|folder| folder != self.staging.path());
    }

    /// Leaves the folder where it is, for the command that completes the release.
    pub(crate) fn leave(&mut self) {
        self.staging.leave();
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
