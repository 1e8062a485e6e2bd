//! Upper bounds on confidence by value, and the judgement of classes by them.

use super::{ClassViolation, Judge, Judgement, Reading};
use crate::data::schema::{Schema, TreeSource};
use crate::data::taxonomy::Code;
use crate::error::{Error, Obstacle, Result};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Entry};
use crate::release::PublishedColumn;
use crate::release::classes::{EquivalenceClass, Whole};
use crate::text::without_formula_guard;

/// Upper bound on the confidence of each value.
#[derive(Debug, Clone)]
pub struct Bounds {
    general: Option<Ratio>,
    by_value: Vec<(String, Ratio)>,
}

impl Bounds {
    /// Reads the bounds from the parameter named `general` and the parameter `values`.
    ///
    /// # Errors
    ///
    /// Returns an error if neither is given, or if a value is not in its taxonomy.
    pub(crate) fn new(
        entry: &Entry,
        arguments: &Arguments,
        general: &str,
        of: &[String],
        schema: &Schema,
    ) -> Result<Bounds> {
        let wrong =
            |message: String| Error::Parameter { kind: entry.kind, id: entry.id.to_owned(), message, hint: None };
        let ratio = |number: f64| {
            Ratio::from_decimal(number).ok_or_else(|| wrong("a threshold has too many digits".to_owned()))
        };
        let default = arguments.optional_number(general)?.map(ratio).transpose()?;
        let given = arguments.thresholds("values")?.unwrap_or_default();
        if default.is_none() && given.is_empty() {
            return Err(wrong(format!("needs `{general}`, or `values` with a threshold per value")));
        }
        if let ([column], false) = (of, given.is_empty()) {
            check_values(schema, column, given).map_err(wrong)?;
        } else if !given.is_empty() {
            return Err(wrong("`values` needs exactly one column to belong to".to_owned()));
        }
        let by_value = given.iter().map(|(value, bound)| Ok((value.clone(), ratio(*bound)?))).collect::<Result<_>>()?;
        Ok(Bounds { general: default, by_value })
    }

    /// Bound of values without a specific bound.
    pub(crate) fn general(&self) -> Option<Ratio> {
        self.general
    }

    /// Bound by published code of a column. A suppressed cell has no bound.
    pub(crate) fn by_label(&self, column: &PublishedColumn) -> Vec<Option<Ratio>> {
        let of_code = |code: usize| self.for_text(column.label(code as Code)).filter(|_| column.nodes[code] != 0);
        (0..column.nodes.len()).map(of_code).collect()
    }

    fn for_value(&self, value: &str) -> Option<Ratio> {
        let own = self.by_value.iter().find(|(known, _)| known == value).map(|(_, bound)| *bound);
        own.or(self.general)
    }

    /// Bound of a value as written, with or without a leading apostrophe.
    pub(crate) fn for_text(&self, text: &str) -> Option<Ratio> {
        let own = self
            .by_value
            .iter()
            .filter(|(known, _)| without_formula_guard(known) == without_formula_guard(text))
            .map(|(_, bound)| *bound)
            .min();
        own.or(self.general)
    }

    pub(crate) fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>> {
        let bounds = self.by_code(whole)?;
        Ok(Box::new(move |class| match &bounds {
            Some(bounds) => worst(class, |code| bounds.get(code as usize).copied().flatten()),
            None => worst(class, |_| self.general),
        }))
    }

    /// Bound by code if one column is measured. A suppressed cell discloses no value and has no bound.
    fn by_code(&self, whole: &Whole<'_>) -> Result<Option<Vec<Option<Ratio>>>> {
        let Some(column) = whole.column else {
            if self.by_value.is_empty() {
                return Ok(None);
            }
            let statement = "confidence of single values".to_owned();
            return Err(Obstacle::NoSingleColumn { statement }.into());
        };
        // A bounded value that no record has is probably misspelled; its bound would have no effect.
        for (value, _) in &self.by_value {
            if column.tree.find(value).is_none() {
                let message = format!("the policy bounds the value `{value}`, which no record has; check its spelling");
                return Err(Error::column(&column.name, message));
            }
        }
        let of_code = |code: usize| self.for_value(column.label(code as Code)).filter(|_| column.nodes[code] != 0);
        Ok(Some((0..column.nodes.len()).map(of_code).collect()))
    }

    pub(crate) fn explain(&self, of: &[String], safety: f64) -> String {
        let of = of.join(", ");
        if !self.by_value.is_empty() {
            // Naming the value would disclose it.
            return format!("a value of {of} can be inferred with confidence {:.4}, above its bound", -safety);
        }
        let bound = self.to_string();
        let bound = bound.trim_start_matches("= ");
        format!("a value of {of} can be inferred with confidence {:.4}; bound: {bound}", -safety)
    }

    pub(crate) fn naive(&self, reading: &Reading, by: &[String], of: &[String]) -> Result<Vec<ClassViolation>> {
        let mut violations = Vec::new();
        for (class, records) in reading.classes(by)? {
            let people = reading.people(&records);
            for (value, count) in reading.people_by_value(&records, of)? {
                let text =
                    if let ([column], [code]) = (of, value.as_slice()) { reading.text(column, *code)? } else { "" };
                let confidence = Ratio::new(count, people);
                let is_suppressed = of.len() == 1 && reading.tree(&of[0]).is_ok_and(|tree| tree.node(0).label == text);
                if is_suppressed {
                    continue;
                }
                if self.for_text(text).is_some_and(|bound| confidence > bound) {
                    violations.push(reading.violation(by, &class, self.explain(of, -confidence.to_f64())));
                    break;
                }
            }
        }
        Ok(violations)
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

/// Verdict over all bounded values, and the highest confidence among them.
fn worst(class: &EquivalenceClass<'_>, bound: impl Fn(Code) -> Option<Ratio>) -> Judgement {
    let mut judgement = Judgement { holds: true, safety: 0.0 };
    for (code, count) in class.counts {
        let Some(bound) = bound(*code) else { continue };
        let holds = u128::from(*count) * bound.denominator <= bound.numerator * u128::from(class.size);
        judgement.holds &= holds;
        judgement.safety = judgement.safety.min(-(*count as f64 / class.size as f64));
    }
    judgement
}

/// Checks that each value with a threshold is a leaf of the column's taxonomy, if it has one.
fn check_values(schema: &Schema, column: &str, given: &[(String, f64)]) -> std::result::Result<(), String> {
    let Ok(attribute) = schema.attribute(column) else { return Ok(()) };
    if let TreeSource::Given(tree) = &attribute.tree {
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
