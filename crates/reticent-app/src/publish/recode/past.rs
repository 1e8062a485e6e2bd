//! What was released before, as algorithms and the gate need it.

use reticent::audit::Proof;
use reticent::error::Obstacle;
use reticent::policy::Policy;
use reticent::requirement::Unheard;
use reticent::{Held, History, Links};
use reticent_ledger::{Entry, Ledger, Wanted};

use super::super::plan::{Plan, Recalled};
use super::super::whole;
use crate::dataset::Prepared;
use crate::error::Result;

/// What was released before.
#[derive(Default)]
pub(crate) struct EarlierReleases {
    /// The releases with which the next one is judged.
    pub history: History,
    /// Those that each coalition of its recipients holds, by place in the history.
    pub held: Vec<Vec<usize>>,
    /// By release of the history: its owner links, for the audit.
    people: Vec<Option<Links>>,
}

impl EarlierReleases {
    /// The releases with these numbers, and whose their records are: where people are followed, and where the join needs to know,
    /// because a person has several records.
    pub fn load(ledger: &Ledger, recalled: &Recalled, plan: &Plan<'_>) -> Result<EarlierReleases> {
        let (entries, numbers, follows) = (&recalled.entries, &recalled.beside, follows(&plan.loaded.policy));
        let mut past = EarlierReleases::default();
        if !numbers.is_empty() {
            past.history = whole(ledger.history(Wanted { numbers: Some(numbers), links: None })?)?;
        }
        let EarlierReleases { history, people, .. } = &mut past;
        for held in &mut history.releases {
            let entry = entries.iter().find(|entry| entry.number == held.number);
            if !held.disguise.is_none() {
                let (release, name) = (held.number, held.name.clone());
                return Err(reticent::Error::CannotCheck(Obstacle::NotRecordwise { release, name }).into());
            }
            let recorded = entry.and_then(Entry::release);
            let several =
                recorded.and_then(|release| release.links.as_ref().map(|links| links.people < release.records));
            if let Some(entry) = entry.filter(|_| follows || several == Some(true)) {
                held.links = ledger.links(entry)?;
            }
            *held = held.clone().canonical();
            people.push(held.links.clone().filter(|_| follows));
            held.links = held.links.take().filter(|_| several == Some(true));
        }
        past.held = past.places(&recalled.held);
        Ok(past)
    }

    /// A release with its owner links.
    pub fn with_people(&self, at: usize) -> Held {
        let links = self.people.get(at).cloned().flatten();
        Held { links, ..self.history.releases[at].clone() }
    }

    /// Release numbers as places in the history.
    pub fn places(&self, held: &[Vec<u64>]) -> Vec<Vec<usize>> {
        let place = |number: &u64| self.history.releases.iter().position(|held| held.number == *number);
        held.iter().map(|held| held.iter().filter_map(place).collect()).collect()
    }
}

/// Whether people are followed from release to release: the audit does, where there is a bound to hold.
fn follows(policy: &Policy) -> bool {
    policy.owner.is_some() && policy.short.confidence.is_some() && policy.audit != Proof::Off
}

/// What the policy says of releases that are not there, of which nothing is demanded: those that are likely a slip of the pen, and
/// the others.
pub(super) fn unresolved(plan: &Plan<'_>, recalled: &Recalled) -> Result<(Vec<String>, Vec<String>)> {
    let (loaded, name) = (&plan.loaded, plan.request.name.as_str());
    let columns = |release: &'_ reticent_ledger::Recorded| -> Vec<String> {
        release.columns.iter().map(|column| column.name.clone()).collect()
    };
    let released = recalled.entries.iter().filter_map(Entry::release);
    let released: Vec<(&str, Vec<String>)> =
        released.map(|release| (release.name.as_str(), columns(release))).collect();
    let all = loaded.schema.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    let mut known: Vec<(&str, Vec<&str>)> =
        released.iter().map(|(name, columns)| (*name, columns.iter().map(String::as_str).collect())).collect();
    known.push((name, all));
    let (mut likely, mut other) = (Vec::new(), Vec::new());
    for unheard in reticent::requirement::unheard_of(&loaded.policy.models, &known, &loaded.schema) {
        match unheard {
            Unheard::Release(name) => {
                let hint = reticent::error::did_you_mean(&name, known.iter().map(|(name, _)| *name));
                let told = if hint.is_some() { &mut likely } else { &mut other };
                let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
                told.push(format!(
                    "the policy speaks of release {name}, which the ledger does not have{hint}; nothing was demanded of it"
                ));
            }
            Unheard::Column(release, column) => {
                let has = known.iter().find(|(name, _)| *name == release).map(|(_, columns)| columns.iter().copied());
                let hint = reticent::error::did_you_mean(&column, has.into_iter().flatten());
                let message =
                    format!("the policy speaks of `{release}.{column}`, and release {release} has no such column");
                return Err(reticent::Error::Policy { line: None, message, hint }.into());
            }
            Unheard::Word(word) => {
                let columns = known.iter().flat_map(|(_, columns)| columns.iter().copied());
                let message =
                    format!("the policy speaks of `{word}`, which is a column neither of the data nor of a release");
                let hint = reticent::error::did_you_mean(&word, columns);
                return Err(reticent::Error::Policy { line: None, message, hint }.into());
            }
        }
    }
    Ok((likely, other))
}

/// What the policy declares inconsistent and no person has: such a rule has no effect.
pub(super) fn unknown_values(plan: &Plan<'_>, prepared: &Prepared, past: &EarlierReleases) -> Vec<String> {
    let raw = reticent::Recoding::identity(&prepared.table);
    let ours = raw.columns.iter().map(|recoded| &recoded.column);
    let theirs = past.history.releases.iter().flat_map(|held| &held.release.columns);
    let columns: Vec<_> = ours.chain(theirs).collect();
    let unknown = reticent::joined::unknown_values(&plan.loaded.policy.inconsistent, &columns);
    let told = |(column, value): &(&str, &str)| {
        format!(
            "`inconsistent` under [history] speaks of the value \"{value}\" of {column}, which neither the data nor a release has; that rule \
             says nothing"
        )
    };
    unknown.iter().map(told).collect()
}
