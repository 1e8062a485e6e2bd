//! Runs a call on a thread of its own, without the global interpreter lock.
//!
//! The calling thread waits. It passes events to Python and checks for signals, so that Ctrl-C cancels the call.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use reticent_app::{Context, Error, Event};

use crate::errors::{exception, internal, invalid};

/// Time between two checks for signals.
const CHECK: Duration = Duration::from_millis(50);

thread_local! {
    /// Place of the last panic of this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Process that imported the module.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Returns an error in a process that was forked after the import: the threads of the module do not exist in it, so a call would never end.
fn check_process(py: Python<'_>) -> PyResult<()> {
    if PROCESS.load(Ordering::Relaxed) == std::process::id() {
        return Ok(());
    }
    let text = "this process was forked after reticent was imported, and its threads do not exist here; start processes with the method \
                \"spawn\", or import reticent in the new process only";
    Err(invalid(py, "process-forked", text, serde_json::Value::Null))
}

/// Calls a function; a panic becomes an exception without its text, which can contain values of the data.
pub(crate) fn guarded<T: Send>(py: Python<'_>, call: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(call)));
    done.map_err(|_| internal(py, PLACE.with_borrow_mut(Option::take)))
}

/// Prevents panics from printing: their texts can contain values of the data. They become exceptions.
pub(crate) fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        PROCESS.store(std::process::id(), Ordering::Relaxed);
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
            PLACE.with_borrow_mut(|known| *known = place);
        }));
    });
}

/// An event for Python.
enum Message {
    Progress(String, u64, u64),
    Warning(String, Option<String>),
}

/// Receivers of events in Python.
#[derive(Default)]
pub(crate) struct Receivers {
    /// Called with the stage, the completed and the total amount of work.
    pub progress: Option<Py<PyAny>>,
    /// Called with the text of a warning and its hint.
    pub warn: Option<Py<PyAny>>,
}

impl Receivers {
    fn pass(&self, py: Python<'_>, message: Message) -> PyResult<()> {
        match message {
            Message::Progress(stage, done, total) => {
                self.progress.as_ref().map(|receiver| receiver.call1(py, (stage, done, total))).transpose()?;
            }
            Message::Warning(text, hint) => {
                self.warn.as_ref().map(|receiver| receiver.call1(py, (text, hint))).transpose()?;
            }
        }
        Ok(())
    }
}

/// Returns whether progress of a stage is passed to Python: at its start, at its end, and a few times per second.
fn is_due(last: &Mutex<(String, Instant)>, stage: &str, is_end: bool) -> bool {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let is_due = is_end || last.0 != stage || last.1.elapsed() >= 2 * CHECK;
    if is_due {
        *last = (stage.to_owned(), Instant::now());
    }
    is_due
}

/// Runs a call. Cancels it if a signal arrives, or if a receiver raises an exception; then this exception is raised.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    context: &Context,
    receivers: &Receivers,
    call: impl FnOnce(&Context) -> Result<T, Error> + Send,
) -> PyResult<T> {
    check_process(py)?;
    let (send, mut receive) = channel();
    let events = send.clone();
    let last = Mutex::new((String::new(), Instant::now()));
    let report = move |event: Event<'_>| {
        let message = match event {
            Event::Progress { stage, done, total } if is_due(&last, stage, done == total) => {
                Message::Progress(stage.to_owned(), done, total)
            }
            Event::Busy { stage } if is_due(&last, stage, false) => Message::Progress(stage.to_owned(), 0, 0),
            Event::Progress { .. } | Event::Busy { .. } => return,
            Event::Warning { text, hint } => {
                let hint = hint.and_then(|hint| serde_json::to_value(hint).ok());
                Message::Warning(text.to_owned(), hint.and_then(|hint| hint.as_str().map(str::to_owned)))
            }
        };
        // The receiver ends before the call only if the call was cancelled.
        let _ = events.send(Some(message));
    };
    let context = context.clone().with_events(Arc::new(report));
    std::thread::scope(|scope| {
        let worker = {
            let context = &context;
            scope.spawn(move || {
                let done = catch_unwind(AssertUnwindSafe(|| call(context)));
                let place = PLACE.with_borrow_mut(Option::take);
                let _ = send.send(None);
                done.map_err(|_| place)
            })
        };
        let mut raised: Option<PyErr> = None;
        loop {
            let waiting = &mut receive;
            let message = py.detach(move || waiting.recv_timeout(CHECK));
            let passed = match message {
                Ok(Some(message)) if raised.is_none() => receivers.pass(py, message).and_then(|()| py.check_signals()),
                Ok(Some(_)) => Ok(()),
                Ok(None) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => py.check_signals(),
            };
            if let Err(error) = passed {
                context.cancel.cancel();
                raised.get_or_insert(error);
            }
        }
        let done = py.detach(|| worker.join());
        if let Some(error) = raised {
            if matches!(done, Ok(Ok(Ok(_)))) {
                // For a publication, the release is recorded.
                let note = "the call had completed when this exception arrived; its effects, such as a recorded release, remain";
                error.value(py).call_method1("add_note", (note,))?;
            }
            return Err(error);
        }
        match done {
            Ok(Ok(done)) => done.map_err(|error| exception(py, &error)),
            Ok(Err(place)) => Err(internal(py, place)),
            Err(_) => Err(internal(py, None)),
        }
    })
}
