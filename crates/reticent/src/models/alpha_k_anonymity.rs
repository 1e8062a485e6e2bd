//! (alpha, k)-anonymity: classes of at least `k` people, in which no sensitive value has a share above `alpha`.
//!
//! Definition  for every class x: |x| >= k and |(x, s)| / |x| <= alpha for every sensitive value s (or those named).
//! Thwarts     record linkage and attribute linkage together.
//! Paper       Wong, Li, Fu and Wang, (alpha, k)-anonymity, KDD 2006; survey section 2.2.3.
//! Monotone    both parts hold for a merged class when they hold for its parts.

use super::xy_linkability::VALUES;
use super::{
    Bounds, Judge, Judgement, Listed, Merging, Model, ON, SENSITIVE, grouping, of_people, of_sensitive, on_text,
    people_share, sensitive,
};
use crate::classes::Whole;
use crate::contract::{Breach, Reading};
use crate::error::Result;
use crate::joined::{Rule, Scope, Statement};
use crate::registry::{Arguments, Domain, Entry, Kind, Parameter};
use crate::schema::Schema;

pub(super) const LISTED: Listed = Listed {
    entry: Entry {
        kind: Kind::Model,
        id: "alpha-k-anonymity",
        title: "(alpha, k)-anonymity",
        summary: "Classes of at least k people, in which no sensitive value has a share above alpha.",
        paper: "Wong, Li, Fu and Wang, (alpha, k)-anonymity, KDD 2006",
        thwarts: "record linkage, attribute linkage",
        comparison: false,
        parameters: &[
            Parameter {
                name: "alpha",
                domain: Domain::Number(0.0, 1.0),
                default: Some(""),
                meaning: "highest share of a sensitive value that has no threshold of its own",
            },
            Parameter { name: "k", domain: Domain::Whole(1), default: None, meaning: "people in the smallest class" },
            VALUES,
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "laws::models"],
    },
    build,
    joined: Some(joined),
};

#[derive(Debug)]
struct AlphaKAnonymity {
    k: u64,
    bounds: Bounds,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping(arguments, "on", schema)?;
    let k = arguments.whole("k")?;
    let columns = sensitive(arguments, schema)?;
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for column in columns {
        let of = [column];
        let bounds = Bounds::new(&LISTED.entry, arguments, "alpha", &of, schema)?;
        models.push(Box::new(AlphaKAnonymity { k, bounds, by: by.clone(), of }));
    }
    Ok(models)
}

fn joined(arguments: &Arguments, scope: &Scope, schema: &Schema) -> Result<Vec<Statement>> {
    let mut statements = of_people(&scope.known(arguments, "on")?, arguments.whole("k")?, scope);
    let share = |of: &[String; 1]| Ok(Rule::AtMost(Bounds::new(&LISTED.entry, arguments, "alpha", of, schema)?));
    statements.extend(of_sensitive(arguments, scope, share)?);
    Ok(statements)
}

impl Model for AlphaKAnonymity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("{}-anonymity with {} {} {}", self.k, self.of[0], self.bounds, on_text(&self.by))
    }

    fn by(&self) -> &[String] {
        &self.by
    }

    fn of(&self) -> &[String] {
        &self.of
    }

    fn merging(&self) -> Merging {
        Merging::WithSatisfying
    }

    fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>> {
        let share = self.bounds.judge(whole)?;
        Ok(Box::new(move |group| {
            let judgement = share(group);
            Judgement { holds: judgement.holds && group.size >= self.k, ..judgement }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{}; or fewer than {} people share these values", self.bounds.explain(&self.of, safety), self.k)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>> {
        let mut breaches = self.bounds.naive(reading, &self.by, &self.of)?;
        for (class, records) in reading.classes(&self.by)? {
            let people = reading.people(&records);
            let breach = reading.breach(
                &self.by,
                &class,
                format!("{} these values, {} needed", people_share(people as f64), self.k),
            );
            if people < self.k && !breaches.iter().any(|known| known.witness == breach.witness) {
                breaches.push(breach);
            }
        }
        Ok(breaches)
    }
}
