//! The page: head, verdicts, one section for each coalition, footer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use reticent::text::format_count;
use sha2::{Digest, Sha256};

use crate::sections::coalition_section;
use crate::verdict::{card, columns_by_threshold};
use crate::view::View;
use crate::words::{joined, percent, quoted};

/// Style sheet of a public page.
const PUBLIC_STYLE: &str = include_str!("style.css");

/// Style sheet of an internal page. It adds the notice to the margin of every printed page.
const INTERNAL_STYLE: &str = concat!(include_str!("style.css"), include_str!("internal.css"));

/// Notice on every internal page.
const NOTICE: &str = "Internal: contains confidential data about people";

/// Renders the whole page.
pub fn page(view: &View) -> Markup {
    let style = if view.public { PUBLIC_STYLE } else { INTERNAL_STYLE };
    let body = html! {
        @if !view.public {
            p.internal { (NOTICE) }
            div.watermark aria-hidden="true" { span { (NOTICE) } }
        }
        main {
            header {
                p.kicker { "What the listed releases disclose about people" }
                h1 { (view.title) }
                (facts(view))
            }
            section.verdicts aria-label="Verdict" {
                h2.unseen { "Verdict" }
                @for (number, coalition) in (1..).zip(&view.coalitions) { (card(view, coalition, number)) }
            }
            @for (number, coalition) in (1..).zip(&view.coalitions) { (coalition_section(view, coalition, number)) }
            (footer(view))
        }
    };
    document(view.title, style, &body)
}

/// Renders a page without details about people.
pub fn plain_page(title: &str, body: &Markup) -> Markup {
    document(title, PUBLIC_STYLE, body)
}

fn document(title: &str, style: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(content_security_policy(style));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) }
                style { (PreEscaped(style)) }
            }
            body { (body) }
        }
    }
}

/// Returns a policy that allows one style sheet, identified by its hash, and no other resource, script, form or base address.
fn content_security_policy(style: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(style));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

fn facts(view: &View) -> Markup {
    let thresholds = thresholds(view);
    html! {
        dl.facts {
            div { dt { "Data set" } dd { (view.dataset) } }
            div { dt { "Date" } dd { (view.date) } }
            div { dt { "Software" } dd { "Reticent " (view.version) } }
            @if !thresholds.is_empty() {
                div {
                    dt { (if thresholds.len() == 1 { "Threshold" } else { "Thresholds" }) }
                    dd { @for (at, threshold) in thresholds.iter().enumerate() { @if at > 0 { "; " } (threshold) } }
                }
            }
            div {
                dt { "Posterior" }
                dd { "the probability of a person’s value for the attacker described under Checked and Assumptions" }
            }
        }
    }
}

/// Lists the confidence thresholds, each with its columns.
fn thresholds(view: &View) -> Vec<Markup> {
    let findings = view.coalitions.iter().filter_map(|coalition| coalition.findings.as_ref());
    let columns = findings.flat_map(|findings| &findings.columns);
    let describe = |(names, threshold): (Vec<&str>, Option<f64>)| {
        let names: Vec<Markup> = names.into_iter().map(quoted).collect();
        let threshold = percent(threshold?);
        Some(html! { "posterior of " (joined(&names, "and")) " at most " (threshold) })
    };
    columns_by_threshold(columns).into_iter().filter_map(describe).collect()
}

fn footer(view: &View) -> Markup {
    html! {
        footer {
            @if let Some(min_count) = view.min_count.map(format_count) {
                p {
                    "Counts of people are rounded in this public report. A count below " (min_count) " is shown as “fewer than "
                    (min_count) "”. Larger counts are rounded down and shown as “at least”, so that differences of two counts disclose no "
                    "small count. “Some” can be fewer than " (min_count) " people or more. “All but fewer than " (min_count) "” means "
                    "nearly all people. “Not shown” replaces a figure that would disclose a small count. Charts are drawn from the "
                    "rounded counts. A count of “0” means: proved for no person."
                }
            }
            p {
                "This report covers only the listed releases and the described attackers. Other attackers may be able to infer more."
            }
        }
    }
}
