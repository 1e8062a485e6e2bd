//! Record linkage: links people of an external table to records of a release.
//!
//! Attack   joins an external table with the release. A record matches a person if every published value is compatible with the
//!          known value: equal to it, or an ancestor or descendant in the taxonomy.
//! Assumes  that the person is in the release.
//! Paper    survey section 2.1, example 2.1.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use rayon::prelude::*;

use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{cells, is_unsuppressed, with_role};
use super::input::{AttackInput, Unchecked, not_runnable, releases};
use super::knowledge::{AttackerProfile, known_columns, known_in, profiles};
use super::{AttackDef, AttackTarget};
use crate::data::contingency::Weight;
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::error::Result;
use crate::ratio::Ratio;
use crate::registry::{Entry, Kind};
use crate::release::Release;
use crate::release::history::RecordedRelease;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "record-linkage",
    title: "record linkage",
    summary: "Joins an external table with the release, and counts the records and sensitive values that match each known person.",
    paper: "Sweeney, k-anonymity: a model for protecting privacy, 2002; survey section 2.1",
    protects_against: "record linkage (re-identification) and the attribute disclosure that follows from it",
    comparison: false,
    parameters: &[],
    evidence: &[
        "attacks::tests::record_linkage_example_2_1",
        "attacks::tests::record_linkage_example_2_2",
        "broken::attacks",
    ],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::People, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    if input.people.is_empty() {
        return Err(not_runnable(&ENTRY, "the attack needs an external table of people"));
    }
    let mut findings = Vec::new();
    for recorded in releases(input, &ENTRY, 1)? {
        let known = known_in(recorded, input.people, input.history)?;
        let release = recorded.with_owners();
        let profiles = profiles(&release, &known)?;
        // An attacker can use every known column to identify people, whatever its role.
        let mut columns = known_columns(&profiles);
        columns.extend(with_role(&release, Role::QuasiIdentifier));
        columns.sort_unstable();
        columns.dedup();
        let matches: Vec<Vec<usize>> =
            profiles.par_iter().map(|profile| matching_combinations(&release, profile)).collect();
        let mut people_by_matches: BTreeMap<Vec<usize>, Weight> = BTreeMap::new();
        matches.into_iter().filter(|matches| !matches.is_empty()).for_each(|matches| {
            *people_by_matches.entry(matches).or_insert(0) += 1;
        });
        for (matches, known) in people_by_matches {
            findings.extend(match_findings(input, recorded, (&release, &columns), &matches, known));
        }
    }
    conclude(&ENTRY, findings, Unchecked::new(input))
}

/// The findings about known people with the same matching records: identity disclosure, then attribute disclosure.
fn match_findings(
    input: &AttackInput<'_>,
    recorded: &RecordedRelease,
    (release, columns): (&Release, &[usize]),
    matches: &[usize],
    known: Weight,
) -> Vec<Finding> {
    let (records, people) = sizes(release, matches);
    let class = common_cells(release, columns, matches);
    let (place, subject) = (release_text(recorded), people_in_class(known, &class));
    let finding = |confidence: Ratio, text: String| Finding {
        attack: ENTRY.id,
        releases: vec![recorded.number],
        people: known,
        records: Some(records),
        confidence: AttackConfidence::Exact(confidence),
        certain: confidence == Ratio::new(1, 1),
        class: class.clone(),
        column: None,
        value: None,
        text,
    };
    let mut findings = Vec::new();
    let identity = Ratio::new(1, people);
    if identity >= input.confidence {
        let text = match people {
            1 => format!("{subject} of the external table can be linked to the records of one person in {place}"),
            count => {
                format!("{subject} of the external table can be linked to the records of {count} people in {place}")
            }
        };
        findings.push(finding(identity, text));
    }
    // In a bucketized release, the sensitive value of a single record has no meaning.
    let columns =
        if recorded.presentation.group_column.is_some() { Vec::new() } else { with_role(release, Role::Sensitive) };
    for column in columns {
        let name = &release.columns[column].name;
        for (code, carriers) in value_counts(release, matches, column) {
            let share = Ratio::new(carriers, records);
            if share >= input.confidence && is_unsuppressed(&release.columns[column], code) {
                let extent = if carriers == records { "all".to_owned() } else { format!("a share of {share}") };
                let text = format!(
                    "{extent} of the records in {place} that match {subject} of the external table disclose the same {name}"
                );
                let label = release.columns[column].label(code).to_owned();
                let (column, value) = (Some(name.clone()), Some(DisclosedValue { code: Some(code), label }));
                findings.push(Finding { column, value, ..finding(share, text) });
            }
        }
    }
    findings
}

/// The columns in which all matching records agree, as (column, value).
fn common_cells(release: &Release, columns: &[usize], matches: &[usize]) -> Vec<(String, String)> {
    let codes = |column: usize| matches.iter().map(move |at| release.contingency.codes[column][*at]);
    let agree = |column: &usize| codes(*column).all(|code| Some(code) == codes(*column).next());
    let columns: Vec<usize> = columns.iter().copied().filter(agree).collect();
    matches.first().map(|at| cells(release, &columns, *at)).unwrap_or_default()
}

/// Indices of the combinations that match a person.
fn matching_combinations(release: &Release, profile: &AttackerProfile) -> Vec<usize> {
    (0..release.contingency.len()).filter(|at| profile.fits(&release.contingency, *at)).collect()
}

/// Number of matching records, and number of their owners.
fn sizes(release: &Release, matches: &[usize]) -> (Weight, Weight) {
    let records = matches.iter().map(|at| release.contingency.weights[*at]).sum();
    let people = match &release.contingency.owners {
        None => records,
        Some(owners) => matches.iter().map(|at| owners[*at]).collect::<HashSet<_>>().len() as Weight,
    };
    (records, people)
}

/// Codes of a column in the matching records, ascending, each with its number of records.
fn value_counts(release: &Release, matches: &[usize], column: usize) -> Vec<(Code, Weight)> {
    let mut by_code = vec![0; release.columns[column].nodes.len()];
    for at in matches {
        by_code[release.contingency.codes[column][*at] as usize] += release.contingency.weights[*at];
    }
    (0..).zip(by_code).filter(|(_, records)| *records > 0).collect()
}
