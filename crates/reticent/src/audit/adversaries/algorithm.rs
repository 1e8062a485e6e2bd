//! The attacker who knows how the algorithm decides: it generalizes and suppresses no more than necessary.

use std::collections::BTreeSet;

use super::{AttackContext, AttackRun, attack};
use crate::attacks::{AttackConfidence, Finding, downcoding, minimality};
use crate::audit::{AuditOptions, Disclosure};
use crate::data::schema::Role;
use crate::error::Result;
use crate::registry::{Argument, Arguments};
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};

/// Runs the minimality attack for every published sensitive value, and the downcoding attack. Replaces earlier runs of these.
///
/// # Errors
///
/// Returns an error if an attack cannot be set up. If an attack cannot run, [`AttackRun::not_run`] has the reason.
pub fn algorithm_attacks(
    history: &History,
    options: &AuditOptions,
    context: &AttackContext<'_>,
    runs: &mut Vec<AttackRun>,
) -> Result<()> {
    let mut values = BTreeSet::new();
    for release in history.releases.iter().map(|recorded| &recorded.release) {
        for (at, column) in release.columns.iter().enumerate().filter(|(_, column)| column.role == Role::Sensitive) {
            let shown: BTreeSet<u32> = release.contingency.codes[at].iter().copied().collect();
            values.extend(shown.into_iter().map(|code| (column.name.clone(), column.label(code).to_owned())));
        }
    }
    let mut all: Option<AttackRun> = None;
    let mut obstacles: Vec<String> = Vec::new();
    let mut ran = false;
    for (column, value) in values {
        let Some(bound) = options.threshold(&column) else { continue };
        let with = Arguments::default()
            .set("values", Argument::Thresholds(vec![(value, bound.to_f64())]))
            .set("sensitive", Argument::Word(column));
        let mut one = attack(&minimality::ENTRY, history, options, context, &with)?;
        ran |= one.not_run.is_none();
        let new = one.not_run.take().into_iter().chain(one.not_checked.take());
        new.for_each(|why| {
            if !obstacles.contains(&why) {
                obstacles.push(why);
            }
        });
        match &mut all {
            None => all = Some(one),
            Some(all) => all.findings.extend(one.findings),
        }
    }
    if let Some(all) = &mut all {
        all.findings.iter_mut().for_each(mark_conditional);
        obstacles.extend(history.releases.iter().any(generalizes).then(|| JOINT_NOT_COUNTED.to_owned()));
        // The findings for one value are valid even if another value could not be checked.
        let why = (!obstacles.is_empty()).then(|| obstacles.join("; "));
        (all.not_run, all.not_checked) = if ran { (None, why) } else { (why, None) };
        all.findings.sort_by(Finding::order);
    }
    runs.retain(|attack| ![minimality::ENTRY.id, downcoding::ENTRY.id].contains(&attack.id.as_str()));
    runs.extend(all);
    let with = context.k.map_or_else(Arguments::default, |k| Arguments::default().set("k", Argument::Number(k as f64)));
    runs.push(attack(&downcoding::ENTRY, history, options, context, &with)?);
    Ok(())
}

/// Limitation of the minimality attack, which considers one value and one step at a time.
const JOINT_NOT_COUNTED: &str = "the bound on any value, or a class with too few people, may be the reason for a step; inferences from \
                                 several values or steps together are not counted";

/// Marks a finding as an estimate: it assumes that one value is the reason for a step, although any value may be.
fn mark_conditional(finding: &mut Finding) {
    (finding.confidence, finding.certain) = (AttackConfidence::Estimate(finding.confidence.to_f64()), false);
    finding.text =
        format!("{}, if the bound on this value is the reason", finding.text.replacen("is certain", "is probable", 1));
}

/// Returns whether a release with a sensitive column has a generalized quasi-identifier.
fn generalizes(recorded: &RecordedRelease) -> bool {
    let release = &recorded.release;
    let of_role = |role: Role| release.columns.iter().enumerate().filter(move |(_, column)| column.role == role);
    let is_general = |(at, column): (usize, &PublishedColumn)| {
        let node = |code: &u32| column.tree.node(column.nodes[*code as usize]);
        release.contingency.codes[at].iter().any(|code| !node(code).is_leaf())
    };
    of_role(Role::Sensitive).next().is_some() && of_role(Role::QuasiIdentifier).any(is_general)
}

fn algorithm_runs(attacks: &[AttackRun]) -> impl Iterator<Item = &AttackRun> {
    let known = [minimality::ENTRY.id, downcoding::ENTRY.id];
    attacks.iter().filter(move |attack| known.contains(&attack.id.as_str()))
}

/// Returns whether all attacks of this attacker ran and checked everything.
pub(crate) fn all_checked(attacks: &[AttackRun]) -> bool {
    algorithm_runs(attacks).all(|attack| attack.not_run.is_none() && attack.not_checked.is_none())
}

/// Violations that the attacks of this attacker prove.
pub fn disclosures(attacks: &[AttackRun]) -> Vec<Disclosure> {
    // An estimate proves nothing: the verdict is then not established.
    let exact = |finding: &Finding| matches!(finding.confidence, AttackConfidence::Exact(_));
    let runs = algorithm_runs(attacks).filter(|attack| attack.findings.iter().any(exact));
    let disclosure = |attack: &AttackRun| {
        let certain = attack.findings.iter().any(|finding| finding.certain);
        let how = if certain { "with certainty" } else { "with a posterior above the threshold" };
        let text = format!("an attacker who knows the algorithm can infer unpublished values {how} ({})", attack.title);
        Disclosure { text, certain }
    };
    runs.map(disclosure).collect()
}
