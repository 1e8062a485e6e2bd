//! Recognises the content of a text column from its values: e-mail addresses, phone numbers, free text.

use super::ColumnSketch;

/// Content that identifies people, whatever the name of the column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Email,
    Phone,
    FreeText,
}

impl Content {
    /// Returns the reason for the role `identifier`.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Content::Email => "the values are e-mail addresses",
            Content::Phone => "the values look like phone numbers",
            Content::FreeText => "the values are free text, which can contain names and other details of people",
        }
    }
}

/// Minimum number of values from which content is recognised.
const MIN_VALUES: usize = 5;
/// Minimum number of words of most values of free text.
const MIN_WORDS: usize = 6;

/// Returns the content of a column, if at least nine of ten values have it.
pub(super) fn content(column: &ColumnSketch) -> Option<Content> {
    let values = column.values.as_ref()?;
    let texts = || values.iter().map(|(text, _)| text.trim()).filter(|text| !text.is_empty());
    let all = texts().count();
    let is_most =
        |fits: fn(&str) -> bool| all >= MIN_VALUES && texts().filter(|text| fits(text)).count() * 10 >= all * 9;
    let is_text = |text: &str| text.split_whitespace().count() >= MIN_WORDS;
    if is_most(is_email) {
        return Some(Content::Email);
    }
    if is_most(is_phone) {
        return Some(Content::Phone);
    }
    // Long labels that many rows share are categories.
    let filled = column.rows.saturating_sub(column.empty);
    (is_most(is_text) && all as u64 * 2 > filled).then_some(Content::FreeText)
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !text.contains(char::is_whitespace) && !host.contains('@')
    })
}

/// Whether a text has the digits of a phone number in several groups, or after a plus sign. A date is no phone number.
fn is_phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let allowed = text.chars().all(|letter| letter.is_ascii_digit() || " +-()./".contains(letter));
    let groups = text.split(|letter: char| !letter.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    allowed && (9..=15).contains(&digits) && (groups > 1 || text.starts_with('+'))
}
