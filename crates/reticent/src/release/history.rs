//! Release history: the releases that an attacker can combine, oldest first. A single release is a history of length one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::data::contingency::{ContingencyTable, Owner, Weight};
use crate::data::links::Links;
use crate::data::schema::Role;
use crate::data::taxonomy::{Code, NodeId};
use crate::error::{Obstacle, Result, SingleFault};
use crate::release::recipients::PUBLIC;
use crate::release::{Member, Release};

/// Releases that an attacker can combine.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Releases, oldest first.
    pub releases: Vec<RecordedRelease>,
    /// Releases with erased contents. Their disclosure can no longer be computed.
    pub erased: Vec<ErasedRelease>,
    /// Numbers of the releases whose record owners are known, also if `links` are not loaded.
    pub owned: BTreeSet<u64>,
}

/// A release with its recipients and owner links.
#[derive(Debug, Clone)]
pub struct RecordedRelease {
    /// Number in the ledger; 0 if not recorded yet.
    pub number: u64,
    /// Release name.
    pub name: String,
    /// Publication date, as YYYY-MM-DD.
    pub date: String,
    /// Recipient names.
    pub recipients: Vec<String>,
    /// Whether this is a population register: background knowledge of attackers, and not a release of our data.
    pub population: bool,
    /// Presentation of the records, for example in groups.
    pub presentation: Presentation,
    /// Published table.
    pub release: Release,
    /// Owner links, if the steward has them.
    pub links: Option<Links>,
}

/// Presentation of records in a release. The default is one record per row.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Presentation {
    /// Column with the group number. `None` if equal quasi-identifier values define the classes.
    #[serde(alias = "groups", default, skip_serializing_if = "Option::is_none")]
    pub group_column: Option<String>,
    /// Column with the number of counterfeit records of a group.
    #[serde(alias = "counterfeits", default, skip_serializing_if = "Option::is_none")]
    pub counterfeit_column: Option<String>,
    /// Whether sensitive columns are published separately, so that values of a group are not linked across columns.
    #[serde(alias = "apart", default, skip_serializing_if = "std::ops::Not::not")]
    pub columns_separate: bool,
    /// Whether a group lists each value once, without counts. Every person has one of the values; a value can be counterfeit.
    #[serde(alias = "set", default, skip_serializing_if = "std::ops::Not::not")]
    pub values_listed_once: bool,
    /// Number of the release whose people this release counts, if it has no owners.
    #[serde(alias = "of", default, skip_serializing_if = "Option::is_none")]
    pub about_release: Option<u64>,
}

impl Presentation {
    /// Returns true for the default presentation, one record per row.
    pub fn is_none(&self) -> bool {
        *self == Presentation::default()
    }
}

/// A release whose contents were erased.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct ErasedRelease {
    /// Number in the ledger.
    pub number: u64,
    /// Release name.
    pub name: String,
    /// Publication date.
    pub date: String,
    /// Recipient names.
    pub recipients: Vec<String>,
    /// Column names.
    pub columns: Vec<String>,
    /// Date of erasure.
    pub erased: String,
    /// Whether it was a population register.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub population: bool,
}

impl RecordedRelease {
    /// Returns the release without some columns, with its owner links.
    pub fn without_columns(self, names: &[String]) -> RecordedRelease {
        let kept: Vec<usize> =
            (0..self.release.columns.len()).filter(|at| !names.contains(&self.release.columns[*at].name)).collect();
        let all = &self.release.contingency;
        let contingency = ContingencyTable { owners: None, ..all.clone() }.project(&kept);
        let place = |at: usize| {
            let key: Vec<u32> = kept.iter().map(|column| all.codes[*column][at]).collect();
            contingency.find(&key).map(|place| place as u32)
        };
        let links = self.links.as_ref().map(|links| links.remap(&(0..all.len()).map(place).collect::<Vec<_>>()));
        let columns = kept.iter().map(|at| self.release.columns[*at].clone()).collect();
        RecordedRelease {
            release: Release { columns, contingency, suppressed: self.release.suppressed },
            links,
            ..self
        }
    }

    /// Merges codes with the same meaning, for example different notations of one interval.
    pub fn canonical(mut self) -> RecordedRelease {
        let contingency = &self.release.contingency;
        let mut changed = false;
        let mut codes = contingency.codes.clone();
        for (column, codes) in self.release.columns.iter().zip(&mut codes) {
            let meaning = |node: NodeId| {
                let interval = column.tree.interval(node).filter(|_| node != 0);
                let bits = |bound: Option<f64>| bound.map(f64::to_bits);
                let interval = interval.map(|of| (bits(of.low), of.low_in, bits(of.high), of.high_in));
                (interval.is_none().then_some(node), interval)
            };
            let mut first = HashMap::new();
            let map: Vec<Code> =
                column.nodes.iter().zip(0..).map(|(node, code)| *first.entry(meaning(*node)).or_insert(code)).collect();
            if first.len() < map.len() {
                changed = true;
                codes.iter_mut().for_each(|code| *code = map[*code as usize]);
            }
        }
        if !changed {
            return self;
        }
        let merged =
            ContingencyTable { codes: codes.clone(), weights: contingency.weights.clone(), owners: None }.combined();
        let place = |at: usize| {
            let key: Vec<Code> = codes.iter().map(|codes| codes[at]).collect();
            merged.find(&key).map(|place| place as u32)
        };
        let places: Vec<Option<u32>> = (0..contingency.len()).map(place).collect();
        self.links = self.links.map(|links| links.remap(&places));
        self.release.contingency = merged;
        self
    }

    /// Release with the owner of each record, if links are known.
    pub fn with_owners(&self) -> Release {
        let plain = ContingencyTable { owners: None, ..self.release.contingency.clone() };
        let contingency = match &self.links {
            None => plain,
            Some(links) => {
                let mut owner = 0;
                let owners = (0..links.len()).map(|at| {
                    owner += Owner::from(at > 0 && links.pseudonyms[at] != links.pseudonyms[at - 1]);
                    owner
                });
                let of_links = |codes: &Vec<Code>| links.cells.iter().map(|cell| codes[*cell as usize]).collect();
                ContingencyTable {
                    owners: Some(owners.collect()),
                    codes: plain.codes.iter().map(of_links).collect(),
                    weights: links.records.iter().map(|records| Weight::from(*records)).collect(),
                }
            }
        };
        Release { contingency, ..self.release.clone() }
    }

    /// One release per sensitive column if sensitive columns are published separately; otherwise the release.
    pub(crate) fn views(&self) -> Vec<RecordedRelease> {
        let columns = &self.release.columns;
        let is_sensitive = |at: &usize| columns[*at].role == Role::Sensitive;
        let sensitive: Vec<usize> = (0..columns.len()).filter(is_sensitive).collect();
        if !self.presentation.columns_separate || sensitive.len() < 2 {
            return vec![self.clone()];
        }
        let view = |column: &usize| {
            let kept: Vec<usize> = (0..columns.len()).filter(|at| !is_sensitive(at) || at == column).collect();
            let ContingencyTable { codes, weights, owners } = &self.release.contingency;
            let contingency = ContingencyTable {
                codes: kept.iter().map(|at| codes[*at].clone()).collect(),
                weights: weights.clone(),
                owners: owners.clone(),
            };
            let columns = kept.iter().map(|at| columns[*at].clone()).collect();
            let release = Release { columns, contingency, suppressed: self.release.suppressed };
            RecordedRelease { release, ..self.clone() }
        };
        sensitive.iter().map(view).collect()
    }

    /// Name and columns of the release.
    pub fn member(&self) -> Member {
        let columns = self.release.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
        Member { name: self.name.clone(), columns, population: self.population }
    }
}

impl History {
    /// History with a single release.
    pub fn single(release: Release) -> History {
        let recorded = RecordedRelease {
            number: 0,
            name: String::new(),
            date: String::new(),
            recipients: Vec::new(),
            population: false,
            presentation: Presentation::default(),
            release,
            links: None,
        };
        History { releases: vec![recorded], ..History::default() }
    }

    /// Returns true if there are no releases, recorded or erased.
    pub fn is_empty(&self) -> bool {
        self.releases.is_empty() && self.erased.is_empty()
    }

    /// The history without population registers: the releases whose disclosure an audit judges.
    pub fn without_populations(&self) -> Cow<'_, History> {
        let is_population = |recorded: &RecordedRelease| recorded.population;
        if !self.releases.iter().any(is_population) && !self.erased.iter().any(|erased| erased.population) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(History {
            releases: self.releases.iter().filter(|recorded| !recorded.population).cloned().collect(),
            erased: self.erased.iter().filter(|erased| !erased.population).cloned().collect(),
            owned: self.owned.clone(),
        })
    }

    /// Replaces each release with separate sensitive columns by one release per sensitive column.
    pub(crate) fn in_views(&self) -> Cow<'_, History> {
        if !self.releases.iter().any(|recorded| recorded.presentation.columns_separate) {
            return Cow::Borrowed(self);
        }
        let releases = self.releases.iter().flat_map(RecordedRelease::views).collect();
        Cow::Owned(History { releases, erased: self.erased.clone(), owned: self.owned.clone() })
    }

    /// Indices of the releases that each recipient of a new release holds alone, including public releases.
    ///
    /// A public release also goes to every earlier recipient. Equal sets occur once.
    pub(crate) fn releases_by_recipient(&self, recipients: &[String]) -> BTreeSet<Vec<usize>> {
        let holds = |name: &str, recorded: &RecordedRelease| {
            recorded.recipients.iter().any(|known| known == PUBLIC || known == name)
        };
        let places = |name: &str| (0..self.releases.len()).filter(|at| holds(name, &self.releases[*at])).collect();
        let before = self.releases.iter().flat_map(|recorded| &recorded.recipients);
        let before = before.filter(|_| recipients.iter().any(|name| name == PUBLIC));
        recipients.iter().chain(before).map(|name| places(name)).collect()
    }

    /// Releases that a coalition holds: those of its members and the public ones.
    pub fn for_coalition(&self, coalition: &BTreeSet<String>) -> History {
        let holds = |recipients: &[String]| recipients.iter().any(|name| name == PUBLIC || coalition.contains(name));
        History {
            releases: self.releases.iter().filter(|recorded| holds(&recorded.recipients)).cloned().collect(),
            erased: self.erased.iter().filter(|erased| holds(&erased.recipients)).cloned().collect(),
            owned: self.owned.clone(),
        }
    }

    /// Returns the release of a history of length one. `what` names the check that needs it.
    ///
    /// # Errors
    ///
    /// Returns an error if the history does not have exactly one release.
    pub fn require_single(&self, what: &str) -> Result<&Release> {
        match self.releases.as_slice() {
            [recorded] if self.erased.is_empty() => Ok(&recorded.release),
            [] => Err(Obstacle::NotSingleRelease { statement: what.to_owned(), fault: SingleFault::Empty }.into()),
            more => {
                let fault = SingleFault::Several { releases: more.len() + self.erased.len() };
                Err(Obstacle::NotSingleRelease { statement: what.to_owned(), fault }.into())
            }
        }
    }
}
