//! Attackers beside the one that an audit takes for granted: named attacks, and the attacker who knows the algorithm.

mod algorithm;
mod attack;

pub(crate) use algorithm::looked_at_all;
pub use algorithm::{algorithm_attacks, disclosures};
pub use attack::{Attacked, Beside, attack, known_attack};
