//! How answers look on a terminal.

use std::sync::LazyLock;

use anstyle::{AnsiColor, Style};
use reticent::{Disguise, Role};

pub use reticent::text::{counted as plural, grouped as count, people};

/// Headings.
pub const HEAD: Style = Style::new().bold();
/// What holds.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What does not.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What to do next, and side remarks.
pub const HINT: Style = Style::new().dimmed();

/// A share as a percentage: never rounded to nothing, never rounded to everything.
pub fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    match share {
        0.0 => "0 %".to_owned(),
        share if share < 0.1 => "under 0.1 %".to_owned(),
        share if part < whole && share > 99.9 => "over 99.9 %".to_owned(),
        share => format!("{share:.1} %"),
    }
}

/// A measured number.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value >= 1000.0 { count(value as u64) } else { format!("{value:.4}") }
}

/// A role in words.
pub fn role(role: Role) -> &'static str {
    match role {
        Role::Identifier => "identifier",
        Role::QuasiIdentifier => "quasi-identifier",
        Role::Sensitive => "sensitive",
        Role::Other => "other",
    }
}

/// A bar of so many of forty cells.
pub fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * 30.0).round() as usize;
    format!("{}{}", "█".repeat(full), "░".repeat(30 - full))
}

/// How wide a screen is taken to be, at most.
pub const WIDTH: usize = 100;
/// No screen is taken to be narrower.
const NARROWEST: usize = 40;

/// How wide the screen is, where it is one.
static SCREEN: LazyLock<usize> = LazyLock::new(|| {
    let screen = terminal_size::terminal_size_of(std::io::stdout());
    screen.map_or(WIDTH, |(width, _)| usize::from(width.0).max(NARROWEST))
});

/// A published value, or that there is none.
pub fn shown(value: &str) -> &str {
    if value.is_empty() { "(missing)" } else { value }
}

/// `age [30,40), sex F`.
pub fn witness(values: &[(String, String)]) -> String {
    values.iter().map(|(column, value)| format!("{column} {}", shown(value))).collect::<Vec<_>>().join(", ")
}

/// No cell of a table is shown wider.
const WIDEST: usize = 1_000;

/// A text, without its end where it is too long to be shown.
fn cut(text: &str) -> String {
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST - 3).chain("...".chars()).collect(),
        false => text.to_owned(),
    }
}

/// Lines of a table with columns as wide as they need to be.
pub fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let places = rows.iter().map(Vec::len).max().unwrap_or(0);
    let long = |cell: &String| cell.chars().count().min(WIDEST);
    let width = |place: usize| rows.iter().filter_map(|row| row.get(place)).map(long).max().unwrap_or(0);
    let widths: Vec<usize> = (0..places).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{:<width$}", cut(cell))).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Breaks text into lines of at most so many characters, each with an indent.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let width = width.min(*SCREEN);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        // What is a percentage stays one.
        if line > 0 && !word.starts_with('%') && line + 1 + word.chars().count() + indent.len() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.iter().map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
}

/// Says something on standard error that a steward should look at.
pub fn warn(text: &str) {
    // Whoever cannot be told cannot be told that either.
    use std::io::Write;
    let _ = writeln!(anstream::stderr(), "warning: {text}");
}

/// Prints a line on standard output.
pub fn line(text: std::fmt::Arguments<'_>) {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    static TOLD: AtomicBool = AtomicBool::new(false);
    let printed = writeln!(anstream::stdout().lock(), "{text}");
    if let Err(error) = printed
        && error.kind() != std::io::ErrorKind::BrokenPipe
        && !TOLD.swap(true, Ordering::Relaxed)
    {
        // If standard error is gone too, there is nobody left to tell.
        let _ = writeln!(anstream::stderr(), "warning: the answer could not be printed: {error}");
    }
}

/// How a release shows people's records, in words.
pub fn disguise(disguise: &Disguise) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(disguise.groups.as_ref().map(|column| format!("groups are marked by {column}")));
    lines.extend(disguise.counterfeits.as_ref().map(|column| format!("counterfeits are counted by {column}")));
    lines.extend(disguise.apart.then(|| "each sensitive column is shown by itself".to_owned()));
    lines.extend(disguise.of.map(|number| format!("counts the values of the people of release {number}")));
    lines
}
