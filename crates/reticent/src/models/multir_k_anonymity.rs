//! MultiR k-anonymity: what an attacker knows about the records of a person is shared by at least `k` people.
//!
//! Definition  The view V(p) of a person p is the multiset of the equivalence classes of p's records. With L known records: every
//!             sub-multiset of at most L records of p is contained in the views of at least k people. With all records known:
//!             at least k people have the view V(p). L = 1 is k-anonymity. A class is violated if a set with a record of it is.
//! Protects    against record linkage if the attacker knows several records of a person, such as the wards of all stays.
//! Paper       Nergiz, Clifton and Nergiz, Multirelational k-anonymity, ICDE 2007, for all records; L known records as in k^m-anonymity,
//!             Terrovitis, Mamoulis and Kalnis, VLDB 2008.
//! Monotone    generalization keeps equal views equal and contained sets contained, so it never lowers the support of a set.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Judge, Judgement, Merging, Model, ModelDef, ON, class_size_text, grouping_columns, on_text, people_constraints,
};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::Result;
use crate::join::{Constraint, JoinScope};
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::Whole;
use crate::release::record_sets::RecordSets;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "multir-k-anonymity",
        title: "MultiR k-anonymity",
        summary: "At least k people share what an attacker knows about the records of a person: every set of at most `records` of them, \
                  or all of them.",
        paper: "Nergiz, Clifton and Nergiz, Multirelational k-anonymity, ICDE 2007",
        protects_against: "record linkage",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "k",
                domain: Domain::Whole(1),
                default: None,
                meaning: "minimum number of people who share the known records",
            },
            ParameterDef {
                name: "records",
                domain: Domain::Whole(1),
                default: Some(""),
                meaning: "number of records of a person that the attacker knows; all of them if not given",
            },
            ON,
        ],
        evidence: &["oracle::models", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

#[derive(Debug)]
struct MultiRKAnonymity {
    sets: RecordSets,
    by: Vec<String>,
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let sets = record_sets(arguments)?;
    Ok(vec![Box::new(MultiRKAnonymity { sets, by: grouping_columns(arguments, "on", schema)? })])
}

/// Returns the sets of records that checked arguments describe.
pub(super) fn record_sets(arguments: &Arguments) -> Result<RecordSets> {
    let known = arguments.optional_whole("records")?.map(|records| usize::try_from(records).unwrap_or(usize::MAX));
    Ok(RecordSets { k: arguments.whole("k")?, known })
}

/// A single known record. Sets of records over several releases are judged by the gate, with the owner links.
fn join_constraints(arguments: &Arguments, scope: &JoinScope, _: &Schema) -> Result<Vec<Constraint>> {
    Ok(people_constraints(&scope.known(arguments, "on")?, arguments.whole("k")?, scope))
}

impl Model for MultiRKAnonymity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        let known = self.sets.known.map_or("all records".to_owned(), |known| format!("{known} records"));
        format!("MultiR {}-anonymity with {known} known {}", self.sets.k, on_text(&self.by))
    }

    fn grouped_by(&self) -> &[String] {
        &self.by
    }

    fn measured(&self) -> &[String] {
        &[]
    }

    fn merging(&self) -> Merging {
        Merging::WithAny
    }

    fn judge<'a>(&'a self, _: &Whole<'_>) -> Result<Judge<'a>> {
        let k = self.sets.k;
        Ok(Box::new(move |class| Judgement { holds: class.size >= k, safety: class.size as f64 }))
    }

    fn record_sets(&self) -> Option<RecordSets> {
        Some(self.sets)
    }

    fn explain(&self, safety: f64) -> String {
        let verb = if safety == 1.0 { "shares" } else { "share" };
        format!("{} {verb} the known records, at least {} required", class_size_text(safety), self.sets.k)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        let classes: Vec<(Vec<u32>, Vec<usize>)> = reading.classes(&self.by)?.into_iter().collect();
        let mut views: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (class, (_, records)) in classes.iter().enumerate() {
            for (owner, rows) in reading.rows_by_owner(records) {
                views.entry(owner).or_default().extend(vec![class; rows]);
            }
        }
        // Without owners, every record is a person.
        let mut least: Vec<u64> = classes.iter().map(|(_, records)| reading.people(records)).collect();
        let mut people: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
        let known = |view: &[usize]| self.sets.known.map_or(view.len(), |known| known.min(view.len()));
        let sizes: BTreeSet<usize> = views.values().map(|view| known(view)).collect();
        for view in views.values() {
            let sets: BTreeSet<Vec<usize>> = match self.sets.known {
                None => [view.clone()].into(),
                Some(_) => sizes.iter().flat_map(|size| choices(view, *size)).collect(),
            };
            sets.into_iter().for_each(|set| *people.entry(set).or_default() += 1);
        }
        for view in views.values() {
            for set in choices(view, known(view)) {
                let support = people.get(&set).copied().unwrap_or(0);
                set.iter().for_each(|class| least[*class] = support.min(least[*class]));
            }
        }
        let failing = classes.iter().zip(least).filter(|(_, people)| *people < self.sets.k);
        Ok(failing
            .map(|((class, _), people)| reading.violation(&self.by, class, self.explain(people as f64)))
            .collect())
    }
}

/// Returns every choice of `size` records of a view.
fn choices(view: &[usize], size: usize) -> BTreeSet<Vec<usize>> {
    let mut sets: BTreeSet<Vec<usize>> = [Vec::new()].into();
    for (place, class) in view.iter().enumerate() {
        let left = view.len() - place - 1;
        let with = sets.iter().filter(|set| set.len() < size).map(|set| [set.as_slice(), &[*class]].concat());
        let with: Vec<Vec<usize>> = with.collect();
        sets.extend(with);
        // A set that the other records cannot complete is not needed.
        sets.retain(|set| set.len() + left >= size);
    }
    sets
}
