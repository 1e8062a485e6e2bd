//! Reads the `intervals` and `range` of a column: numbers for number columns, "YYYY-MM-DD" for date columns.

use toml::de::DeValue;

use super::keys::CALENDAR;
use super::reader::Item;
use crate::data::taxonomy::{IntervalLevel, Type, parse_date, scale_text};
use crate::error::Result;

/// Minimum width of an interval. Bounds of narrower intervals look equal when printed.
const MIN_WIDTH: f64 = 1e-6;

/// Reads interval levels, from fine to coarse, and checks that each is nested in the next.
pub(super) fn levels(item: &Item<'_>, values: Type) -> Result<Vec<IntervalLevel>> {
    let items = item.items()?;
    if items.is_empty() {
        return Err(item.wrong("has no level; write for example [5, 10, 20]"));
    }
    let levels: Vec<IntervalLevel> = items.iter().map(|item| level(item, values)).collect::<Result<_>>()?;
    for (at, pair) in levels.windows(2).enumerate() {
        if !nests(&pair[0], &pair[1]) {
            let message = "has levels that do not nest; order them from fine to coarse, make each width a multiple of the \
                           previous one, and take coarser bounds from the finer ones";
            return Err(items[at + 1].wrong(message));
        }
    }
    Ok(levels)
}

fn level(item: &Item<'_>, values: Type) -> Result<IntervalLevel> {
    match item.value {
        DeValue::String(_) => calendar(item, values),
        DeValue::Array(_) => bounds(item, values).map(IntervalLevel::Bounds),
        _ => width(item).map(IntervalLevel::Width),
    }
}

fn width(item: &Item<'_>) -> Result<f64> {
    let width = item.number()?;
    if width < MIN_WIDTH {
        return Err(item.must_be(&format!("a width of at least {MIN_WIDTH}")));
    }
    Ok(width)
}

fn calendar(item: &Item<'_>, values: Type) -> Result<IntervalLevel> {
    let level = match item.one_of(CALENDAR)? {
        "month" => IntervalLevel::Month,
        "quarter" => IntervalLevel::Quarter,
        "year" => IntervalLevel::Year,
        _ => IntervalLevel::Decade,
    };
    if values != Type::Date {
        return Err(
            item.wrong("uses a calendar unit, but the column has numbers; write widths, or set type = \"date\"")
        );
    }
    Ok(level)
}

fn bounds(item: &Item<'_>, values: Type) -> Result<Vec<f64>> {
    let items = item.items()?;
    if items.is_empty() {
        return Err(item.wrong("has a level without bounds; write for example [18, 40, 65]"));
    }
    let bounds: Vec<f64> = items.iter().map(|item| bound(item, values)).collect::<Result<_>>()?;
    match bounds.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(at) => Err(items[at + 1].wrong("has bounds that do not ascend")),
        None => Ok(bounds),
    }
}

/// Reads a number, or a date as days since 1970-01-01.
pub(super) fn bound(item: &Item<'_>, values: Type) -> Result<f64> {
    match (values, item.value) {
        (Type::Date, DeValue::String(text)) => parse_date(text).ok_or_else(|| item.must_be("a date \"YYYY-MM-DD\"")),
        (Type::Date, DeValue::Datetime(date)) => {
            parse_date(&date.to_string()).ok_or_else(|| item.must_be("a date \"YYYY-MM-DD\""))
        }
        (Type::Date, _) => Err(item.must_be("a date \"YYYY-MM-DD\"")),
        _ => item.number(),
    }
}

/// Reads the lower bound (inclusive) and the upper bound (exclusive).
pub(super) fn range(item: &Item<'_>, values: Type) -> Result<(f64, f64)> {
    match bounds(item, values)?.as_slice() {
        [low, high] => Ok((*low, *high)),
        _ => Err(item.wrong("must have two bounds: a lower bound (inclusive) and an upper bound (exclusive)")),
    }
}

/// Whether every interval of the finer level lies within one interval of the coarser level.
fn nests(fine: &IntervalLevel, coarse: &IntervalLevel) -> bool {
    match (fine, coarse) {
        (IntervalLevel::Width(fine), IntervalLevel::Width(coarse)) => coarse > fine && is_multiple(*coarse, *fine),
        (IntervalLevel::Width(width), IntervalLevel::Bounds(bounds)) => {
            bounds.iter().all(|bound| is_multiple(*bound, *width))
        }
        (IntervalLevel::Bounds(fine), IntervalLevel::Bounds(coarse)) => {
            coarse.len() < fine.len() && coarse.iter().all(|bound| fine.contains(bound))
        }
        (IntervalLevel::Bounds(_), _) => false,
        (IntervalLevel::Width(width), _) => *width == 1.0,
        (_, IntervalLevel::Width(_)) => false,
        (unit, IntervalLevel::Bounds(bounds)) => bounds.iter().all(|bound| is_unit_start(unit, *bound)),
        (fine, coarse) => months(fine) < months(coarse),
    }
}

fn is_multiple(number: f64, of: f64) -> bool {
    let times = number / of;
    (times - times.round()).abs() < 1e-9 * times.abs().max(1.0)
}

fn months(unit: &IntervalLevel) -> u32 {
    match unit {
        IntervalLevel::Month => 1,
        IntervalLevel::Quarter => 3,
        IntervalLevel::Year => 12,
        _ => 120,
    }
}

/// Whether a day is the first day of a calendar unit.
fn is_unit_start(unit: &IntervalLevel, day: f64) -> bool {
    let text = scale_text(Type::Date, day);
    let months_since_zero = |text: &str| -> Option<u32> {
        let (year, rest) = text.split_at_checked(4)?;
        let month = rest.strip_prefix('-')?.strip_suffix("-01")?;
        Some(year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()? - 1)
    };
    months_since_zero(&text).is_some_and(|month| month.is_multiple_of(months(unit)))
}
