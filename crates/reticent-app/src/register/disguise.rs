//! How a registered release shows people's records.

use hashbrown::HashMap;
use reticent::{Counts, Disguise, Links, Role};
use reticent_ledger::{Body, BodyColumn, Entry};

use crate::error::{Problem, Result};
use crate::request::RegisterRequest;

/// How the release shows people's records, as the call says; what the table contradicts is an error.
pub(super) fn disguise(
    options: &RegisterRequest,
    entries: &[Entry],
    body: &Body,
    links: Option<&Links>,
) -> Result<Disguise> {
    let of = options.of.as_deref().map(|wanted| counted(wanted, entries, body, links)).transpose()?;
    let disguise = Disguise {
        groups: options.groups.clone(),
        counterfeits: options.counterfeits.clone(),
        apart: options.apart,
        of,
        ..Disguise::default()
    };
    if let Some(column) = &disguise.counterfeits {
        check_counterfeits(column, &disguise, body, links)?;
    }
    Ok(disguise)
}

/// The number of the release about whose people a table counts.
fn counted(wanted: &str, entries: &[Entry], body: &Body, links: Option<&Links>) -> Result<u64> {
    if links.is_some() {
        return Err(Problem::MarginalWithOwners.into());
    }
    let named = |entry: &&Entry| {
        entry.release().is_some_and(|release| release.name == wanted) || entry.number.to_string() == wanted
    };
    let Some((entry, release)) = entries.iter().find(named).and_then(|entry| entry.release().map(|one| (entry, one)))
    else {
        return Err(reticent_ledger::Error::NoSuch { wanted: wanted.to_owned() }.into());
    };
    if release.disguise.of.is_some() {
        return Err(Problem::MarginalOfMarginal { number: entry.number, name: release.name.clone() }.into());
    }
    let rows = body.counts.combos.rows();
    // How many of its records are somebody's is not known here where counterfeits are counted.
    if rows != release.records && release.disguise.counterfeits.is_none() {
        let (number, name) = (entry.number, release.name.clone());
        return Err(Problem::MarginalRows { rows, number, name, records: release.records }.into());
    }
    let quasi = body.columns.iter().filter(|column| column.role == Role::QuasiIdentifier);
    let unknown = |column: &&BodyColumn| !release.columns.iter().any(|known| known.name == column.name);
    match quasi.into_iter().find(unknown) {
        None => Ok(entry.number),
        Some(column) => {
            let (column, number, name) = (column.name.clone(), entry.number, release.name.clone());
            Err(Problem::MarginalColumn { column, number, name }.into())
        }
    }
}

/// Every record of a group must tell the same number, and where owners are known, as many records must have none.
fn check_counterfeits(name: &str, disguise: &Disguise, body: &Body, links: Option<&Links>) -> Result<()> {
    let Counts { names, values, combos, .. } = &body.counts;
    let place = |wanted: &str| names.iter().position(|name| name == wanted).unwrap_or(0);
    let told = place(name);
    let by: Vec<usize> = match &disguise.groups {
        Some(column) => vec![place(column)],
        None => (0..names.len()).filter(|at| body.columns[*at].role == Role::QuasiIdentifier).collect(),
    };
    let linked = links.map(|links| links.totals(combos.len()));
    let mut groups: HashMap<Vec<u32>, (u32, u64, u64)> = HashMap::new();
    for combo in 0..combos.len() {
        let key = by.iter().map(|at| combos.codes[*at][combo]).collect();
        let code = combos.codes[told][combo];
        let (known, records, owned) = groups.entry(key).or_insert((code, 0, 0));
        if *known != code {
            return Err(Problem::CounterfeitsDiffer { column: name.to_owned() }.into());
        }
        *records += combos.weights[combo];
        *owned += linked.as_ref().map_or(0, |linked| linked[combo]);
    }
    for (code, records, owned) in groups.values() {
        let number = values[told][*code as usize].trim().parse::<u64>().ok();
        let Some(number) = number.filter(|number| number <= records) else {
            return Err(Problem::CounterfeitsInvalid { column: name.to_owned() }.into());
        };
        if links.is_some() && records - owned != number {
            let (column, found) = (name.to_owned(), records - owned);
            return Err(Problem::CounterfeitsOwned { column, found, told: number }.into());
        }
    }
    Ok(())
}
