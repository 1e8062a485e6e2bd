//! Audit reports: what a set of releases discloses about people, as one self-contained HTML page.
//!
//! [`html`] turns a [`Report`] into one text. The page needs no network, script, image or font. It prints well, and works on
//! small screens, in dark mode and with a screen reader.
//!
//! An internal report shows people, values and groups. A public report ([`Report::public`]) shows none of them, and no count
//! of people below [`Report::least`], not even as the difference of two counts.
//!
//! ```
//! use reticent_report::{Coalition, ReleaseLine, Report, html};
//!
//! let release = ReleaseLine { number: 1, name: "spring <2026>".to_owned(), records: 120, ..ReleaseLine::default() };
//! let coalition = Coalition { members: vec!["Press".to_owned()], releases: vec![release], ..Coalition::default() };
//! let page = html(&Report {
//!     title: "Hospital stays".to_owned(),
//!     made: "2026-05-04".to_owned(),
//!     dataset: "stays.csv".to_owned(),
//!     coalitions: vec![coalition],
//!     public: false,
//!     least: 10,
//!     version: "0.1.0".to_owned(),
//! });
//! assert!(page.contains("<h1>Hospital stays</h1>"));
//! assert!(page.contains("spring &lt;2026&gt;"), "data is escaped");
//! ```
//!
//! # How the page is kept safe
//!
//! - Every element is made by a `maud` template, which escapes what is put into it.
//! - A content security policy in the page allows its own style sheet, by hash, and nothing else.
//! - Control characters and characters that change the direction of text are replaced in the whole page.
//! - Templates see only a `view::View`, which holds nothing that the page must not show.

mod cases;
mod charts;
mod grid;
mod page;
mod regulators;
mod sections;
mod sure;
mod tables;
#[cfg(test)]
mod tests;
mod verdict;
mod view;
mod words;

use reticent::audit::{Audit, Disclosure};

/// The input of a page: a title, and the audits of every coalition.
#[derive(Debug, Clone)]
pub struct Report {
    /// The title of the page.
    pub title: String,
    /// The date of the report, as it is to be shown. The crate reads no clock.
    pub made: String,
    /// The name of the data that the releases are made from.
    pub dataset: String,
    /// The coalitions of recipients, the one with the highest risk first.
    pub coalitions: Vec<Coalition>,
    /// Whether the page may be published.
    pub public: bool,
    /// The smallest count of people that a public page shows, such as 10.
    pub least: u64,
    /// The version of the program.
    pub version: String,
}

/// Recipients who combine their releases.
#[derive(Debug, Clone, Default)]
pub struct Coalition {
    /// The names of the recipients. Empty for all releases together.
    pub members: Vec<String>,
    /// The reasons why the audit is incomplete; empty when it is complete. A public page shows them.
    pub not_established: Vec<String>,
    /// Violations found outside the counted columns. A public page shows them.
    pub violations: Vec<Disclosure>,
    /// The releases that the members hold, oldest first.
    pub releases: Vec<ReleaseLine>,
    /// The name of each release, and the audit of all releases up to it. The last audit is of all releases.
    pub timeline: Vec<(String, Audit)>,
    /// Further attacks, and their results.
    pub attacks: Vec<Attack>,
}

/// A row of the table of releases.
#[derive(Debug, Clone, Default)]
pub struct ReleaseLine {
    /// The number of the release.
    pub number: u64,
    /// The name of the release.
    pub name: String,
    /// The date of publication.
    pub date: String,
    /// The recipients of the release.
    pub recipients: Vec<String>,
    /// The published columns.
    pub columns: Vec<String>,
    /// The number of records.
    pub records: u64,
}

/// An attack and its result.
#[derive(Debug, Clone, Default)]
pub struct Attack {
    /// The name of the attack. A public page shows it.
    pub title: String,
    /// The result in words. Only an internal page shows it.
    pub text: String,
    /// The number of findings.
    pub findings: usize,
    /// Whether at least one finding is certain.
    pub certain: bool,
    /// Whether the attack could be run.
    pub ran: bool,
}

/// Returns the report as one HTML page.
pub fn html(report: &Report) -> String {
    let page = page::page(&view::View::new(report));
    words::printable(&page.into_string())
}
