//! The page: head, verdicts, one part for each coalition, footer.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use reticent::text::format_count;
use sha2::{Digest, Sha256};

use crate::sections::part;
use crate::verdict::{allowed, card};
use crate::view::View;
use crate::words::{joined, percent, quoted};

/// The style sheet of a public page.
const PUBLIC_STYLE: &str = include_str!("style.css");

/// The style sheet of an internal page: the same, with the notice in the margin of every printed page.
const INTERNAL_STYLE: &str = concat!(include_str!("style.css"), include_str!("internal.css"));

/// The notice on every internal page.
const NOTICE: &str = "Internal: contains what the releases give away about people";

/// The whole page.
pub fn page(view: &View) -> Markup {
    let style = if view.public { PUBLIC_STYLE } else { INTERNAL_STYLE };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(content_security_policy(style));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (view.title) }
                style { (PreEscaped(style)) }
            }
            body {
                @if !view.public {
                    p.internal { (NOTICE) }
                    div.watermark aria-hidden="true" { span { (NOTICE) } }
                }
                main {
                    header {
                        p.kicker { "What the releases give away together" }
                        h1 { (view.title) }
                        (facts(view))
                    }
                    section.verdicts aria-label="Verdict" {
                        h2.unseen { "Verdict" }
                        @for (at, one) in (1..).zip(&view.coalitions) { (card(one, at)) }
                    }
                    @for (at, one) in (1..).zip(&view.coalitions) { (part(view, one, at)) }
                    (footer(view))
                }
            }
        }
    }
}

/// The policy that allows one style sheet, known by its hash, and no other resource, script, form or base address.
fn content_security_policy(style: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(style));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

fn facts(view: &View) -> Markup {
    let promise = promise(view);
    html! {
        dl.facts {
            div { dt { "Data" } dd { (view.dataset) } }
            div { dt { "Made" } dd { (view.made) } }
            @if !promise.is_empty() {
                div {
                    dt { "Allowed" }
                    dd { @for (at, one) in promise.iter().enumerate() { @if at > 0 { "; " } (one) } }
                }
            }
            div { dt { "By" } dd { "Reticent " (view.version) } }
        }
    }
}

/// The confidence thresholds, each with the columns that it holds for.
fn promise(view: &View) -> Vec<Markup> {
    let columns = view.coalitions.iter().filter_map(|part| part.found.as_ref()).flat_map(|found| &found.columns);
    let promised = |(names, threshold): (Vec<&str>, Option<f64>)| {
        let names: Vec<Markup> = names.into_iter().map(quoted).collect();
        let threshold = percent(threshold?);
        Some(html! { "nobody’s " (joined(&names, "or")) " with more than " (threshold) " confidence" })
    };
    allowed(columns).into_iter().filter_map(promised).collect()
}

fn footer(view: &View) -> Markup {
    html! {
        footer {
            @if let Some(least) = view.least.map(format_count) {
                p {
                    "Counts of people below " (least) " are shown as “fewer than " (least) "”, and other counts as what they are at least, "
                    "so that no two of them differ by a small number that could be told; “some” may be fewer than " (least) " or more; "
                    "“all but fewer than " (least) "” are nearly all; and what is “not shown” would tell a small count. A picture draws "
                    "these at a height that means no more than the words. Where people are counted, “0” is nobody of whom it was proved."
                }
            }
            p {
                "This report says how much can be told about people from the releases it lists, by those it describes. It does not say "
                "that nothing else can be told."
            }
        }
    }
}
