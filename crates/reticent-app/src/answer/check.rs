//! Answer of `check`.

use reticent::algorithms::Suppression;
use reticent::models::Violation;
use reticent::policy::presets::Preset;
use reticent::reachability::UnreachableModel;
use reticent::risk::{ClassSizeBin, MinimalQuasiIdentifier, Risk};
use reticent::{MissingNote, Role, Unit};
use serde::Serialize;

/// Answer of `check`.
#[derive(Debug, Serialize)]
pub struct CheckAnswer {
    /// Name of the data set.
    pub dataset: String,
    /// Preset of the requirement; `None` if the policy names none.
    pub preset: Option<PresetAnswer>,
    /// Requirements of the policy, in words.
    pub requirements: Vec<String>,
    /// Columns of the policy.
    pub columns: Vec<ColumnRole>,
    /// Findings in the data; `None` if only the policy was checked.
    pub data: Option<DataFindings>,
    /// Limit on the number of suppressed records.
    #[serde(skip)]
    pub suppression: Suppression,
}

impl CheckAnswer {
    /// Returns whether the original data satisfies every model of the policy.
    pub fn holds(&self) -> bool {
        self.data.as_ref().is_none_or(|data| data.models.iter().all(|model| model.holds))
    }
}

/// The preset of a requirement.
#[derive(Debug, Serialize)]
pub struct PresetAnswer {
    /// Thresholds and their source.
    #[serde(flatten)]
    pub preset: &'static Preset,
    /// Keys of the preset, as they would be written in the policy.
    pub keys: Vec<String>,
}

/// A column with its role.
#[derive(Debug, Serialize)]
pub struct ColumnRole {
    /// Name of the column.
    pub name: String,
    /// Role of the column.
    pub role: Role,
    /// What a value of a sensitive column describes; `None` if it is neither declared nor known from the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per: Option<Unit>,
}

/// Findings in the original data.
#[derive(Debug, Serialize)]
pub struct DataFindings {
    /// Re-identification risk of the original data, without the values that the policy suppresses.
    pub risk: Risk,
    /// A few quasi-identifiers that distinguish nearly as many records as all of them; `None` without quasi-identifiers.
    pub minimal_quasi_identifier: Option<MinimalQuasiIdentifier>,
    /// Number of people by the size of their equivalence class.
    pub class_sizes: Vec<ClassSizeBin>,
    /// Result of each model.
    pub models: Vec<ModelFinding>,
    /// Models that no release of these data can satisfy, or only by suppressing records.
    pub unreachable: Vec<UnreachableModel>,
    /// Missing values, by column.
    pub missing: Vec<MissingNote>,
    /// Number of records that are dropped because a value is missing.
    pub dropped: u64,
    /// Warnings for the steward.
    pub warnings: Vec<String>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// Result of a model on the original data.
#[derive(Debug, Serialize)]
pub struct ModelFinding {
    /// Model with its parameters.
    pub model: String,
    /// Whether the data satisfies the model.
    pub holds: bool,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Number of people in violating classes.
    pub people_in_violating_classes: u64,
    /// Number of violating classes.
    pub violating_classes: usize,
    /// Worst violation.
    pub worst: Option<Violation>,
    /// Violations, up to the requested number.
    pub witnesses: Vec<Violation>,
}
