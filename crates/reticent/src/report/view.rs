//! What a page may say: for internal eyes everything, for everybody's what cannot be told of anybody.
//!
//! The page is made from this alone, so that no picture, no title of a picture and no hidden text says more than its words.

use super::grid::Grid;
use super::words::{
    Worlds, list, one_in, percent, percent_at_least, percent_at_most, sentence, worlds, worlds_roughly,
};
use super::{Attack, Coalition, Report};
use crate::audit::{Audit, Case, Column, Disclosure, Identity, Level, Pair, Person};
use crate::text::{counted, grouped};
use reticent_inference::{Fraction, Work};

/// A report, as far as it may be seen.
pub struct View<'a> {
    pub title: &'a str,
    pub made: &'a str,
    pub dataset: &'a str,
    pub version: &'a str,
    pub public: bool,
    /// The smallest count shown, where small ones are hidden.
    pub least: Option<u64>,
    pub parts: Vec<Part<'a>>,
}

/// A coalition.
pub struct Part<'a> {
    /// What it is called in a heading.
    pub name: String,
    pub lines: Vec<Line<'a>>,
    /// Why it is not established what is told.
    pub open: &'a [String],
    /// What is told besides what is counted, and not allowed.
    pub breaches: &'a [Disclosure],
    /// None when nothing was audited.
    pub found: Option<Found<'a>>,
    /// Each with what came of it, where that may be said, and whether that is certain; none where nothing was found.
    pub attacks: Vec<(String, Option<&'a str>, Option<bool>)>,
}

/// A release in a list.
pub struct Line<'a> {
    pub number: u64,
    pub name: &'a str,
    pub date: &'a str,
    pub recipients: String,
    pub columns: String,
    pub records: Count,
}

/// What was found about a coalition.
pub struct Found<'a> {
    pub releases: usize,
    pub people: Count,
    /// The worst first.
    pub columns: Vec<Told<'a>>,
    pub identity: Risks,
    pub worlds: Worlds,
    /// Whether the worlds of everybody were counted.
    pub all_counted: bool,
    /// None for everybody's eyes.
    pub closely: Option<Closely<'a>>,
    pub several: Count,
    pub changed: Count,
    /// Releases of which it is not known whose the records are.
    pub unlinked: Vec<&'a str>,
    pub assumed: Vec<String>,
    pub not_considered: Vec<String>,
    pub converged: bool,
    /// What two releases tell together of whoever is known to be in a group of each, where that is certain or more than allowed.
    pub pairs: Vec<Two<'a>>,
    /// Whether any two were judged by pairs of groups.
    pub by_pairs: bool,
}

/// Two releases that tell too much together.
pub struct Two<'a> {
    pub releases: [u64; 2],
    pub column: &'a str,
    pub certain: bool,
}

/// What only internal eyes see.
pub struct Closely<'a> {
    pub worst: &'a [Case],
    pub each: Option<&'a [Person]>,
    pub work: &'a Work,
}

/// What is told of one sensitive column.
pub struct Told<'a> {
    pub name: &'a str,
    /// Of nobody may it be told with more confidence than this; none when nothing was promised.
    pub allowed: Option<f64>,
    pub now: Said,
    /// Before the last release; none when there was none, or it showed nothing of the column.
    pub before: Option<Said>,
    /// After each release.
    pub over: Vec<(&'a str, Said)>,
    /// What the last release changed, or in public what was before: people certain, and above what is allowed.
    pub change: Option<(String, String)>,
    pub highest: Highest,
    /// What two releases tell, where that is more: for internal eyes.
    pub by_two: Option<String>,
    /// People with several records, of whom it is told with more confidence than allowed of one that any of them shows a value.
    pub any_above: Count,
    pub average: String,
    /// People of whom only bounds are known.
    pub bounded: Count,
    pub prior: String,
    pub exact: Count,
    pub bits: Option<String>,
}

/// How many are told how much.
pub struct Said {
    pub people: Count,
    pub certain: Count,
    pub may_be_certain: Count,
    pub above: Count,
    pub may_be_above: Count,
    /// For internal eyes, people in eleven parts, the last is certain; for everybody's, nested: at least so sure.
    pub bars: Vec<Count>,
}

/// The most that is told about anybody.
pub struct Highest {
    pub text: String,
    pub bounds: String,
    pub certain: bool,
}

/// Whose records can be found.
pub struct Risks {
    pub singled_out: Count,
    pub linkable: Count,
    pub in_several: Count,
    /// The prosecutor's: the greatest and the average, each with whether it is above the threshold of regulators.
    pub prosecutor: [(String, bool); 2],
}

/// A count of people: what is said of it, and how high it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub text: String,
    pub drawn: u64,
}

impl Count {
    pub fn is_zero(&self) -> bool {
        self.drawn == 0 && self.text == "0"
    }

    /// `3 of 15 people`, `nobody of 15 people`; where it is not said how many there are, without.
    pub fn of(&self, people: &Count) -> String {
        match (self.text.as_str(), people.text.as_str()) {
            ("all", "some") => "everybody".to_owned(),
            ("0", "some") => "nobody".to_owned(),
            (count, "some") => format!("{count} people"),
            (count, people) => format!("{count} of {people} people"),
        }
    }

    /// `none of 15 people`, `nobody`.
    pub fn none(&self) -> String {
        match self.text.as_str() {
            "some" => "nobody".to_owned(),
            people => format!("none of {people} people"),
        }
    }
}

/// Clinical data for everybody: the risk that the European Medicines Agency and Health Canada usually accept.
pub const USUAL_THRESHOLD: f64 = 0.09;

/// What a public report says of how sure things are: at least so many tenths.
pub const NESTED: [usize; 4] = [3, 5, 8, 10];

/// Who is looking.
enum Eyes {
    Internal,
    Public {
        least: u64,
        /// For records of releases.
        records: Grid,
        /// For people there are: overlaps and remainders of releases are hidden.
        totals: Grid,
        /// For people of whom something is told.
        told: Grid,
    },
}

impl<'a> View<'a> {
    pub fn of(report: &'a Report) -> View<'a> {
        let eyes = if report.public { Eyes::public(report) } else { Eyes::Internal };
        View {
            title: &report.title,
            made: &report.made,
            dataset: &report.dataset,
            version: &report.version,
            public: report.public,
            least: report.public.then_some(report.least.max(1)),
            parts: report.coalitions.iter().map(|coalition| part(coalition, &eyes)).collect(),
        }
    }
}

impl Eyes {
    fn public(report: &Report) -> Eyes {
        let (mut sums, mut people) = (Vec::new(), Vec::new());
        for coalition in &report.coalitions {
            let mut all = 0u64;
            for line in &coalition.releases {
                all = all.saturating_add(line.records);
                sums.extend([line.records, all]);
            }
            for (_, audit) in &coalition.over_time {
                people.push(audit.people);
                people.extend(audit.columns.iter().map(|column| column.people));
            }
        }
        let least = report.least.max(1);
        Eyes::Public {
            least,
            records: Grid::new(least, Vec::new()),
            totals: Grid::new(least, sums),
            told: Grid::new(least, people),
        }
    }

    fn records(&self, records: u64) -> Count {
        self.count(records, |_, records_grid, _, _| records_grid.says(records, None))
    }

    fn total(&self, people: u64) -> Count {
        self.count(people, |_, _, totals, _| totals.says(people, None))
    }

    fn told(&self, people: u64, of: u64) -> Count {
        self.count(people, |_, _, _, told| told.says(people, Some(of)))
    }

    fn count(&self, number: u64, says: impl Fn(u64, &Grid, &Grid, &Grid) -> (String, u64)) -> Count {
        let (text, drawn) = match self {
            Eyes::Internal => (grouped(number), number),
            Eyes::Public { least, records, totals, told } => says(*least, records, totals, told),
        };
        Count { text, drawn }
    }

    /// An average over people. In public in steps of ten percent, and only where a step is worth ten times a count that is shown.
    fn average(&self, share: f64, people: u64) -> String {
        match self {
            Eyes::Internal => percent(share),
            Eyes::Public { .. } if self.hides_shares(people) => "not shown".to_owned(),
            Eyes::Public { .. } => tenths(share, share),
        }
    }

    fn average_risk(&self, risk: f64, people: u64) -> (String, bool) {
        match self {
            Eyes::Internal => (percent(risk), risk > USUAL_THRESHOLD),
            Eyes::Public { .. } => (self.average(risk, people), false),
        }
    }

    /// One over the size of the smallest group: in public that may not be the size of a small group.
    fn highest_risk(&self, risk: f64) -> (String, bool) {
        match self {
            Eyes::Internal => (one_in(risk), risk > USUAL_THRESHOLD),
            Eyes::Public { least, .. } if risk * *least as f64 > 1.0 + 1e-9 => {
                (format!("more than 1 in {least}"), false)
            }
            Eyes::Public { least, .. } => (format!("at most 1 in {least}"), false),
        }
    }

    /// Whether people are so few that a share of them would tell a small count.
    fn hides_shares(&self, people: u64) -> bool {
        matches!(self, Eyes::Public { least, .. } if people < least.saturating_mul(100))
    }

    fn highest(&self, level: &Level, people: u64) -> Highest {
        let (lower, upper) = (level.lower.value(), level.upper.value());
        let certain = level.lower == Fraction::ONE;
        let (text, bounds) = match self {
            _ if certain => ("certain".to_owned(), "for somebody, nothing else fits".to_owned()),
            Eyes::Public { .. } if self.hides_shares(people) => ("not shown".to_owned(), "of so few people".to_owned()),
            Eyes::Public { .. } => (tenths(lower, upper), "in steps of ten percent".to_owned()),
            Eyes::Internal if level.lower == level.upper => (percent(level.best), "exact".to_owned()),
            Eyes::Internal => {
                let (low, high) = (percent_at_least(lower), percent_at_most(upper));
                (percent(level.best), format!("estimate; proved: between {low} and {high}"))
            }
        };
        Highest { text, bounds, certain }
    }

    /// A sentence of the audit. In public, numbers in it are counts like others.
    fn words(&self, words: &str) -> String {
        let Eyes::Public { records, .. } = self else { return sentence(words) };
        let word = |word: &str| match word.replace(',', "").parse() {
            Ok(number) => records.says(number, None).0,
            Err(_) => word.to_owned(),
        };
        sentence(&words.split(' ').map(word).collect::<Vec<String>>().join(" "))
    }

    fn said(&self, column: Option<&Column>) -> Said {
        let Some(column) = column else {
            let nobody = || Count { text: "0".to_owned(), drawn: 0 };
            let (certain, may_be_certain) = (nobody(), nobody());
            let (above, may_be_above, bars) = (nobody(), nobody(), Vec::new());
            return Said { people: nobody(), certain, may_be_certain, above, may_be_above, bars };
        };
        let told = |people: u64| self.told(people, column.people);
        let bars: Vec<u64> = match self {
            Eyes::Internal => column.histogram.to_vec(),
            Eyes::Public { .. } => {
                let nested = |from: usize| column.histogram.iter().skip(from).sum();
                NESTED.into_iter().map(nested).collect()
            }
        };
        Said {
            people: self.total(column.people),
            certain: told(column.certain),
            may_be_certain: told(column.may_be_certain),
            above: told(column.above),
            may_be_above: told(column.may_be_above),
            bars: bars.into_iter().map(told).collect(),
        }
    }

    /// How two counts differ. In public, what the first was: a difference is a count of its own.
    fn change(&self, before: u64, before_of: u64, now: u64) -> String {
        match self {
            Eyes::Internal if now < before => format!("\u{2212}{}", grouped(before - now)),
            Eyes::Internal if now == before => "no change".to_owned(),
            Eyes::Internal => format!("+{}", grouped(now - before)),
            Eyes::Public { .. } => self.told(before, before_of).text,
        }
    }
}

/// Steps of ten percent that something lies between.
fn tenths(lower: f64, upper: f64) -> String {
    // Half is not more than half: a bound belongs to the step below it.
    let high = ((upper * 10.0 - 1e-9).ceil() / 10.0).clamp(0.1, 1.0);
    let low = ((lower * 10.0 + 1e-9).floor() / 10.0).clamp(0.0, high - 0.1);
    match low > 0.0 {
        true => format!("{} to {}", percent(low), percent(high)),
        false => format!("at most {}", percent(high)),
    }
}

fn part<'a>(coalition: &'a Coalition, eyes: &Eyes) -> Part<'a> {
    let lines = coalition.releases.iter().map(|line| Line {
        number: line.number,
        name: &line.name,
        date: &line.date,
        recipients: list(&line.recipients),
        columns: line.columns.join(", "),
        records: eyes.records(line.records),
    });
    let found = |attack: &Attack| (attack.findings > 0).then_some(attack.certain);
    let attack = |attack: &'a Attack| match eyes {
        Eyes::Internal => (attack.title.clone(), Some(attack.words.as_str()), found(attack)),
        Eyes::Public { .. } if !attack.ran => (attack.title.clone(), Some("could not be run"), None),
        Eyes::Public { .. } => (attack.title.clone(), None, found(attack)),
    };
    let mut attacks: Vec<(String, Option<&str>, Option<bool>)> = coalition.attacks.iter().map(attack).collect();
    if let Eyes::Public { .. } = eyes {
        // Which were tried, not how often.
        attacks.sort_by(|one, two| (&one.0, two.2).cmp(&(&two.0, one.2)));
        attacks.dedup_by(|one, two| one.0 == two.0);
    }
    let name = match coalition.members.as_slice() {
        [] => "All releases together".to_owned(),
        [one] => format!("What {one} can tell"),
        members => format!("What {} can tell together", list(members)),
    };
    Part {
        name,
        lines: lines.collect(),
        open: &coalition.open,
        breaches: &coalition.breaches,
        found: self::found(coalition, eyes),
        attacks,
    }
}

fn found<'a>(coalition: &'a Coalition, eyes: &Eyes) -> Option<Found<'a>> {
    let (_, audit) = coalition.over_time.last()?;
    let mut columns: Vec<Told> = audit.columns.iter().map(|column| told(column, coalition, eyes)).collect();
    // By what is shown, so that the order says no more than the counts.
    columns.sort_by_key(|column| {
        let Said { certain, above, may_be_above, .. } = &column.now;
        std::cmp::Reverse((certain.drawn, above.drawn, may_be_above.drawn))
    });
    let name = |number: &u64| {
        let known = audit.releases.iter().find(|(known, _)| known == number);
        known.map(|(_, name)| name.as_str())
    };
    let closely = match eyes {
        Eyes::Internal => Some(Closely { worst: &audit.worst, each: audit.each.as_deref(), work: &audit.work }),
        Eyes::Public { .. } => None,
    };
    Some(Found {
        releases: audit.releases.len(),
        people: eyes.total(audit.people),
        columns,
        identity: risks(&audit.identity, audit.people, eyes),
        worlds: match eyes {
            // Where nothing was too large, people are not followed.
            _ if audit.ln_worlds.is_none() && audit.work.not_counted == 0 => Worlds::not_counted(),
            Eyes::Internal => worlds(audit.worlds.as_deref(), audit.ln_worlds),
            Eyes::Public { .. } => worlds_roughly(audit.ln_worlds, eyes.hides_shares(audit.people)),
        },
        all_counted: audit.ln_worlds.is_some()
            && audit.work.not_counted == 0
            && audit.columns.iter().all(|column| column.exact == column.people),
        closely,
        several: eyes.told(audit.several, audit.people),
        changed: eyes.told(audit.changed, audit.people),
        unlinked: audit.unlinked.iter().filter_map(name).collect(),
        assumed: audit.assumed.iter().map(|words| eyes.words(words)).collect(),
        not_considered: audit.not_considered.iter().map(|words| eyes.words(words)).collect(),
        converged: audit.work.not_converged == 0,
        pairs: audit.pairs.iter().filter_map(two).collect(),
        by_pairs: audit.pairs.iter().any(|pair| pair.not_judged.is_none()),
    })
}

fn two(pair: &Pair) -> Option<Two<'_>> {
    let column = pair.column.as_deref().filter(|_| pair.is_certain() || pair.above > 0)?;
    Some(Two { releases: pair.releases, column, certain: pair.is_certain() })
}

fn told<'a>(column: &'a Column, coalition: &'a Coalition, eyes: &Eyes) -> Told<'a> {
    let of = |audit: &'a Audit| audit.columns.iter().find(|other| other.name == column.name);
    let over = coalition.over_time.iter().map(|(release, audit)| (release.as_str(), eyes.said(of(audit))));
    let before = coalition.over_time.iter().rev().nth(1).map(|(_, audit)| of(audit));
    let change = before.map(|before| {
        let (certain, above, people) = before.map_or((0, 0, 0), |before| (before.certain, before.above, before.people));
        (eyes.change(certain, people, column.certain), eyes.change(above, people, column.above))
    });
    Told {
        name: &column.name,
        allowed: column.allowed,
        now: eyes.said(Some(column)),
        before: before.flatten().map(|before| eyes.said(Some(before))),
        over: over.collect(),
        change,
        highest: eyes.highest(&column.highest, column.people),
        by_two: by_two(column, coalition, eyes),
        any_above: eyes.told(column.any_above, column.people),
        average: match column.bounded {
            0 => eyes.average(column.average, column.people),
            _ => at_most(eyes.average(column.average, column.people)),
        },
        bounded: eyes.told(column.bounded, column.people),
        prior: eyes.average(column.prior, column.people),
        exact: eyes.told(column.exact, column.people),
        bits: match eyes {
            Eyes::Internal => column.entropy_bits.map(|bits| format!("{bits:.1}")),
            Eyes::Public { .. } => None,
        },
    }
}

/// The most that two releases tell of somebody who is known to be in a group of each, where that is more than is counted.
fn by_two(column: &Column, coalition: &Coalition, eyes: &Eyes) -> Option<String> {
    let (_, audit) = coalition.over_time.last().filter(|_| matches!(eyes, Eyes::Internal))?;
    let of_column = audit.pairs.iter().filter(|pair| pair.column.as_ref() == Some(&column.name));
    let most = of_column.max_by_key(|pair| pair.highest.upper)?;
    let [one, other] = most.releases;
    let more = most.highest.upper > column.highest.upper;
    let most = percent_at_most(most.highest.upper.value());
    more.then(|| format!("by releases {one} and {other} together up to {most}"))
}

/// A share that is a bound only.
fn at_most(share: String) -> String {
    if share == "not shown" { share } else { format!("at most {share}") }
}

fn risks(identity: &Identity, people: u64, eyes: &Eyes) -> Risks {
    let told = |count: u64| eyes.told(count, people);
    let pair = |highest: f64, average: f64| [eyes.highest_risk(highest), eyes.average_risk(average, people)];
    Risks {
        singled_out: told(identity.singled_out),
        linkable: told(identity.linkable),
        in_several: told(identity.in_several),
        prosecutor: pair(identity.prosecutor_highest, identity.prosecutor_average),
    }
}

/// `the release`, `both releases`, `all 3 releases`.
pub fn releases(number: usize) -> String {
    match number {
        0 | 1 => "the release".to_owned(),
        2 => "both releases".to_owned(),
        many => format!("all {}", counted(many as u64, "release")),
    }
}
