//! Risk criteria of regulators: singling out, linkability, inference, and the re-identification risk for three attackers.

use maud::{Markup, html};
use reticent::text::format_count;

use crate::sections::is_tight;
use crate::view::{ColumnView, Count, Findings, USUAL_THRESHOLD, View};
use crate::words::{percent, quoted};

/// Renders both tables.
pub fn regulators(view: &View, findings: &Findings) -> Markup {
    let risks = &findings.identity;
    let inferred: Vec<(Markup, Markup)> =
        findings.columns.iter().flat_map(|column| inference(view, findings, column)).collect();
    html! {
        div.scroll {
            table.regulators {
                caption { "The three risks of the European data protection authorities (Article 29 Working Party, Opinion 05/2014)" }
                thead {
                    tr {
                        th scope="col" { "risk" }
                        th scope="col" { "figure" }
                        th.number scope="col" { "result" }
                    }
                }
                tbody {
                    tr {
                        th scope="row" { "Singling out" }
                        td { "people to whom a record certainly belongs, given all releases" }
                        td.number { (risks.singled_out.ratio_text(&findings.people)) }
                    }
                    tr {
                        th scope="row" { "Linkability" }
                        td { "people with several records, two of which certainly belong together" }
                        td.number { (linkability(findings)) }
                    }
                    @for (at, (figure, result)) in inferred.iter().enumerate() {
                        tr {
                            @if at == 0 {
                                th scope="rowgroup" rowspan=(inferred.len()) { "Inference" br; "(attribute" br; "disclosure)" }
                            }
                            td { (figure) }
                            td.number { (result) }
                        }
                    }
                }
            }
        }
        (re_identification(view, findings))
    }
}

fn linkability(findings: &Findings) -> String {
    let risks = &findings.identity;
    match (risks.several_records.is_zero(), findings.releases, findings.unlinked.is_empty()) {
        (false, ..) => risks.linkable.ratio_text(&risks.several_records),
        (true, 0 | 1, _) => "not applicable to one release".to_owned(),
        (true, _, true) => "no person is in several releases".to_owned(),
        (true, _, false) => "unknown: record owners are unknown".to_owned(),
    }
}

/// Returns the rows about inference of one column: the figure and its result.
fn inference(view: &View, findings: &Findings, column: &ColumnView) -> Vec<(Markup, Markup)> {
    let name = quoted(column.name);
    let now = &column.now;
    let mut rows = vec![(
        html! { "people whose " (name) " is certain" },
        proved_or_possible(view, &now.certain, &now.may_be_certain, &now.people),
    )];
    if let Some(threshold) = column.threshold {
        rows.push((
            html! { "people for whom the posterior of " (name) " exceeds the threshold of " (percent(threshold)) },
            proved_or_possible(view, &now.above, &now.may_be_above, &now.people),
        ));
    }
    for pair in findings.pairs.iter().filter(|pair| pair.column == column.name) {
        let [one, other] = pair.releases;
        rows.push((
            html! { "posterior of " (name) " for an attacker who knows a person’s groups in releases " (one) " and " (other) },
            html! {
                @if pair.certain { "certain" } @else { "above the threshold" }
                @if let Some(threshold) = column.threshold { " (threshold " (percent(threshold)) ")" }
            },
        ));
    }
    rows.push((
        html! {
            "attacker accuracy: expected percentage of people whose " (name) " is guessed correctly (baseline: guess the most frequent "
            "value for every person)"
        },
        html! { (column.accuracy) @if column.accuracy != "not shown" { " (baseline " (column.baseline) ")" } },
    ));
    rows
}

/// Renders the number of people for whom a statement is proved and, if higher, the number for whom it is not ruled out.
fn proved_or_possible(view: &View, proved: &Count, may: &Count, people: &Count) -> Markup {
    html! { (proved.ratio_text(people)) @if !is_tight(view, proved, may) { "; not ruled out for " (may.people_text()) } }
}

/// Renders the re-identification risk for three attackers.
fn re_identification(view: &View, findings: &Findings) -> Markup {
    let [maximum, average] = &findings.identity.prosecutor;
    html! {
        div.scroll {
            table.regulators {
                caption { "Re-identification risk: probability that the attacker finds the record of a person" }
                thead {
                    tr {
                        th scope="col" { "attacker" }
                        th scope="col" { "goal and knowledge" }
                        th.number scope="col" { "maximum" }
                        th.number scope="col" { "average" }
                    }
                }
                tbody {
                    tr {
                        th scope="row" { "Prosecutor" }
                        td { "targets one person, and knows which releases contain this person" }
                        (risk("maximum", maximum))
                        (risk("average", average))
                    }
                    tr {
                        th scope="row" { "Journalist" }
                        td { "targets one person, and does not know whether this person is in a release" }
                        td.number colspan="2" { "not higher than the prosecutor risk" }
                    }
                    tr {
                        th scope="row" { "Marketer" }
                        td { "targets as many people as possible, and accepts errors" }
                        td.number data-head="maximum" { "–" }
                        (risk("average", average))
                    }
                }
            }
        }
        @if findings.identity.over_time.len() > 1 {
            div.scroll {
                table.regulators {
                    caption { "Prosecutor risk after each release, given all releases up to it" }
                    thead {
                        tr {
                            th scope="col" { "release" }
                            th.number scope="col" { "maximum" }
                            th.number scope="col" { "average" }
                        }
                    }
                    tbody {
                        @for after in &findings.identity.over_time {
                            @let ((number, name), [maximum, average]) = (&after.release, &after.prosecutor);
                            tr {
                                th scope="row" { (number) " " (name) }
                                (risk("maximum", maximum))
                                (risk("average", average))
                            }
                        }
                    }
                }
            }
        }
        @if !findings.unlinked.is_empty() && findings.releases > 1 {
            p.quiet { "These risks do not cover the combination of releases whose record owners are unknown." }
        }
        p.quiet {
            "Usual threshold: " (percent(USUAL_THRESHOLD)) " (" (USUAL_THRESHOLD) "), the maximum risk usually accepted for published "
            "clinical data (European Medicines Agency, Policy 0070; Health Canada)."
            @if let Some(min_count) = view.min_count {
                " Averages are shown in steps of 10\u{a0}%, and only for " (format_count(min_count.saturating_mul(100)))
                " people or more."
            }
        }
    }
}

/// Renders the cell of a risk, with a tag if it exceeds the usual threshold.
fn risk(head: &str, (text, is_above): &(String, bool)) -> Markup {
    html! {
        td.number data-head=(head) {
            @if *is_above {
                strong { (text) } " " span.tag.above { "above " (percent(USUAL_THRESHOLD)) }
            } @else {
                (text)
            }
        }
    }
}
