//! Helpers of the tests: small tables from literals, random tables from a seed, requirements from text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reticent::algorithms::Purpose;
use reticent::contingency::ContingencyTable;
use reticent::models::{Model, Violation};
use reticent::registry::{Argument, Arguments};
use reticent::requirement::{ModelSpec, Requirement};
use reticent::taxonomy::{Cut, Taxonomy, Type};
use reticent::verify::{ClassViolation, Reading};
use reticent::{
    Attribute, Condition, CountQuery, Counts, History, Missing, Recoding, Release, Role, Schema, SelectedValues, Table,
    TreeSource, Workload,
};

/// One column of a small table.
#[derive(Debug, Clone)]
pub struct Col {
    pub name: String,
    pub role: Role,
    pub values: Type,
    pub tree: TreeSource,
}

/// A quasi-identifier without a taxonomy.
pub fn quasi(name: &str) -> Col {
    Col { name: name.to_owned(), role: Role::QuasiIdentifier, values: Type::Text, tree: TreeSource::Flat }
}

/// A quasi-identifier with a taxonomy, given as indented text.
pub fn quasi_tree(name: &str, indented: &str) -> Col {
    Col { tree: TreeSource::Given(Taxonomy::parse_indented(name, indented).unwrap()), ..quasi(name) }
}

/// A sensitive column without a taxonomy.
pub fn sensitive(name: &str) -> Col {
    Col { role: Role::Sensitive, ..quasi(name) }
}

/// An insensitive column.
pub fn other(name: &str) -> Col {
    Col { role: Role::Other, ..quasi(name) }
}

/// Rows of texts, with the owner of each row if a person can have several.
#[derive(Debug, Clone)]
pub struct Data {
    pub cols: Vec<Col>,
    pub rows: Vec<Vec<String>>,
    pub owners: Option<Vec<u32>>,
}

impl Data {
    /// Creates a table from rows of the form `a b c`.
    pub fn new(cols: Vec<Col>, rows: &[&str]) -> Data {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.split_whitespace().map(str::to_owned).collect()).collect();
        assert!(rows.iter().all(|row: &Vec<String>| row.len() == cols.len()), "a row has the wrong number of values");
        Data { cols, rows, owners: None }
    }

    /// Sets the owner of each row.
    pub fn owned(mut self, owners: &[u32]) -> Data {
        assert_eq!(owners.len(), self.rows.len());
        self.owners = Some(owners.to_vec());
        self
    }

    pub fn names(&self) -> Vec<String> {
        self.cols.iter().map(|col| col.name.clone()).collect()
    }

    pub fn at(&self, name: &str) -> usize {
        self.cols.iter().position(|col| col.name == name).unwrap()
    }

    /// The names of the columns with this role.
    pub fn with_role(&self, role: Role) -> Vec<String> {
        self.cols.iter().filter(|col| col.role == role).map(|col| col.name.clone()).collect()
    }

    /// Owner of a row.
    pub fn owner(&self, row: usize) -> u32 {
        self.owners.as_ref().map_or(row as u32, |owners| owners[row])
    }

    /// Counts with one combination per row. Codes are numbered in order of first occurrence.
    pub fn counts(&self) -> Counts {
        self.counts_in(&(0..self.rows.len()).collect::<Vec<_>>())
    }

    /// The same counts with the rows in another order.
    pub fn counts_in(&self, order: &[usize]) -> Counts {
        let mut values: Vec<Vec<String>> = vec![Vec::new(); self.cols.len()];
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); self.cols.len()];
        for row in order {
            for (column, text) in self.rows[*row].iter().enumerate() {
                let known = values[column].iter().position(|known| known == text);
                let code = known.unwrap_or_else(|| {
                    values[column].push(text.clone());
                    values[column].len() - 1
                });
                codes[column].push(code as u32);
            }
        }
        let owners = self.owners.as_ref().map(|owners| order.iter().map(|row| owners[*row]).collect());
        Counts {
            names: self.names(),
            values,
            contingency: ContingencyTable { codes, weights: vec![1; order.len()], owners },
            links: None,
        }
    }

    pub fn schema(&self) -> Schema {
        let attribute = |col: &Col| Attribute {
            name: col.name.clone(),
            role: col.role,
            values: col.values,
            missing: Missing::Value,
            tree: col.tree.clone(),
        };
        let owner = self.owners.as_ref().map(|_| "owner".to_owned());
        Schema { attributes: self.cols.iter().map(attribute).collect(), owner, missing_values: vec![String::new()] }
    }

    pub fn table(&self) -> Table {
        Table::build(&self.counts(), &self.schema()).unwrap()
    }

    pub fn raw(&self) -> Release {
        Release::raw(&self.table()).unwrap()
    }

    pub fn history(&self) -> History {
        History::single(self.raw())
    }

    /// The raw rows as records that were read back.
    pub fn reading(&self) -> Reading {
        let table = self.table();
        let trees = table.columns.iter().map(|column| (column.name.clone(), column.tree.clone()));
        Reading::new(self.counts(), trees.collect())
    }

    /// The published rows of a release, as input of an oracle.
    pub fn published(&self, release: &Release) -> Data {
        let mut rows = Vec::new();
        let mut owners = Vec::new();
        for at in 0..release.contingency.len() {
            for _ in 0..release.contingency.weights[at] {
                let label = |(column, codes): (_, &Vec<u32>)| label_of(column, codes[at]);
                rows.push(release.columns.iter().zip(&release.contingency.codes).map(label).collect());
                owners.extend(release.contingency.owners.as_ref().map(|owners| owners[at]));
            }
        }
        let owners = release.contingency.owners.as_ref().map(|_| owners);
        Data { cols: self.cols.clone(), rows, owners }
    }
}

fn label_of(column: &reticent::PublishedColumn, code: u32) -> String {
    column.label(code).to_owned()
}

/// The counts that an engine reads back from a release.
pub fn read_back(release: &Release) -> Counts {
    let values = release
        .columns
        .iter()
        .map(|column| (0..column.nodes.len()).map(|code| column.label(code as u32).to_owned()).collect())
        .collect();
    let names = release.columns.iter().map(|column| column.name.clone()).collect();
    Counts { names, values, contingency: release.contingency.clone(), links: None }
}

/// The content of a release, independent of its codes: texts and owner of each combination, with the weight.
pub fn contents(release: &Release) -> BTreeMap<(Vec<String>, Option<u32>), u64> {
    let mut contents = BTreeMap::new();
    for at in 0..release.contingency.len() {
        let texts = release
            .columns
            .iter()
            .zip(&release.contingency.codes)
            .map(|(column, codes)| label_of(column, codes[at]))
            .collect();
        let owner = release.contingency.owners.as_ref().map(|owners| owners[at]);
        *contents.entry((texts, owner)).or_insert(0) += release.contingency.weights[at];
    }
    contents
}

/// Generalizes the named columns to the nodes with these labels. Other columns are not generalized.
pub fn cut_at(table: &Table, labels: &[(&str, &[&str])]) -> Recoding {
    let cuts = table.columns.iter().map(|column| {
        let labels = labels.iter().find(|(name, _)| *name == column.name).map(|(_, labels)| *labels);
        let cut = match labels {
            None => Cut::bottom(&column.tree),
            Some(labels) => cut_of(&column.tree, labels),
        };
        (column.tree.clone(), cut)
    });
    reticent::operations::generalize::generalize(table, cuts.collect())
}

/// The cut through the nodes with these labels, and through the leaves elsewhere.
pub fn cut_of(tree: &Arc<Taxonomy>, labels: &[&str]) -> Cut {
    let mut cut = Cut::top();
    while let Some(node) = cut
        .nodes()
        .iter()
        .copied()
        .find(|node| !labels.contains(&tree.node(*node).label.as_str()) && !tree.node(*node).children.is_empty())
    {
        cut.specialize(tree, node);
    }
    cut
}

/// A random cut.
pub fn random_cut(tree: &Taxonomy, random: &mut Random) -> Cut {
    let mut cut = Cut::top();
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        if !tree.node(node).children.is_empty() && random.below(3) > 0 {
            cut.specialize(tree, node);
            open.extend(&tree.node(node).children);
        }
    }
    cut
}

/// Witness texts of each violating class of a release.
pub fn witnesses(model: &dyn Model, release: Release) -> BTreeSet<Vec<String>> {
    violation_witnesses(model.violations(&History::single(release)).unwrap())
}

/// Witness texts of each violation.
pub fn violation_witnesses(violations: Vec<Violation>) -> BTreeSet<Vec<String>> {
    violations.into_iter().map(|violation| violation.witness.into_iter().map(|(_, text)| text).collect()).collect()
}

/// Witness texts of each violating class that verification found.
pub fn class_violation_witnesses(violations: Vec<ClassViolation>) -> BTreeSet<Vec<String>> {
    violations.into_iter().map(|violation| violation.witness.into_iter().map(|(_, text)| text).collect()).collect()
}

/// A model specification from text: `k-anonymity k=3 on=job,sex`, `confidence-bounding h=0.5 values=HIV:0.2,Flu:1`.
pub fn spec(words: &str) -> ModelSpec {
    let mut parts = words.split_whitespace();
    let model = parts.next().unwrap().to_owned();
    let mut arguments = Arguments::default();
    for part in parts {
        let (name, value) = part.split_once('=').unwrap();
        arguments = arguments.set(name, argument(name, value));
    }
    ModelSpec { model, arguments, line: None }
}

fn argument(name: &str, value: &str) -> Argument {
    let list = || value.split(',');
    match name {
        "on" | "x" | "y" => Argument::Words(list().map(str::to_owned).collect()),
        "values" => Argument::Thresholds(
            list()
                .map(|pair| {
                    pair.split_once(':').map(|(value, limit)| (value.to_owned(), limit.parse().unwrap())).unwrap()
                })
                .collect(),
        ),
        _ => value.parse().map_or_else(|_| Argument::Word(value.to_owned()), Argument::Number),
    }
}

/// A requirement from the texts of its models.
pub fn requirement(words: &[&str], schema: &Schema) -> Requirement {
    let specs: Vec<ModelSpec> = words.iter().map(|words| spec(words)).collect();
    Requirement::build(&specs, schema).unwrap()
}

/// The single model that this text specifies.
pub fn model(words: &str, schema: &Schema) -> Box<dyn Model> {
    let mut models = requirement(&[words], schema).models;
    assert_eq!(models.len(), 1, "{words}");
    models.remove(0)
}

/// Pseudo-random numbers, equal in every run (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// A taxonomy with six leaves and three levels.
pub const PLACES: &str = "any\n  north\n    n1\n    n2\n  south\n    s1\n    s2\n    s3\n  sea";
/// A taxonomy of sensitive values. One leaf is a child of the root.
pub const ILLS: &str = "ill\n  lung\n    flu\n    asthma\n  gut\n    ulcer\n    colic\n  hiv";

/// Up to `max_rows` rows with two quasi-identifiers (one with a taxonomy), a sensitive column with a taxonomy and an
/// insensitive column. If `people` is above 0, the owners are random numbers below `people`.
pub fn random_data(random: &mut Random, max_rows: usize, people: usize) -> Data {
    let ills = TreeSource::Given(Taxonomy::parse_indented("ill", ILLS).unwrap());
    let cols = vec![quasi_tree("place", PLACES), quasi("sex"), Col { tree: ills, ..sensitive("ill") }, other("note")];
    let places: &[&str] =
        if random.below(2) == 0 { &["n1", "n2", "s1"] } else { &["n1", "n2", "s1", "s2", "s3", "sea"] };
    let ills: &[&str] = match random.below(3) {
        0 => &["flu", "hiv"],
        1 => &["flu", "asthma", "ulcer"],
        _ => &["flu", "asthma", "ulcer", "colic", "hiv"],
    };
    let count = 1 + random.below(max_rows);
    let rows = (0..count)
        .map(|_| {
            let texts =
                [*random.pick(places), *random.pick(&["f", "m"]), *random.pick(ills), *random.pick(&["u", "v"])];
            texts.map(str::to_owned).to_vec()
        })
        .collect();
    let owners = (people > 0).then(|| (0..count).map(|_| random.below(people) as u32).collect::<Vec<_>>());
    Data { cols, rows, owners: owners.map(|owners| dense(&owners)) }
}

/// Every kind of purpose for [`random_data`]. The classification predicts this column.
pub fn purposes(label: &str) -> [Purpose; 4] {
    let condition = |column: &str, label: &str| Condition {
        column: column.to_owned(),
        values: SelectedValues::Label(label.to_owned()),
        line: 1,
    };
    let queries = vec![
        CountQuery { conditions: vec![condition("place", "north"), condition("ill", "flu")], weight: 1.0 },
        CountQuery { conditions: vec![condition("place", "s1")], weight: 2.0 },
        CountQuery { conditions: vec![condition("absent", "x")], weight: 2.0 },
    ];
    let workload = Workload { file: "counts.toml".to_owned(), queries };
    [Purpose::General, Purpose::Classification(label.to_owned()), Purpose::Clusters(2), Purpose::Queries(workload)]
}

/// Renumbers people from 0 in order of first occurrence.
fn dense(owners: &[u32]) -> Vec<u32> {
    let mut seen: Vec<u32> = Vec::new();
    owners
        .iter()
        .map(|owner| {
            seen.iter().position(|known| known == owner).unwrap_or_else(|| {
                seen.push(*owner);
                seen.len() - 1
            }) as u32
        })
        .collect()
}
