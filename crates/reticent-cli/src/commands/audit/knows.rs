//! What the attacker knows (`--knows`): statements, or a table of people's values.

use std::path::Path;

use reticent::audit::{Knowledge, Known, Question, audit};
use reticent::error::Error;
use reticent::history::History;
use reticent::inference::Ask;
use reticent::links::Pseudonym;
use reticent_engine::{Ask as AskEngine, AskColumn, Embedded, Engine, OwnerKey};
use reticent_ledger::Entry;

use crate::books::Books;
use crate::failure::Failure;
use crate::steward::{Loaded, Ways};

/// What is known, and by line of a file of statements what it says.
#[derive(Default)]
pub struct Knows {
    pub all: Knowledge,
    lines: Vec<(usize, Knowledge)>,
}

impl Knows {
    /// Reads it from a file.
    pub fn read(
        path: &Path,
        loaded: Option<&Loaded>,
        books: &Books,
        entries: &[Entry],
        ways: &Ways,
    ) -> Result<Knows, Failure> {
        let key = books.right_key(entries)?.ok_or_else(|| {
            Failure::Call(format!(
                "the key {} is missing: without it nobody who is named can be found in the ledger; name it with --key",
                books.key_path.display()
            ))
        })?;
        let key = OwnerKey::new(key.secret());
        let called = |name: &str| key.pseudonym(name.as_bytes());
        let table = path.extension().is_some_and(|extension| {
            extension.eq_ignore_ascii_case("csv") || extension.eq_ignore_ascii_case("parquet")
        });
        if !table {
            let text = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
            return Knows::parse(&text, &called);
        }
        let owner = loaded.and_then(|loaded| loaded.policy.owner.clone()).ok_or_else(|| {
            Failure::Call(
                "a table of people's values needs a policy that says which column names the owner ([dataset] owner)"
                    .to_owned(),
            )
        })?;
        let engine = Embedded::open_file(path, ways.options())?;
        if !engine.columns().contains(&owner) {
            return Err(Failure::Call(format!("{} has no column `{owner}`, which names the owner", path.display())));
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
        Ok(Knows { all: Knowledge { known, ..Knowledge::default() }, lines: Vec::new() })
    }

    fn parse(text: &str, called: &dyn Fn(&str) -> Pseudonym) -> Result<Knows, Failure> {
        let all = Knowledge::parse(text, called)?;
        let lines = text.lines().enumerate().map(|(at, line)| Ok((at + 1, Knowledge::parse(line, called)?)));
        Ok(Knows { all, lines: lines.collect::<Result<_, Error>>()? })
    }

    /// What is wrong, with the number of the line that is wrong by itself, if one is.
    pub fn at_line(&self, failure: Failure, held: &History, question: &Question) -> Failure {
        let Failure::Library(Error::CannotCheck { what, why }) = failure else { return failure };
        let ask = Ask { steps: 0, program: 0, entropy: false, ..question.ask };
        let fails = |(_, line): &&(usize, Knowledge)| {
            let alone = Question { knowledge: line.clone(), ask, pairs: false, worst: 0, ..question.clone() };
            let found = line.check(held).and_then(|()| audit(held, &alone.within(held)).map(|_| ()));
            matches!(found, Err(Error::CannotCheck { what: other, why: reason }) if other == what && reason == why)
        };
        let why = match self.lines.iter().find(fails) {
            Some((line, _)) => format!("line {line}: {why}"),
            None => why,
        };
        Failure::Library(Error::CannotCheck { what, why })
    }
}
