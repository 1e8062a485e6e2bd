//! Histories, made by chance and judged by brute force.

use super::*;

/// One sensitive column, nothing hidden: all figures are those of all worlds.
#[test]
fn histories_of_one_secret() {
    let (compared, reasons) = run(41, 300, &Shape { people: 7, releases: 4, hidden: 0, columns: 1 });
    assert!(compared > 200 && reasons > 100);
}

/// Two sensitive columns together.
#[test]
fn histories_of_two_secrets() {
    let (compared, _) = run(42, 200, &Shape { people: 6, releases: 3, hidden: 0, columns: 2 });
    assert!(compared > 100);
}

/// Cells that are hidden, or say which kind of illness.
#[test]
fn histories_with_hidden_secrets() {
    let (compared, _) = run(43, 250, &Shape { people: 6, releases: 3, hidden: 4, columns: 1 });
    assert!(compared > 100);
}

/// The same in two columns, where what is shown may overlap: then bounds hold.
#[test]
fn histories_with_two_hidden_secrets() {
    let (compared, _) = run(44, 250, &Shape { people: 5, releases: 3, hidden: 4, columns: 2 });
    assert!(compared > 80);
}

/// The same where every combination of values is somebody's for sure.
#[test]
fn histories_with_two_hidden_secrets_and_all_shown() {
    let (compared, _) = run_of(52, 120, &Shape { people: 5, releases: 3, hidden: 4, columns: 2 }, with_all_shown);
    assert!(compared > 40);
}

/// Whether what is known is true of a world. Shares among some people are of one release, by its quasi-identifiers.
fn holds(small: &Small, knowledge: &BackgroundKnowledge, world: &World) -> bool {
    let has = |who: &u128, value: &str| small.text(0, world[who][0]) == value;
    let known = |known: &KnownValue| has(&known.person, &known.value) == known.has;
    let statement = |statement: &BackgroundStatement| match statement {
        BackgroundStatement::Count { people: who, value, lower: least, upper: most, .. } => {
            (*least..=*most).contains(&(who.iter().filter(|who| has(who, value)).count() as u64))
        }
        BackgroundStatement::Proportion { value, condition: among, lower: least, upper: most, .. } => {
            let among: Vec<u128> = match among {
                None => small.people().into_iter().collect(),
                Some((_, zip)) => {
                    let records = small.releases[0].records.iter();
                    records.filter(|record| format!("z{}", record.group % 2) == *zip).map(|record| record.who).collect()
                }
            };
            let (all, having) = (among.len() as u128, among.iter().filter(|who| has(who, value)).count() as u128);
            having * least.denominator >= least.numerator * all && having * most.denominator <= most.numerator * all
        }
    };
    knowledge.known.iter().all(known) && knowledge.statements.iter().all(statement)
}

/// What is wrong with an audit of somebody who knows more: none where there is nothing to compare, and how many worlds.
fn knowing(small: &Small, knowledge: &BackgroundKnowledge) -> Option<Result<usize, String>> {
    let people: Vec<u128> = small.people().into_iter().collect();
    let who = knowledge.statements.iter().flat_map(|statement| match statement {
        BackgroundStatement::Count { people: who, .. } => who.clone(),
        BackgroundStatement::Proportion { .. } => Vec::new(),
    });
    if who.chain(knowledge.known.iter().map(|known| known.person)).any(|who| !people.contains(&who)) {
        return None;
    }
    let spoken = knowledge.statements.iter().map(|statement| match statement {
        BackgroundStatement::Count { value, .. } | BackgroundStatement::Proportion { value, .. } => value,
    });
    let shown = &small.shown()[0];
    let is_shown = |value: &String| shown.iter().any(|code| small.text(0, *code) == *value);
    if !spoken.chain(knowledge.known.iter().map(|known| &known.value)).all(is_shown) {
        return None;
    }
    let mut worlds = small.worlds(&small.groups(), &people)?;
    worlds.retain(|world| holds(small, knowledge, world));
    let ask = AuditOptions { knowledge: knowledge.clone(), ..question() };
    let found = std::panic::catch_unwind(|| audit(&small.history(), &ask));
    let result = match (found, worlds.len()) {
        (Err(_), _) => Err("a panic".to_owned()),
        (Ok(Err(_)), 0) => Ok(0),
        (Ok(Ok(_)), 0) => Err("no world and no error".to_owned()),
        (Ok(Err(error)), worlds) => Err(format!("error: {worlds} worlds, but {error}")),
        (Ok(Ok(found)), _) => fault(small, &worlds, &found, true).map(|()| worlds.len()),
    };
    Some(result.map_err(|wrong| format!("{wrong} with {knowledge:?}")))
}

/// Somebody's value, statements about some people and about shares: worlds in which they are not true are left out.
#[test]
fn knowledge_leaves_worlds_out() {
    let mut random = Random(45);
    let mut faults = Faults::default();
    let (mut compared, mut contradict) = (0, 0);
    for round in 0..800 * times() {
        let hidden = if random.below(3) == 0 { 5 } else { 0 };
        let small = made(&mut random, &Shape { people: 6, releases: 3, hidden, columns: 1 });
        let people: Vec<u128> = small.people().into_iter().collect();
        if people.len() < 2 {
            continue;
        }
        let mut knowledge = BackgroundKnowledge::default();
        for _ in 0..1 + random.below(2) {
            let value = random.pick(small.columns[0].1.values()).clone();
            let column = "ill".to_owned();
            let mut who = people.clone();
            random.shuffle(&mut who);
            match round % 4 {
                0 => knowledge.known.push(KnownValue { person: who[0], column, value, has: random.below(2) == 0 }),
                1 => {
                    // Exactly one of two.
                    who.truncate(2);
                    knowledge.statements.push(BackgroundStatement::Count {
                        people: who,
                        column,
                        value,
                        lower: 1,
                        upper: 1,
                    });
                }
                2 => {
                    who.truncate(1 + random.below(people.len()));
                    let least = random.below(who.len() + 1) as u64;
                    let most = least + random.below(3) as u64;
                    knowledge.statements.push(BackgroundStatement::Count {
                        people: who,
                        column,
                        value,
                        lower: least,
                        upper: most,
                    });
                }
                _ => {
                    let (a, b) = (random.below(11) as u64, random.below(11) as u64);
                    let (least, most) = (Ratio::new(a.min(b), 10), Ratio::new(a.max(b), 10));
                    knowledge.statements.push(BackgroundStatement::Proportion {
                        column,
                        value,
                        condition: None,
                        lower: least,
                        upper: most,
                    });
                }
            }
        }
        match knowing(&small, &knowledge) {
            None => continue,
            Some(Ok(0)) => contradict += 1,
            Some(Ok(_)) => compared += 1,
            Some(Err(wrong)) => {
                faults.add(&small, &wrong, &|small| knowing(small, &knowledge).and_then(Result::err));
            }
        }
    }
    println!("{compared} compared, {contradict} contradict");
    assert!(compared > 150 && contradict > 40);
    faults.end();
}

/// A share among the people with a published value of a quasi-identifier.
#[test]
fn shares_among_some_people() {
    let mut random = Random(46);
    let mut faults = Faults::default();
    let (mut compared, mut contradict) = (0, 0);
    for _ in 0..300 * times() {
        let mut small = made(&mut random, &Shape { people: 7, releases: 1, hidden: 0, columns: 1 });
        let Some(release) = small.releases.first_mut() else { continue };
        release.marked = false;
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
        match knowing(&small, &knowledge) {
            None => continue,
            Some(Ok(0)) => contradict += 1,
            Some(Ok(_)) => compared += 1,
            Some(Err(wrong)) => {
                let zips = |small: &Small| small.releases[0].records.iter().any(|record| record.group % 2 == zip);
                let fault = |small: &Small| knowing(small, &knowledge).filter(|_| zips(small)).and_then(Result::err);
                faults.add(&small, &wrong, &fault);
            }
        }
    }
    println!("{compared} compared, {contradict} contradict");
    assert!(compared > 50 && contradict > 20);
    faults.end();
}

/// The estimate in bits, of one column that is shown in full.
#[test]
fn bits_of_entropy() {
    let mut random = Random(47);
    let mut compared = 0;
    for _ in 0..100 * times() {
        let small = made(&mut random, &Shape { people: 7, releases: 3, hidden: 0, columns: 1 });
        if small.releases.is_empty() {
            continue;
        }
        let people: Vec<u128> = small.people().into_iter().collect();
        let tree = &small.columns[0].1;
        let values = 0..tree.len() as u32;
        let crowds = people.iter().map(|_| PersonClass { people: 1, possible: values.clone().collect() }).collect();
        let mut puzzle = Problem { classes: crowds, ..Problem::default() };
        for (source, _, members, cells) in small.groups() {
            for value in values.clone() {
                let shown = cells.iter().filter(|cells| cells[0] == tree.leaf_of(value)).count() as u64;
                let of = members.iter().map(|who| (people.binary_search(who).unwrap() as u32, value)).collect();
                puzzle.counts.push(Count { source: source as u32, cells: of, lower: shown, upper: shown });
            }
        }
        let program = Program::of(&puzzle, &BTreeMap::new());
        let Some((nats, x)) = program.maximum(&program.support(|_, _| false)) else { continue };
        let found = audit(&small.history(), &question()).unwrap();
        let bits = found.columns[0].entropy_bits.unwrap();
        assert!((bits - nats / 2f64.ln()).abs() < 1e-6, "{bits} {nats} {}", literal(&small));
        for (cell, x) in program.cells.iter().zip(&x) {
            let list = &told(&found, people[cell.0 as usize], "ill")[0];
            let estimate = list.get(tree.value(cell.1)).map_or(0.0, |chance| chance.maximum_entropy.unwrap());
            assert!((estimate - x).abs() < 1e-5 || list.get(tree.value(cell.1)).is_none(), "{estimate} {x}");
        }
        compared += 1;
    }
    assert!(compared > 60, "{compared}");
}

/// One release in which people have several records: each record is as likely anybody's in its group.
#[test]
fn several_records_in_one_release() {
    let mut random = Random(48);
    for _ in 0..100 * times() {
        let mut small = made(&mut random, &Shape { people: 7, releases: 1, hidden: 0, columns: 1 });
        let Some(release) = small.releases.first_mut() else { continue };
        let people: Vec<u128> = release.records.iter().map(|record| record.who).collect();
        for _ in 0..1 + random.below(2) {
            let again = random.pick(&release.records).clone();
            let group = random.pick(&release.records).group;
            let cells = random.pick(&release.records).cells.clone();
            release.records.push(Record { who: again.who, group, cells });
        }
        let several: BTreeSet<u128> = people
            .iter()
            .copied()
            .filter(|who| release.records.iter().filter(|record| record.who == *who).count() > 1)
            .collect();
        let found = audit(&small.history(), &question()).unwrap();
        assert_eq!(found.multi_record_people, several.len() as u64, "{}", literal(&small));
        for (_, _, members, cells) in small.groups() {
            for who in &members {
                let lists = told(&found, *who, "ill");
                let shown = |code: u32| cells.iter().filter(|c| c[0] == small.columns[0].1.leaf_of(code)).count();
                let shares: BTreeMap<String, (u128, u128)> = (0..small.columns[0].1.len() as u32)
                    .filter(|code| shown(*code) > 0)
                    .map(|code| (small.text(0, code).to_owned(), (shown(code) as u128, cells.len() as u128)))
                    .collect();
                let fits = |list: &BTreeMap<String, ColumnPosterior>| {
                    list.keys().eq(shares.keys())
                        && list.iter().all(|(text, chance)| {
                            compare(chance.lower, shares[text]).is_eq() && compare(chance.upper, shares[text]).is_eq()
                        })
                };
                assert!(lists.iter().any(fits), "{who} {lists:?} {shares:?} {}", literal(&small));
            }
        }
    }
}

/// Some people's values change, some have several records: what is told is about real values, and never excludes the truth.
#[test]
fn the_truth_is_never_excluded() {
    let mut random = Random(49);
    let mut faults = Faults::default();
    let (mut compared, mut changes) = (0, 0);
    for round in 0..300 * times() {
        let hidden = if random.below(2) == 0 { 5 } else { 0 };
        let mut small = made(&mut random, &Shape { people: 7, releases: 3, hidden, columns: 1 + round % 2 });
        if small.releases.len() < 2 {
            continue;
        }
        for _ in 0..random.below(3) {
            // Somebody's value changes.
            let at = random.below(small.releases.len());
            let record = random.below(small.releases[at].records.len());
            let tree = small.columns[0].1.clone();
            small.releases[at].records[record].cells[0] = tree.leaf_of(random.below(tree.len()) as u32);
        }
        if random.below(3) == 0 {
            let at = random.below(small.releases.len());
            let again = random.pick(&small.releases[at].records).clone();
            small.releases[at].records.push(again);
        }
        let judge = |small: &Small| [2_000_000, 0].iter().find_map(|steps| excluded(small, *steps).err());
        compared += 1;
        changes += changed(&small).len();
        if let Some(wrong) = judge(&small) {
            faults.add(&small, &wrong, &judge);
        }
    }
    println!("{compared} audits, {changes} changes");
    assert!(compared > 100 && changes > 50);
    faults.end();
}

fn records_of(small: &Small) -> BTreeMap<u128, Vec<&Record>> {
    let mut of: BTreeMap<u128, Vec<&Record>> = BTreeMap::new();
    small.releases.iter().flat_map(|release| &release.records).for_each(|r| of.entry(r.who).or_default().push(r));
    of
}

fn has_several(small: &Small, who: u128) -> bool {
    let twice = |release: &Published| release.records.iter().filter(|record| record.who == who).count() > 1;
    small.releases.iter().any(twice)
}

/// People with one record in each release, two of which contradict each other.
fn changed(small: &Small) -> Vec<u128> {
    let apart = |one: &Record, other: &Record| {
        (0..small.columns.len()).any(|column| {
            let codes = |record: &Record| small.columns[column].1.node(record.cells[column]).codes.clone();
            codes(one).end <= codes(other).start || codes(other).end <= codes(one).start
        })
    };
    let changed = |records: &[&Record]| records.iter().any(|one| records.iter().any(|other| apart(one, other)));
    let of = records_of(small).into_iter();
    of.filter(|(who, records)| !has_several(small, *who) && changed(records)).map(|(who, _)| who).collect()
}

fn excluded(small: &Small, steps: u64) -> Result<(), String> {
    let ask = AuditOptions { solve: SolveOptions { steps, ..SolveOptions::default() }, ..question() };
    if small.shown().iter().any(BTreeSet::is_empty) {
        return Ok(());
    }
    let found = std::panic::catch_unwind(|| audit(&small.history(), &ask)).map_err(|_| "a panic".to_owned())?;
    let found = found.map_err(|error| format!("error: {error}"))?;
    let people = small.people();
    let several = people.iter().filter(|who| has_several(small, **who)).count() as u64;
    if found.multi_record_people != several {
        return Err(format!("several: {} instead of {several}", found.multi_record_people));
    }
    // How somebody with several records would be counted is not said.
    let changed = changed(small);
    if several == 0 && found.changed_people != changed.len() as u64 {
        return Err(format!("changed: {} instead of {changed:?}", found.changed_people));
    }
    for (who, records) in records_of(small) {
        for (column, (name, tree)) in small.columns.iter().enumerate() {
            let lists = told(&found, who, name);
            for record in records.iter().filter(|record| record.cells[column] != 0) {
                // Some list has room for what the record shows.
                let codes = tree.node(record.cells[column]).codes.clone();
                let room = |list: &BTreeMap<String, ColumnPosterior>| {
                    codes
                        .clone()
                        .any(|code| list.get(tree.value(code)).is_some_and(|chance| chance.upper.numerator > 0))
                };
                if !lists.iter().any(room) {
                    return Err(format!("excluded: {who} {name} {lists:?}"));
                }
            }
            for list in &lists {
                let (low, high) = list
                    .values()
                    .fold((0.0, 0.0), |(low, high), chance| (low + chance.lower.value(), high + chance.upper.value()));
                if low > 1.0 + 1e-9 || high < 1.0 - 1e-9 {
                    return Err(format!("sums: {low} to {high}: {who} {name} {list:?}"));
                }
            }
        }
    }
    Ok(())
}

/// Publishing a release twice tells nothing more.
#[test]
fn the_same_release_twice_tells_nothing_more() {
    let mut random = Random(50);
    for _ in 0..100 * times() {
        let small = made(&mut random, &Shape { people: 7, releases: 3, hidden: 0, columns: 2 });
        if small.releases.is_empty() {
            continue;
        }
        let mut twice = small.clone();
        twice.releases.push(random.pick(&small.releases).clone());
        let (once, twice) =
            (audit(&small.history(), &question()).unwrap(), audit(&twice.history(), &question()).unwrap());
        assert_eq!(once.worlds, twice.worlds);
        for who in small.people() {
            for (name, _) in &small.columns {
                let shares = |audit: &Audit| -> Vec<Vec<(String, u128, u128)>> {
                    let lists = told(audit, who, name);
                    let share = |(text, chance): (&String, &ColumnPosterior)| {
                        (text.clone(), chance.lower.numerator, chance.lower.denominator)
                    };
                    lists.iter().map(|list| list.iter().map(share).collect()).collect()
                };
                assert_eq!(shares(&once), shares(&twice), "{who} {}", literal(&small));
            }
        }
    }
}

/// Asked about one of two columns, an audit tells of it what it tells when asked about both: one tells about the other.
#[test]
fn one_column_of_two() {
    let mut random = Random(51);
    let mut faults = Faults::default();
    let mut compared = 0;
    let judge = |small: &Small| -> Option<Result<(), String>> {
        let people: Vec<u128> = small.people().into_iter().collect();
        let both = audit(&small.history(), &question()).ok()?;
        let ask = AuditOptions { columns: Some(vec!["ill".to_owned()]), ..question() };
        let one = match audit(&small.history(), &ask) {
            Ok(one) => one,
            Err(error) => return Some(Err(format!("error: {error}"))),
        };
        if let Some(who) = people.iter().find(|who| told(&both, **who, "ill") != told(&one, **who, "ill")) {
            return Some(Err(format!("{who} is told otherwise")));
        }
        let other = people.iter().any(|who| !told(&one, *who, "pay").is_empty());
        Some(if other || one.columns.len() != 1 { Err("more is told than was asked".to_owned()) } else { Ok(()) })
    };
    for _ in 0..150 * times() {
        let hidden = 4 * random.below(2);
        let small = made(&mut random, &Shape { people: 6, releases: 3, hidden, columns: 2 });
        match judge(&small) {
            Some(Ok(())) => compared += 1,
            Some(Err(wrong)) => faults.add(&small, &wrong, &|small| judge(small).and_then(Result::err)),
            None => (),
        }
    }
    println!("{compared} compared");
    faults.end();
    assert!(compared > 80);
}
