//! What `init` learns from the data: encoding, missing values, types and formats of the columns.

use reticent::Type;
use reticent::error::did_you_mean;
use reticent::policy::{ColumnSketch, missing_spellings, missing_values};
use reticent::text::{counted, pattern};
use reticent::text_format::{DateFormat, NumberFormat, TextFormat};
use reticent_engine::{Options, Profile};

use super::check_header;
use crate::context::Context;
use crate::error::{AmbiguousFormat, Error, Problem, Result};
use crate::reading::file_notes;
use crate::request::InitRequest;

/// Columns of the data, and how the files are read.
pub(super) struct Survey {
    pub rows: u64,
    pub columns: Vec<ColumnSketch>,
    /// Encoding that the policy must declare.
    pub encoding: Option<String>,
    /// Sheet that was read.
    pub sheet: Option<String>,
    /// Texts that mean a missing value.
    pub missing_values: Vec<String>,
    pub notes: Vec<String>,
}

/// Reads the data: first to learn the formats and the spellings of missing values, then with them.
pub(super) fn survey(request: &InitRequest, context: &Context) -> Result<Survey> {
    let first = Options {
        missing: missing_spellings(),
        detect_formats: true,
        encoding: request.encoding.clone(),
        ..context.engine_options()
    };
    let engine = request.data.open(first.clone())?;
    let (profiles, options) = (engine.values(None)?, first);
    let rows = profiles.first().map_or(0, |profile| profile.rows);
    if rows == 0 {
        return Err(Problem::NoRows.into());
    }
    check_header(&profiles, request.force)?;
    let formats = choose_formats(&profiles, request, context)?;
    let typed: Vec<ColumnSketch> =
        profiles.iter().zip(&formats).map(|(profile, format)| sketch(profile.clone(), format.clone())).collect();
    let missing_values = missing_values(&typed);
    let mut notes = file_notes(engine.as_ref());
    notes.extend(profiles.iter().zip(&formats).filter_map(|(profile, format)| stray_note(profile, format.as_ref())));
    let second = Options { missing: missing_values.clone(), detect_formats: false, ..options };
    let encoding = second.encoding.clone();
    let sheet = engine.reading().into_iter().find_map(|file| file.sheet);
    let columns = final_columns(request, second, profiles, formats)?;
    Ok(Survey { rows, columns, encoding, sheet, missing_values, notes })
}

/// Profiles the data with the formats and the missing values of the draft.
fn final_columns(
    request: &InitRequest,
    options: Options,
    mut profiles: Vec<Profile>,
    mut formats: Vec<Option<TextFormat>>,
) -> Result<Vec<ColumnSketch>> {
    loop {
        let named = profiles.iter().zip(&formats);
        let named = named.filter_map(|(profile, format)| Some((profile.name.clone(), format.clone()?))).collect();
        profiles = request.data.open(Options { formats: named, ..options.clone() })?.values(None)?;
        // A column with a word that was not adopted as a missing value is a text, and has no format.
        let is_other = |(profile, format): (&Profile, &Option<TextFormat>)| {
            format.as_ref().is_some_and(|format| format.values() != profile.inferred_type)
        };
        let dropped: Vec<bool> = profiles.iter().zip(&formats).map(is_other).collect();
        if !dropped.contains(&true) {
            return Ok(profiles.into_iter().zip(formats).map(|(profile, format)| sketch(profile, format)).collect());
        }
        formats.iter_mut().zip(dropped).filter(|(_, dropped)| *dropped).for_each(|(format, _)| *format = None);
    }
}

/// Returns the format of each column: none for plain texts, numbers and dates.
fn choose_formats(profiles: &[Profile], request: &InitRequest, context: &Context) -> Result<Vec<Option<TextFormat>>> {
    let this_year: i16 = context.today().get(..4).and_then(|year| year.parse().ok()).unwrap_or(2000);
    let years_from = this_year - 99;
    let chosen = request.roles.iter().map(|(column, _)| column).chain(&request.owner);
    for column in request.formats.iter().map(|(column, _)| column).chain(chosen) {
        if !profiles.iter().any(|profile| profile.name == *column) {
            let hint = did_you_mean(column, profiles.iter().map(|profile| profile.name.as_str()));
            return Err(reticent_engine::Error::UnknownColumn { column: column.clone(), hint }.into());
        }
    }
    let mut ambiguous = Vec::new();
    let mut chosen = Vec::new();
    for profile in profiles {
        if let Some((column, text)) = request.formats.iter().find(|(column, _)| *column == profile.name) {
            chosen.push(Some(requested(column, text, years_from)?));
            continue;
        }
        let candidates = candidates(profile, years_from);
        if candidates.len() > 1 {
            let candidates = candidates.iter().map(TextFormat::text).collect();
            ambiguous.push(AmbiguousFormat { column: profile.name.clone(), candidates });
            chosen.push(None);
            continue;
        }
        chosen.push(candidates.into_iter().next());
    }
    if ambiguous.is_empty() { Ok(chosen) } else { Err(Problem::FormatAmbiguous { columns: ambiguous }.into()) }
}

fn requested(column: &str, text: &str, years_from: i16) -> Result<TextFormat> {
    let years = text.contains("%y").then_some(years_from);
    let format = match text.contains('%') && text.contains(|letter: char| letter.is_ascii_alphabetic()) {
        true => DateFormat::new(text, years).map(TextFormat::Date),
        false => NumberFormat::new(text).map(TextFormat::Number),
    };
    format.map_err(|why| Error::from(Problem::FormatInvalid { column: column.to_owned(), why }))
}

/// Returns the formats that all values of a column have. Plain numbers and dates have none.
fn candidates(profile: &Profile, years_from: i16) -> Vec<TextFormat> {
    let Some(detected) = &profile.formats else { return Vec::new() };
    match profile.inferred_type {
        // A code such as 12A is not a number with a unit.
        Type::Text if reticent::policy::has_code_name(&profile.name) => Vec::new(),
        Type::Text => detected.formats(years_from),
        // Eight digits are a number, unless the column is a date by its name.
        Type::Number if reticent::policy::has_date_name(&profile.name) => {
            let mut formats = detected.formats(years_from);
            formats.retain(|format| format.values() == Type::Date);
            formats
        }
        Type::Number if has_groups_or_decimals(profile) => {
            let formats = ["1234.56", "1.234,56"].map(|example| NumberFormat::new(example).map(TextFormat::Number));
            formats.into_iter().flatten().collect()
        }
        Type::Number | Type::Date => Vec::new(),
    }
}

/// Whether every number with a point can have a decimal point or groups of three digits, as `1.234` can.
fn has_groups_or_decimals(profile: &Profile) -> bool {
    let missing = missing_spellings();
    let texts = || profile.values.iter().flatten().map(|(text, _)| text.as_str());
    let texts = || texts().filter(|text| !text.trim().is_empty() && !missing.iter().any(|missing| missing == text));
    let can_have_groups = |text: &str| {
        let groups: Vec<&str> = text.trim_start_matches('-').split('.').collect();
        let is_group = |group: &&str| group.len() == 3;
        (1..=3).contains(&groups[0].len()) && !groups[0].starts_with('0') && groups[1..].iter().all(is_group)
    };
    texts().any(|text| text.contains('.')) && texts().all(can_have_groups)
}

/// Minimum share of the rows, in percent, whose values have a type that the others lack.
const MOSTLY: u64 = 95;

/// Returns a note about a text column in which nearly all values are plain numbers or dates.
fn stray_note(profile: &Profile, format: Option<&TextFormat>) -> Option<String> {
    let values = profile.values.as_ref().filter(|_| format.is_none() && profile.inferred_type == Type::Text)?;
    let missing = missing_spellings();
    let values: Vec<&(String, u64)> =
        values.iter().filter(|(text, _)| !text.trim().is_empty() && !missing.contains(text)).collect();
    let rows: u64 = values.iter().map(|(_, rows)| rows).sum();
    let is = |kind: Type, text: &str| reticent::taxonomy::parse_scale(kind, text).is_some();
    let (kind, fit) = [(Type::Number, "numbers"), (Type::Date, "dates")].into_iter().find_map(|(kind, word)| {
        let fit: u64 = values.iter().filter(|(text, _)| is(kind, text)).map(|(_, rows)| rows).sum();
        (fit < rows && fit * 100 >= rows * MOSTLY).then_some((kind, (word, fit)))
    })?;
    let mut patterns: Vec<String> =
        values.iter().filter(|(text, _)| !is(kind, text)).map(|(text, _)| format!("`{}`", pattern(text))).collect();
    patterns.sort();
    patterns.dedup();
    patterns.truncate(3);
    Some(format!(
        "{}: nearly all values are {}, except in {} (patterns {}); correct them, or list them in `missing-values`, and set its `type`",
        profile.name,
        fit.0,
        counted(rows - fit.1, "row"),
        patterns.join(", ")
    ))
}

fn sketch(profile: Profile, format: Option<TextFormat>) -> ColumnSketch {
    ColumnSketch {
        name: profile.name,
        rows: profile.rows,
        empty: profile.empty,
        values: profile.values,
        distinct: profile.distinct,
        looks_like: format.as_ref().map_or(profile.inferred_type, TextFormat::values),
        format,
        quantiles: profile.quantiles,
    }
}
