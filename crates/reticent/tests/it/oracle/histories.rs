//! Random small histories: a new table, earlier releases of the same people, and model specifications as in a policy.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reticent::contingency::ContingencyTable;
use reticent::join::{ColumnRef, Counted, Member};
use reticent::registry::{Argument, Arguments};
use reticent::requirement::ModelSpec;
use reticent::taxonomy::{IntervalLevel, Taxonomy, Type};
use reticent::{
    Attribute, History, InconsistentRules, Links, Missing, Presentation, Recoding, RecodingRule, RecordedRelease,
    Release, Role, Schema, Table,
};

use super::lossy::{Limit, NaiveConstraint, OracleColumn, PublishedRows, Shape};
use crate::support::{Col, Data, PLACES, Random, random_cut};

/// The same places in another hierarchy.
const CLIMATES: &str = "world\n  cold\n    n1\n    sea\n  warm\n    hot\n      s1\n      s2\n    n2\n    s3";
/// Fewer places.
const FEWER: &str = "any\n  north\n    n1\n  south\n    s1\n    s3\n  sea";
/// A taxonomy with a node that has only one child.
const JOBS: &str = "all\n  hand\n    smith\n      goldsmith\n    cook\n  head\n    clerk\n    judge";
const ILLS: &str = "ill\n  lung\n    flu\n    asthma\n  hiv";

/// An attribute with its possible values, roles and taxonomies.
struct Kind {
    name: &'static str,
    values: Type,
    roles: &'static [Role],
    texts: &'static [&'static str],
    shapes: Vec<Shape>,
}

fn kinds() -> Vec<Kind> {
    use Role::{Other, QuasiIdentifier as Quasi, Sensitive};
    let widths = |exact| Shape::Levels(vec![IntervalLevel::Width(5.0), IntervalLevel::Width(20.0)], exact);
    let text = |name, roles, texts, shapes| Kind { name, values: Type::Text, roles, texts, shapes };
    let days = &["2024-01-05", "2024-01-31", "2024-02-01", "2024-03-09", "2025-02-01"];
    let months = |exact| Shape::Levels(vec![IntervalLevel::Month, IntervalLevel::Year], exact);
    let bounds = Shape::Levels(vec![IntervalLevel::Bounds(vec![18.0, 24.0, 40.0])], true);
    vec![
        text("place", &[Quasi], &["n1", "s1", "s3", "sea", "n2"], tree_shapes(&[PLACES, CLIMATES, FEWER])),
        text("job", &[Quasi], &["goldsmith", "cook", "clerk", "judge"], tree_shapes(&[JOBS])),
        text("sex", &[Quasi], &["f", "m"], vec![Shape::Flat]),
        text("code", &[Quasi], &["12", "1*", "13", "*3", "21*", "2*3"], vec![Shape::Flat]),
        Kind {
            name: "age",
            values: Type::Number,
            roles: &[Quasi],
            texts: &["3", "17", "20", "24", "24.5", "40"],
            shapes: vec![
                widths(true),
                Shape::Grown(None),
                widths(false),
                bounds,
                Shape::Grown(Some((0.0, 100.0))),
                Shape::Binned,
            ],
        },
        Kind {
            name: "day",
            values: Type::Date,
            roles: &[Quasi],
            texts: days,
            shapes: vec![months(true), Shape::Grown(None), months(false)],
        },
        text("ill", &[Sensitive], &["flu", "hiv", "asthma"], vec![Shape::Flat, Shape::Tree(ILLS)]),
        Kind {
            name: "pay",
            values: Type::Number,
            roles: &[Sensitive, Quasi, Other],
            texts: &["10", "20", "30"],
            shapes: vec![Shape::Flat],
        },
        text("note", &[Other], &["u", "v"], vec![Shape::Flat]),
    ]
}

fn tree_shapes(trees: &[&'static str]) -> Vec<Shape> {
    trees.iter().map(|tree| Shape::Tree(tree)).collect()
}

/// A random history. Index 0 is the table of the new release, the others are earlier releases.
#[derive(Debug)]
pub struct Instance {
    pub names: Vec<String>,
    pub data: Vec<Data>,
    pub columns: Vec<Vec<OracleColumn>>,
    pub history: History,
    pub schema: Schema,
    pub rules: Vec<InconsistentRules>,
    /// Published rows of the earlier releases.
    pub earlier: Vec<PublishedRows>,
}

/// Returns `true` with probability 1 / `n`.
fn one_in(random: &mut Random, n: usize) -> bool {
    random.below(n) == 0
}

/// A random subset with at least `least` items, in the original order.
fn random_subset<T: Clone>(random: &mut Random, from: &[T], least: usize) -> Vec<T> {
    let mut indices: Vec<usize> = (0..from.len()).collect();
    random.shuffle(&mut indices);
    let count = least + random.below(from.len() + 1 - least);
    indices.truncate(count);
    indices.sort_unstable();
    indices.iter().map(|at| from[*at].clone()).collect()
}

impl Instance {
    /// A history with one to three earlier releases and at most `max_rows` records each.
    pub fn random(random: &mut Random, max_rows: usize) -> Instance {
        let earlier = 1 + random.below(3).min(random.below(3));
        Instance::with_releases(random, max_rows, earlier, &[])
    }

    /// A history with `earlier` earlier releases and at most `max_rows` records each. If there are `repeated` columns, every release
    /// has them, unchanged, and no rule applies.
    pub fn with_releases(random: &mut Random, max_rows: usize, earlier: usize, repeated: &[&str]) -> Instance {
        let kinds = kinds();
        let is_repeated = |at: &usize| repeated.contains(&kinds[*at].name);
        let all: Vec<usize> = (0..kinds.len()).collect();
        let mut attributes = random_subset(random, &all, 3);
        random.shuffle(&mut attributes);
        attributes.truncate(5);
        let usual: Vec<Shape> = kinds
            .iter()
            .map(|kind| if one_in(random, 2) { kind.shapes[0].clone() } else { random.pick(&kind.shapes).clone() })
            .collect();
        let rows = 1 + random.below(max_rows);
        let with_missing = one_in(random, 3);
        let few = one_in(random, 2);
        let row = |random: &mut Random| -> Vec<String> {
            let cell = |kind: &Kind| {
                let texts = if few { &kind.texts[..2] } else { kind.texts };
                if with_missing && one_in(random, 6) { String::new() } else { (*random.pick(texts)).to_owned() }
            };
            kinds.iter().map(cell).collect()
        };
        let base: Vec<Vec<String>> = (0..rows).map(|_| row(random)).collect();
        let people = one_in(random, 3).then(|| 1 + random.below(rows));
        let owners: Vec<u32> = (0..rows).map(|at| people.map_or(at, |people| random.below(people)) as u32).collect();
        let names = ["new", "first", "second", "third", "fourth", "fifth", "sixth", "seventh"];
        let names: Vec<String> = names[..=earlier].iter().map(|name| (*name).into()).collect();
        let mut data = Vec::new();
        let mut known: Vec<Vec<OracleColumn>> = Vec::new();
        let mut schema: BTreeMap<usize, OracleColumn> = BTreeMap::new();
        for _ in &names {
            let mut places = random_subset(random, &attributes, 1);
            places.truncate(4);
            places.retain(|at| !is_repeated(at));
            places.extend((0..kinds.len()).filter(is_repeated));
            let columns: Vec<OracleColumn> = places
                .iter()
                .map(|at| {
                    let kind = &kinds[*at];
                    let shape = if one_in(random, 5) { random.pick(&kind.shapes) } else { &usual[*at] };
                    let shape = if is_repeated(at) { &Shape::Flat } else { shape };
                    let is_usual = is_repeated(at) || !one_in(random, 4);
                    let role = if is_usual { kind.roles[0] } else { *random.pick(kind.roles) };
                    let known = OracleColumn::new(kind.name, role, kind.values, shape);
                    schema.entry(*at).or_insert_with(|| known.clone());
                    known
                })
                .collect();
            // The same people, a subset of them, or other people.
            let (mut rows, mut whose): (Vec<Vec<String>>, Vec<u32>) = match random.below(4) {
                0 => (0..1 + random.below(max_rows)).map(|at| (row(random), at as u32)).unzip(),
                1 => {
                    let kept = random_subset(random, &(0..base.len()).collect::<Vec<_>>(), 1);
                    kept.iter().map(|at| (base[*at].clone(), owners[*at])).unzip()
                }
                _ => (base.clone(), owners.clone()),
            };
            for row in &mut rows {
                *row = places.iter().map(|at| row[*at].clone()).collect();
            }
            repair(&columns, &mut rows, &kinds, &places);
            let mut seen = Vec::new();
            for owner in &mut whose {
                let place = seen.iter().position(|known| known == owner).unwrap_or_else(|| {
                    seen.push(*owner);
                    seen.len() - 1
                });
                *owner = place as u32;
            }
            let several = seen.len() < whose.len();
            let cols: Vec<Col> = columns.iter().map(|known| known.col.clone()).collect();
            data.push(Data { cols, rows, owners: several.then_some(whose) });
            known.push(columns);
        }
        let rules = if repeated.is_empty() { random.below(9) / 4 } else { 0 };
        let rules = (0..rules).filter_map(|_| rule(random, &known)).collect();
        let attribute = |known: &OracleColumn| Attribute {
            name: known.col.name.clone(),
            role: known.col.role,
            values: known.col.values,
            missing: Missing::Value,
            tree: known.col.tree.clone(),
        };
        let schema = Schema {
            attributes: schema.values().map(attribute).collect(),
            owner: None,
            missing_values: vec![String::new()],
        };
        let mut history = History::default();
        for (at, data) in data.iter().enumerate().skip(1) {
            let recorded = record_release(random, &names[at], data);
            history.releases.push(RecordedRelease { population: one_in(random, 5), ..recorded });
        }
        let earlier = history
            .releases
            .iter()
            .zip(&known[1..])
            .map(|(recorded, known)| PublishedRows::from_recorded(recorded, known))
            .collect();
        Instance { names, data, columns: known, history, schema, rules, earlier }
    }

    /// The new release as a member of the join.
    pub fn member(&self) -> Member {
        let columns = self.columns[0].iter().map(|known| (known.col.name.clone(), known.col.role)).collect();
        Member { name: self.names[0].clone(), columns, population: false }
    }

    /// Indices of the quasi-identifiers of the new table.
    pub fn generalized(&self) -> Vec<usize> {
        let quasi = |at: &usize| self.columns[0][*at].col.role == Role::QuasiIdentifier;
        (0..self.columns[0].len()).filter(quasi).collect()
    }

    /// Description of the history for failure messages.
    pub fn description(&self) -> String {
        let mut text = String::new();
        for (at, known) in self.columns.iter().enumerate() {
            let columns: Vec<String> = known
                .iter()
                .map(|known| format!("{} {:?} {:?}", known.col.name, known.col.role, tree_text(&known.col)))
                .collect();
            text += &format!(
                "\n{} [{}]\n  raw {:?}\n  by {:?}",
                self.names[at],
                columns.join("; "),
                self.data[at].rows,
                self.data[at].owners
            );
            if at > 0 {
                let published = &self.earlier[at - 1];
                let population = self.history.releases[at - 1].population;
                text += &format!("\n  published {:?}\n  by {:?}", published.rows, published.people);
                text += if population { "\n  a population register" } else { "" };
            }
        }
        format!("{text}\nrules {:?}", self.rules)
    }
}

fn tree_text(col: &Col) -> String {
    match &col.tree {
        reticent::TreeSource::Given(tree) => {
            tree.nodes().iter().map(|node| node.label.as_str()).collect::<Vec<_>>().join("/")
        }
        other => format!("{other:?}"),
    }
}

/// Replaces values that are not in the taxonomy of their column, and fills a column without any value.
fn repair(columns: &[OracleColumn], rows: &mut [Vec<String>], kinds: &[Kind], places: &[usize]) {
    for (column, known) in columns.iter().enumerate() {
        let leaves = known.labels(true);
        for row in rows.iter_mut() {
            if !leaves.is_empty() && !row[column].is_empty() && !leaves.contains(&row[column]) {
                row[column] = leaves[0].clone();
            }
        }
        if rows.iter().all(|row| row[column].is_empty()) {
            rows[0][column] = kinds[places[column]].texts[0].to_owned();
        }
    }
}

/// A random rule: two values of different attributes that exclude each other.
fn rule(random: &mut Random, known: &[Vec<OracleColumn>]) -> Option<InconsistentRules> {
    let mut values: BTreeMap<String, Vec<BTreeSet<String>>> = BTreeMap::new();
    for known in known.iter().flatten() {
        let labels = match known.labels(false) {
            none if none.is_empty() => {
                let texts = kinds().into_iter().find(|kind| kind.name == known.col.name).unwrap().texts;
                let wider: &[&str] = match known.col.name.as_str() {
                    "age" => &["[0,20)", "[15,20)", ">=24"],
                    "day" => &["[2024-01-01,2024-02-01)", "<2024-03-09", "[2024-02-01,2024-02-02)"],
                    _ => &[],
                };
                texts.iter().chain(wider).map(|text| (*text).to_owned()).collect()
            }
            labels => labels.into_iter().collect(),
        };
        values.entry(known.col.name.clone()).or_default().push(labels);
    }
    let mut pick = || {
        let names: Vec<String> = values.keys().cloned().collect();
        let name = (!names.is_empty()).then(|| random.pick(&names).clone())?;
        let trees = values.remove(&name)?;
        // If the taxonomies of an attribute differ, only common leaves are used.
        let leaves: BTreeSet<String> = ["n1", "s1", "s3", "sea", "flu", "hiv"].map(str::to_owned).into();
        let same = trees.iter().all(|tree| *tree == trees[0]);
        let common: Vec<String> = trees[0]
            .iter()
            .filter(|value| same || (trees.iter().all(|tree| tree.contains(*value)) && leaves.contains(*value)))
            .cloned()
            .collect();
        (!common.is_empty()).then(|| (name, random.pick(&common).clone()))
    };
    Some(InconsistentRules { one: pick()?, other: pick()? })
}

/// A taxonomy with random intervals, if its intervals are not fixed.
pub fn grow(tree: &Arc<Taxonomy>, random: &mut Random) -> Arc<Taxonomy> {
    if (0..tree.nodes().len()).all(|id| !tree.can_grow(id)) || one_in(random, 6) {
        return tree.clone();
    }
    if one_in(random, 3) {
        return tree.with_leaves();
    }
    let mut grown = (**tree).clone();
    let mut open: Vec<usize> = (0..grown.nodes().len()).filter(|id| grown.can_grow(*id)).collect();
    while let Some(id) = open.pop() {
        if grown.can_grow(id) && !one_in(random, 5) {
            let codes = grown.node(id).span.clone();
            let at = codes.start + 1 + random.below(codes.len() - 1) as u32;
            open.extend(grown.split(id, at));
        }
    }
    Arc::new(grown)
}

/// A random recoding: random cuts, sometimes with suppressed cells or dropped records.
pub fn publish(table: &Table, random: &mut Random, also_sensitive: bool, suppress: bool) -> Recoding {
    let raw = one_in(random, 8);
    let cuts = table.columns.iter().map(|column| {
        let generalizes = column.role == Role::QuasiIdentifier || (also_sensitive && one_in(random, 6));
        if raw || !generalizes {
            let tree = column.tree.with_leaves();
            let cut = reticent::taxonomy::Cut::bottom(&tree);
            return (tree, cut);
        }
        let tree = grow(&column.tree, random);
        let cut = random_cut(&tree, random);
        (tree, cut)
    });
    let mut recoding = Recoding::along(table, cuts.collect());
    let quasi = table.with_role(Role::QuasiIdentifier);
    if suppress && !quasi.is_empty() && one_in(random, 3) {
        recoding.on = quasi.clone();
        for _ in 0..1 + random.below(2) {
            let at = random.below(table.contingency.len());
            let code = |column: &usize| recoding.columns[*column].map[table.contingency.codes[*column][at] as usize];
            let class: Box<[u32]> = quasi.iter().map(code).collect();
            let rule = if one_in(random, 3) {
                RecodingRule::Drop
            } else {
                RecodingRule::Hide(random_subset(random, &quasi, 1))
            };
            recoding.rules.insert(class, rule);
        }
    }
    recoding
}

/// A random recorded release of a table, with owner links if the table has owners.
fn record_release(random: &mut Random, name: &str, data: &Data) -> RecordedRelease {
    let table = Data { owners: None, ..data.clone() }.table();
    let recoding = publish(&table, random, true, true);
    let release = recoding.apply(&table).unwrap();
    let links = data.owners.as_ref().map(|owners| {
        let linked = (0..data.rows.len()).filter_map(|row| {
            published_cell(&table, &recoding, &release, &data.rows[row])
                .map(|at| (u128::from(owners[row]) + 100, at as u32))
        });
        Links::from_rows(linked.collect())
    });
    RecordedRelease {
        number: 1,
        name: name.to_owned(),
        date: "2024-01-01".to_owned(),
        recipients: vec!["public".to_owned()],
        population: false,
        presentation: Presentation::default(),
        release,
        links,
    }
}

/// The combination in which a row is published, or `None` if it is dropped.
fn published_cell(table: &Table, recoding: &Recoding, release: &Release, row: &[String]) -> Option<usize> {
    let code = |(column, text): (&reticent::Column, &String)| {
        vec![column.texts.iter().find(|(known, _)| known == text).unwrap().1.unwrap()]
    };
    let codes = table.columns.iter().zip(row).map(code).collect();
    let mut published = Vec::new();
    let one = ContingencyTable { codes, weights: vec![1], owners: None };
    recoding.publish(&one, 0, &mut published).then(|| release.contingency.find(&published).unwrap())
}

/// A random model specification, and its naive interpretation.
#[derive(Debug, Clone)]
pub struct RandomSpec {
    pub model: &'static str,
    /// Columns of X; `None` for all quasi-identifiers.
    pub x: Option<Vec<String>>,
    /// Columns and people of Y; empty if the model defines Y.
    pub y: Vec<String>,
    pub limit: Limit,
}

impl RandomSpec {
    pub fn random(random: &mut Random, instance: &Instance) -> RandomSpec {
        let mut columns: BTreeSet<String> = BTreeSet::new();
        let mut people = vec!["people".to_owned()];
        for (name, known) in instance.names.iter().zip(&instance.columns) {
            people.push(format!("{name}.people"));
            for known in known {
                columns.insert(known.col.name.clone());
                columns.insert(format!("{name}.{}", known.col.name));
            }
        }
        let columns: Vec<String> = columns.into_iter().collect();
        let few = |random: &mut Random, from: &[String], limit: usize| {
            let mut words = random_subset(random, from, 1);
            random.shuffle(&mut words);
            words.truncate(1 + random.below(limit));
            words
        };
        let known = (!one_in(random, 4)).then(|| few(random, &columns, 4));
        let at_least = Limit::AtLeast(2 + random.below(3) as u64);
        let at_most = Limit::AtMost(Some(*random.pick(&[250, 334, 500, 600, 750, 900])), Vec::new());
        let counted = match random.below(4) {
            0 => few(random, &people, 2),
            1 => few(random, &columns, 2).into_iter().chain(few(random, &people, 1)).collect(),
            _ => few(random, &columns, 2),
        };
        let of_shares = |model, limit| RandomSpec { model, x: known.clone(), y: Vec::new(), limit };
        match random.below(11) {
            8 => of_shares("entropy-l-diversity", Limit::Entropy(*random.pick(&[1200, 1500, 2000, 2500]))),
            9 => of_shares(
                "recursive-cl-diversity",
                Limit::Recursive(*random.pick(&[1500, 2001, 3001]), 2 + random.below(2)),
            ),
            10 => of_shares("t-closeness", Limit::Closeness(*random.pick(&[150, 301, 401, 601]))),
            0 => RandomSpec { model: "k-anonymity", x: known, y: Vec::new(), limit: at_least },
            1 => RandomSpec { model: "distinct-l-diversity", x: known, y: Vec::new(), limit: at_least },
            2 => RandomSpec { model: "confidence-bounding", x: known, y: Vec::new(), limit: at_most },
            3 | 4 => RandomSpec { model: "xy-linkability", x: known, y: few(random, &columns, 2), limit: at_most },
            5 => {
                let own = vec![("flu".to_owned(), *random.pick(&[0, 300, 500])), ("hiv".to_owned(), 500)];
                let general = one_in(random, 2).then_some(700);
                RandomSpec {
                    model: "xy-linkability",
                    x: known,
                    y: vec!["ill".to_owned()],
                    limit: Limit::AtMost(general, own),
                }
            }
            _ => RandomSpec { model: "xy-anonymity", x: known, y: counted, limit: at_least },
        }
    }

    /// A weaker specification: fewer distinct values, larger confidences, and often only columns of the new release in X.
    pub fn weaker(mut self, random: &mut Random, instance: &Instance) -> RandomSpec {
        let quasi: Vec<String> =
            instance.generalized().iter().map(|at| format!("new.{}", instance.columns[0][*at].col.name)).collect();
        if !quasi.is_empty() && random.below(3) > 0 {
            self.x = Some(random_subset(random, &quasi, 1));
            if self.model.starts_with("xy-") && !one_in(random, 3) {
                let ill = if self.model == "xy-anonymity" && one_in(random, 2) { "people" } else { "ill" };
                self.y = vec![ill.to_owned()];
            }
        }
        self.limit = match self.limit {
            Limit::AtLeast(_) => Limit::AtLeast(2),
            Limit::Entropy(_) => Limit::Entropy(1200),
            Limit::Recursive(..) => Limit::Recursive(3001, 2),
            Limit::Closeness(_) => Limit::Closeness(601),
            Limit::AtMost(general, own) => Limit::AtMost(
                general.map(|_| *random.pick(&[500, 667, 750, 900])),
                own.into_iter().map(|(value, _)| (value, 750)).collect(),
            ),
        };
        self
    }

    /// Whether the specification names a release.
    pub fn names(&self, release: &str) -> bool {
        let words = self.x.iter().flatten().chain(&self.y);
        words.into_iter().any(|word| word.split_once('.').is_some_and(|(known, _)| known == release))
    }

    /// The specification as in a policy.
    pub fn spec(&self) -> ModelSpec {
        let mut arguments = Arguments::default();
        let xy = self.model.starts_with("xy-");
        if let Some(known) = &self.x {
            arguments = arguments.set(if xy { "x" } else { "on" }, Argument::Words(known.clone()));
        }
        if xy {
            arguments = arguments.set("y", Argument::Words(self.y.clone()));
        }
        let share = |thousandths: u64| thousandths as f64 / 1000.0;
        arguments = match &self.limit {
            Limit::Entropy(l) => arguments.set("l", Argument::Number(share(*l))),
            Limit::Recursive(c, l) => {
                arguments.set("c", Argument::Number(share(*c))).set("l", Argument::Number(*l as f64))
            }
            Limit::Closeness(t) => arguments.set("t", Argument::Number(share(*t))),
            Limit::AtLeast(least) => {
                let name = if self.model == "distinct-l-diversity" { "l" } else { "k" };
                arguments.set(name, Argument::Number(*least as f64))
            }
            Limit::AtMost(general, own) => {
                if let Some(general) = general {
                    arguments = arguments.set("h", Argument::Number(share(*general)));
                }
                let own: Vec<(String, f64)> = own.iter().map(|(value, bound)| (value.clone(), share(*bound))).collect();
                if own.is_empty() { arguments } else { arguments.set("values", Argument::Thresholds(own)) }
            }
        };
        ModelSpec { model: self.model.to_owned(), arguments, line: None }
    }

    /// The constraints on the join of the new release with these earlier releases.
    pub fn constraints(&self, instance: &Instance, earlier: &[usize]) -> Vec<NaiveConstraint> {
        let members: Vec<usize> = [0].into_iter().chain(earlier.iter().map(|at| at + 1)).collect();
        let mut every: Vec<(ColumnRef, &OracleColumn)> = Vec::new();
        for (release, member) in members.iter().enumerate() {
            every.extend(
                instance.columns[*member]
                    .iter()
                    .enumerate()
                    .map(|(column, known)| (ColumnRef { release, column }, known)),
            );
        }
        let is_named = |word: &str, release: usize, name: &str| {
            word == name || word == format!("{}.{name}", instance.names[members[release]])
        };
        // The people and values of a population register are counted only if they are named with it.
        let is_population = |release: usize| release > 0 && instance.history.releases[members[release] - 1].population;
        let is_counted = |word: &str, release: usize, name: &str| {
            is_named(word, release, name) && (word != name || !is_population(release))
        };
        let with_role = |role: Role| every.iter().filter(move |(_, known)| known.col.role == role).map(|(at, _)| *at);
        let x: BTreeSet<ColumnRef> = match &self.x {
            None => with_role(Role::QuasiIdentifier).collect(),
            Some(words) => every
                .iter()
                .filter(|(at, known)| words.iter().any(|word| is_named(word, at.release, &known.col.name)))
                .map(|(at, _)| *at)
                .collect(),
        };
        let counted: Vec<BTreeSet<Counted>> = match self.model {
            "k-anonymity" => {
                let ours = (0..members.len()).filter(|release| !is_population(*release));
                ours.map(|release| BTreeSet::from([Counted::People(release)])).collect()
            }
            "distinct-l-diversity"
            | "confidence-bounding"
            | "entropy-l-diversity"
            | "recursive-cl-diversity"
            | "t-closeness" => {
                let ours = with_role(Role::Sensitive).filter(|at| !is_population(at.release));
                ours.map(|at| BTreeSet::from([Counted::Column(at)])).collect()
            }
            _ => {
                let mut choices = vec![BTreeSet::new()];
                for word in &self.y {
                    let people = (0..members.len()).filter(|at| is_counted(word, *at, "people")).map(Counted::People);
                    let columns = every.iter().filter(|(at, known)| is_counted(word, at.release, &known.col.name));
                    let named: Vec<Counted> = people.chain(columns.map(|(at, _)| Counted::Column(*at))).collect();
                    // A name that matches no column leaves no choice.
                    let with =
                        |of: &Counted| choices.iter().map(|set| set | &BTreeSet::from([*of])).collect::<Vec<_>>();
                    choices = named.iter().flat_map(with).collect();
                }
                choices
            }
        };
        let is_explicit = self.model.starts_with("xy-");
        let mut constraints: Vec<NaiveConstraint> = Vec::new();
        for y in counted.into_iter().filter(|y| !y.is_empty()) {
            let x: BTreeSet<ColumnRef> = x.iter().filter(|at| !y.contains(&Counted::Column(**at))).copied().collect();
            let constraint = NaiveConstraint { x, y, limit: self.limit.clone(), is_explicit };
            if !constraint.x.is_empty() && !constraints.contains(&constraint) {
                constraints.push(constraint);
            }
        }
        constraints
    }
}
