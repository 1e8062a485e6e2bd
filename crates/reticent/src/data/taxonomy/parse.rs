//! Parser for taxonomies: hierarchy CSV and indented trees.
//!
//! A row of a hierarchy CSV is a path from leaf to root, separated by `;`. Rows can have different lengths.

use std::collections::HashMap;

use super::{Code, NodeId, Taxonomy};
use crate::error::{Error, Result};

impl Taxonomy {
    /// Parses a taxonomy. A file with a `;` in its first row is a hierarchy CSV, any other file an indented tree.
    ///
    /// # Errors
    ///
    /// Returns an error with the line number if the file is not a tree.
    pub fn parse(column: &str, text: &str) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if is_paths(text) {
            Taxonomy::parse_paths(column, text)
        } else {
            let read = Taxonomy::parse_indented(column, text);
            let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
            let commas = lines.peek().is_some() && lines.all(|line| line.contains(',') && !line.contains(';'));
            if read.is_err() && commas {
                let message =
                    "the file has commas but no `;`; write value;parent;...;root, separated by `;`".to_owned();
                return Err(Error::Taxonomy { column: column.to_owned(), line: None, message });
            }
            read
        }
    }

    /// Parses a hierarchy CSV: one row per leaf, with the path from the leaf to the root.
    ///
    /// Rows can have different lengths. A value repeated in a row is one node; in a rectangular file its positions
    /// define the levels for full-domain recoding.
    pub(crate) fn parse_paths(column: &str, text: &str) -> Result<Self> {
        let rows = read_rows(column, text)?;
        let mut draft = DraftTree::new(column);
        for (line, path) in &rows {
            draft.add_path(*line, path)?;
        }
        let width = rows[0].1.len();
        let rectangular = rows.iter().all(|(_, path)| path.len() == width);
        let mut tree = draft.finish()?;
        if rectangular {
            tree.full_domain_levels = Some(rectangular_levels(&tree, &rows, width));
        }
        Ok(tree)
    }

    /// Parses an indented tree: one value per line, indented below its parent. The first line is the root.
    ///
    /// # Errors
    ///
    /// Returns an error with the line number if the file is not a tree.
    pub fn parse_indented(column: &str, text: &str) -> Result<Self> {
        let mut draft = DraftTree::new(column);
        let mut path: Vec<(usize, String)> = Vec::new();
        let lines: Vec<(usize, usize, &str)> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with("# "))
            .map(|(number, line)| (number + 1, line.len() - line.trim_start().len(), line.trim()))
            .collect();
        for (index, (line, indent, value)) in lines.iter().enumerate() {
            path.retain(|(outer, _)| outer < indent);
            if path.is_empty() && index > 0 {
                return Err(draft.wrong(*line, "a second root; indent every line below the first".to_owned()));
            }
            path.push((*indent, (*value).to_owned()));
            let is_leaf = lines.get(index + 1).is_none_or(|(_, next, _)| next <= indent);
            if is_leaf {
                let leaf_first: Vec<String> = path.iter().rev().map(|(_, value)| value.clone()).collect();
                draft.add_path(*line, &leaf_first)?;
            }
        }
        draft.finish()
    }
}

/// Maximum number of nodes on a path from the root to a leaf. Limits the recursion depth.
pub(super) const MAX_DEPTH: usize = 256;

fn reader(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().delimiter(b';').has_headers(false).flexible(true).from_reader(text.as_bytes())
}

/// Returns true if the first row has a `;` outside quotes. A quoted value can span several lines.
pub(super) fn is_paths(text: &str) -> bool {
    reader(text).records().next().is_some_and(|row| row.is_ok_and(|row| row.len() > 1))
}

pub(super) fn read_rows(column: &str, text: &str) -> Result<Vec<(usize, Vec<String>)>> {
    let wrong = |line, message| Error::Taxonomy { column: column.to_owned(), line, message };
    let mut rows = Vec::new();
    for record in reader(text).records() {
        let record = record.map_err(|error| wrong(None, format!("not a `;` separated file: {error}")))?;
        let line = record.position().map_or(0, |position| position.line() as usize);
        let mut path: Vec<String> = record.iter().map(|value| value.trim().to_owned()).collect();
        while path.len() > 1 && path.last().is_some_and(String::is_empty) {
            path.pop();
        }
        if path.iter().any(String::is_empty) && path.len() > 1 {
            return Err(wrong(Some(line), "empty value between two others".to_owned()));
        }
        if !path.iter().all(String::is_empty) {
            rows.push((line, path));
        }
    }
    if rows.is_empty() {
        return Err(wrong(None, "the file is empty; write one row per value: value;parent;...;root".to_owned()));
    }
    Ok(rows)
}

/// Levels of a rectangular file: level `n` publishes the `n`-th value of a leaf's row.
fn rectangular_levels(tree: &Taxonomy, rows: &[(usize, Vec<String>)], width: usize) -> Vec<Vec<NodeId>> {
    let by_label: HashMap<&str, NodeId> =
        tree.nodes.iter().enumerate().map(|(id, node)| (node.label.as_str(), id)).collect();
    let mut levels = vec![vec![0; tree.len()]; width];
    for (_, path) in rows {
        let code = tree.nodes[by_label[path[0].as_str()]].span.start;
        for (level, value) in path.iter().enumerate() {
            levels[level][code as usize] = by_label[value.as_str()];
        }
    }
    levels
}

/// A tree during parsing: labels and parents, before codes are assigned to leaves.
struct DraftTree<'a> {
    column: &'a str,
    labels: Vec<String>,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    by_label: HashMap<String, usize>,
    leaves: HashMap<usize, usize>,
    root: Option<usize>,
}

impl<'a> DraftTree<'a> {
    fn new(column: &'a str) -> Self {
        DraftTree {
            column,
            labels: Vec::new(),
            parents: Vec::new(),
            children: Vec::new(),
            by_label: HashMap::new(),
            leaves: HashMap::new(),
            root: None,
        }
    }

    fn wrong(&self, line: usize, message: String) -> Error {
        Error::Taxonomy { column: self.column.to_owned(), line: Some(line), message }
    }

    fn add_path(&mut self, line: usize, leaf_first: &[String]) -> Result<()> {
        let mut path: Vec<&str> = leaf_first.iter().rev().map(String::as_str).collect();
        path.dedup();
        if path.len() > MAX_DEPTH {
            return Err(self.wrong(line, format!("the path has {} levels; the limit is {MAX_DEPTH}", path.len())));
        }
        for (at, value) in path.iter().enumerate() {
            if path[..at].contains(value) {
                return Err(self.wrong(line, format!("`{value}` is its own ancestor: the path has a cycle")));
            }
        }
        let mut parent = None;
        for (at, value) in path.iter().enumerate() {
            let id = self.intern(value);
            let is_new = self.parents[id].is_none() && self.root != Some(id);
            if at == 0 {
                match self.root {
                    None => self.root = Some(id),
                    Some(root) if root != id => {
                        let message = format!(
                            "two roots, `{}` and `{value}`; end every row with the same value",
                            self.labels[root]
                        );
                        return Err(self.wrong(line, message));
                    }
                    Some(_) => {}
                }
            } else if is_new {
                self.parents[id] = parent;
                if let Some(parent) = parent {
                    self.children[parent].push(id);
                }
            } else if self.parents[id] != parent {
                let above = |id: Option<usize>| id.map_or("nothing", |id| self.labels[id].as_str());
                let message = format!(
                    "`{value}` has two parents, `{}` and `{}`; a value has one parent",
                    above(self.parents[id]),
                    above(parent)
                );
                return Err(self.wrong(line, message));
            }
            parent = Some(id);
        }
        if let Some(leaf) = parent
            && let Some(earlier) = self.leaves.insert(leaf, line)
        {
            return Err(self.wrong(line, format!("`{}` is already defined on line {earlier}", self.labels[leaf])));
        }
        Ok(())
    }

    fn intern(&mut self, label: &str) -> usize {
        if let Some(id) = self.by_label.get(label) {
            return *id;
        }
        let id = self.labels.len();
        self.labels.push(label.to_owned());
        self.parents.push(None);
        self.children.push(Vec::new());
        self.by_label.insert(label.to_owned(), id);
        id
    }

    fn finish(self) -> Result<Taxonomy> {
        let Some(root) = self.root else {
            let message = "the file is empty".to_owned();
            return Err(Error::Taxonomy { column: self.column.to_owned(), line: None, message });
        };
        let not_a_leaf = |leaf: usize| !self.children[leaf].is_empty() || leaf == root;
        let wrong = self.leaves.iter().filter(|(leaf, _)| not_a_leaf(**leaf)).min_by_key(|(_, line)| **line);
        if let Some((leaf, line)) = wrong {
            let why = if self.children[*leaf].is_empty() {
                "is the root and has no children; add values below it"
            } else {
                "is a leaf here but has children elsewhere"
            };
            let message = format!("`{}` {why}", self.labels[*leaf]);
            return Err(self.wrong(*line, message));
        }
        let mut tree = Taxonomy::root_over(&self.labels[root], Vec::new(), None);
        self.place(&mut tree, root, 0);
        Ok(tree)
    }

    /// Adds the descendants of a draft node, numbering the leaves from left to right.
    fn place(&self, tree: &mut Taxonomy, draft: usize, node: NodeId) {
        for child in &self.children[draft] {
            let start = tree.values.len() as Code;
            let id = tree.add(node, self.labels[*child].clone(), start..start);
            if self.children[*child].is_empty() {
                tree.values.push(self.labels[*child].clone());
            } else {
                self.place(tree, *child, id);
            }
            tree.nodes[id].span.end = tree.values.len() as Code;
        }
        tree.nodes[node].span.end = tree.values.len() as Code;
    }
}
