//! Audits of random histories, compared with brute force.

use super::*;

/// Without suppressed cells, all figures are exact.
#[test]
fn audits_of_one_sensitive_column_match_brute_force() {
    let (compared, explanations) =
        compare_random(41, 300, &HistoryShape { people: 7, releases: 4, suppressed: 0, columns: 1 });
    assert!(compared > 200 && explanations > 100);
}

#[test]
fn audits_of_two_sensitive_columns_match_brute_force() {
    let (compared, _) = compare_random(42, 200, &HistoryShape { people: 6, releases: 3, suppressed: 0, columns: 2 });
    assert!(compared > 100);
}

/// Some sensitive cells are suppressed or generalized.
#[test]
fn audits_with_suppressed_sensitive_cells_match_brute_force() {
    let (compared, _) = compare_random(43, 250, &HistoryShape { people: 6, releases: 3, suppressed: 4, columns: 1 });
    assert!(compared > 100);
}

/// Cells of two columns can overlap, so only the bounds are checked.
#[test]
fn bounds_with_suppressed_cells_in_two_columns_include_the_truth() {
    let (compared, _) = compare_random(44, 250, &HistoryShape { people: 5, releases: 3, suppressed: 4, columns: 2 });
    assert!(compared > 80);
}

/// The same with a release in which every combination of values occurs.
#[test]
fn bounds_with_suppressed_cells_and_all_combinations_include_the_truth() {
    let (compared, _) = compare_changed(
        52,
        120,
        &HistoryShape { people: 5, releases: 3, suppressed: 4, columns: 2 },
        with_all_combinations,
    );
    assert!(compared > 40);
}

/// Whether background knowledge is true in a world. Proportions refer to people of one release, by its quasi-identifiers.
fn is_true_in(small: &SmallHistory, knowledge: &BackgroundKnowledge, world: &World) -> bool {
    let has = |person: &u128, value: &str| small.text(0, world[person][0]) == value;
    let known = |known: &KnownValue| has(&known.person, &known.value) == known.has;
    let statement = |statement: &BackgroundStatement| match statement {
        BackgroundStatement::Count { people, value, lower, upper, .. } => {
            (*lower..=*upper).contains(&(people.iter().filter(|person| has(person, value)).count() as u64))
        }
        BackgroundStatement::Proportion { value, condition: among, lower, upper, .. } => {
            let among: Vec<u128> = match among {
                None => small.people().into_iter().collect(),
                Some((_, zip)) => {
                    let records = small.releases[0].records.iter();
                    records
                        .filter(|record| format!("z{}", record.group % 2) == *zip)
                        .map(|record| record.person)
                        .collect()
                }
            };
            let (all, count) = (among.len() as u128, among.iter().filter(|person| has(person, value)).count() as u128);
            count * lower.denominator >= lower.numerator * all && count * upper.denominator <= upper.numerator * all
        }
    };
    knowledge.known.iter().all(known) && knowledge.statements.iter().all(statement)
}

/// Checks an audit with background knowledge. Returns the number of worlds, or `None` if there is nothing to compare.
fn check_knowledge(small: &SmallHistory, knowledge: &BackgroundKnowledge) -> Option<Result<usize, String>> {
    let people: Vec<u128> = small.people().into_iter().collect();
    let mentioned = knowledge.statements.iter().flat_map(|statement| match statement {
        BackgroundStatement::Count { people, .. } => people.clone(),
        BackgroundStatement::Proportion { .. } => Vec::new(),
    });
    if mentioned.chain(knowledge.known.iter().map(|known| known.person)).any(|person| !people.contains(&person)) {
        return None;
    }
    let values = knowledge.statements.iter().map(|statement| match statement {
        BackgroundStatement::Count { value, .. } | BackgroundStatement::Proportion { value, .. } => value,
    });
    let published = &small.published_codes()[0];
    let is_published = |value: &String| published.iter().any(|code| small.text(0, *code) == *value);
    if !values.chain(knowledge.known.iter().map(|known| &known.value)).all(is_published) {
        return None;
    }
    let mut worlds = small.worlds(&small.groups(), &people)?;
    worlds.retain(|world| is_true_in(small, knowledge, world));
    let options = AuditOptions { knowledge: knowledge.clone(), ..audit_options() };
    let found = std::panic::catch_unwind(|| audit(&small.history(), &options));
    let result = match (found, worlds.len()) {
        (Err(_), _) => Err("a panic".to_owned()),
        (Ok(Err(_)), 0) => Ok(0),
        (Ok(Ok(_)), 0) => Err("no world and no error".to_owned()),
        (Ok(Err(error)), worlds) => Err(format!("error: {worlds} worlds, but {error}")),
        (Ok(Ok(found)), _) => {
            check_posteriors(small, &worlds, &found, !small.has_overlapping_sets()).map(|()| worlds.len())
        }
    };
    Some(result.map_err(|wrong| format!("{wrong} with {knowledge:?}")))
}

/// Known values, counts among some people, and proportions.
#[test]
fn background_knowledge_excludes_the_worlds_that_contradict_it() {
    let mut random = Random(45);
    let mut failures = Failures::default();
    let (mut compared, mut contradict) = (0, 0);
    for round in 0..800 * times() {
        let suppressed = if random.below(3) == 0 { 5 } else { 0 };
        let small = random_history(&mut random, &HistoryShape { people: 6, releases: 3, suppressed, columns: 1 });
        let people: Vec<u128> = small.people().into_iter().collect();
        if people.len() < 2 {
            continue;
        }
        let mut knowledge = BackgroundKnowledge::default();
        for _ in 0..1 + random.below(2) {
            let value = random.pick(small.columns[0].1.values()).clone();
            let column = "ill".to_owned();
            let mut subset = people.clone();
            random.shuffle(&mut subset);
            match round % 4 {
                0 => knowledge.known.push(KnownValue { person: subset[0], column, value, has: random.below(2) == 0 }),
                1 => {
                    // Exactly one of two.
                    subset.truncate(2);
                    knowledge.statements.push(BackgroundStatement::Count {
                        people: subset,
                        column,
                        value,
                        lower: 1,
                        upper: 1,
                    });
                }
                2 => {
                    subset.truncate(1 + random.below(people.len()));
                    let lower = random.below(subset.len() + 1) as u64;
                    let upper = lower + random.below(3) as u64;
                    knowledge.statements.push(BackgroundStatement::Count {
                        people: subset,
                        column,
                        value,
                        lower,
                        upper,
                    });
                }
                _ => {
                    let (a, b) = (random.below(11) as u64, random.below(11) as u64);
                    let (lower, upper) = (Ratio::new(a.min(b), 10), Ratio::new(a.max(b), 10));
                    knowledge.statements.push(BackgroundStatement::Proportion {
                        column,
                        value,
                        condition: None,
                        lower,
                        upper,
                    });
                }
            }
        }
        match check_knowledge(&small, &knowledge) {
            None => continue,
            Some(Ok(0)) => contradict += 1,
            Some(Ok(_)) => compared += 1,
            Some(Err(wrong)) => {
                failures.add(&small, &wrong, &|small| check_knowledge(small, &knowledge).and_then(Result::err));
            }
        }
    }
    println!("{compared} compared, {contradict} contradict");
    assert!(compared > 150 && contradict > 40);
    failures.finish();
}

/// A proportion among the people with a published value of a quasi-identifier.
#[test]
fn proportions_with_a_condition_match_brute_force() {
    let mut random = Random(46);
    let mut failures = Failures::default();
    let (mut compared, mut contradict) = (0, 0);
    for _ in 0..300 * times() {
        let mut small =
            random_history(&mut random, &HistoryShape { people: 7, releases: 1, suppressed: 0, columns: 1 });
        let Some(release) = small.releases.first_mut() else { continue };
        release.has_group_column = false;
        let zip = random.pick(&release.records).group % 2;
        let (a, b) = (random.below(5) as u64, random.below(5) as u64);
        let statement = BackgroundStatement::Proportion {
            column: "ill".to_owned(),
            value: random.pick(small.columns[0].1.values()).clone(),
            condition: Some(("zip".to_owned(), format!("z{zip}"))),
            lower: Ratio::new(a.min(b), 4),
            upper: Ratio::new(a.max(b), 4),
        };
        let knowledge = BackgroundKnowledge { statements: vec![statement], ..BackgroundKnowledge::default() };
        match check_knowledge(&small, &knowledge) {
            None => continue,
            Some(Ok(0)) => contradict += 1,
            Some(Ok(_)) => compared += 1,
            Some(Err(wrong)) => {
                let zips =
                    |small: &SmallHistory| small.releases[0].records.iter().any(|record| record.group % 2 == zip);
                let fault = |small: &SmallHistory| {
                    check_knowledge(small, &knowledge).filter(|_| zips(small)).and_then(Result::err)
                };
                failures.add(&small, &wrong, &fault);
            }
        }
    }
    println!("{compared} compared, {contradict} contradict");
    assert!(compared > 50 && contradict > 20);
    failures.finish();
}

/// One sensitive column without suppressed cells.
#[test]
fn the_entropy_in_bits_matches_the_naive_maximum() {
    let mut random = Random(47);
    let mut compared = 0;
    for _ in 0..100 * times() {
        let small = random_history(&mut random, &HistoryShape { people: 7, releases: 3, suppressed: 0, columns: 1 });
        if small.releases.is_empty() {
            continue;
        }
        let people: Vec<u128> = small.people().into_iter().collect();
        let tree = &small.columns[0].1;
        let values = 0..tree.len() as u32;
        let classes = people.iter().map(|_| PersonClass { people: 1, possible: values.clone().collect() }).collect();
        let mut problem = Problem { classes, ..Problem::default() };
        for (source, _, members, cells) in small.groups() {
            for value in values.clone() {
                let count = cells.iter().filter(|cells| cells[0] == tree.leaf_of(value)).count() as u64;
                let of = members.iter().map(|person| (people.binary_search(person).unwrap() as u32, value)).collect();
                problem.counts.push(Count { source: source as u32, cells: of, lower: count, upper: count });
            }
        }
        let program = Program::new(&problem, &BTreeMap::new());
        let Some((nats, x)) = program.maximum(&program.support(|_, _| false)) else { continue };
        let found = audit(&small.history(), &audit_options()).unwrap();
        let bits = found.columns[0].entropy_bits.unwrap();
        assert!((bits - nats / 2f64.ln()).abs() < 1e-6, "{bits} {nats} {}", describe(&small));
        for (cell, x) in program.cells.iter().zip(&x) {
            let list = &posteriors(&found, people[cell.0 as usize], "ill")[0];
            let estimate = list.get(tree.value(cell.1)).map_or(0.0, |posterior| posterior.maximum_entropy.unwrap());
            assert!((estimate - x).abs() < 1e-5 || list.get(tree.value(cell.1)).is_none(), "{estimate} {x}");
        }
        compared += 1;
    }
    assert!(compared > 60, "{compared}");
}

/// In one release, each record of a group belongs to each member with equal probability.
#[test]
fn posteriors_of_several_records_are_the_frequencies_in_the_group() {
    let mut random = Random(48);
    for _ in 0..100 * times() {
        let mut small =
            random_history(&mut random, &HistoryShape { people: 7, releases: 1, suppressed: 0, columns: 1 });
        let Some(release) = small.releases.first_mut() else { continue };
        let people: Vec<u128> = release.records.iter().map(|record| record.person).collect();
        for _ in 0..1 + random.below(2) {
            let owner = random.pick(&release.records).person;
            let group = random.pick(&release.records).group;
            let cells = random.pick(&release.records).cells.clone();
            release.records.push(Record { person: owner, group, cells });
        }
        let several: BTreeSet<u128> = people
            .iter()
            .copied()
            .filter(|person| release.records.iter().filter(|record| record.person == *person).count() > 1)
            .collect();
        let found =
            audit(&small.history(), &AuditOptions { units: vec![("ill".to_owned(), Unit::Record)], ..audit_options() })
                .unwrap();
        assert_eq!(found.multi_record_people, several.len() as u64, "{}", describe(&small));
        for (_, _, members, cells) in small.groups() {
            for person in &members {
                let lists = posteriors(&found, *person, "ill");
                let frequency = |code: u32| cells.iter().filter(|c| c[0] == small.columns[0].1.leaf_of(code)).count();
                let shares: BTreeMap<String, (u128, u128)> = (0..small.columns[0].1.len() as u32)
                    .filter(|code| frequency(*code) > 0)
                    .map(|code| (small.text(0, code).to_owned(), (frequency(code) as u128, cells.len() as u128)))
                    .collect();
                let matches = |list: &BTreeMap<String, ColumnPosterior>| {
                    list.keys().eq(shares.keys())
                        && list.iter().all(|(text, posterior)| {
                            compare(posterior.lower, shares[text]).is_eq()
                                && compare(posterior.upper, shares[text]).is_eq()
                        })
                };
                assert!(lists.iter().any(matches), "{person} {lists:?} {shares:?} {}", describe(&small));
            }
        }
    }
}

/// Values of some people change, and some people have several records.
#[test]
fn posteriors_never_exclude_the_truth() {
    let mut random = Random(49);
    let mut failures = Failures::default();
    let (mut compared, mut changes) = (0, 0);
    for round in 0..300 * times() {
        let suppressed = if random.below(2) == 0 { 5 } else { 0 };
        let mut small =
            random_history(&mut random, &HistoryShape { people: 7, releases: 3, suppressed, columns: 1 + round % 2 });
        if small.releases.len() < 2 {
            continue;
        }
        for _ in 0..random.below(3) {
            // The value of a person changes.
            let at = random.below(small.releases.len());
            let record = random.below(small.releases[at].records.len());
            let tree = small.columns[0].1.clone();
            small.releases[at].records[record].cells[0] = tree.leaf_of(random.below(tree.len()) as u32);
        }
        if random.below(3) == 0 {
            let at = random.below(small.releases.len());
            let copy = random.pick(&small.releases[at].records).clone();
            small.releases[at].records.push(copy);
        }
        let judge = |small: &SmallHistory| [2_000_000, 0].iter().find_map(|steps| check_truth(small, *steps).err());
        compared += 1;
        changes += changed_people(&small).len();
        if let Some(wrong) = judge(&small) {
            failures.add(&small, &wrong, &judge);
        }
    }
    println!("{compared} audits, {changes} changes");
    assert!(compared > 100 && changes > 50);
    failures.finish();
}

fn records_of(small: &SmallHistory) -> BTreeMap<u128, Vec<&Record>> {
    let mut of: BTreeMap<u128, Vec<&Record>> = BTreeMap::new();
    small.releases.iter().flat_map(|release| &release.records).for_each(|r| of.entry(r.person).or_default().push(r));
    of
}

fn has_several(small: &SmallHistory, person: u128) -> bool {
    let twice =
        |release: &PublishedRelease| release.records.iter().filter(|record| record.person == person).count() > 1;
    small.releases.iter().any(twice)
}

/// People with one record per release, two of which contradict each other.
fn changed_people(small: &SmallHistory) -> Vec<u128> {
    let contradict_each_other = |one: &Record, other: &Record| {
        (0..small.columns.len()).any(|column| {
            let codes =
                |record: &Record| small.columns[column].1.codes(record.cells[column]).collect::<BTreeSet<u32>>();
            codes(one).is_disjoint(&codes(other))
        })
    };
    let changed =
        |records: &[&Record]| records.iter().any(|one| records.iter().any(|other| contradict_each_other(one, other)));
    let of = records_of(small).into_iter();
    of.filter(|(person, records)| !has_several(small, *person) && changed(records)).map(|(person, _)| person).collect()
}

fn check_truth(small: &SmallHistory, steps: u64) -> Result<(), String> {
    let options = AuditOptions { solve: SolveOptions { steps, ..SolveOptions::default() }, ..audit_options() };
    if small.published_codes().iter().any(BTreeSet::is_empty) {
        return Ok(());
    }
    let found = std::panic::catch_unwind(|| audit(&small.history(), &options)).map_err(|_| "a panic".to_owned())?;
    let found = found.map_err(|error| format!("error: {error}"))?;
    let people = small.people();
    let several = people.iter().filter(|person| has_several(small, **person)).count() as u64;
    if found.multi_record_people != several {
        return Err(format!("several: {} instead of {several}", found.multi_record_people));
    }
    // The count of changed people is not defined for people with several records.
    let changed = changed_people(small);
    if several == 0 && found.changed_people != changed.len() as u64 {
        return Err(format!("changed: {} instead of {changed:?}", found.changed_people));
    }
    for (person, records) in records_of(small) {
        for (column, (name, tree)) in small.columns.iter().enumerate() {
            let lists = posteriors(&found, person, name);
            for record in records.iter().filter(|record| record.cells[column] != 0) {
                // Some list includes a value of the record.
                let codes: Vec<u32> = tree.codes(record.cells[column]).collect();
                let includes = |list: &BTreeMap<String, ColumnPosterior>| {
                    codes
                        .iter()
                        .any(|code| list.get(tree.value(*code)).is_some_and(|posterior| posterior.upper.numerator > 0))
                };
                if !lists.iter().any(includes) {
                    return Err(format!("excluded: {person} {name} {lists:?}"));
                }
            }
            for list in &lists {
                let (low, high) = list.values().fold((0.0, 0.0), |(low, high), posterior| {
                    (low + posterior.lower.value(), high + posterior.upper.value())
                });
                if low > 1.0 + 1e-9 || high < 1.0 - 1e-9 {
                    return Err(format!("sums: {low} to {high}: {person} {name} {list:?}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_repeated_release_does_not_change_the_posteriors() {
    let mut random = Random(50);
    for _ in 0..100 * times() {
        let small = random_history(&mut random, &HistoryShape { people: 7, releases: 3, suppressed: 0, columns: 2 });
        if small.releases.is_empty() {
            continue;
        }
        let mut twice = small.clone();
        twice.releases.push(random.pick(&small.releases).clone());
        let (once, twice) =
            (audit(&small.history(), &audit_options()).unwrap(), audit(&twice.history(), &audit_options()).unwrap());
        assert_eq!(once.worlds, twice.worlds);
        for person in small.people() {
            for (name, _) in &small.columns {
                let shares = |audit: &Audit| -> Vec<Vec<(String, u128, u128)>> {
                    let lists = posteriors(audit, person, name);
                    let share = |(text, posterior): (&String, &ColumnPosterior)| {
                        (text.clone(), posterior.lower.numerator, posterior.lower.denominator)
                    };
                    lists.iter().map(|list| list.iter().map(share).collect()).collect()
                };
                assert_eq!(shares(&once), shares(&twice), "{person} {}", describe(&small));
            }
        }
    }
}

/// Both columns are used, because one column can disclose values of the other.
#[test]
fn an_audit_of_one_column_equals_the_audit_of_both() {
    let mut random = Random(51);
    let mut failures = Failures::default();
    let mut compared = 0;
    let judge = |small: &SmallHistory| -> Option<Result<(), String>> {
        let people: Vec<u128> = small.people().into_iter().collect();
        let both = audit(&small.history(), &audit_options()).ok()?;
        let options = AuditOptions { columns: Some(vec!["ill".to_owned()]), ..audit_options() };
        let one = match audit(&small.history(), &options) {
            Ok(one) => one,
            Err(error) => return Some(Err(format!("error: {error}"))),
        };
        if let Some(person) =
            people.iter().find(|person| posteriors(&both, **person, "ill") != posteriors(&one, **person, "ill"))
        {
            return Some(Err(format!("{person} has other posteriors")));
        }
        let other = people.iter().any(|person| !posteriors(&one, *person, "pay").is_empty());
        Some(if other || one.columns.len() != 1 { Err("another column is reported".to_owned()) } else { Ok(()) })
    };
    for _ in 0..150 * times() {
        let suppressed = 4 * random.below(2);
        let small = random_history(&mut random, &HistoryShape { people: 6, releases: 3, suppressed, columns: 2 });
        match judge(&small) {
            Some(Ok(())) => compared += 1,
            Some(Err(wrong)) => failures.add(&small, &wrong, &|small| judge(small).and_then(Result::err)),
            None => (),
        }
    }
    println!("{compared} compared");
    failures.finish();
    assert!(compared > 80);
}
