//! The requirement of a release: a conjunction of models, and of constraints on joins with earlier releases.

use crate::data::contingency::ContingencyTable;
use crate::data::schema::{Role, Schema};
use crate::error::Result;
use crate::join::lossy::InconsistentRules;
use crate::join::{JoinRequirement, JoinScope, JudgedSets, Member, PEOPLE};
use crate::model_spec::splits;
use crate::models::{Model, Survey};
use crate::registry::{Argument, Arguments};
use crate::release::history::History;
use crate::statement::{self, Parameter, parameters};
use crate::verify::Verdict;

pub use crate::model_spec::ModelSpec;

/// Reason of a statement that does not apply: the release lacks the columns of the requirement.
pub const NO_SUCH_COLUMN: &str = "no-such-column";

/// Models and join constraints that must all hold.
#[derive(Debug, Default)]
pub struct Requirement {
    /// Models that the new release must satisfy alone.
    pub models: Vec<Box<dyn Model>>,
    /// Specification of each model, in the order of `models`.
    pub specs: Vec<ModelSpec>,
    /// Models of the policy that do not apply to the release, because it lacks their columns.
    pub not_applicable: Vec<ModelSpec>,
    /// Constraints on the join of the new release with sets of earlier releases.
    pub joins: Vec<JoinRequirement>,
    /// Pairs of values that no person has both of.
    pub rules: Vec<InconsistentRules>,
}

/// The short form of a requirement: two numbers in place of models.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shorthand {
    /// Minimum number of people in an equivalence class (k-anonymity).
    pub k: Option<u64>,
    /// Maximum confidence of inferring a sensitive value (confidence bounding).
    pub confidence: Option<f64>,
    /// Maximum prosecutor risk. Each class needs so many people that a record belongs to each with at most this probability.
    pub reidentification: Option<f64>,
}

impl Shorthand {
    /// Returns the models of the short form that apply to a release with this schema.
    pub fn expand(&self, schema: &Schema) -> Vec<ModelSpec> {
        let mut specs = self.expand_all();
        if schema.with_role(Role::Sensitive).is_empty() {
            specs.retain(|spec| spec.model != "confidence-bounding");
        }
        specs
    }

    /// Returns all models of the short form, whether or not a column is sensitive.
    pub fn expand_all(&self) -> Vec<ModelSpec> {
        let mut specs = Vec::new();
        let by_risk = self.reidentification.map(|risk| (1.0 / risk - 1e-9).ceil() as u64);
        if let Some(k) = self.k.max(by_risk) {
            let arguments = Arguments::default().set("k", Argument::Number(k as f64));
            specs.push(ModelSpec { model: "k-anonymity".to_owned(), arguments, line: None });
        }
        if let Some(h) = self.confidence {
            let arguments = Arguments::default().set("h", Argument::Number(h));
            specs.push(ModelSpec { model: "confidence-bounding".to_owned(), arguments, line: None });
        }
        specs
    }
}

impl Requirement {
    /// Builds the models of these specifications for one release.
    ///
    /// # Errors
    ///
    /// Returns an error if a specification is invalid, or if there is no model.
    pub fn build(specs: &[ModelSpec], schema: &Schema) -> Result<Requirement> {
        let requirement = Requirement::from_specs(specs, schema)?;
        requirement.check()?;
        Ok(requirement)
    }

    /// Builds the models of these specifications, which may be empty if join constraints are added later.
    ///
    /// # Errors
    ///
    /// Returns an error if a specification is invalid.
    pub fn from_specs(specs: &[ModelSpec], schema: &Schema) -> Result<Requirement> {
        let (mut models, mut model_specs) = (Vec::new(), Vec::new());
        for spec in specs {
            let built = crate::models::build(&spec.model, spec.arguments.clone(), schema);
            let built = built.map_err(|error| with_line(error, spec.line))?;
            model_specs.extend(std::iter::repeat_n(spec.clone(), built.len()));
            models.extend(built);
        }
        Ok(Requirement { models, specs: model_specs, ..Requirement::default() })
    }

    /// Checks that the requirement is not empty.
    ///
    /// # Errors
    ///
    /// Returns an error if there is neither a model nor a join constraint.
    pub fn check(&self) -> Result<()> {
        if !self.models.is_empty() || self.joins.iter().any(|join| !join.constraints.is_empty()) {
            return Ok(());
        }
        let message = "no model applies to these columns, so nothing would be checked; publish a sensitive column with them, or \
                       set `k`";
        Err(crate::Error::policy(None, message))
    }

    /// Adds the constraints on joins of the new release with sets of earlier releases, smaller sets first.
    ///
    /// A constraint is left out, and counted as implied, if the constraints on a smaller set imply it.
    ///
    /// # Errors
    ///
    /// Returns an error if a specification cannot be lowered to a join constraint.
    pub fn join(
        &mut self,
        specs: &[ModelSpec],
        schema: &Schema,
        new: Member,
        history: &History,
        sets: &[Vec<usize>],
        rules: Vec<InconsistentRules>,
    ) -> Result<()> {
        self.join_where(specs, schema, new, history, sets, rules, &|_, _| true)
    }

    /// As [`Requirement::join`], for those specifications and sets of releases for which `applies` is true, given the index of the
    /// specification.
    ///
    /// # Errors
    ///
    /// Returns an error if a specification cannot be lowered to a join constraint.
    #[expect(clippy::too_many_arguments, reason = "the arguments of `join`, and a condition")]
    pub fn join_where(
        &mut self,
        specs: &[ModelSpec],
        schema: &Schema,
        new: Member,
        history: &History,
        sets: &[Vec<usize>],
        rules: Vec<InconsistentRules>,
        applies: &dyn Fn(usize, &[usize]) -> bool,
    ) -> Result<()> {
        self.rules = rules;
        let mut judged = JudgedSets::default();
        for earlier in sets {
            let mut members = vec![new.clone()];
            members.extend(earlier.iter().map(|at| history.releases[*at].member()));
            let scope = JoinScope { members };
            let (mut constraints, mut implied) = (Vec::new(), 0);
            for (at, spec) in specs.iter().enumerate().filter(|(at, _)| applies(*at, earlier)) {
                let lowered = crate::models::lower_to_join(&spec.model, spec.arguments.clone(), &scope, schema);
                for mut constraint in lowered.map_err(|error| with_line(error, spec.line))? {
                    constraint.required_by.0.clone_from(&spec.model);
                    let mut columns = std::mem::take(&mut constraint.required_by.1);
                    constraint.required_by.1 = parameters(&spec.arguments, &[], &[]);
                    if crate::models::record_sets(&spec.model, &spec.arguments)?.is_some() {
                        // A join judges single records.
                        constraint.required_by.0 = "k-anonymity".to_owned();
                        constraint.required_by.1.remove("records");
                    }
                    constraint.required_by.1.append(&mut columns);
                    if judged.is_implied(at, &constraint, &scope, earlier, &self.rules) {
                        implied += 1;
                    } else {
                        constraints.push(constraint);
                    }
                }
            }
            self.joins.push(JoinRequirement { earlier: earlier.clone(), constraints, implied });
        }
        Ok(())
    }

    /// Returns whether a model judges sets of records of people in this table. Such a model needs the whole release.
    pub fn judges_record_sets(&self, contingency: &ContingencyTable) -> bool {
        contingency.owners.is_some() && self.models.iter().any(|model| model.record_sets().is_some())
    }

    /// Converts a verdict to the statements that the ledger records: one for each model and each join constraint.
    pub fn statements(&self, verdict: &Verdict) -> Vec<statement::Statement> {
        let judged = self.models.iter().zip(&self.specs).zip(&verdict.models);
        let models = judged.map(|((model, spec), (_, violations))| {
            let parameters = parameters(&spec.arguments, model.grouped_by(), model.measured());
            let violations = violations.len() as u64;
            statement::Statement::judged(model.entry().id, parameters, statement::Scope::This, violations)
        });
        let joined = verdict.joins.iter().map(|over| {
            let (model, mut parameters) = over.required_by.clone();
            if over.already_violated > 0 {
                parameters.insert("already".to_owned(), Parameter::Whole(over.already_violated));
            }
            if let Some(release) = over.computable_from {
                parameters.insert("computable-from".to_owned(), Parameter::Whole(release));
            }
            let scope = statement::Scope::Joined { with: over.with.clone() };
            statement::Statement::judged(&model, parameters, scope, over.violations.len() as u64)
        });
        let not_applicable = self.not_applicable.iter().map(|spec| statement::Statement {
            model: spec.model.clone(),
            parameters: parameters(&spec.arguments, &[], &[]),
            scope: statement::Scope::This,
            outcome: statement::Outcome::NotApplicable { reason: NO_SUCH_COLUMN.to_owned() },
        });
        models.chain(joined).chain(not_applicable).collect()
    }

    /// Surveys a history with every model. Returns the title and the survey of each model.
    ///
    /// # Errors
    ///
    /// Returns an error if a model cannot be judged.
    pub fn survey(&self, history: &History) -> Result<Vec<(String, Survey)>> {
        self.models.iter().map(|model| Ok((model.title(), model.survey(history)?))).collect()
    }
}

/// Restricts specifications to one release: to columns that it has, without references to other releases.
///
/// `release` is the name of the release and `schema` has its columns. `all` has the columns of the data, and `known` lists the
/// names of the releases. A specification is left out if one of its column lists has no column of the release.
pub fn for_release(
    specs: &[ModelSpec],
    release: &str,
    schema: &Schema,
    all: &Schema,
    known: &[&str],
) -> Vec<ModelSpec> {
    specs.iter().filter_map(|spec| resolve_spec(spec, release, schema, all, known)).collect()
}

/// Returns the names in specifications that refer to no release, or to no column of a release. They impose no constraint.
///
/// `known` lists all releases with their columns, and `all` has the columns of the data.
pub fn unresolved(specs: &[ModelSpec], known: &[(&str, Vec<&str>)], all: &Schema) -> Vec<UnresolvedName> {
    let is_column = |name: &str| all.attributes.iter().any(|attribute| attribute.name == name);
    let mut missing = Vec::new();
    for spec in specs {
        let words = |name: &'static str| columns_given(spec, name).iter().map(move |word| (name, word.as_str()));
        for (name, word) in
            ["on", "x", "y", "sensitive"].into_iter().flat_map(words).filter(|(_, word)| !is_column(word))
        {
            // `people` is not a column. It can be counted (`y`) but is not background knowledge (`x`, `on`).
            let is_people = |column: &str| column == PEOPLE && name == "y";
            let of = |name: &str| known.iter().find(|(release, _)| *release == name).map(|(_, columns)| columns);
            let found = splits(word).find_map(|(name, column)| Some((name, column, of(name)?)));
            let next = match found {
                Some((_, column, columns)) if is_people(column) || columns.contains(&column) => continue,
                Some((release, column, _)) => UnresolvedName::Column(release.to_owned(), column.to_owned()),
                None => match splits(word).find(|(_, column)| is_people(column) || is_column(column)) {
                    Some((release, _)) => UnresolvedName::Release(release.to_owned()),
                    None if is_people(word) || known.iter().any(|(_, columns)| columns.contains(&word)) => continue,
                    None => UnresolvedName::Word(word.to_owned()),
                },
            };
            if !missing.contains(&next) {
                missing.push(next);
            }
        }
    }
    missing
}

/// Returns the column names in an argument of a specification, whose arguments are not checked yet.
fn columns_given<'a>(spec: &'a ModelSpec, name: &str) -> &'a [String] {
    match spec.arguments.get(name) {
        Some(Argument::Words(words)) => words,
        Some(Argument::Word(word)) => std::slice::from_ref(word),
        _ => &[],
    }
}

/// A name in a specification that refers to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnresolvedName {
    /// The name of an unknown release.
    Release(String),
    /// The name of a known release, and a column that it does not have.
    Column(String, String),
    /// A word that is neither a column nor `release.column`.
    Word(String),
}

fn resolve_spec(spec: &ModelSpec, release: &str, schema: &Schema, all: &Schema, known: &[&str]) -> Option<ModelSpec> {
    let has = |schema: &Schema, name: &str| schema.attributes.iter().any(|attribute| attribute.name == name);
    let own = |word: &str| word.strip_prefix(release).and_then(|rest| rest.strip_prefix('.')).map(str::to_owned);
    let is_of_another =
        |word: &str| splits(word).any(|(name, column)| known.contains(&name) || column == PEOPLE || has(all, column));
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
            // An unknown word: building the model returns the error.
            word => Some(word.to_owned()),
        }
    };
    let mut arguments = spec.arguments.clone();
    for name in ["on", "x", "y"] {
        if let Some(Argument::Words(words)) = spec.arguments.get(name) {
            let words: Vec<String> = words.iter().filter_map(translate).collect();
            if words.is_empty() && !(name == "y" && people.get()) {
                return None;
            }
            arguments = arguments.set(name, Argument::Words(words));
        }
    }
    if let Some(Argument::Word(word)) = spec.arguments.get("sensitive") {
        arguments = arguments.set("sensitive", Argument::Word(translate(word)?));
    }
    if people.get() && spec.model != "xy-anonymity" {
        return None;
    }
    // A model of sensitive columns without a column of its own needs one in the release.
    let is_of_sensitive = crate::models::measures_sensitive(&spec.model) && arguments.get("sensitive").is_none();
    if is_of_sensitive && schema.with_role(Role::Sensitive).is_empty() {
        // The other part of (alpha,k)-anonymity is k-anonymity.
        return (spec.model == "alpha-k-anonymity").then(|| {
            let counted = ["k", "on"].into_iter().filter_map(|name| Some((name, arguments.get(name)?.clone())));
            let counted = counted.fold(Arguments::default(), |known, (name, argument)| known.set(name, argument));
            ModelSpec { model: "k-anonymity".to_owned(), arguments: counted, line: spec.line }
        });
    }
    if people.get() {
        // (X, people)-anonymity is k-anonymity.
        let mut counted = Arguments::default();
        for (from, to) in [("k", "k"), ("x", "on")] {
            if let Some(argument) = arguments.get(from) {
                counted = counted.set(to, argument.clone());
            }
        }
        return Some(ModelSpec { model: "k-anonymity".to_owned(), arguments: counted, line: spec.line });
    }
    Some(ModelSpec { arguments, ..spec.clone() })
}

/// Adds the line of the policy to an error.
fn with_line(error: crate::Error, line: Option<usize>) -> crate::Error {
    match (line, error) {
        (Some(_), error @ crate::Error::Policy { line: Some(_), .. }) => error,
        (line, crate::Error::Policy { message, hint, .. }) => crate::Error::Policy { line, message, hint },
        // An error of the program, not of the policy.
        (_, error @ crate::Error::Argument { .. }) => error,
        (Some(line), error) => crate::Error::policy(Some(line), error.to_string()),
        (None, error) => error,
    }
}
