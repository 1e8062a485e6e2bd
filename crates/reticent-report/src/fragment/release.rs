//! The fragment of a planned or published release.

use maud::{Markup, html};
use reticent::distributions::ColumnDistribution;
use reticent::risk::{ColumnConfidence, ReleaseRisk};
use reticent::text::counted;

use super::audience::Audience;
use super::distribution::{distributions, greatest_distance};
use super::parts::{Align, Figure, Status, block, cautions, collapsed, data_list, figures, headline, table, variant};
use crate::words::list as joined_list;

/// A planned or published release.
#[derive(Debug, Clone)]
pub struct ReleaseView<'a> {
    /// Name of the release.
    pub name: &'a str,
    /// Whether the release is only planned: nothing was published.
    pub planned: bool,
    /// Recipients of the release.
    pub recipients: &'a [String],
    /// Published file; `None` for a planned release. The public variant shows only its name, without folders.
    pub file: Option<&'a str>,
    /// Algorithm.
    pub algorithm: &'a str,
    /// Loss for the purpose of the policy, from 0 to 1.
    pub loss: Option<f64>,
    /// Number of records in the data.
    pub records: u64,
    /// Number of published records.
    pub published: u64,
    /// Number of suppressed records.
    pub suppressed: u64,
    /// Number of records that are dropped because a value is missing.
    pub dropped: u64,
    /// Number of equivalence classes.
    pub classes: u64,
    /// Risk of the release, with the highest confidence of each sensitive column.
    pub risk: Option<&'a ReleaseRisk>,
    /// Metrics of information loss and utility.
    pub metrics: Vec<MetricLine<'a>>,
    /// Requirements of the policy with their outcome.
    pub statements: Vec<StatementLine<'a>>,
    /// Distributions of the columns, before and after.
    pub distributions: &'a [ColumnDistribution],
    /// Quasi-identifiers that are fully suppressed.
    pub fully_suppressed: &'a [String],
    /// Warnings for the steward.
    pub warnings: &'a [String],
    /// Notes for the reader.
    pub notes: &'a [String],
    /// What the verdict does not cover.
    pub not_established: &'a [String],
    /// Assumptions of the verdict.
    pub assumptions: &'a [String],
    /// Algorithms that were tried.
    pub tried: Vec<TriedLine<'a>>,
    /// Names of the earlier releases that the release was judged with.
    pub earlier: &'a [String],
    /// Whether to render the public variant.
    pub public: bool,
    /// Smallest count of people that the public variant shows.
    pub min_count: u64,
}

/// The value of a metric.
#[derive(Debug, Clone, Copy)]
pub struct MetricLine<'a> {
    /// Id of the metric.
    pub id: &'a str,
    /// Value of the metric.
    pub value: f64,
    /// Explanation of the value.
    pub reading: &'a str,
}

/// A requirement with its outcome.
#[derive(Debug, Clone, Copy)]
pub struct StatementLine<'a> {
    /// Requirement in words.
    pub text: &'a str,
    /// Outcome of judging it.
    pub outcome: StatementOutcome,
}

/// Outcome of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementOutcome {
    /// It was judged and holds.
    Holds,
    /// It was judged and is violated.
    Violated,
    /// It does not apply to the release.
    NotApplicable,
    /// It was not judged, because the policy switches it off.
    Skipped,
}

impl StatementOutcome {
    fn word(self) -> &'static str {
        match self {
            StatementOutcome::Holds => "holds",
            StatementOutcome::Violated => "violated",
            StatementOutcome::NotApplicable => "not applicable",
            StatementOutcome::Skipped => "skipped",
        }
    }
}

/// An algorithm that was tried.
#[derive(Debug, Clone, Copy)]
pub struct TriedLine<'a> {
    /// Id of the algorithm.
    pub algorithm: &'a str,
    /// Loss of its release; `None` if it found none.
    pub loss: Option<f64>,
    /// Code of the refusal, if it found no release.
    pub refused: Option<&'a str>,
}

/// Renders a planned or published release as a fragment.
pub fn release_fragment(view: &ReleaseView) -> String {
    let audience = Audience::new(view.public, view.min_count, view.published);
    let body = html! {
        (verdict(view))
        (figures(&release_figures(view, &audience)))
        (cautions(&audience, &[("Not established", view.not_established), ("Warning", view.warnings)]))
        (block("Distributions before and after", &distributions(view.distributions, &audience)))
        (collapsed("Requirements", &statements(&view.statements)))
        (collapsed("Confidence of inferring sensitive values", &confidence_table(view.risk, &audience)))
        (collapsed("Metrics", &metric_table(view, &audience)))
        (collapsed("Tried algorithms", &tried_table(view, &audience)))
        (collapsed("Assumptions", &data_list(&audience, view.assumptions)))
        @if !view.public { (collapsed("Notes", &data_list(&audience, view.notes))) }
    };
    variant("release", &audience, &body)
}

fn verdict(view: &ReleaseView) -> Markup {
    let (status, text) = judged(&view.statements, view.not_established);
    let kicker = format!("{} release {}", if view.planned { "Planned" } else { "Published" }, view.name);
    headline(status, &kicker, &text, &facts(view))
}

/// Returns the verdict on the judged requirements. It is never favourable if something is not established.
pub(super) fn judged(statements: &[StatementLine], not_established: &[String]) -> (Status, String) {
    let number = |outcome| statements.iter().filter(|statement| statement.outcome == outcome).count();
    let (holds, violated) = (number(StatementOutcome::Holds), number(StatementOutcome::Violated));
    match (holds + violated, violated) {
        (judged, 1..) => (Status::Violated, format!("The release violates {violated} of {}", judged_text(judged))),
        (0, _) => (Status::Open, "No requirement was judged".to_owned()),
        (_, 0) if !not_established.is_empty() => {
            (Status::Open, "No violation was found, but not everything is established".to_owned())
        }
        (1, 0) => (Status::Holds, "The judged requirement holds".to_owned()),
        (judged, 0) => (Status::Holds, format!("{judged} of {} hold", judged_text(judged))),
    }
}

fn judged_text(number: usize) -> String {
    counted(number as u64, "judged requirement")
}

fn facts(view: &ReleaseView) -> Vec<Markup> {
    let file = view.file.map(|file| match view.public {
        true => file.rsplit(['/', '\\']).next().unwrap_or(file),
        false => file,
    });
    let mut facts = vec![html! {
        "Algorithm " code { (view.algorithm) }
        @if !view.recipients.is_empty() { "; for " (joined_list(view.recipients)) }
        @if let Some(file) = file { "; file " code { (file) } }
    }];
    if !view.earlier.is_empty() {
        facts.push(html! { "Judged together with " (joined_list(view.earlier)) });
    }
    if !view.fully_suppressed.is_empty() {
        facts.push(html! { "Fully suppressed (" code { "*" } "): " (joined_list(view.fully_suppressed)) });
    }
    if view.planned {
        facts.push(html! { "Nothing was published." });
    }
    facts
}

fn release_figures(view: &ReleaseView, audience: &Audience) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    figures.extend(
        view.loss.map(|loss| Figure::new("Loss", audience.loss(loss), "0: unchanged; 100\u{a0}%: fully suppressed")),
    );
    let dropped = match view.dropped {
        0 => String::new(),
        dropped => format!("{} dropped for a missing value", audience.count(dropped).text),
    };
    let of = format!("of {} in the data", audience.count(view.records).text);
    figures.push(Figure::new("Published records", audience.count(view.published).text, of));
    figures.push(Figure::new("Suppressed records", audience.count(view.suppressed).text, dropped));
    figures.push(Figure::new("Equivalence classes", audience.count(view.classes).text, ""));
    if let Some(risk) = view.risk {
        let (highest, is_high) = audience.maximum_risk(risk.highest_risk);
        figures.push(Figure::new("Smallest class", audience.count(risk.smallest_class).text, "people"));
        let average = format!("average: {}", audience.rate(risk.average_risk));
        figures.push(Figure::new("Highest prosecutor risk", highest, average).loud(is_high));
        let worst = risk.confidence.iter().max_by(|one, two| one.highest.total_cmp(&two.highest));
        figures.extend(worst.map(|worst| {
            Figure::new("Highest confidence", audience.confidence(worst.highest), audience.of_column(&worst.column))
                .loud(worst.highest >= 1.0)
        }));
    }
    figures.extend(
        greatest_distance(view.distributions, audience)
            .map(|(distance, column)| Figure::new("Greatest distance", distance, column)),
    );
    figures
}

pub(super) fn statements(statements: &[StatementLine]) -> Markup {
    let row = |statement: &StatementLine| vec![statement.outcome.word().to_owned(), statement.text.to_owned()];
    table(&[("outcome", Align::Text), ("requirement", Align::Text)], &statements.iter().map(row).collect::<Vec<_>>())
}

fn confidence_table(risk: Option<&ReleaseRisk>, audience: &Audience) -> Markup {
    let columns = risk.map_or(&[][..], |risk| &risk.confidence);
    let row = |column: &ColumnConfidence| vec![column.column.clone(), audience.confidence(column.highest)];
    let heads = [("sensitive attribute", Align::Text), ("highest confidence in a class", Align::Number)];
    table(&heads, &columns.iter().map(row).collect::<Vec<_>>())
}

fn metric_table(view: &ReleaseView, audience: &Audience) -> Markup {
    // A reading can state the value in other words, such as a mean per record.
    let reading = |metric: &MetricLine| if audience.is_public() { String::new() } else { metric.reading.to_owned() };
    let row = |metric: &MetricLine| vec![metric.id.to_owned(), audience.metric(metric.value), reading(metric)];
    let heads = [("metric", Align::Text), ("value", Align::Number), ("reading", Align::Text)];
    table(&heads, &view.metrics.iter().map(row).collect::<Vec<_>>())
}

fn tried_table(view: &ReleaseView, audience: &Audience) -> Markup {
    let row = |tried: &TriedLine| {
        let loss = tried.loss.map_or_else(String::new, |loss| audience.loss(loss));
        let remark = tried.refused.map_or_else(String::new, |code| format!("refused: {code}"));
        vec![tried.algorithm.to_owned(), loss, remark]
    };
    let heads = [("algorithm", Align::Text), ("loss", Align::Number), ("remark", Align::Text)];
    table(&heads, &view.tried.iter().map(row).collect::<Vec<_>>())
}
