//! How sure the figures are, what a possible world is, what was assumed, and how the audit was computed.

use maud::{Markup, html};
use reticent::audit::SolveStats;
use reticent::text::{counted, format_count, people};

use crate::view::{Findings, releases};
use crate::words::{Worlds, joined, quoted};

/// The kinds of figures: exact, bound, estimate.
pub fn figures(found: &Findings, is_complete: bool) -> Markup {
    let bits = found.columns.iter().filter_map(|column| column.bits.as_ref().map(|bits| (column.name, bits)));
    let bits: Vec<Markup> =
        bits.map(|(name, bits)| html! { (bits) " bits are left open of " (quoted(name)) }).collect();
    html! {
        dl.kinds {
            div {
                dt { "Exact" }
                dd {
                    "The probability was counted: the share of all worlds in which the person has the value. "
                    (if is_complete { "Here" } else { "Here, of what could be judged" }) ":"
                    @for column in &found.columns {
                        br;
                        strong { (column.exact.ratio_text(&column.now.people)) } " for " (quoted(column.name)) "."
                    }
                }
            }
            div {
                dt { "Bound" }
                dd {
                    "Where not everything could be counted, the true probability was proved to lie between two numbers. “Certain” and "
                    "“above” are always proved, never estimated; “not ruled out” means that the upper bound is above."
                }
            }
            div {
                dt { "Estimate" }
                dd {
                    "Maximum entropy, or samples. " strong { "Maximum entropy can understate the risk" } ": it can call a value open that is "
                    "certain. So no verdict here rests on it; it only fills in where nothing better is known."
                    @if !bits.is_empty() { br; "By it, " (joined(&bits, "and")) "." }
                }
            }
        }
    }
}

/// The number of possible worlds, in one sentence.
pub fn worlds(found: &Findings) -> Markup {
    html! {
        p {
            "A world is one way to give everybody one of the published values such that it fits " (releases(found.releases)) "; here "
            @match found.worlds {
                Worlds::Exact(1) => "there is 1, so everything is told",
                Worlds::TooMany => "they were too many to count, for some people at least",
                Worlds::NotCounted => "they were not counted, because not everybody is followed from release to release",
                Worlds::NotShown => "their number is not shown",
                worlds => { "there are " (worlds) },
            }
            ", and the fewer there are, the more is told."
        }
    }
}

/// The assumptions, and the attackers that were not considered.
pub fn assumed(found: &Findings) -> Markup {
    html! {
        div.two {
            div {
                h4 { "Assumed" }
                ul {
                    @for line in &found.assumptions { li { (line) } }
                    @if !found.multi_record_people.is_zero() {
                        li { "People with several records in one release: " (found.multi_record_people) "." }
                    }
                    @if !found.changed_people.is_zero() {
                        li { "People whose value changed between releases: " (found.changed_people) "." }
                    }
                }
            }
            div {
                h4 { "Not considered" }
                ul { @for line in &found.not_considered { li { (line) } } }
                p.quiet { "Against these, this report says nothing." }
            }
        }
    }
}

/// The methods that gave the result.
pub fn computed(found: &Findings, is_complete: bool) -> Markup {
    if let Some(details) = &found.details {
        return work(details.work, is_complete);
    }
    let counted = match found.all_counted {
        true if is_complete => "The worlds of everybody were counted.",
        true => "Of what could be judged, the worlds of everybody were counted.",
        false => "Not everybody’s worlds could be counted; where they could not, bounds were proved.",
    };
    let converged = match found.converged {
        true => "The estimates converged.",
        false => "Some estimates did not converge, and were left out.",
    };
    html! { p { (counted) " " (converged) } }
}

fn work(work: &SolveStats, is_complete: bool) -> Markup {
    html! {
        div.scroll {
            table.work {
                tbody { @for (what, value) in steps(work, is_complete) { tr { th scope="row" { (what) } td { (value) } } } }
            }
        }
        p.quiet {
            "People whom nothing tells apart are one crowd here. Which of them has which of the crowd’s values is not counted as open, but "
            "is counted in the worlds."
        }
    }
}

/// The steps of the computation, each with its result.
fn steps(work: &SolveStats, is_complete: bool) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&str, String)> = vec![
        ("Open after looking at each count by itself", counted(work.open, "combination") + " of people and values"),
        ("Of these forced by the others", format_count(work.forced)),
        (
            "Sets of people who depend on each other",
            format!("{}, the largest of {}", format_count(work.components), people(work.largest_component)),
        ),
        ("Worlds counted", counted(work.components_counted, "set")),
    ];
    let not_counted = match work.components_not_counted {
        0 if is_complete => "none".to_owned(),
        0 => "none of what could be judged".to_owned(),
        sets => format!("{} with {}", counted(sets, "set"), people(work.people_not_counted)),
    };
    lines.push(("Too many worlds to count", not_counted));
    if work.people_by_symmetry > 0 {
        lines.push(("Settled because values can be exchanged", people(work.people_by_symmetry)));
    }
    if work.components_bounded + work.components_not_bounded > 0 {
        let asked = format!(
            "{}, {} of {} crowds and values; {} too large",
            counted(work.components_bounded, "set"),
            format_count(work.bounds_computed),
            format_count(work.bounds),
            counted(work.components_not_bounded, "set"),
        );
        lines.push(("Bounds looked for by programs", asked));
        if work.bounds_tight > 0 {
            lines.push(("Of these bounds reached by worlds", format_count(work.bounds_tight)));
        }
    }
    let converged = match (work.not_converged, work.entropy) {
        (0, Some(_)) => "converged everywhere".to_owned(),
        (0, None) => "not made".to_owned(),
        (sets, _) => format!("did not converge for {}; these have no estimate", counted(sets, "set")),
    };
    lines.push(("Maximum entropy", converged));
    if let Some(gap) = work.gap.as_ref().filter(|gap| gap.residual > 0.0 || gap.duality_gap > 0.0) {
        let (missed, nats) = (gap.residual, gap.duality_gap);
        let text =
            format!("counts are missed by at most {missed:.0e} people; at most {nats:.0e} nats below the maximum");
        lines.push(("How close it came", text));
    }
    lines
}
