//! Conversion of the parsed document to a [`Policy`].

use toml::de::DeValue;

use super::keys::{self, PolicyKey};
use super::levels;
use super::presets::{self, Preset};
use super::reader::{Item, TableReader};
use super::{ColumnPolicy, MethodPolicy, Policy, ShorthandLines, purpose, source};
use crate::algorithms::{self, BackOff, Suppression, ValueForm};
use crate::data::schema::{Role, Unit};
use crate::data::taxonomy::Type;
use crate::error::{Error, Result, did_you_mean};
use crate::join::Breadth;
use crate::join::lossy::InconsistentRules;
use crate::models::record_sets;
use crate::ratio::Ratio;
use crate::registry::{Argument, Arguments, Entry, Kind};
use crate::release::recipients::{NAME_RULE, NonColluding, PUBLIC, folded, is_name};
use crate::republication::{self, Form};
use crate::requirement::{ModelSpec, Shorthand};

/// Reads the whole policy.
pub(super) fn policy(document: &Item<'_>) -> Result<Policy> {
    let top = document.table(keys::POLICY)?;
    let dataset = section(&top, "dataset", keys::DATASET)?;
    let requirement = section(&top, "requirement", keys::REQUIREMENT)?;
    let release = section(&top, "release", keys::RELEASE)?;
    let recipients = section(&top, "recipients", keys::RECIPIENTS)?;
    let ledger = section(&top, "ledger", keys::LEDGER)?;
    let history = section(&top, "history", keys::HISTORY)?;
    let source = section(&top, "source", keys::SOURCE)?;
    let destination = section(&top, "destination", keys::DESTINATION)?;
    let owner = dataset.text("owner");
    let columns = read_columns(&top, owner.as_deref())?;
    if let Some(item) = dataset.get("owner") {
        must_be_column(item, &columns)?;
        must_be_identifier(item, &columns)?;
    }
    let preset = presets::read(&requirement)?;
    let (shorthand, shorthand_lines) = read_shorthand(&requirement, preset)?;
    let models = requirement.get("models").map(read_models).transpose()?.unwrap_or_default();
    // Unchecked arguments are reported when the model is built.
    let of_sets = |spec: &&ModelSpec| matches!(record_sets(&spec.model, &spec.arguments), Ok(Some(_)));
    if let Some(spec) = models.iter().find(of_sets).filter(|_| owner.is_none()) {
        let message = format!(
            "`{}` is about the records of a person; name the column that identifies a person: owner = \"COLUMN\" under [dataset]",
            spec.model
        );
        return Err(Error::policy(spec.line, message));
    }
    let method = read_method(&release, &dataset, &requirement)?;
    check_suppressed_values(method, &columns)?;
    let purpose = purpose::purpose(&release, &columns)?;
    let algorithms = read_algorithms(&release)?;
    if shorthand == Shorthand::default() && models.is_empty() && method.is_none() {
        let message = "the policy has no requirement; add for example\n[requirement]\nk = 5";
        return Err(Error::policy(top.line("requirement"), message));
    }
    Ok(Policy {
        dataset: data_set_name(&dataset),
        owner,
        missing_values: missing_values(&dataset)?,
        source: source::source(&source)?,
        destination: source::destination(&destination)?,
        preset,
        shorthand,
        models,
        audit: presets::proof(preset, &requirement)?,
        options: read_options(&release, method.map_or(algorithms[0], |method| &method.def.entry))?,
        algorithms: algorithms.iter().map(|entry| entry.id).collect(),
        tries: read_tries(&release)?,
        method,
        purpose,
        purpose_line: release.line("purpose"),
        suppression: read_suppression(&release)?,
        values: read_values(&release, method.is_some(), &algorithms)?,
        back_off: BackOff { states: release.get("back-off").map(|item| item.whole(0)).transpose()? },
        seed: release.get("seed").map(|item| item.whole(0)).transpose()?,
        non_colluding: read_non_colluding(&recipients)?,
        breadth: match history.text("judge").as_deref() {
            Some("each") => Breadth::EachAndAll,
            Some("every") => Breadth::Every,
            _ => Breadth::Auto,
        },
        inconsistent: read_inconsistent(&history, &columns)?,
        unrelated_data_sets: read_unrelated(&history, &dataset)?,
        ledger: path(&ledger, "path", "ledger")?,
        key: path(&ledger, "key", "reticent.key")?,
        group: ledger.text("group"),
        columns,
        shorthand_lines,
    })
}

fn read_inconsistent(history: &TableReader<'_>, columns: &[ColumnPolicy]) -> Result<Vec<InconsistentRules>> {
    let mut rules = Vec::new();
    if let Some(item) = history.get("time-varying") {
        for name in item.texts()? {
            if !columns.iter().any(|column| column.name == name) {
                let hint = did_you_mean(&name, columns.iter().map(|column| column.name.as_str()));
                return Err(item.wrong_hint(&format!("names {name:?}, which is not a column of the policy"), hint));
            }
            rules.push(InconsistentRules::varying(&name));
        }
    }
    let Some(item) = history.get("inconsistent") else { return Ok(rules) };
    for pair in item.items()? {
        let entries = pair.entries()?;
        let [one, other] = entries.as_slice() else {
            let message =
                "must give values to two columns in each table: { sex = \"male\", diagnosis = \"pregnancy\" }";
            return Err(pair.wrong(message));
        };
        let mut sides = Vec::new();
        for side in [one, other] {
            if !columns.iter().any(|column| column.name == side.name) {
                let hint = did_you_mean(side.name, columns.iter().map(|column| column.name.as_str()));
                return Err(side.wrong_hint("is not a column of the policy", hint));
            }
            sides.push((side.name.to_owned(), side.text()?.to_owned()));
        }
        let other = sides.pop().unwrap_or_default();
        let one = sides.pop().unwrap_or_default();
        rules.push(InconsistentRules { one, other });
    }
    Ok(rules)
}

/// Reads the unrelated data sets. The data set of the policy cannot be one of them, in any spelling.
fn read_unrelated(history: &TableReader<'_>, dataset: &TableReader<'_>) -> Result<Vec<String>> {
    let Some(item) = history.get("unrelated-data-sets") else { return Ok(Vec::new()) };
    let own = data_set_name(dataset);
    let names = item.texts()?;
    for name in &names {
        if folded(name) == folded(&own) {
            let message = format!(
                "lists {name:?}, which is this data set: releases of the same data set are always joined; remove it"
            );
            return Err(item.wrong(message));
        }
    }
    Ok(names)
}

fn data_set_name(dataset: &TableReader<'_>) -> String {
    dataset.text("name").unwrap_or_else(|| "data".to_owned())
}

fn read_non_colluding(recipients: &TableReader<'_>) -> Result<NonColluding> {
    let Some(item) = recipients.get("non-colluding") else { return Ok(NonColluding::default()) };
    let mut groups = item.groups()?;
    groups.iter_mut().flatten().for_each(|name| *name = folded(name));
    for group in &groups {
        if group.len() < 2 {
            return Err(item.wrong("needs at least two names in each list: recipients who do not share releases"));
        }
        if group.iter().any(|name| name == PUBLIC) {
            return Err(item.wrong("lists \"public\", whose releases every recipient has; remove it"));
        }
        if let Some(name) = group.iter().find(|name| !is_name(name)) {
            return Err(item.wrong(format!("lists {name:?}; {NAME_RULE}")));
        }
    }
    Ok(NonColluding { groups })
}

/// Reads a path of the ledger, which must not be empty.
fn path(ledger: &TableReader<'_>, name: &str, default: &str) -> Result<String> {
    match ledger.get(name) {
        Some(item) if item.text()?.trim().is_empty() => Err(item.wrong("is empty; write a path")),
        Some(item) => item.text().map(str::to_owned),
        None => Ok(default.to_owned()),
    }
}

/// Returns a top-level table, checked against its keys. A missing table is empty.
fn section<'a>(top: &TableReader<'a>, name: &str, keys: &'static [PolicyKey]) -> Result<TableReader<'a>> {
    top.get(name).map_or_else(|| Ok(TableReader::default()), |item| item.table(keys))
}

fn missing_values(dataset: &TableReader<'_>) -> Result<Vec<String>> {
    dataset.get("missing-values").map_or_else(|| Ok(vec![String::new()]), Item::texts)
}

fn read_columns(top: &TableReader<'_>, owner: Option<&str>) -> Result<Vec<ColumnPolicy>> {
    let Some(columns) = top.get("columns") else { return Ok(Vec::new()) };
    columns.entries()?.iter().map(|item| read_column(item, owner)).collect()
}

fn read_column(item: &Item<'_>, owner: Option<&str>) -> Result<ColumnPolicy> {
    let table = item.table(keys::COLUMN)?;
    let values = table.word("type").unwrap_or(Type::Text);
    check_tree(&table, values)?;
    let default_role = if owner == Some(item.name) { Role::Identifier } else { Role::QuasiIdentifier };
    Ok(ColumnPolicy {
        name: item.name.to_owned(),
        role: table.word("role").unwrap_or(default_role),
        values,
        format: source::format(&table, values)?,
        taxonomy: table.text("taxonomy"),
        by_prefix: table.get("mask").is_some(),
        intervals: table.get("intervals").map(|item| levels::levels(item, values)).transpose()?.unwrap_or_default(),
        exact: table.get("exact").map(Item::flag).transpose()?.unwrap_or(true),
        range: table.get("range").map(|item| levels::range(item, values)).transpose()?,
        missing: table.word("missing").unwrap_or_default(),
        per: read_unit(&table)?,
        weight: table.get("weight").map(Item::above_zero).transpose()?.unwrap_or(1.0),
        suppress_values: read_suppress_values(&table, values)?,
        suppress_values_line: table.line("suppress-values"),
        accept_unique: table.get("accept-unique").map(Item::flag).transpose()?.unwrap_or(false),
        line: item.line,
        taxonomy_line: table.line("taxonomy"),
    })
}

/// Reads the values of a column that are never published.
fn read_suppress_values(table: &TableReader<'_>, values: Type) -> Result<Vec<String>> {
    let Some(item) = table.get("suppress-values") else { return Ok(Vec::new()) };
    if table.word::<Role>("role").is_some_and(|role| role != Role::QuasiIdentifier) {
        return Err(item.wrong("applies to quasi-identifiers; remove it, or remove `role`"));
    }
    if values != Type::Text {
        return Err(item.wrong("applies to columns of texts; for numbers and dates, declare `intervals`"));
    }
    item.texts()
}

/// Reads the unit of a sensitive column.
fn read_unit(table: &TableReader<'_>) -> Result<Option<Unit>> {
    match table.get("per") {
        Some(item) if table.word::<Role>("role") != Some(Role::Sensitive) => {
            Err(item.wrong("applies to sensitive columns; set role = \"sensitive\", or remove this key"))
        }
        _ => Ok(table.word("per")),
    }
}

/// Checks that a column has one source of generalization: a taxonomy file, declared intervals, or chosen intervals.
fn check_tree(table: &TableReader<'_>, values: Type) -> Result<()> {
    let has = |name: &str| table.get(name).is_some();
    if let Some(mask) = table.get("mask") {
        if values != Type::Text {
            return Err(mask.wrong("applies to columns of texts; for numbers and dates, declare `intervals`"));
        }
        if has("taxonomy") {
            return Err(mask.wrong("and `taxonomy` are both given; remove one of them"));
        }
    }
    for name in ["intervals", "range"] {
        let Some(item) = table.get(name) else { continue };
        if values == Type::Text {
            return Err(item.wrong("is for numbers and dates; add type = \"number\" or \"date\", or remove it"));
        }
        if has("taxonomy") {
            return Err(item.wrong("and `taxonomy` are both given; remove one of them"));
        }
        if name == "range" && has("intervals") {
            let message = "applies if the algorithm chooses the intervals, but `intervals` declares them; remove one";
            return Err(item.wrong(message));
        }
    }
    if let Some(item) = table.get("exact")
        && item.flag() == Ok(false)
        && !has("intervals")
    {
        return Err(item.wrong("= false needs `intervals`: the finest interval replaces exact values"));
    }
    match table.get("taxonomy") {
        Some(item) if item.text()?.trim().is_empty() => Err(item.wrong("is empty; write the path of a file")),
        _ => Ok(()),
    }
}

pub(super) fn must_be_column(item: &Item<'_>, columns: &[ColumnPolicy]) -> Result<()> {
    let name = item.text()?;
    if columns.iter().any(|column| column.name == name) {
        return Ok(());
    }
    let hint = did_you_mean(name, columns.iter().map(|column| column.name.as_str()));
    Err(item.wrong_hint(&format!("names {name:?}, which is not a column of the policy"), hint))
}

/// Checks that the owner column is an identifier. It is never published, because it would link releases.
fn must_be_identifier(item: &Item<'_>, columns: &[ColumnPolicy]) -> Result<()> {
    let name = item.text()?;
    match columns.iter().find(|column| column.name == name) {
        Some(column) if column.role != Role::Identifier => {
            Err(item.wrong(format!("names {name:?}, which has another role; the owner must have the role identifier")))
        }
        _ => Ok(()),
    }
}

fn read_shorthand(requirement: &TableReader<'_>, preset: Option<&Preset>) -> Result<(Shorthand, ShorthandLines)> {
    let shorthand = Shorthand {
        k: requirement.get("k").map(|item| item.whole(2)).transpose()?,
        confidence: requirement.get("confidence").map(Item::number).transpose()?,
        reidentification: requirement.get("reidentification").map(Item::number).transpose()?,
    };
    let shorthand = preset.map_or(Ok(shorthand), |preset| presets::apply(preset, requirement, shorthand))?;
    let line = |name: &str| requirement.line(name).or_else(|| requirement.line("preset"));
    let (k, confidence, reidentification) = (line("k"), line("confidence"), line("reidentification"));
    Ok((shorthand, ShorthandLines { k, confidence, reidentification }))
}

fn read_models(item: &Item<'_>) -> Result<Vec<ModelSpec>> {
    item.items()?.iter().map(read_model).collect()
}

fn read_model(item: &Item<'_>) -> Result<ModelSpec> {
    let (names, parameters): (Vec<Item<'_>>, Vec<Item<'_>>) =
        item.entries()?.into_iter().partition(|entry| entry.name == "model");
    let Some(name) = names.first() else {
        let message = "has an entry without a model; write for example model = \"distinct-l-diversity\"";
        return Err(item.wrong(message));
    };
    let model = name.text()?.to_owned();
    Ok(ModelSpec { model, arguments: arguments(&parameters)?, line: Some(name.line) })
}

/// Converts parameters. The registry checks their names and domains later.
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

/// Returns the named algorithm, or the default ones in the order in which they are tried.
fn read_algorithms(release: &TableReader<'_>) -> Result<Vec<&'static Entry>> {
    let Some(item) = release.get("algorithm") else {
        return keys::ALGORITHMS.iter().map(|id| Ok(&algorithms::named(id)?.entry)).collect();
    };
    let offered = algorithms::LIST.iter().filter(|listed| !listed.entry.comparison);
    let ids: Vec<&str> = offered.map(|listed| listed.entry.id).collect();
    // Baselines can be named, but are not suggested.
    let id = item.text()?;
    match algorithms::named(id) {
        Ok(listed) => Ok(vec![&listed.entry]),
        Err(_) => Ok(vec![&algorithms::named(item.listed(Kind::Algorithm, &ids)?)?.entry]),
    }
}

/// Reads the maximum number of algorithms that are tried.
fn read_tries(release: &TableReader<'_>) -> Result<Option<u64>> {
    let Some(item) = release.get("tries") else { return Ok(None) };
    match release.get("algorithm") {
        Some(_) => Err(item.wrong("applies if no algorithm is named, but `algorithm` is set; remove one of them")),
        None => item.whole(1).map(Some),
    }
}

/// Reads the republication method. Its guarantee replaces the requirement of every release.
fn read_method(
    release: &TableReader<'_>,
    dataset: &TableReader<'_>,
    requirement: &TableReader<'_>,
) -> Result<Option<MethodPolicy>> {
    let Some(item) = release.get("method") else {
        return match release.get("form") {
            Some(form) => Err(form.wrong("applies to republication methods, but `method` is not set; remove it")),
            None => Ok(None),
        };
    };
    let ids: Vec<&str> = republication::LIST.iter().map(|listed| listed.entry.id).collect();
    // Retired methods can be named, but are not suggested.
    let listed = match republication::find_method(item.text()?) {
        Ok(listed) => listed,
        Err(_) => republication::find_method(item.listed(Kind::Method, &ids)?)?,
    };
    let for_algorithms = ["algorithm", "tries", "purpose", "suppression", "suppress", "back-off"];
    let others: Vec<&Item<'_>> = for_algorithms.iter().filter_map(|name| release.get(name)).collect();
    if let Some((first, more)) = others.split_first() {
        let also: Vec<String> = more.iter().map(|other| format!("`{}`", other.name)).collect();
        let also = if also.is_empty() { String::new() } else { format!(" (as does {})", also.join(", ")) };
        return Err(first.wrong(format!("applies to algorithms{also}, but `method` is set; remove one of them")));
    }
    if let Some(other) = requirement.get("models") {
        return Err(other.wrong(format!(
            "applies to algorithms; the method {} has its own guarantee ({}). Remove this key",
            listed.entry.id, listed.entry.protects_against
        )));
    }
    if dataset.get("owner").is_none() {
        return Err(
            item.wrong("links the records of a person across releases; write owner = \"COLUMN\" under [dataset]")
        );
    }
    let form = release.text("form").as_deref().and_then(Form::from_word).unwrap_or(listed.form);
    if let Some(item) = release.get("form").filter(|_| !listed.allows_form(form)) {
        return Err(item.wrong(format!(
            "is {:?}, but {} limits the linkage of records, and exact quasi-identifiers distinguish them; write \"generalized\" or \
             remove the key",
            form.word(),
            listed.entry.id
        )));
    }
    // A preset can require `k`, too.
    let of_preset = requirement
        .get("preset")
        .filter(|_| presets::read(requirement).is_ok_and(|preset| preset.is_some_and(|preset| preset.k.is_some())));
    if let Some(item) = requirement.get("k").or(of_preset).filter(|_| form == Form::Anatomized) {
        return Err(item.wrong(format!(
            "cannot be satisfied: {} publishes quasi-identifiers unchanged (form = \"anatomized\"), so people with rare values stay \
             unique; write form = \"generalized\" under [release], or remove this key",
            listed.entry.id
        )));
    }
    Ok(Some(MethodPolicy { def: listed, form }))
}

/// Refuses values to suppress for a method that publishes quasi-identifiers unchanged.
fn check_suppressed_values(method: Option<MethodPolicy>, columns: &[ColumnPolicy]) -> Result<()> {
    let Some(method) = method.filter(|method| method.form == Form::Anatomized) else { return Ok(()) };
    let Some(column) = columns.iter().find(|column| !column.suppress_values.is_empty()) else { return Ok(()) };
    let remedy = match method.def.allows_form(Form::Generalized) {
        true => "write form = \"generalized\" under [release], or remove this key",
        false => "remove this key, or use another method",
    };
    let message = format!(
        "`suppress-values` of `{}` applies to generalized quasi-identifiers, but {} publishes them unchanged (form = \"anatomized\"); \
         {remedy}",
        column.name, method.def.entry.id
    );
    Err(Error::policy(column.suppress_values_line, message))
}

fn read_options(release: &TableReader<'_>, entry: &Entry) -> Result<Arguments> {
    let item = release.get("options");
    let options = item.map(|item| arguments(&item.entries()?)).transpose()?.unwrap_or_default();
    // Without options, another algorithm may be chosen at run time, so its parameters are checked then.
    if item.is_some() || entry.kind == Kind::Method {
        let line = item.map(|item| item.line).or_else(|| release.line("method"));
        options.clone().checked(entry).map_err(|error| Error::policy(line, error.to_string()))?;
    }
    Ok(options)
}

/// Reads the form of generalized values.
fn read_values(release: &TableReader<'_>, has_method: bool, algorithms: &[&'static Entry]) -> Result<ValueForm> {
    let Some(item) = release.get("values") else { return Ok(ValueForm::default()) };
    if has_method {
        return Err(item.wrong("applies to algorithms, but `method` is set; remove it"));
    }
    if item.text()? == "nodes" {
        return Ok(ValueForm::Nodes);
    }
    let can_publish_sets = |entry: &&&Entry| algorithms::named(entry.id).is_ok_and(|listed| listed.sets);
    match algorithms.first().filter(|entry| !can_publish_sets(entry)) {
        Some(entry) => {
            Err(item.wrong(format!("is \"sets\", but {} publishes nodes only; use local-recoding", entry.id)))
        }
        None => Ok(ValueForm::Sets),
    }
}

fn read_suppression(release: &TableReader<'_>) -> Result<Suppression> {
    let cells = release.text("suppress").as_deref() == Some("cells");
    let Some(item) = release.get("suppression") else { return Ok(Suppression { cells, ..Suppression::NONE }) };
    let limit = Ratio::from_decimal(item.number()?).ok_or_else(|| item.must_be("a number with at most 17 decimals"))?;
    Ok(Suppression { limit, cells })
}
