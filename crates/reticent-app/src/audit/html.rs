//! The report as a file: one page, for the steward's eyes unless it is made for everybody's.

use std::io::Write;
use std::path::Path;

use reticent::audit::Attacked;
use reticent::text::grouped;
use reticent_ledger::{Entry, Recorded};
use reticent_report::{Attack, Coalition, ReleaseLine, Report, html};

use crate::answer::{AuditAnswer, CoalitionAudit};
use crate::dataset::Loaded;
use crate::error::{Error, Result};

/// The smallest count of people that a public report shows.
const LEAST: u64 = 10;

/// Writes the report. A file that is there is not overwritten.
pub(crate) fn write(
    path: &Path,
    public: bool,
    answer: &AuditAnswer,
    entries: &[Entry],
    loaded: Option<&Loaded>,
    today: &str,
) -> Result<()> {
    let dataset = loaded.map_or_else(|| "data".to_owned(), |loaded| loaded.policy.dataset.clone());
    let report = Report {
        title: format!("What the releases of {dataset} give away"),
        made: today.to_owned(),
        dataset,
        coalitions: answer.coalitions.iter().map(|coalition| told(coalition, entries)).collect(),
        public,
        least: LEAST,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let cannot = || Error::file("write the report to", path);
    // A part of a page would say less than was found, so it gets its name when it is whole.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".report-");
    // Who else may read what is for internal eyes is the steward's decision; the umask decides of the other.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(if public { 0o666 } else { 0o600 }));
    }
    let mut file = builder.tempfile_in(folder).map_err(cannot())?;
    file.write_all(html(&report).as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(cannot())?;
    file.persist_noclobber(path).map(drop).map_err(|error| cannot()(error.error))
}

fn told(coalition: &CoalitionAudit, entries: &[Entry]) -> Coalition {
    let line = |(number, name): &(u64, String)| {
        let recorded = entries.iter().find(|entry| entry.number == *number).and_then(Entry::release);
        ReleaseLine {
            number: *number,
            name: name.clone(),
            date: recorded.map(|release| release.date.clone()).unwrap_or_default(),
            recipients: recorded.map(|release| release.recipients.clone()).unwrap_or_default(),
            columns: recorded.map(Recorded::column_names).unwrap_or_default(),
            records: recorded.map_or(0, |release| release.records),
        }
    };
    let attack = |attack: &Attacked| Attack {
        title: attack.title.clone(),
        words: match (&attack.not_run, attack.findings.first()) {
            (Some(why), _) => format!("not run: {why}"),
            (None, None) => match &attack.not_checked {
                None => "finds nothing".to_owned(),
                Some(why) => format!("finds nothing (not everything could be looked at: {why})"),
            },
            (None, Some(first)) => {
                let first = match attack.findings.len() {
                    1 => first.words.clone(),
                    many => format!("{} findings, one of them: {}", grouped(many as u64), first.words),
                };
                match &attack.not_checked {
                    Some(why) => format!("{first} (not everything could be looked at: {why})"),
                    None => first,
                }
            }
        },
        findings: attack.findings.len(),
        certain: attack.findings.iter().any(|finding| finding.certain),
        ran: attack.not_run.is_none(),
    };
    Coalition {
        members: coalition.members.clone(),
        open: coalition.open.clone(),
        breaches: coalition.breaches.clone(),
        releases: coalition.audit.releases.iter().map(line).collect(),
        over_time: coalition.then.clone(),
        attacks: coalition.attacks.iter().map(attack).collect(),
    }
}
