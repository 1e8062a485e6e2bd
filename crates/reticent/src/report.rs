//! The report: what an audit found, as one page for people who have never read a paper.
//!
//! [`html`] makes one self-contained text: no network, no script, no font from elsewhere; it can be printed, read on a phone, in
//! the dark and aloud. The page is made from a `view::View` alone, and what a public report may not say is not in its view: no
//! person, no value, no group, and no count of people below [`Report::least`], also not as a difference of two that are there
//! (`grid`). Nothing here reads a clock: the date is the caller's.

mod cases;
mod charts;
mod grid;
mod page;
mod sections;
mod sure;
#[cfg(test)]
mod tests;
mod verdict;
mod view;
mod words;

use crate::audit::{Audit, Disclosure};

/// What is reported.
#[derive(Debug, Clone)]
pub struct Report {
    /// What the page is called.
    pub title: String,
    /// When it was made, as it is to be read.
    pub made: String,
    /// The data the releases are made from.
    pub dataset: String,
    /// Who may put what together, the most telling first.
    pub coalitions: Vec<Coalition>,
    /// For everybody's eyes.
    pub public: bool,
    /// The smallest count of people that a public report shows, such as 10.
    pub least: u64,
    /// The version of the program.
    pub version: String,
}

/// Recipients who put their releases together.
#[derive(Debug, Clone, Default)]
pub struct Coalition {
    /// Who they are; nobody in particular when empty.
    pub members: Vec<String>,
    /// Why it is not established what they can tell, besides what is counted; nothing when it is. A public report shows it.
    pub open: Vec<String>,
    /// What is told besides what is counted, and not allowed. A public report shows it.
    pub breaches: Vec<Disclosure>,
    /// What they hold, oldest first.
    pub releases: Vec<ReleaseLine>,
    /// The name of each release, and the audit of everything up to it; the last is of the whole.
    pub over_time: Vec<(String, Audit)>,
    /// What else was tried.
    pub attacks: Vec<Attack>,
}

/// A release in a list.
#[derive(Debug, Clone, Default)]
pub struct ReleaseLine {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// When it went out.
    pub date: String,
    /// To whom.
    pub recipients: Vec<String>,
    /// What it shows.
    pub columns: Vec<String>,
    /// How many records.
    pub records: u64,
}

/// An attack that was tried, and what came of it.
#[derive(Debug, Clone, Default)]
pub struct Attack {
    /// What the attack is called. A public report shows it.
    pub title: String,
    /// What came of it, for internal eyes.
    pub words: String,
    /// How often it found something.
    pub findings: usize,
    /// Whether it tells something for sure.
    pub certain: bool,
    /// Whether it could be run at all.
    pub ran: bool,
}

/// The report as one HTML text.
pub fn html(report: &Report) -> String {
    page::page(&view::View::of(report))
}
