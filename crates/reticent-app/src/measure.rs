//! `measure`: the strictest parameter of a privacy model that a table satisfies, such as the `k` of k-anonymity.

use reticent::models::{self, Model};
use reticent::registry::{Argument, Arguments, Domain, Entry, Kind};
use reticent::{Attribute, History, Missing, Release, Role, Schema, Table, TreeSource, Type};
use reticent_engine::{CountColumn, CountRequest};

use crate::catalogue::catalogue;
use crate::context::Context;
use crate::error::{Problem, Result};
use crate::request::{Given, MeasureRequest};

/// Measures a table. The class with the worst value decides.
///
/// Infinity means that no value of the parameter suffices. The measured parameter is the one that the model bounds: the minimum `k` or `l`, or the maximum confidence, ratio or distance. For a
/// model with several parameters, the others are arguments.
///
/// # Errors
///
/// Returns an error if there is no such model or column, if an argument is missing, or if the data cannot be read.
pub fn measure(request: &MeasureRequest, context: &Context) -> Result<f64> {
    context.run(|| run(request, context))
}

fn run(request: &MeasureRequest, context: &Context) -> Result<f64> {
    let entry = *catalogue(Some(Kind::Model), Some(&request.model))?.first().ok_or_else(|| unknown(request))?;
    let engine = request.data.open(context.engine_options())?;
    let names: Vec<String> = request.on.iter().chain(&request.sensitive).cloned().collect();
    let columns = names.iter().map(|name| CountColumn { name: name.clone(), bins: None }).collect();
    let mut counts = engine.count(&CountRequest { columns, owner: request.owner.clone(), key: None })?;
    // In a published table, `*` is a value like any other. As the text of a value, it is reserved; this text has the same order.
    counts.values.iter_mut().flatten().filter(|text| *text == "*").for_each(|text| text.push('\u{1}'));
    let types = engine.values(Some(request.sensitive.as_slice()))?;
    let values = |name: &String| {
        let profile = types.iter().find(|profile| Some(name) == request.sensitive.as_ref() && profile.name == *name);
        profile.map_or(Type::Text, |profile| profile.inferred_type)
    };
    let attribute = |name: &String| Attribute {
        name: name.clone(),
        role: if request.sensitive.as_ref() == Some(name) { Role::Sensitive } else { Role::QuasiIdentifier },
        values: values(name),
        tree: TreeSource::Flat,
        missing: Missing::Value,
    };
    let attributes = names.iter().map(attribute).collect();
    let schema = Schema { attributes, owner: request.owner.clone(), missing_values: vec![String::new()] };
    let table = Table::build(&counts, &schema)?;
    let history = History::single(Release::raw(&table)?);
    let mut safety = f64::INFINITY;
    for model in build(entry, request, &schema)? {
        let survey = model.survey(&history)?;
        // The measure of a bound from above is negative, so that a higher value is safer.
        if measures_factor(entry, request) && survey.violations.first().is_some_and(|worst| worst.safety < 0.0) {
            return Ok(f64::INFINITY);
        }
        safety = survey.worst.map_or(safety, |worst| safety.min(worst.safety));
    }
    Ok(safety.abs())
}

/// Returns whether the measured parameter is a factor, such as `c` of recursive (c, l)-diversity. A class that violates the largest factor
/// satisfies none. A share never exceeds 1.
fn measures_factor(entry: &Entry, request: &MeasureRequest) -> bool {
    let is_factor = |domain: &Domain| matches!(domain, Domain::Number(_, most) if *most > 1.0);
    let mut factors = entry.parameters.iter().filter(|parameter| is_factor(&parameter.domain));
    factors.any(|parameter| !request.arguments.contains_key(parameter.name))
}

fn unknown(request: &MeasureRequest) -> crate::Error {
    Problem::NoSuchEntry { id: request.model.clone(), hint: None }.into()
}

/// Builds the model with the arguments of the request. The parameter that is measured gets any value: it does not change the measure.
fn build(entry: &Entry, request: &MeasureRequest, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let has = |name: &str| entry.parameters.iter().any(|parameter| parameter.name == name);
    if !has("on") {
        let why = format!("{} is defined over several releases, so a table alone has no measure of it", entry.title);
        return Err(Problem::RequestInvalid { why }.into());
    }
    let unknown = request.arguments.keys().find(|name| !has(name));
    if let Some(name) = unknown {
        return Err(Problem::RequestInvalid { why: format!("{} has no parameter `{name}`", entry.title) }.into());
    }
    let mut arguments = Arguments::default().set("on", Argument::Words(request.on.clone()));
    let is_scale = |attribute: &Attribute| attribute.role == Role::Sensitive && attribute.values != Type::Text;
    if has("distance") && schema.attributes.iter().any(is_scale) {
        arguments = arguments.set("distance", Argument::Word("ordered".to_owned()));
    }
    if let Some(sensitive) = &request.sensitive {
        arguments = arguments.set("sensitive", Argument::Word(sensitive.clone()));
    }
    for parameter in entry.parameters {
        let given = request.arguments.get(parameter.name);
        arguments = match (given, parameter.domain) {
            (Some(Given::Number(number)), _) => arguments.set(parameter.name, Argument::Number(*number)),
            (Some(Given::Word(word)), _) => arguments.set(parameter.name, Argument::Word(word.clone())),
            (None, Domain::Whole(least)) if parameter.default.is_none() => {
                arguments.set(parameter.name, Argument::Number(least as f64))
            }
            (None, Domain::Number(_, most)) if parameter.default.is_none_or(str::is_empty) => {
                arguments.set(parameter.name, Argument::Number(most))
            }
            (None, _) => arguments,
        };
    }
    Ok(models::build(entry.id, arguments, schema)?)
}
