//! The attacker who knows how the algorithm decided: that it generalized, or hid, no more than it had to.

use std::collections::BTreeSet;

use super::{Attacked, Beside, attack};
use crate::attacks::{Confidence, Finding, downcoding, minimality};
use crate::audit::{Disclosure, Question};
use crate::error::Result;
use crate::history::{Held, History};
use crate::registry::{Argument, Arguments};
use crate::release::PublishedColumn;
use crate::schema::Role;

/// Runs the attacks of this attacker, for every sensitive value that a release shows.
///
/// # Errors
///
/// If an attack cannot be set up; an attack that cannot be run says so in its answer.
pub fn algorithm_attacks(
    held: &History,
    question: &Question,
    beside: &Beside<'_>,
    found: &mut Vec<Attacked>,
) -> Result<()> {
    let mut values = BTreeSet::new();
    for release in held.releases.iter().map(|held| &held.release) {
        for (at, column) in release.columns.iter().enumerate().filter(|(_, column)| column.role == Role::Sensitive) {
            let shown: BTreeSet<u32> = release.combos.codes[at].iter().copied().collect();
            values.extend(shown.into_iter().map(|code| (column.name.clone(), column.label(code).to_owned())));
        }
    }
    let mut all: Option<Attacked> = None;
    let mut obstacles: Vec<String> = Vec::new();
    let mut ran = false;
    for (column, value) in values {
        let Some(allowed) = question.allowed(&column) else { continue };
        let with = Arguments::default()
            .set("values", Argument::Thresholds(vec![(value, allowed.to_f64())]))
            .set("sensitive", Argument::Word(column));
        let mut one = attack(&minimality::ENTRY, held, question, beside, &with)?;
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
        all.findings.iter_mut().for_each(only_if);
        obstacles.extend(held.releases.iter().any(generalizes).then(|| TOGETHER.to_owned()));
        // What was found for one value is told also where another could not be looked at.
        let why = (!obstacles.is_empty()).then(|| obstacles.join("; "));
        (all.not_run, all.not_checked) = if ran { (None, why) } else { (why, None) };
        all.findings.sort_by(Finding::order);
    }
    found.retain(|attack| ![minimality::ENTRY.id, downcoding::ENTRY.id].contains(&attack.id.as_str()));
    found.extend(all);
    let with = beside.k.map_or_else(Arguments::default, |k| Arguments::default().set("k", Argument::Number(k as f64)));
    found.push(attack(&downcoding::ENTRY, held, question, beside, &with)?);
    Ok(())
}

/// Minimality looks at one value and one step at a time.
const TOGETHER: &str = "every value is bounded, and any of them, or too few people, may be why a step was taken: what all values and all \
                        steps tell together is not counted";

/// What follows if one value was the reason is no more than an estimate of what follows if any may have been.
fn only_if(finding: &mut Finding) {
    (finding.confidence, finding.certain) = (Confidence::Estimate(finding.confidence.to_f64()), false);
    finding.words =
        format!("{}, if the bound on this value was the need", finding.words.replacen("a certain", "a probable", 1));
}

/// Whether anything in a release that shows something sensitive is generalized by a step that can be undone.
fn generalizes(held: &Held) -> bool {
    let release = &held.release;
    let of_role = |role: Role| release.columns.iter().enumerate().filter(move |(_, column)| column.role == role);
    let is_general = |(at, column): (usize, &PublishedColumn)| {
        let node = |code: &u32| column.tree.node(column.nodes[*code as usize]);
        release.combos.codes[at].iter().any(|code| !node(code).children.is_empty())
    };
    of_role(Role::Sensitive).next().is_some() && of_role(Role::QuasiIdentifier).any(is_general)
}

fn of_algorithm(attacks: &[Attacked]) -> impl Iterator<Item = &Attacked> {
    let known = [minimality::ENTRY.id, downcoding::ENTRY.id];
    attacks.iter().filter(move |attack| known.contains(&attack.id.as_str()))
}

/// Whether such attacks were all run, on everything.
pub(crate) fn looked_at_all(attacks: &[Attacked]) -> bool {
    of_algorithm(attacks).all(|attack| attack.not_run.is_none() && attack.not_checked.is_none())
}

/// What they disclose above the bound.
pub fn disclosures(attacks: &[Attacked]) -> Vec<Disclosure> {
    // What is an estimate is not established, which is told as such.
    let exact = |finding: &Finding| matches!(finding.confidence, Confidence::Exact(_));
    let found = of_algorithm(attacks).filter(|attack| attack.findings.iter().any(exact));
    let disclosure = |attack: &Attacked| {
        let certain = attack.findings.iter().any(|finding| finding.certain);
        let how = if certain { "for certain" } else { "with more confidence than is allowed" };
        let words = format!("somebody who knows the algorithm can tell {how} what is not published ({})", attack.title);
        Disclosure { words, certain }
    };
    found.map(disclosure).collect()
}
