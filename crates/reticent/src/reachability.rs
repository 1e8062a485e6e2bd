//! Models that no release of a table satisfies, whatever an algorithm does.
//!
//! The release with suppressed quasi-identifiers has one equivalence class. It satisfies a model whenever some
//! generalization of the table does. Suppressed records can lower the share of a sensitive value, so the check removes as
//! many records as the policy allows from the most frequent values of each sensitive attribute in turn.

use std::collections::BinaryHeap;

use crate::algorithms::Suppression;
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::data::table::Table;
use crate::error::Result;
use crate::release::history::History;
use crate::release::recoding::Recoding;
use crate::requirement::Requirement;

/// A model that no release satisfies.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct UnreachableModel {
    /// Model with its parameters.
    pub model: String,
    /// Measured value and threshold of the release in which all quasi-identifiers are suppressed.
    pub explanation: String,
    /// Whether the model stays violated after suppressing as many records as the policy allows. Otherwise it may be
    /// reachable, but only by suppressing records.
    pub despite_suppression: bool,
}

/// Returns the models that no generalization of the table satisfies.
///
/// # Errors
///
/// Returns an error if a model cannot be judged.
pub fn unreachable_models(
    table: &Table,
    requirement: &Requirement,
    suppression: &Suppression,
) -> Result<Vec<UnreachableModel>> {
    let mut unreachable = violated(table, requirement)?;
    if unreachable.is_empty() {
        return Ok(unreachable);
    }
    let removable = suppression.max_suppressed(table.contingency.rows());
    for column in table.with_role(Role::Sensitive) {
        let remaining = Table { contingency: without_most_frequent(table, column, removable), ..table.clone() };
        if remaining.contingency.is_empty() {
            continue;
        }
        let still = violated(&remaining, requirement)?;
        for model in &mut unreachable {
            model.despite_suppression &= still.iter().any(|violated| violated.model == model.model);
        }
    }
    Ok(unreachable)
}

/// Returns the models that the release with suppressed quasi-identifiers violates.
fn violated(table: &Table, requirement: &Requirement) -> Result<Vec<UnreachableModel>> {
    let release = Recoding::suppressed(table).apply(table)?;
    let surveys = requirement.survey(&History::single(release))?;
    let of = |(model, survey): (String, crate::contract::Survey)| {
        let violation = survey.violations.into_iter().next()?;
        Some(UnreachableModel { model, explanation: violation.explanation, despite_suppression: true })
    };
    Ok(surveys.into_iter().filter_map(of).collect())
}

/// Removes records, one at a time, from the value of a column that is then the most frequent.
fn without_most_frequent(table: &Table, column: usize, records: Weight) -> ContingencyTable {
    let mut counts: BinaryHeap<(Weight, usize)> = table.weights_of(column).into_iter().zip(0..).collect();
    let mut removed = vec![0; counts.len()];
    for _ in 0..records {
        let Some((count, code)) = counts.pop().filter(|(count, _)| *count > 0) else { break };
        removed[code] += 1;
        counts.push((count - 1, code));
    }
    let mut contingency = table.contingency.clone();
    for (weight, code) in contingency.weights.iter_mut().zip(&contingency.codes[column]) {
        let taken = removed[*code as usize].min(*weight);
        removed[*code as usize] -= taken;
        *weight -= taken;
    }
    contingency.filter(|at| contingency.weights[at] > 0)
}

#[cfg(test)]
mod tests {
    use super::{UnreachableModel, unreachable_models};
    use crate::algorithms::Suppression;
    use crate::{Counts, Policy, Ratio, Requirement, Table};

    fn unreachable(requirement: &str, yes: usize, no: usize, limit: (u128, u128)) -> Vec<UnreachableModel> {
        let text = format!(
            "[columns.age]\ntype = \"number\"\n[columns.guilty]\nrole = \"sensitive\"\n[requirement]\n{requirement}\n"
        );
        let policy = Policy::parse(&text).expect("a policy");
        let schema = policy.schema(&mut |_| Err(String::new())).expect("a schema");
        let requirement = Requirement::build(&policy.model_specs(&schema), &schema).expect("a requirement");
        let ages: Vec<String> = (0..yes + no).map(|age| age.to_string()).collect();
        let rows: Vec<[&str; 2]> =
            ages.iter().enumerate().map(|(at, age)| [age.as_str(), if at < yes { "yes" } else { "no" }]).collect();
        let table = Table::build(&Counts::from_rows(["age", "guilty"], &rows), &schema).expect("a table");
        let (numerator, denominator) = limit;
        let suppression = Suppression { limit: Ratio { numerator, denominator }, cells: false };
        unreachable_models(&table, &requirement, &suppression).expect("a judgement")
    }

    fn despite(found: &[UnreachableModel]) -> Vec<bool> {
        found.iter().map(|model| model.despite_suppression).collect()
    }

    #[test]
    fn a_bound_below_the_share_of_the_most_frequent_value_is_unreachable() {
        assert_eq!(unreachable("confidence = 0.6", 56, 44, (0, 1)), []);
        assert_eq!(despite(&unreachable("confidence = 0.5", 56, 44, (0, 1))), [true]);
        // Without 12 of the 56 records, both values have 44. Without 11, one has 45.
        assert_eq!(despite(&unreachable("confidence = 0.5", 56, 44, (12, 100))), [false]);
        assert_eq!(despite(&unreachable("confidence = 0.5", 56, 44, (11, 100))), [true]);
    }

    #[test]
    fn more_people_than_the_table_has_are_unreachable() {
        assert_eq!(despite(&unreachable("k = 11", 5, 5, (1, 2))), [true]);
        assert_eq!(unreachable("k = 10", 5, 5, (0, 1)), []);
    }
}
