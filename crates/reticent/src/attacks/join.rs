//! Join: joins two releases on their common columns.
//!
//! Attack   computes the lossy join of two releases: published values match if they can stand for the same value. For each
//!          combination of known columns, it counts the matching pairs of records and their sensitive values.
//! Assumes  that the person is in both releases. The known columns are the quasi-identifiers that only one of the two releases
//!          has, or `on`: an attacker who also knows the common columns needs no join.
//! Measure  share of the pairs with a sensitive value, and 1 / (number of pairs); reported if it is larger than in each release
//!          alone. Releases are joined in pairs.
//! Paper    Wang and Fung, Anonymizing sequential releases, KDD 2006; survey section 6.1, examples 6.1 and 6.2.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{is_unsuppressed, with_role};
use super::input::{AttackInput, Unchecked, not_runnable, releases};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::join::lossy::{LossyJoin, Tuples};
use crate::ratio::Ratio;
use crate::registry::{Domain, Entry, Kind, ParameterDef};
use crate::release::PublishedColumn;
use crate::release::history::RecordedRelease;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "join",
    title: "join",
    summary: "Computes the lossy join of two releases on their common columns, and links known columns to records and sensitive values.",
    paper: "Wang and Fung, Anonymizing sequential releases, KDD 2006; survey section 6.1",
    protects_against: "record linkage and attribute linkage by joining two releases",
    comparison: false,
    parameters: &[ParameterDef {
        name: "on",
        domain: Domain::Columns,
        default: Some(""),
        meaning: "columns that the attacker knows; default: the quasi-identifiers that only one of the two releases has",
    }],
    evidence: &["attacks::tests::several::join_examples_6_1_and_6_2", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

/// Maximum number of pairs of groups in a join.
const MAX_PAIRS: u64 = 5_000_000;

/// Column of one of the two releases, as (0 or 1, index of the column).
type PairColumn = (usize, usize);

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let arguments = input.arguments(&ENTRY)?;
    let on = arguments.words("on")?;
    let all = releases(input, &ENTRY, 2)?;
    let sensitive = |name: &&String| {
        let mut columns = all.iter().flat_map(|recorded| &recorded.release.columns);
        columns.any(|column| column.name == **name && column.role == Role::Sensitive)
    };
    if let Some(name) = on.and_then(|on| on.iter().find(sensitive)) {
        let reason = format!("`on` lists columns that the attacker knows, and `{name}` is a sensitive column");
        return Err(not_runnable(&ENTRY, &reason));
    }
    let mut unchecked = Unchecked::new(input);
    let mut findings = Vec::new();
    let mut joined = false;
    for (at, second) in all.iter().enumerate() {
        for first in &all[..at] {
            let pair = [first, second];
            let known = known(pair, on);
            if shared(pair).is_empty() || known.is_empty() {
                continue;
            }
            joined = true;
            if let Some(bucketized) = pair.iter().find(|recorded| !recorded.presentation.is_none()) {
                let place = release_text(bucketized);
                unchecked
                    .push(format!("{place} is bucketized: the sensitive value of a record is not that of its owner"));
                continue;
            }
            match join_pair(pair, &known) {
                Some(join) => findings.extend(join.findings(input.confidence)),
                None => unchecked.push(format!(
                    "the join of {} and {} has more than {MAX_PAIRS} pairs of groups",
                    release_text(first),
                    release_text(second)
                )),
            }
        }
    }
    if !joined {
        return Err(not_runnable(&ENTRY, "no two releases have a common column and a known column to link"));
    }
    conclude(&ENTRY, findings, unchecked)
}

/// Names of the common columns of two releases.
fn shared(pair: [&RecordedRelease; 2]) -> Vec<String> {
    let has = |name: &str| pair[1].release.columns.iter().any(|column| column.name == name);
    let names = pair[0].release.columns.iter().map(|column| column.name.clone());
    names.filter(|name| has(name)).collect()
}

/// The columns that the attacker knows: those of `on`, or the quasi-identifiers that are not common.
///
/// Empty if a column of `on` is in neither release.
fn known(pair: [&RecordedRelease; 2], on: Option<&[String]>) -> Vec<PairColumn> {
    let shared = shared(pair);
    let place = |name: &String| {
        (0..2).find_map(|at| Some((at, pair[at].release.columns.iter().position(|column| column.name == *name)?)))
    };
    match on {
        Some(names) => {
            let known: Vec<PairColumn> = names.iter().filter_map(place).collect();
            if known.len() == names.len() { known } else { Vec::new() }
        }
        None => (0..2)
            .flat_map(|at| {
                with_role(&pair[at].release, Role::QuasiIdentifier).into_iter().map(move |column| (at, column))
            })
            .filter(|(at, column)| !shared.contains(&pair[*at].release.columns[*column].name))
            .collect(),
    }
}

/// Join of two releases, grouped by the known columns.
struct PairJoin<'a> {
    pair: [&'a RecordedRelease; 2],
    known: Vec<PairColumn>,
    sensitive: Vec<PairColumn>,
    /// By release: groups of records that the join does not distinguish.
    groups: [ContingencyTable; 2],
    /// By codes of the known columns: matching pairs of records.
    by_known: BTreeMap<Vec<Code>, LinkedTuples>,
}

/// Pairs of records with the same codes of the known columns.
#[derive(Default)]
struct LinkedTuples {
    /// Number of pairs.
    tuples: Tuples,
    /// By release: groups that occur in a pair.
    groups: [BTreeSet<usize>; 2],
    /// By position in `sensitive` and code: number of pairs.
    by_value: BTreeMap<(usize, Code), Tuples>,
}

/// Joins two releases; none if the join has more than [`MAX_PAIRS`] pairs of groups.
fn join_pair<'a>(pair: [&'a RecordedRelease; 2], known: &[PairColumn]) -> Option<PairJoin<'a>> {
    let sensitive: Vec<PairColumn> = (0..2)
        .flat_map(|at| with_role(&pair[at].release, Role::Sensitive).into_iter().map(move |column| (at, column)))
        .collect();
    let requested =
        |at: usize| known.iter().chain(&sensitive).filter(|column| column.0 == at).map(|column| column.1).collect();
    let join = LossyJoin::new(&[&pair[0].release, &pair[1].release], &[], &[requested(0), requested(1)]);
    let places = |columns: &[PairColumn]| -> Option<Vec<PairColumn>> {
        columns.iter().map(|(at, column)| Some((*at, join.place(*at, *column)?))).collect()
    };
    let (of_known, of_sensitive) = (places(known)?, places(&sensitive)?);
    let mut by_known: BTreeMap<Vec<Code>, LinkedTuples> = BTreeMap::new();
    let mut visited = 0;
    join.for_each_while(|tuple, tuples| {
        let linked = by_known.entry(join.value(&of_known, tuple)).or_default();
        linked.tuples = linked.tuples.saturating_add(tuples);
        (0..2).for_each(|at| {
            linked.groups[at].insert(tuple[at]);
        });
        for (which, code) in join.value(&of_sensitive, tuple).into_iter().enumerate() {
            let count = linked.by_value.entry((which, code)).or_insert(0);
            *count = count.saturating_add(tuples);
        }
        visited += 1;
        visited <= MAX_PAIRS
    });
    let groups = [join.groups(0).clone(), join.groups(1).clone()];
    (visited <= MAX_PAIRS).then(|| PairJoin { pair, known: known.to_vec(), sensitive, groups, by_known })
}

impl PairJoin<'_> {
    /// The findings that reach the threshold and that neither release supports alone.
    fn findings(&self, min_confidence: Ratio) -> Vec<Finding> {
        let single = [self.single_release_counts(0), self.single_release_counts(1)];
        let mut findings = Vec::new();
        for (value, linked) in &self.by_known {
            let one = Ratio { numerator: 1, denominator: linked.tuples.max(1) };
            let min_records = (0..2).filter_map(|at| Some(single[at].get(&self.key_part(value, at))?.records)).min();
            if one >= min_confidence && min_records.is_some_and(|records| Tuples::from(records) > linked.tuples) {
                findings.push(self.finding(value, linked, one, None));
            }
            for ((which, code), tuples) in &linked.by_value {
                let share = Ratio { numerator: *tuples, denominator: linked.tuples.max(1) };
                let (at, _) = self.sensitive[*which];
                let before = single[at].get(&self.key_part(value, at));
                let before = before.map(|single| single.share(*which, *code)).unwrap_or(Ratio::new(0, 1));
                let published = self.published(self.sensitive[*which]);
                if share >= min_confidence && share > before && is_unsuppressed(published, *code) {
                    findings.push(self.finding(value, linked, share, Some((*which, *code))));
                }
            }
        }
        findings
    }

    fn published(&self, (at, column): PairColumn) -> &PublishedColumn {
        &self.pair[at].release.columns[column]
    }

    /// The codes of the known columns that belong to one of the two releases.
    fn key_part(&self, value: &[Code], at: usize) -> Vec<Code> {
        self.known.iter().zip(value).filter(|(column, _)| column.0 == at).map(|(_, code)| *code).collect()
    }

    /// By codes of the known columns of one release: its matching records.
    fn single_release_counts(&self, at: usize) -> HashMap<Vec<Code>, SingleReleaseCounts> {
        let combos = &self.pair[at].release.contingency;
        let known: Vec<usize> = self.known.iter().filter(|column| column.0 == at).map(|column| column.1).collect();
        let mut counts: HashMap<Vec<Code>, SingleReleaseCounts> = HashMap::new();
        for row in 0..combos.len() {
            let key = known.iter().map(|column| combos.codes[*column][row]).collect();
            let single = counts.entry(key).or_default();
            single.records += combos.weights[row];
            for (which, (_, column)) in self.sensitive.iter().enumerate().filter(|(_, column)| column.0 == at) {
                *single.by_value.entry((which, combos.codes[*column][row])).or_insert(0) += combos.weights[row];
            }
        }
        counts
    }

    fn finding(
        &self,
        value: &[Code],
        linked: &LinkedTuples,
        share: Ratio,
        disclosed: Option<(usize, Code)>,
    ) -> Finding {
        let column = |at: PairColumn| self.published(at);
        let cells = self.known.iter().zip(value);
        let class: Vec<(String, String)> =
            cells.map(|(at, code)| (column(*at).name.clone(), column(*at).label(*code).to_owned())).collect();
        // The pairs cannot be about more people than either release has records.
        let records = |at: usize| linked.groups[at].iter().map(|group| self.groups[at].weights[*group]).sum::<Weight>();
        let people = records(0).min(records(1));
        let (certain, subject) = (share == Ratio::new(1, 1), people_in_class(people, &class));
        let statement = match disclosed {
            None if linked.tuples == 1 => format!("{subject} can be linked to one record of each release"),
            None => format!("{subject} can be linked to {} pairs of records", linked.tuples),
            Some((which, _)) => {
                let name = &column(self.sensitive[which]).name;
                let qualifier = if certain { "with certainty".to_owned() } else { format!("with posterior {share}") };
                format!("the {name} of {subject} can be inferred {qualifier}")
            }
        };
        let [first, second] = self.pair;
        let on = shared(self.pair).join(", ");
        let named = |(which, code): (usize, Code)| {
            let published = column(self.sensitive[which]);
            (published.name.clone(), DisclosedValue { code: Some(code), label: published.label(code).to_owned() })
        };
        let (column, value) = disclosed.map(named).unzip();
        Finding {
            attack: ENTRY.id,
            releases: vec![first.number, second.number],
            people,
            records: Some(Weight::try_from(linked.tuples).unwrap_or(Weight::MAX)),
            confidence: AttackConfidence::Exact(share),
            certain,
            class,
            column,
            value,
            text: format!("{statement} when {} and {} are joined on {on}", release_text(first), release_text(second)),
        }
    }
}

/// Records of one release with the same codes of the known columns.
#[derive(Default)]
struct SingleReleaseCounts {
    /// Number of records.
    records: Weight,
    /// By position in the sensitive columns and code: number of records.
    by_value: BTreeMap<(usize, Code), Weight>,
}

impl SingleReleaseCounts {
    /// Share of the records with a code of a sensitive column.
    fn share(&self, which: usize, code: Code) -> Ratio {
        Ratio::new(self.by_value.get(&(which, code)).copied().unwrap_or(0), self.records)
    }
}
