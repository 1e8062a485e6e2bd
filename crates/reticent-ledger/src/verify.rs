//! Verification: whether a ledger, and every file it names, is what was written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use crate::bodies::{Bodies, is_staged, relative};
use crate::chain::{Chain, Head};
use crate::disk;
use crate::entry::{Entry, Origin, Recorded};
use crate::error::{Error, Result};
use crate::finalize::numbered;
use crate::hash::Hash;
use crate::ledger::Ledger;
use crate::lock::Lock;
use crate::recovery::in_use;
use crate::schema::Beside;
use crate::seal::{Journal, Unnamed};
use crate::session::Session;

/// What a killed writer leaves.
const UNFINISHED: &str =
    "a command that writes did not finish; the next one that writes completes its work or undoes it";

/// Whether what the ledger says is known to come from the holder of its key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Authentication {
    /// Every signature was checked with a key that the caller trusts.
    Authentic,
    /// Something is not what was written, or not signed with the ledger's key.
    Modified,
    /// The hashes agree, and the ledger carries no signatures: everybody who can write to its folder can rewrite it.
    #[default]
    Unsigned,
    /// The hashes and signatures agree, and no trusted key was given to check them with: a whole new ledger looks the same.
    Untrusted,
}

/// What verification found.
#[derive(Debug, Default, Serialize)]
pub struct Findings {
    /// The last entry; none when the entries could not be read.
    #[serde(skip)]
    pub head: Option<Head>,
    /// Whether the ledger is authentic.
    #[serde(skip)]
    pub authentication: Authentication,
    /// The first signed entry, where earlier ones are not: they are known to be unchanged since then only.
    pub signed_since: Option<u64>,
    /// Bodies that were read.
    pub bodies: u64,
    /// Releases whose contents were erased.
    pub erased_releases: u64,
    /// What does not hold; empty when everything does.
    pub problems: Vec<String>,
    /// What a steward should look at.
    pub warnings: Vec<String>,
    /// The published files that entries name.
    pub files: Vec<NamedFile>,
}

/// A published file that an entry names.
#[derive(Debug, Clone, Serialize)]
pub struct NamedFile {
    /// The release.
    pub release: u64,
    /// Where it was put.
    pub path: PathBuf,
    /// Whether it is what was published.
    pub state: FileState,
}

/// Whether a file is what was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// It is.
    Intact,
    /// It is not there any more.
    Absent,
    /// A later release has the same name, and this one was moved before.
    Replaced,
    /// Its bytes are others.
    Changed,
    /// It could not be looked for.
    Unseen,
}

impl Findings {
    /// True when everything holds.
    pub fn intact(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Ledger {
    /// Looks at everything, while nobody else writes. Changes nothing: what a writer that was killed left behind is a
    /// warning, and the next command that writes completes it or undoes it.
    pub fn verify(&self, session: &Session) -> Result<Findings> {
        let _lock = Lock::take_to_read(&self.folder, session)?;
        let journal = Journal::read(&self.folder)?;
        let mut findings = self.look(journal.as_ref(), session);
        if journal.is_some() {
            findings.warnings.push(UNFINISHED.to_owned());
        }
        for unnamed in Unnamed::read(&self.folder)? {
            let to = unnamed.naming.whole(&self.folder).to;
            findings.warnings.push(format!("release {} waits to be named {}", unnamed.release, to.display()));
        }
        Ok(findings)
    }

    /// What was modified in the catalogue, if something was. An error where that cannot be told, as when another process writes
    /// for longer than the session waits.
    pub fn unsound(&self, session: &Session) -> Result<Option<String>> {
        let _lock = Lock::take_to_read(&self.folder, session)?;
        let checked = match Journal::read(&self.folder)? {
            Some(journal) => self.unsealed_chain(&journal, session).map(drop),
            None => self.check_seal(session).map(drop),
        };
        match checked {
            Ok(()) => Ok(None),
            Err(Error::Broken { what, .. }) => Ok(Some(what)),
            Err(error) => Err(error),
        }
    }

    fn look(&self, journal: Option<&Journal>, session: &Session) -> Findings {
        let mut findings = Findings::default();
        match self.verify_catalogue(&mut findings, journal, session) {
            Ok(authentication) => findings.authentication = authentication,
            Err(error) => {
                findings.problem(error);
                findings.authentication = Authentication::Modified;
                return findings;
            }
        }
        if let Err(error) = self.verify_bodies(&mut findings, journal) {
            findings.problem(error);
        }
        self.verify_permissions(&mut findings);
        if !findings.intact() {
            findings.authentication = Authentication::Modified;
        }
        findings
    }

    fn verify_catalogue(
        &self,
        findings: &mut Findings,
        journal: Option<&Journal>,
        session: &Session,
    ) -> Result<Authentication> {
        let chain = match journal {
            Some(journal) => self.unsealed_chain(journal, session)?.0,
            None => self.sealed_chain(findings, session)?,
        };
        findings.head = Some(chain.head());
        if self.catalogue.beside()? != Beside::of(&chain.entries) {
            findings.problems.push("the tables beside the entries do not say what the entries say".to_owned());
        }
        self.catalogue.check_schema()?;
        let verifier = self.trusted_verifier(session)?;
        let checked = chain.check_signatures(&self.identity()?.origin(), verifier.as_ref(), 1);
        findings.problems.extend(checked.err());
        findings.signed_since = chain.signed_since().filter(|first| *first > 1);
        Ok(match (verifier, session.trusted()) {
            (None, _) => Authentication::Unsigned,
            (Some(_), None) => Authentication::Untrusted,
            (Some(_), Some(_)) => Authentication::Authentic,
        })
    }

    /// The entries of a catalogue that is the one that was sealed, byte for byte.
    fn sealed_chain(&self, findings: &mut Findings, session: &Session) -> Result<Chain> {
        let seal = self.check_seal(session)?;
        findings.problems.extend(self.catalogue.damage()?.into_iter().map(|what| format!("the catalogue: {what}")));
        let chain = self.chain()?;
        if !seal.head.is(chain.head()) {
            findings.problems.push("the last entry is not the one that was sealed".to_owned());
        }
        Ok(chain)
    }

    fn verify_bodies(&self, findings: &mut Findings, journal: Option<&Journal>) -> Result<()> {
        let entries = self.entries()?;
        let erased: BTreeSet<u64> = entries.iter().filter_map(Entry::purge).map(|purge| purge.release).collect();
        findings.erased_releases = erased.len() as u64;
        let releases: Vec<(u64, &Recorded)> =
            entries.iter().filter_map(|entry| Some((entry.number, entry.release()?))).collect();
        let kept: Vec<&(u64, &Recorded)> = releases.iter().filter(|(number, _)| !erased.contains(number)).collect();
        let bodies = &self.bodies;
        let found: Vec<Vec<String>> =
            kept.par_iter().map(|(number, release)| verify_release(bodies, *number, release)).collect();
        findings.problems.extend(found.into_iter().flatten());
        let used = in_use(&entries);
        findings.bodies = used.len() as u64;
        let gone = releases.iter().filter(|(number, _)| erased.contains(number));
        let gone: BTreeSet<String> =
            gone.flat_map(|(_, release)| release.bodies()).map(|(kind, body)| relative(kind, body.sha256)).collect();
        // A command that did not finish may have left what its journal names, and what it was about to erase.
        let erasing = journal.is_some() && entries.last().is_some_and(|entry| entry.purge().is_some());
        let left = |file: &String| {
            journal.is_some_and(|journal| {
                journal.bodies.contains(file) || is_staged(file) || erasing && gone.contains(file)
            })
        };
        for stranger in self.bodies.files()?.iter().filter(|file| !used.contains(*file) && !left(file)) {
            findings.problems.push(match gone.contains(stranger) {
                true => format!("{stranger} was erased and is back"),
                false => format!("{stranger} belongs to no entry: entries may have been removed"),
            });
        }
        let outside = |release: &Recorded| release.file.as_ref().map(|file| self.outside(&file.path));
        let places: Vec<Option<PathBuf>> = releases.iter().map(|(_, release)| outside(release)).collect();
        let look = |(at, path): (usize, Option<PathBuf>)| {
            let later = releases[at + 1..].iter().map(|(_, release)| *release);
            verify_file(releases[at].0, releases[at].1, path?, later)
        };
        let files: Vec<Option<NamedFile>> = places.into_par_iter().enumerate().map(look).collect();
        findings.files.extend(files.into_iter().flatten());
        for file in findings.files.iter().filter(|file| file.state == FileState::Changed) {
            let of_file = releases.iter().find(|(number, _)| *number == file.release);
            let made = of_file.is_some_and(|(_, release)| release.origin == Origin::Published);
            let was = if made { "published" } else { "registered" };
            findings.problems.push(format!("{} (release {}) is not what was {was}", file.path.display(), file.release));
        }
        for file in findings.files.iter().filter(|file| file.state == FileState::Unseen) {
            let path = file.path.display();
            findings.problems.push(format!("{path} (release {}) cannot be looked for", file.release));
        }
        Ok(())
    }

    fn verify_permissions(&self, findings: &mut Findings) {
        for path in disk::all_in(&self.folder).iter().filter(|path| disk::open_to_others(path)) {
            findings.warnings.push(format!("{} can be read by others than its owner", path.display()));
        }
    }

    /// Where a file is that an entry names.
    pub fn outside(&self, path: &str) -> PathBuf {
        disk::parent(&self.absolute()).join(path)
    }

    /// How an entry names a file: from the folder that the ledger is in, where the file is below it.
    pub fn inside(&self, path: &Path) -> String {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let below = path.strip_prefix(disk::parent(&self.absolute())).unwrap_or(&path);
        let text = below.to_string_lossy().into_owned();
        if cfg!(windows) { text.replace('\\', "/") } else { text }
    }

    fn absolute(&self) -> PathBuf {
        std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone())
    }
}

impl Findings {
    fn problem(&mut self, error: Error) {
        self.problems.push(match error {
            Error::Broken { what, .. } => what,
            error => error.to_string(),
        });
    }
}

/// The bodies of one release: there, unchanged, and readable as what they are.
fn verify_release(bodies: &Bodies, number: u64, release: &Recorded) -> Vec<String> {
    let about = |error: Error| match error {
        Error::Broken { what, .. } => format!("release {number}: {what}"),
        error => format!("release {number}: {error}"),
    };
    let mut problems = Vec::new();
    for (kind, body) in release.bodies() {
        let size = disk::read_file(&bodies.path(kind, body.sha256)).map(|bytes| bytes.map(|b| b.len() as u64));
        if matches!(size, Ok(Some(size)) if size != body.bytes) {
            problems.push(format!("release {number}: {} has another size", relative(kind, body.sha256)));
        } else if let Err(error) = bodies.read(kind, &body) {
            problems.push(about(error));
        }
    }
    if !problems.is_empty() {
        return problems;
    }
    let read = bodies.read_body(release).and_then(|body| bodies.read_links(release, &body.counts.combos.weights));
    problems.extend(read.err().map(about));
    problems.extend(release.tables.iter().filter_map(|table| bodies.read_table(table).err().map(about)));
    let kept = release.method.iter().map(|method| bodies.read_remembered(&method.remembered));
    problems.extend(kept.filter_map(|kept| kept.err().map(about)));
    problems
}

/// The file of a release, under its name or the one it took because that was taken.
fn verify_file<'a>(
    release: u64,
    recorded: &Recorded,
    path: PathBuf,
    mut later: impl Iterator<Item = &'a Recorded>,
) -> Option<NamedFile> {
    let file = recorded.file.as_ref()?;
    let is_it = |path: &Path| Hash::of_file(path).is_ok_and(|(hash, _)| hash == file.sha256);
    let numbered = numbered(&path, release);
    if is_it(&path) {
        return Some(NamedFile { release, path, state: FileState::Intact });
    }
    if is_it(&numbered) {
        return Some(NamedFile { release, path: numbered, state: FileState::Intact });
    }
    // Only what was published under the same name later, and is there, excuses other bytes.
    let in_place = Hash::of_file(&path).ok().map(|(hash, _)| hash);
    let by = |other: &Recorded| {
        let later = other.file.as_ref().filter(|_| other.origin == Origin::Published);
        later.is_some_and(|later| later.path == file.path && Some(later.sha256) == in_place)
    };
    let state = match path.try_exists() {
        Ok(true) if later.any(by) => FileState::Replaced,
        Ok(true) => FileState::Changed,
        Ok(false) => FileState::Absent,
        // Where a file is in the place of its folder, it is not there.
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => FileState::Absent,
        Err(_) => FileState::Unseen,
    };
    Some(NamedFile { release, path, state })
}
