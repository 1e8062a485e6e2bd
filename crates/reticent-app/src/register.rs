//! `register`: enters a release that was made elsewhere, or before Reticent.

mod disguise;

use std::path::Path;
use std::sync::Arc;

use reticent::policy::{ColumnSketch, Policy, suggested_role};
use reticent::recognise::{Told, recognise};
use reticent::taxonomy::{Type, parse_date, parse_number};
use reticent::{Counts, Interval, Links, Role, Schema, Tree};
use reticent_engine::{Ask, AskColumn, Embedded, Engine, Options, OwnerKey};
use reticent_ledger::{Body, BodyColumn, BodyTree, Draft, Entry, FileRecord, Hash, Judged, Origin};

use crate::Workspace;
use crate::answer::{RecognisedColumn, Registered};
use crate::context::Context;
use crate::dataset::{Loaded, load};
use crate::error::{Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::request::RegisterRequest;
use disguise::disguise;

/// So many texts of a column are shown.
const EXAMPLES: usize = 4;

/// What is known about the columns before the file is read.
struct Known {
    loaded: Option<Loaded>,
    roles: Vec<(String, Role)>,
}

pub(crate) fn register(workspace: &Workspace, options: &RegisterRequest, context: &Context) -> Result<Registered> {
    options.check()?;
    // In other time zones it is tomorrow already.
    if options.date.as_str() > context.tomorrow().as_str() {
        return Err(Problem::DateInFuture { date: options.date.to_string() }.into());
    }
    workspace.check_policy()?;
    let access = LedgerAccess::find(workspace, &format!("registering {}", options.name), context)?;
    let known = known(workspace, options)?;
    let missing = known.loaded.as_ref().map(|loaded| loaded.policy.missing_values.clone());
    let engine = Embedded::open_file(
        &options.file,
        Options {
            missing: missing.unwrap_or_default(),
            nobody: options.counterfeits.is_some(),
            ..context.engine_options()
        },
    )?;
    known.check(engine.columns(), options)?;
    let there = access.open_if_there()?;
    let entries = there.as_ref().map(|ledger| ledger.entries()).transpose()?.unwrap_or_default();
    known.refuse_other_spellings(engine.columns(), &entries)?;
    if there.is_none() && !options.dry_run {
        access.may_start()?;
    }
    let owner = known.owner(engine.columns());
    let key = match &owner {
        Some(_) => access.key_for_owners(&entries, !options.dry_run)?,
        None => None,
    };
    let (left_out, kept): (Vec<String>, Vec<String>) =
        engine.columns().iter().cloned().partition(|name| known.role(name) == Some(Role::Identifier));
    let ask = Ask {
        columns: kept.iter().map(|name| AskColumn { name: name.clone(), bins: None }).collect(),
        owner: owner.filter(|_| key.is_some()),
        key: key.as_ref().map(|key| OwnerKey::new(*key.secret())),
    };
    let (sha256, bytes) = Hash::of_file(&options.file)?;
    let mut counts = engine.count(&ask)?;
    if Hash::of_file(&options.file)?.0 != sha256 {
        return Err(Problem::FileChanged { path: options.file.clone() }.into());
    }
    let links = counts.links.take().map(Links::of_somebody);
    let counts = Counts { combos: counts.without_owners(), ..counts };
    if counts.combos.is_empty() {
        return Err(Problem::NoRecords { path: options.file.clone() }.into());
    }
    refuse_data_as_names(&counts, &known)?;
    refuse_unsaid(&counts, &known)?;
    let (body, columns) = body(counts, &known)?;
    let disguise = disguise(options, &entries, &body, links.as_ref())?;
    let taxonomies: Vec<(String, String)> = known.taxonomies(&body);
    let mut answer = Registered {
        release: None,
        dry_run: options.dry_run,
        name: options.name.to_string(),
        date: options.date.to_string(),
        recipients: options.recipients.iter().map(|recipient| recipient.to_string()).collect(),
        ledger: access.folder.display().to_string(),
        records: body.counts.combos.rows(),
        columns,
        left_out,
        disguise: disguise.clone(),
        people: links.as_ref().map(|links| links.people()),
        entry: None,
        notes: Vec::new(),
    };
    let strangers = there.as_ref().zip(links.as_ref());
    let strangers = strangers.and_then(|(ledger, links)| access.strangers(ledger, &entries, links));
    if options.dry_run {
        answer.notes.extend(strangers);
        return Ok(answer);
    }
    let mut ledger = access.open_or_start()?;
    let path = ledger.inside(&options.file);
    let draft = Draft {
        name: options.name.clone(),
        dataset: known.loaded.as_ref().map_or_else(|| file_name(&options.file), |loaded| loaded.policy.dataset.clone()),
        date: options.date.to_string(),
        recipients: options.recipients.clone(),
        origin: Origin::Registered,
        suppressed: 0,
        dropped: 0,
        disguise,
        body: &body,
        by_method: None,
        links: links.as_ref().zip(key.as_ref()).map(|(links, key)| (links, key.fingerprint())),
        policy: known.loaded.as_ref().map(|loaded| loaded.text.as_str()),
        taxonomies: &taxonomies,
        file: Some(FileRecord { path, sha256, bytes }),
        naming: None,
        made: None,
        judged: Judged::Nothing,
    };
    let outcome = access.write(&mut ledger)?.append(&draft)?;
    answer.release = Some(outcome.entry.number);
    answer.entry = Some(outcome.hash.to_string());
    answer.notes = outcome.notes;
    answer.notes.extend(strangers);
    answer.notes.extend(there.is_none().then(|| access.started()));
    answer.notes.extend(access.drawn());
    Ok(answer)
}

fn file_name(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What the policy, if there is one, and the call say about the columns. The call is the last word.
fn known(workspace: &Workspace, options: &RegisterRequest) -> Result<Known> {
    let loaded = if workspace.policy.exists() { Some(load(&workspace.policy)?) } else { None };
    let mut roles: Vec<(String, Role)> = Vec::new();
    let told = [
        (&options.identifier, Role::Identifier),
        (&options.sensitive, Role::Sensitive),
        (&options.quasi_identifier, Role::QuasiIdentifier),
    ];
    for (names, role) in told {
        for name in names {
            if roles.iter().any(|(known, _)| known == name) {
                return Err(Problem::TwoRoles { column: name.clone() }.into());
            }
            roles.push((name.clone(), role));
        }
    }
    let marks = options.groups.iter().chain(&options.counterfeits);
    let groups = marks.filter(|name| !roles.iter().any(|(known, _)| known == *name));
    let groups: Vec<(String, Role)> = groups.map(|name| (name.clone(), Role::Other)).collect();
    roles.extend(groups);
    let known = Known { loaded, roles };
    known.refuse_other_roles()?;
    Ok(known)
}

impl Known {
    fn schema(&self) -> Option<&Schema> {
        self.loaded.as_ref().map(|loaded| &loaded.schema)
    }

    fn policy(&self) -> Option<&Policy> {
        self.loaded.as_ref().map(|loaded| &loaded.policy)
    }

    /// The role that the call or the policy gives a column.
    fn role(&self, name: &str) -> Option<Role> {
        let told = self.roles.iter().find(|(known, _)| known == name).map(|(_, role)| *role);
        let in_policy = || self.schema()?.attributes.iter().find(|attribute| attribute.name == name).map(|a| a.role);
        told.or_else(in_policy)
    }

    /// What the policy calls an identifier, or the owner, names people whatever a call says.
    fn refuse_other_roles(&self) -> Result<()> {
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

    /// The column that names the owner, if the file has it.
    fn owner(&self, columns: &[String]) -> Option<String> {
        self.policy()?.owner.clone().filter(|owner| columns.contains(owner))
    }

    /// Columns that the call names must be there, and something must be left to store.
    fn check(&self, columns: &[String], options: &RegisterRequest) -> Result<()> {
        let named = self.roles.iter().map(|(name, _)| name).chain(&options.groups).chain(&options.counterfeits);
        if let Some(stranger) = named.into_iter().find(|name| !columns.contains(name)) {
            let hint = reticent::error::did_you_mean(stranger, columns.iter().map(String::as_str));
            let (path, column) = (options.file.clone(), stranger.clone());
            return Err(Problem::NoSuchColumn { path, column, hint }.into());
        }
        if let Some(name) = columns.iter().find(|name| name.chars().any(char::is_control)) {
            return Err(Problem::ColumnNameUnprintable { column: name.clone() }.into());
        }
        if self.schema().is_some_and(|schema| !schema.attributes.is_empty())
            && !columns.iter().any(|name| self.role(name).is_some() || self.owner(columns).as_ref() == Some(name))
        {
            // Then the first line may be data, and must not be shown.
            return Err(Problem::NoKnownColumn { path: options.file.clone() }.into());
        }
        if columns.iter().all(|name| self.role(name) == Some(Role::Identifier)) {
            return Err(Problem::OnlyIdentifiers.into());
        }
        Ok(())
    }

    /// A column that is written like one of the policy, or of an earlier release, but for capitals and blanks would be another one: it
    /// would join nothing, and if it names people be stored.
    fn refuse_other_spellings(&self, columns: &[String], entries: &[Entry]) -> Result<()> {
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

    /// The taxonomies, as they are written, of columns that are nodes of them.
    fn taxonomies(&self, body: &Body) -> Vec<(String, String)> {
        let used = |column: &str| {
            body.columns.iter().any(|known| known.name == column && matches!(known.tree, BodyTree::Taxonomy(_)))
        };
        let written = self.loaded.iter().flat_map(|loaded| &loaded.taxonomies);
        written.filter(|(column, _)| used(column)).cloned().collect()
    }
}

/// A file whose first line is a record would have that record stored as names. Shows no name, since it may be a person's.
fn refuse_data_as_names(counts: &Counts, known: &Known) -> Result<()> {
    let like_data = |at: &usize| {
        let name = &counts.names[*at];
        known.role(name).is_none() && (is_scale(name) || counts.values[*at].contains(name))
    };
    match (0..counts.names.len()).filter(like_data).count() {
        0 => Ok(()),
        fields => Err(Problem::RegisteredHeaderLooksLikeData { fields }.into()),
    }
}

fn is_scale(text: &str) -> bool {
    parse_number(text).is_some() || parse_date(text).is_some()
}

/// A column that nobody described and that may name people, or hold what they keep to themselves, is asked about: nothing in
/// the ledger may name a person.
fn refuse_unsaid(counts: &Counts, known: &Known) -> Result<()> {
    for (at, name) in counts.names.iter().enumerate().filter(|(_, name)| known.role(name).is_none()) {
        let sketch = sketch(counts, at);
        let texts = sketch.values.iter().flatten();
        let plain: Vec<&(String, u64)> = texts.filter(|(text, _)| may_be_a_name(text)).collect();
        let (distinct, records) = (plain.len() as u64, plain.iter().map(|(_, rows)| rows).sum::<u64>());
        let nearly_unique = records > 1 && distinct * 10 >= records * 9;
        let many = distinct >= 20 && distinct * 10 >= records;
        let why = match suggested_role(&sketch) {
            _ if nearly_unique => "has another value in nearly every record and may name people".to_owned(),
            Some(("identifier", why)) => format!("may be an identifier ({why})"),
            Some(("sensitive", why)) => format!("may be sensitive ({why})"),
            _ if many => format!("has {distinct} different values in {records} records and may name people"),
            _ => continue,
        };
        return Err(Problem::RoleUnclear { column: name.clone(), why }.into());
    }
    Ok(())
}

/// A column as those who draft policies see it.
fn sketch(counts: &Counts, at: usize) -> ColumnSketch {
    let mut rows = vec![0; counts.values[at].len()];
    for (code, weight) in counts.combos.codes[at].iter().zip(&counts.combos.weights) {
        rows[*code as usize] += weight;
    }
    let values: Vec<(String, u64)> = counts.values[at].iter().cloned().zip(rows).collect();
    let all = |of: &Type| values.iter().all(|(text, _)| text.is_empty() || Interval::parse(*of, text).is_some());
    let looks_like = [Type::Number, Type::Date].into_iter().find(all).unwrap_or(Type::Text);
    ColumnSketch {
        name: counts.names[at].clone(),
        rows: counts.combos.rows(),
        empty: values.iter().filter(|(text, _)| text.is_empty()).map(|(_, rows)| rows).sum(),
        distinct: values.len() as u64,
        values: Some(values),
        looks_like,
        quantiles: Vec::new(),
    }
}

/// Words, and numbers as long as those of cards and accounts; not an interval, a date, a mask or a short number.
fn may_be_a_name(text: &str) -> bool {
    const LONG: usize = 5;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || b"-_/ ".contains(&byte));
    let ordered = |values| Interval::parse(values, text).is_some();
    match text {
        "" => false,
        _ if text.ends_with('*') || ordered(Type::Date) => false,
        _ if ordered(Type::Number) => whole && digits > LONG && !text.contains(['[', '<', '>']),
        _ => true,
    }
}

/// Recognises every column.
fn body(counts: Counts, known: &Known) -> Result<(Body, Vec<RecognisedColumn>)> {
    let missing = known.policy().map_or_else(|| vec![String::new()], |policy| policy.missing_values.clone());
    let mut body_columns = Vec::new();
    let mut answers = Vec::new();
    for (name, texts) in counts.names.iter().zip(&counts.values) {
        let attribute = known.schema().and_then(|schema| schema.attributes.iter().find(|a| a.name == *name));
        let tree = match attribute.map(|attribute| &attribute.tree) {
            Some(Tree::Given(tree)) => Some(Arc::new(tree.clone())),
            _ => None,
        };
        let role = known.role(name).unwrap_or(Role::QuasiIdentifier);
        let values = attribute.map(|attribute| attribute.values);
        let told = Told { name, role, values, tree: tree.as_ref(), missing: &missing };
        let recognised = recognise(&told, texts)?;
        let missing = recognised.missing.clone();
        // What is stored must be understood again, as it is now, whenever a release is judged with it.
        let again = recognise(&Told { missing: &missing, values: Some(recognised.values), ..told }, texts)?;
        if again.kinds != recognised.kinds || again.column.nodes != recognised.column.nodes {
            let why =
                "its texts would not be understood again as they are now; describe the table in a policy of its own";
            return Err(reticent::Error::column(name, why).into());
        }
        let written = known.loaded.iter().flat_map(|loaded| &loaded.taxonomies).find(|(column, _)| column == name);
        let tree = match (tree, written) {
            (Some(_), Some((_, text))) => BodyTree::Taxonomy(Hash::of(text.as_bytes())),
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
        let shown = if role == Role::QuasiIdentifier { EXAMPLES } else { 0 };
        let examples = texts.iter().filter(|text| !text.is_empty()).take(shown).cloned().collect();
        answers.push(RecognisedColumn { name: name.clone(), role, values, recognised: recognised.kinds, examples });
    }
    Ok((Body { columns: body_columns, counts }, answers))
}
