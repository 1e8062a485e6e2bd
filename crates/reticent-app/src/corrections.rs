//! Assumptions of every verdict that follow from withdrawals, amendments and erasures.
//!
//! The ledger applies corrections when it reads its entries. What a correction takes away from recipients cannot be
//! verified, so every later verdict lists it.

use std::collections::BTreeMap;

use reticent::text::people;
use reticent::{PUBLIC, Role};
use reticent_ledger::{Entry, EntryKind, ReleaseRecord};

/// Returns the assumptions that follow from the corrections in these entries.
pub(crate) fn assumptions(entries: &[Entry]) -> Vec<String> {
    let releases = entries.iter().filter_map(|entry| Some((entry.number, entry.release()?)));
    let mut assumed: Vec<String> = releases.flat_map(|(number, release)| of_release(number, release)).collect();
    let erased = entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Erasure(erasure) => Some(erasure.people),
        _ => None,
    });
    let erased: u64 = erased.sum();
    if erased > 0 {
        assumed.push(format!(
            "{} erased from the owner links: assumed that no release after the erasure contains them",
            match erased {
                1 => "1 person was".to_owned(),
                many => format!("{} were", people(many)),
            }
        ));
    }
    assumed
}

fn of_release(number: u64, release: &ReleaseRecord) -> Vec<String> {
    let (name, corrections) = (&release.name, &release.corrections);
    if let Some(mark) = &corrections.withdrawn {
        let unchecked = if mark.file_absent { "" } else { ", and that its file was destroyed, which was not checked" };
        return vec![format!("release {number} {name} was withdrawn: assumed that nobody holds it{unchecked}")];
    }
    let mut assumed = Vec::new();
    // Anyone holds a public release.
    if !corrections.former_recipients.is_empty() && !release.recipients.iter().any(|name| name == PUBLIC) {
        let former: Vec<&str> = corrections.former_recipients.iter().map(String::as_str).collect();
        assumed.push(format!(
            "the recipients of release {number} {name} were amended: assumed that {} {} not hold it",
            former.join(", "),
            if former.len() == 1 { "does" } else { "do" }
        ));
    }
    for (column, recorded) in &corrections.recorded_roles {
        let now = release.columns.iter().find(|known| known.name == *column).map(|known| known.role);
        // A role that protects more assumes nothing.
        if let Some(now) = now.filter(|now| protects_less(*recorded, *now)) {
            assumed.push(format!(
                "the roles of release {number} {name} were amended: assumed that the role of {column} is {} instead of {}",
                role_text(now),
                role_text(*recorded)
            ));
        }
    }
    assumed
}

/// Returns whether the second role gives an attacker less than the first one: then it is an assumption.
fn protects_less(recorded: Role, now: Role) -> bool {
    !(recorded == now || now == Role::Identifier || matches!(recorded, Role::Other | Role::Drop))
}

/// Returns the name of a role, as in a policy.
pub(crate) fn role_text(role: Role) -> &'static str {
    match role {
        Role::Identifier => "identifier",
        Role::QuasiIdentifier => "quasi-identifier",
        Role::Sensitive => "sensitive",
        Role::Other => "other",
        Role::Drop => "drop",
    }
}

/// Returns the roles of the columns of a release, by column.
pub(crate) fn roles(release: &ReleaseRecord) -> BTreeMap<String, Role> {
    release.columns.iter().map(|column| (column.name.clone(), column.role)).collect()
}
