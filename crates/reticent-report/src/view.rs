//! The view: the data that a page may show. An internal page shows everything. A public page shows nothing about single people.
//!
//! Templates read only this view, so charts, chart titles and hidden texts disclose no more than the visible text.

use maud::Render;
use reticent::audit::{Audit, Case, ColumnAudit, Disclosure, PairAudit, PersonAudit, PosteriorRange};
use reticent::audit::{Fraction, SolveStats};
use reticent::text::{counted, format_count};

use crate::grid::Grid;
use crate::words::{Worlds, list, one_in, percent, percent_at_least, percent_at_most, sentence};
use crate::{Attack, Coalition, Report};

/// The displayed part of a report.
pub struct View<'a> {
    pub title: &'a str,
    pub date: &'a str,
    pub dataset: &'a str,
    pub version: &'a str,
    pub public: bool,
    /// Smallest count that is shown; `None` on an internal page.
    pub min_count: Option<u64>,
    pub coalitions: Vec<CoalitionView<'a>>,
    pub layout: Layout,
}

/// Form in which a view is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A page of its own.
    Page,
    /// A part of another page, with only the most important sections open.
    Fragment,
}

/// The displayed part of a coalition.
pub struct CoalitionView<'a> {
    /// Heading of the section.
    pub name: String,
    pub releases: Vec<ReleaseView<'a>>,
    /// Reasons why the audit is incomplete.
    pub not_established: &'a [String],
    /// Violations that attacks prove, in addition to the figures of the columns.
    pub violations: &'a [Disclosure],
    /// Results of the audit; `None` if the releases were not audited.
    pub findings: Option<Findings<'a>>,
    pub attacks: Vec<AttackResult<'a>>,
}

/// The result of one attack.
pub struct AttackResult<'a> {
    pub title: &'a str,
    /// Description of the result, if the page may show it.
    pub text: Option<&'a str>,
    /// Whether a finding is certain; `None` if there are no findings.
    pub certain: Option<bool>,
}

/// One row of the table of releases.
pub struct ReleaseView<'a> {
    pub number: u64,
    pub name: &'a str,
    pub date: &'a str,
    pub recipients: String,
    pub columns: String,
    pub records: Count,
}

/// Results of the audit of a coalition.
pub struct Findings<'a> {
    pub releases: usize,
    pub people: Count,
    /// Sensitive columns, the highest risk first.
    pub columns: Vec<ColumnView<'a>>,
    pub identity: Risks,
    pub worlds: Worlds,
    /// Whether the possible worlds of all people were counted.
    pub all_counted: bool,
    /// Details about people; `None` on a public page.
    pub details: Option<Details<'a>>,
    pub multi_record_people: Count,
    pub changed_people: Count,
    /// Names of the releases without owner links.
    pub unlinked: Vec<&'a str>,
    pub assumptions: Vec<String>,
    pub not_considered: Vec<String>,
    pub converged: bool,
    /// Pairs of releases with a violation, for an attacker who knows a person's groups in both.
    pub pairs: Vec<PairView<'a>>,
    /// Whether at least one pair of releases was judged by pairs of groups.
    pub by_pairs: bool,
}

/// Two releases whose combination violates the threshold.
pub struct PairView<'a> {
    pub releases: [u64; 2],
    pub column: &'a str,
    pub certain: bool,
}

/// Data that only an internal page shows.
pub struct Details<'a> {
    pub worst: &'a [Case],
    pub persons: Option<&'a [PersonAudit]>,
    pub stats: &'a SolveStats,
}

/// Figures of one sensitive column.
pub struct ColumnView<'a> {
    pub name: &'a str,
    /// Threshold on the posterior; `None` if the policy sets none.
    pub threshold: Option<f64>,
    pub now: ColumnCounts,
    /// Counts before the last release; `None` if no earlier release has the column.
    pub before: Option<ColumnCounts>,
    /// Name of each release, and the counts after it.
    pub timeline: Vec<(&'a str, ColumnCounts)>,
    /// Number of people whose value is certain, and number of people above the threshold. An internal page shows the change by the
    /// last release, a public page the counts before it.
    /// `None` where only bounds are known, which cannot be compared.
    pub change: Option<(String, Option<String>)>,
    pub max_posterior: MaxPosterior,
    /// Upper bound for pairs of releases, if it is higher than `max_posterior`. Only on an internal page.
    pub pair_bound: Option<String>,
    /// People with several records whose posterior that any of them has a value exceeds the threshold, or may exceed it.
    pub any_record_above: Count,
    pub accuracy: String,
    /// People with bounds only: neither an exact posterior nor an estimate.
    pub bounds_only: Count,
    /// People whose figure is an estimate.
    pub estimated: Count,
    /// People whose figure before the last release is an estimate or an upper bound.
    pub not_exact_before: Count,
    pub baseline: String,
    pub exact: Count,
    pub entropy_bits: Option<String>,
}

/// Numbers of people of one column.
pub struct ColumnCounts {
    pub people: Count,
    pub certain: Count,
    pub may_be_certain: Count,
    pub above: Count,
    pub may_be_above: Count,
    /// Internal page: histogram of eleven bars, the last for certainty. Public page: the nested counts of [`NESTED`].
    pub bars: Vec<Count>,
}

/// The maximum posterior over all people.
pub struct MaxPosterior {
    pub text: String,
    pub note: String,
    pub certain: bool,
}

/// Prosecutor risk after a release.
pub struct RiskAfter {
    /// Number and name of the release.
    pub release: (u64, String),
    /// Maximum and average, as in [`Risks::prosecutor`].
    pub prosecutor: [(String, bool); 2],
}

/// Re-identification risks.
pub struct Risks {
    pub singled_out: Count,
    pub linkable: Count,
    pub several_records: Count,
    /// Maximum and average prosecutor risk, each with whether it exceeds [`USUAL_THRESHOLD`].
    pub prosecutor: [(String, bool); 2],
    /// Prosecutor risk after each release.
    pub over_time: Vec<RiskAfter>,
}

/// A count: its displayed text, and its height in a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub text: String,
    pub drawn: u64,
}

impl Count {
    /// Nobody.
    fn zero() -> Count {
        Count { text: "0".to_owned(), drawn: 0 }
    }

    pub fn is_zero(&self) -> bool {
        self.drawn == 0 && self.text == "0"
    }

    /// Formats a count of people: `1 person`, `3 people`, `fewer than 10 people`.
    pub fn people_text(&self) -> String {
        match self.text.as_str() {
            count @ ("1" | "at least 1") => format!("{count} person"),
            count => format!("{count} people"),
        }
    }

    /// Formats a part of all people: `3 of 15 people`; `3 people` if the total is not shown.
    pub fn ratio_text(&self, people: &Count) -> String {
        match (self.text.as_str(), people.text.as_str()) {
            ("0", "some") => "no person".to_owned(),
            (_, "some") => self.people_text(),
            (count, _) => format!("{count} of {}", people.people_text()),
        }
    }

    /// Formats the empty part of all people: `none of 15 people`, `no person`.
    pub fn none(&self) -> String {
        match self.text.as_str() {
            "some" | "1" => "no person".to_owned(),
            _ => format!("none of {}", self.people_text()),
        }
    }
}

impl Render for Count {
    fn render_to(&self, buffer: &mut String) {
        self.text.render_to(buffer);
    }
}

/// Maximum re-identification risk that the European Medicines Agency and Health Canada usually accept for published clinical data.
pub const USUAL_THRESHOLD: f64 = 0.09;

/// Lower limits of the nested counts on a public page, in tenths.
pub const NESTED: [usize; 4] = [3, 5, 8, 10];

/// The audience of a page, which determines how counts are displayed.
enum Audience {
    Internal,
    Public {
        min_count: u64,
        /// Grid for counts of records.
        records: Grid,
        /// Grid for total numbers of people. It hides the sizes of intersections and differences of releases.
        totals: Grid,
        /// Grid for numbers of people with a disclosure.
        disclosed: Grid,
    },
}

impl<'a> View<'a> {
    pub fn new(report: &'a Report, layout: Layout) -> View<'a> {
        let audience = if report.public { Audience::public(report) } else { Audience::Internal };
        View {
            title: &report.title,
            date: &report.date,
            dataset: &report.dataset,
            version: &report.version,
            public: report.public,
            min_count: report.public.then_some(report.min_count.max(1)),
            coalitions: report.coalitions.iter().map(|coalition| coalition_view(coalition, &audience)).collect(),
            layout,
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
        let min_count = report.min_count.max(1);
        Audience::Public {
            min_count,
            records: Grid::new(min_count, Vec::new()),
            totals: Grid::new(min_count, sums),
            disclosed: Grid::new(min_count, people),
        }
    }

    fn records(&self, records: u64) -> Count {
        self.count(records, |grid, _, _| grid.describe(records, None))
    }

    fn total(&self, people: u64) -> Count {
        self.count(people, |_, totals, _| totals.describe(people, None))
    }

    fn disclosed(&self, people: u64, of: u64) -> Count {
        self.count(people, |_, _, disclosed| disclosed.describe(people, Some(of)))
    }

    fn count(&self, number: u64, describe: impl Fn(&Grid, &Grid, &Grid) -> (String, u64)) -> Count {
        let (text, drawn) = match self {
            Audience::Internal => (format_count(number), number),
            Audience::Public { records, totals, disclosed, .. } => describe(records, totals, disclosed),
        };
        Count { text, drawn }
    }

    /// Formats an average over people. A public page shows it in steps of 10 %, and only if a step is at least ten times the smallest
    /// shown count.
    fn average(&self, average: f64, people: u64) -> String {
        match self {
            Audience::Internal => percent(average),
            Audience::Public { .. } if self.hides_ratios(people) => "not shown".to_owned(),
            Audience::Public { .. } => tenths(average, average),
        }
    }

    fn average_risk(&self, lower: f64, upper: f64, people: u64) -> (String, bool) {
        match self {
            Audience::Internal if upper - lower < 1e-8 => (percent(upper), upper > USUAL_THRESHOLD),
            Audience::Internal => (format!("{} to {}", percent(lower), percent(upper)), upper > USUAL_THRESHOLD),
            Audience::Public { .. } if upper - lower < 1e-8 => (self.average(upper, people), false),
            Audience::Public { .. } => (at_most(self.average(upper, people)), false),
        }
    }

    /// Formats the maximum risk. A public page does not show a risk that discloses a small class.
    fn max_risk(&self, lower: f64, risk: f64) -> (String, bool) {
        match self {
            Audience::Internal if risk - lower < 1e-8 => (one_in(risk), risk > USUAL_THRESHOLD),
            Audience::Internal => (format!("{} to {}", percent(lower), percent(risk)), risk > USUAL_THRESHOLD),
            Audience::Public { min_count, .. } if risk * *min_count as f64 > 1.0 + 1e-9 => {
                (format!("more than 1 in {min_count}"), false)
            }
            Audience::Public { min_count, .. } => (format!("at most 1 in {min_count}"), false),
        }
    }

    /// Returns whether there are so few people that a ratio would disclose a small count.
    fn hides_ratios(&self, people: u64) -> bool {
        matches!(self, Audience::Public { min_count, .. } if people < min_count.saturating_mul(100))
    }

    fn max_posterior(&self, range: &PosteriorRange, people: u64) -> MaxPosterior {
        let (lower, upper) = (range.lower.value(), range.upper.value());
        let certain = range.lower == Fraction::ONE;
        let (text, note) = match self {
            _ if certain => ("certain".to_owned(), "only one value is possible for at least one person".to_owned()),
            Audience::Public { .. } if self.hides_ratios(people) => {
                ("not shown".to_owned(), "too few people to publish a percentage".to_owned())
            }
            Audience::Public { .. } => (tenths(lower, upper), "in steps of 10\u{a0}%".to_owned()),
            Audience::Internal if range.lower == range.upper => (percent(range.estimate), "exact".to_owned()),
            Audience::Internal => {
                let (low, high) = (percent_at_least(lower), percent_at_most(upper));
                (percent(range.estimate), format!("estimate; lower bound {low}, upper bound {high}"))
            }
        };
        MaxPosterior { text, note, certain }
    }

    /// Formats a text of the audit as a sentence. A public page rounds the numbers in it.
    fn rounded_sentence(&self, text: &str) -> String {
        let Audience::Public { records, .. } = self else { return sentence(text) };
        let words: Vec<&str> = text.split(' ').collect();
        let round = |at: usize| match words[at].replace(',', "").parse() {
            // The number of a release counts nothing.
            Ok(number) if at == 0 || words[at - 1] != "release" => records.describe(number, None).0,
            _ => words[at].to_owned(),
        };
        sentence(&(0..words.len()).map(round).collect::<Vec<String>>().join(" "))
    }

    fn column_counts(&self, column: Option<&ColumnAudit>) -> ColumnCounts {
        let Some(column) = column else {
            let [people, certain, may_be_certain, above, may_be_above] = std::array::from_fn(|_| Count::zero());
            return ColumnCounts { people, certain, may_be_certain, above, may_be_above, bars: Vec::new() };
        };
        let count = |people: u64| self.disclosed(people, column.people);
        let bars: Vec<u64> = match self {
            Audience::Internal => column.histogram.to_vec(),
            Audience::Public { .. } => {
                let nested = |from: usize| column.histogram.iter().skip(from).sum();
                NESTED.into_iter().map(nested).collect()
            }
        };
        ColumnCounts {
            people: self.total(column.people),
            certain: count(column.certain),
            may_be_certain: count(column.may_be_certain),
            above: count(column.above),
            may_be_above: count(column.may_be_above),
            bars: bars.into_iter().map(count).collect(),
        }
    }

    /// Formats the difference of two counts. A public page shows the first count, because a difference can be a small count.
    fn change(&self, before: u64, people_before: u64, now: u64) -> String {
        match self {
            Audience::Internal if now < before => format!("\u{2212}{}", format_count(before - now)),
            Audience::Internal if now == before => "no change".to_owned(),
            Audience::Internal => format!("+{}", format_count(now - before)),
            Audience::Public { .. } => self.disclosed(before, people_before).text,
        }
    }
}

/// Rounds an interval outwards to steps of 10 %.
fn tenths(lower: f64, upper: f64) -> String {
    // The tolerance keeps a bound at a limit of a step from being rounded to the next step.
    let high = ((upper * 10.0 - 1e-9).ceil() / 10.0).clamp(0.1, 1.0);
    let low = ((lower * 10.0 + 1e-9).floor() / 10.0).clamp(0.0, high - 0.1);
    match low > 0.0 {
        true => format!("{} to {}", percent(low), percent(high)),
        false => format!("at most {}", percent(high)),
    }
}

fn coalition_view<'a>(coalition: &'a Coalition, audience: &Audience) -> CoalitionView<'a> {
    let releases = coalition.releases.iter().map(|release| ReleaseView {
        number: release.number,
        name: &release.name,
        date: &release.date,
        recipients: list(&release.recipients),
        columns: release.columns.join(", "),
        records: audience.records(release.records),
    });
    let is_certain = |attack: &Attack| (attack.findings > 0).then_some(attack.certain);
    let attack = |attack: &'a Attack| {
        let (text, certain) = match audience {
            Audience::Internal => (Some(attack.text.as_str()), is_certain(attack)),
            Audience::Public { .. } if !attack.ran => (Some("could not be run"), None),
            Audience::Public { .. } => (None, is_certain(attack)),
        };
        AttackResult { title: &attack.title, text, certain }
    };
    let mut attacks: Vec<AttackResult> = coalition.attacks.iter().map(attack).collect();
    if let Audience::Public { .. } = audience {
        // A public page shows each attack once, with its most severe result, and not how often it was run.
        attacks.sort_by(|one, two| (one.title, two.certain).cmp(&(two.title, one.certain)));
        attacks.dedup_by(|one, two| one.title == two.title);
    }
    let name = match coalition.members.as_slice() {
        [] => "All releases combined".to_owned(),
        [recipient] => format!("Recipient: {recipient}"),
        recipients => format!("Recipients combined: {}", list(recipients)),
    };
    CoalitionView {
        name,
        releases: releases.collect(),
        not_established: &coalition.not_established,
        violations: &coalition.violations,
        findings: findings(coalition, audience),
        attacks,
    }
}

fn findings<'a>(coalition: &'a Coalition, audience: &Audience) -> Option<Findings<'a>> {
    let (_, audit) = coalition.timeline.last()?;
    let mut columns: Vec<ColumnView> =
        audit.columns.iter().map(|column| column_view(column, coalition, audience)).collect();
    // Sorted by the displayed counts, so that the order discloses no more than they do.
    columns.sort_by_key(|column| {
        let ColumnCounts { certain, above, may_be_above, .. } = &column.now;
        std::cmp::Reverse((certain.drawn, above.drawn, may_be_above.drawn))
    });
    let name = |number: &u64| {
        let known = audit.releases.iter().find(|(known, _)| known == number);
        known.map(|(_, name)| name.as_str())
    };
    let details = match audience {
        Audience::Internal => {
            Some(Details { worst: &audit.worst, persons: audit.persons.as_deref(), stats: &audit.stats })
        }
        Audience::Public { .. } => None,
    };
    Some(Findings {
        releases: audit.releases.len(),
        people: audience.total(audit.people),
        columns,
        identity: risks(audit, &coalition.timeline, audience),
        worlds: match audience {
            // No component was too large, so the reason is that records are not linked across releases.
            _ if audit.ln_worlds.is_none() && audit.stats.components_not_counted == 0 => Worlds::NotCounted,
            Audience::Internal => Worlds::counted(audit.worlds.as_deref(), audit.ln_worlds),
            Audience::Public { .. } => Worlds::roughly(audit.ln_worlds, audience.hides_ratios(audit.people)),
        },
        all_counted: audit.ln_worlds.is_some()
            && audit.stats.components_not_counted == 0
            && audit.columns.iter().all(|column| column.exact == column.people),
        details,
        multi_record_people: audience.disclosed(audit.multi_record_people, audit.people),
        changed_people: audience.disclosed(audit.changed_people, audit.people),
        unlinked: audit.unlinked.iter().filter_map(name).collect(),
        assumptions: audit.assumptions.iter().map(|text| audience.rounded_sentence(text)).collect(),
        not_considered: audit.not_considered.iter().map(|text| audience.rounded_sentence(text)).collect(),
        converged: audit.stats.not_converged == 0,
        pairs: audit.pairs.iter().filter_map(pair_view).collect(),
        by_pairs: audit.pairs.iter().any(|pair| pair.not_judged.is_none()),
    })
}

fn pair_view(pair: &PairAudit) -> Option<PairView<'_>> {
    let column = pair.column.as_deref().filter(|_| pair.is_certain() || pair.above > 0)?;
    Some(PairView { releases: pair.releases, column, certain: pair.is_certain() })
}

fn column_view<'a>(column: &'a ColumnAudit, coalition: &'a Coalition, audience: &Audience) -> ColumnView<'a> {
    let find = |audit: &'a Audit| audit.columns.iter().find(|other| other.name == column.name);
    let timeline =
        coalition.timeline.iter().map(|(release, audit)| (release.as_str(), audience.column_counts(find(audit))));
    let before = coalition.timeline.iter().rev().nth(1).map(|(_, audit)| find(audit));
    let change = before.map(|before| {
        let (certain, above, people) = before.map_or((0, 0, 0), |before| (before.certain, before.above, before.people));
        // A proved count and one with open cases do not compare like with like.
        let is_tight = |column: &ColumnAudit| column.above == column.may_be_above;
        let comparable = is_tight(column) && before.is_none_or(is_tight);
        let above = comparable.then(|| audience.change(above, people, column.above));
        (audience.change(certain, people, column.certain), above)
    });
    ColumnView {
        name: &column.name,
        threshold: column.threshold,
        now: audience.column_counts(Some(column)),
        before: before.flatten().map(|before| audience.column_counts(Some(before))),
        timeline: timeline.collect(),
        change,
        max_posterior: audience.max_posterior(&column.highest, column.people),
        pair_bound: pair_bound(column, coalition, audience),
        any_record_above: audience.disclosed(column.any_record_above, column.people),
        accuracy: match column.bounds_only {
            0 if column.estimated > 0 => format!("about {}", audience.average(column.accuracy, column.people)),
            0 => audience.average(column.accuracy, column.people),
            _ => at_most(audience.average(column.accuracy, column.people)),
        },
        bounds_only: audience.disclosed(column.bounds_only, column.people),
        estimated: audience.disclosed(column.estimated, column.people),
        not_exact_before: before.flatten().map_or_else(Count::zero, |before| {
            audience.disclosed(before.estimated + before.bounds_only, before.people)
        }),
        baseline: audience.average(column.baseline, column.people),
        exact: audience.disclosed(column.exact, column.people),
        entropy_bits: match audience {
            Audience::Internal => column.entropy_bits.map(|bits| format!("{bits:.1}")),
            Audience::Public { .. } => None,
        },
    }
}

/// Formats the highest upper bound over pairs of releases, if it exceeds that of the column.
fn pair_bound(column: &ColumnAudit, coalition: &Coalition, audience: &Audience) -> Option<String> {
    let (_, audit) = coalition.timeline.last().filter(|_| matches!(audience, Audience::Internal))?;
    let of_column = audit.pairs.iter().filter(|pair| pair.column.as_ref() == Some(&column.name));
    let worst = of_column.max_by_key(|pair| pair.highest.upper)?;
    let [one, other] = worst.releases;
    let is_higher = worst.highest.upper > column.highest.upper;
    let upper = percent_at_most(worst.highest.upper.value());
    is_higher.then(|| format!("releases {one} and {other} combined: up to {upper}"))
}

/// Formats an average that is an upper bound.
fn at_most(average: String) -> String {
    // Of an interval, the upper end is the bound.
    let bound = average.rsplit_once(" to ").map_or(average.as_str(), |(_, upper)| upper);
    match bound {
        "not shown" => bound.to_owned(),
        bound if bound.starts_with("at most") || bound.starts_with("less than") => bound.to_owned(),
        bound if bound.starts_with("more than") => format!("at most {}", percent(1.0)),
        bound => format!("at most {bound}"),
    }
}

fn risks(audit: &Audit, timeline: &[(String, Audit)], audience: &Audience) -> Risks {
    let (identity, people) = (&audit.identity, audit.people);
    let count = |number: u64| audience.disclosed(number, people);
    let prosecutor = |audit: &Audit| {
        let (maximum, mean) = (audit.identity.prosecutor, audit.identity.marketer);
        [
            audience.max_risk(maximum.lower.value(), maximum.upper.value()),
            audience.average_risk(mean.lower, mean.upper, audit.people),
        ]
    };
    let number = |audit: &Audit| audit.releases.last().map_or(0, |(number, _)| *number);
    let point = |(name, audit): &(String, Audit)| RiskAfter {
        release: (number(audit), name.clone()),
        prosecutor: prosecutor(audit),
    };
    Risks {
        singled_out: count(identity.singled_out),
        linkable: count(identity.linkable),
        several_records: count(identity.with_several_records),
        prosecutor: prosecutor(audit),
        over_time: timeline.iter().map(point).collect(),
    }
}

/// Formats a number of releases: `the release`, `both releases`, `all 3 releases`.
pub fn all_releases(number: usize) -> String {
    match number {
        0 | 1 => "the release".to_owned(),
        2 => "both releases".to_owned(),
        many => format!("all {}", counted(many as u64, "release")),
    }
}
