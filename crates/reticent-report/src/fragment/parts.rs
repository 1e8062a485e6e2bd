//! Parts of all fragments: frame, verdict, figures, lists and tables.

use maud::{Markup, PreEscaped, Render, html};
use reticent::text::format_count;

use super::audience::Audience;
use crate::words::printable;

/// Style sheet of fragments.
const STYLE: &str = include_str!("../fragment.css");

/// Start of the rules that only the fragment of an audit needs.
const AUDIT_RULES: &str = "/* Audit";

/// Kind of the fragment of an audit.
pub(super) const AUDIT: &str = "audit";

/// Notice on every internal fragment.
const NOTICE: &str = "Internal: contains confidential data about people";

/// Renders a fragment with its style sheet.
pub(super) fn frame(kind: &str, is_internal: bool, body: &Markup) -> String {
    let style = match STYLE.split_once(AUDIT_RULES) {
        Some((rules, _)) if kind != AUDIT => rules,
        _ => STYLE,
    };
    let fragment = html! {
        div class={ "reticent-fragment reticent-" (kind) } {
            style { (PreEscaped(style)) }
            @if is_internal { p.internal { (NOTICE) } }
            (body)
        }
    };
    printable(&fragment.into_string())
}

/// Renders a fragment in the variant of the audience.
pub(super) fn variant(kind: &str, audience: &Audience, body: &Markup) -> String {
    let body = html! { (body) @if let Some(min_count) = audience.min_count() { (public_note(min_count)) } };
    frame(kind, !audience.is_public(), &body)
}

/// Explains the rounding of the public variant.
pub(super) fn public_note(min_count: u64) -> Markup {
    let min_count = format_count(min_count);
    html! {
        p.footnote {
            "Public variant: counts of people are rounded. A count below " (min_count) " is shown as “fewer than " (min_count)
            "”, larger counts are rounded down to “at least”. Shares are rounded, rare values are merged, and figures that would "
            "disclose a small count are not shown."
        }
    }
}

/// Result of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Holds,
    Open,
    Violated,
}

impl Status {
    fn class(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Open => "open",
            Status::Violated => "bad",
        }
    }

    /// Renders the symbol. Symbols differ in shape, not only in colour.
    fn sign(self) -> Markup {
        match self {
            Status::Violated => html! {
                path.body d="M14 2 27 25.5H1Z" {}
                path.mark d="M14 10.5v7" {}
                path.mark d="M14 21.4v.2" {}
            },
            Status::Open => html! {
                circle.body cx="14" cy="14" r="12.5" {}
                path.mark d="M10.4 11a3.6 3.6 0 1 1 5.4 3.1c-1.2.7-1.8 1.3-1.8 2.7" {}
                path.mark d="M14 20.4v.2" {}
            },
            Status::Holds => html! {
                rect.body x="1.5" y="1.5" width="25" height="25" rx="5" {}
                path.mark d="m8.5 14.5 4 4 7-8.5" {}
            },
        }
    }
}

/// Renders the verdict: a kicker, the headline, and further lines.
pub(super) fn headline(status: Status, kicker: &str, headline: &str, lines: &[Markup]) -> Markup {
    html! {
        div.head.(status.class()) {
            p.kicker { (kicker) }
            p.headline {
                svg.sign viewBox="0 0 28 28" aria-hidden="true" { (status.sign()) }
                span { (headline) }
            }
            @for line in lines { p.line { (line) } }
        }
    }
}

/// A figure with its label and a note.
pub(super) struct Figure {
    pub label: &'static str,
    pub value: String,
    pub note: String,
    /// Whether the figure is a warning.
    pub loud: bool,
}

impl Figure {
    pub(super) fn new(label: &'static str, value: impl Into<String>, note: impl Into<String>) -> Figure {
        Figure { label, value: value.into(), note: note.into(), loud: false }
    }

    pub(super) fn loud(self, loud: bool) -> Figure {
        Figure { loud, ..self }
    }
}

/// Renders a row of figures.
pub(super) fn figures(figures: &[Figure]) -> Markup {
    html! {
        @if !figures.is_empty() {
            dl.figures {
                @for figure in figures {
                    div.loud[figure.loud] {
                        dt { (figure.label) }
                        dd.figure.long[figure.value.chars().count() > 8] { (figure.value) }
                        @if !figure.note.is_empty() { dd.note { (figure.note) } }
                    }
                }
            }
        }
    }
}

/// Renders a block with a heading; nothing without content.
pub(super) fn block(title: &str, body: &Markup) -> Markup {
    html! { @if !body.0.is_empty() { section.part { h4 { (title) } (body) } } }
}

/// Renders a collapsed block; nothing without content.
pub(super) fn collapsed(title: &str, body: &Markup) -> Markup {
    html! { @if !body.0.is_empty() { details { summary { (title) } (body) } } }
}

/// Renders a list of texts about the data, with numbers rounded for the audience; nothing if it is empty.
pub(super) fn data_list(audience: &Audience, texts: &[String]) -> Markup {
    list(&texts.iter().map(|text| audience.text(text)).collect::<Vec<String>>())
}

/// Renders a list; nothing if it is empty.
pub(super) fn list<T: Render>(items: &[T]) -> Markup {
    html! { @if !items.is_empty() { ul { @for item in items { li { (item) } } } } }
}

/// Renders texts about the data that a reader must see, by kind: `Warning`, `Not established`.
pub(super) fn cautions(audience: &Audience, kinds: &[(&str, &[String])]) -> Markup {
    html! {
        @if kinds.iter().any(|(_, texts)| !texts.is_empty()) {
            ul.cautions {
                @for (kind, texts) in kinds {
                    @for text in *texts { li { b { (kind) ": " } (audience.text(text)) } }
                }
            }
        }
    }
}

/// Alignment of a column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Text,
    Number,
}

/// Renders a table; nothing without rows.
pub(super) fn table(heads: &[(&str, Align)], rows: &[Vec<String>]) -> Markup {
    let is_number = |at: usize| heads.get(at).is_some_and(|(_, align)| *align == Align::Number);
    html! {
        @if !rows.is_empty() {
            div.scroll {
                table {
                    thead { tr { @for (at, (head, _)) in heads.iter().enumerate() { th.number[is_number(at)] scope="col" { (head) } } } }
                    tbody {
                        @for row in rows {
                            tr { @for (at, cell) in row.iter().enumerate() { td.number[is_number(at)] { (cell) } } }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a list such as the log as a fragment. Cells that are numbers are aligned to the right.
///
/// The caller decides what the cells show: they are the same for all readers.
///
/// ```
/// let rows = [vec!["1".to_owned(), "spring <2026>".to_owned()]];
/// let fragment = reticent_report::table_fragment("Releases", &["no.", "name"], &rows, None);
/// assert!(fragment.contains("spring &lt;2026&gt;"), "data is escaped");
/// ```
pub fn table_fragment(title: &str, headers: &[&str], rows: &[Vec<String>], note: Option<&str>) -> String {
    let is_number =
        |text: &String| text.is_empty() || text.replace([',', '.', '%', ' ', '\u{a0}'], "").parse::<f64>().is_ok();
    let align = |at: usize| {
        let cells: Vec<&String> = rows.iter().filter_map(|row| row.get(at)).collect();
        let are_numbers = cells.iter().all(|cell| is_number(cell)) && cells.iter().any(|cell| !cell.is_empty());
        if are_numbers { Align::Number } else { Align::Text }
    };
    let heads: Vec<(&str, Align)> = headers.iter().enumerate().map(|(at, head)| (*head, align(at))).collect();
    let body = html! {
        p.title { (title) }
        @if rows.is_empty() { p.quiet { "No entries." } }
        (table(&heads, rows))
        @if let Some(note) = note { p.footnote { (note) } }
    };
    frame("table", false, &body)
}
