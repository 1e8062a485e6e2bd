//! The sections about one coalition, in the order in which a reader asks.

use std::fmt::Display;

use maud::{Markup, Render, html};

use crate::charts::{self, Series};
use crate::tables::{by_column, numbers, row, table};
use crate::view::{CoalitionView, ColumnCounts, ColumnView, Count, Details, Findings, NESTED, View};
use crate::words::{Worlds, percent, quoted};
use crate::{cases, regulators, sure};

/// Everything about one coalition.
pub fn part(view: &View, part: &CoalitionView, at: usize) -> Markup {
    html! {
        section.part id={ "part-" (at) } {
            h2 { (part.name) }
            @match &part.found {
                Some(found) => (findings(view, part, found)),
                None => (holdings(part)),
            }
        }
    }
}

fn findings(view: &View, part: &CoalitionView, found: &Findings) -> Markup {
    let is_complete = part.not_established.is_empty();
    html! {
        (section("Key figures", html! { (tiles(view, part, found)) (by_column(found)) }))
        (holdings(part))
        (section("Risk over the releases", over(view, found)))
        (section("How sure things can be told", before_and_after(view, found)))
        @if let Some(details) = &found.details { (section("The worst cases, and why", worst(details))) }
        (section("Attacks that were tried", attacks(part)))
        (section("In the words of regulators", regulators::regulators(view, found)))
        (section("How sure these figures are", sure::figures(found, is_complete)))
        @if !found.columns.is_empty() { (section("Worlds", sure::worlds(found))) }
        (section("What was assumed, and what was not considered", sure::assumed(found)))
        (section("How it was computed", sure::computed(found, is_complete)))
        @if let Some(each) = found.details.as_ref().and_then(|details| details.each) {
            details.block { summary { "Everybody, one by one" } (cases::per_person(each)) }
        }
    }
}

/// A section with a heading; nothing if it has no content.
fn section(title: &str, body: Markup) -> Markup {
    html! {
        @if !body.0.is_empty() {
            section.block { h3 { (title) } (body) }
        }
    }
}

/// A figure with more characters than this is set smaller.
const SHORT: usize = 8;

fn tile<T: Render + Display>(label: &str, figure: &T, note: Markup, loud: bool) -> Markup {
    let long = figure.to_string().chars().count() > SHORT;
    html! {
        div.tile.loud[loud] {
            dt { (label) }
            dd.figure.long[long] { (figure) }
            dd.note { (note) }
        }
    }
}

fn tiles(view: &View, part: &CoalitionView, found: &Findings) -> Markup {
    let several = found.columns.len() > 1;
    let releases = match found.releases {
        1 => "in one release".to_owned(),
        many => format!("in {many} releases"),
    };
    html! {
        dl.tiles {
            (tile("People", &found.people.text, html! { (releases) }, false))
            @if let Some(column) = found.columns.first() { (about(view, part, column, several)) }
            @if !found.pairs.is_empty() { (pairs(found)) }
            @if !found.columns.is_empty() { (worlds(found)) }
            @if let Some(column) = found.columns.first() { (change(view, column, several)) }
        }
    }
}

fn pairs(found: &Findings) -> Markup {
    // It is not known how many people are in a group of each release.
    let note = match found.pairs.iter().any(|pair| pair.certain) {
        true => "tell somebody’s value for certain, whom the other figures may not count",
        false => "tell more of somebody than is allowed, whom the other figures may not count",
    };
    let mut pairs: Vec<[u64; 2]> = found.pairs.iter().map(|pair| pair.releases).collect();
    pairs.sort_unstable();
    pairs.dedup();
    tile("Pairs of releases", &pairs.len(), html! { (note) }, true)
}

fn worlds(found: &Findings) -> Markup {
    let note = match found.worlds {
        Worlds::Exact(1) => "only one way to give people the published values fits everything",
        Worlds::NotCounted => "not everybody is followed from release to release",
        _ => "ways to give people the published values that fit everything",
    };
    tile("Worlds", &found.worlds, html! { (note) }, false)
}

/// The change of the worst column by the last release.
fn change(view: &View, column: &ColumnView, several: bool) -> Markup {
    let Some((certain, above)) = &column.change else { return html! {} };
    let note = html! {
        "people certain"
        @if let Some(threshold) = column.threshold { "; above " (percent(threshold)) ": " (above) }
        (which(column, several))
    };
    let label = if view.public { "Before the last release" } else { "Since the release before" };
    tile(label, certain, note, false)
}

/// The note on a figure of an incomplete audit.
const JUDGED: &str = "as far as could be judged";

/// The name of the column, if there are several.
fn which(column: &ColumnView, several: bool) -> Markup {
    html! { @if several { "; " (quoted(column.name)) } }
}

/// Whether the upper bound adds nobody to the people proved. On a public page, counts that look the same can differ.
pub fn no_more(view: &View, proved: &Count, may: &Count) -> bool {
    proved == may && (!view.public || may.is_zero())
}

/// The tiles about the worst column. Each names it if there are several columns.
fn about(view: &View, part: &CoalitionView, column: &ColumnView, several: bool) -> Markup {
    let now = &column.now;
    let is_complete = part.not_established.is_empty();
    let certain = html! {
        @if now.people.text != "some" { "of " (now.people) " people; " }
        (quoted(column.name))
        @if !no_more(view, &now.certain, &now.may_be_certain) { "; not ruled out: " (now.may_be_certain) }
    };
    let highest = html! {
        (if is_complete { column.highest.bounds.as_str() } else { JUDGED })
        @if !column.any_record_above.is_zero() { "; that any of several records shows a value" }
        @if let Some(by_two) = &column.by_two { "; " (by_two) }
        (which(column, several))
    };
    html! {
        (tile("Certain", &now.certain.text, certain, !now.certain.is_zero()))
        @if let Some(threshold) = column.threshold {
            @let label = format!("Above the {} allowed", percent(threshold));
            (tile(&label, &now.above.text, above(view, is_complete, column, several), !now.above.is_zero()))
        }
        (tile("Highest probability", &column.highest.text, highest, column.highest.certain))
    }
}

/// The note on the people above the threshold.
fn above(view: &View, is_complete: bool, column: &ColumnView, several: bool) -> Markup {
    let no_more = no_more(view, &column.now.above, &column.now.may_be_above);
    html! {
        "proved"
        @if !no_more { "; not ruled out: " (column.now.may_be_above) }
        @if !is_complete { "; not everything could be judged" }
        @if is_complete && no_more { "; nobody else is in doubt" }
        @if !column.any_record_above.is_zero() { "; of one record. That any of several shows a value: " (column.any_record_above) }
        (which(column, several))
    }
}

fn holdings(part: &CoalitionView) -> Markup {
    if part.lines.is_empty() {
        return html! {};
    }
    let table = html! {
        div.scroll {
            table.holdings {
                thead {
                    tr {
                        th scope="col" { "release" }
                        th scope="col" { "date" }
                        th scope="col" { "recipients" }
                        th scope="col" { "columns" }
                        th.number scope="col" { "records" }
                    }
                }
                tbody {
                    @for line in &part.lines {
                        tr {
                            th scope="row" { (line.number) " " (line.name) }
                            td { (line.date) }
                            td { (line.recipients) }
                            td { (line.columns) }
                            td.number { (line.records) }
                        }
                    }
                }
            }
        }
    };
    section("What is held", table)
}

/// The content of every column: the first is open, the others can be opened.
fn each_column(found: &Findings, content: impl Fn(&ColumnView) -> Markup) -> Markup {
    html! {
        @for (at, column) in found.columns.iter().enumerate() {
            @if at > 0 {
                details { summary { (quoted(column.name)) } (content(column)) }
            } @else {
                @if found.columns.len() > 1 { p.of { (quoted(column.name)) } }
                (content(column))
            }
        }
    }
}

fn over(view: &View, found: &Findings) -> Markup {
    if found.releases < 2 {
        return html! { p { "There is one release: nothing to compare it with yet." } };
    }
    each_column(found, |column| over_of(view, column))
}

fn over_of(view: &View, column: &ColumnView) -> Markup {
    let releases: Vec<&str> = column.over.iter().map(|(release, _)| *release).collect();
    let mut series = series(column);
    let title = format!("People of whom {} is told, after each release", column.name);
    let heads: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let rows = html! {
        @for (at, release) in releases.iter().enumerate() {
            @let cells: Vec<&str> = series.iter().map(|series| series.counts[at].text.as_str()).collect();
            (row(release, &heads, &cells))
        }
    };
    let table = table(&title, "after release", &heads, rows);
    // For very few people, a chart would disclose more than the words.
    if column.now.people.text == "some" {
        return table;
    }
    series.reverse();
    html! {
        p.lead { "How many people are given away by everything published up to each release." }
        figure { (charts::over_releases(&title, &releases, &series, !view.public)) }
        (numbers(table))
    }
}

/// The lines of the chart over the releases, the lowest first.
fn series<'a>(column: &'a ColumnView) -> Vec<Series<'a>> {
    let one = |name: String, class, pick: fn(&ColumnCounts) -> &Count| Series {
        name,
        class,
        counts: column.over.iter().map(|(_, counts)| pick(counts)).collect(),
    };
    let mut series = vec![one("certain".to_owned(), "certain", |counts| &counts.certain)];
    if let Some(threshold) = column.threshold.map(percent) {
        let above = one(format!("above {threshold}"), "above", |counts| &counts.above);
        let may = one(format!("not ruled out above {threshold}"), "may", |counts| &counts.may_be_above);
        let differ = above.counts != may.counts;
        series.push(above);
        series.extend(differ.then_some(may));
    } else if column.over.iter().any(|(_, counts)| counts.certain != counts.may_be_certain) {
        series.push(one("not ruled out".to_owned(), "may", |counts| &counts.may_be_certain));
    }
    series
}

fn before_and_after(view: &View, found: &Findings) -> Markup {
    each_column(found, |column| if view.public { nested(column) } else { histogram(column) })
}

fn histogram(column: &ColumnView) -> Markup {
    let last = column.over.last().map_or("the last release", |(release, _)| *release);
    let title = match column.before {
        Some(_) => format!("People by how sure the likeliest {} is, before and after {last}", column.name),
        None => format!("People by how sure the likeliest {} is", column.name),
    };
    let before = column.before.as_ref().map(|before| before.bars.as_slice());
    let heads: &[&str] = if before.is_some() { &["people before", "people after"] } else { &["people"] };
    let rows = html! {
        @for (at, count) in column.now.bars.iter().enumerate() {
            @let name = if at == 10 { "certain".to_owned() } else { format!("{} to below {} %", at * 10, at * 10 + 10) };
            @let before = before.and_then(|bars| bars.get(at));
            @let cells: Vec<&str> = before.into_iter().chain([count]).map(|count| count.text.as_str()).collect();
            (row(&name, heads, &cells))
        }
    };
    html! {
        p.lead {
            "Everybody counts once, by the value that is likeliest for them. Far to the right means: as good as told."
            @if !column.bounded.is_zero() {
                " Of " (column.bounded.ratio_text(&column.now.people)) " only bounds are known: they count by the most that may be told."
            }
        }
        @if before.is_some() {
            p.series {
                span { i.swatch.before {} "before " (last) } " "
                span { i.swatch {} "after " (last) } " "
                span { i.swatch.sure {} "after, and certain" }
            }
        }
        figure { (charts::histogram(&title, before, &column.now.bars, column.threshold)) }
        (numbers(table(&title, "how sure", heads, rows)))
    }
}

/// The nested counts of a public page: each count includes the next, so none is a part of a whole.
fn nested(column: &ColumnView) -> Markup {
    let last = column.over.last().filter(|_| column.before.is_some());
    html! {
        p.lead { "People by how sure the likeliest value is. Each line includes those below it." }
        div.scroll {
            table.nested {
                thead {
                    tr {
                        th scope="col" { "how sure" }
                        @if let Some((last, _)) = last {
                            th scope="col" { "people before " (last) }
                            th scope="col" { "people after " (last) }
                        } @else {
                            th scope="col" { "people" }
                        }
                    }
                }
                tbody {
                    @for (at, (tenths, count)) in NESTED.iter().zip(&column.now.bars).enumerate() {
                        @let certain = *tenths == 10;
                        tr {
                            th scope="row" { @if certain { "certain" } @else { "at least " (tenths) "0\u{a0}%" } }
                            @if let Some(before) = column.before.as_ref().and_then(|before| before.bars.get(at)) {
                                td data-head="before" { (bar(column, before, "before")) }
                            }
                            td data-head="after" { (bar(column, count, if certain { "sure" } else { "after" })) }
                        }
                    }
                }
            }
        }
    }
}

/// A bar and its count. For very few people there is no bar: it would disclose more than the words.
fn bar(column: &ColumnView, count: &Count, class: &str) -> Markup {
    let people = &column.now.people;
    let wide = (count.drawn * 100 / people.drawn.max(1)).clamp(u64::from(!count.is_zero()), 100);
    html! {
        @if people.text != "some" {
            svg.track aria-hidden="true" { rect.fill.(class) width={ (wide) "%" } height="100%" rx="2" {} }
            " "
        }
        (count)
    }
}

fn worst(details: &Details) -> Markup {
    html! {
        @if details.worst.is_empty() {
            p { "There is no case to show." }
        } @else {
            p.lead { "Those about whom most is told, and a small set of groups that already tells it by itself." }
            (cases::cases(details.worst))
        }
    }
}

fn attacks(part: &CoalitionView) -> Markup {
    html! {
        @if !part.attacks.is_empty() {
            ul.attacks {
                @for attack in &part.attacks {
                    li {
                        // A result in words needs no mark.
                        @match (attack.certain, attack.text) {
                            (Some(true), _) => b.tag.sure { "certain" },
                            (Some(false), None) => b.tag { "something, not certain" },
                            (None, None) => b.tag { "nothing" },
                            (_, Some(_)) => {},
                        }
                        " " strong { (attack.title) }
                        @if let Some(words) = attack.text { br; (words) }
                    }
                }
            }
        }
    }
}
