//! How the values of a column are written in the data: dates such as `12/31/98`, numbers such as `$51,862.00`.
//!
//! A format converts a text to the canonical text of its date (YYYY-MM-DD) or number (`51862`). Only canonical texts are
//! published. A text that does not have the format stays unchanged.

mod date;
mod detect;
mod number;
#[cfg(test)]
mod tests;

pub use date::DateFormat;
pub use detect::FormatDetector;
pub use number::NumberFormat;

use crate::data::taxonomy::Type;
use crate::scalar::scale_text;

/// How the dates or numbers of a column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextFormat {
    /// Dates.
    Date(DateFormat),
    /// Numbers.
    Number(NumberFormat),
}

impl TextFormat {
    /// Returns the canonical text of a value; none if the text does not have the format.
    pub fn canonical(&self, text: &str) -> Option<String> {
        self.parse(text).map(|value| scale_text(self.values(), value))
    }

    /// Returns the number, or the date as days since 1970-01-01; none if the text does not have the format.
    pub fn parse(&self, text: &str) -> Option<f64> {
        match self {
            TextFormat::Date(format) => format.parse(text),
            TextFormat::Number(format) => format.parse(text),
        }
    }

    /// Returns the type of the values.
    pub fn values(&self) -> Type {
        match self {
            TextFormat::Date(_) => Type::Date,
            TextFormat::Number(_) => Type::Number,
        }
    }

    /// Returns the format as a policy writes it: `%m/%d/%Y`, or the example `$1,234.56`.
    pub fn text(&self) -> String {
        match self {
            TextFormat::Date(format) => format.pattern().to_owned(),
            TextFormat::Number(format) => format.example(),
        }
    }

    /// Returns the first year of the century of two-digit years, if the format has two-digit years.
    pub fn years_from(&self) -> Option<i16> {
        match self {
            TextFormat::Date(format) => format.years_from(),
            TextFormat::Number(_) => None,
        }
    }
}
