//! What releases leave open, by maximum entropy and by person.

use std::time::Instant;

use reticent_inference::{Posterior, Solution, SolveOptions, Value, solve};

use crate::Failure;
use crate::made::{Group, each, puzzle};

/// Surer than this counts as known.
const SURE: f64 = 0.999;

/// What was found about everybody.
pub struct Found {
    answer: Solution,
    pub seconds: f64,
}

/// What releases leave open, to an attacker who knows who is in which bucket.
pub fn found(value: &[Value], releases: &[Vec<Group>]) -> Result<Found, Failure> {
    let puzzle = puzzle(value, releases, &each(value.len()));
    let begin = Instant::now();
    let answer = solve(&puzzle, &SolveOptions { program_steps: 0, ..SolveOptions::default() })?;
    if answer.stats.not_converged > 0 {
        return Err("maximum entropy did not converge".into());
    }
    Ok(Found { answer, seconds: begin.elapsed().as_secs_f64() })
}

impl Found {
    /// The entropy of these people in nats, each by themselves and added up.
    pub fn nats(&self, people: &[u32]) -> f64 {
        let of_value =
            |told: &Posterior| told.entropy.filter(|share| *share > 0.0).map_or(0.0, |share| -share * share.ln());
        people.iter().map(|person| self.answer.classes[*person as usize].iter().map(of_value).sum::<f64>()).sum()
    }

    /// How many of these people have one value in every world.
    pub fn pinned(&self, people: &[u32]) -> usize {
        self.count(people, |told| told.lower.value() == 1.0)
    }

    /// How many have a value that is surer than 0.999: by the number of worlds where these could be counted, else by entropy.
    pub fn sure(&self, people: &[u32]) -> usize {
        self.count(people, |told| told.best() > SURE)
    }

    fn count(&self, people: &[u32], so: impl Fn(&Posterior) -> bool) -> usize {
        people.iter().filter(|person| self.answer.classes[**person as usize].iter().any(&so)).count()
    }
}
