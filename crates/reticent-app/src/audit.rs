//! `audit`: what the release history discloses about each person, for each coalition of recipients.

mod attack;
mod background;
mod report;
mod rows;

use std::collections::BTreeSet;
use std::path::Path;

use reticent::attacks::{self, KnownPerson};
use reticent::audit::SolveOptions;
use reticent::audit::{
    AttackContext, AttackRun, Audit, AuditOptions, BackgroundKnowledge, algorithm_attacks, attack as run_attack,
    audit as audit_history, disclosures, is_certain, is_within, not_established, timeline,
};
use reticent::error::Obstacle;
use reticent::policy::Policy;
use reticent::registry::{Arguments, Entry as RegistryEntry};
use reticent::{Confidence, History, Links, Ratio, RecordedRelease, Role};
use reticent_engine::{CountColumn, CountRequest, Embedded, Engine, Options};
use reticent_ledger::{Entry, Ledger};

use crate::Workspace;
use crate::answer::{AuditAnswer, CoalitionAudit};
use crate::context::Context;
use crate::corrections::assumptions;
use crate::dataset::{LoadedPolicy, load};
use crate::error::{Error, Problem, Result};
use crate::ledger_access::{LedgerAccess, UNSIGNED, recipients};
use crate::page_file::write_page;
use crate::reading::{file_notes, text_options};
use crate::request::{Adversary, AuditRequest};
use attack::requested_attacks;
use background::Background;

/// Posterior threshold of each column.
type ColumnThresholds = Vec<(String, Ratio)>;

/// Returns the posterior threshold for all columns, and separate thresholds if those of the method differ by column.
fn thresholds(request: &AuditRequest, loaded: Option<&LoadedPolicy>) -> Result<(Option<Ratio>, ColumnThresholds)> {
    if let Some(given) = request.confidence {
        return Ok((Some(given.exact()), Vec::new()));
    }
    let Some(loaded) = loaded else { return Ok((None, Vec::new())) };
    let named = loaded.policy.shorthand.confidence.map(Confidence::new).transpose()?.map(Confidence::exact);
    let asked = |column: &String| request.columns.as_ref().is_none_or(|columns| columns.contains(column));
    let column_thresholds = loaded.promised_bounds()?.into_iter().filter(|(column, _)| asked(column));
    let column_thresholds: ColumnThresholds =
        column_thresholds.map(|(column, bound)| (column, named.map_or(bound, |named| named.min(bound)))).collect();
    match column_thresholds.first() {
        None => Ok((named, Vec::new())),
        Some((_, first)) if column_thresholds.iter().all(|(_, bound)| bound == first) => Ok((Some(*first), Vec::new())),
        // A column without a guarantee gets the confidence bound of the policy, or else the smallest threshold.
        Some(_) => Ok((named.or(column_thresholds.iter().map(|(_, bound)| *bound).min()), column_thresholds)),
    }
}

/// Audits the release history.
pub(crate) fn audit(workspace: &Workspace, request: &AuditRequest, context: &Context) -> Result<AuditAnswer> {
    answer(workspace, request, context).map_err(|error| match error {
        // Invalid background knowledge is an invalid request, not a finding about the releases.
        Error::Library(reticent::Error::CannotCheck(Obstacle::BackgroundKnowledgeInvalid { fault })) => {
            Error::Knowledge { line: None, fault }
        }
        Error::Library(error @ reticent::Error::CannotCheck(_)) => Error::NotAudited(error),
        error => error,
    })
}

fn answer(workspace: &Workspace, request: &AuditRequest, context: &Context) -> Result<AuditAnswer> {
    request.check()?;
    let attacks = requested_attacks(request)?;
    if let Some(path) = request.html.as_ref().filter(|path| path.symlink_metadata().is_ok()) {
        return Err(Problem::ReportExists { path: path.clone() }.into());
    }
    workspace.policy.check()?;
    let access = LedgerAccess::find(workspace, "auditing", context)?;
    let loaded = if workspace.policy.exists() { Some(load(&workspace.policy)?) } else { None };
    let ledger = access.open_to_read()?;
    let integrity_problem = access.integrity_problem(&ledger);
    let unsigned = ledger.verifier()?.is_none();
    let entries = ledger.entries()?;
    let (threshold, column_thresholds) = thresholds(request, loaded.as_ref())?;
    // The answer has a single confidence only if all columns have the same one.
    let confidence = threshold.filter(|_| column_thresholds.is_empty()).map(Ratio::to_f64);
    let background = match &request.background {
        Some(path) => Background::read(path, loaded.as_ref(), &access, &entries, context)?,
        None => Background::default(),
    };
    if request.adversary == Adversary::QuasiIdentifiers && background.all.names_people() {
        return Err(Problem::KnowledgeNamesPeople.into());
    }
    let options = audit_options(request, loaded.as_ref(), (threshold, column_thresholds), background.all.clone())?;
    let judged = options.judges();
    if request.adversary == Adversary::Algorithm && !judged {
        return Err(Problem::AdversaryNeedsConfidence.into());
    }
    if request.adversary == Adversary::Algorithm && request.population.is_none() {
        return Err(Problem::AdversaryNeedsPopulation.into());
    }
    let mut history = load_history(&ledger, &entries)?;
    exclude_unrelated(&mut history, &ledger, &entries, &access)?;
    if let Some(loaded) = &loaded {
        history = history.with_roles(&loaded.policy.roles());
    }
    if request.adversary == Adversary::QuasiIdentifiers {
        history.releases.iter_mut().for_each(|recorded| recorded.links = None);
    }
    let ours = history.without_populations();
    check_columns(request, &ours)?;
    let people = match &request.population {
        Some(path) => population(path, &ours, loaded.as_ref().map(|loaded| &loaded.policy), context)?,
        None => Vec::new(),
    };
    let ordered = request.attacks.iter().any(|id| id == "all" || id == reticent::attacks::unsorted_matching::ENTRY.id);
    let rows = if ordered { rows::rows(&history, &ledger, &entries, context) } else { Vec::new() };
    let rows: Vec<(u64, Option<Vec<u32>>)> =
        history.releases.iter().map(|recorded| recorded.number).zip(rows).collect();
    // Check the statements against the whole history: a coalition may lack the column or value that a statement names.
    let knowledge = options.knowledge.check(&ours);
    knowledge.map_err(|error| background.at_line(error.into(), &ours, &options))?;
    let mut coalitions = Vec::new();
    for (members, coalition_history) in histories_by_coalition(request, &access, &entries, &history)? {
        context.check()?;
        context.busy("auditing");
        let k = loaded.as_ref().and_then(|loaded| loaded.policy.shorthand.k);
        let attack_context = AttackContext { people: &people, rows: &rows, k };
        let ours = coalition_history.without_populations();
        let within = options.within(&ours);
        let audited = coalition(members, &coalition_history, &within, &attack_context, &attacks, context);
        coalitions.push(audited.map_err(|failure| background.at_line(failure, &ours, &options))?);
    }
    let corrected = assumptions(&entries);
    for coalition in &mut coalitions {
        coalition.not_established.extend(integrity_problem.clone());
        let mut assumptions: Vec<String> = unsigned.then(|| UNSIGNED.to_owned()).into_iter().collect();
        let groups: Vec<String> = access.non_colluding.groups.iter().map(|group| group.join(" and ")).collect();
        let assumption =
            |group: String| format!("{group} do not collude (`non-colluding` under [recipients] in the policy)");
        assumptions.extend(groups.into_iter().map(assumption));
        assumptions.extend(access.data_sets.assumptions());
        assumptions.extend(corrected.iter().cloned());
        let accepted = loaded.as_ref().map(|loaded| accepted_unique(&loaded.policy, &history, &coalition.audit));
        assumptions.extend(accepted.into_iter().flatten());
        // The report shows the audits of the timeline.
        for audit in coalition.then.iter_mut().map(|(_, audit)| audit).chain([&mut coalition.audit]) {
            audit.assumptions.extend(assumptions.iter().cloned());
        }
    }
    let established =
        |coalition: &CoalitionAudit| is_within(&coalition.audit, &coalition.not_established, &coalition.violations);
    // Without a threshold on posteriors, a certain value still is a disclosure.
    let certain = coalitions.iter().any(|coalition| is_certain(&coalition.audit));
    let holds = match judged {
        true => Some(integrity_problem.is_none() && !certain && coalitions.iter().all(established)),
        false => certain.then_some(false),
    };
    let mut notes = Vec::new();
    if coalitions.is_empty() {
        notes.push("the ledger has no release to the requested recipients".to_owned());
    }
    let of_records = loaded.as_ref().is_some_and(|loaded| loaded.policy.method.is_some());
    if holds.is_none() && of_records {
        notes.push(
            "the method of the policy bounds the linkage of records, which is judged when a release is published; no confidence \
             bound on sensitive values is set, so the audit gives no verdict"
                .to_owned(),
        );
    } else if holds.is_none() {
        notes.push(
            "neither the policy nor the request sets a confidence bound, so the audit gives no verdict".to_owned(),
        );
    }
    let answer = AuditAnswer {
        ledger: access.folder.display().to_string(),
        confidence,
        reidentification: options.reidentification.map(Ratio::to_f64),
        holds,
        coalitions,
        html: request.html.as_ref().map(|path| path.display().to_string()),
        notes,
        facts: report::facts(&entries, loaded.as_ref(), &context.today()),
    };
    if let Some(path) = &request.html {
        write_page(path, &reticent_report::html(&answer.report(request.public)), request.public)?;
    }
    Ok(answer)
}

/// Returns an assumption for each published column without protection whose unique values the policy accepts.
fn accepted_unique(policy: &Policy, history: &History, audit: &Audit) -> Vec<String> {
    let is_audited = |recorded: &&RecordedRelease| audit.releases.iter().any(|(number, _)| *number == recorded.number);
    let shown: BTreeSet<&str> = history
        .releases
        .iter()
        .filter(is_audited)
        .flat_map(|recorded| &recorded.release.columns)
        .filter(|column| column.role == Role::Other)
        .map(|column| column.name.as_str())
        .collect();
    let accepted = policy.columns.iter().filter(|column| column.accept_unique && shown.contains(column.name.as_str()));
    let assumption = |name: &str| {
        format!(
            "the attacker knows no value of {name}, which is published unchanged (the policy accepts unique values of it: `accept-unique`)"
        )
    };
    accepted.map(|column| assumption(&column.name)).collect()
}

/// Returns an error if a requested column is not a sensitive attribute of any release.
fn check_columns(request: &AuditRequest, history: &History) -> Result<()> {
    let columns = history.releases.iter().flat_map(|recorded| &recorded.release.columns);
    let sensitive = columns.filter(|column| column.role == reticent::Role::Sensitive);
    let names: BTreeSet<&str> = sensitive.map(|column| column.name.as_str()).collect();
    let wanted = request.columns.iter().flatten();
    let Some(unknown_name) = wanted.into_iter().find(|name| !names.contains(name.as_str())) else { return Ok(()) };
    let hint = reticent::error::did_you_mean(unknown_name, names.iter().copied());
    let all = || format!("sensitive attributes: {}", names.iter().copied().collect::<Vec<_>>().join(", "));
    let (column, hint) = (unknown_name.clone(), hint.unwrap_or_else(all));
    Err(Problem::NoSuchSensitiveColumn { column, hint }.into())
}

/// Loads all releases with their owner links.
pub(crate) fn load_history(ledger: &Ledger, entries: &[Entry]) -> Result<History> {
    let mut history = ledger.history(reticent_ledger::HistoryQuery { numbers: None, links: None })?;
    for recorded in &mut history.releases {
        // A marginal table has no owner links; it refers to the links of its release.
        let entry = entries
            .iter()
            .find(|entry| entry.number == recorded.number && recorded.presentation.about_release.is_none());
        if let Some(entry) = entry {
            recorded.links = ledger.links(entry)?;
        }
    }
    history.releases = history.releases.into_iter().map(RecordedRelease::canonical).collect();
    Ok(history)
}

/// Removes the releases of data sets that the policy declares unrelated, after checking that no person is in both.
fn exclude_unrelated(history: &mut History, ledger: &Ledger, entries: &[Entry], access: &LedgerAccess) -> Result<()> {
    let excluded: BTreeSet<u64> =
        entries.iter().filter(|entry| access.data_sets.excludes(entry)).map(|entry| entry.number).collect();
    history.releases.retain(|recorded| !excluded.contains(&recorded.number));
    history.erased.retain(|erased| !excluded.contains(&erased.number));
    history.owned.retain(|number| !excluded.contains(number));
    // A register is about people outside the data, too.
    let ours = history.releases.iter().filter(|recorded| !recorded.population);
    let people: Vec<Option<&Links>> = ours.map(|recorded| recorded.links.as_ref()).collect();
    access.data_sets.check(ledger, entries, &people)
}

/// Returns the members and the release history of each requested coalition. Merges coalitions with the same history.
fn histories_by_coalition(
    request: &AuditRequest,
    access: &LedgerAccess,
    entries: &[Entry],
    history: &History,
) -> Result<Vec<(Vec<String>, History)>> {
    let known = recipients(entries);
    let asked = request.recipient_names();
    let unknown_names: Vec<&String> =
        asked.iter().filter(|name| *name != reticent::PUBLIC && !known.contains(*name)).collect();
    if let Some(unknown_name) = unknown_names.first() {
        let hint = reticent::error::did_you_mean(unknown_name, known.iter().map(String::as_str));
        let hint =
            hint.unwrap_or_else(|| format!("recipients: {}", known.iter().cloned().collect::<Vec<_>>().join(", ")));
        return Err(Problem::NoSuchRecipient { recipient: (*unknown_name).clone(), hint }.into());
    }
    let wanted_members = if asked.is_empty() { known.iter().cloned().collect() } else { asked.clone() };
    let coalitions = access.non_colluding.coalitions(&known, &wanted_members)?;
    let has_all =
        |coalition: &&BTreeSet<String>| asked.iter().all(|name| name == reticent::PUBLIC || coalition.contains(name));
    if !asked.is_empty() && !coalitions.iter().any(|coalition| has_all(&coalition)) {
        return Err(Problem::RecipientsSeparate { recipients: asked }.into());
    }
    let mut histories: Vec<(Vec<String>, History)> = Vec::new();
    for coalition in coalitions.iter().filter(has_all) {
        let coalition_history = history.for_coalition(coalition);
        if coalition_history.without_populations().is_empty() {
            continue;
        }
        let numbers =
            |history: &History| -> Vec<u64> { history.releases.iter().map(|recorded| recorded.number).collect() };
        if !histories
            .iter()
            .any(|(_, known)| numbers(known) == numbers(&coalition_history) && known.erased == coalition_history.erased)
        {
            histories.push((coalition.iter().cloned().collect(), coalition_history));
        }
    }
    Ok(histories)
}

fn audit_options(
    request: &AuditRequest,
    loaded: Option<&LoadedPolicy>,
    (threshold, column_thresholds): (Option<Ratio>, ColumnThresholds),
    knowledge: BackgroundKnowledge,
) -> Result<AuditOptions> {
    let in_policy =
        loaded.and_then(|loaded| loaded.policy.shorthand.reidentification).map(Confidence::new).transpose()?;
    let varies = loaded.map(|loaded| loaded.policy.inconsistent.iter().filter_map(|rule| rule.varying_column()));
    Ok(AuditOptions {
        columns: request.columns.clone(),
        time_varying: varies.into_iter().flatten().map(str::to_owned).collect(),
        rules: loaded.map(|loaded| loaded.policy.inconsistent.clone()).unwrap_or_default(),
        confidence: threshold,
        column_thresholds,
        reidentification: request.reidentification.or(in_policy).map(Confidence::exact),
        identity: true,
        units: loaded.map(|loaded| loaded.policy.units()).unwrap_or_default(),
        knowledge,
        solve: SolveOptions {
            steps: request.effort.saturating_mul(1_000_000),
            program_steps: request.effort.saturating_mul(1_000_000),
            samples: request.samples,
            seed: request.seed,
            ..SolveOptions::default()
        },
        worst: request.worst,
        per_person: request.per_person,
        only_new: false,
        knows_everyone: request.adversary != Adversary::QuasiIdentifiers,
        pairs: true,
        algorithm: request.adversary == Adversary::Algorithm,
    })
}

/// Audits the releases that a coalition holds, and runs the requested attacks on them.
fn coalition(
    members: Vec<String>,
    coalition_history: &History,
    options: &AuditOptions,
    attack_context: &AttackContext<'_>,
    requested: &[(&'static RegistryEntry, Arguments)],
    context: &Context,
) -> Result<CoalitionAudit> {
    let mut audited = audit_history(coalition_history, options)?;
    let coalition_history = &*coalition_history.without_populations();
    let run = |(entry, arguments): &(&'static RegistryEntry, Arguments)| {
        run_attack(entry, coalition_history, options, attack_context, arguments)
    };
    let mut attacks: Vec<AttackRun> = requested.iter().map(run).collect::<Result<_, reticent::Error>>()?;
    if options.algorithm {
        algorithm_attacks(coalition_history, options, attack_context, &mut attacks)?;
    }
    let ran = |id: &str| attacks.iter().any(|attack| attack.id == id && attack.not_run.is_none());
    if ran(attacks::definetti::ENTRY.id) {
        audited.not_considered.retain(|text| !text.contains(attacks::definetti::ENTRY.title));
    }
    let reasons = not_established(&audited, &coalition_history.erased, &attacks, options);
    let violations = if options.algorithm { disclosures(&attacks) } else { Vec::new() };
    let watch = || context.check().map_err(|_| reticent::Error::Stopped);
    let (over_time, then) = timeline(coalition_history, &audited, options, &watch)?;
    Ok(CoalitionAudit {
        members,
        erased: coalition_history.erased.clone(),
        not_established: reasons,
        violations,
        audit: audited,
        timeline: over_time,
        then,
        attacks,
    })
}

/// Reads the population table: one person per record, with the non-sensitive columns that a release has.
fn population(path: &Path, history: &History, policy: Option<&Policy>, context: &Context) -> Result<Vec<KnownPerson>> {
    let engine = Embedded::open_file(path, Options { missing: Vec::new(), ..text_options(policy, context) })?;
    file_notes(&engine).iter().for_each(|note| context.warn(note, None));
    let released = |name: &&String| {
        history.releases.iter().flat_map(|recorded| &recorded.release.columns).any(|c| c.name == **name)
    };
    // Sensitive attributes are not background knowledge.
    let is_sensitive = |name: &&String| {
        let released_columns = history.releases.iter().flat_map(|recorded| &recorded.release.columns);
        released_columns.filter(|column| column.name == **name).all(|column| column.role == reticent::Role::Sensitive)
    };
    let (sensitive_names, columns): (Vec<String>, Vec<String>) =
        engine.columns().iter().filter(released).cloned().partition(|name| is_sensitive(&name));
    if !sensitive_names.is_empty() {
        context.warn(
            &format!(
                "{} of {} is sensitive and was ignored: the attacker is assumed not to know it",
                sensitive_names.join(", "),
                path.display()
            ),
            None,
        );
    }
    if columns.is_empty() {
        return Err(Problem::PopulationUnrelated { path: path.to_owned() }.into());
    }
    let count_request = CountRequest {
        columns: columns.iter().map(|name| CountColumn { name: name.clone(), bins: None }).collect(),
        owner: None,
        key: None,
    };
    let counts = engine.count(&count_request)?;
    let mut people = Vec::new();
    for combo in 0..counts.contingency.len() {
        let facts: Vec<(String, String)> = columns
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), counts.values[at][counts.contingency.codes[at][combo] as usize].clone()))
            // An empty cell means that the attacker does not know the value.
            .filter(|(_, value)| !value.is_empty())
            .collect();
        for _ in 0..counts.contingency.weights[combo] {
            people.push(KnownPerson { name: (people.len() + 1).to_string(), facts: facts.clone() });
        }
    }
    Ok(people)
}
