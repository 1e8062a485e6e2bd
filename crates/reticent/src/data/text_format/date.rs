//! Dates in a format such as `%m/%d/%Y`.

use jiff::fmt::strtime::BrokenDownTime;

use crate::scalar::days_since_epoch;

/// A format of dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateFormat {
    pattern: String,
    years_from: Option<i16>,
}

/// First and last year of all dates. A four-digit year that is written with fewer digits is a mistake.
const YEARS: std::ops::RangeInclusive<i16> = 1000..=9999;

impl DateFormat {
    /// Reads a format with the conversion specifiers of `strptime`, such as `%m/%d/%Y`. `years_from` is the first year of the
    /// hundred years that two-digit years (`%y`) mean.
    ///
    /// # Errors
    ///
    /// Returns a description of the mistake, without the name of a key.
    pub fn new(pattern: &str, years_from: Option<i16>) -> Result<DateFormat, String> {
        let has = |specifier: char| specifiers(pattern).any(|found| found == specifier);
        if !has('%') && !pattern.contains('%') {
            return Err("has no day, month and year; write for example \"%m/%d/%Y\"".to_owned());
        }
        if has('y') && years_from.is_none() {
            return Err("has two-digit years (%y); declare the first of the 100 years that they mean, for example years-from = 1927".to_owned());
        }
        if !has('y') && years_from.is_some() {
            return Err("has no two-digit years (%y), so `years-from` has no effect".to_owned());
        }
        if years_from.is_some_and(|year| !YEARS.contains(&year) || !YEARS.contains(&(year + 99))) {
            return Err("needs a `years-from` between 1000 and 9900".to_owned());
        }
        let format = DateFormat { pattern: pattern.to_owned(), years_from };
        // A format that cannot read its own dates lacks a part, or has an unknown one.
        let day = jiff::civil::Date::constant(2013, 11, 28);
        let written = BrokenDownTime::from(day.at(15, 26, 49, 0)).to_string(pattern);
        let read = written.ok().and_then(|text| format.parse(&text));
        let year = years_from.map_or(2013, |from| in_window(13, from));
        let expected = jiff::civil::Date::new(year, 11, 28).ok().map(|day| f64::from(days_since_epoch(day)));
        if read.is_none() || read != expected {
            return Err(
                "must have a day, a month and a year, such as \"%m/%d/%Y\", \"%d.%m.%y\" or \"%d-%b-%Y\"".to_owned()
            );
        }
        Ok(format)
    }

    /// Returns the days since 1970-01-01. Ignores a time of day after the date.
    pub(crate) fn parse(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        self.parse_date(text).or_else(|| self.parse_date(without_time(text)?))
    }

    fn parse_date(&self, text: &str) -> Option<f64> {
        if digits_of(&self.pattern).is_some_and(|digits| digits != text.len()) {
            return None;
        }
        let mut time = BrokenDownTime::parse(&self.pattern, text).ok()?;
        if let Some(from) = self.years_from {
            time.set_year(Some(in_window(time.year()?.rem_euclid(100), from))).ok()?;
        }
        let date = time.to_date().ok()?;
        YEARS.contains(&date.year()).then(|| f64::from(days_since_epoch(date)))
    }

    /// Returns the format as it was given.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Returns the first year that two-digit years mean.
    pub fn years_from(&self) -> Option<i16> {
        self.years_from
    }
}

/// Returns the year with these two digits that is not before `from` and less than 100 years after it.
fn in_window(two_digits: i16, from: i16) -> i16 {
    from + (two_digits - from).rem_euclid(100)
}

/// Returns the letters of the conversion specifiers.
fn specifiers(pattern: &str) -> impl Iterator<Item = char> + '_ {
    let mut letters = pattern.chars();
    std::iter::from_fn(move || {
        letters.find(|letter| *letter == '%')?;
        letters.find(|letter| !matches!(letter, '-' | '_' | '0' | '^' | '#'))
    })
}

/// Returns the text before a time of day: `1/31/98` of `1/31/98 0:00` and of `1/31/98 12:00 AM`.
fn without_time(text: &str) -> Option<&str> {
    text.match_indices([' ', 'T']).find_map(|(at, _)| is_time(text[at + 1..].trim()).then_some(text[..at].trim_end()))
}

fn is_time(text: &str) -> bool {
    let clock = text.trim_end_matches([' ', '.', 'A', 'P', 'M', 'a', 'p', 'm', 'Z']);
    let starts = clock.split_once(':').is_some_and(|(hour, rest)| {
        let is_number = |text: &str, least: u32| text.parse().is_ok_and(|number: u32| number < least);
        is_number(hour, 24) && rest.get(..2).is_some_and(|minute| is_number(minute, 60))
    });
    starts && clock.bytes().all(|byte| byte.is_ascii_digit() || b":.+-".contains(&byte))
}

/// Returns the number of digits of a date in a format without separators, such as `%Y%m%d`.
fn digits_of(pattern: &str) -> Option<usize> {
    let rest = pattern.replace("%Y", "").replace("%y", "").replace("%m", "").replace("%d", "");
    rest.is_empty().then(|| specifiers(pattern).map(|letter| if letter == 'Y' { 4 } else { 2 }).sum())
}
