//! The Adult data and the two releases of the paper: taxation, which is to be made, and immigration, which is out.

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
/// What taxation predicts.
pub const CLASS: &str = "class";
/// What both releases have.
pub const COMMON: [&str; 3] = ["marital-status", "relationship", "sex"];
/// What immigration has.
pub const IMMIGRATION: [&str; 5] = ["marital-status", "relationship", "race", "sex", "native-country"];
/// Set A: what taxation has.
const SET_A: [&str; 7] = ["workclass", "education", "marital-status", "occupation", "relationship", "sex", CLASS];
/// Set B: what taxation has.
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
/// The most telling columns of taxation, best first, as the paper ranks them.
pub const RANKED_A: [&str; 6] = ["marital-status", "relationship", "sex", "education", "occupation", "workclass"];
/// The same for Set B.
pub const RANKED_B: [&str; 7] =
    ["capital-gain", "age", "marital-status", "education-num", "relationship", "hours-per-week", "sex"];

/// The folder with the data: RETICENT_DATA, or `../shared/data` beside the repository.
pub fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("RETICENT_DATA").map_or(beside, PathBuf::from);
    folder.join("adult/adult.data").exists().then_some(folder)
}

/// Records with all columns of the file.
#[derive(Clone)]
pub struct Records {
    /// By column, by code: the text.
    pub values: Vec<Vec<String>>,
    /// By column, by record.
    pub codes: Vec<Vec<u32>>,
    /// By record: whether it belongs to the training part of the file.
    pub trains: Vec<bool>,
}

/// The place of a column in the file.
pub fn place(name: &str) -> Result<usize, Failure> {
    COLUMNS.iter().position(|known| *known == name).ok_or_else(|| format!("Adult has no column {name}").into())
}

impl Records {
    /// The records without a missing value, of the training part and then of the test part.
    pub fn read(folder: &Path) -> Result<Records, Failure> {
        let mut records = Records {
            values: vec![Vec::new(); COLUMNS.len()],
            codes: vec![Vec::new(); COLUMNS.len()],
            trains: Vec::new(),
        };
        let mut known: Vec<HashMap<String, u32>> = vec![HashMap::new(); COLUMNS.len()];
        for (file, trains) in [("adult.data", true), ("adult.test", false)] {
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
                records.trains.push(trains);
            }
        }
        match (records.trains.len(), records.trains.iter().filter(|trains| **trains).count()) {
            (45_222, 30_162) => Ok(records),
            (all, training) => {
                Err(format!("{all} complete records, {training} of them to train; not the paper's").into())
            }
        }
    }

    /// How many records carry each combination of these columns.
    fn counts(&self, columns: &[&str]) -> Result<Counts, Failure> {
        let places = columns.iter().map(|name| place(name)).collect::<Result<Vec<_>, _>>()?;
        let views: Vec<&[u32]> = places.iter().map(|at| self.codes[*at].as_slice()).collect();
        Ok(Counts {
            names: columns.iter().map(|name| (*name).to_owned()).collect(),
            values: places.iter().map(|at| self.values[*at].clone()).collect(),
            contingency: combine(&views, &vec![1; self.trains.len()], None),
            links: None,
        })
    }
}

/// What is known of the columns: the paper's trees, and where the intervals of numbers begin and end.
pub struct Trees {
    folder: PathBuf,
    ranges: HashMap<String, (f64, f64)>,
}

impl Trees {
    /// Of a folder with the data.
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

/// Taxation, which is to be released, after immigration was.
pub struct Set {
    /// Taxation's columns but the class.
    pub columns: Vec<&'static str>,
    /// The most telling of them, best first.
    pub ranked: Vec<&'static str>,
    /// Taxation.
    pub table: Table,
    /// What its columns are.
    pub schema: Schema,
    /// Immigration as it is.
    pub history: History,
}

impl Set {
    /// Categorical columns only.
    pub fn a(records: &Records, immigration: &Records, trees: &Trees) -> Result<Set, Failure> {
        Set::new(&SET_A, &RANKED_A, records, immigration, trees)
    }

    /// With six continuous columns.
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
        let held = RecordedRelease {
            number: 1,
            name: "immigration".to_owned(),
            date: "2006-08-20".to_owned(),
            recipients: vec!["public".to_owned()],
            presentation: Presentation::default(),
            release: Release::raw(&earlier)?,
            links: None,
        };
        let history = History { releases: vec![held], erased: Vec::new() };
        let columns = columns.iter().copied().filter(|column| *column != CLASS).collect();
        Ok(Set { columns, ranked: ranked.to_vec(), table, schema, history })
    }

    /// Taxation as words can name it.
    pub fn member(&self) -> Member {
        let columns = self.table.columns.iter().map(|column| (column.name.clone(), column.role)).collect();
        Member { name: "taxation".to_owned(), columns }
    }

    /// The best so many columns, and those that immigration has too.
    pub fn top(&self, count: usize) -> Vec<&'static str> {
        let best = &self.ranked[..count];
        best.iter().chain(COMMON.iter().filter(|column| !best.contains(column))).copied().collect()
    }
}
