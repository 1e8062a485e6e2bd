//! Two releases of the same people of whom nobody knows whose record is whose: the unknown is who falls into which pair of
//! groups.
//!
//! Somebody of a group of one release is in some group of the other that does not contradict it (the matches of the lossy join),
//! and as many are in each as it has records. So the group in the other release is one more thing that everybody has and nobody
//! is told, and the same machinery answers: what the attacker who knows somebody's groups in both can tell is the chance of a
//! value among those who have both.
//!
//! Only where both releases have equally many records and every group of one matches some group of the other: else they are
//! not about the same people, and each is judged by itself.

use std::sync::Arc;

use super::board::Board;
use super::counted;
use super::figures::Level;
use super::{Question, group_name, threshold};
use crate::combos::Combos;
use crate::error::{Obstacle, Result};
use crate::history::{Held, History};
use crate::join::fits;
use crate::release::{PublishedColumn, Release};
use crate::schema::Role;
use crate::taxonomy::{Code, Taxonomy};
use reticent_inference::{Ask, Fraction, Told, Value, solve};

/// What two releases tell about people who are in a group of each.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Pair {
    /// The releases, by number.
    pub releases: [u64; 2],
    /// The sensitive column; none when the two could not be judged.
    pub column: Option<String>,
    /// Why they could not be judged.
    pub not_judged: Option<String>,
    /// Pairs of groups that somebody may be in.
    pub pairs: u64,
    /// Of these, in how many more is told than allowed, for sure.
    pub above: u64,
    /// And in how many more may be told.
    pub may_be_above: u64,
    /// About how many people are in those where more may be told.
    pub people_may_be_above: f64,
    /// The most that is told in any.
    pub highest: Level,
    /// The pair of groups in which it is told: quasi-identifiers as published.
    #[serde(serialize_with = "crate::witness::as_cells")]
    pub worst: Vec<(String, String)>,
}

impl Pair {
    /// Whether the two tell somebody's value for certain.
    pub fn is_certain(&self) -> bool {
        self.highest.lower == Fraction::ONE
    }
}

/// What every two such releases tell.
pub(super) fn pairs(history: &History, question: &Question) -> Result<Vec<Pair>> {
    let mut found = Vec::new();
    // Where it is not known whose the records of one are, it does not help to know it of the other.
    let plain: Vec<&Held> = history.releases.iter().filter(|held| held.disguise.is_none()).collect();
    for (at, one) in plain.iter().enumerate() {
        for other in plain[at + 1..].iter().filter(|other| one.links.is_none() || other.links.is_none()) {
            let Some(both) = Both::of(one, other, question)? else { continue };
            let known = question.knowledge.columns().any(|column| both.is_about(column));
            if known {
                let why = "what else is known of people is not used where it is not known whose the records are";
                found.push(both.not_judged(why.to_owned()));
                continue;
            }
            // What may have changed since is told by the second of its own, with the groups of the first.
            let turned = if varies(other, question) { Both::of(other, one, question)? } else { None };
            let judged = both.judge(question, |_| true, &mut found);
            let judged = judged.and_then(|()| match &turned {
                Some(turned) => turned.judge(question, |name| question.varies.contains(name), &mut found),
                None => Ok(()),
            });
            if let Err(error) = judged {
                found.push(both.not_judged(error.to_string()));
            }
        }
    }
    Ok(found)
}

/// Releases of which it is not known whose the records are, that stand beside another with which they were not judged, or beside several:
/// three may leave one value where every two leave more. To an attacker who knows also in which groups others are, any two may tell more
/// than a pair of groups does; but of releases with nothing sensitive he knows everything before. Where neither has anything sensitive, nothing
/// is told to anybody.
pub(super) fn not_followed(history: &History, pairs: &[Pair], question: &Question) -> Vec<u64> {
    let judged = |one: u64, other: u64| {
        pairs
            .iter()
            .any(|pair| pair.not_judged.is_none() && pair.releases.contains(&one) && pair.releases.contains(&other))
    };
    let secret = |held: &Held| held.release.columns.iter().any(|column| column.role == Role::Sensitive);
    let open = |(at, held): &(usize, &Held)| {
        let others = history.releases.iter().filter(|other| other.number != held.number);
        let others = others.filter(|other| match question.everybody {
            true => secret(held) && secret(other),
            false => secret(held) || secret(other),
        });
        let others = others.map(|other| other.number);
        let others: std::collections::BTreeSet<u64> = others.collect();
        held.links.is_none()
            && counted::about(history, *at).is_none()
            && !others.is_empty()
            && (question.everybody || others.len() > 1 || others.iter().any(|other| !judged(held.number, *other)))
    };
    history.releases.iter().enumerate().filter(open).map(|(_, held)| held.number).collect()
}

/// The name of the column that says in which group of the other release somebody is. No column of a file is called that.
const GROUP: &str = "\u{0}group";

/// More values of people in pairs of groups than this are not tried.
const MOST_CELLS: usize = 2_000_000;

/// Two releases of the same people.
struct Both {
    /// The first as it is, and of the second what each group shows.
    history: History,
    /// By group of the first: which groups of the second match.
    matching: Vec<Vec<bool>>,
    /// By group of the second: a combination that is in it.
    members: Vec<usize>,
    other: Held,
}

impl Both {
    /// None when the two are not about the same people, or nothing joins them, or neither shows anything sensitive.
    fn of(one: &Held, other: &Held, question: &Question) -> Result<Option<Both>> {
        let quasi = |held: &Held| -> Vec<usize> {
            let columns = 0..held.release.columns.len();
            columns.filter(|at| held.release.columns[*at].role == Role::QuasiIdentifier).collect()
        };
        let (ours, theirs) = (quasi(one), quasi(other));
        let (first, second) = (&one.release, &other.release);
        let sensitive = [first, second].iter().any(|release| release.columns.iter().any(|c| c.role == Role::Sensitive));
        let mut demands = Vec::new();
        for here in &ours {
            for there in &theirs {
                let fitting = fits(&first.columns[*here], &second.columns[*there], &question.rules);
                demands.extend(fitting.map(|fitting| (*here, *there, fitting)));
            }
        }
        if !sensitive || demands.is_empty() || first.combos.rows() != second.combos.rows() {
            return Ok(None);
        }
        let (_, a) = groups(&first.combos, &ours);
        let (of_combo, b) = groups(&second.combos, &theirs);
        let fit = |a: &usize, b: &usize| {
            let (first, second) = (&first.combos.codes, &second.combos.codes);
            demands.iter().all(|(here, there, fitting)| fitting[first[*here][*a] as usize].has(second[*there][*b]))
        };
        let matching: Vec<Vec<bool>> = a.iter().map(|a| b.iter().map(|b| fit(a, b)).collect()).collect();
        let dangling = matching.iter().any(|row| !row.contains(&true))
            || (0..b.len()).any(|at| !matching.iter().any(|row| row[at]));
        if dangling {
            return Ok(None);
        }
        let marked = Held { release: marked(second, &of_combo, b.len(), &question.varies), ..other.clone() };
        let one = Held { links: None, ..one.clone() };
        let marked = Held { links: None, ..marked };
        let history = History { releases: vec![one, marked], lost: Vec::new() };
        Ok(Some(Both { history, matching, members: b, other: other.clone() }))
    }

    /// Whether either shows this sensitive column.
    fn is_about(&self, name: &str) -> bool {
        let columns = [&self.history.releases[0], &self.other].map(|held| &held.release.columns);
        columns.into_iter().flatten().any(|column| column.role == Role::Sensitive && column.name == name)
    }

    fn nothing(&self, column: Option<String>) -> Pair {
        Pair {
            releases: {
                let (one, other) = (self.history.releases[0].number, self.other.number);
                [one.min(other), one.max(other)]
            },
            column,
            not_judged: None,
            pairs: 0,
            above: 0,
            may_be_above: 0,
            people_may_be_above: 0.0,
            highest: Level::NOTHING,
            worst: Vec::new(),
        }
    }

    fn not_judged(&self, why: String) -> Pair {
        Pair { not_judged: Some(why), ..self.nothing(None) }
    }

    /// What they tell of columns that are asked for.
    fn judge(&self, question: &Question, asked: impl Fn(&String) -> bool, found: &mut Vec<Pair>) -> Result<()> {
        let mut board = Board::of(&self.history, None, &question.varies)?;
        let matches: usize = self.matching.iter().flatten().filter(|matching| **matching).count();
        if matches.saturating_mul(board.secrets.all.len() / self.members.len().max(1)) > MOST_CELLS {
            return Err(Obstacle::PairsTooMany {}.into());
        }
        // The second release's people are the first one's.
        board.alike.pop();
        board.people.pop();
        let last = board.groups.len() - 1;
        let column = board.secrets.columns.len() - 1;
        let group_of =
            |board: &Board, secret: Value| -> Option<usize> { board.secrets.reads(secret, column)?.parse().ok() };
        for place in 0..board.alike.len() {
            let may = board
                .secrets
                .all()
                .into_iter()
                .filter(|secret| group_of(&board, *secret).is_some_and(|b| self.matching[place][b]));
            board.alike[place].known = Some(may.collect());
            board.alike[place].groups.push(last as u32);
        }
        board.groups[last].alike = (0..board.alike.len() as u32).collect();
        let ask = Ask { bounds_only: board.relaxed, entropy: false, ..question.ask };
        let answer = solve(&board.puzzle(), &ask)?;
        for at in 0..column {
            let name = board.secrets.columns[at].clone();
            if !asked(&name) || question.columns.as_ref().is_some_and(|columns| !columns.contains(&name)) {
                continue;
            }
            let mut pair = self.nothing(Some(name));
            for (place, told) in answer.crowds.iter().enumerate() {
                for group in 0..self.members.len() {
                    let there: Vec<&Told> =
                        told.iter().filter(|told| group_of(&board, told.value) == Some(group)).collect();
                    if !there.is_empty() {
                        self.add(&mut pair, &board, at, (place, group), &there, question);
                    }
                }
            }
            found.push(pair);
        }
        Ok(())
    }

    /// What is told about people who are in both groups.
    fn add(
        &self,
        pair: &mut Pair,
        board: &Board,
        column: usize,
        (place, group): (usize, usize),
        there: &[&Told],
        question: &Question,
    ) {
        let value = |told: &&&Told| board.secrets.all[told.value as usize][column];
        let mut values: Vec<u32> = there.iter().map(|told| value(&told)).filter(|value| *value != u32::MAX).collect();
        values.sort_unstable();
        values.dedup();
        if values.is_empty() {
            return;
        }
        pair.pairs += 1;
        let mut level = Level::NOTHING;
        for one in values {
            let sum = |of: &dyn Fn(&Told) -> f64, have: bool| -> f64 {
                there.iter().filter(|told| (value(told) == one) == have).map(|told| of(told)).sum()
            };
            let share = |having: f64, others: f64| if having > 0.0 { having / (having + others) } else { 0.0 };
            let only = there.iter().all(|told| value(&told) == one);
            let exactly = |have: bool| {
                let fitting = there.iter().filter(|told| !have || value(told) == one);
                fitting.map(|told| told.exact()).try_fold(Fraction::new(0, 1), |sum, exact| Some(sum.plus(exact?)))
            };
            let (lower, upper) = match exactly(true).zip(exactly(false)).and_then(|(having, all)| having.part_of(all)) {
                _ if only => (Fraction::ONE, Fraction::ONE),
                Some(exact) => (exact, exact),
                None => {
                    let lower = share(sum(&|told| told.lower.value(), true), sum(&|told| told.upper.value(), false));
                    let upper = share(sum(&|told| told.upper.value(), true), sum(&|told| told.lower.value(), false));
                    (Fraction::below(lower), Fraction::above(upper))
                }
            };
            let best = share(sum(&Told::best, true), sum(&Told::best, false));
            level = level.worse(Level { lower, upper, best: best.clamp(lower.value(), upper.value()) });
        }
        if let Some(allowed) = question.allowed(&board.secrets.columns[column]).map(threshold) {
            pair.above += u64::from(level.lower > allowed);
            if level.upper > allowed {
                pair.may_be_above += 1;
                pair.people_may_be_above +=
                    there.iter().map(|told| told.best()).sum::<f64>() * board.alike[place].people as f64;
            }
        }
        if (level.lower, level.best) > (pair.highest.lower, pair.highest.best) || pair.worst.is_empty() {
            pair.worst = group_name(&self.history, &board.groups[board.alike[place].groups[0] as usize]);
            let theirs = &self.other.release;
            let member = self.members[group];
            let quasi = theirs.columns.iter().enumerate().filter(|(_, column)| column.role == Role::QuasiIdentifier);
            pair.worst.extend(
                quasi.map(|(at, column)| {
                    (column.name.clone(), column.label(theirs.combos.codes[at][member]).to_owned())
                }),
            );
        }
        pair.highest = pair.highest.worse(level);
    }
}

/// By combination its group, and by group a combination that is in it.
fn groups(combos: &Combos, by: &[usize]) -> (Vec<u32>, Vec<usize>) {
    let mut known: hashbrown::HashMap<Vec<Code>, u32> = hashbrown::HashMap::new();
    let mut members = Vec::new();
    let mut of_combo = Vec::with_capacity(combos.len());
    for combo in 0..combos.len() {
        let key = by.iter().map(|column| combos.codes[*column][combo]).collect();
        of_combo.push(*known.entry(key).or_insert_with(|| {
            members.push(combo);
            members.len() as u32 - 1
        }));
    }
    (of_combo, members)
}

/// Whether a release shows something that may change from release to release.
fn varies(held: &Held, question: &Question) -> bool {
    let sensitive = held.release.columns.iter().filter(|column| column.role == Role::Sensitive);
    sensitive.into_iter().any(|column| question.varies.contains(&column.name))
}

/// A release of which everybody is in one group, and whose records say in which group they were. What may change from release to release
/// is left out: nobody need have the same in both.
fn marked(release: &Release, of_combo: &[u32], groups: usize, varies: &[String]) -> Release {
    let stays = |column: &PublishedColumn| column.role == Role::Sensitive && !varies.contains(&column.name);
    let keep: Vec<usize> = (0..release.columns.len()).filter(|at| stays(&release.columns[*at])).collect();
    let mut columns: Vec<PublishedColumn> = keep.iter().map(|at| release.columns[*at].clone()).collect();
    let tree = Arc::new(Taxonomy::flat((0..groups).map(|group| group.to_string()).collect()));
    // A flat tree puts its values in order, and so finds each by its text.
    let nodes: Vec<_> = (0..groups).map(|group| tree.find(&group.to_string()).unwrap_or(0)).collect();
    columns.push(PublishedColumn { name: GROUP.to_owned(), role: Role::Sensitive, tree, nodes });
    let mut codes: Vec<Vec<Code>> = keep.iter().map(|at| release.combos.codes[*at].clone()).collect();
    codes.push(of_combo.to_vec());
    let combos = Combos { codes, weights: release.combos.weights.clone(), owners: None }.combined();
    Release { columns, combos, suppressed: release.suppressed }
}
