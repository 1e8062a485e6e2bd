//! Verification of a ledger and of every file that it names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use crate::blobs::{Blobs, is_temporary, relative_path};
use crate::chain::{Chain, Head};
use crate::corrections::{removed_bodies, used_paths};
use crate::disk;
use crate::entry::{Entry, EntryKind, Origin, ReleaseRecord};
use crate::error::{Error, Result};
use crate::finalize::with_number;
use crate::hash::Hash;
use crate::ledger::Ledger;
use crate::lock::Lock;
use crate::schema::IndexRows;
use crate::seal::{Journal, UnnamedFile};
use crate::session::Session;

/// Warning about an interrupted write.
const UNFINISHED: &str = "a write did not finish; the next command that writes completes or undoes it";

/// Whether the content of the ledger comes from the owner of its key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Authentication {
    /// All signatures are valid for a key that the caller trusts.
    Authentic,
    /// Something was changed, or is not signed with the ledger's key.
    Modified,
    /// The hashes match, but the ledger is unsigned: everyone with write access to its folder can rewrite it.
    #[default]
    Unsigned,
    /// The hashes and signatures match, but no trusted key was given: a completely new ledger looks the same.
    Untrusted,
}

/// Result of the verification of a ledger.
#[derive(Debug, Default, Serialize)]
pub struct Findings {
    /// Head; none if the entries cannot be read.
    #[serde(skip)]
    pub head: Option<Head>,
    /// Authenticity of the ledger.
    #[serde(skip)]
    pub authentication: Authentication,
    /// Number of the first signed entry, if earlier entries are unsigned. Those are protected only since that entry.
    pub signed_since: Option<u64>,
    /// Number of stored files that were checked.
    pub bodies: u64,
    /// Number of releases whose contents are erased.
    pub erased_releases: u64,
    /// Violations; empty if the ledger is intact.
    pub problems: Vec<String>,
    /// Warnings for the steward.
    pub warnings: Vec<String>,
    /// Published files that entries name.
    pub files: Vec<NamedFile>,
}

/// A published file that an entry names.
#[derive(Debug, Clone, Serialize)]
pub struct NamedFile {
    /// Number of the release.
    pub release: u64,
    /// Path of the file.
    pub path: PathBuf,
    /// State of the file.
    pub state: FileState,
}

/// State of a published file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// The file is unchanged.
    Intact,
    /// The file does not exist.
    Absent,
    /// The file was moved, and a later release has the same name.
    Replaced,
    /// The file has different bytes.
    Changed,
    /// The file cannot be read, or its existence cannot be determined.
    Unseen,
}

impl Findings {
    /// Returns true if no problem was found.
    pub fn is_intact(&self) -> bool {
        self.problems.is_empty()
    }
}

impl Ledger {
    /// Verifies the ledger under the lock, without changing anything. An interrupted write is a warning; the next
    /// command that writes completes or undoes it.
    pub fn verify(&self, session: &Session) -> Result<Findings> {
        let _lock = Lock::take_to_read(&self.folder, session)?;
        let journal = Journal::read(&self.folder)?;
        let mut findings = self.inspect(journal.as_ref(), session);
        if journal.is_some() {
            findings.warnings.push(UNFINISHED.to_owned());
        }
        for unnamed in UnnamedFile::read_all(&self.folder)? {
            let to = unnamed.naming.to_absolute(&self.folder).to;
            findings.warnings.push(format!("release {} waits for its final name {}", unnamed.release, to.display()));
        }
        Ok(findings)
    }

    /// Returns a description of a modification of the catalogue, if any. Returns an error if it cannot be checked,
    /// for example if another process writes for longer than the session waits.
    pub fn find_modification(&self, session: &Session) -> Result<Option<String>> {
        let _lock = Lock::take_to_read(&self.folder, session)?;
        let checked = match Journal::read(&self.folder)? {
            Some(journal) => self.unsealed_chain(&journal, session).map(drop),
            None => self.check_seal(session).map(drop),
        };
        match checked {
            Ok(()) => Ok(None),
            Err(Error::Broken { problem: what, .. }) => Ok(Some(what)),
            Err(error) => Err(error),
        }
    }

    fn inspect(&self, journal: Option<&Journal>, session: &Session) -> Findings {
        let mut findings = Findings::default();
        match self.verify_catalogue(&mut findings, journal, session) {
            Ok(authentication) => findings.authentication = authentication,
            Err(error) => {
                findings.add_problem(error);
                findings.authentication = Authentication::Modified;
                return findings;
            }
        }
        if let Err(error) = self.verify_bodies(&mut findings, journal) {
            findings.add_problem(error);
        }
        self.verify_permissions(session.group.as_deref(), &mut findings);
        if !findings.is_intact() {
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
        if self.catalogue.index_rows()? != IndexRows::from_entries(&chain.entries) {
            findings.problems.push("the index tables of the catalogue do not match its entries".to_owned());
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

    /// Returns the chain of a catalogue that matches its seal byte for byte.
    fn sealed_chain(&self, findings: &mut Findings, session: &Session) -> Result<Chain> {
        let seal = self.check_seal(session)?;
        findings
            .problems
            .extend(self.catalogue.damage()?.into_iter().map(|what| format!("the catalogue is damaged: {what}")));
        let chain = self.chain()?;
        if !seal.head.matches(chain.head()) {
            findings.problems.push("the last entry differs from the sealed one".to_owned());
        }
        Ok(chain)
    }

    fn verify_bodies(&self, findings: &mut Findings, journal: Option<&Journal>) -> Result<()> {
        let entries = self.entries()?;
        let erased: BTreeSet<u64> = entries.iter().filter_map(Entry::purge).map(|purge| purge.release).collect();
        findings.erased_releases = erased.len() as u64;
        let releases: Vec<(u64, &ReleaseRecord)> =
            entries.iter().filter_map(|entry| Some((entry.number, entry.release()?))).collect();
        let kept: Vec<&(u64, &ReleaseRecord)> =
            releases.iter().filter(|(number, _)| !erased.contains(number)).collect();
        let bodies = &self.bodies;
        let found: Vec<Vec<String>> =
            kept.par_iter().map(|(number, release)| verify_release(bodies, *number, release)).collect();
        findings.problems.extend(found.into_iter().flatten());
        let recorded = self.recorded_entries()?;
        let used = used_paths(&recorded);
        findings.bodies = used.len() as u64;
        let removed = removed_bodies(&recorded);
        let erased_paths: BTreeSet<String> =
            removed.into_iter().map(|(kind, hash)| relative_path(kind, hash)).collect();
        // An interrupted command may have left the files in its journal and the files that it was about to erase.
        let erases = |entry: &Entry| matches!(entry.kind, EntryKind::Purge(_) | EntryKind::Erasure(_));
        let erasing = journal.is_some() && entries.last().is_some_and(erases);
        let left = |file: &String| {
            journal.is_some_and(|journal| {
                journal.bodies.contains(file) || is_temporary(file) || erasing && erased_paths.contains(file)
            })
        };
        for unused_file in self.bodies.files()?.iter().filter(|file| !used.contains(*file) && !left(file)) {
            findings.problems.push(match erased_paths.contains(unused_file) {
                true => format!("{unused_file} was erased but exists again"),
                false => format!("{unused_file} belongs to no entry: entries may have been removed"),
            });
        }
        let outside = |release: &ReleaseRecord| release.file.as_ref().map(|file| self.resolve_path(&file.path));
        let places: Vec<Option<PathBuf>> = releases.iter().map(|(_, release)| outside(release)).collect();
        let look = |(at, path): (usize, Option<PathBuf>)| {
            let later = releases[at + 1..].iter().map(|(_, release)| *release);
            verify_file(releases[at].0, releases[at].1, path?, later)
        };
        let files: Vec<Option<NamedFile>> = places.into_par_iter().enumerate().map(look).collect();
        findings.files.extend(files.into_iter().flatten());
        for file in findings.files.iter().filter(|file| file.state == FileState::Changed) {
            let release_of_file = releases.iter().find(|(number, _)| *number == file.release);
            let made = release_of_file.is_some_and(|(_, release)| release.origin == Origin::Published);
            let was = if made { "published" } else { "registered" };
            findings.problems.push(format!("{} (release {}) is not what was {was}", file.path.display(), file.release));
        }
        let is_withdrawn =
            |number: u64| releases.iter().any(|(known, it)| *known == number && it.corrections.withdrawn.is_some());
        let returned =
            findings.files.iter().filter(|file| file.state == FileState::Intact && is_withdrawn(file.release));
        let returned = returned.map(|file| {
            format!(
                "{} exists, although release {} was withdrawn: verdicts assume that nobody holds it",
                file.path.display(),
                file.release
            )
        });
        findings.warnings.extend(returned);
        for file in findings.files.iter().filter(|file| file.state == FileState::Unseen) {
            let path = file.path.display();
            findings.problems.push(format!("{path} (release {}) cannot be checked", file.release));
        }
        Ok(())
    }

    fn verify_permissions(&self, group: Option<&str>, findings: &mut Findings) {
        for path in disk::all_in(&self.folder).iter().filter(|path| disk::is_accessible_to_others(path, group)) {
            findings.warnings.push(format!("{} is accessible to others than its owner", path.display()));
        }
    }

    /// Returns the absolute path of a file that an entry names.
    pub fn resolve_path(&self, path: &str) -> PathBuf {
        disk::parent(&self.absolute()).join(path)
    }

    /// Returns the path that an entry stores for a file: relative to the parent of the ledger's folder, if the file
    /// is below it.
    pub fn recorded_path(&self, path: &Path) -> String {
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
    fn add_problem(&mut self, error: Error) {
        self.problems.push(match error {
            Error::Broken { problem: what, .. } => what,
            error => error.to_string(),
        });
    }
}

/// Checks that the files of a release exist, are unchanged and can be read.
fn verify_release(bodies: &Blobs, number: u64, release: &ReleaseRecord) -> Vec<String> {
    let about = |error: Error| match error {
        Error::Broken { problem: what, .. } => format!("release {number}: {what}"),
        error => format!("release {number}: {error}"),
    };
    let mut problems = Vec::new();
    for (kind, body) in release.bodies() {
        let size = disk::read_file(&bodies.path(kind, body.sha256)).map(|bytes| bytes.map(|b| b.len() as u64));
        if matches!(size, Ok(Some(size)) if size != body.bytes) {
            problems.push(format!("release {number}: {} has an unexpected size", relative_path(kind, body.sha256)));
        } else if let Err(error) = bodies.read(kind, &body) {
            problems.push(about(error));
        }
    }
    if !problems.is_empty() {
        return problems;
    }
    let read = bodies.read_body(release).and_then(|body| bodies.read_links(release, &body.counts.contingency.weights));
    problems.extend(read.err().map(about));
    problems.extend(release.tables.iter().filter_map(|table| bodies.read_table(table).err().map(about)));
    let kept = release.method.iter().map(|method| bodies.read_method_state(&method.remembered));
    problems.extend(kept.filter_map(|kept| kept.err().map(about)));
    problems
}

/// Determines the state of a release's file, under its own name or with the number of the release.
fn verify_file<'a>(
    release: u64,
    recorded: &ReleaseRecord,
    path: PathBuf,
    mut later: impl Iterator<Item = &'a ReleaseRecord>,
) -> Option<NamedFile> {
    let file = recorded.file.as_ref()?;
    let is_it = |path: &Path| Hash::digest_file(path).is_ok_and(|(hash, _)| hash == file.sha256);
    let numbered = with_number(&path, release);
    if is_it(&path) {
        return Some(NamedFile { release, path, state: FileState::Intact });
    }
    if is_it(&numbered) {
        return Some(NamedFile { release, path: numbered, state: FileState::Intact });
    }
    // Different bytes are accepted only if they are those of a later release with the same path.
    let in_place = Hash::digest_file(&path).ok().map(|(hash, _)| hash);
    let by = |other: &ReleaseRecord| {
        let later = other.file.as_ref().filter(|_| other.origin == Origin::Published);
        later.is_some_and(|later| later.path == file.path && Some(later.sha256) == in_place)
    };
    let state = match path.try_exists() {
        Ok(true) if later.any(by) => FileState::Replaced,
        // A file that this user may not read is not known to be changed.
        Ok(true) if in_place.is_none() && path.is_file() => FileState::Unseen,
        Ok(true) => FileState::Changed,
        Ok(false) => FileState::Absent,
        // A parent of the path is a file, so the path does not exist.
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => FileState::Absent,
        Err(_) => FileState::Unseen,
    };
    Some(NamedFile { release, path, state })
}
