//! Small releases from literals, and attacks run on them.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::attacks::{Finding, Findings, Scene, run};
use crate::combos::Combos;
use crate::error::{Error, Obstacle, Result};
use crate::history::{Disguise, Held, History};
use crate::links::Links;
use crate::recognise::{Told, release};
use crate::registry::Arguments;
use crate::schema::Role;
use crate::share::Share;
use crate::table::Counts;
use crate::taxonomy::{Code, Taxonomy, Type};

/// A column of a small release.
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

/// A release, and the combination of each of its rows.
pub struct Small {
    pub held: Held,
    pub rows: Vec<u32>,
}

/// Rows written as `a, b, c`, each with the person it is about.
pub fn linked(number: u64, cols: &[Col], rows: &[(u128, &str)]) -> Small {
    let cells: Vec<Vec<&str>> = rows.iter().map(|(_, row)| row.split(',').map(str::trim).collect()).collect();
    let mut values: Vec<Vec<String>> = Vec::new();
    let mut codes: Vec<Vec<Code>> = Vec::new();
    for column in 0..cols.len() {
        let mut texts: Vec<String> = cells.iter().map(|row| row[column].to_owned()).collect();
        texts.sort_unstable();
        texts.dedup();
        let place: HashMap<&str, Code> = texts.iter().map(String::as_str).zip(0..).collect();
        codes.push(cells.iter().map(|row| place[row[column]]).collect());
        values.push(texts.clone());
    }
    let combos = Combos { codes: codes.clone(), weights: vec![1; rows.len()], owners: None }.combined();
    let place = |row: usize| {
        let key: Vec<Code> = codes.iter().map(|codes| codes[row]).collect();
        combos.find(&key).expect("a combination") as u32
    };
    let places: Vec<u32> = (0..rows.len()).map(place).collect();
    let links = Links::collect(rows.iter().zip(&places).map(|((person, _), place)| (*person, *place)).collect());
    let names = cols.iter().map(|col| col.name.to_owned()).collect();
    let told: Vec<Told<'_>> = cols
        .iter()
        .map(|col| Told {
            name: col.name,
            role: col.role,
            values: col.tree.is_none().then_some(col.values),
            tree: col.tree.as_ref(),
            missing: &[],
        })
        .collect();
    let (release, _) = release(Counts { names, values, combos, links: None }, &told, 0).expect("a release");
    let held = Held {
        number,
        name: String::new(),
        date: "2024-01-01".to_owned(),
        recipients: vec!["public".to_owned()],
        disguise: Disguise::default(),
        release,
        links: Some(links),
    };
    Small { held, rows: places }
}

/// The same with nobody behind the rows.
pub fn unlinked(number: u64, cols: &[Col], rows: &[&str]) -> Small {
    let rows: Vec<(u128, &str)> = rows.iter().map(|row| (0, *row)).collect();
    let mut small = linked(number, cols, &rows);
    small.held.links = None;
    small
}

pub fn history(releases: &[&Small]) -> History {
    History { releases: releases.iter().map(|small| small.held.clone()).collect(), lost: Vec::new() }
}

/// Runs an attack with this least confidence and these parameters.
pub fn attack(id: &str, history: &History, confidence: Share, arguments: &Arguments) -> Result<Findings> {
    run(id, &Scene { history, people: &[], confidence, rows: &[], varies: &[], arguments })
}

/// What is certain.
pub fn certain(id: &str, releases: &[&Small]) -> Vec<Finding> {
    attack(id, &history(releases), Share::new(1, 1), &Arguments::default()).expect("findings").all
}

/// Why an attack cannot be run.
pub fn obstacle(result: Result<Findings>) -> String {
    match result {
        Err(Error::CannotCheck(Obstacle::AttackNotRunnable { reason, .. })) => reason,
        other => panic!("not an obstacle: {other:?}"),
    }
}

/// The texts that name the class of a finding, people, and the value.
pub fn brief(finding: &Finding) -> (String, u64, String) {
    let labels: Vec<&str> = finding.class.iter().map(|(_, label)| label.as_str()).collect();
    let value = finding.value.as_ref().map(|value| value.label.clone()).unwrap_or_default();
    assert!(value.is_empty() || !finding.words.contains(&value), "{}", finding.words);
    (labels.join("/"), finding.people, value)
}
