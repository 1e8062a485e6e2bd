//! Republication methods, one file each: they publish new versions of a dynamic table.
//!
//! The input is the current records and the earlier releases; the output is groups (buckets). A method assigns people to groups
//! and lists the values of each sensitive column by group. It postpones or withholds the records that it cannot publish within
//! its bound, and reports every record. Each owner has one record, and a pseudonym identifies the owner in all releases.
//!
//! [`MethodDef::promise`] and [`MethodDef::linkage_bound`] are the guarantees of a method. The law in
//! `tests/it/laws/republication.rs` checks them for every method over whole histories, by brute force.

mod anatomy;
mod bcf_anonymity;
mod bcf_by_flow;
mod continued;
mod cover;
mod decomposition;
mod decomposition_plus;
mod departures;
mod history_guided;
mod incremental_l_diversity;
mod largest;
mod m_invariance;
mod partition;
mod persistent_groups;
mod published_tables;
mod representation;
mod state;
#[cfg(test)]
mod tests;
mod trees;
mod utility;
mod verify;

use rayon::prelude::*;

use continued::Continued;

use crate::data::links::Pseudonym;
use crate::data::schema::Role;
use crate::data::table::Table;
use crate::data::taxonomy::Code;
use crate::error::{Obstacle, Refusal, Result};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Entry, Kind, unknown};

pub use continued::{OrdinaryClasses, earlier_classes};
pub use departures::{DepartureColumn, Departures, departures};
pub use published_tables::{Form, PublishedList, PublishedTables, recorded_releases};
pub use representation::{Underrepresented, underrepresented};
pub use state::{EarlierGroup, EarlierRelease, Lists, MethodState, PersonState};
pub use utility::{Utility, utility};
pub use verify::verify;

/// All methods.
pub const LIST: &[MethodDef] = &[
    anatomy::LISTED,
    decomposition::LISTED,
    decomposition_plus::LISTED,
    m_invariance::LISTED,
    history_guided::LISTED,
    incremental_l_diversity::LISTED,
    bcf_anonymity::LISTED,
];

/// Retired methods. Policies that name them can be parsed, and their recorded releases can be read and audited.
const RETIRED: &[MethodDef] = &[bcf_by_flow::LISTED];

/// Returns the maximum probability of linking a record to a person.
type LinkageBound = fn(&Arguments) -> Result<Ratio>;

/// Record linkage bounds, by method id.
const LINKAGE_BOUNDS: &[(&str, LinkageBound)] = &[(bcf_anonymity::ENTRY.id, bcf_anonymity::linkage_bound)];

/// Definition of a method: its catalogue entry, its guarantees and its function.
#[derive(Debug, Clone, Copy)]
pub struct MethodDef {
    /// Catalogue entry.
    pub entry: Entry,
    /// Id of the replacement, if the method is retired.
    pub alternative: Option<&'static str>,
    /// Updates between releases that the guarantee covers. Other updates are refused, or their records are withheld.
    pub updates: Updates,
    /// Upper bound of every person's posterior for a sensitive column, given all releases. `None`: no bound for values; see
    /// [`MethodDef::linkage_bound`].
    pub promise: fn(&Arguments, &str) -> Result<Option<Ratio>>,
    /// Description of the treatment of groups whose members left the data.
    pub departure_rule: &'static str,
    /// Default form of the published quasi-identifiers.
    pub form: Form,
    /// Runs the method with arguments that were checked against the entry.
    pub run: fn(&RepublicationTask<'_>, &Arguments) -> Result<GroupingOutcome>,
}

impl MethodDef {
    /// Returns the maximum probability of linking a record to a person, given all releases. `None`: no such guarantee.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments were not checked against the entry of this method.
    pub fn linkage_bound(&self, arguments: &Arguments) -> Result<Option<Ratio>> {
        LINKAGE_BOUNDS.iter().find(|(id, _)| *id == self.entry.id).map(|(_, bound)| bound(arguments)).transpose()
    }

    /// Checks that the method is not retired.
    ///
    /// # Errors
    ///
    /// Returns [`Refusal::MethodRetired`], with the replacement, if the method is retired.
    pub fn check_offered(&self) -> Result<()> {
        match self.alternative {
            None => Ok(()),
            Some(instead) => Err(Refusal::MethodRetired { method: self.entry.id, instead }.into()),
        }
    }

    /// Returns true if people of ordinary releases keep their classes. A bound on record linkage does not cover such classes.
    pub fn continues_classes(&self) -> bool {
        !LINKAGE_BOUNDS.iter().any(|(id, _)| *id == self.entry.id)
    }

    /// Returns true if the method supports this form. Unchanged quasi-identifiers would break a record linkage bound.
    pub fn allows_form(&self, form: Form) -> bool {
        form == Form::Generalized || !LINKAGE_BOUNDS.iter().any(|(id, _)| *id == self.entry.id)
    }
}

/// Updates between releases that the guarantee of a method covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Updates {
    /// More than one release.
    pub again: bool,
    /// Insertions: new people.
    pub insert: bool,
    /// Deletions: people who leave.
    pub delete: bool,
    /// Reinsertions: people who left and return.
    pub reinsert: bool,
    /// Corrections of sensitive values.
    pub correct: bool,
}

impl Updates {
    /// Returns a description such as `any number of releases with insertions; ...`.
    pub fn description(self) -> String {
        if !self.again {
            return "one release".to_owned();
        }
        let all = [
            (self.insert, "insertions"),
            (self.delete, "deletions"),
            (self.reinsert, "reinsertions"),
            (self.correct, "corrections"),
        ];
        let words = |covered: bool| {
            let words: Vec<&str> = all.iter().filter(|(is, _)| *is == covered).map(|(_, word)| *word).collect();
            words.join(", ")
        };
        let not = words(false);
        let not = if not.is_empty() { not } else { format!("; not covered (refused or withheld): {not}") };
        format!("any number of releases with {}{not}", words(true))
    }
}

/// The attacker model of all methods.
pub const ATTACKER: &str = "an attacker who knows the quasi-identifiers, the releases and the groups of every person, and for whom all \
                            assignments of the listed values that are consistent with all releases are equally likely";

/// Runs a method by id, and checks its outcome.
///
/// # Errors
///
/// Returns an error if there is no such method, if the arguments are invalid, or if the method refuses the release.
pub fn run(id: &str, task: &RepublicationTask<'_>, arguments: Arguments) -> Result<GroupingOutcome> {
    let method = find_method(id)?;
    let arguments = arguments.checked(&method.entry)?;
    let outcome = match method.continues_classes() {
        false => (method.run)(task, &arguments)?,
        true => {
            let continued = Continued::new(task);
            let others = (method.run)(&continued.others(task), &arguments)?;
            continued.complete(task, (method, &arguments), others)?
        }
    };
    outcome.check(task)?;
    Ok(outcome)
}

/// Returns the method with this id, including retired methods.
///
/// # Errors
///
/// Returns an error if there is no such method.
pub fn find_method(id: &str) -> Result<&'static MethodDef> {
    let method = LIST.iter().chain(RETIRED).find(|method| method.entry.id == id);
    method.ok_or_else(|| unknown(Kind::Method, id, LIST.iter().map(|method| &method.entry)))
}

/// The input of a method: the current data and the earlier releases.
#[derive(Debug, Clone, Copy)]
pub struct RepublicationTask<'a> {
    /// Current data.
    pub table: &'a Table,
    /// Records of the table in ascending order of owners, one for each owner.
    pub records: &'a [SourceRecord],
    /// Earlier releases of the method.
    pub past: &'a MethodState,
    /// Minimum number of people with equal published quasi-identifiers.
    pub k: u64,
    /// Seed of the random choices.
    pub seed: u64,
}

/// A record of the current data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceRecord {
    /// Pseudonym of the owner.
    pub person: Pseudonym,
    /// Row of the contingency table of the data.
    pub row: u32,
    /// Keyed hash of the sensitive values. It changes if they change, and does not reveal them.
    pub value_mark: u32,
}

impl RepublicationTask<'_> {
    /// Returns the indices of the sensitive columns.
    pub fn sensitive(&self) -> Vec<usize> {
        self.table.with_role(Role::Sensitive)
    }

    /// Returns the indices of the quasi-identifiers.
    pub(crate) fn quasi_identifiers(&self) -> Vec<usize> {
        self.table.with_role(Role::QuasiIdentifier)
    }

    /// Returns the code of a record in a column.
    pub fn code(&self, record: usize, column: usize) -> Code {
        self.table.contingency.codes[column][self.records[record].row as usize]
    }

    /// Returns true if the sensitive values of a record differ from those that were published for its owner.
    pub fn is_changed(&self, record: usize) -> bool {
        let SourceRecord { person, value_mark: mark, .. } = self.records[record];
        self.past.marks.get(person).is_some_and(|before| before != mark)
    }

    /// Returns the number of releases for which a record is postponed, including this one.
    pub fn times_postponed(&self, record: usize) -> u32 {
        let person = self.records[record].person;
        self.past.postponed.get(person).unwrap_or(0) + 1
    }

    /// Returns the value of a record in a column, as text.
    pub fn value(&self, record: usize, column: usize) -> &str {
        self.table.columns[column].tree.value(self.code(record, column))
    }

    /// Returns the index of the only sensitive column.
    ///
    /// # Errors
    ///
    /// Returns an error if the table has no sensitive column, or several.
    pub(crate) fn single_sensitive(&self, method: &Entry) -> Result<usize> {
        match self.sensitive().as_slice() {
            [only] => Ok(*only),
            [] => Err(Refusal::SensitiveColumnMissing { method: method.title, advice: "" }.into()),
            several => {
                let columns = several.iter().map(|at| self.table.columns[*at].name.clone()).collect();
                Err(Refusal::SeveralSensitiveColumns { method: method.title, columns }.into())
            }
        }
    }
}

/// The output of a method. Every record is in a group, postponed or withheld.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroupingOutcome {
    /// Published groups.
    pub groups: Vec<ReleaseGroup>,
    /// Postponed records: record index, and number of releases for which it is postponed.
    pub postponed: Vec<(u32, u32)>,
    /// Withheld records: record index and reason.
    pub withheld: Vec<(u32, Reason)>,
    /// Number of people in groups that continue a class of an ordinary release.
    pub continued: u64,
    /// Marginal tables to publish.
    pub marginals: Marginals,
    /// Notes for the user, as sentences.
    pub notes: Vec<String>,
}

/// Marginal tables: the total counts of the published sensitive values over all groups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marginals {
    /// No marginal table.
    #[default]
    Off,
    /// One marginal table for each sensitive column.
    Each,
    /// One joint table of all sensitive columns.
    Joint,
}

/// Why a record is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The sensitive value is too frequent for any group.
    TooCommon,
    /// The sensitive value differs from the published one.
    Changed,
    /// The earlier releases allow no group that keeps the bound.
    History,
    /// The record is postponed for more releases than the policy allows.
    Starved,
    /// The group has too few linkable values that can be listed as noise.
    NoNoise,
}

impl Reason {
    /// Returns the code of the reason.
    pub fn word(self) -> &'static str {
        match self {
            Reason::TooCommon => "too-common",
            Reason::Changed => "changed",
            Reason::History => "history",
            Reason::Starved => "starved",
            Reason::NoNoise => "no-noise",
        }
    }
}

/// Returns the description of the code of a [`Reason`].
pub fn withheld_text(reason: &str) -> &str {
    match reason {
        "too-common" => "the sensitive value is too frequent for any group",
        "changed" => "the sensitive value differs from the published one",
        "history" => "the earlier releases allow no group that keeps the bound",
        "starved" => "postponed for more releases than the policy allows; tried first next time",
        "no-noise" => "too few linkable values that can be listed as noise",
        other => other,
    }
}

/// A group (bucket): people who are published with common lists of sensitive values.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseGroup {
    /// Indices of the records of the group.
    pub members: Vec<u32>,
    /// Lists of values by sensitive column, in the order of the table.
    pub lists: Vec<List>,
}

/// The list of values of one sensitive column for a group: a multiset, or a set.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct List {
    /// Values in ascending order with their counts. Counts beyond the size of the group are counterfeits.
    pub values: Vec<(String, u64)>,
    /// True for a set: every value is listed once, some may be noise, and each person has one of them.
    pub is_set: bool,
}

impl ReleaseGroup {
    /// Creates a group whose lists are the multisets of the values of its members.
    fn with_true_lists(task: &RepublicationTask<'_>, members: Vec<u32>) -> ReleaseGroup {
        let list = |column| List::new(members.iter().map(|at| task.value(*at as usize, column)));
        let lists = task.sensitive().into_iter().map(list).collect();
        ReleaseGroup { members, lists }
    }
}

impl List {
    /// Creates a multiset of these values.
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> List {
        let mut texts: Vec<&str> = texts.into_iter().collect();
        texts.sort_unstable();
        let values = texts.chunk_by(|one, next| one == next).map(|same| (same[0].to_owned(), same.len() as u64));
        List { values: values.collect(), is_set: false }
    }

    /// Returns the sum of the counts.
    pub fn len(&self) -> u64 {
        self.values.iter().map(|(_, times)| times).sum()
    }

    /// Returns true if no value is listed.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns true if the actual values of a group are consistent with the list.
    pub fn covers(&self, actual: &List) -> bool {
        let count_of = |value: &str| {
            let at = self.values.binary_search_by(|(known, _)| known.as_str().cmp(value)).ok();
            at.map_or(0, |at| self.values[at].1)
        };
        actual
            .values
            .iter()
            .all(|(value, times)| if self.is_set { count_of(value) > 0 } else { count_of(value) >= *times })
    }

    /// Returns true if a value is listed.
    pub fn contains(&self, value: &str) -> bool {
        self.values.binary_search_by(|(known, _)| known.as_str().cmp(value)).is_ok()
    }
}

impl GroupingOutcome {
    /// Checks that every record occurs once, and that the lists of every group are consistent with its members.
    fn check(&self, task: &RepublicationTask<'_>) -> Result<()> {
        let inconsistent = |reason: &'static str| Err(Obstacle::GroupsInconsistent { reason }.into());
        let mut seen = vec![0u8; task.records.len()];
        let members = self.groups.iter().flat_map(|group| &group.members);
        let all = members.chain(self.postponed.iter().map(|(at, _)| at)).chain(self.withheld.iter().map(|(at, _)| at));
        for at in all {
            match seen.get_mut(*at as usize) {
                Some(times) => *times += 1,
                None => return inconsistent("a group contains an unknown record"),
            }
        }
        if seen.iter().any(|times| *times != 1) {
            return inconsistent("a record is missing or occurs twice");
        }
        let sensitive = task.sensitive();
        let check = |group: &ReleaseGroup| {
            if group.lists.len() != sensitive.len() {
                return inconsistent("a group lacks the list of a sensitive column");
            }
            for (column, list) in sensitive.iter().zip(&group.lists) {
                let actual = List::new(group.members.iter().map(|at| task.value(*at as usize, *column)));
                if !list.covers(&actual) {
                    return inconsistent("a list lacks a value of a member of its group");
                }
            }
            Ok(())
        };
        self.groups.par_iter().try_for_each(check)
    }
}
