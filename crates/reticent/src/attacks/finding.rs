//! Findings of an attack, with their confidence and a text without sensitive values.

use std::cmp::Ordering;

use serde::ser::SerializeStruct;

use super::input::Unchecked;
use crate::data::contingency::Weight;
use crate::error::{Obstacle, Result};
use crate::ratio::Ratio;
use crate::registry::Entry;
use crate::release::history::RecordedRelease;
use crate::text::format_count;

/// One inference of an attack about a number of people.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Finding {
    /// Id of the attack.
    pub attack: &'static str,
    /// Numbers of the releases that the inference uses.
    pub releases: Vec<u64>,
    /// Number of people concerned.
    pub people: Weight,
    /// Number of records, if the attack counts records.
    pub records: Option<Weight>,
    /// Confidence of the attacker in the inference.
    pub confidence: AttackConfidence,
    /// Whether the releases allow no other conclusion.
    pub certain: bool,
    /// Published values that identify the equivalence class or group, as (column, value).
    #[serde(serialize_with = "crate::witness::as_cells")]
    pub class: Vec<(String, String)>,
    /// Sensitive column whose value is inferred; none for identity or membership disclosure.
    pub column: Option<String>,
    /// Inferred value. Internal: remove it from public reports with [`Finding::without_value`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<DisclosedValue>,
    /// One sentence without a sensitive value, name or pseudonym.
    pub text: String,
}

/// Findings of one attack, worst first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// All findings.
    pub all: Vec<Finding>,
    /// Parts of the input that the attack could not check, with the reason. Further findings are possible there.
    pub not_checked: Option<String>,
}

impl std::ops::Deref for Findings {
    type Target = [Finding];

    fn deref(&self) -> &[Finding] {
        &self.all
    }
}

/// Sensitive value that an attack infers.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DisclosedValue {
    /// Published code of the value; none for an interval or an inner taxonomy node.
    pub code: Option<u32>,
    /// Text of the value.
    pub label: String,
}

/// Confidence of an attacker in an inference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AttackConfidence {
    /// Exact ratio of counts.
    Exact(Ratio),
    /// Estimate by approximation or sampling.
    Estimate(f64),
}

impl AttackConfidence {
    /// Confidence 1.
    pub(crate) const CERTAIN: AttackConfidence = AttackConfidence::Exact(Ratio { numerator: 1, denominator: 1 });

    /// Confidence `1 / alternatives`.
    pub(crate) fn one_of(alternatives: Weight) -> AttackConfidence {
        AttackConfidence::Exact(Ratio::new(1, alternatives))
    }

    /// The confidence as a floating-point number, for display and sorting.
    pub fn to_f64(self) -> f64 {
        match self {
            AttackConfidence::Exact(share) => share.to_f64(),
            AttackConfidence::Estimate(number) => number,
        }
    }

    /// Whether the confidence is at least `threshold`.
    pub fn reaches(self, threshold: Ratio) -> bool {
        match self {
            AttackConfidence::Exact(share) => share >= threshold,
            AttackConfidence::Estimate(number) => number >= threshold.to_f64(),
        }
    }

    fn order(self, other: AttackConfidence) -> Ordering {
        match (self, other) {
            (AttackConfidence::Exact(one), AttackConfidence::Exact(other)) => one.cmp(&other),
            (one, other) => one.to_f64().total_cmp(&other.to_f64()),
        }
    }
}

/// Serializes as `{"kind": "exact", "value": 0.75, "fraction": "3/4"}`; the `fraction` of an estimate is null.
impl serde::Serialize for AttackConfidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let (kind, fraction) = match self {
            AttackConfidence::Exact(share) => ("exact", Some(fraction(*share))),
            AttackConfidence::Estimate(_) => ("estimate", None),
        };
        let mut object = serializer.serialize_struct("Confidence", 3)?;
        object.serialize_field("kind", kind)?;
        object.serialize_field("value", &self.to_f64())?;
        object.serialize_field("fraction", &fraction)?;
        object.end()
    }
}

/// The ratio in lowest terms, as `3/4`.
fn fraction(share: Ratio) -> String {
    let (mut a, mut b) = (share.numerator, share.denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let common = a.max(1);
    format!("{}/{}", share.numerator / common, share.denominator / common)
}

impl Finding {
    /// The finding without the inferred value, for public reports.
    pub fn without_value(self) -> Finding {
        Finding { value: None, ..self }
    }

    /// Order of findings, worst first: certain findings, then by descending confidence, then by descending number of people.
    pub fn order(&self, other: &Finding) -> Ordering {
        let worst = other.certain.cmp(&self.certain).then(other.confidence.order(self.confidence));
        let worst = worst.then(other.people.cmp(&self.people));
        let label = |finding: &Finding| finding.value.as_ref().map(|value| value.label.clone());
        worst
            .then_with(|| self.releases.cmp(&other.releases))
            .then_with(|| self.column.cmp(&other.column))
            .then_with(|| self.class.cmp(&other.class))
            .then_with(|| label(self).cmp(&label(other)))
            .then_with(|| self.text.cmp(&other.text))
    }
}

/// Sorts the findings, worst first.
///
/// # Errors
///
/// Returns an error if there are no findings and some part of the input could not be checked.
pub(super) fn conclude(entry: &Entry, mut findings: Vec<Finding>, unchecked: Unchecked) -> Result<Findings> {
    if findings.is_empty() && !unchecked.is_empty() {
        return Err(Obstacle::AttackNotRunnable { attack: entry.title, reason: unchecked.reason() }.into());
    }
    findings.sort_by(Finding::order);
    let not_checked = (!unchecked.is_empty()).then(|| unchecked.reason());
    Ok(Findings { all: findings, not_checked })
}

/// Name of a release in texts: `release 2 spring`.
pub(super) fn release_text(recorded: &RecordedRelease) -> String {
    match (recorded.number, recorded.name.as_str()) {
        (0, "") => "the release".to_owned(),
        (0, name) => format!("release {name}"),
        (number, "") => format!("release {number}"),
        (number, name) => format!("release {number} {name}"),
    }
}

/// Number of people and their class: `1 person of [30,40) / Male`, `3 people of Zurich`, `2 people of group 17`.
///
/// A label that is a plain number is preceded by the name of its column.
pub(super) fn people_in_class(people: Weight, class: &[(String, String)]) -> String {
    let is_number = |label: &str| !label.is_empty() && label.bytes().all(|letter| letter.is_ascii_digit());
    let text =
        |(name, label): &(String, String)| if is_number(label) { format!("{name} {label}") } else { label.clone() };
    let labels: Vec<String> = class.iter().map(text).collect();
    let class_text = if labels.is_empty() { String::new() } else { format!(" of {}", labels.join(" / ")) };
    format!("{}{class_text}", people_text(people))
}

/// Number of people: `1 person`, `1,000 people`.
pub(super) fn people_text(people: Weight) -> String {
    if people == 1 { "1 person".to_owned() } else { format!("{} people", format_count(people)) }
}

/// Verb for a number of people: `has` or `have`.
pub(super) fn have(people: Weight) -> &'static str {
    if people == 1 { "has" } else { "have" }
}
