//! Skewness: a sensitive value is more frequent in a group than in the whole release.
//!
//! Attack   compares the share of a value in a group with its share in the whole release. The gain is the relative increase:
//!          (share in the group - share in the release) / share in the release.
//! Assumes  that the person is in the release, and that the attacker knows the quasi-identifiers of the person.
//! Measure  gain and share have their own thresholds; the minimum confidence of the input is not used.
//! Paper    Li, Li and Venkatasubramanian, t-closeness, ICDE 2007; Cao and Karras, beta-likeness, VLDB 2012; survey section 2.2.

use super::finding::{AttackConfidence, DisclosedValue, Finding, Findings, conclude, people_in_class, release_text};
use super::groups::{GroupView, is_unsuppressed, visit_groups};
use super::input::{AttackInput, Unchecked, not_runnable};
use super::{AttackDef, AttackTarget, Result};
use crate::data::contingency::Weight;
use crate::data::taxonomy::Code;
use crate::ratio::Ratio;
use crate::registry::{Domain, Entry, Kind, ParameterDef};
use crate::release::classes::EquivalenceClass;

/// Catalogue entry of the attack.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "skewness",
    title: "skewness",
    summary: "Finds groups of several values in which a sensitive value is much more frequent than in the whole release.",
    paper: "Li, Li and Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007; survey section 2.2",
    protects_against: "attribute linkage: a posterior much larger than the prior",
    comparison: false,
    parameters: &[
        ParameterDef {
            name: "gain",
            domain: Domain::Number(0.0, f64::INFINITY),
            default: Some("2"),
            meaning: "minimum gain, (share in the group - share in the release) / share in the release; 2 is three times as frequent",
        },
        ParameterDef {
            name: "share",
            domain: Domain::Number(0.0, 1.0),
            default: Some("0.5"),
            meaning: "minimum share of the value in the group",
        },
    ],
    evidence: &["attacks::tests::single::skewness_of_a_rare_value", "broken::attacks"],
};

/// Definition of the attack in [`super::LIST`].
pub const LISTED: AttackDef = AttackDef { entry: ENTRY, target: AttackTarget::Values, run };

fn run(input: &AttackInput<'_>) -> Result<Findings> {
    let arguments = input.arguments(&ENTRY)?;
    let parameter = |name: &str| {
        let share = Ratio::from_decimal(arguments.number(name)?);
        share.ok_or_else(|| not_runnable(&ENTRY, format!("`{name}` has too many digits")))
    };
    let (min_gain, min_share) = (parameter("gain")?, parameter("share")?);
    let mut unchecked = Unchecked::new(input);
    let mut findings = Vec::new();
    visit_groups(input, &ENTRY, &mut unchecked, |view| {
        let group = EquivalenceClass { size: view.total, counts: view.counts };
        // A group with one value is found by the homogeneity attack.
        let is_diverse = view.counts.len() > 1;
        let is_checked = |code: Code| is_diverse && is_unsuppressed(view.published(), code);
        for (code, carriers) in view.counts.iter().filter(|(code, _)| is_checked(*code)) {
            let skew = Skew::new(*code, *carriers, &group, &view.whole);
            let is_frequent = Ratio::new(*carriers, view.total) >= min_share;
            findings.extend(skew.filter(|skew| is_frequent && skew.gain >= min_gain).map(|skew| finding(&view, &skew)));
        }
    })?;
    conclude(&ENTRY, findings, unchecked)
}

/// Skew of a value in a group, compared with the whole release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Skew {
    /// Code of the value.
    pub code: Code,
    /// Share of the value in the group.
    pub share: Ratio,
    /// Relative increase of the share from the release to the group.
    pub gain: Ratio,
    /// Total variation distance between the value distributions of the group and of the release.
    pub distance: Ratio,
}

impl Skew {
    /// Computes the skew of a value; none if the value is not more frequent in the group than in the release.
    pub fn new(
        code: Code,
        carriers: Weight,
        group: &EquivalenceClass<'_>,
        whole: &EquivalenceClass<'_>,
    ) -> Option<Skew> {
        let (_, in_all) = whole.counts.iter().find(|(known, _)| *known == code)?;
        let (here, there) = (scaled(carriers, whole.size), scaled(*in_all, group.size));
        let gain = Ratio { numerator: here.checked_sub(there)?, denominator: there.max(1) };
        let share = Ratio::new(carriers, group.size);
        (here > there).then(|| Skew { code, share, gain, distance: distance(group, whole) })
    }
}

fn scaled(count: Weight, size: Weight) -> u128 {
    u128::from(count) * u128::from(size)
}

/// Total variation distance: half the sum of the absolute differences of the shares.
fn distance(group: &EquivalenceClass<'_>, whole: &EquivalenceClass<'_>) -> Ratio {
    let count = |code: Code| group.counts.iter().find(|(known, _)| *known == code).map_or(0, |(_, count)| *count);
    let differences = whole
        .counts
        .iter()
        .map(|(code, in_all)| scaled(count(*code), whole.size).abs_diff(scaled(*in_all, group.size)));
    Ratio { numerator: differences.sum(), denominator: 2 * scaled(group.size, whole.size).max(1) }
}

fn finding(view: &GroupView<'_>, skew: &Skew) -> Finding {
    let column = view.published();
    let times = (skew.gain.to_f64() + 1.0) * 10.0;
    let text = format!(
        "a value of {} is {} times as frequent among {} as in all of {} (total variation distance {})",
        column.name,
        times.round() / 10.0,
        people_in_class(view.people, &view.class),
        release_text(view.recorded),
        skew.distance
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![view.recorded.number],
        people: view.people,
        records: None,
        confidence: AttackConfidence::Exact(skew.share),
        certain: false,
        class: view.class.clone(),
        column: Some(column.name.clone()),
        value: Some(DisclosedValue { code: Some(skew.code), label: column.label(skew.code).to_owned() }),
        text,
    }
}
