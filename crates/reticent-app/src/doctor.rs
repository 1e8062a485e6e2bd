//! `doctor`: checks the environment of a policy and its ledger. Changes nothing.
//!
//! Every check is a line: it is in order, it deserves attention (warning), or some commands fail (problem). A check whose
//! precondition fails is left out: a ledger that cannot be opened has no permissions or integrity to report.

use std::path::{Path, PathBuf};

use reticent_ledger::{Authentication, FileState, Ledger, Staging, environment};

use crate::Workspace;
use crate::answer::{CheckState, DoctorAnswer, DoctorCheck, DoctorSubject};
use crate::context::Context;
use crate::dataset::load;
use crate::error::{CODES, Class, Error, Problem, Result};
use crate::ledger_access::LedgerAccess;

/// Below this many bytes, no release can be expected to be written.
const LEAST_SPACE: u64 = 64 << 20;
/// Below this many bytes, a large release may fail.
const SPARSE_SPACE: u64 = 1 << 30;

/// Checks the environment.
pub(crate) fn doctor(workspace: &Workspace, context: &Context) -> Result<DoctorAnswer> {
    let mut checks = vec![ok(DoctorSubject::Version, format!("Reticent {}", env!("CARGO_PKG_VERSION")))];
    checks.push(policy(workspace));
    // A policy that cannot be read does not locate the ledger, which then has its default place.
    let access = match LedgerAccess::find(workspace, "checking the environment", context) {
        Ok(access) => access,
        Err(_) => LedgerAccess::without_policy(workspace, "checking the environment", context)?,
    };
    let policy_folder = Some(workspace.policy.folder()).filter(|folder| !folder.as_os_str().is_empty());
    let policy_folder = policy_folder.unwrap_or_else(|| PathBuf::from("."));
    if let Some(path) = workspace.policy.file().filter(|path| path.exists()) {
        checks.push(policy_permissions(path, &policy_folder, &access));
    }
    let ledger = open(&access, &mut checks);
    checks.extend(ledger.as_ref().map(|_| ledger_permissions(&access)));
    checks.push(key(&access, ledger.as_ref()).unwrap_or_else(|error| problem(DoctorSubject::Key, &error)));
    if let Some(ledger) = &ledger {
        context.progress("verifying", 0, 0);
        checks.push(integrity(&access, ledger).unwrap_or_else(|error| problem(DoctorSubject::Integrity, &error)));
    }
    let folders = folders(&policy_folder, &access.folder);
    checks.push(unfinished(&access, &policy_folder));
    checks.extend(disk_space(&folders));
    checks.push(writable(&folders));
    let state = checks.iter().map(|check| check.state).max().unwrap_or(CheckState::Ok);
    Ok(DoctorAnswer { version: env!("CARGO_PKG_VERSION"), state, checks })
}

fn ok(check: DoctorSubject, text: String) -> DoctorCheck {
    DoctorCheck { check, state: CheckState::Ok, text, code: None, remedy: None, class: None }
}

fn warning(check: DoctorSubject, text: String, remedy: &str) -> DoctorCheck {
    DoctorCheck { state: CheckState::Warning, remedy: Some(remedy.to_owned()), ..ok(check, text) }
}

/// Returns the check for an error, with the remedy of its code.
fn problem(check: DoctorSubject, error: &Error) -> DoctorCheck {
    let known = CODES.iter().flat_map(|(_, codes)| codes.iter()).find(|known| known.code == error.code());
    DoctorCheck {
        check,
        // Another process that writes now is no defect of the environment.
        state: if error.class() == Class::Locked { CheckState::Warning } else { CheckState::Problem },
        text: error.to_string(),
        code: Some(error.code()),
        remedy: known.map(|known| known.remedy.to_owned()),
        class: Some(error.class()),
    }
}

fn policy(workspace: &Workspace) -> DoctorCheck {
    let path = workspace.policy.name();
    if !workspace.policy.exists() {
        return problem(DoctorSubject::Policy, &Problem::PolicyMissing { path }.into());
    }
    match load(&workspace.policy) {
        Ok(loaded) => {
            let columns = reticent::text::counted(loaded.policy.columns.len() as u64, "column");
            ok(DoctorSubject::Policy, format!("{}: data set `{}`, {columns}", path.display(), loaded.policy.dataset))
        }
        Err(error) => problem(DoctorSubject::Policy, &error),
    }
}

fn policy_permissions(path: &Path, folder: &Path, access: &LedgerAccess) -> DoctorCheck {
    let subject = DoctorSubject::PolicyPermissions;
    let open: Vec<String> = [path, folder]
        .into_iter()
        .filter(|path| environment::others_can_write(path, access.group.as_deref()))
        .map(|path| path.display().to_string())
        .collect();
    match open.is_empty() {
        true => ok(subject, format!("only trusted users can change {}", path.display())),
        false => warning(
            subject,
            format!("other users can change {}", open.join(" and ")),
            "Restrict the policy and its folder (chmod go-w), or name the group of the stewards under [ledger].",
        ),
    }
}

/// Opens the ledger and adds its check.
fn open(access: &LedgerAccess, checks: &mut Vec<DoctorCheck>) -> Option<Ledger> {
    let subject = DoctorSubject::Ledger;
    if !access.folder.is_file() && !Ledger::exists(&access.folder) {
        let text = format!("there is no ledger in {}", access.folder.display());
        let remedy =
            "If releases were published before, restore their ledger. Otherwise, create it with the first release.";
        checks.push(warning(subject, text, remedy));
        return None;
    }
    let opened = access.open().and_then(|ledger| {
        let entries = ledger.head()?.entries;
        Ok((ledger, entries))
    });
    match opened {
        Ok((ledger, entries)) => {
            let number = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
            checks.push(ok(subject, format!("{}: {number}", access.folder.display())));
            Some(ledger)
        }
        Err(error) => {
            checks.push(problem(subject, &error));
            None
        }
    }
}

fn ledger_permissions(access: &LedgerAccess) -> DoctorCheck {
    let subject = DoctorSubject::LedgerPermissions;
    match environment::ledger_access(&access.folder, access.group.as_deref()) {
        Ok(()) => ok(
            subject,
            match &access.group {
                Some(group) => format!("the owner and the group `{group}` can access the ledger"),
                None => "only the owner can access the ledger".to_owned(),
            },
        ),
        Err(what) => warning(
            subject,
            what,
            "Restrict the ledger to its owner (chmod -R go-rwx), or name the group that shares it under [ledger].",
        ),
    }
}

fn key(access: &LedgerAccess, ledger: Option<&Ledger>) -> Result<DoctorCheck> {
    let subject = DoctorSubject::Key;
    let path = access.key_path.display();
    if access.keyless {
        return Ok(warning(
            subject,
            "the policy disables the key, so the ledger is unsigned and owners are not recorded".to_owned(),
            "Name a key file under [ledger], unless this is intended.",
        ));
    }
    let is_there = access.has_key()?;
    let Some(ledger) = ledger else {
        return Ok(match is_there {
            true => ok(subject, format!("{path}: only the steward can read it")),
            false => ok(subject, format!("{path} does not exist yet; the first release creates it")),
        });
    };
    // The key of the signatures, then the key of the pseudonyms.
    access.keyed(ledger)?;
    let matching = access.matching_key(&ledger.entries()?)?;
    match (matching, ledger.verifier()?) {
        (Some(_), Some(_)) => {
            Ok(ok(subject, format!("{path}: belongs to the ledger, and only trusted users can read it")))
        }
        (Some(_), None) => Ok(warning(
            subject,
            format!("{path}: the ledger is not signed with it"),
            "Authenticate the ledger. Until then, every user with write access can rewrite it.",
        )),
        (None, Some(known)) => {
            Err(Problem::KeyMissing { path: access.key_path.clone(), known: known.to_string() }.into())
        }
        (None, None) => Ok(warning(
            subject,
            format!("{path} does not exist, and the ledger is unsigned"),
            "Create a key and authenticate the ledger. Until then, every user with write access can rewrite it.",
        )),
    }
}

fn integrity(access: &LedgerAccess, ledger: &Ledger) -> Result<DoctorCheck> {
    let subject = DoctorSubject::Integrity;
    let findings = access.verify(ledger, None)?;
    let unseen = findings.files.iter().filter(|file| file.state == FileState::Unseen).count();
    if unseen > 0 && unseen == findings.problems.len() {
        return Ok(warning(
            subject,
            format!("{} cannot be read", reticent::text::counted(unseen as u64, "published file")),
            "Get permission to read the files, or let their publisher verify the ledger.",
        ));
    }
    if let Some(first) = findings.problems.first() {
        let number = reticent::text::counted(findings.problems.len() as u64, "problem");
        let broken = reticent_ledger::Error::Broken { folder: access.folder.clone(), problem: first.clone() };
        let check = problem(subject, &Error::Ledger(broken));
        return Ok(DoctorCheck { text: format!("{number}; the first: {first}"), ..check });
    }
    Ok(match findings.authentication {
        Authentication::Authentic => {
            ok(subject, format!("authentic; {} checked", reticent::text::counted(findings.bodies, "stored file")))
        }
        _ => warning(
            subject,
            "no change was found, but the ledger is unauthenticated".to_owned(),
            "Sign the ledger with its key. Without signatures, a rewritten ledger looks the same.",
        ),
    })
}

fn unfinished(access: &LedgerAccess, policy_folder: &Path) -> DoctorCheck {
    let subject = DoctorSubject::UnfinishedWork;
    if Ledger::exists(&access.folder) && Ledger::needs_recovery(&access.folder) {
        return warning(
            subject,
            "a write to the ledger did not finish, or is in progress".to_owned(),
            "If no other process is writing: the next command that writes to the ledger completes or undoes it.",
        );
    }
    match Staging::abandoned(policy_folder).len() {
        0 => ok(subject, "no write and no release is unfinished".to_owned()),
        number => warning(
            subject,
            format!(
                "{} of an interrupted release in {}",
                reticent::text::counted(number as u64, "staging folder"),
                policy_folder.display()
            ),
            "The next release to this folder removes them.",
        ),
    }
}

/// Returns the folders in which commands write: that of the policy, and that of the ledger or its nearest existing parent.
fn folders(policy_folder: &Path, ledger: &Path) -> Vec<PathBuf> {
    let existing = |path: &Path| path.ancestors().find(|folder| folder.is_dir()).map(Path::to_path_buf);
    let ledger = std::path::absolute(ledger).unwrap_or_else(|_| ledger.to_owned());
    let found: Vec<PathBuf> = [Some(policy_folder.to_owned()), existing(&ledger)].into_iter().flatten().collect();
    let real = |path: &PathBuf| path.canonicalize().ok();
    match found.as_slice() {
        [one, other] if real(one) == real(other) => vec![one.clone()],
        _ => found,
    }
}

/// Returns the check of the free disk space; none on systems that do not report it.
fn disk_space(folders: &[PathBuf]) -> Option<DoctorCheck> {
    let subject = DoctorSubject::DiskSpace;
    let spaces = folders.iter().filter_map(|folder| Some((environment::free_space(folder).ok()?, folder)));
    let (free, folder) = spaces.min_by_key(|(free, _)| *free)?;
    let text = format!("{} free in {}", size(free), folder.display());
    let remedy = "Free disk space before the next release. A release that does not fit is not recorded.";
    Some(match free {
        free if free < LEAST_SPACE => {
            DoctorCheck { state: CheckState::Problem, class: Some(Class::Io), ..warning(subject, text, remedy) }
        }
        free if free < SPARSE_SPACE => warning(subject, text, remedy),
        _ => ok(subject, text),
    })
}

/// Formats a number of bytes.
fn size(bytes: u64) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)];
    let (unit, factor) = units.into_iter().find(|(_, factor)| bytes >= *factor).unwrap_or(("bytes", 1));
    format!("{} {unit}", reticent::text::format_count(bytes / factor))
}

fn writable(folders: &[PathBuf]) -> DoctorCheck {
    let subject = DoctorSubject::Writable;
    let closed: Vec<String> = folders
        .iter()
        .filter(|folder| !environment::is_writable(folder))
        .map(|folder| folder.display().to_string())
        .collect();
    if closed.is_empty() {
        let all: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        return ok(subject, format!("can write in {}", all.join(" and ")));
    }
    let check = warning(
        subject,
        format!("cannot write in {}", closed.join(" and ")),
        "Get write permission to the folder, or use a copy of it. Commands that only read still work.",
    );
    DoctorCheck { state: CheckState::Problem, class: Some(Class::Io), ..check }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_a_problem() {
        assert_eq!(size(69_500_000_000), "69 GB");
        assert_eq!(size(999), "999 bytes");
        assert!(disk_space(&[PathBuf::from("/no/such/folder")]).is_none());
    }
}
