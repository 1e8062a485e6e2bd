//! The headline: one sentence for each coalition, and the statement that was checked. It never calls anything anonymous.

use maud::{Markup, html};

use crate::view::{CoalitionView, ColumnView, Count, Findings, PairView, releases};
use crate::words::{joined, percent, quoted};

/// The result of an audit, from worst to best.
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
    /// The result for a coalition: that of its worst column, or worse if a pair of releases or another check found a violation.
    fn for_coalition(part: &CoalitionView) -> Verdict {
        let columns = part.found.as_ref().map_or(&[][..], |found| &found.columns);
        let pairs = part.found.as_ref().map_or(&[][..], |found| &found.pairs);
        let certain = pairs.iter().any(|pair| pair.certain) || part.violations.iter().any(|breach| breach.certain);
        match Verdict::for_column(columns.first(), part.not_established) {
            Verdict::Certain => Verdict::Certain,
            _ if certain => Verdict::Certain,
            _ if !pairs.is_empty() || !part.violations.is_empty() => Verdict::Above,
            verdict => verdict,
        }
    }

    /// The result for a column. Without a complete audit it is never good.
    fn for_column(column: Option<&ColumnView>, open: &[String]) -> Verdict {
        match (Verdict::counted(column), open) {
            (Verdict::Within | Verdict::NothingCertain, [_, ..]) => Verdict::NotEstablished,
            (counted, _) => counted,
        }
    }

    /// The result for a column, by its counts alone.
    fn counted(column: Option<&ColumnView>) -> Verdict {
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
            Verdict::Certain => "Given away",
            Verdict::Above => "Above the policy",
            Verdict::MayBeAbove | Verdict::MayBeCertain => "Not ruled out",
            Verdict::NotEstablished => "Not established",
            Verdict::Within => "Within the policy",
            Verdict::NothingCertain => "Nothing certain",
            Verdict::NotChecked => "Not checked",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Verdict::Certain | Verdict::Above => "bad",
            Verdict::MayBeAbove | Verdict::MayBeCertain | Verdict::NotEstablished | Verdict::NotChecked => "open",
            Verdict::Within | Verdict::NothingCertain => "holds",
        }
    }

    /// A sign that differs in shape, not only in colour.
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

/// The card of a coalition at the top of the page.
pub fn card(part: &CoalitionView, at: usize) -> Markup {
    let verdict = Verdict::for_coalition(part);
    let (sentences, checked) = match &part.found {
        Some(found) if !found.columns.is_empty() => (sentences(part, found), checked(found)),
        Some(_) => {
            let sentence = "These releases show no sensitive column that was to be looked at, so nothing was inferred about anybody.";
            (vec![html! { (sentence) }], html! { "only whether people can be found in the releases." })
        }
        None => (vec![html! { "These releases were not audited." }], html! { "nothing. Nothing follows from that." }),
    };
    let headline = sentences.first();
    html! {
        article.verdict.(verdict.class()) {
            p.label {
                svg.sign viewBox="0 0 28 28" aria-hidden="true" { (verdict.sign()) }
                (verdict.label())
                a.who href={ "#part-" (at) } { (part.name) }
            }
            p.headline { @if let Some(headline) = headline { (headline) } }
            @for breach in part.violations { p.also { "But " (breach.text) "." } }
            @for why in part.not_established { p.also { "Not established: " (why) "." } }
            @for also in sentences.iter().skip(1) { p.also { (also) } }
            p.checked { "Checked: " (checked) }
        }
    }
}

/// One sentence for each column and each pair of releases, the one with the highest risk first.
fn sentences(part: &CoalitionView, found: &Findings) -> Vec<Markup> {
    // The sentence of a pair replaces the sentence of its column, unless the column has a violation of its own.
    let is_bad = |column: &ColumnView| !column.now.certain.is_zero() || !column.now.above.is_zero();
    let has_own = |column: &&ColumnView| !found.pairs.iter().any(|pair| pair.column == column.name) || is_bad(column);
    let mut sentences: Vec<Markup> =
        found.columns.iter().filter(has_own).map(|column| of_column(part, found, column)).collect();
    // Of equally bad sentences, the counted one is about more people.
    let certain = found.pairs.iter().any(|pair| pair.certain);
    let column_first = |column: &ColumnView| if certain { !column.now.certain.is_zero() } else { is_bad(column) };
    let place = usize::from(found.columns.first().is_some_and(column_first));
    sentences.splice(place..place, found.pairs.iter().map(|pair| of_pair(found, pair)));
    sentences
}

/// The disclosure by two releases about a person whose group in each is known.
fn of_pair(found: &Findings, pair: &PairView) -> Markup {
    let [one, other] = pair.releases;
    let column = found.columns.iter().find(|column| column.name == pair.column);
    let threshold = column.and_then(|column| column.threshold).filter(|_| !pair.certain);
    html! {
        "Of " strong { "somebody" } " who is known to be in a group of each of releases " (one) " and " (other) ", " (quoted(pair.column))
        " can be told "
        @if let Some(threshold) = threshold { "with more than " (percent(threshold)) " confidence" } @else { "for certain" }
        "."
    }
}

/// The result for one column.
fn of_column(part: &CoalitionView, found: &Findings, column: &ColumnView) -> Markup {
    let name = quoted(column.name);
    let together = match found.releases {
        0 | 1 => "from the release".to_owned(),
        many if found.unlinked.len() >= many => "from a release by itself".to_owned(),
        many => format!("once {} are put together", releases(many)),
    };
    let threshold = column.threshold.map(percent).unwrap_or_default();
    let now = &column.now;
    let people = |count: &Count| html! { "For " (strong_of(count, &now.people)) };
    // If the audit is incomplete, the sentence says so.
    let (lead, counted, together) = match Verdict::for_column(Some(column), part.not_established) {
        Verdict::NotEstablished => (
            "As far as could be judged, for",
            Verdict::counted(Some(column)),
            "from what could be looked at".to_owned(),
        ),
        verdict => ("For", verdict, together),
    };
    match counted {
        Verdict::Certain => html! { (people(&now.certain)) ", " (name) " is certain " (together) "." },
        Verdict::Above => html! {
            (people(&now.above)) ", " (name) " can be told with more than " (threshold) " confidence " (together) "."
            // This does not follow if the audit is incomplete.
            @if part.not_established.is_empty() { " It is certain for nobody." }
        },
        Verdict::MayBeAbove => html! {
            (people(&now.may_be_above)) ", it could not be ruled out that " (name) " can be told with more than " (threshold)
            " confidence " (together) "."
        },
        Verdict::Within if !column.any_record_above.is_zero() => html! {
            (lead) " " (now.people.none()) " can " (name) " of one of their records be told with more than " (threshold) " confidence "
            (together) ". That any of several records shows a given value may be told with more: for "
            (strong_of(&column.any_record_above, &now.people)) "."
        },
        Verdict::Within => html! {
            (lead) " " (now.people.none()) " can " (name) " be told with more than " (threshold) " confidence " (together) "."
        },
        Verdict::MayBeCertain => html! {
            (people(&now.may_be_certain)) ", it could not be ruled out that " (name) " is certain " (together)
            "; it was proved for nobody."
        },
        Verdict::NothingCertain | Verdict::NotEstablished | Verdict::NotChecked => html! {
            (lead) " " (now.people.none()) " is " (name) " certain " (together) ". The most that is told about anybody: "
            (column.highest.text) "."
        },
    }
}

/// `3 of 15 people`, in bold.
fn strong_of(count: &Count, people: &Count) -> Markup {
    html! { strong { (count.ratio_text(people)) } }
}

/// The columns by their confidence threshold, each named once.
pub fn allowed<'a>(columns: impl IntoIterator<Item = &'a ColumnView<'a>>) -> Vec<(Vec<&'a str>, Option<f64>)> {
    let mut allowed: Vec<(Vec<&str>, Option<f64>)> = Vec::new();
    for column in columns {
        match allowed.iter_mut().find(|(_, threshold)| *threshold == column.threshold) {
            Some((names, _)) if names.contains(&column.name) => {}
            Some((names, _)) => names.push(column.name),
            None => allowed.push((vec![column.name], column.threshold)),
        }
    }
    allowed
}

/// The statement that was checked, in words.
fn checked(found: &Findings) -> Markup {
    let statement = |(names, threshold): (Vec<&str>, Option<f64>)| {
        let names: Vec<Markup> = names.into_iter().map(quoted).collect();
        html! {
            (joined(&names, "or"))
            @match threshold {
                Some(threshold) => { " with more than " (percent(threshold)) " confidence, or for certain," }
                None => " for certain",
            }
        }
    };
    let statements: Vec<Markup> = allowed(&found.columns).into_iter().map(statement).collect();
    let knows = match (found.unlinked.is_empty() || found.releases < 2, found.by_pairs) {
        (true, _) => "knows who is in which group",
        (false, true) => "knows who is in which group of one release, or of one person in which groups of two they are",
        (false, false) => "knows who is in which group of one release",
    };
    let several = found.columns.iter().any(|column| !column.any_record_above.is_zero());
    html! {
        "whether somebody who holds " (releases(found.releases)) ", " (knows) ", and knows what is assumed below, can tell anybody’s "
        (joined(&statements, "or")) " from what was published."
        @if several {
            " Where somebody has several records, each of them was judged by itself, and all together for certainty."
        }
        " No other statement was checked."
    }
}
