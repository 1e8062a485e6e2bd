//! Changes of thresholds in the text of a policy, which keep its comments and its layout.
//!
//! A release that is made with changed thresholds is recorded with the changed text, so the ledger shows the policy that was used.

use toml_edit::{DocumentMut, Item, Table, value};

use super::Policy;
use crate::error::{Error, Result};

/// Thresholds that replace those of a policy. `None` keeps the threshold of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyChanges {
    /// Minimum number of people in an equivalence class.
    pub k: Option<u64>,
    /// Maximum confidence of inferring a sensitive value.
    pub confidence: Option<f64>,
    /// Maximum share of suppressed records.
    pub suppression: Option<f64>,
}

impl PolicyChanges {
    /// Returns the text of a policy with the changed thresholds.
    ///
    /// ```
    /// use reticent::policy::PolicyChanges;
    ///
    /// let changes = PolicyChanges { k: Some(10), suppression: Some(0.05), ..PolicyChanges::default() };
    /// let text = changes.apply("[requirement]\nk = 5  # people\n")?;
    /// assert_eq!(text, "[requirement]\nk = 10  # people\n\n[release]\nsuppression = 0.05\n");
    /// # Ok::<(), reticent::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not TOML, or if `requirement` or `release` is not a table.
    pub fn apply(&self, text: &str) -> Result<String> {
        if *self == PolicyChanges::default() {
            return Ok(text.to_owned());
        }
        let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            let line = error.span().map(|span| 1 + text.bytes().take(span.start).filter(|byte| *byte == b'\n').count());
            Error::policy(line, error.message().trim().replace('\n', ", "))
        })?;
        let number = |given: f64| value(given);
        let whole = |given: u64| value(i64::try_from(given).unwrap_or(i64::MAX));
        set(&mut document, "requirement", "k", self.k.map(whole))?;
        set(&mut document, "requirement", "confidence", self.confidence.map(number))?;
        set(&mut document, "release", "suppression", self.suppression.map(number))?;
        Ok(document.to_string())
    }

    /// Returns the name of a threshold, its value in the policy and the changed value, if the change weakens the requirement.
    pub fn weakened(&self, policy: &Policy) -> Option<(&'static str, f64, f64)> {
        let k = self.k.zip(policy.shorthand.k).filter(|(changed, own)| changed < own);
        let confidence = self.confidence.zip(policy.shorthand.confidence).filter(|(changed, own)| changed > own);
        let k = k.map(|(changed, own)| ("k", own as f64, changed as f64));
        k.or(confidence.map(|(changed, own)| ("confidence", own, changed)))
    }
}

/// Sets a key of a table. Keeps the comment behind a former value.
fn set(document: &mut DocumentMut, table: &str, key: &str, item: Option<Item>) -> Result<()> {
    let Some(mut item) = item else { return Ok(()) };
    let entry = document.entry(table).or_insert_with(|| Item::Table(Table::new()));
    let Some(entries) = entry.as_table_like_mut() else {
        return Err(Error::policy(None, format!("`{table}` must be a table")));
    };
    if let (Some(former), Some(new)) = (entries.get(key).and_then(Item::as_value), item.as_value_mut()) {
        *new.decor_mut() = former.decor().clone();
    }
    match entries.get_mut(key) {
        Some(former) => *former = item,
        None => drop(entries.insert(key, item)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# ours\n[columns.age]\n\n[requirement]  # of the board\nk = 5 # people\n";

    #[test]
    fn comments_and_other_lines_stay() {
        let changes = PolicyChanges { k: Some(7), confidence: Some(0.25), suppression: None };
        let expected = "# ours\n[columns.age]\n\n[requirement]  # of the board\nk = 7 # people\nconfidence = 0.25\n";
        assert_eq!(changes.apply(TEXT).ok().as_deref(), Some(expected));
        assert_eq!(PolicyChanges::default().apply(TEXT).ok().as_deref(), Some(TEXT));
    }

    #[test]
    fn every_form_of_a_table_can_be_changed() {
        let changes = PolicyChanges { k: Some(7), confidence: None, suppression: Some(0.5) };
        for text in ["requirement = { k = 5 }\n[columns.a]\n", "requirement.k = 5\n[columns.a]\n", "[columns.a]\n"] {
            let policy = changes.apply(text).and_then(|changed| Policy::parse(&changed));
            let read = policy.map(|policy| (policy.shorthand.k, policy.suppression.max_suppressed(10)));
            assert_eq!(read.ok(), Some((Some(7), 5)), "{text}");
        }
        assert!(changes.apply("requirement = 5\n").is_err());
    }

    #[test]
    fn only_a_smaller_k_and_a_higher_confidence_are_weaker() {
        let weakened = |k, confidence| {
            let policy = Policy::parse("[columns.a]\n[requirement]\nk = 5\nconfidence = 0.5\n").ok()?;
            PolicyChanges { k, confidence, suppression: Some(1.0) }.weakened(&policy)
        };
        assert_eq!(weakened(Some(5), Some(0.5)), None);
        assert_eq!(weakened(Some(6), Some(0.4)), None);
        assert_eq!(weakened(Some(4), Some(0.4)), Some(("k", 5.0, 4.0)));
        assert_eq!(weakened(None, Some(0.6)), Some(("confidence", 0.5, 0.6)));
    }
}
