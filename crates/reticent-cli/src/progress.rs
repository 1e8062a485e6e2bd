//! Progress display on standard error for work that takes longer than a second.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Progress bar of the current stage.
pub struct Progress {
    started: Instant,
    shown: Mutex<Option<(String, ProgressBar)>>,
    quiet: bool,
}

impl Progress {
    /// Shows nothing if `quiet`, or if standard error is not a terminal.
    pub fn new(quiet: bool) -> Progress {
        Progress { started: Instant::now(), shown: Mutex::new(None), quiet }
    }

    /// Updates the bar of a stage. `total` is 0 if unknown.
    pub fn update(&self, what: &str, done: u64, total: u64) {
        if self.quiet || self.started.elapsed() < Duration::from_secs(1) {
            return;
        }
        let Ok(mut shown) = self.shown.lock() else { return };
        if shown.as_ref().is_none_or(|(known, _)| known != what) {
            if let Some((_, bar)) = shown.take() {
                bar.finish_and_clear();
            }
            *shown = Some((what.to_owned(), bar(what, total)));
        }
        if let Some((_, bar)) = shown.as_ref() {
            bar.set_position(done);
        }
    }

    /// Shows the elapsed time of a stage without known progress.
    pub fn busy(&self, what: &str) {
        if self.quiet {
            return;
        }
        let Ok(mut shown) = self.shown.lock() else { return };
        if let Some((_, bar)) = shown.take() {
            bar.finish_and_clear();
        }
        let bar = bar(what, 0);
        if let Ok(style) = ProgressStyle::with_template("{msg:<22} {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        *shown = Some((what.to_owned(), bar));
    }

    /// Removes the bar from the screen.
    pub fn done(&self) {
        if let Ok(mut shown) = self.shown.lock()
            && let Some((_, bar)) = shown.take()
        {
            bar.finish_and_clear();
        }
    }
}

fn bar(what: &str, total: u64) -> ProgressBar {
    let template =
        if total > 0 { "{msg:<22} {bar:30} {percent:>3} %  {elapsed}" } else { "{msg:<22} {pos}  {elapsed}" };
    let bar = ProgressBar::with_draw_target((total > 0).then_some(total), ProgressDrawTarget::stderr_with_hz(10));
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar
}
