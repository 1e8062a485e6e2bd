//! Taxonomies of codes by prefix: `12345` below `1234*`, `123*`, `12*`, `1*`.
//!
//! `123*` represents every code that starts with `123`.

use super::{Code, NodeId, SUPPRESSED, Taxonomy};
use crate::error::{Error, Result};
use crate::text::counted;

/// Maximum length of a code, in characters.
const MAX_LENGTH: usize = 40;

impl Taxonomy {
    /// Builds the taxonomy of the prefixes of codes. A prefix that ends with a separator, such as `E11.`, is not a level.
    ///
    /// # Errors
    ///
    /// Returns an error if a value has a star, which marks masked characters, or is too long for a code.
    pub fn by_prefix(column: &str, mut codes: Vec<String>) -> Result<Self> {
        codes.sort_unstable();
        codes.dedup();
        let wrong = |count: usize, what: &str| {
            let message = format!("{} {what}, so `mask = \"prefix\"` does not apply", counted(count as u64, "value"));
            Err(Error::column(column, message))
        };
        let starred = codes.iter().filter(|code| code.contains('*')).count();
        if starred > 0 {
            return wrong(starred, "with a star, which marks masked characters");
        }
        let long = codes.iter().filter(|code| code.chars().count() > MAX_LENGTH).count();
        if long > 0 {
            return wrong(long, &format!("of more than {MAX_LENGTH} characters, too long for a code"));
        }
        let mut tree = Taxonomy::root_over(SUPPRESSED, codes, None);
        let all = 0..tree.len() as Code;
        tree.add_prefixes(0, all, 0);
        Ok(tree)
    }

    /// Adds the nodes of these codes, which share their first `length` characters, below `parent`.
    fn add_prefixes(&mut self, parent: NodeId, codes: std::ops::Range<Code>, length: usize) {
        let mut start = codes.start;
        while start < codes.end {
            let code = self.value(start).to_owned();
            let Some(prefix) = first_characters(&code, length + 1) else {
                self.add(parent, code, start..start + 1);
                start += 1;
                continue;
            };
            let ends = |next: &Code| !self.value(*next).starts_with(prefix);
            let end = (start..codes.end).find(ends).unwrap_or(codes.end);
            let is_last = end == start + 1 && prefix.len() == code.len();
            let is_level = !is_last && prefix.ends_with(char::is_alphanumeric);
            let below = if is_level { self.add(parent, format!("{prefix}*"), start..end) } else { parent };
            self.add_prefixes(below, start..end, length + 1);
            start = end;
        }
    }
}

/// Returns the first characters of a text; none if it is shorter.
fn first_characters(text: &str, count: usize) -> Option<&str> {
    let last = text.char_indices().nth(count.checked_sub(1)?)?;
    Some(&text[..last.0 + last.1.len_utf8()])
}

#[cfg(test)]
mod tests {
    use super::Taxonomy;

    fn paths(codes: &[&str]) -> Vec<String> {
        let tree = Taxonomy::by_prefix("code", codes.iter().map(|code| (*code).to_owned()).collect()).expect("codes");
        let path = |code: u32| {
            let mut labels = Vec::new();
            let mut next = Some(tree.leaf_of(code));
            while let Some(id) = next {
                labels.push(tree.node(id).label.clone());
                next = tree.node(id).parent;
            }
            labels.join(" ")
        };
        (0..tree.len() as u32).map(path).collect()
    }

    #[test]
    fn codes_of_one_length_have_one_level_per_character() {
        assert_eq!(paths(&["921", "912", "911"]), ["911 91* 9* *", "912 91* 9* *", "921 92* 9* *"]);
    }

    #[test]
    fn a_code_that_begins_another_is_below_its_own_prefix() {
        assert_eq!(paths(&["E11", "E11.9", "E2"]), ["E11 E11* E1* E* *", "E11.9 E11* E1* E* *", "E2 E* *"]);
    }

    #[test]
    fn separators_and_other_alphabets() {
        assert_eq!(paths(&["1-2", "1-3"]), ["1-2 1* *", "1-3 1* *"]);
        assert_eq!(paths(&["\u{fc}a", "\u{fc}b"]), ["\u{fc}a \u{fc}* *", "\u{fc}b \u{fc}* *"]);
        assert_eq!(paths(&["7"]), ["7 *"]);
    }

    #[test]
    fn stars_and_long_texts_are_refused() {
        for code in ["12*".to_owned(), "x".repeat(41)] {
            assert!(Taxonomy::by_prefix("code", vec![code]).is_err());
        }
    }
}
