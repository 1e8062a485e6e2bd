//! Texts of every supported type, compared with the output of `arrow-cast` 60.1.0.
//!
//! `expected.txt` is the oracle: one line for each array, recorded once with `cast_with_options` (`safe: false`). Do
//! not record it again from this crate. `error` marks an array with a value that has no text form.

use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_schema::{DataType, TimeUnit};

use super::text::as_text;

/// Label with the raw values, and the array.
type Case = (String, ArrayRef);

#[test]
fn texts_are_those_of_arrow_cast() {
    let cases = [plain(), strings(), floats(), decimals(), days(), times(), timestamps(), dictionaries()];
    let line = |(values, array): Case| format!("{} {values} -> {}", array.data_type(), texts(&array));
    let found: Vec<String> = cases.into_iter().flatten().map(line).collect();
    let expected: Vec<&str> = include_str!("expected.txt").lines().collect();
    assert_eq!(found, expected);
}

fn texts(array: &ArrayRef) -> String {
    let Some(texts) = as_text(array) else { return "error".to_owned() };
    let text = |at| texts.get(at).map_or("null".to_owned(), |text| format!("{text:?}"));
    (0..array.len()).map(text).collect::<Vec<_>>().join(", ")
}

/// Returns one array for each value, so that a value without a text form does not hide the others.
fn each<T: ArrowPrimitiveType>(data_type: &DataType, values: &[T::Native]) -> Vec<Case> {
    let case = |value: &T::Native| -> Case {
        let array = PrimitiveArray::<T>::from_iter_values([*value]).with_data_type(data_type.clone());
        (format!("{value:?}"), Arc::new(array))
    };
    values.iter().map(case).collect()
}

fn plain() -> Vec<Case> {
    let mut cases: Vec<Case> = vec![
        ("null, null".to_owned(), Arc::new(NullArray::new(2))),
        ("true, null, false".to_owned(), Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("-1, null, 2".to_owned(), Arc::new(Int16Array::from(vec![Some(-1), None, Some(2)]))),
        ("none".to_owned(), Arc::new(Int64Array::from(Vec::<i64>::new()))),
    ];
    cases.extend(each::<Int8Type>(&DataType::Int8, &[i8::MIN, -1, 0, 9, 10, i8::MAX]));
    cases.extend(each::<Int16Type>(&DataType::Int16, &[i16::MIN, 0, i16::MAX]));
    cases.extend(each::<Int32Type>(&DataType::Int32, &[i32::MIN, 0, 1_000_000, i32::MAX]));
    cases.extend(each::<Int64Type>(&DataType::Int64, &[i64::MIN, -1, 0, 1_000_000_000_000, i64::MAX]));
    cases.extend(each::<UInt8Type>(&DataType::UInt8, &[0, u8::MAX]));
    cases.extend(each::<UInt16Type>(&DataType::UInt16, &[0, u16::MAX]));
    cases.extend(each::<UInt32Type>(&DataType::UInt32, &[0, u32::MAX]));
    cases.extend(each::<UInt64Type>(&DataType::UInt64, &[0, 10, u64::MAX]));
    cases
}

fn strings() -> Vec<Case> {
    let texts = vec![Some("a, \"é\"\n"), None, Some(""), Some("longer than twelve bytes")];
    let bytes: Vec<Option<&[u8]>> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let invalid: Vec<Option<&[u8]>> = vec![Some(b"fine"), Some(b"\xff\xfe")];
    // Neither value is valid UTF-8, but their concatenation is.
    let split: Vec<Option<&[u8]>> = vec![Some(b"\xc3"), Some(b"\xa9")];
    let mut cases: Vec<Case> = vec![
        (format!("{texts:?}"), Arc::new(StringArray::from(texts.clone()))),
        (format!("{texts:?}"), Arc::new(LargeStringArray::from(texts.clone()))),
        (format!("{texts:?}"), Arc::new(StringViewArray::from(texts))),
    ];
    for values in [bytes, invalid, split] {
        let label = format!("{values:?}");
        cases.push((label.clone(), Arc::new(BinaryArray::from(values.clone()))));
        cases.push((label.clone(), Arc::new(LargeBinaryArray::from(values.clone()))));
        cases.push((label, Arc::new(BinaryViewArray::from(values))));
    }
    cases
}

fn floats() -> Vec<Case> {
    let doubles = [
        0.0,
        -0.0,
        0.1,
        -2.5,
        20.0,
        1e14,
        1e15,
        123_456_789_012_345_680.0,
        1e21,
        1e-7,
        5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let singles = doubles.map(|number| number as f32);
    let halves = doubles.map(<Float16Type as ArrowPrimitiveType>::Native::from_f64);
    let mut cases = each::<Float64Type>(&DataType::Float64, &doubles);
    cases.extend(each::<Float32Type>(&DataType::Float32, &singles));
    cases.extend(each::<Float16Type>(&DataType::Float16, &halves));
    cases
}

fn decimals() -> Vec<Case> {
    type Wide = <Decimal256Type as ArrowPrimitiveType>::Native;
    let mut cases = Vec::new();
    for scale in [0, 1, 2, 9, -1, -3, i8::MIN] {
        cases.extend(each::<Decimal32Type>(
            &DataType::Decimal32(9, scale),
            &[0, 5, -5, 150, -12_345, i32::MIN, i32::MAX],
        ));
    }
    for scale in [0, 3, 18, -2] {
        cases.extend(each::<Decimal64Type>(&DataType::Decimal64(18, scale), &[0, 7, -7, -1_050, i64::MIN, i64::MAX]));
    }
    for scale in [0, 2, 38, -5] {
        let values = [0, 1, -1, 99, 100, -100, 123_456_789, i128::MIN, i128::MAX];
        cases.extend(each::<Decimal128Type>(&DataType::Decimal128(38, scale), &values));
    }
    for scale in [0, 10, 76, -4] {
        let values = [0, 1, -1, -12_345_678_901].map(Wide::from_i128);
        let values = [&values[..], &[Wide::MIN, Wide::MAX]].concat();
        cases.extend(each::<Decimal256Type>(&DataType::Decimal256(76, scale), &values));
    }
    cases
}

/// The first and the last day with a text form, and other days: leap days, year 0, years of five digits.
const DAYS: [i32; 18] = [
    0,
    -1,
    1,
    19_000,
    11_016,
    11_017,
    -25_508,
    -25_509,
    -719_162,
    -719_163,
    -719_528,
    -719_529,
    2_932_896,
    2_932_897,
    FIRST_DAY,
    LAST_DAY,
    FIRST_DAY - 1,
    LAST_DAY + 1,
];
const FIRST_DAY: i32 = -96_465_292;
const LAST_DAY: i32 = 95_026_236;

fn days() -> Vec<Case> {
    let mut cases = each::<Date32Type>(&DataType::Date32, &DAYS);
    cases.extend(each::<Date32Type>(&DataType::Date32, &[i32::MIN, i32::MAX]));
    let day = |day: i32| i64::from(day) * 86_400_000;
    cases.extend(each::<Date64Type>(&DataType::Date64, &DAYS.map(day)));
    cases.extend(each::<Date64Type>(&DataType::Date64, &DAYS.map(|at| day(at) + 86_399_999)));
    cases.extend(each::<Date64Type>(&DataType::Date64, &DAYS.map(|at| day(at) - 1)));
    cases.extend(each::<Date64Type>(&DataType::Date64, &[i64::MIN, i64::MAX]));
    cases
}

fn times() -> Vec<Case> {
    use TimeUnit::*;
    let seconds = [0, 1, 59, 60, 3_599, 3_600, 43_200, 86_399, 86_400, 86_401, -1, i32::MIN, i32::MAX];
    let mut cases = each::<Time32SecondType>(&DataType::Time32(Second), &seconds);
    let millis = [0, 1, 500, 999, 1_000, 86_399_000, 86_399_999, 86_400_000, -1, -1_000, i32::MIN, i32::MAX];
    cases.extend(each::<Time32MillisecondType>(&DataType::Time32(Millisecond), &millis));
    let micros = [0, 1, 1_000, 1_001, 999_999, 86_399_999_999, 86_400_000_000, -1, i64::MIN, i64::MAX];
    // Times of 2^32 seconds and more: arrow-cast keeps the lowest 32 bits.
    cases.extend(each::<Time64MicrosecondType>(&DataType::Time64(Microsecond), &micros));
    cases.extend(each::<Time64MicrosecondType>(&DataType::Time64(Microsecond), &[(1 << 32) * 1_000_000 + 5]));
    let nanos = [0, 1, 1_000, 1_000_000, 999_999_999, 86_399_999_999_999, 86_400_000_000_000, -1, i64::MIN, i64::MAX];
    cases.extend(each::<Time64NanosecondType>(&DataType::Time64(Nanosecond), &nanos));
    cases.extend(each::<Time64NanosecondType>(&DataType::Time64(Nanosecond), &[(1 << 32) * 1_000_000_000]));
    cases
}

fn timestamps() -> Vec<Case> {
    use TimeUnit::*;
    let mut cases = Vec::new();
    for zone in [None, Some("-0930")] {
        cases.extend(instants::<TimestampSecondType>(Second, zone, 1));
        cases.extend(instants::<TimestampMillisecondType>(Millisecond, zone, 1_000));
        cases.extend(instants::<TimestampMicrosecondType>(Microsecond, zone, 1_000_000));
        cases.extend(instants::<TimestampNanosecondType>(Nanosecond, zone, 1_000_000_000));
    }
    let offsets = ["+00:00", "-00:00", "+02:00", "+0530", "+14", "-23:59", "+24:00", "+02:60", "02:00", "+2", "+é0:00"];
    for zone in offsets.into_iter().chain(["UTC", "Z", "", "Europe/Paris"]) {
        let data_type = DataType::Timestamp(Millisecond, Some(zone.into()));
        cases.extend(each::<TimestampMillisecondType>(&data_type, &[0, -1]));
    }
    // A zone without a text form is an error even if every value is null.
    let nulls = TimestampSecondArray::from(vec![None, None]);
    cases.push(("null, null".to_owned(), Arc::new(nulls.clone().with_timezone("+01:00"))));
    cases.push(("null, null".to_owned(), Arc::new(nulls.with_timezone("UTC"))));
    cases
}

/// Returns instants in a unit with `second` units per second.
fn instants<T: ArrowTimestampType>(unit: TimeUnit, zone: Option<&str>, second: i64) -> Vec<Case> {
    let data_type = DataType::Timestamp(unit, zone.map(Into::into));
    let days = DAYS.map(i64::from).into_iter().filter_map(|day| (day * 86_400).checked_mul(second));
    let ends =
        DAYS.map(i64::from).into_iter().filter_map(|day| ((day + 1) * 86_400).checked_mul(second)?.checked_sub(1));
    let parts =
        [1, 10, 1_000, 1_000_000, 1_500_000_000, 1_483_228_799 * second].map(|part| part % (second * 1_483_228_800));
    let others = [-1, i64::MIN, i64::MAX];
    let values: Vec<i64> = days.chain(ends).chain(parts).chain(others).collect();
    each::<T>(&data_type, &values)
}

fn dictionaries() -> Vec<Case> {
    let mut cases = Vec::new();
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None, Some("y")]));
    cases.push(keyed::<Int8Type>(&texts));
    cases.push(keyed::<Int16Type>(&texts));
    cases.push(keyed::<Int32Type>(&texts));
    cases.push(keyed::<Int64Type>(&texts));
    cases.push(keyed::<UInt8Type>(&texts));
    cases.push(keyed::<UInt16Type>(&texts));
    cases.push(keyed::<UInt32Type>(&texts));
    cases.push(keyed::<UInt64Type>(&texts));
    let nested: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(vec![2, 0, 1].into(), texts));
    let last_is_error = Time32SecondArray::from(vec![0, 1, 2, -1]);
    let first_is_error = Time32SecondArray::from(vec![-1, 1, 2]);
    let decimals = Decimal128Array::from(vec![150, -5, 0]).with_precision_and_scale(10, 2);
    let halves = [1.5, 2.0, 0.1].map(<Float16Type as ArrowPrimitiveType>::Native::from_f64);
    let values: Vec<ArrayRef> = vec![
        nested,
        Arc::new(LargeStringArray::from(vec!["x", "y", "z"])),
        Arc::new(StringViewArray::from(vec!["x", "y", "z"])),
        Arc::new(BinaryArray::from(vec![&b"x"[..], b"y", b"z"])),
        Arc::new(BinaryArray::from(vec![&b"x"[..], b"y", b"z", b"\xff"])),
        Arc::new(BinaryArray::from(vec![&b"\xff"[..], b"y", b"z"])),
        Arc::new(BooleanArray::from(vec![true, false, true])),
        Arc::new(Int64Array::from(vec![-1, 0, i64::MAX])),
        Arc::new(Float64Array::from(vec![20.0, 0.5, -1.0])),
        Arc::new(Float32Array::from(vec![20.0, 0.1, -1.0])),
        Arc::new(Float16Array::from_iter_values(halves)),
        Arc::new(decimals.unwrap()),
        Arc::new(Date32Array::from(vec![0, 1, 19_000])),
        Arc::new(Date64Array::from(vec![0, 86_400_000, -1])),
        Arc::new(TimestampMillisecondArray::from(vec![0, 1, -1]).with_timezone("+02:00")),
        Arc::new(TimestampMillisecondArray::from(vec![0, 1, -1]).with_timezone("UTC")),
        Arc::new(last_is_error),
        Arc::new(first_is_error),
        Arc::new(NullArray::new(3)),
    ];
    cases.extend(values.iter().map(keyed::<Int32Type>));
    cases
}

/// Returns a dictionary array of five rows that refer to the first three of these values.
fn keyed<K: ArrowDictionaryKeyType>(values: &ArrayRef) -> Case
where
    K::Native: TryFrom<u8, Error: Debug>,
{
    let keys = [Some(0), Some(2), None, Some(1), Some(0)].map(|key| key.map(|key: u8| key.try_into().unwrap()));
    let array = DictionaryArray::<K>::new(keys.into_iter().collect(), values.clone());
    ("0, 2, null, 1, 0".to_owned(), Arc::new(array))
}
