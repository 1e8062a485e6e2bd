//! The risks in the terms of regulators: singling out, linkability, inference, and three kinds of attackers.

use maud::{Markup, html};
use reticent::text::format_count;

use crate::sections::no_more;
use crate::view::{ColumnView, Count, Findings, USUAL_THRESHOLD, View};
use crate::words::{percent, quoted};

/// Both tables.
pub fn regulators(view: &View, found: &Findings) -> Markup {
    let risks = &found.identity;
    let inferred: Vec<(Markup, Markup)> =
        found.columns.iter().flat_map(|column| inference(view, found, column)).collect();
    html! {
        div.scroll {
            table.regulators {
                caption { "The three risks of the European data protection authorities (Opinion 05/2014)" }
                thead {
                    tr {
                        th scope="col" { "risk" }
                        th scope="col" { "what was counted" }
                        th.number scope="col" { "found" }
                    }
                }
                tbody {
                    tr {
                        th scope="row" { "Singling out" }
                        td { "people whose row in some release is like nobody else’s there" }
                        td.number { (risks.singled_out.ratio_text(&found.people)) }
                    }
                    tr {
                        th scope="row" { "Linkability" }
                        td { "people in several releases whose rows are like nobody else’s in two of them, and can be put together" }
                        td.number { (linkability(found)) }
                    }
                    @for (at, (what, value)) in inferred.iter().enumerate() {
                        tr {
                            @if at == 0 { th scope="rowgroup" rowspan=(inferred.len()) { "Inference" } }
                            td { (what) }
                            td.number { (value) }
                        }
                    }
                }
            }
        }
        (re_identification(view, found))
    }
}

fn linkability(found: &Findings) -> String {
    let risks = &found.identity;
    match (risks.in_several.is_zero(), found.releases, found.unlinked.is_empty()) {
        (false, ..) => risks.linkable.ratio_text(&risks.in_several),
        (true, 0 | 1, _) => "there is one release".to_owned(),
        (true, _, true) => "nobody is in several releases".to_owned(),
        (true, _, false) => "not known, as it is not known whose the rows are".to_owned(),
    }
}

/// The rows about inference of one column: what was counted, and the result.
fn inference(view: &View, found: &Findings, column: &ColumnView) -> Vec<(Markup, Markup)> {
    let name = quoted(column.name);
    let now = &column.now;
    let mut rows = vec![(
        html! { "people whose " (name) " is certain" },
        proved(view, &now.certain, &now.may_be_certain, &now.people),
    )];
    if let Some(threshold) = column.threshold {
        rows.push((
            html! { "people whose " (name) " can be told with more than " (percent(threshold)) " confidence" },
            proved(view, &now.above, &now.may_be_above, &now.people),
        ));
    }
    for pair in found.pairs.iter().filter(|pair| pair.column == column.name) {
        let [one, other] = pair.releases;
        let how = if pair.certain { "for certain" } else { "with more confidence than is allowed" };
        rows.push((
            html! { "whether releases " (one) " and " (other) " tell " (name) " of somebody who is in a group of each" },
            html! { (how) },
        ));
    }
    rows.push((
        html! { "how often the likeliest " (name) " is right; in brackets, if one only knew how common values are" },
        html! { (column.accuracy) @if column.accuracy != "not shown" { " (" (column.baseline) ")" } },
    ));
    rows
}

/// The people for whom a statement is proved, and those for whom it is not ruled out, if these can be more.
fn proved(view: &View, proved: &Count, may: &Count, people: &Count) -> Markup {
    html! { (proved.ratio_text(people)) @if !no_more(view, proved, may) { "; not ruled out for " (may) } }
}

/// The re-identification risk for three kinds of attackers.
fn re_identification(view: &View, found: &Findings) -> Markup {
    let [highest, average] = &found.identity.prosecutor;
    html! {
        div.scroll {
            table.regulators {
                caption { "The risk that somebody’s row is found among those like it" }
                thead {
                    tr {
                        th scope="col" { "who looks" }
                        th scope="col" { "what they know" }
                        th.number scope="col" { "highest" }
                        th.number scope="col" { "average" }
                    }
                }
                tbody {
                    tr {
                        th scope="row" { "Prosecutor" }
                        td { "looks for one person, and knows that they are in the release that helps most" }
                        (risk("highest", highest))
                        (risk("average", average))
                    }
                    tr {
                        th scope="row" { "Journalist" }
                        td { "looks for one person, and does not know whether they are in a release" }
                        td.number colspan="2" { "no more than that" }
                    }
                    tr {
                        th scope="row" { "Marketer" }
                        td { "wants as many people as possible, and takes what fails" }
                        td.number data-head="highest" { "–" }
                        (risk("average", average))
                    }
                }
            }
        }
        p.quiet {
            @match view.least {
                None => {
                    (USUAL_THRESHOLD) " (" (percent(USUAL_THRESHOLD))
                    ") is the greatest risk usually accepted for clinical data that everybody may see (European Medicines Agency, policy "
                    "0070; Health Canada)."
                }
                Some(least) => {
                    "Averages are shown in steps of ten percent, for " (format_count(least.saturating_mul(100))) " people or more."
                }
            }
        }
    }
}

/// The cell of a risk, marked if it is above the usual threshold.
fn risk(head: &str, (text, is_above): &(String, bool)) -> Markup {
    html! {
        td.number data-head=(head) {
            @if *is_above {
                strong { (text) } " " span.tag.sure { "above " (USUAL_THRESHOLD) }
            } @else {
                (text)
            }
        }
    }
}
