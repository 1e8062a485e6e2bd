//! Tables of counts.

use maud::{Markup, html};

use crate::view::Findings;
use crate::words::percent;

/// Renders the figures of every sensitive column, if there are several.
pub fn by_column(findings: &Findings) -> Markup {
    if findings.columns.len() < 2 {
        return html! {};
    }
    let has_threshold = findings.columns.iter().any(|column| column.threshold.is_some());
    let heads: &[&str] = match has_threshold {
        true => &[
            "people",
            "value certain",
            "threshold",
            "above the threshold",
            "above or not ruled out",
            "maximum posterior",
        ],
        false => &["people", "value certain", "maximum posterior"],
    };
    let rows = html! {
        @for column in &findings.columns {
            @let now = &column.now;
            @let threshold = column.threshold.map_or_else(|| "–".to_owned(), percent);
            @let above = match has_threshold {
                true => vec![threshold.as_str(), &now.above.text, &now.may_be_above.text],
                false => Vec::new(),
            };
            @let cells = [vec![now.people.text.as_str(), &now.certain.text], above, vec![&column.max_posterior.text]].concat();
            (row(column.name, heads, &cells))
        }
    };
    table("Number of people by sensitive attribute, and maximum posterior", "sensitive attribute", heads, rows)
}

/// Renders a row: its head, and one cell for each column head.
pub fn row(name: &str, heads: &[&str], cells: &[&str]) -> Markup {
    html! {
        tr {
            th scope="row" { (name) }
            @for (head, cell) in heads.iter().zip(cells) { td.number data-head=(head) { (cell) } }
        }
    }
}

/// Renders a table with a caption. `first` is the head of the first column, `heads` are the heads of the numbers.
pub fn table(caption: &str, first: &str, heads: &[&str], rows: Markup) -> Markup {
    html! {
        div.scroll {
            table {
                caption { (caption) }
                thead {
                    tr {
                        th scope="col" { (first) }
                        @for head in heads { th.number scope="col" { (head) } }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}

/// Renders the table of a chart, collapsed by default.
pub fn numbers(table: Markup) -> Markup {
    html! { details.numbers { summary { "Chart data" } (table) } }
}
