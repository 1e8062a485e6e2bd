//! Benchmark of recording, loading and verifying. Prints one line of JSON for each measurement; `bench/run ledger`
//! runs it.
//!
//! ```text
//! ledger_speed fill   FOLDER RELEASES COMBINATIONS RECORDS plain|links   records releases without measuring
//! ledger_speed commit FOLDER COMMITS  COMBINATIONS RECORDS plain|links   records and measures releases, each with its floor
//! ledger_speed load   FOLDER plain|links                                 loads the whole history once
//! ledger_speed verify FOLDER                                             verifies the ledger once
//! ```
//!
//! The folder contains the ledger, its key and the published files. `fill` and `commit` extend an existing ledger.
//! The floor of a commit is the time for the same durability without a ledger: one synced file as large as the stored
//! files, and one row in a SQLite database with the settings of the catalogue.

#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reticent::contingency::ContingencyTable;
use reticent::statement::{Parameter, Scope, Statement};
use reticent::taxonomy::{Code, Type};
use reticent::{Counts, Links, Recipient, RecordedRelease, ReleaseName, Role};
use reticent_ledger::{
    Body, BodyColumn, BodyTree, FileRecord, Hash, HistoryQuery, HistoryScope, Holder, Identity, Key, KeyFile, Ledger,
    Metric, Naming, Origin, Provenance, ReleaseDraft, Session, Staging,
};
use rusqlite::Connection;
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

const WAIT: Duration = Duration::from_secs(60);
const POLICY: &str =
    "[dataset]\nname = \"people\"\n[columns.region]\ntaxonomy = \"region.csv\"\n[requirement]\nk = 5\n";

/// Name and number of distinct texts of each column. All 384 million combinations are equally likely, so the data
/// compresses worse than real data.
const COLUMNS: [(&str, u64); 8] = [
    ("sex", 2),
    ("region", 17),
    ("income", 90),
    ("education", 16),
    ("occupation", 14),
    ("marital", 7),
    ("employed", 2),
    ("diagnosis", 40),
];

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["fill", folder, releases, combinations, records, links] => {
            let bench = Bench::new(folder)?;
            let size = ReleaseSize::parse(combinations, records, links)?;
            (0..releases.parse()?).try_for_each(|_| bench.commit(&size).map(|_| ()))
        }
        ["commit", folder, commits, combinations, records, links] => {
            let bench = Bench::new(folder)?;
            let floor = DiskFloor::new(&bench.folder)?;
            let size = ReleaseSize::parse(combinations, records, links)?;
            for _ in 0..commits.parse()? {
                print_commit(&bench.commit(&size)?, &floor)?;
            }
            Ok(())
        }
        ["load", folder, links] => load(&Bench::new(folder)?, links == "links"),
        ["verify", folder] => verify(&Bench::new(folder)?),
        _ => Err("usage: ledger_speed fill|commit|load|verify FOLDER ...; the documentation of this file lists the arguments".into()),
    }
}

/// Size of a release.
struct ReleaseSize {
    combinations: usize,
    records: u64,
    links: bool,
}

impl ReleaseSize {
    fn parse(combinations: &str, records: &str, links: &str) -> Result<ReleaseSize, Failure> {
        Ok(ReleaseSize { combinations: combinations.parse()?, records: records.parse()?, links: links == "links" })
    }
}

/// Measurement of a commit.
struct CommitTiming {
    /// Number of earlier entries.
    entries: u64,
    /// Size of the stored files in bytes.
    bytes: u64,
    /// Seconds to open the ledger.
    open: f64,
    /// Seconds to lock and check the ledger.
    write: f64,
    /// Seconds to record the release.
    record: f64,
}

/// A ledger with its key and the published files.
struct Bench {
    folder: PathBuf,
    identity: Identity,
    key: Key,
    regions: Vec<(String, String)>,
}

impl Bench {
    fn new(folder: &str) -> Result<Bench, Failure> {
        let folder = PathBuf::from(folder);
        std::fs::create_dir_all(&folder)?;
        let path = folder.join("key");
        let file = KeyFile::read(&path, None)?.map_or_else(|| KeyFile::create(&path, None), Ok)?;
        let ledger = folder.join("ledger");
        let identity = match Ledger::exists(&ledger) {
            true => Ledger::open(&ledger, &session())?.identity()?,
            false => Identity::draw()?,
        };
        let key = file.ledger_key(&identity);
        let region = texts("region", 17);
        let lines: Vec<String> =
            region.iter().enumerate().map(|(at, text)| format!("{text};part-{};*\n", at / 4)).collect();
        Ok(Bench { folder, identity, key, regions: vec![("region".to_owned(), lines.concat())] })
    }

    fn open(&self) -> Result<Ledger, Failure> {
        Ok(Ledger::create(&self.folder.join("ledger"), &self.identity, &self.session())?)
    }

    fn session(&self) -> Session {
        session().with_key(Some(self.key.clone()))
    }

    /// Records one release with a staged file, as `reticent publish` does.
    fn commit(&self, size: &ReleaseSize) -> Result<CommitTiming, Failure> {
        let entries = self.open()?.head()?.entries;
        let name = format!("release-{}", entries + 1);
        let body = self.body(entries, size);
        let links = size.links.then(|| links(entries, &body));
        let (_staging, naming) = self.stage(&name)?;
        let clock = Instant::now();
        let mut ledger = self.open()?;
        let open = clock.elapsed();
        let writer = ledger.write(&self.session())?;
        let write = clock.elapsed();
        let file = writer.ledger().recorded_path(&naming.to);
        let outcome = writer.append(&self.draft(&name, &body, links.as_ref(), naming, file)?)?;
        let done = clock.elapsed();
        let bodies = outcome.entry.release().map(|release| release.bodies()).unwrap_or_default();
        Ok(CommitTiming {
            entries,
            bytes: bodies.iter().map(|(_, body)| body.bytes).sum(),
            open: open.as_secs_f64(),
            write: (write - open).as_secs_f64(),
            record: (done - write).as_secs_f64(),
        })
    }

    fn body(&self, seed: u64, size: &ReleaseSize) -> Body {
        let tree = |name: &str| match name {
            "region" => BodyTree::Taxonomy(Hash::digest(self.regions[0].1.as_bytes())),
            "income" => BodyTree::Recognised,
            _ => BodyTree::Flat,
        };
        let column = |(name, _): &(&str, u64)| BodyColumn {
            name: (*name).to_owned(),
            role: if *name == "diagnosis" { Role::Sensitive } else { Role::QuasiIdentifier },
            values: if *name == "income" { Type::Number } else { Type::Text },
            tree: tree(name),
            missing: Vec::new(),
            published: Default::default(),
        };
        let counts = Counts {
            names: COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect(),
            values: COLUMNS.iter().map(|(name, distinct)| texts(name, *distinct)).collect(),
            contingency: contingency_table(seed, size),
            links: None,
        };
        Body { columns: COLUMNS.iter().map(column).collect(), counts }
    }

    /// Stages a published file.
    fn stage(&self, name: &str) -> Result<(Staging, Naming), Failure> {
        let to = self.folder.join(format!("{name}.csv"));
        let staging = Staging::create(&to, &self.folder.join("ledger"))?;
        std::fs::write(staging.release(), name)?;
        let naming = staging.naming(&to)?;
        Ok((staging, naming))
    }

    fn draft<'a>(
        &'a self,
        name: &str,
        body: &'a Body,
        links: Option<&'a Links>,
        naming: Naming,
        file: String,
    ) -> Result<ReleaseDraft<'a>, Failure> {
        Ok(ReleaseDraft {
            name: ReleaseName::new(name)?,
            dataset: "people".to_owned(),
            date: "2026-03-01".to_owned(),
            recipients: vec![Recipient::new("research")?],
            origin: Origin::Published,
            suppressed: 0,
            dropped: 0,
            presentation: Default::default(),
            body,
            method: None,
            links: links.map(|links| (links, self.key.fingerprint())),
            policy: Some(POLICY),
            taxonomies: &self.regions,
            file: Some(FileRecord { path: file, sha256: Hash::digest(name.as_bytes()), bytes: name.len() as u64 }),
            naming: Some(naming),
            made: Some(provenance()),
            judged: HistoryScope::History { with: Vec::new() },
        })
    }
}

fn session() -> Session {
    let holder = Holder {
        steward: "bench".to_owned(),
        process: std::process::id(),
        since: "2026-03-01T00:00:00Z".to_owned(),
        doing: "measuring".to_owned(),
    };
    Session::new(holder, WAIT)
}

fn provenance() -> Provenance {
    Provenance {
        program: "0".to_owned(),
        algorithm: "top-down-specialization".to_owned(),
        guarantee: "safe".to_owned(),
        steps: 1,
        tried: Vec::new(),
        max_tries: None,
        seed: 2,
        classes: 3,
        engine: Some("embedded".to_owned()),
        statements: vec![Statement::judged(
            "k-anonymity",
            [("k".to_owned(), Parameter::Whole(5))].into(),
            Scope::This,
            0,
        )],
        verified: Vec::new(),
        audit: None,
        metrics: vec![Metric { id: "gcp".to_owned(), value: 0.25 }],
    }
}

/// Returns the sorted texts of a column. Incomes are intervals.
fn texts(name: &str, distinct: u64) -> Vec<String> {
    let text = |at: u64| match name {
        "income" => format!("[{},{})", 1000 * at, 1000 * (at + 1)),
        _ => format!("{name}-{at:02}"),
    };
    let mut texts: Vec<String> = (0..distinct).map(text).collect();
    texts.sort();
    texts
}

/// Draws exactly `size.combinations` distinct combinations, sorted, and distributes the records over them.
fn contingency_table(seed: u64, size: &ReleaseSize) -> ContingencyTable {
    let all: u64 = COLUMNS.iter().map(|(_, distinct)| distinct).product();
    let (mut drawn, mut next) = (Vec::new(), seed << 32);
    while drawn.len() < size.combinations {
        let missing = (size.combinations - drawn.len()) as u64;
        drawn.extend((next..next + missing).map(|at| mix(at) % all));
        next += missing;
        drawn.sort_unstable();
        drawn.dedup();
    }
    let mut below = all;
    let mut codes: Vec<Vec<Code>> = Vec::new();
    for (_, distinct) in COLUMNS {
        below /= distinct;
        codes.push(drawn.iter().map(|number| (number / below % distinct) as Code).collect());
    }
    let combinations = size.combinations as u64;
    let weight = |at| size.records / combinations + u64::from(at < size.records % combinations);
    ContingencyTable { codes, weights: (0..combinations).map(weight).collect(), owners: None }
}

/// Returns links with one person for each record. Every release has the same people, in another order.
fn links(seed: u64, body: &Body) -> Links {
    let weights = &body.counts.contingency.weights;
    let records = body.counts.contingency.rows();
    let places = (0u32..).zip(weights).flat_map(|(at, weight)| std::iter::repeat_n(at, *weight as usize));
    let pseudonym = |person: u64| u128::from(mix(person)) << 64 | u128::from(mix(!person));
    let people = (0..records).map(|at| (at + seed * 7919) % records);
    Links::from_rows(people.zip(places).map(|(person, place)| (pseudonym(person), place)).collect())
}

/// Returns a pseudorandom number (SplitMix64).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Measures the disk without a ledger.
struct DiskFloor {
    file: PathBuf,
    database: Connection,
}

impl DiskFloor {
    fn new(folder: &Path) -> Result<DiskFloor, Failure> {
        let database = Connection::open(folder.join("floor.sqlite"))?;
        database.pragma_update(None, "journal_mode", "delete")?;
        database.pragma_update(None, "synchronous", "extra")?;
        database
            .execute_batch("CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY, document TEXT NOT NULL)")?;
        Ok(DiskFloor { file: folder.join("floor.bin"), database })
    }

    /// Returns the seconds to write and sync a new file of this size.
    fn write(&self, bytes: u64) -> Result<f64, Failure> {
        let bytes: Vec<u8> = (0..bytes.div_ceil(8)).flat_map(|at| mix(at).to_le_bytes()).take(bytes as usize).collect();
        let clock = Instant::now();
        let mut file = File::create_new(&self.file)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        let seconds = clock.elapsed().as_secs_f64();
        std::fs::remove_file(&self.file)?;
        Ok(seconds)
    }

    /// Returns the seconds of a transaction with one row, about as long as the document of an entry.
    fn row(&self) -> Result<f64, Failure> {
        let document = "x".repeat(1800);
        let clock = Instant::now();
        self.database.execute("INSERT INTO entries (document) VALUES (?1)", [document])?;
        Ok(clock.elapsed().as_secs_f64())
    }
}

fn print_commit(commit: &CommitTiming, floor: &DiskFloor) -> Result<(), Failure> {
    let CommitTiming { entries, bytes, open, write, record } = commit;
    let (file, row) = (floor.write(*bytes)?, floor.row()?);
    let seconds = open + write + record;
    let parts = json!({ "open": open, "write": write, "record": record });
    let floor = json!({ "file": file, "row": row });
    println!("{}", json!({ "entries": entries, "bytes": bytes, "seconds": seconds, "parts": parts, "floor": floor }));
    Ok(())
}

fn load(bench: &Bench, with_links: bool) -> Result<(), Failure> {
    let clock = Instant::now();
    let ledger = bench.open()?;
    let history = ledger.history(HistoryQuery { numbers: None, links: with_links.then_some(&bench.key) })?;
    let seconds = clock.elapsed().as_secs_f64();
    let sum = |count: &dyn Fn(&RecordedRelease) -> u64| history.releases.iter().map(count).sum::<u64>();
    let combinations = sum(&|release| release.release.contingency.len() as u64);
    let links = sum(&|release| release.links.as_ref().map_or(0, |links| links.len() as u64));
    // A code has 4 bytes and a weight 8; a link has a pseudonym of 16 bytes and two numbers of 4.
    let kept = combinations * (4 * COLUMNS.len() as u64 + 8) + links * 24;
    let line = json!({
        "seconds": seconds,
        "releases": history.releases.len(),
        "records": sum(&|release| release.release.contingency.rows()),
        "combinations": combinations,
        "links": links,
        "kept_bytes": kept,
    });
    println!("{line}");
    Ok(())
}

fn verify(bench: &Bench) -> Result<(), Failure> {
    let clock = Instant::now();
    let findings = bench.open()?.verify(&bench.session())?;
    let seconds = clock.elapsed().as_secs_f64();
    if !findings.is_intact() {
        return Err(findings.problems.join("; ").into());
    }
    println!("{}", json!({ "seconds": seconds, "bodies": findings.bodies, "files": findings.files.len() }));
    Ok(())
}
