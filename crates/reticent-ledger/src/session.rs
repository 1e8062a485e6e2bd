//! Session: the context of a call to the ledger (process, key, waiting time, cancellation, clock).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::key::Key;
use crate::lock::Holder;
use crate::signature::Verifier;

/// Context of calls to a ledger. Clones share the cancellation flag and the number of writers.
#[derive(Debug, Clone)]
pub struct Session {
    /// Process that calls, as it is written to the lock.
    pub holder: Holder,
    /// Maximum time to wait for another writing process.
    pub wait: Duration,
    /// Cancellation flag. If true, no call waits for a ledger or starts to write.
    pub stop: Arc<AtomicBool>,
    /// Clock.
    pub clock: Clock,
    /// Number of active writers.
    pub writers: Arc<AtomicUsize>,
    /// Key of the ledger. It signs new entries and verifies existing ones.
    pub key: Option<Key>,
    /// Public key that verifies signatures if there is no key.
    pub verifier: Option<Verifier>,
    /// Operating system group that the ledger is shared with. Writing shares the ledger with it.
    pub group: Option<String>,
}

impl Session {
    /// Creates a session with the system clock, without a key.
    pub fn new(holder: Holder, wait: Duration) -> Session {
        let (stop, writers) = (Arc::default(), Arc::default());
        Session { holder, wait, stop, clock: Clock::system(), writers, key: None, verifier: None, group: None }
    }

    /// Returns a copy of the session that does not wait for the lock.
    #[must_use]
    pub fn without_waiting(&self) -> Session {
        Session { wait: Duration::ZERO, ..self.clone() }
    }

    /// Returns a copy of the session with another key.
    #[must_use]
    pub fn with_key(&self, key: Option<Key>) -> Session {
        Session { key, ..self.clone() }
    }

    /// Returns a copy of the session that shares the ledger with a group.
    #[must_use]
    pub fn with_group(self, group: Option<String>) -> Session {
        Session { group, ..self }
    }

    /// Returns the public key that the caller trusts, if any.
    pub(crate) fn trusted(&self) -> Option<Verifier> {
        self.key.as_ref().map(Key::verifier).or_else(|| self.verifier.clone())
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Returns the holder with the current time.
    pub(crate) fn holder_now(&self) -> Holder {
        Holder { since: self.clock.now(), ..self.holder.clone() }
    }
}

/// Counts a writer until it is dropped.
#[derive(Debug)]
pub(crate) struct ActiveWriter(Arc<AtomicUsize>);

impl ActiveWriter {
    pub(crate) fn new(session: &Session) -> ActiveWriter {
        session.writers.fetch_add(1, Ordering::SeqCst);
        ActiveWriter(session.writers.clone())
    }
}

impl Drop for ActiveWriter {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A clock: the system clock, or a fixed one.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

impl Clock {
    /// Returns the system clock.
    pub fn system() -> Clock {
        Clock(Arc::new(Timestamp::now))
    }

    /// Returns a clock that always shows the same time, in seconds since 1970-01-01T00:00:00Z. Returns none if the
    /// time is out of range.
    pub fn fixed(seconds: i64) -> Option<Clock> {
        let then = Timestamp::from_second(seconds).ok()?;
        Some(Clock(Arc::new(move || then)))
    }

    /// Returns the current time in UTC, with a resolution of one second.
    pub fn now(&self) -> String {
        let now = (self.0)();
        Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
    }

    /// Returns the current time in seconds since 1970-01-01T00:00:00Z.
    pub fn seconds(&self) -> u64 {
        u64::try_from((self.0)().as_second()).unwrap_or_default()
    }

    /// Returns the current date in UTC.
    pub fn today(&self) -> String {
        self.now()[..10].to_owned()
    }

    /// Returns the next date in UTC.
    pub fn tomorrow(&self) -> String {
        let then = (self.0)().checked_add(SignedDuration::from_hours(24));
        then.map_or_else(|_| self.today(), |then| then.to_string()[..10].to_owned())
    }
}
