//! Styles, numbers and tables for terminal output.

use std::sync::LazyLock;

use anstyle::{AnsiColor, Style};
use reticent::audit::Identity;
use reticent::{Presentation, Role};

pub use reticent::text::{counted as plural, format_count as count, people};

/// Headings.
pub const HEAD: Style = Style::new().bold();
/// Success.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Failure.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Hints and side remarks.
pub const HINT: Style = Style::new().dimmed();

/// `part` of `whole` as a percentage. Only exact values are printed as 0 % and 100 %.
pub fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    match share {
        0.0 => "0 %".to_owned(),
        share if share < 0.1 => "under 0.1 %".to_owned(),
        share if part < whole && share > 99.9 => "over 99.9 %".to_owned(),
        share => format!("{share:.1} %"),
    }
}

/// A ratio as a percentage. Only exact values are printed as 0 % and 100 %.
pub fn ratio(value: f64) -> String {
    match value {
        value if value > 0.0 && value < 0.001 => "under 0.1 %".to_owned(),
        value if value < 1.0 && value > 0.999 => "over 99.9 %".to_owned(),
        value => format!("{:.1} %", value * 100.0),
    }
}

/// Lower and upper bound of a probability, rounded outwards.
pub fn range(lower: f64, upper: f64) -> String {
    let low = (lower * 1000.0 + 1e-6).floor() / 1000.0;
    let high = ((upper * 1000.0 - 1e-6).ceil() / 1000.0).min(1.0);
    let low = if low == 0.0 { ratio(lower) } else { ratio(low) };
    format!("{low} to {}", ratio(high))
}

/// A probability: exact, or an estimate with its bounds.
pub fn probability(lower: f64, upper: f64, estimate: f64) -> String {
    match (upper - lower).abs() < 1e-8 {
        true => ratio(upper),
        false => format!("about {} (estimate; bounds {})", ratio(estimate), range(lower, upper)),
    }
}

/// Highest and average prosecutor risk.
pub fn risk_figures(identity: &Identity) -> [String; 2] {
    let (highest, average) = (identity.prosecutor, identity.marketer);
    [
        probability(highest.lower.value(), highest.upper.value(), highest.estimate),
        probability(average.lower, average.upper, average.estimate),
    ]
}

/// A metric value.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value >= 1000.0 { count(value as u64) } else { format!("{value:.4}") }
}

/// Name of a role.
pub fn role(role: Role) -> &'static str {
    match role {
        Role::Identifier => "identifier",
        Role::Drop => "drop",
        Role::QuasiIdentifier => "quasi-identifier",
        Role::Sensitive => "sensitive",
        Role::Other => "other",
    }
}

/// A bar of 30 cells for a ratio.
pub fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * 30.0).round() as usize;
    format!("{}{}", "█".repeat(full), "░".repeat(30 - full))
}

/// Maximum width of a line.
pub const WIDTH: usize = 100;
/// Minimum width of a line.
const NARROWEST: usize = 40;

/// Width of the terminal.
static SCREEN: LazyLock<usize> = LazyLock::new(|| {
    let screen = terminal_size::terminal_size_of(std::io::stdout());
    screen.map_or(WIDTH, |(width, _)| usize::from(width.0).max(NARROWEST))
});

/// A published value; `(missing)` if empty.
pub fn shown(value: &str) -> &str {
    if value.is_empty() { "(missing)" } else { value }
}

/// `age [30,40), sex F`.
pub fn witness(values: &[(String, String)]) -> String {
    values.iter().map(|(column, value)| format!("{column} {}", shown(value))).collect::<Vec<_>>().join(", ")
}

/// Maximum width of a table cell.
const WIDEST: usize = 1_000;

/// A text, truncated to the maximum width of a cell.
fn cut(text: &str) -> String {
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST - 3).chain("...".chars()).collect(),
        false => text.to_owned(),
    }
}

/// Lines of a table with aligned columns.
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

/// Wraps text at `width` characters and indents every line.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let width = width.min(*SCREEN);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last().map_or(0, |line| line.chars().count());
        // Keep a number and its percent sign on one line.
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

/// Prints a warning on standard error.
pub fn warn(text: &str) {
    use std::io::Write;
    let _ = writeln!(anstream::stderr(), "warning: {text}");
}

/// Prints a line on standard output.
pub fn line(text: std::fmt::Arguments<'_>) {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    static REPORTED: AtomicBool = AtomicBool::new(false);
    let printed = writeln!(anstream::stdout().lock(), "{text}");
    if let Err(error) = printed
        && error.kind() != std::io::ErrorKind::BrokenPipe
        && !REPORTED.swap(true, Ordering::Relaxed)
    {
        // A failure of standard error too cannot be reported.
        let _ = writeln!(anstream::stderr(), "warning: the answer could not be printed: {error}");
    }
}

/// Describes the presentation of a release.
pub fn presentation(presentation: &Presentation) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(presentation.group_column.as_ref().map(|column| format!("group column: {column}")));
    lines.extend(presentation.counterfeit_column.as_ref().map(|column| format!("counterfeit column: {column}")));
    lines.extend(presentation.columns_separate.then(|| "sensitive attributes published separately".to_owned()));
    lines.extend(
        presentation.about_release.map(|number| format!("marginal table about the people of release {number}")),
    );
    lines
}
