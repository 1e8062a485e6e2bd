//! What each column is: its role, its type, its taxonomy, and what a missing value means.

use crate::error::{Error, Result, did_you_mean};
use crate::taxonomy::{Level, Taxonomy, Type};

/// What a column is to an attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a person by itself; never published.
    Identifier,
    /// Known to an attacker, alone or with others; generalized until the requirement holds.
    QuasiIdentifier,
    /// What nobody may learn about a person; published as it is.
    Sensitive,
    /// Neither; published as it is.
    Other,
}

/// What a missing value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// A value of its own: an attacker sees that it is missing.
    #[default]
    Value,
    /// The record is left out, and counted as suppressed.
    Drop,
    /// An error.
    Refuse,
}

/// Where a column's taxonomy comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// No structure: a value is published as it is or suppressed.
    Flat,
    /// Read from a file.
    Given(Taxonomy),
    /// Intervals of declared levels, finest first. `exact` has the values themselves below the finest level.
    Intervals {
        /// From the finest to the coarsest.
        levels: Vec<Level>,
        /// Whether single values may be published.
        exact: bool,
    },
    /// Intervals that the algorithm finds, inside the declared range if there is one.
    Grown {
        /// Lowest bound, and the bound above all values.
        range: Option<(f64, f64)>,
    },
    /// The same for a column that an engine has put into bins: a value stands for all up to the next.
    Binned {
        /// Lowest bound, and the bound above all values.
        range: Option<(f64, f64)>,
    },
}

/// One column of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The column's name in the data.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// What its values are.
    pub values: Type,
    /// What a missing value means.
    pub missing: Missing,
    /// Its taxonomy.
    pub tree: Tree,
}

/// The columns of a table, and who its records are about.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Columns in the order of the data.
    pub attributes: Vec<Attribute>,
    /// The column that names the owner, when an owner can have several records.
    pub owner: Option<String>,
    /// The texts that stand for a missing value; the first is the one that is published.
    pub missing_values: Vec<String>,
}

impl Schema {
    /// A column by name, or an error that names the nearest one.
    pub fn attribute(&self, name: &str) -> Result<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name).ok_or_else(|| {
            let hint = did_you_mean(name, self.attributes.iter().map(|attribute| attribute.name.as_str()));
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            Error::column(name, format!("not among the columns of the policy that were chosen{hint}"))
        })
    }

    /// The names of the columns with this role, in order.
    pub fn with_role(&self, role: Role) -> Vec<String> {
        self.attributes.iter().filter(|a| a.role == role).map(|a| a.name.clone()).collect()
    }

    /// The columns that a release of everything shows: all but the identifiers.
    pub fn published(&self) -> Vec<String> {
        self.attributes.iter().filter(|a| a.role != Role::Identifier).map(|a| a.name.clone()).collect()
    }
}
