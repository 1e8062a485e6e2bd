//! The attacker who knows how the algorithm decided: that it generalized, or hid, no more than it had to.

use std::collections::BTreeSet;

use reticent::attacks::{Finding, downcoding, minimality};
use reticent::history::History;
use reticent::registry::{Argument, Arguments};
use reticent::report::Breach;
use reticent::schema::Role;

use super::{Attack, Beside, Question, attack};
use crate::failure::Failure;

/// Runs the attacks of somebody who knows that, for every sensitive value that a release shows.
pub fn attacks(
    held: &History,
    question: &Question,
    beside: &Beside<'_>,
    found: &mut Vec<Attack>,
) -> Result<(), Failure> {
    let mut values = BTreeSet::new();
    for release in held.releases.iter().map(|held| &held.release) {
        for (at, column) in release.columns.iter().enumerate().filter(|(_, column)| column.role == Role::Sensitive) {
            let shown: BTreeSet<u32> = release.combos.codes[at].iter().copied().collect();
            values.extend(shown.into_iter().map(|code| (column.name.clone(), column.label(code).to_owned())));
        }
    }
    let mut all: Option<Attack> = None;
    let mut obstacles: Vec<String> = Vec::new();
    for (column, value) in values {
        let Some(allowed) = question.allowed(&column) else { continue };
        let with = Arguments::default()
            .set("values", Argument::Thresholds(vec![(value, allowed.to_f64())]))
            .set("sensitive", Argument::Word(column));
        let mut one = attack(minimality::ENTRY.id, held, question, beside, |_| Ok(with.clone()))?;
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
        // What was found for one value is told also where another could not be looked at.
        let why = (!obstacles.is_empty()).then(|| obstacles.join("; "));
        (all.not_run, all.not_checked) = if all.findings.is_empty() { (why, None) } else { (None, why) };
        all.findings.sort_by(Finding::order);
    }
    found.retain(|attack| ![minimality::ENTRY.id, downcoding::ENTRY.id].contains(&attack.id.as_str()));
    found.extend(all);
    let k = beside.loaded.and_then(|loaded| loaded.policy.short.k);
    let with = k.map_or_else(Arguments::default, |k| Arguments::default().set("k", Argument::Number(k as f64)));
    found.push(attack(downcoding::ENTRY.id, held, question, beside, |_| Ok(with.clone()))?);
    Ok(())
}

fn of_algorithm(attacks: &[Attack]) -> impl Iterator<Item = &Attack> {
    let known = [minimality::ENTRY.id, downcoding::ENTRY.id];
    attacks.iter().filter(move |attack| known.contains(&attack.id.as_str()))
}

/// Whether such attacks were all run, on everything.
pub fn looked_at_all(attacks: &[Attack]) -> bool {
    of_algorithm(attacks).all(|attack| attack.not_run.is_none() && attack.not_checked.is_none())
}

/// What they tell that is not allowed.
pub fn breaches(attacks: &[Attack]) -> Vec<Breach> {
    let found = of_algorithm(attacks).filter(|attack| !attack.findings.is_empty());
    let breach = |attack: &Attack| {
        let certain = attack.findings.iter().any(|finding| finding.certain);
        let how = if certain { "for certain" } else { "with more confidence than is allowed" };
        let words = format!("somebody who knows the algorithm can tell {how} what is not published ({})", attack.title);
        Breach { words, certain }
    };
    found.map(breach).collect()
}
