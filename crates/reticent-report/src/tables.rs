//! Tables of counts.

use maud::{Markup, html};

use crate::view::Findings;
use crate::words::percent;

/// The figures of every sensitive column, if there are several.
pub fn by_column(found: &Findings) -> Markup {
    if found.columns.len() < 2 {
        return html! {};
    }
    let judged = found.columns.iter().any(|column| column.threshold.is_some());
    let heads: &[&str] = match judged {
        true => &["people", "certain", "allowed", "above that", "not ruled out", "highest"],
        false => &["people", "certain", "highest"],
    };
    let rows = html! {
        @for column in &found.columns {
            @let now = &column.now;
            @let allowed = column.threshold.map_or_else(|| "–".to_owned(), percent);
            @let judged = if judged { vec![allowed.as_str(), &now.above.text, &now.may_be_above.text] } else { Vec::new() };
            @let cells = [vec![now.people.text.as_str(), &now.certain.text], judged, vec![&column.highest.text]].concat();
            (row(column.name, heads, &cells))
        }
    };
    table("Every sensitive column", "column", heads, rows)
}

/// A row: its head, and one cell for each head of a column.
pub fn row(name: &str, heads: &[&str], cells: &[&str]) -> Markup {
    html! {
        tr {
            th scope="row" { (name) }
            @for (head, cell) in heads.iter().zip(cells) { td.number data-head=(head) { (cell) } }
        }
    }
}

/// A table with a caption. `first` is the head of the first column, `heads` are those of the numbers.
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

/// The table of a chart, closed until a reader opens it.
pub fn numbers(table: Markup) -> Markup {
    html! { details.numbers { summary { "The numbers" } (table) } }
}
