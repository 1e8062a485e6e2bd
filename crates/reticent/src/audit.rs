//! The audit: what an attacker who holds a history can infer about each person, how sure that is, and which releases cause it.
//!
//! The attacker who is taken for granted knows everybody's quasi-identifiers and in which releases they are, so knows everybody's
//! group in each release; he does not know whose record is whose within a group, and has no reason to prefer one assignment
//! that fits everything published (a world) to another. [`Audit::assumed`] says what was taken for granted, and
//! [`Audit::not_considered`] which attackers were not considered.

mod because;
mod board;
mod chances;
mod figures;
mod gate;
mod knowledge;
mod pairs;
mod secrets;
mod shown;
#[cfg(test)]
mod tests;

use hashbrown::{HashMap, HashSet};

use crate::error::Result;
use crate::history::{Held, History};
use crate::inference::{Answer, Ask, Fraction, Work, solve};
use crate::join::Inconsistent;
use crate::links::Pseudonym;
use crate::release::PublishedColumn;
use crate::schema::Role;
use crate::share::Share;

pub use because::{Because, GroupShown};
pub use board::Board;
pub use chances::Chance;
pub use figures::{Column, Identity, Level};
pub use gate::{Proof, admit};
pub use knowledge::{Knowledge, Known, Statement};
pub use pairs::Pair;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// These sensitive columns only; all when none are named.
    pub columns: Option<Vec<String>>,
    /// Sensitive columns that may change from release to release.
    pub varies: Vec<String>,
    /// How values of different releases are matched where it is not known whose the records are.
    pub rules: Vec<Inconsistent>,
    /// Nobody's secret may be told with more confidence than this.
    pub confidence: Option<Share>,
    /// What the attacker knows besides.
    pub knowledge: Knowledge,
    /// How much work it may take.
    pub ask: Ask,
    /// How many of the worst cases to explain.
    pub worst: usize,
    /// Whether to list everybody.
    pub each: bool,
    /// Count only what the newest release brings: not people about whom more than allowed was told before it.
    pub newly: bool,
    /// Whether to judge every two releases of unknown owners by pairs of groups.
    pub pairs: bool,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            columns: None,
            varies: Vec::new(),
            rules: Vec::new(),
            confidence: None,
            knowledge: Knowledge::default(),
            ask: Ask::default(),
            worst: 5,
            each: false,
            newly: false,
            pairs: true,
        }
    }
}

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
    let mut board = board(history, question)?;
    question.knowledge.put_on(&mut board, history)?;
    let ask = Ask { bounds_only: board.relaxed, ..question.ask };
    let answer = solve(&board.puzzle(), &ask)?;
    let mut told = figures::Tally::of(&board, &answer, question, &Before::default());
    if question.newly && told.columns.iter().any(|column| column.may_be_above > 0) {
        told = figures::Tally::of(&board, &answer, question, &given_away(history, question)?);
    }
    let worst = worst(&board, history, &answer, &told, question);
    let each = question.each.then(|| each(&board, &answer, question));
    let releases = history.releases.iter().map(|held| (held.number, held.name.clone())).collect();
    let unlinked = history.releases.iter().zip(&board.linked).filter(|(_, linked)| !**linked);
    let unlinked: Vec<u64> = unlinked.map(|(held, _)| held.number).collect();
    let assumed = assumed(&board, history, question);
    // Worlds in which nobody is followed are too many.
    let followed = !board.relaxed && !board.alike.iter().any(|alike| alike.loose);
    let pairs = if question.pairs { pairs::pairs(history, question)? } else { Vec::new() };
    let not_followed = if question.pairs { pairs::not_followed(history, &pairs) } else { Vec::new() };
    Ok(Audit {
        releases,
        people: board.people.iter().map(|somebody| somebody.people).sum(),
        columns: told.columns,
        pairs,
        identity: figures::identity(&board),
        worst,
        each,
        ln_worlds: answer.ln_worlds.filter(|_| followed),
        worlds: answer.worlds.filter(|_| followed).map(|worlds| worlds.to_string()),
        several: board.several,
        changed: board.changed,
        unlinked,
        not_followed,
        work: answer.work,
        assumed,
        not_considered: not_considered(history, question),
    })
}

impl Audit {
    /// People about whom more is told than the policy allows, for sure.
    pub fn above(&self) -> u64 {
        self.columns.iter().map(|column| column.above).max().unwrap_or(0)
    }

    /// Whether it is established that nothing is told that the policy does not allow.
    pub fn is_established(&self) -> bool {
        self.not_followed.is_empty()
            && self.may_be_above() == 0
            && self.pairs.iter().all(|pair| pair.may_be_above == 0 && pair.not_judged.is_none())
    }

    /// People about whom more may be told than the policy allows: their bounds reach above it, or are not known.
    pub fn may_be_above(&self) -> u64 {
        self.columns.iter().map(|column| column.may_be_above).max().unwrap_or(0)
    }
}

/// The board of all sensitive columns, whatever is asked about: one tells about another. Where they are too many together, that of
/// the columns that are asked about, of which then only what is forced is true.
fn board(history: &History, question: &Question) -> Result<Board> {
    match (Board::of(history, None, &question.varies), &question.columns) {
        (Err(_), Some(columns)) => {
            let released = |name: &&String| {
                let columns = history.releases.iter().flat_map(|held| &held.release.columns);
                columns.filter(|column| column.role == Role::Sensitive).any(|column| column.name == **name)
            };
            let columns: Vec<String> = columns.iter().filter(released).cloned().collect();
            let mut board = Board::of(history, Some(&columns), &question.varies)?;
            board.relaxed = true;
            Ok(board)
        }
        (board, _) => board,
    }
}

/// By sensitive column and person: the values that are told with more confidence than allowed without the newest release, for sure.
#[derive(Default)]
struct Before(HashMap<String, HashMap<Pseudonym, HashSet<String>>>);

fn given_away(history: &History, question: &Question) -> Result<Before> {
    let mut before = Before::default();
    let earlier = &history.releases[..history.releases.len().saturating_sub(1)];
    let Some(allowed) = question.confidence.map(threshold).filter(|_| !earlier.is_empty()) else { return Ok(before) };
    let history = History { releases: earlier.to_vec(), lost: Vec::new() };
    let mut board = board(&history, question)?;
    question.knowledge.put_on(&mut board, &history)?;
    let answer = solve(&board.puzzle(), &Ask { bounds_only: board.relaxed, entropy: false, ..question.ask })?;
    for (at, column) in board.secrets.columns.iter().enumerate() {
        let told = |place: usize| -> HashSet<String> {
            let chances = chances::chances(&board.secrets, at, &answer.crowds[place]);
            let told = chances.iter().filter(|chance| board.speaks(place as u32, at) && chance.lower > allowed);
            told.map(|chance| board.secrets.values[at][chance.value as usize].clone()).collect()
        };
        let told: Vec<HashSet<String>> = (0..board.alike.len()).map(told).collect();
        let known = before.0.entry(column.clone()).or_default();
        for somebody in &board.people {
            let values = somebody.places.iter().flat_map(|place| told[*place as usize].iter().cloned());
            let values: HashSet<String> = values.collect();
            if let Some(pseudonym) = somebody.pseudonym.filter(|_| !values.is_empty()) {
                known.insert(pseudonym, values);
            }
        }
    }
    Ok(before)
}

/// The worst cases: people in the same place, by the most that is told about them.
fn worst(board: &Board, history: &History, answer: &Answer, told: &figures::Tally, question: &Question) -> Vec<Case> {
    let mut cases: Vec<(u32, usize, Chance)> = told.tops.clone();
    let key = |(place, _, chance): &(u32, usize, Chance)| {
        (std::cmp::Reverse(chance.lower), std::cmp::Reverse((chance.best() * 1e9) as u64), *place)
    };
    cases.sort_by_key(key);
    cases.truncate(question.worst);
    let mut pseudonyms: HashMap<u32, Vec<Pseudonym>> = cases.iter().map(|case| (case.0, Vec::new())).collect();
    for somebody in &board.people {
        for place in &somebody.places {
            if let (Some(known), Some(pseudonym)) = (pseudonyms.get_mut(place), somebody.pseudonym) {
                known.push(pseudonym);
            }
        }
    }
    let case = |(place, column, chance): (u32, usize, Chance)| Case {
        people: board.alike[place as usize].people,
        pseudonyms: pseudonyms.get(&place).into_iter().flatten().take(5).map(|name| called(*name)).collect(),
        column: board.secrets.columns[column].clone(),
        value: board.secrets.values[column][chance.value as usize].clone(),
        because: because::because(board, history, answer, place, column, &chance).map(|because| {
            let knows = !question.knowledge.known.is_empty() || !question.knowledge.statements.is_empty();
            let words = if knows { format!("{}, with what the attacker knows", because.words) } else { because.words };
            Because { words, ..because }
        }),
        chance,
    };
    cases.into_iter().map(case).collect()
}

/// A pseudonym as it is shown.
pub fn called(pseudonym: Pseudonym) -> String {
    format!("{pseudonym:032x}")
}

fn each(board: &Board, answer: &Answer, question: &Question) -> Vec<Person> {
    let secrets = &board.secrets;
    let column = |place: u32, column: usize| {
        let chances = chances::chances(secrets, column, &answer.crowds[place as usize]);
        let values = chances.into_iter().map(|chance| (secrets.values[column][chance.value as usize].clone(), chance));
        PersonColumn { column: secrets.columns[column].clone(), values: values.collect() }
    };
    let person = |somebody: &board::Somebody| {
        let places = somebody.places.iter();
        let told = places.flat_map(|place| {
            let asked =
                |at: &usize| question.columns.as_ref().is_none_or(|names| names.contains(&secrets.columns[*at]));
            (0..secrets.columns.len())
                .filter(asked)
                .filter(|at| board.speaks(*place, *at))
                .map(move |at| column(*place, at))
        });
        Person {
            pseudonym: somebody.pseudonym.map(called),
            people: somebody.people,
            told: told.filter(|told| !told.values.is_empty()).collect(),
        }
    };
    board.people.iter().map(person).collect()
}

fn assumed(board: &Board, history: &History, question: &Question) -> Vec<String> {
    let knows = match board.linked.contains(&true) {
        true => "the attacker knows the quasi-identifiers of everybody, and in which releases they are",
        false => {
            "the attacker knows the quasi-identifiers of everybody, and takes everybody to be in the release he looks at"
        }
    };
    let mut assumed = vec![
        knows.to_owned(),
        "every assignment of the published values to people that fits all releases is equally likely".to_owned(),
    ];
    let unlinked: Vec<&str> = history
        .releases
        .iter()
        .zip(&board.linked)
        .filter(|(_, linked)| !**linked)
        .map(|(held, _)| held.name.as_str())
        .collect();
    if !unlinked.is_empty() && history.releases.len() > 1 {
        assumed.push(format!(
            "it is not known whose the records of {} are: each is judged by itself, and every two that can be about the same people by \
             pairs of groups",
            unlinked.join(", ")
        ));
    }
    if board.several > 0 {
        assumed.push(
            "somebody who has several records in one release is judged record by record, and these are not followed from release to \
             release: of them, and of all who depend on them, only what is forced is told; that any one record shows a value is likelier \
             than that a given one does"
                .to_owned(),
        );
    }
    if board.changed > 0 {
        assumed.push("somebody's value that changed between releases, or is written differently, is not followed: of them, and of all who depend on \
             them, only what is forced is told"
                .to_owned());
    }
    if board.secrets.hidden {
        assumed.push("a hidden cell hides one of the values that some release shows".to_owned());
    }
    if board.relaxed {
        assumed.push("generalized values that overlap were not used in full: bounds hold, nothing is exact".to_owned());
    }
    assumed.extend(question.knowledge.words());
    assumed
}

fn not_considered(history: &History, question: &Question) -> Vec<String> {
    let mut not = vec![
        "attackers who know how the algorithm decided (minimality, downcoding)",
        "attackers who learn from the data who is likely to have what (deFinetti)",
    ];
    let other = |column: &PublishedColumn| column.role == Role::Other;
    let marks = |held: &Held, name: &str| held.groups.as_deref() == Some(name);
    if history.releases.iter().any(|held| held.release.columns.iter().any(|c| other(c) && !marks(held, &c.name))) {
        not.push("attackers who know columns with the role other, or follow records by them");
    }
    if question.knowledge.known.is_empty() {
        not.push("attackers who know some people's values");
    }
    if question.knowledge.statements.is_empty() {
        not.push("attackers with other background knowledge");
    }
    not.into_iter().map(str::to_owned).collect()
}

/// A threshold as a fraction.
fn threshold(confidence: Share) -> Fraction {
    Fraction::new(confidence.numerator, confidence.denominator)
}

/// What a group is called: its published quasi-identifiers, or its number.
fn group_name(history: &History, group: &board::Group) -> Vec<(String, String)> {
    let held = &history.releases[group.release];
    let marks = |column: &PublishedColumn| match &held.groups {
        Some(groups) => column.name == *groups,
        None => column.role == Role::QuasiIdentifier,
    };
    let columns = held.release.columns.iter().enumerate().filter(|(_, column)| marks(column));
    columns
        .map(|(at, column)| (column.name.clone(), column.label(held.release.combos.codes[at][group.member]).to_owned()))
        .collect()
}
