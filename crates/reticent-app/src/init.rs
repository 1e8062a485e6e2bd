//! `init`: drafts a policy for a data file. Every column is a quasi-identifier until the steward says otherwise.

use std::path::{Path, PathBuf};

use reticent::policy::{ColumnSketch, Draft, Policy, draft, json_schema};
use reticent::taxonomy::{parse_date, parse_number};
use reticent_engine::{Embedded, Engine, Profile};

use crate::Workspace;
use crate::answer::Drafted;
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::InitRequest;

/// Drafts the policy, its taxonomies and its JSON Schema, and starts the ledger.
pub(crate) fn init(workspace: &Workspace, request: &InitRequest, context: &Context) -> Result<Drafted> {
    let engine = Embedded::open(&request.data, context.engine_options())?;
    let profiles = engine.values(None)?;
    let rows = profiles.first().map_or(0, |profile| profile.rows);
    if rows == 0 {
        return Err(Problem::NoRows.into());
    }
    refuse_data_as_names(&profiles, request.force)?;
    let sketches: Vec<ColumnSketch> = profiles.into_iter().map(sketch).collect();
    let first = request.data.first().map(String::as_str).unwrap_or_default();
    let drafted = draft(&dataset_name(first), &sketches);
    let files = files(&workspace.policy, &drafted)?;
    refuse_existing(&files, request.force)?;
    // Obstacles to the ledger or its key are met before anything is replaced.
    let started = start_ledger(&workspace.policy, &drafted, context)?;
    let kept = write_all(&files)?;
    let mut written: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    written.extend(kept.map(|path| format!("{} (the policy that was there)", path.display())));
    written.extend(started);
    Ok(Drafted { rows, columns: sketches.len(), written })
}

/// Starts the ledger beside the policy and draws its key. What is there is never replaced: releases are recorded in the one, and
/// owners under the other.
fn start_ledger(policy: &Path, drafted: &Draft, context: &Context) -> Result<Vec<String>> {
    let workspace = Workspace { start_ledger: true, ..Workspace::new(policy) };
    let access = LedgerAccess::new(&workspace, &Policy::parse(&drafted.toml)?, "starting the ledger", context);
    let mut started = Vec::new();
    let ledger = match access.open_if_there()? {
        Some(ledger) => ledger,
        None => {
            started.push(access.folder.display().to_string());
            access.open_or_start()?
        }
    };
    access.key_for_owners(&ledger.entries()?, true)?;
    let key = || format!("{} (keep a copy of it, apart from the ledger)", access.key_path.display());
    started.extend(access.drawn().map(|_| key()));
    Ok(started)
}

/// A file whose first line is a record would publish that record as names. Shows no name, since it may be a person's.
fn refuse_data_as_names(profiles: &[Profile], force: bool) -> Result<()> {
    let like_data = |name: &str| parse_number(name).is_some() || parse_date(name).is_some();
    let is_value = |profile: &Profile| profile.values.iter().flatten().any(|(text, _)| *text == profile.name);
    let count = profiles.iter().filter(|profile| like_data(&profile.name) || is_value(profile)).count();
    if count == 0 || force {
        return Ok(());
    }
    Err(Problem::HeaderLooksLikeData { fields: count, of: profiles.len() }.into())
}

fn sketch(profile: Profile) -> ColumnSketch {
    ColumnSketch {
        name: profile.name,
        rows: profile.rows,
        empty: profile.empty,
        values: profile.values,
        distinct: profile.distinct,
        looks_like: profile.looks_like,
        quantiles: profile.quantiles,
    }
}

/// The data file's name without its endings.
fn dataset_name(data: &str) -> String {
    let name = Path::new(data).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.split('.').next().unwrap_or_default().replace(['*', '?', '[', ']'], "");
    if name.is_empty() { "dataset".to_owned() } else { name }
}

/// Every file to write with its text, the policy first.
fn files(policy: &Path, drafted: &Draft) -> Result<Vec<(PathBuf, String)>> {
    let folder = policy.parent().map(Path::to_path_buf).unwrap_or_default();
    let schema =
        serde_json::to_string_pretty(&json_schema()).map_err(|error| Problem::NoJson { why: error.to_string() })?;
    let mut files = vec![(policy.to_path_buf(), drafted.toml.clone())];
    files.extend(drafted.taxonomies.iter().map(|(path, text)| (folder.join(path), text.clone())));
    files.push((folder.join("reticent.schema.json"), schema + "\n"));
    Ok(files)
}

fn refuse_existing(files: &[(PathBuf, String)], force: bool) -> Result<()> {
    // Taxonomies that are there are kept, and used by this policy too.
    match files.first().filter(|(policy, _)| policy.exists() && !force) {
        None => Ok(()),
        Some((policy, _)) => Err(Problem::PolicyExists { path: policy.clone() }.into()),
    }
}

/// Writes them. A policy that is there is kept under another name, which is answered.
fn write_all(files: &[(PathBuf, String)]) -> Result<Option<PathBuf>> {
    let kept = files.first().filter(|(policy, _)| policy.exists()).map(|(policy, _)| {
        let name = |number: usize| PathBuf::from(format!("{}.old{number}", policy.display()));
        let kept = (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0));
        std::fs::rename(policy, &kept).map_err(Error::file("keep the policy that was there as", &kept))?;
        Ok::<_, Error>(kept)
    });
    let kept = kept.transpose()?;
    for (path, text) in files {
        // Taxonomies are filled in by hand; a file that exists is not overwritten.
        if path.exists() && path.extension().is_some_and(|end| end == "csv") {
            continue;
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::file("create the folder", folder))?;
        }
        std::fs::write(path, text).map_err(Error::file("write", path))?;
    }
    Ok(kept)
}
