//! Tests of formats: worked examples, and texts without a format.

use super::{DateFormat, FormatDetector, NumberFormat, TextFormat};

fn date(pattern: &str, years: Option<i16>, text: &str) -> Option<String> {
    TextFormat::Date(DateFormat::new(pattern, years).expect(pattern)).canonical(text)
}

fn number(example: &str, text: &str) -> Option<String> {
    TextFormat::Number(NumberFormat::new(example).expect(example)).canonical(text)
}

fn detected(texts: &[&str]) -> Vec<String> {
    let mut all = FormatDetector::default();
    texts.iter().for_each(|text| all.observe(text));
    // The parts of a column give the same result as the whole column.
    let mut merged = FormatDetector::default();
    for text in texts.iter().rev() {
        let mut part = FormatDetector::default();
        part.observe(text);
        merged.merge(&part);
    }
    let formats = all.formats(1927);
    assert_eq!(formats, merged.formats(1927));
    for format in &formats {
        let again = match format {
            TextFormat::Date(date) => DateFormat::new(&format.text(), date.years_from()).map(TextFormat::Date),
            TextFormat::Number(_) => NumberFormat::new(&format.text()).map(TextFormat::Number),
        };
        assert_eq!(again.as_ref(), Ok(format));
        assert!(texts.iter().all(|text| format.parse(text).is_some()), "{format:?}");
    }
    formats.iter().map(TextFormat::text).collect()
}

#[test]
fn dates_become_iso_dates() {
    assert_eq!(date("%m/%d/%Y", None, "1/31/2013"), Some("2013-01-31".to_owned()));
    assert_eq!(date("%d.%m.%Y", None, "31.01.2013"), Some("2013-01-31".to_owned()));
    assert_eq!(date("%d-%b-%Y", None, "31-Jan-2013"), Some("2013-01-31".to_owned()));
    assert_eq!(date("%B %d, %Y", None, "January 31, 2013"), Some("2013-01-31".to_owned()));
    assert_eq!(date("%m/%d/%Y", None, "31/1/2013"), None);
    assert_eq!(date("%m/%d/%Y", None, "2/29/2013"), None);
}

#[test]
fn a_year_needs_four_digits_where_the_format_has_four() {
    assert_eq!(date("%m/%d/%Y", None, "1/31/13"), None);
}

#[test]
fn two_digit_years_are_in_the_declared_hundred_years() {
    let years = |from| {
        ["12/05/26", "12/05/27", "12/05/68", "12/05/69", "12/05/00"].map(|text| date("%m/%d/%y", Some(from), text))
    };
    let expected = |texts: [&str; 5]| texts.map(|text| Some(format!("{text}-12-05")));
    assert_eq!(years(1927), expected(["2026", "1927", "1968", "1969", "2000"]));
    assert_eq!(years(1969), expected(["2026", "2027", "2068", "1969", "2000"]));
    assert!(DateFormat::new("%m/%d/%y", None).is_err(), "the hundred years are not guessed");
    assert!(DateFormat::new("%m/%d/%Y", Some(1927)).is_err());
}

#[test]
fn the_time_of_day_is_ignored() {
    for text in ["1/31/13 0:00", "1/31/13 12:00 AM", "1/31/13 23:59:59.5", "1/31/13"] {
        assert_eq!(date("%m/%d/%y", Some(1927), text), Some("2013-01-31".to_owned()), "{text}");
    }
    assert_eq!(date("%m/%d/%y", Some(1927), "1/31/13 Flu: yes"), None);
    assert_eq!(date("%m/%d/%y", Some(1927), "1/31/13 7"), None);
    assert_eq!(date("%m/%d/%y", Some(1927), "1/31/13 99:99"), None);
    assert_eq!(date("%d %b %Y", None, "3 May 2013 10:00"), Some("2013-05-03".to_owned()));
}

#[test]
fn a_date_without_separators_has_all_its_digits() {
    assert_eq!(date("%Y%m%d", None, "20130111"), Some("2013-01-11".to_owned()));
    assert_eq!(date("%Y%m%d", None, "2013111"), None);
}

#[test]
fn a_date_format_needs_a_day_a_month_and_a_year() {
    for pattern in ["%m/%Y", "%d", "", "MM/DD/YYYY", "%Q", "%m/%d/%Y %"] {
        assert!(DateFormat::new(pattern, None).is_err(), "{pattern}");
    }
}

#[test]
fn numbers_become_plain_numbers() {
    let cases = [
        ("$1,234.56", "$51,862.00", "51862"),
        ("$1,234.56", "-$51,862.50", "-51862.5"),
        ("$1,234.56", "($51,862.50)", "-51862.5"),
        ("$1,234.56", "$ 7", "7"),
        ("$1,234.56", "0", "0"),
        ("1.234,56 \u{20ac}", "51.862,05 \u{20ac}", "51862.05"),
        ("1.234,56 \u{20ac}", "51.862,05\u{a0}\u{20ac}", "51862.05"),
        ("1 234,56", "1\u{202f}234\u{a0}567,5", "1234567.5"),
        ("1'234.56", "1\u{2019}234.5", "1234.5"),
        ("1234,56", "0,5", "0.5"),
        ("1234,56", ",5", "0.5"),
        ("1234.56%", "12.5%", "12.5"),
        ("1234.56%", "12.5 %", "12.5"),
        ("CHF 1'234.56", "CHF 1'000.00", "1000"),
    ];
    for (example, text, expected) in cases {
        assert_eq!(number(example, text).as_deref(), Some(expected), "{example} {text}");
    }
}

#[test]
fn other_texts_are_not_numbers() {
    let cases = [
        ("$1,234.56", "\u{20ac}51"),
        ("$1,234.56", "5,18"),
        ("$1,234.56", "51,86,200"),
        ("$1,234.56", "1234,567"),
        ("$1,234.56", "(-5)"),
        ("$1,234.56", "--5"),
        ("1.234,56", "51862.5"),
        ("1234,56", "1.5"),
        ("1234,56", "1,5,5"),
        ("1234,56", ""),
        ("1234,56", "-"),
        ("1234,56", "nan"),
        ("1234.56", "12e3"),
    ];
    for (example, text) in cases {
        assert_eq!(number(example, text), None, "{example} {text}");
    }
}

#[test]
fn a_number_format_is_an_example() {
    for example in ["", "$", "%m/%d/%Y", "1,234,56", "12.34", "1;234.56", "1,234,567.89", "0,5", "1 23456"] {
        assert!(NumberFormat::new(example).is_err(), "{example}");
    }
    assert_eq!(NumberFormat::new("1.234").map(|format| (format.group, format.decimal)), Ok((Some('.'), None)));
    assert_eq!(NumberFormat::new("1234").map(|format| (format.group, format.decimal)), Ok((None, None)));
}

#[test]
fn formats_are_detected() {
    let cases: [(&[&str], &[&str]); 17] = [
        (&["12/31/2013", "1/2/2013"], &["%m/%d/%Y"]),
        (&["31/12/2013", "1/2/2013"], &["%d/%m/%Y"]),
        (&["31/12/13 0:00", "1/2/13 0:00"], &["%d/%m/%y"]),
        (&["31.12.2013"], &["%d.%m.%Y"]),
        (&["3-May-2013", "14-Jun-2014"], &["%d-%b-%Y"]),
        (&["May 3, 2013", "June 14, 2014"], &["%B %d, %Y"]),
        (&["20130131", "20131101"], &["%Y%m%d", "1234.56"]),
        (&["$51,862.00", "$7.50", "0"], &["$1,234.56"]),
        (&["$51,862", "-$7,000"], &["$1,234.56"]),
        (&["51.862 \u{20ac}", "7 \u{20ac}"], &["1.234,56 \u{20ac}"]),
        (&["1,5", "2,75", "10"], &["1234,56"]),
        (&["1.234,5", "2,75", "10"], &["1.234,56"]),
        (&["1 234,5", "2,75"], &["1 234,56"]),
        (&["12.5%", "7%"], &["1234.56%"]),
        (&["72 kg", "80 kg"], &["1234.56 kg"]),
        (&["1,234,567", "12"], &["1,234.56"]),
        (&["(1,234.50)", "12"], &["1,234.56"]),
    ];
    for (texts, expected) in cases {
        assert_eq!(detected(texts), expected, "{texts:?}");
    }
}

#[test]
fn ambiguous_formats_are_all_listed() {
    assert_eq!(detected(&["1/2/2013", "3/4/2014"]), ["%m/%d/%Y", "%d/%m/%Y"]);
    assert_eq!(detected(&["1,234", "5,678"]), ["1,234.56", "1234,56"]);
    assert_eq!(detected(&["22-11-13", "17-10-28"]), ["%d-%m-%y", "%y-%m-%d"]);
    // Both formats read these dates as the same days.
    assert_eq!(detected(&["1/1/2013", "4/4/2014"]), ["%m/%d/%Y"]);
}

#[test]
fn codes_and_texts_have_no_format() {
    let cases: [&[&str]; 10] = [
        &[],
        &["P12", "P13"],
        &["12A", "13B"],
        &["$5", "\u{20ac}5"],
        &["007", "12"],
        &["555-123-4567"],
        &["72 kg", "80"],
        &["flu", "asthma"],
        &["12/31/2013", "31/12/2013"],
        &["10.0.0.1"],
    ];
    for texts in cases {
        assert_eq!(detected(texts), Vec::<String>::new(), "{texts:?}");
    }
}
