//! Random tiny tables: every group is judged by a naive definition, and the loss is compared with the least of all partitions.

use std::collections::BTreeSet;

use super::random::Random;
use super::*;

/// A table with a sensitive value per record.
struct Tiny {
    trees: Vec<Tree>,
    codes: Vec<Vec<u32>>,
    values: Vec<Vec<usize>>,
    min_weight: u64,
    max_confidence: f64,
}

impl Tiny {
    fn random(random: &mut Random, max_confidence: f64) -> Tiny {
        let trees = vec![tree(random), tree(random)];
        let code = |tree: &Tree, random: &mut Random| random.below(tree.nodes[0].codes.len()) as u32;
        let rows: BTreeSet<[u32; 2]> =
            (0..=random.below(6)).map(|_| [code(&trees[0], random), code(&trees[1], random)]).collect();
        let values = rows.iter().map(|_| (0..=random.below(3)).map(|_| random.below(3)).collect()).collect();
        let codes = (0..2).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
        Tiny { trees, codes, values, min_weight: 2 + random.below(3) as u64, max_confidence }
    }

    fn judge(&self, members: &[u32]) -> GroupVerdict {
        let values: Vec<usize> = members.iter().flat_map(|member| self.values[*member as usize].clone()).collect();
        let largest = (0..3).map(|value| values.iter().filter(|other| **other == value).count()).max().unwrap();
        let confidence = largest as f64 / values.len() as f64;
        let holds = values.len() as u64 >= self.min_weight && confidence <= self.max_confidence;
        GroupVerdict { holds, safety: -confidence }
    }

    fn search(&self, form: ValueForm, seed: u64, moves: u64) -> Option<Vec<Group>> {
        let judge = |members: &[u32], _nodes: &[u32]| self.judge(members);
        let weights: Vec<u64> = self.values.iter().map(|values| values.len() as u64).collect();
        let any = self.max_confidence >= 1.0;
        let input = Input {
            trees: &self.trees,
            codes: &self.codes,
            weights: &weights,
            judge: &judge,
            min_weight: self.min_weight,
            only_weight: any && seed.is_multiple_of(2),
            merging_is_safe: any,
            form,
            set_detail_loss: &|_, _| 0.0,
        };
        search(&input, seed, &Budget { vectors: 100, moves }, &|| false)
    }

    /// The same table with the combinations in reverse order.
    fn reversed(&self) -> Tiny {
        let codes = self.codes.iter().map(|codes| codes.iter().rev().copied().collect()).collect();
        let values = self.values.iter().rev().cloned().collect();
        Tiny { trees: self.trees.clone(), codes, values, ..*self }
    }

    /// Loss of a partition, or `None` if a class violates the requirement.
    fn loss(&self, groups: &[Vec<u32>], form: ValueForm) -> Option<f64> {
        let mut classes: Vec<(Vec<BTreeSet<u32>>, Vec<u32>)> = Vec::new();
        for members in groups {
            let published: Vec<BTreeSet<u32>> = (0..2).map(|column| self.published(column, members, form)).collect();
            match classes.iter_mut().find(|class| class.0 == published) {
                Some(class) => class.1.extend(members),
                None => classes.push((published, members.clone())),
            }
        }
        let mut loss = 0.0;
        for (published, members) in &classes {
            if !self.judge(members).holds {
                return None;
            }
            let records: usize = members.iter().map(|member| self.values[*member as usize].len()).sum();
            for (leaves, tree) in published.iter().zip(&self.trees) {
                loss += records as f64 * (leaves.len() - 1) as f64 / (tree.nodes[0].codes.len() - 1) as f64;
            }
        }
        Some(loss)
    }

    /// Leaves below the published value of a group.
    fn published(&self, column: usize, members: &[u32], form: ValueForm) -> BTreeSet<u32> {
        let leaves: BTreeSet<u32> = members.iter().map(|member| self.codes[column][*member as usize]).collect();
        let above = |node: &&TreeNode| leaves.iter().all(|code| node.codes.contains(code));
        match form {
            ValueForm::Sets if self.trees[column].ordered => {
                let missing = self.trees[column].missing.filter(|code| leaves.contains(code));
                let known = || leaves.iter().filter(|code| Some(**code) != missing).copied();
                let range = known().min().zip(known().max()).map_or(0..0, |(first, last)| first..last + 1);
                range.chain(missing).collect()
            }
            ValueForm::Sets => leaves,
            ValueForm::Nodes => {
                let nodes = self.trees[column].nodes.iter().filter(above);
                nodes.min_by_key(|node| node.codes.len()).unwrap().codes.clone().collect()
            }
        }
    }

    /// Least loss of all partitions.
    fn optimum(&self, form: ValueForm) -> Option<f64> {
        let mut partitions: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
        for member in 0..self.values.len() as u32 {
            let extended = |groups: Vec<Vec<u32>>| {
                (0..=groups.len()).map(move |at| {
                    let mut groups = groups.clone();
                    groups.resize(groups.len().max(at + 1), Vec::new());
                    groups[at].push(member);
                    groups
                })
            };
            partitions = partitions.into_iter().flat_map(extended).collect();
        }
        partitions.iter().filter_map(|groups| self.loss(groups, form)).min_by(f64::total_cmp)
    }
}

/// Tree with 2 to 4 leaves, sometimes with an inner node above all but the first.
fn tree(random: &mut Random) -> Tree {
    let leaves = 2 + random.below(3) as u32;
    let loss = |codes: &std::ops::Range<u32>| (codes.len() - 1) as f64 / f64::from(leaves - 1);
    let node = |parent: Option<u32>, codes: std::ops::Range<u32>| TreeNode { parent, loss: loss(&codes), codes };
    let mut nodes = vec![node(None, 0..leaves)];
    let inner = leaves > 2 && random.below(2) == 0;
    if inner {
        nodes.push(node(Some(0), 1..leaves));
    }
    nodes.extend((0..leaves).map(|code| node(Some(u32::from(inner && code > 0)), code..code + 1)));
    // Some trees are those of numbers, sometimes with a missing value.
    let ordered = random.below(3) == 0;
    Tree { nodes, ordered, missing: Some(leaves - 1).filter(|_| random.below(2) == 0), weight: 1.0, has_detail: false }
}

fn members(groups: &[Group]) -> Vec<Vec<u32>> {
    groups.iter().map(|group| group.members.clone()).collect()
}

/// Checks random tables and returns the mean ratio of the loss to the optimum.
fn mean_ratio(form: ValueForm, max_confidence: f64) -> f64 {
    let mut random = Random::new(7);
    let mut ratios = Vec::new();
    for seed in 0..400 {
        let table = Tiny::random(&mut random, max_confidence);
        let all: Vec<u32> = (0..table.values.len() as u32).collect();
        let found = table.search(form, seed, 10_000);
        assert_eq!(found.is_some(), table.judge(&all).holds);
        let Some(groups) = found else { continue };
        let groups = members(&groups);
        let mut seen = groups.concat();
        seen.sort_unstable();
        assert_eq!(seen, all);
        assert!(groups.iter().all(|members| table.judge(members).holds));
        let loss = table.loss(&groups, form).expect("every class satisfies the requirement");
        let best = table.optimum(form).expect("one group satisfies the requirement");
        assert!(loss >= best - 1e-9);
        ratios.push(if best > 0.0 { loss / best } else { 1.0 + loss });
        let unimproved = table.search(form, seed, 0).expect("the same requirement");
        assert!(loss <= table.loss(&members(&unimproved), form).expect("satisfying") + 1e-9);
    }
    ratios.iter().sum::<f64>() / ratios.len() as f64
}

#[test]
fn groups_satisfy_the_requirement_and_are_near_the_optimum() {
    for form in [ValueForm::Nodes, ValueForm::Sets] {
        for max_confidence in [1.0, 0.6, 0.5] {
            let ratio = mean_ratio(form, max_confidence);
            assert!(ratio < 1.2, "{form:?}, confidence {max_confidence}: {ratio}");
        }
    }
}

#[test]
fn the_result_does_not_depend_on_the_order_of_the_input() {
    let mut random = Random::new(3);
    for seed in 0..200 {
        let table = Tiny::random(&mut random, 0.6);
        let last = table.values.len() as u32 - 1;
        for form in [ValueForm::Nodes, ValueForm::Sets] {
            let sets = |groups: Vec<Group>, number: &dyn Fn(u32) -> u32| -> BTreeSet<BTreeSet<u32>> {
                groups.iter().map(|group| group.members.iter().map(|member| number(*member)).collect()).collect()
            };
            let given = table.search(form, seed, 10_000).map(|groups| sets(groups, &|member| member));
            let reversed = table.reversed().search(form, seed, 10_000);
            assert_eq!(given, reversed.map(|groups| sets(groups, &|member| last - member)));
        }
    }
}

#[test]
fn a_stopped_search_returns_satisfying_groups() {
    let mut random = Random::new(5);
    for seed in 0..200 {
        let table = Tiny::random(&mut random, 0.6);
        let judge = |members: &[u32], _nodes: &[u32]| table.judge(members);
        let weights: Vec<u64> = table.values.iter().map(|values| values.len() as u64).collect();
        let input = Input {
            trees: &table.trees,
            codes: &table.codes,
            weights: &weights,
            judge: &judge,
            min_weight: 1,
            only_weight: false,
            merging_is_safe: false,
            form: ValueForm::Nodes,
            set_detail_loss: &|_, _| 0.0,
        };
        let found = search(&input, seed, &Budget { vectors: 10, moves: 10 }, &|| true);
        assert!(found.into_iter().flatten().all(|group| table.judge(&group.members).holds));
    }
}
