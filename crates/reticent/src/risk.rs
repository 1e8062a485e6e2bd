//! How risky a release is by itself, in the models' own measures: what `reticent check` shows of data as it stands.

use crate::classes::{Group, Measured, for_each, people_in};
use crate::error::Result;
use crate::history::History;
use crate::models;
use crate::registry::{Argument, Arguments};
use crate::release::Release;
use crate::schema::{Role, Schema, Tree};
use crate::taxonomy::Type;

/// What an attacker who knows some columns can narrow down in one release.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Risk {
    /// The columns the attacker knows.
    pub on: Vec<String>,
    /// Records in the release.
    pub records: u64,
    /// People in the release.
    pub people: u64,
    /// Classes of people who look alike.
    pub classes: u64,
    /// People in the smallest class: the `k` of k-anonymity.
    pub smallest_class: u64,
    /// People who are alone in a class.
    pub unique: u64,
    /// People in classes smaller than the `k` asked about.
    pub below_k: u64,
    /// The `k` asked about.
    pub k: u64,
    /// Highest chance to pick the right person: one over the smallest class.
    pub highest_risk: f64,
    /// The mean of that chance over all people: classes over people.
    pub average_risk: f64,
    /// By sensitive column.
    pub sensitive: Vec<SensitiveRisk>,
}

/// What the same attacker can infer about a sensitive column.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct SensitiveRisk {
    /// The column.
    pub column: String,
    /// Fewest different values in a class: the `l` of distinct l-diversity.
    pub distinct: u64,
    /// Fewest effective values in a class: the `l` of entropy l-diversity.
    pub entropy: f64,
    /// Highest confidence in a value.
    pub confidence: f64,
    /// People whose value is certain.
    pub certain: u64,
    /// Greatest distance of a class from the whole: the `t` of t-closeness.
    pub closeness: f64,
    /// The ground distance used: ordered for numbers and dates, else equal.
    pub distance: &'static str,
}

/// The risk of a release in short: for whoever knows every quasi-identifier.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Brief {
    /// People in the smallest class.
    pub smallest_class: u64,
    /// Highest chance to pick the right person: one over the smallest class.
    pub highest_risk: f64,
    /// The mean of that chance over all people.
    pub average_risk: f64,
    /// By sensitive column: the highest confidence in a value.
    pub confidence: Vec<ColumnConfidence>,
}

/// How sure somebody can be of a value.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ColumnConfidence {
    /// The column.
    pub column: String,
    /// The highest confidence.
    pub highest: f64,
}

/// The risk of a release in short.
pub fn brief(release: &Release) -> Brief {
    let places = |role: Role| (0..release.columns.len()).filter(move |at| release.columns[*at].role == role);
    let by: Vec<usize> = places(Role::QuasiIdentifier).collect();
    let mut sizes: Vec<u64> = Vec::new();
    for_each(&release.combos, &by, &Measured::new(&release.combos, &[]), |_, group| sizes.push(group.size));
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let confidence = places(Role::Sensitive).map(|column| {
        let mut highest: f64 = 0.0;
        for_each(&release.combos, &by, &Measured::new(&release.combos, &[column]), |_, group| {
            // A cell that says nothing tells nothing.
            let told = group.counts.iter().filter(|(code, _)| release.columns[column].nodes[*code as usize] != 0);
            let most = told.map(|(_, count)| *count).max().unwrap_or(0);
            highest = highest.max(most as f64 / group.size.max(1) as f64);
        });
        ColumnConfidence { column: release.columns[column].name.clone(), highest }
    });
    Brief {
        smallest_class: smallest,
        highest_risk: 1.0 / smallest.max(1) as f64,
        average_risk: sizes.len() as f64 / sizes.iter().sum::<u64>().max(1) as f64,
        confidence: confidence.collect(),
    }
}

/// The risk of one release for an attacker who knows these columns.
pub fn risk(release: &Release, schema: &Schema, on: &[String], k: u64) -> Result<Risk> {
    let by = release.positions(on)?;
    let people = Measured::new(&release.combos, &[]);
    let mut sizes: Vec<u64> = Vec::new();
    for_each(&release.combos, &by, &people, |_, group| sizes.push(group.size));
    let in_classes: u64 = sizes.iter().sum();
    let total = release.combos.people();
    let smallest = sizes.iter().copied().min().unwrap_or(0);
    let sensitive = schema.with_role(Role::Sensitive).into_iter().filter(|column| release.position(column).is_ok());
    Ok(Risk {
        on: on.to_vec(),
        records: release.combos.rows(),
        people: total,
        classes: sizes.len() as u64,
        smallest_class: smallest,
        unique: people_in(&release.combos, &by, &people, |group| group.size == 1),
        below_k: people_in(&release.combos, &by, &people, |group| group.size < k),
        k,
        highest_risk: 1.0 / smallest.max(1) as f64,
        average_risk: sizes.len() as f64 / in_classes.max(1) as f64,
        sensitive: sensitive.map(|column| sensitive_risk(release, schema, on, &by, column)).collect::<Result<_>>()?,
    })
}

fn sensitive_risk(
    release: &Release,
    schema: &Schema,
    on: &[String],
    by: &[usize],
    column: String,
) -> Result<SensitiveRisk> {
    let history = History::single(release.clone());
    let attribute = schema.attribute(&column)?;
    let ordered = attribute.values != Type::Text && !matches!(attribute.tree, Tree::Given(_));
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
    let measured = Measured::new(&release.combos, &release.positions(std::slice::from_ref(&column))?);
    let certain = |group: &Group<'_>| group.counts.iter().any(|(_, count)| *count == group.size);
    Ok(SensitiveRisk {
        distinct: worst("distinct-l-diversity", "l", Argument::Number(1.0))? as u64,
        entropy: worst("entropy-l-diversity", "l", Argument::Number(1.0))?,
        confidence: -worst("confidence-bounding", "h", Argument::Number(1.0))?,
        closeness: -worst("t-closeness", "t", Argument::Number(1.0))?,
        certain: people_in(&release.combos, by, &measured, certain),
        distance,
        column,
    })
}
