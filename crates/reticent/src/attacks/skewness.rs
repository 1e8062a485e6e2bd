//! Skewness: a value that is rare among all and common in a group says much about the group, however diverse it is.
//!
//! Attack   compares the share of a value in a group with its share in the whole release. The gain is how much more likely
//!          the value became: (share in the group - share in the whole) / share in the whole.
//! Assumes  that the person is in the release, and that their quasi-identifiers are known.
//! Measure  gain and share have thresholds of their own; the least confidence of the scene is not looked at.
//! Paper    Li, Li and Venkatasubramanian, t-closeness, ICDE 2007; Cao and Karras, beta-likeness, VLDB 2012; survey section 2.2.

use super::finding::{Confidence, Finding, Findings, Value, called, conclude, people_of};
use super::groups::{Seen, tells, visit_groups};
use super::scene::{Scene, Unchecked, cannot};
use super::{Listed, LooksAt, Result};
use crate::classes::Group;
use crate::combos::Weight;
use crate::registry::{Domain, Entry, Kind, Parameter};
use crate::share::Share;
use crate::taxonomy::Code;

/// What it says about itself.
pub const ENTRY: Entry = Entry {
    kind: Kind::Attack,
    id: "skewness",
    title: "skewness",
    summary: "Finds the groups where a value is much more common than in the whole release, though the group has other values too.",
    paper: "Li, Li and Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007; survey section 2.2",
    thwarts: "of whom an attacker comes to believe much more than of everybody",
    comparison: false,
    parameters: &[
        Parameter {
            name: "gain",
            domain: Domain::Number(0.0, f64::INFINITY),
            default: Some("2"),
            meaning: "the least gain that is reported: 2 is three times as common as in the whole",
        },
        Parameter {
            name: "share",
            domain: Domain::Number(0.0, 1.0),
            default: Some("0.5"),
            meaning: "the least share of a group with the value that is reported",
        },
    ],
    evidence: &["attacks::tests::single::skewness_of_a_rare_value", "broken::attacks"],
};

/// The attack as it stands in the list.
pub const LISTED: Listed = Listed { entry: ENTRY, looks_at: LooksAt::Values, run };

fn run(scene: &Scene<'_>) -> Result<Findings> {
    let arguments = scene.arguments(&ENTRY)?;
    let least = |name: &str| {
        let share = Share::from_decimal(arguments.number(name)?);
        share.ok_or_else(|| cannot(&ENTRY, format!("`{name}` is written with too many digits")))
    };
    let (least_gain, least_share) = (least("gain")?, least("share")?);
    let mut unchecked = Unchecked::of(scene);
    let mut findings = Vec::new();
    visit_groups(scene, &ENTRY, &mut unchecked, |seen| {
        let group = Group { size: seen.shown, counts: seen.counts };
        // One value only is homogeneity, whatever the whole has.
        let several = seen.counts.len() > 1;
        for (code, carriers) in seen.counts.iter().filter(|(code, _)| several && tells(seen.published(), *code)) {
            let skewed = Skew::of(*code, *carriers, &group, &seen.whole);
            let common = Share::new(*carriers, seen.shown) >= least_share;
            findings.extend(skewed.filter(|skew| common && skew.gain >= least_gain).map(|skew| found(&seen, &skew)));
        }
    })?;
    conclude(&ENTRY, findings, unchecked)
}

/// How a value of a group stands out from the whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Skew {
    /// The value.
    pub code: Code,
    /// The share of the group with it.
    pub share: Share,
    /// How much more likely it became.
    pub gain: Share,
    /// How far all values of the group are from those of the whole: half the sum of the differences of their shares.
    pub distance: Share,
}

impl Skew {
    /// None when the value is no more common than in the whole.
    pub fn of(code: Code, carriers: Weight, group: &Group<'_>, whole: &Group<'_>) -> Option<Skew> {
        let (_, in_all) = whole.counts.iter().find(|(known, _)| *known == code)?;
        let (here, there) = (scaled(carriers, whole.size), scaled(*in_all, group.size));
        let gain = Share { numerator: here.checked_sub(there)?, denominator: there.max(1) };
        let share = Share::new(carriers, group.size);
        (here > there).then(|| Skew { code, share, gain, distance: distance(group, whole) })
    }
}

fn scaled(count: Weight, size: Weight) -> u128 {
    u128::from(count) * u128::from(size)
}

fn distance(group: &Group<'_>, whole: &Group<'_>) -> Share {
    let count = |code: Code| group.counts.iter().find(|(known, _)| *known == code).map_or(0, |(_, count)| *count);
    let differences = whole
        .counts
        .iter()
        .map(|(code, in_all)| scaled(count(*code), whole.size).abs_diff(scaled(*in_all, group.size)));
    Share { numerator: differences.sum(), denominator: 2 * scaled(group.size, whole.size).max(1) }
}

fn found(seen: &Seen<'_>, skew: &Skew) -> Finding {
    let column = seen.published();
    let times = (skew.gain.to_f64() + 1.0) * 10.0;
    let words = format!(
        "a value of {} is {} times as common among {} as in all of {}, which is {} away from them",
        column.name,
        times.round() / 10.0,
        people_of(seen.people, &seen.class),
        called(seen.held),
        skew.distance
    );
    Finding {
        attack: ENTRY.id,
        releases: vec![seen.held.number],
        people: seen.people,
        records: None,
        confidence: Confidence::Exact(skew.share),
        certain: false,
        class: seen.class.clone(),
        column: Some(column.name.clone()),
        value: Some(Value { code: Some(skew.code), label: column.label(skew.code).to_owned() }),
        words,
    }
}
