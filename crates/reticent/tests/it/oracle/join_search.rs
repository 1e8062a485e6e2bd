//! Searches with constraints on joins, compared with the naive definition: persistent violations, and releases of algorithms.

use std::collections::BTreeSet;

use reticent::algorithms::{Control, Guarantee, LIST, Purpose, RecodingTask, SearchOutcome, Suppression, run};
use reticent::join::{Breadth, ColumnRef, Counted, JoinCheck, sets_for};
use reticent::registry::Arguments;
use reticent::requirement::Requirement;
use reticent::taxonomy::{Cut, NodeId, Taxonomy};
use reticent::{Error, Ratio, Recoding, Release, Role, Table};

use super::histories::{Instance, RandomSpec, grow};
use super::join::{constraints, counts_generalized_values, is_small, naive_results, raw_columns, repeat, some_earlier};
use super::lossy::{Limit, NaiveConstraint};
use super::maximal_sets::{largest_sets, random_long_history};
use crate::support::{Data, Random, contents};

/// Random specializations from the fully generalized table to the raw table, one node at a time.
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

/// Checks on random specializations that violations persist if the library claims it.
fn check_persistence(seed: u64, rounds: usize) {
    let mut random = Random(seed);
    let (mut claimed, mut denied, mut steps, mut resolved, mut unrelated) = (0, 0, 0, 0, 0);
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
        let mut claims: Vec<(RandomSpec, NaiveConstraint, bool)> = Vec::new();
        for _ in 0..4 {
            let words = RandomSpec::random(&mut random, &instance);
            for (constraint, naive) in constraints(&instance, &words, &earlier) {
                if counts_generalized_values(&naive, &generalized) {
                    continue;
                }
                let generalizable = if random.below(2) == 0 { instance.generalized() } else { generalized.clone() };
                let check =
                    JoinCheck::new(&constraint, &columns, &generalizable, &instance.history, &earlier, &instance.rules)
                        .unwrap();
                let plain = check.keeps_violating(&generalized);
                check.compute_relation(&table, &Recoding::identity(&table));
                let related = check.keeps_violating(&generalized);
                claimed += usize::from(plain || related);
                unrelated += usize::from(plain);
                denied += usize::from(!related);
                claims.push((words.clone(), naive, plain || related));
            }
        }
        for _ in 0..2 {
            let mut violated = vec![None; claims.len()];
            let naive: Vec<&NaiveConstraint> = claims.iter().map(|(_, naive, _)| naive).collect();
            for recoding in chain(&table, &generalized, &mut random) {
                let release = recoding.apply(&table).unwrap();
                for (at, found) in naive_results(&instance, &earlier, &release, &naive).iter().enumerate() {
                    steps += 1;
                    let (words, naive, keeps) = &claims[at];
                    let before: &mut Option<String> = &mut violated[at];
                    match (before.as_ref(), found.classes.is_empty()) {
                        (Some(_), true) if !keeps => resolved += 1,
                        (Some(before), true) => panic!(
                            "round {round}: no longer violated by {:?} after {before}; {words:?}: {naive:?} with {earlier:?}, generalized {generalized:?}{}",
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
        "{claimed} claimed to persist ({unrelated} without the relation), {denied} not; {steps} steps, {resolved} resolved"
    );
    assert!(claimed * 20 > denied && resolved > rounds / 20, "{claimed} claimed, {denied} not, {resolved} resolved");
}

/// A search with one or two specifications over some sets of earlier releases.
struct SearchCase {
    instance: Instance,
    /// Sets of earlier releases that the library checks.
    sets: Vec<Vec<usize>>,
    /// Sets of earlier releases that the naive definition checks.
    naive_sets: Vec<Vec<usize>>,
    words: Vec<RandomSpec>,
    /// k-anonymity of the new release without the join, if required.
    k: Option<u64>,
}

impl SearchCase {
    fn random(random: &mut Random, max_rows: usize) -> Option<SearchCase> {
        let instance = Instance::random(random, max_rows);
        let mut sets = vec![some_earlier(random, &instance), some_earlier(random, &instance)];
        sets.dedup();
        let words: Vec<RandomSpec> =
            (0..1 + random.below(2)).map(|_| RandomSpec::random(random, &instance).weaker(random, &instance)).collect();
        let single = (random.below(4) == 0 && !instance.generalized().is_empty()).then(|| 2 + random.below(2) as u64);
        if !sets.iter().all(|set| is_small(&instance, set)) {
            return None;
        }
        let case = SearchCase { instance, naive_sets: sets.clone(), sets, words, k: single };
        case.if_constrained()
    }

    /// A case with so many earlier releases that not every subset is checked.
    fn with_long_history(random: &mut Random) -> Option<SearchCase> {
        let (instance, table) = random_long_history(random);
        let all: Vec<usize> = (0..instance.history.releases.len()).collect();
        let words: Vec<RandomSpec> =
            (0..1 + random.below(2)).map(|_| RandomSpec::random(random, &instance).weaker(random, &instance)).collect();
        // A release that a specification names is joined, also without a common column.
        let is_named = |at: &usize| words.iter().any(|words| words.names(&instance.names[at + 1]));
        let named: Vec<usize> = all.iter().copied().filter(is_named).collect();
        let keeps_all = words.iter().any(|words| words.model.starts_with("xy-"));
        let mut judged = largest_sets(&instance, &table, Some(named.as_slice()).filter(|_| !keeps_all));
        judged.extend(named.iter().map(|at| vec![*at]));
        let judged: Vec<Vec<usize>> = judged.into_iter().collect();
        let specs: Vec<_> = words.iter().map(RandomSpec::spec).collect();
        let sets = sets_for(&table, &instance.history, &[all], Breadth::Auto, &instance.rules, &specs).ok()?;
        if !judged.iter().all(|set| is_small(&instance, set)) {
            return None;
        }
        SearchCase { instance, sets, naive_sets: judged, words, k: None }.if_constrained()
    }

    fn if_constrained(self) -> Option<SearchCase> {
        let some = self.constraints().iter().any(|(_, naive)| !naive.is_empty());
        some.then_some(self)
    }

    fn constraints(&self) -> Vec<(&Vec<usize>, Vec<NaiveConstraint>)> {
        let of =
            |set: &Vec<usize>| self.words.iter().flat_map(|words| words.constraints(&self.instance, set)).collect();
        self.naive_sets.iter().map(|set| (set, of(set))).collect()
    }

    fn requirement(&self) -> Requirement {
        let instance = &self.instance;
        let single: Vec<_> = self.k.iter().map(|k| crate::support::spec(&format!("k-anonymity k={k}"))).collect();
        let mut requirement = Requirement::from_specs(&single, &instance.data[0].schema()).unwrap();
        let specs: Vec<_> = self.words.iter().map(RandomSpec::spec).collect();
        requirement
            .join(&specs, &instance.schema, instance.member(), &instance.history, &self.sets, instance.rules.clone())
            .unwrap();
        requirement
    }

    /// Whether a release satisfies all naive constraints.
    fn is_safe(&self, release: &Release) -> bool {
        let instance = &self.instance;
        let joined = self.constraints().into_iter().all(|(set, naive)| {
            let naive: Vec<&NaiveConstraint> = naive.iter().collect();
            naive_results(instance, set, release, &naive).iter().all(|found| found.classes.is_empty())
        });
        let single = self.k.is_none_or(|k| {
            let x = instance.generalized().iter().map(|column| ColumnRef { release: 0, column: *column }).collect();
            let (y, limit) = (BTreeSet::from([Counted::People(0)]), Limit::AtLeast(k));
            let naive = NaiveConstraint { x, y, limit, is_explicit: false };
            naive_results(instance, &[], release, &[&naive])[0].classes.is_empty()
        });
        joined && single
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
            RecodingTask { purpose, suppression, ..RecodingTask::new(table, &self.instance.history, &requirement) };
        run(id, &task, Arguments::default(), &Control::QUIET)
    }

    /// Columns that are generalized: quasi-identifiers in some X, or related to a join, but in no Y.
    fn generalized(&self) -> Vec<usize> {
        let mut generalized = self.instance.generalized();
        let naive: Vec<NaiveConstraint> = self.constraints().into_iter().flat_map(|(_, naive)| naive).collect();
        let known = |at: &usize| naive.iter().any(|naive| naive.x.contains(&ColumnRef { release: 0, column: *at }));
        generalized.retain(|at| self.k.is_some() || known(at) || self.is_related(*at));
        generalized.retain(|at| naive.iter().all(|naive| !counts_generalized_values(naive, &[*at])));
        generalized
    }

    /// Whether a column of the new release is a join column or occurs in a rule with an earlier release.
    fn is_related(&self, at: usize) -> bool {
        let names = |release: usize| self.instance.columns[release].iter().map(|known| known.col.name.as_str());
        let ours = names(0).nth(at).unwrap();
        let ruled = |theirs: &str| {
            self.instance.rules.iter().any(|rule| {
                let pair = (rule.one.0.as_str(), rule.other.0.as_str());
                pair == (ours, theirs) || pair == (theirs, ours)
            })
        };
        let judged = self.constraints();
        let sets = judged.iter().filter(|(_, naive)| !naive.is_empty()).flat_map(|(set, _)| set.iter());
        sets.into_iter().any(|release| names(release + 1).any(|theirs| theirs == ours || ruled(theirs)))
    }

    /// The release with all generalized columns suppressed.
    fn top(&self, table: &Table) -> Release {
        let generalized = self.generalized();
        let cuts = table.columns.iter().enumerate().map(|(at, column)| {
            let tree = column.tree.with_leaves();
            let cut = if generalized.contains(&at) { Cut::top() } else { Cut::bottom(&tree) };
            (tree, cut)
        });
        Recoding::along(table, cuts.collect()).apply(table).unwrap()
    }

    fn description(&self) -> String {
        format!("{:?} with {:?}, single {:?}{}", self.words, self.sets, self.k, self.instance.description())
    }
}

/// Releases that are one step more specific in a column with a fixed taxonomy.
fn further_specializations(table: &Table, outcome: &SearchOutcome, generalized: &[usize]) -> Vec<(String, Release)> {
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
                for code in tree.node(*child).span.clone() {
                    nodes[column].1[code as usize] = *child;
                }
            }
            let label = format!("{} of {}", tree.node(node).label, table.columns[column].name);
            further.push((label, Recoding::by_node(table, nodes).apply(table).unwrap()));
        }
    }
    further
}

/// Checks that a release satisfies the definitions, that a refusal is necessary, and that a locally maximal release is maximal.
fn check_specialization(seed: u64, rounds: usize, case: impl Fn(&mut Random) -> Option<SearchCase>) {
    let mut random = Random(seed);
    let (mut made, mut refused, mut suppressed, mut maximal, mut tried) = (0, 0, 0, 0, 0);
    for round in 0..rounds {
        let Some(case) = case(&mut random) else { continue };
        let table = case.instance.data[0].table();
        let top = case.is_safe(&case.top(&table));
        // Most random requirements cannot be met, so only some of them are tested.
        if !top && random.below(6) > 0 {
            continue;
        }
        for cells in [None, Some(false), Some(true)] {
            let suppression = match cells {
                None => Suppression::NONE,
                Some(cells) => Suppression { limit: Ratio::new(1, 3), cells },
            };
            let context = || format!("round {round}, {suppression:?}, {}", case.description());
            let outcome = match case.specialize(&table, suppression) {
                Ok(outcome) => outcome,
                Err(Error::Refused(refusal)) => {
                    assert!(!top, "refused: {refusal}: {}", context());
                    refused += 1;
                    continue;
                }
                Err(error) => panic!("{error}: {}", context()),
            };
            made += 1;
            let release = outcome.recoding.apply(&table).unwrap();
            assert!(case.is_safe(&release), "{:?} violates: {}", contents(&release), context());
            assert!(release.suppressed * 3 <= table.contingency.rows() && (cells.is_some() || release.suppressed == 0));
            suppressed += usize::from(release.suppressed > 0);
            if cells.is_none() && outcome.guarantee == Guarantee::LocallyMaximal {
                maximal += 1;
                for (step, further) in further_specializations(&table, &outcome, &case.generalized()) {
                    tried += 1;
                    assert!(
                        !case.is_safe(&further),
                        "{step} could be specialized in {:?}: {}",
                        contents(&release),
                        context()
                    );
                }
            }
        }
    }
    println!(
        "{made} made, {refused} refused, {suppressed} with suppressed records, {maximal} maximal, {tried} steps tried"
    );
    assert!(made > rounds / 8 && maximal > rounds / 20 && tried > 0);
}

/// The release of an outcome, or the raw table after an error.
fn outcome_release(outcome: &reticent::Result<SearchOutcome>, table: &Table) -> Release {
    outcome.as_ref().map_or_else(|_| Release::raw(table), |outcome| outcome.recoding.apply(table)).unwrap()
}

/// Checks that results do not depend on row order or threads.
fn check_determinism(seed: u64, rounds: usize) {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (one, two) = (pool(1), pool(2));
    let mut random = Random(seed);
    let mut compared = 0;
    for round in 0..rounds {
        let Some(case) = SearchCase::random(&mut random, 8) else { continue };
        let data = &case.instance.data[0];
        let mut order: Vec<usize> = (0..data.rows.len()).collect();
        random.shuffle(&mut order);
        let rows = order.iter().map(|row| data.rows[*row].clone()).collect();
        let owners = data.owners.as_ref().map(|owners| order.iter().map(|row| owners[*row]).collect());
        let shuffled = Data { cols: data.cols.clone(), rows, owners };
        let suppression = *random.pick(&[Suppression::NONE, Suppression { limit: Ratio::new(1, 3), cells: true }]);
        let answer = |data: &Data| {
            let table = data.table();
            let outcome = case.specialize(&table, suppression);
            let requirement = case.requirement();
            let surveys: Vec<String> = requirement
                .joins
                .iter()
                .flat_map(|join| join.constraints.iter().map(move |constraint| (join, constraint)))
                .map(|(join, constraint)| {
                    let generalized = case.instance.generalized();
                    let columns = raw_columns(&table);
                    let check = JoinCheck::new(
                        constraint,
                        &columns,
                        &generalized,
                        &case.instance.history,
                        &join.earlier,
                        &requirement.rules,
                    );
                    let check = check.unwrap();
                    check.compute_relation(&table, &Recoding::identity(&table));
                    let survey = check.survey(&Release::raw(&table).unwrap()).unwrap();
                    let worst = survey.worst.map(|worst| worst.safety);
                    let violations: Vec<_> =
                        survey.violations.iter().map(|violation| (violation.people, violation.safety)).collect();
                    let marks = check.violating(&outcome_release(&outcome, &table)).unwrap();
                    format!("{worst:?} {violations:?} {} {} {marks:?}", survey.classes, survey.violating)
                })
                .collect();
            let outcome = outcome.map_err(|error| std::mem::discriminant(&error)).map(|outcome| {
                (contents(&outcome.recoding.apply(&table).unwrap()), outcome.guarantee, outcome.steps, outcome.notes)
            });
            (outcome, surveys)
        };
        let first = one.install(|| answer(data));
        assert_eq!(first, two.install(|| answer(data)), "threads, round {round}, {}", case.description());
        assert_eq!(first, one.install(|| answer(&shuffled)), "order {order:?}, round {round}, {}", case.description());
        compared += 1;
    }
    assert!(compared > rounds / 4);
}

#[test]
fn violations_persist_if_the_library_claims_it() {
    repeat(73, 500, check_persistence);
}

#[test]
fn specialization_satisfies_every_join_constraint() {
    repeat(74, 800, |seed, rounds| check_specialization(seed, rounds, |random| SearchCase::random(random, 7)));
}

#[test]
fn specialization_of_larger_tables_satisfies_every_join_constraint() {
    repeat(77, 60, |seed, rounds| check_specialization(seed, rounds, |random| SearchCase::random(random, 40)));
}

#[test]
fn specialization_after_many_releases_satisfies_every_join_constraint() {
    repeat(79, 400, |seed, rounds| check_specialization(seed, rounds, SearchCase::with_long_history));
}

#[test]
fn every_algorithm_satisfies_all_join_constraints_or_returns_an_error() {
    let mut random = Random(78);
    for listed in LIST {
        let (mut made, mut refused) = (0, 0);
        while made + refused < 100 {
            let Some(case) = SearchCase::random(&mut random, 6) else { continue };
            let table = case.instance.data[0].table();
            let purpose = match case.instance.columns[0].iter().find(|known| known.col.role == Role::Other) {
                Some(known) if random.below(2) == 0 => Purpose::Classification(known.col.name.clone()),
                _ => Purpose::General,
            };
            let suppression = *random.pick(&[Suppression::NONE, Suppression { limit: Ratio::new(1, 2), cells: true }]);
            match case.run(listed.entry.id, &table, suppression, &purpose) {
                Ok(outcome) => {
                    made += 1;
                    let release = outcome.recoding.apply(&table).unwrap();
                    let context =
                        || format!("{}, {purpose:?}, {suppression:?}: {}", listed.entry.id, case.description());
                    assert!(case.is_safe(&release), "{:?} violates: {}", contents(&release), context());
                }
                Err(_) => refused += 1,
            }
        }
        println!("{}: {made} made, {refused} not", listed.entry.id);
    }
}

#[test]
fn results_do_not_depend_on_row_order_or_threads() {
    repeat(75, 60, check_determinism);
}
