//! Disclosure risk reports: the result of an audit as one self-contained HTML page.
//!
//! [`html`] renders a [`Report`]. The page loads no script, image, font or other resource. Its style sheet supports printing, small
//! screens, dark mode and screen readers.
//!
//! An internal report shows people, values and groups. A public report ([`Report::public`]) shows none of them. It shows no count
//! of people below [`Report::min_count`], not even as the difference of two counts.
//!
//! ```
//! use reticent_report::{Coalition, ReleaseLine, Report, html};
//!
//! let release = ReleaseLine { number: 1, name: "spring <2026>".to_owned(), records: 120, ..ReleaseLine::default() };
//! let coalition = Coalition { members: vec!["Press".to_owned()], releases: vec![release], ..Coalition::default() };
//! let page = html(&Report {
//!     title: "Disclosure risk report: stays".to_owned(),
//!     date: "2026-05-04".to_owned(),
//!     dataset: "stays.csv".to_owned(),
//!     coalitions: vec![coalition],
//!     public: false,
//!     min_count: 10,
//!     version: "0.1.0".to_owned(),
//! });
//! assert!(page.contains("<h1>Disclosure risk report: stays</h1>"));
//! assert!(page.contains("spring &lt;2026&gt;"), "data is escaped");
//! ```
//!
//! A fragment is a small piece of HTML for a notebook or a web page: [`check_fragment`], [`release_fragment`], [`grouped_fragment`],
//! [`comparison_fragment`], [`audit_fragment`] and [`table_fragment`].
//!
//! # Security
//!
//! - `maud` templates produce every element and escape all data.
//! - The content security policy of the page allows only its own style sheet, identified by its hash.
//! - Control characters and characters that change the text direction are replaced in the whole page.
//! - Templates read only a `view::View`, which contains nothing that the page must not show.

mod cases;
mod charts;
mod comparison;
mod computation;
mod fragment;
mod grid;
mod page;
mod regulators;
mod sections;
mod tables;
#[cfg(test)]
mod tests;
mod verdict;
mod view;
mod words;

use reticent::audit::{Audit, Disclosure};

pub use comparison::{ComparedChoice, ComparedFigures, Comparison, comparison_html};
pub use fragment::{
    CheckView, CheckedColumn, CheckedModel, GroupedView, MetricLine, ReasonLine, ReleaseView, StatementLine,
    StatementOutcome, TriedLine, audit_fragment, check_fragment, comparison_fragment, grouped_fragment,
    release_fragment, table_fragment,
};

/// The content of a report: a title and the audits of all coalitions.
#[derive(Debug, Clone)]
pub struct Report {
    /// Title of the page.
    pub title: String,
    /// Date of the report as displayed text. This crate does not read the clock.
    pub date: String,
    /// Name of the source data set.
    pub dataset: String,
    /// Coalitions of recipients, the highest risk first.
    pub coalitions: Vec<Coalition>,
    /// Whether to render the public version, which may be published.
    pub public: bool,
    /// Smallest count of people that a public page shows, for example 10.
    pub min_count: u64,
    /// Version of the program.
    pub version: String,
}

/// A set of recipients who combine their releases.
#[derive(Debug, Clone, Default)]
pub struct Coalition {
    /// Names of the recipients. Empty for all releases combined.
    pub members: Vec<String>,
    /// Reasons why the audit is incomplete; empty if it is complete. A public page shows them.
    pub not_established: Vec<String>,
    /// Violations that attacks prove, in addition to the figures of the columns. A public page shows them.
    pub violations: Vec<Disclosure>,
    /// Releases of the recipients, oldest first.
    pub releases: Vec<ReleaseLine>,
    /// Name of each release, and the audit of this release with all earlier ones. The last audit covers all releases.
    pub timeline: Vec<(String, Audit)>,
    /// Additional attacks with their results.
    pub attacks: Vec<Attack>,
}

/// One row of the table of releases.
#[derive(Debug, Clone, Default)]
pub struct ReleaseLine {
    /// Number of the release.
    pub number: u64,
    /// Name of the release.
    pub name: String,
    /// Publication date as displayed text.
    pub date: String,
    /// Recipients of the release.
    pub recipients: Vec<String>,
    /// Names of the published columns.
    pub columns: Vec<String>,
    /// Number of published records.
    pub records: u64,
}

/// The result of one attack.
#[derive(Debug, Clone, Default)]
pub struct Attack {
    /// Title of the attack. A public page shows it.
    pub title: String,
    /// Description of the result. Only an internal page shows it.
    pub text: String,
    /// Number of findings.
    pub findings: usize,
    /// Whether at least one finding is certain.
    pub certain: bool,
    /// Whether the attack was run.
    pub ran: bool,
}

/// Renders the report as one HTML page.
pub fn html(report: &Report) -> String {
    let page = page::page(&view::View::new(report, view::Layout::Page));
    words::printable(&page.into_string())
}
