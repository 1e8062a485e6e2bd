//! Methods, one file each: the same table again, with people who came and went. A month's records and what was released before
//! -> groups.
//!
//! A method puts people into groups and lists, group by group, the values of each sensitive column; what it cannot publish
//! safely waits or is withheld, and nobody is dropped silently. It works record by record, with one record an owner, and it
//! follows owners by pseudonym through everything it published before. What it promises about every person is said in its
//! entry, in [`Listed::promise`] and in [`Listed::linked`]; the law in `tests/it/laws/methods.rs` holds every method of the list to it, over the whole
//! history and by brute force.

mod anatomy;
mod bcf_anonymity;
mod bcf_by_flow;
mod cutting;
mod decomposing;
mod decomposition;
mod decomposition_plus;
mod history_guided;
mod incremental_l_diversity;
mod kept;
mod largest;
mod leaving;
mod m_invariance;
mod past;
mod proven;
mod shown;
#[cfg(test)]
mod tests;
mod trees;
mod utility;

use rayon::prelude::*;

use crate::error::{Obstacle, Refusal, Result};
use crate::links::Pseudonym;
use crate::registry::{Arguments, Entry, Kind, unknown};
use crate::schema::Role;
use crate::share::Share;
use crate::table::Table;
use crate::taxonomy::Code;

pub use leaving::{Leaving, LeavingColumn, leaving};
pub use past::{Lists, Past, Remembered, ShownGroup, ShownRelease};
pub use proven::prove;
pub use shown::{Form, Shown, ShownList, held};
pub use utility::{Utility, utility};

/// Every method there is.
pub const LIST: &[Listed] = &[
    anatomy::LISTED,
    decomposition::LISTED,
    decomposition_plus::LISTED,
    m_invariance::LISTED,
    history_guided::LISTED,
    incremental_l_diversity::LISTED,
    bcf_anonymity::LISTED,
];

/// Methods that are no longer offered. Old policies that name them can be parsed, and their recorded releases can be read and audited.
const RETIRED: &[Listed] = &[bcf_by_flow::LISTED];

/// A promise about records: with how much confidence one is linked to somebody at most.
type Linked = fn(&Arguments) -> Result<Share>;

/// Which methods promise that, by name.
const LINKED: &[(&str, Linked)] = &[(bcf_anonymity::ENTRY.id, bcf_anonymity::linked)];

/// A method in the list: what it says about itself, what it promises, and how it is run.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// What it says about itself.
    pub entry: Entry,
    /// The method to use in its place, if it is no longer offered.
    pub instead: Option<&'static str>,
    /// Which changes between releases its promise covers. Others are refused, or the records wait or are withheld.
    pub updates: Updates,
    /// The promise: nobody's value of this column is told with more confidence than this, by all releases together. None when
    /// nothing is promised about it; see [`Listed::linked`].
    pub promise: fn(&Arguments, &str) -> Result<Option<Share>>,
    /// What becomes of the groups of people who go, in a sentence.
    pub gone: &'static str,
    /// How it publishes quasi-identifiers unless the policy says otherwise.
    pub form: Form,
    /// Runs it, with arguments that were checked against the entry.
    pub run: fn(&Task<'_>, &Arguments) -> Result<Outcome>,
}

impl Listed {
    /// Returns the promise about records, where there is one: no record of any release is linked to anybody with more confidence than this,
    /// by all releases together.
    ///
    /// # Errors
    ///
    /// Fails if the arguments were not checked against the entry of this method.
    pub fn linked(&self, arguments: &Arguments) -> Result<Option<Share>> {
        LINKED.iter().find(|(id, _)| *id == self.entry.id).map(|(_, linked)| linked(arguments)).transpose()
    }

    /// Fails if the method is no longer offered, and names the one to use in its place.
    ///
    /// # Errors
    ///
    /// [`Refusal::MethodRetired`].
    pub fn offered(&self) -> Result<()> {
        match self.instead {
            None => Ok(()),
            Some(instead) => Err(Refusal::MethodRetired { method: self.entry.id, instead }.into()),
        }
    }

    /// Whether it can publish quasi-identifiers like that: as they are they tell records apart, of which something is promised.
    pub fn allows(&self, form: Form) -> bool {
        form == Form::Generalized || !LINKED.iter().any(|(id, _)| *id == self.entry.id)
    }
}

/// Which changes between releases a promise covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Updates {
    /// More than one release.
    pub again: bool,
    /// People come.
    pub insert: bool,
    /// People go.
    pub delete: bool,
    /// People who went come back.
    pub reinsert: bool,
    /// Sensitive values are corrected.
    pub correct: bool,
}

impl Updates {
    /// In words.
    pub fn in_words(self) -> String {
        if !self.again {
            return "one release".to_owned();
        }
        let all = [
            (self.insert, "people who come"),
            (self.delete, "people who go"),
            (self.reinsert, "people who come back"),
            (self.correct, "values that are corrected"),
        ];
        let words = |covered: bool| {
            let words: Vec<&str> = all.iter().filter(|(is, _)| *is == covered).map(|(_, word)| *word).collect();
            words.join(", ")
        };
        let not = words(false);
        let not = if not.is_empty() { not } else { format!("; not {not}: refused, or withheld") };
        format!("any number of releases, with {}{not}", words(true))
    }
}

/// Against whom the methods promise, in words.
pub const ATTACKER: &str = "somebody who knows everybody's quasi-identifiers, who is in which release and in which group, and who takes \
                            every assignment of the listed values that fits all releases for equally likely";

/// Runs a method by name.
pub fn run(id: &str, task: &Task<'_>, arguments: Arguments) -> Result<Outcome> {
    let listed = named(id)?;
    let outcome = (listed.run)(task, &arguments.checked(&listed.entry)?)?;
    outcome.check(task)?;
    Ok(outcome)
}

/// The method of that name, also one that is no longer offered.
pub fn named(id: &str) -> Result<&'static Listed> {
    let listed = LIST.iter().chain(RETIRED).find(|listed| listed.entry.id == id);
    listed.ok_or_else(|| unknown(Kind::Method, id, LIST.iter().map(|listed| &listed.entry)))
}

/// What is to be published, and what was before.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// This month's data.
    pub table: &'a Table,
    /// Its records, ascending by owner, one each.
    pub records: &'a [Record],
    /// What the method published before.
    pub past: &'a Past,
    /// What choices are drawn from.
    pub seed: u64,
}

/// A record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    /// Whose it is.
    pub who: Pseudonym,
    /// Its place among the table's combinations.
    pub combo: u32,
    /// A keyed mark of its sensitive values: another one means that they changed. What they are does not follow from it.
    pub mark: u32,
}

impl Task<'_> {
    /// The sensitive columns, by place in the table.
    pub fn sensitive(&self) -> Vec<usize> {
        self.table.with_role(Role::Sensitive)
    }

    /// The quasi-identifiers, by place in the table.
    pub(crate) fn quasi_identifiers(&self) -> Vec<usize> {
        self.table.with_role(Role::QuasiIdentifier)
    }

    /// What a record has in a column.
    pub fn code(&self, record: usize, column: usize) -> Code {
        self.table.combos.codes[column][self.records[record].combo as usize]
    }

    /// Whether a record's sensitive values are not those that its owner was published with.
    pub fn changed(&self, record: usize) -> bool {
        let Record { who, mark, .. } = self.records[record];
        self.past.marks.get(who).is_some_and(|before| before != mark)
    }

    /// For how many releases a record that waits has waited, with this one.
    pub fn waited(&self, record: usize) -> u32 {
        let who = self.records[record].who;
        self.past.waiting.get(who).unwrap_or(0) + 1
    }

    /// The same as text.
    pub fn value(&self, record: usize, column: usize) -> &str {
        self.table.columns[column].tree.value(self.code(record, column))
    }

    /// The one sensitive column; an error that says so when there are none or several.
    pub(crate) fn only_sensitive(&self, method: &Entry) -> Result<usize> {
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

/// What a method answers. Every record is in a group, waits, or is withheld.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The groups.
    pub groups: Vec<Group>,
    /// Records that wait for others to be published with: the place among the records, and since how many releases.
    pub waiting: Vec<(u32, u32)>,
    /// Records that are withheld: the place among the records, and why.
    pub withheld: Vec<(u32, Reason)>,
    /// Whether it is also told how often each value is published, all groups together.
    pub marginals: Marginals,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// Whether it is also told how often each value is published, all groups together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marginals {
    /// It is not.
    #[default]
    Off,
    /// How often each value of a column is, column by column.
    Each,
    /// How often values of all sensitive columns are together.
    Joint,
}

/// Why a record is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Too many have its value: no group could hide it.
    TooCommon,
    /// Its sensitive value is no longer one that was shown for its owner before.
    Changed,
    /// What was shown before leaves no group that would not tell more.
    History,
    /// It waited longer than the policy allows, and still cannot be published without telling what it holds.
    Starved,
    /// Too few plausible values could be listed beside those of its group.
    NoNoise,
}

impl Reason {
    /// In one word.
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

/// Why a record is withheld, in words, for the word of a reason.
pub fn withheld_words(reason: &str) -> &str {
    match reason {
        "too-common" => "too many have the same value: no group could hide it",
        "changed" => "a sensitive value is not the one that was published",
        "history" => "what was published before leaves no group that would not tell more",
        "starved" => "waited longer than the policy allows; tried first next time",
        "no-noise" => "too few plausible values to list beside it",
        other => other,
    }
}

/// People who are published together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Their places among the records.
    pub members: Vec<u32>,
    /// By sensitive column, in the order of the table: the values that are listed.
    pub lists: Vec<List>,
}

/// The values of one sensitive column that are listed for a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct List {
    /// The values, ascending, and how often each is listed. What is listed beyond the group's people is nobody's.
    pub values: Vec<(String, u64)>,
    /// Whether every value is listed once, however many have it, and some may be nobody's: then only that everybody has one of
    /// them is said.
    pub set: bool,
}

impl Group {
    /// People with what they have.
    fn listing(task: &Task<'_>, members: Vec<u32>) -> Group {
        let list = |column| List::of(members.iter().map(|at| task.value(*at as usize, column)));
        let lists = task.sensitive().into_iter().map(list).collect();
        Group { members, lists }
    }
}

impl List {
    /// The values of these texts, each as often as it is there.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> List {
        let mut texts: Vec<&str> = texts.into_iter().collect();
        texts.sort_unstable();
        let values = texts.chunk_by(|one, next| one == next).map(|same| (same[0].to_owned(), same.len() as u64));
        List { values: values.collect(), set: false }
    }

    /// How many values are listed.
    pub fn len(&self) -> u64 {
        self.values.iter().map(|(_, times)| times).sum()
    }

    /// True when none is.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether people with these values can be those that it lists.
    pub fn holds(&self, have: &List) -> bool {
        let often = |value: &str| {
            let at = self.values.binary_search_by(|(known, _)| known.as_str().cmp(value)).ok();
            at.map_or(0, |at| self.values[at].1)
        };
        have.values.iter().all(|(value, times)| if self.set { often(value) > 0 } else { often(value) >= *times })
    }

    /// Whether a value is listed.
    pub fn has(&self, value: &str) -> bool {
        self.values.binary_search_by(|(known, _)| known.as_str().cmp(value)).is_ok()
    }
}

impl Outcome {
    /// Every record must be accounted for once, and every group's people must be able to have what is listed.
    fn check(&self, task: &Task<'_>) -> Result<()> {
        let wrong = |reason: &'static str| Err(Obstacle::GroupsInconsistent { reason }.into());
        let mut seen = vec![0u8; task.records.len()];
        let members = self.groups.iter().flat_map(|group| &group.members);
        let all = members.chain(self.waiting.iter().map(|(at, _)| at)).chain(self.withheld.iter().map(|(at, _)| at));
        for at in all {
            match seen.get_mut(*at as usize) {
                Some(times) => *times += 1,
                None => return wrong("they hold a record that is not there"),
            }
        }
        if seen.iter().any(|times| *times != 1) {
            return wrong("a record is not accounted for, or twice");
        }
        let sensitive = task.sensitive();
        let check = |group: &Group| {
            if group.lists.len() != sensitive.len() {
                return wrong("a group does not list every sensitive column");
            }
            for (column, list) in sensitive.iter().zip(&group.lists) {
                let have = List::of(group.members.iter().map(|at| task.value(*at as usize, *column)));
                if !list.holds(&have) {
                    return wrong("a group does not list what its people have");
                }
            }
            Ok(())
        };
        self.groups.par_iter().try_for_each(check)
    }
}
