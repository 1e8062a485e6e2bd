//! Writes the tables of a release to files, and reads them back.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use hashbrown::{HashMap, HashSet};
use reticent::Counts;
use reticent::contingency::{ContingencyTable, combine};
use reticent::republication::PublishedTables;
use reticent::taxonomy::Code;
use reticent_engine::{Compression, Format, Options, Sink, read_back, write_rows};

use crate::error::{Error, Result};

/// Name of the table of people.
pub(crate) const PEOPLE: &str = "people";

/// Names of the tables of a release.
pub(crate) struct TableNames {
    /// Name of the table of each list.
    pub lists: Vec<String>,
    /// Name of each marginal table.
    pub marginals: Vec<String>,
    /// Name of the column with counts.
    pub count: String,
}

impl TableNames {
    /// Chooses unique names for the tables of a release.
    pub fn new(published: &PublishedTables) -> TableNames {
        let mut taken = vec![PEOPLE.to_owned(), "readme".to_owned()];
        let mut name = |wanted: &str| {
            let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
            let mut name: String = wanted.to_lowercase().chars().map(plain).collect();
            while taken.contains(&name) || name.is_empty() {
                name.push('_');
            }
            taken.push(name.clone());
            name
        };
        let lists = published.lists.iter().map(|list| name(&list.column)).collect();
        let marginals =
            published.marginals.iter().map(|counts| name(&format!("marginal {}", counts.names.join(" ")))).collect();
        let mut count = "records".to_owned();
        let columns = || published.lists.iter().map(|list| &list.column).chain([&published.group]);
        while columns().any(|column| *column == count) {
            count.push('_');
        }
        TableNames { lists, marginals, count }
    }

    /// Writes the tables to a new folder. Returns the number of cells that were escaped because they look like a formula.
    pub fn write(&self, published: &PublishedTables, folder: &Path, seed: u64, options: &Options) -> Result<u64> {
        fs::create_dir(folder).map_err(Error::file("write", folder))?;
        let (mut neutralised, mut seed) = (0, seed);
        let mut write = |counts: &Counts, name: &str| -> Result<()> {
            // Every table has its own row order.
            seed = seed.wrapping_add(1);
            let sink = Sink { path: folder.join(format!("{name}.csv")), format: Format::Csv(Compression::None), seed };
            neutralised += write_rows(counts, &sink, options)?.neutralised;
            Ok(())
        };
        write(&Counts { links: None, ..published.people.clone() }, PEOPLE)?;
        for (list, name) in published.lists.iter().zip(&self.lists) {
            write(&if list.is_set { list.counts.clone() } else { with_count(&list.counts, &self.count) }, name)?;
        }
        for (counts, name) in published.marginals.iter().zip(&self.marginals) {
            write(&with_count(counts, &self.count), name)?;
        }
        Ok(neutralised)
    }

    /// Reads the tables back, and counts those that differ from the expected ones.
    pub fn read(
        &self,
        published: &PublishedTables,
        folder: &Path,
        options: &Options,
    ) -> Result<(PublishedTables, u64)> {
        let read = |name: &str| read_back(&folder.join(format!("{name}.csv")), options);
        let same = |read: &Counts, expected: &Counts| {
            let expected = as_text(expected);
            read.names == expected.names && read.values == expected.values && read.contingency == expected.contingency
        };
        let counted = |name: &str, counts: bool| -> Result<Option<Counts>> {
            let read = read(name)?;
            Ok(if counts { without_count(&read) } else { Some(read) })
        };
        let mut differing = u64::from(!same(&read(PEOPLE)?, &published.people));
        let lists = published.lists.iter().zip(&self.lists).map(|(list, name)| (&list.counts, name, !list.is_set));
        let marginals = published.marginals.iter().zip(&self.marginals).map(|(expected, name)| (expected, name, true));
        for (expected, name, counts) in lists.chain(marginals) {
            differing += u64::from(!counted(name, counts)?.is_some_and(|read| same(&read, expected)));
        }
        Ok((published.clone(), differing))
    }
}

/// Writes the README of the release to its folder.
pub(crate) fn write_readme(folder: &Path, readme: &str) -> Result<()> {
    let path = folder.join("README.md");
    let written = File::create_new(&path).and_then(|mut file| {
        file.write_all(readme.as_bytes())?;
        file.sync_all()
    });
    written.map_err(Error::file("write", &path))?;
    Ok(reticent_ledger::sync_folder(folder)?)
}

/// Returns the table with the texts as they are written to CSV: texts that look like a formula are escaped.
fn as_text(counts: &Counts) -> Counts {
    let plain = counts.names.iter().chain(counts.values.iter().flatten());
    if plain.clone().all(|text| reticent_engine::csv_text(text) == text.as_str()) {
        return Counts { links: None, ..counts.clone() };
    }
    let written = |text: &String| reticent_engine::csv_text(text).into_owned();
    let mut codes = Vec::new();
    let mut values = Vec::new();
    for (texts, of) in counts.values.iter().zip(&counts.contingency.codes) {
        let texts: Vec<String> = texts.iter().map(written).collect();
        let mut sorted = texts.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let place = |code: &Code| sorted.binary_search(&texts[*code as usize]).unwrap_or(0) as Code;
        codes.push(of.iter().map(place).collect());
        values.push(sorted);
    }
    let combos = ContingencyTable { codes, weights: counts.contingency.weights.clone(), owners: None }.combined();
    Counts { names: counts.names.iter().map(written).collect(), values, contingency: combos, links: None }
}

/// Returns the distinct rows with an additional column of their counts.
fn with_count(counts: &Counts, name: &str) -> Counts {
    let weights: HashSet<u64> = counts.contingency.weights.iter().copied().collect();
    let mut known: Vec<(String, u64)> = weights.into_iter().map(|weight| (weight.to_string(), weight)).collect();
    known.sort_unstable();
    let code: HashMap<u64, Code> = known.iter().map(|(_, weight)| *weight).zip(0..).collect();
    let codes: Vec<Code> = counts.contingency.weights.iter().map(|weight| code[weight]).collect();
    let texts: Vec<String> = known.into_iter().map(|(text, _)| text).collect();
    let mut names = counts.names.clone();
    names.push(name.to_owned());
    let all: Vec<&[Code]> = counts.contingency.codes.iter().map(Vec::as_slice).chain([codes.as_slice()]).collect();
    let combos = combine(&all, &vec![1; codes.len()], None);
    let values = counts.values.iter().cloned().chain([texts]).collect();
    Counts { names, values, contingency: combos, links: None }
}

/// Reverses [`with_count`]. Returns `None` if the last column is not a number.
fn without_count(counts: &Counts) -> Option<Counts> {
    let (texts, codes) = (counts.values.last()?, counts.contingency.codes.last()?);
    let numbers: Vec<u64> = texts.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
    let weights: Vec<u64> =
        codes.iter().zip(&counts.contingency.weights).map(|(code, rows)| numbers[*code as usize] * rows).collect();
    let width = counts.names.len() - 1;
    let kept: Vec<&[Code]> = counts.contingency.codes[..width].iter().map(Vec::as_slice).collect();
    let combos = combine(&kept, &weights, None);
    Some(Counts {
        names: counts.names[..width].to_vec(),
        values: counts.values[..width].to_vec(),
        contingency: combos,
        links: None,
    })
}
