//! Background knowledge of the attacker, read from a file of statements or from a table.

use std::path::Path;

use reticent::audit::SolveOptions;
use reticent::audit::{AuditOptions, BackgroundKnowledge, KnownValue, audit};
use reticent::error::Obstacle;
use reticent::{History, Pseudonym};
use reticent_engine::{CountColumn, CountRequest, Embedded, Engine, Options, OwnerKey};
use reticent_ledger::Entry;

use crate::context::Context;
use crate::dataset::LoadedPolicy;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::reading::{file_notes, text_options};

/// Background knowledge with the line number of each statement.
#[derive(Default)]
pub(crate) struct Background {
    /// All statements.
    pub all: BackgroundKnowledge,
    /// Line number and statement of each line; empty for a table.
    lines: Vec<(usize, BackgroundKnowledge)>,
}

impl Background {
    /// Reads background knowledge: a table if the file is CSV or Parquet, else statements.
    pub fn read(
        path: &Path,
        loaded: Option<&LoadedPolicy>,
        access: &LedgerAccess,
        entries: &[Entry],
        context: &Context,
    ) -> Result<Background> {
        let key = access.matching_key(entries)?;
        let key = key.ok_or_else(|| Problem::KeyNeeded { path: access.key_path.clone() })?;
        let key = OwnerKey::new(*key.pseudonym_key());
        let pseudonym_of = |name: &str| key.pseudonym(name.as_bytes());
        let table = path.extension().is_some_and(|extension| {
            extension.eq_ignore_ascii_case("csv") || extension.eq_ignore_ascii_case("parquet")
        });
        if !table {
            let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
            return Background::parse(&text, &pseudonym_of);
        }
        let owner = loaded.and_then(|loaded| loaded.policy.owner.clone()).ok_or(Problem::OwnerColumnUnknown)?;
        let policy = loaded.map(|loaded| &loaded.policy);
        let missing = Vec::new();
        let engine = Embedded::open_file(path, Options { missing, ..text_options(policy, context) })?;
        file_notes(&engine).iter().for_each(|note| context.warn(note, None));
        if !engine.columns().contains(&owner) {
            return Err(Problem::OwnerColumnMissing { path: path.to_owned(), column: owner }.into());
        }
        let columns: Vec<String> = engine.columns().iter().filter(|name| **name != owner).cloned().collect();
        let count_request = CountRequest {
            columns: columns.iter().map(|name| CountColumn { name: name.clone(), bins: None }).collect(),
            owner: Some(owner),
            key: Some(key),
        };
        let counts = engine.count(&count_request)?;
        let links = counts.links.clone().unwrap_or_default();
        let combos = counts.without_owners();
        let mut known = Vec::new();
        for link in 0..links.len() {
            for (at, column) in columns.iter().enumerate() {
                let value = &counts.values[at][combos.codes[at][links.cells[link] as usize] as usize];
                if !value.is_empty() {
                    known.push(KnownValue {
                        person: links.pseudonyms[link],
                        column: column.clone(),
                        value: value.clone(),
                        has: true,
                    });
                }
            }
        }
        Ok(Background { all: BackgroundKnowledge { known, ..BackgroundKnowledge::default() }, lines: Vec::new() })
    }

    fn parse(text: &str, pseudonym_of: &dyn Fn(&str) -> Pseudonym) -> Result<Background> {
        let all = BackgroundKnowledge::parse(text, pseudonym_of)?;
        let lines =
            text.lines().enumerate().map(|(at, line)| Ok((at + 1, BackgroundKnowledge::parse(line, pseudonym_of)?)));
        Ok(Background { all, lines: lines.collect::<Result<_, reticent::Error>>()? })
    }

    /// Adds the line number to an error of the background knowledge, if a single line causes the same fault.
    pub fn at_line(&self, error: Error, history: &History, options: &AuditOptions) -> Error {
        let Error::Library(reticent::Error::CannotCheck(Obstacle::BackgroundKnowledgeInvalid { fault })) = error else {
            return error;
        };
        let solve = SolveOptions { steps: 0, program_steps: 0, entropy: false, ..options.solve };
        let same = |error: &reticent::Error| match error {
            reticent::Error::CannotCheck(Obstacle::BackgroundKnowledgeInvalid { fault: other }) => *other == fault,
            _ => false,
        };
        let fails = |(_, line): &&(usize, BackgroundKnowledge)| {
            let line_options =
                AuditOptions { knowledge: line.clone(), solve, pairs: false, worst: 0, ..options.clone() };
            let outcome = line.check(history).and_then(|()| audit(history, &line_options.within(history)).map(|_| ()));
            outcome.is_err_and(|error| same(&error))
        };
        let line = self.lines.iter().find(fails).map(|(line, _)| *line);
        Error::Knowledge { line, fault }
    }
}
