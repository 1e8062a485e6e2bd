//! `reticent compare`: what releases would be like under several policies, algorithms or thresholds, side by side.

use std::path::{Path, PathBuf};

use reticent::algorithms::Guarantee;
use reticent::relief::Relief;
use reticent::risk::Brief;
use serde::Serialize;

use super::publish::{Answer, publish};
use crate::args::{Compare, Place, Publish, WhatIf};
use crate::failure::Failure;
use crate::screen::{BAD, GOOD, HEAD, HINT, WIDTH, columns, count, number, print_json, wrap};
use crate::steward::Ways;

/// What `compare` answers.
#[derive(Debug, Serialize)]
struct Comparison {
    /// One for every choice.
    choices: Vec<Choice>,
}

/// One way to publish.
#[derive(Debug, Serialize)]
struct Choice {
    /// The policy.
    policy: PathBuf,
    /// The algorithm, if it is not the policy's.
    algorithm: Option<String>,
    /// `k`, if it is not the policy's.
    k: Option<u64>,
    /// `confidence`, if it is not the policy's.
    confidence: Option<f64>,
    /// The columns, if not all.
    columns: Option<Vec<String>>,
    /// What would be published; none where it would be refused.
    would: Option<Would>,
    /// Why it would be refused.
    refused: Option<String>,
    /// What is known about the refusal.
    refusal: Option<Relief>,
}

/// What would be published.
#[derive(Debug, Serialize)]
struct Would {
    /// Records in the file.
    published: u64,
    /// Records left out because their class violated the requirement.
    suppressed: u64,
    /// Classes of records that look alike on the quasi-identifiers.
    classes: u64,
    /// The algorithm.
    algorithm: String,
    /// What is known about how little was lost.
    guarantee: Guarantee,
    /// What somebody who knows the quasi-identifiers can do with it by itself.
    risk: Brief,
    /// By metric: its value.
    metrics: Vec<Value>,
    /// Seconds of the search.
    search: f64,
}

/// The value of a metric.
#[derive(Debug, Serialize)]
struct Value {
    /// The metric.
    id: &'static str,
    /// Its value.
    value: f64,
}

/// Compares, and publishes nothing.
pub fn run(options: &Compare, ways: &Ways) -> Result<u8, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::file("write in", std::env::temp_dir()))?;
    let mut choices = Vec::new();
    for choice in choices_of(options) {
        choices.push(judge(options, choice, folder.path(), ways)?);
        ways.check_stop()?;
    }
    ways.progress.done();
    let comparison = Comparison { choices };
    let some = comparison.choices.iter().any(|choice| choice.would.is_some());
    if ways.json {
        print_json(&comparison)?;
    } else {
        print(&comparison);
    }
    Ok(u8::from(!some))
}

/// Every combination of what is to be compared.
fn choices_of(options: &Compare) -> Vec<Choice> {
    fn or_none<T: Clone>(given: &[T]) -> Vec<Option<T>> {
        if given.is_empty() { vec![None] } else { given.iter().cloned().map(Some).collect() }
    }
    let split = |list: &String| list.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    let lists: Vec<Vec<String>> = options.columns.iter().map(split).collect();
    let mut choices = Vec::new();
    for policy in &options.policies {
        for algorithm in or_none(&options.algorithms) {
            for k in or_none(&options.k) {
                for confidence in or_none(&options.confidence) {
                    for columns in or_none(&lists) {
                        choices.push(Choice {
                            policy: policy.clone(),
                            algorithm: algorithm.clone(),
                            k,
                            confidence,
                            columns,
                            would: None,
                            refused: None,
                            refusal: None,
                        });
                    }
                }
            }
        }
    }
    choices
}

/// Rehearses one way to publish.
fn judge(options: &Compare, mut choice: Choice, folder: &Path, ways: &Ways) -> Result<Choice, Failure> {
    let rehearsal = Publish {
        data: options.data.clone(),
        name: options.name.clone(),
        output: folder.join("release.csv"),
        to: options.to.clone(),
        alone: options.alone,
        place: Place {
            policy: choice.policy.clone(),
            ledger: options.ledger.clone(),
            key: options.key.clone(),
            new_ledger: true,
            wait: 60.0,
        },
        columns: choice.columns.clone(),
        algorithm: choice.algorithm.clone(),
        time_limit: None,
        dry_run: true,
        what_if: WhatIf { k: choice.k, confidence: choice.confidence },
    };
    match publish(&rehearsal, ways) {
        Ok(answer) if answer.verified.holds() => choice.would = Some(would(answer)),
        Ok(_) => choice.refused = Some("the written file violates the requirement".to_owned()),
        Err(failure) if failure.status() == 1 => {
            choice.refused = Some(failure.to_string());
            if let Failure::Refused { relief, .. } = failure {
                choice.refusal = Some(*relief);
            }
        }
        Err(failure) => return Err(failure),
    }
    Ok(choice)
}

fn would(answer: Answer) -> Would {
    Would {
        published: answer.published,
        suppressed: answer.suppressed,
        classes: answer.classes,
        algorithm: answer.algorithm,
        guarantee: answer.guarantee,
        risk: answer.risk,
        metrics: answer.metrics.iter().map(|metric| Value { id: metric.id, value: metric.measure.value }).collect(),
        search: answer.seconds.search,
    }
}

/// A table with a line for every choice; what all choices share is left out.
fn print(comparison: &Comparison) {
    let choices = &comparison.choices;
    let mut heads: Vec<String> = vec![String::new()];
    let varies = |of: fn(&Choice) -> String| choices.iter().any(|choice| of(choice) != of(&choices[0]));
    type Said = (&'static str, fn(&Choice) -> String);
    let said: [Said; 5] = [
        ("policy", |choice| choice.policy.display().to_string()),
        ("algorithm", |choice| choice.algorithm.clone().unwrap_or_default()),
        ("k", |choice| choice.k.map(|k| k.to_string()).unwrap_or_default()),
        ("confidence", |choice| choice.confidence.map(|share| share.to_string()).unwrap_or_default()),
        ("columns", |choice| choice.columns.as_ref().map(|columns| columns.join(",")).unwrap_or_default()),
    ];
    let said: Vec<&Said> = said.iter().filter(|(_, of)| varies(*of)).collect();
    heads.extend(said.iter().map(|(head, _)| (*head).to_owned()));
    let mut metrics: Vec<&'static str> = Vec::new();
    for value in choices.iter().filter_map(|choice| choice.would.as_ref()).flat_map(|would| &would.metrics) {
        if !metrics.contains(&value.id) {
            metrics.push(value.id);
        }
    }
    heads.extend(["records", "classes", "smallest", "surest", "search s"].map(str::to_owned));
    heads.extend(metrics.iter().map(|id| (*id).to_owned()));
    let mut rows = vec![heads];
    for choice in choices {
        let mut row = vec![if choice.would.is_some() { "would publish" } else { "refused" }.to_owned()];
        row.extend(said.iter().map(|(_, of)| of(choice)));
        if let Some(would) = &choice.would {
            let surest = would.risk.confidence.iter().map(|column| column.highest).fold(f64::NAN, f64::max);
            row.push(count(would.published));
            row.push(count(would.classes));
            row.push(count(would.risk.smallest_class));
            row.push(if surest.is_nan() { String::new() } else { number(surest) });
            row.push(format!("{:.2}", would.search));
            let value = |id: &&'static str| would.metrics.iter().find(|value| value.id == *id).map(|v| number(v.value));
            row.extend(metrics.iter().map(|id| value(id).unwrap_or_default()));
        }
        row.resize(rows[0].len(), String::new());
        rows.push(row);
    }
    for (at, line) in columns(&rows).iter().enumerate() {
        match at {
            0 => println!("{HEAD}{line}{HEAD:#}"),
            _ if choices[at - 1].would.is_some() => {
                println!("{GOOD}would publish{GOOD:#}{}", line.strip_prefix("would publish").unwrap_or(line));
            }
            _ => println!("{BAD}refused{BAD:#}{}", line.strip_prefix("refused").unwrap_or(line)),
        }
    }
    println!(
        "\n{HINT}{}{HINT:#}",
        wrap(
            "smallest: people in the smallest class on the quasi-identifiers; surest: the highest confidence in a sensitive value, \
             both of the release by itself. Of the metrics, lower is better. Nothing was published.",
            WIDTH,
            ""
        )
    );
    for choice in choices.iter().filter(|choice| choice.refused.is_some()) {
        let about: Vec<String> = said.iter().map(|(head, of)| format!("{head} {}", of(choice))).collect();
        let why = choice.refused.as_deref().unwrap_or_default().trim_start_matches("refused: ");
        println!("{}", wrap(&format!("- {}: {why}", about.join(", ")), WIDTH, "  "));
    }
}
