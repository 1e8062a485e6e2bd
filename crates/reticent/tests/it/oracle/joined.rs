//! Statements over joined releases against their definition, on thousands of small histories: verdicts, marks, what is said
//! to stay violated, and what top-down specialization makes of them.

use std::collections::BTreeSet;

use reticent::Error;
use reticent::algorithms::{Control, Guarantee, Outcome, Purpose, Suppression, Task, run};
use reticent::joined::{At, Joint, Of, Statement};
use reticent::recoding::Recoding;
use reticent::registry::Arguments;
use reticent::release::{PublishedColumn, Release};
use reticent::requirement::Requirement;
use reticent::share::Share;
use reticent::table::Table;
use reticent::taxonomy::{Cut, NodeId, Taxonomy};

use super::histories::{Instance, Words, grow, publish};
use super::lossy::{Demand, Found, Limit, Shown, join, texts};
use crate::support::{Data, Random, contents};

/// The statements that the library makes of a wording, each beside our own.
fn statements(instance: &Instance, words: &Words, earlier: &[usize]) -> Vec<(Statement, Demand)> {
    let mut requirement = Requirement::of_models(&[], &instance.schema).unwrap();
    let sets = [earlier.to_vec()];
    requirement
        .join(&[words.wording()], &instance.schema, instance.member(), &instance.history, &sets, instance.rules.clone())
        .unwrap();
    let made = requirement.joined.remove(0).statements;
    let sides = |statement: &Statement| -> (BTreeSet<At>, BTreeSet<Of>) {
        (statement.x.iter().copied().collect(), statement.y.iter().copied().collect())
    };
    let demands = words.demands(instance, earlier);
    let ours: BTreeSet<_> = demands.iter().map(|demand| (demand.x.clone(), demand.y.clone())).collect();
    let theirs: BTreeSet<_> = made.iter().map(sides).collect();
    assert_eq!(theirs, ours, "{words:?} with {earlier:?}{}", instance.about());
    made.into_iter()
        .map(|statement| {
            let (x, y) = sides(&statement);
            let demand = demands.iter().find(|demand| demand.x == x && demand.y == y).unwrap().clone();
            (statement, demand)
        })
        .collect()
}

fn raw_columns(table: &Table) -> Vec<PublishedColumn> {
    Recoding::identity(table).columns.into_iter().map(|recoded| recoded.column).collect()
}

/// What the definition finds when a table is published like this beside earlier releases.
fn find(instance: &Instance, earlier: &[usize], release: &Release, demands: &[&Demand]) -> Vec<Found> {
    let new = Shown::new(release, &instance.known[0]);
    let shown: Vec<&Shown> = [&new].into_iter().chain(earlier.iter().map(|at| &instance.earlier[*at])).collect();
    let tuples = join(&shown, &instance.rules);
    demands.iter().map(|demand| demand.judge(&shown, &tuples)).collect()
}

fn close(one: f64, two: f64) -> bool {
    (one - two).abs() < 1e-9
}

/// Some of the earlier releases, at least one.
fn some_earlier(random: &mut Random, instance: &Instance) -> Vec<usize> {
    let all: Vec<usize> = (0..instance.history.releases.len()).collect();
    if random.below(3) > 0 {
        return all;
    }
    let mut some: Vec<usize> = all.iter().copied().filter(|_| random.below(2) == 0).collect();
    if some.is_empty() {
        some.push(*random.pick(&all));
    }
    some
}

/// The library says what the definition says of one release.
fn agrees(joint: &Joint<'_>, demand: &Demand, found: &Found, release: &Release, about: &dyn Fn() -> String) {
    let survey = joint.survey(release).unwrap_or_else(|error| panic!("{error}: {}", about()));
    match (&survey.worst, found.worst) {
        (Some(worst), Some(safety)) => {
            assert!(close(worst.safety, safety), "worst {} and not {safety}: {}", worst.safety, about());
        }
        (None, Some(safety)) => panic!("nothing is worst, and {safety} is: {}", about()),
        (Some(worst), None) if worst.safety < 0.0 => panic!("{} is worst, and nothing is: {}", worst.safety, about()),
        _ => {}
    }
    let mut theirs: Vec<f64> = survey.violations.iter().map(|violation| violation.safety).collect();
    let mut ours: Vec<f64> = found.classes.values().copied().collect();
    theirs.sort_by(f64::total_cmp);
    ours.sort_by(f64::total_cmp);
    let same = theirs.len() == ours.len() && theirs.iter().zip(&ours).all(|(one, two)| close(*one, *two));
    assert!(same, "violations {:?} and not {:?}: {}", survey.violations, found.classes, about());
    let marks = joint.violating(release).unwrap_or_else(|error| panic!("{error}: {}", about()));
    let expected: Vec<bool> =
        (0..release.combos.len()).map(|at| found.classes.contains_key(&demand.class(&texts(release, at)))).collect();
    assert_eq!(marks, expected, "marks of {:?}: {}", contents(release), about());
    let owners: BTreeSet<u32> = (0..release.combos.len())
        .filter(|at| expected[*at])
        .filter_map(|at| release.combos.owners.as_ref().map(|owners| owners[at]))
        .collect();
    let rows: u64 = (0..release.combos.len()).filter(|at| expected[*at]).map(|at| release.combos.weights[at]).sum();
    let people = if release.combos.owners.is_some() { owners.len() as u64 } else { rows };
    assert_eq!(survey.violating, people, "people in violating classes: {}", about());
}

/// Whether people who have several records are counted together with values of these records.
fn counts_people_with_values(instance: &Instance, earlier: &[usize], demand: &Demand) -> bool {
    let several = |release: usize| match release {
        0 => instance.data[0].owners.is_some(),
        later => instance.history.releases[earlier[later - 1]].links.is_some(),
    };
    demand.y.iter().any(|of| {
        let Of::People(release) = of else { return false };
        several(*release) && demand.y.iter().any(|of| matches!(of, Of::Column(at) if at.release == *release))
    })
}

/// Whether some y is a column of the new release that is generalized.
fn counts_generalized_values(demand: &Demand, generalized: &[usize]) -> bool {
    demand.y.iter().any(|of| matches!(of, Of::Column(at) if at.release == 0 && generalized.contains(&at.column)))
}

/// Surveys and marks of random publications, with and without the shortcuts.
fn surveys(seed: u64, rounds: usize, most: usize) {
    let mut random = Random(seed);
    let (mut judged, mut violated, mut kinds) = (0, 0, [0; 3]);
    for round in 0..rounds {
        let instance = Instance::random(&mut random, most);
        let table = instance.data[0].table();
        let columns = raw_columns(&table);
        let earlier = some_earlier(&mut random, &instance);
        let releases: Vec<(Recoding, Release)> = (0..3)
            .map(|_| {
                let recoding = publish(&table, &mut random, false, true);
                let release = recoding.apply(&table).unwrap();
                (recoding, release)
            })
            .collect();
        for _ in 0..3 {
            let words = Words::random(&mut random, &instance);
            let made = statements(&instance, &words, &earlier);
            let demands: Vec<&Demand> = made.iter().map(|(_, demand)| demand).collect();
            let found: Vec<Vec<Found>> =
                releases.iter().map(|(_, release)| find(&instance, &earlier, release, &demands)).collect();
            for (at, (statement, demand)) in made.iter().enumerate() {
                if counts_people_with_values(&instance, &earlier, demand) {
                    continue;
                }
                let about = |what: &str| {
                    format!("{what}, round {round}, {words:?}: {demand:?} with {earlier:?}{}", instance.about())
                };
                let joint = || {
                    Joint::new(
                        statement,
                        &columns,
                        &instance.generalized(),
                        &instance.history,
                        &earlier,
                        &instance.rules,
                    )
                };
                let (plain, related) = match (joint(), joint()) {
                    (Ok(plain), Ok(related)) => (plain, related),
                    (Err(error), _) | (_, Err(error)) => panic!("{error}: {}", about("no judge")),
                };
                related.relate(&table, &Recoding::identity(&table));
                for (place, (_, release)) in releases.iter().enumerate() {
                    let found = &found[place][at];
                    let published = || format!("published {:?}", contents(release));
                    agrees(&plain, demand, found, release, &|| about(&format!("plain, {}", published())));
                    agrees(&related, demand, found, release, &|| about(&format!("related, {}", published())));
                    judged += 1;
                    violated += usize::from(!found.classes.is_empty());
                    kinds[0] += usize::from(matches!(demand.limit, Limit::AtMost(..)));
                    kinds[1] += usize::from(demand.y.len() > 1);
                    kinds[2] += usize::from(earlier.len() > 1);
                }
            }
        }
    }
    println!("{judged} judged, {violated} violated; shares, several y, several earlier: {kinds:?}");
    assert!(judged > rounds && violated * 4 > judged && violated * 20 < judged * 19, "{violated} of {judged}");
    assert!(kinds.iter().all(|kind| kind * 10 > judged), "{kinds:?} of {judged}");
}

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
        let mut held: Vec<(Words, Demand, bool)> = Vec::new();
        for _ in 0..4 {
            let words = Words::random(&mut random, &instance);
            for (statement, demand) in statements(&instance, &words, &earlier) {
                if counts_generalized_values(&demand, &generalized) {
                    continue;
                }
                let may = if random.below(2) == 0 { instance.generalized() } else { generalized.clone() };
                let joint =
                    Joint::new(&statement, &columns, &may, &instance.history, &earlier, &instance.rules).unwrap();
                let plain = joint.keeps_violating(&generalized);
                joint.relate(&table, &Recoding::identity(&table));
                let related = joint.keeps_violating(&generalized);
                claimed += usize::from(plain || related);
                unrelated += usize::from(plain);
                denied += usize::from(!related);
                held.push((words.clone(), demand, plain || related));
            }
        }
        for _ in 0..2 {
            let mut violated = vec![None; held.len()];
            let demands: Vec<&Demand> = held.iter().map(|(_, demand, _)| demand).collect();
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
                            instance.about()
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
    sets: Vec<Vec<usize>>,
    words: Vec<Words>,
    /// Of the new release by itself, if anything.
    alone: Option<u64>,
}

impl Work {
    fn random(random: &mut Random, most: usize) -> Option<Work> {
        let instance = Instance::random(random, most);
        let mut sets = vec![some_earlier(random, &instance), some_earlier(random, &instance)];
        sets.dedup();
        let words: Vec<Words> =
            (0..1 + random.below(2)).map(|_| Words::random(random, &instance).milder(random, &instance)).collect();
        let alone = (random.below(4) == 0 && !instance.generalized().is_empty()).then(|| 2 + random.below(2) as u64);
        let work = Work { instance, sets, words, alone };
        let plain = |(set, demands): &(&Vec<usize>, Vec<Demand>)| {
            demands.iter().all(|demand| !counts_people_with_values(&work.instance, set, demand))
        };
        let demands = work.demands();
        (demands.iter().any(|(_, demands)| !demands.is_empty()) && demands.iter().all(plain)).then_some(work)
    }

    fn demands(&self) -> Vec<(&Vec<usize>, Vec<Demand>)> {
        let of = |set: &Vec<usize>| self.words.iter().flat_map(|words| words.demands(&self.instance, set)).collect();
        self.sets.iter().map(|set| (set, of(set))).collect()
    }

    fn requirement(&self) -> Requirement {
        let instance = &self.instance;
        let alone: Vec<_> = self.alone.iter().map(|k| crate::support::wording(&format!("k-anonymity k={k}"))).collect();
        let mut requirement = Requirement::of_models(&alone, &instance.data[0].schema()).unwrap();
        let wordings: Vec<_> = self.words.iter().map(Words::wording).collect();
        requirement
            .join(&wordings, &instance.schema, instance.member(), &instance.history, &self.sets, instance.rules.clone())
            .unwrap();
        requirement
    }

    /// Whether a release satisfies everything by the definitions.
    fn holds(&self, release: &Release) -> bool {
        let instance = &self.instance;
        let joined = self.demands().into_iter().all(|(set, demands)| {
            let demands: Vec<&Demand> = demands.iter().collect();
            find(instance, set, release, &demands).iter().all(|found| found.classes.is_empty())
        });
        let alone = self.alone.is_none_or(|k| {
            let x = instance.generalized().iter().map(|column| At { release: 0, column: *column }).collect();
            let demand = Demand { x, y: BTreeSet::from([Of::People(0)]), limit: Limit::AtLeast(k) };
            find(instance, &[], release, &[&demand])[0].classes.is_empty()
        });
        joined && alone
    }

    fn specialize(&self, table: &Table, suppression: Suppression) -> reticent::Result<Outcome> {
        let (requirement, purpose) = (self.requirement(), Purpose::General);
        let task =
            Task { table, history: &self.instance.history, requirement: &requirement, purpose: &purpose, suppression };
        run("top-down-specialization", &task, Arguments::default(), &Control::QUIET)
    }

    /// The columns that are generalized: quasi-identifiers that some statement takes for known, but not those whose values
    /// are counted.
    fn generalized(&self) -> Vec<usize> {
        let mut generalized = self.instance.generalized();
        let demands: Vec<Demand> = self.demands().into_iter().flat_map(|(_, demands)| demands).collect();
        let known = |at: &usize| demands.iter().any(|demand| demand.x.contains(&At { release: 0, column: *at }));
        generalized.retain(|at| self.alone.is_some() || known(at));
        generalized.retain(|at| demands.iter().all(|demand| !counts_generalized_values(demand, &[*at])));
        generalized
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
        format!("{:?} with {:?}, alone {:?}{}", self.words, self.sets, self.alone, self.instance.about())
    }
}

/// The releases that are one step more specific in a column whose tree is given.
fn steps_further(table: &Table, outcome: &Outcome, generalized: &[usize]) -> Vec<(String, Release)> {
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
        let carried: BTreeSet<NodeId> = table.combos.codes[column].iter().map(|code| above[*code as usize]).collect();
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
fn specialized(seed: u64, rounds: usize, most: usize) {
    let mut random = Random(seed);
    let (mut made, mut refused, mut left_out, mut maximal, mut tried) = (0, 0, 0, 0, 0);
    for round in 0..rounds {
        let Some(work) = Work::random(&mut random, most) else { continue };
        let table = work.instance.data[0].table();
        let top = work.holds(&work.top(&table));
        // Most that is asked for by chance cannot be had.
        if !top && random.below(6) > 0 {
            continue;
        }
        for cells in [None, Some(false), Some(true)] {
            let suppression = match cells {
                None => Suppression::NONE,
                Some(cells) => Suppression { limit: Share::new(1, 3), cells },
            };
            let about = || format!("round {round}, {suppression:?}, {}", work.about());
            let outcome = match work.specialize(&table, suppression) {
                Ok(outcome) => outcome,
                Err(Error::Refused { message }) => {
                    assert!(!top, "refused: {message}: {}", about());
                    refused += 1;
                    continue;
                }
                Err(error) => panic!("{error}: {}", about()),
            };
            made += 1;
            let release = outcome.recoding.apply(&table).unwrap();
            assert!(work.holds(&release), "{:?} violates: {}", contents(&release), about());
            assert!(release.suppressed * 3 <= table.combos.rows() && (cells.is_some() || release.suppressed == 0));
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
    assert!(made > rounds / 4 && refused > rounds / 20 && maximal > rounds / 20 && tried > rounds / 10);
}

/// What comes out, or the table as it is.
fn outcome_release(outcome: &reticent::Result<Outcome>, table: &Table) -> Release {
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
        let suppression = *random.pick(&[Suppression::NONE, Suppression { limit: Share::new(1, 3), cells: true }]);
        let answer = |data: &Data| {
            let table = data.table();
            let outcome = work.specialize(&table, suppression);
            let requirement = work.requirement();
            let surveys: Vec<String> = requirement
                .joined
                .iter()
                .flat_map(|together| together.statements.iter().map(move |statement| (together, statement)))
                .map(|(together, statement)| {
                    let generalized = work.instance.generalized();
                    let columns = raw_columns(&table);
                    let joint = Joint::new(
                        statement,
                        &columns,
                        &generalized,
                        &work.instance.history,
                        &together.earlier,
                        &requirement.rules,
                    );
                    let joint = joint.unwrap();
                    joint.relate(&table, &Recoding::identity(&table));
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

/// More rounds and other seeds, for whoever wants to look longer.
fn longer(seed: u64, rounds: usize, run: impl Fn(u64, usize)) {
    let times = std::env::var("ORACLE_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    for time in 0..times {
        run(seed + 1000 * time, rounds);
    }
}

#[test]
fn surveys_and_marks_of_small_histories() {
    longer(71, 800, |seed, rounds| surveys(seed, rounds, 5));
}

#[test]
fn surveys_and_marks_of_larger_histories() {
    longer(72, 80, |seed, rounds| surveys(seed, rounds, 12));
}

#[test]
fn what_is_said_to_stay_violated_does() {
    longer(73, 500, stays_violated);
}

#[test]
fn specialization_satisfies_every_statement() {
    longer(74, 800, |seed, rounds| specialized(seed, rounds, 7));
}

#[test]
fn neither_order_nor_threads_matter() {
    longer(75, 60, same_whatever_the_order);
}
