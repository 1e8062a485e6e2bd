//! The risk/utility frontier as a plot of characters: risk to the right, loss upwards.

use reticent_app::answer::{Choice, ChoiceResult, ChoiceState};

use crate::terminal::{HEAD, HINT};

/// Returns a risk of a release; `None` if it has none.
type RiskOf = fn(&ChoiceResult) -> Option<f64>;

/// Columns and lines of the drawing area.
const SIZE: (usize, usize) = (60, 12);

/// Prints the loss against each risk that differs between the choices.
pub fn print(choices: &[Choice]) {
    let risks: [(&str, RiskOf); 2] = [
        ("highest risk of re-identification", |result| Some(result.reidentification)),
        ("highest posterior of a sensitive value", |result| result.posterior),
    ];
    for (name, risk) in risks {
        let points: Vec<Point> = choices.iter().filter_map(|choice| Point::new(choice, risk)).collect();
        let differs = |of: fn(&Point) -> f64| points.iter().any(|point| (of(point) - of(&points[0])).abs() > 1e-9);
        if points.len() > 1 && differs(|point| point.risk) && differs(|point| point.loss) {
            println!("\n{HEAD}Loss for the purpose by {name}{HEAD:#}");
            lines(&points).iter().for_each(|line| println!("{line}"));
            println!("{HINT}  * recommended   o frontier   . dominated   - outside the policy{HINT:#}");
        }
    }
}

struct Point {
    risk: f64,
    loss: f64,
    /// Mark with its precedence: of two points at one place, the higher one is drawn.
    mark: (u8, char),
}

impl Point {
    fn new(choice: &Choice, risk: RiskOf) -> Option<Point> {
        let result = choice.result.as_ref()?;
        let mark = match choice.state {
            ChoiceState::Recommended => (3, '*'),
            ChoiceState::Frontier => (2, 'o'),
            ChoiceState::Dominated | ChoiceState::Refused => (1, '.'),
            ChoiceState::Outside => (1, '-'),
        };
        Some(Point { risk: risk(result)?, loss: result.loss, mark })
    }
}

/// Draws points, with the limits of both axes.
fn lines(points: &[Point]) -> Vec<String> {
    let limits = |of: fn(&Point) -> f64| {
        points.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    };
    let (risks, losses) = (limits(|point| point.risk), limits(|point| point.loss));
    let place = |at: f64, (low, high): (f64, f64), cells: usize| {
        ((at - low) / (high - low) * (cells - 1) as f64).round() as usize
    };
    let (width, height) = SIZE;
    let mut cells = vec![vec![(0, ' '); width]; height];
    for point in points {
        let cell = &mut cells[height - 1 - place(point.loss, losses, height)][place(point.risk, risks, width)];
        *cell = (*cell).max(point.mark);
    }
    let mut lines: Vec<String> = Vec::new();
    for (at, row) in cells.iter().enumerate() {
        let label = match at {
            0 => format!("{:.4}", losses.1),
            _ if at == height - 1 => format!("{:.4}", losses.0),
            _ => String::new(),
        };
        let row: String = row.iter().map(|(_, mark)| *mark).collect();
        lines.push(format!("{label:>8} |{}", row.trim_end()));
    }
    lines.push(format!("{:>8} +{}", "", "-".repeat(width)));
    let (low, high) = (format!("{:.4}", risks.0), format!("{:.4}", risks.1));
    lines.push(format!("{:>10}{low}{high:>1$}", "", width - low.len()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_drawn_at_their_risk_and_loss() {
        let point = |risk, loss, mark| Point { risk, loss, mark };
        let drawn = lines(&[point(0.1, 1.0, (2, 'o')), point(0.5, 0.0, (3, '*')), point(0.5, 0.0, (1, '.'))]);
        assert_eq!(drawn.len(), SIZE.1 + 2);
        assert_eq!(drawn[0], "  1.0000 |o");
        assert_eq!(drawn[SIZE.1 - 1], format!("  0.0000 |{:>1$}", "*", SIZE.0));
        assert_eq!(drawn[SIZE.1 + 1].trim(), format!("0.1000{:>1$}", "0.5000", SIZE.0 - 6));
    }
}
