//! Schema: role, type, taxonomy and meaning of missing values of each column.

use crate::data::taxonomy::{IntervalLevel, Taxonomy, Type};
use crate::error::{Error, Result, did_you_mean};

/// Role of a column in the attack model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Identifies a person directly; never published.
    Identifier,
    /// Possible background knowledge of an attacker; generalized until the requirement holds.
    QuasiIdentifier,
    /// Published unchanged; linking its values to a person is limited.
    Sensitive,
    /// Insensitive attribute; published unchanged.
    Other,
    /// Not published, and not an identifier.
    Drop,
}

impl Role {
    /// Returns the word for the role in a policy.
    pub fn word(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::QuasiIdentifier => "quasi-identifier",
            Role::Sensitive => "sensitive",
            Role::Other => "other",
            Role::Drop => "drop",
        }
    }
}

/// What a value of a sensitive column describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// The person: all records of a person have the same value, such as a blood group.
    Person,
    /// The record: records of a person can have different values, such as the diagnosis of a visit.
    Record,
}

/// Treatment of missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// A separate value: an attacker sees that it is missing.
    #[default]
    Value,
    /// The record is dropped and counted as suppressed.
    Drop,
    /// A missing value is an error.
    Refuse,
}

/// Source of a column's taxonomy.
#[derive(Debug, Clone, PartialEq)]
pub enum TreeSource {
    /// No structure: a value is published unchanged or suppressed.
    Flat,
    /// Read from a file.
    Given(Taxonomy),
    /// Intervals of declared levels. If `exact`, the values are leaves below the finest level.
    Intervals {
        /// Levels from finest to coarsest.
        levels: Vec<IntervalLevel>,
        /// Whether single values may be published.
        exact: bool,
    },
    /// Prefixes of the codes in the data.
    Prefixes,
    /// Intervals that the algorithm chooses, within the declared range if there is one.
    Grown {
        /// Lower bound (included) and upper bound (excluded) of all values.
        range: Option<(f64, f64)>,
    },
    /// Like `Grown`, for a column that an engine has binned: a value represents the range up to the next value.
    Binned {
        /// Lower bound (included) and upper bound (excluded) of all values.
        range: Option<(f64, f64)>,
    },
}

/// One column of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Name of the column in the data.
    pub name: String,
    /// Role in the attack model.
    pub role: Role,
    /// Type of the values.
    pub values: Type,
    /// Treatment of missing values.
    pub missing: Missing,
    /// Source of the taxonomy.
    pub tree: TreeSource,
}

/// Columns of a table and its owner column.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// Columns in the order of the data.
    pub attributes: Vec<Attribute>,
    /// Name of the owner column, if an owner can have several records.
    pub owner: Option<String>,
    /// Texts that represent a missing value; the first one is published.
    pub missing_values: Vec<String>,
}

impl Schema {
    /// Column with this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema has no such column. The error suggests the most similar name.
    pub fn attribute(&self, name: &str) -> Result<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name).ok_or_else(|| {
            let hint = did_you_mean(name, self.attributes.iter().map(|attribute| attribute.name.as_str()));
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            Error::column(name, format!("no such column among the selected columns{hint}"))
        })
    }

    /// Names of the columns with this role, in order.
    pub fn with_role(&self, role: Role) -> Vec<String> {
        self.attributes.iter().filter(|a| a.role == role).map(|a| a.name.clone()).collect()
    }

    /// Names of the columns that can be published: all except identifiers and dropped columns.
    pub fn published(&self) -> Vec<String> {
        self.attributes
            .iter()
            .filter(|a| !matches!(a.role, Role::Identifier | Role::Drop))
            .map(|a| a.name.clone())
            .collect()
    }
}
