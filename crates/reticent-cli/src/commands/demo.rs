//! `reticent demo`: why releases must be checked together, on one screen.

use std::path::Path;

use reticent_app::answer::{DemoAnswer, DemoRefusal, DemoSeries, Publication};
use reticent_app::{DEMO_REPORT, demo};

use crate::args::Demo;
use crate::console::Console;
use crate::error::Error;
use crate::terminal::{BAD, GOOD, HEAD, HINT, WIDTH, bar, count, plural, ratio, wrap};

/// Publishes the example data in a temporary folder, or in the folder to keep.
pub fn run(options: &Demo, console: &Console) -> Result<u8, Error> {
    let temporary = tempfile::tempdir().map_err(Error::file("create", std::env::temp_dir()))?;
    let folder = match &options.keep {
        Some(keep) => {
            if keep.exists() {
                return Err(Error::Usage(format!(
                    "--keep {}: the folder exists already; name another one",
                    keep.display()
                )));
            }
            std::fs::create_dir(keep).map_err(Error::file("create the folder", keep))?;
            keep.as_path()
        }
        None => temporary.path(),
    };
    let answer = demo(folder, &console.context)?;
    console.answer(&answer, |answer| print(answer, options.keep.as_deref()))?;
    Ok(u8::from(!answer.holds()))
}

fn print(answer: &DemoAnswer, keep: Option<&Path>) {
    println!("{HEAD}1. Two monthly releases, each safe alone{HEAD:#}");
    text("A hospital publishes its patients in January and February. Each group has 3 diagnoses.");
    answer.separate.releases.iter().for_each(print_release);

    println!("\n{HEAD}2. Both releases together{HEAD:#}");
    text("A recipient of both intersects each patient's two groups. Few diagnoses remain.");
    print_audit(&answer.separate);
    print_example(&answer.separate);

    println!("\n{HEAD}3. The same two months, published by Reticent{HEAD:#}");
    text("The ledger records what January disclosed. February is made safe given January (m-invariance).");
    answer.protected.releases.iter().for_each(print_release);
    print_audit(&answer.protected);

    if let Some(refusal) = &answer.other {
        println!("\n{HEAD}4. Another recipient{HEAD:#}");
        print_refusal(refusal);
    }
    println!();
    match keep {
        Some(folder) => {
            let folder = folder.display();
            println!("Files: {folder} (data, policies, releases, ledgers)");
            println!(
                "Disclosure risk report of step 2: {folder}/alone-{DEMO_REPORT}, of step 3: {folder}/{DEMO_REPORT}"
            );
        }
        None => println!("{HINT}Keep the files and the reports: reticent demo --keep DIR{HINT:#}"),
    }
    println!("Next: {GOOD}reticent init YOUR_DATA.csv{GOOD:#}");
}

fn text(line: &str) {
    println!("{}", wrap(line, WIDTH, "   "));
}

/// One release: records, and the highest posterior that its own check allowed.
fn print_release(release: &Publication) {
    let Publication::Grouped(release) = release else { return };
    let highest = release.audited.columns.iter().map(|column| column.upper).fold(0.0, f64::max);
    let mut records = vec![plural(release.published, "record")];
    let postponed: u64 = release.postponed.iter().map(|postponed| postponed.records).sum();
    if postponed > 0 {
        records.push(format!("{} postponed", count(postponed)));
    }
    if release.counterfeits > 0 {
        records.push(format!("{} counterfeit", count(release.counterfeits)));
    }
    println!(
        "     {:<9} {GOOD}meets{GOOD:#}  posterior of a diagnosis at most {}; {}",
        release.name,
        ratio(highest),
        records.join(", ")
    );
}

/// People whose diagnosis is certain, and above the threshold.
fn print_audit(series: &DemoSeries) {
    for column in series.audit.coalitions.iter().flat_map(|coalition| &coalition.audit.columns) {
        let line = |label: &str, part: u64| {
            let style = if part > 0 { BAD } else { GOOD };
            let share = part as f64 / column.people.max(1) as f64;
            println!(
                "     {label:<24} {} {style}{} of {}{style:#} patients",
                bar(share),
                count(part),
                count(column.people)
            );
        };
        line(&format!("{} certain", column.name), column.certain);
        if let Some(threshold) = column.threshold {
            line(&format!("posterior above {}", ratio(threshold)), column.above);
            if column.may_be_above > column.above {
                println!("     not ruled out for {} more", count(column.may_be_above - column.above));
            }
        }
    }
}

/// The two groups that disclose a diagnosis.
fn print_example(series: &DemoSeries) {
    let cases = series.audit.coalitions.iter().flat_map(|coalition| &coalition.audit.worst);
    let by_both = cases.filter_map(|case| {
        let groups = &case.explanation.as_ref()?.groups;
        let certain = case.posterior.lower.value() >= 1.0;
        (certain && groups.len() == 2 && groups.iter().all(|group| group.contains_person)).then_some((case, groups))
    });
    // Groups are formed at random. The first value in the alphabet has the same two groups in every run.
    let Some((case, groups)) = by_both.min_by(|(one, _), (other, _)| one.value.cmp(&other.value)) else { return };
    let lists = groups.iter().map(|group| {
        let values: Vec<&str> = group.values.iter().map(|(value, _)| value.as_str()).collect();
        format!("{} lists {}", group.name, values.join(", "))
    });
    let groups: Vec<String> = lists.collect();
    text(&format!("Example: for one patient, {}. The {} is {}.", groups.join("; "), case.column, case.value));
}

fn print_refusal(refusal: &DemoRefusal) {
    text(
        "Researchers have sex, town and diagnosis of January's patients. An insurer asks for age and diagnosis of the same patients; the two may share their files. The limit here is 50 %.",
    );
    let error = refusal.error.strip_prefix("refused: ").unwrap_or(&refusal.error);
    let sentence = error.split(". ").next().unwrap_or(error).trim_end_matches('.');
    println!("     {BAD}refused{BAD:#}  {}", wrap(&format!("{sentence}."), WIDTH, "              ").trim_start());
    if let Some(remedy) = &refusal.checked_remedy {
        println!("     {GOOD}remedy{GOOD:#}   {remedy} (checked: meets all requirements)");
    }
}
