//! Amendment: the recipients of a release, or the roles of its columns, are known better now.

use std::collections::BTreeMap;

use reticent::{Recipient, Role};

use crate::entry::{Amendment, Entry, EntryKind, HistoryScope, Origin, ReleaseRecord};
use crate::error::{Error, Result};
use crate::ledger::Writer;

/// An amendment to be recorded.
#[derive(Debug, Clone, Default)]
pub struct AmendmentDraft {
    /// Name or number of the release.
    pub release: String,
    /// Reason.
    pub reason: String,
    /// Recipients that hold the release too.
    pub add_recipients: Vec<Recipient>,
    /// All recipients, if the recorded ones are wrong. Those to add are added to them.
    pub recipients: Option<Vec<Recipient>>,
    /// Roles by column.
    pub roles: BTreeMap<String, Role>,
}

/// An amended release.
#[derive(Debug, Clone)]
pub struct AmendmentOutcome {
    /// Entry of the amendment.
    pub entry: Entry,
    /// Release before the amendment.
    pub before: Entry,
    /// Release after the amendment.
    pub after: Entry,
}

impl Writer<'_> {
    /// Amends a release. Recipients of a withdrawn release cancel the withdrawal: recipients hold the release.
    ///
    /// # Errors
    ///
    /// Returns an error if the amendment changes nothing or does not fit the release.
    pub fn amend(mut self, draft: &AmendmentDraft) -> Result<AmendmentOutcome> {
        let before = self.ledger.find(&draft.release)?;
        let Some(release) = before.release() else { return Err(Error::NoSuch { wanted: draft.release.clone() }) };
        let names_recipients = draft.recipients.is_some() || !draft.add_recipients.is_empty();
        if !names_recipients {
            before.check_not_withdrawn()?;
        }
        let entries = self.chain.corrected(&self.ledger.folder)?;
        if let Some(basis) = withdrawn_basis(&entries, release) {
            let why =
                format!("it builds on release {basis}, which is withdrawn; amend the recipients of that release first");
            return Err(Error::AmendmentUnfit { number: before.number, name: release.name.clone(), why });
        }
        let unfit = |why: String| Error::AmendmentUnfit { number: before.number, name: release.name.clone(), why };
        let recipients = names_recipients.then(|| draft.all_recipients(release));
        if recipients.as_ref().is_some_and(Vec::is_empty) {
            return Err(unfit("no recipient would be left; withdraw a release that nobody holds".to_owned()));
        }
        // Recipients that are recorded already change something if the release is withdrawn.
        let is_same = |names: &Vec<String>| *names == release.recipients && release.corrections.withdrawn.is_none();
        let recipients = recipients.filter(|names| !is_same(names));
        let mut roles = BTreeMap::new();
        for (name, role) in &draft.roles {
            let recorded = release.amendable_role(name).map_err(unfit)?;
            if *role == Role::Drop {
                return Err(unfit(format!("column `{name}` was published, so its role is not `drop`")));
            }
            if recorded != *role {
                roles.insert(name.clone(), *role);
            }
        }
        if recipients.is_none() && roles.is_empty() {
            return Err(unfit("the release has these recipients and roles already".to_owned()));
        }
        let amendment = Amendment { release: before.number, reason: draft.reason.clone(), recipients, roles };
        let entry = self.append_kind(EntryKind::Amendment(amendment), None)?;
        let entries = self.chain.corrected(&self.ledger.folder)?;
        let after = entries.into_iter().find(|entry| entry.number == before.number).unwrap_or_else(|| before.clone());
        self.seal();
        Ok(AmendmentOutcome { entry, before, after })
    }
}

/// Returns a withdrawn release that this release builds on: an earlier one of its republication series, or the one whose
/// people it counts.
fn withdrawn_basis(entries: &[Entry], release: &ReleaseRecord) -> Option<u64> {
    let is_basis = |entry: &&Entry| {
        let judged_with = matches!(&release.judged, HistoryScope::History { with } if with.contains(&entry.number));
        let earlier = entry.release();
        let continues =
            release.method.is_some() && earlier.is_some_and(|earlier| earlier.method.is_some()) && judged_with;
        continues || release.disguise.about_release == Some(entry.number)
    };
    entries.iter().filter(is_basis).find(|entry| entry.check_not_withdrawn().is_err()).map(|entry| entry.number)
}

impl AmendmentDraft {
    /// Returns the names of all recipients after the amendment.
    fn all_recipients(&self, release: &ReleaseRecord) -> Vec<String> {
        let mut names: Vec<String> = match &self.recipients {
            Some(recipients) => recipients.iter().map(Recipient::to_string).collect(),
            None => release.recipients.clone(),
        };
        names.extend(self.add_recipients.iter().map(Recipient::to_string));
        names.sort();
        names.dedup();
        names
    }
}

impl ReleaseRecord {
    /// Returns the role of a column that an amendment can correct, or why it cannot.
    fn amendable_role(&self, name: &str) -> Result<Role, String> {
        if self.origin == Origin::Population {
            return Err("attackers know every column of a population register, so its roles are fixed".to_owned());
        }
        let in_tables = self.tables.iter().flat_map(|table| &table.columns).any(|column| column.name == name);
        let marks = [&self.disguise.group_column, &self.disguise.counterfeit_column];
        let is_mark = marks.into_iter().flatten().any(|mark| mark == name);
        match self.columns.iter().find(|column| column.name == name) {
            Some(_) if is_mark || in_tables => {
                Err(format!("column `{name}` links the tables or groups of the release, so its role is fixed"))
            }
            Some(column) => Ok(column.role),
            None if in_tables => Err(format!("column `{name}` lists the values of groups, so its role is fixed")),
            None => Err(format!("it has no column `{name}`; columns: {}", self.column_names().join(", "))),
        }
    }
}
