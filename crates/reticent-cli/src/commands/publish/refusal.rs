//! Why a release was refused, and what would let it pass.

use reticent::relief::{Refused, Relief};

use super::Past;
use super::make::Job;
use crate::books::Books;
use crate::failure::Failure;

impl Job<'_> {
    /// A refusal with what is known about it; any other failure as it is.
    pub fn explained(&self, failure: Failure, past: &Past, books: &Books) -> Failure {
        let Failure::Library(error @ reticent::Error::Refused { .. }) = failure else { return failure };
        // What is known about a refusal is known of releases that say as little as they can, which a baseline does not make.
        if self.algorithm().starts_with("baseline-") {
            return Failure::Library(error);
        }
        match self.relief(past, books) {
            Ok(relief) => Failure::Refused { error, relief: Box::new(relief) },
            // What is known about a refusal must not stand in its way.
            Err(_) => Failure::Library(error),
        }
    }

    fn relief(&self, past: &Past, books: &Books) -> Result<Relief, Failure> {
        self.ways.progress.tell("looking for what would help", 0, 0);
        let refused = Refused {
            name: &self.options.name,
            table: &self.prepared.table,
            schema: &self.loaded.schema,
            wordings: &self.loaded.policy.wordings_for_joins(),
            short: self.loaded.policy.short.expand_all().len(),
            history: &past.history,
            sets: &self.sets(past, &past.held)?,
            rules: &self.loaded.policy.inconsistent,
        };
        let mut recipients = Vec::new();
        for one in self.options.to.iter().filter(|_| self.options.to.len() > 1 && !past.held.is_empty()) {
            let others: Vec<String> = self.options.to.iter().filter(|other| *other != one).cloned().collect();
            recipients.push((one.clone(), self.sets(past, &past.held_for(books, &others)?)?));
        }
        let policy = &self.loaded.policy;
        let audited_besides = policy.short.confidence.is_some() && policy.audit != reticent::audit::Proof::Off;
        Ok(Relief { audited_besides, ..refused.relief(&recipients)? })
    }
}
