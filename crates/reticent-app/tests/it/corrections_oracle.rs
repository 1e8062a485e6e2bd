//! Random small histories with withdrawals, amendments and erasures, against a brute force over the releases that are truly
//! held. An audit or a verdict of `publish` may be too cautious, and never too optimistic: no correction makes a false safe.
//!
//! The brute force shares no code with the product. It enumerates every assignment of values to people; an assignment is
//! possible if every group of every held release has the published values. Erased people keep their place in it, because
//! recipients keep what they have.

use std::collections::BTreeMap;

use reticent_app::Role;
use reticent_testkit::{Answer, Outcome, TestFolder};
use serde_json::Value;

const VALUES: [&str; 3] = ["flu", "gout", "hiv"];
const BOUND: f64 = 0.8;
const RECIPIENTS: [&str; 3] = ["press", "ministry", "public"];

const POLICY: &str = "[dataset]\nowner = \"pid\"\n[columns.pid]\nrole = \"identifier\"\n[columns.zip]\n[columns.ward]\nrole = \"other\"\n\
    accept-unique = true\n[columns.ill]\nrole = \"sensitive\"\n[requirement]\nconfidence = 0.8\n\
    [recipients]\nnon-colluding = [\"press\", \"ministry\"]\n[release]\nseed = 1\n";

/// A deterministic sequence of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// A release as it truly is: who holds it, and the group of each person.
#[derive(Clone)]
struct Truth {
    name: String,
    recipients: Vec<String>,
    withdrawn: bool,
    /// Person, zip code and ward of each record.
    records: Vec<(usize, String, String)>,
    /// Whether attackers know the ward.
    ward_known: bool,
}

impl Truth {
    fn held_by(&self, recipient: &str) -> bool {
        !self.withdrawn && self.recipients.iter().any(|name| name == recipient || name == "public")
    }

    /// People of each group.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
        for (person, zip, ward) in &self.records {
            let ward = if self.ward_known { ward.clone() } else { String::new() };
            groups.entry((zip.clone(), ward)).or_default().push(*person);
        }
        groups.into_values().collect()
    }
}

/// Highest posterior of each person given some releases, by enumeration.
fn posteriors(values: &[usize], releases: &[&Truth]) -> Vec<f64> {
    let people = values.len();
    let groups: Vec<Vec<usize>> = releases.iter().flat_map(|release| release.groups()).collect();
    let published = |group: &[usize], of: &[usize]| {
        let mut listed: Vec<usize> = group.iter().map(|person| of[*person]).collect();
        listed.sort_unstable();
        listed
    };
    let lists: Vec<Vec<usize>> = groups.iter().map(|group| published(group, values)).collect();
    let mut worlds = 0u32;
    let mut counts = vec![[0u32; VALUES.len()]; people];
    for code in 0..VALUES.len().pow(people as u32) {
        let world: Vec<usize> = (0..people).map(|at| code / VALUES.len().pow(at as u32) % VALUES.len()).collect();
        if groups.iter().zip(&lists).all(|(group, list)| published(group, &world) == *list) {
            worlds += 1;
            world.iter().enumerate().for_each(|(person, value)| counts[person][*value] += 1);
        }
    }
    let shown = |person: &usize| groups.iter().any(|group| group.contains(person));
    let highest = |person: usize| counts[person].iter().copied().max().unwrap_or(0);
    (0..people).map(|at| if shown(&at) { f64::from(highest(at)) / f64::from(worlds) } else { 0.0 }).collect()
}

fn highest(posteriors: &[f64]) -> f64 {
    posteriors.iter().copied().fold(0.0, f64::max)
}

struct Story {
    folder: TestFolder,
    random: Random,
    values: Vec<usize>,
    truths: Vec<Truth>,
    erased: Vec<usize>,
}

impl Story {
    fn new(seed: u64) -> Story {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let people = 6 + random.below(3);
        let values = (0..people).map(|_| random.below(VALUES.len())).collect();
        Story { folder: TestFolder::from_policy(POLICY), random, values, truths: Vec::new(), erased: Vec::new() }
    }

    /// A table of most of the people who are not erased.
    fn table(&mut self) -> Vec<(usize, String, String)> {
        let present: Vec<usize> = (0..self.values.len()).filter(|person| !self.erased.contains(person)).collect();
        let mut records = Vec::new();
        for person in present {
            if self.random.below(9) > 0 {
                let (zip, ward) = (self.random.below(5) / 4, self.random.below(2));
                records.push((person, format!("z{zip}"), format!("w{ward}")));
            }
        }
        records
    }

    fn csv(&self, records: &[(usize, String, String)]) -> String {
        let row = |(person, zip, ward): &(usize, String, String)| {
            format!("p{person},{zip},{ward},{}\n", VALUES[self.values[*person]])
        };
        "pid,zip,ward,ill\n".to_owned() + &records.iter().map(row).collect::<String>()
    }

    fn register(&mut self) {
        let records = self.table();
        if records.is_empty() {
            return;
        }
        let (name, to) = (format!("r{}", self.truths.len() + 1), RECIPIENTS[self.random.below(3)]);
        self.folder.write(&format!("{name}.csv"), self.csv(&records));
        self.folder.register(&format!("{name}.csv"), &name).to(to).run().passes();
        self.truths.push(Truth { name, recipients: vec![to.to_owned()], withdrawn: false, records, ward_known: false });
    }

    fn correct(&mut self) {
        if self.truths.is_empty() {
            return;
        }
        let at = self.random.below(self.truths.len());
        let name = self.truths[at].name.clone();
        let to = RECIPIENTS[self.random.below(3)];
        match self.random.below(5) {
            0 if !self.truths[at].withdrawn => {
                let file = format!("{name}.csv");
                // A release that counts again after a withdrawal has no file any more.
                if self.folder.exists(&file) {
                    std::fs::remove_file(self.folder.file(&file)).unwrap();
                }
                // The missing file of a registered release shows nothing.
                self.folder.withdraw_stating(&name, true).passes();
                self.truths[at].withdrawn = true;
            }
            1 => {
                if self.folder.amend_adding(&name, to).is_ok() {
                    self.truths[at].withdrawn = false;
                    self.truths[at].recipients.push(to.to_owned());
                }
            }
            2 => {
                if self.folder.amend_recipients(&name, to).is_ok() {
                    self.truths[at].withdrawn = false;
                    self.truths[at].recipients = vec![to.to_owned()];
                }
            }
            3 if !self.truths[at].withdrawn => {
                if self.folder.amend_role(&name, "ward", Role::QuasiIdentifier).is_ok() {
                    self.truths[at].ward_known = true;
                }
            }
            _ => {
                let person = self.random.below(self.values.len());
                if self.folder.erase(&format!("p{person}")).is_ok() {
                    self.erased.push(person);
                }
            }
        }
    }

    fn held(&self, recipient: &str) -> Vec<&Truth> {
        self.truths.iter().filter(|truth| truth.held_by(recipient)).collect()
    }

    /// Compares the audit with the brute force. Returns whether a coalition was within the bound.
    fn check_audit(&self, seed: u64) -> bool {
        let Ok(audit) = self.folder.audit().run() else { panic!("seed {seed}: no audit") };
        let answer = audit.json();
        let coalitions = answer["coalitions"].as_array().unwrap();
        let mut truth = 0.0f64;
        for recipient in ["press", "ministry"] {
            let held = self.held(recipient);
            let here = highest(&posteriors(&self.values, &held));
            // A recipient who holds public releases only counts, too.
            truth = truth.max(here);
            // A recipient without a release of its own is in no coalition; with public ones only, every coalition holds them.
            let named = self
                .truths
                .iter()
                .any(|truth| !truth.withdrawn && truth.recipients.iter().any(|name| name == recipient));
            if held.is_empty() || !named {
                continue;
            }
            let numbers: Vec<&str> = held.iter().map(|truth| truth.name.as_str()).collect();
            let of = |coalition: &&Value| {
                let releases = coalition["audit"]["releases"].as_array().unwrap();
                let mut names: Vec<&str> = releases.iter().map(|pair| pair["name"].as_str().unwrap()).collect();
                names.sort_unstable();
                let mut wanted = numbers.clone();
                wanted.sort_unstable();
                names == wanted
            };
            let coalition =
                coalitions.iter().find(of).unwrap_or_else(|| panic!("seed {seed}: {recipient} {numbers:?} {answer:#}"));
            let column = &coalition["audit"]["columns"][0];
            let (lower, upper) =
                (column["highest"]["lower"].as_f64().unwrap(), column["highest"]["upper"].as_f64().unwrap());
            assert!(
                upper >= here - 1e-9,
                "seed {seed}: a false bound for {recipient}: {upper} instead of {here}\n{answer:#}"
            );
            assert!(
                lower <= here + 1e-9,
                "seed {seed}: a false disclosure to {recipient}: {lower} instead of {here}\n{answer:#}"
            );
        }
        let holds = audit.holds == Some(true);
        assert!(!holds || truth <= BOUND + 1e-9, "seed {seed}: a false safe: {truth}\n{answer:#}");
        holds
    }

    /// Publishes to the press. If the verdict is established, nobody new is above the bound. Returns whether it was published.
    fn check_publish(&mut self, seed: u64) -> bool {
        let records = self.table();
        if records.is_empty() {
            return false;
        }
        self.folder.write("data.csv", self.csv(&records));
        let Ok(answer) = self.folder.publish("data.csv", "next").to("press").run() else { return false };
        let answer = answer.json();
        if !answer["not_established"].as_array().unwrap().is_empty() {
            return false;
        }
        // Each zip code is published unchanged or as `*`, for all people.
        let rows = self.folder.rows("next.csv");
        assert_eq!(rows.len(), records.len(), "seed {seed}: suppressed records");
        let suppressed = rows.iter().all(|row| row.contains(&"*".to_owned()));
        assert!(suppressed || !rows.iter().flatten().any(|cell| cell == "*"), "seed {seed}: {rows:?}");
        let zip = |zip: &String| if suppressed { "*".to_owned() } else { zip.clone() };
        let records = records.iter().map(|(person, code, ward)| (*person, zip(code), ward.clone())).collect();
        let recipients = vec!["press".to_owned()];
        let next = Truth { name: "next".to_owned(), recipients, withdrawn: false, records, ward_known: false };
        let held = self.held("press");
        let before = posteriors(&self.values, &held);
        let after = posteriors(&self.values, &held.into_iter().chain([&next]).collect::<Vec<_>>());
        for (person, (before, after)) in before.iter().zip(&after).enumerate() {
            let is_new = *after > BOUND + 1e-9 && *after > before + 1e-9;
            assert!(!is_new, "seed {seed}: a false safe for person {person}: {after} after {before}\n{answer:#}");
        }
        true
    }
}

#[test]
fn no_correction_makes_a_false_safe() {
    let (mut within, mut beyond, mut published) = (0, 0, 0);
    for seed in 1..=120 {
        let mut story = Story::new(seed);
        story.register();
        for _ in 0..1 + seed % 3 {
            story.register();
            story.correct();
            story.correct();
        }
        if story.truths.iter().all(|truth| truth.withdrawn) {
            continue;
        }
        match story.check_audit(seed) {
            true => within += 1,
            false => beyond += 1,
        }
        published += usize::from(story.check_publish(seed));
    }
    println!("{within} within the bound, {beyond} not, {published} published");
    assert!(within >= 10 && beyond >= 30 && published >= 10, "{within} {beyond} {published}");
}
