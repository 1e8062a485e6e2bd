//! What `check` answers.

use reticent::algorithms::Suppression;
use reticent::models::Violation;
use reticent::risk::Risk;
use reticent::{MissingNote, Role};
use serde::Serialize;

/// What `check` answers.
#[derive(Debug, Serialize)]
pub struct Check {
    /// The data set.
    pub dataset: String,
    /// What the policy demands.
    pub demands: Vec<String>,
    /// The columns of the policy.
    pub columns: Vec<ColumnRole>,
    /// What was found in the data; none if only the policy was checked.
    pub data: Option<DataFindings>,
    /// How many records may be suppressed.
    #[serde(skip)]
    pub suppression: Suppression,
}

impl Check {
    /// Whether the data, as it stands, satisfies the policy.
    pub fn holds(&self) -> bool {
        self.data.as_ref().is_none_or(|data| data.models.iter().all(|model| model.holds))
    }
}

/// A column and its role.
#[derive(Debug, Serialize)]
pub struct ColumnRole {
    /// The column.
    pub name: String,
    /// Its role.
    pub role: Role,
}

/// What was found in the data.
#[derive(Debug, Serialize)]
pub struct DataFindings {
    /// How risky the data is as it stands.
    pub risk: Risk,
    /// By model: whether the data satisfies it.
    pub models: Vec<ModelFinding>,
    /// Missing values, by column.
    pub missing: Vec<MissingNote>,
    /// Records that are left out because a value is missing.
    pub dropped: u64,
    /// What a steward should look at.
    pub warnings: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Whether the data satisfies a model.
#[derive(Debug, Serialize)]
pub struct ModelFinding {
    /// The model with its parameters.
    pub model: String,
    /// Whether it holds.
    pub holds: bool,
    /// Equivalence classes.
    pub classes: u64,
    /// People in classes that violate it.
    pub people_in_violating_classes: u64,
    /// Classes that violate it.
    pub violating_classes: usize,
    /// The worst violation.
    pub worst: Option<Violation>,
    /// Some of the violations.
    pub witnesses: Vec<Violation>,
}
