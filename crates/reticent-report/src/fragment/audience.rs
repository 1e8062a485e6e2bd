//! The variant of a fragment: how counts, shares and texts are shown.

use reticent::text::format_count;

use crate::grid::Grid;
use crate::view::{Count, USUAL_THRESHOLD};
use crate::words::{one_in, percent};

/// Public or internal variant.
pub(super) enum Audience {
    Internal,
    Public {
        min_count: u64,
        /// Grid for all counts of a fragment, so that differences of two counts disclose nothing.
        grid: Grid,
        /// Number of people or records that shares refer to.
        total: u64,
    },
}

/// Nouns of countable things that are not people.
const NOT_PEOPLE: &[&str] = &[
    "algorithm",
    "attribute",
    "column",
    "level",
    "model",
    "quasi-identifier",
    "release",
    "requirement",
    "sensitive",
    "setting",
];

impl Audience {
    /// Creates the audience of a fragment. Readers may know the total exactly, such as the number of published records.
    ///
    /// It is the only known count: the bands of other counts depend on it, and so would disclose further totals close to it.
    pub(super) fn new(public: bool, min_count: u64, total: u64) -> Audience {
        let min_count = min_count.max(1);
        match public {
            false => Audience::Internal,
            true => Audience::Public { min_count, grid: Grid::new(min_count, vec![total]), total },
        }
    }

    pub(super) fn is_public(&self) -> bool {
        matches!(self, Audience::Public { .. })
    }

    /// Smallest count that is shown; `None` in the internal variant.
    pub(super) fn min_count(&self) -> Option<u64> {
        match self {
            Audience::Internal => None,
            Audience::Public { min_count, .. } => Some(*min_count),
        }
    }

    pub(super) fn count(&self, number: u64) -> Count {
        let (text, drawn) = match self {
            Audience::Internal => (format_count(number), number),
            Audience::Public { grid, .. } => grid.describe(number, None),
        };
        Count { text, drawn }
    }

    /// Formats a maximum risk, and returns whether it exceeds the usual threshold. A public text does not disclose a small class.
    pub(super) fn maximum_risk(&self, risk: f64) -> (String, bool) {
        match self {
            Audience::Internal => (one_in(risk), risk > USUAL_THRESHOLD),
            Audience::Public { min_count, .. } if risk * *min_count as f64 > 1.0 + 1e-9 => {
                (format!("more than 1 in {}", format_count(*min_count)), false)
            }
            Audience::Public { min_count, .. } => (format!("at most 1 in {}", format_count(*min_count)), false),
        }
    }

    /// Formats an average or a maximum over people. The public variant shows it in steps of 10 %, and only for many people.
    pub(super) fn rate(&self, rate: f64) -> String {
        match self {
            Audience::Internal => percent(rate),
            Audience::Public { .. } if self.hides_ratios() => "not shown".to_owned(),
            Audience::Public { .. } => tenths(rate),
        }
    }

    /// Formats a confidence. Only certainty is 100 %.
    pub(super) fn confidence(&self, confidence: f64) -> String {
        if confidence >= 1.0 { "certain".to_owned() } else { self.rate(confidence) }
    }

    /// Formats the closeness of the worst class. It can be a small class, so the public variant shows steps of 10 %.
    pub(super) fn closeness(&self, closeness: f64) -> String {
        if self.is_public() { self.rate(closeness) } else { self.metric(closeness) }
    }

    /// Names the column with the highest figure. The public variant does not, because figures with equal texts can differ.
    pub(super) fn of_column(&self, column: &str) -> String {
        if self.is_public() { "of a column".to_owned() } else { column.to_owned() }
    }

    /// Formats a loss or a distance of distributions.
    pub(super) fn loss(&self, loss: f64) -> String {
        match (self, self.share_step()) {
            (Audience::Internal, _) => percent(loss),
            (_, Some(step)) => share_text(loss, step),
            (_, None) => "not shown".to_owned(),
        }
    }

    /// Formats a value of a metric. The public variant shows two significant digits.
    pub(super) fn metric(&self, value: f64) -> String {
        match self {
            Audience::Internal => reticent::taxonomy::number_text((value * 1e4).round() / 1e4),
            Audience::Public { .. } if self.hides_ratios() => "not shown".to_owned(),
            Audience::Public { .. } => two_digits(value),
        }
    }

    /// Returns whether there are so few people that a ratio would disclose a small count.
    fn hides_ratios(&self) -> bool {
        matches!(self, Audience::Public { min_count, total, .. } if *total < min_count.saturating_mul(100))
    }

    /// Returns the distance between two shown shares, at least one percent. A step is at least the smallest shown count of people.
    /// `None` if there are too few people to show shares.
    pub(super) fn share_step(&self) -> Option<f64> {
        let Audience::Public { min_count, total, .. } = self else { return Some(0.01) };
        let is_wide = |step: &f64| step * *total as f64 >= *min_count as f64;
        [0.01, 0.02, 0.05, 0.1, 0.2].into_iter().find(is_wide)
    }

    /// Shows a text about the data. The public variant rounds the numbers in it.
    pub(super) fn text(&self, text: &str) -> String {
        if let Audience::Internal = self {
            return text.to_owned();
        }
        let letters: Vec<char> = text.chars().collect();
        let mut shown = String::new();
        let mut at = 0;
        while at < letters.len() {
            let end = number_end(&letters, at);
            if end == at {
                shown.push(letters[at]);
                at += 1;
                continue;
            }
            let number: String = letters[at..end].iter().collect();
            let after: String = letters[end..].iter().collect();
            let is_exempt = is_parameter(&shown) || counts_no_people(&after);
            shown += &if is_exempt { number } else { self.rounded(&number, &after) };
            at = end;
        }
        shown.replace("at least at least", "at least").replace("fewer than fewer than", "fewer than")
    }

    /// Rounds a number of a text, given the text after it.
    fn rounded(&self, number: &str, after: &str) -> String {
        let plain = number.replace(',', "");
        let value = plain.parse::<f64>().unwrap_or(f64::INFINITY);
        if after.trim_start_matches([' ', '\u{a0}']).starts_with('%') {
            let step = self.share_step().unwrap_or(0.5);
            return format!("{:.0}", (value / 100.0 / step).round() * step * 100.0);
        }
        match plain.parse() {
            Ok(count) => self.count(count).text,
            Err(_) => two_digits(value),
        }
    }
}

/// Returns the end of the number that starts here; `at` if there is none. Parts of names, dates and intervals are not numbers.
fn number_end(letters: &[char], at: usize) -> usize {
    let is_joined = |letter: &char| letter.is_alphanumeric() || "_-.=<>[`{".contains(*letter);
    let before = &letters[..at];
    let is_inside = match before {
        // The second bound of an interval.
        [.., digit, ','] => digit.is_ascii_digit(),
        [.., last] => is_joined(last),
        [] => false,
    };
    if !letters[at].is_ascii_digit() || is_inside {
        return at;
    }
    let is_part = |letter: &char| letter.is_ascii_digit() || matches!(letter, ',' | '.');
    let mut end = at + letters[at..].iter().take_while(|letter| is_part(letter)).count();
    while !letters[end - 1].is_ascii_digit() {
        end -= 1;
    }
    let is_name = letters.get(end).is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
    if is_name { at } else { end }
}

/// Returns whether the text ends where the number of a release or the value of a parameter follows: `release`, `k =`.
fn is_parameter(before: &str) -> bool {
    let words: Vec<&str> = before.split_whitespace().collect();
    match words.as_slice() {
        [.., "release" | "releases"] => true,
        [.., name, "=" | "<" | ">" | "<=" | ">=" | "\u{2264}" | "\u{2265}"] => {
            name.trim_start_matches(['(', '`']).chars().count() <= 2
        }
        _ => false,
    }
}

/// Returns whether the noun after a number is not people: ` of 6 quasi-identifiers`.
fn counts_no_people(after: &str) -> bool {
    let mut words = after.split_whitespace().skip_while(|word| *word == "of" || word.parse::<u64>().is_ok());
    words.next().is_some_and(|word| NOT_PEOPLE.iter().any(|noun| word.starts_with(noun)))
}

/// Formats a share as a multiple of a step.
pub(super) fn share_text(share: f64, step: f64) -> String {
    let rounded = (share / step).round() * step;
    match rounded {
        _ if share <= 0.0 => "0\u{a0}%".to_owned(),
        rounded if rounded < step / 2.0 => format!("under {:.0}\u{a0}%", step * 100.0),
        rounded => format!("{:.0}\u{a0}%", rounded * 100.0),
    }
}

/// Rounds to two significant digits.
fn two_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { "not shown".to_owned() };
    }
    let decimals = 1 - value.abs().log10().floor() as i32;
    match u32::try_from(decimals) {
        Ok(decimals) => {
            let text = format!("{value:.*}", decimals as usize);
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        Err(_) => {
            let unit = 10f64.powi(-decimals);
            format_count(((value / unit).round() * unit).max(0.0) as u64)
        }
    }
}

/// Rounds outwards to steps of 10 %.
fn tenths(rate: f64) -> String {
    let high = ((rate * 10.0 - 1e-9).ceil() / 10.0).clamp(0.1, 1.0);
    let low = ((rate * 10.0 + 1e-9).floor() / 10.0).clamp(0.0, high - 0.1);
    match low > 0.0 {
        true => format!("{} to {}", percent(low), percent(high)),
        false => format!("at most {}", percent(high)),
    }
}
