//! Benchmark of the optimal full-domain search on the Adult data: `lattice_speed FOLDER [METRIC [CASES]]`. The folder
//! contains `adult/adult.data` and `taxonomies/*.csv`.

use std::collections::HashMap;
use std::time::Instant;

use reticent::algorithms::{Control, RecodingTask, Suppression, run};
use reticent::contingency::{ContingencyTable, combine};
use reticent::registry::{Argument, Arguments};
use reticent::requirement::{ModelSpec, Requirement};
use reticent::taxonomy::{IntervalLevel, Taxonomy, Type};
use reticent::{Attribute, Counts, History, Missing, Ratio, Role, Schema, Table, TreeSource};

type Failure = Box<dyn std::error::Error>;

/// Name, index in the file, role.
const COLUMNS: &[(&str, usize, Role)] = &[
    ("age", 0, Role::QuasiIdentifier),
    ("workclass", 1, Role::QuasiIdentifier),
    ("education", 3, Role::QuasiIdentifier),
    ("marital-status", 5, Role::QuasiIdentifier),
    ("occupation", 6, Role::QuasiIdentifier),
    ("relationship", 7, Role::QuasiIdentifier),
    ("race", 8, Role::QuasiIdentifier),
    ("sex", 9, Role::QuasiIdentifier),
    ("native-country", 13, Role::QuasiIdentifier),
    ("class", 14, Role::Sensitive),
    ("hours-per-week", 12, Role::Sensitive),
];

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("the first argument is the folder with the data")?;
    let metric = std::env::args().nth(2).unwrap_or_else(|| "gcp".to_owned());
    let schema = schema(&folder)?;
    let table = Table::build(&counts(&folder)?, &schema)?;
    let k = |k: f64| spec("k-anonymity", Arguments::default().set("k", Argument::Number(k)));
    let hours = || Arguments::default().set("sensitive", Argument::Word("hours-per-week".to_owned()));
    let distinct = spec("distinct-l-diversity", hours().set("l", Argument::Number(3.0)));
    let (c, l) = (Argument::Number(4.0), Argument::Number(3.0));
    let recursive = spec("recursive-cl-diversity", hours().set("c", c).set("l", l));
    let close = spec("t-closeness", hours().set("t", Argument::Number(0.2)));
    let cases = [
        ("k=5", vec![k(5.0)], 0),
        ("k=5", vec![k(5.0)], 5),
        ("k=5, distinct l=3", vec![k(5.0), distinct], 5),
        ("k=5, recursive (4,3)", vec![k(5.0), recursive], 5),
        ("k=5, t=0.2", vec![k(5.0), close], 5),
    ];
    let count = std::env::args().nth(3).map_or(Ok(cases.len()), |text| text.parse())?;
    for (title, specs, percent) in &cases[..count.min(cases.len())] {
        measure(&table, &schema, &metric, title, specs, *percent)?;
    }
    Ok(())
}

fn spec(model: &str, arguments: Arguments) -> ModelSpec {
    ModelSpec { model: model.to_owned(), arguments, line: None }
}

fn measure(
    table: &Table,
    schema: &Schema,
    metric: &str,
    title: &str,
    specs: &[ModelSpec],
    percent: u64,
) -> Result<(), Failure> {
    let requirement = Requirement::build(specs, schema)?;
    let suppression = Suppression { limit: Ratio::new(percent, 100), cells: false };
    let history = History::default();
    let task = RecodingTask { suppression, ..RecodingTask::new(table, &history, &requirement) };
    let arguments = Arguments::default().set("metric", Argument::Word(metric.to_owned()));
    let begin = Instant::now();
    let outcome = run("optimal-full-domain", &task, arguments, &Control::QUIET);
    println!("{title}, {percent} %: {:.3} s", begin.elapsed().as_secs_f64());
    match outcome {
        Ok(outcome) => println!("  {}", outcome.notes.join("\n  ")),
        Err(error) => println!("  {error}"),
    }
    Ok(())
}

fn schema(folder: &str) -> Result<Schema, Failure> {
    let mut attributes = Vec::new();
    for (name, _, role) in COLUMNS {
        let (values, tree) = match (*name, role) {
            ("age", _) => {
                let levels = [5.0, 10.0, 20.0, 40.0].map(IntervalLevel::Width).to_vec();
                (Type::Number, TreeSource::Intervals { levels, exact: true })
            }
            (name, Role::QuasiIdentifier) => {
                let text = std::fs::read_to_string(format!("{folder}/taxonomies/{name}.csv"))?;
                (Type::Text, TreeSource::Given(Taxonomy::parse(name, &text)?))
            }
            _ => (Type::Text, TreeSource::Flat),
        };
        attributes.push(Attribute { name: (*name).to_owned(), role: *role, values, missing: Missing::Drop, tree });
    }
    Ok(Schema { attributes, owner: None, missing_values: vec!["?".to_owned()] })
}

/// Counts the records without a missing value in any column of the file.
fn counts(folder: &str) -> Result<Counts, Failure> {
    let text = std::fs::read_to_string(format!("{folder}/adult/adult.data"))?;
    let mut values: Vec<Vec<String>> = vec![Vec::new(); COLUMNS.len()];
    let mut known: Vec<HashMap<String, u32>> = vec![HashMap::new(); COLUMNS.len()];
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); COLUMNS.len()];
    for line in text.lines() {
        let record: Vec<&str> = line.split(',').map(str::trim).collect();
        if record.len() < 15 || record.contains(&"?") {
            continue;
        }
        for (at, (_, index, _)) in COLUMNS.iter().enumerate() {
            let next = values[at].len() as u32;
            let code = *known[at].entry(record[*index].to_owned()).or_insert(next);
            if code == next {
                values[at].push(record[*index].to_owned());
            }
            codes[at].push(code);
        }
    }
    let views: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
    let contingency: ContingencyTable = combine(&views, &vec![1; codes[0].len()], None);
    Ok(Counts {
        names: COLUMNS.iter().map(|(name, ..)| (*name).to_owned()).collect(),
        values,
        contingency,
        links: None,
    })
}
