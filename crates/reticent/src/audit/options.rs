//! Options of an audit.

use super::knowledge::{BackgroundKnowledge, sensitive_column_names};
use crate::data::schema::Unit;
use crate::join::lossy::InconsistentRules;
use crate::ratio::Ratio;
use crate::release::history::History;
use reticent_inference::SolveOptions;

/// Options of an audit.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Sensitive columns to audit; `None` for all.
    pub columns: Option<Vec<String>>,
    /// Sensitive columns whose values may change between releases.
    pub time_varying: Vec<String>,
    /// Unit of sensitive columns, where the policy gives it. For other columns it is inferred from the releases.
    pub units: Vec<(String, Unit)>,
    /// Rules that match values of different releases, for releases without owner links.
    pub rules: Vec<InconsistentRules>,
    /// Threshold on the posterior of a sensitive value.
    pub confidence: Option<Ratio>,
    /// Thresholds of single columns, which replace `confidence`.
    pub column_thresholds: Vec<(String, Ratio)>,
    /// Bound on the prosecutor risk of a person.
    pub reidentification: Option<Ratio>,
    /// Whether to compute the re-identification risk. It needs the posteriors of all sensitive columns.
    pub identity: bool,
    /// Background knowledge of the attacker.
    pub knowledge: BackgroundKnowledge,
    /// Limits of the solver.
    pub solve: SolveOptions,
    /// Number of worst cases to explain.
    pub worst: usize,
    /// Whether to report every person.
    pub per_person: bool,
    /// Whether to count only the disclosures that the newest release adds.
    pub only_new: bool,
    /// Whether the attacker knows the groups of all people. Pairs of groups establish nothing about such an attacker: they
    /// model one who knows the groups of one person only.
    pub knows_everyone: bool,
    /// Whether to judge every two releases without owner links by pairs of groups.
    pub pairs: bool,
    /// Whether the caller also runs the attacks of an attacker who knows how the algorithm decides.
    pub algorithm: bool,
}

impl AuditOptions {
    /// Returns the threshold on the posterior of a column's values; `None` if there is none.
    pub fn threshold(&self, column: &str) -> Option<Ratio> {
        let own = self.column_thresholds.iter().find(|(known, _)| known == column).map(|(_, threshold)| *threshold);
        own.or(self.confidence)
    }

    /// Restricts the options to the columns and people of a history, such as that of some recipients, or an earlier one.
    pub fn within(&self, history: &History) -> AuditOptions {
        let columns = self.columns.as_ref().map(|columns| {
            let shown = sensitive_column_names(history);
            columns.iter().filter(|name| shown.contains(name.as_str())).cloned().collect()
        });
        AuditOptions { columns, knowledge: self.knowledge.within(history), ..self.clone() }
    }

    /// Returns whether any threshold is set.
    pub fn judges(&self) -> bool {
        self.bounds_posteriors() || self.reidentification.is_some()
    }

    /// Returns whether a threshold on posteriors is set.
    pub(super) fn bounds_posteriors(&self) -> bool {
        self.confidence.is_some() || !self.column_thresholds.is_empty()
    }
}

impl Default for AuditOptions {
    fn default() -> AuditOptions {
        AuditOptions {
            columns: None,
            time_varying: Vec::new(),
            units: Vec::new(),
            rules: Vec::new(),
            confidence: None,
            column_thresholds: Vec::new(),
            reidentification: None,
            identity: true,
            knowledge: BackgroundKnowledge::default(),
            solve: SolveOptions::default(),
            worst: 5,
            per_person: false,
            only_new: false,
            knows_everyone: true,
            pairs: true,
            algorithm: false,
        }
    }
}
