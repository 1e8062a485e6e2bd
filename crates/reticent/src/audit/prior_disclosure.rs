//! Prior disclosure: posteriors above the threshold before the newest release, which do not count against it.

use hashbrown::HashMap;

use super::attacker_view::AttackerView;
use super::identity::{IdentityRisks, PriorRisks};
use super::marginals::{ColumnPosterior, marginals};
use super::multi_record::MultiRecord;
use super::{AuditOptions, HistoryViews, to_fraction, views};
use crate::data::links::Pseudonym;
use crate::error::Result;
use crate::release::history::{History, RecordedRelease};
use reticent_inference::{Fraction, Solution, SolveOptions, solve};

/// Values with a posterior certainly above the threshold without the newest release, by sensitive column and person, with the
/// lower bound of the posterior.
#[derive(Default)]
pub(super) struct PriorDisclosure(pub(super) HashMap<String, HashMap<Pseudonym, HashMap<String, Fraction>>>);

/// Computes the people whose re-identification risk exceeded the bound before the newest release.
pub(super) fn prior_risks(history: &History, options: &AuditOptions) -> Result<PriorRisks> {
    let earlier = earlier_releases(history);
    let Some(threshold) = options.reidentification.filter(|_| !earlier.is_empty()) else {
        return Ok(PriorRisks::default());
    };
    let history = History { releases: earlier.to_vec(), ..History::default() };
    let history = &*history.in_views();
    let options = AuditOptions { identity: true, ..options.clone() };
    let HistoryViews { asked, others } = views(history, &options)?;
    let solve_view = |view: AttackerView| {
        let solve_options = SolveOptions { bounds_only: view.relaxed, entropy: false, ..options.solve };
        let solution = solve(&view.problem(), &solve_options)?;
        Ok((view, solution))
    };
    let solved = asked.into_iter().chain(others).map(solve_view).collect::<Result<Vec<_>>>()?;
    let parts: Vec<(&AttackerView, &Solution)> = solved.iter().map(|(view, solution)| (view, solution)).collect();
    Ok(IdentityRisks::new(history, &parts).above(to_fraction(threshold)))
}

/// Releases before the newest one. A release can have several tables.
fn earlier_releases(history: &History) -> &[RecordedRelease] {
    let newest = history.releases.last().map(|recorded| recorded.number);
    let earlier = history.releases.iter().rposition(|recorded| Some(recorded.number) != newest).map_or(0, |at| at + 1);
    &history.releases[..earlier]
}

/// Computes the prior disclosures of a history. Empty if the options have no threshold.
pub(super) fn prior_disclosure(history: &History, options: &AuditOptions) -> Result<PriorDisclosure> {
    let mut prior = PriorDisclosure::default();
    let earlier = earlier_releases(history);
    if !options.bounds_posteriors() || earlier.is_empty() {
        return Ok(prior);
    }
    let history = History { releases: earlier.to_vec(), ..History::default() };
    for view in views(&history.in_views(), options)?.asked {
        let solution =
            solve(&view.problem(), &SolveOptions { bounds_only: view.relaxed, entropy: false, ..options.solve })?;
        let multi_record = MultiRecord::new(&view);
        // A time-varying column had another value before.
        let lasting = |(_, column): &(usize, &String)| !options.time_varying.contains(column);
        for (at, column) in view.domain.columns.iter().enumerate().filter(lasting) {
            let Some(threshold) = options.threshold(column).map(to_fraction) else { continue };
            let above = |posteriors: &[ColumnPosterior], threshold: Fraction| -> Vec<(u32, Fraction)> {
                let above = posteriors
                    .iter()
                    .filter(|posterior| posterior.lower > threshold || posterior.lower == Fraction::ONE);
                above.map(|posterior| (posterior.value, posterior.lower)).collect()
            };
            // Many people share a class: compute its disclosures once.
            let of_class = |class_id: usize| match view.is_informative_for(class_id as u32, at) {
                true => above(&marginals(&view.domain, at, &solution.classes[class_id]), threshold),
                false => Vec::new(),
            };
            let of_class: Vec<Vec<(u32, Fraction)>> = (0..view.classes.len()).map(of_class).collect();
            let known = prior.0.entry(column.clone()).or_default();
            for person in &view.people {
                let disclosed = match person.classes.as_slice() {
                    [class_id] => of_class[*class_id as usize].clone(),
                    _ => {
                        // As in the audit: each record, and certainty over all records of a release.
                        let records = multi_record.records(&solution, at, person);
                        let all = multi_record.by_release(&records, at);
                        let certain = all.iter().flat_map(|(_, posteriors)| above(posteriors, Fraction::ONE));
                        records.iter().flat_map(|(_, posteriors)| above(posteriors, threshold)).chain(certain).collect()
                    }
                };
                let mut values: HashMap<String, Fraction> = HashMap::new();
                for (value, lower) in disclosed {
                    let value = view.domain.values[at][value as usize].as_str();
                    let known = values.entry_ref(value).or_insert(lower);
                    *known = (*known).max(lower);
                }
                if let Some(pseudonym) = person.pseudonym.filter(|_| !values.is_empty()) {
                    known.insert(pseudonym, values);
                }
            }
        }
    }
    Ok(prior)
}
