//! From the ledger to the library's `History`.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use reticent::methods::Remembered;
use reticent::recognise::{self, Told};
use reticent::taxonomy::{SUPPRESSED, Taxonomy, Type};
use reticent::{Disguise, Held, History, Interval, Links, Lost, Release, Role};

use crate::bodies::{Bodies, relative};
use crate::entry::{Entry, Kind, Recorded, Stored, TableRecord};
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::Key;
use crate::ledger::Ledger;
use crate::records::{Body, BodyColumn, BodyTree};
use crate::{links, records};

/// Which part of a ledger to load.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Only the releases with these numbers; all when not given.
    pub numbers: Option<&'a [u64]>,
    /// With owner links, which only who has the key can relate to people.
    pub links: Option<&'a Key>,
}

type Trees = BTreeMap<Hash, Arc<Taxonomy>>;

impl Ledger {
    /// The releases of the ledger, oldest first. Erased ones are named as lost.
    pub fn history(&self, wanted: Wanted<'_>) -> Result<History> {
        let chain = self.chain()?;
        chain.check_supported(&self.folder)?;
        let entries = chain.entries;
        let asked = |entry: &&Entry| wanted.numbers.is_none_or(|numbers| numbers.contains(&entry.number));
        let purges: BTreeMap<u64, &str> =
            entries.iter().filter_map(|entry| Some((entry.purge()?.release, entry.at.as_str()))).collect();
        let (lost, kept): (Vec<&Entry>, Vec<&Entry>) = entries
            .iter()
            .filter(|entry| entry.release().is_some())
            .filter(asked)
            .partition(|entry| purges.contains_key(&entry.number));
        let kept: Vec<(u64, &Recorded)> =
            kept.into_iter().filter_map(|entry| Some((entry.number, entry.release()?))).collect();
        let trees = self.bodies.trees(&kept)?;
        let bodies = &self.bodies;
        let load = |(number, recorded): &(u64, &Recorded)| bodies.held(*number, recorded, &trees, wanted.links);
        let tables = kept.par_iter().map(load).collect::<Result<Vec<Vec<Held>>>>()?;
        let mut releases: Vec<Held> = tables.into_iter().flatten().collect();
        releases.sort_by(|a, b| (&a.date, a.number).cmp(&(&b.date, b.number)));
        let lost = lost.into_iter().filter_map(|entry| Some(lost_release(entry, purges.get(&entry.number)?)));
        Ok(History { releases, lost: lost.flatten().collect() })
    }

    /// The body of a release.
    pub fn body(&self, entry: &Entry) -> Result<Body> {
        let Some(recorded) = entry.release() else { return Err(Error::NoSuch { wanted: entry.number.to_string() }) };
        let purge = |other: &&Entry| other.purge().is_some_and(|purge| purge.release == entry.number);
        if let Some(purge) = self.entries()?.iter().find(purge) {
            return Err(Error::Erased { number: entry.number, name: recorded.name.clone(), at: purge.at.clone() });
        }
        self.bodies.read_body(recorded)
    }

    /// The lists about the people of a release, in its other tables; none where everything is in one.
    pub fn lists(&self, entry: &Entry) -> Result<Vec<Body>> {
        let tables = entry.release().map(|recorded| recorded.tables.as_slice()).unwrap_or_default();
        tables.iter().map(|table| self.bodies.read_table(table)).collect()
    }

    /// What a method keeps of a release about owners; none where it was not made by one.
    pub fn remembered(&self, entry: &Entry) -> Result<Option<Vec<Remembered>>> {
        let Some(method) = entry.release().and_then(|recorded| recorded.method.as_ref()) else { return Ok(None) };
        self.bodies.read_remembered(&method.remembered).map(Some)
    }

    /// The owner links of a release; none where none were recorded. They say who is the same person, and not who it is.
    pub fn links(&self, entry: &Entry) -> Result<Option<Links>> {
        let body = self.body(entry)?;
        match entry.release() {
            Some(recorded) => self.bodies.read_links(recorded, &body.counts.combos.weights),
            None => Ok(None),
        }
    }
}

impl Bodies {
    /// The records of a release.
    pub(crate) fn read_body(&self, recorded: &Recorded) -> Result<Body> {
        self.read_records(&recorded.body, (recorded.records, recorded.combinations))
    }

    /// The rows of one of its other tables.
    pub(crate) fn read_table(&self, table: &TableRecord) -> Result<Body> {
        self.read_records(&table.body, (table.records, table.combinations))
    }

    fn read_records(&self, stored: &Stored, expected: (u64, u64)) -> Result<Body> {
        let bytes = self.read(Kind::Records, stored)?;
        let body =
            caught(|| records::read(bytes)).map_err(|why| self.unreadable(Kind::Records, stored.sha256, &why))?;
        let found = (body.counts.combos.rows(), body.counts.combos.len() as u64);
        if found != expected {
            return Err(self.unreadable(Kind::Records, stored.sha256, "its records are not those of its entry"));
        }
        Ok(body)
    }

    /// What a method keeps about owners.
    pub(crate) fn read_remembered(&self, stored: &Stored) -> Result<Vec<Remembered>> {
        let bytes = self.read(Kind::Remembered, stored)?;
        let kept =
            caught(|| links::read(bytes)).map_err(|why| self.unreadable(Kind::Remembered, stored.sha256, &why))?;
        Ok(links::to_remembered(&kept))
    }

    /// The owner links of a release; none where none were recorded.
    pub(crate) fn read_links(&self, recorded: &Recorded, combos: &[u64]) -> Result<Option<Links>> {
        let Some(stored) = &recorded.links else { return Ok(None) };
        let wrong = |why: &str| self.unreadable(Kind::Links, stored.sha256, why);
        let body = Stored { sha256: stored.sha256, bytes: stored.bytes };
        let links = self.read(Kind::Links, &body)?;
        let links = caught(|| links::read(links)).map_err(|why| wrong(&why))?;
        let known = links.combos.iter().all(|combo| (*combo as usize) < combos.len());
        if !known || !links::add_up(&links, combos, &recorded.disguise) {
            return Err(wrong("its links do not add up to the records"));
        }
        Ok(Some(links))
    }

    fn unreadable(&self, kind: Kind, hash: Hash, why: &str) -> Error {
        Error::broken(self.ledger(), format!("{} cannot be used: {why}", relative(kind, hash)))
    }

    /// The taxonomies of some releases, each read once.
    fn trees(&self, releases: &[(u64, &Recorded)]) -> Result<Trees> {
        let mut trees = Trees::new();
        for tree in releases.iter().flat_map(|(_, release)| &release.taxonomies) {
            if trees.contains_key(&tree.sha256) {
                continue;
            }
            let body = Stored { sha256: tree.sha256, bytes: tree.bytes };
            let bytes = self.read(Kind::Taxonomy, &body)?;
            let text =
                String::from_utf8(bytes).map_err(|_| self.unreadable(Kind::Taxonomy, tree.sha256, "it is no text"))?;
            trees.insert(tree.sha256, Arc::new(Taxonomy::parse(&tree.column, &text)?));
        }
        Ok(trees)
    }

    /// The release as it is held: its table, and those about the same people.
    fn held(&self, number: u64, recorded: &Recorded, trees: &Trees, key: Option<&Key>) -> Result<Vec<Held>> {
        let body = self.read_body(recorded)?;
        if let (Some(key), Some(links)) = (key, &recorded.links)
            && links.key != key.fingerprint()
        {
            return Err(Error::OtherKey { known: links.key.clone(), given: key.fingerprint() });
        }
        let links = match key {
            Some(_) => self.read_links(recorded, &body.counts.combos.weights)?,
            None => None,
        };
        let mut tables = vec![Held {
            number,
            name: recorded.name.clone(),
            date: recorded.date.clone(),
            recipients: recorded.recipients.clone(),
            disguise: recorded.disguise.clone(),
            release: self.release(body, recorded.suppressed, trees)?,
            links,
        }];
        for table in &recorded.tables {
            tables.push(Held {
                disguise: Disguise { of: Some(number), set: table.set, ..Disguise::default() },
                release: self.release(self.read_table(table)?, 0, trees)?,
                links: None,
                recipients: recorded.recipients.clone(),
                name: recorded.name.clone(),
                date: recorded.date.clone(),
                number,
            });
        }
        Ok(tables)
    }

    fn release(&self, body: Body, suppressed: u64, trees: &Trees) -> Result<Release> {
        // A value that is neither a node nor recognised from its text would be taken for another.
        if let Some(column) = body.columns.iter().find(|column| !column.published.is_empty()) {
            return Err(Error::Unfit(format!("`{}` holds sets or ranges, which cannot be judged yet", column.name)));
        }
        let mut own = Vec::new();
        for (column, texts) in body.columns.iter().zip(&body.counts.values) {
            own.push(match column.tree {
                BodyTree::Taxonomy(hash) => {
                    let tree = trees.get(&hash).cloned();
                    Some(tree.ok_or_else(|| self.unreadable(Kind::Taxonomy, hash, "no entry names it"))?)
                }
                // Numbers and dates are what they say, however they are spelled.
                BodyTree::Flat if column.values != Type::Text && are_read(column, texts) => None,
                // Plain values, however much they look like something else.
                BodyTree::Flat => Some(Arc::new(Taxonomy::flat(plain_values(column, texts)))),
                BodyTree::Recognised => None,
            });
        }
        let mut told = Vec::new();
        for (column, tree) in body.columns.iter().zip(&own) {
            told.push(Told {
                name: &column.name,
                // Numbers and dates of any column are read as those of a quasi-identifier: equal ones are one value.
                role: if tree.is_none() && column.values != Type::Text { Role::QuasiIdentifier } else { column.role },
                values: Some(column.values),
                tree: tree.as_ref(),
                missing: &column.missing,
            });
        }
        let roles: Vec<Role> = body.columns.iter().map(|column| column.role).collect();
        let mut release = recognise::release(body.counts, &told, suppressed)?.0;
        release.columns.iter_mut().zip(roles).for_each(|(column, role)| column.role = role);
        Ok(release)
    }
}

/// A reader of Parquet may give up on bytes that nobody but a forger writes; that is an answer, too.
fn caught<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let read = std::panic::AssertUnwindSafe(read);
    std::panic::catch_unwind(read).unwrap_or_else(|_| Err("it is no Parquet file that can be read".to_owned()))
}

/// Whether every text of a column of numbers or dates can be read as one.
fn are_read(column: &BodyColumn, texts: &[String]) -> bool {
    // What is sensitive may be an interval, and is compared with others as one.
    let wide = column.role == Role::Sensitive;
    let is_read = |text: &String| Interval::parse(column.values, text).is_some_and(|read| wide || read.is_one());
    texts.iter().all(|text| text == SUPPRESSED || column.missing.contains(text) || is_read(text))
}

fn plain_values(column: &BodyColumn, texts: &[String]) -> Vec<String> {
    texts.iter().filter(|text| *text != SUPPRESSED && !column.missing.contains(text)).cloned().collect()
}

fn lost_release(entry: &Entry, erased: &str) -> Option<Lost> {
    let release = entry.release()?;
    Some(Lost {
        number: entry.number,
        name: release.name.clone(),
        date: release.date.clone(),
        recipients: release.recipients.clone(),
        columns: release.column_names(),
        erased: erased.to_owned(),
    })
}
