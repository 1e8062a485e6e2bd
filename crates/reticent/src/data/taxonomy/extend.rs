//! Adds values of new data to the text of a taxonomy file. Existing lines stay as they are.

use std::collections::HashMap;

use super::Taxonomy;
use super::parse::{is_paths, read_rows};
use crate::error::{Error, Result};

/// A taxonomy file with added values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtendedTaxonomy {
    /// Content of the file.
    pub text: String,
    /// Number of values placed beside a value that differs only in case, spaces or punctuation.
    pub beside_similar: u64,
    /// Number of values placed directly below the root. They generalize only to the root until the user inserts a group.
    pub below_root: u64,
    /// Number of values that are inner nodes, which stay inner nodes.
    pub inner_nodes: u64,
}

impl Taxonomy {
    /// Returns a taxonomy file with the values that it lacks.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a taxonomy.
    pub fn extended(column: &str, text: &str, values: &[String]) -> Result<ExtendedTaxonomy> {
        let tree = Taxonomy::parse(column, text)?;
        let mut similar: HashMap<String, &str> = HashMap::new();
        for value in tree.values() {
            similar.entry(simplified(value)).or_insert(value);
        }
        let mut extended = ExtendedTaxonomy { text: text.to_owned(), beside_similar: 0, below_root: 0, inner_nodes: 0 };
        let mut lines = Lines::new(column, text, &tree)?;
        for value in values.iter().map(|value| value.trim()).filter(|value| !value.is_empty()) {
            match tree.find(value) {
                Some(node) if tree.node(node).is_leaf() => {}
                Some(_) => extended.inner_nodes += 1,
                None => {
                    let beside = similar.get(&simplified(value)).copied();
                    *(if beside.is_some() { &mut extended.beside_similar } else { &mut extended.below_root }) += 1;
                    lines.add(value, beside);
                }
            }
        }
        extended.text = lines.finish();
        // The new file is a taxonomy with the same leaves and the new ones.
        Taxonomy::parse(column, &extended.text)?;
        Ok(extended)
    }
}

/// Returns a text in lower case, without the spaces and separators between its letters. Other signs have a meaning, as in
/// `HIV+` and `HIV-`.
fn simplified(text: &str) -> String {
    let letters: Vec<char> = text.trim().chars().flat_map(char::to_lowercase).collect();
    let is_between = |at: usize| {
        let is_letter =
            |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|letter| letter.is_alphabetic());
        is_letter(at.checked_sub(1)) && is_letter(Some(at + 1))
    };
    let is_separator =
        |at: usize| letters[at].is_whitespace() || (matches!(letters[at], '-' | '_' | '.' | '/') && is_between(at));
    (0..letters.len()).filter(|at| !is_separator(*at)).map(|at| letters[at]).collect()
}

/// Lines of a taxonomy file.
enum Lines {
    /// One path per value. The new paths are appended.
    Paths { text: String, root: String, width: usize, paths: HashMap<String, Vec<String>> },
    /// Lines with an indentation. New lines are inserted after a similar value, or appended.
    Indented { lines: Vec<String>, below_root: String },
}

impl Lines {
    fn new(column: &str, text: &str, tree: &Taxonomy) -> Result<Lines> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if !is_paths(text) {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let indent = |line: &String| line.len() - line.trim_start().len();
            let deeper = lines.iter().find(|line| indent(line) > 0);
            let below_root = deeper.map_or_else(|| "  ".to_owned(), |line| line[..indent(line)].to_owned());
            return Ok(Lines::Indented { lines, below_root });
        }
        let rows = read_rows(column, text)?;
        let first = rows.first().ok_or_else(|| Error::column(column, "the taxonomy is empty"))?;
        let width = first.1.len();
        // In a rectangular file, a path repeats the root up to the common length.
        let width = if rows.iter().all(|(_, path)| path.len() == width) { width } else { 2 };
        let paths = rows.into_iter().map(|(_, path)| (path[0].clone(), path)).collect();
        Ok(Lines::Paths { text: text.to_owned(), root: tree.node(0).label.clone(), width: width.max(2), paths })
    }

    fn add(&mut self, value: &str, beside: Option<&str>) {
        match self {
            Lines::Paths { text, root, width, paths } => {
                let above = match beside.and_then(|beside| paths.get(beside)) {
                    Some(path) => path[1..].to_vec(),
                    None => vec![root.clone(); *width - 1],
                };
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                let fields: Vec<String> =
                    std::iter::once(value).chain(above.iter().map(String::as_str)).map(field).collect();
                text.push_str(&fields.join(";"));
                text.push('\n');
            }
            Lines::Indented { lines, below_root } => {
                let at = beside.and_then(|beside| lines.iter().position(|line| line.trim() == beside));
                match at {
                    Some(at) => {
                        let indent = lines[at].len() - lines[at].trim_start().len();
                        let line = format!("{}{value}", &lines[at][..indent]);
                        lines.insert(at + 1, line);
                    }
                    None => lines.push(format!("{below_root}{value}")),
                }
            }
        }
    }

    fn finish(self) -> String {
        match self {
            Lines::Paths { text, .. } => text,
            Lines::Indented { lines, .. } => lines.join("\n") + "\n",
        }
    }
}

/// Returns a field of a `;` separated file.
fn field(value: &str) -> String {
    let plain = !value.contains([';', '"', '\n', '\r', '\u{feff}']);
    if plain { value.to_owned() } else { format!("\"{}\"", value.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::Taxonomy;

    fn extended(text: &str, values: &[&str]) -> (String, [u64; 3]) {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        let found = Taxonomy::extended("job", text, &values).expect("a taxonomy");
        (found.text, [found.beside_similar, found.below_root, found.inner_nodes])
    }

    #[test]
    fn new_values_are_placed_below_the_root_or_beside_a_similar_value() {
        let (text, counts) =
            extended("Writer;Artist;*\nLawyer;Prof;*", &["writer ", "LAW-YER", "Cook", "Artist", "Writer"]);
        assert_eq!(text, "Writer;Artist;*\nLawyer;Prof;*\nwriter;Artist;*\nLAW-YER;Prof;*\nCook;*;*\n");
        assert_eq!(counts, [2, 1, 1]);
        // Nothing is added twice.
        assert_eq!(extended(&text, &["writer", "Cook"]), (text.clone(), [0, 0, 0]));
    }

    #[test]
    fn signs_with_a_meaning_make_another_value() {
        let (text, counts) =
            extended("HIV+;positive;*\n<=50K;low;*\nA+;a;*\n1-2;few;*\n", &["HIV-", ">50K", "A-", "12"]);
        assert_eq!(counts, [0, 4, 0], "{text}");
    }

    #[test]
    fn paths_of_different_lengths_stay_short() {
        assert_eq!(extended("a;b;*\nc;*\n", &["d;e"]).0, "a;b;*\nc;*\n\"d;e\";*\n");
    }

    #[test]
    fn indented_trees_stay_indented() {
        let (text, counts) = extended("*\n\tArtist\n\t\tWriter\n\tCook\n", &["WRITER", "Judge"]);
        assert_eq!(text, "*\n\tArtist\n\t\tWriter\n\t\tWRITER\n\tCook\n\tJudge\n");
        assert_eq!(counts, [1, 1, 0]);
    }

    #[test]
    fn a_file_that_is_no_taxonomy_stays_an_error() {
        assert!(Taxonomy::extended("job", "", &["a".to_owned()]).is_err());
    }
}
