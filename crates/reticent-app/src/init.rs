//! `init`: drafts a policy for a data file. The steward reviews the role of every column.

mod survey;

use std::path::{Path, PathBuf};

use reticent::policy::presets::{self, Preset};
use reticent::policy::{DraftOptions, Policy, PolicyDraft, draft, json_schema};
use reticent::taxonomy::{parse_date, parse_number};
use reticent_engine::Profile;

use crate::Workspace;
use crate::answer::{Confidential, InitAnswer};
use crate::context::Context;
use crate::error::{Error, Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::reading::format_note;
use crate::request::InitRequest;

/// Drafts the policy, its taxonomies and its JSON Schema, and starts the ledger.
pub(crate) fn init(workspace: &Workspace, request: &InitRequest, context: &Context) -> Result<InitAnswer> {
    let preset = request.preset.as_deref().map(find_preset).transpose()?;
    let survey = survey::survey(request, context)?;
    let source = DraftOptions {
        encoding: survey.encoding.clone(),
        database: request.data.database().cloned(),
        sheet: survey.sheet.clone(),
        missing_values: survey.missing_values.clone(),
        owner: request.owner.clone(),
        roles: request.roles.clone(),
    };
    let drafted = draft(&request.data.dataset_name(), &survey.columns, &source);
    let drafted = match preset {
        Some(preset) => drafted.with_preset(preset),
        None => drafted,
    };
    let mut answer = InitAnswer {
        rows: survey.rows,
        columns: survey.columns.len(),
        written: Vec::new(),
        suggestions: drafted.columns.clone(),
        notes: notes(&survey),
        draft: Confidential(drafted.clone()),
    };
    if request.dry_run && workspace.policy.file().is_none() {
        return Ok(answer);
    }
    let policy = workspace.policy.require_file()?;
    let files = files(policy, &drafted)?;
    check_no_policy(&files, request.force)?;
    if request.dry_run {
        return Ok(answer);
    }
    // Start the ledger first: if that fails, no file has been replaced yet.
    let started = start_ledger(policy, &drafted, context)?;
    let backup = write_all(&files)?;
    let mut written: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    written.extend(backup.map(|path| format!("{} (backup of the previous policy)", path.display())));
    written.extend(started);
    answer.written = written;
    Ok(answer)
}

fn notes(survey: &survey::Survey) -> Vec<String> {
    let mut notes = survey.notes.clone();
    let formats = survey.columns.iter().filter_map(|column| Some((&column.name, column.format.as_ref()?)));
    notes.extend(formats.map(|(column, format)| format_note(column, format)));
    let spellings: Vec<&String> = survey.missing_values.iter().filter(|text| !text.trim().is_empty()).collect();
    if !spellings.is_empty() {
        notes.push(format!("these texts mean a missing value: {spellings:?}"));
    }
    notes
}

fn find_preset(id: &str) -> Result<&'static Preset> {
    let unknown = || {
        let (known, hint) = presets::suggestion(id);
        Problem::NoSuchPreset { id: id.to_owned(), known, hint }.into()
    };
    presets::find(id).ok_or_else(unknown)
}

/// Starts the ledger next to the policy and creates its key. Returns the paths that were created.
///
/// An existing ledger or key is never replaced: it holds recorded releases, or identifies their owners.
fn start_ledger(policy: &Path, drafted: &PolicyDraft, context: &Context) -> Result<Vec<String>> {
    let workspace = Workspace { start_ledger: true, ..Workspace::new(policy) };
    let access = LedgerAccess::new(&workspace, &Policy::parse(&drafted.toml)?, "starting the ledger", context);
    let mut started = Vec::new();
    let ledger = match access.open_if_exists()? {
        Some(ledger) => ledger,
        None => {
            started.push(access.folder.display().to_string());
            access.open_or_start()?
        }
    };
    access.key_for_owners(&ledger.entries()?, true)?;
    let key = || format!("{} (store a copy of this key outside the ledger folder)", access.key_path.display());
    started.extend(access.take_key_note().map(|_| key()));
    Ok(started)
}

/// Returns an error if the header line looks like a record: its cells would be published as column names.
///
/// A number or a date is no column name. The name of a column can also be one of its values, but not for half of the columns.
/// The error contains no cell of the line, because it may name a person.
fn check_header(profiles: &[Profile], force: bool) -> Result<()> {
    let like_data = |name: &str| parse_number(name).is_some() || parse_date(name).is_some();
    let is_value = |profile: &Profile| profile.values.iter().flatten().any(|(text, _)| *text == profile.name);
    let scales = profiles.iter().filter(|profile| like_data(&profile.name)).count();
    let values = profiles.iter().filter(|profile| !like_data(&profile.name) && is_value(profile)).count();
    let one_of_words = profiles.len() == 1 && profiles[0].name.split_whitespace().nth(1).is_some();
    if one_of_words && !force {
        return Err(Problem::OneColumn.into());
    }
    if force || (scales == 0 && values * 2 < profiles.len()) {
        return Ok(());
    }
    Err(Problem::HeaderLooksLikeData { fields: scales + values, of: profiles.len() }.into())
}

/// Returns the path and text of every file to write, the policy first.
fn files(policy: &Path, drafted: &PolicyDraft) -> Result<Vec<(PathBuf, String)>> {
    let folder = policy.parent().map(Path::to_path_buf).unwrap_or_default();
    let schema =
        serde_json::to_string_pretty(&json_schema()).map_err(|error| Problem::NoJson { why: error.to_string() })?;
    let mut files = vec![(policy.to_path_buf(), drafted.toml.clone())];
    files.extend(drafted.taxonomies.iter().map(|(path, text)| (folder.join(path), text.clone())));
    files.push((folder.join("reticent.schema.json"), schema + "\n"));
    Ok(files)
}

fn check_no_policy(files: &[(PathBuf, String)], force: bool) -> Result<()> {
    // Existing taxonomies are kept, and the new policy uses them.
    match files.first().filter(|(policy, _)| policy.exists() && !force) {
        None => Ok(()),
        Some((policy, _)) => Err(Problem::PolicyExists { path: policy.clone() }.into()),
    }
}

/// Writes the files. Renames an existing policy and returns the path of this backup.
fn write_all(files: &[(PathBuf, String)]) -> Result<Option<PathBuf>> {
    let backup = files.first().filter(|(policy, _)| policy.exists()).map(|(policy, _)| {
        let name = |number: usize| PathBuf::from(format!("{}.old{number}", policy.display()));
        let backup = (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0));
        std::fs::rename(policy, &backup).map_err(Error::file("rename the previous policy to", &backup))?;
        Ok::<_, Error>(backup)
    });
    let backup = backup.transpose()?;
    for (path, text) in files {
        // Taxonomies are completed by hand, so an existing one is not overwritten.
        if path.exists() && path.extension().is_some_and(|end| end == "csv") {
            continue;
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::file("create the folder", folder))?;
        }
        std::fs::write(path, text).map_err(Error::file("write", path))?;
    }
    Ok(backup)
}
