//! What is asked of a history.

use super::knowledge::{Knowledge, shown};
use crate::history::History;
use crate::join::Inconsistent;
use crate::share::Share;
use reticent_inference::Ask;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// These sensitive columns only; all when none are named.
    pub columns: Option<Vec<String>>,
    /// Sensitive columns that may change from release to release.
    pub varies: Vec<String>,
    /// How values of different releases are matched where it is not known whose the records are.
    pub rules: Vec<Inconsistent>,
    /// Nobody's secret may be told with more confidence than this.
    pub confidence: Option<Share>,
    /// Of these columns, not with more than this instead.
    pub promised: Vec<(String, Share)>,
    /// What the attacker knows besides.
    pub knowledge: Knowledge,
    /// How much work it may take.
    pub ask: Ask,
    /// How many of the worst cases to explain.
    pub worst: usize,
    /// Whether to list everybody.
    pub each: bool,
    /// Count only what the newest release brings: not people about whom more than allowed was told before it.
    pub newly: bool,
    /// Whether the attacker knows also in which groups others are. What two releases of unknown owners tell him is not established by
    /// pairs of groups: these are about whoever knows it of one person only.
    pub everybody: bool,
    /// Whether to judge every two releases of unknown owners by pairs of groups.
    pub pairs: bool,
    /// Whether the attacks of somebody who knows how the algorithm decided are run besides.
    pub algorithm: bool,
}

impl Question {
    /// With how much confidence a value of a column may be told at most; none when nothing is said of it.
    pub fn allowed(&self, column: &str) -> Option<Share> {
        let promised = self.promised.iter().find(|(known, _)| known == column).map(|(_, most)| *most);
        promised.or(self.confidence)
    }

    /// The same as far as it is about what a history shows, which may be that of some recipients only, or an earlier one.
    pub fn within(&self, history: &History) -> Question {
        let columns = self.columns.as_ref().map(|columns| {
            let shown = shown(history);
            columns.iter().filter(|name| shown.contains(name.as_str())).cloned().collect()
        });
        Question { columns, knowledge: self.knowledge.within(history), ..self.clone() }
    }

    /// Whether anything is judged at all.
    pub fn judges(&self) -> bool {
        self.confidence.is_some() || !self.promised.is_empty()
    }
}

impl Default for Question {
    fn default() -> Question {
        Question {
            columns: None,
            varies: Vec::new(),
            rules: Vec::new(),
            confidence: None,
            promised: Vec::new(),
            knowledge: Knowledge::default(),
            ask: Ask::default(),
            worst: 5,
            each: false,
            newly: false,
            everybody: true,
            pairs: true,
            algorithm: false,
        }
    }
}
