//! `reticent audit`: what all releases together disclose about each person.

mod print;

use reticent_app::request::{Adversary, AuditRequest};

use crate::args;
use crate::console::Console;
use crate::error::Error;

/// Audits. The status is 1 when more is disclosed than the policy allows, or may be.
pub fn run(options: &args::Audit, console: &Console) -> Result<u8, Error> {
    let with = |text: &String| {
        let (name, value) =
            text.split_once('=').ok_or_else(|| Error::Usage(format!("--attack-parameter {text}: write NAME=VALUE")))?;
        Ok::<_, Error>((name.to_owned(), value.to_owned()))
    };
    let request = AuditRequest {
        recipients: options.recipients.clone(),
        background: options.background.clone(),
        adversary: match options.adversary {
            args::Adversary::Presence => Adversary::Presence,
            args::Adversary::QuasiIdentifiers => Adversary::QuasiIdentifiers,
            args::Adversary::Algorithm => Adversary::Algorithm,
        },
        columns: options.columns.clone(),
        confidence: options.confidence,
        reidentification: options.reidentification,
        attacks: options.attacks.clone(),
        attack_parameters: options.attack_parameters.iter().map(with).collect::<Result<_, _>>()?,
        population: options.population.clone(),
        per_person: options.per_person,
        worst: options.worst,
        effort: options.effort,
        samples: options.samples,
        seed: options.seed,
        html: options.html.clone(),
        public: options.public,
    };
    let answer = options.place.workspace().audit(&request, &console.context)?;
    console.answer(&answer, print::print)?;
    Ok(u8::from(answer.holds == Some(false)))
}
