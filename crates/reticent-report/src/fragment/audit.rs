//! The fragment of an audit: the verdicts and sections of the page, with only the most important sections open.
//!
//! It renders the same view as the page, so a public fragment discloses no more than a public page.

use maud::html;

use super::parts::{AUDIT, frame, public_note};
use crate::Report;
use crate::sections::coalition_section;
use crate::verdict::card;
use crate::view::{Layout, View};

/// Renders an audit as a fragment. [`Report::public`] selects the variant.
pub fn audit_fragment(report: &Report) -> String {
    let view = View::new(report, Layout::Fragment);
    let body = html! {
        p.title { (view.title) }
        p.quiet { "Data set " (view.dataset) "; " (view.date) "; Reticent " (view.version) }
        @for (number, coalition) in (1..).zip(&view.coalitions) { (card(&view, coalition, number)) }
        @for (number, coalition) in (1..).zip(&view.coalitions) {
            @let sections = coalition_section(&view, coalition, number);
            @if view.coalitions.len() == 1 {
                (sections)
            } @else {
                details.coalitions open[number == 1] { summary { (coalition.name) } (sections) }
            }
        }
        p.footnote {
            "This audit covers only the listed releases and the described attackers. Other attackers may be able to infer more."
        }
        @if let Some(min_count) = view.min_count { (public_note(min_count)) }
    };
    frame(AUDIT, !view.public, &body)
}
