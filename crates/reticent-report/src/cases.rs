//! The worst cases with their explanations, and the table of all people. Only on an internal page.

use maud::{Markup, html};
use reticent::audit::Fraction;
use reticent::audit::{Case, ColumnPosterior, ExplainingGroup, Explanation, PersonAudit};
use reticent::text::{counted, format_count, people};

use crate::words::{list, percent, percent_at_least, percent_at_most, quoted};

/// Maximum number of shown groups of one case.
const MAX_GROUPS: usize = 6;
/// Maximum number of rows of the table of all people.
const MAX_ROWS: usize = 500;

/// Renders the worst cases.
pub fn cases(worst: &[Case]) -> Markup {
    html! { @for worst_case in worst { (case(worst_case)) } }
}

fn case(case: &Case) -> Markup {
    let certain = case.posterior.lower == Fraction::ONE;
    html! {
        article.case.certain[certain] {
            h4 { @if certain { "Certain" } @else { "Posterior " (posterior(&case.posterior)) } ": " (case.value) }
            p.quiet { (people(case.people)) " · " (quoted(&case.column)) }
            @if !case.pseudonyms.is_empty() { (names(case)) }
            @match &case.explanation {
                Some(found) => (explanation(found, case)),
                None => p.quiet { "No explanation was found." },
            }
        }
    }
}

fn names(case: &Case) -> Markup {
    let more = case.people.saturating_sub(case.pseudonyms.len() as u64);
    html! {
        p.names {
            @for (at, name) in case.pseudonyms.iter().enumerate() { @if at > 0 { " " } code { (name) } }
            @if more > 0 { " and " (format_count(more)) " more" }
        }
    }
}

fn explanation(found: &Explanation, case: &Case) -> Markup {
    let more = found.groups.len().saturating_sub(MAX_GROUPS);
    html! {
        div.groups {
            @for explaining in found.groups.iter().take(MAX_GROUPS) { (group(explaining, case)) }
            @if more > 0 {
                section.group.more { p { "and " (counted(more as u64, "more group")) } }
            }
        }
        p.explanation { (in_words(found, case)) }
    }
}

fn group(group: &ExplainingGroup, case: &Case) -> Markup {
    html! {
        section.group {
            p.release { b { (group.name) } " " span.date { (group.date) } }
            p.key { (key(&group.group)) }
            p.quiet { (members(group)) "; " (if group.values_listed_once { "listed values" } else { "records by value" }) ":" }
            ul {
                @for (value, records) in &group.values {
                    li class=[(*value == case.value).then_some("hit")] {
                        span { (value) }
                        @if !group.values_listed_once { b { (format_count(*records)) } }
                    }
                }
            }
        }
    }
}

/// Describes the explanation and its conclusion.
fn in_words(found: &Explanation, case: &Case) -> Markup {
    let all = found.groups.len();
    let mut clauses: Vec<String> = found.groups.iter().take(MAX_GROUPS).map(clause).collect();
    if all > MAX_GROUPS {
        clauses.push(format!("and {}", counted((all - MAX_GROUPS) as u64, "more group")));
    }
    let target = if case.people == 1 { "this person".to_owned() } else { format!("these {}", people(case.people)) };
    let title = if found.minimal { "Minimal explanation:" } else { "Explanation:" };
    html! {
        strong { (title) } " " (clauses.join("; ")) ". " strong { "Conclusion:" } " for " (target) ", "
        @if case.posterior.lower == Fraction::ONE {
            b { (case.value) } " is the only possible value"
        } @else {
            "the posterior of " b { (case.value) } " is " (posterior(&case.posterior))
        }
        "."
    }
}

/// Describes one group of an explanation.
fn clause(group: &ExplainingGroup) -> String {
    let one = |(value, records): &(String, u64)| match group.values_listed_once {
        true => value.clone(),
        false => format!("{value} {}", format_count(*records)),
    };
    let values: Vec<String> = group.values.iter().map(one).collect();
    let name = key(&group.group);
    // The group column is often called "group".
    let prefix = if name.to_lowercase().starts_with("group") { "" } else { "group " };
    let label = if group.values_listed_once { "listed values" } else { "records by value" };
    format!("{} ({}), {prefix}{name}, {}, {label}: {}", group.name, group.date, members(group), values.join(", "))
}

/// Formats the name of a group: `30-39 / Male`, or `column value` if it has one column only.
fn key(group: &[(String, String)]) -> String {
    match group {
        [] => "group of all people".to_owned(),
        [(column, value)] => format!("{column} {value}"),
        many => many.iter().map(|(_, value)| value.as_str()).collect::<Vec<&str>>().join(" / "),
    }
}

/// Formats the size of a group: `3 people`, or `3 other people` if the group does not contain the person of the case.
fn members(group: &ExplainingGroup) -> String {
    match group.people {
        number if group.contains_person => people(number),
        1 => "1 other person".to_owned(),
        number => format!("{} other people", format_count(number)),
    }
}

/// Formats a posterior: exact, an estimate with bounds, or bounds only.
fn posterior(posterior: &ColumnPosterior) -> String {
    let (lower, upper) = (posterior.lower.value(), posterior.upper.value());
    let bounds = || format!("lower bound {}, upper bound {}", percent_at_least(lower), percent_at_most(upper));
    match posterior {
        posterior if posterior.lower == Fraction::ONE => "certain".to_owned(),
        posterior if posterior.is_exact() => percent(posterior.best()),
        posterior if posterior.maximum_entropy.is_some() || posterior.sampled.is_some() => {
            format!("about {} ({})", percent(posterior.best()), bounds())
        }
        _ => bounds(),
    }
}

/// Renders the table of all people, the highest posterior first.
pub fn per_person(persons: &[PersonAudit]) -> Markup {
    let mut rows: Vec<(f64, Markup)> = Vec::new();
    for person in persons {
        let name = person.pseudonym.clone().unwrap_or_else(|| people(person.people));
        for column in &person.columns {
            let max = column.values.iter().map(|(_, posterior)| posterior.best()).fold(0.0, f64::max);
            let is_most_probable = |(_, posterior): &&(String, ColumnPosterior)| posterior.best() > max - 1e-9;
            let most_probable: Vec<String> =
                column.values.iter().filter(is_most_probable).map(|(value, _)| value.clone()).collect();
            let highest = column.values.iter().max_by(|one, two| one.1.best().total_cmp(&two.1.best()));
            let row = html! {
                tr {
                    td { code { (name) } }
                    td { (column.column) }
                    td { (list(&most_probable)) }
                    td.number { @if let Some((_, highest)) = highest { (posterior(highest)) } }
                    td.number { (format_count(column.values.len() as u64)) }
                }
            };
            rows.push((max, row));
        }
    }
    rows.sort_by(|one, two| two.0.total_cmp(&one.0));
    let omitted = rows.len().saturating_sub(MAX_ROWS);
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" { "person" }
                        th scope="col" { "sensitive attribute" }
                        th scope="col" { "most probable value" }
                        th.number scope="col" { "posterior" }
                        th.number scope="col" { "number of possible values" }
                    }
                }
                tbody { @for (_, row) in rows.iter().take(MAX_ROWS) { (row) } }
            }
        }
        @if omitted > 0 {
            p.quiet { (counted(omitted as u64, "more row")) " " (if omitted == 1 { "is" } else { "are" }) " not listed." }
        }
    }
}
