//! The history: the releases an attacker may hold together, oldest first. A single release is a history of length one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::combos::{Combos, Owner, Weight};
use crate::error::{Obstacle, Result, SingleFault};
use crate::links::Links;
use crate::recipients::PUBLIC;
use crate::release::{Member, Release};
use crate::schema::Role;
use crate::taxonomy::{Code, NodeId};

/// Releases that an attacker may hold together, oldest first.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The releases.
    pub releases: Vec<Held>,
    /// Releases that were made and whose contents are gone: what they tell an attacker can no longer be computed.
    pub lost: Vec<Lost>,
}

/// A release, and who holds it.
#[derive(Debug, Clone)]
pub struct Held {
    /// Its number in the ledger; 0 for one that is not in it yet.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// The day it went out, as YYYY-MM-DD.
    pub date: String,
    /// Who got it.
    pub recipients: Vec<String>,
    /// How it shows people's records, where that is not one by one.
    pub disguise: Disguise,
    /// What was published.
    pub release: Release,
    /// Which record is about whom, where that is known to the steward.
    pub links: Option<Links>,
}

/// How a release shows people's records, where that is not one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Disguise {
    /// The column that marks groups, where not equal values do.
    #[serde(rename = "group_column", alias = "groups", default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<String>,
    /// The column that tells how many records of a group are counterfeits: nobody's.
    #[serde(rename = "counterfeit_column", alias = "counterfeits", default, skip_serializing_if = "Option::is_none")]
    pub counterfeits: Option<String>,
    /// Whether every sensitive column is shown by itself: nothing tells which of a group's values belong together.
    #[serde(rename = "columns_separate", alias = "apart", default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// Whether every value is listed once, however many have it, and may be nobody's: only that everybody has one of them is said.
    #[serde(rename = "values_listed_once", alias = "set", default, skip_serializing_if = "std::ops::Not::not")]
    pub set: bool,
    /// The release, by number, about whose people this one counts values, where owners are not given.
    #[serde(rename = "about_release", alias = "of", default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
}

impl Disguise {
    /// True when every record is shown by itself.
    pub fn is_none(&self) -> bool {
        *self == Disguise::default()
    }
}

/// A release whose contents were erased.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Lost {
    /// Its number in the ledger.
    pub number: u64,
    /// Its name.
    pub name: String,
    /// The day it went out.
    pub date: String,
    /// Who got it.
    pub recipients: Vec<String>,
    /// The columns it had.
    pub columns: Vec<String>,
    /// When its contents were erased.
    pub erased: String,
}

impl Held {
    /// The same with one code for everything that is said: texts that say the same in other words are one value.
    pub fn canonical(mut self) -> Held {
        let combos = &self.release.combos;
        let mut changed = false;
        let mut codes = combos.codes.clone();
        for (column, codes) in self.release.columns.iter().zip(&mut codes) {
            let said = |node: NodeId| {
                let interval = column.tree.interval(node).filter(|_| node != 0);
                let bits = |bound: Option<f64>| bound.map(f64::to_bits);
                let interval = interval.map(|said| (bits(said.low), said.low_in, bits(said.high), said.high_in));
                (interval.is_none().then_some(node), interval)
            };
            let mut first = HashMap::new();
            let map: Vec<Code> =
                column.nodes.iter().zip(0..).map(|(node, code)| *first.entry(said(*node)).or_insert(code)).collect();
            if first.len() < map.len() {
                changed = true;
                codes.iter_mut().for_each(|code| *code = map[*code as usize]);
            }
        }
        if !changed {
            return self;
        }
        let merged = Combos { codes: codes.clone(), weights: combos.weights.clone(), owners: None }.combined();
        let place = |at: usize| {
            let key: Vec<Code> = codes.iter().map(|codes| codes[at]).collect();
            merged.find(&key).map(|place| place as u32)
        };
        let places: Vec<Option<u32>> = (0..combos.len()).map(place).collect();
        self.links = self.links.map(|links| links.onto(&places));
        self.release.combos = merged;
        self
    }

    /// The release with whose each record is, where that is known.
    pub fn with_people(&self) -> Release {
        let plain = Combos { owners: None, ..self.release.combos.clone() };
        let combos = match &self.links {
            None => plain,
            Some(links) => {
                let mut owner = 0;
                let owners = (0..links.len()).map(|at| {
                    owner += Owner::from(at > 0 && links.pseudonyms[at] != links.pseudonyms[at - 1]);
                    owner
                });
                let of_links = |codes: &Vec<Code>| links.combos.iter().map(|combo| codes[*combo as usize]).collect();
                Combos {
                    owners: Some(owners.collect()),
                    codes: plain.codes.iter().map(of_links).collect(),
                    weights: links.records.iter().map(|records| Weight::from(*records)).collect(),
                }
            }
        };
        Release { combos, ..self.release.clone() }
    }

    /// One for each sensitive column that is shown by itself.
    pub(crate) fn views(&self) -> Vec<Held> {
        let columns = &self.release.columns;
        let is_sensitive = |at: &usize| columns[*at].role == Role::Sensitive;
        let sensitive: Vec<usize> = (0..columns.len()).filter(is_sensitive).collect();
        if !self.disguise.apart || sensitive.len() < 2 {
            return vec![self.clone()];
        }
        let view = |shown: &usize| {
            let kept: Vec<usize> = (0..columns.len()).filter(|at| !is_sensitive(at) || at == shown).collect();
            let Combos { codes, weights, owners } = &self.release.combos;
            let combos = Combos {
                codes: kept.iter().map(|at| codes[*at].clone()).collect(),
                weights: weights.clone(),
                owners: owners.clone(),
            };
            let columns = kept.iter().map(|at| columns[*at].clone()).collect();
            let release = Release { columns, combos, suppressed: self.release.suppressed };
            Held { release, ..self.clone() }
        };
        sensitive.iter().map(view).collect()
    }

    /// The release, as far as words can name it.
    pub fn member(&self) -> Member {
        let columns = self.release.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
        Member { name: self.name.clone(), columns }
    }
}

impl History {
    /// A history of length one.
    pub fn single(release: Release) -> History {
        let held = Held {
            number: 0,
            name: String::new(),
            date: String::new(),
            recipients: Vec::new(),
            disguise: Disguise::default(),
            release,
            links: None,
        };
        History { releases: vec![held], lost: Vec::new() }
    }

    /// True when nothing was released before.
    pub fn is_empty(&self) -> bool {
        self.releases.is_empty() && self.lost.is_empty()
    }

    /// The same with every table that shows a sensitive column by itself as one of its own: what is shown apart is known apart.
    pub(crate) fn in_views(&self) -> Cow<'_, History> {
        if !self.releases.iter().any(|held| held.disguise.apart) {
            return Cow::Borrowed(self);
        }
        let releases = self.releases.iter().flat_map(Held::views).collect();
        Cow::Owned(History { releases, lost: self.lost.clone() })
    }

    /// By recipient of a new release: the places of what they hold by themselves, and what is public. What is public goes to everybody who
    /// got anything before. The same for several is told once.
    pub(crate) fn held_alone(&self, recipients: &[String]) -> BTreeSet<Vec<usize>> {
        let holds = |name: &str, held: &Held| held.recipients.iter().any(|known| known == PUBLIC || known == name);
        let places = |name: &str| (0..self.releases.len()).filter(|at| holds(name, &self.releases[*at])).collect();
        let before = self.releases.iter().flat_map(|held| &held.recipients);
        let before = before.filter(|_| recipients.iter().any(|name| name == PUBLIC));
        recipients.iter().chain(before).map(|name| places(name)).collect()
    }

    /// What these recipients hold together: all that any of them got, and what is public.
    pub fn held_by(&self, coalition: &BTreeSet<String>) -> History {
        let holds = |recipients: &[String]| recipients.iter().any(|name| name == PUBLIC || coalition.contains(name));
        History {
            releases: self.releases.iter().filter(|held| holds(&held.recipients)).cloned().collect(),
            lost: self.lost.iter().filter(|lost| holds(&lost.recipients)).cloned().collect(),
        }
    }

    /// The one release of a history of length one, for what judges a single release: of a longer one it says so instead of judging
    /// a part.
    pub fn only(&self, what: &str) -> Result<&Release> {
        match self.releases.as_slice() {
            [held] if self.lost.is_empty() => Ok(&held.release),
            [] => Err(Obstacle::NotSingleRelease { statement: what.to_owned(), fault: SingleFault::Empty }.into()),
            more => {
                let fault = SingleFault::Several { releases: more.len() + self.lost.len() };
                Err(Obstacle::NotSingleRelease { statement: what.to_owned(), fault }.into())
            }
        }
    }
}
