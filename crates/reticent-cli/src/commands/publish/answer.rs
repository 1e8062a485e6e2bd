//! What `publish` answers.

use std::path::PathBuf;

use reticent::algorithms::Guarantee;
use reticent::joined::Dangling;
use reticent::metrics::Measure;
use reticent::recoding::{Recoding, Rule};
use reticent::release::Release;
use reticent::risk::{Brief, brief};
use reticent::schema::Role;
use reticent::verify::Verdict;
use reticent_ledger::Judged;
use serde::Serialize;

use super::gate::Audited;
use super::make::{Job, Made};
use super::record::Recorded;
use crate::books::Books;
use crate::failure::Failure;
use crate::steward::{Loaded, Prepared};

/// What `publish` answers.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// The release's name.
    pub name: String,
    /// Who gets it.
    pub recipients: Vec<String>,
    /// The file, unless nothing was published.
    pub file: Option<PathBuf>,
    /// Where it is recorded, unless nothing was published.
    pub recorded: Option<RecordedAs>,
    /// What it was judged together with.
    pub judged: Judged,
    /// The sets of earlier releases that were looked at together with it.
    pub together: Vec<Looked>,
    /// Records that match none of another release: that is about other people.
    pub dangling: Vec<Dangling>,
    /// Whether it was a rehearsal.
    pub dry_run: bool,
    /// Records in the data.
    pub records: u64,
    /// Records in the file.
    pub published: u64,
    /// Records left out because their class violated the requirement.
    pub suppressed: u64,
    /// Records left out because a value was missing.
    pub dropped: u64,
    /// Classes of records that look alike on the quasi-identifiers.
    pub classes: u64,
    /// The algorithm.
    pub algorithm: String,
    /// What is known about how little was lost.
    pub guarantee: Guarantee,
    /// Steps taken or states judged.
    pub steps: u64,
    /// Decides the order of the rows.
    pub seed: u64,
    /// Cells of quasi-identifiers that were hidden class by class.
    pub hidden_cells: u64,
    /// Records with such cells.
    pub hidden_in: u64,
    /// Cells that looked like a formula and were written with an apostrophe.
    pub neutralised: u64,
    /// What the verifier found in the written bytes.
    pub verified: Verdict,
    /// What it gives away together with what was released before; none when it was refused already.
    pub audited: Option<Audited>,
    /// What somebody who knows the quasi-identifiers can do with the release by itself.
    pub risk: Brief,
    /// What the release kept or lost.
    pub metrics: Vec<Metric>,
    /// How each column was published.
    pub columns: Vec<ColumnAnswer>,
    /// What a steward should look at before anybody else does.
    pub warnings: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Where the time went.
    pub seconds: Seconds,
}

/// Earlier releases that were looked at together with the new one.
#[derive(Debug, Serialize)]
pub struct Looked {
    /// Their numbers.
    pub with: Vec<u64>,
    /// Their names.
    pub names: Vec<String>,
    /// Records of the new table that match some record of each.
    pub matching: u64,
    /// How many demands were judged on their join.
    pub judged: usize,
    /// How many follow from what was judged on fewer of them.
    pub following: usize,
}

/// A measured metric.
#[derive(Debug, Serialize)]
pub struct Metric {
    /// The metric.
    pub id: &'static str,
    /// Its value, and how to read it.
    #[serde(flatten)]
    pub measure: Measure,
}

/// How a column was published.
#[derive(Debug, Serialize)]
pub struct ColumnAnswer {
    /// The column.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// Different values in the data.
    pub values: usize,
    /// Different values in the file.
    pub published: Vec<String>,
}

/// Where the time went, in seconds.
#[derive(Debug, Default, Serialize)]
pub struct Seconds {
    /// Loading earlier releases from the ledger.
    pub recall: f64,
    /// Reading and counting.
    pub read: f64,
    /// Finding the recoding.
    pub search: f64,
    /// Writing.
    pub write: f64,
    /// Reading back and judging.
    pub verify: f64,
    /// Auditing it together with what was released before.
    pub audit: f64,
    /// Measuring what was lost.
    pub measure: f64,
    /// Recording.
    pub record: f64,
}

/// Where a release is recorded.
#[derive(Debug, Serialize)]
pub struct RecordedAs {
    /// The ledger.
    pub ledger: PathBuf,
    /// The release's number.
    pub release: u64,
    /// The hash of its entry.
    pub entry: String,
    /// The hash of the published file.
    pub sha256: String,
    /// People whose records are linked, under pseudonyms.
    pub people: Option<u64>,
}

impl Job<'_> {
    /// Tells what was made, and where it is recorded.
    pub fn answer(&self, made: Made, recorded: Option<Recorded>, books: &Books) -> Result<Answer, Failure> {
        let Job { options, loaded, prepared, .. } = self;
        let (hidden_cells, hidden_in) = hidden(prepared, &made.outcome.recoding);
        let mut notes = prepared.notes.clone();
        notes.extend(made.outcome.notes);
        notes.extend(ignored_options(loaded, &made.algorithm));
        let mut warnings = warnings(prepared, &made.release)?;
        warnings.extend(made.dangling.iter().filter_map(|dangling| mostly_dangling(dangling, prepared)));
        let mut seconds = made.seconds;
        let mut file = None;
        let recorded = recorded.map(|recorded| {
            notes.extend(recorded.notes);
            seconds.record = recorded.seconds;
            file = Some(recorded.file.unwrap_or_else(|| options.output.clone()));
            RecordedAs {
                ledger: books.folder.clone(),
                release: recorded.number,
                entry: recorded.entry.to_string(),
                sha256: made.file.0.to_string(),
                people: recorded.people,
            }
        });
        Ok(Answer {
            name: options.name.clone(),
            recipients: options.to.clone(),
            file,
            recorded,
            judged: made.judged,
            together: made.together,
            dangling: made.dangling,
            dry_run: options.dry_run,
            records: prepared.table.combos.rows() + prepared.table.dropped,
            published: made.written.rows,
            suppressed: made.release.suppressed,
            dropped: prepared.table.dropped,
            classes: classes(prepared, &made.release)?,
            algorithm: made.algorithm,
            guarantee: made.outcome.guarantee,
            steps: made.outcome.steps,
            seed: made.seed,
            hidden_cells,
            hidden_in,
            neutralised: made.written.neutralised,
            warnings,
            verified: made.verified,
            audited: made.audited,
            risk: brief(&made.release),
            metrics: made.metrics,
            columns: column_answers(prepared, &made.release),
            notes,
            seconds,
        })
    }
}

/// Classes of records that look alike on the quasi-identifiers.
pub fn classes(prepared: &Prepared, release: &Release) -> Result<u64, Failure> {
    let on = release.positions(&prepared.schema.with_role(Role::QuasiIdentifier))?;
    Ok(reticent::classes::sizes(&release.combos, &on).len() as u64)
}

fn column_answers(prepared: &Prepared, release: &Release) -> Vec<ColumnAnswer> {
    let answer = |(at, column): (usize, &reticent::release::PublishedColumn)| {
        let mut codes = release.combos.codes[at].clone();
        codes.sort_unstable();
        codes.dedup();
        // Values of other columns are data, not a description of the recoding; but that one says nothing is not.
        let silent = codes.iter().all(|code| column.nodes[*code as usize] == 0);
        let listed = if column.role == Role::QuasiIdentifier || silent { codes.as_slice() } else { &[] };
        ColumnAnswer {
            name: column.name.clone(),
            role: column.role,
            values: prepared.table.columns[at].texts.len(),
            published: listed.iter().map(|code| column.label(*code).to_owned()).collect(),
        }
    };
    release.columns.iter().enumerate().map(answer).collect()
}

/// Cells that rules hide, and the records they are in.
fn hidden(prepared: &Prepared, recoding: &Recoding) -> (u64, u64) {
    let combos = &prepared.table.combos;
    let (mut cells, mut records) = (0, 0);
    let mut row = Vec::new();
    let hides = recoding.rules.values().any(|rule| matches!(rule, Rule::Hide(_)));
    for at in (0..combos.len()).filter(|_| hides) {
        if !recoding.publish(combos, at, &mut row) {
            continue;
        }
        let plain = recoding.columns.iter().zip(&combos.codes).map(|(recoded, codes)| recoded.map[codes[at] as usize]);
        let changed = plain.zip(&row).filter(|(plain, published)| plain != *published).count() as u64;
        cells += changed * combos.weights[at];
        records += u64::from(changed > 0) * combos.weights[at];
    }
    (cells, records)
}

/// Says that the policy's options are for another algorithm.
fn ignored_options(loaded: &Loaded, algorithm: &str) -> Option<String> {
    let ignored = algorithm != loaded.policy.algorithm && loaded.policy.options.names().next().is_some();
    ignored.then(|| format!("the policy's [release.options] are for {} and were not used", loaded.policy.algorithm))
}

/// A table most of whose records match none of an earlier release, although they may be about the same people.
fn mostly_dangling(dangling: &Dangling, prepared: &Prepared) -> Option<String> {
    let rows = prepared.table.combos.rows();
    (dangling.ours * 2 > rows).then(|| {
        format!(
            "most records match none of {} {}; if it is about the same people, some column that both have changes from release to \
             release: name it under [history] as `varies`, or what the two give away together is not seen",
            dangling.number, dangling.name
        )
    })
}

/// What the requirement does not see, and what a release that says little could be helped by.
fn warnings(prepared: &Prepared, release: &Release) -> Result<Vec<String>, Failure> {
    let mut warnings: Vec<String> = prepared.doubtful().into_iter().map(|(_, warning)| warning).collect();
    // What is demanded of joins may have generalized a column that no model of the release itself speaks of.
    let as_it_is = |name: &str| {
        let Some(at) = release.columns.iter().position(|column| column.name == name) else { return true };
        let column = &release.columns[at];
        let is_value = |code: &u32| match column.nodes[*code as usize] {
            0 => false,
            node => column.tree.node(node).children.is_empty(),
        };
        release.combos.codes[at].iter().all(is_value)
    };
    warnings.extend(prepared.unprotected(as_it_is)?);
    let quasi: Vec<usize> =
        (0..release.columns.len()).filter(|at| release.columns[*at].role == Role::QuasiIdentifier).collect();
    let silent = |at: &&usize| {
        let codes = &release.combos.codes[**at];
        prepared.table.columns[**at].texts.len() > 1 && codes.iter().all(|code| *code == release.columns[**at].root())
    };
    let names: Vec<&str> = quasi.iter().filter(silent).map(|at| release.columns[*at].name.as_str()).collect();
    if !names.is_empty() {
        warnings.push(format!(
            "{} of {} quasi-identifiers {} nothing ({}); groups in their taxonomies, `suppression`, `missing = \"drop\"` or \
             fewer columns (--columns) may let them say more",
            names.len(),
            quasi.len(),
            if names.len() == 1 { "says" } else { "say" },
            names.join(", ")
        ));
    }
    Ok(warnings)
}
