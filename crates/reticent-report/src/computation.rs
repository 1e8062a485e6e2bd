//! Reliability of the figures, possible worlds, assumptions, and the steps of the computation.

use maud::{Markup, html};
use reticent::audit::SolveStats;
use reticent::text::{counted, format_count, people};

use crate::view::{Findings, all_releases};
use crate::words::{Worlds, joined, quoted};

/// Explains the kinds of figures: exact, bound, estimate.
pub fn figures(findings: &Findings, is_complete: bool) -> Markup {
    let bits =
        findings.columns.iter().filter_map(|column| column.entropy_bits.as_ref().map(|bits| (column.name, bits)));
    let bits: Vec<Markup> = bits.map(|(name, bits)| html! { (bits) " bits for " (quoted(name)) }).collect();
    html! {
        dl.kinds {
            div {
                dt { "Exact" }
                dd {
                    "The posterior is the exact proportion of possible worlds in which the person has the value. "
                    (if is_complete { "Exact posteriors" } else { "Exact posteriors, as far as could be judged" }) ":"
                    @for column in &findings.columns {
                        br;
                        strong { (column.exact.ratio_text(&column.now.people)) } " for " (quoted(column.name)) "."
                    }
                }
            }
            div {
                dt { "Bound" }
                dd {
                    "If not all possible worlds could be counted, the posterior was proved to lie between a lower and an upper bound. "
                    "“Certain” and “above” are always proved, never estimated. “Not ruled out” and “possibly” mean that the upper bound "
                    "exceeds the threshold or reaches certainty."
                }
            }
            div {
                dt { "Estimate" }
                dd {
                    "The method is maximum entropy or sampling. " strong { "Maximum entropy can understate the risk" } ": it can give a "
                    "low posterior to a value that is certain. Therefore no verdict in this report depends on it. For a person, it is shown only where "
                    "no exact posterior is known."
                    @if !bits.is_empty() {
                        br;
                        "Remaining uncertainty by maximum entropy, as a sum over all people: " (joined(&bits, "and")) "."
                    }
                }
            }
        }
    }
}

/// Explains possible worlds, and states their number.
pub fn worlds(findings: &Findings) -> Markup {
    html! {
        p {
            "A possible world is an assignment of the published values to people that is consistent with "
            (all_releases(findings.releases)) ". "
            @match findings.worlds {
                Worlds::Exact(1) => "There is 1 possible world, so every value is certain.",
                Worlds::TooMany => "For at least some people, there are too many possible worlds to count.",
                Worlds::NotCounted => {
                    "Possible worlds were not counted, because the records of some people are not linked across releases."
                },
                Worlds::NotShown => "Their number is not shown.",
                worlds => { "There are " (worlds) " possible worlds." },
            }
            " The fewer possible worlds there are, the more an attacker can infer."
        }
    }
}

/// Lists the assumptions, and the attackers that the audit does not cover.
pub fn assumptions(findings: &Findings) -> Markup {
    html! {
        div.two {
            div {
                h4 { "Assumptions" }
                ul {
                    @for line in &findings.assumptions { li { (line) } }
                    @if !findings.multi_record_people.is_zero() {
                        li { "People with several records in one release: " (findings.multi_record_people) "." }
                    }
                    @if !findings.changed_people.is_zero() {
                        li { "People whose value changed between releases: " (findings.changed_people) "." }
                    }
                }
            }
            div {
                h4 { "Not covered" }
                ul { @for line in &findings.not_considered { li { (line) } } }
                p.quiet { "This report makes no statement about these attackers." }
            }
        }
    }
}

/// Describes how the result was computed.
pub fn computed(findings: &Findings, is_complete: bool) -> Markup {
    if let Some(details) = &findings.details {
        return steps_table(details.stats, is_complete);
    }
    let counted = match findings.all_counted {
        true if is_complete => "The possible worlds of all people were counted.",
        true => "As far as could be judged, the possible worlds of all people were counted.",
        false => "The possible worlds of some people could not be counted. For these people, bounds were proved.",
    };
    let converged = match findings.converged {
        true => "All estimates converged.",
        false => "Some estimates did not converge and were left out.",
    };
    html! { p { (counted) " " (converged) } }
}

fn steps_table(stats: &SolveStats, is_complete: bool) -> Markup {
    html! {
        div.scroll {
            table.work {
                tbody { @for (step, result) in steps(stats, is_complete) { tr { th scope="row" { (step) } td { (result) } } } }
            }
        }
        p.quiet {
            "A class consists of the people who are in the same groups. A component consists of classes whose values depend on each other. "
            "Assignments of values within a class are counted as possible worlds, but not as undetermined combinations."
        }
    }
}

/// Returns the steps of the computation, each with its result.
fn steps(stats: &SolveStats, is_complete: bool) -> Vec<(&'static str, String)> {
    let mut steps: Vec<(&str, String)> = vec![
        (
            "Undetermined after propagation of each single count",
            counted(stats.open, "combination") + " of a class and a value",
        ),
        ("Of these, determined by network flows or linear programs", format_count(stats.forced)),
        (
            "Connected components",
            format!("{}; the largest with {}", format_count(stats.components), people(stats.largest_component)),
        ),
        ("Possible worlds counted", counted(stats.components_counted, "component")),
    ];
    let not_counted = match stats.components_not_counted {
        0 if is_complete => "none".to_owned(),
        0 => "none, as far as could be judged".to_owned(),
        number => format!("{} with {}", counted(number, "component"), people(stats.people_not_counted)),
    };
    steps.push(("Too many possible worlds to count", not_counted));
    if stats.people_by_symmetry > 0 {
        steps.push(("Not counted, but all undetermined values are exchangeable", people(stats.people_by_symmetry)));
    }
    if stats.components_bounded + stats.components_not_bounded > 0 {
        let examined = format!(
            "{}; {} of {} examined; too large: {}",
            counted(stats.components_bounded, "component"),
            format_count(stats.bounds_computed),
            counted(stats.bounds, "combination"),
            counted(stats.components_not_bounded, "component"),
        );
        steps.push(("Bounds by linear programs", examined));
        if stats.bounds_tight > 0 {
            steps.push(("Of these, combinations with tight bounds", format_count(stats.bounds_tight)));
        }
    }
    let converged = match (stats.not_converged, stats.entropy) {
        (0, Some(_)) => "converged for all components".to_owned(),
        (0, None) => "not computed".to_owned(),
        (number, _) => format!("no estimate for {}: not converged", counted(number, "component")),
    };
    steps.push(("Maximum entropy", converged));
    if let Some(gap) = stats.gap.as_ref().filter(|gap| gap.residual > 0.0 || gap.duality_gap > 0.0) {
        let (residual, duality_gap) = (gap.residual, gap.duality_gap);
        let text = format!("residual at most {residual:.0e} people; duality gap at most {duality_gap:.0e} nats");
        steps.push(("Accuracy of maximum entropy", text));
    }
    steps
}
