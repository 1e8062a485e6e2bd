//! Baseline: k-anonymity on all quasi-identifiers of the new release, without regard to earlier releases.
//!
//! Definition  every equivalence class on all quasi-identifiers has at least k people; computed by top-down specialization.
//! Purpose     an early proposal against joins: any columns on which a later release is joined are already k-anonymous. It loses more
//!             than needed if the requirement concerns fewer columns, and it does not limit inference.
//! Paper       KDD 2006, section 1 (after Sweeney) and figures 1 to 4, KAD and KAE.

use super::join_checker::check_outcome;
use super::{AlgorithmDef, Control, Guarantee, RecodingTask, SearchOutcome};
use crate::data::schema::Role;
use crate::error::Result;
use crate::registry::{Argument, Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::history::History;
use crate::requirement::{ModelSpec, Requirement};

pub(super) const LISTED: AlgorithmDef = AlgorithmDef {
    entry: Entry {
        kind: Kind::Algorithm,
        id: "baseline-k-anonymity",
        title: "baseline: k-anonymity of the whole release",
        summary: "Forms equivalence classes of at least k people on all quasi-identifiers. Refuses if the result violates the requirement.",
        paper: "Wang and Fung, Anonymizing Sequential Releases, KDD 2006, section 6: KAD and KAE",
        protects_against: "for comparison only: the cost of ignoring earlier releases",
        comparison: true,
        parameters: &[
            ParameterDef {
                name: "k",
                domain: Domain::Whole(2),
                default: Some("5"),
                meaning: "minimum number of people in an equivalence class",
            },
            ParameterDef {
                name: "zero-gain",
                domain: Domain::Flag,
                default: Some("false"),
                meaning: "whether to take specialization steps with zero gain; the baseline of the paper does not",
            },
        ],
        evidence: &["laws::algorithms", "golden::kdd2006"],
    },
    sets: false,
    run,
};

fn run(task: &RecodingTask<'_>, arguments: &Arguments, control: &Control<'_>) -> Result<SearchOutcome> {
    let quasi = task.table.with_role(Role::QuasiIdentifier);
    let on: Vec<String> = quasi.iter().map(|column| task.table.columns[*column].name.clone()).collect();
    let schema = super::join_checker::schema_of(task.table);
    let model_arguments =
        Arguments::default().set("k", Argument::Number(arguments.number("k")?)).set("on", Argument::Words(on));
    let spec = ModelSpec { model: "k-anonymity".to_owned(), arguments: model_arguments, line: None };
    let requirement = Requirement::build(&[spec], &schema)?;
    let history = History::default();
    let single_task = RecodingTask { requirement: &requirement, history: &history, ..*task };
    let options = Arguments::default().set("zero-gain", Argument::Flag(arguments.flag("zero-gain")?));
    let outcome = super::run("top-down-specialization", &single_task, options, control)?;
    check_outcome(task, SearchOutcome { guarantee: Guarantee::Safe, ..outcome })
}
