//! From the tables of the document to the values of a policy.

use toml::de::DeValue;

use super::keys::{self, Key};
use super::levels;
use super::reader::{Item, Table};
use super::{ColumnPolicy, MethodPolicy, Policy, ShortLines};
use crate::algorithms::{self, Purpose, Suppression};
use crate::audit::Proof;
use crate::error::{Error, Result, did_you_mean};
use crate::join::Inconsistent;
use crate::joined::Breadth;
use crate::methods::{self, Form};
use crate::recipients::{NAME_RULE, PUBLIC, Separate, folded, is_name};
use crate::registry::{Argument, Arguments, Entry, Kind};
use crate::requirement::{Short, Wording};
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::Type;

/// The whole file.
pub(super) fn policy(document: &Item<'_>) -> Result<Policy> {
    let top = document.table(keys::POLICY)?;
    let dataset = section(&top, "dataset", keys::DATASET)?;
    let requirement = section(&top, "requirement", keys::REQUIREMENT)?;
    let release = section(&top, "release", keys::RELEASE)?;
    let recipients = section(&top, "recipients", keys::RECIPIENTS)?;
    let ledger = section(&top, "ledger", keys::LEDGER)?;
    let history = section(&top, "history", keys::HISTORY)?;
    let owner = dataset.text("owner");
    let columns = read_columns(&top, owner.as_deref())?;
    if let Some(item) = dataset.get("owner") {
        must_be_column(item, &columns)?;
        must_be_identifier(item, &columns)?;
    }
    let (short, short_lines) = read_short(&requirement, &columns)?;
    let models = requirement.get("models").map(read_models).transpose()?.unwrap_or_default();
    let method = read_method(&release, &dataset, &requirement)?;
    let algorithm = read_algorithm(&release)?;
    if short == Short::default() && models.is_empty() && method.is_none() {
        let message = "the policy requires nothing; write for example\n[requirement]\nk = 5";
        return Err(Error::policy(top.line("requirement"), message));
    }
    Ok(Policy {
        dataset: dataset.text("name").unwrap_or_else(|| "data".to_owned()),
        owner,
        missing_values: missing_values(&dataset)?,
        short,
        models,
        audit: requirement.text("audit").as_deref().and_then(Proof::of).unwrap_or_default(),
        options: read_options(&release, method.map_or(algorithm, |method| &method.listed.entry))?,
        algorithm: algorithm.id.to_owned(),
        method,
        purpose: read_purpose(&release, &columns)?,
        suppression: read_suppression(&release)?,
        seed: release.get("seed").map(|item| item.whole(0)).transpose()?,
        separate: read_separate(&recipients)?,
        breadth: match history.text("judge").as_deref() {
            Some("each") => Breadth::EachAndAll,
            Some("every") => Breadth::Every,
            _ => Breadth::Auto,
        },
        inconsistent: read_inconsistent(&history, &columns)?,
        ledger: path(&ledger, "path", "ledger")?,
        key: path(&ledger, "key", "reticent.key")?,
        group: ledger.text("group"),
        columns,
        short_lines,
    })
}

fn read_inconsistent(history: &Table<'_>, columns: &[ColumnPolicy]) -> Result<Vec<Inconsistent>> {
    let mut rules = Vec::new();
    if let Some(item) = history.get("varies") {
        for name in item.texts()? {
            if !columns.iter().any(|column| column.name == name) {
                let hint = did_you_mean(&name, columns.iter().map(|column| column.name.as_str()));
                return Err(item.wrong_hint(&format!("names {name:?}, which is no column of the policy"), hint));
            }
            rules.push(Inconsistent::varying(&name));
        }
    }
    let Some(item) = history.get("inconsistent") else { return Ok(rules) };
    for pair in item.items()? {
        let entries = pair.entries()?;
        let [one, other] = entries.as_slice() else {
            return Err(
                pair.wrong("gives a value to two columns in each table: { sex = \"male\", diagnosis = \"pregnancy\" }")
            );
        };
        let mut sides = Vec::new();
        for side in [one, other] {
            if !columns.iter().any(|column| column.name == side.name) {
                let hint = did_you_mean(side.name, columns.iter().map(|column| column.name.as_str()));
                return Err(side.wrong_hint("is no column of the policy", hint));
            }
            sides.push((side.name.to_owned(), side.text()?.to_owned()));
        }
        let other = sides.pop().unwrap_or_default();
        let one = sides.pop().unwrap_or_default();
        rules.push(Inconsistent { one, other });
    }
    Ok(rules)
}

fn read_separate(recipients: &Table<'_>) -> Result<Separate> {
    let Some(item) = recipients.get("separate") else { return Ok(Separate::default()) };
    let mut groups = item.groups()?;
    groups.iter_mut().flatten().for_each(|name| *name = folded(name));
    for group in &groups {
        if group.len() < 2 {
            return Err(item.wrong("needs two names or more in each list: of these, no two combine what they hold"));
        }
        if group.iter().any(|name| name == PUBLIC) {
            return Err(item.wrong("lists \"public\", which everybody holds; take it out"));
        }
        if let Some(name) = group.iter().find(|name| !is_name(name)) {
            return Err(item.wrong(format!("lists {name:?}; {NAME_RULE}")));
        }
    }
    Ok(Separate { groups })
}

/// A path of the ledger, which cannot be empty.
fn path(ledger: &Table<'_>, name: &str, unsaid: &str) -> Result<String> {
    match ledger.get(name) {
        Some(item) if item.text()?.trim().is_empty() => Err(item.wrong("names nothing")),
        Some(item) => item.text().map(str::to_owned),
        None => Ok(unsaid.to_owned()),
    }
}

/// A table of the top level, checked against its list of keys; an absent one is empty.
fn section<'a>(top: &Table<'a>, name: &str, keys: &'static [Key]) -> Result<Table<'a>> {
    top.get(name).map_or_else(|| Ok(Table::default()), |item| item.table(keys))
}

fn missing_values(dataset: &Table<'_>) -> Result<Vec<String>> {
    dataset.get("missing-values").map_or_else(|| Ok(vec![String::new()]), Item::texts)
}

fn read_columns(top: &Table<'_>, owner: Option<&str>) -> Result<Vec<ColumnPolicy>> {
    let Some(columns) = top.get("columns") else { return Ok(Vec::new()) };
    columns.entries()?.iter().map(|item| read_column(item, owner)).collect()
}

fn read_column(item: &Item<'_>, owner: Option<&str>) -> Result<ColumnPolicy> {
    let table = item.table(keys::COLUMN)?;
    let values = table.word("type").unwrap_or(Type::Text);
    check_tree(&table, values)?;
    let unsaid = if owner == Some(item.name) { Role::Identifier } else { Role::QuasiIdentifier };
    Ok(ColumnPolicy {
        name: item.name.to_owned(),
        role: table.word("role").unwrap_or(unsaid),
        values,
        taxonomy: table.text("taxonomy"),
        intervals: table.get("intervals").map(|item| levels::levels(item, values)).transpose()?.unwrap_or_default(),
        exact: table.get("exact").map(Item::flag).transpose()?.unwrap_or(true),
        range: table.get("range").map(|item| levels::range(item, values)).transpose()?,
        missing: table.word("missing").unwrap_or_default(),
        line: item.line,
        taxonomy_line: table.line("taxonomy"),
    })
}

/// A column has one tree: from a file, of declared intervals, or of intervals that are found.
fn check_tree(table: &Table<'_>, values: Type) -> Result<()> {
    let has = |name: &str| table.get(name).is_some();
    for name in ["intervals", "range"] {
        let Some(item) = table.get(name) else { continue };
        if values == Type::Text {
            return Err(item.wrong("is for numbers and dates; add type = \"number\" or \"date\", or take it out"));
        }
        if has("taxonomy") {
            return Err(item.wrong("and `taxonomy` are both given; a column has one tree, so take one out"));
        }
        if name == "range" && has("intervals") {
            return Err(
                item.wrong("is for intervals that the algorithm finds, and `intervals` declares them; take one out")
            );
        }
    }
    if let Some(item) = table.get("exact")
        && item.flag() == Ok(false)
        && !has("intervals")
    {
        return Err(
            item.wrong("= false needs `intervals`: the finest of them is what is published instead of the values")
        );
    }
    match table.get("taxonomy") {
        Some(item) if item.text()?.trim().is_empty() => Err(item.wrong("names no file")),
        _ => Ok(()),
    }
}

fn must_be_column(item: &Item<'_>, columns: &[ColumnPolicy]) -> Result<()> {
    let name = item.text()?;
    if columns.iter().any(|column| column.name == name) {
        return Ok(());
    }
    let hint = did_you_mean(name, columns.iter().map(|column| column.name.as_str()));
    Err(item.wrong_hint(&format!("names the column {name:?}, and the policy has no such column"), hint))
}

/// The owner names a person by itself, so it is never published; published in any form it would link releases.
fn must_be_identifier(item: &Item<'_>, columns: &[ColumnPolicy]) -> Result<()> {
    let name = item.text()?;
    match columns.iter().find(|column| column.name == name) {
        Some(column) if column.role != Role::Identifier => {
            Err(item.wrong(format!("names {name:?}, whose role is another; the owner has the role identifier")))
        }
        _ => Ok(()),
    }
}

fn read_short(requirement: &Table<'_>, columns: &[ColumnPolicy]) -> Result<(Short, ShortLines)> {
    let short = Short {
        k: requirement.get("k").map(|item| item.whole(2)).transpose()?,
        confidence: requirement.get("confidence").map(Item::number).transpose()?,
    };
    if let Some(item) = requirement.get("confidence")
        && !columns.iter().any(|column| column.role == Role::Sensitive)
    {
        let message =
            "speaks about sensitive values, and no column has the role sensitive; give it to one, or take this out";
        return Err(item.wrong(message));
    }
    Ok((short, ShortLines { k: requirement.line("k"), confidence: requirement.line("confidence") }))
}

fn read_models(item: &Item<'_>) -> Result<Vec<Wording>> {
    item.items()?.iter().map(read_model).collect()
}

fn read_model(item: &Item<'_>) -> Result<Wording> {
    let (names, parameters): (Vec<Item<'_>>, Vec<Item<'_>>) =
        item.entries()?.into_iter().partition(|entry| entry.name == "model");
    let Some(name) = names.first() else {
        let message = "has an entry without a model; write for example model = \"distinct-l-diversity\"";
        return Err(item.wrong(message));
    };
    let model = name.text()?.to_owned();
    Ok(Wording { model, arguments: arguments(&parameters)?, line: Some(name.line) })
}

/// Parameters as the registry takes them; their names and domains are checked there.
fn arguments(entries: &[Item<'_>]) -> Result<Arguments> {
    entries.iter().try_fold(Arguments::default(), |known, entry| Ok(known.set(entry.name, argument(entry)?)))
}

fn argument(item: &Item<'_>) -> Result<Argument> {
    match item.value {
        DeValue::Boolean(flag) => Ok(Argument::Flag(*flag)),
        DeValue::String(text) => Ok(Argument::Word(text.to_string())),
        DeValue::Array(_) => item.texts().map(Argument::Words),
        DeValue::Table(_) => {
            let threshold = |entry: &Item<'_>| Ok((entry.name.to_owned(), entry.number()?));
            item.entries()?.iter().map(threshold).collect::<Result<_>>().map(Argument::Thresholds)
        }
        _ => item.number().map(Argument::Number),
    }
}

fn read_algorithm(release: &Table<'_>) -> Result<&'static Entry> {
    let Some(item) = release.get("algorithm") else { return Ok(&algorithms::named(keys::ALGORITHM)?.entry) };
    let offered = algorithms::LIST.iter().filter(|listed| !listed.entry.comparison);
    let ids: Vec<&str> = offered.map(|listed| listed.entry.id).collect();
    // An algorithm for comparison can be named, and is not suggested.
    let id = item.text()?;
    match algorithms::named(id) {
        Ok(listed) => Ok(&listed.entry),
        Err(_) => Ok(&algorithms::named(item.listed(Kind::Algorithm, &ids)?)?.entry),
    }
}

/// What the policy says of publishing again. A method's promise takes the place of what would be required of every release.
fn read_method(release: &Table<'_>, dataset: &Table<'_>, requirement: &Table<'_>) -> Result<Option<MethodPolicy>> {
    let Some(item) = release.get("method") else {
        return match release.get("form") {
            Some(form) => Err(form.wrong("says how a method publishes, and no `method` is named; take it out")),
            None => Ok(None),
        };
    };
    let ids: Vec<&str> = methods::LIST.iter().map(|listed| listed.entry.id).collect();
    // A method that is no longer offered is not among those that are named to the user.
    let listed = match methods::named(item.text()?) {
        Ok(listed) => listed,
        Err(_) => methods::named(item.listed(Kind::Method, &ids)?)?,
    };
    for (table, name) in [(release, "algorithm"), (release, "purpose"), (release, "suppression"), (release, "suppress")]
    {
        if let Some(other) = table.get(name) {
            return Err(other.wrong("is for algorithms, and a `method` is named; take one of them out"));
        }
    }
    for name in ["k", "models"] {
        if let Some(other) = requirement.get(name) {
            return Err(other.wrong(format!(
                "is for algorithms; the method {} promises that {}. Take it out",
                listed.entry.id, listed.entry.thwarts
            )));
        }
    }
    if dataset.get("owner").is_none() {
        return Err(item.wrong(
            "follows people from release to release, and no column names them; write owner = \"...\" under [dataset]",
        ));
    }
    let form = release.text("form").as_deref().and_then(Form::of).unwrap_or(listed.form);
    if let Some(item) = release.get("form").filter(|_| !listed.allows(form)) {
        return Err(item.wrong(format!(
            "says {:?}, and {} promises something of records, which quasi-identifiers as they are tell apart; write \"generalized\" or \
             take it out",
            form.word(),
            listed.entry.id
        )));
    }
    Ok(Some(MethodPolicy { listed, form }))
}

fn read_options(release: &Table<'_>, entry: &Entry) -> Result<Arguments> {
    let item = release.get("options");
    let options = item.map(|item| arguments(&item.entries()?)).transpose()?.unwrap_or_default();
    // What is not said of an algorithm may be said of another one in the call.
    if item.is_some() || entry.kind == Kind::Method {
        let line = item.map(|item| item.line).or_else(|| release.line("method"));
        options.clone().checked(entry).map_err(|error| Error::policy(line, error.to_string()))?;
    }
    Ok(options)
}

fn purpose_word(item: &Item<'_>) -> Result<Purpose> {
    match item.text()? {
        "general" => Ok(Purpose::General),
        typed => {
            let message = "must be \"general\" or { classify = \"column\" }";
            Err(item.wrong_hint(message, did_you_mean(typed, ["general"])))
        }
    }
}

fn read_purpose(release: &Table<'_>, columns: &[ColumnPolicy]) -> Result<Purpose> {
    let Some(item) = release.get("purpose") else { return Ok(Purpose::General) };
    match item.value {
        DeValue::String(_) => purpose_word(item),
        DeValue::Table(_) => read_classify(item, columns),
        _ => Err(item.must_be("\"general\" or { classify = \"column\" }")),
    }
}

fn read_classify(item: &Item<'_>, columns: &[ColumnPolicy]) -> Result<Purpose> {
    let entries = item.entries()?;
    let [entry] = entries.as_slice() else {
        return Err(item.wrong("must be \"general\" or { classify = \"column\" }"));
    };
    if entry.name != "classify" {
        let hint = did_you_mean(entry.name, ["classify"]);
        return Err(entry.wrong_hint("is not a purpose; write { classify = \"column\" }", hint));
    }
    must_be_column(entry, columns)?;
    let name = entry.text()?;
    if columns.iter().any(|column| column.name == name && column.role == Role::Identifier) {
        return Err(entry.wrong("names an identifier, which is never published"));
    }
    Ok(Purpose::Classification(name.to_owned()))
}

fn read_suppression(release: &Table<'_>) -> Result<Suppression> {
    let cells = release.text("suppress").as_deref() == Some("cells");
    let Some(item) = release.get("suppression") else { return Ok(Suppression { cells, ..Suppression::NONE }) };
    let limit = Share::from_decimal(item.number()?).ok_or_else(|| item.must_be("a number with at most 17 decimals"))?;
    Ok(Suppression { limit, cells })
}
