//! Distinct l-diversity: every class holds at least `l` different sensitive values.
//!
//! Definition  for every class x on the quasi-identifier: number of distinct sensitive values in x >= l.
//! Thwarts     attribute linkage where a class agrees on one value. One value may still be most likely by far.
//! Paper       Machanavajjhala et al., l-Diversity, ICDE 2006; survey section 2.2.1.
//! Monotone    merging adds values, it takes none away.

use super::{Judge, Judgement, Listed, Merging, Model, ON, SENSITIVE, grouping, of_sensitive, on_text, sensitive};
use crate::classes::Whole;
use crate::contract::{Breach, Reading};
use crate::error::Result;
use crate::joined::{Rule, Scope, Statement};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Schema;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "distinct-l-diversity",
        title: "distinct l-diversity",
        summary: "Every class holds at least l different sensitive values.",
        paper: "Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, l-Diversity, ICDE 2006",
        thwarts: "attribute linkage (homogeneity)",
        comparison: false,
        parameters: &[
            Parameter {
                name: "l",
                domain: Domain::Whole(1),
                default: None,
                meaning: "different sensitive values in every class",
            },
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "golden::survey::example_2_6", "laws::models"],
    },
    build,
    joined: Some(joined),
};

#[derive(Debug)]
struct DistinctDiversity {
    l: u64,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping(arguments, "on", schema)?;
    let l = arguments.whole("l")?;
    let make = |column| -> Box<dyn Model> { Box::new(DistinctDiversity { l, by: by.clone(), of: [column] }) };
    Ok(sensitive(arguments, schema)?.into_iter().map(make).collect())
}

fn joined(arguments: &Arguments, scope: &Scope, _: &Schema) -> Result<Vec<Statement>> {
    of_sensitive(arguments, scope, |_| Ok(Rule::AtLeast(arguments.whole("l")?)))
}

impl Model for DistinctDiversity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("distinct {}-diversity of {} {}", self.l, self.of[0], on_text(&self.by))
    }

    fn by(&self) -> &[String] {
        &self.by
    }

    fn of(&self) -> &[String] {
        &self.of
    }

    fn merging(&self) -> Merging {
        Merging::WithAny
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        Ok(Box::new(|group| {
            let distinct = group.counts.len();
            Judgement { holds: distinct as u64 >= self.l, safety: distinct as f64 }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{safety} different values of {}, {} needed", self.of[0], self.l)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        let mut breaches = Vec::new();
        for (class, records) in reading.classes(&self.by)? {
            let distinct = reading.people_by_value(&records, &self.of)?.len() as u64;
            if distinct < self.l {
                breaches.push(reading.breach(&self.by, &class, self.explain(distinct as f64)));
            }
        }
        Ok(breaches)
    }
}
