//! How a registered release shows people's records.

use hashbrown::HashMap;
use reticent::history::Disguise;
use reticent::links::Links;
use reticent::schema::Role;
use reticent::table::Counts;
use reticent_ledger::{Body, BodyColumn, Entry};

use crate::args::Register;
use crate::failure::Failure;
use crate::screen::plural;

/// How the release shows people's records, as the call says; what the table contradicts is an error.
pub(super) fn disguise(
    options: &Register,
    entries: &[Entry],
    body: &Body,
    links: Option<&Links>,
) -> Result<Disguise, Failure> {
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
fn counted(wanted: &str, entries: &[Entry], body: &Body, links: Option<&Links>) -> Result<u64, Failure> {
    if links.is_some() {
        return Err(Failure::Call("the table names its owners, so --of says nothing more; leave it out".to_owned()));
    }
    let named = |entry: &&Entry| {
        entry.release().is_some_and(|release| release.name == wanted) || entry.number.to_string() == wanted
    };
    let Some((entry, release)) = entries.iter().find(named).and_then(|entry| entry.release().map(|one| (entry, one)))
    else {
        return Err(Failure::Call(format!("the ledger has no release `{wanted}`; `reticent log` lists them")));
    };
    if release.disguise.of.is_some() {
        let why = format!(
            "release {} {} is itself a table of counts; name the release that it is about",
            entry.number, release.name
        );
        return Err(Failure::Call(why));
    }
    let rows = body.counts.combos.rows();
    // How many of its records are somebody's is not known here where counterfeits are counted.
    if rows != release.records && release.disguise.counterfeits.is_none() {
        return Err(Failure::Call(format!(
            "the table has {}, and release {} {} has {}: a table of their values has one row for each",
            plural(rows, "row"),
            entry.number,
            release.name,
            plural(release.records, "record")
        )));
    }
    let quasi = body.columns.iter().filter(|column| column.role == Role::QuasiIdentifier);
    let unknown = |column: &&BodyColumn| !release.columns.iter().any(|known| known.name == column.name);
    match quasi.into_iter().find(unknown) {
        None => Ok(entry.number),
        Some(column) => Err(Failure::Call(format!(
            "the table counts by `{}`, which release {} {} does not show, so it is not known who is counted where; register it with \
             its owners instead",
            column.name, entry.number, release.name
        ))),
    }
}

/// Every record of a group must tell the same number, and where owners are known, as many records must have none.
fn check_counterfeits(name: &str, disguise: &Disguise, body: &Body, links: Option<&Links>) -> Result<(), Failure> {
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
            return Err(Failure::Call(format!("the column `{name}` tells different numbers within a group")));
        }
        *records += combos.weights[combo];
        *owned += linked.as_ref().map_or(0, |linked| linked[combo]);
    }
    for (code, records, owned) in groups.values() {
        let number = values[told][*code as usize].trim().parse::<u64>().ok();
        let Some(number) = number.filter(|number| number <= records) else {
            return Err(Failure::Call(format!(
                "the column `{name}` must tell how many records of a group are counterfeits: a whole number, at most as many as there are"
            )));
        };
        if links.is_some() && records - owned != number {
            return Err(Failure::Call(format!(
                "a group has {} without an owner, and its column `{name}` tells {number}; counterfeits are the records without an owner",
                plural(records - owned, "record")
            )));
        }
    }
    Ok(())
}

/// How a release shows people's records, in words.
pub fn in_words(disguise: &Disguise) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(disguise.groups.as_ref().map(|column| format!("groups are marked by {column}")));
    lines.extend(disguise.counterfeits.as_ref().map(|column| format!("counterfeits are counted by {column}")));
    lines.extend(disguise.apart.then(|| "each sensitive column is shown by itself".to_owned()));
    lines.extend(disguise.of.map(|number| format!("counts the values of the people of release {number}")));
    lines
}
