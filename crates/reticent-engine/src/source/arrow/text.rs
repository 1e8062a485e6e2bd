//! Arrow values as texts: numbers in their shortest form, dates without a time, everything else as `arrow-cast`
//! writes it.
//!
//! `arrow-array`, `arrow-data` and chrono format dates and decimals; `parquet` depends on them anyway. It does not
//! depend on `arrow-cast`, which would be the second longest unit of the release build (docs/decisions/0002).

use std::fmt::{Debug, Write};

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::*;
use arrow_array::timezone::Tz;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, LargeStringArray, StringArray, StringViewArray};
use arrow_data::decimal::{DecimalNativeType, write_decimal};
use arrow_schema::{DataType, TimeUnit};
use chrono::{DateTime, Offset, SecondsFormat, TimeZone};
use reticent::taxonomy::number_text;

/// Texts of one column of a batch.
pub(super) enum TextArray {
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
    /// Index of the text of each row, none for null; and the texts.
    Dictionary(Vec<Option<usize>>, Box<TextArray>),
}

impl TextArray {
    /// Returns the text of a row, none for null.
    pub(super) fn get(&self, row: usize) -> Option<&str> {
        match self {
            TextArray::Utf8(texts) => texts.is_valid(row).then(|| texts.value(row)),
            TextArray::LargeUtf8(texts) => texts.is_valid(row).then(|| texts.value(row)),
            TextArray::Utf8View(texts) => texts.is_valid(row).then(|| texts.value(row)),
            TextArray::Dictionary(indices, texts) => indices[row].and_then(|index| texts.get(index)),
        }
    }
}

/// Returns true if values of this type have a text form. Nested types, durations and intervals have none.
pub(super) fn is_supported(values: &DataType) -> bool {
    use DataType::*;
    match values {
        Dictionary(_, values) => is_supported(values),
        Null | Boolean | Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView => true,
        Date32 | Date64 | Timestamp(..) | Time32(_) | Time64(_) => true,
        other => other.is_numeric(),
    }
}

/// Returns the texts of an array; none if a value has no text form, such as bytes that are not UTF-8.
pub(super) fn as_text(array: &dyn Array) -> Option<TextArray> {
    texts(array, None)
}

/// Returns the texts of an array. Values that are not `used` may be null and need no text form.
fn texts(array: &dyn Array, used: Option<&[bool]>) -> Option<TextArray> {
    use DataType::*;
    let direct = match array.data_type() {
        Null => Some(TextArray::Utf8(StringArray::new_null(array.len()))),
        Boolean => Some(TextArray::Utf8(array.as_boolean().iter().map(|value| value.map(boolean)).collect())),
        Utf8 => Some(TextArray::Utf8(array.as_string().clone())),
        LargeUtf8 => Some(TextArray::LargeUtf8(array.as_string().clone())),
        Utf8View => Some(TextArray::Utf8View(array.as_string_view().clone())),
        Binary => StringArray::try_from_binary(array.as_binary().clone()).ok().map(TextArray::Utf8),
        LargeBinary => LargeStringArray::try_from_binary(array.as_binary().clone()).ok().map(TextArray::LargeUtf8),
        BinaryView => array.as_binary_view().clone().to_string_view().ok().map(TextArray::Utf8View),
        Dictionary(..) => return dictionary(array, used),
        _ => None,
    };
    direct.or_else(|| format_values(array, used).map(TextArray::Utf8))
}

fn boolean(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// Returns the texts of a dictionary array. Every value that a row refers to is formatted once.
fn dictionary(array: &dyn Array, used: Option<&[bool]>) -> Option<TextArray> {
    let values = array.as_any_dictionary().values();
    // Keys of null rows are arbitrary, and without values all rows are null.
    let keys = if values.is_empty() { vec![0; array.len()] } else { array.as_any_dictionary().normalized_keys() };
    let has_text = has_text(array, used);
    let indices: Vec<Option<usize>> =
        keys.into_iter().enumerate().map(|(row, key)| has_text(row).then_some(key)).collect();
    let mut used = vec![false; values.len()];
    indices.iter().flatten().for_each(|index| used[*index] = true);
    let texts = texts(values, Some(&used))?;
    Some(TextArray::Dictionary(indices, Box::new(texts)))
}

/// Returns a function that is true for rows that are used and not null.
fn has_text<'a>(array: &'a dyn Array, used: Option<&'a [bool]>) -> impl Fn(usize) -> bool + 'a {
    let nulls = array.nulls();
    move |row| nulls.is_none_or(|nulls| nulls.is_valid(row)) && used.is_none_or(|used| used[row])
}

/// Formats the values of an array.
fn format_values(array: &dyn Array, used: Option<&[bool]>) -> Option<StringArray> {
    let write = writer(array)?;
    let has_text = has_text(array, used);
    let mut texts = StringBuilder::with_capacity(array.len(), 8 * array.len());
    for row in 0..array.len() {
        if has_text(row) {
            write(row, &mut texts)?;
            // Completes the current text.
            texts.append_value("");
        } else {
            texts.append_null();
        }
    }
    Some(texts.finish())
}

/// Writes the value of a row; returns none if it has no text form.
type ValueWriter<'a> = Box<dyn Fn(usize, &mut StringBuilder) -> Option<()> + 'a>;

fn writer(array: &dyn Array) -> Option<ValueWriter<'_>> {
    use DataType::*;
    use TimeUnit::*;
    Some(match array.data_type() {
        Int8 => whole::<Int8Type>(array),
        Int16 => whole::<Int16Type>(array),
        Int32 => whole::<Int32Type>(array),
        Int64 => whole::<Int64Type>(array),
        UInt8 => whole::<UInt8Type>(array),
        UInt16 => whole::<UInt16Type>(array),
        UInt32 => whole::<UInt32Type>(array),
        UInt64 => whole::<UInt64Type>(array),
        Float16 => each::<Float16Type>(array, |number, out| out.write_str(&number_text(number.to_f64())).ok()),
        Float32 => each::<Float32Type>(array, |number, out| out.write_str(&short_text(number)).ok()),
        Float64 => each::<Float64Type>(array, |number, out| out.write_str(&number_text(number)).ok()),
        Decimal32(..) => decimal::<Decimal32Type>(array),
        Decimal64(..) => decimal::<Decimal64Type>(array),
        Decimal128(..) => decimal::<Decimal128Type>(array),
        Decimal256(..) => decimal::<Decimal256Type>(array),
        Date32 => each::<Date32Type>(array, day),
        Date64 => each::<Date64Type>(array, |millis, out| day((millis / MILLISECONDS_IN_DAY).try_into().ok()?, out)),
        Time32(Second) => each::<Time32SecondType>(array, |time, out| debug(time32s_to_time(time), out)),
        Time32(_) => each::<Time32MillisecondType>(array, |time, out| debug(time32ms_to_time(time), out)),
        Time64(Microsecond) => each::<Time64MicrosecondType>(array, |time, out| debug(time64us_to_time(time), out)),
        Time64(_) => each::<Time64NanosecondType>(array, |time, out| debug(time64ns_to_time(time), out)),
        Timestamp(Second, zone) => instant::<TimestampSecondType>(array, zone.as_deref())?,
        Timestamp(Millisecond, zone) => instant::<TimestampMillisecondType>(array, zone.as_deref())?,
        Timestamp(Microsecond, zone) => instant::<TimestampMicrosecondType>(array, zone.as_deref())?,
        Timestamp(Nanosecond, zone) => instant::<TimestampNanosecondType>(array, zone.as_deref())?,
        Binary => bytes(|row| array.as_binary::<i32>().value(row)),
        LargeBinary => bytes(|row| array.as_binary::<i64>().value(row)),
        BinaryView => bytes(|row| array.as_binary_view().value(row)),
        _ => return None,
    })
}

fn each<'a, T: ArrowPrimitiveType>(
    array: &'a dyn Array,
    write: impl Fn(T::Native, &mut StringBuilder) -> Option<()> + 'a,
) -> ValueWriter<'a> {
    let values = array.as_primitive::<T>();
    Box::new(move |row, out| write(values.value(row), out))
}

fn bytes<'a>(value: impl Fn(usize) -> &'a [u8] + 'a) -> ValueWriter<'a> {
    Box::new(move |row, out| out.write_str(std::str::from_utf8(value(row)).ok()?).ok())
}

fn whole<T: ArrowPrimitiveType<Native: itoa::Integer>>(array: &dyn Array) -> ValueWriter<'_> {
    each::<T>(array, |number, out| out.write_str(itoa::Buffer::new().format(number)).ok())
}

/// Returns a single-precision number in the fewest digits that identify it.
fn short_text(number: f32) -> String {
    if number.fract() == 0.0 { number_text(f64::from(number)) } else { number.to_string() }
}

fn decimal<T: DecimalType<Native: DecimalNativeType>>(array: &dyn Array) -> ValueWriter<'_> {
    let scale = array.as_primitive::<T>().scale();
    each::<T>(array, move |number, out| write_decimal(out, number, scale).ok())
}

fn day(days: i32, out: &mut StringBuilder) -> Option<()> {
    debug(date32_to_datetime(days).map(|time| time.date()), out)
}

/// Writes a value with `Debug`, which is ISO 8601 in chrono.
fn debug(value: Option<impl Debug>, out: &mut StringBuilder) -> Option<()> {
    write!(out, "{:?}", value?).ok()
}

/// Writes instants in the local time of their zone. Only zones that are offsets have a text form.
fn instant<'a, T: ArrowTimestampType>(array: &'a dyn Array, zone: Option<&str>) -> Option<ValueWriter<'a>> {
    let zone: Option<Tz> = zone.map(str::parse).transpose().ok()?;
    Some(each::<T>(array, move |value, out| {
        let time = as_datetime::<T>(value)?;
        let Some(zone) = zone else { return debug(Some(time), out) };
        let offset = zone.offset_from_utc_datetime(&time);
        // Formatting panics if the local time is out of range.
        time.checked_add_offset(offset.fix())?;
        let local = DateTime::<Tz>::from_naive_utc_and_offset(time, offset);
        out.write_str(&local.to_rfc3339_opts(SecondsFormat::AutoSi, true)).ok()
    }))
}
