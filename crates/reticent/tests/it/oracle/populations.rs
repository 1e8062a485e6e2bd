//! Releases that are joined with a population register: no value on the quasi-identifiers of our releases and of the register has
//! fewer than k people of our data. The register itself need not have k.

use std::collections::{BTreeMap, BTreeSet};

use reticent::algorithms::{Control, LIST, Purpose, RecodingTask, Suppression, ValueForm, run};
use reticent::contingency::ContingencyTable;
use reticent::join::{Breadth, sets_for};
use reticent::registry::Arguments;
use reticent::requirement::Requirement;
use reticent::{InconsistentRules, Ratio, Recoding, RecordedRelease, Release, Role, Table};

use super::histories::Instance;
use super::lossy::{PublishedRows, join};
use crate::support::{Random, spec};

/// A history whose last release is a register: the raw values of its people.
fn with_register(random: &mut Random) -> Instance {
    let earlier = 1 + random.below(2);
    let mut instance = Instance::with_releases(random, 6, earlier, &[]);
    instance.history.releases.iter_mut().for_each(|recorded| recorded.population = false);
    let table = instance.data[earlier].table();
    let release = Recoding::identity(&table).apply(&table).unwrap();
    let mut register = RecordedRelease {
        population: true,
        release: Release { contingency: ContingencyTable { owners: None, ..release.contingency.clone() }, ..release },
        links: None,
        ..instance.history.releases[earlier - 1].clone()
    };
    // Every column of a register is known.
    register.release.columns.iter_mut().for_each(|column| column.role = Role::QuasiIdentifier);
    instance.columns[earlier].iter_mut().for_each(|known| known.col.role = Role::QuasiIdentifier);
    instance.earlier[earlier - 1] = PublishedRows::from_recorded(&register, &instance.columns[earlier]);
    instance.history.releases[earlier - 1] = register;
    instance
}

/// People of each release who share a value on all quasi-identifiers of these releases.
fn people_by_value<'r>(
    members: &[&'r PublishedRows],
    rules: &[InconsistentRules],
) -> BTreeMap<Vec<&'r str>, Vec<BTreeSet<u128>>> {
    let mut people: BTreeMap<Vec<&str>, Vec<BTreeSet<u128>>> = BTreeMap::new();
    for tuple in join(members, rules) {
        let mut x = Vec::new();
        for (member, row) in members.iter().zip(&tuple) {
            let quasi = member.columns.iter().zip(&member.rows[*row]);
            x.extend(quasi.filter(|(known, _)| known.col.role == Role::QuasiIdentifier).map(|(_, text)| text.as_str()));
        }
        let here = people.entry(x).or_insert_with(|| vec![BTreeSet::new(); members.len()]);
        for (member, row) in tuple.iter().enumerate() {
            here[member].insert(members[member].people[*row]);
        }
    }
    people
}

/// The fewest people of our releases who share a value on all quasi-identifiers of the new release and of the releases in `with`;
/// `None` if no tuple matches. People of an earlier release count only where the new release makes them fewer.
fn fewest(instance: &Instance, release: &Release, with: &[usize]) -> Option<usize> {
    let new = PublishedRows::new(release, &instance.columns[0]);
    let members: Vec<&PublishedRows> = [&new].into_iter().chain(with.iter().map(|at| &instance.earlier[*at])).collect();
    let is_population = |member: usize| member > 0 && instance.history.releases[with[member - 1]].population;
    let before = people_by_value(&members[1..], &instance.rules);
    let known = new.columns.iter().filter(|known| known.col.role == Role::QuasiIdentifier).count();
    let is_as_before = |x: &[&str], member: usize, people: usize| {
        member > 0 && before.get(&x[known..]).is_some_and(|before| people >= before[member - 1].len())
    };
    let people = people_by_value(&members, &instance.rules);
    let ours = people.iter().flat_map(|(x, counted)| {
        let counted = counted.iter().map(BTreeSet::len).enumerate().filter(|(member, _)| !is_population(*member));
        counted.filter(|(member, people)| !is_as_before(x, *member, *people)).map(|(_, people)| people)
    });
    ours.min()
}

/// Runs an algorithm on a k-anonymity requirement over these sets of earlier releases. `None` if it refuses.
fn publish(
    instance: &Instance,
    table: &Table,
    sets: &[Vec<usize>],
    algorithm: &str,
    suppression: Suppression,
) -> Option<Release> {
    let specs = [spec("k-anonymity k=2")];
    let mut requirement = Requirement::from_specs(&specs, &instance.data[0].schema()).unwrap();
    let rules = instance.rules.clone();
    requirement.join(&specs, &instance.schema, instance.member(), &instance.history, sets, rules).unwrap();
    let task = RecodingTask {
        table,
        history: &instance.history,
        requirement: &requirement,
        purpose: &Purpose::General,
        suppression,
        values: ValueForm::Nodes,
    };
    let outcome = run(algorithm, &task, Arguments::default(), &Control::QUIET).ok()?;
    Some(outcome.recoding.apply(table).unwrap())
}

#[test]
fn no_accepted_release_has_a_value_with_fewer_than_k_of_our_people() {
    let mut random = Random(20_261_119);
    let mut accepted = 0;
    for round in 0..1_500 {
        let instance = with_register(&mut random);
        if instance.generalized().is_empty() {
            continue;
        }
        let table = instance.data[0].table();
        let all: Vec<usize> = (0..instance.history.releases.len()).collect();
        let specs = [spec("k-anonymity k=2")];
        let Ok(sets) =
            sets_for(&table, &instance.history, std::slice::from_ref(&all), Breadth::Auto, &instance.rules, &specs)
        else {
            continue;
        };
        let suppression = match random.below(2) {
            0 => Suppression::NONE,
            _ => Suppression { limit: Ratio::new(1, 3), cells: true },
        };
        let algorithm = random.pick(LIST).entry.id;
        let smallest = |release: &Release| sets.iter().filter_map(|set| fewest(&instance, release, set)).min();
        if let Some(release) = publish(&instance, &table, &sets, algorithm, suppression) {
            let least = smallest(&release);
            accepted += usize::from(least.is_some());
            assert!(least.is_none_or(|least| least >= 2), "round {round}, {algorithm}: {}", instance.description());
        }
    }
    assert!(accepted > 100, "{accepted} accepted and joined");
}
