//! Recording a release in the ledger.

use std::path::PathBuf;
use std::time::Instant;

use reticent::history::Disguise;
use reticent::recoding::Recoded;
use reticent::schema::{Role, Schema, Tree};
use reticent::taxonomy::{Taxonomy, Type};
use reticent_ledger::{
    Body, BodyColumn, BodyTree, Draft, Error, FileRecord, Hash, Key, Metric, Origin, Staging, Verified, Writer, today,
};

use super::answer::classes;
use super::make::{Job, Made, lap};
use crate::failure::Failure;

/// How a release is recorded.
pub struct Recorded {
    pub number: u64,
    pub entry: Hash,
    /// The name the file took, when it is not the one it was meant to have.
    pub file: Option<PathBuf>,
    pub people: Option<u64>,
    pub notes: Vec<String>,
    pub seconds: f64,
}

/// Records a release and gives its file its name; nothing when somebody else recorded one meanwhile.
pub fn record(
    job: &Job<'_>,
    made: &mut Made,
    writer: Writer<'_>,
    key: Option<&Key>,
) -> Result<Option<Recorded>, Failure> {
    let clock = Instant::now();
    let Job { options, loaded, prepared, .. } = job;
    // What does not hold, or was not audited, is never recorded, whoever calls.
    if !made.verified.holds() || made.audited.is_none() {
        let what = "the release".to_owned();
        let why = "it was to be recorded although it was not established that it holds".to_owned();
        return Err(reticent::Error::CannotCheck { what, why }.into());
    }
    let head = writer.head();
    if made.against.is_some_and(|against| against != head) || made.against.is_none() && head.entries > 0 {
        return Ok(None);
    }
    let recoding = &made.outcome.recoding;
    let body = Body {
        columns: recoding
            .columns
            .iter()
            .map(|Recoded { column, .. }| {
                body_column((&column.name, column.role, &column.tree), &prepared.schema, &loaded.taxonomies)
            })
            .collect(),
        counts: made.published.clone(),
    };
    let links = match &prepared.linked {
        Some(linked) => {
            let places = recoding.places(&prepared.table, &linked.counted, &made.published)?;
            Some(linked.links.onto(&places))
        }
        None => None,
    };
    let used = |column: &String| body.columns.iter().any(|known| known.name == *column);
    let taxonomies: Vec<(String, String)> =
        loaded.taxonomies.iter().filter(|(column, _)| used(column)).cloned().collect();
    let (sha256, bytes) = made.file;
    let draft = Draft {
        name: options.name.clone(),
        dataset: loaded.policy.dataset.clone(),
        date: today(),
        recipients: options.to.clone(),
        origin: Origin::Published,
        suppressed: made.release.suppressed,
        dropped: prepared.table.dropped,
        disguise: Disguise::default(),
        body: &body,
        by_method: None,
        links: links.as_ref().zip(key).map(|(links, key)| (links, key.fingerprint())),
        policy: Some(&loaded.text),
        taxonomies: &taxonomies,
        file: Some(FileRecord { path: writer.ledger().inside(&options.output), sha256, bytes }),
        naming: Some(made.staging.naming(&options.output)?),
        made: Some(how(job, made)?),
        judged: made.judged.clone(),
    };
    enter(writer, &draft, &mut made.staging, clock).map(Some)
}

/// Enters a release that was made against the head as it is, and gives its file its name.
pub fn enter(
    writer: Writer<'_>,
    draft: &Draft<'_>,
    staging: &mut Staging,
    clock: Instant,
) -> Result<Recorded, Failure> {
    let folder = writer.ledger().folder().to_owned();
    // From here on the ledger looks after the staging folder.
    crate::steward::remove_when_killed(None);
    match writer.append(draft) {
        Ok(outcome) => {
            let wanted = draft.naming.as_ref().map(|naming| naming.to.clone());
            Ok(Recorded {
                number: outcome.entry.number,
                entry: outcome.hash,
                file: outcome.file.filter(|file| Some(file) != wanted.as_ref()),
                people: outcome.entry.release().and_then(|release| release.links.as_ref()).map(|links| links.people),
                notes: outcome.notes,
                seconds: lap(clock),
            })
        }
        Err(error) => {
            // What is not settled yet may need the file.
            if matches!(error, Error::Unnamed { .. }) || reticent_ledger::Ledger::is_unsettled(&folder) {
                staging.leave();
            }
            Err(error.into())
        }
    }
}

/// What a column's published texts are nodes of.
pub fn body_column(
    (name, role, of): (&str, Role, &Taxonomy),
    schema: &Schema,
    taxonomies: &[(String, String)],
) -> BodyColumn {
    let attribute = schema.attributes.iter().find(|attribute| attribute.name == name);
    let written = taxonomies.iter().find(|(known, _)| known == name);
    let tree = match (attribute.map(|attribute| &attribute.tree), written) {
        (Some(Tree::Given(_)), Some((_, text))) => BodyTree::Taxonomy(Hash::of(text.as_bytes())),
        _ if of.numbers().is_some() => BodyTree::Recognised,
        _ => BodyTree::Flat,
    };
    BodyColumn {
        name: name.to_owned(),
        role,
        values: attribute.map_or(Type::Text, |attribute| attribute.values),
        tree,
        missing: of.missing().map(|code| of.value(code).to_owned()).into_iter().collect(),
    }
}

fn how(job: &Job<'_>, made: &Made) -> Result<reticent_ledger::Made, Failure> {
    let verified = made.verified.models.iter();
    let guarantee = serde_json::to_value(made.outcome.guarantee).ok().and_then(|word| word.as_str().map(str::to_owned));
    Ok(reticent_ledger::Made {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        algorithm: made.algorithm.clone(),
        guarantee: guarantee.unwrap_or_default(),
        steps: made.outcome.steps,
        seed: made.seed,
        classes: classes(job.prepared, &made.release)?,
        verified: verified
            .map(|(model, breaches)| (model, breaches.len()))
            .chain(made.verified.joined.iter().map(|over| (&over.statement, over.violations.len())))
            .map(|(model, violations)| Verified { model: model.clone(), violations: violations as u64 })
            .collect(),
        audit: made.audited.as_ref().map(|audited| audited.proof.word().to_owned()),
        metrics: made
            .metrics
            .iter()
            .map(|metric| Metric { id: metric.id.to_owned(), value: metric.measure.value })
            .collect(),
    })
}
