//! The audit: what an attacker who holds a history can infer about each person, how sure that is, and which releases cause it.
//!
//! The attacker who is taken for granted knows everybody's quasi-identifiers and in which releases they are, so knows everybody's
//! group in each release; he does not know whose record is whose within a group, and has no reason to prefer one assignment
//! that fits everything published (a world) to another. [`Audit::assumed`] says what was taken for granted, and
//! [`Audit::not_considered`] which attackers were not considered.

mod adversaries;
mod because;
mod before;
mod board;
mod chances;
mod counted;
mod exchange;
mod figures;
mod gate;
pub(crate) mod group_checks;
mod identity;
mod knowledge;
mod pairs;
mod question;
mod scale;
mod secrets;
mod several;
mod shown;
#[cfg(test)]
mod tests;
mod timeline;
mod verdict;

use crate::error::{Error, KnowledgeFault, Obstacle, Result};
use crate::history::{Held, History};
use crate::links::Pseudonym;
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::share::Share;
use reticent_inference::{Answer, solve};

pub use adversaries::{Attacked, Beside, algorithm_attacks, attack, disclosures, known_attack};
pub use because::{Because, GroupShown};
pub use board::Board;
pub use chances::Chance;
pub use exchange::{Exchanged, exchanged};
use figures::Top;
pub use figures::{Column, Level};
pub use gate::{Audited, AuditedColumn, AuditedGroups, Gate, GroupedCandidate, Proof, admit_grouped, admit_recoded};
pub use identity::Identity;
pub use knowledge::{Knowledge, Known, Statement};
pub use pairs::Pair;
pub use question::Question;
pub use reticent_inference::{Ask, Fraction, Sampled, Work};
pub use timeline::{Moment, MomentColumn, Timeline, timeline};
pub use verdict::{Disclosure, is_within, not_established};

/// What a history gives away.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Audit {
    /// The releases: number and name, oldest first.
    #[serde(serialize_with = "shown::releases")]
    pub releases: Vec<(u64, String)>,
    /// People in them, as far as they are known; where they are not, records.
    pub people: u64,
    /// By sensitive column.
    pub columns: Vec<Column>,
    /// What two releases tell together, of whose records it is not known whose they are.
    pub pairs: Vec<Pair>,
    /// Whose records can be found, and put together.
    pub identity: Identity,
    /// The worst cases.
    pub worst: Vec<Case>,
    /// Everybody, where that was asked for.
    pub each: Option<Vec<Person>>,
    /// The natural logarithm of the number of worlds; none when they could not be counted.
    pub ln_worlds: Option<f64>,
    /// The number of worlds, in full, where it is below 2^128.
    pub worlds: Option<String>,
    /// People with several records in one release.
    pub several: u64,
    /// People whose secret changed between releases.
    pub changed: u64,
    /// Releases of which it is not known whose the records are, by number.
    pub unlinked: Vec<u64>,
    /// Of these, those that may be about people of another release, and could not be judged with it.
    pub not_followed: Vec<u64>,
    /// How the answer was found.
    pub work: Work,
    /// What was taken for granted.
    pub assumed: Vec<String>,
    /// Which attackers were not considered.
    pub not_considered: Vec<String>,
}

/// A case among the worst.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Case {
    /// People of whom the same is told.
    pub people: u64,
    /// Some of them, by pseudonym.
    pub pseudonyms: Vec<String>,
    /// The sensitive column.
    pub column: String,
    /// The value that is told, for internal eyes.
    pub value: String,
    /// What is told of it.
    pub chance: Chance,
    /// A small set of releases and groups that already tells it.
    pub because: Option<Because>,
}

/// Everything told about somebody.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Person {
    /// The pseudonym; none in a release whose owners are not known.
    pub pseudonym: Option<String>,
    /// How many people this stands for.
    pub people: u64,
    /// By column, the values they may have. With several records, or a secret that changed, one list each.
    pub told: Vec<PersonColumn>,
}

/// What is told about one column of somebody.
#[derive(Debug, Clone, serde::Serialize)]
pub struct PersonColumn {
    /// The column.
    pub column: String,
    /// The values, by what they read, for internal eyes.
    #[serde(serialize_with = "shown::values")]
    pub values: Vec<(String, Chance)>,
}

/// Audits a history.
pub fn audit(history: &History, question: &Question) -> Result<Audit> {
    // A column that is not there is no column of which nothing is told.
    secrets::named(history, question.columns.as_deref())?;
    let whole = history;
    let history = &*whole.in_views();
    let mut parts = Vec::new();
    for board in boards(history, question)? {
        let ask = Ask { bounds_only: board.relaxed, ..question.ask };
        let answer =
            solve(&board.puzzle(), &ask).map_err(|error| knowledge_at_fault(error.into(), history, question))?;
        let told = figures::Tally::of(&board, &answer, question, &before::Before::default());
        parts.push(Part { board, answer, told });
    }
    let may_be_above = |part: &Part| part.told.columns.iter().any(|column| column.may_be_above > 0);
    if question.newly && parts.iter().any(may_be_above) {
        let before = before::given_away(whole, question)?;
        for part in &mut parts {
            part.told = figures::Tally::of(&part.board, &part.answer, question, &before);
        }
    }
    let board = &parts[0].board;
    let mut releases: Vec<(u64, String)> = Vec::new();
    let mut unlinked: Vec<u64> = Vec::new();
    for (held, linked) in history.releases.iter().zip(&board.linked) {
        releases.push((held.number, held.name.clone()));
        unlinked.extend((!linked).then_some(held.number));
    }
    releases.dedup();
    unlinked.dedup();
    // Worlds in which nobody is followed are too many.
    let followed = |part: &Part| !part.board.relaxed && !part.board.alike.iter().any(|alike| alike.loose);
    let followed = parts.iter().all(followed);
    let worlds = parts.iter().try_fold(1u128, |all, part| part.answer.worlds.and_then(|these| all.checked_mul(these)));
    let ln_worlds: Option<f64> = parts.iter().map(|part| part.answer.ln_worlds).sum();
    let pairs = if question.pairs { pairs::pairs(history, question)? } else { Vec::new() };
    let assumed = assumed(&parts, history, question, pairs.iter().any(|pair| pair.not_judged.is_none()));
    let not_followed = if question.pairs { pairs::not_followed(history, &pairs, question) } else { Vec::new() };
    Ok(Audit {
        releases,
        people: board.people.iter().map(|somebody| somebody.people).sum(),
        pairs,
        identity: Identity::of(history),
        worst: worst(&parts, history, question),
        each: question.each.then(|| each(&parts, question)),
        ln_worlds: ln_worlds.filter(|_| followed),
        worlds: worlds.filter(|_| followed).map(|worlds| worlds.to_string()),
        several: board.several,
        changed: changed(&parts),
        unlinked,
        not_followed,
        assumed,
        not_considered: not_considered(history, question),
        work: parts[1..].iter().fold(parts[0].answer.work.clone(), |work, part| work.and(&part.answer.work)),
        columns: parts.into_iter().flat_map(|part| part.told.columns).collect(),
    })
}

/// Where the releases contradict each other only with what the attacker is said to know, that is what is wrong.
fn knowledge_at_fault(error: Error, history: &History, question: &Question) -> Error {
    let Knowledge { known, statements, .. } = &question.knowledge;
    if known.is_empty() && statements.is_empty() {
        return error;
    }
    let without = Question { knowledge: Knowledge::default(), ..question.clone() };
    let fits =
        |board: &Board| solve(&board.puzzle(), &Ask { bounds_only: true, entropy: false, ..question.ask }).is_ok();
    match boards(history, &without) {
        Ok(boards) if boards.iter().all(fits) => {
            Obstacle::BackgroundKnowledgeInvalid { fault: KnowledgeFault::Contradiction }.into()
        }
        _ => error,
    }
}

/// Sensitive columns that tell about each other, and what is told of them. Nothing ties those of different parts.
struct Part {
    board: Board,
    answer: Answer,
    told: figures::Tally,
}

/// People whose secret changed between releases, in whatever columns.
fn changed(parts: &[Part]) -> u64 {
    let people = parts[0].board.people.len();
    let changed = |at: &usize| parts.iter().any(|part| part.board.people[*at].changed);
    (0..people).filter(changed).count() as u64
}

impl Audit {
    /// People about whom more is told than the policy allows, for sure: of the column of which that is so of most.
    pub fn above(&self) -> u64 {
        self.columns.iter().map(|column| column.above).max().unwrap_or(0)
    }

    /// Whether it is established that nothing is told that the policy does not allow.
    pub fn is_established(&self) -> bool {
        self.not_followed.is_empty()
            && self.may_be_above() == 0
            && self.pairs.iter().all(|pair| pair.may_be_above == 0 && pair.not_judged.is_none())
    }

    /// People about whom more may be told than the policy allows, because their bounds reach above it, or are not known: of the column of
    /// which that is so of most.
    pub fn may_be_above(&self) -> u64 {
        self.columns.iter().map(|column| column.may_be_above).max().unwrap_or(0)
    }
}

/// The boards of all sensitive columns that are asked about, with those that tell about them; one with no column where there is none.
fn boards(history: &History, question: &Question) -> Result<Vec<Board>> {
    question.knowledge.check(history)?;
    let mut boards = Vec::new();
    for columns in secrets::parts(history)? {
        let asked = |name: &&String| question.columns.as_ref().is_none_or(|asked| asked.contains(name));
        let wanted: Vec<String> = columns.iter().filter(asked).cloned().collect();
        if wanted.is_empty() {
            continue;
        }
        let mut board = board(history, &columns, &wanted, &question.varies)?;
        question.knowledge.put_on(&mut board, history)?;
        boards.push(board);
    }

    if boards.is_empty() {
        boards.push(Board::of(history, Some(&[]), &question.varies)?);
    }
    Ok(boards)
}

/// The board of columns that tell about each other. Where they are too many together, that of the columns that are asked about, of
/// which then only what is forced is true.
fn board(history: &History, columns: &[String], wanted: &[String], varies: &[String]) -> Result<Board> {
    match Board::of(history, Some(columns), varies) {
        Err(_) if wanted.len() < columns.len() => {
            let mut board = Board::of(history, Some(wanted), varies)?;
            board.relaxed = true;
            // What is left out may tell anybody apart.
            board.alike.iter_mut().for_each(|alike| alike.loose = true);
            Ok(board)
        }
        board => board,
    }
}

/// The worst cases: people in the same place, by the most that is told about them; of whom more is told than allowed, first.
fn worst(parts: &[Part], history: &History, question: &Question) -> Vec<Case> {
    let mut cases: Vec<(&Part, Top)> = Vec::new();
    for part in parts {
        cases.extend(part.told.tops.iter().map(|top| (part, *top)));
    }
    // First those behind the verdict: what is told for sure and not allowed, then what may be. Among equals, what is seen at once.
    let key = |(part, Top { place, column, chance, who }): &(&Part, Top)| {
        let allowed = question.allowed(&part.board.secrets.columns[*column]).map(threshold);
        let within = match allowed {
            Some(allowed) if chance.lower <= allowed => 1 + u8::from(chance.upper <= allowed),
            _ => 0,
        };
        let told = if within == 1 { chance.upper } else { chance.lower };
        let groups = part.board.alike[*place as usize].groups.iter();
        let fewest = groups.map(|group| part.board.groups[*group as usize].shows.len()).min();
        let best = std::cmp::Reverse((chance.best() * 1e9) as u64);
        (within, std::cmp::Reverse(told), best, fewest, *place, *column, chance.value, who.is_some())
    };
    cases.sort_by_cached_key(key);
    // The same may be told of several people of one place.
    let same = |(part, one): &(&Part, Top), (other_part, other): &(&Part, Top)| {
        let of = |top: &Top| (top.place, top.column, top.chance, top.who.is_some());
        std::ptr::eq(*part, *other_part) && of(one) == of(other)
    };
    let case = |same: &[(&Part, Top)]| {
        let (Part { board, answer, .. }, Top { place, column, chance, .. }) = same[0];
        let one = same[0].1.who.map(|who| &board.people[who]);
        let alone = |somebody: &&board::Somebody| somebody.places == [place];
        let who: Vec<&board::Somebody> = match same[0].1.who {
            Some(_) => same.iter().filter_map(|(_, top)| Some(&board.people[top.who?])).collect(),
            None => board.people.iter().filter(alone).collect(),
        };
        Case {
            people: who.iter().map(|somebody| somebody.people).sum(),
            pseudonyms: who.iter().filter_map(|somebody| somebody.pseudonym).take(5).map(called).collect(),
            column: board.secrets.columns[column].clone(),
            value: board.secrets.values[column][chance.value as usize].clone(),
            because: because::because(board, history, answer, (place, one), column, &chance).map(|because| {
                let knows = !question.knowledge.known.is_empty() || !question.knowledge.statements.is_empty();
                let words =
                    if knows { format!("{}, with what the attacker knows", because.words) } else { because.words };
                Because { words, ..because }
            }),
            chance,
        }
    };
    cases.chunk_by(same).take(question.worst).map(case).collect()
}

/// A pseudonym as it is shown.
pub fn called(pseudonym: Pseudonym) -> String {
    format!("{pseudonym:032x}")
}

/// What is told about everybody. The people of all parts are the same.
fn each(parts: &[Part], question: &Question) -> Vec<Person> {
    let asked = |name: &String| question.columns.as_ref().is_none_or(|names| names.contains(name));
    let told = |part: &Part, somebody: &board::Somebody| -> Vec<PersonColumn> {
        let secrets = &part.board.secrets;
        let mut told = Vec::new();
        for place in &somebody.places {
            let columns = (0..secrets.columns.len()).filter(|at| asked(&secrets.columns[*at]));
            for at in columns.filter(|at| part.board.speaks(*place, *at)) {
                let chances = chances::chances(secrets, at, &part.answer.crowds[*place as usize]);
                let reads = |chance: Chance| (secrets.values[at][chance.value as usize].clone(), chance);
                let values: Vec<(String, Chance)> = chances.into_iter().map(reads).collect();
                if !values.is_empty() {
                    told.push(PersonColumn { column: secrets.columns[at].clone(), values });
                }
            }
        }
        told
    };
    let person = |(at, somebody): (usize, &board::Somebody)| Person {
        pseudonym: somebody.pseudonym.map(called),
        people: somebody.people,
        told: parts.iter().flat_map(|part| told(part, &part.board.people[at])).collect(),
    };
    parts[0].board.people.iter().enumerate().map(person).collect()
}

/// What is taken for granted, where releases were judged by pairs of groups or not.
fn assumed(parts: &[Part], history: &History, question: &Question, pairs: bool) -> Vec<String> {
    let board = &parts[0].board;
    let knows = match board.linked.contains(&true) {
        true => "the attacker knows the quasi-identifiers of everybody, and in which releases they are",
        false => {
            "the attacker knows the quasi-identifiers of everybody, and takes everybody to be in the release he looks at"
        }
    };
    let raw = "the attacker knows everybody's raw quasi-identifiers, and that the algorithm generalized no more than it had to";
    let mut assumed = vec![
        knows.to_owned(),
        "every assignment of the published values to people that fits all releases is equally likely".to_owned(),
    ];
    assumed.extend(question.algorithm.then(|| raw.to_owned()));
    let mut unlinked: Vec<&str> = history
        .releases
        .iter()
        .zip(&board.linked)
        .filter(|(_, linked)| !**linked)
        .map(|(held, _)| held.name.as_str())
        .collect();
    unlinked.dedup();
    if !unlinked.is_empty() {
        let whose = match question.everybody {
            true => format!("it is not known whose the records of {} are", unlinked.join(", ")),
            false => "the attacker does not know who is in which release".to_owned(),
        };
        let by_pairs = match pairs {
            true => {
                ", and every two that can be about the same people by pairs of groups, as somebody would who knows the groups of one \
                 person and of nobody else"
            }
            false => "",
        };
        assumed.push(match history.releases.len() {
            1 => format!("{whose}: records are counted as people"),
            _ => format!("{whose}: people are counted in each by itself, which is judged by itself{by_pairs}"),
        });
    }
    if board.several > 0 {
        assumed.push(
            "of somebody who has several records in one release, it is told that any of them shows a value; they are not followed from release \
             to release: of who is in several, and of all who depend on them, only what is forced is told"
                .to_owned(),
        );
    }
    if changed(parts) > 0 {
        assumed.push("somebody's value that changed between releases, or is written differently, is not followed: of them, and of all who depend on \
             them, only what is forced is told"
                .to_owned());
    }
    for column in
        question.varies.iter().filter(|column| parts.iter().any(|part| part.board.secrets.columns.contains(column)))
    {
        assumed.push(format!(
            "{column} may change from release to release: what one tells of it says nothing about another"
        ));
    }
    let marked = |held: &&Held| held.disguise.groups.is_some() && held.disguise.of.is_none();
    let mut marked: Vec<&str> = history.releases.iter().filter(marked).map(|held| held.name.as_str()).collect();
    marked.dedup();
    if !marked.is_empty() {
        assumed.push(format!(
            "of {} only the marked groups are looked at: whom its other columns tell from others of the group is not counted",
            marked.join(", ")
        ));
    }
    if history.releases.iter().any(|held| held.disguise.counterfeits.is_some()) {
        assumed.push("the attacker knows how many records of a group are nobody's, and not which".to_owned());
    }
    if parts.iter().any(|part| part.board.secrets.hidden) {
        assumed.push("a hidden cell hides one of the values that some release shows".to_owned());
    }
    if parts.iter().any(|part| part.board.relaxed) {
        assumed.push(
            "generalized values that overlap, and intervals, were not used in full: bounds hold, nothing is exact"
                .to_owned(),
        );
    }
    assumed.extend(question.knowledge.words());
    assumed
}

fn not_considered(history: &History, question: &Question) -> Vec<String> {
    let mut not = Vec::new();
    if !question.algorithm {
        not.push("attackers who know how the algorithm decided (minimality, downcoding)");
    }
    not.push("attackers who learn from the data who is likely to have what (deFinetti)");
    let other = |column: &PublishedColumn| column.role == Role::Other;
    let marks = |held: &Held, name: &str| {
        [&held.disguise.groups, &held.disguise.counterfeits].iter().any(|known| known.as_deref() == Some(name))
    };
    if history.releases.iter().any(|held| held.release.columns.iter().any(|c| other(c) && !marks(held, &c.name))) {
        not.push("attackers who know columns with the role other, or follow records by them");
    }
    if !question.everybody {
        not.push("attackers who know in which releases people are");
    }
    not.push(match question.knowledge.known.is_empty() {
        true => "attackers who know some people's values",
        false => "attackers who know the values of others than those that were given",
    });
    not.push("attackers with other background knowledge");
    not.into_iter().map(str::to_owned).collect()
}

/// A threshold as a fraction.
fn threshold(confidence: Share) -> Fraction {
    Fraction::new(confidence.numerator, confidence.denominator)
}

/// What a group is called: its published quasi-identifiers, or its number.
fn group_name(history: &History, group: &board::Group) -> Vec<(String, String)> {
    let held = &history.releases[group.release];
    let marks = |column: &PublishedColumn| match &held.disguise.groups {
        Some(groups) => column.name == *groups,
        None => column.role == Role::QuasiIdentifier,
    };
    let columns = held.release.columns.iter().enumerate().filter(|(_, column)| marks(column));
    columns
        .map(|(at, column)| (column.name.clone(), column.label(held.release.combos.codes[at][group.member]).to_owned()))
        .collect()
}
