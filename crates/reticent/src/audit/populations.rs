//! Population registers in an audit.
//!
//! A register shows no sensitive value, and the attacker of the audit knows the quasi-identifiers of all people and the releases
//! that contain them. So a register changes no posterior and no re-identification risk, and it is no release of the history. With
//! owner links, the audit counts the people of the releases whom it lists.

use hashbrown::HashSet;

use super::AuditOptions;
use crate::data::contingency::Weight;
use crate::data::links::Pseudonym;
use crate::release::history::{History, RecordedRelease};

/// A population register that the attacker has.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PopulationRegister {
    /// Number of the register in the ledger.
    pub number: u64,
    /// Name of the register.
    pub name: String,
    /// Number of records.
    pub records: Weight,
    /// Number of people of the releases whom the register lists; `None` if the register or no release has owner links.
    pub listed_people: Option<u64>,
}

/// Lists the population registers of a history.
pub(super) fn registers(history: &History) -> Vec<PopulationRegister> {
    let (registers, releases): (Vec<&RecordedRelease>, Vec<&RecordedRelease>) =
        history.releases.iter().partition(|recorded| recorded.population);
    if registers.is_empty() {
        return Vec::new();
    }
    let owners = releases.iter().filter_map(|recorded| recorded.links.as_ref()).flat_map(|links| &links.pseudonyms);
    let owners: HashSet<Pseudonym> = owners.copied().collect();
    let listed = |register: &RecordedRelease| {
        let links = register.links.as_ref().filter(|_| !owners.is_empty())?;
        let listed: HashSet<Pseudonym> = links.pseudonyms.iter().copied().filter(|one| owners.contains(one)).collect();
        Some(listed.len() as u64)
    };
    let register = |register: &&RecordedRelease| PopulationRegister {
        number: register.number,
        name: register.name.clone(),
        records: register.release.contingency.rows(),
        listed_people: listed(register),
    };
    registers.iter().map(register).collect()
}

/// The assumption about population registers; `None` if there are none, or if the attacker does not know all people.
pub(super) fn assumption(registers: &[PopulationRegister], options: &AuditOptions) -> Option<String> {
    if registers.is_empty() || !options.knows_everyone {
        return None;
    }
    let names = names(registers);
    Some(format!(
        "{names} is a population register: it changes no figure, because the attacker knows the quasi-identifiers of all people anyway"
    ))
}

/// The attackers that an audit leaves out because of population registers, if the attacker knows only the target.
pub(super) fn not_considered(registers: &[PopulationRegister], options: &AuditOptions) -> Option<String> {
    if registers.is_empty() || options.knows_everyone {
        return None;
    }
    Some(format!("attackers who know the quasi-identifiers of other people from {}", names(registers)))
}

fn names(registers: &[PopulationRegister]) -> String {
    registers.iter().map(|register| register.name.as_str()).collect::<Vec<_>>().join(", ")
}
