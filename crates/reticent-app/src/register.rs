//! `register`: records a release that was made by another program, or a population register.

mod identifiers;
mod presentation;

use std::path::Path;
use std::sync::Arc;

use reticent::policy::{ColumnSketch, Policy, suggested_role};
use reticent::recognise::{RecognitionInput, recognise};
use reticent::taxonomy::{Type, parse_date, parse_number};
use reticent::{Counts, Interval, Links, Role, Schema, TreeSource};
use reticent_engine::{CountColumn, CountRequest, Embedded, Engine, Options, OwnerKey};
use reticent_ledger::{Body, BodyColumn, BodyTree, Entry, FileRecord, Hash, HistoryScope, Origin, ReleaseDraft};

use crate::Workspace;
use crate::answer::{RecognisedColumn, RegisterAnswer};
use crate::context::Context;
use crate::dataset::{LoadedPolicy, load};
use crate::error::{Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::reading::{file_notes, text_options};
use crate::request::RegisterRequest;
use presentation::presentation;

/// Maximum number of example texts per column.
const MAX_EXAMPLES: usize = 4;

/// Roles of the columns from the policy and the request.
struct RegisterSchema {
    loaded: Option<LoadedPolicy>,
    /// Roles from the request.
    roles: Vec<(String, Role)>,
    /// Whether the table is a population register: attackers know all of its columns.
    population: bool,
}

pub(crate) fn register(workspace: &Workspace, options: &RegisterRequest, context: &Context) -> Result<RegisterAnswer> {
    options.check()?;
    // The clock is in UTC; in other time zones it may already be the next day.
    if options.date.as_str() > context.tomorrow().as_str() {
        return Err(Problem::DateInFuture { date: options.date.to_string() }.into());
    }
    workspace.policy.check()?;
    let access = LedgerAccess::find(workspace, &format!("registering {}", options.name), context)?;
    let known = register_schema(workspace, options)?;
    let read = text_options(known.loaded.as_ref().map(|loaded| &loaded.policy), context);
    let allow_missing_owner = options.counterfeit_column.is_some();
    let file = options.file()?;
    let options_of_engine = Options { allow_missing_owner, ..read };
    let engine: Box<dyn Engine> = match file {
        Some(file) => Box::new(Embedded::open_file(file, options_of_engine)?),
        None => options.data.open(options_of_engine)?,
    };
    file_notes(engine.as_ref()).iter().for_each(|note| context.warn(note, None));
    known.check(engine.columns(), options)?;
    let existing = access.open_if_exists()?;
    let entries = existing.as_ref().map(|ledger| ledger.entries()).transpose()?.unwrap_or_default();
    known.check_spelling(engine.columns(), &entries)?;
    if existing.is_none() && !options.dry_run {
        access.check_may_start()?;
    }
    let owner = known.owner(engine.columns());
    let key = match &owner {
        Some(_) => access.key_for_owners(&entries, !options.dry_run)?,
        None => None,
    };
    let (omitted, kept): (Vec<String>, Vec<String>) =
        engine.columns().iter().cloned().partition(|name| known.role(name) == Some(Role::Identifier));
    // The owner column links the records. It was not necessarily published. A population register names people, but not as
    // people of our data.
    let is_shown = |name: &&String| !options.is_population() && (options.owner_shown || owner.as_ref() != Some(*name));
    let shown: Vec<String> = omitted.iter().filter(is_shown).cloned().collect();
    let request = CountRequest {
        columns: kept.iter().map(|name| CountColumn { name: name.clone(), bins: None }).collect(),
        owner: owner.clone().filter(|_| key.is_some()),
        key: key.as_ref().map(|key| OwnerKey::new(*key.pseudonym_key())),
    };
    let digest = file.map(Hash::digest_file).transpose()?;
    let missing = known.policy().map_or_else(|| vec![String::new()], |policy| policy.missing_values.clone());
    let mut counts = identifiers::count(engine.as_ref(), request, &shown, &missing)?;
    if let Some(file) = file.filter(|_| digest.is_some())
        && Some(Hash::digest_file(file)?) != digest
    {
        return Err(Problem::FileChanged { path: file.to_owned() }.into());
    }
    let links = counts.links.take().map(Links::without_unowned);
    let counts = Counts { contingency: counts.without_owners(), ..counts };
    if counts.contingency.is_empty() {
        return Err(Problem::NoRecords { path: options.source_name() }.into());
    }
    check_header(&counts, &known)?;
    check_roles(&counts, &known)?;
    let (body, columns) = body(counts, &known)?;
    let presentation = presentation(options, &entries, &body, links.as_ref())?;
    let taxonomies: Vec<(String, String)> = known.taxonomies(&body);
    let origin = if options.is_population() { Origin::Population } else { Origin::Registered };
    let mut answer = RegisterAnswer {
        release: None,
        origin,
        dry_run: options.dry_run,
        name: options.name.to_string(),
        date: options.date.to_string(),
        recipients: options.recipients.iter().map(|recipient| recipient.to_string()).collect(),
        ledger: access.folder.display().to_string(),
        records: body.counts.contingency.rows(),
        columns,
        omitted_columns: omitted,
        identifiers_shown: shown,
        presentation: presentation.clone(),
        people: links.as_ref().map(|links| links.people()),
        entry: None,
        notes: Vec::new(),
    };
    let owner_warning = existing.as_ref().zip(links.as_ref());
    let owner_warning = owner_warning.and_then(|(ledger, links)| access.warn_unknown_owners(ledger, &entries, links));
    if options.dry_run {
        answer.notes.extend(owner_warning);
        return Ok(answer);
    }
    let mut ledger = access.open_or_start()?;
    let recorded =
        |(file, (sha256, bytes)): (&Path, (Hash, u64))| FileRecord { path: ledger.recorded_path(file), sha256, bytes };
    let file_record = file.zip(digest).map(recorded);
    // A population register is another data set than that of the policy.
    let dataset = known.policy().filter(|_| !options.is_population()).map(|policy| policy.dataset.clone());
    let draft = ReleaseDraft {
        name: options.name.clone(),
        dataset: dataset.unwrap_or_else(|| file.map_or_else(|| options.data.dataset_name(), file_name)),
        date: options.date.to_string(),
        recipients: options.recipients.clone(),
        origin,
        suppressed: 0,
        dropped: 0,
        presentation,
        body: &body,
        method: None,
        links: links.as_ref().zip(key.as_ref()).map(|(links, key)| (links, key.fingerprint())),
        policy: known.loaded.as_ref().map(|loaded| loaded.text.as_str()),
        taxonomies: &taxonomies,
        file: file_record,
        naming: None,
        made: None,
        judged: HistoryScope::Nothing,
    };
    let outcome = access.write(&mut ledger)?.append(&draft)?;
    answer.release = Some(outcome.entry.number);
    answer.entry = Some(outcome.hash.to_string());
    answer.notes = outcome.notes;
    answer.notes.extend(owner_warning);
    answer.notes.extend(owner_note(owner.as_deref(), options));
    answer.notes.extend(existing.is_none().then(|| access.started_note()));
    answer.notes.extend(access.take_key_note());
    Ok(answer)
}

/// Returns a note that the owner column is assumed not to have been published.
fn owner_note(owner: Option<&str>, options: &RegisterRequest) -> Option<String> {
    let owner = owner.filter(|_| !options.owner_shown && !options.is_population())?;
    Some(format!(
        "{owner} links the records of a person, and is assumed not to be in the published file. If the recipients see it, everybody in \
         the file is identified: register the file as one that shows its owners"
    ))
}

fn file_name(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns the roles from the policy, if there is one, and from the request, which takes precedence.
fn register_schema(workspace: &Workspace, options: &RegisterRequest) -> Result<RegisterSchema> {
    let loaded = if workspace.policy.exists() { Some(load(&workspace.policy)?) } else { None };
    let mut roles: Vec<(String, Role)> = Vec::new();
    let given = [
        (&options.identifier, Role::Identifier),
        (&options.sensitive, Role::Sensitive),
        (&options.quasi_identifier, Role::QuasiIdentifier),
    ];
    for (names, role) in given {
        for name in names {
            if roles.iter().any(|(known, _)| known == name) {
                return Err(Problem::TwoRoles { column: name.clone() }.into());
            }
            roles.push((name.clone(), role));
        }
    }
    let marks = options.group_column.iter().chain(&options.counterfeit_column);
    let groups = marks.filter(|name| !roles.iter().any(|(known, _)| known == *name));
    let groups: Vec<(String, Role)> = groups.map(|name| (name.clone(), Role::Other)).collect();
    roles.extend(groups);
    let known = RegisterSchema { loaded, roles, population: options.is_population() };
    known.check_identifiers()?;
    Ok(known)
}

impl RegisterSchema {
    fn schema(&self) -> Option<&Schema> {
        self.loaded.as_ref().map(|loaded| &loaded.schema)
    }

    fn policy(&self) -> Option<&Policy> {
        self.loaded.as_ref().map(|loaded| &loaded.policy)
    }

    /// Returns the role of a column. In a population register, every column but an identifier is a quasi-identifier.
    fn role(&self, name: &str) -> Option<Role> {
        let role = self.declared_role(name)?;
        Some(if self.population && role != Role::Identifier { Role::QuasiIdentifier } else { role })
    }

    /// Returns the role of a column in the request, or else in the policy.
    fn declared_role(&self, name: &str) -> Option<Role> {
        let given = self.roles.iter().find(|(known, _)| known == name).map(|(_, role)| *role);
        let in_policy = || self.schema()?.attributes.iter().find(|attribute| attribute.name == name).map(|a| a.role);
        given.or_else(in_policy)
    }

    /// Returns an error if the request gives another role to the owner or to an identifier of the policy.
    fn check_identifiers(&self) -> Result<()> {
        let Some(loaded) = &self.loaded else { return Ok(()) };
        let names_people = |name: &str| {
            let identifier = |a: &reticent::Attribute| a.name == name && a.role == Role::Identifier;
            loaded.policy.owner.as_deref() == Some(name) || loaded.schema.attributes.iter().any(identifier)
        };
        match self.roles.iter().find(|(name, role)| *role != Role::Identifier && names_people(name)) {
            None => Ok(()),
            Some((name, _)) => Err(Problem::IdentifierInPolicy { column: name.clone() }.into()),
        }
    }

    /// Returns the owner column, if the file has it.
    fn owner(&self, columns: &[String]) -> Option<String> {
        self.policy()?.owner.clone().filter(|owner| columns.contains(owner))
    }

    /// Checks that the file has the requested columns, and a column that can be stored.
    fn check(&self, columns: &[String], options: &RegisterRequest) -> Result<()> {
        let named =
            self.roles.iter().map(|(name, _)| name).chain(&options.group_column).chain(&options.counterfeit_column);
        if let Some(unknown) = named.into_iter().find(|name| !columns.contains(name)) {
            let hint = reticent::error::did_you_mean(unknown, columns.iter().map(String::as_str));
            let (path, column) = (options.source_name(), unknown.clone());
            return Err(Problem::NoSuchColumn { path, column, hint }.into());
        }
        if let Some(name) = columns.iter().find(|name| name.chars().any(char::is_control)) {
            return Err(Problem::ColumnNameUnprintable { column: name.clone() }.into());
        }
        let is_sensitive = |name: &&String| self.declared_role(name) == Some(Role::Sensitive);
        if let Some(name) = columns.iter().find(is_sensitive).filter(|_| self.population) {
            return Err(Problem::PopulationSensitive { column: name.clone() }.into());
        }
        if self.schema().is_some_and(|schema| !schema.attributes.is_empty())
            && !columns.iter().any(|name| self.role(name).is_some() || self.owner(columns).as_ref() == Some(name))
        {
            // The first line may be data, so the error contains no column name.
            return Err(Problem::NoKnownColumn { path: options.source_name() }.into());
        }
        if columns.iter().all(|name| self.role(name) == Some(Role::Identifier)) {
            return Err(Problem::OnlyIdentifiers.into());
        }
        Ok(())
    }

    /// Returns an error if a column name differs from a known one only in case or surrounding spaces.
    ///
    /// Such a column would be treated as a different one: it would not join, and an identifier would be stored.
    fn check_spelling(&self, columns: &[String], entries: &[Entry]) -> Result<()> {
        let folded = |name: &str| name.trim().to_lowercase();
        let in_policy = self.schema().into_iter().flat_map(|schema| &schema.attributes).map(|a| a.name.as_str());
        let owner = self.policy().and_then(|policy| policy.owner.as_deref());
        let released = entries.iter().filter_map(Entry::release).flat_map(|release| &release.columns);
        let known: Vec<&str> = in_policy.chain(owner).chain(released.map(|column| column.name.as_str())).collect();
        for name in columns.iter().filter(|name| !known.contains(&name.as_str())) {
            if let Some(twin) = known.iter().find(|known| folded(known) == folded(name)) {
                return Err(Problem::ColumnSpelling { column: name.clone(), known: (*twin).to_owned() }.into());
            }
        }
        Ok(())
    }

    /// Returns the taxonomy texts of the columns that were recognised with a taxonomy.
    fn taxonomies(&self, body: &Body) -> Vec<(String, String)> {
        let used = |column: &str| {
            body.columns.iter().any(|known| known.name == column && matches!(known.tree, BodyTree::Taxonomy(_)))
        };
        let written = self.loaded.iter().flat_map(|loaded| &loaded.taxonomies);
        written.filter(|(column, _)| used(column)).cloned().collect()
    }
}

/// Returns an error if the header line looks like a record: its cells would be stored as column names.
///
/// The error contains no cell of the line, because it may name a person.
fn check_header(counts: &Counts, known: &RegisterSchema) -> Result<()> {
    let like_data = |at: &usize| {
        let name = &counts.names[*at];
        known.role(name).is_none() && (is_number_or_date(name) || counts.values[*at].contains(name))
    };
    match (0..counts.names.len()).filter(like_data).count() {
        0 => Ok(()),
        fields => Err(Problem::RegisteredHeaderLooksLikeData { fields }.into()),
    }
}

fn is_number_or_date(text: &str) -> bool {
    parse_number(text).is_some() || parse_date(text).is_some()
}

/// Returns an error if a column without a role may be an identifier or a sensitive attribute.
///
/// The ledger must not contain identifiers.
fn check_roles(counts: &Counts, known: &RegisterSchema) -> Result<()> {
    for (at, name) in counts.names.iter().enumerate().filter(|(_, name)| known.role(name).is_none()) {
        let sketch = sketch(counts, at);
        let texts = sketch.values.iter().flatten();
        let plain: Vec<&(String, u64)> = texts.filter(|(text, _)| may_identify(text)).collect();
        let (distinct, records) = (plain.len() as u64, plain.iter().map(|(_, rows)| rows).sum::<u64>());
        let nearly_unique = records > 1 && distinct * 10 >= records * 9;
        let many = distinct >= 20 && distinct * 10 >= records;
        let why = match suggested_role(&sketch) {
            _ if nearly_unique => "has a distinct value in nearly every record and may identify people".to_owned(),
            Some((Role::Identifier, why)) => format!("may be an identifier ({why})"),
            Some((Role::Sensitive, why)) => format!("may be sensitive ({why})"),
            _ if many => format!("has {distinct} distinct values in {records} records and may identify people"),
            _ => continue,
        };
        return Err(Problem::RoleUnclear { column: name.clone(), why }.into());
    }
    Ok(())
}

/// Returns the statistics of a column from which a role is suggested.
fn sketch(counts: &Counts, at: usize) -> ColumnSketch {
    let mut rows = vec![0; counts.values[at].len()];
    for (code, weight) in counts.contingency.codes[at].iter().zip(&counts.contingency.weights) {
        rows[*code as usize] += weight;
    }
    let values: Vec<(String, u64)> = counts.values[at].iter().cloned().zip(rows).collect();
    let all = |of: &Type| values.iter().all(|(text, _)| text.is_empty() || Interval::parse(*of, text).is_some());
    let looks_like = [Type::Number, Type::Date].into_iter().find(all).unwrap_or(Type::Text);
    ColumnSketch {
        name: counts.names[at].clone(),
        rows: counts.contingency.rows(),
        empty: values.iter().filter(|(text, _)| text.is_empty()).map(|(_, rows)| rows).sum(),
        distinct: values.len() as u64,
        values: Some(values),
        looks_like,
        format: None,
        quantiles: Vec::new(),
    }
}

/// Returns whether a text may identify a person: a word, or a number with many digits.
///
/// Intervals, dates, masked texts and short numbers do not.
fn may_identify(text: &str) -> bool {
    const MAX_SHORT_DIGITS: usize = 5;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b"-_/ ".contains(&byte));
    let ordered = |values| Interval::parse(values, text).is_some();
    match text {
        "" => false,
        _ if text.ends_with('*') || ordered(Type::Date) => false,
        _ if ordered(Type::Number) => whole && digits > MAX_SHORT_DIGITS && !text.contains(['[', '<', '>']),
        _ => true,
    }
}

/// Recognises every column: generalized values, intervals, masked and suppressed texts.
fn body(counts: Counts, known: &RegisterSchema) -> Result<(Body, Vec<RecognisedColumn>)> {
    let missing = known.policy().map_or_else(|| vec![String::new()], |policy| policy.missing_values.clone());
    let mut body_columns = Vec::new();
    let mut answers = Vec::new();
    for (name, texts) in counts.names.iter().zip(&counts.values) {
        let attribute = known.schema().and_then(|schema| schema.attributes.iter().find(|a| a.name == *name));
        let tree = match attribute.map(|attribute| &attribute.tree) {
            Some(TreeSource::Given(tree)) if known.role(name) != Some(Role::Identifier) => Some(Arc::new(tree.clone())),
            _ => None,
        };
        let role = known.role(name).unwrap_or(Role::QuasiIdentifier);
        let values = match role {
            Role::Identifier => Some(Type::Text),
            _ => attribute.map(|attribute| attribute.values),
        };
        let input = RecognitionInput { name, role, values, tree: tree.as_ref(), missing: &missing };
        let recognised = recognise(&input, texts)?;
        let missing = recognised.missing.clone();
        // Later releases are judged with the stored texts, so recognition of these must give the same result.
        let again =
            recognise(&RecognitionInput { missing: &missing, values: Some(recognised.values), ..input }, texts)?;
        if again.kinds != recognised.kinds || again.column.nodes != recognised.column.nodes {
            let why =
                "the stored texts would be recognised differently later; describe this table in a separate policy";
            return Err(reticent::Error::column(name, why).into());
        }
        let written = known.loaded.iter().flat_map(|loaded| &loaded.taxonomies).find(|(column, _)| column == name);
        let tree = match (tree, written) {
            (Some(_), Some((_, text))) => BodyTree::Taxonomy(Hash::digest(text.as_bytes())),
            _ if role == Role::QuasiIdentifier => BodyTree::Recognised,
            _ => BodyTree::Flat,
        };
        let values = recognised.values;
        body_columns.push(BodyColumn {
            name: name.clone(),
            role,
            values,
            tree,
            missing,
            published: Default::default(),
        });
        let limit = if role == Role::QuasiIdentifier { MAX_EXAMPLES } else { 0 };
        let examples = texts.iter().filter(|text| !text.is_empty()).take(limit).cloned().collect();
        answers.push(RecognisedColumn { name: name.clone(), role, values, recognised: recognised.kinds, examples });
    }
    Ok((Body { columns: body_columns, counts }, answers))
}
