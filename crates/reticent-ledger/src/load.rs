//! Loading recorded releases as the library's `History`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use reticent::recognise::{self, RecognitionInput};
use reticent::republication::PersonState;
use reticent::taxonomy::{SUPPRESSED, Taxonomy, Type};
use reticent::{ErasedRelease, History, Interval, Links, Presentation, RecordedRelease, Release, Role};

use crate::blobs::{Blobs, relative_path};
use crate::body_format::{Body, BodyColumn, BodyTree, Published};
use crate::entry::{BlobKind, Entry, Origin, ReleaseRecord, StoredBlob, TableRecord};
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::key::Key;
use crate::ledger::Ledger;
use crate::{body_format, links};

/// Part of a ledger to load.
#[derive(Debug, Clone, Copy, Default)]
pub struct HistoryQuery<'a> {
    /// Numbers of the releases; all releases if none.
    pub numbers: Option<&'a [u64]>,
    /// Key, if owner links are loaded too.
    pub links: Option<&'a Key>,
}

type Trees = BTreeMap<Hash, Arc<Taxonomy>>;

impl Ledger {
    /// Returns the releases of the ledger that recipients can hold, oldest first. Erased releases are listed separately.
    pub fn history(&self, query: HistoryQuery<'_>) -> Result<History> {
        let entries = self.entries()?;
        let is_requested = |entry: &&Entry| query.numbers.is_none_or(|numbers| numbers.contains(&entry.number));
        let purges: BTreeMap<u64, &str> =
            entries.iter().filter_map(|entry| Some((entry.purge()?.release, entry.at.as_str()))).collect();
        let (erased, kept): (Vec<&Entry>, Vec<&Entry>) = entries
            .iter()
            .filter(|entry| entry.held_release().is_some())
            .filter(is_requested)
            .partition(|entry| purges.contains_key(&entry.number));
        let kept: Vec<(u64, &ReleaseRecord)> =
            kept.into_iter().filter_map(|entry| Some((entry.number, entry.release()?))).collect();
        let trees = self.bodies.trees(&kept)?;
        let bodies = &self.bodies;
        let load =
            |(number, recorded): &(u64, &ReleaseRecord)| bodies.load_release(*number, recorded, &trees, query.links);
        let tables = kept.par_iter().map(load).collect::<Result<Vec<Vec<RecordedRelease>>>>()?;
        let mut releases: Vec<RecordedRelease> = tables.into_iter().flatten().collect();
        releases.sort_by(|a, b| (&a.date, a.number).cmp(&(&b.date, b.number)));
        let erased = erased.into_iter().filter_map(|entry| Some(erased_release(entry, purges.get(&entry.number)?)));
        let owned = kept.iter().filter(|(_, recorded)| recorded.links.is_some()).map(|(number, _)| *number).collect();
        Ok(History { releases, erased: erased.flatten().collect(), owned })
    }

    /// Returns the records of a release.
    pub fn body(&self, entry: &Entry) -> Result<Body> {
        let Some(recorded) = entry.release() else { return Err(Error::NoSuch { wanted: entry.number.to_string() }) };
        let purge = |other: &&Entry| other.purge().is_some_and(|purge| purge.release == entry.number);
        if let Some(purge) = self.entries()?.iter().find(purge) {
            return Err(Error::Erased { number: entry.number, name: recorded.name.clone(), at: purge.at.clone() });
        }
        self.bodies.read_body(recorded)
    }

    /// Returns the rows of the further tables of a release; empty if it has one table.
    pub fn further_tables(&self, entry: &Entry) -> Result<Vec<Body>> {
        let tables = entry.release().map(|recorded| recorded.tables.as_slice()).unwrap_or_default();
        tables.iter().map(|table| self.bodies.read_table(table)).collect()
    }

    /// Returns the state that a republication method keeps about owners; none if no method made the release.
    pub fn method_state(&self, entry: &Entry) -> Result<Option<Vec<PersonState>>> {
        let Some(method) = entry.release().and_then(|recorded| recorded.method.as_ref()) else { return Ok(None) };
        self.bodies.read_method_state(&method.remembered).map(Some)
    }

    /// Returns the owner links of a release, if any. They show which records belong to the same person, but not the
    /// person's name.
    pub fn links(&self, entry: &Entry) -> Result<Option<Links>> {
        let body = self.body(entry)?;
        match entry.release() {
            Some(recorded) => self.bodies.read_links(recorded, &body.counts.contingency.weights),
            None => Ok(None),
        }
    }
}

impl Blobs {
    /// Reads the records of a release.
    pub(crate) fn read_body(&self, recorded: &ReleaseRecord) -> Result<Body> {
        let mut body = self.read_records(&recorded.body, (recorded.records, recorded.combinations))?;
        // An amendment can correct roles; the stored file has those of the first record.
        for column in &mut body.columns {
            if recorded.corrections.recorded_roles.contains_key(&column.name)
                && let Some(amended) = recorded.columns.iter().find(|amended| amended.name == column.name)
            {
                column.role = amended.role;
                // Texts of another program can be sets of values, which join what their parts join.
                if recorded.origin == Origin::Registered
                    && amended.role == Role::QuasiIdentifier
                    && column.tree == BodyTree::Flat
                {
                    column.tree = BodyTree::Recognised;
                }
            }
        }
        Ok(body)
    }

    /// Reads the rows of a further table.
    pub(crate) fn read_table(&self, table: &TableRecord) -> Result<Body> {
        self.read_records(&table.body, (table.records, table.combinations))
    }

    fn read_records(&self, stored: &StoredBlob, expected: (u64, u64)) -> Result<Body> {
        let bytes = self.read(BlobKind::Records, stored)?;
        let body = catch_panic(|| body_format::read(bytes))
            .map_err(|why| self.unreadable(BlobKind::Records, stored.sha256, &why))?;
        let found = (body.counts.contingency.rows(), body.counts.contingency.len() as u64);
        if found != expected {
            return Err(self.unreadable(
                BlobKind::Records,
                stored.sha256,
                "the number of records differs from that of the entry",
            ));
        }
        Ok(body)
    }

    /// Reads the state that a method keeps about owners.
    pub(crate) fn read_method_state(&self, stored: &StoredBlob) -> Result<Vec<PersonState>> {
        let bytes = self.read(BlobKind::State, stored)?;
        let kept =
            catch_panic(|| links::read(bytes)).map_err(|why| self.unreadable(BlobKind::State, stored.sha256, &why))?;
        Ok(links::decode_state(&kept))
    }

    /// Reads the owner links of a release, if any.
    pub(crate) fn read_links(&self, recorded: &ReleaseRecord, weights: &[u64]) -> Result<Option<Links>> {
        let Some(stored) = &recorded.links else { return Ok(None) };
        let wrong = |why: &str| self.unreadable(BlobKind::Links, stored.sha256, why);
        let body = StoredBlob { sha256: stored.sha256, bytes: stored.bytes };
        let links = self.read(BlobKind::Links, &body)?;
        let links = catch_panic(|| links::read(links)).map_err(|why| wrong(&why))?;
        let known = links.cells.iter().all(|combo| (*combo as usize) < weights.len());
        if !known || !links::match_records(&links, weights, &recorded.disguise) {
            return Err(wrong("the links do not add up to the records"));
        }
        Ok(Some(links))
    }

    fn unreadable(&self, kind: BlobKind, hash: Hash, why: &str) -> Error {
        Error::broken(self.ledger(), format!("{} cannot be used: {why}", relative_path(kind, hash)))
    }

    /// Reads the taxonomies of some releases, each once.
    fn trees(&self, releases: &[(u64, &ReleaseRecord)]) -> Result<Trees> {
        let mut trees = Trees::new();
        for tree in releases.iter().flat_map(|(_, release)| &release.taxonomies) {
            if trees.contains_key(&tree.sha256) {
                continue;
            }
            let body = StoredBlob { sha256: tree.sha256, bytes: tree.bytes };
            let bytes = self.read(BlobKind::Taxonomy, &body)?;
            let text = String::from_utf8(bytes)
                .map_err(|_| self.unreadable(BlobKind::Taxonomy, tree.sha256, "the file is not valid UTF-8"))?;
            trees.insert(tree.sha256, Arc::new(Taxonomy::parse(&tree.column, &text)?));
        }
        Ok(trees)
    }

    /// Loads a release: its table of people and its further tables.
    fn load_release(
        &self,
        number: u64,
        recorded: &ReleaseRecord,
        trees: &Trees,
        key: Option<&Key>,
    ) -> Result<Vec<RecordedRelease>> {
        let body = self.read_body(recorded)?;
        if let (Some(key), Some(links)) = (key, &recorded.links)
            && links.key != key.fingerprint()
        {
            return Err(Error::OtherKey { known: links.key.clone(), given: key.fingerprint() });
        }
        let links = match key {
            Some(_) => self.read_links(recorded, &body.counts.contingency.weights)?,
            None => None,
        };
        let mut tables = vec![RecordedRelease {
            number,
            name: recorded.name.clone(),
            date: recorded.date.clone(),
            recipients: recorded.recipients.clone(),
            population: recorded.origin == Origin::Population,
            presentation: recorded.disguise.clone(),
            release: self.release(body, recorded.suppressed, trees)?,
            links,
        }];
        for table in &recorded.tables {
            tables.push(RecordedRelease {
                population: false,
                presentation: Presentation {
                    about_release: Some(number),
                    values_listed_once: table.set,
                    ..Presentation::default()
                },
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
        // A text that is neither a node nor recognised by its form would be taken for another value.
        let is_range = |published: &Published| !matches!(published, Published::Leaves(_));
        if let Some(column) = body.columns.iter().find(|column| column.published.values().any(is_range)) {
            return Err(Error::Unfit(format!(
                "the column `{}` contains ranges, which this version cannot judge",
                column.name
            )));
        }
        let mut own = Vec::new();
        for (column, texts) in body.columns.iter().zip(&body.counts.values) {
            own.push(match column.tree {
                BodyTree::Taxonomy(hash) => {
                    let tree = trees.get(&hash).cloned();
                    Some(tree.ok_or_else(|| self.unreadable(BlobKind::Taxonomy, hash, "no entry refers to the file"))?)
                }
                // Numbers and dates are compared by value, whatever their spelling.
                BodyTree::Flat if column.values != Type::Text && are_parsable(column, texts) => None,
                // Texts are plain values, even if they look like intervals, except the sets that the body lists.
                BodyTree::Flat => Some(Arc::new(Taxonomy::flat(plain_values(column, texts)))),
                BodyTree::Recognised => None,
            });
        }
        let mut inputs = Vec::new();
        for (column, tree) in body.columns.iter().zip(&own) {
            inputs.push(RecognitionInput {
                name: &column.name,
                // Numbers and dates of every column are recognised as those of a quasi-identifier, so that equal ones
                // are one value.
                role: if tree.is_none() && column.values != Type::Text { Role::QuasiIdentifier } else { column.role },
                values: Some(column.values),
                tree: tree.as_ref(),
                missing: &column.missing,
            });
        }
        let roles: Vec<Role> = body.columns.iter().map(|column| column.role).collect();
        let mut release = recognise::release(body.counts, &inputs, suppressed)?.0;
        release.columns.iter_mut().zip(roles).for_each(|(column, role)| column.role = role);
        Ok(release)
    }
}

/// Turns a panic of the Parquet reader on malformed bytes into an error.
fn catch_panic<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let read = std::panic::AssertUnwindSafe(read);
    std::panic::catch_unwind(read).unwrap_or_else(|_| Err("the file is not valid Parquet".to_owned()))
}

/// Returns true if every text of a column of numbers or dates can be parsed.
fn are_parsable(column: &BodyColumn, texts: &[String]) -> bool {
    // A sensitive value may be an interval and is compared as one.
    let wide = column.role == Role::Sensitive;
    let is_read = |text: &String| Interval::parse(column.values, text).is_some_and(|read| wide || read.is_point());
    texts.iter().all(|text| text == SUPPRESSED || column.missing.contains(text) || is_read(text))
}

/// Values of a column without taxonomy: its texts, and the values of its sets.
fn plain_values(column: &BodyColumn, texts: &[String]) -> Vec<String> {
    let is_value = |text: &&String| *text != SUPPRESSED && !column.missing.contains(text);
    if column.published.is_empty() {
        return texts.iter().filter(is_value).cloned().collect();
    }
    let leaves = column.published.values().flat_map(|published| match published {
        Published::Leaves(leaves) => leaves.as_slice(),
        _ => &[],
    });
    let single = texts.iter().filter(|text| !column.published.contains_key(*text));
    // A set keeps its meaning whatever the order of the values.
    let values: BTreeSet<&String> = single.chain(leaves).filter(is_value).collect();
    values.into_iter().cloned().collect()
}

fn erased_release(entry: &Entry, erased: &str) -> Option<ErasedRelease> {
    let release = entry.release()?;
    Some(ErasedRelease {
        number: entry.number,
        name: release.name.clone(),
        date: release.date.clone(),
        recipients: release.recipients.clone(),
        columns: release.column_names(),
        erased: erased.to_owned(),
        population: release.origin == Origin::Population,
    })
}
