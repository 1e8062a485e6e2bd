//! Presets: fragments of a requirement that come from a published guidance, with their source.
//!
//! A preset sets thresholds. Keys of the policy can be stricter than the preset, and never weaker. A preset does not establish
//! that a release fulfils the other conditions of its source, such as a review or an agreement with the recipients.
//!
//! Adding a preset: one file in this folder, and its two lines here (`mod` and the entry in [`LIST`]).

mod cms_cell_size;
mod ema_0070;
mod health_canada_prci;
mod wp29_05_2014;

use super::reader::{Item, TableReader};
use super::{PolicyDraft, Shorthand};
use crate::audit::Proof;
use crate::error::{Result, did_you_mean};

/// All presets.
pub const LIST: &[Preset] =
    &[ema_0070::PRESET, health_canada_prci::PRESET, cms_cell_size::PRESET, wp29_05_2014::PRESET];

/// Thresholds of a published guidance.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Preset {
    /// Id in the policy.
    pub id: &'static str,
    /// Title.
    pub title: &'static str,
    /// Description of what the preset requires, and why.
    pub summary: &'static str,
    /// Publication that the thresholds come from.
    pub source: &'static str,
    /// Least number of people in an equivalence class.
    pub k: Option<u64>,
    /// Highest posterior of a sensitive value.
    pub confidence: Option<f64>,
    /// Highest prosecutor risk.
    pub reidentification: Option<f64>,
    /// Weakest level of proof about all releases together.
    pub audit: Option<Proof>,
    /// Criteria of the source, each with the key that represents it here.
    pub mapping: &'static [Criterion],
    /// What the source asks for and no threshold covers.
    pub not_covered: &'static str,
}

/// A criterion of a source, and the requirement that represents it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Criterion {
    /// Criterion, in the words of the source.
    pub criterion: &'static str,
    /// Keys of the policy, with their meaning.
    pub requirement: &'static str,
}

const fn criterion(criterion: &'static str, requirement: &'static str) -> Criterion {
    Criterion { criterion, requirement }
}

impl Preset {
    /// Returns the keys of the preset as they would be written in a policy.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        keys.extend(self.k.map(|k| format!("k = {k}")));
        keys.extend(self.confidence.map(|bound| format!("confidence = {bound}")));
        keys.extend(self.reidentification.map(|bound| format!("reidentification = {bound}")));
        keys.extend(self.audit.map(|proof| format!("audit = \"{}\"", proof.word())));
        keys
    }
}

/// Returns the preset with this id.
pub fn find(id: &str) -> Option<&'static Preset> {
    LIST.iter().find(|preset| preset.id == id)
}

/// Returns the ids of all presets, and the nearest one to an unknown id.
pub fn suggestion(id: &str) -> (String, Option<String>) {
    let ids = || LIST.iter().map(|preset| preset.id);
    (ids().collect::<Vec<_>>().join(", "), did_you_mean(id, ids()))
}

impl PolicyDraft {
    /// Replaces the drafted requirement by a preset.
    #[must_use]
    pub fn with_preset(mut self, preset: &Preset) -> PolicyDraft {
        let mut in_requirement = false;
        let mut lines: Vec<String> = Vec::new();
        for line in self.toml.lines() {
            if line.starts_with('[') {
                in_requirement = line == "[requirement]";
            }
            // Thresholds of the draft could be weaker than the preset.
            if in_requirement && !line.is_empty() && line != "[requirement]" {
                continue;
            }
            lines.push(line.to_owned());
            if line == "[requirement]" {
                lines.push(format!("# {}", preset.title));
                lines.push(format!("# Source: {}", preset.source));
                lines.push(format!(
                    "# Sets {}. Further keys can be stricter, and never weaker.",
                    preset.keys().join(", ")
                ));
                lines.push(format!("preset = \"{}\"", preset.id));
            }
        }
        self.toml = lines.join("\n") + "\n";
        self
    }
}

/// Reads the preset of a requirement.
pub(super) fn read(requirement: &TableReader<'_>) -> Result<Option<&'static Preset>> {
    let Some(item) = requirement.get("preset") else { return Ok(None) };
    let id = item.text()?;
    if let Some(preset) = find(id) {
        return Ok(Some(preset));
    }
    let (all, hint) = suggestion(id);
    Err(item.wrong_hint(&format!("is {id:?}, and must be one of: {all}"), hint))
}

/// Adds the thresholds of a preset to those of the policy.
///
/// # Errors
///
/// Returns an error if a key of the policy is weaker than the preset.
pub(super) fn apply(preset: &Preset, requirement: &TableReader<'_>, own: Shorthand) -> Result<Shorthand> {
    let weaker = |name: &str, value: String, order: &str, limit: String| {
        let message = format!(
            "is {value}, but the preset {} requires {order} {limit}; remove this key, or write a stricter value",
            preset.id
        );
        requirement.get(name).map_or(Ok(()), |item: &Item<'_>| Err(item.wrong(&message)))
    };
    if let (Some(own), Some(least)) = (own.k, preset.k)
        && own < least
    {
        weaker("k", own.to_string(), "at least", least.to_string())?;
    }
    let bounds = [
        ("confidence", own.confidence, preset.confidence),
        ("reidentification", own.reidentification, preset.reidentification),
    ];
    for (name, own, most) in bounds {
        if let (Some(own), Some(most)) = (own, most)
            && own > most
        {
            weaker(name, own.to_string(), "at most", most.to_string())?;
        }
    }
    Ok(Shorthand {
        k: own.k.or(preset.k),
        confidence: own.confidence.or(preset.confidence),
        reidentification: own.reidentification.or(preset.reidentification),
    })
}

/// Returns the level of proof: that of the policy, which must not be weaker than that of the preset.
pub(super) fn proof(preset: Option<&Preset>, requirement: &TableReader<'_>) -> Result<Proof> {
    let least = preset.and_then(|preset| Some((preset.id, preset.audit?)));
    let own = requirement.text("audit").as_deref().and_then(Proof::from_word);
    // From strong to weak.
    let rank = |proof: Proof| Proof::WORDS.iter().position(|word| *word == proof.word());
    match (own, least) {
        (Some(own), Some((id, least))) if rank(own) > rank(least) => {
            let message = format!(
                "is \"{}\", but the preset {id} requires \"{}\" or stronger; remove this key",
                own.word(),
                least.word()
            );
            requirement.get("audit").map_or(Ok(own), |item| Err(item.wrong(&message)))
        }
        (Some(own), _) => Ok(own),
        (None, least) => Ok(least.map(|(_, least)| least).unwrap_or_default()),
    }
}
