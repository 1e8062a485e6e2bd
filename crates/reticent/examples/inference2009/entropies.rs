//! Remaining uncertainty about each person after some releases, by maximum entropy.

use std::time::Instant;

use reticent_inference::{Posterior, Solution, SolveOptions, Value, solve};

use crate::Failure;
use crate::made::{Group, constraint_problem, one_class_per_person};

/// A value with a posterior above this threshold counts as known.
const SURE: f64 = 0.999;

/// Posteriors of all people.
pub struct Inference {
    solution: Solution,
    pub seconds: f64,
}

/// Posteriors of an attacker who knows the bucket of every person.
pub fn infer(value: &[Value], releases: &[Vec<Group>]) -> Result<Inference, Failure> {
    let problem = constraint_problem(value, releases, &one_class_per_person(value.len()));
    let begin = Instant::now();
    let solution = solve(&problem, &SolveOptions { program_steps: 0, ..SolveOptions::default() })?;
    if solution.stats.not_converged > 0 {
        return Err("maximum entropy did not converge".into());
    }
    Ok(Inference { solution, seconds: begin.elapsed().as_secs_f64() })
}

impl Inference {
    /// Sum of the entropies of these people, in nats.
    pub fn nats(&self, people: &[u32]) -> f64 {
        let of_value = |posterior: &Posterior| {
            posterior.entropy.filter(|share| *share > 0.0).map_or(0.0, |share| -share * share.ln())
        };
        people.iter().map(|person| self.solution.classes[*person as usize].iter().map(of_value).sum::<f64>()).sum()
    }

    /// Number of these people who have the same value in all possible worlds.
    pub fn pinned(&self, people: &[u32]) -> usize {
        self.count(people, |posterior| posterior.lower.value() == 1.0)
    }

    /// Number of these people with a posterior above 0.999: exact if the possible worlds were counted, else by maximum entropy.
    pub fn sure(&self, people: &[u32]) -> usize {
        self.count(people, |posterior| posterior.best() > SURE)
    }

    fn count(&self, people: &[u32], condition: impl Fn(&Posterior) -> bool) -> usize {
        people.iter().filter(|person| self.solution.classes[**person as usize].iter().any(&condition)).count()
    }
}
