//! The fragment of a release by a republication method.

use maud::{Markup, html};
use reticent::text::counted;

use super::audience::Audience;
use super::parts::{
    Align, Figure, Status, block, cautions, collapsed, data_list, figures, headline, list, table, variant,
};
use crate::words::list as joined_list;

/// A planned or published release by a republication method.
#[derive(Debug, Clone)]
pub struct GroupedView<'a> {
    /// Name of the release.
    pub name: &'a str,
    /// Whether the release is only planned: nothing was published.
    pub planned: bool,
    /// Republication method.
    pub method: &'a str,
    /// Recipients of the release.
    pub recipients: &'a [String],
    /// Number of people whose records are published.
    pub published: u64,
    /// Number of people whose records are withheld, by reason.
    pub withheld: Vec<ReasonLine<'a>>,
    /// Number of people whose records are postponed, by reason.
    pub postponed: Vec<ReasonLine<'a>>,
    /// Number of groups.
    pub groups: u64,
    /// Number of counterfeit records.
    pub counterfeits: u64,
    /// Guarantees of the method, in words.
    pub guarantees: &'a [String],
    /// Warnings for the steward.
    pub warnings: &'a [String],
    /// Notes for the reader.
    pub notes: &'a [String],
    /// What the verdict does not cover.
    pub not_established: &'a [String],
    /// Whether to render the public variant.
    pub public: bool,
    /// Smallest count of people that the public variant shows.
    pub min_count: u64,
}

/// A number of people with the reason why they are not published.
#[derive(Debug, Clone, Copy)]
pub struct ReasonLine<'a> {
    /// Reason in words.
    pub reason: &'a str,
    /// Number of people.
    pub people: u64,
}

/// Renders a release by a republication method as a fragment.
pub fn grouped_fragment(view: &GroupedView) -> String {
    let (withheld, postponed) = (sum(&view.withheld), sum(&view.postponed));
    let audience = Audience::new(view.public, view.min_count, view.published);
    let body = html! {
        (verdict(view))
        (figures(&[
            Figure::new("Published", audience.count(view.published).text, "people"),
            Figure::new("Withheld", audience.count(withheld).text, "people").loud(withheld > 0),
            Figure::new("Postponed", audience.count(postponed).text, "people"),
            Figure::new("Groups", audience.count(view.groups).text, ""),
            Figure::new("Counterfeit records", audience.count(view.counterfeits).text, "records of no person"),
        ]))
        (cautions(&audience, &[("Not established", view.not_established), ("Warning", view.warnings)]))
        (block("Guarantees", &list(view.guarantees)))
        (collapsed("Withheld and postponed people by reason", &reasons(view, &audience)))
        @if !view.public { (collapsed("Notes", &data_list(&audience, view.notes))) }
    };
    variant("grouped", &audience, &body)
}

fn sum(lines: &[ReasonLine]) -> u64 {
    lines.iter().map(|line| line.people).fold(0, u64::saturating_add)
}

fn verdict(view: &GroupedView) -> Markup {
    // A release that violates its guarantee is an error of the method, and no release.
    let guarantees = counted(view.guarantees.len() as u64, "guarantee");
    let (status, text) = match (view.not_established, view.guarantees.len()) {
        ([_, ..], _) => (Status::Open, "No violation was found, but not everything is established".to_owned()),
        (_, 0) => (Status::Open, "The method gives no guarantee".to_owned()),
        (_, 1) => (Status::Holds, "The guarantee of the method holds".to_owned()),
        (_, all) => (Status::Holds, format!("{all} of {guarantees} of the method hold")),
    };
    let kicker = format!("{} release {}", if view.planned { "Planned" } else { "Published" }, view.name);
    let facts = html! {
        "Republication method " code { (view.method) }
        @if !view.recipients.is_empty() { "; for " (joined_list(view.recipients)) }
        @if view.planned { ". Nothing was published." }
    };
    headline(status, &kicker, &text, &[facts])
}

fn reasons(view: &GroupedView, audience: &Audience) -> Markup {
    let row = |outcome: &str, line: &ReasonLine| {
        vec![outcome.to_owned(), audience.text(line.reason), audience.count(line.people).text]
    };
    let withheld = view.withheld.iter().map(|line| row("withheld", line));
    let rows: Vec<Vec<String>> = withheld.chain(view.postponed.iter().map(|line| row("postponed", line))).collect();
    table(&[("outcome", Align::Text), ("reason", Align::Text), ("people", Align::Number)], &rows)
}
