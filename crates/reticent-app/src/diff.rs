//! `diff`: compares two releases: columns, published values, and numbers of records and people. Outputs no records.

use std::collections::{BTreeMap, BTreeSet};

use reticent::{Links, Role};
use reticent_ledger::{Body, BodyColumn, Entry, Ledger};

use crate::Workspace;
use crate::answer::{Changes, ColumnDiff, DiffAnswer, DiffSide, RoleChange};
use crate::context::Context;
use crate::error::Result;
use crate::ledger_access::LedgerAccess;

pub(crate) fn diff(workspace: &Workspace, from: &str, to: &str, context: &Context) -> Result<DiffAnswer> {
    let ledger = LedgerAccess::find(workspace, "comparing releases", context)?.open_to_read()?;
    let (from, to) = (ledger.find(from)?, ledger.find(to)?);
    [&from, &to].into_iter().try_for_each(Entry::check_not_withdrawn)?;
    compare(&ledger, &from, &to)
}

fn compare(ledger: &Ledger, from: &Entry, to: &Entry) -> Result<DiffAnswer> {
    let (one, other) = (ledger.body(from)?, ledger.body(to)?);
    let (before, after) =
        (columns(&one, &ledger.further_tables(from)?, from), columns(&other, &ledger.further_tables(to)?, to));
    let only = |these: &Columns, those: &Columns| -> Vec<String> {
        these.iter().map(|(column, _)| &column.name).filter(|name| column(those, name).is_none()).cloned().collect()
    };
    let both: Vec<String> = before.iter().map(|(column, _)| column.name.clone()).collect();
    let both: Vec<String> = both.into_iter().filter(|name| column(&after, name).is_some()).collect();
    let in_records = |body: &Body, name: &str| body.columns.iter().any(|column| column.name == name);
    let shared: Vec<String> =
        both.iter().filter(|name| in_records(&one, name) && in_records(&other, name)).cloned().collect();
    Ok(DiffAnswer {
        from: side(from),
        to: side(to),
        columns_removed: only(&before, &after),
        columns_added: only(&after, &before),
        columns: both.iter().filter_map(|name| column_diff(&before, &after, name)).collect(),
        records: (!shared.is_empty()).then(|| records(&one, &other, &shared)),
        people: people_between(ledger, from, to)?,
    })
}

/// Columns of a release and of its lists, with their values. The group column is left out: group ids are random per release.
type Columns = Vec<(BodyColumn, Vec<String>)>;

fn columns(body: &Body, lists: &[Body], entry: &Entry) -> Columns {
    // The group column: declared, or shared by the table of people and a list.
    let shared = |column: &&BodyColumn| lists.iter().any(|list| list.columns.iter().any(|of| of.name == column.name));
    let shared = body.columns.iter().find(shared).map(|column| column.name.as_str());
    let group = entry.release().and_then(|recorded| recorded.disguise.group_column.as_deref()).or(shared);
    let mut columns: Columns = Vec::new();
    for (column, values) in
        std::iter::once(body).chain(lists).flat_map(|body| body.columns.iter().zip(&body.counts.values))
    {
        let known = columns.iter().any(|(known, _)| known.name == column.name);
        if !known && group != Some(column.name.as_str()) {
            columns.push((column.clone(), values.clone()));
        }
    }
    columns
}

fn side(entry: &Entry) -> DiffSide {
    let release = entry.release();
    DiffSide {
        number: entry.number,
        name: release.map(|release| release.name.clone()).unwrap_or_default(),
        date: release.map(|release| release.date.clone()).unwrap_or_default(),
        recipients: release.map(|release| release.recipients.clone()).unwrap_or_default(),
        records: release.map_or(0, |release| release.records),
    }
}

fn column<'a>(columns: &'a Columns, name: &str) -> Option<&'a (BodyColumn, Vec<String>)> {
    columns.iter().find(|(column, _)| column.name == name)
}

fn column_diff(one: &Columns, other: &Columns, name: &str) -> Option<ColumnDiff> {
    let ((first, before), (second, after)) = (column(one, name)?, column(other, name)?);
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|text| those.binary_search(text).is_err()).cloned().collect()
    };
    let (removed, added) = (only(before, after), only(after, before));
    let is_quasi = first.role == Role::QuasiIdentifier && second.role == Role::QuasiIdentifier;
    Some(ColumnDiff {
        name: name.to_owned(),
        roles: (first.role != second.role).then_some(RoleChange { from: first.role, to: second.role }),
        values_removed: removed.len() as u64,
        values_added: added.len() as u64,
        cut_removed: if is_quasi { removed } else { Vec::new() },
        cut_added: if is_quasi { added } else { Vec::new() },
    })
}

/// Compares the multisets of records, projected on the shared columns.
fn records(one: &Body, other: &Body, both: &[String]) -> Changes {
    let tally = |body: &Body| {
        let places: Vec<usize> =
            both.iter().filter_map(|name| body.columns.iter().position(|column| column.name == *name)).collect();
        let combos = body.counts.contingency.project(&places);
        let mut tally: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for at in 0..combos.len() {
            let text = |(codes, place): (&Vec<u32>, &usize)| body.counts.values[*place][codes[at] as usize].clone();
            tally.insert(combos.codes.iter().zip(&places).map(text).collect(), combos.weights[at]);
        }
        tally
    };
    let (before, after) = (tally(one), tally(other));
    let stayed: u64 = before.iter().map(|(record, rows)| after.get(record).map_or(0, |other| *rows.min(other))).sum();
    let total = |tally: &BTreeMap<Vec<String>, u64>| tally.values().sum::<u64>();
    Changes { removed: total(&before) - stayed, kept: stayed, added: total(&after) - stayed }
}

/// Compares the owners of two releases; `None` unless both have owner links under the same key.
fn people_between(ledger: &Ledger, from: &Entry, to: &Entry) -> Result<Option<Changes>> {
    let key = |entry: &Entry| entry.release().and_then(|release| release.links.as_ref()).map(|links| links.key.clone());
    if key(from).is_none() || key(from) != key(to) {
        return Ok(None);
    }
    let (Some(before), Some(after)) = (ledger.links(from)?, ledger.links(to)?) else { return Ok(None) };
    let owners = |links: &Links| links.pseudonyms.iter().copied().collect::<BTreeSet<_>>();
    let (before, after) = (owners(&before), owners(&after));
    let stayed = before.intersection(&after).count() as u64;
    Ok(Some(Changes { removed: before.len() as u64 - stayed, kept: stayed, added: after.len() as u64 - stayed }))
}
