//! Disclosure risk of a single release: prosecutor re-identification risk and attribute disclosure, without a history.

mod class_sizes;
mod quasi_identifiers;

use crate::data::schema::{Role, Schema, TreeSource};
use crate::data::taxonomy::Type;
use crate::error::Result;
use crate::models;
use crate::registry::{Argument, Arguments};
use crate::release::Release;
use crate::release::classes::{EquivalenceClass, Measured, for_each, people_in};
use crate::release::history::History;
pub use class_sizes::{ClassSizeBin, class_sizes};
pub use quasi_identifiers::{MinimalQuasiIdentifier, minimal_quasi_identifier};

/// Re-identification risk of one release for an attacker with given background knowledge.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Risk {
    /// Columns that the attacker knows.
    pub known_columns: Vec<String>,
    /// Number of records in the release.
    pub records: u64,
    /// Number of people in the release.
    pub people: u64,
    /// Number of equivalence classes on the known columns.
    pub classes: u64,
    /// Number of people in the smallest equivalence class: the `k` of k-anonymity.
    pub smallest_class: u64,
    /// Number of sample unique people: those in a class of size 1.
    pub sample_unique: u64,
    /// Number of people in classes smaller than the requested `k`.
    pub below_k: u64,
    /// The requested `k`.
    pub k: u64,
    /// Maximum prosecutor risk: 1 / (size of the smallest class).
    pub highest_risk: f64,
    /// Mean prosecutor risk over all people: (number of classes) / (number of people).
    pub average_risk: f64,
    /// Attribute disclosure risk of each sensitive column.
    pub sensitive: Vec<SensitiveRisk>,
}

/// Attribute disclosure risk of one sensitive column, for the attacker of [`Risk`].
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SensitiveRisk {
    /// Name of the sensitive column.
    pub column: String,
    /// Minimum number of distinct values in a class: the `l` of distinct l-diversity.
    pub distinct: u64,
    /// Minimum effective number of values in a class, exp(entropy): the `l` of entropy l-diversity.
    pub entropy: f64,
    /// Maximum confidence of inferring a value from a class.
    pub confidence: f64,
    /// Number of people in classes where all people have the same value.
    pub certain: u64,
    /// Maximum earth mover's distance between a class and the whole release: the `t` of t-closeness.
    pub closeness: f64,
    /// Ground distance of `closeness`: `ordered` for numbers and dates, otherwise `equal`.
    pub distance: &'static str,
}

/// Risk of a release for an attacker who knows all quasi-identifiers, in short.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ReleaseRisk {
    /// Number of people in the smallest equivalence class.
    pub smallest_class: u64,
    /// Maximum prosecutor risk: 1 / (size of the smallest class).
    pub highest_risk: f64,
    /// Mean prosecutor risk over all people: (number of classes) / (number of people).
    pub average_risk: f64,
    /// Maximum confidence of each sensitive column.
    pub confidence: Vec<ColumnConfidence>,
}

/// Maximum confidence of inferring a value of one sensitive column.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ColumnConfidence {
    /// Name of the sensitive column.
    pub column: String,
    /// Maximum, over classes and values, of the share of people with the value.
    pub highest: f64,
}

/// Measures the risk of a release for an attacker who knows all quasi-identifiers.
pub fn release_risk(release: &Release) -> ReleaseRisk {
    let columns_of = |role: Role| (0..release.columns.len()).filter(move |at| release.columns[*at].role == role);
    let qi: Vec<usize> = columns_of(Role::QuasiIdentifier).collect();
    let mut sizes: Vec<u64> = Vec::new();
    for_each(&release.contingency, &qi, &Measured::new(&release.contingency, &[]), |_, class| sizes.push(class.size));
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let confidence = columns_of(Role::Sensitive).map(|column| {
        let mut highest: f64 = 0.0;
        for_each(&release.contingency, &qi, &Measured::new(&release.contingency, &[column]), |_, class| {
            // A suppressed value (the root of the taxonomy) discloses nothing.
            let values = class.counts.iter().filter(|(code, _)| release.columns[column].nodes[*code as usize] != 0);
            let largest = values.map(|(_, count)| *count).max().unwrap_or(0);
            highest = highest.max(largest as f64 / class.size.max(1) as f64);
        });
        ColumnConfidence { column: release.columns[column].name.clone(), highest }
    });
    ReleaseRisk {
        smallest_class: smallest,
        highest_risk: 1.0 / smallest.max(1) as f64,
        average_risk: sizes.len() as f64 / sizes.iter().sum::<u64>().max(1) as f64,
        confidence: confidence.collect(),
    }
}

/// Measures the risk of a release for an attacker who knows the columns `on`.
///
/// # Errors
///
/// Returns an error if the release has no such column, or if a model cannot be built for a sensitive column.
pub fn risk(release: &Release, schema: &Schema, on: &[String], k: u64) -> Result<Risk> {
    let qi = release.positions(on)?;
    let people = Measured::new(&release.contingency, &[]);
    let mut sizes: Vec<u64> = Vec::new();
    for_each(&release.contingency, &qi, &people, |_, class| sizes.push(class.size));
    let in_classes: u64 = sizes.iter().sum();
    let total = release.contingency.people();
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let sensitive = schema.with_role(Role::Sensitive).into_iter().filter(|column| release.position(column).is_ok());
    Ok(Risk {
        known_columns: on.to_vec(),
        records: release.contingency.rows(),
        people: total,
        classes: sizes.len() as u64,
        smallest_class: smallest,
        sample_unique: people_in(&release.contingency, &qi, &people, |_, class| class.size == 1),
        below_k: people_in(&release.contingency, &qi, &people, |_, class| class.size < k),
        k,
        highest_risk: 1.0 / smallest.max(1) as f64,
        average_risk: sizes.len() as f64 / in_classes.max(1) as f64,
        sensitive: sensitive.map(|column| sensitive_risk(release, schema, on, &qi, column)).collect::<Result<_>>()?,
    })
}

fn sensitive_risk(
    release: &Release,
    schema: &Schema,
    on: &[String],
    qi: &[usize],
    column: String,
) -> Result<SensitiveRisk> {
    let history = History::single(release.clone());
    let attribute = schema.attribute(&column)?;
    let ordered = attribute.values != Type::Text && !matches!(attribute.tree, TreeSource::Given(_));
    let distance = if ordered { "ordered" } else { "equal" };
    let worst = |model: &str, name: &str, value: Argument| -> Result<f64> {
        let mut arguments = Arguments::default()
            .set("on", Argument::Words(on.to_vec()))
            .set("sensitive", Argument::Word(column.clone()))
            .set(name, value);
        if model == "t-closeness" {
            arguments = arguments.set("distance", Argument::Word(distance.to_owned()));
        }
        let built = models::build(model, arguments, schema)?;
        let mut safety = f64::INFINITY;
        for model in built {
            safety = model.survey(&history)?.worst.map_or(safety, |worst| safety.min(worst.safety));
        }
        Ok(safety)
    };
    let measured = Measured::new(&release.contingency, &release.positions(std::slice::from_ref(&column))?);
    let certain = |_, class: &EquivalenceClass<'_>| class.counts.iter().any(|(_, count)| *count == class.size);
    Ok(SensitiveRisk {
        distinct: worst("distinct-l-diversity", "l", Argument::Number(1.0))? as u64,
        entropy: worst("entropy-l-diversity", "l", Argument::Number(1.0))?,
        confidence: -worst("confidence-bounding", "h", Argument::Number(1.0))?,
        closeness: -worst("t-closeness", "t", Argument::Number(1.0))?,
        certain: people_in(&release.contingency, qi, &measured, certain),
        distance,
        column,
    })
}
