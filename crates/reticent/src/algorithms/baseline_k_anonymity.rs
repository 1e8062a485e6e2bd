//! The baseline of k-anonymity: all quasi-identifiers of the new release by themselves, whatever was released before.
//!
//! What  every quasi-identifier is in one class key, and classes have at least k people; found by top-down specialization.
//! Why   the first thing that was proposed against joins: whatever a later release joins on is k-anonymous already. It costs
//!       more than the requirement asks where that speaks of fewer columns, and it says nothing about inference.
//! Paper KDD 2006, section 1 (after Sweeney) and figures 1 to 4, KAD and KAE.

use super::joints::judged;
use super::{Control, Guarantee, Listed, Outcome, Task};
use crate::error::Result;
use crate::history::History;
use crate::registry::{Argument, Arguments, Domain, Entry, Kind, Parameter};
use crate::requirement::{Requirement, Wording};
use crate::schema::Role;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "baseline-k-anonymity",
        title: "baseline: k-anonymity of the whole release",
        summary: "Makes classes of k people on all quasi-identifiers, and refuses if that does not keep the requirement.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 6: KAD and KAE",
        thwarts: "a comparison, not a recommendation: what it costs to ignore the history",
        comparison: true,
        parameters: &[
            Parameter {
                name: "k",
                domain: Domain::Whole(2),
                default: Some("5"),
                meaning: "people in the smallest class",
            },
            Parameter {
                name: "zero-gain",
                domain: Domain::Flag,
                default: Some("false"),
                meaning: "whether steps are taken that gain nothing; the paper's baseline takes none",
            },
        ],
        evidence: &["laws::algorithms", "golden::kdd2006"],
    },
    run,
};

fn run(task: &Task<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<Outcome> {
    let quasi = task.table.with_role(Role::QuasiIdentifier);
    let on: Vec<String> = quasi.iter().map(|column| task.table.columns[*column].name.clone()).collect();
    let schema = super::joints::schema_of(task.table);
    let words = Arguments::default().set("k", Argument::Number(arguments.number("k")?)).set("on", Argument::Words(on));
    let wording = Wording { model: "k-anonymity".to_owned(), arguments: words, line: None };
    let requirement = Requirement::build(&[wording], &schema)?;
    let history = History::default();
    let alone = Task { requirement: &requirement, history: &history, ..*task };
    let options = Arguments::default().set("zero-gain", Argument::Flag(arguments.flag("zero-gain")?));
    let outcome = super::run("top-down-specialization", &alone, options, control)?;
    judged(task, Outcome { guarantee: Guarantee::Safe, ..outcome })
}
