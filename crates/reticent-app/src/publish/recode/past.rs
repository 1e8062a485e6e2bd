//! Earlier releases, as algorithms and the disclosure gate need them.

use reticent::audit::Proof;
use reticent::error::Obstacle;
use reticent::policy::Policy;
use reticent::requirement::UnresolvedName;
use reticent::{History, InconsistentRules, Links, RecordedRelease, Role};
use reticent_ledger::{Entry, HistoryQuery, Ledger};

use super::super::check_complete;
use super::super::plan::{LoadedHistory, Plan};
use crate::dataset::PreparedData;
use crate::error::Result;

/// Earlier releases that a new release is judged with.
#[derive(Default)]
pub(crate) struct EarlierReleases {
    /// Earlier releases, for joins.
    pub history: History,
    /// Indices in `history` of the releases that each coalition with a recipient holds.
    pub by_coalition: Vec<Vec<usize>>,
    /// Owner links of each release in `history`, for the audit.
    owner_links: Vec<Option<Links>>,
    /// Columns of each release in `history` that an amendment made identifiers. Joins use them as quasi-identifiers.
    identifiers: Vec<Vec<usize>>,
}

/// A new release that has owner links.
pub(crate) struct NewRelease<'a> {
    pub links: &'a Links,
    /// Names and roles of its columns.
    pub columns: Vec<(&'a str, Role)>,
    /// Pairs of values that no person has, and columns that vary.
    pub rules: &'a [InconsistentRules],
}

impl EarlierReleases {
    /// Loads the earlier releases that the new release is judged with.
    ///
    /// Loads owner links if the audit needs them, and for joins with releases in which a person has several records.
    pub fn load(ledger: &Ledger, recalled: &LoadedHistory, plan: &Plan<'_>) -> Result<EarlierReleases> {
        let (entries, numbers, needs_links) = (&recalled.entries, &recalled.earlier, links_owners(&plan.loaded.policy));
        let mut past = EarlierReleases::default();
        if !numbers.is_empty() {
            past.history = check_complete(ledger.history(HistoryQuery { numbers: Some(numbers), links: None })?)?;
        }
        let EarlierReleases { history, owner_links, identifiers, .. } = &mut past;
        for earlier in &mut history.releases {
            let entry = entries.iter().find(|entry| entry.number == earlier.number);
            if !earlier.presentation.is_none() {
                let (release, name) = (earlier.number, earlier.name.clone());
                return Err(reticent::Error::CannotCheck(Obstacle::NotRecordwise { release, name }).into());
            }
            let record = entry.and_then(Entry::release);
            let several = record.and_then(|release| release.links.as_ref().map(|links| links.people < release.records));
            if let Some(entry) = entry.filter(|_| needs_links || several == Some(true)) {
                earlier.links = ledger.links(entry)?;
            }
            *earlier = earlier.clone().canonical();
            let columns = earlier.release.columns.iter_mut().enumerate();
            let shown = columns.filter(|(_, column)| column.role == Role::Identifier);
            identifiers.push(
                shown
                    .map(|(at, column)| {
                        column.role = Role::QuasiIdentifier;
                        at
                    })
                    .collect(),
            );
            owner_links.push(earlier.links.clone().filter(|_| needs_links));
            earlier.links = earlier.links.take().filter(|_| several == Some(true));
        }
        past.by_coalition = past.indices(&recalled.by_coalition);
        Ok(past)
    }

    /// Returns a release with its owner links.
    pub fn with_owner_links(&self, at: usize) -> RecordedRelease {
        let links = self.owner_links.get(at).cloned().flatten();
        let mut recorded = RecordedRelease { links, ..self.history.releases[at].clone() };
        for column in self.identifiers.get(at).into_iter().flatten() {
            recorded.release.columns[*column].role = Role::Identifier;
        }
        recorded
    }

    /// Returns whether the audit models everything by which records of these releases and of a new one can be linked: every record has an
    /// owner, each release has people of the new one, common columns are quasi-identifiers or sensitive columns in both, and no rule
    /// excludes pairs of values. A population register adds nothing if it shares only quasi-identifiers.
    pub fn are_linked(&self, releases: &[usize], new: &NewRelease<'_>) -> bool {
        let is_linked = |at: &usize| {
            let rows = self.history.releases[*at].release.contingency.rows();
            let links = self.owner_links.get(*at).and_then(Option::as_ref);
            links
                .is_some_and(|links| !links.has_unowned() && links.rows() == rows && links.have_common_owner(new.links))
        };
        let (registers, linked): (Vec<usize>, Vec<usize>) =
            releases.iter().partition(|at| self.history.releases[**at].population);
        let mut columns: Vec<Vec<(&str, Role)>> = vec![new.columns.clone()];
        let columns_of = |at: &usize| -> Vec<(&str, Role)> {
            let columns = &self.history.releases[*at].release.columns;
            columns.iter().map(|column| (column.name.as_str(), column.role)).collect()
        };
        columns.extend(linked.iter().map(columns_of));
        let is_varying = |name: &str| new.rules.iter().any(|rule| rule.varying_column() == Some(name));
        let is_modelled = |(name, role): &(&str, Role), others: &[(&str, Role)]| {
            let is_known = [Role::QuasiIdentifier, Role::Sensitive].contains(role);
            is_varying(name) || others.iter().all(|(other, theirs)| other != name || (is_known && theirs == role))
        };
        let all_modelled = (0..=linked.len())
            .all(|at| columns[..at].iter().all(|others| columns[at].iter().all(|column| is_modelled(column, others))));
        // The audit's attacker knows the quasi-identifiers of everybody, but no other column of a register.
        let register_is_known = |at: &usize| {
            let register = columns_of(at);
            let is_known = |(name, role): &(&str, Role)| {
                *role == Role::QuasiIdentifier || is_varying(name) || register.iter().all(|(theirs, _)| theirs != name)
            };
            columns.iter().flatten().all(is_known)
        };
        !new.links.has_unowned()
            && registers.iter().all(register_is_known)
            && linked.iter().all(is_linked)
            && all_modelled
            && new.rules.iter().all(|rule| rule.varying_column().is_some())
    }

    /// Converts release numbers to indices in the history.
    pub fn indices(&self, by_coalition: &[Vec<u64>]) -> Vec<Vec<usize>> {
        let index = |number: &u64| self.history.releases.iter().position(|earlier| earlier.number == *number);
        by_coalition.iter().map(|numbers| numbers.iter().filter_map(index).collect()).collect()
    }
}

/// Returns whether the audit links the records of people: an owner column and a confidence bound exist, and the audit is on.
fn links_owners(policy: &Policy) -> bool {
    policy.owner.is_some() && policy.audit != Proof::Off
}

/// Returns messages about releases that the policy names and the ledger does not have: likely misspellings, and others.
///
/// # Errors
///
/// Returns an error if the policy names an unknown column.
pub(super) fn unresolved_names(plan: &Plan<'_>, recalled: &LoadedHistory) -> Result<(Vec<String>, Vec<String>)> {
    let (loaded, name) = (&plan.loaded, plan.request.name.as_str());
    let columns = |release: &'_ reticent_ledger::ReleaseRecord| -> Vec<String> {
        release.columns.iter().map(|column| column.name.clone()).collect()
    };
    let (unrelated, related): (Vec<&Entry>, Vec<&Entry>) =
        recalled.entries.iter().partition(|entry| plan.access.data_sets.excludes(entry));
    let unrelated: Vec<&str> =
        unrelated.iter().filter_map(|entry| entry.release().map(|release| release.name.as_str())).collect();
    let released = related.iter().filter_map(|entry| entry.held_release());
    let released: Vec<(&str, Vec<String>)> =
        released.map(|release| (release.name.as_str(), columns(release))).collect();
    let all = loaded.schema.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    let mut known: Vec<(&str, Vec<&str>)> =
        released.iter().map(|(name, columns)| (*name, columns.iter().map(String::as_str).collect())).collect();
    known.push((name, all));
    let (mut likely, mut other) = (Vec::new(), Vec::new());
    for unresolved in reticent::requirement::unresolved(&loaded.policy.models, &known, &loaded.schema) {
        match unresolved {
            UnresolvedName::Release(name) if unrelated.contains(&name.as_str()) => likely.push(format!(
                "the policy names release {name} of a data set that it declares unrelated; requirements on it were ignored"
            )),
            UnresolvedName::Release(name) => {
                let hint = reticent::error::did_you_mean(&name, known.iter().map(|(name, _)| *name));
                let messages = if hint.is_some() { &mut likely } else { &mut other };
                let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                let mut all = recalled.entries.iter().filter_map(Entry::release);
                let why = match all.any(|release| release.name == name) {
                    true => "was withdrawn",
                    false => "is not in the ledger",
                };
                messages.push(format!(
                    "the policy names release {name}, which {why}{hint}; requirements on it were ignored"
                ));
            }
            UnresolvedName::Column(release, column) => {
                let has = known.iter().find(|(name, _)| *name == release).map(|(_, columns)| columns.iter().copied());
                let hint = reticent::error::did_you_mean(&column, has.into_iter().flatten());
                let message =
                    format!("the policy names `{release}.{column}`, but release {release} has no such column");
                return Err(reticent::Error::Policy { line: None, message, hint }.into());
            }
            UnresolvedName::Word(word) => {
                let columns = known.iter().flat_map(|(_, columns)| columns.iter().copied());
                let message = format!("the policy names the column `{word}`, which neither the data nor a release has");
                let hint = reticent::error::did_you_mean(&word, columns);
                return Err(reticent::Error::Policy { line: None, message, hint }.into());
            }
        }
    }
    Ok((likely, other))
}

/// Returns a note for each `inconsistent` rule of the policy with a value that does not occur.
pub(super) fn unknown_values(plan: &Plan<'_>, prepared: &PreparedData, past: &EarlierReleases) -> Vec<String> {
    let raw = reticent::Recoding::identity(&prepared.table);
    let ours = raw.columns.iter().map(|recoded| &recoded.column);
    let theirs = past.history.releases.iter().flat_map(|earlier| &earlier.release.columns);
    let columns: Vec<_> = ours.chain(theirs).collect();
    let unknown = reticent::join::unknown_values(&plan.loaded.policy.inconsistent, &columns);
    let note = |(column, value): &(&str, &str)| {
        format!(
            "`inconsistent` under [history] names the value \"{value}\" of {column}, which neither the data nor a release has; the \
             rule has no effect"
        )
    };
    unknown.iter().map(note).collect()
}
