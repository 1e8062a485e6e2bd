//! (alpha, k)-anonymity: k-anonymity, and no sensitive value has a share above `alpha` in a class.
//!
//! Definition  |x| >= k and |(x, s)| / |x| <= alpha for every equivalence class x and every sensitive value s (or those
//!             in `values`).
//! Protects    against record linkage and attribute linkage.
//! Paper       Wong, Li, Fu and Wang, (alpha, k)-anonymity, KDD 2006; survey section 2.2.3.
//! Monotone    both conditions hold for a merged class if they hold for its parts.

use super::xy_linkability::VALUES;
use super::{
    Bounds, Judge, Judgement, Merging, Model, ModelDef, ON, SENSITIVE, class_size_text, grouping_columns, on_text,
    people_constraints, sensitive_columns, sensitive_constraints,
};
use crate::contract::{ClassViolation, Reading};
use crate::data::schema::Schema;
use crate::error::Result;
use crate::join::{Constraint, JoinScope, Limit};
use crate::registry::{Arguments, Domain, Entry, Kind, ParameterDef};
use crate::release::classes::Whole;

pub(super) const LISTED: ModelDef = ModelDef {
    entry: Entry {
        kind: Kind::Model,
        id: "alpha-k-anonymity",
        title: "(alpha, k)-anonymity",
        summary: "For every equivalence class x on the quasi-identifiers and every sensitive value s: |x| >= k and \
                  |(x, s)| / |x| <= alpha.",
        paper: "Wong, Li, Fu and Wang, (alpha, k)-anonymity, KDD 2006",
        protects_against: "record linkage, attribute linkage",
        comparison: false,
        parameters: &[
            ParameterDef {
                name: "alpha",
                domain: Domain::Number(0.0, 1.0),
                default: Some(""),
                meaning: "maximum share, in a class, of sensitive values without a threshold of their own",
            },
            ParameterDef {
                name: "k",
                domain: Domain::Whole(1),
                default: None,
                meaning: "minimum number of people in an equivalence class",
            },
            VALUES,
            ON,
            SENSITIVE,
        ],
        evidence: &["oracle::models", "laws::models"],
    },
    build,
    lower_to_join: Some(join_constraints),
};

#[derive(Debug)]
struct AlphaKAnonymity {
    k: u64,
    bounds: Bounds,
    by: Vec<String>,
    of: [String; 1],
}

fn build(arguments: &Arguments, schema: &Schema) -> Result<Vec<Box<dyn Model>>> {
    let by = grouping_columns(arguments, "on", schema)?;
    let k = arguments.whole("k")?;
    let columns = sensitive_columns(arguments, schema)?;
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for column in columns {
        let of = [column];
        let bounds = Bounds::new(&LISTED.entry, arguments, "alpha", &of, schema)?;
        models.push(Box::new(AlphaKAnonymity { k, bounds, by: by.clone(), of }));
    }
    Ok(models)
}

fn join_constraints(arguments: &Arguments, scope: &JoinScope, schema: &Schema) -> Result<Vec<Constraint>> {
    let mut constraints = people_constraints(&scope.known(arguments, "on")?, arguments.whole("k")?, scope);
    let share = |of: &[String; 1]| Ok(Limit::AtMost(Bounds::new(&LISTED.entry, arguments, "alpha", of, schema)?));
    constraints.extend(sensitive_constraints(arguments, scope, share)?);
    Ok(constraints)
}

impl Model for AlphaKAnonymity {
    fn entry(&self) -> &'static Entry {
        &LISTED.entry
    }

    fn title(&self) -> String {
        format!("{}-anonymity with {} {} {}", self.k, self.of[0], self.bounds, on_text(&self.by))
    }

    fn grouped_by(&self) -> &[String] {
        &self.by
    }

    fn measured(&self) -> &[String] {
        &self.of
    }

    fn merging(&self) -> Merging {
        Merging::WithSatisfying
    }

    fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>> {
        let share = self.bounds.judge(whole)?;
        Ok(Box::new(move |class| {
            let judgement = share(class);
            Judgement { holds: judgement.holds && class.size >= self.k, ..judgement }
        }))
    }

    fn explain(&self, safety: f64) -> String {
        format!("{}; or fewer than {} people in the class", self.bounds.explain(&self.of, safety), self.k)
    }

    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>> {
        let mut violations = self.bounds.naive(reading, &self.by, &self.of)?;
        for (class, records) in reading.classes(&self.by)? {
            let people = reading.people(&records);
            let violation = reading.violation(
                &self.by,
                &class,
                format!("{} in the class, at least {} required", class_size_text(people as f64), self.k),
            );
            if people < self.k && !violations.iter().any(|known| known.witness == violation.witness) {
                violations.push(violation);
            }
        }
        Ok(violations)
    }
}
