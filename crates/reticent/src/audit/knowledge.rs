//! What an attacker knows besides the releases: some people's values, and statements about how many have what.

mod parse;

use hashbrown::{HashMap, HashSet};

use super::board::{Board, Somebody};
use crate::error::{Error, KnowledgeFault, Obstacle, Result};
use crate::history::History;
use crate::join::is_below;
use crate::links::Pseudonym;
use crate::release::Release;
use crate::schema::Role;
use crate::share::Share;
use crate::taxonomy::{NodeId, Taxonomy};
use reticent_inference::{Count, Value};

/// What an attacker knows besides the releases.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// People whose value is known.
    pub known: Vec<Known>,
    /// Statements.
    pub statements: Vec<Statement>,
    /// People of whom the statements speak and who are in other releases than those that are looked at.
    pub elsewhere: HashSet<Pseudonym>,
}

/// Somebody of whom a statement speaks, and nothing is published that it could be counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Outside {
    /// In a release that does not show the column.
    Place(u32),
    /// In none of those that are looked at.
    Elsewhere(Pseudonym),
}

/// Somebody's value is, or is not, known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Who.
    pub who: Pseudonym,
    /// The sensitive column.
    pub column: String,
    /// The value.
    pub value: String,
    /// True when they have it, false when they do not.
    pub has: bool,
}

/// A linear statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// Of the people with this published value of a quasi-identifier, the share who have a value lies between two bounds.
    Share {
        /// The sensitive column.
        column: String,
        /// The value.
        value: String,
        /// The quasi-identifier and its value; everybody when there is none.
        among: Option<(String, String)>,
        /// At least,
        least: Share,
        /// and at most.
        most: Share,
    },
    /// Of these people, so many have a value.
    Among {
        /// Who.
        who: Vec<Pseudonym>,
        /// The sensitive column.
        column: String,
        /// The value.
        value: String,
        /// At least,
        least: u64,
        /// and at most.
        most: u64,
    },
}

impl Knowledge {
    /// Puts what is known on the board. What cannot be understood is an error: leaving it out would make the attacker weaker.
    pub(crate) fn put_on(&self, board: &mut Board, history: &History) -> Result<()> {
        let here = |column: &String| board.secrets.columns.contains(column);
        let known: Vec<&Known> = self.known.iter().filter(|known| here(&known.column)).collect();
        let statements = self.statements.iter().filter(|statement| here(statement.column()));
        let statements: Vec<&Statement> = statements.collect();
        for known in known {
            if self.elsewhere.contains(&known.who) {
                continue;
            }
            let with = secrets_with(board, &known.column, &known.value)?;
            let places = apart(board, known.who)?;
            if places.len() > 1 {
                return Err(cannot(KnowledgeFault::SeveralRecords));
            }
            // Where nothing of the column was published, knowing it tells nothing about anybody else.
            let at = board.secrets.columns.iter().position(|name| *name == known.column).unwrap_or(0);
            for place in places.into_iter().filter(|place| board.speaks(*place, at)).collect::<Vec<_>>() {
                let alike = &mut board.alike[place as usize];
                let may = alike.known.take().unwrap_or_else(|| board.secrets.all());
                alike.known = Some(may.into_iter().filter(|value| with.contains(value) == known.has).collect());
            }
        }
        // Everybody who is spoken of is set apart before anything is said, so that no place changes under a statement.
        for statement in &statements {
            match statement {
                Statement::Among { who, .. } => who.iter().for_each(|who| drop(board.set_apart(*who))),
                Statement::Share { among: Some((column, value)), .. } => drop(having(board, history, column, value)?),
                Statement::Share { among: None, .. } => {}
            }
        }
        // By column and whom it is outside of: how many statements speak of them, and whether one of these is about others too.
        let mut spoken_of: HashMap<(&String, Outside), (usize, bool)> = HashMap::new();
        for (at, statement) in (0..).zip(statements) {
            // Beyond the sources of releases.
            let source = u32::MAX - at;
            let (count, outside) = statement.count(board, history, source, self)?;
            for who in outside {
                let (often, with_others) = spoken_of.entry((statement.column(), who)).or_default();
                (*often, *with_others) = (*often + 1, *with_others || !count.of.is_empty());
            }
            board.said.push(count);
        }
        // Each statement leaves room for them, and in several they could have two values.
        let twice = spoken_of.into_iter().find(|(_, (often, with_others))| *often > 1 && *with_others);
        match twice {
            None => Ok(()),
            Some(((column, _), _)) => Err(cannot(KnowledgeFault::SeveralStatements { column: column.to_string() })),
        }
    }

    /// Refuses what speaks of a column that no release shows, or of somebody who is in none.
    pub fn check(&self, history: &History) -> Result<()> {
        let known = shown(history);
        if self.columns().any(|name| !known.contains(name.as_str())) {
            return Err(no_column(known.into_iter().collect()));
        }
        let mut named: HashSet<Pseudonym> = self.people().collect();
        named.retain(|who| !self.elsewhere.contains(who));
        if !named.is_empty() && !named.is_subset(&people_in(history)) {
            return Err(nobody());
        }
        let mut having: HashMap<(Pseudonym, &String), &String> = HashMap::new();
        for known in self.known.iter().filter(|known| known.has) {
            having.entry((known.who, &known.column)).or_insert(&known.value);
        }
        // Who has a value has no other, and does not lack it.
        let contradicts = |known: &Known| {
            let having = having.get(&(known.who, &known.column));
            having.is_some_and(|value| known.has != (**value == known.value))
        };
        if self.known.iter().any(contradicts) {
            return Err(cannot(KnowledgeFault::TwoValues));
        }
        Ok(())
    }

    /// The sensitive columns it speaks of.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        self.known.iter().map(|known| &known.column).chain(self.statements.iter().map(Statement::column))
    }

    /// Whether somebody is known to have a value, or not to; none when neither is.
    fn has(&self, who: Pseudonym, column: &str, value: &str) -> Option<bool> {
        let of_them = self.known.iter().filter(|known| known.who == who && known.column == column);
        let told = of_them.filter_map(|known| match (known.has, known.value == value) {
            (true, same) => Some(same),
            (false, true) => Some(false),
            (false, false) => None,
        });
        told.reduce(|one, other| one && other)
    }

    /// Whether it names anybody.
    pub fn names_somebody(&self) -> bool {
        self.people().next().is_some()
    }

    /// Everybody it names.
    fn people(&self) -> impl Iterator<Item = Pseudonym> {
        let named = self.statements.iter().flat_map(Statement::who);
        self.known.iter().map(|known| known.who).chain(named.copied())
    }

    /// The part of it that is about people and columns of a history, which may be that of some recipients only. Of others it is kept
    /// what is said of them together with these.
    pub fn within(&self, history: &History) -> Knowledge {
        if self.known.is_empty() && self.statements.is_empty() {
            return Knowledge::default();
        }
        let (columns, there) = (shown(history), people_in(history));
        let is_shown = |column: &String| columns.contains(column.as_str());
        let statements: Vec<&Statement> =
            self.statements.iter().filter(|statement| is_shown(statement.column())).collect();
        // What is said of others alone tells nothing of these, unless something else is said of both.
        let mut spoken_of = there.clone();
        let mut kept = vec![false; statements.len()];
        while let Some(at) = (0..kept.len()).find(|at| !kept[*at] && statements[*at].is_about(&spoken_of)) {
            kept[at] = true;
            spoken_of.extend(statements[at].who());
        }
        let kept = statements.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(statement, _)| statement.clone());
        let mut part = Knowledge { statements: kept.collect(), ..Knowledge::default() };
        let spoken_of: HashSet<Pseudonym> = part.people().collect();
        let wanted =
            |known: &&Known| is_shown(&known.column) && (there.contains(&known.who) || spoken_of.contains(&known.who));
        part.known = self.known.iter().filter(wanted).cloned().collect();
        part.elsewhere = spoken_of.into_iter().filter(|who| !there.contains(who)).collect();
        part
    }

    /// Whether something is said of everybody.
    pub(crate) fn is_of_everybody(&self) -> bool {
        self.statements.iter().any(|statement| matches!(statement, Statement::Share { .. }))
    }

    /// In words.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if !self.known.is_empty() {
            words.push(format!(
                "the attacker knows something about the values of people who are named: {}",
                self.known.len()
            ));
        }
        if !self.statements.is_empty() {
            words.push(format!("the attacker knows statements about values: {}", self.statements.len()));
        }
        words
    }
}

impl Statement {
    /// The sensitive column it speaks of.
    fn column(&self) -> &String {
        match self {
            Statement::Share { column, .. } | Statement::Among { column, .. } => column,
        }
    }

    /// Whom it names.
    fn who(&self) -> &[Pseudonym] {
        match self {
            Statement::Among { who, .. } => who,
            Statement::Share { .. } => &[],
        }
    }

    /// Whether it is about any of these people, or about everybody.
    fn is_about(&self, people: &HashSet<Pseudonym>) -> bool {
        matches!(self, Statement::Share { .. }) || self.who().iter().any(|who| people.contains(who))
    }

    /// As a count, and those outside of whom it is not known whether they have the value.
    fn count(
        &self,
        board: &mut Board,
        history: &History,
        source: u32,
        knowledge: &Knowledge,
    ) -> Result<(Count, Vec<Outside>)> {
        match self {
            Statement::Among { who, column, value, least, most } => {
                let all_elsewhere = who.iter().all(|who| knowledge.elsewhere.contains(who));
                let with = if all_elsewhere { Vec::new() } else { secrets_with(board, column, value)? };
                let at = board.secrets.columns.iter().position(|name| name == column).unwrap_or(0);
                let (mut of, mut outside, mut least, mut most) = (Vec::new(), Vec::new(), *least, *most);
                for who in who {
                    let here = match knowledge.elsewhere.contains(who) {
                        true => Outside::Elsewhere(*who),
                        false => match apart(board, *who)?.as_slice() {
                            [place] => Outside::Place(*place),
                            _ => {
                                return Err(cannot(KnowledgeFault::SeveralRecords));
                            }
                        },
                    };
                    match here {
                        Outside::Place(place) if board.speaks(place, at) => {
                            of.extend(with.iter().map(|secret| (place, *secret)));
                        }
                        _ => {
                            let has = knowledge.has(*who, column, value);
                            leave_out(has, &mut least, &mut most);
                            outside.extend(has.is_none().then_some(here));
                        }
                    }
                }
                Ok((Count { source, of, least, most }, outside))
            }
            Statement::Share { column, value, among, least, most } => {
                let with = secrets_with(board, column, value)?;
                let mut places: Vec<u32> = match among {
                    None => (0..board.alike.len() as u32).collect(),
                    Some((column, value)) => having(board, history, column, value)?,
                };
                // Everybody is counted once, and whoever nothing of the column was published of may have it too.
                if board
                    .people
                    .iter()
                    .any(|one| one.places.len() > 1 && one.places.iter().any(|at| places.contains(at)))
                {
                    return Err(cannot(KnowledgeFault::SeveralRecords));
                }
                let people: u64 = places.iter().map(|place| board.alike[*place as usize].people).sum();
                let at = board.secrets.columns.iter().position(|name| name == column).unwrap_or(0);
                let spoken_of: Vec<u32> = places.iter().copied().filter(|place| board.speaks(*place, at)).collect();
                let others: HashSet<u32> = places.iter().copied().filter(|place| !board.speaks(*place, at)).collect();
                // Of some of the others it is known all the same.
                let named = board.people.iter().filter(|one| one.places.iter().any(|place| others.contains(place)));
                let has = |one: &Somebody| knowledge.has(one.pseudonym?, column, value);
                let open = board.people.iter().filter(|one| has(one).is_none()).flat_map(|one| &one.places);
                let open: HashSet<u32> = open.copied().collect();
                let outside: Vec<Outside> = others.intersection(&open).copied().map(Outside::Place).collect();
                let known: Vec<bool> = named.filter_map(has).collect();
                let having = known.iter().filter(|has| **has).count() as u64;
                let not_having = known.len() as u64 - having;
                places = spoken_of;
                let spoken: u64 = places.iter().map(|place| board.alike[*place as usize].people).sum();
                let of = places.iter().flat_map(|place| with.iter().map(move |secret| (*place, *secret))).collect();
                if people == 0 {
                    return Err(cannot(KnowledgeFault::NobodyMeant));
                }
                let times = |share: &Share| u128::from(people) * share.numerator;
                let least = times(least).div_ceil(least.denominator) as u64;
                let most = (times(most) / most.denominator) as u64;
                if least > most {
                    return Err(cannot(KnowledgeFault::ShareImpossible));
                }
                let least = least.saturating_sub(people - spoken - not_having);
                match most.checked_sub(having) {
                    Some(most) => Ok((Count { source, of, least, most }, outside)),
                    None => Err(cannot(KnowledgeFault::ShareExceeded)),
                }
            }
        }
    }
}

/// Leaves somebody out of a count of people with a value, of whom nothing is published that it could be counted in. Who is known to have it
/// has it, who is known not to has it not, and of anybody else either may be.
fn leave_out(has: Option<bool>, least: &mut u64, most: &mut u64) {
    match (has, most.checked_sub(1)) {
        (Some(true), Some(fewer)) => (*least, *most) = (least.saturating_sub(1), fewer),
        // More have it than may: nothing fits.
        (Some(true), None) => (*least, *most) = (1, 0),
        (Some(false), _) => {}
        (None, _) => *least = least.saturating_sub(1),
    }
}

/// The secrets that have a value in a column.
fn secrets_with(board: &Board, column: &str, value: &str) -> Result<Vec<Value>> {
    let at = board.secrets.columns.iter().position(|name| name == column);
    let at = at.ok_or_else(|| no_column(board.secrets.columns.iter().map(String::as_str).collect()))?;
    let found: Vec<Value> =
        board.secrets.all().into_iter().filter(|secret| board.secrets.reads(*secret, at) == Some(value)).collect();
    if found.is_empty() {
        return Err(cannot(KnowledgeFault::ValueNotShown { column: column.to_owned() }));
    }
    Ok(found)
}

/// What it names instead of a column is not told: it may be a value, in the wrong place.
fn no_column(mut known: Vec<&str>) -> Error {
    known.sort_unstable();
    cannot(KnowledgeFault::ColumnUnknown { columns: known.into_iter().map(str::to_owned).collect() })
}

fn apart(board: &mut Board, who: Pseudonym) -> Result<Vec<u32>> {
    board.set_apart(who).ok_or_else(nobody)
}

/// The sensitive columns that a history shows.
pub(super) fn shown(history: &History) -> HashSet<&str> {
    let columns = history.releases.iter().flat_map(|held| &held.release.columns);
    columns.filter(|column| column.role == Role::Sensitive).map(|column| column.name.as_str()).collect()
}

/// Everybody who is known to be in a history.
fn people_in(history: &History) -> HashSet<Pseudonym> {
    let links = history.releases.iter().filter_map(|held| held.links.as_ref());
    links.flat_map(|links| links.pseudonyms.iter().copied()).collect()
}

/// The places of those who have a value of a quasi-identifier. Where that cannot be told of somebody, it is an error.
fn having(board: &mut Board, history: &History, column: &str, value: &str) -> Result<Vec<u32>> {
    let cannot_tell = || cannot(KnowledgeFault::NotShownForAll { column: column.to_owned() });
    // By person: whether they have it, as far as some release tells.
    let mut told: HashMap<Pseudonym, Option<bool>> = HashMap::new();
    for held in &history.releases {
        let Some(links) = &held.links else { continue };
        for link in 0..links.len() {
            let Some(has) = has(&held.release, links.combos[link] as usize, column, value) else { continue };
            let known = told.entry(links.pseudonyms[link]).or_insert(has);
            if known.zip(has).is_some_and(|(one, other)| one != other) {
                return Err(cannot(KnowledgeFault::ReleasesDiffer { column: column.to_owned() }));
            }
            *known = known.or(has);
        }
    }
    let told_of = |who: Pseudonym| told.get(&who).copied().flatten().is_some();
    let speaks = |somebody: &Somebody| {
        let columns = 0..board.secrets.columns.len();
        somebody.places.iter().any(|place| columns.clone().any(|at| board.speaks(*place, at)))
    };
    let linked = board.people.iter().filter_map(|somebody| Some((somebody, somebody.pseudonym?)));
    if linked.clone().any(|(somebody, who)| speaks(somebody) && !told_of(who)) {
        return Err(cannot_tell());
    }
    let these: HashSet<Pseudonym> =
        told.into_iter().filter(|(_, has)| *has == Some(true)).map(|(who, _)| who).collect();
    let mut places = board.divide(&these);
    // Of releases whose owners are not known, group by group.
    for somebody in board.people.iter().filter(|somebody| somebody.pseudonym.is_none()) {
        let groups = somebody.groups.iter().map(|group| &board.groups[*group as usize]);
        for group in groups {
            let held = &history.releases[group.release];
            match has(&held.release, group.member, column, value) {
                None => {}
                // Which of a marked group has what is not told.
                Some(_) if held.disguise.groups.as_deref().is_some_and(|mark| mark != column) => {
                    return Err(cannot_tell());
                }
                Some(None) => return Err(cannot_tell()),
                Some(Some(true)) => places.extend(&somebody.places),
                Some(Some(false)) => {}
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// Whether a record has a value of a quasi-identifier; none in it when its cell may stand for it, or not. None when the release does
/// not show the column.
fn has(release: &Release, combo: usize, column: &str, value: &str) -> Option<Option<bool>> {
    let at = release.columns.iter().position(|one| one.name == column && one.role != Role::Sensitive)?;
    let published = &release.columns[at];
    let node = published.nodes[release.combos.codes[at][combo] as usize];
    if is_below(&published.tree, node, value) {
        return Some(Some(true));
    }
    // Above the value, it may be; beside it, it is not.
    let above = published.tree.find(value).is_some_and(|wanted| is_above(&published.tree, node, wanted));
    Some(if above || node == 0 { None } else { Some(false) })
}

fn is_above(tree: &Taxonomy, node: NodeId, below: NodeId) -> bool {
    let (node, below) = (&tree.node(node).codes, &tree.node(below).codes);
    node.start <= below.start && below.end <= node.end
}

fn nobody() -> Error {
    cannot(KnowledgeFault::PersonUnknown)
}

fn cannot(fault: KnowledgeFault) -> Error {
    Obstacle::BackgroundKnowledgeInvalid { fault }.into()
}
