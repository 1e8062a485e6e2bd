//! The verdict of each coalition: a headline, and the statement that was checked. No verdict calls data anonymous.

use maud::{Markup, html};

use crate::view::{CoalitionView, ColumnView, Count, Findings, Layout, PairView, View, all_releases};
use crate::words::{joined, percent, quoted};

/// The verdict of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Certain,
    Above,
    MayBeAbove,
    MayBeCertain,
    NotEstablished,
    Within,
    NothingCertain,
    NotChecked,
}

impl Verdict {
    /// Returns the verdict of a coalition: that of its worst column, or a worse one if a pair of releases or an attack has a violation.
    fn for_coalition(coalition: &CoalitionView) -> Verdict {
        let columns = coalition.findings.as_ref().map_or(&[][..], |findings| &findings.columns);
        let pairs = coalition.findings.as_ref().map_or(&[][..], |findings| &findings.pairs);
        let certain =
            pairs.iter().any(|pair| pair.certain) || coalition.violations.iter().any(|violation| violation.certain);
        match Verdict::for_column(columns.first(), coalition.not_established) {
            Verdict::Certain => Verdict::Certain,
            _ if certain => Verdict::Certain,
            _ if !pairs.is_empty() || !coalition.violations.is_empty() => Verdict::Above,
            verdict => verdict,
        }
    }

    /// Returns the verdict of a column. If the audit is incomplete, the verdict is never favourable.
    fn for_column(column: Option<&ColumnView>, not_established: &[String]) -> Verdict {
        match (Verdict::from_counts(column), not_established) {
            (Verdict::Within | Verdict::NothingCertain, [_, ..]) => Verdict::NotEstablished,
            (verdict, _) => verdict,
        }
    }

    /// Returns the verdict of a column, given only its counts.
    fn from_counts(column: Option<&ColumnView>) -> Verdict {
        let Some(column) = column else { return Verdict::NotChecked };
        match (&column.now, column.threshold) {
            (now, _) if !now.certain.is_zero() => Verdict::Certain,
            (now, None) if !now.may_be_certain.is_zero() => Verdict::MayBeCertain,
            (_, None) => Verdict::NothingCertain,
            (now, _) if !now.above.is_zero() => Verdict::Above,
            (now, _) if !now.may_be_above.is_zero() => Verdict::MayBeAbove,
            _ => Verdict::Within,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Verdict::Certain => "Certain disclosure",
            Verdict::Above => "Threshold exceeded",
            Verdict::MayBeAbove | Verdict::MayBeCertain => "Disclosure not ruled out",
            Verdict::NotEstablished => "Not established",
            Verdict::Within => "Threshold met",
            Verdict::NothingCertain => "No certain disclosure",
            Verdict::NotChecked => "Not checked",
        }
    }

    /// What the reader does next.
    fn next_step(self) -> &'static str {
        match self {
            Verdict::Certain | Verdict::Above => {
                "published releases cannot be recalled. Ask recipients to delete them, and check every further release against these \
                 ones, so that it raises no further posterior above the threshold."
            }
            Verdict::MayBeAbove | Verdict::MayBeCertain | Verdict::NotEstablished | Verdict::NotChecked => {
                "treat the people who are not ruled out as disclosed, or audit again with more work, with owner links or with fewer columns."
            }
            Verdict::Within | Verdict::NothingCertain => {
                "none for this verdict. It is about inference of sensitive values only: the risk of re-identification is listed under \
                 Risk criteria of regulators."
            }
        }
    }

    fn class(self) -> &'static str {
        match self {
            Verdict::Certain | Verdict::Above => "bad",
            Verdict::MayBeAbove | Verdict::MayBeCertain | Verdict::NotEstablished | Verdict::NotChecked => "open",
            Verdict::Within | Verdict::NothingCertain => "holds",
        }
    }

    /// Renders the symbol of the verdict. Symbols differ in shape, not only in colour.
    fn sign(self) -> Markup {
        match self.class() {
            "bad" => html! {
                path.body d="M14 2 27 25.5H1Z" {}
                path.mark d="M14 10.5v7" {}
                path.mark d="M14 21.4v.2" {}
            },
            "open" => html! {
                circle.body cx="14" cy="14" r="12.5" {}
                path.mark d="M10.4 11a3.6 3.6 0 1 1 5.4 3.1c-1.2.7-1.8 1.3-1.8 2.7" {}
                path.mark d="M14 20.4v.2" {}
            },
            _ => html! {
                rect.body x="1.5" y="1.5" width="25" height="25" rx="5" {}
                path.mark d="m8.5 14.5 4 4 7-8.5" {}
            },
        }
    }
}

/// Renders the verdict of a coalition at the top of the page.
pub fn card(view: &View, coalition: &CoalitionView, number: usize) -> Markup {
    let verdict = Verdict::for_coalition(coalition);
    let (sentences, checked) = match &coalition.findings {
        Some(findings) if !findings.columns.is_empty() => (sentences(coalition, findings), checked_statement(findings)),
        Some(_) => {
            let sentence = "These releases contain none of the audited sensitive attributes. No inference was tested.";
            (vec![html! { (sentence) }], html! { "only the re-identification risk." })
        }
        None => (vec![html! { "These releases were not audited." }], html! { "nothing. No conclusion is possible." }),
    };
    let headline = sentences.first();
    html! {
        article.verdict.(verdict.class()) {
            p.label {
                svg.sign viewBox="0 0 28 28" aria-hidden="true" { (verdict.sign()) }
                (verdict.label())
                @match view.layout {
                    Layout::Page => a.recipients href={ "#coalition-" (number) } { (coalition.name) },
                    Layout::Fragment => span.recipients { (coalition.name) },
                }
            }
            p.headline { @if let Some(headline) = headline { (headline) } }
            @for violation in coalition.violations { p.also { "Violation: " (violation.text) "." } }
            @for why in coalition.not_established { p.also { "Not established: " (why) "." } }
            @for also in sentences.iter().skip(1) { p.also { (also) } }
            p.checked { "Checked: " (checked) }
            p.checked { "Next step: " (verdict.next_step()) }
        }
    }
}

/// Returns one sentence for each column and each pair of releases with a violation, the highest risk first.
fn sentences(coalition: &CoalitionView, findings: &Findings) -> Vec<Markup> {
    // The sentence of a pair replaces that of its column, unless the column has a violation of its own.
    let has_violation = |column: &ColumnView| !column.now.certain.is_zero() || !column.now.above.is_zero();
    let has_sentence =
        |column: &&ColumnView| !findings.pairs.iter().any(|pair| pair.column == column.name) || has_violation(column);
    let columns = findings.columns.iter().filter(has_sentence);
    let mut sentences: Vec<Markup> = columns.map(|column| column_sentence(coalition, findings, column)).collect();
    // If both are equally severe, the sentence of the column comes first, because it is about more people.
    let certain = findings.pairs.iter().any(|pair| pair.certain);
    let column_first =
        |column: &ColumnView| if certain { !column.now.certain.is_zero() } else { has_violation(column) };
    let place = usize::from(findings.columns.first().is_some_and(column_first));
    sentences.splice(place..place, findings.pairs.iter().map(|pair| pair_sentence(findings, pair)));
    sentences
}

/// Describes the disclosure by two releases to an attacker who knows a person's groups in both.
fn pair_sentence(findings: &Findings, pair: &PairView) -> Markup {
    let [one, other] = pair.releases;
    let column = findings.columns.iter().find(|column| column.name == pair.column);
    let threshold = column.and_then(|column| column.threshold).filter(|_| !pair.certain);
    html! {
        "If an attacker knows a person’s groups in releases " (one) " and " (other) ", "
        @if let Some(threshold) = threshold {
            "the posterior of " (quoted(pair.column)) " exceeds the threshold of " (percent(threshold))
        } @else {
            (quoted(pair.column)) " is certain"
        }
        " for " strong { "some pairs of groups" } "."
    }
}

/// Describes the result for one column.
fn column_sentence(coalition: &CoalitionView, findings: &Findings, column: &ColumnView) -> Markup {
    let name = quoted(column.name);
    let given = match findings.releases {
        0 | 1 => "given the release".to_owned(),
        many if findings.unlinked.len() >= many => "given a single release".to_owned(),
        many => format!("given {}", all_releases(many)),
    };
    let threshold = column.threshold.map(percent).unwrap_or_default();
    let now = &column.now;
    let people = |count: &Count| html! { "For " (strong_ratio(count, &now.people)) };
    // The sentence states whether the audit is incomplete.
    let (lead, verdict, given) = match Verdict::for_column(Some(column), coalition.not_established) {
        Verdict::NotEstablished => (
            "As far as could be judged, for",
            Verdict::from_counts(Some(column)),
            "given the judged part of the releases".to_owned(),
        ),
        verdict => ("For", verdict, given),
    };
    match verdict {
        Verdict::Certain => html! { (people(&now.certain)) ", " (name) " is certain " (given) "." },
        Verdict::Above => html! {
            (people(&now.above)) ", the posterior of " (name) " exceeds the threshold of " (threshold) " " (given) "."
            // This does not follow if the audit is incomplete.
            @if coalition.not_established.is_empty() { " Certainty was proved for no person." }
        },
        Verdict::MayBeAbove => html! {
            (people(&now.may_be_above)) ", it could not be ruled out that the posterior of " (name) " exceeds the threshold of "
            (threshold) " " (given) "."
        },
        Verdict::Within if !column.any_record_above.is_zero() => html! {
            (lead) " " (now.people.none()) " does the posterior of " (name) " for a single record exceed the threshold of "
            (threshold) " " (given) ". The posterior that at least one of a person’s records has a given value may exceed it for "
            (strong_ratio(&column.any_record_above, &now.people)) "."
        },
        Verdict::Within => html! {
            (lead) " " (now.people.none()) " does the posterior of " (name) " exceed the threshold of " (threshold) " " (given) "."
        },
        Verdict::MayBeCertain => html! {
            (people(&now.may_be_certain)) ", it could not be ruled out that " (name) " is certain " (given)
            ". Certainty was proved for no person."
        },
        Verdict::NothingCertain | Verdict::NotEstablished | Verdict::NotChecked => html! {
            (lead) " " (now.people.none()) " is " (name) " certain " (given) ". Maximum posterior: " (column.max_posterior.text) "."
        },
    }
}

/// Renders `3 of 15 people` in bold.
fn strong_ratio(count: &Count, people: &Count) -> Markup {
    html! { strong { (count.ratio_text(people)) } }
}

/// Groups the column names by their threshold. Lists each name once per threshold.
pub fn columns_by_threshold<'a>(
    columns: impl IntoIterator<Item = &'a ColumnView<'a>>,
) -> Vec<(Vec<&'a str>, Option<f64>)> {
    let mut groups: Vec<(Vec<&str>, Option<f64>)> = Vec::new();
    for column in columns {
        match groups.iter_mut().find(|(_, threshold)| *threshold == column.threshold) {
            Some((names, _)) if names.contains(&column.name) => {}
            Some((names, _)) => names.push(column.name),
            None => groups.push((vec![column.name], column.threshold)),
        }
    }
    groups
}

/// Describes the statement that was checked.
fn checked_statement(findings: &Findings) -> Markup {
    let statement = |(names, threshold): (Vec<&str>, Option<f64>)| {
        let names: Vec<Markup> = names.into_iter().map(quoted).collect();
        html! {
            (joined(&names, "or"))
            @match threshold {
                Some(threshold) => { " with a posterior above " (percent(threshold)) " (or with certainty)" }
                None => " with certainty",
            }
        }
    };
    let statements: Vec<Markup> = columns_by_threshold(&findings.columns).into_iter().map(statement).collect();
    let knows = match (findings.unlinked.is_empty() || findings.releases < 2, findings.by_pairs) {
        (true, _) => "knows the group of every person",
        (false, true) => "knows the group of every person in one release, or the groups of one person in two releases",
        (false, false) => "knows the group of every person in one release",
    };
    let several = findings.columns.iter().any(|column| !column.any_record_above.is_zero());
    html! {
        "whether an attacker can infer any person’s " (joined(&statements, "or")) ". The attacker has " (all_releases(findings.releases))
        ", " (knows) ", and knows what is listed under Assumptions. A group is the set of records of a release with the same "
        "quasi-identifiers, or with the same group label."
        @if several {
            " If a person has several records, each record was judged separately, and all of them together for certainty."
        }
        " No other statement was checked."
    }
}
