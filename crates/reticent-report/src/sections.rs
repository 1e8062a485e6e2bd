//! The sections about one coalition.

use std::fmt::Display;

use maud::{Markup, Render, html};

use crate::charts::{self, Series};
use crate::tables::{by_column, numbers, row, table};
use crate::view::{CoalitionView, ColumnCounts, ColumnView, Count, Details, Findings, Layout, NESTED, View};
use crate::words::{Worlds, percent, quoted};
use crate::{cases, computation, regulators};

/// Renders all sections about one coalition.
pub fn coalition_section(view: &View, coalition: &CoalitionView, number: usize) -> Markup {
    html! {
        section.coalition id=[anchor(view, number)] {
            h2 { (coalition.name) }
            @match &coalition.findings {
                Some(findings) => (findings_sections(view, coalition, findings)),
                None => (release_table(view, coalition)),
            }
        }
    }
}

fn findings_sections(view: &View, coalition: &CoalitionView, findings: &Findings) -> Markup {
    let is_complete = coalition.not_established.is_empty();
    html! {
        (section(view, "Key figures", html! { (tiles(view, coalition, findings)) (by_column(findings)) }))
        (release_table(view, coalition))
        (section(view, "Timeline", timeline(view, findings)))
        (section(view, "People by maximum posterior", distribution(view, findings)))
        @if let Some(details) = &findings.details { (section(view, "Worst cases", worst(details))) }
        (section(view, "Attacks", attacks(coalition)))
        (section(view, "Risk criteria of regulators", regulators::regulators(view, findings)))
        (section(view, "Exact figures, bounds and estimates", computation::figures(findings, is_complete)))
        @if !findings.columns.is_empty() { (section(view, "Possible worlds", computation::worlds(findings))) }
        (section(view, "Assumptions and limits", computation::assumptions(findings)))
        (section(view, "How it was computed", computation::computed(findings, is_complete)))
        @if let Some(persons) = findings.details.as_ref().and_then(|details| details.persons) {
            details.block { summary { "Posteriors of every person" } (cases::per_person(persons)) }
        }
    }
}

/// Returns the id of the section of a coalition. A fragment has none: ids of several fragments on a page would collide.
fn anchor(view: &View, number: usize) -> Option<String> {
    (view.layout == Layout::Page).then(|| format!("coalition-{number}"))
}

/// Titles of the sections that a fragment does not collapse.
const OPEN: &[&str] = &["Key figures", "Timeline", "People by maximum posterior"];

/// Renders a section with a heading; nothing if it has no content.
fn section(view: &View, title: &str, body: Markup) -> Markup {
    html! {
        @if !body.0.is_empty() {
            @if view.layout == Layout::Page || OPEN.contains(&title) {
                section.block { h3 { (title) } (body) }
            } @else {
                details.block { summary { (title) } (body) }
            }
        }
    }
}

/// Maximum number of characters of a figure in the large font.
const MAX_LARGE_CHARACTERS: usize = 8;

fn tile<T: Render + Display>(label: &str, figure: &T, note: Markup, loud: bool) -> Markup {
    let long = figure.to_string().chars().count() > MAX_LARGE_CHARACTERS;
    html! {
        div.tile.loud[loud] {
            dt { (label) }
            dd.figure.long[long] { (figure) }
            dd.note { (note) }
        }
    }
}

fn tiles(view: &View, coalition: &CoalitionView, findings: &Findings) -> Markup {
    let several = findings.columns.len() > 1;
    let releases = match findings.releases {
        1 => "in one release".to_owned(),
        many => format!("in {many} releases"),
    };
    html! {
        dl.tiles {
            (tile("People", &findings.people.text, html! { (releases) }, false))
            @if let Some(column) = findings.columns.first() { (column_tiles(view, coalition, column, several)) }
            @if !findings.pairs.is_empty() { (pairs_tile(findings)) }
            @if !findings.columns.is_empty() { (worlds_tile(findings)) }
            @if let Some(column) = findings.columns.first() { (change_tile(view, column, several)) }
        }
    }
}

fn pairs_tile(findings: &Findings) -> Markup {
    // The number of people in each pair of groups is unknown.
    let note = match findings.pairs.iter().any(|pair| pair.certain) {
        true => {
            "at least one value is certain for an attacker who knows a person’s groups in both releases; the other figures may not \
             include it"
        }
        false => {
            "the posterior exceeds the threshold for an attacker who knows a person’s groups in both releases; the other figures may \
             not include it"
        }
    };
    let mut pairs: Vec<[u64; 2]> = findings.pairs.iter().map(|pair| pair.releases).collect();
    pairs.sort_unstable();
    pairs.dedup();
    tile("Pairs of releases with a violation", &pairs.len(), html! { (note) }, true)
}

fn worlds_tile(findings: &Findings) -> Markup {
    let note = match findings.worlds {
        Worlds::Exact(1) => "only one assignment of the published values to people is consistent with every release",
        Worlds::NotCounted => "the records of some people are not linked across releases",
        _ => "assignments of the published values to people that are consistent with every release",
    };
    tile("Possible worlds", &findings.worlds, html! { (note) }, false)
}

/// Renders the change by the last release, for the column with the highest risk.
fn change_tile(view: &View, column: &ColumnView, several: bool) -> Markup {
    let Some((certain, above)) = &column.change else { return html! {} };
    let (label, what) = match view.public {
        true => ("Before the last release", "number of people whose value was certain"),
        false => ("Change by the last release", "in the number of people whose value is certain"),
    };
    let note = html! {
        (what)
        @if let Some((threshold, above)) = column.threshold.zip(above.as_ref()) {
            "; above the threshold of " (percent(threshold)) ": " (above)
        }
        (attribute_suffix(column, several))
    };
    tile(label, certain, note, false)
}

/// Note on a figure of an incomplete audit.
const JUDGED: &str = "as far as could be judged";

/// Renders the name of the column, if there are several.
fn attribute_suffix(column: &ColumnView, several: bool) -> Markup {
    html! { @if several { "; " (quoted(column.name)) } }
}

/// Returns whether the upper bound adds no person to the proved count. On a public page, equal texts can stand for different counts.
pub fn is_tight(view: &View, proved: &Count, may: &Count) -> bool {
    proved == may && (!view.public || may.is_zero())
}

/// Renders the tiles of the column with the highest risk. Each tile names the column if there are several.
fn column_tiles(view: &View, coalition: &CoalitionView, column: &ColumnView, several: bool) -> Markup {
    let now = &column.now;
    let is_complete = coalition.not_established.is_empty();
    let certain = html! {
        @if now.people.text != "some" { "of " (now.people.people_text()) "; " }
        (quoted(column.name))
        @if !is_tight(view, &now.certain, &now.may_be_certain) {
            "; certainty not ruled out for " (now.may_be_certain.people_text())
        }
    };
    let max_posterior = html! {
        (if is_complete { column.max_posterior.note.as_str() } else { JUDGED })
        @if let Some(threshold) = column.threshold { "; threshold " (percent(threshold)) }
        @if !column.any_record_above.is_zero() { "; for at least one of a person’s records" }
        @if let Some(pair_bound) = &column.pair_bound { "; " (pair_bound) }
        (attribute_suffix(column, several))
    };
    html! {
        (tile("People whose value is certain", &now.certain.text, certain, !now.certain.is_zero()))
        @if let Some(threshold) = column.threshold {
            @let label = format!("People above the threshold of {}", percent(threshold));
            (tile(&label, &now.above.text, above_note(view, is_complete, column, several), !now.above.is_zero()))
        }
        (tile("Maximum posterior", &column.max_posterior.text, max_posterior, column.max_posterior.certain))
    }
}

/// Renders the note on the people above the threshold.
fn above_note(view: &View, is_complete: bool, column: &ColumnView, several: bool) -> Markup {
    let is_tight = is_tight(view, &column.now.above, &column.now.may_be_above);
    html! {
        "posterior proved to be above"
        @if !is_tight { "; not ruled out for " (column.now.may_be_above.people_text()) }
        @if !is_complete { "; the audit is incomplete" }
        @if is_complete && is_tight { "; ruled out for all other people" }
        @if !column.any_record_above.is_zero() {
            "; counted for single records. For at least one of several records: possibly " (column.any_record_above.people_text())
        }
        (attribute_suffix(column, several))
    }
}

fn release_table(view: &View, coalition: &CoalitionView) -> Markup {
    if coalition.releases.is_empty() {
        return html! {};
    }
    let table = html! {
        div.scroll {
            table.releases {
                thead {
                    tr {
                        th scope="col" { "release" }
                        th scope="col" { "date" }
                        th scope="col" { "recipients" }
                        th scope="col" { "published columns" }
                        th.number scope="col" { "records" }
                    }
                }
                tbody {
                    @for release in &coalition.releases {
                        tr {
                            th scope="row" { (release.number) " " (release.name) }
                            td { (release.date) }
                            td { (release.recipients) }
                            td { (release.columns) }
                            td.number data-head="records" { (release.records) }
                        }
                    }
                }
            }
        }
    };
    section(view, "Releases", table)
}

/// Renders the content of every column. All but the first are collapsed.
fn each_column(findings: &Findings, content: impl Fn(&ColumnView) -> Markup) -> Markup {
    html! {
        @for (at, column) in findings.columns.iter().enumerate() {
            @if at > 0 {
                details { summary { (quoted(column.name)) } (content(column)) }
            } @else {
                @if findings.columns.len() > 1 { p.of { (quoted(column.name)) } }
                (content(column))
            }
        }
    }
}

fn timeline(view: &View, findings: &Findings) -> Markup {
    if findings.releases < 2 {
        return html! { p { "A timeline needs at least two releases." } };
    }
    each_column(findings, |column| column_timeline(view, column))
}

fn column_timeline(view: &View, column: &ColumnView) -> Markup {
    let releases: Vec<&str> = column.timeline.iter().map(|(release, _)| *release).collect();
    let mut series = series(column);
    let title = format!("People whose {} is disclosed, by release", column.name);
    let heads: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
    let rows = html! {
        @for (at, release) in releases.iter().enumerate() {
            @let cells: Vec<&str> = series.iter().map(|series| series.counts[at].text.as_str()).collect();
            (row(release, &heads, &cells))
        }
    };
    let table = table(&title, "up to release", &heads, rows);
    // For very few people, a chart would disclose more than the text.
    if column.now.people.text == "some" {
        return table;
    }
    series.reverse();
    html! {
        p.lead {
            "Number of people whose value can be inferred from each release and all earlier ones, with certainty"
            @if let Some(threshold) = column.threshold { " or with a posterior above the threshold of " (percent(threshold)) }
            "."
        }
        figure { (charts::over_releases(&title, &releases, &series, !view.public)) }
        (numbers(table))
    }
}

/// Returns the lines of the timeline chart, the lowest first.
fn series<'a>(column: &'a ColumnView) -> Vec<Series<'a>> {
    let one = |name: String, class, pick: fn(&ColumnCounts) -> &Count| Series {
        name,
        class,
        counts: column.timeline.iter().map(|(_, counts)| pick(counts)).collect(),
    };
    let mut series = vec![one("certain".to_owned(), "certain", |counts| &counts.certain)];
    if let Some(threshold) = column.threshold.map(percent) {
        let above = one(format!("above {threshold}"), "above", |counts| &counts.above);
        let may = one(format!("possibly above {threshold}"), "may", |counts| &counts.may_be_above);
        let differ = above.counts != may.counts;
        series.push(above);
        series.extend(differ.then_some(may));
    } else if column.timeline.iter().any(|(_, counts)| counts.certain != counts.may_be_certain) {
        series.push(one("possibly certain".to_owned(), "may", |counts| &counts.may_be_certain));
    }
    series
}

fn distribution(view: &View, findings: &Findings) -> Markup {
    each_column(findings, |column| if view.public { nested(column) } else { histogram(column) })
}

fn histogram(column: &ColumnView) -> Markup {
    let last = column.timeline.last().map_or("the last release", |(release, _)| *release);
    let title = match column.before {
        Some(_) => format!("People by maximum posterior of {}, before and after {last}", column.name),
        None => format!("People by maximum posterior of {}", column.name),
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
            "Each person is counted once, by the posterior of their most probable value. "
            "The further to the right, the more an attacker can infer."
            (not_exact(column))
        }
        @if before.is_some() {
            p.series {
                span { i.swatch.before {} "before " (last) } " "
                span { i.swatch {} "after " (last) } " "
                span { i.swatch.certain {} "after " (last) ", value certain" }
            }
        }
        figure { (charts::histogram(&title, before, &column.now.bars, column.threshold)) }
        (numbers(table(&title, "maximum posterior", heads, rows)))
    }
}

/// Says for how many people the figure of a distribution is a bound or an estimate.
fn not_exact(column: &ColumnView) -> Markup {
    html! {
        @if !column.bounds_only.is_zero() {
            " For " (column.bounds_only.ratio_text(&column.now.people)) ", only bounds are known. The upper bound is counted."
        }
        @if !column.estimated.is_zero() {
            " For " (column.estimated.ratio_text(&column.now.people)) ", the figure is an estimate, which can be too low."
        }
        @if let Some(before) = column.before.as_ref().filter(|_| !column.not_exact_before.is_zero()) {
            " Before the last release, the figure is an estimate or an upper bound for "
            (column.not_exact_before.ratio_text(&before.people)) "."
        }
    }
}

/// Renders the nested counts of a public page. Each count includes the next, so that counts do not add up to a total.
fn nested(column: &ColumnView) -> Markup {
    let last = column.timeline.last().filter(|_| column.before.is_some());
    html! {
        p.lead { "Number of people by maximum posterior. Each row includes the rows below it." (not_exact(column)) }
        div.scroll {
            table.nested {
                thead {
                    tr {
                        th scope="col" { "maximum posterior" }
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
                            td data-head="after" { (bar(column, count, if certain { "certain" } else { "after" })) }
                        }
                    }
                }
            }
        }
    }
}

/// Renders a bar and its count. For very few people there is no bar, because it would disclose more than the text.
fn bar(column: &ColumnView, count: &Count, class: &str) -> Markup {
    let people = &column.now.people;
    let width = (count.drawn * 100 / people.drawn.max(1)).clamp(u64::from(!count.is_zero()), 100);
    html! {
        @if people.text != "some" {
            svg.track aria-hidden="true" { rect.fill.(class) width={ (width) "%" } height="100%" rx="2" {} }
            " "
        }
        (count)
    }
}

fn worst(details: &Details) -> Markup {
    html! {
        @if details.worst.is_empty() {
            p { "There are no cases to show." }
        } @else {
            p.lead {
                "The people with the highest posteriors. The explanation of a case is a small set of groups that implies the "
                "posterior. It is called minimal if no part of it implies the same posterior."
            }
            (cases::cases(details.worst))
        }
    }
}

fn attacks(coalition: &CoalitionView) -> Markup {
    html! {
        @if !coalition.attacks.is_empty() {
            ul.attacks {
                @for attack in &coalition.attacks {
                    li {
                        // A result with a description needs no tag.
                        @match (attack.certain, attack.text) {
                            (Some(true), _) => b.tag.certain { "certain" },
                            (Some(false), None) => b.tag { "findings, not certain" },
                            (None, None) => b.tag { "no findings" },
                            (_, Some(_)) => {},
                        }
                        " " strong { (attack.title) }
                        @if let Some(text) = attack.text { br; (text) }
                    }
                }
            }
        }
    }
}
