//! How sure the figures are, what a world is, what was assumed, and how it was computed.

use super::view::{Found, releases};
use super::words::escape;
use crate::text::{counted, grouped};
use reticent_inference::Work;

/// What is exact, what is a bound, what is an estimate.
pub fn figures(found: &Found, judged_all: bool) -> String {
    let mut exact = String::new();
    for told in &found.columns {
        exact += &format!(
            "<br><strong>{}</strong> for <q>{}</q>.",
            escape(&told.exact.of(&told.now.people)),
            escape(told.name)
        );
    }
    let here = if judged_all { "Here" } else { "Here, of what could be judged" };
    let bits = found.columns.iter().filter_map(|told| told.bits.as_ref().map(|bits| (told.name, bits)));
    let bits: Vec<String> =
        bits.map(|(name, bits)| format!("{bits} bits are left open of <q>{}</q>", escape(name))).collect();
    let bits = if bits.is_empty() { String::new() } else { format!("<br>By it, {}.", super::words::list(&bits)) };
    format!(
        "<dl class=\"kinds\">\n\
         <div><dt>Exact</dt><dd>The probability was counted: the share of all worlds in which the person has the value. {here}:{exact}</dd></div>\n\
         <div><dt>Bound</dt><dd>Where not everything could be counted, the true probability was proved to lie between two numbers. “Certain” and “above” are always proved, never estimated; “not ruled out” means that the upper bound is above.</dd></div>\n\
         <div><dt>Estimate</dt><dd>Maximum entropy, or samples. <strong>Maximum entropy can understate the risk</strong>: it can call a value open that is certain. So no verdict here rests on it; it only fills in where nothing better is known.{bits}</dd></div>\n</dl>\n"
    )
}

/// Worlds, in one sentence.
pub fn worlds(found: &Found) -> String {
    let together = releases(found.releases);
    let number = match found.worlds.text.as_str() {
        "1" => "there is 1, so everything is told".to_owned(),
        "too many to count" => "they were too many to count, for some people at least".to_owned(),
        "not counted" => "they were not counted, because not everybody is followed from release to release".to_owned(),
        "not shown" => "their number is not shown".to_owned(),
        _ => format!("there are {}", found.worlds.html),
    };
    format!(
        "<p>A world is one way to give everybody one of the published values such that it fits {together}; here {number}, and the fewer there are, the more is told.</p>\n"
    )
}

/// What was taken for granted, and which attackers were left out.
pub fn assumed(found: &Found) -> String {
    let list =
        |lines: &[String]| -> String { lines.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect() };
    let mut notes = String::new();
    if !found.several.is_zero() {
        notes += &format!("<li>People with several records in one release: {}.</li>\n", escape(&found.several.text));
    }
    if !found.changed.is_zero() {
        notes += &format!("<li>People whose value changed between releases: {}.</li>\n", escape(&found.changed.text));
    }
    format!(
        "<div class=\"two\"><div><h4>Assumed</h4>\n<ul>\n{}{notes}</ul></div>\n<div><h4>Not considered</h4>\n<ul>\n{}</ul>\n<p class=\"quiet\">Against these, this report says nothing.</p></div></div>\n",
        list(&found.assumed),
        list(&found.not_considered)
    )
}

/// How the answer was found.
pub fn computed(found: &Found, judged_all: bool) -> String {
    match &found.closely {
        Some(closely) => work(closely.work, judged_all),
        None => {
            let counted = match found.all_counted {
                true if judged_all => "The worlds of everybody were counted.",
                true => "Of what could be judged, the worlds of everybody were counted.",
                false => "Not everybody’s worlds could be counted; where they could not, bounds were proved.",
            };
            let converged = match found.converged {
                true => "The estimates converged.",
                false => "Some estimates did not converge, and were left out.",
            };
            format!("<p>{counted} {converged}</p>\n")
        }
    }
}

fn work(work: &Work, judged_all: bool) -> String {
    let mut lines: Vec<(&str, String)> = vec![
        ("Open after looking at each count by itself", counted(work.open, "combination") + " of people and values"),
        ("Of these forced by the others", grouped(work.forced)),
        (
            "Sets of people who depend on each other",
            format!("{}, the largest of {}", grouped(work.pieces), people(work.largest)),
        ),
        ("Worlds counted", counted(work.counted, "set")),
    ];
    let not = match work.not_counted {
        0 if judged_all => "none".to_owned(),
        0 => "none of what could be judged".to_owned(),
        sets => format!("{} with {}", counted(sets, "set"), people(work.people_not_counted)),
    };
    lines.push(("Too many worlds to count", not));
    if work.by_symmetry > 0 {
        lines.push(("Settled because values can be exchanged", people(work.by_symmetry)));
    }
    if work.bounded + work.not_bounded > 0 {
        let asked = format!(
            "{}, {} of {} crowds and values; {} too large",
            counted(work.bounded, "set"),
            grouped(work.bounds_asked),
            grouped(work.bounds),
            counted(work.not_bounded, "set"),
        );
        lines.push(("Bounds looked for by programs", asked));
        if work.bounds_reached > 0 {
            lines.push(("Of these bounds reached by worlds", grouped(work.bounds_reached)));
        }
    }
    let converged = match (work.not_converged, work.entropy) {
        (0, Some(_)) => "converged everywhere".to_owned(),
        (0, None) => "not made".to_owned(),
        (sets, _) => format!("did not converge for {}; these have no estimate", counted(sets, "set")),
    };
    lines.push(("Maximum entropy", converged));
    if let Some(gap) = work.gap.as_ref().filter(|gap| gap.missed > 0.0 || gap.nats > 0.0) {
        let (missed, nats) = (gap.missed, gap.nats);
        let text =
            format!("counts are missed by at most {missed:.0e} people; at most {nats:.0e} nats below the maximum");
        lines.push(("How close it came", text));
    }
    let rows: String =
        lines.iter().map(|(what, value)| format!("<tr><th scope=\"row\">{what}</th><td>{value}</td></tr>\n")).collect();
    format!(
        "<div class=\"scroll\"><table class=\"work\">\n<tbody>\n{rows}</tbody></table></div>\n\
         <p class=\"quiet\">People whom nothing tells apart are one crowd here. Which of them has which of the crowd’s values is not counted as open, but is counted in the worlds.</p>\n"
    )
}

fn people(number: u64) -> String {
    if number == 1 { "1 person".to_owned() } else { format!("{} people", grouped(number)) }
}
