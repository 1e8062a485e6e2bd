//! The requirement: a conjunction of models with their parameters.

use crate::error::Result;
use crate::history::History;
use crate::join::Inconsistent;
use crate::joined::{Made, Member, PEOPLE, Scope, Together};
use crate::models::{Model, Survey};
use crate::registry::{Argument, Arguments};
use crate::schema::{Role, Schema};
use crate::statement::{self, parameters};
use crate::verify::Verdict;
use crate::wording::cuts;

pub use crate::wording::Wording;

/// Models that must all hold, and what they demand of joined releases.
#[derive(Debug, Default)]
pub struct Requirement {
    /// The models, over the new release by itself.
    pub models: Vec<Box<dyn Model>>,
    /// By model: as the policy words it.
    pub worded: Vec<Wording>,
    /// What is demanded of the new release joined with earlier ones.
    pub joined: Vec<Together>,
    /// Values that no one person has.
    pub rules: Vec<Inconsistent>,
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
    /// The models that the short form stands for, for a release by itself.
    pub fn expand(&self, schema: &Schema) -> Vec<Wording> {
        let mut wordings = self.expand_all();
        if schema.with_role(Role::Sensitive).is_empty() {
            wordings.retain(|wording| wording.model != "confidence-bounding");
        }
        wordings
    }

    /// The models that the short form stands for, whatever columns a release has.
    pub fn expand_all(&self) -> Vec<Wording> {
        let mut wordings = Vec::new();
        if let Some(k) = self.k {
            let arguments = Arguments::default().set("k", Argument::Number(k as f64));
            wordings.push(Wording { model: "k-anonymity".to_owned(), arguments, line: None });
        }
        if let Some(h) = self.confidence {
            let arguments = Arguments::default().set("h", Argument::Number(h));
            wordings.push(Wording { model: "confidence-bounding".to_owned(), arguments, line: None });
        }
        wordings
    }
}

impl Requirement {
    /// Builds every model that is worded, for a release by itself.
    pub fn build(wordings: &[Wording], schema: &Schema) -> Result<Requirement> {
        let requirement = Requirement::of_models(wordings, schema)?;
        requirement.check()?;
        Ok(requirement)
    }

    /// The same, and perhaps no model at all: then something must be demanded of a join.
    pub fn of_models(wordings: &[Wording], schema: &Schema) -> Result<Requirement> {
        let (mut models, mut worded) = (Vec::new(), Vec::new());
        for wording in wordings {
            let built = crate::models::build(&wording.model, wording.arguments.clone(), schema);
            let built = built.map_err(|error| at_line(error, wording.line))?;
            worded.extend(std::iter::repeat_n(wording.clone(), built.len()));
            models.extend(built);
        }
        Ok(Requirement { models, worded, ..Requirement::default() })
    }

    /// An error when nothing is required.
    pub fn check(&self) -> Result<()> {
        if !self.models.is_empty() || self.joined.iter().any(|together| !together.statements.is_empty()) {
            return Ok(());
        }
        let message = "nothing is required of these columns, and what is not required is not checked; publish a sensitive column \
                       with them, or set `k`";
        Err(crate::Error::policy(None, message))
    }

    /// Adds what the wordings demand of the new release joined with sets of earlier ones, smaller sets first. What follows from
    /// the demands on a smaller set is not demanded again.
    pub fn join(
        &mut self,
        wordings: &[Wording],
        schema: &Schema,
        new: Member,
        history: &History,
        sets: &[Vec<usize>],
        rules: Vec<Inconsistent>,
    ) -> Result<()> {
        self.rules = rules;
        let mut made = Made::default();
        for earlier in sets {
            let mut members = vec![new.clone()];
            members.extend(earlier.iter().map(|at| history.releases[*at].member()));
            let scope = Scope { members };
            let (mut statements, mut following) = (Vec::new(), 0);
            for (at, wording) in wordings.iter().enumerate() {
                let spoken = crate::models::joined(&wording.model, wording.arguments.clone(), &scope, schema);
                for mut statement in spoken.map_err(|error| at_line(error, wording.line))? {
                    statement.demanded_by.0.clone_from(&wording.model);
                    let mut columns = std::mem::take(&mut statement.demanded_by.1);
                    statement.demanded_by.1 = parameters(&wording.arguments, &[], &[]);
                    statement.demanded_by.1.append(&mut columns);
                    if made.follows(at, &statement, &scope, earlier, &self.rules) {
                        following += 1;
                    } else {
                        statements.push(statement);
                    }
                }
            }
            self.joined.push(Together { earlier: earlier.clone(), statements, following });
        }
        Ok(())
    }

    /// What a verdict says about each model and each demand on joined releases, as it is recorded.
    pub fn statements(&self, verdict: &Verdict) -> Vec<statement::Statement> {
        let judged = self.models.iter().zip(&self.worded).zip(&verdict.models);
        let models = judged.map(|((model, worded), (_, breaches))| {
            let parameters = parameters(&worded.arguments, model.by(), model.of());
            let violations = breaches.len() as u64;
            statement::Statement::judged(model.entry().id, parameters, statement::Scope::This, violations)
        });
        let joined = verdict.joined.iter().map(|over| {
            let (model, parameters) = over.demanded_by.clone();
            let scope = statement::Scope::Joined { with: over.with.clone() };
            statement::Statement::judged(&model, parameters, scope, over.violations.len() as u64)
        });
        models.chain(joined).collect()
    }

    /// What every model finds in a history.
    pub fn survey(&self, history: &History) -> Result<Vec<(String, Survey)>> {
        self.models.iter().map(|model| Ok((model.title(), model.survey(history)?))).collect()
    }
}

/// The wordings as they speak of one release by itself: of columns that it has, and not of other releases. `release` is its
/// name, `schema` has its columns and `all` those of the data; `known` are the names of other releases. A wording that has
/// nothing to say about it is left out.
pub fn spoken_here(wordings: &[Wording], release: &str, schema: &Schema, all: &Schema, known: &[&str]) -> Vec<Wording> {
    wordings.iter().filter_map(|wording| here(wording, release, schema, all, known)).collect()
}

/// What wordings speak of and nobody has heard of: releases, and columns that a release does not have. Nothing is demanded of them.
/// `known` are all releases with their columns, `all` has the columns of the data.
pub fn unheard_of(wordings: &[Wording], known: &[(&str, Vec<&str>)], all: &Schema) -> Vec<Unheard> {
    let is_column = |name: &str| all.attributes.iter().any(|attribute| attribute.name == name);
    let mut unheard = Vec::new();
    for wording in wordings {
        let words = |name: &'static str| columns_given(wording, name).iter().map(move |word| (name, word.as_str()));
        for (name, word) in
            ["on", "x", "y", "sensitive"].into_iter().flat_map(words).filter(|(_, word)| !is_column(word))
        {
            // People are counted, and nobody knows them.
            let is_people = |column: &str| column == PEOPLE && name == "y";
            let of = |name: &str| known.iter().find(|(release, _)| *release == name).map(|(_, columns)| columns);
            let found = cuts(word).find_map(|(name, column)| Some((name, column, of(name)?)));
            let next = match found {
                Some((_, column, columns)) if is_people(column) || columns.contains(&column) => continue,
                Some((release, column, _)) => Unheard::Column(release.to_owned(), column.to_owned()),
                None => match cuts(word).find(|(_, column)| is_people(column) || is_column(column)) {
                    Some((release, _)) => Unheard::Release(release.to_owned()),
                    None if is_people(word) || known.iter().any(|(_, columns)| columns.contains(&word)) => continue,
                    None => Unheard::Word(word.to_owned()),
                },
            };
            if !unheard.contains(&next) {
                unheard.push(next);
            }
        }
    }
    unheard
}

/// The columns that an argument of a wording names; the arguments of a wording are not checked yet.
fn columns_given<'a>(wording: &'a Wording, name: &str) -> &'a [String] {
    match wording.arguments.get(name) {
        Some(Argument::Words(words)) => words,
        Some(Argument::Word(word)) => std::slice::from_ref(word),
        _ => &[],
    }
}

/// Something that wordings speak of, and that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unheard {
    /// A release.
    Release(String),
    /// A column of a release that is there.
    Column(String, String),
    /// Something that can be neither.
    Word(String),
}

fn here(wording: &Wording, release: &str, schema: &Schema, all: &Schema, known: &[&str]) -> Option<Wording> {
    let has = |schema: &Schema, name: &str| schema.attributes.iter().any(|attribute| attribute.name == name);
    let own = |word: &str| word.strip_prefix(release).and_then(|rest| rest.strip_prefix('.')).map(str::to_owned);
    let is_of_another =
        |word: &str| cuts(word).any(|(name, column)| known.contains(&name) || column == PEOPLE || has(all, column));
    let people = std::cell::Cell::new(false);
    let translate = |word: &String| -> Option<String> {
        let own = own(word);
        match own.as_deref().unwrap_or(word) {
            word if has(schema, word) => Some(word.to_owned()),
            PEOPLE => {
                people.set(true);
                None
            }
            word if own.is_none() && (has(all, word) || is_of_another(word)) => None,
            // Whoever builds the model says what is wrong with it.
            word => Some(word.to_owned()),
        }
    };
    let mut arguments = wording.arguments.clone();
    for name in ["on", "x", "y"] {
        if let Some(Argument::Words(words)) = wording.arguments.get(name) {
            let words: Vec<String> = words.iter().filter_map(translate).collect();
            if words.is_empty() && !(name == "y" && people.get()) {
                return None;
            }
            arguments = arguments.set(name, Argument::Words(words));
        }
    }
    if let Some(Argument::Word(word)) = wording.arguments.get("sensitive") {
        arguments = arguments.set("sensitive", Argument::Word(translate(word)?));
    }
    if people.get() && wording.model != "xy-anonymity" {
        return None;
    }
    if people.get() {
        // Different people are what k-anonymity counts.
        let mut counted = Arguments::default();
        for (from, to) in [("k", "k"), ("x", "on")] {
            if let Some(argument) = arguments.get(from) {
                counted = counted.set(to, argument.clone());
            }
        }
        return Some(Wording { model: "k-anonymity".to_owned(), arguments: counted, line: wording.line });
    }
    Some(Wording { arguments, ..wording.clone() })
}

/// Says on which line of the policy an error was caused.
fn at_line(error: crate::Error, line: Option<usize>) -> crate::Error {
    match (line, error) {
        (Some(_), error @ crate::Error::Policy { line: Some(_), .. }) => error,
        (line, crate::Error::Policy { message, hint, .. }) => crate::Error::Policy { line, message, hint },
        // A mistake of the program, not of the policy.
        (_, error @ crate::Error::Argument { .. }) => error,
        (Some(line), error) => crate::Error::policy(Some(line), error.to_string()),
        (None, error) => error,
    }
}
