//! `erase`: one person can no longer be found in the ledger. Recipients keep what they have.
//!
//! The answer states what the next release without the person would disclose: recipients compare it with what they have.

use std::collections::BTreeMap;

use reticent::text::counted;
use reticent::{Links, Pseudonym, Role, republication};
use reticent_engine::OwnerKey;
use reticent_ledger::{Body, Entry, EntryKind, Ledger, ReleaseRecord};

use crate::Workspace;
use crate::answer::{EraseAnswer, ErasedColumn, ErasedRecords};
use crate::context::Context;
use crate::corrections::assumptions;
use crate::error::{Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::EraseRequest;

pub(crate) fn erase(workspace: &Workspace, request: &EraseRequest, context: &Context) -> Result<EraseAnswer> {
    // The entry, which is never removed, would contain it.
    if request.owner.is_named_in(request.reason.as_str()) {
        return Err(Problem::ReasonNamesOwner.into());
    }
    // The description names no person: other processes see it while they wait.
    let access = LedgerAccess::find(workspace, "erasing a person", context)?;
    let mut ledger = access.open_to_write()?;
    let entries = ledger.entries()?;
    let key = access.matching_key(&entries)?;
    let key = key.ok_or_else(|| Problem::KeyNeeded { path: access.key_path.clone() })?;
    let person = OwnerKey::new(*key.pseudonym_key()).pseudonym(request.owner.as_bytes());
    let releases = records_of(&ledger, &entries, person)?;
    let mut affected: Vec<u64> = releases.iter().map(|records| records.release).collect();
    affected.extend(releases_with_state(&ledger, &entries, person)?);
    affected.sort_unstable();
    affected.dedup();
    if affected.is_empty() {
        return Err(reticent_ledger::Error::NoSuchOwner.into());
    }
    let warnings = warnings(&releases);
    let mut answer = EraseAnswer {
        dry_run: request.dry_run,
        number: None,
        entry: None,
        replaced_files: 0,
        releases,
        warnings,
        assumptions: Vec::new(),
    };
    if request.dry_run {
        return Ok(answer);
    }
    if !request.confirmed {
        return Err(Problem::EraseUnconfirmed { releases: affected }.into());
    }
    let erased = access.write(&mut ledger)?.erase(person, request.reason.as_str())?;
    answer.number = Some(erased.number);
    answer.entry = Some(ledger.hash_of(&erased)?.to_string());
    if let EntryKind::Erasure(erasure) = &erased.kind {
        answer.replaced_files = erasure.replaced.len();
    }
    answer.assumptions = assumptions(&ledger.entries()?);
    Ok(answer)
}

/// Returns the releases with state of a republication method about a person, for example about a record that it postponed.
fn releases_with_state(ledger: &Ledger, entries: &[Entry], person: Pseudonym) -> Result<Vec<u64>> {
    let mut found = Vec::new();
    for entry in unpurged(entries) {
        let state = ledger.method_state(entry)?;
        found.extend(state.iter().flatten().any(|known| known.person == person).then_some(entry.number));
    }
    Ok(found)
}

/// Returns the releases whose contents are stored.
fn unpurged(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    let is_purged = |number: u64| entries.iter().filter_map(Entry::purge).any(|purge| purge.release == number);
    entries.iter().filter(move |entry| entry.release().is_some() && !is_purged(entry.number))
}

/// Returns the records of a person in each release that has them.
fn records_of(ledger: &Ledger, entries: &[Entry], person: Pseudonym) -> Result<Vec<ErasedRecords>> {
    let mut found = Vec::new();
    for entry in unpurged(entries) {
        let Some(release) = entry.release() else { continue };
        let Some(links) = ledger.links(entry)? else { continue };
        let cells: Vec<(u32, u32)> = of_person(&links, person).collect();
        if cells.is_empty() {
            continue;
        }
        let (body, tables) = (ledger.body(entry)?, ledger.further_tables(entry)?);
        let (class_records, columns) = class_of(release, &body, &tables, &cells);
        found.push(ErasedRecords {
            release: entry.number,
            name: release.name.clone(),
            recipients: release.recipients.clone(),
            withdrawn: release.corrections.withdrawn.is_some(),
            method: release.method.as_ref().map(|method| method.id.clone()),
            records: cells.iter().map(|(_, records)| u64::from(*records)).sum(),
            class_records,
            columns,
        });
    }
    Ok(found)
}

/// Returns the cells of a person, with the number of records in each.
fn of_person(links: &Links, person: Pseudonym) -> impl Iterator<Item = (u32, u32)> {
    let first = links.pseudonyms.partition_point(|known| *known < person);
    let same = links.pseudonyms[first..].iter().take_while(move |known| **known == person).count();
    (first..first + same).map(|at| (links.cells[at], links.records[at]))
}

/// Returns the size of the person's smallest equivalence class or group, and the effect on its sensitive values if the
/// same table is published again without the person.
fn class_of(release: &ReleaseRecord, body: &Body, tables: &[Body], cells: &[(u32, u32)]) -> (u64, Vec<ErasedColumn>) {
    let mark = group_column(release, body, tables);
    let is_key = |at: &usize| match &mark {
        Some(mark) => body.columns[*at].name == *mark,
        None => body.columns[*at].role == Role::QuasiIdentifier,
    };
    let keys: Vec<usize> = (0..body.columns.len()).filter(is_key).collect();
    let table = &body.counts.contingency;
    let class = |cell: usize| -> Vec<u32> { keys.iter().map(|at| table.codes[*at][cell]).collect() };
    let members = |of: &[u32]| (0..table.len()).filter(|cell| class(*cell) == of).collect::<Vec<usize>>();
    let size = |members: &[usize]| members.iter().map(|cell| table.weights[*cell]).sum::<u64>();
    let classes = cells.iter().map(|(cell, records)| (members(&class(*cell as usize)), *cell as usize, *records));
    let Some((members, cell, records)) = classes.min_by_key(|(members, ..)| size(members)) else {
        return (0, Vec::new());
    };
    let whole = size(&members);
    let mut columns = Vec::new();
    for (at, column) in body.columns.iter().enumerate().filter(|(_, column)| column.role == Role::Sensitive) {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        members.iter().for_each(|cell| *counts.entry(table.codes[at][*cell]).or_default() += table.weights[*cell]);
        let own = table.codes[at][cell];
        columns.push(effect(&column.name, &counts, Some((own, u64::from(records)))));
    }
    // A method lists the values of a group in tables of their own. Which value is the person's is not recorded.
    let label = mark.and_then(|mark| body.columns.iter().position(|column| column.name == mark));
    let label = label.map(|at| body.counts.values[at][table.codes[at][cell] as usize].clone());
    for list in tables {
        let group = release.tables.first().and(body.columns.first()).map(|column| &column.name);
        let place = |wanted: &dyn Fn(&str, Role) -> bool| {
            list.columns.iter().position(|column| wanted(&column.name, column.role))
        };
        let by = place(&|name, _| Some(name) == group.map(String::as_str));
        let value = place(&|_, role| role == Role::Sensitive);
        let (Some(by), Some(value), Some(label)) = (by, value, &label) else { continue };
        let listed = &list.counts.contingency;
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for row in 0..listed.len() {
            if list.counts.values[by][listed.codes[by][row] as usize] == *label {
                *counts.entry(listed.codes[value][row]).or_default() += listed.weights[row];
            }
        }
        columns.push(effect(&list.columns[value].name, &counts, None));
    }
    (whole, columns)
}

/// Returns the column that defines the groups of a release; `None` if equal quasi-identifiers do.
fn group_column(release: &ReleaseRecord, body: &Body, tables: &[Body]) -> Option<String> {
    let by_method = release.method.is_some().then(|| body.columns.first()).flatten();
    let by_method = by_method.filter(|_| !tables.is_empty()).map(|column| column.name.clone());
    release.disguise.group_column.clone().or(by_method)
}

/// Returns the highest share of a value in a class, now and without the person. `own` is the code of the person's value and
/// the number of their records; if it is unknown, the worst case.
fn effect(column: &str, counts: &BTreeMap<u32, u64>, own: Option<(u32, u64)>) -> ErasedColumn {
    let share = |counts: &BTreeMap<u32, u64>| {
        let whole: u64 = counts.values().sum();
        let most = counts.values().copied().max().unwrap_or(0);
        (whole > 0).then(|| most as f64 / whole as f64)
    };
    let without = |(code, records): (u32, u64)| {
        let mut rest = counts.clone();
        rest.entry(code).and_modify(|count| *count = count.saturating_sub(records));
        share(&rest)
    };
    let after = match own {
        Some(own) => without(own),
        None => counts.keys().filter_map(|code| without((*code, 1))).max_by(f64::total_cmp),
    };
    ErasedColumn {
        column: column.to_owned(),
        highest_share: share(counts).unwrap_or(0.0),
        highest_share_without: after,
    }
}

/// Returns what the next release without the person would disclose to the recipients of the earlier ones.
fn warnings(releases: &[ErasedRecords]) -> Vec<String> {
    let held = releases.iter().filter(|records| !records.withdrawn);
    let mut warnings: Vec<String> = Vec::new();
    for records in held.clone().filter(|records| !records.columns.is_empty()) {
        let columns: Vec<&str> = records.columns.iter().map(|column| column.column.as_str()).collect();
        let class = if records.method.is_some() { "group" } else { "equivalence class" };
        warnings.push(format!(
            "{} can compare release {} {} with a later one: if the {class} of the person ({}) is published again without them, \
             the missing value of {} is theirs",
            records.recipients.join(", "),
            records.release,
            records.name,
            counted(records.class_records, "record"),
            columns.join(" and of ")
        ));
    }
    let newest = held.filter_map(|records| Some((records, records.method.as_deref()?))).next_back();
    if let Some((records, id)) = newest {
        let rule = republication::LIST.iter().find(|method| method.entry.id == id);
        let text = match rule {
            Some(method) if method.updates.delete => format!(
                "the next release of the series continues without the erased person as without anyone who leaves ({id}): {}",
                method.departure_rule
            ),
            _ => format!(
                "the method {id} of release {} does not cover people who leave the data: the next release of the series can be refused",
                records.release
            ),
        };
        warnings.push(text);
    }
    warnings.push(
        "delete the person from the source data before the next release: a record that returns gets a new pseudonym, and audits \
         cannot link it to the erased records"
            .to_owned(),
    );
    warnings
}
