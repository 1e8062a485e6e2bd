//! The comparison for display.

use reticent_report::{ComparedChoice, ComparedFigures, Comparison};

use crate::answer::{Choice, ChoiceResult, CompareAnswer};
use crate::context::Context;
use crate::request::CompareRequest;

/// Names of the settings, in the order of [`settings`].
const SETTINGS: [&str; 6] = ["policy", "columns", "algorithm", "k", "confidence", "suppression"];

/// Returns the displayed comparison. Settings that all choices share are left out.
pub(super) fn page(request: &CompareRequest, answer: &CompareAnswer, context: &Context) -> Comparison {
    let all: Vec<[String; SETTINGS.len()]> = answer.choices.iter().map(settings).collect();
    let differs = |at: &usize| all.iter().any(|one| one[*at] != all[0][*at]);
    let shown: Vec<usize> = (0..SETTINGS.len()).filter(differs).collect();
    let choice = |(choice, settings): (&Choice, &[String; SETTINGS.len()])| ComparedChoice {
        settings: shown.iter().map(|at| settings[*at].clone()).collect(),
        state: choice.state.word(),
        figures: choice.result.as_ref().map(figures),
        error: choice.error.clone(),
    };
    Comparison {
        title: request
            .name
            .as_ref()
            .map_or("Risk and loss".to_owned(), |name| format!("Risk and loss of {}", name.as_str())),
        date: context.today(),
        data: request.data.to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings: shown.iter().map(|at| SETTINGS[*at]).collect(),
        choices: answer.choices.iter().zip(&all).map(choice).collect(),
        commands: answer.choices.iter().filter_map(|choice| choice.command.clone()).collect(),
        assumptions: answer.assumptions.clone(),
    }
}

fn settings(choice: &Choice) -> [String; SETTINGS.len()] {
    let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    [
        choice.policy.display().to_string(),
        choice.columns.as_ref().map(|columns| columns.join(", ")).unwrap_or_default(),
        choice.algorithm.clone().unwrap_or_default(),
        choice.k.map(|k| k.to_string()).unwrap_or_default(),
        number(choice.confidence),
        number(choice.suppression),
    ]
}

fn figures(result: &ChoiceResult) -> ComparedFigures {
    ComparedFigures {
        loss: result.loss,
        risk: result.reidentification,
        posterior: result.posterior,
        classes: result.classes,
        records: result.published,
        fully_suppressed: result.fully_suppressed.clone(),
    }
}
