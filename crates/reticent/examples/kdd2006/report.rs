//! Comparison of reported and reproduced figures, line by line.

use std::fmt;

/// Whether a claim of the paper is reproduced.
pub enum Verdict {
    /// Equal to the printed digit, or true as stated.
    Reproduces,
    /// Nearly equal, with the reason for the difference.
    Close(String),
    /// Different, with the reason.
    Not(String),
}

impl Verdict {
    /// Verdict on a claim in words. `why` is the reason if it does not hold.
    pub fn from_claim(holds: bool, why: &str) -> Verdict {
        if holds { Verdict::Reproduces } else { Verdict::Not(why.to_owned()) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Reproduces => f.write_str("reproduces"),
            Verdict::Close(why) => write!(f, "close: {why}"),
            Verdict::Not(why) => write!(f, "does not reproduce: {why}"),
        }
    }
}

/// Comparison of numbers, fixed before the measurements. A number that differs in the printed digits is close within `near`.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Number of decimals in the paper.
    pub digits: usize,
    /// Largest difference of a close number.
    pub near: f64,
    /// Reason for a difference.
    pub why: &'static str,
}

impl Scale {
    fn rounded(&self, number: f64) -> f64 {
        let unit = 10f64.powi(self.digits as i32);
        (number * unit).round() / unit
    }

    fn off(&self, off: f64) -> Verdict {
        if off <= 1e-9 {
            Verdict::Reproduces
        } else if off <= self.near + 1e-9 {
            Verdict::Close(self.why.to_owned())
        } else {
            Verdict::Not(format!("off by {off:.*}; {}", self.digits, self.why))
        }
    }

    /// Compares a number.
    pub fn number(&self, reported: f64, reproduced: f64) -> Verdict {
        self.off((self.rounded(reproduced) - reported).abs())
    }

    /// Compares a number with a reported maximum.
    pub fn at_most(&self, reported: f64, reproduced: f64) -> Verdict {
        self.off((self.rounded(reproduced) - reported).max(0.0))
    }

    /// Compares the minimum and the maximum of several numbers.
    pub fn range(&self, reported: (f64, f64), reproduced: &[f64]) -> Verdict {
        let (low, high) = ends(reproduced);
        let (low, high) = (self.rounded(low), self.rounded(high));
        match self.off((low - reported.0).abs().max((high - reported.1).abs())) {
            Verdict::Not(why) if reported.0 <= low && high <= reported.1 => Verdict::Not(format!("narrower, {why}")),
            verdict => verdict,
        }
    }
}

/// Minimum and maximum.
pub fn ends(numbers: &[f64]) -> (f64, f64) {
    numbers.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(*number), high.max(*number)))
}

pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Minimum and maximum as text.
pub fn ends_text(numbers: &[f64], digits: usize) -> String {
    let (low, high) = ends(numbers);
    format!("{low:.digits$} to {high:.digits$}")
}

/// Numbers as text, separated by commas.
pub fn listed(numbers: &[f64], digits: usize) -> String {
    numbers.iter().map(|number| format!("{number:.digits$}")).collect::<Vec<_>>().join(", ")
}

/// Prints the heading of a figure.
pub fn figure(title: &str) {
    println!("\n## {title}\n");
}

/// Prints the head of the table of comparisons.
pub fn head() {
    println!("\n| | reported | reproduced | verdict |\n|---|---|---|---|");
}

/// Prints a row: subject, reported figure, reproduced figure, verdict.
pub fn line(what: &str, reported: &str, reproduced: &str, verdict: Verdict) {
    println!("| {what} | {reported} | {reproduced} | {verdict} |");
}

/// Prints a row without a reported figure.
pub fn note(what: &str, here: &str) {
    println!("| {what} | - | {here} | not in the paper |");
}
