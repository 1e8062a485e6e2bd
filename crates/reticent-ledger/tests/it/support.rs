//! Helpers of the ledger tests: small ledgers and releases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reticent::contingency::{ContingencyTable, combine};
use reticent::statement::{Parameter, Scope, Statement};
use reticent::taxonomy::Type;
use reticent::{Counts, Links, Recipient, ReleaseName, Role};
use reticent_ledger::{
    AmendmentDraft, Body, BodyColumn, BodyTree, Error, FileRecord, Findings, Hash, HistoryScope, Holder, Identity, Key,
    KeyFile, Ledger, Metric, Origin, Provenance, RecordOutcome, ReleaseDraft, Session, WithdrawalDraft,
};

pub const WAIT: Duration = Duration::from_secs(5);
pub const CITIES: &str = "Paris;France;*\nLyon;France;*\nOslo;Norway;*\n";
pub const POLICY: &str = "[columns.age]\n[requirement]\nk = 2\n";

pub fn holder() -> Holder {
    Holder {
        steward: "ana".to_owned(),
        process: 7,
        since: "2026-01-01T00:00:00Z".to_owned(),
        doing: "testing".to_owned(),
    }
}

/// The key file and the ledger identity that all tests share.
pub fn keys() -> &'static (KeyFile, Identity) {
    static KEYS: std::sync::OnceLock<(KeyFile, Identity)> = std::sync::OnceLock::new();
    KEYS.get_or_init(|| (KeyFile::ephemeral().unwrap(), Identity::draw().unwrap()))
}

/// The ledger key that all tests share.
pub fn key() -> Key {
    let (file, identity) = keys();
    file.ledger_key(identity)
}

/// A session with the key.
pub fn session() -> Session {
    unkeyed().with_key(Some(key()))
}

/// A session without a key.
pub fn unkeyed() -> Session {
    Session::new(holder(), WAIT)
}

/// Opens or creates a ledger with the shared identity.
pub fn create(folder: &Path) -> Result<Ledger, Error> {
    Ledger::create(folder, &keys().1, &session())
}

/// Counts of these rows: texts with a number of records.
pub fn counts(names: &[&str], rows: &[(&[&str], u64)]) -> Counts {
    let mut values: Vec<Vec<String>> = Vec::new();
    let mut codes: Vec<Vec<u32>> = Vec::new();
    for at in 0..names.len() {
        let mut texts: Vec<String> = rows.iter().map(|(row, _)| row[at].to_owned()).collect();
        texts.sort();
        texts.dedup();
        codes.push(rows.iter().map(|(row, _)| texts.binary_search(&row[at].to_owned()).unwrap() as u32).collect());
        values.push(texts);
    }
    let weights: Vec<u64> = rows.iter().map(|(_, weight)| *weight).collect();
    let views: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
    let contingency: ContingencyTable = combine(&views, &weights, None);
    Counts { names: names.iter().map(|name| (*name).to_owned()).collect(), values, contingency, links: None }
}

/// A release of a clinic: ages as intervals, cities from a taxonomy, illnesses unchanged.
pub fn clinic(rows: &[(&[&str], u64)]) -> Body {
    let column = |name: &str, role, values, tree| BodyColumn {
        name: name.to_owned(),
        role,
        values,
        tree,
        missing: vec![],
        published: BTreeMap::new(),
    };
    Body {
        columns: vec![
            column("age", Role::QuasiIdentifier, Type::Number, BodyTree::Recognised),
            column("city", Role::QuasiIdentifier, Type::Text, BodyTree::Taxonomy(Hash::digest(CITIES.as_bytes()))),
            column("illness", Role::Sensitive, Type::Text, BodyTree::Flat),
        ],
        counts: counts(&["age", "city", "illness"], rows),
    }
}

pub fn spring() -> Body {
    clinic(&[
        (&["[20,30)", "Paris", "flu"], 2),
        (&["[20,30)", "Paris", "asthma"], 1),
        (&[">=30", "Norway", "flu"], 3),
        (&["*", "*", "measles"], 1),
    ])
}

pub fn autumn() -> Body {
    clinic(&[(&["[20,30)", "France", "flu"], 4), (&["[30,40)", "Oslo", "asthma"], 2)])
}

/// Owner links with one owner per record, numbered from `first`.
pub fn links(body: &Body, first: u128) -> Links {
    let contingency = &body.counts.contingency;
    let cells = (0..contingency.len()).flat_map(|at| std::iter::repeat_n(at as u32, contingency.weights[at] as usize));
    Links::from_rows(cells.zip(first..).map(|(cell, owner)| (owner << 64 | owner, cell)).collect())
}

/// A temporary folder with a ledger and output files.
pub struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox { folder: tempfile::tempdir().unwrap() }
    }

    /// A ledger with three releases, one of which is erased.
    pub fn full() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.record("spring", &["press"], &spring());
        sandbox.record("summer", &["ministry", "press"], &autumn());
        sandbox.record("autumn", &["public"], &clinic(&[(&["*", "Oslo", "flu"], 9)]));
        sandbox.open().write(&session()).unwrap().purge("summer", "asked for").unwrap();
        sandbox
    }

    /// A ledger with a withdrawal, an amendment and an erasure.
    pub fn corrected() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.record("spring", &["press"], &spring());
        sandbox.record("autumn", &["press"], &autumn());
        std::fs::remove_file(sandbox.path().join("autumn.csv")).unwrap();
        let mut ledger = sandbox.open();
        let withdrawal = WithdrawalDraft { release: "autumn", reason: "never sent", destroyed_elsewhere: false };
        ledger.write(&session()).unwrap().withdraw(withdrawal).unwrap();
        let amendment = AmendmentDraft {
            release: "spring".to_owned(),
            reason: "known better".to_owned(),
            roles: [("age".to_owned(), Role::Sensitive)].into(),
            ..AmendmentDraft::default()
        };
        ledger.write(&session()).unwrap().amend(&amendment).unwrap();
        ledger.write(&session()).unwrap().erase(6 << 64 | 6, "request 7").unwrap();
        sandbox
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn ledger(&self) -> PathBuf {
        self.path().join("ledger")
    }

    pub fn open(&self) -> Ledger {
        create(&self.ledger()).unwrap()
    }

    pub fn verify(&self) -> Result<Findings, Error> {
        Ledger::open(&self.ledger(), &session())?.verify(&session())
    }

    /// The problems that verification finds, or `None` if the ledger is intact.
    pub fn problem(&self) -> Option<String> {
        match self.verify() {
            Ok(findings) if findings.is_intact() => None,
            Ok(findings) => Some(findings.problems.join("; ")),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Records a release with a file `NAME.csv`.
    pub fn record(&self, name: &str, to: &[&str], body: &Body) -> RecordOutcome {
        let mut ledger = self.open();
        let links = links(body, 5);
        let file = self.path().join(format!("{name}.csv"));
        std::fs::write(&file, name).unwrap();
        let draft = self.draft(&ledger, name, to, body, &links, &file);
        let head = ledger.head().unwrap();
        ledger.write(&session()).unwrap().record(head, &draft).unwrap()
    }

    pub fn draft<'a>(
        &self,
        ledger: &Ledger,
        name: &str,
        to: &[&str],
        body: &'a Body,
        links: &'a Links,
        file: &Path,
    ) -> ReleaseDraft<'a> {
        static TREES: std::sync::OnceLock<Vec<(String, String)>> = std::sync::OnceLock::new();
        let trees = TREES.get_or_init(|| vec![("city".to_owned(), CITIES.to_owned())]);
        let (sha256, bytes) = Hash::digest_file(file).unwrap();
        ReleaseDraft {
            name: ReleaseName::new(name).unwrap(),
            dataset: "clinic".to_owned(),
            date: "2026-03-01".to_owned(),
            recipients: to.iter().map(|name| Recipient::new(name).unwrap()).collect(),
            origin: Origin::Published,
            suppressed: 1,
            dropped: 0,
            presentation: Default::default(),
            body,
            method: None,
            links: Some((links, key().fingerprint())),
            policy: Some(POLICY),
            taxonomies: trees,
            file: Some(FileRecord { path: ledger.recorded_path(file), sha256, bytes }),
            naming: None,
            made: Some(Provenance {
                program: "0".to_owned(),
                algorithm: "none".to_owned(),
                guarantee: "safe".to_owned(),
                steps: 1,
                tried: Vec::new(),
                max_tries: None,
                seed: 2,
                classes: 3,
                engine: Some("embedded".to_owned()),
                statements: vec![Statement::judged(
                    "k-anonymity",
                    [("k".to_owned(), Parameter::Whole(2))].into(),
                    Scope::This,
                    0,
                )],
                verified: Vec::new(),
                audit: Some("bounds".to_owned()),
                metrics: vec![Metric { id: "gcp".to_owned(), value: 0.25 }],
            }),
            judged: HistoryScope::History { with: vec![] },
        }
    }
}

/// Sorted paths of all files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

pub fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&file, target).unwrap();
    }
}
