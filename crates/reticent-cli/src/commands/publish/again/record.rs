//! Recording a release by a method.

use std::collections::BTreeMap;
use std::time::Instant;

use reticent::history::Disguise;
use reticent::methods::Reason;
use reticent::schema::Role;
use reticent::table::Counts;
use reticent::taxonomy::Type;
use reticent_ledger::{
    Body, BodyColumn, BodyTree, ByMethod, Draft, FileRecord, Hash, Key, MethodRecord, Metric, Origin, Promised, Stored,
    Verified, Withheld, Writer, today,
};

use super::Job;
use super::folder::PEOPLE;
use super::make::Made;
use super::print::{of_records, together};
use crate::commands::publish::record::{Recorded, body_column, enter};
use crate::failure::Failure;

/// Records a release and gives its folder its name; nothing when somebody else recorded one meanwhile.
pub fn record(job: &Job<'_>, made: &mut Made, writer: Writer<'_>, key: &Key) -> Result<Option<Recorded>, Failure> {
    let clock = Instant::now();
    let Job { options, loaded, prepared, .. } = job;
    let head = writer.head();
    if made.against.is_some_and(|against| against != head) || made.against.is_none() && head.entries > 0 {
        return Ok(None);
    }
    let shown = &made.shown;
    let body = body(job, &shown.people, &shown.group);
    let lists = shown.lists.iter().zip(&made.files.lists).map(|(list, name)| (name, &list.counts, list.set));
    let marginals = shown.marginals.iter().zip(&made.files.marginals).map(|(counts, name)| (name, counts, false));
    let tables: Vec<(String, Body, bool)> = lists
        .chain(marginals)
        .map(|(name, counts, set)| (name.clone(), self::body(job, counts, &shown.group), set))
        .collect();
    let bodies = || [&body].into_iter().chain(tables.iter().map(|(_, body, _)| body));
    let used = |tree: &str| bodies().flat_map(|body| &body.columns).any(|column| column.name == tree);
    let taxonomies: Vec<(String, String)> =
        loaded.taxonomies.iter().filter(|(column, _)| used(column)).cloned().collect();
    let (sha256, bytes) = made.file;
    let draft = Draft {
        name: options.name.clone(),
        dataset: loaded.policy.dataset.clone(),
        date: today(),
        recipients: options.to.clone(),
        origin: Origin::Published,
        suppressed: (made.outcome.waiting.len() + made.outcome.withheld.len()) as u64,
        dropped: prepared.table.dropped,
        disguise: Disguise::default(),
        body: &body,
        by_method: Some(ByMethod {
            tables: tables.iter().map(|(name, body, set)| (name.clone(), body, *set)).collect(),
            remembered: &made.remembered,
            method: method(job, made),
        }),
        links: shown.people.links.as_ref().map(|links| (links, key.fingerprint())),
        policy: Some(&loaded.text),
        taxonomies: &taxonomies,
        file: Some(FileRecord { path: writer.ledger().inside(&options.output), sha256, bytes }),
        naming: Some(made.staging.naming(&options.output)?),
        made: Some(how(job, made)),
        judged: made.judged.clone(),
    };
    enter(writer, &draft, &mut made.staging, clock).map(Some)
}

/// A table with what its columns are.
fn body(job: &Job<'_>, counts: &Counts, group: &str) -> Body {
    let table = &job.prepared.table;
    let column = |name: &String| match table.columns.iter().find(|column| column.name == *name) {
        Some(column) if name != group => {
            body_column((name, column.role, &column.tree), &job.prepared.schema, &job.loaded.taxonomies)
        }
        _ => BodyColumn {
            name: name.clone(),
            role: Role::QuasiIdentifier,
            values: Type::Text,
            tree: BodyTree::Flat,
            missing: Vec::new(),
        },
    };
    Body { columns: counts.names.iter().map(column).collect(), counts: Counts { links: None, ..counts.clone() } }
}

fn method(job: &Job<'_>, made: &Made) -> MethodRecord {
    MethodRecord {
        id: job.method.listed.entry.id.to_owned(),
        form: job.method.form.word().to_owned(),
        promise: promised(job),
        records: job.method.listed.linked(&job.arguments).map(|most| most.fraction()),
        left: job.method.listed.left(&job.arguments),
        groups: made.outcome.groups.len() as u64,
        counterfeits: made.shown.counterfeits(),
        waiting: made.outcome.waiting.len() as u64,
        withheld: withheld(&made.outcome.withheld),
        remembered: Stored { sha256: Hash::of(b""), bytes: 0 },
    }
}

/// What is promised, by sensitive column.
pub fn promised(job: &Job<'_>) -> Vec<Promised> {
    let one = |column: &str| Some(Promised { column: column.to_owned(), most: job.promise(column)?.fraction() });
    job.sensitive().into_iter().filter_map(one).collect()
}

/// How many are withheld, by why.
pub fn withheld(records: &[(u32, Reason)]) -> Vec<Withheld> {
    let mut by_reason: BTreeMap<Reason, u64> = BTreeMap::new();
    records.iter().for_each(|(_, reason)| *by_reason.entry(*reason).or_default() += 1);
    by_reason.into_iter().map(|(reason, records)| Withheld { reason: reason.word().to_owned(), records }).collect()
}

fn how(job: &Job<'_>, made: &Made) -> reticent_ledger::Made {
    let promised = made.audited.columns.iter().map(|column| {
        let most = job.promise(&column.column).map_or_else(|| column.confidence.to_string(), |most| most.fraction());
        let but = match column.already {
            0 => String::new(),
            people => format!(", but of {people} of whom earlier releases tell more"),
        };
        format!("{} of nobody is told with more than {most} by {}{but}", column.column, together(&made.judged))
    });
    let of_records = of_records(&made.audited, &made.judged);
    let tables = format!("the tables hold what was to be published ({PEOPLE} and {} more)", made.files.lists.len());
    reticent_ledger::Made {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        algorithm: job.method.listed.entry.id.to_owned(),
        guarantee: "safe".to_owned(),
        steps: made.outcome.groups.len() as u64,
        seed: made.seed,
        classes: made.outcome.groups.len() as u64,
        verified: [tables]
            .into_iter()
            .chain(promised)
            .chain(of_records)
            .map(|model| Verified { model, violations: 0 })
            .collect(),
        audit: Some(made.audited.proof.word().to_owned()),
        metrics: [("iloss", Some(made.utility.iloss)), ("query-error", made.utility.query_error)]
            .into_iter()
            .filter_map(|(id, value)| Some(Metric { id: id.to_owned(), value: value? }))
            .collect(),
    }
}
