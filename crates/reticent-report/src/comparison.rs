//! The comparison of several settings of a release: their risk and their loss, as one page without details about people.

use maud::{Markup, html};
use reticent::text::format_count;

use crate::charts::{Point, scatter};
use crate::page::plain_page;
use crate::words::{percent, printable};

/// The content of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// Title of the page.
    pub title: String,
    /// Date as displayed text.
    pub date: String,
    /// Names of the data files.
    pub data: String,
    /// Version of the program.
    pub version: String,
    /// Names of the settings in which the choices differ.
    pub settings: Vec<&'static str>,
    /// Choices, in the order of the table.
    pub choices: Vec<ComparedChoice>,
    /// Command for each recommended choice.
    pub commands: Vec<String>,
    /// Assumptions of the verdicts.
    pub assumptions: Vec<String>,
}

/// One choice of settings.
#[derive(Debug, Clone)]
pub struct ComparedChoice {
    /// Value of each setting of the comparison. Empty for the value of the policy.
    pub settings: Vec<String>,
    /// `recommended`, `frontier`, `dominated`, `outside` or `refused`.
    pub state: &'static str,
    /// Figures of the release; `None` if it is refused.
    pub figures: Option<ComparedFigures>,
    /// Reason of the refusal.
    pub error: Option<String>,
}

/// Figures of a rehearsed release.
#[derive(Debug, Clone)]
pub struct ComparedFigures {
    /// Loss for the purpose, from 0 to 1.
    pub loss: f64,
    /// Highest risk of re-identification.
    pub risk: f64,
    /// Highest posterior of a sensitive value, if there is one.
    pub posterior: Option<f64>,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Number of published records.
    pub records: u64,
    /// Quasi-identifiers that are fully suppressed.
    pub fully_suppressed: Vec<String>,
}

/// Renders a comparison as one HTML page. It loads no other resource.
pub fn comparison_html(comparison: &Comparison) -> String {
    printable(&plain_page(&comparison.title, &body(comparison)).into_string())
}

fn body(comparison: &Comparison) -> Markup {
    let has_posterior =
        comparison.choices.iter().flat_map(|choice| &choice.figures).any(|known| known.posterior.is_some());
    html! {
        main {
            header {
                p.kicker { "Rehearsed releases; nothing was published" }
                h1 { (comparison.title) }
                dl.facts {
                    div { dt { "Data" } dd { (comparison.data) } }
                    div { dt { "Date" } dd { (comparison.date) } }
                    div { dt { "Software" } dd { "Reticent " (comparison.version) } }
                }
            }
            section.block {
                h2 { "Recommended" }
                @if comparison.commands.is_empty() {
                    p { "No choice satisfies the policy." }
                } @else {
                    p.lead { "The least loss among the choices that satisfy the policy:" }
                    @for command in &comparison.commands { p { code { (command) } } }
                }
            }
            (frontier(comparison, "Loss by the highest risk of re-identification", "risk of re-identification", |known| Some(known.risk)))
            @if has_posterior {
                (frontier(comparison, "Loss by the highest posterior of a sensitive value", "posterior", |known| known.posterior))
            }
            section.block {
                h2 { "Choices" }
                (table(comparison))
                p.quiet {
                    "An empty setting is that of the policy. Loss: 0 for the raw values, 100 % if everything is suppressed, by the purpose "
                    "and the weights of the policy. Risk of re-identification and posterior: the highest of a person, given all releases "
                    "that recipients can hold, if the policy audits them, otherwise given this release. "
                    "Dominated: another choice within the policy has at most these risks and this loss. Outside: weaker than the policy, or more "
                    "suppression."
                }
            }
            @if !comparison.assumptions.is_empty() {
                section.block {
                    h2 { "Assumptions" }
                    ul { @for assumption in &comparison.assumptions { li { (assumption) } } }
                }
            }
        }
    }
}

/// Draws the loss against a risk.
fn frontier(comparison: &Comparison, title: &str, axis: &str, risk: fn(&ComparedFigures) -> Option<f64>) -> Markup {
    let point = |(number, choice): (usize, &ComparedChoice)| {
        let figures = choice.figures.as_ref()?;
        Some(Point { x: risk(figures)?, y: figures.loss, class: choice.state, label: number.to_string() })
    };
    let mut points: Vec<Point> = (1..).zip(&comparison.choices).filter_map(point).collect();
    // The others are drawn above the dominated ones, and the recommended one above all.
    let order = ["outside", "dominated", "frontier", "recommended"];
    points.sort_by_key(|point| order.iter().position(|class| *class == point.class));
    html! {
        section.block {
            h2 { (title) }
            figure {
                p.series {
                    @for (state, text) in [("recommended", "recommended"), ("frontier", "on the frontier"), ("dominated", "dominated"), ("outside", "outside the policy")] {
                        span { span.swatch.(state) {} (text) }
                    }
                }
                (scatter(title, axis, &points))
            }
        }
    }
}

fn table(comparison: &Comparison) -> Markup {
    let figures = ["loss", "risk of re-identification", "posterior", "classes", "records"];
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th.number scope="col" { "no." }
                        th scope="col" { "state" }
                        @for head in &comparison.settings { th scope="col" { (head) } }
                        @for head in figures { th.number scope="col" { (head) } }
                        th scope="col" { "remarks" }
                    }
                }
                tbody {
                    @for (number, choice) in (1..).zip(&comparison.choices) {
                        tr {
                            td.number { (number) }
                            td { span.tag.(choice.state) { (choice.state) } }
                            @for setting in &choice.settings { td { (setting) } }
                            (cells(choice))
                        }
                    }
                }
            }
        }
    }
}

fn cells(choice: &ComparedChoice) -> Markup {
    let Some(figures) = &choice.figures else {
        return html! {
            @for _ in 0..5 { td.number {} }
            td { (choice.error.as_deref().unwrap_or_default()) }
        };
    };
    html! {
        td.number { (percent(figures.loss)) }
        td.number { (percent(figures.risk)) }
        td.number { @if let Some(posterior) = figures.posterior { (percent(posterior)) } }
        td.number { (format_count(figures.classes)) }
        td.number { (format_count(figures.records)) }
        td { @if !figures.fully_suppressed.is_empty() { "fully suppressed: " (figures.fully_suppressed.join(", ")) } }
    }
}
