//! `show`: one release in full.

use std::path::Path;

use reticent::taxonomy::{SUPPRESSED, Type};
use reticent::{Interval, Role};
use reticent_ledger::{Body, Entry, EntryKind};

use crate::Workspace;
use crate::answer::{ColumnCut, ShowAnswer};
use crate::context::Context;
use crate::error::Result;
use crate::export_head::write_proof;
use crate::ledger_access::LedgerAccess;
use crate::log::{erased, line, withdrawn};

pub(crate) fn show(
    workspace: &Workspace,
    release: &str,
    proof: Option<&Path>,
    context: &Context,
) -> Result<ShowAnswer> {
    let access = LedgerAccess::find(workspace, "reading a release", context)?;
    let mut ledger = access.open_to_read()?;
    let entry = ledger.find(release)?;
    if let Some(path) = proof {
        access.check_output(path)?;
        let proof = access.write(&mut ledger)?.prove_entry(entry.number, &context.now())?;
        write_proof(path, &proof)?;
    }
    let entries = ledger.entries()?;
    let erased = erased(entry.number, &entries);
    let cuts = if erased.is_none() { Some(cuts(&ledger.body(&entry)?)) } else { None };
    let purge = entries.iter().find(|other| other.purge().is_some_and(|purge| purge.release == entry.number));
    let shared_with = purge.map(|purge| ledger.releases_sharing(purge)).transpose()?.unwrap_or_default();
    let proof = proof.map(Path::to_path_buf);
    let hash = ledger.hash_of(&entry)?.to_string();
    let corrections = entries.iter().filter(|other| corrects(other, entry.number));
    let corrections = corrections.map(|other| line(other, &entries)).collect();
    let release = entry.release();
    let withdrawn = release.and_then(withdrawn);
    let recipients = release.map(|release| release.recipients.clone()).unwrap_or_default();
    // The hash is that of the document, which has no corrections.
    let recorded = ledger.recorded_entries()?.into_iter().find(|other| other.number == entry.number);
    let recorded = recorded.unwrap_or(entry);
    Ok(ShowAnswer { entry: hash, proof, erased, shared_with, withdrawn, recipients, corrections, cuts, recorded })
}

/// Returns whether an entry corrects a release.
fn corrects(entry: &Entry, release: u64) -> bool {
    match &entry.kind {
        EntryKind::Withdrawal(withdrawal) => withdrawal.release == release,
        EntryKind::Amendment(amendment) => amendment.release == release,
        EntryKind::Erasure(erasure) => erasure.replaced.iter().any(|replaced| replaced.release == release),
        _ => false,
    }
}

/// Returns the published values of each quasi-identifier. Values of other columns are data, and are not shown.
fn cuts(body: &Body) -> Vec<ColumnCut> {
    let quasi = |(column, _): &(&reticent_ledger::BodyColumn, &Vec<String>)| column.role == Role::QuasiIdentifier;
    let line = |(column, texts): (&reticent_ledger::BodyColumn, &Vec<String>)| ColumnCut {
        column: column.name.clone(),
        values: sorted_values(column.values, texts),
    };
    body.columns.iter().zip(&body.counts.values).filter(quasi).map(line).collect()
}

/// Sorts intervals by their bounds, and puts all other texts last in their original order.
fn sorted_values(values: Type, texts: &[String]) -> Vec<String> {
    let mut ordered = texts.to_vec();
    let bound = |bound: Option<f64>, missing: f64| bound.unwrap_or(missing);
    let key = |text: &String| {
        let interval = Interval::parse(values, text).filter(|_| values != Type::Text && text != SUPPRESSED);
        interval.map(|it| (bound(it.low, f64::NEG_INFINITY), bound(it.high, f64::INFINITY)))
    };
    ordered.sort_by(|one, other| match (key(one), key(other)) {
        (Some(one), Some(other)) => one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)),
        (one, other) => one.is_none().cmp(&other.is_none()),
    });
    ordered
}
