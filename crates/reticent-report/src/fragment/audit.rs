//! The fragment of an audit: the verdicts and sections of the page, with only the most important sections open.
//!
//! It renders the same view as the page, so a public fragment discloses no more than a public page.

use maud::{Markup, PreEscaped, html};

use super::parts::{AUDIT, frame, public_note};
use crate::Report;
use crate::sections::coalition_section;
use crate::verdict::card;
use crate::view::View;

/// Start of each section of a coalition, as its template renders it. Data cannot contain it, because templates escape data.
const BLOCK: &str = "<section class=\"block\"><h3>";

/// Titles of the sections that are not collapsed.
const OPEN: &[&str] = &["Key figures", "Timeline", "People by maximum posterior"];

/// Renders an audit as a fragment. [`Report::public`] selects the variant.
pub fn audit_fragment(report: &Report) -> String {
    let view = View::new(report);
    let body = html! {
        p.title { (view.title) }
        p.quiet { "Data set " (view.dataset) "; " (view.date) "; Reticent " (view.version) }
        @for (number, coalition) in (1..).zip(&view.coalitions) { (without_link(&card(coalition, number), number)) }
        @for (number, coalition) in (1..).zip(&view.coalitions) {
            @let sections = collapsed_sections(&coalition_section(&view, coalition, number), number);
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

/// Replaces the link from a verdict to its section by its text. Ids of several fragments on a page would collide.
fn without_link(card: &Markup, number: usize) -> Markup {
    let link = format!("<a class=\"recipients\" href=\"#coalition-{number}\">");
    let Some((before, rest)) = card.0.split_once(&link) else { return PreEscaped(card.0.clone()) };
    let (name, after) = rest.split_once("</a>").unwrap_or((rest, ""));
    PreEscaped(format!("{before}<span class=\"recipients\">{name}</span>{after}"))
}

/// Collapses the less important sections of a coalition, and removes its id.
fn collapsed_sections(section: &Markup, number: usize) -> Markup {
    let text = section.0.replace(&format!(" id=\"coalition-{number}\""), "");
    let mut parts = text.split(BLOCK);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (title, rest) = part.split_once("</h3>").unwrap_or(("", part));
        // The sections of a coalition contain other sections, so the last end of a section is its own. After the last section of the
        // coalition follow the posteriors of every person, and the end of the coalition.
        let end = block_end(rest);
        match OPEN.contains(&title) {
            true => shown += &format!("{BLOCK}{title}</h3>{rest}"),
            false => {
                let (body, after) = rest.split_at(end);
                let after = after.strip_prefix("</section>").unwrap_or(after);
                shown += &format!("<details class=\"block\"><summary>{title}</summary>{body}</details>{after}");
            }
        }
    }
    PreEscaped(shown)
}

/// Returns the place where the section ends whose start was removed.
fn block_end(rest: &str) -> usize {
    let (mut depth, mut at) = (1, 0);
    while let Some(next) = rest[at..].find("section") {
        let place = at + next;
        depth += match &rest[..place] {
            before if before.ends_with("</") => -1,
            before if before.ends_with('<') => 1,
            _ => 0,
        };
        if depth == 0 {
            return place - 2;
        }
        at = place + "section".len();
    }
    rest.len()
}
