//! `reticent diff`: what changed between two releases.

use reticent_app::answer::{ColumnDiff, Diff, DiffSide, InOut, RoleChange};

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

fn print(answer: &Diff) {
    let told = |side: &DiffSide| {
        format!(
            "{} {} ({}, to {}, {})",
            side.number,
            side.name,
            side.date,
            side.recipients.join(", "),
            plural(side.records, "record")
        )
    };
    println!("{HEAD}from{HEAD:#} {}", told(&answer.from));
    println!("{HEAD}to{HEAD:#}   {}", told(&answer.to));
    answer.columns_out.iter().for_each(|name| println!("  {BAD}-{BAD:#} column {name}"));
    answer.columns_in.iter().for_each(|name| println!("  {GOOD}+{GOOD:#} column {name}"));
    for column in &answer.columns {
        print_column(column);
    }
    match &answer.records {
        Some(InOut { out, stayed, came }) => println!(
            "  records, by the columns that both have: {} only in the first, {} in both, {} only in the second",
            count(*out),
            count(*stayed),
            count(*came)
        ),
        None => println!("  they share no column"),
    }
    match &answer.people {
        Some(InOut { out, stayed, came }) => {
            println!(
                "  {} only in the first, {} in both, {} only in the second",
                people(*out),
                count(*stayed),
                count(*came)
            );
        }
        None => println!("  {HINT}people cannot be compared: not both have owner links under one key{HINT:#}"),
    }
}

fn print_column(column: &ColumnDiff) {
    if let Some(RoleChange { from, to }) = &column.roles {
        println!("    {}: {} in the first, {} in the second", column.name, role(*from), role(*to));
    }
    if column.values_out + column.values_in == 0 {
        return;
    }
    println!("    {}: {} values out, {} in", column.name, count(column.values_out), count(column.values_in));
    let some = |values: &[String]| {
        let first: Vec<&str> = values.iter().take(8).map(|value| shown(value)).collect();
        format!("{}{}", first.join(" | "), if values.len() > 8 { " | ..." } else { "" })
    };
    if !column.cut_out.is_empty() {
        println!("      {BAD}-{BAD:#} {}", some(&column.cut_out));
    }
    if !column.cut_in.is_empty() {
        println!("      {GOOD}+{GOOD:#} {}", some(&column.cut_in));
    }
}
