//! Remedies for a refused release, each checked by the models, the joins and the audit.

use reticent::audit::admit_recoded;
use reticent::{Confidence, Recoding, RecordedRelease, RefusedRelease, Remedies, Remedy, Role, SeriesStart};

use super::past::EarlierReleases;
use super::{CONFIDENCE_BOUNDING, LoadedHistory, Plan, RecodeMaker};
use crate::error::Result;

impl RecodeMaker<'_> {
    pub(super) fn remedies(&self, recalled: &LoadedHistory, past: &EarlierReleases) -> Result<Remedies> {
        let Plan { request, loaded, context, access, recipients: to, .. } = self.plan;
        context.progress("searching for remedies", 0, 0);
        let policy = &loaded.policy;
        let others = |one: &String| -> Vec<String> { to.iter().filter(|other| *other != one).cloned().collect() };
        let mut recipients = Vec::new();
        for one in to.iter().filter(|_| to.len() > 1 && !past.by_coalition.is_empty()) {
            let by_coalition = past.indices(&access.releases_by_coalition(&recalled.entries, &others(one))?);
            recipients.push((one.clone(), by_coalition));
        }
        let suppressed = self.suppressed_release()?;
        // Audits the fully generalized release after a change. Without a change, returns the highest posterior.
        let audit = |remedy: Option<&Remedy>| -> Result<f64> {
            let watch = || self.plan.watch_audit();
            let mut gate = self.plan.gate(&watch)?;
            let (mut candidate, mut by_coalition) = (suppressed.clone(), &past.by_coalition);
            match remedy {
                None => gate.confidence = None,
                Some(Remedy::Columns(names)) => candidate = candidate.without_columns(names),
                Some(Remedy::Recipient(name)) => {
                    candidate.recipients = others(name);
                    by_coalition = recipients.iter().find(|(one, _)| one == name).map_or(by_coalition, |(_, of)| of);
                }
                Some(Remedy::Thresholds(changes)) => {
                    let confidence = changes.iter().find(|change| change.model == CONFIDENCE_BOUNDING);
                    if let Some(change) = confidence.filter(|_| gate.confidence.is_some()) {
                        gate.confidence = Some(Confidence::new(change.to)?);
                    }
                }
            }
            let earlier = |at: usize| past.with_owner_links(at);
            Ok(admit_recoded(&candidate, &past.history, by_coalition, &earlier, &gate)?.upper)
        };
        let posterior = self.confidence_spec().and_then(|spec| Some((spec, audit(None).ok()?)));
        let refused = RefusedRelease {
            name: request.name.as_str(),
            table: &self.prepared.table,
            schema: &loaded.schema,
            specs: &policy.join_model_specs(),
            shorthand_specs: policy.shorthand.expand_all().len(),
            history: &past.history,
            sets: &self.joined_sets(past, &past.by_coalition)?,
            rules: &self.data.rules,
            applies: &|spec: usize, set: &[usize]| self.applies_to_join(spec, set, past),
            posterior,
            admits: &|remedy: &Remedy| audit(Some(remedy)).is_ok(),
        };
        let joined =
            |(one, by_coalition): &(String, Vec<Vec<usize>>)| Ok((one.clone(), self.joined_sets(past, by_coalition)?));
        let found = refused.remedies(&recipients.iter().map(joined).collect::<Result<Vec<_>>>()?)?;
        // A series does not help a release that violates the policy alone.
        let is_joint = found.violations.iter().all(|violation| !violation.releases.is_empty());
        Ok(Remedies { series: self.series_start(past).filter(|_| is_joint), ..found })
    }

    /// Returns the republication method that can continue the earlier releases: one of them shows the sensitive columns of known owners.
    pub(super) fn series_start(&self, past: &EarlierReleases) -> Option<SeriesStart> {
        let table = &self.prepared.table;
        let sensitive: Vec<&str> =
            table.with_role(Role::Sensitive).into_iter().map(|at| table.columns[at].name.as_str()).collect();
        let mut earlier = (0..past.history.releases.len()).map(|at| past.with_owner_links(at));
        let continues = |release: RecordedRelease| {
            let shown = &release.release.columns;
            let is_shown = |name: &&str| {
                shown.iter().any(|column| column.role == Role::Sensitive && column.name.as_str() == *name)
            };
            release.links.is_some() && sensitive.iter().all(is_shown)
        };
        let is_known = !sensitive.is_empty() && self.prepared.linked.is_some() && earlier.any(continues);
        is_known.then(|| SeriesStart::new(&sensitive, self.plan.loaded.policy.shorthand.confidence))
    }

    /// Returns the release with every quasi-identifier suppressed, as the ledger would record it.
    fn suppressed_release(&self) -> Result<RecordedRelease> {
        let recoding = Recoding::suppressed(&self.prepared.table);
        let published = recoding.apply(&self.prepared.table)?.counts();
        Ok(self.as_recorded(&recoding, &published)?)
    }
}
