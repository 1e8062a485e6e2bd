//! What the paper reports against what is reproduced, line by line.

use std::fmt;

/// Whether a claim of the paper is reproduced.
pub enum Verdict {
    /// To the printed digit, or as the words say.
    Reproduces,
    /// Nearly, and why not quite.
    Close(String),
    /// No, and why.
    Not(String),
}

impl Verdict {
    /// Of something said in words; `why` it is not so.
    pub fn of(so: bool, why: &str) -> Verdict {
        if so { Verdict::Reproduces } else { Verdict::Not(why.to_owned()) }
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

/// How numbers are compared. Fixed beforehand: what differs in the printed digits is close within `near`, and no more.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Digits that the paper prints.
    pub digits: usize,
    /// How far a close number may be off.
    pub near: f64,
    /// Why it may be off.
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

    /// A number.
    pub fn number(&self, reported: f64, reproduced: f64) -> Verdict {
        self.off((self.rounded(reproduced) - reported).abs())
    }

    /// A number that is nowhere higher.
    pub fn at_most(&self, reported: f64, reproduced: f64) -> Verdict {
        self.off((self.rounded(reproduced) - reported).max(0.0))
    }

    /// The lowest and the highest of several numbers.
    pub fn range(&self, reported: (f64, f64), reproduced: &[f64]) -> Verdict {
        let (low, high) = ends(reproduced);
        let (low, high) = (self.rounded(low), self.rounded(high));
        match self.off((low - reported.0).abs().max((high - reported.1).abs())) {
            Verdict::Not(why) if reported.0 <= low && high <= reported.1 => Verdict::Not(format!("narrower, {why}")),
            verdict => verdict,
        }
    }
}

/// The lowest and the highest.
pub fn ends(numbers: &[f64]) -> (f64, f64) {
    numbers.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(*number), high.max(*number)))
}

/// The mean.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// The lowest and the highest in words.
pub fn ends_text(numbers: &[f64], digits: usize) -> String {
    let (low, high) = ends(numbers);
    format!("{low:.digits$} to {high:.digits$}")
}

/// Numbers in words.
pub fn listed(numbers: &[f64], digits: usize) -> String {
    numbers.iter().map(|number| format!("{number:.digits$}")).collect::<Vec<_>>().join(", ")
}

/// Begins a figure.
pub fn figure(title: &str) {
    println!("\n## {title}\n");
}

/// Begins the lines that compare.
pub fn head() {
    println!("\n| | reported | reproduced | verdict |\n|---|---|---|---|");
}

/// One line: what, as the paper says it, as it is here, and what to make of that.
pub fn line(what: &str, reported: &str, reproduced: &str, verdict: Verdict) {
    println!("| {what} | {reported} | {reproduced} | {verdict} |");
}

/// One line that the paper does not have.
pub fn note(what: &str, here: &str) {
    println!("| {what} | - | {here} | not in the paper |");
}
