//! From a policy and data files to a typed table.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use reticent::catalogue::check_models;
use reticent::classes::{Measured, people_in};
use reticent::combos::Combos;
use reticent::policy::{ColumnSketch, Policy, suggested_role};
use reticent::requirement::{Requirement, spoken_here};
use reticent::taxonomy::{Code, Level, Type};
use reticent::text::{grouped, people};
use reticent::{Column, Counts, Links, Role, Schema, Share, Table, Tree};
use reticent_engine::{Ask, AskColumn, Embedded, Engine, Error as EngineError, Options, OwnerKey, Profile};

use crate::context::Context;
use crate::error::{Error, Problem, READ_POLICY, Result};

/// A policy with its taxonomies.
pub(crate) struct Loaded {
    /// The policy.
    pub policy: Policy,
    /// Its columns with their taxonomies.
    pub schema: Schema,
    /// The policy as it is written.
    pub text: String,
    /// By column: its taxonomy as it is written.
    pub taxonomies: Vec<(String, String)>,
}

impl Loaded {
    /// What is required of a release of these columns by itself; perhaps nothing.
    /// `known` are the names of all others.
    pub fn requirement(&self, schema: &Schema, name: &str, known: &[&str]) -> Result<Requirement> {
        let wordings = spoken_here(&self.policy.wordings(schema), name, schema, &self.schema, known);
        check_models(&wordings)?;
        Ok(Requirement::of_models(&wordings, schema)?)
    }
}

impl Loaded {
    /// What the policy's method promises, by sensitive column; nothing where there is no method.
    pub fn promised(&self) -> Result<Vec<(String, Share)>> {
        let Some(method) = self.policy.method else { return Ok(Vec::new()) };
        let arguments = self.policy.options.clone().checked(&method.listed.entry)?;
        let sensitive = self.schema.with_role(Role::Sensitive);
        let promise = |column: String| {
            let most = (method.listed.promise)(&arguments, &column).transpose()?;
            Some(most.map(|most| (column, most)).map_err(Error::from))
        };
        sensitive.into_iter().filter_map(promise).collect()
    }

    /// The same in words, with what is promised of records.
    pub fn promises(&self) -> Result<Vec<String>> {
        let Some(method) = self.policy.method else { return Ok(Vec::new()) };
        let arguments = self.policy.options.clone().checked(&method.listed.entry)?;
        let by = format!("by all releases of {} together", method.listed.entry.id);
        let of_values = self.promised()?.into_iter();
        let mut words: Vec<String> = of_values
            .map(|(column, most)| format!("nobody's {column} is told with more than {} {by}", most.fraction()))
            .collect();
        let of_records = method.listed.linked(&arguments)?;
        words.extend(
            of_records.map(|most| format!("no record is linked to anybody with more than {} {by}", most.fraction())),
        );
        Ok(words)
    }
}

/// Reads a policy and the taxonomies it names.
pub(crate) fn load(path: &Path) -> Result<Loaded> {
    let text = std::fs::read_to_string(path).map_err(Error::file(READ_POLICY, path))?;
    let wrong = |error| Error::Policy { path: path.to_owned(), error: Box::new(error) };
    let policy = Policy::parse(&text).map_err(wrong)?;
    let folder: PathBuf = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut texts: HashMap<String, String> = HashMap::new();
    let mut read = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).map_err(|error| error.to_string())?;
        texts.insert(name.to_owned(), text.clone());
        Ok(text)
    };
    let schema = policy.schema(&mut read).map_err(wrong)?;
    let written = |name: &String| texts.get(name).cloned();
    let taxonomies = policy
        .columns
        .iter()
        .filter_map(|column| Some((column.name.clone(), column.taxonomy.as_ref().and_then(written)?)));
    let taxonomies = taxonomies.collect();
    Ok(Loaded { policy, schema, text, taxonomies })
}

/// Data that was counted and typed.
pub(crate) struct Prepared {
    /// Where the rows are.
    pub engine: Embedded,
    /// The columns that are published, as they were counted.
    pub schema: Schema,
    /// The raw data.
    pub table: Table,
    /// What must hold.
    pub requirement: Requirement,
    /// What a reader should know about how the data was counted.
    pub notes: Vec<String>,
    /// Whose the rows are, where a key was given: by combination of texts as they were counted.
    pub linked: Option<Linked>,
}

/// Whose the rows are.
pub(crate) struct Linked {
    /// The combinations that were counted, without owners.
    pub counted: Combos,
    /// Which of them is about whom.
    pub links: Links,
}

/// Counts the data and types it as the policy says. `columns` narrows what is published under `name`, beside releases whose names are `known`; with a `key` owners are linked.
pub(crate) fn prepare(
    loaded: &Loaded,
    data: &[String],
    columns: Option<&[String]>,
    (name, known): (&str, &[&str]),
    key: Option<OwnerKey>,
    context: &Context,
) -> Result<Prepared> {
    let missing = loaded.policy.missing_values.clone();
    let engine = Embedded::open(data, Options { missing, ..context.engine_options() })?;
    loaded.policy.fit(engine.columns())?;
    let mut schema = narrowed(&loaded.schema, columns)?;
    let requirement = loaded.requirement(&schema, name, known).map_err(|error| match columns {
        Some(_) => Error::ChosenColumns(Box::new(error)),
        None => error,
    })?;
    let mut notes = Vec::new();
    let mut counts = count(&engine, &mut schema, key, &mut notes)?;
    let links = counts.links.take();
    let table = Table::build(&counts, &schema)?;
    let linked = links.map(|links| Linked { counted: counts.without_owners(), links });
    context.check()?;
    Ok(Prepared { engine, schema, table, requirement, notes, linked })
}

/// The schema with the chosen columns only. Identifiers stay known, so that they can be refused by name.
fn narrowed(schema: &Schema, columns: Option<&[String]>) -> Result<Schema> {
    let Some(columns) = columns else { return Ok(schema.clone()) };
    for name in columns {
        if schema.attribute(name)?.role == Role::Identifier {
            return Err(Problem::IdentifierChosen { column: name.clone() }.into());
        }
    }
    let mut narrowed = schema.clone();
    narrowed.attributes.retain(|attribute| attribute.role == Role::Identifier || columns.contains(&attribute.name));
    Ok(narrowed)
}

/// Counts the published columns. Number and date columns with too many values are put into bins first.
fn count(engine: &Embedded, schema: &mut Schema, key: Option<OwnerKey>, notes: &mut Vec<String>) -> Result<Counts> {
    let ask_column = |name: String| AskColumn { name, bins: None };
    let mut ask =
        Ask { columns: schema.published().into_iter().map(ask_column).collect(), owner: schema.owner.clone(), key };
    loop {
        let full = match engine.count(&ask) {
            Err(EngineError::TooManyValues { column, limit }) => (column, limit),
            answer => return Ok(answer?),
        };
        let (column, limit) = full;
        let bins = bins_for(engine, schema, &column)?;
        notes.push(format!(
            "{column} has more than {} different values and was counted in {} intervals",
            grouped(limit as u64),
            grouped(bins.len() as u64)
        ));
        for asked in ask.columns.iter_mut().filter(|asked| asked.name == column) {
            asked.bins = Some(bins.clone());
        }
    }
}

/// Bounds for a column with too many values, which is from here on published in intervals only: those of the finest level
/// that the policy declares, or else intervals with about equally many records.
fn bins_for(engine: &Embedded, schema: &mut Schema, column: &str) -> Result<Vec<f64>> {
    let refuse = |remedy| Err(Error::from(Problem::TooManyValuesInColumn { column: column.to_owned(), remedy }));
    let profile = engine.values(Some(&[column.to_owned()]))?.into_iter().next();
    let attribute = schema.attributes.iter_mut().find(|attribute| attribute.name == column);
    let Some(attribute) =
        attribute.filter(|attribute| attribute.role == Role::QuasiIdentifier && attribute.values != Type::Text)
    else {
        return refuse("round it, make it a number or date quasi-identifier, or give it the role identifier");
    };
    let Some((profile, extent)) = profile.and_then(|profile| profile.extent.map(|extent| (profile, extent))) else {
        return refuse("they are not all numbers, or not all dates");
    };
    match &mut attribute.tree {
        Tree::Intervals { levels, exact } => {
            *exact = false;
            match levels.first().and_then(|level| Level::bounds(level, extent)) {
                Some(bounds) => Ok(bounds),
                None => refuse("declare wider intervals"),
            }
        }
        Tree::Grown { range: Some(range) } if extent.0 < range.0 || extent.1 >= range.1 => {
            refuse("some lie outside its declared range, whose end is not part of it: widen the range")
        }
        Tree::Grown { range } => {
            attribute.tree = Tree::Binned { range: *range };
            Ok(profile.quantiles.into_iter().map(|bound| bound.max(extent.0)).collect())
        }
        _ => refuse("round it, or give it intervals instead of a taxonomy"),
    }
}

impl Prepared {
    /// Quasi-identifiers that look like something else, each with a warning: their role may only be the draft's.
    pub fn doubtful(&self) -> Vec<(String, String)> {
        let columns = self.table.columns.iter().enumerate();
        let quasi = columns.filter(|(_, column)| column.role == Role::QuasiIdentifier);
        let doubt = |(at, column): (usize, &Column)| {
            let (role, why) = suggested_role(&self.sketch(at))?;
            let what = if role == "identifier" { "an identifier" } else { role };
            let warning = format!("{} has the role quasi-identifier and may be {what}: {why}", column.name);
            (role != "quasi-identifier").then(|| (column.name.clone(), warning))
        };
        quasi.filter_map(doubt).collect()
    }

    fn sketch(&self, at: usize) -> ColumnSketch {
        let (column, weights) = (&self.table.columns[at], self.table.weights_of(at));
        let rows = |(text, code): &(String, Option<Code>)| {
            code.and_then(|code| weights.get(code as usize)).map(|weight| (text.clone(), *weight))
        };
        let listed = column.texts.len() <= Profile::LISTED;
        let values = listed.then(|| column.texts.iter().filter_map(rows).collect::<Vec<(String, u64)>>());
        ColumnSketch {
            name: column.name.clone(),
            rows: self.table.combos.rows(),
            empty: 0,
            distinct: column.texts.len() as u64,
            values,
            looks_like: column.tree.value_type(),
            quantiles: Vec::new(),
        }
    }

    /// Columns that are published as they are, as far as is known, that no model speaks of, and that single people out.
    pub fn unprotected(&self, as_it_is: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        let combos = &self.table.combos;
        let everybody = Measured::new(combos, &[]);
        let mut warnings = Vec::new();
        for (at, column) in self.table.columns.iter().enumerate() {
            let spoken_of = self.requirement.models.iter().any(|model| model.by().contains(&column.name));
            if column.role == Role::Sensitive || spoken_of || !as_it_is(&column.name) {
                continue;
            }
            let alone = people_in(combos, &[at], &everybody, |group| group.size == 1);
            if alone > 0 {
                let verb = if alone == 1 { "is" } else { "are" };
                warnings.push(format!(
                    "{} is published as it is, and {} {verb} alone with a value of it: whoever knows that value finds them",
                    column.name,
                    people(alone)
                ));
            }
        }
        Ok(warnings)
    }
}
