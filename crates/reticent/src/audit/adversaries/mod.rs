//! Further adversaries: named attacks, and the attacker who knows how the algorithm decides.

mod algorithm;
mod attack;

pub(crate) use algorithm::all_checked;
pub use algorithm::{algorithm_attacks, disclosures};
pub use attack::{AttackContext, AttackRun, attack, known_attack};
