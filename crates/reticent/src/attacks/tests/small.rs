//! Helpers: small releases from literals, and attacks on them.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::attacks::{AttackInput, Finding, Findings, run};
use crate::data::contingency::ContingencyTable;
use crate::data::links::Links;
use crate::data::schema::Role;
use crate::data::table::Counts;
use crate::data::taxonomy::{Code, Taxonomy, Type};
use crate::error::{Error, Obstacle, Result};
use crate::ratio::Ratio;
use crate::registry::Arguments;
use crate::release::history::{History, Presentation, RecordedRelease};
use crate::release::recognise::{RecognitionInput, release};

/// Column of a small release.
#[derive(Clone)]
pub struct Col {
    name: &'static str,
    role: Role,
    values: Type,
    tree: Option<Arc<Taxonomy>>,
}

pub fn quasi(name: &'static str) -> Col {
    Col { name, role: Role::QuasiIdentifier, values: Type::Text, tree: None }
}

pub fn sensitive(name: &'static str) -> Col {
    Col { role: Role::Sensitive, ..quasi(name) }
}

pub fn other(name: &'static str) -> Col {
    Col { role: Role::Other, ..quasi(name) }
}

impl Col {
    pub fn numbers(self) -> Col {
        Col { values: Type::Number, ..self }
    }

    pub fn tree(self, indented: &str) -> Col {
        Col { tree: Some(Arc::new(Taxonomy::parse_indented(self.name, indented).expect("a tree"))), ..self }
    }
}

/// Release with the index of the combination of each row.
pub struct Small {
    pub recorded: RecordedRelease,
    pub rows: Vec<u32>,
}

/// A release with owner links, from rows such as `a, b, c`, each with its owner.
pub fn linked(number: u64, cols: &[Col], rows: &[(u128, &str)]) -> Small {
    let cells: Vec<Vec<&str>> = rows.iter().map(|(_, row)| row.split(',').map(str::trim).collect()).collect();
    let mut values: Vec<Vec<String>> = Vec::new();
    let mut codes: Vec<Vec<Code>> = Vec::new();
    for column in 0..cols.len() {
        let mut texts: Vec<String> = cells.iter().map(|row| row[column].to_owned()).collect();
        texts.sort_unstable();
        texts.dedup();
        let combination: HashMap<&str, Code> = texts.iter().map(String::as_str).zip(0..).collect();
        codes.push(cells.iter().map(|row| combination[row[column]]).collect());
        values.push(texts.clone());
    }
    let combos = ContingencyTable { codes: codes.clone(), weights: vec![1; rows.len()], owners: None }.combined();
    let combination = |row: usize| {
        let key: Vec<Code> = codes.iter().map(|codes| codes[row]).collect();
        combos.find(&key).expect("a combination") as u32
    };
    let combinations: Vec<u32> = (0..rows.len()).map(combination).collect();
    let links = Links::from_rows(
        rows.iter().zip(&combinations).map(|((person, _), combination)| (*person, *combination)).collect(),
    );
    let names = cols.iter().map(|col| col.name.to_owned()).collect();
    let columns: Vec<RecognitionInput<'_>> = cols
        .iter()
        .map(|col| RecognitionInput {
            name: col.name,
            role: col.role,
            values: col.tree.is_none().then_some(col.values),
            tree: col.tree.as_ref(),
            missing: &[],
        })
        .collect();
    let (release, _) =
        release(Counts { names, values, contingency: combos, links: None }, &columns, 0).expect("a release");
    let recorded = RecordedRelease {
        number,
        name: String::new(),
        date: "2024-01-01".to_owned(),
        recipients: vec!["public".to_owned()],
        population: false,
        presentation: Presentation::default(),
        release,
        links: Some(links),
    };
    Small { recorded, rows: combinations }
}

/// A release without owner links.
pub fn unlinked(number: u64, cols: &[Col], rows: &[&str]) -> Small {
    let rows: Vec<(u128, &str)> = rows.iter().map(|row| (0, *row)).collect();
    let mut small = linked(number, cols, &rows);
    small.recorded.links = None;
    small
}

pub fn history(releases: &[&Small]) -> History {
    History { releases: releases.iter().map(|small| small.recorded.clone()).collect(), ..History::default() }
}

/// Runs an attack with a minimum confidence and parameters.
pub fn attack(id: &str, history: &History, confidence: Ratio, arguments: &Arguments) -> Result<Findings> {
    run(id, &AttackInput { history, people: &[], confidence, rows: &[], time_varying: &[], arguments })
}

/// Findings with confidence 1.
pub fn certain(id: &str, releases: &[&Small]) -> Vec<Finding> {
    attack(id, &history(releases), Ratio::new(1, 1), &Arguments::default()).expect("findings").all
}

/// The reason why an attack cannot run.
pub fn obstacle(result: Result<Findings>) -> String {
    match result {
        Err(Error::CannotCheck(Obstacle::AttackNotRunnable { reason, .. })) => reason,
        other => panic!("not an obstacle: {other:?}"),
    }
}

/// Class, number of people and value of a finding. Asserts that the text does not contain the value.
pub fn brief(finding: &Finding) -> (String, u64, String) {
    let labels: Vec<&str> = finding.class.iter().map(|(_, label)| label.as_str()).collect();
    let value = finding.value.as_ref().map(|value| value.label.clone()).unwrap_or_default();
    assert!(value.is_empty() || !finding.text.contains(&value), "{}", finding.text);
    (labels.join("/"), finding.people, value)
}
