//! `reticent compare`: what releases would be like with other policies, algorithms or thresholds, side by side.

mod plot;

use reticent_app::answer::{Choice, ChoiceResult, ChoiceState, CompareAnswer};
use reticent_app::request::CompareRequest;
use reticent_app::{POLICY, PolicySource, Workspace};

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, columns, count, number, wrap};

/// Compares releases without publishing. The exit status is 1 if every choice would be refused.
pub fn run(options: &args::Compare, console: &Console) -> Result<u8, Error> {
    let split = |list: &String| list.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>();
    let request = CompareRequest {
        data: options.data.clone().into(),
        name: options.name.clone(),
        recipients: options.to.clone(),
        ignore_history: options.ignore_history,
        policies: options.policies.iter().map(PolicySource::from).collect(),
        algorithms: options.algorithms.clone(),
        k: options.k.clone(),
        confidence: options.confidence.clone(),
        suppression: options.suppression.clone(),
        columns: options.columns.iter().map(split).collect(),
        seed: None,
        html: options.html.clone(),
    };
    let workspace = Workspace { ledger: options.ledger.clone(), key: options.key.clone(), ..Workspace::new(POLICY) };
    let answer = workspace.compare(&request, &console.context)?;
    console.answer(&answer, |answer| print(answer, console.verbose))?;
    Ok(u8::from(!answer.choices.iter().any(|choice| choice.result.is_some())))
}

/// A setting that choices can differ in, with its text.
type Property = (&'static str, fn(&Choice) -> String);

const PROPERTIES: [Property; 6] = [
    ("policy", |choice| choice.policy.display().to_string()),
    ("columns", |choice| choice.columns.as_ref().map(|columns| columns.join(",")).unwrap_or_default()),
    ("algorithm", |choice| choice.algorithm.clone().unwrap_or_default()),
    ("k", |choice| choice.k.map(|k| k.to_string()).unwrap_or_default()),
    ("confidence", |choice| choice.confidence.map(|share| share.to_string()).unwrap_or_default()),
    ("suppression", |choice| choice.suppression.map(|share| share.to_string()).unwrap_or_default()),
];

/// Prints a table with one line per choice, the frontier, and the command for the recommended choice.
fn print(comparison: &CompareAnswer, verbose: bool) {
    let choices = &comparison.choices;
    let properties: Vec<&Property> =
        PROPERTIES.iter().filter(|(_, of)| choices.iter().any(|choice| of(choice) != of(&choices[0]))).collect();
    print_table(choices, &properties, verbose);
    println!(
        "\n{HINT}{}{HINT:#}",
        wrap(
            "Empty settings are those of the policy. loss: 0 = raw values, 1 = fully suppressed, by the purpose of the policy. \
             re-identification and posterior: the highest risk of a person, given all releases if the policy audits them, otherwise given \
             this release. dominated: another choice within the policy has at most these risks and this loss. outside: weaker than the \
             policy, or more suppression. Nothing was published.",
            WIDTH,
            ""
        )
    );
    plot::print(choices);
    let about = |choice: &Choice| -> String {
        let settings: Vec<String> = properties
            .iter()
            .map(|(head, of)| (head, of(choice)))
            .filter(|(_, value)| !value.is_empty())
            .map(|(head, value)| format!("{head} {value}"))
            .collect();
        if settings.is_empty() { "settings of the policy".to_owned() } else { settings.join(", ") }
    };
    for choice in choices.iter().filter(|choice| choice.error.is_some()) {
        let why = choice.error.as_deref().unwrap_or_default().trim_start_matches("refused: ");
        println!("{}", wrap(&format!("- {}: {why}", about(choice)), WIDTH, "  "));
    }
    for assumption in &comparison.assumptions {
        println!("{}", wrap(&format!("assumes: {assumption}"), WIDTH, "  "));
    }
    for choice in choices {
        let (Some(command), Some(result)) = (&choice.command, &choice.result) else { continue };
        println!("\n{HEAD}Recommended{HEAD:#} ({}): the least loss within the thresholds of the policy", about(choice));
        println!("  {command}");
        for open in &result.not_established {
            println!("{}", wrap(&format!("{BAD}not established{BAD:#} to be within the policy: {open}"), WIDTH, "  "));
        }
    }
    if !choices.iter().any(|choice| choice.state == ChoiceState::Recommended) {
        println!(
            "\n{BAD}no choice satisfies the policy{BAD:#}: change the policy, or compare other columns with --columns"
        );
    }
    if let Some(html) = &comparison.html {
        println!("{HINT}Comparison: {}{HINT:#}", html.display());
    }
}

/// Prints one line per choice. Settings that all choices share are left out.
fn print_table(choices: &[Choice], properties: &[&Property], verbose: bool) {
    let mut metrics: Vec<&'static str> = Vec::new();
    for value in choices.iter().filter_map(|choice| choice.result.as_ref()).flat_map(|result| &result.metrics) {
        if verbose && !metrics.contains(&value.id) {
            metrics.push(value.id);
        }
    }
    let mut heads: Vec<String> = vec![String::new()];
    heads.extend(properties.iter().map(|(head, _)| (*head).to_owned()));
    heads.extend(
        ["loss", "re-identification", "posterior", "classes", "records", "suppressed columns"].map(str::to_owned),
    );
    heads.extend(metrics.iter().map(|id| (*id).to_owned()));
    let mut rows = vec![heads];
    for choice in choices {
        let mut row = vec![choice.state.word().to_owned()];
        row.extend(properties.iter().map(|(_, of)| of(choice)));
        if let Some(result) = &choice.result {
            row.extend(figures(result));
            let value =
                |id: &&'static str| result.metrics.iter().find(|value| value.id == *id).map(|v| number(v.value));
            row.extend(metrics.iter().map(|id| value(id).unwrap_or_default()));
        }
        row.resize(rows[0].len(), String::new());
        rows.push(row);
    }
    for (at, line) in columns(&rows).iter().enumerate() {
        let Some(choice) = at.checked_sub(1).and_then(|at| choices.get(at)) else {
            println!("{HEAD}{line}{HEAD:#}");
            continue;
        };
        let word = choice.state.word();
        let style = match choice.state {
            ChoiceState::Refused => BAD,
            ChoiceState::Dominated | ChoiceState::Outside => HINT,
            ChoiceState::Recommended | ChoiceState::Frontier => GOOD,
        };
        println!("{style}{word}{style:#}{}", line.strip_prefix(word).unwrap_or(line));
    }
}

fn figures(result: &ChoiceResult) -> [String; 6] {
    [
        number(result.loss),
        number(result.reidentification),
        result.posterior.map(number).unwrap_or_default(),
        count(result.classes),
        count(result.published),
        if result.fully_suppressed.is_empty() { String::new() } else { result.fully_suppressed.join(",") },
    ]
}
