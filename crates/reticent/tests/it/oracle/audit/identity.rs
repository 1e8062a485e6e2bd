//! Re-identification risk of small histories, compared with the owners of every record in every possible world.

use std::collections::BTreeMap;

use reticent::audit::{Audit, pseudonym_text};
use reticent::taxonomy::NodeId;

use super::{PublishedGroup, SmallHistory, World};

/// Owners of the records of a group in one possible world: the share of each person, by record. All assignments of the records to
/// the people that match the world are equally likely.
fn record_owners(small: &SmallHistory, group: &PublishedGroup, world: &World) -> Vec<BTreeMap<u128, f64>> {
    fn assign(
        small: &SmallHistory,
        (people, records): (&[u128], &[Vec<NodeId>]),
        world: &World,
        owners: &mut Vec<Option<u128>>,
        found: &mut Vec<Vec<u128>>,
    ) {
        let Some((person, rest)) = people.split_first() else {
            found.push(owners.iter().map(|owner| owner.unwrap()).collect());
            return;
        };
        for at in 0..records.len() {
            if owners[at].is_none() && small.covers(&records[at], &world[person]) {
                owners[at] = Some(*person);
                assign(small, (rest, records), world, owners, found);
                owners[at] = None;
            }
        }
    }
    let mut found = Vec::new();
    assign(small, (&group.2, &group.3), world, &mut vec![None; group.3.len()], &mut found);
    let share = 1.0 / found.len() as f64;
    let of_record = |at: usize| {
        let mut shares = BTreeMap::new();
        found.iter().for_each(|owners| *shares.entry(owners[at]).or_insert(0.0) += share);
        shares
    };
    (0..group.3.len()).map(of_record).collect()
}

/// Compares the re-identification risk with the owners of every record in every possible world.
pub(super) fn check_identity(small: &SmallHistory, worlds: &[World], audit: &Audit, exact: bool) -> Result<(), String> {
    let groups = small.groups();
    let people: Vec<u128> = small.people().into_iter().collect();
    // By group, record and world: the possible owners.
    let owners: Vec<Vec<Vec<BTreeMap<u128, f64>>>> = groups
        .iter()
        .map(|group| {
            let by_world: Vec<_> = worlds.iter().map(|world| record_owners(small, group, world)).collect();
            (0..group.3.len()).map(|at| by_world.iter().map(|records| records[at].clone()).collect()).collect()
        })
        .collect();
    let all = worlds.len() as f64;
    let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
    let (mut singled_out, mut linkable, mut several, mut highest, mut sum) = (0, 0, 0, 0.0f64, 0.0);
    for person in &people {
        let mut risk = 0.0f64;
        let mut own: Vec<&Vec<BTreeMap<u128, f64>>> = Vec::new();
        for (group, owners) in groups.iter().zip(&owners) {
            for (at, of_record) in owners.iter().enumerate() {
                let share =
                    of_record.iter().map(|shares| shares.get(person).copied().unwrap_or(0.0)).sum::<f64>() / all;
                risk = risk.max(share);
                own.extend((group.2[at] == *person).then_some(of_record));
            }
        }
        let only = |shares: &BTreeMap<u128, f64>| shares.keys().next().copied().filter(|_| shares.len() == 1);
        let same_owner = |one: &Vec<BTreeMap<u128, f64>>, other: &Vec<BTreeMap<u128, f64>>| {
            one.iter().zip(other).all(|(one, other)| only(one).is_some() && only(one) == only(other))
        };
        let tied = (0..own.len()).any(|at| own[..at].iter().any(|other| same_owner(own[at], other)));
        let name = pseudonym_text(*person);
        let found = audit.persons.as_ref().unwrap().iter().find(|one| one.pseudonym.as_ref() == Some(&name)).unwrap();
        let range = found.reidentification;
        let is_within = range.lower.value() < risk + 1e-9 && range.upper.value() > risk - 1e-9;
        let is_exact = near(range.lower.value(), risk) && near(range.upper.value(), risk);
        if !is_within || (range.is_exact() || exact) && !is_exact {
            return Err(format!("risk of {person}: {range:?}, but {risk}"));
        }
        (singled_out, linkable) = (singled_out + u64::from(near(risk, 1.0)), linkable + u64::from(tied));
        (several, highest, sum) = (several + u64::from(own.len() > 1), highest.max(risk), sum + risk);
    }
    let found = &audit.identity;
    let possible = found.singled_out <= singled_out
        && singled_out <= found.may_be_singled_out
        && found.linkable <= linkable
        && linkable <= found.may_be_linkable;
    let tight = (found.singled_out, found.linkable) == (found.may_be_singled_out, found.may_be_linkable);
    if !possible || exact && !tight || found.with_several_records != several {
        return Err(format!("singled out, linkable, several: {found:?}, but {singled_out} {linkable} {several}"));
    }
    let average = sum / people.len() as f64;
    let is_within = |lower: f64, upper: f64, value: f64| lower < value + 1e-9 && upper > value - 1e-9;
    let (maximum, mean) = (found.prosecutor, found.marketer);
    match is_within(maximum.lower.value(), maximum.upper.value(), highest) && is_within(mean.lower, mean.upper, average)
    {
        true => Ok(()),
        false => Err(format!("prosecutor {highest} {average}, but {found:?}")),
    }
}
