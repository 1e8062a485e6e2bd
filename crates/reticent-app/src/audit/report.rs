//! The disclosure risk report of an audit, either internal or public.

use reticent::audit::AttackRun;
use reticent::text::format_count;
use reticent_ledger::{Entry, ReleaseRecord};
use reticent_report::{Attack, Coalition, ReleaseLine, Report};

use crate::answer::{AuditAnswer, CoalitionAudit, ReportFacts};
use crate::dataset::LoadedPolicy;
use crate::fragment::MIN_PUBLIC_COUNT;

/// Returns the facts that the report shows besides the figures.
pub(super) fn facts(entries: &[Entry], loaded: Option<&LoadedPolicy>, today: &str) -> ReportFacts {
    let dataset = loaded.map_or_else(|| "data".to_owned(), |loaded| loaded.policy.dataset.clone());
    let line = |(entry, recorded): (&Entry, &ReleaseRecord)| ReleaseLine {
        number: entry.number,
        name: recorded.name.clone(),
        date: recorded.date.clone(),
        recipients: recorded.recipients.clone(),
        columns: recorded.column_names(),
        records: recorded.records,
    };
    let releases = entries.iter().filter_map(|entry| Some((entry, entry.release()?))).map(line).collect();
    ReportFacts { dataset, date: today.to_owned(), releases }
}

impl AuditAnswer {
    /// Returns the disclosure risk report: the internal or the public one.
    pub fn report(&self, public: bool) -> Report {
        let ReportFacts { dataset, date, releases } = &self.facts;
        Report {
            title: format!("Disclosure risk report: {dataset}"),
            date: date.clone(),
            dataset: dataset.clone(),
            coalitions: self.coalitions.iter().map(|coalition| report_coalition(coalition, releases)).collect(),
            public,
            min_count: MIN_PUBLIC_COUNT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

fn report_coalition(coalition: &CoalitionAudit, releases: &[ReleaseLine]) -> Coalition {
    let line = |(number, name): &(u64, String)| {
        let known = releases.iter().find(|release| release.number == *number);
        known.cloned().unwrap_or_else(|| ReleaseLine { number: *number, name: name.clone(), ..ReleaseLine::default() })
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
