//! The plan of a release: what is asked for, and what was released before.

use std::path::Path;

use reticent::Confidence;
use reticent::audit::Gate;
use reticent_engine::OwnerKey;
use reticent_ledger::{Entry, Head, Judged, Key, Ledger};

use crate::Workspace;
use crate::context::Context;
use crate::dataset::Loaded;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::{LedgerAccess, lies_in};
use crate::request::{PublishRequest, WhatIf};

/// A release that is asked for.
pub(crate) struct Plan<'a> {
    pub request: &'a PublishRequest,
    /// Whether nothing is published. Only a rehearsal has thresholds of its own.
    pub rehearsal: Option<WhatIf>,
    /// The names of the recipients.
    pub to: Vec<String>,
    /// The policy, with the thresholds of the rehearsal.
    pub loaded: Loaded,
    pub access: LedgerAccess,
    pub context: &'a Context,
}

impl<'a> Plan<'a> {
    pub fn new(
        workspace: &Workspace,
        request: &'a PublishRequest,
        rehearsal: Option<WhatIf>,
        mut loaded: Loaded,
        context: &'a Context,
    ) -> Plan<'a> {
        if let Some(what_if) = &rehearsal {
            let short = &mut loaded.policy.short;
            short.k = what_if.k().or(short.k);
            short.confidence = what_if.confidence().map(|confidence| confidence.decimal()).or(short.confidence);
        }
        let doing = format!("publishing {}", request.name);
        let access = LedgerAccess::new(workspace, &loaded.policy, &doing, context);
        Plan { request, rehearsal, to: request.to(), loaded, access, context }
    }

    /// What the gate demands of the release, and the function that it calls from time to time.
    pub fn gate<'w>(&self, watch: &'w dyn Fn() -> reticent::Result<()>) -> Result<Gate<'w>> {
        let policy = &self.loaded.policy;
        let confidence = policy.short.confidence.map(Confidence::new).transpose()?;
        Ok(Gate { proof: policy.audit, confidence, varies: policy.varying_columns(), watch })
    }

    /// Reports that the audit is going on, and fails once it was cancelled.
    pub fn watch_audit(&self) -> reticent::Result<()> {
        self.context.busy("auditing");
        self.context.check().map_err(|_| reticent::Error::Stopped)
    }

    /// There must be a recipient, and the output must not exist, nor lie in the ledger.
    pub fn check(&self, output: &Path) -> Result<()> {
        if self.to.is_empty() {
            return Err(Problem::NoRecipient.into());
        }
        match output.symlink_metadata() {
            Ok(_) => {
                let what = if output.is_dir() { "name" } else { "file" };
                return Err(Problem::OutputExists { path: output.to_owned(), what }.into());
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            // A name that cannot be looked at cannot be given either.
            Err(error) => return Err(Error::file("write", output)(error)),
        }
        match lies_in(output, &self.access.folder) {
            true => Err(Problem::OutputInLedger { path: output.to_owned() }.into()),
            false => Ok(()),
        }
    }

    /// The ledger, if there is one. A release is refused here where it would be refused at the end.
    pub fn open_ledger(&self) -> Result<Option<Ledger>> {
        if self.rehearsal.is_some() {
            return self.access.open_to_rehearse();
        }
        let ledger = self.access.open_if_sound()?;
        if ledger.is_none() {
            self.access.may_start()?;
        }
        Ok(ledger)
    }

    /// The key of owners. A rehearsal draws none.
    pub fn owner_key(&self, recalled: &Recalled) -> Result<Option<Key>> {
        self.access.key_for_owners(&recalled.entries, self.rehearsal.is_none())
    }
}

/// The owners' key as the engine takes it.
pub(crate) fn engine_key(key: &Key) -> OwnerKey {
    OwnerKey::new(*key.secret())
}

/// What the ledger says about earlier releases.
pub(crate) struct Recalled {
    pub entries: Vec<Entry>,
    /// The head of the ledger; none when there was no ledger.
    pub head: Option<Head>,
    pub judged: Judged,
    /// The numbers of the releases with which the next one is judged.
    pub beside: Vec<u64>,
    /// Those that each coalition of its recipients holds.
    pub held: Vec<Vec<u64>>,
}

impl Recalled {
    /// From the ledger, if there is one: the releases that recipients can hold beside the new one, unless the request says that
    /// it is judged alone.
    pub fn new(ledger: Option<&Ledger>, plan: &Plan<'_>) -> Result<Recalled> {
        let (beside, held) = (Vec::new(), Vec::new());
        let Some(ledger) = ledger else {
            let judged = Judged::History { with: Vec::new() };
            return Ok(Recalled { entries: Vec::new(), head: None, judged, beside, held });
        };
        let (head, entries) = ledger.read()?;
        let name = plan.request.name.as_str();
        let named = |entry: &&Entry| entry.release().is_some_and(|release| release.name == name);
        if let Some(entry) = entries.iter().find(named) {
            let (name, number) = (name.to_owned(), entry.number);
            return Err(reticent_ledger::Error::NameTaken { name, number }.into());
        }
        let others = plan.access.beside(&entries, &plan.to)?;
        let head = Some(head);
        if !others.is_empty() && plan.request.alone {
            return Ok(Recalled { entries, head, judged: Judged::Alone { apart_from: others }, beside, held });
        }
        let held = plan.access.held(&entries, &plan.to)?;
        Ok(Recalled { entries, head, judged: Judged::History { with: others.clone() }, beside: others, held })
    }

    /// The names of all releases.
    pub fn names(&self) -> Vec<&str> {
        self.entries.iter().filter_map(|entry| entry.release().map(|release| release.name.as_str())).collect()
    }

    /// The name of a release.
    pub fn name(&self, number: u64) -> &str {
        let entry = self.entries.iter().find(|entry| entry.number == number);
        entry.and_then(Entry::release).map_or("", |release| release.name.as_str())
    }
}
