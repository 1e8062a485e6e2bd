//! The fragment of a comparison of settings. The public variant has no paths and no exact counts.

use maud::{Markup, html};
use reticent::text::counted;

use super::audience::Audience;
use super::parts::{Align, Status, block, collapsed, data_list, headline, table, variant};
use crate::charts::{Point, scatter};
use crate::comparison::{ComparedChoice, ComparedFigures, Comparison};

/// Renders a comparison as a fragment.
pub fn comparison_fragment(comparison: &Comparison, public: bool, min_count: u64) -> String {
    let records = comparison.choices.iter().flat_map(|choice| &choice.figures).map(|known| known.records).max();
    let audience = Audience::new(public, min_count, records.unwrap_or(0));
    let has_posterior =
        comparison.choices.iter().flat_map(|choice| &choice.figures).any(|known| known.posterior.is_some());
    let posterior = |known: &ComparedFigures| known.posterior;
    let body = html! {
        (verdict(comparison, &audience))
        // The place of a point in a chart is an exact figure.
        @if !public {
            (block("Loss by the highest risk of re-identification", &chart(comparison, "risk of re-identification", |known| Some(known.risk))))
            @if has_posterior {
                (block("Loss by the highest posterior of a sensitive value", &chart(comparison, "posterior", posterior)))
            }
        }
        (block("Choices", &choices(comparison, &audience)))
        (collapsed("Assumptions", &data_list(&audience, &comparison.assumptions)))
        p.footnote {
            "Rehearsed releases; nothing was published. Loss: 0 for the raw values, 100\u{a0}% if everything is suppressed. Dominated: "
            "another choice within the policy has at most these risks and this loss. The fragment has no values of the data."
        }
    };
    variant("comparison", &audience, &body)
}

fn verdict(comparison: &Comparison, audience: &Audience) -> Markup {
    let found = comparison.choices.iter().filter(|choice| choice.state == "recommended").count();
    let choices = counted(comparison.choices.len() as u64, "choice");
    let (status, text) = match found {
        0 => (Status::Open, format!("None of {choices} satisfies the policy")),
        found => (Status::Holds, format!("{found} of {choices} recommended: the least loss within the policy")),
    };
    // A command has the paths of the data, the ledger and its key.
    let commands = comparison.commands.iter().filter(|_| !audience.is_public());
    let commands: Vec<Markup> = commands.map(|command| html! { code { (command) } }).collect();
    headline(status, &comparison.title, &text, &commands)
}

/// Draws the loss against a risk.
fn chart(comparison: &Comparison, axis: &str, risk: fn(&ComparedFigures) -> Option<f64>) -> Markup {
    let point = |(number, choice): (usize, &ComparedChoice)| {
        let figures = choice.figures.as_ref()?;
        Some(Point { x: risk(figures)?, y: figures.loss, class: choice.state, label: number.to_string() })
    };
    let mut points: Vec<Point> = (1..).zip(&comparison.choices).filter_map(point).collect();
    if points.is_empty() {
        return html! {};
    }
    // The points that are drawn last are the most important ones.
    let order = ["outside", "dominated", "frontier", "recommended"];
    points.sort_by_key(|point| order.iter().position(|class| *class == point.class));
    let states = [
        ("recommended", "recommended"),
        ("frontier", "on the frontier"),
        ("dominated", "dominated"),
        ("outside", "outside the policy"),
    ];
    html! {
        p.legend { @for (state, text) in states { span { span.swatch.(state) {} (text) } " " } }
        (scatter(&format!("Loss by {axis}"), axis, &points))
    }
}

fn choices(comparison: &Comparison, audience: &Audience) -> Markup {
    let mut heads: Vec<(&str, Align)> = vec![("no.", Align::Number), ("state", Align::Text)];
    heads.extend(comparison.settings.iter().map(|setting| (*setting, Align::Text)));
    let shown = |(setting, text): (&&str, &String)| match *setting {
        // The path of a policy names a folder of the steward.
        "policy" if audience.is_public() => text.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
        _ => text.clone(),
    };
    heads.extend(["loss", "risk", "posterior", "classes", "records"].map(|head| (head, Align::Number)));
    heads.push(("remarks", Align::Text));
    let row = |(number, choice): (usize, &ComparedChoice)| {
        let mut row = vec![number.to_string(), choice.state.to_owned()];
        row.extend(comparison.settings.iter().zip(&choice.settings).map(shown));
        // A choice can have fewer settings than the comparison.
        row.resize(2 + comparison.settings.len(), String::new());
        row.extend(figure_cells(choice, audience));
        row
    };
    table(&heads, &(1..).zip(&comparison.choices).map(row).collect::<Vec<_>>())
}

fn figure_cells(choice: &ComparedChoice, audience: &Audience) -> [String; 6] {
    let Some(figures) = &choice.figures else {
        // The reason of a refusal has counts and ratios of single classes.
        let reason = choice.error.clone().filter(|_| !audience.is_public());
        let [one, two, three, four, five] = std::array::from_fn(|_| String::new());
        return [one, two, three, four, five, reason.unwrap_or_else(|| "refused".to_owned())];
    };
    let suppressed = match figures.fully_suppressed.as_slice() {
        [] => String::new(),
        columns => format!("fully suppressed: {}", columns.join(", ")),
    };
    [
        audience.loss(figures.loss),
        audience.maximum_risk(figures.risk).0,
        figures.posterior.map(|posterior| audience.rate(posterior)).unwrap_or_default(),
        audience.count(figures.classes).text,
        audience.count(figures.records).text,
        suppressed,
    ]
}
