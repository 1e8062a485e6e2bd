//! `audit`: what all releases together disclose about each person.

mod attack;
mod background;
mod html;
mod rows;

use std::collections::BTreeSet;
use std::path::Path;

use reticent::attacks::{self, Person};
use reticent::audit::Ask;
use reticent::audit::{
    Attacked, Beside, Knowledge, Question, algorithm_attacks, attack as run_attack, audit as audit_history,
    disclosures, is_within, not_established, timeline,
};
use reticent::error::Obstacle;
use reticent::registry::{Arguments, Entry as Listed};
use reticent::{Confidence, Held, History, Share};
use reticent_engine::{Ask as AskEngine, AskColumn, Embedded, Engine};
use reticent_ledger::{Entry, Ledger};

use crate::Workspace;
use crate::answer::{AuditAnswer, CoalitionAudit};
use crate::context::Context;
use crate::dataset::{Loaded, load};
use crate::error::{Error, Problem, Result};
use crate::ledger_access::{LedgerAccess, UNSIGNED, recipients};
use crate::request::{Adversary, AuditRequest};
use attack::attacks_of;
use background::Background;

/// By column, what may be told at most.
type Promised = Vec<(String, Share)>;

/// What may be told at most: of all columns, and where the policy's method promises different things, of each.
fn allowed(request: &AuditRequest, loaded: Option<&Loaded>) -> Result<(Option<Share>, Promised)> {
    if let Some(said) = request.confidence {
        return Ok((Some(said.exact()), Vec::new()));
    }
    let Some(loaded) = loaded else { return Ok((None, Vec::new())) };
    let named = loaded.policy.short.confidence.map(Confidence::new).transpose()?.map(Confidence::exact);
    let asked = |column: &String| request.columns.as_ref().is_none_or(|columns| columns.contains(column));
    let promised = loaded.promised()?.into_iter().filter(|(column, _)| asked(column));
    let promised: Promised =
        promised.map(|(column, most)| (column, named.map_or(most, |named| named.min(most)))).collect();
    match promised.first() {
        None => Ok((named, Vec::new())),
        Some((_, first)) if promised.iter().all(|(_, most)| most == first) => Ok((Some(*first), Vec::new())),
        // Columns of which nothing is promised are held to the least.
        Some(_) => Ok((named.or(promised.iter().map(|(_, most)| *most).min()), promised)),
    }
}

/// Audits.
pub(crate) fn audit(workspace: &Workspace, request: &AuditRequest, context: &Context) -> Result<AuditAnswer> {
    answer(workspace, request, context).map_err(|error| match error {
        // Wrong background knowledge is a wrong request; it says nothing about the releases.
        Error::Library(reticent::Error::CannotCheck(Obstacle::BackgroundKnowledgeInvalid { fault })) => {
            Error::Knowledge { line: None, fault }
        }
        Error::Library(error @ reticent::Error::CannotCheck(_)) => Error::NotAudited(error),
        error => error,
    })
}

fn answer(workspace: &Workspace, request: &AuditRequest, context: &Context) -> Result<AuditAnswer> {
    request.check()?;
    let attacks = attacks_of(request)?;
    if let Some(path) = request.html.as_ref().filter(|path| path.symlink_metadata().is_ok()) {
        return Err(Problem::ReportExists { path: path.clone() }.into());
    }
    workspace.check_policy()?;
    let access = LedgerAccess::find(workspace, "auditing", context)?;
    let loaded = if workspace.policy.exists() { Some(load(&workspace.policy)?) } else { None };
    let ledger = access.open_to_read()?;
    let unsound = access.unsound(&ledger);
    let unsigned = ledger.verifier()?.is_none();
    let entries = ledger.entries()?;
    let (allowed, promised) = allowed(request, loaded.as_ref())?;
    // One figure for all columns, where there is one.
    let confidence = allowed.filter(|_| promised.is_empty()).map(Share::to_f64);
    let knows = match &request.knows {
        Some(path) => Background::read(path, loaded.as_ref(), &access, &entries, context)?,
        None => Background::default(),
    };
    if request.adversary == Adversary::QuasiIdentifiers && knows.all.names_somebody() {
        return Err(Problem::KnowledgeNamesPeople.into());
    }
    let question = question(request, loaded.as_ref(), (allowed, promised), knows.all.clone());
    let judged = question.judges();
    if request.adversary == Adversary::Algorithm && !judged {
        return Err(Problem::AdversaryNeedsConfidence.into());
    }
    if request.adversary == Adversary::Algorithm && request.population.is_none() {
        return Err(Problem::AdversaryNeedsPopulation.into());
    }
    let mut history = load_history(&ledger, &entries)?;
    check_columns(request, &history)?;
    if request.adversary == Adversary::QuasiIdentifiers {
        history.releases.iter_mut().for_each(|held| held.links = None);
    }
    let people = match &request.population {
        Some(path) => population(path, &history, context)?,
        None => Vec::new(),
    };
    let ordered = request.attacks.iter().any(|id| id == "all" || id == reticent::attacks::unsorted_matching::ENTRY.id);
    let rows = if ordered { rows::rows(&history, &ledger, &entries, context) } else { Vec::new() };
    let rows: Vec<(u64, Option<Vec<u32>>)> = history.releases.iter().map(|held| held.number).zip(rows).collect();
    // Of everything together, so that what is misspelled is not taken for what some do not hold.
    let knowledge = question.knowledge.check(&history);
    knowledge.map_err(|error| knows.at_line(error.into(), &history, &question))?;
    let mut coalitions = Vec::new();
    for (members, held) in held(request, &access, &entries, &history)? {
        context.check()?;
        context.busy("auditing");
        let k = loaded.as_ref().and_then(|loaded| loaded.policy.short.k);
        let beside = Beside { people: &people, rows: &rows, k };
        let found = coalition(members, &held, &question.within(&held), &beside, &attacks, context);
        coalitions.push(found.map_err(|failure| knows.at_line(failure, &held, &question))?);
    }
    for coalition in &mut coalitions {
        coalition.open.extend(unsound.clone());
        coalition.audit.assumed.extend(unsigned.then(|| UNSIGNED.to_owned()));
        let apart: Vec<String> = access.separate.groups.iter().map(|group| group.join(" and ")).collect();
        let never =
            |apart: String| format!("{apart} never combine what they hold, as the policy says ([recipients] separate)");
        coalition.audit.assumed.extend(apart.into_iter().map(never));
    }
    let established = |coalition: &CoalitionAudit| is_within(&coalition.audit, &coalition.open, &coalition.breaches);
    let holds = judged.then(|| unsound.is_none() && coalitions.iter().all(established));
    let mut notes = Vec::new();
    if coalitions.is_empty() {
        notes.push("nothing was released yet, or not to those who were asked about".to_owned());
    }
    let of_records = loaded.as_ref().is_some_and(|loaded| loaded.policy.method.is_some());
    if !judged && of_records {
        notes.push(
            "what the policy's method promises is about records, which `publish` judges: no confidence is allowed or forbidden of \
             values, unless --confidence names one"
                .to_owned(),
        );
    } else if !judged {
        notes.push(
            "no confidence is allowed or forbidden: the policy names none, and neither does --confidence".to_owned(),
        );
    }
    let answer = AuditAnswer {
        ledger: access.folder.display().to_string(),
        confidence,
        holds,
        coalitions,
        html: request.html.as_ref().map(|path| path.display().to_string()),
        notes,
    };
    if let Some(path) = &request.html {
        html::write(path, request.public, &answer, &entries, loaded.as_ref(), &context.today())?;
    }
    Ok(answer)
}

/// A column that is asked about must be one that some release shows, and sensitive.
fn check_columns(request: &AuditRequest, history: &History) -> Result<()> {
    let columns = history.releases.iter().flat_map(|held| &held.release.columns);
    let sensitive = columns.filter(|column| column.role == reticent::Role::Sensitive);
    let names: BTreeSet<&str> = sensitive.map(|column| column.name.as_str()).collect();
    let wanted = request.columns.iter().flatten();
    let Some(stranger) = wanted.into_iter().find(|name| !names.contains(name.as_str())) else { return Ok(()) };
    let hint = reticent::error::did_you_mean(stranger, names.iter().copied());
    let all = || format!("there are: {}", names.iter().copied().collect::<Vec<_>>().join(", "));
    let (column, hint) = (stranger.clone(), hint.unwrap_or_else(all));
    Err(Problem::NoSuchSensitiveColumn { column, hint }.into())
}

/// Everything that was released, with whose the records are.
pub(crate) fn load_history(ledger: &Ledger, entries: &[Entry]) -> Result<History> {
    let mut history = ledger.history(reticent_ledger::Wanted { numbers: None, links: None })?;
    for held in &mut history.releases {
        // Tables about the people of another one have no owners of their own.
        let entry = entries.iter().find(|entry| entry.number == held.number && held.disguise.of.is_none());
        if let Some(entry) = entry {
            held.links = ledger.links(entry)?;
        }
    }
    history.releases = history.releases.into_iter().map(Held::canonical).collect();
    Ok(history)
}

/// By coalition: its members, and what it holds. Coalitions that hold the same are one.
fn held(
    request: &AuditRequest,
    access: &LedgerAccess,
    entries: &[Entry],
    history: &History,
) -> Result<Vec<(Vec<String>, History)>> {
    let known = recipients(entries);
    let asked = request.who();
    let strangers: Vec<&String> =
        asked.iter().filter(|name| *name != reticent::PUBLIC && !known.contains(*name)).collect();
    if let Some(stranger) = strangers.first() {
        let hint = reticent::error::did_you_mean(stranger, known.iter().map(String::as_str));
        let hint =
            hint.unwrap_or_else(|| format!("there are: {}", known.iter().cloned().collect::<Vec<_>>().join(", ")));
        return Err(Problem::NoSuchRecipient { recipient: (*stranger).clone(), hint }.into());
    }
    let who = if asked.is_empty() { known.iter().cloned().collect() } else { asked.clone() };
    let coalitions = access.separate.coalitions(&known, &who)?;
    let together =
        |coalition: &&BTreeSet<String>| asked.iter().all(|name| name == reticent::PUBLIC || coalition.contains(name));
    if !asked.is_empty() && !coalitions.iter().any(|coalition| together(&coalition)) {
        return Err(Problem::RecipientsSeparate { recipients: asked }.into());
    }
    let mut found: Vec<(Vec<String>, History)> = Vec::new();
    for coalition in coalitions.iter().filter(together) {
        let held = history.held_by(coalition);
        if held.is_empty() {
            continue;
        }
        let numbers = |history: &History| -> Vec<u64> { history.releases.iter().map(|held| held.number).collect() };
        if !found.iter().any(|(_, known)| numbers(known) == numbers(&held) && known.lost == held.lost) {
            found.push((coalition.iter().cloned().collect(), held));
        }
    }
    Ok(found)
}

fn question(
    request: &AuditRequest,
    loaded: Option<&Loaded>,
    (allowed, promised): (Option<Share>, Promised),
    knowledge: Knowledge,
) -> Question {
    let varies = loaded.map(|loaded| loaded.policy.inconsistent.iter().filter_map(|rule| rule.varying_column()));
    Question {
        columns: request.columns.clone(),
        varies: varies.into_iter().flatten().map(str::to_owned).collect(),
        rules: loaded.map(|loaded| loaded.policy.inconsistent.clone()).unwrap_or_default(),
        confidence: allowed,
        promised,
        knowledge,
        ask: Ask {
            steps: request.effort.saturating_mul(1_000_000),
            program: request.effort.saturating_mul(1_000_000),
            samples: request.samples,
            seed: request.seed,
            ..Ask::default()
        },
        worst: request.worst,
        each: request.each,
        newly: false,
        everybody: request.adversary != Adversary::QuasiIdentifiers,
        pairs: true,
        algorithm: request.adversary == Adversary::Algorithm,
    }
}

/// What a coalition can infer from everything it holds.
fn coalition(
    members: Vec<String>,
    held: &History,
    question: &Question,
    beside: &Beside<'_>,
    asked: &[(&'static Listed, Arguments)],
    context: &Context,
) -> Result<CoalitionAudit> {
    let mut whole = audit_history(held, question)?;
    let run = |(entry, arguments): &(&'static Listed, Arguments)| run_attack(entry, held, question, beside, arguments);
    let mut attacks: Vec<Attacked> = asked.iter().map(run).collect::<Result<_, reticent::Error>>()?;
    if question.algorithm {
        algorithm_attacks(held, question, beside, &mut attacks)?;
    }
    let ran = |id: &str| attacks.iter().any(|attack| attack.id == id && attack.not_run.is_none());
    if ran(attacks::definetti::ENTRY.id) {
        whole.not_considered.retain(|text| !text.contains(attacks::definetti::ENTRY.title));
    }
    let open = not_established(&whole, &held.lost, &attacks, question);
    let breaches = if question.algorithm { disclosures(&attacks) } else { Vec::new() };
    let watch = || context.check().map_err(|_| reticent::Error::Stopped);
    let (over_time, then) = timeline(held, &whole, question, &watch)?;
    Ok(CoalitionAudit { members, lost: held.lost.clone(), open, breaches, audit: whole, over_time, then, attacks })
}

/// People about whom something is known: every record is a person, and columns that no release has are left out.
fn population(path: &Path, history: &History, context: &Context) -> Result<Vec<Person>> {
    let engine = Embedded::open_file(path, context.engine_options())?;
    let released =
        |name: &&String| history.releases.iter().flat_map(|held| &held.release.columns).any(|c| c.name == **name);
    // What is to be kept from the attacker is not what he knows.
    let secret = |name: &&String| {
        let shown = history.releases.iter().flat_map(|held| &held.release.columns);
        shown.filter(|column| column.name == **name).all(|column| column.role == reticent::Role::Sensitive)
    };
    let (secrets, columns): (Vec<String>, Vec<String>) =
        engine.columns().iter().filter(released).cloned().partition(|name| secret(&name));
    if !secrets.is_empty() {
        context.warn(
            &format!("{} of {} is sensitive, and not taken to be known", secrets.join(", "), path.display()),
            None,
        );
    }
    if columns.is_empty() {
        return Err(Problem::PopulationUnrelated { path: path.to_owned() }.into());
    }
    let ask = AskEngine {
        columns: columns.iter().map(|name| AskColumn { name: name.clone(), bins: None }).collect(),
        owner: None,
        key: None,
    };
    let counts = engine.count(&ask)?;
    let mut people = Vec::new();
    for combo in 0..counts.combos.len() {
        let facts: Vec<(String, String)> = columns
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), counts.values[at][counts.combos.codes[at][combo] as usize].clone()))
            // What is blank is not known.
            .filter(|(_, value)| !value.is_empty())
            .collect();
        for _ in 0..counts.combos.weights[combo] {
            people.push(Person { name: (people.len() + 1).to_string(), facts: facts.clone() });
        }
    }
    Ok(people)
}
