//! The headline: one plain sentence per coalition, and which statement was checked. Never that something is anonymous.

use super::view::{Count, Found, Part, Told, Two, releases};
use super::words::{either, escape, percent};

/// What was found, from bad to good.
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
    /// What was found of a column, where everything could be looked at or not.
    fn of(told: Option<&Told>, open: &[String]) -> Verdict {
        match (Verdict::counted(told), open) {
            (Verdict::Within | Verdict::NothingCertain, [_, ..]) => Verdict::NotEstablished,
            (counted, _) => counted,
        }
    }

    fn counted(told: Option<&Told>) -> Verdict {
        let Some(told) = told else { return Verdict::NotChecked };
        match (&told.now, told.allowed) {
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

    /// A sign whose shape, not its colour, says what it is.
    fn sign(self) -> &'static str {
        match self.class() {
            "bad" => {
                "<path class=\"body\" d=\"M14 2 27 25.5H1Z\"/><path class=\"mark\" d=\"M14 10.5v7\"/><path class=\"mark\" d=\"M14 21.4v.2\"/>"
            }
            "open" => {
                "<circle class=\"body\" cx=\"14\" cy=\"14\" r=\"12.5\"/><path class=\"mark\" d=\"M10.4 11a3.6 3.6 0 1 1 5.4 3.1c-1.2.7-1.8 1.3-1.8 2.7\"/><path class=\"mark\" d=\"M14 20.4v.2\"/>"
            }
            _ => {
                "<rect class=\"body\" x=\"1.5\" y=\"1.5\" width=\"25\" height=\"25\" rx=\"5\"/><path class=\"mark\" d=\"m8.5 14.5 4 4 7-8.5\"/>"
            }
        }
    }
}

/// The card of a coalition at the top of the page.
pub fn card(part: &Part, at: usize) -> String {
    let worst = part.found.as_ref().and_then(|found| found.columns.first());
    let mut also: Vec<String> = Vec::new();
    let pairs = part.found.as_ref().map_or(&[][..], |found| &found.pairs);
    let verdict = match Verdict::of(worst, part.open) {
        Verdict::Certain => Verdict::Certain,
        _ if pairs.iter().any(|two| two.certain) || part.breaches.iter().any(|breach| breach.certain) => {
            Verdict::Certain
        }
        _ if !pairs.is_empty() || !part.breaches.is_empty() => Verdict::Above,
        verdict => verdict,
    };
    let (sentence, checked) = match (&part.found, worst) {
        (Some(found), Some(_)) => {
            // What two releases tell of a column takes the place of what was counted of it, where that is nothing bad.
            let is_bad = |told: &Told| !told.now.certain.is_zero() || !told.now.above.is_zero();
            let by_pairs = |told: &&Told| !found.pairs.iter().any(|two| two.column == told.name) || is_bad(told);
            let told = found.columns.iter().filter(by_pairs).map(|told| says(part, found, told));
            let mut told: Vec<String> = told.collect();
            // The worse first; what is as bad is told of more people by what was counted.
            let certain = pairs.iter().any(|two| two.certain);
            let counted_first = |told: &Told| if certain { !told.now.certain.is_zero() } else { is_bad(told) };
            let place = usize::from(found.columns.first().is_some_and(counted_first));
            told.splice(place..place, pairs.iter().map(|two| by_two(found, two)));
            let first = told.remove(0);
            also = told;
            (first, format!("Checked: {}", checked(found)))
        }
        (Some(_), None) => {
            let sentence = "These releases show no sensitive column that was to be looked at, so nothing was inferred about anybody.";
            (sentence.to_owned(), "Checked: only whether people can be found in the releases.".to_owned())
        }
        (None, _) => {
            ("These releases were not audited.".to_owned(), "Checked: nothing. Nothing follows from that.".to_owned())
        }
    };
    let others: String = also.iter().map(|says| format!("<p class=\"also\">{says}</p>\n")).collect();
    let breaches = part.breaches.iter().map(|breach| format!("<p class=\"also\">But {}.</p>\n", escape(&breach.words)));
    let open = part.open.iter().map(|why| format!("<p class=\"also\">Not established: {}.</p>\n", escape(why)));
    let why: String = breaches.chain(open).collect();
    format!(
        "<article class=\"verdict {class}\">\n<p class=\"label\"><svg class=\"sign\" viewBox=\"0 0 28 28\" aria-hidden=\"true\">{sign}</svg>{label}\
         <a class=\"who\" href=\"#part-{at}\">{name}</a></p>\n<p class=\"headline\">{sentence}</p>\n{why}{others}<p class=\"checked\">{checked}</p>\n</article>\n",
        class = verdict.class(),
        sign = verdict.sign(),
        label = verdict.label(),
        name = escape(&part.name),
    )
}

/// What two releases tell of whoever is known to be in a group of each.
fn by_two(found: &Found, two: &Two) -> String {
    let [one, other] = two.releases;
    let allowed = found.columns.iter().find(|told| told.name == two.column).and_then(|told| told.allowed);
    let how = match (two.certain, allowed) {
        (false, Some(allowed)) => format!("with more than {} confidence", percent(allowed)),
        _ => "for certain".to_owned(),
    };
    format!(
        "Of <strong>somebody</strong> who is known to be in a group of each of releases {one} and {other}, <q>{}</q> can be told {how}.",
        escape(two.column)
    )
}

/// The sentence, as HTML.
fn says(part: &Part, found: &Found, told: &Told) -> String {
    let column = format!("<q>{}</q>", escape(told.name));
    let together = match found.releases {
        0 | 1 => "from the release".to_owned(),
        many if found.unlinked.len() >= many => "from a release by itself".to_owned(),
        many => format!("once {} are put together", releases(many)),
    };
    let than = told.allowed.map(percent).unwrap_or_default();
    let now = &told.now;
    let of = |count: &Count| of(count, &now.people);
    // What could be looked at is told, and that it is not everything.
    let (far, counted, together) = match Verdict::of(Some(told), part.open) {
        Verdict::NotEstablished => {
            ("As far as could be judged, for", Verdict::counted(Some(told)), "from what could be looked at".to_owned())
        }
        verdict => ("For", verdict, together),
    };
    match counted {
        Verdict::Certain => format!("{}, {column} is certain {together}.", of(&now.certain)),
        Verdict::Above => {
            // Of what could not be looked at, not even that follows.
            let nobody = if part.open.is_empty() { " It is certain for nobody." } else { "" };
            let above = of(&now.above);
            format!("{above}, {column} can be told with more than {than} confidence {together}.{nobody}")
        }
        Verdict::MayBeAbove => format!(
            "{}, it could not be ruled out that {column} can be told with more than {than} confidence {together}.",
            of(&now.may_be_above)
        ),
        Verdict::Within if !told.any_above.is_zero() => format!(
            "{far} {} can {column} of one of their records be told with more than {than} confidence {together}. That any of several records shows \
             a given value may be told with more: {}.",
            now.people.none(),
            lower(&of(&told.any_above)),
        ),
        Verdict::Within => {
            format!("{far} {} can {column} be told with more than {than} confidence {together}.", now.people.none())
        }
        Verdict::MayBeCertain => format!(
            "{}, it could not be ruled out that {column} is certain {together}; it was proved for nobody.",
            of(&now.may_be_certain)
        ),
        Verdict::NothingCertain | Verdict::NotEstablished | Verdict::NotChecked => format!(
            "{far} {} is {column} certain {together}. The most that is told about anybody: {}.",
            now.people.none(),
            told.highest.text
        ),
    }
}

/// With a small letter at the beginning.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// `For 3 of 15 people`, in bold.
fn of(count: &Count, people: &Count) -> String {
    format!("For <strong>{}</strong>", escape(&count.of(people)))
}

/// Columns by what may be told of them at most, each named once.
pub fn allowed<'a>(columns: impl IntoIterator<Item = &'a Told<'a>>) -> Vec<(Vec<String>, Option<f64>)> {
    let mut allowed: Vec<(Vec<String>, Option<f64>)> = Vec::new();
    for told in columns {
        let name = format!("<q>{}</q>", escape(told.name));
        match allowed.iter_mut().find(|(_, most)| *most == told.allowed) {
            Some((names, _)) if names.contains(&name) => {}
            Some((names, _)) => names.push(name),
            None => allowed.push((vec![name], told.allowed)),
        }
    }
    allowed
}

/// The statement that was checked, in words.
fn checked(found: &Found) -> String {
    let what = allowed(&found.columns).into_iter().map(|(names, most)| match most {
        Some(most) => format!("{} with more than {} confidence, or for certain,", either(&names), percent(most)),
        None => format!("{} for certain", either(&names)),
    });
    let what = either(&what.collect::<Vec<String>>());
    let holds = match found.releases {
        0 | 1 => "holds the release".to_owned(),
        many => format!("holds {}", releases(many)),
    };
    let knows = match (found.unlinked.is_empty() || found.releases < 2, found.by_pairs) {
        (true, _) => "knows who is in which group",
        (false, true) => "knows who is in which group of one release, or of one person in which groups of two they are",
        (false, false) => "knows who is in which group of one release",
    };
    let several = match found.columns.iter().any(|told| !told.any_above.is_zero()) {
        true => {
            " Where somebody has several records, each of them was judged by itself, and all together for certainty."
        }
        false => "",
    };
    format!(
        "whether somebody who {holds}, {knows}, and knows what is assumed below, can tell anybody’s {what} from what was published.{several} No other \
         statement was checked."
    )
}
