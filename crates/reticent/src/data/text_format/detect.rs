//! Detects the format of a column from its texts.

use super::number::{GROUPS, plain_space};
use super::{DateFormat, NumberFormat, TextFormat};

/// Formats of dates that are detected. A time of day after the date is ignored.
const DATES: &[&str] = &[
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%Y/%m/%d",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%Y.%m.%d",
    "%m-%d-%Y",
    "%d-%m-%Y",
    "%m-%d-%y",
    "%d-%m-%y",
    "%y-%m-%d",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d/%b/%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d. %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%b %d %Y",
    "%B %d %Y",
    "%Y%m%d",
];

/// Separators of numbers that are detected: decimal and group.
const NUMBERS: &[(char, char)] = &[('.', ','), (',', '.'), (',', ' '), ('.', ' '), ('.', '\''), (',', '\'')];

/// Currency codes and abbreviations. Symbols such as `$` are recognised by their Unicode block.
const CURRENCIES: &[&str] = &[
    "A$", "AUD", "BRL", "C$", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "Fr.", "Ft", "GBP", "HUF", "INR", "JPY", "KRW",
    "Kč", "MXN", "NOK", "NZD", "PLN", "R$", "Rs", "Rs.", "SEK", "TRY", "US$", "USD", "ZAR", "kr", "kr.", "zł",
];

/// First of the hundred years of two-digit years during the detection. It decides only whether a date exists.
const DETECTION_YEARS: i16 = 1930;
/// Longest unit, in letters.
const MAX_UNIT: usize = 4;

/// Formats that all texts of a column so far have.
///
/// The result does not depend on the order of the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatDetector {
    /// Checksum of the values for each format of [`DATES`] that all texts have.
    dates: Vec<(DateFormat, u64)>,
    numbers: NumberCandidates,
    /// Whether there was any text.
    has_texts: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct NumberCandidates {
    /// Checksum of the values for each pair of separators that all texts have.
    alive: Vec<((char, char), u64)>,
    prefix: Affix,
    suffix: Affix,
    has_decimal: [bool; 2],
    has_group: [bool; GROUPS.len()],
}

/// Text before or after the digits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Affix {
    text: Option<String>,
    /// Whether some value has it, and some value lacks it.
    is_partial: bool,
    seen: bool,
    is_mixed: bool,
}

impl Default for FormatDetector {
    fn default() -> Self {
        let date = |pattern: &&str| {
            let years = pattern.contains("%y").then_some(DETECTION_YEARS);
            DateFormat::new(pattern, years).ok().map(|format| (format, 0))
        };
        FormatDetector {
            dates: DATES.iter().filter_map(date).collect(),
            numbers: NumberCandidates::default(),
            has_texts: false,
        }
    }
}

impl Default for NumberCandidates {
    fn default() -> Self {
        NumberCandidates {
            alive: NUMBERS.iter().map(|pair| (*pair, 0)).collect(),
            prefix: Affix::default(),
            suffix: Affix::default(),
            has_decimal: [false; 2],
            has_group: [false; GROUPS.len()],
        }
    }
}

impl FormatDetector {
    /// Takes a text of the column that is not a missing value.
    pub fn observe(&mut self, text: &str) {
        self.has_texts = true;
        // Every format reads digits without separators as the same number.
        let is_plain =
            self.dates.is_empty() && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        if self.is_over() || (is_plain && self.numbers.take_plain()) {
            return;
        }
        keep(&mut self.dates, text, |format| format.parse(text));
        self.numbers.observe(text);
    }

    /// Returns true if no format is left.
    pub fn is_over(&self) -> bool {
        self.dates.is_empty() && self.numbers.alive.is_empty()
    }

    /// Combines the results of two parts of a column.
    pub fn merge(&mut self, other: &FormatDetector) {
        self.has_texts |= other.has_texts;
        merge_alive(&mut self.dates, &other.dates);
        self.numbers.merge(&other.numbers);
    }

    /// Returns the formats that all texts have, without formats that read every text as the same value as an earlier one.
    /// Several formats are ambiguous. `years_from` is the first of the hundred years that two-digit years mean.
    pub fn formats(&self, years_from: i16) -> Vec<TextFormat> {
        if !self.has_texts {
            return Vec::new();
        }
        let dates = distinct(&self.dates).into_iter().filter_map(|format| {
            let years = format.years_from().map(|_| years_from);
            DateFormat::new(format.pattern(), years).ok().map(TextFormat::Date)
        });
        dates.chain(self.numbers.formats().into_iter().map(TextFormat::Number)).collect()
    }
}

/// Removes the formats that a text does not have, and adds its value to the checksums of the others.
fn keep<F>(alive: &mut Vec<(F, u64)>, text: &str, parse: impl Fn(&F) -> Option<f64>) {
    alive.retain_mut(|(format, sum)| match parse(format) {
        Some(value) => {
            *sum = sum.wrapping_add(mix(text, value));
            true
        }
        None => false,
    });
}

/// Returns a number that differs, but for chance, for different values of one text.
fn mix(text: &str, value: f64) -> u64 {
    let of_text = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (of_text ^ value.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn merge_alive<F: PartialEq>(alive: &mut Vec<(F, u64)>, others: &[(F, u64)]) {
    alive.retain_mut(|(format, sum)| match others.iter().find(|(other, _)| other == format) {
        Some((_, other)) => {
            *sum = sum.wrapping_add(*other);
            true
        }
        None => false,
    });
}

/// Returns the first format of every checksum.
fn distinct<F>(alive: &[(F, u64)]) -> Vec<&F> {
    let is_first = |at: usize| alive[..at].iter().all(|(_, earlier)| *earlier != alive[at].1);
    (0..alive.len()).filter(|at| is_first(*at)).map(|at| &alive[at].0).collect()
}

impl NumberCandidates {
    /// Takes digits without separators, currency and unit. Returns false if they need a closer look.
    fn take_plain(&mut self) -> bool {
        let is_known = |affix: &Affix| affix.seen && (affix.text.is_none() || affix.is_partial);
        is_known(&self.prefix) && is_known(&self.suffix)
    }

    fn observe(&mut self, text: &str) {
        let text: String = text.trim().chars().map(plain_space).collect();
        let Some((prefix, digits, suffix)) = split(&text) else {
            self.alive.clear();
            return;
        };
        self.prefix.observe(prefix);
        self.suffix.observe(suffix);
        // Digits with a leading zero are a code.
        let is_code =
            digits.len() > 1 && digits.starts_with('0') && digits[1..].starts_with(|next: char| next.is_ascii_digit());
        if is_code || !self.prefix.is_usable(false) || !self.suffix.is_usable(true) {
            self.alive.clear();
            return;
        }
        for (at, group) in GROUPS.iter().enumerate() {
            self.has_group[at] |= digits.contains(*group);
        }
        self.has_decimal[0] |= digits.contains('.');
        self.has_decimal[1] |= digits.contains(',');
        keep(&mut self.alive, digits, |(decimal, group)| {
            let plain = NumberFormat { decimal: Some(*decimal), group: Some(*group), ..NumberFormat::default() };
            plain.parse(digits)
        });
    }

    fn merge(&mut self, other: &NumberCandidates) {
        merge_alive(&mut self.alive, &other.alive);
        self.prefix.merge(&other.prefix);
        self.suffix.merge(&other.suffix);
        if !self.prefix.is_usable(false) || !self.suffix.is_usable(true) {
            self.alive.clear();
        }
        self.has_decimal.iter_mut().zip(other.has_decimal).for_each(|(into, other)| *into |= other);
        self.has_group.iter_mut().zip(other.has_group).for_each(|(into, other)| *into |= other);
    }

    fn formats(&self) -> Vec<NumberFormat> {
        let (prefix, suffix) = (self.prefix.text.clone(), self.suffix.text.clone());
        let is_money = [&prefix, &suffix].into_iter().flatten().any(|text| is_currency(text.trim()));
        if suffix.as_deref().is_some_and(|text| is_unit(text.trim())) && self.suffix.is_partial {
            return Vec::new();
        }
        let mut candidates = distinct(&self.alive);
        // Amounts of money do not have three decimals, so `$1,234` has a group.
        if is_money && candidates.len() > 1 {
            candidates.truncate(1);
            let has =
                |group: char| GROUPS.iter().position(|known| *known == group).is_some_and(|at| self.has_group[at]);
            if has('.') && !has(',') {
                candidates = self.alive.iter().map(|(pair, _)| pair).filter(|pair| pair.1 == '.').collect();
            }
        }
        let format = |(decimal, group): &(char, char)| {
            let used = GROUPS.iter().position(|known| known == group).is_some_and(|at| self.has_group[at]);
            let group = used.then_some(*group);
            NumberFormat {
                prefix: prefix.clone().unwrap_or_default(),
                suffix: suffix.clone().unwrap_or_default(),
                decimal: Some(*decimal),
                group,
            }
        };
        candidates.into_iter().map(format).collect()
    }
}

/// Splits a number into the text before its digits, its digits with separators, and the text after them. Signs and parentheses
/// are removed.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let first = text.find(|letter: char| letter.is_ascii_digit())?;
    let last = text.rfind(|letter: char| letter.is_ascii_digit())? + 1;
    let (mut before, mut after) = (&text[..first], &text[last..]);
    // A number can begin or end with its decimal separator: .5
    let first = if before.ends_with(['.', ',']) && before.len() == 1 { 0 } else { first };
    before = &text[..first];
    after = after.strip_prefix('.').filter(|rest| rest.is_empty()).unwrap_or(after);
    let minus = ['-', '+', '\u{2212}'];
    let before = before.trim_start_matches(minus).trim_end_matches(minus);
    Some((before, &text[first..last], after))
}

impl Affix {
    fn observe(&mut self, text: &str) {
        let found = (!text.trim().is_empty()).then_some(text);
        let one = Affix { text: found.map(str::to_owned), is_partial: false, seen: true, is_mixed: false };
        self.merge(&one);
    }

    fn merge(&mut self, other: &Affix) {
        if !self.seen || !other.seen {
            if other.seen {
                *self = other.clone();
            }
            return;
        }
        self.is_mixed |= other.is_mixed;
        self.is_partial |= other.is_partial || self.text.is_some() != other.text.is_some();
        match (&self.text, &other.text) {
            (Some(one), Some(two)) => self.is_mixed |= one.trim() != two.trim(),
            (None, Some(text)) => self.text = Some(text.clone()),
            (_, None) => {}
        }
    }

    /// Whether all texts seen can be a currency, or, after the digits, a unit.
    fn is_usable(&self, after: bool) -> bool {
        let Some(text) = self.text.as_deref().map(str::trim) else { return true };
        !self.is_mixed && (is_currency(text) || (after && (matches!(text, "%" | "\u{2030}") || is_unit(text))))
    }
}

fn is_currency(text: &str) -> bool {
    let symbol = |letter: char| matches!(letter, '$' | '\u{a2}'..='\u{a5}' | '\u{e3f}' | '\u{20a0}'..='\u{20cf}');
    let mut letters = text.chars();
    let is_symbol = letters.next().is_some_and(symbol) && letters.next().is_none();
    is_symbol || CURRENCIES.contains(&text)
}

fn is_unit(text: &str) -> bool {
    !is_currency(text) && (1..=MAX_UNIT).contains(&text.chars().count()) && text.chars().all(char::is_alphabetic)
}
