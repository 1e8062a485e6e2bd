//! Privacy models, one file each. A model returns its violations with witnesses, not only a boolean.
//!
//! A model is a predicate on equivalence classes. A class consists of the records that agree on the grouping columns (`by`). The
//! model uses the number of people in the class with each value of the measured columns (`of`). Without measured columns it uses
//! the number of people. Each model implements its definition twice: `judge` uses counts and serves the searches, and `naive`
//! uses the records that were read back from the written file and serves `verify`. They share only the parameters.
//!
//! The number of people is the number of distinct owners if the policy names an owner column and some owner has several
//! records; otherwise it is the number of records. A person has a value if at least one of their records in the class has it.

use std::sync::Arc;

use crate::data::schema::{Role, Schema};
use crate::error::{Obstacle, Result};
use crate::join::{ColumnRef, Constraint, Counted, Distribution, JoinScope, Limit};
use crate::registry::{Arguments, Entry, Kind, unknown};
use crate::release::record_sets::RecordSets;

mod alpha_k_anonymity;
mod confidence_bounding;
mod distinct_l_diversity;
mod entropy_l_diversity;
mod k_anonymity;
mod multir_k_anonymity;
mod recursive_cl_diversity;
mod t_closeness;
mod xy_anonymity;
mod xy_linkability;

pub use crate::contract::{Bounds, Judge, Judgement, Merging, Model, Survey, Violation, merging_of};

/// All models.
pub const LIST: &[ModelDef] = &[
    k_anonymity::LISTED,
    multir_k_anonymity::LISTED,
    xy_anonymity::LISTED,
    xy_linkability::LISTED,
    confidence_bounding::LISTED,
    distinct_l_diversity::LISTED,
    entropy_l_diversity::LISTED,
    recursive_cl_diversity::LISTED,
    alpha_k_anonymity::LISTED,
    t_closeness::LISTED,
];

/// Builds models from checked arguments.
pub type Build = fn(&Arguments, &Schema) -> Result<Vec<Box<dyn Model>>>;

/// Converts checked arguments to constraints on joined releases.
pub type LowerToJoin = fn(&Arguments, &JoinScope, &Schema) -> Result<Vec<Constraint>>;

/// Definition of a model: its catalogue entry and its constructors.
#[derive(Debug, Clone, Copy)]
pub struct ModelDef {
    /// Catalogue entry.
    pub entry: Entry,
    /// Builds the model; one for each sensitive column if the arguments name none.
    pub build: Build,
    /// Converts the model to constraints on joined releases; `None` if the model is not defined for joins.
    pub lower_to_join: Option<LowerToJoin>,
}

/// Builds the model with this id; one for each sensitive column if the arguments name none.
///
/// # Errors
///
/// Returns an error if there is no such model, or if the arguments do not fit its parameters or the schema.
pub fn build(id: &str, arguments: Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let listed = LIST.iter().find(|listed| listed.entry.id == id);
    let listed = listed.ok_or_else(|| unknown(Kind::Model, id, LIST.iter().map(|listed| &listed.entry)))?;
    (listed.build)(&arguments.checked(&listed.entry)?, schema)
}

/// Returns whether a model has the parameter `sensitive`: without a value, it is about every sensitive column.
pub(crate) fn measures_sensitive(id: &str) -> bool {
    let listed = LIST.iter().find(|listed| listed.entry.id == id);
    listed.is_some_and(|listed| listed.entry.parameters.iter().any(|parameter| parameter.name == SENSITIVE.name))
}

/// Returns the sets of records of a person that a model judges; `None` if it judges single classes.
///
/// # Errors
///
/// Returns an error if the arguments do not fit the parameters of the model.
pub(crate) fn record_sets(id: &str, arguments: &Arguments) -> Result<Option<RecordSets>> {
    let entry = &multir_k_anonymity::LISTED.entry;
    let is_listed = id == entry.id;
    is_listed.then(|| multir_k_anonymity::record_sets(&arguments.clone().checked(entry)?)).transpose()
}

/// Converts a model to constraints on joined releases.
///
/// # Errors
///
/// Returns an error if there is no such model, if the arguments are invalid, or if the model is not defined for joins.
pub fn lower_to_join(id: &str, arguments: Arguments, scope: &JoinScope, schema: &Schema) -> Result<Vec<Constraint>> {
    let listed = LIST.iter().find(|listed| listed.entry.id == id);
    let listed = listed.ok_or_else(|| unknown(Kind::Model, id, LIST.iter().map(|listed| &listed.entry)))?;
    let arguments = arguments.checked(&listed.entry)?;
    let Some(lower) = listed.lower_to_join else {
        let lowerable = LIST.iter().filter(|listed| listed.lower_to_join.is_some()).map(|listed| listed.entry.id);
        let alternatives = lowerable.map(str::to_owned).collect();
        return Err(Obstacle::UndefinedForJoins { model: listed.entry.title.to_owned(), alternatives }.into());
    };
    lower(&arguments, scope, schema)
}

/// Returns the grouping columns: those in the argument `name`, or all quasi-identifiers.
fn grouping_columns(arguments: &Arguments, name: &str, schema: &Schema) -> Result<Vec<String>> {
    match arguments.words(name)? {
        Some(names) => published_columns(names, schema),
        None => {
            let columns = schema.with_role(Role::QuasiIdentifier);
            if columns.is_empty() {
                let message = "no column is a quasi-identifier; give a column this role, or list the columns in `on`";
                return Err(crate::Error::policy(None, message));
            }
            Ok(columns)
        }
    }
}

/// Checks that the columns exist and are published.
fn published_columns(names: &[String], schema: &Schema) -> Result<Vec<String>> {
    for name in names {
        let attribute = schema.attribute(name)?;
        if attribute.role == Role::Identifier {
            return Err(crate::Error::column(name, "is an identifier and never published, so no model can use it"));
        }
    }
    Ok(names.to_vec())
}

/// Returns the column in the argument `sensitive`, or all sensitive columns.
fn sensitive_columns(arguments: &Arguments, schema: &Schema) -> Result<Vec<String>> {
    if let Some(name) = arguments.optional_word("sensitive")? {
        return published_columns(&[name.to_owned()], schema);
    }
    let columns = schema.with_role(Role::Sensitive);
    if columns.is_empty() {
        let message = "no column is sensitive; give a column this role, or name it in `sensitive`";
        return Err(crate::Error::policy(None, message));
    }
    Ok(columns)
}

/// Returns one constraint for each sensitive column of the joined releases. `rule` returns the limit for a column name.
fn sensitive_constraints(
    arguments: &Arguments,
    scope: &JoinScope,
    mut rule: impl FnMut(&[String; 1]) -> Result<Limit>,
) -> Result<Vec<Constraint>> {
    let x = scope.known(arguments, "on")?;
    let mut constraints = Vec::new();
    for at in scope.sensitive(arguments)? {
        let name = [scope.members[at.release].columns[at.column].0.clone()];
        constraints.extend(scope.constraint(&x, &[Counted::Column(at)], rule(&name)?));
    }
    Ok(constraints)
}

/// Returns the limit that a model sets on the distribution of the values of a joined column. The model must be built for `JOINED_X`.
fn distribution(model: impl Model + 'static, title: String) -> Limit {
    Limit::Distribution(Distribution { model: Arc::new(model), title })
}

/// Returns the constraint, for each release, that at least `k` people share the known values.
fn people_constraints(x: &[ColumnRef], k: u64, scope: &JoinScope) -> Vec<Constraint> {
    scope.people().iter().filter_map(|of| scope.constraint(x, &[*of], Limit::AtLeast(k))).collect()
}

/// Returns `1 person` or `2 people`.
fn class_size_text(people: f64) -> String {
    if people == 1.0 { "1 person".to_owned() } else { format!("{people} people") }
}

/// Returns the grouping columns for titles, such as `on age, sex`.
fn on_text(by: &[String]) -> String {
    const MAX_COLUMNS: usize = 6;
    match by.len() {
        0..=MAX_COLUMNS => format!("on {}", by.join(", ")),
        many => format!("on {} and {} more columns", by[..MAX_COLUMNS - 1].join(", "), many - MAX_COLUMNS + 1),
    }
}

const ON: crate::registry::ParameterDef = crate::registry::ParameterDef {
    name: "on",
    domain: crate::registry::Domain::Columns,
    default: Some(""),
    meaning: "columns that the attacker knows; all quasi-identifiers if not given",
};

const SENSITIVE: crate::registry::ParameterDef = crate::registry::ParameterDef {
    name: "sensitive",
    domain: crate::registry::Domain::Column,
    default: Some(""),
    meaning: "sensitive column; each sensitive column separately if not given",
};
