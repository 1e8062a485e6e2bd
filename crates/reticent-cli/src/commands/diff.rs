//! `reticent diff`: compares two releases.

use reticent_app::answer::{Changes, ColumnDiff, DiffAnswer, DiffSide, RoleChange};

use crate::args;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, count, people, plural, role, shown};

/// Compares two releases.
pub fn run(options: &args::Diff, console: &Console) -> Result<u8, Error> {
    let answer = options.place.workspace().diff(&options.from, &options.to, &console.context)?;
    console.answer(&answer, print)?;
    Ok(0)
}

fn print(answer: &DiffAnswer) {
    let describe = |side: &DiffSide| {
        format!(
            "{} {} ({}, to {}, {})",
            side.number,
            side.name,
            side.date,
            side.recipients.join(", "),
            plural(side.records, "record")
        )
    };
    println!("{HEAD}from{HEAD:#} {}", describe(&answer.from));
    println!("{HEAD}to{HEAD:#}   {}", describe(&answer.to));
    answer.columns_removed.iter().for_each(|name| println!("  {BAD}-{BAD:#} column {name}"));
    answer.columns_added.iter().for_each(|name| println!("  {GOOD}+{GOOD:#} column {name}"));
    for column in &answer.columns {
        print_column(column);
    }
    match &answer.records {
        Some(Changes { removed, kept, added }) => println!(
            "  records, by common columns: {} only in the first, {} in both, {} only in the second",
            count(*removed),
            count(*kept),
            count(*added)
        ),
        None => println!("  no common columns"),
    }
    match &answer.people {
        Some(Changes { removed, kept, added }) => {
            println!(
                "  {} only in the first, {} in both, {} only in the second",
                people(*removed),
                count(*kept),
                count(*added)
            );
        }
        None => println!("  {HINT}people cannot be compared: owner links under the same key are missing{HINT:#}"),
    }
}

fn print_column(column: &ColumnDiff) {
    if let Some(RoleChange { from, to }) = &column.roles {
        println!("    {}: {} in the first, {} in the second", column.name, role(*from), role(*to));
    }
    if column.values_removed + column.values_added == 0 {
        return;
    }
    println!(
        "    {}: {} values removed, {} added",
        column.name,
        count(column.values_removed),
        count(column.values_added)
    );
    let some = |values: &[String]| {
        let first: Vec<&str> = values.iter().take(8).map(|value| shown(value)).collect();
        format!("{}{}", first.join(" | "), if values.len() > 8 { " | ..." } else { "" })
    };
    if !column.cut_removed.is_empty() {
        println!("      {BAD}-{BAD:#} {}", some(&column.cut_removed));
    }
    if !column.cut_added.is_empty() {
        println!("      {GOOD}+{GOOD:#} {}", some(&column.cut_added));
    }
}
