//! Figures 2 to 4: entropy given two releases, compared with one release.

use reticent_inference::Value;

use crate::adult::Records;
use crate::entropies::{Inference, infer};
use crate::made::Group;
use crate::releases::{Updated, guided, independent, replaced, updated};
use crate::report::{Verdict, figure, head, line, listed, note};
use crate::{DIVERSITIES, Failure, RECORDS, SEED, SHARED};

/// Relative tolerance for "exactly the same".
const SAME: f64 = 1e-6;
/// Largest reduction in percent for "just slightly lower".
const SLIGHTLY: f64 = 5.0;
/// Tolerance in percentage points for "20 % to 25 % lower".
const NEARLY: f64 = 2.0;

/// Entropy of a group of people given one release, and given both.
struct Pair {
    single: f64,
    both: f64,
}

impl Pair {
    /// Reduction of the entropy in percent.
    fn lower(&self) -> f64 {
        100.0 * (1.0 - self.both / self.single)
    }

    fn is_same(&self) -> bool {
        (self.single - self.both).abs() <= SAME * self.single
    }

    fn text(&self) -> String {
        format!("{:.0} to {:.0}, {:.1} % lower", self.single, self.both, self.lower())
    }
}

/// Entropies given two releases.
struct Outcome {
    /// People of the first release.
    first: Pair,
    /// People of the second release.
    second: Pair,
    /// All people given both releases, compared with the people of the first release given that release.
    all: Pair,
    /// Posteriors given both releases.
    joint: Inference,
    all_people: Group,
}

fn outcome(made: &Updated, first: &[Group], second: &[Group]) -> Result<Outcome, Failure> {
    let single = |release: &[Group], people: &[u32]| -> Result<f64, Failure> {
        Ok(infer(&made.value, &[release.to_vec()])?.nats(people))
    };
    let joint = infer(&made.value, &[first.to_vec(), second.to_vec()])?;
    let (of_first, of_second) = (single(first, &made.first)?, single(second, &made.second)?);
    let mut all_people = [made.first.clone(), made.second.clone()].concat();
    all_people.sort_unstable();
    all_people.dedup();
    Ok(Outcome {
        first: Pair { single: of_first, both: joint.nats(&made.first) },
        second: Pair { single: of_second, both: joint.nats(&made.second) },
        all: Pair { single: of_first, both: joint.nats(&all_people) },
        joint,
        all_people,
    })
}

impl Outcome {
    fn print(&self, what: &str) {
        let (pinned, sure) = (self.joint.pinned(&self.all_people), self.joint.sure(&self.all_people));
        println!(
            "{what}: people of D1 {}; of D2 {}; all {:.0}; of {} people {pinned} are certain and {sure} above 0.999; {:.2} s",
            self.first.text(),
            self.second.text(),
            self.all.both,
            self.all_people.len(),
            self.joint.seconds,
        );
    }
}

/// Independent buckets of both data sets, or `None` if a value is too frequent.
fn independent_pair(made: &Updated, l: usize) -> Option<(Vec<Group>, Vec<Group>)> {
    let first = independent(&made.first, &made.value, l, SEED + 1)?;
    Some((first, independent(&made.second, &made.value, l, SEED + 2)?))
}

/// Figures 2 and 3, for a column that allows the buckets and for one that does not.
pub fn two_and_three(records: &Records, short: bool) -> Result<(), Failure> {
    let shares = if short { &SHARED[..1] } else { &SHARED[..5] };
    figure("Figure 2: Independent re-bucketization");
    println!(
        "Entropies are sums over people in nats. The paper states neither the number of shared records nor the people over which"
    );
    println!("the entropy given two releases is summed; figure 4 uses the people of D2.\n");
    let mut rows = Vec::new();
    for column in ["occupation", "education"] {
        for shared in shares {
            for l in DIVERSITIES {
                let made = updated(records, column, RECORDS, *shared)?;
                let what = format!("{column}, l = {l}, {shared} shared");
                match independent_pair(&made, l) {
                    Some((first, second)) => {
                        let outcome = outcome(&made, &first, &second)?;
                        outcome.print(&what);
                        rows.push((column, *shared, l, outcome));
                    }
                    None => println!("{what}: not possible, {}", most_frequent(&made.value, l)),
                }
            }
        }
    }
    compare_two(&rows);
    figure("Figure 3: History-guided re-bucketization");
    let mut guided_rows = Vec::new();
    for l in DIVERSITIES {
        let made = updated(records, "occupation", RECORDS, SHARED[0])?;
        let filled = replaced(records, "occupation", RECORDS, SHARED[0])?;
        let slightly = history_guided(&made, l, "any new records")?;
        let same = history_guided(&filled, l, "new records with the values of the deleted records")?;
        guided_rows.push((l, slightly, same));
    }
    compare_three(&guided_rows);
    Ok(())
}

fn most_frequent(value: &[Value], l: usize) -> String {
    let values = value.iter().map(|value| *value as usize + 1).max().unwrap_or(0);
    let largest =
        (0..values).map(|one| value.iter().filter(|value| **value as usize == one).count()).max().unwrap_or(0);
    format!(
        "one value has {:.1} % of the records, and the limit is one in {l}",
        100.0 * largest as f64 / value.len() as f64
    )
}

fn history_guided(made: &Updated, l: usize, what: &str) -> Result<Outcome, Failure> {
    let first = independent(&made.first, &made.value, l, SEED + 1).ok_or("a value is too frequent")?;
    let second = guided(made, &first, l, SEED + 3);
    let outcome = outcome(made, &first, &second.buckets)?;
    outcome.print(&format!("l = {l}, {} shared, {what}", SHARED[0]));
    println!(
        "    {} slots, {} remain empty; {} new records match no bucket and are withheld",
        second.slots, second.empty, second.withheld
    );
    Ok(outcome)
}

fn compare_two(rows: &[(&str, usize, usize, Outcome)]) {
    head();
    let occupation = || rows.iter().filter(|(column, ..)| *column == "occupation");
    for (_, _, l, outcome) in occupation().filter(|(_, shared, ..)| *shared == SHARED[0]) {
        let expected = RECORDS as f64 * (*l as f64).ln();
        let holds =
            [outcome.first.single, outcome.second.single].iter().all(|nats| (nats - expected).abs() <= SAME * expected);
        let verdict = Verdict::from_claim(holds, "not the entropy of l equally likely values");
        let claim = format!("7,200 ln {l} = {expected:.1}, which matches the axis");
        line(&format!("figure 2: single release, l = {l}"), &claim, &format!("{:.1}", outcome.second.single), verdict);
    }
    for shared in SHARED {
        let same = occupation().filter(|(_, other, ..)| *other == shared);
        let lower: Vec<f64> = same.map(|(.., outcome)| outcome.second.lower()).collect();
        if lower.is_empty() {
            continue;
        }
        let off = lower.iter().map(|lower| (20.0 - lower.round()).max(lower.round() - 25.0)).fold(0.0, f64::max);
        let verdict = match off {
            0.0 => Verdict::Reproduces,
            off if off <= NEARLY => Verdict::Close("the paper does not state the shared records".to_owned()),
            off => Verdict::Not(format!("off by up to {off:.0} points; the paper does not state the shared records")),
        };
        let what = format!("figure 2: two releases compared with one, people of D2, {shared} shared, l = 2, 3, 5");
        line(&what, "20 to 25 % lower", &format!("{} %", listed(&lower, 1)), verdict);
    }
    for (column, shared, l, outcome) in rows.iter().filter(|(_, shared, ..)| *shared == SHARED[0]) {
        let disclosed = format!(
            "{} certain, {} above 0.999, of {}",
            outcome.joint.pinned(&outcome.all_people),
            outcome.joint.sure(&outcome.all_people),
            outcome.all_people.len()
        );
        note(&format!("people with a disclosed value, {column}, l = {l}, {shared} shared"), &disclosed);
    }
}

fn compare_three(rows: &[(usize, Outcome, Outcome)]) {
    head();
    for (l, slightly, same) in rows {
        let lower = slightly.first.lower();
        let verdict = Verdict::from_claim(lower > 0.0 && lower <= SLIGHTLY, "not between 0 and 5 %");
        line(&format!("figure 3: people of D1, l = {l}"), "just slightly lower", &format!("{lower:.2} %"), verdict);
        let lower = slightly.second.lower();
        note(&format!("the same for the people of D2, l = {l}"), &format!("{lower:.2} %"));
        let verdict = Verdict::from_claim(same.first.is_same() && same.second.is_same(), "not the same");
        let reductions = format!("{:.6} and {:.6} % lower", same.first.lower().abs(), same.second.lower().abs());
        line(
            &format!("figure 3: every slot is filled, people of D1, of D2, l = {l}"),
            "exactly the same",
            &reductions,
            verdict,
        );
        let disclosed = |outcome: &Outcome| {
            let (pinned, sure) = (outcome.joint.pinned(&outcome.all_people), outcome.joint.sure(&outcome.all_people));
            format!("{pinned} certain, {sure} above 0.999")
        };
        note(
            &format!("people with a disclosed value, l = {l}; every slot filled"),
            &format!("{}; {}", disclosed(slightly), disclosed(same)),
        );
    }
}

/// Figure 4.
pub fn four(records: &Records, short: bool) -> Result<(), Failure> {
    figure("Figure 4: The impact of shared records between D1 and D2");
    println!(
        "D2 and its buckets are the same in all runs. The paper does not state l; the axis ends at 12,000, which matches only l = 5.\n"
    );
    let mut rows = Vec::new();
    for l in DIVERSITIES.into_iter().filter(|l| !short || *l == 5) {
        let mut nats = Vec::new();
        for shared in SHARED {
            let made = updated(records, "occupation", RECORDS, shared)?;
            let (first, second) = independent_pair(&made, l).ok_or("a value is too frequent")?;
            let joint = infer(&made.value, &[first, second])?;
            nats.push(joint.nats(&made.second));
            let (pinned, sure) = (joint.pinned(&made.second), joint.sure(&made.second));
            println!(
                "l = {l}, {shared} shared: {:.1} nats; of the {RECORDS} people of D2, {pinned} are certain and {sure} above 0.999; {:.2} s",
                nats[nats.len() - 1],
                joint.seconds
            );
        }
        rows.push((l, nats));
    }
    head();
    for (l, nats) in rows {
        let falls = nats.windows(2).all(|pair| pair[0] < pair[1]);
        let what = format!("figure 4: 6,000 to 0 shared, l = {l}");
        line(&what, "falls with overlap", &listed(&nats, 0), Verdict::from_claim(falls, "it does not always fall"));
        let none = nats[nats.len() - 1];
        let expected = RECORDS as f64 * (l as f64).ln();
        let verdict =
            Verdict::from_claim((none - expected).abs() <= SAME * expected, "not the entropy given one release");
        line(
            &format!("figure 4: none shared, l = {l}"),
            &format!("7,200 ln {l} = {expected:.1}"),
            &format!("{none:.1}"),
            verdict,
        );
    }
    Ok(())
}
