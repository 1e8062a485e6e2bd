//! Privacy models, one file each. A model answers with its violations, each with a witness, never with a bare bool.
//!
//! Every model here is a statement about classes: records that agree on some columns (`by`), and how many people in the
//! class carry each value of some other columns (`of`; none: people themselves are counted). A model states it twice:
//! `judge` from counts, which is what searches use, and `naive` on the records that were read back from the written
//! file, which is what `verify` uses. The two share nothing but the parameters.
//!
//! People are distinct owners where the policy names an owner key and some owner has several records, else records.
//! How many people carry a value means: how many have at least one record in the class with it.

use crate::error::{Obstacle, Result};
use crate::joined::{At, Of, Rule, Scope, Statement};
use crate::registry::{Arguments, Entry, Kind, unknown};
use crate::schema::{Role, Schema};

mod alpha_k_anonymity;
mod confidence_bounding;
mod distinct_l_diversity;
mod entropy_l_diversity;
mod k_anonymity;
mod recursive_cl_diversity;
mod t_closeness;
mod xy_anonymity;
mod xy_linkability;

pub use crate::contract::{Bounds, Judge, Judgement, Merging, Model, Survey, Violation, merging_of};

/// Every model there is.
pub const LIST: &[Listed] = &[
    k_anonymity::LISTED,
    xy_anonymity::LISTED,
    xy_linkability::LISTED,
    confidence_bounding::LISTED,
    distinct_l_diversity::LISTED,
    entropy_l_diversity::LISTED,
    recursive_cl_diversity::LISTED,
    alpha_k_anonymity::LISTED,
    t_closeness::LISTED,
];

/// Makes models from checked arguments.
pub type Build = fn(&Arguments, &Schema) -> Result<Vec<Box<dyn Model>>>;

/// Says what checked arguments demand of joined releases.
pub type Speak = fn(&Arguments, &Scope, &Schema) -> Result<Vec<Statement>>;

/// A model in the list: what it says about itself, and how it is made from a policy's words.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// What it says about itself.
    pub entry: Entry,
    /// Makes the model; one for each sensitive column where the policy names none.
    pub build: Build,
    /// Says what it demands of joined releases; none where it has no definition there.
    pub joined: Option<Speak>,
}

/// Makes a model from a policy's words.
pub fn build(id: &str, arguments: Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let listed = LIST.iter().find(|listed| listed.entry.id == id);
    let listed = listed.ok_or_else(|| unknown(Kind::Model, id, LIST.iter().map(|listed| &listed.entry)))?;
    (listed.build)(&arguments.checked(&listed.entry)?, schema)
}

/// What a model, worded like this, demands of joined releases.
pub fn joined(id: &str, arguments: Arguments, scope: &Scope, schema: &Schema) -> Result<Vec<Statement>> {
    let listed = LIST.iter().find(|listed| listed.entry.id == id);
    let listed = listed.ok_or_else(|| unknown(Kind::Model, id, LIST.iter().map(|listed| &listed.entry)))?;
    let arguments = arguments.checked(&listed.entry)?;
    let Some(speak) = listed.joined else {
        let speaking = LIST.iter().filter(|listed| listed.joined.is_some()).map(|listed| listed.entry.id);
        let alternatives = speaking.map(str::to_owned).collect();
        return Err(Obstacle::UndefinedForJoins { model: listed.entry.title.to_owned(), alternatives }.into());
    };
    speak(&arguments, scope, schema)
}

/// The columns that make the classes: those named, or all quasi-identifiers.
fn grouping(arguments: &Arguments, name: &str, schema: &Schema) -> Result<Vec<String>> {
    match arguments.words(name)? {
        Some(names) => named(names, schema),
        None => {
            let columns = schema.with_role(Role::QuasiIdentifier);
            if columns.is_empty() {
                let message = "no column is a quasi-identifier; give one the role, or name the columns with `on`";
                return Err(crate::Error::policy(None, message));
            }
            Ok(columns)
        }
    }
}

/// Columns that exist and are published.
fn named(names: &[String], schema: &Schema) -> Result<Vec<String>> {
    for name in names {
        let attribute = schema.attribute(name)?;
        if attribute.role == Role::Identifier {
            return Err(crate::Error::column(
                name,
                "is an identifier and never published, so no model can speak of it",
            ));
        }
    }
    Ok(names.to_vec())
}

/// The sensitive column that is named, or every one.
fn sensitive(arguments: &Arguments, schema: &Schema) -> Result<Vec<String>> {
    if let Some(name) = arguments.optional_word("sensitive")? {
        return named(&[name.to_owned()], schema);
    }
    let columns = schema.with_role(Role::Sensitive);
    if columns.is_empty() {
        let message = "no column is sensitive; give one the role, or name it with `sensitive`";
        return Err(crate::Error::policy(None, message));
    }
    Ok(columns)
}

/// Demands on every sensitive column of joined releases: what `rule` makes of the column's name.
fn of_sensitive(
    arguments: &Arguments,
    scope: &Scope,
    mut rule: impl FnMut(&[String; 1]) -> Result<Rule>,
) -> Result<Vec<Statement>> {
    let x = scope.known(arguments, "on")?;
    let mut statements = Vec::new();
    for at in scope.sensitive(arguments)? {
        let name = [scope.members[at.release].columns[at.column].0.clone()];
        statements.extend(scope.statement(&x, &[Of::Column(at)], rule(&name)?));
    }
    Ok(statements)
}

/// Demands that so many people of each release share what is known.
fn of_people(x: &[At], k: u64, scope: &Scope) -> Vec<Statement> {
    scope.people().iter().filter_map(|of| scope.statement(x, &[*of], Rule::AtLeast(k))).collect()
}

/// `1 person shares`, `2 people share`.
fn people_share(people: f64) -> String {
    if people == 1.0 { "1 person has".to_owned() } else { format!("{people} people share") }
}

/// `on age, sex`, for titles.
fn on_text(by: &[String]) -> String {
    const SHOWN: usize = 6;
    match by.len() {
        0..=SHOWN => format!("on {}", by.join(", ")),
        many => format!("on {} and {} more columns", by[..SHOWN - 1].join(", "), many - SHOWN + 1),
    }
}

const ON: crate::registry::Parameter = crate::registry::Parameter {
    name: "on",
    domain: crate::registry::Domain::Columns,
    default: Some(""),
    meaning: "the columns an attacker knows; all quasi-identifiers when not given",
};

const SENSITIVE: crate::registry::Parameter = crate::registry::Parameter {
    name: "sensitive",
    domain: crate::registry::Domain::Column,
    default: Some(""),
    meaning: "the column that must not be inferred; every sensitive column in turn when not given",
};
