//! The view: what a page may show. An internal page shows everything; a public page discloses nothing about one person.
//!
//! Templates see only this, so no chart, title of a chart or hidden text says more than the words of the page.

use maud::Render;
use reticent::audit::{Audit, Case, ColumnAudit, Disclosure, Identity, PairAudit, PersonAudit, PosteriorRange};
use reticent::audit::{Fraction, SolveStats};
use reticent::text::{counted, format_count};

use crate::grid::Grid;
use crate::words::{Worlds, list, one_in, percent, percent_at_least, percent_at_most, sentence};
use crate::{Attack, Coalition, Report};

/// What a page may show of a report.
pub struct View<'a> {
    pub title: &'a str,
    pub made: &'a str,
    pub dataset: &'a str,
    pub version: &'a str,
    pub public: bool,
    /// The smallest count that is shown; none on an internal page.
    pub least: Option<u64>,
    pub coalitions: Vec<CoalitionView<'a>>,
}

/// What a page may show of a coalition.
pub struct CoalitionView<'a> {
    /// The heading.
    pub name: String,
    pub lines: Vec<ReleaseView<'a>>,
    /// The reasons why the audit is incomplete.
    pub not_established: &'a [String],
    /// Violations found outside the counted columns.
    pub violations: &'a [Disclosure],
    /// None if nothing was audited.
    pub found: Option<Findings<'a>>,
    pub attacks: Vec<AttackResult<'a>>,
}

/// An attack and its result.
pub struct AttackResult<'a> {
    pub title: &'a str,
    /// The result in words, where the page may show it.
    pub text: Option<&'a str>,
    /// Whether a finding is certain; none if nothing was found.
    pub certain: Option<bool>,
}

/// A row of the table of releases.
pub struct ReleaseView<'a> {
    pub number: u64,
    pub name: &'a str,
    pub date: &'a str,
    pub recipients: String,
    pub columns: String,
    pub records: Count,
}

/// The findings about a coalition.
pub struct Findings<'a> {
    pub releases: usize,
    pub people: Count,
    /// The sensitive columns, the one with the highest risk first.
    pub columns: Vec<ColumnView<'a>>,
    pub identity: Risks,
    pub worlds: Worlds,
    /// Whether the possible worlds of all people were counted.
    pub all_counted: bool,
    /// None on a public page.
    pub details: Option<Details<'a>>,
    pub multi_record_people: Count,
    pub changed_people: Count,
    /// Releases whose records have no known owner.
    pub unlinked: Vec<&'a str>,
    pub assumptions: Vec<String>,
    pub not_considered: Vec<String>,
    pub converged: bool,
    /// Pairs of releases that disclose a value of a person whose group in each is known, for certain or above the threshold.
    pub pairs: Vec<PairView<'a>>,
    /// Whether any two releases were judged by pairs of groups.
    pub by_pairs: bool,
}

/// Two releases that disclose too much together.
pub struct PairView<'a> {
    pub releases: [u64; 2],
    pub column: &'a str,
    pub certain: bool,
}

/// What only an internal page shows.
pub struct Details<'a> {
    pub worst: &'a [Case],
    pub each: Option<&'a [PersonAudit]>,
    pub work: &'a SolveStats,
}

/// The figures of one sensitive column.
pub struct ColumnView<'a> {
    pub name: &'a str,
    /// The confidence threshold; none if the policy sets none.
    pub threshold: Option<f64>,
    pub now: ColumnCounts,
    /// Before the last release; none if there was no earlier release with the column.
    pub before: Option<ColumnCounts>,
    /// After each release, with its name.
    pub over: Vec<(&'a str, ColumnCounts)>,
    /// Two counts, people certain and people above the threshold: the change by the last release, or on a public page the counts before it.
    pub change: Option<(String, String)>,
    pub highest: Highest,
    /// The upper bound for pairs of releases, if it is higher. Only on an internal page.
    pub by_two: Option<String>,
    /// People with several records, for whom "any of them shows the value" has a posterior above the threshold.
    pub any_record_above: Count,
    pub accuracy: String,
    /// People with bounds only.
    pub bounded: Count,
    pub baseline: String,
    pub exact: Count,
    pub bits: Option<String>,
}

/// The counts of a column.
pub struct ColumnCounts {
    pub people: Count,
    pub certain: Count,
    pub may_be_certain: Count,
    pub above: Count,
    pub may_be_above: Count,
    /// On an internal page a histogram of eleven bars, the last for certainty. On a public page the nested counts of [`NESTED`].
    pub bars: Vec<Count>,
}

/// The maximum posterior.
pub struct Highest {
    pub text: String,
    pub bounds: String,
    pub certain: bool,
}

/// The re-identification risks.
pub struct Risks {
    pub singled_out: Count,
    pub linkable: Count,
    pub in_several: Count,
    /// The highest and the average prosecutor risk, each with whether it is above [`USUAL_THRESHOLD`].
    pub prosecutor: [(String, bool); 2],
}

/// A count of people: its text, and its height in a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub text: String,
    pub drawn: u64,
}

impl Count {
    pub fn is_zero(&self) -> bool {
        self.drawn == 0 && self.text == "0"
    }

    /// `3 of 15 people`; `3 people` if the total is not shown.
    pub fn ratio_text(&self, people: &Count) -> String {
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

impl Render for Count {
    fn render_to(&self, buffer: &mut String) {
        self.text.render_to(buffer);
    }
}

/// The highest risk that the European Medicines Agency and Health Canada usually accept for published clinical data.
pub const USUAL_THRESHOLD: f64 = 0.09;

/// The lower limits, in tenths, of the nested counts on a public page.
pub const NESTED: [usize; 4] = [3, 5, 8, 10];

/// The readers of the page.
enum Audience {
    Internal,
    Public {
        least: u64,
        /// The grid for counts of records.
        records: Grid,
        /// The grid for totals of people: it hides overlaps and remainders of releases.
        totals: Grid,
        /// The grid for people about whom something is disclosed.
        disclosed: Grid,
    },
}

impl<'a> View<'a> {
    pub fn new(report: &'a Report) -> View<'a> {
        let audience = if report.public { Audience::public(report) } else { Audience::Internal };
        View {
            title: &report.title,
            made: &report.made,
            dataset: &report.dataset,
            version: &report.version,
            public: report.public,
            least: report.public.then_some(report.least.max(1)),
            coalitions: report.coalitions.iter().map(|coalition| part(coalition, &audience)).collect(),
        }
    }
}

impl Audience {
    fn public(report: &Report) -> Audience {
        let (mut sums, mut people) = (Vec::new(), Vec::new());
        for coalition in &report.coalitions {
            let mut all = 0u64;
            for line in &coalition.releases {
                all = all.saturating_add(line.records);
                sums.extend([line.records, all]);
            }
            for (_, audit) in &coalition.timeline {
                people.push(audit.people);
                people.extend(audit.columns.iter().map(|column| column.people));
            }
        }
        let least = report.least.max(1);
        Audience::Public {
            least,
            records: Grid::new(least, Vec::new()),
            totals: Grid::new(least, sums),
            disclosed: Grid::new(least, people),
        }
    }

    fn records(&self, records: u64) -> Count {
        self.count(records, |_, records_grid, _, _| records_grid.says(records, None))
    }

    fn total(&self, people: u64) -> Count {
        self.count(people, |_, _, totals, _| totals.says(people, None))
    }

    fn disclosed(&self, people: u64, of: u64) -> Count {
        self.count(people, |_, _, _, disclosed| disclosed.says(people, Some(of)))
    }

    fn count(&self, number: u64, says: impl Fn(u64, &Grid, &Grid, &Grid) -> (String, u64)) -> Count {
        let (text, drawn) = match self {
            Audience::Internal => (format_count(number), number),
            Audience::Public { least, records, totals, disclosed } => says(*least, records, totals, disclosed),
        };
        Count { text, drawn }
    }

    /// An average over people. On a public page in steps of ten percent, and only if a step is worth ten times the smallest shown count.
    fn average(&self, share: f64, people: u64) -> String {
        match self {
            Audience::Internal => percent(share),
            Audience::Public { .. } if self.hides_shares(people) => "not shown".to_owned(),
            Audience::Public { .. } => tenths(share, share),
        }
    }

    fn average_risk(&self, risk: f64, people: u64) -> (String, bool) {
        match self {
            Audience::Internal => (percent(risk), risk > USUAL_THRESHOLD),
            Audience::Public { .. } => (self.average(risk, people), false),
        }
    }

    /// One over the size of the smallest class. A public page does not show the size of a small class.
    fn highest_risk(&self, risk: f64) -> (String, bool) {
        match self {
            Audience::Internal => (one_in(risk), risk > USUAL_THRESHOLD),
            Audience::Public { least, .. } if risk * *least as f64 > 1.0 + 1e-9 => {
                (format!("more than 1 in {least}"), false)
            }
            Audience::Public { least, .. } => (format!("at most 1 in {least}"), false),
        }
    }

    /// Whether there are so few people that a share of them would disclose a small count.
    fn hides_shares(&self, people: u64) -> bool {
        matches!(self, Audience::Public { least, .. } if people < least.saturating_mul(100))
    }

    fn highest(&self, level: &PosteriorRange, people: u64) -> Highest {
        let (lower, upper) = (level.lower.value(), level.upper.value());
        let certain = level.lower == Fraction::ONE;
        let (text, bounds) = match self {
            _ if certain => ("certain".to_owned(), "for somebody, nothing else fits".to_owned()),
            Audience::Public { .. } if self.hides_shares(people) => {
                ("not shown".to_owned(), "of so few people".to_owned())
            }
            Audience::Public { .. } => (tenths(lower, upper), "in steps of ten percent".to_owned()),
            Audience::Internal if level.lower == level.upper => (percent(level.estimate), "exact".to_owned()),
            Audience::Internal => {
                let (low, high) = (percent_at_least(lower), percent_at_most(upper));
                (percent(level.estimate), format!("estimate; proved: between {low} and {high}"))
            }
        };
        Highest { text, bounds, certain }
    }

    /// A sentence of the audit. On a public page, numbers in it are shown like other counts.
    fn words(&self, words: &str) -> String {
        let Audience::Public { records, .. } = self else { return sentence(words) };
        let word = |word: &str| match word.replace(',', "").parse() {
            Ok(number) => records.says(number, None).0,
            Err(_) => word.to_owned(),
        };
        sentence(&words.split(' ').map(word).collect::<Vec<String>>().join(" "))
    }

    fn said(&self, column: Option<&ColumnAudit>) -> ColumnCounts {
        let Some(column) = column else {
            let nobody = || Count { text: "0".to_owned(), drawn: 0 };
            let (certain, may_be_certain) = (nobody(), nobody());
            let (above, may_be_above, bars) = (nobody(), nobody(), Vec::new());
            return ColumnCounts { people: nobody(), certain, may_be_certain, above, may_be_above, bars };
        };
        let told = |people: u64| self.disclosed(people, column.people);
        let bars: Vec<u64> = match self {
            Audience::Internal => column.histogram.to_vec(),
            Audience::Public { .. } => {
                let nested = |from: usize| column.histogram.iter().skip(from).sum();
                NESTED.into_iter().map(nested).collect()
            }
        };
        ColumnCounts {
            people: self.total(column.people),
            certain: told(column.certain),
            may_be_certain: told(column.may_be_certain),
            above: told(column.above),
            may_be_above: told(column.may_be_above),
            bars: bars.into_iter().map(told).collect(),
        }
    }

    /// The difference of two counts. On a public page the first of them: a difference is a count of its own.
    fn change(&self, before: u64, before_of: u64, now: u64) -> String {
        match self {
            Audience::Internal if now < before => format!("\u{2212}{}", format_count(before - now)),
            Audience::Internal if now == before => "no change".to_owned(),
            Audience::Internal => format!("+{}", format_count(now - before)),
            Audience::Public { .. } => self.disclosed(before, before_of).text,
        }
    }
}

/// The steps of ten percent around an interval.
fn tenths(lower: f64, upper: f64) -> String {
    // A bound on the limit of two steps belongs to the lower one.
    let high = ((upper * 10.0 - 1e-9).ceil() / 10.0).clamp(0.1, 1.0);
    let low = ((lower * 10.0 + 1e-9).floor() / 10.0).clamp(0.0, high - 0.1);
    match low > 0.0 {
        true => format!("{} to {}", percent(low), percent(high)),
        false => format!("at most {}", percent(high)),
    }
}

fn part<'a>(coalition: &'a Coalition, audience: &Audience) -> CoalitionView<'a> {
    let lines = coalition.releases.iter().map(|line| ReleaseView {
        number: line.number,
        name: &line.name,
        date: &line.date,
        recipients: list(&line.recipients),
        columns: line.columns.join(", "),
        records: audience.records(line.records),
    });
    let found = |attack: &Attack| (attack.findings > 0).then_some(attack.certain);
    let attack = |attack: &'a Attack| {
        let (words, certain) = match audience {
            Audience::Internal => (Some(attack.text.as_str()), found(attack)),
            Audience::Public { .. } if !attack.ran => (Some("could not be run"), None),
            Audience::Public { .. } => (None, found(attack)),
        };
        AttackResult { title: &attack.title, text: words, certain }
    };
    let mut attacks: Vec<AttackResult> = coalition.attacks.iter().map(attack).collect();
    if let Audience::Public { .. } = audience {
        // The page shows which attacks were run, not how often: the result that says most stays.
        attacks.sort_by(|one, two| (one.title, two.certain).cmp(&(two.title, one.certain)));
        attacks.dedup_by(|one, two| one.title == two.title);
    }
    let name = match coalition.members.as_slice() {
        [] => "All releases together".to_owned(),
        [one] => format!("What {one} can tell"),
        members => format!("What {} can tell together", list(members)),
    };
    CoalitionView {
        name,
        lines: lines.collect(),
        not_established: &coalition.not_established,
        violations: &coalition.violations,
        found: self::found(coalition, audience),
        attacks,
    }
}

fn found<'a>(coalition: &'a Coalition, audience: &Audience) -> Option<Findings<'a>> {
    let (_, audit) = coalition.timeline.last()?;
    let mut columns: Vec<ColumnView> =
        audit.columns.iter().map(|column| column_view(column, coalition, audience)).collect();
    // Sorted by the shown counts, so that the order discloses no more than they do.
    columns.sort_by_key(|column| {
        let ColumnCounts { certain, above, may_be_above, .. } = &column.now;
        std::cmp::Reverse((certain.drawn, above.drawn, may_be_above.drawn))
    });
    let name = |number: &u64| {
        let known = audit.releases.iter().find(|(known, _)| known == number);
        known.map(|(_, name)| name.as_str())
    };
    let details = match audience {
        Audience::Internal => Some(Details { worst: &audit.worst, each: audit.persons.as_deref(), work: &audit.stats }),
        Audience::Public { .. } => None,
    };
    Some(Findings {
        releases: audit.releases.len(),
        people: audience.total(audit.people),
        columns,
        identity: risks(&audit.identity, audit.people, audience),
        worlds: match audience {
            // Nothing was too large, so the reason is that people are not followed.
            _ if audit.ln_worlds.is_none() && audit.stats.components_not_counted == 0 => Worlds::NotCounted,
            Audience::Internal => Worlds::counted(audit.worlds.as_deref(), audit.ln_worlds),
            Audience::Public { .. } => Worlds::roughly(audit.ln_worlds, audience.hides_shares(audit.people)),
        },
        all_counted: audit.ln_worlds.is_some()
            && audit.stats.components_not_counted == 0
            && audit.columns.iter().all(|column| column.exact == column.people),
        details,
        multi_record_people: audience.disclosed(audit.multi_record_people, audit.people),
        changed_people: audience.disclosed(audit.changed_people, audit.people),
        unlinked: audit.unlinked.iter().filter_map(name).collect(),
        assumptions: audit.assumptions.iter().map(|words| audience.words(words)).collect(),
        not_considered: audit.not_considered.iter().map(|words| audience.words(words)).collect(),
        converged: audit.stats.not_converged == 0,
        pairs: audit.pairs.iter().filter_map(two).collect(),
        by_pairs: audit.pairs.iter().any(|pair| pair.not_judged.is_none()),
    })
}

fn two(pair: &PairAudit) -> Option<PairView<'_>> {
    let column = pair.column.as_deref().filter(|_| pair.is_certain() || pair.above > 0)?;
    Some(PairView { releases: pair.releases, column, certain: pair.is_certain() })
}

fn column_view<'a>(column: &'a ColumnAudit, coalition: &'a Coalition, audience: &Audience) -> ColumnView<'a> {
    let of = |audit: &'a Audit| audit.columns.iter().find(|other| other.name == column.name);
    let over = coalition.timeline.iter().map(|(release, audit)| (release.as_str(), audience.said(of(audit))));
    let before = coalition.timeline.iter().rev().nth(1).map(|(_, audit)| of(audit));
    let change = before.map(|before| {
        let (certain, above, people) = before.map_or((0, 0, 0), |before| (before.certain, before.above, before.people));
        (audience.change(certain, people, column.certain), audience.change(above, people, column.above))
    });
    ColumnView {
        name: &column.name,
        threshold: column.threshold,
        now: audience.said(Some(column)),
        before: before.flatten().map(|before| audience.said(Some(before))),
        over: over.collect(),
        change,
        highest: audience.highest(&column.highest, column.people),
        by_two: by_two(column, coalition, audience),
        any_record_above: audience.disclosed(column.any_record_above, column.people),
        accuracy: match column.bounds_only {
            0 => audience.average(column.accuracy, column.people),
            _ => at_most(audience.average(column.accuracy, column.people)),
        },
        bounded: audience.disclosed(column.bounds_only, column.people),
        baseline: audience.average(column.baseline, column.people),
        exact: audience.disclosed(column.exact, column.people),
        bits: match audience {
            Audience::Internal => column.entropy_bits.map(|bits| format!("{bits:.1}")),
            Audience::Public { .. } => None,
        },
    }
}

/// The highest upper bound of a pair of releases, if it is above that of the column.
fn by_two(column: &ColumnAudit, coalition: &Coalition, audience: &Audience) -> Option<String> {
    let (_, audit) = coalition.timeline.last().filter(|_| matches!(audience, Audience::Internal))?;
    let of_column = audit.pairs.iter().filter(|pair| pair.column.as_ref() == Some(&column.name));
    let most = of_column.max_by_key(|pair| pair.highest.upper)?;
    let [one, other] = most.releases;
    let more = most.highest.upper > column.highest.upper;
    let most = percent_at_most(most.highest.upper.value());
    more.then(|| format!("by releases {one} and {other} together up to {most}"))
}

/// An average that is an upper bound.
fn at_most(share: String) -> String {
    if share == "not shown" { share } else { format!("at most {share}") }
}

fn risks(identity: &Identity, people: u64, audience: &Audience) -> Risks {
    let told = |count: u64| audience.disclosed(count, people);
    let pair = |highest: f64, average: f64| [audience.highest_risk(highest), audience.average_risk(average, people)];
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
