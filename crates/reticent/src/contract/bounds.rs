//! Bounds on confidence: the highest allowed for each value, and how classes are judged by them.

use super::{Breach, Judge, Judgement, Reading};
use crate::classes::{Group, Whole};
use crate::error::{Error, Obstacle, Result};
use crate::registry::{Arguments, Entry};
use crate::release::PublishedColumn;
use crate::schema::{Schema, Tree};
use crate::share::Share;
use crate::taxonomy::Code;
use crate::text::plain;

/// The highest confidence allowed for each value.
#[derive(Debug, Clone)]
pub struct Bounds {
    general: Option<Share>,
    by_value: Vec<(String, Share)>,
}

impl Bounds {
    /// From the threshold `general` and the list `values`, at least one of which must be given.
    pub(crate) fn new(
        entry: &Entry,
        arguments: &Arguments,
        general: &str,
        of: &[String],
        schema: &Schema,
    ) -> Result<Bounds> {
        let wrong =
            |message: String| Error::Parameter { kind: entry.kind, id: entry.id.to_owned(), message, hint: None };
        let share = |number: f64| {
            Share::from_decimal(number).ok_or_else(|| wrong("a threshold has too many digits".to_owned()))
        };
        let default = arguments.optional_number(general)?.map(share).transpose()?;
        let given = arguments.thresholds("values")?.unwrap_or_default();
        if default.is_none() && given.is_empty() {
            return Err(wrong(format!("needs `{general}`, or `values` with a threshold each")));
        }
        if let ([column], false) = (of, given.is_empty()) {
            check_values(schema, column, given).map_err(wrong)?;
        } else if !given.is_empty() {
            return Err(wrong("`values` needs exactly one column to belong to".to_owned()));
        }
        let by_value = given.iter().map(|(value, bound)| Ok((value.clone(), share(*bound)?))).collect::<Result<_>>()?;
        Ok(Bounds { general: default, by_value })
    }

    /// The bound of every value that has none of its own.
    pub(crate) fn general(&self) -> Option<Share> {
        self.general
    }

    /// By published code of a column: the bound of its value.
    pub(crate) fn by_label(&self, column: &PublishedColumn) -> Vec<Option<Share>> {
        let of_code = |code: usize| self.of_written(column.label(code as Code)).filter(|_| column.nodes[code] != 0);
        (0..column.nodes.len()).map(of_code).collect()
    }

    fn of_value(&self, value: &str) -> Option<Share> {
        let own = self.by_value.iter().find(|(known, _)| known == value).map(|(_, bound)| *bound);
        own.or(self.general)
    }

    /// The bound of a value as it was written: with or without an apostrophe before it.
    pub(crate) fn of_written(&self, text: &str) -> Option<Share> {
        let own = self.by_value.iter().filter(|(known, _)| plain(known) == plain(text)).map(|(_, bound)| *bound).min();
        own.or(self.general)
    }

    pub(crate) fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>> {
        let bounds = self.by_code(whole)?;
        Ok(Box::new(move |group| match &bounds {
            Some(bounds) => worst(group, |code| bounds.get(code as usize).copied().flatten()),
            None => worst(group, |_| self.general),
        }))
    }

    /// By code, where one column is measured. A cell that says nothing tells nothing, however sure it is.
    fn by_code(&self, whole: &Whole<'_>) -> Result<Option<Vec<Option<Share>>>> {
        let Some(column) = whole.column else {
            if self.by_value.is_empty() {
                return Ok(None);
            }
            let statement = "confidence of single values".to_owned();
            return Err(Obstacle::NoSingleColumn { statement }.into());
        };
        // A value that the policy names and no record carries is most likely a slip of the pen, and would protect nobody.
        for (value, _) in &self.by_value {
            if column.tree.find(value).is_none() {
                let message = format!("the policy bounds the value `{value}`, which no record has; check its spelling");
                return Err(Error::column(&column.name, message));
            }
        }
        let of_code = |code: usize| self.of_value(column.label(code as Code)).filter(|_| column.nodes[code] != 0);
        Ok(Some((0..column.nodes.len()).map(of_code).collect()))
    }

    pub(crate) fn explain(&self, of: &[String], safety: f64) -> String {
        let of = of.join(", ");
        if !self.by_value.is_empty() {
            // To say which value would tell what those have who are shown with it.
            return format!(
                "a value of {of} can be inferred with confidence {:.4}, more than is allowed of it",
                -safety
            );
        }
        let allowed = self.to_string();
        let allowed = allowed.trim_start_matches("= ");
        format!("a value of {of} can be inferred with confidence {:.4}; allowed: {allowed}", -safety)
    }

    pub(crate) fn naive(&self, reading: &Reading, by: &[String], of: &[String]) -> Result<Vec<Breach>> {
        let mut breaches = Vec::new();
        for (class, records) in reading.classes(by)? {
            let people = reading.people(&records);
            for (value, count) in reading.people_by_value(&records, of)? {
                let text =
                    if let ([column], [code]) = (of, value.as_slice()) { reading.text(column, *code)? } else { "" };
                let confidence = Share::new(count, people);
                let says_nothing = of.len() == 1 && reading.tree(&of[0]).is_ok_and(|tree| tree.node(0).label == text);
                if says_nothing {
                    continue;
                }
                if self.of_written(text).is_some_and(|bound| confidence > bound) {
                    breaches.push(reading.breach(by, &class, self.explain(of, -confidence.to_f64())));
                    break;
                }
            }
        }
        Ok(breaches)
    }
}

impl std::fmt::Display for Bounds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let own: Vec<String> = self.by_value.iter().map(|(value, bound)| format!("{value} at most {bound}")).collect();
        match (&self.general, own.as_slice()) {
            (Some(general), []) => write!(f, "at most {general}"),
            (Some(general), own) => write!(f, "at most {general}, {}", own.join(", ")),
            (None, own) => write!(f, "= {}", own.join(", ")),
        }
    }
}

/// The value whose confidence is highest among those that have a bound; the verdict is over all of them.
fn worst(group: &Group<'_>, bound: impl Fn(Code) -> Option<Share>) -> Judgement {
    let mut judgement = Judgement { holds: true, safety: 0.0 };
    for (code, count) in group.counts {
        let Some(bound) = bound(*code) else { continue };
        let holds = u128::from(*count) * bound.denominator <= bound.numerator * u128::from(group.size);
        judgement.holds &= holds;
        judgement.safety = judgement.safety.min(-(*count as f64 / group.size as f64));
    }
    judgement
}

/// A value named with a threshold must be a leaf of the column's taxonomy, where it has one.
fn check_values(schema: &Schema, column: &str, given: &[(String, f64)]) -> std::result::Result<(), String> {
    let Ok(attribute) = schema.attribute(column) else { return Ok(()) };
    if let Tree::Given(tree) = &attribute.tree {
        for (value, _) in given {
            if !tree.values().contains(value) {
                let hint = crate::error::did_you_mean(value, tree.values().iter().map(String::as_str));
                let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                return Err(format!("`{value}` is not a leaf of the taxonomy of `{column}`{hint}"));
            }
        }
    }
    Ok(())
}
