//! What is said to stay violated, and what algorithms make of statements over joined releases, against the definition.

use std::collections::BTreeSet;

use reticent::algorithms::{Control, Guarantee, LIST, Purpose, RecodingTask, SearchOutcome, Suppression, run};
use reticent::join::{Breadth, ColumnRef, Counted, JoinCheck, sets_for};
use reticent::registry::Arguments;
use reticent::requirement::Requirement;
use reticent::taxonomy::{Cut, NodeId, Taxonomy};
use reticent::{Error, Ratio, Recoding, Release, Role, Table};

use super::histories::{Instance, RandomSpec, grow};
use super::join::{counts_generalized_values, find, is_small, longer, raw_columns, some_earlier, statements};
use super::lossy::{Limit, NaiveConstraint};
use super::maximal_sets::{largest_sets, many};
use crate::support::{Data, Random, contents};

/// A way from everything generalized to the table as it is, one node after another.
fn chain(table: &Table, generalized: &[usize], random: &mut Random) -> Vec<Recoding> {
    let raw = |at: usize| {
        let tree = table.columns[at].tree.with_leaves();
        let cut = Cut::bottom(&tree);
        (tree, cut)
    };
    let mut cuts: Vec<(std::sync::Arc<Taxonomy>, Cut)> = (0..table.columns.len())
        .map(|at| if generalized.contains(&at) { (grow(&table.columns[at].tree, random), Cut::top()) } else { raw(at) })
        .collect();
    let mut steps = vec![Recoding::along(table, cuts.clone())];
    loop {
        let mut open: Vec<(usize, NodeId)> = Vec::new();
        for at in generalized {
            let (tree, cut) = &cuts[*at];
            open.extend(
                cut.nodes().iter().filter(|node| !tree.node(**node).children.is_empty()).map(|node| (*at, *node)),
            );
        }
        if open.is_empty() {
            steps.push(Recoding::along(table, (0..table.columns.len()).map(raw).collect()));
            return steps;
        }
        let (at, node) = *random.pick(&open);
        let (tree, cut) = &mut cuts[at];
        cut.specialize(tree, node);
        steps.push(Recoding::along(table, cuts.clone()));
    }
}

/// What is said to stay violated does, on random ways down.
fn stays_violated(seed: u64, rounds: usize) {
    let mut random = Random(seed);
    let (mut claimed, mut denied, mut steps, mut turned, mut unrelated) = (0, 0, 0, 0, 0);
    for round in 0..rounds {
        let instance = Instance::random(&mut random, 6);
        let table = instance.data[0].table();
        let columns = raw_columns(&table);
        let earlier = some_earlier(&mut random, &instance);
        let mut generalized = instance.generalized();
        generalized.retain(|_| random.below(4) > 0);
        if generalized.is_empty() {
            continue;
        }
        let mut held: Vec<(RandomSpec, NaiveConstraint, bool)> = Vec::new();
        for _ in 0..4 {
            let words = RandomSpec::random(&mut random, &instance);
            for (statement, demand) in statements(&instance, &words, &earlier) {
                if counts_generalized_values(&demand, &generalized) {
                    continue;
                }
                let may = if random.below(2) == 0 { instance.generalized() } else { generalized.clone() };
                let joint =
                    JoinCheck::new(&statement, &columns, &may, &instance.history, &earlier, &instance.rules).unwrap();
                let plain = joint.keeps_violating(&generalized);
                joint.compute_relation(&table, &Recoding::identity(&table));
                let related = joint.keeps_violating(&generalized);
                claimed += usize::from(plain || related);
                unrelated += usize::from(plain);
                denied += usize::from(!related);
                held.push((words.clone(), demand, plain || related));
            }
        }
        for _ in 0..2 {
            let mut violated = vec![None; held.len()];
            let demands: Vec<&NaiveConstraint> = held.iter().map(|(_, demand, _)| demand).collect();
            for recoding in chain(&table, &generalized, &mut random) {
                let release = recoding.apply(&table).unwrap();
                for (at, found) in find(&instance, &earlier, &release, &demands).iter().enumerate() {
                    steps += 1;
                    let (words, demand, keeps) = &held[at];
                    let before: &mut Option<String> = &mut violated[at];
                    match (before.as_ref(), found.classes.is_empty()) {
                        (Some(_), true) if !keeps => turned += 1,
                        (Some(before), true) => panic!(
                            "round {round}: no longer violated by {:?} after {before}; {words:?}: {demand:?} with {earlier:?}, generalized {generalized:?}{}",
                            contents(&release),
                            instance.description()
                        ),
                        (_, holds) => *before = (!holds).then(|| format!("{:?}", contents(&release))),
                    }
                }
            }
        }
    }
    println!(
        "{claimed} said to stay violated ({unrelated} without relating), {denied} not; {steps} steps, {turned} turned"
    );
    assert!(claimed * 20 > denied && turned > rounds / 20, "{claimed} claimed, {denied} denied, {turned} turned");
}

/// A task of one wording or two, over one or more sets of earlier releases.
struct Work {
    instance: Instance,
    /// As the library is told to judge them,
    sets: Vec<Vec<usize>>,
    /// and as the definition does.
    judged: Vec<Vec<usize>>,
    words: Vec<RandomSpec>,
    /// Of the new release by itself, if anything.
    alone: Option<u64>,
}

impl Work {
    fn random(random: &mut Random, most: usize) -> Option<Work> {
        let instance = Instance::random(random, most);
        let mut sets = vec![some_earlier(random, &instance), some_earlier(random, &instance)];
        sets.dedup();
        let words: Vec<RandomSpec> =
            (0..1 + random.below(2)).map(|_| RandomSpec::random(random, &instance).weaker(random, &instance)).collect();
        let alone = (random.below(4) == 0 && !instance.generalized().is_empty()).then(|| 2 + random.below(2) as u64);
        if !sets.iter().all(|set| is_small(&instance, set)) {
            return None;
        }
        let work = Work { instance, judged: sets.clone(), sets, words, alone };
        work.demands_something()
    }

    /// After so many releases that not every subset of them is judged.
    fn after_many(random: &mut Random) -> Option<Work> {
        let (instance, table) = many(random);
        let held: Vec<usize> = (0..instance.history.releases.len()).collect();
        let judged: Vec<Vec<usize>> = largest_sets(&instance, &table).into_iter().collect();
        let words: Vec<RandomSpec> =
            (0..1 + random.below(2)).map(|_| RandomSpec::random(random, &instance).weaker(random, &instance)).collect();
        let wordings: Vec<_> = words.iter().map(RandomSpec::spec).collect();
        let sets = sets_for(&table, &instance.history, &[held], Breadth::Auto, &instance.rules, &wordings).ok()?;
        if !judged.iter().all(|set| is_small(&instance, set)) {
            return None;
        }
        Work { instance, sets, judged, words, alone: None }.demands_something()
    }

    fn demands_something(self) -> Option<Work> {
        let some = self.demands().iter().any(|(_, demands)| !demands.is_empty());
        some.then_some(self)
    }

    fn demands(&self) -> Vec<(&Vec<usize>, Vec<NaiveConstraint>)> {
        let of =
            |set: &Vec<usize>| self.words.iter().flat_map(|words| words.constraints(&self.instance, set)).collect();
        self.judged.iter().map(|set| (set, of(set))).collect()
    }

    fn requirement(&self) -> Requirement {
        let instance = &self.instance;
        let alone: Vec<_> = self.alone.iter().map(|k| crate::support::spec(&format!("k-anonymity k={k}"))).collect();
        let mut requirement = Requirement::from_specs(&alone, &instance.data[0].schema()).unwrap();
        let wordings: Vec<_> = self.words.iter().map(RandomSpec::spec).collect();
        requirement
            .join(&wordings, &instance.schema, instance.member(), &instance.history, &self.sets, instance.rules.clone())
            .unwrap();
        requirement
    }

    /// Whether a release satisfies everything by the definitions.
    fn holds(&self, release: &Release) -> bool {
        let instance = &self.instance;
        let joined = self.demands().into_iter().all(|(set, demands)| {
            let demands: Vec<&NaiveConstraint> = demands.iter().collect();
            find(instance, set, release, &demands).iter().all(|found| found.classes.is_empty())
        });
        let alone = self.alone.is_none_or(|k| {
            let x = instance.generalized().iter().map(|column| ColumnRef { release: 0, column: *column }).collect();
            let demand = NaiveConstraint { x, y: BTreeSet::from([Counted::People(0)]), limit: Limit::AtLeast(k) };
            find(instance, &[], release, &[&demand])[0].classes.is_empty()
        });
        joined && alone
    }

    fn specialize(&self, table: &Table, suppression: Suppression) -> reticent::Result<SearchOutcome> {
        self.run("top-down-specialization", table, suppression, &Purpose::General)
    }

    fn run(
        &self,
        id: &str,
        table: &Table,
        suppression: Suppression,
        purpose: &Purpose,
    ) -> reticent::Result<SearchOutcome> {
        let requirement = self.requirement();
        let task =
            RecodingTask { table, history: &self.instance.history, requirement: &requirement, purpose, suppression };
        run(id, &task, Arguments::default(), &Control::QUIET)
    }

    /// The columns that are generalized: quasi-identifiers that some statement takes for known, or that join, but not those
    /// whose values are counted.
    fn generalized(&self) -> Vec<usize> {
        let mut generalized = self.instance.generalized();
        let demands: Vec<NaiveConstraint> = self.demands().into_iter().flat_map(|(_, demands)| demands).collect();
        let known = |at: &usize| demands.iter().any(|demand| demand.x.contains(&ColumnRef { release: 0, column: *at }));
        generalized.retain(|at| self.alone.is_some() || known(at) || self.joins(*at));
        generalized.retain(|at| demands.iter().all(|demand| !counts_generalized_values(demand, &[*at])));
        generalized
    }

    /// Whether a column of the new release has something to do with one of an earlier release that it is judged with.
    fn joins(&self, at: usize) -> bool {
        let names = |release: usize| self.instance.columns[release].iter().map(|known| known.col.name.as_str());
        let ours = names(0).nth(at).unwrap();
        let ruled = |theirs: &str| {
            self.instance.rules.iter().any(|rule| {
                let pair = (rule.one.0.as_str(), rule.other.0.as_str());
                pair == (ours, theirs) || pair == (theirs, ours)
            })
        };
        let judged = self.demands();
        let sets = judged.iter().filter(|(_, demands)| !demands.is_empty()).flat_map(|(set, _)| set.iter());
        sets.into_iter().any(|release| names(release + 1).any(|theirs| theirs == ours || ruled(theirs)))
    }

    /// The table with everything that is generalized at its root.
    fn top(&self, table: &Table) -> Release {
        let generalized = self.generalized();
        let cuts = table.columns.iter().enumerate().map(|(at, column)| {
            let tree = column.tree.with_leaves();
            let cut = if generalized.contains(&at) { Cut::top() } else { Cut::bottom(&tree) };
            (tree, cut)
        });
        Recoding::along(table, cuts.collect()).apply(table).unwrap()
    }

    fn about(&self) -> String {
        format!("{:?} with {:?}, alone {:?}{}", self.words, self.sets, self.alone, self.instance.description())
    }
}

/// The releases that are one step more specific in a column whose tree is given.
fn steps_further(table: &Table, outcome: &SearchOutcome, generalized: &[usize]) -> Vec<(String, Release)> {
    let published: Vec<(std::sync::Arc<Taxonomy>, Vec<NodeId>)> = outcome
        .recoding
        .columns
        .iter()
        .map(|recoded| {
            let nodes = recoded.map.iter().map(|place| recoded.column.nodes[*place as usize]);
            (recoded.column.tree.clone(), nodes.collect())
        })
        .collect();
    let mut further = Vec::new();
    for (column, (tree, above)) in published.iter().enumerate() {
        let given = (0..table.columns[column].tree.nodes().len()).all(|id| !table.columns[column].tree.can_grow(id));
        if !generalized.contains(&column) || !given {
            continue;
        }
        let carried: BTreeSet<NodeId> =
            table.contingency.codes[column].iter().map(|code| above[*code as usize]).collect();
        for node in carried.into_iter().filter(|node| !tree.node(*node).children.is_empty()) {
            let mut nodes = published.clone();
            for child in &tree.node(node).children {
                for code in tree.node(*child).codes.clone() {
                    nodes[column].1[code as usize] = *child;
                }
            }
            let label = format!("{} of {}", tree.node(node).label, table.columns[column].name);
            further.push((label, Recoding::by_node(table, nodes).apply(table).unwrap()));
        }
    }
    further
}

/// What comes out satisfies the definitions, is refused only where nothing helps, and goes as far as it says.
fn specialized(seed: u64, rounds: usize, work: impl Fn(&mut Random) -> Option<Work>) {
    let mut random = Random(seed);
    let (mut made, mut refused, mut left_out, mut maximal, mut tried) = (0, 0, 0, 0, 0);
    for round in 0..rounds {
        let Some(work) = work(&mut random) else { continue };
        let table = work.instance.data[0].table();
        let top = work.holds(&work.top(&table));
        // Most that is asked for by chance cannot be had.
        if !top && random.below(6) > 0 {
            continue;
        }
        for cells in [None, Some(false), Some(true)] {
            let suppression = match cells {
                None => Suppression::NONE,
                Some(cells) => Suppression { limit: Ratio::new(1, 3), cells },
            };
            let about = || format!("round {round}, {suppression:?}, {}", work.about());
            let outcome = match work.specialize(&table, suppression) {
                Ok(outcome) => outcome,
                Err(Error::Refused(refusal)) => {
                    assert!(!top, "refused: {refusal}: {}", about());
                    refused += 1;
                    continue;
                }
                Err(error) => panic!("{error}: {}", about()),
            };
            made += 1;
            let release = outcome.recoding.apply(&table).unwrap();
            assert!(work.holds(&release), "{:?} violates: {}", contents(&release), about());
            assert!(release.suppressed * 3 <= table.contingency.rows() && (cells.is_some() || release.suppressed == 0));
            left_out += usize::from(release.suppressed > 0);
            if cells.is_none() && outcome.guarantee == Guarantee::LocallyMaximal {
                maximal += 1;
                for (step, further) in steps_further(&table, &outcome, &work.generalized()) {
                    tried += 1;
                    assert!(
                        !work.holds(&further),
                        "{step} could be specialized in {:?}: {}",
                        contents(&release),
                        about()
                    );
                }
            }
        }
    }
    println!(
        "{made} made, {refused} refused, {left_out} with records left out, {maximal} maximal, {tried} steps tried"
    );
    assert!(made > rounds / 8 && maximal > rounds / 20 && tried > 0);
}

/// What comes out, or the table as it is.
fn outcome_release(outcome: &reticent::Result<SearchOutcome>, table: &Table) -> Release {
    outcome.as_ref().map_or_else(|_| Release::raw(table), |outcome| outcome.recoding.apply(table)).unwrap()
}

/// Neither the order of the rows nor the number of threads changes anything.
fn same_whatever_the_order(seed: u64, rounds: usize) {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, two) = (pool(1), pool(2));
    let mut random = Random(seed);
    let mut compared = 0;
    for round in 0..rounds {
        let Some(work) = Work::random(&mut random, 8) else { continue };
        let data = &work.instance.data[0];
        let mut order: Vec<usize> = (0..data.rows.len()).collect();
        random.shuffle(&mut order);
        let rows = order.iter().map(|row| data.rows[*row].clone()).collect();
        let owners = data.owners.as_ref().map(|owners| order.iter().map(|row| owners[*row]).collect());
        let shuffled = Data { cols: data.cols.clone(), rows, owners };
        let suppression = *random.pick(&[Suppression::NONE, Suppression { limit: Ratio::new(1, 3), cells: true }]);
        let answer = |data: &Data| {
            let table = data.table();
            let outcome = work.specialize(&table, suppression);
            let requirement = work.requirement();
            let surveys: Vec<String> = requirement
                .joins
                .iter()
                .flat_map(|together| together.constraints.iter().map(move |statement| (together, statement)))
                .map(|(together, statement)| {
                    let generalized = work.instance.generalized();
                    let columns = raw_columns(&table);
                    let joint = JoinCheck::new(
                        statement,
                        &columns,
                        &generalized,
                        &work.instance.history,
                        &together.earlier,
                        &requirement.rules,
                    );
                    let joint = joint.unwrap();
                    joint.compute_relation(&table, &Recoding::identity(&table));
                    let survey = joint.survey(&Release::raw(&table).unwrap()).unwrap();
                    let worst = survey.worst.map(|worst| worst.safety);
                    let violations: Vec<_> =
                        survey.violations.iter().map(|violation| (violation.people, violation.safety)).collect();
                    let marks = joint.violating(&outcome_release(&outcome, &table)).unwrap();
                    format!("{worst:?} {violations:?} {} {} {marks:?}", survey.classes, survey.violating)
                })
                .collect();
            let outcome = outcome.map_err(|error| std::mem::discriminant(&error)).map(|outcome| {
                (contents(&outcome.recoding.apply(&table).unwrap()), outcome.guarantee, outcome.steps, outcome.notes)
            });
            (outcome, surveys)
        };
        let first = one.install(|| answer(data));
        assert_eq!(first, two.install(|| answer(data)), "threads, round {round}, {}", work.about());
        assert_eq!(first, one.install(|| answer(&shuffled)), "order {order:?}, round {round}, {}", work.about());
        compared += 1;
    }
    assert!(compared > rounds / 4);
}

#[test]
fn what_is_said_to_stay_violated_does() {
    longer(73, 500, stays_violated);
}

#[test]
fn specialization_satisfies_every_statement() {
    longer(74, 800, |seed, rounds| specialized(seed, rounds, |random| Work::random(random, 7)));
}

#[test]
fn specialization_of_larger_tables() {
    longer(77, 60, |seed, rounds| specialized(seed, rounds, |random| Work::random(random, 40)));
}

#[test]
fn specialization_after_many_releases() {
    longer(79, 400, |seed, rounds| specialized(seed, rounds, Work::after_many));
}

/// Whatever the algorithm and its purpose: what comes out satisfies every statement, or there is an error.
#[test]
fn no_algorithm_forgets_a_statement() {
    let mut random = Random(78);
    for listed in LIST {
        let (mut made, mut refused) = (0, 0);
        while made + refused < 100 {
            let Some(work) = Work::random(&mut random, 6) else { continue };
            let table = work.instance.data[0].table();
            let purpose = match work.instance.columns[0].iter().find(|known| known.col.role == Role::Other) {
                Some(known) if random.below(2) == 0 => Purpose::Classification(known.col.name.clone()),
                _ => Purpose::General,
            };
            let suppression = *random.pick(&[Suppression::NONE, Suppression { limit: Ratio::new(1, 2), cells: true }]);
            match work.run(listed.entry.id, &table, suppression, &purpose) {
                Ok(outcome) => {
                    made += 1;
                    let release = outcome.recoding.apply(&table).unwrap();
                    let about = || format!("{}, {purpose:?}, {suppression:?}: {}", listed.entry.id, work.about());
                    assert!(work.holds(&release), "{:?} violates: {}", contents(&release), about());
                }
                Err(_) => refused += 1,
            }
        }
        println!("{}: {made} made, {refused} not", listed.entry.id);
    }
}

#[test]
fn neither_order_nor_threads_matter() {
    longer(75, 60, same_whatever_the_order);
}
