//! `reticent compare`: what releases would be like under several policies, algorithms or thresholds, side by side.

use reticent_app::answer::{Choice, CompareAnswer};
use reticent_app::request::CompareRequest;
use reticent_app::{POLICY, Workspace};

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, columns, count, number, wrap};

/// Compares releases without publishing. The exit status is 1 if every choice would be refused.
pub fn run(options: &args::Compare, console: &Console) -> Result<u8, Error> {
    let split = |list: &String| list.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    let request = CompareRequest {
        data: options.data.clone(),
        name: options.name.clone(),
        recipients: options.to.clone(),
        ignore_history: options.ignore_history,
        policies: options.policies.clone(),
        algorithms: options.algorithms.clone(),
        k: options.k.clone(),
        confidence: options.confidence.clone(),
        columns: options.columns.iter().map(split).collect(),
    };
    let workspace = Workspace { ledger: options.ledger.clone(), key: options.key.clone(), ..Workspace::new(POLICY) };
    let answer = workspace.compare(&request, &console.context)?;
    console.answer(&answer, print)?;
    Ok(u8::from(!answer.choices.iter().any(|choice| choice.result.is_some())))
}

/// Prints a table with one line per choice. Properties that all choices share are omitted.
fn print(comparison: &CompareAnswer) {
    let choices = &comparison.choices;
    let mut heads: Vec<String> = vec![String::new()];
    let differs = |of: fn(&Choice) -> String| choices.iter().any(|choice| of(choice) != of(&choices[0]));
    type Property = (&'static str, fn(&Choice) -> String);
    let properties: [Property; 5] = [
        ("policy", |choice| choice.policy.display().to_string()),
        ("algorithm", |choice| choice.algorithm.clone().unwrap_or_default()),
        ("k", |choice| choice.k.map(|k| k.to_string()).unwrap_or_default()),
        ("confidence", |choice| choice.confidence.map(|share| share.to_string()).unwrap_or_default()),
        ("columns", |choice| choice.columns.as_ref().map(|columns| columns.join(",")).unwrap_or_default()),
    ];
    let properties: Vec<&Property> = properties.iter().filter(|(_, of)| differs(*of)).collect();
    heads.extend(properties.iter().map(|(head, _)| (*head).to_owned()));
    let mut metrics: Vec<&'static str> = Vec::new();
    for value in choices.iter().filter_map(|choice| choice.result.as_ref()).flat_map(|result| &result.metrics) {
        if !metrics.contains(&value.id) {
            metrics.push(value.id);
        }
    }
    heads.extend(["records", "classes", "smallest", "max posterior", "search s"].map(str::to_owned));
    heads.extend(metrics.iter().map(|id| (*id).to_owned()));
    let mut rows = vec![heads];
    for choice in choices {
        let mut row = vec![if choice.result.is_some() { "would publish" } else { "refused" }.to_owned()];
        row.extend(properties.iter().map(|(_, of)| of(choice)));
        if let Some(result) = &choice.result {
            let highest = result.risk.confidence.iter().map(|column| column.highest).fold(f64::NAN, f64::max);
            row.push(count(result.published));
            row.push(count(result.classes));
            row.push(count(result.risk.smallest_class));
            row.push(if highest.is_nan() { String::new() } else { number(highest) });
            row.push(format!("{:.2}", result.search_seconds));
            let value =
                |id: &&'static str| result.metrics.iter().find(|value| value.id == *id).map(|v| number(v.value));
            row.extend(metrics.iter().map(|id| value(id).unwrap_or_default()));
        }
        row.resize(rows[0].len(), String::new());
        rows.push(row);
    }
    for (at, line) in columns(&rows).iter().enumerate() {
        match at {
            0 => println!("{HEAD}{line}{HEAD:#}"),
            _ if choices[at - 1].result.is_some() => {
                println!("{GOOD}would publish{GOOD:#}{}", line.strip_prefix("would publish").unwrap_or(line));
            }
            _ => println!("{BAD}refused{BAD:#}{}", line.strip_prefix("refused").unwrap_or(line)),
        }
    }
    println!(
        "\n{HINT}{}{HINT:#}",
        wrap(
            "smallest: people in the smallest equivalence class; max posterior: highest posterior of a sensitive value; both for the \
             release alone. Metrics: lower is better. Nothing was published.",
            WIDTH,
            ""
        )
    );
    for choice in choices.iter().filter(|choice| choice.error.is_some()) {
        let about: Vec<String> = properties.iter().map(|(head, of)| format!("{head} {}", of(choice))).collect();
        let why = choice.error.as_deref().unwrap_or_default().trim_start_matches("refused: ");
        println!("{}", wrap(&format!("- {}: {why}", about.join(", ")), WIDTH, "  "));
    }
}
