//! Background knowledge of an attacker: statements, or a table of people's values.

use std::path::Path;

use reticent::audit::Ask;
use reticent::audit::{Knowledge, Known, Question, audit};
use reticent::error::Obstacle;
use reticent::{History, Pseudonym};
use reticent_engine::{Ask as AskEngine, AskColumn, Embedded, Engine, OwnerKey};
use reticent_ledger::Entry;

use crate::context::Context;
use crate::dataset::Loaded;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::LedgerAccess;

/// What is known, and by line of a file of statements what it says.
#[derive(Default)]
pub(crate) struct Background {
    pub all: Knowledge,
    lines: Vec<(usize, Knowledge)>,
}

impl Background {
    /// Reads it from a file.
    pub fn read(
        path: &Path,
        loaded: Option<&Loaded>,
        access: &LedgerAccess,
        entries: &[Entry],
        context: &Context,
    ) -> Result<Background> {
        let key = access.right_key(entries)?;
        let key = key.ok_or_else(|| Problem::KeyNeeded { path: access.key_path.clone() })?;
        let key = OwnerKey::new(*key.secret());
        let called = |name: &str| key.pseudonym(name.as_bytes());
        let table = path.extension().is_some_and(|extension| {
            extension.eq_ignore_ascii_case("csv") || extension.eq_ignore_ascii_case("parquet")
        });
        if !table {
            let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
            return Background::parse(&text, &called);
        }
        let owner = loaded.and_then(|loaded| loaded.policy.owner.clone()).ok_or(Problem::OwnerColumnUnknown)?;
        let engine = Embedded::open_file(path, context.engine_options())?;
        if !engine.columns().contains(&owner) {
            return Err(Problem::OwnerColumnMissing { path: path.to_owned(), column: owner }.into());
        }
        let columns: Vec<String> = engine.columns().iter().filter(|name| **name != owner).cloned().collect();
        let ask = AskEngine {
            columns: columns.iter().map(|name| AskColumn { name: name.clone(), bins: None }).collect(),
            owner: Some(owner),
            key: Some(key),
        };
        let counts = engine.count(&ask)?;
        let links = counts.links.clone().unwrap_or_default();
        let combos = counts.without_owners();
        let mut known = Vec::new();
        for link in 0..links.len() {
            for (at, column) in columns.iter().enumerate() {
                let value = &counts.values[at][combos.codes[at][links.combos[link] as usize] as usize];
                if !value.is_empty() {
                    known.push(Known {
                        who: links.pseudonyms[link],
                        column: column.clone(),
                        value: value.clone(),
                        has: true,
                    });
                }
            }
        }
        Ok(Background { all: Knowledge { known, ..Knowledge::default() }, lines: Vec::new() })
    }

    fn parse(text: &str, called: &dyn Fn(&str) -> Pseudonym) -> Result<Background> {
        let all = Knowledge::parse(text, called)?;
        let lines = text.lines().enumerate().map(|(at, line)| Ok((at + 1, Knowledge::parse(line, called)?)));
        Ok(Background { all, lines: lines.collect::<Result<_, reticent::Error>>()? })
    }

    /// What is wrong, with the number of the line that is wrong without the others, if there is one.
    pub fn at_line(&self, error: Error, held: &History, question: &Question) -> Error {
        let Error::Library(reticent::Error::CannotCheck(Obstacle::BackgroundKnowledgeInvalid { fault })) = error else {
            return error;
        };
        let ask = Ask { steps: 0, program: 0, entropy: false, ..question.ask };
        let same = |error: &reticent::Error| match error {
            reticent::Error::CannotCheck(Obstacle::BackgroundKnowledgeInvalid { fault: other }) => *other == fault,
            _ => false,
        };
        let fails = |(_, line): &&(usize, Knowledge)| {
            let alone = Question { knowledge: line.clone(), ask, pairs: false, worst: 0, ..question.clone() };
            let found = line.check(held).and_then(|()| audit(held, &alone.within(held)).map(|_| ()));
            found.is_err_and(|error| same(&error))
        };
        let line = self.lines.iter().find(fails).map(|(line, _)| *line);
        Error::Knowledge { line, fault }
    }
}
