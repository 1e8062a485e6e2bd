//! A session with a ledger: who asks, with which key, how long to wait, when to stop, what time it is.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::key::Key;
use crate::lock::Holder;
use crate::signature::Verifier;

/// A session with a ledger. Clones share the wish to stop and the count of writers.
#[derive(Debug, Clone)]
pub struct Session {
    /// Who asks, and what for.
    pub holder: Holder,
    /// How long to wait for another process that writes.
    pub wait: Duration,
    /// Once this is true, nobody waits for a ledger, or begins to write.
    pub stop: Arc<AtomicBool>,
    /// What time it is.
    pub clock: Clock,
    /// How many writers there are.
    pub writers: Arc<AtomicUsize>,
    /// The key of the ledger: signs what is written, and checks what is read.
    pub key: Option<Key>,
    /// A public key to check signatures with, where there is no key.
    pub verifier: Option<Verifier>,
}

impl Session {
    /// A session that nobody stops, with the system's clock.
    pub fn new(holder: Holder, wait: Duration) -> Session {
        let (stop, writers) = (Arc::default(), Arc::default());
        Session { holder, wait, stop, clock: Clock::system(), writers, key: None, verifier: None }
    }

    /// The same session, which does not wait.
    #[must_use]
    pub fn impatient(&self) -> Session {
        Session { wait: Duration::ZERO, ..self.clone() }
    }

    /// The same session with a key.
    #[must_use]
    pub fn with_key(&self, key: Option<Key>) -> Session {
        Session { key, ..self.clone() }
    }

    /// The public key that the caller trusts, if any.
    pub(crate) fn trusted(&self) -> Option<Verifier> {
        self.key.as_ref().map(Key::verifier).or_else(|| self.verifier.clone())
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// The holder, as of now.
    pub(crate) fn holder_now(&self) -> Holder {
        Holder { since: self.clock.now(), ..self.holder.clone() }
    }
}

/// Counts a writer as long as it is there.
#[derive(Debug)]
pub(crate) struct Writing(Arc<AtomicUsize>);

impl Writing {
    pub(crate) fn new(session: &Session) -> Writing {
        session.writers.fetch_add(1, Ordering::SeqCst);
        Writing(session.writers.clone())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A clock: the system's, or one that a caller sets.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Clock {
        Clock(Arc::new(Timestamp::now))
    }

    /// A clock that stands still, at so many seconds after 1970-01-01T00:00:00Z; none if there is no such time.
    pub fn fixed(seconds: i64) -> Option<Clock> {
        let then = Timestamp::from_second(seconds).ok()?;
        Some(Clock(Arc::new(move || then)))
    }

    /// The time, in UTC, to the second.
    pub fn now(&self) -> String {
        let now = (self.0)();
        Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
    }

    /// The time, in seconds since 1970.
    pub fn seconds(&self) -> u64 {
        u64::try_from((self.0)().as_second()).unwrap_or_default()
    }

    /// The day, in UTC.
    pub fn today(&self) -> String {
        self.now()[..10].to_owned()
    }

    /// The day after this one, in UTC.
    pub fn tomorrow(&self) -> String {
        let then = (self.0)().checked_add(SignedDuration::from_hours(24));
        then.map_or_else(|_| self.today(), |then| then.to_string()[..10].to_owned())
    }
}
