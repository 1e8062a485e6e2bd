//! The requirement: a conjunction of models with their parameters.

use crate::error::Result;
use crate::history::History;
use crate::models::{Model, Survey};
use crate::registry::{Argument, Arguments};
use crate::schema::{Role, Schema};

/// Models that must all hold.
#[derive(Debug, Default)]
pub struct Requirement {
    /// The models.
    pub models: Vec<Box<dyn Model>>,
}

/// One model as a policy words it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wording {
    /// The model's id.
    pub model: String,
    /// Its parameters.
    pub arguments: Arguments,
    /// The line of the policy it stands on.
    pub line: Option<usize>,
}

/// The short form for people who do not want to choose models.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Short {
    /// Nobody can be narrowed down to fewer than this many people.
    pub k: Option<u64>,
    /// No sensitive value can be inferred with more confidence than this.
    pub confidence: Option<f64>,
}

impl Short {
    /// The models that the short form stands for.
    pub fn expand(&self, schema: &Schema) -> Vec<Wording> {
        let mut wordings = Vec::new();
        if let Some(k) = self.k {
            let arguments = Arguments::default().set("k", Argument::Number(k as f64));
            wordings.push(Wording { model: "k-anonymity".to_owned(), arguments, line: None });
        }
        if let Some(h) = self.confidence
            && !schema.with_role(Role::Sensitive).is_empty()
        {
            let arguments = Arguments::default().set("h", Argument::Number(h));
            wordings.push(Wording { model: "confidence-bounding".to_owned(), arguments, line: None });
        }
        wordings
    }
}

impl Requirement {
    /// Builds every model that is worded.
    pub fn build(wordings: &[Wording], schema: &Schema) -> Result<Requirement> {
        let mut models = Vec::new();
        for wording in wordings {
            let built = crate::models::build(&wording.model, wording.arguments.clone(), schema);
            models.extend(built.map_err(|error| at_line(error, wording.line))?);
        }
        if models.is_empty() {
            let message = "nothing is required of these columns, and what is not required is not checked; publish a sensitive \
                           column with them, or set `k`";
            return Err(crate::Error::policy(None, message));
        }
        Ok(Requirement { models })
    }

    /// What every model finds in a history.
    pub fn survey(&self, history: &History) -> Result<Vec<(String, Survey)>> {
        self.models.iter().map(|model| Ok((model.title(), model.survey(history)?))).collect()
    }
}

/// Says on which line of the policy an error was caused.
fn at_line(error: crate::Error, line: Option<usize>) -> crate::Error {
    match (line, error) {
        (Some(_), error @ crate::Error::Policy { line: Some(_), .. }) => error,
        (line, crate::Error::Policy { message, hint, .. }) => crate::Error::Policy { line, message, hint },
        (Some(line), error) => crate::Error::policy(Some(line), error.to_string()),
        (None, error) => error,
    }
}
