//! The tables of a release as files, and back.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use hashbrown::{HashMap, HashSet};
use reticent::Counts;
use reticent::combos::{Combos, combine};
use reticent::methods::Shown;
use reticent::taxonomy::Code;
use reticent_engine::{Compression, Format, Options, Sink, read_back, write_rows};

use crate::error::{Error, Result};

/// The table of people.
pub(crate) const PEOPLE: &str = "people";

/// How the tables of a release are called.
pub(crate) struct Tables {
    /// By list: the name of its table.
    pub lists: Vec<String>,
    /// By marginal table: its name.
    pub marginals: Vec<String>,
    /// The column that counts.
    pub count: String,
}

impl Tables {
    /// How the tables of a release are called.
    pub fn of(shown: &Shown) -> Tables {
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
        let lists = shown.lists.iter().map(|list| name(&list.column)).collect();
        let marginals =
            shown.marginals.iter().map(|counts| name(&format!("marginal {}", counts.names.join(" ")))).collect();
        let mut count = "records".to_owned();
        let columns = || shown.lists.iter().map(|list| &list.column).chain([&shown.group]);
        while columns().any(|column| *column == count) {
            count.push('_');
        }
        Tables { lists, marginals, count }
    }

    /// Writes the tables into a folder that is made for them. Answers how many cells were neutralised.
    pub fn write(&self, shown: &Shown, folder: &Path, seed: u64, options: &Options) -> Result<u64> {
        fs::create_dir(folder).map_err(Error::file("write", folder))?;
        let (mut neutralised, mut seed) = (0, seed);
        let mut write = |counts: &Counts, name: &str| -> Result<()> {
            // Every table in an order of its own.
            seed = seed.wrapping_add(1);
            let sink = Sink { path: folder.join(format!("{name}.csv")), format: Format::Csv(Compression::None), seed };
            neutralised += write_rows(counts, &sink, options)?.neutralised;
            Ok(())
        };
        write(&Counts { links: None, ..shown.people.clone() }, PEOPLE)?;
        for (list, name) in shown.lists.iter().zip(&self.lists) {
            write(&if list.set { list.counts.clone() } else { with_count(&list.counts, &self.count) }, name)?;
        }
        for (counts, name) in shown.marginals.iter().zip(&self.marginals) {
            write(&with_count(counts, &self.count), name)?;
        }
        Ok(neutralised)
    }

    /// Reads the tables again, and counts those that do not hold what was to be published.
    pub fn read(&self, shown: &Shown, folder: &Path, options: &Options) -> Result<(Shown, u64)> {
        let read = |name: &str| read_back(&folder.join(format!("{name}.csv")), options);
        let same = |read: &Counts, meant: &Counts| {
            let meant = as_text(meant);
            read.names == meant.names && read.values == meant.values && read.combos == meant.combos
        };
        let counted = |name: &str, counts: bool| -> Result<Option<Counts>> {
            let read = read(name)?;
            Ok(if counts { without_count(&read) } else { Some(read) })
        };
        let mut differing = u64::from(!same(&read(PEOPLE)?, &shown.people));
        let lists = shown.lists.iter().zip(&self.lists).map(|(list, name)| (&list.counts, name, !list.set));
        let marginals = shown.marginals.iter().zip(&self.marginals).map(|(meant, name)| (meant, name, true));
        for (meant, name, counts) in lists.chain(marginals) {
            differing += u64::from(!counted(name, counts)?.is_some_and(|read| same(&read, meant)));
        }
        Ok((shown.clone(), differing))
    }
}

/// Adds the text that explains the tables.
pub(crate) fn explain(folder: &Path, readme: &str) -> Result<()> {
    let path = folder.join("README.md");
    let written = File::create_new(&path).and_then(|mut file| {
        file.write_all(readme.as_bytes())?;
        file.sync_all()
    });
    written.map_err(Error::file("write", &path))?;
    Ok(reticent_ledger::sync_folder(folder)?)
}

/// The texts as they stand in a file: what looks like a formula is neutralised, which leaves nothing to be told apart by.
fn as_text(counts: &Counts) -> Counts {
    let plain = counts.names.iter().chain(counts.values.iter().flatten());
    if plain.clone().all(|text| reticent_engine::csv_text(text) == text.as_str()) {
        return Counts { links: None, ..counts.clone() };
    }
    let written = |text: &String| reticent_engine::csv_text(text).into_owned();
    let mut codes = Vec::new();
    let mut values = Vec::new();
    for (texts, of) in counts.values.iter().zip(&counts.combos.codes) {
        let texts: Vec<String> = texts.iter().map(written).collect();
        let mut sorted = texts.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let place = |code: &Code| sorted.binary_search(&texts[*code as usize]).unwrap_or(0) as Code;
        codes.push(of.iter().map(place).collect());
        values.push(sorted);
    }
    let combos = Combos { codes, weights: counts.combos.weights.clone(), owners: None }.combined();
    Counts { names: counts.names.iter().map(written).collect(), values, combos, links: None }
}

/// Every different row once, with how many there are in a column.
fn with_count(counts: &Counts, name: &str) -> Counts {
    let weights: HashSet<u64> = counts.combos.weights.iter().copied().collect();
    let mut known: Vec<(String, u64)> = weights.into_iter().map(|weight| (weight.to_string(), weight)).collect();
    known.sort_unstable();
    let code: HashMap<u64, Code> = known.iter().map(|(_, weight)| *weight).zip(0..).collect();
    let codes: Vec<Code> = counts.combos.weights.iter().map(|weight| code[weight]).collect();
    let texts: Vec<String> = known.into_iter().map(|(text, _)| text).collect();
    let mut names = counts.names.clone();
    names.push(name.to_owned());
    let all: Vec<&[Code]> = counts.combos.codes.iter().map(Vec::as_slice).chain([codes.as_slice()]).collect();
    let combos = combine(&all, &vec![1; codes.len()], None);
    let values = counts.values.iter().cloned().chain([texts]).collect();
    Counts { names, values, combos, links: None }
}

/// The way back; none when the last column does not count.
fn without_count(counts: &Counts) -> Option<Counts> {
    let (texts, codes) = (counts.values.last()?, counts.combos.codes.last()?);
    let numbers: Vec<u64> = texts.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
    let weights: Vec<u64> =
        codes.iter().zip(&counts.combos.weights).map(|(code, rows)| numbers[*code as usize] * rows).collect();
    let width = counts.names.len() - 1;
    let kept: Vec<&[Code]> = counts.combos.codes[..width].iter().map(Vec::as_slice).collect();
    let combos = combine(&kept, &weights, None);
    Some(Counts { names: counts.names[..width].to_vec(), values: counts.values[..width].to_vec(), combos, links: None })
}
