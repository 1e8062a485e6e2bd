//! Running attacks by name, with the parameters of the call.

use reticent::attacks::{self, Scene};
use reticent::audit::Question;
use reticent::history::{Held, History};
use reticent::registry::{self, Argument, Arguments, Domain};
use reticent::schema::Role;
use reticent::share::Share;

use super::{Attack, Beside};
use crate::failure::Failure;

/// An error that names the attacks there are, unless this is one.
pub fn known_attack(id: &str) -> Result<(), Failure> {
    if attacks::LIST.iter().any(|listed| listed.entry.id == id) {
        return Ok(());
    }
    let names = attacks::LIST.iter().map(|listed| listed.entry.id);
    let hint = reticent::error::did_you_mean(id, names.clone());
    let hint = hint.unwrap_or_else(|| format!("there are: all, {}", names.collect::<Vec<_>>().join(", ")));
    Err(Failure::Call(format!("there is no attack `{id}`; {hint}")))
}

/// Runs one.
pub fn attack(
    id: &str,
    held: &History,
    question: &Question,
    beside: &Beside<'_>,
    with: impl Fn(&registry::Entry) -> Result<Arguments, Failure>,
) -> Result<Attack, Failure> {
    let Some(listed) = attacks::LIST.iter().find(|listed| listed.entry.id == id) else {
        known_attack(id)?;
        return Err(Failure::Call(format!("there is no attack `{id}`")));
    };
    let arguments = with(&listed.entry)?;
    let row_order = |held: &Held| beside.rows.iter().find(|(number, _)| *number == held.number)?.1.clone();
    let rows: Vec<Option<Vec<u32>>> = held.releases.iter().map(row_order).collect();
    let asked = question.columns.as_ref().map(|columns| only(held, columns));
    let scene = Scene {
        history: asked.as_ref().unwrap_or(held),
        people: beside.people,
        confidence: least_not_allowed(question),
        rows: &rows,
        varies: &question.varies,
        arguments: &arguments,
    };
    let (id, title) = (id.to_owned(), listed.entry.title.to_owned());
    let knows = !question.knowledge.known.is_empty() || !question.knowledge.statements.is_empty();
    let knows = knows.then(|| "what the attacker knows besides (--knows) is not used by it".to_owned());
    Ok(match attacks::run(&id, &scene) {
        Ok(found) => {
            let why: Vec<String> = found.not_checked.into_iter().chain(knows).collect();
            let not_checked = (!why.is_empty()).then(|| why.join("; "));
            Attack { id, title, not_run: None, not_checked, findings: found.all }
        }
        Err(error) => Attack { id, title, not_run: Some(error.to_string()), not_checked: None, findings: Vec::new() },
    })
}

/// The same history, in which no other columns than these are sensitive.
fn only(held: &History, columns: &[String]) -> History {
    let mut held = held.clone();
    for column in held.releases.iter_mut().flat_map(|held| &mut held.release.columns) {
        if column.role == Role::Sensitive && !columns.contains(&column.name) {
            column.role = Role::Other;
        }
    }
    held
}

/// The least that is not allowed of some column: nothing of that may be passed over, and what is allowed is no finding.
fn least_not_allowed(question: &Question) -> Share {
    let certain = Share::new(1, 1);
    let promised = question.promised.iter().map(|(_, most)| *most);
    match promised.chain(question.confidence).min() {
        Some(allowed) if allowed < certain => Share {
            numerator: allowed.numerator.saturating_mul(FINE).saturating_add(1),
            denominator: allowed.denominator.saturating_mul(FINE),
        },
        _ => certain,
    }
}

/// More people than any share is of: no such share lies between one that is allowed and that with one part in so many more.
const FINE: u128 = 1 << 40;

/// Of the parameters that were given, those that the attack has.
pub fn arguments(entry: &registry::Entry, with: &[String]) -> Result<Arguments, Failure> {
    let mut arguments = Arguments::default();
    for text in with {
        let (name, value) =
            text.split_once('=').ok_or_else(|| Failure::Call(format!("--with {text}: write NAME=VALUE")))?;
        let known = attacks::LIST.iter().flat_map(|listed| listed.entry.parameters);
        if !known.clone().any(|parameter| parameter.name == name) {
            let hint = reticent::error::did_you_mean(name, known.map(|parameter| parameter.name));
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            return Err(Failure::Call(format!("no attack has a parameter `{name}`{hint}")));
        }
        let Some(parameter) = entry.parameters.iter().find(|parameter| parameter.name == name) else { continue };
        let wrong = || Failure::Call(format!("--with {name}=...: must be: {}", parameter.domain));
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let argument = match parameter.domain {
            Domain::Whole(_) | Domain::Number(..) => Argument::Number(number(value)?),
            Domain::Flag => Argument::Flag(value == "true"),
            Domain::Columns => Argument::Words(value.split(',').map(|name| name.trim().to_owned()).collect()),
            Domain::Word(_) | Domain::Column => Argument::Word(value.to_owned()),
            Domain::Thresholds | Domain::Each(_) => {
                let one = |text: &str| {
                    let (value, share) = text.rsplit_once('=').ok_or_else(wrong)?;
                    Ok((value.to_owned(), number(share)?))
                };
                Argument::Thresholds(value.split(',').map(one).collect::<Result<_, Failure>>()?)
            }
        };
        arguments = arguments.set(name, argument);
    }
    Ok(arguments)
}
