//! Figures 2 to 4: how much the entropy of one release falls when there are two.

use reticent_inference::Value;

use crate::adult::Records;
use crate::entropies::{Found, found};
use crate::made::Group;
use crate::releases::{Updated, guided, independent, replaced, updated};
use crate::report::{Verdict, figure, head, line, listed, note};
use crate::{DIVERSITIES, Failure, RECORDS, SEED, SHARED};

/// "Exactly the same": within this, relative.
const SAME: f64 = 1e-6;
/// "Just slightly lower": at most so many percent.
const SLIGHTLY: f64 = 5.0;
/// "20 % to 25 % lower": what is nearly that, in percent points.
const NEARLY: f64 = 2.0;

/// One release and both of them, for one data set.
struct Pair {
    single: f64,
    both: f64,
}

impl Pair {
    /// By how many percent both are lower.
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

/// What two releases give away.
struct Outcome {
    /// For the people of the first release, of the second, and for all of them against the first.
    first: Pair,
    second: Pair,
    all: Pair,
    together: Found,
    everybody: Group,
}

fn outcome(made: &Updated, first: &[Group], second: &[Group]) -> Result<Outcome, Failure> {
    let single = |release: &[Group], people: &[u32]| -> Result<f64, Failure> {
        Ok(found(&made.value, &[release.to_vec()])?.nats(people))
    };
    let together = found(&made.value, &[first.to_vec(), second.to_vec()])?;
    let (of_first, of_second) = (single(first, &made.first)?, single(second, &made.second)?);
    let mut everybody = [made.first.clone(), made.second.clone()].concat();
    everybody.sort_unstable();
    everybody.dedup();
    Ok(Outcome {
        first: Pair { single: of_first, both: together.nats(&made.first) },
        second: Pair { single: of_second, both: together.nats(&made.second) },
        all: Pair { single: of_first, both: together.nats(&everybody) },
        together,
        everybody,
    })
}

impl Outcome {
    fn print(&self, what: &str) {
        let (pinned, sure) = (self.together.pinned(&self.everybody), self.together.sure(&self.everybody));
        println!(
            "{what}: people of D1 {}; of D2 {}; all {:.0}; of {} people {pinned} are pinned and {sure} above 0.999; {:.2} s",
            self.first.text(),
            self.second.text(),
            self.all.both,
            self.everybody.len(),
            self.together.seconds,
        );
    }
}

/// Both data sets, each in buckets by itself. None when a value is too frequent.
fn alone(made: &Updated, l: usize) -> Option<(Vec<Group>, Vec<Group>)> {
    let first = independent(&made.first, &made.value, l, SEED + 1)?;
    Some((first, independent(&made.second, &made.value, l, SEED + 2)?))
}

/// Figures 2 and 3, for the column that can be and one that cannot.
pub fn two_and_three(records: &Records, short: bool) -> Result<(), Failure> {
    let shares = if short { &SHARED[..1] } else { &SHARED[..5] };
    figure("Figure 2: Independent re-bucketization");
    println!(
        "Entropies are sums over people in nats. The paper says neither how many records are shared nor over whom the entropy of"
    );
    println!("two releases is taken; figure 4 takes the people of D2.\n");
    let mut rows = Vec::new();
    for column in ["occupation", "education"] {
        for shared in shares {
            for l in DIVERSITIES {
                let made = updated(records, column, RECORDS, *shared)?;
                let what = format!("{column}, l = {l}, {shared} shared");
                match alone(&made, l) {
                    Some((first, second)) => {
                        let outcome = outcome(&made, &first, &second)?;
                        outcome.print(&what);
                        rows.push((column, *shared, l, outcome));
                    }
                    None => println!("{what}: not to be had, {}", most_frequent(&made.value, l)),
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
        let same = history_guided(&filled, l, "new records with the values of those that are gone")?;
        guided_rows.push((l, slightly, same));
    }
    compare_three(&guided_rows);
    Ok(())
}

fn most_frequent(value: &[Value], l: usize) -> String {
    let most = value.iter().map(|value| *value as usize + 1).max().unwrap_or(0);
    let share = (0..most).map(|one| value.iter().filter(|value| **value as usize == one).count()).max().unwrap_or(0);
    format!(
        "one value has {:.1} % of the records, and at most one in {l} may",
        100.0 * share as f64 / value.len() as f64
    )
}

fn history_guided(made: &Updated, l: usize, what: &str) -> Result<Outcome, Failure> {
    let first = independent(&made.first, &made.value, l, SEED + 1).ok_or("a value is too frequent")?;
    let second = guided(made, &first, l, SEED + 3);
    let outcome = outcome(made, &first, &second.buckets)?;
    outcome.print(&format!("l = {l}, {} shared, {what}", SHARED[0]));
    println!(
        "    {} slots, {} stay empty; {} new records fit nowhere and are withheld",
        second.slots, second.empty, second.withheld
    );
    Ok(outcome)
}

fn compare_two(rows: &[(&str, usize, usize, Outcome)]) {
    head();
    let occupation = || rows.iter().filter(|(column, ..)| *column == "occupation");
    for (_, _, l, outcome) in occupation().filter(|(_, shared, ..)| *shared == SHARED[0]) {
        let expected = RECORDS as f64 * (*l as f64).ln();
        let so =
            [outcome.first.single, outcome.second.single].iter().all(|nats| (nats - expected).abs() <= SAME * expected);
        let verdict = Verdict::of(so, "another entropy than that of l equally likely values");
        let said = format!("7,200 ln {l} = {expected:.1}, which fits the axis");
        line(&format!("figure 2: single release, l = {l}"), &said, &format!("{:.1}", outcome.second.single), verdict);
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
            off if off <= NEARLY => Verdict::Close("the shared records are not said".to_owned()),
            off => Verdict::Not(format!("off by up to {off:.0} points; the shared records are not said")),
        };
        let what = format!("figure 2: two releases against one, people of D2, {shared} shared, l = 2, 3, 5");
        line(&what, "20 to 25 % lower", &format!("{} %", listed(&lower, 1)), verdict);
    }
    for (column, shared, l, outcome) in rows.iter().filter(|(_, shared, ..)| *shared == SHARED[0]) {
        let told = format!(
            "{} pinned, {} above 0.999, of {}",
            outcome.together.pinned(&outcome.everybody),
            outcome.together.sure(&outcome.everybody),
            outcome.everybody.len()
        );
        note(&format!("people whose value is told, {column}, l = {l}, {shared} shared"), &told);
    }
}

fn compare_three(rows: &[(usize, Outcome, Outcome)]) {
    head();
    for (l, slightly, same) in rows {
        let lower = slightly.first.lower();
        let verdict = Verdict::of(lower > 0.0 && lower <= SLIGHTLY, "not between 0 and 5 %");
        line(&format!("figure 3: people of D1, l = {l}"), "just slightly lower", &format!("{lower:.2} %"), verdict);
        let lower = slightly.second.lower();
        note(&format!("the same for the people of D2, l = {l}"), &format!("{lower:.2} %"));
        let verdict = Verdict::of(same.first.is_same() && same.second.is_same(), "not the same");
        let told = format!("{:.6} and {:.6} % lower", same.first.lower().abs(), same.second.lower().abs());
        line(
            &format!("figure 3: every slot is filled, people of D1, of D2, l = {l}"),
            "exactly the same",
            &told,
            verdict,
        );
        let told = |outcome: &Outcome| {
            let (pinned, sure) =
                (outcome.together.pinned(&outcome.everybody), outcome.together.sure(&outcome.everybody));
            format!("{pinned} pinned, {sure} above 0.999")
        };
        note(
            &format!("people whose value is told, l = {l}; every slot filled"),
            &format!("{}; {}", told(slightly), told(same)),
        );
    }
}

/// Figure 4.
pub fn four(records: &Records, short: bool) -> Result<(), Failure> {
    figure("Figure 4: The impact of shared records between D1 and D2");
    println!(
        "D2 and its buckets are the same throughout; l is not said, and the axis ends at 12,000, which fits l = 5 only.\n"
    );
    let mut rows = Vec::new();
    for l in DIVERSITIES.into_iter().filter(|l| !short || *l == 5) {
        let mut nats = Vec::new();
        for shared in SHARED {
            let made = updated(records, "occupation", RECORDS, shared)?;
            let (first, second) = alone(&made, l).ok_or("a value is too frequent")?;
            let together = found(&made.value, &[first, second])?;
            nats.push(together.nats(&made.second));
            let (pinned, sure) = (together.pinned(&made.second), together.sure(&made.second));
            println!(
                "l = {l}, {shared} shared: {:.1} nats; of the {RECORDS} people of D2, {pinned} are pinned and {sure} above 0.999; {:.2} s",
                nats[nats.len() - 1],
                together.seconds
            );
        }
        rows.push((l, nats));
    }
    head();
    for (l, nats) in rows {
        let falls = nats.windows(2).all(|pair| pair[0] < pair[1]);
        let what = format!("figure 4: 6,000 to 0 shared, l = {l}");
        line(&what, "falls with overlap", &listed(&nats, 0), Verdict::of(falls, "it does not always fall"));
        let none = nats[nats.len() - 1];
        let expected = RECORDS as f64 * (l as f64).ln();
        let verdict = Verdict::of((none - expected).abs() <= SAME * expected, "not that of one release");
        line(
            &format!("figure 4: none shared, l = {l}"),
            &format!("7,200 ln {l} = {expected:.1}"),
            &format!("{none:.1}"),
            verdict,
        );
    }
    Ok(())
}
