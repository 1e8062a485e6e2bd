//! `reticent register`: enters a release that was made elsewhere, or before Reticent.

mod disguise;

use std::path::Path;
use std::sync::Arc;

use reticent::history::Disguise;
use reticent::interval::Interval;
use reticent::links::Links;
use reticent::policy::{ColumnSketch, Policy, suggested_role};
use reticent::recognise::{Kinds, Told, recognise};
use reticent::schema::{Role, Schema, Tree};
use reticent::table::Counts;
use reticent::taxonomy::{Type, parse_date, parse_number};
use reticent_engine::{Ask, AskColumn, Embedded, Engine, Options, OwnerKey};
use reticent_ledger::{Body, BodyColumn, BodyTree, Draft, Entry, FileRecord, Hash, Judged, Origin, tomorrow};
use serde::Serialize;

use crate::args::Register;
use crate::books::Books;
use crate::failure::Failure;
use crate::screen::{GOOD, HEAD, HINT, WIDTH, columns, count, plural, print_json, role, wrap};
use crate::steward::{Loaded, Ways, load};

use disguise::disguise;
pub use disguise::in_words;

/// So many texts of a column are shown.
const EXAMPLES: usize = 4;

/// What `register` answers.
#[derive(Debug, Serialize)]
struct Answer {
    /// The release's number; none for a rehearsal.
    release: Option<u64>,
    dry_run: bool,
    name: String,
    date: String,
    recipients: Vec<String>,
    ledger: String,
    records: u64,
    /// What was recognised in each column.
    columns: Vec<ColumnAnswer>,
    /// Columns that name a person by themselves, and are not stored.
    left_out: Vec<String>,
    #[serde(flatten)]
    disguise: Disguise,
    /// People whose records are linked, under pseudonyms.
    people: Option<u64>,
    /// The hash of the entry; none for a rehearsal.
    entry: Option<String>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ColumnAnswer {
    name: String,
    role: Role,
    #[serde(rename = "type")]
    values: Type,
    recognised: Kinds,
    /// Of a quasi-identifier: some of its texts.
    examples: Vec<String>,
}

/// Enters a release.
pub fn run(options: &Register, ways: &Ways) -> Result<u8, Failure> {
    let answer = register(options, ways);
    ways.progress.done();
    let answer = answer?;
    if ways.json {
        print_json(&answer)?;
    } else {
        print(&answer);
    }
    Ok(0)
}

/// What is known about the columns before the file is read.
struct Known {
    loaded: Option<Loaded>,
    roles: Vec<(String, Role)>,
}

fn register(options: &Register, ways: &Ways) -> Result<Answer, Failure> {
    // Where the sun rises earlier, it is tomorrow already.
    if options.date > tomorrow() {
        return Err(Failure::Call(format!("{} is in the future; register what has been released", options.date)));
    }
    options.place.check_policy()?;
    let books = Books::find(&options.place, &format!("registering {}", options.name))?;
    let known = known(options)?;
    let missing = known.loaded.as_ref().map(|loaded| loaded.policy.missing_values.clone());
    let engine = Embedded::open_file(
        &options.file,
        Options { missing: missing.unwrap_or_default(), nobody: options.counterfeits.is_some(), ..ways.options() },
    )?;
    known.check(engine.columns(), options)?;
    let there = books.open_if_there()?;
    let entries = there.as_ref().map(|ledger| ledger.entries()).transpose()?.unwrap_or_default();
    known.refuse_other_spellings(engine.columns(), &entries)?;
    if there.is_none() && !options.dry_run {
        books.may_start()?;
    }
    let owner = known.owner(engine.columns());
    let key = match &owner {
        Some(_) => books.key_for_owners(&entries, !options.dry_run)?,
        None => None,
    };
    let (left_out, kept): (Vec<String>, Vec<String>) =
        engine.columns().iter().cloned().partition(|name| known.role(name) == Some(Role::Identifier));
    let ask = Ask {
        columns: kept.iter().map(|name| AskColumn { name: name.clone(), bins: None }).collect(),
        owner: owner.filter(|_| key.is_some()),
        key: key.as_ref().map(|(key, _)| OwnerKey::new(key.secret())),
    };
    let (sha256, bytes) = Hash::of_file(&options.file)?;
    let mut counts = engine.count(&ask)?;
    if Hash::of_file(&options.file)?.0 != sha256 {
        let message = format!("{} was changed while it was read; register it again", options.file.display());
        return Err(Failure::Call(message));
    }
    let links = counts.links.take().map(Links::of_somebody);
    let counts = Counts { combos: counts.without_owners(), ..counts };
    if counts.combos.is_empty() {
        return Err(Failure::Call(format!("{} has no records", options.file.display())));
    }
    refuse_data_as_names(&counts, &known)?;
    refuse_unsaid(&counts, &known)?;
    let (body, columns) = body(counts, &known)?;
    let disguise = disguise(options, &entries, &body, links.as_ref())?;
    let taxonomies: Vec<(String, String)> = known.taxonomies(&body);
    let mut answer = Answer {
        release: None,
        dry_run: options.dry_run,
        name: options.name.clone(),
        date: options.date.clone(),
        recipients: options.to.clone(),
        ledger: books.folder.display().to_string(),
        records: body.counts.combos.rows(),
        columns,
        left_out,
        disguise: disguise.clone(),
        people: links.as_ref().map(|links| links.people()),
        entry: None,
        notes: Vec::new(),
    };
    let strangers = there.as_ref().zip(links.as_ref());
    let strangers = strangers.and_then(|(ledger, links)| books.strangers(ledger, &entries, links));
    if options.dry_run {
        answer.notes.extend(strangers);
        return Ok(answer);
    }
    let mut ledger = books.open_or_start()?;
    let path = ledger.inside(&options.file);
    let draft = Draft {
        name: options.name.clone(),
        dataset: known.loaded.as_ref().map_or_else(|| file_name(&options.file), |loaded| loaded.policy.dataset.clone()),
        date: options.date.clone(),
        recipients: options.to.clone(),
        origin: Origin::Registered,
        suppressed: 0,
        dropped: 0,
        disguise,
        body: &body,
        by_method: None,
        links: links.as_ref().zip(key.as_ref()).map(|(links, (key, _))| (links, key.fingerprint())),
        policy: known.loaded.as_ref().map(|loaded| loaded.text.as_str()),
        taxonomies: &taxonomies,
        file: Some(FileRecord { path, sha256, bytes }),
        naming: None,
        made: None,
        judged: Judged::Nothing,
    };
    let outcome = books.write(&mut ledger)?.append(&draft)?;
    answer.release = Some(outcome.entry.number);
    answer.entry = Some(outcome.hash.to_string());
    answer.notes = outcome.notes;
    answer.notes.extend(strangers);
    answer.notes.extend(there.is_none().then(|| books.started()));
    answer.notes.extend(key.and_then(|(_, note)| note));
    Ok(answer)
}

fn file_name(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What the policy, if there is one, and the call say about the columns. The call is the last word.
fn known(options: &Register) -> Result<Known, Failure> {
    let loaded = if options.place.policy.exists() { Some(load(&options.place.policy)?) } else { None };
    let mut roles: Vec<(String, Role)> = Vec::new();
    let told = [
        (&options.identifier, Role::Identifier),
        (&options.sensitive, Role::Sensitive),
        (&options.quasi_identifier, Role::QuasiIdentifier),
    ];
    for (names, role) in told {
        for name in names {
            if roles.iter().any(|(known, _)| known == name) {
                return Err(Failure::Call(format!("column `{name}` is given two roles")));
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

    /// The role that somebody gave a column.
    fn role(&self, name: &str) -> Option<Role> {
        let told = self.roles.iter().find(|(known, _)| known == name).map(|(_, role)| *role);
        let in_policy = || self.schema()?.attributes.iter().find(|attribute| attribute.name == name).map(|a| a.role);
        told.or_else(in_policy)
    }

    /// What the policy calls an identifier, or the owner, names people whatever a call says.
    fn refuse_other_roles(&self) -> Result<(), Failure> {
        let Some(loaded) = &self.loaded else { return Ok(()) };
        let names_people = |name: &str| {
            let identifier = |a: &reticent::schema::Attribute| a.name == name && a.role == Role::Identifier;
            loaded.policy.owner.as_deref() == Some(name) || loaded.schema.attributes.iter().any(identifier)
        };
        match self.roles.iter().find(|(name, role)| *role != Role::Identifier && names_people(name)) {
            None => Ok(()),
            Some((name, _)) => Err(Failure::Call(format!(
                "column `{name}` is an identifier in the policy, and what names people is not stored; to mark groups, number them"
            ))),
        }
    }

    /// The column that names the owner, if the file has it.
    fn owner(&self, columns: &[String]) -> Option<String> {
        self.policy()?.owner.clone().filter(|owner| columns.contains(owner))
    }

    /// Columns that the call names must be there, and something must be left to store.
    fn check(&self, columns: &[String], options: &Register) -> Result<(), Failure> {
        let named = self.roles.iter().map(|(name, _)| name).chain(&options.groups).chain(&options.counterfeits);
        if let Some(stranger) = named.into_iter().find(|name| !columns.contains(name)) {
            let hint = reticent::error::did_you_mean(stranger, columns.iter().map(String::as_str));
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            return Err(Failure::Call(format!("{} has no column `{stranger}`{hint}", options.file.display())));
        }
        if let Some(name) = columns.iter().find(|name| name.chars().any(char::is_control)) {
            return Err(Failure::Call(format!(
                "the column name {name:?} has characters that cannot be shown; rename it"
            )));
        }
        if self.schema().is_some_and(|schema| !schema.attributes.is_empty())
            && !columns.iter().any(|name| self.role(name).is_some() || self.owner(columns).as_ref() == Some(name))
        {
            // Then the first line may be data, and must not be shown.
            return Err(Failure::Call(format!(
                "none of the columns of {} is in the policy, or named in the call. Does its first line hold the names of the columns? If it does, \
                 say what they are (--quasi-identifier, --sensitive, --identifier), or describe the table in a policy of its own (--policy)",
                options.file.display()
            )));
        }
        if columns.iter().all(|name| self.role(name) == Some(Role::Identifier)) {
            return Err(Failure::Call("every column is an identifier, and identifiers are not stored".to_owned()));
        }
        Ok(())
    }

    /// A column that is written like one of the policy, or of an earlier release, but for capitals and blanks would be another one: it
    /// would join nothing, and if it names people be stored.
    fn refuse_other_spellings(&self, columns: &[String], entries: &[Entry]) -> Result<(), Failure> {
        let folded = |name: &str| name.trim().to_lowercase();
        let in_policy = self.schema().into_iter().flat_map(|schema| &schema.attributes).map(|a| a.name.as_str());
        let owner = self.policy().and_then(|policy| policy.owner.as_deref());
        let released = entries.iter().filter_map(Entry::release).flat_map(|release| &release.columns);
        let known: Vec<&str> = in_policy.chain(owner).chain(released.map(|column| column.name.as_str())).collect();
        for name in columns.iter().filter(|name| !known.contains(&name.as_str())) {
            if let Some(twin) = known.iter().find(|known| folded(known) == folded(name)) {
                return Err(Failure::Call(format!(
                    "column `{name}` is written `{twin}` in the policy or in an earlier release, and would be taken for another column; write \
                     it `{twin}` in the file"
                )));
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

/// A file whose first line is a record would have that record stored as names. Shows no name, since it may be somebody's.
fn refuse_data_as_names(counts: &Counts, known: &Known) -> Result<(), Failure> {
    let like_data = |at: &usize| {
        let name = &counts.names[*at];
        known.role(name).is_none() && (is_scale(name) || counts.values[*at].contains(name))
    };
    match (0..counts.names.len()).filter(like_data).count() {
        0 => Ok(()),
        fields => Err(Failure::Call(format!(
            "the first line looks like data: {fields} of its fields are numbers, dates or values of their own column; put a line with the \
             names of the columns before it (if these are the names, say what they are: --quasi-identifier, --sensitive, --identifier)"
        ))),
    }
}

fn is_scale(text: &str) -> bool {
    parse_number(text).is_some() || parse_date(text).is_some()
}

/// A column that nobody described and that may name people, or hold what they keep to themselves, is asked about: nothing in
/// the ledger may name a person.
fn refuse_unsaid(counts: &Counts, known: &Known) -> Result<(), Failure> {
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
        return Err(Failure::Call(format!(
            "column `{name}` {why}; say what it is: --identifier {name} leaves it out, --sensitive {name} or \
             --quasi-identifier {name} stores it as that"
        )));
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
fn body(counts: Counts, known: &Known) -> Result<(Body, Vec<ColumnAnswer>), Failure> {
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
            let why = "its texts would not be understood again as they are now; describe the table in a policy of its own (--policy)";
            return Err(reticent::Error::column(name, why).into());
        }
        let written = known.loaded.iter().flat_map(|loaded| &loaded.taxonomies).find(|(column, _)| column == name);
        let tree = match (tree, written) {
            (Some(_), Some((_, text))) => BodyTree::Taxonomy(Hash::of(text.as_bytes())),
            _ if role == Role::QuasiIdentifier => BodyTree::Recognised,
            _ => BodyTree::Flat,
        };
        let values = recognised.values;
        body_columns.push(BodyColumn { name: name.clone(), role, values, tree, missing });
        let shown = if role == Role::QuasiIdentifier { EXAMPLES } else { 0 };
        let examples = texts.iter().filter(|text| !text.is_empty()).take(shown).cloned().collect();
        answers.push(ColumnAnswer { name: name.clone(), role, values, recognised: recognised.kinds, examples });
    }
    Ok((Body { columns: body_columns, counts }, answers))
}

fn print(answer: &Answer) {
    let to = answer.recipients.join(", ");
    match answer.release {
        Some(number) => {
            println!(
                "{GOOD}registered{GOOD:#} {} as release {number} in {}, {} to {to}",
                answer.name, answer.ledger, answer.date
            );
        }
        None => println!(
            "{GOOD}would register{GOOD:#} {}, {} to {to} (dry run: nothing was entered)",
            answer.name, answer.date
        ),
    }
    println!("  {}", plural(answer.records, "record"));
    println!("\n{HEAD}What was recognised{HEAD:#}");
    let row = |column: &ColumnAnswer| {
        let some = column.examples.join(" | ");
        let some = if some.is_empty() { some } else { format!("such as {some}") };
        vec![format!("  {}", column.name), role(column.role).to_owned(), told(&column.recognised), some]
    };
    let rows: Vec<Vec<String>> = answer.columns.iter().map(row).collect();
    columns(&rows).iter().for_each(|line| println!("{line}"));
    if !answer.left_out.is_empty() {
        println!("  not stored, since they name people: {}", answer.left_out.join(", "));
    }
    for line in in_words(&answer.disguise) {
        println!("  {line}");
    }
    if let Some(people) = answer.people {
        println!("  owner links of {} people", count(people));
    }
    answer.notes.iter().for_each(|note| println!("{HINT}{}{HINT:#}", wrap(note, WIDTH, "")));
    let hint = "If a generalized value was taken for a plain one, give its column a taxonomy in the policy, or this table a policy of \
                its own with --policy; --dry-run tells what would be recognised and enters nothing.";
    println!("{HINT}{}{HINT:#}", wrap(hint, WIDTH, ""));
}

/// `3 values, 2 intervals, suppressed`.
fn told(kinds: &Kinds) -> String {
    let counted = [
        (kinds.values, "value"),
        (kinds.intervals, "interval"),
        (kinds.inner, "taxonomy node"),
        (kinds.masked, "masked prefix"),
    ];
    let word = |(number, word): &(u64, &str)| match *word {
        "masked prefix" if *number != 1 => format!("{number} masked prefixes"),
        word => plural(*number, word),
    };
    let mut parts: Vec<String> = counted.iter().filter(|(number, _)| *number > 0).map(word).collect();
    parts.extend((kinds.suppressed > 0).then(|| "suppressed cells".to_owned()));
    parts.extend((kinds.missing > 0).then(|| "missing values".to_owned()));
    parts.join(", ")
}
