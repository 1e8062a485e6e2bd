//! What `publish` answers for a release by an algorithm.

use reticent::joined::{Dangling, Together, dangling, matching};
use reticent::requirement::Requirement;
use reticent::risk::brief;
use reticent::{Recoding, Release, Role, Rule};

use super::super::pipeline::{self, Made, Recorded};
use super::super::plan::Plan;
use super::past::EarlierReleases;
use super::{Measured, Recode, RecodedRelease};
use crate::answer::{ColumnAnswer, Looked, Published, Seconds};
use crate::dataset::{Loaded, Prepared};
use crate::error::Result;

impl Recode<'_> {
    /// What was made, and where it is recorded.
    pub fn answer(&self, made: Made<Self>, recorded: Option<Recorded>, past: &EarlierReleases) -> Result<Published> {
        let (Plan { request, loaded, .. }, prepared) = (self.plan, self.prepared);
        let seconds = made.seconds;
        let RecodedRelease { algorithm, requirement, outcome } = made.candidate;
        let recoding = &outcome.recoding;
        let Measured { release, metrics } = made.measured;
        let (hidden_cells, hidden_in) = hidden(prepared, recoding);
        let mut notes = prepared.notes.clone();
        notes.extend(outcome.notes);
        notes.extend(ignored_options(loaded, &algorithm));
        let mut warnings = warnings(prepared, &release)?;
        let all: Vec<usize> = (0..past.history.releases.len()).collect();
        let dangling = dangling(&prepared.table, &past.history, &all, &requirement.rules);
        warnings.extend(dangling.iter().filter_map(|dangling| mostly_dangling(dangling, prepared)));
        let mut file = None;
        let recorded = recorded.map(|recorded| {
            notes.extend(recorded.notes);
            file = Some(recorded.file);
            recorded.answer
        });
        Ok(Published {
            name: request.name.to_string(),
            recipients: self.plan.to.clone(),
            file,
            recorded,
            judged: made.judged,
            together: looked(&requirement, prepared, past),
            dangling,
            dry_run: self.plan.rehearsal.is_some(),
            records: prepared.table.combos.rows() + prepared.table.dropped,
            published: made.written.rows,
            suppressed: release.suppressed,
            dropped: prepared.table.dropped,
            classes: self.classes(&release)?,
            algorithm,
            guarantee: outcome.guarantee,
            steps: outcome.steps,
            seed: made.seed,
            hidden_cells,
            hidden_in,
            neutralised: made.written.neutralised,
            warnings,
            verified: made.verified.verdict,
            audited: made.audited,
            risk: brief(&release),
            metrics,
            columns: column_answers(prepared, &release),
            notes,
            seconds: seconds_of(&seconds),
        })
    }
}

impl Recode<'_> {
    /// How many equivalence classes a release has.
    pub(super) fn classes(&self, release: &Release) -> Result<u64> {
        let on = release.positions(&self.prepared.schema.with_role(Role::QuasiIdentifier))?;
        Ok(reticent::classes::sizes(&release.combos, &on).len() as u64)
    }
}

/// The sets of earlier releases that were joined with this one.
fn looked(requirement: &Requirement, prepared: &Prepared, past: &EarlierReleases) -> Vec<Looked> {
    let sets: Vec<&[usize]> = requirement.joined.iter().map(|together| together.earlier.as_slice()).collect();
    let matching = matching(&prepared.table, &past.history, &sets, &requirement.rules);
    let looked = |(together, matching): (&Together, u64)| {
        let mut with: Vec<(u64, String)> = together
            .earlier
            .iter()
            .map(|at| &past.history.releases[*at])
            .map(|held| (held.number, held.name.clone()))
            .collect();
        with.sort_unstable();
        let (with, names) = with.into_iter().unzip();
        Looked { with, names, matching, judged: together.statements.len(), following: together.following }
    };
    requirement.joined.iter().zip(matching).map(looked).collect()
}

fn seconds_of(seconds: &pipeline::Timings) -> Seconds {
    let pipeline::Timings { recall, read, make, write, verify, audit, measure, record } = *seconds;
    Seconds { recall, read, search: make, write, verify, audit, measure, record }
}

fn column_answers(prepared: &Prepared, release: &Release) -> Vec<ColumnAnswer> {
    let answer = |(at, column): (usize, &reticent::PublishedColumn)| {
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
fn warnings(prepared: &Prepared, release: &Release) -> Result<Vec<String>> {
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
