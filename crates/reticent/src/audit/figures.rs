//! Figures: how much is told about how many.

use hashbrown::{HashMap, HashSet};

use super::before::Before;
use super::board::{Board, Somebody};
use super::chances::{Chance, chances};
use super::several::Several;
use super::{Question, threshold};
use crate::links::Pseudonym;
use crate::share::Share;
use reticent_inference::{Answer, Fraction};

/// So many bars has the histogram of what can be told: the last is certainty.
pub(super) const BARS: usize = 11;

/// What is told of one sensitive column.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// How many values it has.
    pub values: usize,
    /// People of whom something is known.
    pub people: u64,
    /// With how much confidence it may be told at most; none when nobody said so.
    pub allowed: Option<f64>,
    /// Of whom it is certain.
    pub certain: u64,
    /// Of whom it may be certain, these included: nothing was proved that leaves another value.
    pub may_be_certain: u64,
    /// About whom more is told than allowed, for sure: of one of their records, or because it is certain of them all together.
    pub above: u64,
    /// About whom more may be told than allowed, these included.
    pub may_be_above: u64,
    /// Others, of whom it is told, or may be, with more confidence than is allowed of one record that any of several shows a value.
    pub any_above: u64,
    /// About whom, by the best single figure, more is told than allowed.
    pub likely_above: u64,
    /// The most that is told about anybody; of who has several records, that any of them shows a value.
    pub highest: Level,
    /// The most that is told of one record.
    pub of_record: Level,
    /// How often whoever guesses everybody's most likely value is right, as a share; at most, where some are `bounded`.
    pub average: f64,
    /// How often they were right if they only knew how common values are.
    pub prior: f64,
    /// People by the most that is told about them: below 10 %, below 20 %, ..., below 100 %, certain. Those who are `bounded` by the most
    /// that may be told.
    pub histogram: [u64; BARS],
    /// People of whom only bounds are known, and neither a probability nor an estimate of one.
    pub bounded: u64,
    /// People for whom the probability was counted or is exact for another reason.
    pub exact: u64,
    /// The maximum entropy of everybody's value, in bits; none when it did not converge.
    pub entropy_bits: Option<f64>,
    /// Where only what the newest release brings is counted: people of whom earlier ones tell more than allowed, and this one nothing
    /// more; they are not among those above.
    #[serde(skip)]
    pub already: u64,
    /// The most that is told about any of these.
    #[serde(skip)]
    pub already_most: Level,
}

/// A probability, as far as it is known.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Level {
    /// At least this,
    pub lower: Fraction,
    /// and at most this.
    pub upper: Fraction,
    /// The best single figure.
    pub best: f64,
}

impl Level {
    pub(super) const NOTHING: Level = Level {
        lower: Fraction { numerator: 0, denominator: 1 },
        upper: Fraction { numerator: 0, denominator: 1 },
        best: 0.0,
    };

    fn of(chances: &[Chance]) -> Level {
        let worse = |level: Level, chance: &Chance| Level {
            lower: level.lower.max(chance.lower),
            upper: level.upper.max(chance.upper),
            best: level.best.max(chance.best()),
        };
        chances.iter().fold(Level::NOTHING, worse)
    }

    /// What is told of one record; where it is certain of all together, or may be, that.
    fn or_certain(self, all: Level) -> Level {
        let certain = |own: Fraction, all: Fraction| if all == Fraction::ONE { all } else { own };
        Level {
            lower: certain(self.lower, all.lower),
            upper: certain(self.upper, all.upper),
            best: if all.best >= 1.0 { 1.0 } else { self.best },
        }
    }

    pub(super) fn worse(self, other: Level) -> Level {
        Level {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
            best: self.best.max(other.best),
        }
    }
}

/// Everything that is counted about people.
pub(super) struct Tally {
    pub columns: Vec<Column>,
    /// What is told best.
    pub tops: Vec<Top>,
}

/// The value that is told best of somebody.
#[derive(Debug, Clone, Copy)]
pub(super) struct Top {
    pub place: u32,
    pub column: usize,
    pub chance: Chance,
    /// Of whom, by place among the people; none where it is told of everybody who is in that place alone.
    pub who: Option<usize>,
}

/// So many of the best told of each column are kept for a closer look.
const TOPS: usize = 1_000;

impl Tally {
    pub(super) fn of(board: &Board, answer: &Answer, question: &Question, before: &Before) -> Tally {
        let newest = board.linked.len().saturating_sub(1);
        // Nobody who is called nothing is touched by a later release.
        let touched = |somebody: &Somebody| {
            let there = |group: &u32| board.groups[*group as usize].release == newest;
            somebody.pseudonym.is_some() || somebody.groups.iter().any(there)
        };
        let several = Several::of(board);
        let mut tally = Tally { columns: Vec::new(), tops: Vec::new() };
        let single = |somebody: &&Somebody| somebody.places.len() == 1;
        let wanted = |name: &String| question.columns.as_ref().is_none_or(|columns| columns.contains(name));
        for at in (0..board.secrets.columns.len()).filter(|at| wanted(&board.secrets.columns[*at])) {
            let known = before.0.get(&board.secrets.columns[at]);
            let known = |somebody: &Somebody| known.and_then(|known| known.get(&somebody.pseudonym?));
            // What the attacker is said to know of somebody is not told by a release.
            let column = &board.secrets.columns[at];
            let given: HashSet<Pseudonym> = question
                .knowledge
                .known
                .iter()
                .filter(|known| known.has && known.column == *column)
                .map(|known| known.who)
                .collect();
            let given = |somebody: &Somebody| somebody.pseudonym.is_some_and(|pseudonym| given.contains(&pseudonym));
            let asked = |somebody: &&Somebody| (!question.newly || touched(somebody)) && !given(somebody);
            let mut people = vec![0u64; board.alike.len()];
            let singles = board.people.iter().filter(asked).filter(single).filter(|somebody| known(somebody).is_none());
            singles.for_each(|somebody| people[somebody.places[0] as usize] += somebody.people);
            let first = tally.tops.len();
            let mut counting = Counting::new(board, &several, at, question.allowed(column));
            for (place, people) in (0..).zip(&people).filter(|(place, people)| **people > 0 && board.speaks(*place, at))
            {
                let chances = chances(&board.secrets, at, &answer.crowds[place as usize]);
                if let Some(top) = chances.iter().max_by(|one, two| worse(one, two)) {
                    tally.keep(first, Top { place, column: at, chance: *top, who: None });
                }
                let level = Level::of(&chances);
                counting.add(*people, (level, level), chances.iter().all(Chance::is_exact), &chances);
            }
            let other = |somebody: &&Somebody| asked(somebody) && (!single(somebody) || known(somebody).is_some());
            for (who, somebody) in board.people.iter().enumerate().filter(|(_, somebody)| other(somebody)) {
                if let Some((place, chance)) = counting.add_several(somebody, answer, known(somebody)) {
                    tally.keep(first, Top { place, column: at, chance, who: Some(who) });
                }
            }
            tally.columns.push(counting.done());
        }
        tally
    }

    /// Keeps one of the best told of a column, whose `first` is known.
    fn keep(&mut self, first: usize, top: Top) {
        self.tops.push(top);
        if self.tops.len() - first >= 2 * TOPS {
            self.tops[first..].sort_by(|one, two| worse(&two.chance, &one.chance));
            self.tops.truncate(first + TOPS);
        }
    }
}

/// Which of two is told better.
fn worse(one: &Chance, two: &Chance) -> std::cmp::Ordering {
    one.lower.cmp(&two.lower).then(one.best().total_cmp(&two.best()))
}

/// Counts people of one column.
struct Counting<'a> {
    board: &'a Board,
    at: usize,
    allowed: Option<Fraction>,
    column: Column,
    several: &'a Several<'a>,
    sum: f64,
    bits: Option<f64>,
}

impl<'a> Counting<'a> {
    fn new(board: &'a Board, several: &'a Several, at: usize, confidence: Option<Share>) -> Counting<'a> {
        let column = Column {
            name: board.secrets.columns[at].clone(),
            values: board.secrets.values[at].len(),
            people: 0,
            allowed: confidence.map(Share::to_f64),
            certain: 0,
            may_be_certain: 0,
            above: 0,
            may_be_above: 0,
            likely_above: 0,
            any_above: 0,
            highest: Level::NOTHING,
            of_record: Level::NOTHING,
            average: 0.0,
            prior: prior(board, at),
            histogram: [0; BARS],
            bounded: 0,
            exact: 0,
            entropy_bits: None,
            already: 0,
            already_most: Level::NOTHING,
        };
        Counting { board, at, allowed: confidence.map(threshold), column, several, sum: 0.0, bits: Some(0.0) }
    }

    /// Some people, of whom so much is told, and so much of one of their records.
    fn add(&mut self, people: u64, (level, of_record): (Level, Level), exact: bool, chances: &[Chance]) {
        if chances.is_empty() {
            return;
        }
        let column = &mut self.column;
        column.people += people;
        let certain = level.lower == Fraction::ONE;
        column.certain += if certain { people } else { 0 };
        column.may_be_certain += if level.upper == Fraction::ONE { people } else { 0 };
        if let Some(allowed) = self.allowed {
            let judged = of_record.or_certain(level);
            column.above += if judged.lower > allowed { people } else { 0 };
            column.may_be_above += if judged.upper > allowed { people } else { 0 };
            column.likely_above += if judged.best > allowed.value() + 1e-9 { people } else { 0 };
            column.any_above +=
                if judged.lower <= allowed && level.upper > allowed && level.upper > judged.upper { people } else { 0 };
        }
        column.highest = column.highest.worse(level);
        column.of_record = column.of_record.worse(of_record);
        column.exact += if exact { people } else { 0 };
        let bounded = level.lower < level.upper && chances.iter().any(|chance| chance.figure().is_none());
        column.bounded += if bounded { people } else { 0 };
        let bar = if certain { BARS - 1 } else { ((level.best * 10.0 + 1e-9) as usize).min(BARS - 2) };
        column.histogram[bar] += people;
        self.sum += level.best * people as f64;
        let bits = |chance: &Chance| chance.entropy.map(|share| if share > 0.0 { -share * share.log2() } else { 0.0 });
        let bits: Option<f64> = chances.iter().map(bits).sum();
        self.bits = self.bits.zip(bits).map(|(all, these)| all + these * people as f64);
    }

    /// Somebody with several records, or whose secret changed: by the release of which most is told.
    /// What was told of them before, and is not told any better now, is not counted again.
    /// Answers what is told best, and of which place.
    fn add_several(
        &mut self,
        somebody: &Somebody,
        answer: &Answer,
        before: Option<&HashMap<String, Fraction>>,
    ) -> Option<(u32, Chance)> {
        let records = self.several.records(answer, self.at, somebody);
        let told = self.several.by_release(&records, self.at);
        let reads = |chance: &Chance| &self.board.secrets.values[self.at][chance.value as usize];
        let known = |chance: &Chance| before.and_then(|before| before.get(reads(chance)));
        let new_to = |(_, chance): &(u32, Chance)| known(chance).is_none_or(|before| chance.upper > *before);
        let all = told.iter().flat_map(|(place, chances)| chances.iter().map(|chance| (*place, *chance)));
        let new: Vec<(u32, Chance)> = all.clone().filter(new_to).collect();
        let level = |chances: Vec<Chance>| Level::of(&chances);
        let of_record = records.iter().flat_map(|(place, chances)| chances.iter().map(|chance| (*place, *chance)));
        let of_record = level(of_record.filter(new_to).map(|(_, chance)| chance).collect());
        let level = level(new.iter().map(|(_, chance)| *chance).collect());
        let exact = all.clone().all(|(_, chance)| chance.is_exact());
        let old: Vec<Chance> = all.clone().filter(|one| !new_to(one)).map(|(_, chance)| chance).collect();
        if !old.is_empty() {
            self.column.already += somebody.people;
            self.column.already_most = self.column.already_most.worse(Level::of(&old));
        }
        if let Some((_, last)) = told.last() {
            self.add(somebody.people, (level, of_record), exact, last);
        }
        new.into_iter().max_by(|one, two| worse(&one.1, &two.1))
    }

    fn done(mut self) -> Column {
        self.column.average = self.sum / (self.column.people.max(1)) as f64;
        self.column.entropy_bits = self.bits;
        self.column
    }
}

/// The share of the most common value in the newest release that shows the column in full.
fn prior(board: &Board, column: usize) -> f64 {
    let mut best = 0.0;
    let newest = board.groups.iter().map(|group| group.release).max().unwrap_or(0);
    for release in (0..=newest).rev() {
        let mut counts: HashMap<u32, u64> = HashMap::new();
        let (mut all, mut plain) = (0, 0);
        for (cover, records) in
            board.groups.iter().filter(|group| group.release == release).flat_map(|group| &group.shows)
        {
            all += records;
            let below = board.secrets.below(*cover);
            let value = below.first().map(|secret| board.secrets.all[*secret as usize][column]);
            let one =
                value.filter(|value| below.iter().all(|secret| board.secrets.all[*secret as usize][column] == *value));
            if let Some(value) = one.filter(|value| *value != u32::MAX) {
                plain += records;
                *counts.entry(value).or_insert(0) += records;
            }
        }
        if plain > 0 && plain == all {
            best = counts.values().copied().max().unwrap_or(0) as f64 / all as f64;
            break;
        }
    }
    best
}
