//! The worst cases, and why: the groups that tell it, side by side, and in one sentence. For internal eyes.

use super::words::{escape, list, percent, percent_at_least, percent_at_most};
use crate::audit::{Because, Case, Chance, Person};
use crate::text::{counted, grouped};
use reticent_inference::Fraction;

/// So many groups of a case are shown side by side.
const GROUPS: usize = 6;
/// So many people are listed.
const LISTED: usize = 500;

/// The worst cases.
pub fn cases(worst: &[Case]) -> String {
    worst.iter().map(case).collect()
}

fn case(case: &Case) -> String {
    let value = escape(&case.value);
    let certain = case.chance.lower == Fraction::ONE;
    let head = match certain {
        true => format!("Certain: {value}"),
        false => format!("{}: {value}", chance(&case.chance)),
    };
    let names = match case.pseudonyms.as_slice() {
        [] => String::new(),
        names => {
            let more = case.people.saturating_sub(names.len() as u64);
            let more = if more > 0 { format!(" and {} more", grouped(more)) } else { String::new() };
            let names: Vec<String> = names.iter().map(|name| format!("<code>{}</code>", escape(name))).collect();
            format!("<p class=\"names\">{}{more}</p>\n", names.join(" "))
        }
    };
    let because = match &case.because {
        Some(because) => because_of(because, case),
        None => "<p class=\"quiet\">No small set of groups was found that tells it by itself.</p>\n".to_owned(),
    };
    format!(
        "<article class=\"case{}\">\n<h4>{head}</h4>\n<p class=\"quiet\">{} · <q>{}</q></p>\n{names}{because}</article>\n",
        if certain { " sure" } else { "" },
        people(case.people),
        escape(&case.column),
    )
}

fn because_of(because: &Because, case: &Case) -> String {
    let mut cards = String::new();
    for group in because.groups.iter().take(GROUPS) {
        let shows: String = group
            .shows
            .iter()
            .map(|(value, records)| {
                let class = if *value == case.value { " class=\"hit\"" } else { "" };
                let records = if group.set { String::new() } else { format!("<b>{}</b>", grouped(*records)) };
                format!("<li{class}><span>{}</span>{records}</li>", escape(value))
            })
            .collect();
        cards += &format!(
            "<section class=\"group\"><p class=\"release\"><b>{}</b> <span class=\"date\">{}</span></p><p class=\"key\">{}</p><p class=\"quiet\">{} {}:</p><ul>{shows}</ul></section>\n",
            escape(&group.name),
            escape(&group.date),
            escape(&key(&group.group)),
            if group.theirs { people(group.people) } else { others(group.people) },
            if group.set { "have one of" } else { "showed" },
        );
    }
    let more = because.groups.len().saturating_sub(GROUPS);
    if more > 0 {
        cards +=
            &format!("<section class=\"group more\"><p>and {}</p></section>\n", counted(more as u64, "more group"));
    }
    format!("<div class=\"groups\">\n{cards}</div>\n<p class=\"because\">{}</p>\n", in_words(because, case))
}

/// The same in one sentence.
fn in_words(because: &Because, case: &Case) -> String {
    let mut clauses: Vec<String> = Vec::new();
    for group in because.groups.iter().take(GROUPS) {
        let one = |(value, records): &(String, u64)| match group.set {
            true => escape(value),
            false => format!("{} {}", escape(value), grouped(*records)),
        };
        let shows: Vec<String> = group.shows.iter().map(one).collect();
        let name = key(&group.group);
        // A column that marks groups is often called that.
        let the = if name.to_lowercase().starts_with("group") { "" } else { "the group " };
        clauses.push(format!(
            "in {} ({}) {the}{}, {}, {}: {}",
            escape(&group.name),
            escape(&group.date),
            escape(&name),
            if group.theirs { people(group.people) } else { others(group.people) },
            if group.set { "listed" } else { "showed" },
            shows.join(", ")
        ));
    }
    let all = because.groups.len();
    if all > GROUPS {
        clauses.push(format!("and {} besides", counted((all - GROUPS) as u64, "group")));
    }
    let who = if case.people == 1 { "this person".to_owned() } else { format!("these {}", people(case.people)) };
    let value = escape(&case.value);
    let lead = if all > 1 { "together" } else { "so" };
    let end = match case.chance.lower == Fraction::ONE {
        true => format!("for {who} only <b>{value}</b> fits"),
        false => format!("for {who} <b>{value}</b> has a probability of {}", chance(&case.chance)),
    };
    format!("{}; <strong>{lead}:</strong> {end}.", super::words::sentence(&clauses.join("; ")).trim_end_matches('.'))
}

/// The group's name: `30-39 / Male`, or what its marks are.
fn key(group: &[(String, String)]) -> String {
    match group {
        [] => "of everybody".to_owned(),
        [(column, value)] => format!("{column} {value}"),
        many => many.iter().map(|(_, value)| value.as_str()).collect::<Vec<&str>>().join(" / "),
    }
}

/// People who are not those of whom something is told.
fn others(number: u64) -> String {
    if number == 1 { "1 other".to_owned() } else { format!("{} others", grouped(number)) }
}

fn people(number: u64) -> String {
    if number == 1 { "1 person".to_owned() } else { format!("{} people", grouped(number)) }
}

/// A probability and how sure it is.
fn chance(chance: &Chance) -> String {
    let between =
        || format!("between {} and {}", percent_at_least(chance.lower.value()), percent_at_most(chance.upper.value()));
    match chance {
        chance if chance.lower == Fraction::ONE => "certain".to_owned(),
        chance if chance.is_exact() => percent(chance.best()),
        chance if chance.entropy.is_some() || chance.sampled.is_some() => {
            format!("about {} ({})", percent(chance.best()), between())
        }
        _ => between(),
    }
}

/// Everybody, the best told first.
pub fn everybody(each: &[Person]) -> String {
    let mut rows: Vec<(f64, String)> = Vec::new();
    for person in each {
        for told in &person.told {
            let best = told.values.iter().map(|(_, chance)| chance.best()).fold(0.0, f64::max);
            let likeliest: Vec<String> = told
                .values
                .iter()
                .filter(|(_, chance)| chance.best() > best - 1e-9)
                .map(|(value, _)| escape(value))
                .collect();
            let how = told.values.iter().max_by(|one, two| one.1.best().total_cmp(&two.1.best()));
            let who = person.pseudonym.as_deref().map_or_else(|| people(person.people), escape);
            rows.push((
                best,
                format!(
                    "<tr><td><code>{who}</code></td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
                    escape(&told.column),
                    list(&likeliest),
                    how.map(|(_, how)| chance(how)).unwrap_or_default(),
                    grouped(told.values.len() as u64)
                ),
            ));
        }
    }
    rows.sort_by(|one, two| two.0.total_cmp(&one.0));
    let left = rows.len().saturating_sub(LISTED);
    let note = if left > 0 {
        format!("<p class=\"quiet\">{} are not listed here.</p>\n", counted(left as u64, "more line"))
    } else {
        String::new()
    };
    let body: String = rows.into_iter().take(LISTED).map(|(_, row)| row).collect();
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">who</th><th scope=\"col\">column</th><th scope=\"col\">likeliest</th>\
         <th scope=\"col\" class=\"number\">how sure</th><th scope=\"col\" class=\"number\">values possible</th></tr></thead>\n<tbody>\n{body}</tbody></table></div>\n{note}"
    )
}
