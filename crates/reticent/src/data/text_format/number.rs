//! Numbers in a format such as `$1,234.56`.

use crate::scalar::parse_number;

/// A format of numbers: the separators, and a currency or unit around the digits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumberFormat {
    /// Text before the digits, such as `$`. A value can lack it.
    pub(super) prefix: String,
    /// Text after the digits, such as ` €` or `%`. A value can lack it.
    pub(super) suffix: String,
    /// Decimal separator: a point, or a comma.
    pub(super) decimal: Option<char>,
    /// Separator of groups of three digits. A space means every kind of space.
    pub(super) group: Option<char>,
}

/// Separators of groups of three digits.
pub(super) const GROUPS: [char; 5] = [',', '.', ' ', '\'', '_'];

impl NumberFormat {
    /// Reads a format that is written as the example `1,234.56` with other separators, and with a currency or unit.
    ///
    /// # Errors
    ///
    /// Returns a description of the mistake, without the name of a key.
    pub fn new(example: &str) -> Result<NumberFormat, String> {
        let mistake = || {
            "must be the number 1234 or 1234.56 as the data writes it, for example \"1.234,56\", \"1234,56\" or \"$1,234.56\"".to_owned()
        };
        let first = example.find(|letter: char| letter.is_ascii_digit()).ok_or_else(mistake)?;
        let last = example.rfind(|letter: char| letter.is_ascii_digit()).ok_or_else(mistake)? + 1;
        let mut digits = example[first..last].chars().map(plain_space);
        let mut next = || digits.next();
        let (one, mut letter) = (next(), next());
        let group = letter.filter(|letter| !letter.is_ascii_digit());
        if group.is_some() {
            letter = next();
        }
        let rest: String = letter.into_iter().chain(digits).collect();
        let decimal = match rest.strip_prefix("234").map(|rest| rest.strip_suffix("56").unwrap_or(rest)) {
            Some("") if rest == "234" => None,
            Some(".") => Some('.'),
            Some(",") => Some(','),
            _ => return Err(mistake()),
        };
        if one != Some('1')
            || group.is_some_and(|group| !GROUPS.contains(&group))
            || (group.is_some() && group == decimal)
        {
            return Err(mistake());
        }
        let affix = |text: &str| text.chars().map(plain_space).collect::<String>();
        Ok(NumberFormat { prefix: affix(&example[..first]), suffix: affix(&example[last..]), decimal, group })
    }

    /// Returns the number; none if the text does not have the format.
    ///
    /// The sign can be before or after the currency, and a number in parentheses is negative.
    pub(crate) fn parse(&self, text: &str) -> Option<f64> {
        let text: String = text.trim().chars().map(plain_space).collect();
        let (text, in_brackets) = match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            Some(inner) => (inner, true),
            None => (text.as_str(), false),
        };
        let (text, outer) = without_sign(text.trim())?;
        let text = text.strip_prefix(self.prefix.trim()).unwrap_or(text).trim_start();
        let text = text.strip_suffix(self.suffix.trim()).unwrap_or(text).trim_end();
        let (text, inner) = without_sign(text)?;
        let signs = [in_brackets, outer == Some(-1.0), inner == Some(-1.0)];
        if (outer.is_some() && inner.is_some()) || signs.iter().filter(|minus| **minus).count() > 1 {
            return None;
        }
        let plain = self.plain_digits(text)?;
        let number = parse_number(&plain)?;
        Some(if signs.contains(&true) { 0.0 - number } else { number })
    }

    /// Returns the digits with a decimal point and without groups.
    fn plain_digits(&self, text: &str) -> Option<String> {
        let (whole, fraction) = match self.decimal.and_then(|decimal| text.split_once(decimal)) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let groups: Vec<&str> = match self.group {
            Some(group) => whole.split(group).collect(),
            None => vec![whole],
        };
        let grouped = groups.len() > 1;
        let fits = |(at, group): (usize, &&str)| {
            is_digits(group) && (!grouped || (at == 0 && group.len() <= 3) || (at > 0 && group.len() == 3))
        };
        // A number without digits before the separator, such as .5
        let is_fraction = whole.is_empty() && fraction.is_some();
        if !is_fraction && !groups.iter().enumerate().all(fits) {
            return None;
        }
        let whole = if is_fraction { "0".to_owned() } else { groups.concat() };
        match fraction {
            Some(fraction) if is_digits(fraction) => Some(format!("{whole}.{fraction}")),
            // A separator without digits after it, such as 5.
            Some("") if !is_fraction => Some(whole),
            Some(_) => None,
            None => Some(whole),
        }
    }

    /// Returns the format as the number 1234.56, or 1234 without a decimal separator.
    pub fn example(&self) -> String {
        let group = self.group.map(String::from).unwrap_or_default();
        let fraction = self.decimal.map(|decimal| format!("{decimal}56")).unwrap_or_default();
        format!("{}1{group}234{fraction}{}", self.prefix, self.suffix)
    }
}

/// Splits a leading sign off; -1 for a minus. Returns none for a second sign.
fn without_sign(text: &str) -> Option<(&str, Option<f64>)> {
    let (rest, sign) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (rest, Some(-1.0)),
        None => text.strip_prefix('+').map_or((text, None), |rest| (rest, Some(1.0))),
    };
    let rest = if sign.is_some() { rest.trim_start() } else { rest };
    (!rest.starts_with(['-', '+', '\u{2212}']) || sign.is_none()).then_some((rest, sign))
}

/// Converts every kind of space to a space, and a typographic apostrophe to an apostrophe.
pub(super) fn plain_space(letter: char) -> char {
    match letter {
        '\u{a0}' | '\u{202f}' | '\u{2009}' => ' ',
        '\u{2019}' => '\'',
        other => other,
    }
}
