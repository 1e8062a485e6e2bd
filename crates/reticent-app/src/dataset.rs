//! Loads a policy with its taxonomies, and turns data files into a typed table.

use std::collections::BTreeMap;

use reticent::InconsistentRules;
use reticent::catalogue::check_models;
use reticent::classes::{Measured, people_in};
use reticent::contingency::ContingencyTable;
use reticent::operations::suppress_values::suppress_values_of_table;
use reticent::policy::{ColumnSketch, Policy, PolicyChanges, suggested_role};
use reticent::requirement::{ModelSpec, Requirement, for_release};
use reticent::taxonomy::{Code, IntervalLevel, Type};
use reticent::text::{format_count, people};
use reticent::{Column, Counts, Links, Ratio, Role, Schema, Table, TreeSource, Unit};
use reticent_engine::{CountColumn, CountRequest, Engine, Error as EngineError, OwnerKey, Profile};

use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::policy_source::PolicySource;
use crate::reading::{reading_notes, source_options, unfit_rows};
use crate::request::Data;

/// A parsed policy with its taxonomies.
pub(crate) struct LoadedPolicy {
    /// Parsed policy.
    pub policy: Policy,
    /// Columns of the policy with their taxonomies.
    pub schema: Schema,
    /// Text of the policy file.
    pub text: String,
    /// Column name and text of each taxonomy file.
    pub taxonomies: Vec<(String, String)>,
    /// Path in the policy and text of each file that it names.
    pub files: BTreeMap<String, String>,
}

impl LoadedPolicy {
    /// Returns the requirement on a single release with these columns; it may be empty.
    ///
    /// `name` is the name of the release, `known` are the names of all other releases.
    pub fn requirement(&self, schema: &Schema, name: &str, known: &[&str]) -> Result<Requirement> {
        let specs = self.policy.join_model_specs();
        let resolve = |spec: &ModelSpec| for_release(std::slice::from_ref(spec), name, schema, &self.schema, known);
        let (mut applicable, mut not_applicable) = (Vec::new(), Vec::new());
        for spec in specs {
            let resolved = resolve(&spec);
            if resolved.is_empty() {
                not_applicable.push(spec);
            }
            applicable.extend(resolved);
        }
        check_models(&applicable)?;
        Ok(Requirement { not_applicable, ..Requirement::from_specs(&applicable, schema)? })
    }
}

impl LoadedPolicy {
    /// Returns the posterior bound of each sensitive attribute that the method of the policy guarantees. Empty without a method.
    pub fn promised_bounds(&self) -> Result<Vec<(String, Ratio)>> {
        let Some(method) = self.policy.method else { return Ok(Vec::new()) };
        let arguments = self.policy.options.clone().checked(&method.def.entry)?;
        let sensitive = self.schema.with_role(Role::Sensitive);
        let promise = |column: String| {
            let bound = (method.def.promise)(&arguments, &column).transpose()?;
            Some(bound.map(|bound| (column, bound)).map_err(Error::from))
        };
        sensitive.into_iter().filter_map(promise).collect()
    }

    /// Returns the guarantees of the method in words: posterior bounds, and the bound on linking records.
    pub fn promise_texts(&self) -> Result<Vec<String>> {
        let Some(method) = self.policy.method else { return Ok(Vec::new()) };
        let arguments = self.policy.options.clone().checked(&method.def.entry)?;
        let given = format!("given all releases by {}", method.def.entry.id);
        let of_values = self.promised_bounds()?.into_iter();
        let mut words: Vec<String> = of_values
            .map(|(column, bound)| format!("posterior of {column} at most {}, {given}", bound.fraction()))
            .collect();
        let of_records = method.def.linkage_bound(&arguments)?;
        words.extend(
            of_records.map(|bound| {
                format!("probability of linking a record to a person at most {}, {given}", bound.fraction())
            }),
        );
        Ok(words)
    }
}

/// Reads a policy, its taxonomy files and its queries.
pub(crate) fn load(source: &PolicySource) -> Result<LoadedPolicy> {
    load_text(source, source.require()?)
}

/// Reads a policy, and changes thresholds in its text.
pub(crate) fn load_changed(source: &PolicySource, changes: &PolicyChanges) -> Result<LoadedPolicy> {
    let wrong = |error| Error::Policy { path: source.name(), error: Box::new(error) };
    let text = changes.apply(&source.require()?).map_err(wrong)?;
    load_text(source, text)
}

fn load_text(source: &PolicySource, text: String) -> Result<LoadedPolicy> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let wrong = |error| Error::Policy { path: source.name(), error: Box::new(error) };
    let mut policy = Policy::parse(&text).map_err(wrong)?;
    let mut read = |name: &str| {
        let text = source.read_named(name).map_err(|error| error.to_string())?;
        files.insert(name.to_owned(), text.clone());
        Ok(text)
    };
    let schema = policy.schema(&mut read).map_err(wrong)?;
    policy.load_queries(&schema, &mut read).map_err(wrong)?;
    let written = |name: &String| files.get(name).cloned();
    let taxonomies = policy
        .columns
        .iter()
        .filter_map(|column| Some((column.name.clone(), column.taxonomy.as_ref().and_then(written)?)));
    let taxonomies = taxonomies.collect();
    Ok(LoadedPolicy { policy, schema, text, taxonomies, files })
}

/// Counted and typed data.
pub(crate) struct PreparedData {
    /// Engine with the rows.
    pub engine: Box<dyn Engine>,
    /// Columns to publish, as they were counted.
    pub schema: Schema,
    /// Original data.
    pub table: Table,
    /// Requirement on the release alone.
    pub requirement: Requirement,
    /// Notes about the counting.
    pub notes: Vec<String>,
    /// Owners of the rows; `None` without a key.
    pub linked: Option<LinkedOwners>,
}

impl PreparedData {
    /// Suppresses the values that the policy never publishes.
    pub(crate) fn with_suppressed_values(mut self, policy: &Policy) -> Result<PreparedData> {
        let published: Vec<String> = self.table.columns.iter().map(|column| column.name.clone()).collect();
        for column in policy.columns.iter().filter(|column| published.contains(&column.name)) {
            suppress_values_of_table(&mut self.table, &column.name, &column.suppress_values)?;
        }
        Ok(self)
    }
}

/// Owner links of the counted combinations.
pub(crate) struct LinkedOwners {
    /// Combinations of texts, without owners.
    pub counted: ContingencyTable,
    /// Links from owners to combinations.
    pub links: Links,
}

/// Counts the data and converts it to the types of the policy.
///
/// `columns` selects the columns to publish. `name` is the name of the release, `known` are the names of all other releases.
/// With a `key`, records are linked to their owners.
pub(crate) fn prepare(
    loaded: &LoadedPolicy,
    data: &Data,
    columns: Option<&[String]>,
    (name, known): (&str, &[&str]),
    key: Option<OwnerKey>,
    context: &Context,
) -> Result<PreparedData> {
    let engine = data.or_of(&loaded.policy).open(source_options(&loaded.policy, context))?;
    let lacking = loaded.policy.check_columns(engine.columns())?;
    let mut in_data = loaded.schema.clone();
    in_data.attributes.retain(|attribute| !lacking.contains(&attribute.name));
    let mut schema = with_columns(&in_data, columns)?;
    let requirement = loaded.requirement(&schema, name, known).map_err(|error| match columns {
        Some(_) => Error::ChosenColumns(Box::new(error)),
        None => error,
    })?;
    let mut notes = reading_notes(engine.as_ref(), &loaded.policy);
    if !lacking.is_empty() {
        notes.push(format!(
            "the data lacks {} of the policy: requirements on it do not apply to this release",
            lacking.join(", ")
        ));
    }
    let mut counts = count(engine.as_ref(), &mut schema, key, &mut notes)?;
    let links = counts.links.take();
    let table = Table::build(&counts, &schema)
        .map_err(|error| unfit_rows(error, engine.as_ref(), &counts, &schema, context))?;
    let table = table.with_column_weights(&loaded.policy.column_weights());
    engine.end_reading()?;
    let linked = links.map(|links| LinkedOwners { counted: counts.without_owners(), links });
    context.check()?;
    Ok(PreparedData { engine, schema, table, requirement, notes, linked })
}

/// Returns the schema with the selected columns. Identifiers stay in it, but cannot be selected.
fn with_columns(schema: &Schema, columns: Option<&[String]>) -> Result<Schema> {
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

/// Minimum number of intervals in which a column is counted because of the memory limit.
const MIN_BINS: usize = 16;

/// Counts the columns to publish. Number and date columns with too many distinct values are binned first, and so are those with the
/// most values if the combinations exceed the memory limit.
fn count(engine: &dyn Engine, schema: &mut Schema, key: Option<OwnerKey>, notes: &mut Vec<String>) -> Result<Counts> {
    let ask_column = |name: String| CountColumn { name, bins: None };
    let mut request = CountRequest {
        columns: schema.published().into_iter().map(ask_column).collect(),
        owner: schema.owner.clone(),
        key,
    };
    loop {
        let (column, limit) = match engine.count(&request) {
            Err(EngineError::TooManyValues { column, limit }) => (column, limit),
            Err(error @ EngineError::Memory { .. }) => {
                let Some((column, bins)) = coarser(engine, schema, &mut request)? else { return Err(error.into()) };
                notes.push(format!(
                    "the combinations exceed the memory limit, so {column} was counted in {} intervals: single values of it are not \
                     published; raise the limit to keep them",
                    format_count(bins as u64)
                ));
                continue;
            }
            answer => return Ok(answer?),
        };
        let bins = bins_for(engine, schema, &column)?;
        notes.push(format!(
            "{column} has more than {} distinct values; it was counted in {} intervals",
            format_count(limit as u64),
            format_count(bins.len() as u64)
        ));
        for asked in request.columns.iter_mut().filter(|asked| asked.name == column) {
            asked.bins = Some(bins.clone());
        }
    }
}

/// Counts the number or date column with the most values in fewer intervals. Returns its name and their number; `None` if there is no
/// such column.
fn coarser(engine: &dyn Engine, schema: &mut Schema, request: &mut CountRequest) -> Result<Option<(String, usize)>> {
    let can_bin = |column: &CountColumn| {
        let attribute = schema.attributes.iter().find(|attribute| attribute.name == column.name);
        attribute.is_some_and(|attribute| {
            let is_grown = matches!(attribute.tree, TreeSource::Grown { .. } | TreeSource::Binned { .. });
            // Declared intervals are used once, at their finest level.
            let is_declared = matches!(attribute.tree, TreeSource::Intervals { exact: true, .. });
            attribute.role == Role::QuasiIdentifier && attribute.values != Type::Text && (is_grown || is_declared)
        })
    };
    let names: Vec<String> =
        request.columns.iter().filter(|column| can_bin(column)).map(|column| column.name.clone()).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let distinct = engine.values(Some(&names))?;
    let size = |column: &CountColumn| match &column.bins {
        Some(bins) => bins.len() as u64,
        None => distinct.iter().find(|profile| profile.name == column.name).map_or(0, |profile| profile.distinct),
    };
    let candidates = request.columns.iter_mut().filter(|column| names.contains(&column.name));
    let Some(column) = candidates.max_by_key(|column| size(column)).filter(|column| size(column) > MIN_BINS as u64)
    else {
        return Ok(None);
    };
    let bins = match &column.bins {
        // Equally many records between neighbours stay equally many.
        Some(bins) => bins.iter().copied().step_by(4).collect(),
        None => bins_for(engine, schema, &column.name)?,
    };
    let count = bins.len();
    column.bins = Some(bins);
    Ok(Some((column.name.clone(), count)))
}

/// Returns the interval bounds for a column with too many distinct values. Single values of it are not published.
///
/// Uses the finest interval level of the policy, or else intervals with about equally many records.
fn bins_for(engine: &dyn Engine, schema: &mut Schema, column: &str) -> Result<Vec<f64>> {
    let refuse = |remedy| Err(Error::from(Problem::TooManyValuesInColumn { column: column.to_owned(), remedy }));
    let profile = engine.values(Some(&[column.to_owned()]))?.into_iter().next();
    let attribute = schema.attributes.iter_mut().find(|attribute| attribute.name == column);
    let Some(attribute) =
        attribute.filter(|attribute| attribute.role == Role::QuasiIdentifier && attribute.values != Type::Text)
    else {
        return refuse("round the values, make it a number or date quasi-identifier, or give it the role identifier");
    };
    let Some((profile, extent)) = profile.and_then(|profile| profile.extent.map(|extent| (profile, extent))) else {
        return refuse("some values are not numbers or dates; correct the values or the type");
    };
    match &mut attribute.tree {
        TreeSource::Intervals { levels, exact } => {
            *exact = false;
            match levels.first().and_then(|level| IntervalLevel::bounds(level, extent)) {
                Some(bounds) => Ok(bounds),
                None => refuse("declare wider intervals for it"),
            }
        }
        TreeSource::Grown { range: Some(range) } if extent.0 < range.0 || extent.1 >= range.1 => {
            refuse("some values are outside its declared range (the end is exclusive); widen the range")
        }
        TreeSource::Grown { range } => {
            attribute.tree = TreeSource::Binned { range: *range };
            Ok(profile.quantiles.into_iter().map(|bound| bound.max(extent.0)).collect())
        }
        _ => refuse("round the values, or declare intervals instead of a taxonomy"),
    }
}

/// What a value of a sensitive column describes, and where that comes from.
pub(crate) struct ColumnUnit {
    /// Name of the column.
    pub column: String,
    /// Declared unit; otherwise the person, if the records of every person agree.
    pub unit: Unit,
    /// Number of people whose records differ.
    pub people_with_differing_records: u64,
}

/// Minimum number of people for which a column can be called unique per person.
const MIN_PEOPLE: u64 = 10;

impl PreparedData {
    /// Returns the unit of each sensitive column; none if the policy names no owner.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy declares that a column describes the person, and records of a person differ.
    pub fn units(&self, policy: &Policy) -> Result<Vec<ColumnUnit>> {
        if policy.owner.is_none() {
            return Ok(Vec::new());
        }
        let declared = policy.units();
        let unit_of = |at: usize| {
            let column = self.table.columns[at].name.clone();
            let people_with_differing_records = self.people_with_several_values(at);
            let agree = if people_with_differing_records == 0 { Unit::Person } else { Unit::Record };
            let unit = declared.iter().find(|(name, _)| *name == column).map_or(agree, |(_, unit)| *unit);
            if unit == Unit::Person && agree == Unit::Record {
                return Err(Problem::UnitContradicted { column, people: people_with_differing_records }.into());
            }
            Ok(ColumnUnit { column, unit, people_with_differing_records })
        };
        self.table.with_role(Role::Sensitive).into_iter().map(unit_of).collect()
    }

    /// Number of people whose records have several values of a column.
    fn people_with_several_values(&self, column: usize) -> u64 {
        let combos = &self.table.contingency;
        let Some(owners) = &combos.owners else { return 0 };
        let mut values: Vec<(u32, Code)> = owners.iter().copied().zip(combos.codes[column].iter().copied()).collect();
        values.sort_unstable();
        values.dedup();
        values.chunk_by(|one, next| one.0 == next.0).filter(|of_person| of_person.len() > 1).count() as u64
    }

    /// Returns the rules for joins: those of the policy, and the sensitive columns that the policy declares to describe a record. Such a
    /// column joins no releases, because another record of the person can have another value.
    ///
    /// # Errors
    ///
    /// Returns an error if the data contradicts a declared unit.
    pub fn join_rules(&self, policy: &Policy) -> Result<Vec<InconsistentRules>> {
        self.units(policy)?;
        let mut rules = policy.inconsistent.clone();
        for (column, _) in policy.units().iter().filter(|(_, unit)| *unit == Unit::Record) {
            if !rules.iter().any(|rule| rule.varying_column() == Some(column)) {
                rules.push(InconsistentRules::varying(column));
            }
        }
        Ok(rules)
    }

    /// Returns a column and a warning for each quasi-identifier that looks like an identifier or a sensitive attribute.
    ///
    /// The role may be the default of the draft.
    pub fn role_warnings(&self) -> Vec<(String, String)> {
        let columns = self.table.columns.iter().enumerate();
        let quasi = columns.filter(|(_, column)| column.role == Role::QuasiIdentifier);
        let warning_for = |(at, column): (usize, &Column)| {
            let (role, why) = suggested_role(&self.sketch(at))?;
            let what = if role == Role::Identifier { "an identifier" } else { role.word() };
            let warning = format!("{} has the role quasi-identifier but may be {what}: {why}", column.name);
            (!matches!(role, Role::QuasiIdentifier | Role::Drop)).then(|| (column.name.clone(), warning))
        };
        quasi.filter_map(warning_for).collect()
    }

    fn sketch(&self, at: usize) -> ColumnSketch {
        let (column, weights) = (&self.table.columns[at], self.table.weights_of(at));
        let rows = |(text, code): &(String, Option<Code>)| {
            code.and_then(|code| weights.get(code as usize)).map(|weight| (text.clone(), *weight))
        };
        let listed = column.texts.len() <= Profile::MAX_LISTED;
        let values = listed.then(|| column.texts.iter().filter_map(rows).collect::<Vec<(String, u64)>>());
        ColumnSketch {
            name: column.name.clone(),
            rows: self.table.contingency.rows(),
            empty: 0,
            distinct: column.texts.len() as u64,
            values,
            looks_like: column.tree.value_type(),
            format: None,
            quantiles: Vec::new(),
        }
    }

    /// Returns a warning for each accepted column whose values are unique, or nearly unique, per person, and that no model groups by.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy does not accept such a column.
    pub fn check_unique_columns(&self, policy: &Policy) -> Result<Vec<String>> {
        let combos = &self.table.contingency;
        let measured = Measured::new(combos, &[]);
        let all = combos.people();
        let mut warnings = Vec::new();
        for (at, column) in self.table.columns.iter().enumerate() {
            let is_covered = self.requirement.models.iter().any(|model| model.grouped_by().contains(&column.name));
            if column.role == Role::Sensitive || is_covered || all < MIN_PEOPLE {
                continue;
            }
            let unique = people_in(combos, &[at], &measured, |_, class| class.size == 1);
            if unique * 10 < all * 9 {
                continue;
            }
            if !policy.columns.iter().any(|known| known.name == column.name && known.accept_unique) {
                let column = column.name.clone();
                return Err(Problem::ColumnUnique { column, unique, people: all }.into());
            }
            warnings.push(format!(
                "{} identifies {}: it is published unchanged, no requirement covers it, and the policy accepts that (`accept-unique`)",
                column.name,
                people(unique)
            ));
        }
        Ok(warnings)
    }

    /// Returns a warning for each column with sample uniques that is published unchanged and that no model groups by.
    pub fn unique_value_warnings(&self, is_unchanged: impl Fn(&str) -> bool) -> Result<Vec<String>> {
        let combos = &self.table.contingency;
        let all_records = Measured::new(combos, &[]);
        let mut warnings = Vec::new();
        for (at, column) in self.table.columns.iter().enumerate() {
            let is_grouped_by = self.requirement.models.iter().any(|model| model.grouped_by().contains(&column.name));
            if column.role == Role::Sensitive || is_grouped_by || !is_unchanged(&column.name) {
                continue;
            }
            let unique = people_in(combos, &[at], &all_records, |_, group| group.size == 1);
            if unique > 0 {
                let verb = if unique == 1 { "is" } else { "are" };
                warnings.push(format!(
                    "{} is published unchanged, and {} {verb} sample unique on it (k = 1): an attacker who knows the value \
                     re-identifies them",
                    column.name,
                    people(unique)
                ));
            }
        }
        Ok(warnings)
    }
}
