//! Laws of joins: generalization never removes a match, and a recipient with more releases finds at least as many violations.

use std::collections::BTreeSet;

use reticent::join::{Breadth, JoinCheck, sub_histories};
use reticent::requirement::Requirement;
use reticent::taxonomy::Cut;
use reticent::{LossyJoin, PublishedColumn, Recoding, Release};

use crate::oracle::histories::{Instance, RandomSpec, publish};
use crate::oracle::lossy::{PublishedRows, join, matching};
use crate::support::Random;

/// The published rows of the new table under a recoding, in the order of the table.
fn row_by_row(instance: &Instance, recoding: &Recoding) -> PublishedRows {
    let data = &instance.data[0];
    let table = data.table();
    let mut result = PublishedRows { columns: instance.columns[0].clone(), rows: Vec::new(), people: Vec::new() };
    for row in &data.rows {
        let codes = table
            .columns
            .iter()
            .zip(row)
            .map(|(column, text)| vec![column.texts.iter().find(|(known, _)| known == text).unwrap().1.unwrap()]);
        let one = reticent::contingency::ContingencyTable { codes: codes.collect(), weights: vec![1], owners: None };
        let mut published = Vec::new();
        assert!(recoding.publish(&one, 0, &mut published));
        let text = |(at, code): (usize, &u32)| recoding.columns[at].column.label(*code).to_owned();
        result.rows.push(published.iter().enumerate().map(text).collect());
        result.people.push(result.rows.len() as u128);
    }
    result
}

/// Increasing generalizations of a recoding: one column after another by one level, then all columns to the root.
fn generalization_steps(instance: &Instance, recoding: &Recoding) -> Vec<Recoding> {
    let table = instance.data[0].table();
    let mut steps = vec![recoding.clone()];
    for column in instance.generalized() {
        let last = steps.last().unwrap();
        let nodes = last.columns.iter().enumerate().map(|(at, recoded)| {
            let nodes: Vec<usize> = recoded.map.iter().map(|place| recoded.column.nodes[*place as usize]).collect();
            let tree = recoded.column.tree.clone();
            let up = |node: &usize| if at == column { tree.node(*node).parent.unwrap_or(0) } else { *node };
            // To keep a cut, all nodes below a raised node are replaced by it.
            let raised: Vec<usize> = nodes.iter().map(up).collect();
            let highest = |node: &usize| {
                let mut best = *node;
                let mut above = Some(*node);
                while let Some(node) = above {
                    if raised.contains(&node) {
                        best = node;
                    }
                    above = tree.node(node).parent;
                }
                best
            };
            (tree.clone(), raised.iter().map(highest).collect())
        });
        let next = Recoding::by_node(&table, nodes.collect());
        steps.push(next);
    }
    let top = table.columns.iter().enumerate().map(|(at, column)| {
        let tree = column.tree.with_leaves();
        let cut = if instance.generalized().contains(&at) { Cut::top() } else { Cut::bottom(&tree) };
        (tree, cut)
    });
    steps.push(Recoding::along(&table, top.collect()));
    steps
}

#[test]
fn generalization_keeps_every_match() {
    let mut random = Random(81);
    let (mut kept, mut gained) = (0, 0);
    for _ in 0..400 {
        let instance = Instance::random(&mut random, 6);
        let table = instance.data[0].table();
        let first = publish(&table, &mut random, false, false);
        let mut before: Option<(Vec<Vec<Vec<bool>>>, u128)> = None;
        for recoding in generalization_steps(&instance, &first) {
            let current = row_by_row(&instance, &recoding);
            let pairs: Vec<Vec<Vec<bool>>> =
                instance.earlier.iter().map(|earlier| matching(&current, earlier, &instance.rules)).collect();
            let release = recoding.apply(&table).unwrap();
            let mut releases: Vec<&Release> = vec![&release];
            releases.extend(instance.history.releases.iter().map(|recorded| &recorded.release));
            let nothing = vec![Vec::new(); releases.len()];
            let size = LossyJoin::new(&releases, &instance.rules, &nothing).size();
            let all: Vec<&PublishedRows> = [&current].into_iter().chain(&instance.earlier).collect();
            assert_eq!(size, join(&all, &instance.rules).len() as u128, "{}", instance.description());
            if let Some((was, smaller)) = before {
                for (was, is) in was.iter().flatten().flatten().zip(pairs.iter().flatten().flatten()) {
                    assert!(!*was || *is, "a match was removed: {}", instance.description());
                    kept += usize::from(*was);
                    gained += usize::from(!was && *is);
                }
                assert!(smaller <= size, "{}", instance.description());
            }
            before = Some((pairs, size));
        }
    }
    assert!(kept > 1000 && gained > 100, "{kept} kept, {gained} gained");
}

/// Number of violations over all sets of releases of these recipients.
fn violations(instance: &Instance, words: &[RandomSpec], recipients: &[Vec<usize>], release: &Release) -> usize {
    let sets = sub_histories(recipients, Breadth::Every).unwrap();
    let mut requirement = Requirement::from_specs(&[], &instance.schema).unwrap();
    let specs: Vec<_> = words.iter().map(RandomSpec::spec).collect();
    let rules = instance.rules.clone();
    requirement.join(&specs, &instance.schema, instance.member(), &instance.history, &sets, rules).unwrap();
    let table = instance.data[0].table();
    let columns: Vec<PublishedColumn> =
        Recoding::identity(&table).columns.into_iter().map(|recoded| recoded.column).collect();
    let mut violated = 0;
    for join in &requirement.joins {
        for constraint in &join.constraints {
            let generalized = instance.generalized();
            let rules = &requirement.rules;
            let check =
                JoinCheck::new(constraint, &columns, &generalized, &instance.history, &join.earlier, rules).unwrap();
            violated += check.survey(release).unwrap().violations.len();
        }
    }
    violated
}

#[test]
fn a_recipient_with_more_releases_finds_at_least_as_many_violations() {
    let mut random = Random(82);
    let (mut compared, mut more) = (0, 0);
    while compared < 150 {
        let instance = Instance::random(&mut random, 5);
        let all: Vec<usize> = (0..instance.history.releases.len()).collect();
        if all.len() < 2 {
            continue;
        }
        let table = instance.data[0].table();
        let release = publish(&table, &mut random, false, true).apply(&table).unwrap();
        let words: Vec<RandomSpec> = (0..2).map(|_| RandomSpec::random(&mut random, &instance)).collect();
        let few: Vec<usize> = all.iter().copied().filter(|_| random.below(2) == 0).collect();
        let found = |recipients: &[Vec<usize>]| violations(&instance, &words, recipients, &release);
        let (by_few, by_all) = (found(std::slice::from_ref(&few)), found(std::slice::from_ref(&all)));
        assert!(by_few <= by_all, "{few:?} find {by_few}, all find {by_all}: {words:?}{}", instance.description());
        // Another recipient with fewer releases does not change the result.
        assert_eq!(found(&[few, all]), by_all);
        compared += 1;
        more += usize::from(by_few < by_all);
    }
    assert!(more > 20, "{more} of {compared}");
}

/// Every subset of the releases of a recipient occurs once, and no set that no recipient has.
#[test]
fn every_subset_of_the_releases_of_a_recipient_occurs_once() {
    let sets = |recipients: &[Vec<usize>], breadth| -> BTreeSet<Vec<usize>> {
        let sets = sub_histories(recipients, breadth).unwrap();
        let distinct: BTreeSet<Vec<usize>> = sets.iter().cloned().collect();
        assert_eq!(distinct.len(), sets.len(), "{sets:?}");
        distinct.into_iter().filter(|set| !set.is_empty()).collect()
    };
    let expected = |sets: &[&[usize]]| -> BTreeSet<Vec<usize>> { sets.iter().map(|set| set.to_vec()).collect() };
    let all: &[&[usize]] = &[&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
    assert_eq!(sets(&[vec![0, 1, 2]], Breadth::Every), expected(all));
    assert_eq!(sets(&[vec![0, 1, 2]], Breadth::Auto), expected(all));
    assert_eq!(sets(&[vec![0, 1, 2]], Breadth::EachAndAll), expected(&[&[0], &[1], &[2], &[0, 1, 2]]));
    let separate = [vec![0, 1], vec![2]];
    assert_eq!(sets(&separate, Breadth::Every), expected(&[&[0], &[1], &[2], &[0, 1]]));
    assert_eq!(sets(&[vec![0, 1], vec![1, 2]], Breadth::Every), expected(&[&[0], &[1], &[2], &[0, 1], &[1, 2]]));
}
