//! The worst cases with their minimal explanation, and the table of all people. Only on an internal page.

use maud::{Markup, html};
use reticent::audit::Fraction;
use reticent::audit::{Case, ColumnPosterior, ExplainingGroup, Explanation, PersonAudit};
use reticent::text::{counted, format_count, people};

use crate::words::{list, percent, percent_at_least, percent_at_most, quoted, sentence};

/// The number of groups of a case that are shown.
const GROUPS: usize = 6;
/// The number of people that are listed.
const LISTED: usize = 500;

/// The worst cases.
pub fn cases(worst: &[Case]) -> Markup {
    html! { @for one in worst { (case(one)) } }
}

fn case(case: &Case) -> Markup {
    let certain = case.posterior.lower == Fraction::ONE;
    html! {
        article.case.sure[certain] {
            h4 { @if certain { "Certain" } @else { (posterior(&case.posterior)) } ": " (case.value) }
            p.quiet { (people(case.people)) " · " (quoted(&case.column)) }
            @if !case.pseudonyms.is_empty() { (names(case)) }
            @match &case.explanation {
                Some(because) => (explanation(because, case)),
                None => p.quiet { "No small set of groups was found that tells it by itself." },
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

fn explanation(because: &Explanation, case: &Case) -> Markup {
    let more = because.groups.len().saturating_sub(GROUPS);
    html! {
        div.groups {
            @for one in because.groups.iter().take(GROUPS) { (group(one, case)) }
            @if more > 0 {
                section.group.more { p { "and " (counted(more as u64, "more group")) } }
            }
        }
        p.because { (in_words(because, case)) }
    }
}

fn group(group: &ExplainingGroup, case: &Case) -> Markup {
    html! {
        section.group {
            p.release { b { (group.name) } " " span.date { (group.date) } }
            p.key { (key(&group.group)) }
            p.quiet { (members(group)) " " (if group.values_listed_once { "have one of" } else { "showed" }) ":" }
            ul {
                @for (value, records) in &group.values {
                    li class=[(*value == case.value).then_some("hit")] { span { (value) } @if !group.values_listed_once { b { (format_count(*records)) } } }
                }
            }
        }
    }
}

/// The explanation in one sentence.
fn in_words(because: &Explanation, case: &Case) -> Markup {
    let all = because.groups.len();
    let mut clauses: Vec<String> = because.groups.iter().take(GROUPS).map(clause).collect();
    if all > GROUPS {
        clauses.push(format!("and {} besides", counted((all - GROUPS) as u64, "group")));
    }
    let clauses = sentence(&clauses.join("; "));
    let who = if case.people == 1 { "this person".to_owned() } else { format!("these {}", people(case.people)) };
    html! {
        (clauses.trim_end_matches('.')) "; " strong { (if all > 1 { "together" } else { "so" }) ":" } " for " (who) " "
        @if case.posterior.lower == Fraction::ONE {
            "only " b { (case.value) } " fits"
        } @else {
            b { (case.value) } " has a probability of " (posterior(&case.posterior))
        }
        "."
    }
}

fn clause(group: &ExplainingGroup) -> String {
    let one = |(value, records): &(String, u64)| match group.values_listed_once {
        true => value.clone(),
        false => format!("{value} {}", format_count(*records)),
    };
    let shows: Vec<String> = group.values.iter().map(one).collect();
    let name = key(&group.group);
    // The column that marks groups is often called "group".
    let the = if name.to_lowercase().starts_with("group") { "" } else { "the group " };
    let how = if group.values_listed_once { "listed" } else { "showed" };
    format!("in {} ({}) {the}{name}, {}, {how}: {}", group.name, group.date, members(group), shows.join(", "))
}

/// The group's name: `30-39 / Male`, or its column and value if it has one column only.
fn key(group: &[(String, String)]) -> String {
    match group {
        [] => "of everybody".to_owned(),
        [(column, value)] => format!("{column} {value}"),
        many => many.iter().map(|(_, value)| value.as_str()).collect::<Vec<&str>>().join(" / "),
    }
}

/// The people of a group: `3 people`, or `3 others` if the person of the case is not one of them.
fn members(group: &ExplainingGroup) -> String {
    match group.people {
        number if group.contains_person => people(number),
        1 => "1 other".to_owned(),
        number => format!("{} others", format_count(number)),
    }
}

/// A posterior probability: exact, an estimate with its bounds, or the bounds.
fn posterior(chance: &ColumnPosterior) -> String {
    let between =
        || format!("between {} and {}", percent_at_least(chance.lower.value()), percent_at_most(chance.upper.value()));
    match chance {
        chance if chance.lower == Fraction::ONE => "certain".to_owned(),
        chance if chance.is_exact() => percent(chance.best()),
        chance if chance.maximum_entropy.is_some() || chance.sampled.is_some() => {
            format!("about {} ({})", percent(chance.best()), between())
        }
        _ => between(),
    }
}

/// The table of all people, the highest probability first.
pub fn per_person(each: &[PersonAudit]) -> Markup {
    let mut rows: Vec<(f64, Markup)> = Vec::new();
    for person in each {
        let who = person.pseudonym.clone().unwrap_or_else(|| people(person.people));
        for told in &person.columns {
            let best = told.values.iter().map(|(_, chance)| chance.best()).fold(0.0, f64::max);
            let is_likeliest = |(_, chance): &&(String, ColumnPosterior)| chance.best() > best - 1e-9;
            let likeliest: Vec<String> =
                told.values.iter().filter(is_likeliest).map(|(value, _)| value.clone()).collect();
            let how = told.values.iter().max_by(|one, two| one.1.best().total_cmp(&two.1.best()));
            let row = html! {
                tr {
                    td { code { (who) } }
                    td { (told.column) }
                    td { (list(&likeliest)) }
                    td.number { @if let Some((_, how)) = how { (posterior(how)) } }
                    td.number { (format_count(told.values.len() as u64)) }
                }
            };
            rows.push((best, row));
        }
    }
    rows.sort_by(|one, two| two.0.total_cmp(&one.0));
    let left = rows.len().saturating_sub(LISTED);
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" { "who" }
                        th scope="col" { "column" }
                        th scope="col" { "likeliest" }
                        th.number scope="col" { "how sure" }
                        th.number scope="col" { "values possible" }
                    }
                }
                tbody { @for (_, row) in rows.iter().take(LISTED) { (row) } }
            }
        }
        @if left > 0 { p.quiet { (counted(left as u64, "more line")) " are not listed here." } }
    }
}
