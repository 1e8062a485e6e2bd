//! The audit: what an attacker can infer about each person from a release history.
//!
//! The default attacker knows every person's quasi-identifiers and the releases that contain each person. So the attacker
//! knows every person's group in each release, but not which record of the group is whose. All assignments of the published
//! values to people that are consistent with every release (possible worlds) are equally likely to the attacker.
//! [`Audit::assumptions`] lists what the audit assumes, and [`Audit::not_considered`] the attackers that it leaves out.

mod adversaries;
mod attacker_view;
mod exchangeability;
mod explanation;
mod figures;
mod gate;
pub(crate) mod group_checks;
mod identity;
mod knowledge;
mod marginal_tables;
mod marginals;
mod multi_record;
mod options;
mod pairs;
mod populations;
mod prior_disclosure;
mod scale;
mod sensitive_domain;
mod serde_pairs;
#[cfg(test)]
mod tests;
mod timeline;
mod verdict;

use crate::attacks::definetti;
use crate::data::links::Pseudonym;
use crate::data::schema::Role;
use crate::error::{Error, KnowledgeFault, Obstacle, Result};
use crate::ratio::Ratio;
use crate::release::PublishedColumn;
use crate::release::history::{History, RecordedRelease};
pub use crate::release::identified::IdentifiedPeople;
use reticent_inference::{Solution, solve};

pub use adversaries::{AttackContext, AttackRun, algorithm_attacks, attack, disclosures, known_attack};
pub use attacker_view::AttackerView;
pub use exchangeability::{Exchangeability, exchangeability};
pub use explanation::{ExplainingGroup, Explanation};
use figures::WorstCase;
pub use figures::{ColumnAudit, PosteriorRange};
pub use gate::{
    Audited, AuditedColumn, AuditedGroups, Gate, GroupedCandidate, Proof, RecordSetBound, admit_grouped, admit_recoded,
};
pub use identity::{Identity, MeanRisk};
use identity::{IdentityRisks, PriorRisks};
pub use knowledge::{BackgroundKnowledge, BackgroundStatement, KnownValue};
pub use marginals::ColumnPosterior;
pub use options::AuditOptions;
pub use pairs::PairAudit;
pub use populations::PopulationRegister;
pub use reticent_inference::{Fraction, Sampled, SolveOptions, SolveStats};
pub use timeline::{Timeline, TimelineColumn, TimelinePoint, timeline};
pub use verdict::{Disclosure, is_certain, is_within, not_established};

/// The result of an audit: the inferences that a release history allows.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Audit {
    /// Number and name of each release, oldest first.
    #[serde(serialize_with = "serde_pairs::releases")]
    pub releases: Vec<(u64, String)>,
    /// Number of people in the history. In releases without owner links, every record counts as one person.
    pub people: u64,
    /// Results by sensitive column.
    pub columns: Vec<ColumnAudit>,
    /// Results for pairs of releases of which at least one has no owner links.
    pub pairs: Vec<PairAudit>,
    /// Re-identification and linkage risks.
    pub identity: Identity,
    /// Worst cases, the most severe first.
    pub worst: Vec<Case>,
    /// Results by person, if requested.
    pub persons: Option<Vec<PersonAudit>>,
    /// Natural logarithm of the number of possible worlds, if it is known.
    pub ln_worlds: Option<f64>,
    /// Number of possible worlds in decimal digits, if it is known and below 2^128.
    pub worlds: Option<String>,
    /// Number of people with several records in one release.
    pub multi_record_people: u64,
    /// Number of people whose sensitive value changed between releases.
    pub changed_people: u64,
    /// Numbers of the releases without owner links.
    pub unlinked: Vec<u64>,
    /// Releases that show identifiers. Everybody whose record shows one is identified.
    pub identified: Vec<IdentifiedPeople>,
    /// Population registers that the attacker has. They are no releases of the history.
    pub populations: Vec<PopulationRegister>,
    /// Numbers of the releases without owner links whose combination with other releases could not be judged.
    pub unresolved: Vec<u64>,
    /// Statistics of the solver.
    pub stats: SolveStats,
    /// Assumptions about the attacker and the data.
    pub assumptions: Vec<String>,
    /// Attackers that the audit does not consider.
    pub not_considered: Vec<String>,
}

/// One of the worst cases: people of one class with the same posterior.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Case {
    /// Number of people in this case.
    pub people: u64,
    /// Pseudonyms of up to five of these people.
    pub pseudonyms: Vec<String>,
    /// Sensitive column.
    pub column: String,
    /// Inferred value. Confidential.
    pub value: String,
    /// Posterior of the value.
    pub posterior: ColumnPosterior,
    /// Minimal set of releases and groups that implies the lower bound of the posterior, if one was found.
    pub explanation: Option<Explanation>,
}

/// All posteriors of one person.
#[derive(Debug, Clone, serde::Serialize)]
pub struct PersonAudit {
    /// Pseudonym; `None` in a release without owner links.
    pub pseudonym: Option<String>,
    /// Number of people that this entry stands for.
    pub people: u64,
    /// Prosecutor risk: maximum probability that a record belongs to this person.
    pub reidentification: PosteriorRange,
    /// Posteriors by column. A column has several entries if the person has several records or a changed value.
    pub columns: Vec<PersonColumnAudit>,
}

/// The posteriors of one sensitive column of a person.
#[derive(Debug, Clone, serde::Serialize)]
pub struct PersonColumnAudit {
    /// Sensitive column.
    pub column: String,
    /// Possible values with their posteriors. Confidential.
    #[serde(serialize_with = "serde_pairs::values")]
    pub values: Vec<(String, ColumnPosterior)>,
}

/// Audits a release history.
///
/// # Errors
///
/// Returns an error if a requested column is unknown, if the background knowledge is invalid, or if the releases contradict
/// each other or are too large to judge.
pub fn audit(history: &History, options: &AuditOptions) -> Result<Audit> {
    let populations = populations::registers(history);
    let history = &*history.without_populations();
    // An unknown column is an error, not a column without disclosure.
    sensitive_domain::sensitive_columns(history, options.columns.as_deref())?;
    let (with_identified, identified) = history.with_identified_people();
    let whole = &*with_identified;
    let history = &*whole.in_views();
    let mut parts = Vec::new();
    let HistoryViews { asked, others } = views(history, options)?;
    let solve_view = |view: &AttackerView| {
        let solve_options = SolveOptions { bounds_only: view.relaxed, ..options.solve };
        solve(&view.problem(), &solve_options).map_err(|error| knowledge_at_fault(error.into(), history, options))
    };
    for view in asked {
        let solution = solve_view(&view)?;
        let tally = figures::AuditTally::new(&view, &solution, options, &prior_disclosure::PriorDisclosure::default());
        parts.push(AuditPart { view, solution, tally });
    }
    let others = others.into_iter().map(|view| solve_view(&view).map(|solution| (view, solution)));
    let others = others.collect::<Result<Vec<_>>>()?;
    let may_be_above = |part: &AuditPart| part.tally.columns.iter().any(|column| column.may_be_above > 0);
    if options.only_new && parts.iter().any(may_be_above) {
        let prior = prior_disclosure::prior_disclosure(whole, options)?;
        for part in &mut parts {
            part.tally = figures::AuditTally::new(&part.view, &part.solution, options, &prior);
        }
    }
    let risks = options.identity.then(|| {
        let asked = parts.iter().map(|part| (&part.view, &part.solution));
        let all: Vec<(&AttackerView, &Solution)> =
            asked.chain(others.iter().map(|(view, solution)| (view, solution))).collect();
        IdentityRisks::new(history, &all)
    });
    let mut identity = risks.as_ref().map(|risks| risks.summary(options, &PriorRisks::default()));
    if let Some((known, risks)) = identity.as_mut().zip(risks.as_ref())
        && options.only_new
        && known.may_be_above > 0
    {
        *known = risks.summary(options, &prior_disclosure::prior_risks(whole, options)?);
    }
    let view = &parts[0].view;
    let mut releases: Vec<(u64, String)> = Vec::new();
    let mut unlinked: Vec<u64> = Vec::new();
    for (recorded, linked) in history.releases.iter().zip(&view.linked) {
        releases.push((recorded.number, recorded.name.clone()));
        unlinked.extend((!linked).then_some(recorded.number));
    }
    releases.dedup();
    unlinked.dedup();
    // If the records of some people are not linked across releases, the number of worlds is too high.
    let followed = |part: &AuditPart| !part.view.relaxed && !part.view.classes.iter().any(|class| class.incomplete);
    let followed = parts.iter().all(followed);
    let worlds =
        parts.iter().try_fold(1u128, |all, part| part.solution.worlds.and_then(|these| all.checked_mul(these)));
    let ln_worlds: Option<f64> = parts.iter().map(|part| part.solution.ln_worlds).sum();
    let pairs = if options.pairs { pairs::pairs(history, options)? } else { Vec::new() };
    let mut assumed = assumptions(&parts, history, options, pairs.iter().any(|pair| pair.not_judged.is_none()));
    assumed.extend(populations::assumption(&populations, options));
    let mut not_considered = not_considered(history, options);
    not_considered.extend(populations::not_considered(&populations, options));
    let not_followed = if options.pairs { pairs::unresolved(history, &pairs, options) } else { Vec::new() };
    Ok(Audit {
        releases,
        people: view.people.iter().map(|person| person.people).sum(),
        pairs,
        identity: identity.unwrap_or_default(),
        worst: worst_cases(&parts, history, options),
        persons: options.per_person.then(|| per_person(&parts, risks.as_ref(), options)),
        ln_worlds: ln_worlds.filter(|_| followed),
        worlds: worlds.filter(|_| followed).map(|worlds| worlds.to_string()),
        multi_record_people: view.multi_record_people,
        changed_people: count_changed_people(&parts),
        unlinked,
        identified,
        populations,
        unresolved: not_followed,
        assumptions: assumed,
        not_considered,
        stats: parts[1..]
            .iter()
            .fold(parts[0].solution.stats.clone(), |work, part| work.combined(&part.solution.stats)),
        columns: parts.into_iter().flat_map(|part| part.tally.columns).collect(),
    })
}

/// Replaces an error by one about the background knowledge if the releases are consistent without that knowledge.
fn knowledge_at_fault(error: Error, history: &History, options: &AuditOptions) -> Error {
    let BackgroundKnowledge { known, statements, .. } = &options.knowledge;
    if known.is_empty() && statements.is_empty() {
        return error;
    }
    let without = AuditOptions { knowledge: BackgroundKnowledge::default(), ..options.clone() };
    let is_consistent = |view: &AttackerView| {
        solve(&view.problem(), &SolveOptions { bounds_only: true, entropy: false, ..options.solve }).is_ok()
    };
    match views(history, &without) {
        Ok(views) if views.asked.iter().all(is_consistent) => {
            Obstacle::BackgroundKnowledgeInvalid { fault: KnowledgeFault::Contradiction }.into()
        }
        _ => error,
    }
}

/// A set of connected sensitive columns with its results. Columns of different parts are independent.
struct AuditPart {
    view: AttackerView,
    solution: Solution,
    tally: figures::AuditTally,
}

/// Counts the people for whom the value of any sensitive column changed between releases.
fn count_changed_people(parts: &[AuditPart]) -> u64 {
    let people = parts[0].view.people.len();
    let changed = |at: &usize| parts.iter().any(|part| part.view.people[*at].changed);
    (0..people).filter(changed).count() as u64
}

impl Audit {
    /// Number of people whose posterior certainly exceeds the threshold, in the column with the most such people.
    pub fn above(&self) -> u64 {
        self.columns.iter().map(|column| column.above).max().unwrap_or(0)
    }

    /// Returns whether no posterior and no risk can exceed its threshold and everything could be judged.
    pub fn is_established(&self) -> bool {
        self.unresolved.is_empty()
            && self.may_be_above() == 0
            && self.identity.may_be_above == 0
            && self.identified.is_empty()
            && self.pairs.iter().all(|pair| pair.may_be_above == 0 && pair.not_judged.is_none())
    }

    /// Number of people whose posterior may exceed the threshold (its upper bound does), in the column with the most such people.
    pub fn may_be_above(&self) -> u64 {
        self.columns.iter().map(|column| column.may_be_above).max().unwrap_or(0)
    }
}

/// Views of a history, one for each set of connected columns.
struct HistoryViews {
    /// Views with a requested column. Without any, one view without columns.
    asked: Vec<AttackerView>,
    /// Views without a requested column, for the re-identification risk.
    others: Vec<AttackerView>,
}

/// Builds the views of a history.
fn views(history: &History, options: &AuditOptions) -> Result<HistoryViews> {
    options.knowledge.check(history)?;
    let mut views = HistoryViews { asked: Vec::new(), others: Vec::new() };
    for columns in sensitive_domain::connected_columns(history)? {
        let asked = |name: &&String| options.columns.as_ref().is_none_or(|asked| asked.contains(name));
        let wanted: Vec<String> = columns.iter().filter(asked).cloned().collect();
        if wanted.is_empty() && !options.identity {
            continue;
        }
        let mut view = view_of(history, &columns, &wanted, options)?;
        options.knowledge.apply(&mut view, history)?;
        if wanted.is_empty() { views.others.push(view) } else { views.asked.push(view) }
    }

    if views.asked.is_empty() {
        views.asked.push(AttackerView::new(history, Some(&[]), options)?);
    }
    Ok(views)
}

/// Builds the view of connected columns. If they have too many value combinations, builds a relaxed view of the requested
/// columns only, for which only bounds are valid.
fn view_of(history: &History, columns: &[String], wanted: &[String], options: &AuditOptions) -> Result<AttackerView> {
    match AttackerView::new(history, Some(columns), options) {
        Err(_) if wanted.len() < columns.len() => {
            let mut view = AttackerView::new(history, Some(wanted), options)?;
            view.relaxed = true;
            view.partial = true;
            // The omitted columns may distinguish any people.
            view.classes.iter_mut().for_each(|class| class.incomplete = true);
            Ok(view)
        }
        view => view,
    }
}

/// Selects the worst cases: people of the same class and column with the same posterior.
fn worst_cases(parts: &[AuditPart], history: &History, options: &AuditOptions) -> Vec<Case> {
    let mut cases: Vec<(&AuditPart, WorstCase)> = Vec::new();
    for part in parts {
        cases.extend(part.tally.worst_cases.iter().map(|top| (part, *top)));
    }
    // Order: certain violations, possible violations, others. Ties: the higher posterior, then the smaller group.
    let key = |(part, WorstCase { class: class_id, column, posterior, person }): &(&AuditPart, WorstCase)| {
        let threshold = options.threshold(&part.view.domain.columns[*column]).map(to_fraction);
        let within = match threshold {
            Some(threshold) if posterior.lower <= threshold => 1 + u8::from(posterior.upper <= threshold),
            _ => 0,
        };
        let level = if within == 1 { posterior.upper } else { posterior.lower };
        let groups = part.view.classes[*class_id as usize].groups.iter();
        let fewest = groups.map(|group| part.view.groups[*group as usize].values.len()).min();
        let best = std::cmp::Reverse((posterior.best() * 1e9) as u64);
        (within, std::cmp::Reverse(level), best, fewest, *class_id, *column, posterior.value, person.is_some())
    };
    cases.sort_by_cached_key(key);
    // Several people of one class can have the same posterior.
    let same = |(part, one): &(&AuditPart, WorstCase), (other_part, other): &(&AuditPart, WorstCase)| {
        let of = |top: &WorstCase| (top.class, top.column, top.posterior, top.person.is_some());
        std::ptr::eq(*part, *other_part) && of(one) == of(other)
    };
    let case = |same: &[(&AuditPart, WorstCase)]| {
        let (AuditPart { view, solution, .. }, WorstCase { class: class_id, column, posterior, .. }) = same[0];
        let one = same[0].1.person.map(|index| &view.people[index]);
        let in_class = |person: &&attacker_view::ViewPerson| person.classes == [class_id];
        let people: Vec<&attacker_view::ViewPerson> = match same[0].1.person {
            Some(_) => same.iter().filter_map(|(_, top)| Some(&view.people[top.person?])).collect(),
            None => view.people.iter().filter(in_class).collect(),
        };
        Case {
            people: people.iter().map(|person| person.people).sum(),
            pseudonyms: people.iter().filter_map(|person| person.pseudonym).take(5).map(pseudonym_text).collect(),
            column: view.domain.columns[column].clone(),
            value: view.domain.values[column][posterior.value as usize].clone(),
            explanation: explanation::explain(view, history, solution, (class_id, one), column, &posterior).map(
                |explanation| {
                    let knows = !options.knowledge.known.is_empty() || !options.knowledge.statements.is_empty();
                    let text = match knows {
                        true => format!("{}, given the attacker's background knowledge", explanation.text),
                        false => explanation.text,
                    };
                    Explanation { text, ..explanation }
                },
            ),
            posterior,
        }
    };
    cases.chunk_by(same).take(options.worst).map(case).collect()
}

/// Formats a pseudonym as 32 hexadecimal digits.
pub fn pseudonym_text(pseudonym: Pseudonym) -> String {
    format!("{pseudonym:032x}")
}

/// Lists the posteriors of every person. All parts have the same people.
fn per_person(parts: &[AuditPart], risks: Option<&IdentityRisks>, options: &AuditOptions) -> Vec<PersonAudit> {
    let asked = |name: &String| options.columns.as_ref().is_none_or(|names| names.contains(name));
    let column_audits = |part: &AuditPart, person: &attacker_view::ViewPerson| -> Vec<PersonColumnAudit> {
        let domain = &part.view.domain;
        let mut audits = Vec::new();
        for class_id in &person.classes {
            let columns = (0..domain.columns.len()).filter(|at| asked(&domain.columns[*at]));
            for at in columns.filter(|at| part.view.is_informative_for(*class_id, *at)) {
                let posteriors = marginals::marginals(domain, at, &part.solution.classes[*class_id as usize]);
                let labelled =
                    |posterior: ColumnPosterior| (domain.values[at][posterior.value as usize].clone(), posterior);
                let values: Vec<(String, ColumnPosterior)> = posteriors.into_iter().map(labelled).collect();
                if !values.is_empty() {
                    audits.push(PersonColumnAudit { column: domain.columns[at].clone(), values });
                }
            }
        }
        audits
    };
    let person_audit = |(at, person): (usize, &attacker_view::ViewPerson)| PersonAudit {
        pseudonym: person.pseudonym.map(pseudonym_text),
        people: person.people,
        reidentification: risks.map(|risks| risks.of(at)).unwrap_or_default(),
        columns: parts.iter().flat_map(|part| column_audits(part, &part.view.people[at])).collect(),
    };
    parts[0].view.people.iter().enumerate().map(person_audit).collect()
}

/// Lists the assumptions of an audit. `pairs` is whether two releases were judged by pairs of groups.
fn assumptions(parts: &[AuditPart], history: &History, options: &AuditOptions, pairs: bool) -> Vec<String> {
    let view = &parts[0].view;
    let knows = match view.linked.contains(&true) {
        true => "the attacker knows every person's quasi-identifiers and the releases that contain each person",
        false => {
            "the attacker knows every person's quasi-identifiers and assumes that each target is in the release under attack"
        }
    };
    let raw = "the attacker knows every person's raw quasi-identifiers, and that the algorithm generalized no more than necessary";
    let mut assumed = vec![
        knows.to_owned(),
        "all assignments of the published values to people that are consistent with every release are equally likely"
            .to_owned(),
    ];
    assumed.extend(options.algorithm.then(|| raw.to_owned()));
    let mut unlinked: Vec<&str> = history
        .releases
        .iter()
        .zip(&view.linked)
        .filter(|(_, linked)| !**linked)
        .map(|(recorded, _)| recorded.name.as_str())
        .collect();
    unlinked.dedup();
    if !unlinked.is_empty() {
        let whose = match options.knows_everyone {
            true => format!("the owners of the records of {} are unknown", unlinked.join(", ")),
            false => "the attacker does not know which people are in which release".to_owned(),
        };
        let by_pairs = match pairs {
            true => {
                "; every two releases that can contain the same people are also judged by pairs of groups, for an attacker who knows \
                 the groups of one person only"
            }
            false => "",
        };
        assumed.push(match history.releases.len() {
            1 => format!("{whose}: every record counts as one person"),
            _ => format!(
                "{whose}: each such release is judged separately, and its people are counted separately{by_pairs}"
            ),
        });
    }
    if view.multi_record_people > 0 {
        assumed.push(
            "if a person has several records in one release, the posterior is the probability that any of them has the value; these \
             records are not linked across releases, so for people in several releases, and for all who depend on them, only bounds \
             are valid"
                .to_owned(),
        );
    }
    if count_changed_people(parts) > 0 {
        assumed.push("a value that changed between releases, or is written differently, is not linked across releases: for these people, \
             and for all who depend on them, only bounds are valid"
                .to_owned());
    }
    for column in
        options.time_varying.iter().filter(|column| parts.iter().any(|part| part.view.domain.columns.contains(column)))
    {
        assumed.push(format!(
            "{column} may change between releases: its value in one release implies nothing about another release"
        ));
    }
    let marked = |recorded: &&RecordedRelease| {
        recorded.presentation.group_column.is_some() && recorded.presentation.about_release.is_none()
    };
    let mut marked: Vec<&str> = history.releases.iter().filter(marked).map(|recorded| recorded.name.as_str()).collect();
    marked.dedup();
    if !marked.is_empty() {
        assumed.push(format!(
            "in {} only the group column defines the groups: other columns that distinguish people of a group are not used",
            marked.join(", ")
        ));
    }
    if history.releases.iter().any(|recorded| recorded.presentation.counterfeit_column.is_some()) {
        assumed.push("the attacker knows how many records of a group are counterfeit, but not which".to_owned());
    }
    if parts.iter().any(|part| part.view.domain.has_suppressed) {
        assumed.push(
            "a suppressed cell stands for any value of its taxonomy, or of any release if it has no taxonomy"
                .to_owned(),
        );
    }
    if parts.iter().any(|part| part.view.relaxed) {
        assumed.push(
            "overlapping generalized values and intervals are not used in full: bounds are valid, but no posterior is exact"
                .to_owned(),
        );
    }
    assumed.extend(options.knowledge.descriptions());
    assumed
}

fn not_considered(history: &History, options: &AuditOptions) -> Vec<String> {
    let mut not: Vec<String> = Vec::new();
    if !options.algorithm {
        not.push("attackers who know how the algorithm decides (minimality, downcoding)".to_owned());
    }
    not.push(format!(
        "attackers who learn from the data how quasi-identifiers and sensitive values correlate ({})",
        definetti::ENTRY.title
    ));
    let other = |column: &PublishedColumn| column.role == Role::Other;
    let marks = |recorded: &RecordedRelease, name: &str| {
        [&recorded.presentation.group_column, &recorded.presentation.counterfeit_column]
            .iter()
            .any(|known| known.as_deref() == Some(name))
    };
    if history
        .releases
        .iter()
        .any(|recorded| recorded.release.columns.iter().any(|c| other(c) && !marks(recorded, &c.name)))
    {
        not.push("attackers who know columns with the role other, or link records by them".to_owned());
    }
    if !options.knows_everyone {
        not.push("attackers who know which releases contain a person".to_owned());
    }
    not.push(match options.knowledge.known.is_empty() {
        true => "attackers who know the values of some people".to_owned(),
        false => "attackers who know the values of more people than those given".to_owned(),
    });
    not.push("attackers with other background knowledge".to_owned());
    not
}

/// Converts a ratio to a fraction of the solver.
fn to_fraction(confidence: Ratio) -> Fraction {
    Fraction::new(confidence.numerator, confidence.denominator)
}

/// Published quasi-identifiers of a group, or its value of the group column.
fn group_name(history: &History, group: &attacker_view::ViewGroup) -> Vec<(String, String)> {
    let recorded = &history.releases[group.release];
    let marks = |column: &PublishedColumn| match &recorded.presentation.group_column {
        Some(groups) => column.name == *groups,
        None => column.role == Role::QuasiIdentifier,
    };
    let columns = recorded.release.columns.iter().enumerate().filter(|(_, column)| marks(column));
    columns
        .map(|(at, column)| {
            (column.name.clone(), column.label(recorded.release.contingency.codes[at][group.member]).to_owned())
        })
        .collect()
}
