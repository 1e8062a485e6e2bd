//! Making a release by a method: group, write, read back, judge, measure.

use std::collections::BTreeMap;
use std::time::Instant;

use reticent::methods::{self, Leaving, Outcome, Reason, Remembered, Shown, Utility};
use reticent_ledger::{Hash, Head, Judged, Staging};

use super::Job;
use super::answer::Seconds;
use super::before::Before;
use super::folder::{self, Files};
use super::judge::Audited;
use super::print::in_words;
use super::readme::readme;
use crate::commands::publish::make::{draw_seed, lap, stage};
use crate::failure::Failure;

/// A release that was made, written and judged, and has no name yet.
pub struct Made {
    /// The head of the ledger it was made against; none when there was no ledger.
    pub against: Option<Head>,
    pub judged: Judged,
    pub outcome: Outcome,
    /// What is kept of owners for the next release.
    pub remembered: Vec<Remembered>,
    /// The tables, as they were read back.
    pub shown: Shown,
    pub files: Files,
    pub seed: u64,
    pub staging: Staging,
    /// The hash of the folder, and its size.
    pub file: (Hash, u64),
    pub neutralised: u64,
    /// What is told with all that was released before.
    pub audited: Audited,
    pub leaving: Leaving,
    pub utility: Utility,
    pub seconds: Seconds,
}

impl Job<'_> {
    /// Makes the release against what was released before.
    pub fn make(&self, before: &Before) -> Result<Made, Failure> {
        let Job { options, loaded, method, ways, .. } = self;
        let mut seconds = Seconds::default();
        let clock = Instant::now();
        ways.progress.busy("grouping");
        let seed = loaded.policy.seed.unwrap_or_else(draw_seed);
        let task = self.task(&before.past, seed);
        let leaving = methods::leaving(&task, &|column| self.promise(column));
        let outcome = methods::run(method.listed.entry.id, &task, loaded.policy.options.clone())
            .map_err(|error| if stays(method) { error } else { with_leaving(error, &leaving) })?;
        if outcome.groups.is_empty() {
            return Err(reticent::Error::Refused { message: nothing(&outcome) }.into());
        }
        let shown = Shown::of(&task, &outcome, method.form);
        ways.check_stop()?;
        seconds.group = lap(clock);
        let clock = Instant::now();
        let staging = stage(&options.output, &self.books.folder)?;
        let files = Files::of(&shown);
        let neutralised = folder::write(&shown, &files, &staging.release(), seed, &ways.options())?;
        seconds.write = lap(clock);
        let clock = Instant::now();
        ways.progress.busy("verifying");
        let shown = folder::read(&shown, &files, &staging.release(), &ways.options())?;
        methods::prove(&task, &shown)?;
        seconds.verify = lap(clock);
        ways.check_stop()?;
        let clock = Instant::now();
        let audited = self.admit(&shown, before)?;
        folder::explain(&staging.release(), &readme(self, &shown, &files, &audited, &before.judged))?;
        let file = Hash::of_file(&staging.release())?;
        seconds.audit = lap(clock);
        let clock = Instant::now();
        let utility = methods::utility(&task, &outcome, method.form);
        seconds.measure = lap(clock);
        ways.check_stop()?;
        let (against, judged) = (before.head, before.judged.clone());
        Ok(Made {
            against,
            judged,
            remembered: outcome.remembered(&task),
            outcome,
            shown,
            files,
            seed,
            staging,
            file,
            neutralised,
            audited,
            leaving,
            utility,
            seconds,
        })
    }
}

/// Whether people who go are no reason to refuse a release.
fn stays(method: &reticent::policy::MethodPolicy) -> bool {
    method.listed.updates.delete || !method.listed.updates.again
}

/// What the removal of people would tell stands beside why nothing is published.
fn with_leaving(error: reticent::Error, leaving: &Leaving) -> reticent::Error {
    match (error, super::print::told_by_leaving(leaving)) {
        (reticent::Error::Refused { message }, Some(told)) => {
            reticent::Error::Refused { message: format!("{message}. {told}") }
        }
        (error, _) => error,
    }
}

fn nothing(outcome: &Outcome) -> String {
    let plural = |many: usize| crate::screen::plural(many as u64, "record");
    let mut withheld: BTreeMap<Reason, usize> = BTreeMap::new();
    outcome.withheld.iter().for_each(|(_, reason)| *withheld.entry(*reason).or_insert(0) += 1);
    let mut why: Vec<String> = withheld
        .iter()
        .map(|(reason, many)| format!("{} withheld: {}", plural(*many), in_words(reason.word())))
        .collect();
    if !outcome.waiting.is_empty() {
        why.push(format!("{} waiting for others to be published with", plural(outcome.waiting.len())));
    }
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
    format!(
        "no group could be formed{why}. Fewer values for a group (l, m or k under [release.options]) or more records may help"
    )
}
