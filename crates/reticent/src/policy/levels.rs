//! The `intervals` and `range` of a column: numbers for number columns, "YYYY-MM-DD" for date columns.

use toml::de::DeValue;

use super::keys::CALENDAR;
use super::reader::Item;
use crate::error::Result;
use crate::taxonomy::{Level, Type, parse_date, scale_text};

/// Below this, bounds can no longer be told apart in print.
const FINEST: f64 = 1e-6;

/// Interval levels, finest first, each nested in the next.
pub(super) fn levels(item: &Item<'_>, values: Type) -> Result<Vec<Level>> {
    let items = item.items()?;
    if items.is_empty() {
        return Err(item.wrong("has no level; write for example [5, 10, 20]"));
    }
    let levels: Vec<Level> = items.iter().map(|item| level(item, values)).collect::<Result<_>>()?;
    for (at, pair) in levels.windows(2).enumerate() {
        if !nests(&pair[0], &pair[1]) {
            let message = "has an interval that reaches over two of the next level; go from fine to coarse, each width \
                           a multiple of the one before, and take coarser bounds from the finer ones";
            return Err(items[at + 1].wrong(message));
        }
    }
    Ok(levels)
}

fn level(item: &Item<'_>, values: Type) -> Result<Level> {
    match item.value {
        DeValue::String(_) => calendar(item, values),
        DeValue::Array(_) => bounds(item, values).map(Level::Bounds),
        _ => width(item).map(Level::Width),
    }
}

fn width(item: &Item<'_>) -> Result<f64> {
    let width = item.number()?;
    if width < FINEST {
        return Err(item.must_be(&format!("a width of at least {FINEST}")));
    }
    Ok(width)
}

fn calendar(item: &Item<'_>, values: Type) -> Result<Level> {
    let level = match item.one_of(CALENDAR)? {
        "month" => Level::Month,
        "quarter" => Level::Quarter,
        "year" => Level::Year,
        _ => Level::Decade,
    };
    if values != Type::Date {
        return Err(
            item.wrong("counts in calendar units, and the column is of numbers; write widths, or type = \"date\"")
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

fn bound(item: &Item<'_>, values: Type) -> Result<f64> {
    match (values, item.value) {
        (Type::Date, DeValue::String(text)) => parse_date(text).ok_or_else(|| item.must_be("a date \"YYYY-MM-DD\"")),
        (Type::Date, DeValue::Datetime(date)) => {
            parse_date(&date.to_string()).ok_or_else(|| item.must_be("a date \"YYYY-MM-DD\""))
        }
        (Type::Date, _) => Err(item.must_be("a date \"YYYY-MM-DD\"")),
        _ => item.number(),
    }
}

/// The lowest bound, and the bound above all.
pub(super) fn range(item: &Item<'_>, values: Type) -> Result<(f64, f64)> {
    match bounds(item, values)?.as_slice() {
        [low, high] => Ok((*low, *high)),
        _ => Err(item.wrong("must have two bounds: the lowest, and the one above all values")),
    }
}

/// Whether every interval of the finer level lies in one of the coarser, whatever the values.
fn nests(fine: &Level, coarse: &Level) -> bool {
    match (fine, coarse) {
        (Level::Width(fine), Level::Width(coarse)) => coarse > fine && is_multiple(*coarse, *fine),
        (Level::Width(width), Level::Bounds(bounds)) => bounds.iter().all(|bound| is_multiple(*bound, *width)),
        (Level::Bounds(fine), Level::Bounds(coarse)) => {
            coarse.len() < fine.len() && coarse.iter().all(|bound| fine.contains(bound))
        }
        (Level::Bounds(_), _) => false,
        (Level::Width(width), _) => *width == 1.0,
        (_, Level::Width(_)) => false,
        (unit, Level::Bounds(bounds)) => bounds.iter().all(|bound| begins(unit, *bound)),
        (fine, coarse) => months(fine) < months(coarse),
    }
}

fn is_multiple(number: f64, of: f64) -> bool {
    let times = number / of;
    (times - times.round()).abs() < 1e-9 * times.abs().max(1.0)
}

fn months(unit: &Level) -> u32 {
    match unit {
        Level::Month => 1,
        Level::Quarter => 3,
        Level::Year => 12,
        _ => 120,
    }
}

/// Whether a day is the first of a calendar unit.
fn begins(unit: &Level, day: f64) -> bool {
    let text = scale_text(Type::Date, day);
    let months_since_zero = |text: &str| -> Option<u32> {
        let (year, rest) = text.split_at_checked(4)?;
        let month = rest.strip_prefix('-')?.strip_suffix("-01")?;
        Some(year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()? - 1)
    };
    months_since_zero(&text).is_some_and(|month| month.is_multiple_of(months(unit)))
}
