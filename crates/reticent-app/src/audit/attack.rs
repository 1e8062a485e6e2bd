//! The requested attacks with their parameters.

use reticent::attacks;
use reticent::audit::known_attack;
use reticent::registry::{Argument, Arguments, Domain, Entry};

use crate::error::{Error, Problem, Result};
use crate::request::AuditRequest;

/// Returns every requested attack once, with its parameters.
pub(crate) fn requested_attacks(request: &AuditRequest) -> Result<Vec<(&'static Entry, Arguments)>> {
    let mut entries: Vec<&'static Entry> = Vec::new();
    for id in &request.attacks {
        let matching = match id.as_str() {
            "all" => attacks::LIST.iter().map(|listed| &listed.entry).collect(),
            id => vec![known_attack(id).map_err(|hint| Problem::NoSuchAttack { id: id.to_owned(), hint })?],
        };
        for entry in matching {
            if !entries.iter().any(|known| known.id == entry.id) {
                entries.push(entry);
            }
        }
    }
    entries.into_iter().map(|entry| Ok((entry, arguments(entry, &request.attack_parameters)?))).collect()
}

/// Returns the given parameters that the attack has. A parameter that no attack has is an error.
fn arguments(entry: &Entry, given: &[(String, String)]) -> Result<Arguments> {
    let mut arguments = Arguments::default();
    for (name, value) in given {
        let known = attacks::LIST.iter().flat_map(|listed| listed.entry.parameters);
        if !known.clone().any(|parameter| parameter.name == name) {
            let hint = reticent::error::did_you_mean(name, known.map(|parameter| parameter.name));
            return Err(Problem::NoSuchAttackParameter { name: name.clone(), hint }.into());
        }
        let Some(parameter) = entry.parameters.iter().find(|parameter| parameter.name == name) else { continue };
        let wrong = || {
            let (name, domain) = (name.clone(), parameter.domain.to_string());
            Error::from(Problem::AttackParameterInvalid { name, domain })
        };
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let argument = match parameter.domain {
            Domain::Whole(_) | Domain::Number(..) => Argument::Number(number(value)?),
            Domain::Flag => Argument::Flag(value == "true"),
            Domain::Columns => Argument::Words(value.split(',').map(|name| name.trim().to_owned()).collect()),
            Domain::Word(_) | Domain::Column => Argument::Word(value.clone()),
            Domain::Thresholds | Domain::Each(_) => {
                let one = |text: &str| {
                    let (value, threshold) = text.rsplit_once('=').ok_or_else(wrong)?;
                    Ok((value.to_owned(), number(threshold)?))
                };
                Argument::Thresholds(value.split(',').map(one).collect::<Result<_>>()?)
            }
        };
        arguments = arguments.set(name, argument);
    }
    Ok(arguments)
}
