//! Findings: what an attack infers, how sure it is, and a sentence for the steward that gives nothing away.

use std::cmp::Ordering;

use serde::ser::SerializeStruct;

use super::scene::Unchecked;
use crate::combos::Weight;
use crate::error::{Obstacle, Result};
use crate::history::Held;
use crate::registry::Entry;
use crate::share::Share;
use crate::text::grouped;

/// What an attack infers about some people.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Finding {
    /// The attack.
    pub attack: &'static str,
    /// The numbers of the releases that it needs.
    pub releases: Vec<u64>,
    /// How many people are concerned.
    pub people: Weight,
    /// How many records, where records are what the attack counts.
    pub records: Option<Weight>,
    /// How sure the attacker is.
    pub confidence: Confidence,
    /// Whether nothing else is possible.
    pub certain: bool,
    /// The group: quasi-identifiers with the texts that were published.
    #[serde(serialize_with = "crate::witness::as_cells")]
    pub class: Vec<(String, String)>,
    /// The sensitive column that is inferred; none where a person is found and not a value.
    pub column: Option<String>,
    /// What is inferred. For internal eyes: see [`Finding::without_value`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// One sentence without any sensitive value, name or pseudonym.
    pub words: String,
}

/// What an attack found, worst first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    /// Everything it found.
    pub all: Vec<Finding>,
    /// What it could not look at beside, and why: there may be more to find.
    pub not_checked: Option<String>,
}

impl std::ops::Deref for Findings {
    type Target = [Finding];

    fn deref(&self) -> &[Finding] {
        &self.all
    }
}

/// A sensitive value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Value {
    /// Its published code in the last of the releases that has the column; none for a range or an inner value.
    pub code: Option<u32>,
    /// Its text.
    pub label: String,
}

/// How sure an attacker is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Confidence {
    /// Counted.
    Exact(Share),
    /// Computed by approximation or from drawn samples.
    Estimate(f64),
}

impl Confidence {
    /// Nothing else is possible.
    pub(crate) const CERTAIN: Confidence = Confidence::Exact(Share { numerator: 1, denominator: 1 });

    /// One of so many.
    pub(crate) fn one_of(many: Weight) -> Confidence {
        Confidence::Exact(Share::new(1, many))
    }

    /// For display and for sorting.
    pub fn to_f64(self) -> f64 {
        match self {
            Confidence::Exact(share) => share.to_f64(),
            Confidence::Estimate(number) => number,
        }
    }

    /// Whether it is no less than this.
    pub fn reaches(self, least: Share) -> bool {
        match self {
            Confidence::Exact(share) => share >= least,
            Confidence::Estimate(number) => number >= least.to_f64(),
        }
    }

    fn order(self, other: Confidence) -> Ordering {
        match (self, other) {
            (Confidence::Exact(one), Confidence::Exact(other)) => one.cmp(&other),
            (one, other) => one.to_f64().total_cmp(&other.to_f64()),
        }
    }
}

/// As `{"kind": "exact", "value": 0.75, "fraction": "3/4"}`; an estimate has no fraction.
impl serde::Serialize for Confidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let (kind, fraction) = match self {
            Confidence::Exact(share) => ("exact", Some(fraction(*share))),
            Confidence::Estimate(_) => ("estimate", None),
        };
        let mut object = serializer.serialize_struct("Confidence", 3)?;
        object.serialize_field("kind", kind)?;
        object.serialize_field("value", &self.to_f64())?;
        object.serialize_field("fraction", &fraction)?;
        object.end()
    }
}

/// In lowest terms.
fn fraction(share: Share) -> String {
    let (mut a, mut b) = (share.numerator, share.denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let common = a.max(1);
    format!("{}/{}", share.numerator / common, share.denominator / common)
}

impl Finding {
    /// The same for a report that everybody may read.
    pub fn without_value(self) -> Finding {
        Finding { value: None, ..self }
    }

    /// Worst first: what is certain, then what is surest, then what concerns most people.
    pub fn order(&self, other: &Finding) -> Ordering {
        let worst = other.certain.cmp(&self.certain).then(other.confidence.order(self.confidence));
        let worst = worst.then(other.people.cmp(&self.people));
        let label = |finding: &Finding| finding.value.as_ref().map(|value| value.label.clone());
        worst
            .then_with(|| self.releases.cmp(&other.releases))
            .then_with(|| self.column.cmp(&other.column))
            .then_with(|| self.class.cmp(&other.class))
            .then_with(|| label(self).cmp(&label(other)))
            .then_with(|| self.words.cmp(&other.words))
    }
}

/// The findings, worst first. That nothing was found is only said when everything could be looked at.
pub(super) fn conclude(entry: &Entry, mut findings: Vec<Finding>, unchecked: Unchecked) -> Result<Findings> {
    if findings.is_empty() && !unchecked.is_empty() {
        return Err(Obstacle::AttackNotRunnable { attack: entry.title, reason: unchecked.why() }.into());
    }
    findings.sort_by(Finding::order);
    let not_checked = (!unchecked.is_empty()).then(|| unchecked.why());
    Ok(Findings { all: findings, not_checked })
}

/// What a release is called in sentences: `release 2 spring`.
pub(super) fn called(held: &Held) -> String {
    match (held.number, held.name.as_str()) {
        (0, "") => "the release".to_owned(),
        (0, name) => format!("release {name}"),
        (number, "") => format!("release {number}"),
        (number, name) => format!("release {number} {name}"),
    }
}

/// `1 person of [30,40) / Male`, `3 people of Zurich`, `2 people of group 17`: a number says nothing without its column.
pub(super) fn people_of(people: Weight, class: &[(String, String)]) -> String {
    let is_number = |label: &str| !label.is_empty() && label.bytes().all(|letter| letter.is_ascii_digit());
    let text =
        |(name, label): &(String, String)| if is_number(label) { format!("{name} {label}") } else { label.clone() };
    let labels: Vec<String> = class.iter().map(text).collect();
    let of = if labels.is_empty() { String::new() } else { format!(" of {}", labels.join(" / ")) };
    format!("{}{of}", people_text(people))
}

/// `1 person`, `1,000 people`.
pub(super) fn people_text(people: Weight) -> String {
    if people == 1 { "1 person".to_owned() } else { format!("{} people", grouped(people)) }
}

/// The verb for so many: `has` or `have`.
pub(super) fn have(people: Weight) -> &'static str {
    if people == 1 { "has" } else { "have" }
}
