//! `reticent audit`: what all releases together give away about each person.

mod algorithm;
mod attack;
mod html;
mod knows;
mod moments;
mod print;
mod rows;

use std::collections::BTreeSet;
use std::path::Path;

use reticent::attacks::{self, Finding, Person};
use reticent::audit::{Audit, Knowledge, Question, audit};
use reticent::history::{Held, History, Lost};
use reticent::inference::Ask;
use reticent::report::Breach;
use reticent::share::Share;
use reticent_engine::{Ask as AskEngine, AskColumn, Embedded, Engine};
use reticent_ledger::{Entry, Ledger};
use serde::Serialize;

use crate::args;
use crate::books::{Books, recipients};
use crate::failure::Failure;
use crate::screen::print_json;
use crate::steward::{Loaded, Ways, exact, load};
use attack::{arguments, attack, known_attack};
use knows::Knows;
use moments::{Moment, Then, moments};

/// What `audit` answers.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The ledger.
    pub ledger: String,
    /// Nobody's value may be told with more confidence than this; none when nobody said so, or something else of each column.
    pub confidence: Option<f64>,
    /// Whether that holds, for sure, for everybody; none when there is nothing to hold.
    pub holds: Option<bool>,
    /// What each coalition can infer.
    pub coalitions: Vec<Coalition>,
    /// The report, where one was written.
    pub html: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// What a coalition can infer.
#[derive(Debug, Serialize)]
pub struct Coalition {
    /// Its members.
    pub members: Vec<String>,
    /// What it holds that was erased: what it gives away can no longer be computed.
    pub lost: Vec<Lost>,
    /// Why it is not established what they can tell, besides what is counted; nothing when it is.
    pub open: Vec<String>,
    /// What is told to whoever knows the algorithm, and not allowed.
    pub breaches: Vec<Breach>,
    /// What everything it holds gives away together.
    pub audit: Audit,
    /// After each release: what the history up to it gives away.
    pub over_time: Vec<Moment>,
    /// The same in full, for the report.
    #[serde(skip)]
    pub then: Then,
    /// What attacks found.
    pub attacks: Vec<Attack>,
}

/// What an attack found.
#[derive(Debug, Serialize)]
pub struct Attack {
    /// The attack.
    pub id: String,
    /// Its name.
    pub title: String,
    /// Why it could not be run, if it could not.
    pub not_run: Option<String>,
    /// What it could not look at beside what it found, and why.
    pub not_checked: Option<String>,
    /// What it found, worst first.
    pub findings: Vec<Finding>,
}

/// Audits.
pub fn run(options: &args::Audit, ways: &Ways) -> Result<u8, Failure> {
    let answer = answer(options, ways);
    ways.progress.done();
    let answer = answer.map_err(|failure| match failure {
        // What somebody wrote for this call is wrong, and not what was released.
        Failure::Library(reticent::Error::CannotCheck { what, why }) if what == "the background knowledge" => {
            Failure::Call(format!("{what} (--knows): {why}"))
        }
        Failure::Library(error @ reticent::Error::CannotCheck { .. }) => Failure::NotAudited(error),
        failure => failure,
    })?;
    if ways.json {
        print_json(&answer)?;
    } else {
        print::print(&answer);
    }
    Ok(u8::from(answer.holds == Some(false)))
}

/// By column, what may be told at most.
type Promised = Vec<(String, Share)>;

/// What may be told at most: of all columns, and where the policy's method promises different things, of each.
fn allowed(options: &args::Audit, loaded: Option<&Loaded>) -> Result<(Option<Share>, Promised), Failure> {
    if let Some(said) = options.confidence {
        return Ok((Some(exact(said)?), Vec::new()));
    }
    let Some(loaded) = loaded else { return Ok((None, Vec::new())) };
    let named = loaded.policy.short.confidence.map(exact).transpose()?;
    let asked = |column: &String| options.columns.as_ref().is_none_or(|columns| columns.contains(column));
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

fn answer(options: &args::Audit, ways: &Ways) -> Result<Answer, Failure> {
    for id in options.attacks.iter().filter(|id| *id != "all") {
        known_attack(id)?;
    }
    if let Some(path) = options.html.as_ref().filter(|path| path.symlink_metadata().is_ok()) {
        return Err(Failure::Call(format!("{} is there already; choose another name for the report", path.display())));
    }
    options.place.check_policy()?;
    let books = Books::find(&options.place, "auditing")?;
    let loaded = if options.place.policy.exists() { Some(load(&options.place.policy)?) } else { None };
    let ledger = books.open_to_read()?;
    let unsound = books.unsound(&ledger);
    let entries = ledger.entries()?;
    let (allowed, promised) = allowed(options, loaded.as_ref())?;
    // One figure for all columns, where there is one.
    let confidence = allowed.filter(|_| promised.is_empty()).map(Share::to_f64);
    let knows = match &options.knows {
        Some(path) => Knows::read(path, loaded.as_ref(), &books, &entries, ways)?,
        None => Knows::default(),
    };
    if options.adversary == args::Adversary::QuasiIdentifiers && knows.all.names_somebody() {
        return Err(Failure::Call(
            "--knows names people, and who does not know in which releases people are (--adversary quasi-identifiers) cannot use that"
                .to_owned(),
        ));
    }
    let question = question(options, loaded.as_ref(), (allowed, promised), knows.all.clone());
    let judged = question.judges();
    if options.adversary == args::Adversary::Algorithm && !judged {
        return Err(Failure::Call(
            "what an attacker can tell who knows the algorithm is judged by a confidence: the policy names none; give one with \
             --confidence"
                .to_owned(),
        ));
    }
    if options.adversary == args::Adversary::Algorithm && options.population.is_none() {
        return Err(Failure::Call(
            "an attacker who knows the algorithm undoes its steps, for which he needs everybody's raw quasi-identifiers: give them \
             with --population FILE"
                .to_owned(),
        ));
    }
    let mut history = load_history(&ledger, &entries)?;
    check_columns(options, &history)?;
    if options.adversary == args::Adversary::QuasiIdentifiers {
        history.releases.iter_mut().for_each(|held| held.links = None);
    }
    let people = match &options.population {
        Some(path) => population(path, &history, ways)?,
        None => Vec::new(),
    };
    let ordered = options.attacks.iter().any(|id| id == "all" || id == reticent::attacks::unsorted_matching::ENTRY.id);
    let rows = if ordered { rows::rows(&history, &ledger, &entries, ways) } else { Vec::new() };
    let rows: Vec<(u64, Option<Vec<u32>>)> = history.releases.iter().map(|held| held.number).zip(rows).collect();
    // Of everything together, so that what is misspelled is not taken for what some do not hold.
    let knowledge = question.knowledge.check(&history);
    knowledge.map_err(|error| knows.at_line(error.into(), &history, &question))?;
    let mut coalitions = Vec::new();
    for (members, held) in held(options, &books, &entries, &history)? {
        ways.check_stop()?;
        ways.progress.busy("auditing");
        let beside = Beside { people: &people, rows: &rows, loaded: loaded.as_ref() };
        let found = coalition(members, &held, &question.within(&held), &beside, options, ways);
        coalitions.push(found.map_err(|failure| knows.at_line(failure, &held, &question))?);
    }
    for coalition in &mut coalitions {
        coalition.open.extend(unsound.clone());
        let apart: Vec<String> = books.separate.groups.iter().map(|group| group.join(" and ")).collect();
        let never =
            |apart: String| format!("{apart} never combine what they hold, as the policy says ([recipients] separate)");
        coalition.audit.assumed.extend(apart.into_iter().map(never));
    }
    let established = |coalition: &Coalition| {
        coalition.open.is_empty() && coalition.breaches.is_empty() && coalition.audit.is_established()
    };
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
    let answer = Answer {
        ledger: books.folder.display().to_string(),
        confidence,
        holds,
        coalitions,
        html: options.html.as_ref().map(|path| path.display().to_string()),
        notes,
    };
    if let Some(path) = &options.html {
        html::write(path, options.public, &answer, &entries, loaded.as_ref())?;
    }
    Ok(answer)
}

/// A column that is asked about must be one that some release shows, and sensitive.
fn check_columns(options: &args::Audit, history: &History) -> Result<(), Failure> {
    let columns = history.releases.iter().flat_map(|held| &held.release.columns);
    let sensitive = columns.filter(|column| column.role == reticent::schema::Role::Sensitive);
    let names: BTreeSet<&str> = sensitive.map(|column| column.name.as_str()).collect();
    let wanted = options.columns.iter().flatten();
    let Some(stranger) = wanted.into_iter().find(|name| !names.contains(name.as_str())) else { return Ok(()) };
    let hint = reticent::error::did_you_mean(stranger, names.iter().copied());
    let all = || format!("there are: {}", names.iter().copied().collect::<Vec<_>>().join(", "));
    Err(Failure::Call(format!("no release has a sensitive column `{stranger}`; {}", hint.unwrap_or_else(all))))
}

/// Everything that was released, with whose the records are.
pub fn load_history(ledger: &Ledger, entries: &[Entry]) -> Result<History, Failure> {
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
    options: &args::Audit,
    books: &Books,
    entries: &[Entry],
    history: &History,
) -> Result<Vec<(Vec<String>, History)>, Failure> {
    let known = recipients(entries);
    let strangers: Vec<&String> =
        options.who.iter().filter(|name| *name != reticent::recipients::PUBLIC && !known.contains(*name)).collect();
    if let Some(stranger) = strangers.first() {
        let hint = reticent::error::did_you_mean(stranger, known.iter().map(String::as_str));
        let hint =
            hint.unwrap_or_else(|| format!("there are: {}", known.iter().cloned().collect::<Vec<_>>().join(", ")));
        return Err(Failure::Call(format!("nothing was released to `{stranger}`; {hint}")));
    }
    let who = if options.who.is_empty() { known.iter().cloned().collect() } else { options.who.clone() };
    let coalitions = books.separate.coalitions(&known, &who)?;
    let together = |coalition: &&BTreeSet<String>| {
        options.who.iter().all(|name| name == reticent::recipients::PUBLIC || coalition.contains(name))
    };
    if !options.who.is_empty() && !coalitions.iter().any(|coalition| together(&coalition)) {
        return Err(Failure::Call(format!(
            "{} are declared never to combine what they hold ([recipients] separate); audit each by itself",
            options.who.join(" and ")
        )));
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
    options: &args::Audit,
    loaded: Option<&Loaded>,
    (allowed, promised): (Option<Share>, Promised),
    knowledge: Knowledge,
) -> Question {
    let varies = loaded.map(|loaded| loaded.policy.inconsistent.iter().filter_map(|rule| rule.varying_column()));
    Question {
        columns: options.columns.clone(),
        varies: varies.into_iter().flatten().map(str::to_owned).collect(),
        rules: loaded.map(|loaded| loaded.policy.inconsistent.clone()).unwrap_or_default(),
        confidence: allowed,
        promised,
        knowledge,
        ask: Ask {
            steps: options.effort.saturating_mul(1_000_000),
            program: options.effort.saturating_mul(1_000_000),
            samples: options.samples,
            seed: options.seed,
            ..Ask::default()
        },
        worst: options.worst,
        each: options.each,
        newly: false,
        everybody: options.adversary != args::Adversary::QuasiIdentifiers,
        pairs: true,
        algorithm: options.adversary == args::Adversary::Algorithm,
    }
}

/// What attacks may use besides the releases.
struct Beside<'a> {
    /// People of whom something is known.
    people: &'a [Person],
    /// By number of a release: the order of its rows, where it is known.
    rows: &'a [(u64, Option<Vec<u32>>)],
    loaded: Option<&'a Loaded>,
}

fn coalition(
    members: Vec<String>,
    held: &History,
    question: &Question,
    beside: &Beside<'_>,
    options: &args::Audit,
    ways: &Ways,
) -> Result<Coalition, Failure> {
    let mut whole = audit(held, question)?;
    let attacks = options.attacks.iter().flat_map(|id| match id.as_str() {
        "all" => attacks::LIST.iter().map(|listed| listed.entry.id).collect(),
        id => vec![id],
    });
    let mut ids: Vec<&str> = Vec::new();
    attacks.for_each(|id| {
        if !ids.contains(&id) {
            ids.push(id)
        }
    });
    let mut attacks = ids
        .into_iter()
        .map(|id| attack(id, held, question, beside, |entry| arguments(entry, &options.with)))
        .collect::<Result<Vec<_>, _>>()?;
    if options.adversary == args::Adversary::Algorithm {
        algorithm::attacks(held, question, beside, &mut attacks)?;
    }
    let ran = |id: &str| attacks.iter().any(|attack| attack.id == id && attack.not_run.is_none());
    if ran(attacks::definetti::ENTRY.id) {
        whole.not_considered.retain(|text| !text.contains(attacks::definetti::ENTRY.title));
    }
    let open = open(&whole, &held.lost, &attacks, question);
    let breaches = if question.algorithm { algorithm::breaches(&attacks) } else { Vec::new() };
    let (over_time, then) = moments(held, &whole, question, ways)?;
    Ok(Coalition { members, lost: held.lost.clone(), open, breaches, audit: whole, over_time, then, attacks })
}

/// Why it is not established what is told, besides what is counted.
fn open(audit: &Audit, lost: &[Lost], attacks: &[Attack], question: &Question) -> Vec<String> {
    let erased = |lost: &Lost| {
        format!(
            "{} {} was erased: what it gives away can no longer be computed, and is missing",
            lost.number, lost.name
        )
    };
    let mut open: Vec<String> = lost.iter().map(erased).collect();
    if !audit.not_followed.is_empty() {
        let numbers: Vec<String> = audit.not_followed.iter().map(u64::to_string).collect();
        let whose = match (numbers.as_slice(), question.everybody) {
            (_, false) => "the attacker does not know who is in which release".to_owned(),
            ([one], true) => format!("it is not known whose the records of release {one} are"),
            (many, true) => format!("it is not known whose the records of releases {} are", many.join(", ")),
        };
        let others = if numbers.len() < audit.releases.len() { " with the others" } else { "" };
        open.push(format!(
            "{whose}, and what these tell together{others} could not be judged{}",
            if audit.pairs.is_empty() { "" } else { " but for who knows the groups of one person only" }
        ));
    }
    for pair in &audit.pairs {
        let [one, other] = pair.releases;
        if pair.not_judged.is_some() {
            open.push(format!("what releases {one} and {other} tell together could not be judged"));
            continue;
        }
        // What they tell for sure is part of the verdict.
        if pair.above == 0 && pair.may_be_above > 0 {
            let whom = "somebody who is known to be in a group of each";
            open.push(format!("releases {one} and {other} together may tell more than is allowed of {whom}"));
        }
    }
    if question.algorithm && !algorithm::looked_at_all(attacks) {
        open.push("what somebody who knows the algorithm can tell could not be looked at in full".to_owned());
    }
    open
}

/// People of whom something is known: every record is somebody, and columns that no release has are left out.
fn population(path: &Path, history: &History, ways: &Ways) -> Result<Vec<Person>, Failure> {
    let engine = Embedded::open_file(path, ways.options())?;
    let released =
        |name: &&String| history.releases.iter().flat_map(|held| &held.release.columns).any(|c| c.name == **name);
    // What is to be kept from the attacker is not what he knows.
    let secret = |name: &&String| {
        let shown = history.releases.iter().flat_map(|held| &held.release.columns);
        shown.filter(|column| column.name == **name).all(|column| column.role == reticent::schema::Role::Sensitive)
    };
    let (secrets, columns): (Vec<String>, Vec<String>) =
        engine.columns().iter().filter(released).cloned().partition(|name| secret(&name));
    if !secrets.is_empty() {
        crate::screen::warn(&format!(
            "{} of {} is sensitive, and not taken to be known",
            secrets.join(", "),
            path.display()
        ));
    }
    if columns.is_empty() {
        return Err(Failure::Call(format!("{} has no column that a release has", path.display())));
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
