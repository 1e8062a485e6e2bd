//! Presentation of the records in a registered release: groups, counterfeit records, marginal tables.

use hashbrown::HashMap;
use reticent::{Counts, Links, Presentation, Role};
use reticent_ledger::{Body, BodyColumn, Entry};

use crate::error::{Problem, Result};
use crate::request::RegisterRequest;

/// Returns the presentation that the request declares.
///
/// # Errors
///
/// Returns an error if the table contradicts the declaration.
pub(super) fn presentation(
    options: &RegisterRequest,
    entries: &[Entry],
    body: &Body,
    links: Option<&Links>,
) -> Result<Presentation> {
    let of = options.marginal_of.as_deref().map(|wanted| marginal_of(wanted, entries, body, links)).transpose()?;
    let presentation = Presentation {
        group_column: options.group_column.clone(),
        counterfeit_column: options.counterfeit_column.clone(),
        columns_separate: options.separate_columns,
        about_release: of,
        ..Presentation::default()
    };
    if let Some(column) = &presentation.counterfeit_column {
        check_counterfeits(column, &presentation, body, links)?;
    }
    Ok(presentation)
}

/// Returns the number of the release whose records a marginal table counts.
fn marginal_of(wanted: &str, entries: &[Entry], body: &Body, links: Option<&Links>) -> Result<u64> {
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
    entry.check_not_withdrawn()?;
    if release.disguise.about_release.is_some() {
        return Err(Problem::MarginalOfMarginal { number: entry.number, name: release.name.clone() }.into());
    }
    let rows = body.counts.contingency.rows();
    // A release with counterfeit records has fewer people than records; their number is not known here.
    if rows != release.records && release.disguise.counterfeit_column.is_none() {
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

/// Checks the counterfeit column: one value per group, at most the size of the group.
///
/// If owners are known, the value must equal the number of records without an owner.
fn check_counterfeits(name: &str, presentation: &Presentation, body: &Body, links: Option<&Links>) -> Result<()> {
    let Counts { names, values, contingency: combos, .. } = &body.counts;
    let place = |wanted: &str| names.iter().position(|name| name == wanted).unwrap_or(0);
    let counterfeit_column = place(name);
    let by: Vec<usize> = match &presentation.group_column {
        Some(column) => vec![place(column)],
        None => (0..names.len()).filter(|at| body.columns[*at].role == Role::QuasiIdentifier).collect(),
    };
    let linked = links.map(|links| links.rows_by_cell(combos.len()));
    let mut groups: HashMap<Vec<u32>, (u32, u64, u64)> = HashMap::new();
    for combo in 0..combos.len() {
        let key = by.iter().map(|at| combos.codes[*at][combo]).collect();
        let code = combos.codes[counterfeit_column][combo];
        let (known, records, owned) = groups.entry(key).or_insert((code, 0, 0));
        if *known != code {
            return Err(Problem::CounterfeitsDiffer { column: name.to_owned() }.into());
        }
        *records += combos.weights[combo];
        *owned += linked.as_ref().map_or(0, |linked| linked[combo]);
    }
    for (code, records, owned) in groups.values() {
        let number = values[counterfeit_column][*code as usize].trim().parse::<u64>().ok();
        let Some(number) = number.filter(|number| number <= records) else {
            return Err(Problem::CounterfeitsInvalid { column: name.to_owned() }.into());
        };
        if links.is_some() && records - owned != number {
            let (column, found) = (name.to_owned(), records - owned);
            return Err(Problem::CounterfeitsOwned { column, found, stated: number }.into());
        }
    }
    Ok(())
}
