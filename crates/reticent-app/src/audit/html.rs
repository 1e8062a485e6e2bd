//! Writes the HTML report of an audit, either internal or public.

use std::path::Path;

use reticent::audit::AttackRun;
use reticent::text::format_count;
use reticent_ledger::{Entry, ReleaseRecord};
use reticent_report::{Attack, Coalition, ReleaseLine, Report, html};

use crate::answer::{AuditAnswer, CoalitionAudit};
use crate::dataset::LoadedPolicy;
use crate::error::Result;
use crate::page_file::write_page;

/// Smallest count of people in a public report.
const MIN_PUBLIC_COUNT: u64 = 10;

/// Writes the report. Does not overwrite an existing file.
pub(crate) fn write(
    path: &Path,
    public: bool,
    answer: &AuditAnswer,
    entries: &[Entry],
    loaded: Option<&LoadedPolicy>,
    today: &str,
) -> Result<()> {
    let dataset = loaded.map_or_else(|| "data".to_owned(), |loaded| loaded.policy.dataset.clone());
    let report = Report {
        title: format!("Disclosure risk report: {dataset}"),
        date: today.to_owned(),
        dataset,
        coalitions: answer.coalitions.iter().map(|coalition| report_coalition(coalition, entries)).collect(),
        public,
        min_count: MIN_PUBLIC_COUNT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    write_page(path, &html(&report), public)
}

fn report_coalition(coalition: &CoalitionAudit, entries: &[Entry]) -> Coalition {
    let line = |(number, name): &(u64, String)| {
        let recorded = entries.iter().find(|entry| entry.number == *number).and_then(Entry::release);
        ReleaseLine {
            number: *number,
            name: name.clone(),
            date: recorded.map(|release| release.date.clone()).unwrap_or_default(),
            recipients: recorded.map(|release| release.recipients.clone()).unwrap_or_default(),
            columns: recorded.map(ReleaseRecord::column_names).unwrap_or_default(),
            records: recorded.map_or(0, |release| release.records),
        }
    };
    let attack = |attack: &AttackRun| Attack {
        title: attack.title.clone(),
        text: match (&attack.not_run, attack.findings.first()) {
            (Some(why), _) => format!("not run: {why}"),
            (None, None) => match &attack.not_checked {
                None => "no findings".to_owned(),
                Some(why) => format!("no findings (incomplete: {why})"),
            },
            (None, Some(first)) => {
                let first = match attack.findings.len() {
                    1 => first.text.clone(),
                    many => format!("{} findings, for example: {}", format_count(many as u64), first.text),
                };
                match &attack.not_checked {
                    Some(why) => format!("{first} (incomplete: {why})"),
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
        not_established: coalition.not_established.clone(),
        violations: coalition.violations.clone(),
        releases: coalition.audit.releases.iter().map(line).collect(),
        timeline: coalition.then.clone(),
        attacks: coalition.attacks.iter().map(attack).collect(),
    }
}
