//! The plan of a release: request, policy, ledger, and the release history.

use std::path::Path;

use reticent::audit::Gate;
use reticent::{Confidence, Links};
use reticent_engine::OwnerKey;
use reticent_ledger::{Entry, Head, HistoryScope, Identity, Key, KeyFile, Ledger};

use crate::Workspace;
use crate::context::Context;
use crate::corrections::assumptions;
use crate::dataset::LoadedPolicy;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::{LedgerAccess, is_inside};
use crate::request::PublishRequest;

/// What becomes of a planned release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanPurpose {
    /// It is recorded and published.
    Release,
    /// It is written and verified, and then deleted.
    Rehearsal,
    /// It is judged in memory, if possible.
    Preview,
}

/// A requested release with its policy and ledger.
pub(crate) struct Plan<'a> {
    pub request: &'a PublishRequest,
    /// What becomes of the release.
    pub purpose: PlanPurpose,
    /// Names of the recipients.
    pub recipients: Vec<String>,
    /// Policy, with the changed thresholds of the request.
    pub loaded: LoadedPolicy,
    /// Seed of the request, of the policy, or else drawn.
    pub seed: u64,
    pub access: LedgerAccess,
    pub context: &'a Context,
}

impl<'a> Plan<'a> {
    pub fn new(
        workspace: &Workspace,
        request: &'a PublishRequest,
        purpose: PlanPurpose,
        loaded: LoadedPolicy,
        context: &'a Context,
    ) -> Plan<'a> {
        let doing = format!("publishing {}", request.name);
        let access = LedgerAccess::new(workspace, &loaded.policy, &doing, context);
        let seed = request.seed.or(loaded.policy.seed).unwrap_or_else(draw_seed);
        Plan { request, purpose, recipients: request.recipient_names(), loaded, seed, access, context }
    }

    /// Returns whether the release is recorded and published.
    pub fn publishes(&self) -> bool {
        self.purpose == PlanPurpose::Release
    }

    /// Returns the requirements of the disclosure gate. The gate calls `watch` periodically.
    pub fn gate<'w>(&self, watch: &'w dyn Fn() -> reticent::Result<()>) -> Result<Gate<'w>> {
        let policy = &self.loaded.policy;
        let confidence = policy.shorthand.confidence.map(Confidence::new).transpose()?;
        let reidentification = policy.shorthand.reidentification.map(Confidence::new).transpose()?;
        let (time_varying, units) = (policy.varying_columns(), policy.units());
        let roles = policy.roles();
        let record_sets = policy.record_sets()?;
        Ok(Gate { proof: policy.audit, confidence, reidentification, record_sets, time_varying, units, roles, watch })
    }

    /// Reports that the audit is running, and returns an error if the call was cancelled.
    pub fn watch_audit(&self) -> reticent::Result<()> {
        self.context.busy("auditing");
        self.context.check().map_err(|_| reticent::Error::Stopped)
    }

    /// Checks that there is a recipient, and that the output neither exists nor is inside the ledger folder.
    pub fn check(&self, output: &Path) -> Result<()> {
        if self.recipients.is_empty() {
            return Err(Problem::NoRecipient.into());
        }
        match output.symlink_metadata() {
            Ok(_) => {
                let what = if output.is_dir() { "name" } else { "file" };
                return Err(Problem::OutputExists { path: output.to_owned(), what }.into());
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            // A path that cannot be examined cannot be written.
            Err(error) => return Err(Error::file("write", output)(error)),
        }
        match is_inside(output, &self.access.folder) {
            true => Err(Problem::OutputInLedger { path: output.to_owned() }.into()),
            false => Ok(()),
        }
    }

    /// Opens the ledger, if it exists. Fails early if the release could not be recorded later.
    pub fn open_ledger(&self) -> Result<Option<Ledger>> {
        if !self.publishes() {
            return self.access.open_to_rehearse();
        }
        let ledger = self.access.open_if_intact()?;
        if ledger.is_none() {
            self.access.check_may_start()?;
        }
        Ok(ledger)
    }

    /// Returns an error if a release of a data set that the policy declares unrelated is about people of the new release.
    pub fn check_unrelated(&self, recalled: &LoadedHistory, links: Option<&Links>) -> Result<()> {
        if !self.access.data_sets.declares_any() {
            return Ok(());
        }
        match self.access.open_if_exists()? {
            Some(ledger) => self.access.data_sets.check(&ledger, &recalled.entries, &[links]),
            None => Ok(()),
        }
    }

    /// Returns the key for the pseudonyms of owners. A rehearsal before the first key uses one that is not stored.
    pub fn owner_key(&self, recalled: &LoadedHistory) -> Result<Key> {
        match self.access.key_for_owners(&recalled.entries, self.publishes())? {
            Some(key) => Ok(key),
            None => Ok(KeyFile::ephemeral()?.ledger_key(&Identity::draw()?)),
        }
    }
}

/// Converts the key of the ledger to the owner key of the engine.
pub(crate) fn engine_key(key: &Key) -> OwnerKey {
    OwnerKey::new(*key.pseudonym_key())
}

/// Entries of the ledger, and the earlier releases that a new release is judged with.
pub(crate) struct LoadedHistory {
    pub entries: Vec<Entry>,
    /// Head of the ledger; `None` if there is no ledger.
    pub head: Option<Head>,
    pub judged: HistoryScope,
    /// Numbers of the earlier releases that the new release is judged with.
    pub earlier: Vec<u64>,
    /// Numbers of the earlier releases that each coalition with a recipient holds.
    pub by_coalition: Vec<Vec<u64>>,
}

impl LoadedHistory {
    /// Loads the history from the ledger, if there is one: the earlier releases that recipients can combine with the new one.
    ///
    /// If the request ignores the history, the new release is judged alone.
    pub fn new(ledger: Option<&Ledger>, plan: &Plan<'_>) -> Result<LoadedHistory> {
        let (earlier, by_coalition) = (Vec::new(), Vec::new());
        let Some(ledger) = ledger else {
            let judged = HistoryScope::History { with: Vec::new() };
            return Ok(LoadedHistory { entries: Vec::new(), head: None, judged, earlier, by_coalition });
        };
        let (head, entries) = ledger.read()?;
        let name = plan.request.name.as_str();
        let named = |entry: &&Entry| entry.release().is_some_and(|release| release.name == name);
        if let Some(entry) = entries.iter().find(named) {
            let (name, number) = (name.to_owned(), entry.number);
            return Err(reticent_ledger::Error::NameTaken { name, number }.into());
        }
        let earlier_numbers = plan.access.earlier_releases(&entries, &plan.recipients)?;
        let head = Some(head);
        if !earlier_numbers.is_empty() && plan.request.ignore_history {
            return Ok(LoadedHistory {
                entries,
                head,
                judged: HistoryScope::Alone { apart_from: earlier_numbers },
                earlier,
                by_coalition,
            });
        }
        let by_coalition = plan.access.releases_by_coalition(&entries, &plan.recipients)?;
        Ok(LoadedHistory {
            entries,
            head,
            judged: HistoryScope::History { with: earlier_numbers.clone() },
            earlier: earlier_numbers,
            by_coalition,
        })
    }

    /// Returns the assumptions of the verdict that follow from corrections of earlier releases.
    pub fn assumptions(&self) -> Vec<String> {
        assumptions(&self.entries)
    }

    /// Returns the names of all releases that are not withdrawn.
    pub fn names(&self) -> Vec<&str> {
        self.entries.iter().filter_map(|entry| entry.held_release().map(|release| release.name.as_str())).collect()
    }

    /// Returns the name of a release, or an empty string if it does not exist.
    pub fn name(&self, number: u64) -> &str {
        let entry = self.entries.iter().find(|entry| entry.number == number);
        entry.and_then(Entry::release).map_or("", |release| release.name.as_str())
    }
}

/// Draws a random seed.
fn draw_seed() -> u64 {
    // Keep 53 bits, so that JSON parsers with 64-bit floats read the seed exactly.
    draw_number() >> 11
}

/// Returns a random number.
pub(crate) fn draw_number() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
