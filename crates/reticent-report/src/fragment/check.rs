//! The fragment of a check: the risk of the unprotected data, and its violations of the requirements.

use maud::{Markup, html};
use reticent::Role;
use reticent::risk::{ClassSizeBin, Risk, SensitiveRisk};
use reticent::text::{counted, format_count};

use super::audience::Audience;
use super::charts::{Bar, columns};
use super::parts::{
    Align, Figure, Status, block, cautions, collapsed, data_list, figures, headline, list, table, variant,
};

/// The result of a check.
#[derive(Debug, Clone)]
pub struct CheckView<'a> {
    /// Name of the data set.
    pub dataset: &'a str,
    /// Requirements of the policy, in words.
    pub requirements: &'a [String],
    /// Columns of the policy.
    pub columns: Vec<CheckedColumn<'a>>,
    /// Risk of the unprotected data; `None` if only the policy was checked.
    pub risk: Option<&'a Risk>,
    /// People by size of their equivalence class.
    pub class_sizes: &'a [ClassSizeBin],
    /// Result of each model.
    pub models: Vec<CheckedModel<'a>>,
    /// A few quasi-identifiers that distinguish nearly as many records as all of them.
    pub minimal_quasi_identifier: &'a [String],
    /// Models that no release of the data can satisfy, in words.
    pub unreachable: &'a [String],
    /// Warnings for the steward.
    pub warnings: &'a [String],
    /// Notes for the reader.
    pub notes: &'a [String],
    /// Whether to render the public variant.
    pub public: bool,
    /// Smallest count of people that the public variant shows.
    pub min_count: u64,
}

/// A column with its role.
#[derive(Debug, Clone, Copy)]
pub struct CheckedColumn<'a> {
    /// Name of the column.
    pub name: &'a str,
    /// Role of the column.
    pub role: Role,
}

/// Result of a model on the unprotected data.
#[derive(Debug, Clone, Copy)]
pub struct CheckedModel<'a> {
    /// Model with its parameters.
    pub title: &'a str,
    /// Whether the data satisfies the model.
    pub holds: bool,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Number of violating classes.
    pub violating_classes: u64,
    /// Number of people in violating classes.
    pub people_in_violating_classes: u64,
}

/// Renders the result of a check as a fragment.
pub fn check_fragment(view: &CheckView) -> String {
    let people = view.risk.map_or(0, |risk| risk.people);
    let audience = Audience::new(view.public, view.min_count, people);
    let body = html! {
        (verdict(view))
        @if let Some(risk) = view.risk { (figures(&risk_figures(risk, &audience))) }
        (cautions(&audience, &[("Cannot be met", view.unreachable), ("Warning", view.warnings)]))
        (block("People by size of their equivalence class", &class_size_chart(view, &audience)))
        @if let Some(risk) = view.risk { (block("Sensitive attributes", &sensitive_table(&risk.sensitive, &audience))) }
        (collapsed("Requirements", &requirements(view, &audience)))
        (collapsed("Columns", &column_table(view)))
        @if !view.public { (collapsed("Notes", &data_list(&audience, view.notes))) }
    };
    variant("check", &audience, &body)
}

fn verdict(view: &CheckView) -> Markup {
    let violated = view.models.iter().filter(|model| !model.holds).count();
    let all = counted(view.models.len() as u64, "requirement");
    let (status, text) = match (view.models.len(), violated) {
        (0, _) => (Status::Open, "No requirement was checked on the data".to_owned()),
        (1, 0) => (Status::Holds, "The unprotected data satisfies the requirement".to_owned()),
        (_, 0) => (Status::Holds, format!("The unprotected data satisfies {} of {all}", view.models.len())),
        (_, violated) => (Status::Violated, format!("The unprotected data violates {violated} of {all}")),
    };
    let minimal = match view.minimal_quasi_identifier {
        [] => Vec::new(),
        columns => vec![html! {
            "Columns that distinguish nearly as many records as all quasi-identifiers: "
            @for (at, column) in columns.iter().enumerate() { @if at > 0 { ", " } code { (column) } }
        }],
    };
    headline(status, &format!("Check of {}", view.dataset), &text, &minimal)
}

fn risk_figures(risk: &Risk, audience: &Audience) -> Vec<Figure> {
    let (highest, is_high) = audience.maximum_risk(risk.highest_risk);
    let mut figures = vec![
        Figure::new("People", audience.count(risk.people).text, records_note(risk, audience)),
        Figure::new("Equivalence classes", audience.count(risk.classes).text, ""),
        Figure::new("Smallest class", audience.count(risk.smallest_class).text, "people"),
        Figure::new("Sample unique people", audience.count(risk.sample_unique).text, "singled out (k = 1)")
            .loud(risk.sample_unique > 0),
        Figure::new("Highest prosecutor risk", highest, "").loud(is_high),
        Figure::new("Average prosecutor risk", audience.rate(risk.average_risk), ""),
    ];
    let riskiest = risk.sensitive.iter().max_by(|one, two| one.confidence.total_cmp(&two.confidence));
    figures.extend(riskiest.map(|column| {
        Figure::new("Maximum confidence", audience.confidence(column.confidence), audience.of_column(&column.column))
            .loud(column.confidence >= 1.0)
    }));
    figures
}

fn records_note(risk: &Risk, audience: &Audience) -> String {
    match risk.records == risk.people {
        true => String::new(),
        false => format!("with {} records", audience.count(risk.records).text),
    }
}

/// Draws the people by class size. The public variant draws nested counts, so that counts do not add up to a total.
fn class_size_chart(view: &CheckView, audience: &Audience) -> Markup {
    let people: u64 = view.class_sizes.iter().map(|bin| bin.people).sum();
    if people == 0 || audience.count(people).text == "some" {
        return html! {};
    }
    let mut sum = 0;
    let bars: Vec<Bar> = view
        .class_sizes
        .iter()
        .map(|bin| {
            sum += bin.people;
            let (label, number) = match (audience.is_public(), bin.to) {
                (true, Some(to)) => (format!("\u{2264} {to}"), sum),
                (true, None) => ("all".to_owned(), sum),
                (false, Some(to)) if to == bin.from => (to.to_string(), bin.people),
                (false, Some(to)) => (format!("{}\u{2013}{to}", bin.from), bin.people),
                (false, None) => (format!("{}+", bin.from), bin.people),
            };
            let count = audience.count(number);
            let title = match audience.is_public() {
                true => format!("class size {label}: {}", count.people_text()),
                false => format!("class size {label}: {} in {}", count.people_text(), classes(bin.classes)),
            };
            let text = if count.is_zero() { String::new() } else { short(&count.text) };
            Bar { label, text, title, height: count.drawn as f64, loud: bin.from == 1 }
        })
        .collect();
    html! {
        (columns("Number of people by size of their equivalence class", &bars))
        p.axis { "class size" @if audience.is_public() { "; each bar includes the bars to its left" } }
    }
}

/// Shortens a rounded count for a bar.
fn short(count: &str) -> String {
    count.replace("fewer than ", "<").replace("at least ", "\u{2265}")
}

fn classes(number: u64) -> String {
    if number == 1 { "1 class".to_owned() } else { format!("{} classes", format_count(number)) }
}

fn sensitive_table(columns: &[SensitiveRisk], audience: &Audience) -> Markup {
    let heads = [
        ("column", Align::Text),
        ("maximum confidence", Align::Number),
        ("fewest distinct values", Align::Number),
        ("closeness (t)", Align::Number),
        ("people in classes with one value", Align::Number),
    ];
    let row = |column: &SensitiveRisk| {
        vec![
            column.column.clone(),
            audience.confidence(column.confidence),
            format_count(column.distinct),
            audience.closeness(column.closeness),
            audience.count(column.certain).text,
        ]
    };
    html! {
        (table(&heads, &columns.iter().map(row).collect::<Vec<_>>()))
        @if !columns.is_empty() {
            p.quiet { "Confidence and distinct values: the worst of all classes. Closeness: greatest distance of a class from all data." }
        }
    }
}

fn requirements(view: &CheckView, audience: &Audience) -> Markup {
    let heads = [
        ("requirement", Align::Text),
        ("unprotected data", Align::Text),
        ("classes", Align::Number),
        ("violating classes", Align::Number),
        ("people in them", Align::Number),
    ];
    let row = |model: &CheckedModel| {
        let numbers = [model.classes, model.violating_classes, model.people_in_violating_classes];
        let texts = [model.title.to_owned(), if model.holds { "satisfied" } else { "violated" }.to_owned()];
        texts.into_iter().chain(numbers.map(|number| audience.count(number).text)).collect()
    };
    html! {
        (list(view.requirements))
        (table(&heads, &view.models.iter().map(row).collect::<Vec<Vec<String>>>()))
    }
}

fn column_table(view: &CheckView) -> Markup {
    let row = |column: &CheckedColumn| vec![column.name.to_owned(), column.role.word().to_owned()];
    table(&[("column", Align::Text), ("role", Align::Text)], &view.columns.iter().map(row).collect::<Vec<_>>())
}
