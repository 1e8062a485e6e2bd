//! The Adult data and the two releases of the paper: immigration was published first, taxation is published next.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use reticent::contingency::combine;
use reticent::join::Member;
use reticent::taxonomy::{Taxonomy, Type};
use reticent::{
    Attribute, Counts, History, Missing, Presentation, RecordedRelease, Release, Role, Schema, Table, TreeSource,
};

use crate::Failure;

/// The columns of the file, in its order.
const COLUMNS: [&str; 15] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    CLASS,
];
/// Class column of taxation.
pub const CLASS: &str = "class";
/// Columns of both releases.
pub const COMMON: [&str; 3] = ["marital-status", "relationship", "sex"];
/// Columns of immigration.
pub const IMMIGRATION: [&str; 5] = ["marital-status", "relationship", "race", "sex", "native-country"];
/// Columns of taxation in Set A.
const SET_A: [&str; 7] = ["workclass", "education", "marital-status", "occupation", "relationship", "sex", CLASS];
/// Columns of taxation in Set B.
const SET_B: [&str; 13] = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    CLASS,
];
/// Columns of taxation in Set A in order of discriminative power, as the paper ranks them.
pub const RANKED_A: [&str; 6] = ["marital-status", "relationship", "sex", "education", "occupation", "workclass"];
/// Columns of taxation in Set B in order of discriminative power.
pub const RANKED_B: [&str; 7] =
    ["capital-gain", "age", "marital-status", "education-num", "relationship", "hours-per-week", "sex"];

/// The folder with the data: RETICENT_DATA, or `../shared/data` next to the repository.
pub fn folder() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("RETICENT_DATA").map_or(default, PathBuf::from);
    folder.join("adult/adult.data").exists().then_some(folder)
}

/// Records with all columns of the file.
#[derive(Clone)]
pub struct Records {
    /// Text of each code, for each column.
    pub values: Vec<Vec<String>>,
    /// Code of each record, for each column.
    pub codes: Vec<Vec<u32>>,
    /// Whether a record belongs to the training file, for each record.
    pub is_training: Vec<bool>,
}

/// Index of a column in the file.
pub fn column_index(name: &str) -> Result<usize, Failure> {
    COLUMNS.iter().position(|known| *known == name).ok_or_else(|| format!("Adult has no column {name}").into())
}

impl Records {
    /// Reads the records without a missing value: first the training file, then the test file.
    pub fn read(folder: &Path) -> Result<Records, Failure> {
        let mut records = Records {
            values: vec![Vec::new(); COLUMNS.len()],
            codes: vec![Vec::new(); COLUMNS.len()],
            is_training: Vec::new(),
        };
        let mut known: Vec<HashMap<String, u32>> = vec![HashMap::new(); COLUMNS.len()];
        for (file, is_training) in [("adult.data", true), ("adult.test", false)] {
            let text = std::fs::read_to_string(folder.join("adult").join(file))?;
            for line in text.lines() {
                let cells: Vec<&str> = line.trim_end_matches('.').split(',').map(str::trim).collect();
                if cells.len() != COLUMNS.len() || cells.contains(&"?") {
                    continue;
                }
                for (column, cell) in cells.iter().enumerate() {
                    let values = &mut records.values[column];
                    let code = *known[column].entry((*cell).to_owned()).or_insert_with(|| {
                        values.push((*cell).to_owned());
                        values.len() as u32 - 1
                    });
                    records.codes[column].push(code);
                }
                records.is_training.push(is_training);
            }
        }
        match (records.is_training.len(), records.is_training.iter().filter(|is_training| **is_training).count()) {
            (45_222, 30_162) => Ok(records),
            (all, training) => {
                Err(format!("{all} complete records, {training} for training; the paper has 45222 and 30162").into())
            }
        }
    }

    /// Number of records with each combination of values of these columns.
    fn counts(&self, columns: &[&str]) -> Result<Counts, Failure> {
        let indices = columns.iter().map(|name| column_index(name)).collect::<Result<Vec<_>, _>>()?;
        let views: Vec<&[u32]> = indices.iter().map(|at| self.codes[*at].as_slice()).collect();
        Ok(Counts {
            names: columns.iter().map(|name| (*name).to_owned()).collect(),
            values: indices.iter().map(|at| self.values[*at].clone()).collect(),
            contingency: combine(&views, &vec![1; self.is_training.len()], None),
            links: None,
        })
    }
}

/// Taxonomies of the paper, and ranges of the continuous columns.
pub struct Trees {
    folder: PathBuf,
    ranges: HashMap<String, (f64, f64)>,
}

impl Trees {
    /// Reads the ranges from the folder with the data.
    pub fn read(folder: &Path) -> Result<Trees, Failure> {
        let folder = folder.join("taxonomies");
        let text = std::fs::read_to_string(folder.join("continuous.csv"))?;
        let mut ranges = HashMap::new();
        for line in text.lines().skip(1) {
            if let [name, low, high] = line.split(';').collect::<Vec<_>>()[..] {
                ranges.insert(name.to_owned(), (low.parse()?, high.parse()?));
            }
        }
        Ok(Trees { folder, ranges })
    }

    fn schema(&self, columns: &[&str]) -> Result<Schema, Failure> {
        let attribute = |name: &&str| -> Result<Attribute, Failure> {
            let (role, values, tree) = match (self.ranges.get(*name), *name) {
                (_, CLASS) => (Role::Other, Type::Text, TreeSource::Flat),
                (Some(range), _) => (Role::QuasiIdentifier, Type::Number, TreeSource::Grown { range: Some(*range) }),
                (None, _) => {
                    let text = std::fs::read_to_string(self.folder.join(format!("{name}.csv")))?;
                    (Role::QuasiIdentifier, Type::Text, TreeSource::Given(Taxonomy::parse(name, &text)?))
                }
            };
            Ok(Attribute { name: (*name).to_owned(), role, values, missing: Missing::Refuse, tree })
        };
        let attributes = columns.iter().map(attribute).collect::<Result<_, _>>()?;
        Ok(Schema { attributes, owner: None, missing_values: Vec::new() })
    }
}

/// The table of taxation, and a history that contains immigration.
pub struct Set {
    /// Columns of taxation without the class.
    pub columns: Vec<&'static str>,
    /// Columns in order of discriminative power.
    pub ranked: Vec<&'static str>,
    /// Table of taxation.
    pub table: Table,
    /// Schema of taxation.
    pub schema: Schema,
    /// Immigration, published without generalization.
    pub history: History,
}

impl Set {
    /// Set A: categorical columns only.
    pub fn a(records: &Records, immigration: &Records, trees: &Trees) -> Result<Set, Failure> {
        Set::new(&SET_A, &RANKED_A, records, immigration, trees)
    }

    /// Set B: also six continuous columns.
    pub fn b(records: &Records, trees: &Trees) -> Result<Set, Failure> {
        Set::new(&SET_B, &RANKED_B, records, records, trees)
    }

    fn new(
        columns: &[&'static str],
        ranked: &[&'static str],
        taxation: &Records,
        immigration: &Records,
        trees: &Trees,
    ) -> Result<Set, Failure> {
        let schema = trees.schema(columns)?;
        let table = Table::build(&taxation.counts(columns)?, &schema)?;
        let earlier = Table::build(&immigration.counts(&IMMIGRATION)?, &trees.schema(&IMMIGRATION)?)?;
        let recorded = RecordedRelease {
            number: 1,
            name: "immigration".to_owned(),
            date: "2006-08-20".to_owned(),
            recipients: vec!["public".to_owned()],
            population: false,
            presentation: Presentation::default(),
            release: Release::raw(&earlier)?,
            links: None,
        };
        let history = History { releases: vec![recorded], ..History::default() };
        let columns = columns.iter().copied().filter(|column| *column != CLASS).collect();
        Ok(Set { columns, ranked: ranked.to_vec(), table, schema, history })
    }

    /// Taxation as a member of the join.
    pub fn member(&self) -> Member {
        let columns = self.table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
        Member { name: "taxation".to_owned(), columns, population: false }
    }

    /// The first `count` ranked columns, and the common columns (TopN of the paper).
    pub fn top(&self, count: usize) -> Vec<&'static str> {
        let best = &self.ranked[..count];
        best.iter().chain(COMMON.iter().filter(|column| !best.contains(column))).copied().collect()
    }
}
