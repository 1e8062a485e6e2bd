//! Builds the answer of `publish` for a release by an algorithm.

use std::collections::BTreeSet;

use reticent::distributions::distributions;
use reticent::join::{Dangling, JoinRequirement, dangling, matching};
use reticent::requirement::Requirement;
use reticent::risk::release_risk;
use reticent::text::counted;
use reticent::{PublishedColumn, Recoding, RecodingRule, Release, Role};

use super::super::coverage::{not_established, open_posteriors};
use super::super::pipeline::{self, MadeRelease, RecordOutcome};
use super::super::plan::{LoadedHistory, Plan};
use super::past::EarlierReleases;
use super::{RecodeMaker, RecodedCandidate, RecodedMeasures};
use crate::answer::{ColumnAnswer, Confidential, JoinAnswer, RecodedAnswer, Seconds};
use crate::dataset::{LoadedPolicy, PreparedData};
use crate::error::Result;

/// Maximum number of bins of a distribution.
const MAX_BINS: usize = 16;

impl RecodeMaker<'_> {
    /// Returns the answer for a release, and for its ledger entry if it was recorded.
    pub fn answer(
        &self,
        made: MadeRelease<Self>,
        recorded: Option<RecordOutcome>,
        recalled: &LoadedHistory,
        past: &EarlierReleases,
    ) -> Result<RecodedAnswer> {
        let (Plan { request, loaded, .. }, prepared) = (self.plan, self.prepared);
        let seconds = made.seconds;
        let RecodedCandidate { algorithm, requirement, outcome, .. } = made.candidate;
        let recoding = &outcome.recoding;
        let RecodedMeasures { release, metrics } = &*made.measured;
        let (hidden_cells, hidden_in) = suppressed_cells(prepared, recoding);
        let mut notes = prepared.notes.clone();
        notes.extend(outcome.notes.iter().cloned());
        notes.extend(self.choice_note(&algorithm));
        notes.extend(ignored_options(loaded, &algorithm));
        let fully_suppressed = self.fully_suppressed(release);
        let confidence = loaded.policy.shorthand.confidence;
        let mut warnings = warnings(prepared, release, (confidence, &fully_suppressed))?;
        let all: Vec<usize> = (0..past.history.releases.len()).collect();
        let dangling = dangling(&prepared.table, &past.history, &all, &requirement.rules);
        warnings.extend(dangling.iter().filter_map(|dangling| dangling_warning(dangling, prepared)));
        warnings.extend(made.verified.verdict.joins.iter().filter(|join| join.already_violated > 0).map(|join| {
            format!(
                "the earlier releases alone violate a requirement: {}. This release does not make it worse ({} of known columns)",
                join.requirement,
                counted(join.already_violated, "combination"),
            )
        }));
        let joins = &made.verified.verdict.joins;
        let computable: BTreeSet<u64> = joins.iter().filter_map(|join| join.computable_from).collect();
        if !computable.is_empty() {
            let numbers: Vec<String> = computable.iter().map(u64::to_string).collect();
            notes.push(format!(
                "this release adds nothing to joins with release {}, from which it can be computed; they are not judged",
                numbers.join(", ")
            ));
        }
        let not_audited = made.audited.as_ref().is_some_and(|audited| audited.confidence.is_none());
        if not_audited && release.columns.iter().any(|column| column.role == Role::Sensitive) {
            warnings
                .push("posteriors were not audited: the policy has no `confidence`, or `audit` is \"off\"".to_owned());
        }
        let mut file = None;
        let recorded = recorded.map(|recorded| {
            notes.extend(recorded.notes);
            file = Some(recorded.file);
            recorded.answer
        });
        warnings.extend(self.data.warnings.iter().cloned());
        notes.extend(self.data.notes.iter().cloned());
        let assumptions = self.plan.access.data_sets.assumptions().into_iter().chain(recalled.assumptions());
        let identity = made.audited.as_ref().and_then(|audited| audited.identity.as_ref());
        let is_singled_out = identity.is_some_and(|identity| identity.singled_out > 0);
        let mut not_established = not_established(&made.statements, &made.judged);
        not_established.extend(open_posteriors(made.audited.as_ref(), &made.statements));
        Ok(RecodedAnswer {
            name: request.name.to_string(),
            recipients: self.plan.recipients.clone(),
            table: file.as_ref().and_then(|_| made.written.table()),
            file,
            recorded,
            judged: made.judged,
            joins: join_answers(&requirement, prepared, past),
            dangling,
            dry_run: !self.plan.publishes(),
            records: prepared.table.contingency.rows() + prepared.table.dropped,
            published: made.written.summary.rows,
            suppressed: release.suppressed,
            dropped: prepared.table.dropped,
            classes: self.classes(release)?,
            algorithm,
            tried: self.tried(),
            max_tries: self.max_tries(),
            series: self.series_start(past).filter(|_| !fully_suppressed.is_empty() || is_singled_out),
            fully_suppressed,
            alternative: None,
            guarantee: outcome.guarantee,
            steps: outcome.steps,
            seed: made.seed,
            suppressed_cells: hidden_cells,
            records_with_suppressed_cells: hidden_in,
            escaped_formulas: made.written.summary.neutralised,
            warnings,
            statements: made.statements,
            assumptions: assumptions.collect(),
            not_established,
            verified: made.verified.verdict,
            audited: made.audited,
            risk: release_risk(release),
            metrics: metrics.clone(),
            columns: column_answers(prepared, release),
            notes,
            seconds: seconds_of(&seconds),
            distributions: Confidential(distributions(&prepared.table, recoding, release, MAX_BINS)?),
        })
    }
}

impl RecodeMaker<'_> {
    /// Returns the names of the quasi-identifiers that have the same value, the root, in every record.
    pub(super) fn fully_suppressed(&self, release: &Release) -> Vec<String> {
        let is_suppressed = |(at, column): &(usize, &PublishedColumn)| {
            let has_values = self.prepared.table.columns[*at].texts.len() > 1;
            let codes = &release.contingency.codes[*at];
            column.role == Role::QuasiIdentifier && has_values && codes.iter().all(|code| *code == column.root())
        };
        let columns = release.columns.iter().enumerate().filter(is_suppressed);
        columns.map(|(_, column)| column.name.clone()).collect()
    }

    /// Returns the number of equivalence classes of a release.
    pub(super) fn classes(&self, release: &Release) -> Result<u64> {
        let on = release.positions(&self.prepared.schema.with_role(Role::QuasiIdentifier))?;
        Ok(reticent::classes::sizes(&release.contingency, &on).len() as u64)
    }
}

/// Returns the sets of earlier releases whose join with this release was judged.
fn join_answers(requirement: &Requirement, prepared: &PreparedData, past: &EarlierReleases) -> Vec<JoinAnswer> {
    let sets: Vec<&[usize]> = requirement.joins.iter().map(|join| join.earlier.as_slice()).collect();
    let matching = matching(&prepared.table, &past.history, &sets, &requirement.rules);
    let join_answer = |(join, matching): (&JoinRequirement, u64)| {
        let mut with: Vec<(u64, String)> = join
            .earlier
            .iter()
            .map(|at| &past.history.releases[*at])
            .map(|earlier| (earlier.number, earlier.name.clone()))
            .collect();
        with.sort_unstable();
        let (with, names) = with.into_iter().unzip();
        JoinAnswer { with, names, matching, judged: join.constraints.len(), implied: join.implied }
    };
    requirement.joins.iter().zip(matching).map(join_answer).collect()
}

fn seconds_of(seconds: &pipeline::StageSeconds) -> Seconds {
    let pipeline::StageSeconds { load_history, read, make, write, verify, audit, measure, record } = *seconds;
    Seconds { load_history, read, search: make, write, verify, audit, measure, record }
}

fn column_answers(prepared: &PreparedData, release: &Release) -> Vec<ColumnAnswer> {
    let answer = |(at, column): (usize, &PublishedColumn)| {
        let mut codes = release.contingency.codes[at].clone();
        codes.sort_unstable();
        codes.dedup();
        // Values of other columns are data and not listed, unless the column is fully suppressed.
        let is_suppressed = codes.iter().all(|code| column.nodes[*code as usize] == 0);
        let listed = if column.role == Role::QuasiIdentifier || is_suppressed { codes.as_slice() } else { &[] };
        ColumnAnswer {
            name: column.name.clone(),
            role: column.role,
            values: prepared.table.columns[at].texts.len(),
            published: listed.iter().map(|code| column.label(*code).to_owned()).collect(),
        }
    };
    release.columns.iter().enumerate().map(answer).collect()
}

/// Returns the number of cells that recoding rules suppress, and the number of records with such cells. A column that is suppressed in
/// every record does not count.
fn suppressed_cells(prepared: &PreparedData, recoding: &Recoding) -> (u64, u64) {
    if recoding.rules.values().all(|rule| matches!(rule, RecodingRule::Drop)) {
        return (0, 0);
    }
    let combos = &prepared.table.contingency;
    let quasi = prepared.table.with_role(Role::QuasiIdentifier);
    let roots: Vec<u32> = quasi.iter().map(|column| recoding.columns[*column].column.root()).collect();
    let (mut row, mut all) = (Vec::new(), 0);
    let mut by_column = vec![0; quasi.len()];
    let mut with_roots: Vec<(Vec<usize>, u64)> = Vec::new();
    for at in 0..combos.len() {
        if !recoding.publish(combos, at, &mut row) {
            continue;
        }
        all += combos.weights[at];
        let is_suppressed = |place: &usize| row[quasi[*place]] == roots[*place];
        let suppressed: Vec<usize> = (0..quasi.len()).filter(is_suppressed).collect();
        suppressed.iter().for_each(|place| by_column[*place] += combos.weights[at]);
        if !suppressed.is_empty() {
            with_roots.push((suppressed, combos.weights[at]));
        }
    }
    let counts = |place: &usize| by_column[*place] < all;
    let cells = (0..quasi.len()).filter(counts).map(|place| by_column[place]).sum();
    let records = with_roots.iter().filter(|(places, _)| places.iter().any(counts)).map(|(_, weight)| weight).sum();
    (cells, records)
}

/// Returns a note if the algorithm does not accept some options of the policy.
fn ignored_options(loaded: &LoadedPolicy, algorithm: &str) -> Option<String> {
    let (_, ignored) = super::options_for(loaded, algorithm).ok()?;
    let names: Vec<String> = ignored.iter().map(|name| format!("`{name}`")).collect();
    let own = loaded.policy.algorithms[0];
    (!names.is_empty()).then(|| {
        format!("{algorithm} does not accept {} of [release.options], which {own} uses; ignored", names.join(", "))
    })
}

/// Returns a warning if most records of the table have no match in an earlier release, which may contain the same people.
fn dangling_warning(dangling: &Dangling, prepared: &PreparedData) -> Option<String> {
    let rows = prepared.table.contingency.rows();
    (dangling.unmatched_new * 2 > rows).then(|| {
        format!(
            "most records have no match in release {} {}. If both releases contain the same people, a shared column changes over time: \
             declare it `time-varying` under [history], or the disclosure by the join is not detected",
            dangling.number, dangling.name
        )
    })
}

/// Returns warnings about doubtful roles, sample uniques and fully suppressed quasi-identifiers.
fn warnings(
    prepared: &PreparedData,
    release: &Release,
    (confidence, fully_suppressed): (Option<f64>, &[String]),
) -> Result<Vec<String>> {
    let mut warnings: Vec<String> = prepared.role_warnings().into_iter().map(|(_, warning)| warning).collect();
    // A requirement on joins may have generalized a column that no model of the release groups by.
    let is_unchanged = |name: &str| {
        let Some(at) = release.columns.iter().position(|column| column.name == name) else { return true };
        let column = &release.columns[at];
        let is_value = |code: &u32| match column.nodes[*code as usize] {
            0 => false,
            node => column.tree.node(node).children.is_empty(),
        };
        release.contingency.codes[at].iter().all(is_value)
    };
    warnings.extend(prepared.unique_value_warnings(is_unchanged)?);
    if !fully_suppressed.is_empty() {
        warnings.push(format!(
            "to keep more of {}, relax the limiting requirement, add levels to a taxonomy, allow `suppression`, set `missing = \"drop\"`, or \
             publish fewer columns{}",
            fully_suppressed.join(", "),
            frequent_value(prepared, confidence).unwrap_or_default()
        ));
    }
    Ok(warnings)
}

/// Share of `confidence` from which the most frequent sensitive value is likely to be the reason for suppression.
const FREQUENT: f64 = 0.8;

/// Returns an explanation if the most frequent value of a sensitive column is almost as frequent as `confidence`.
fn frequent_value(prepared: &PreparedData, confidence: Option<f64>) -> Option<String> {
    let confidence = confidence?;
    let table = &prepared.table;
    let share = |at: &usize| {
        let weights = table.weights_of(*at);
        let total: u64 = weights.iter().sum();
        weights.iter().max().map_or(0.0, |most| *most as f64 / total.max(1) as f64)
    };
    let columns = table.with_role(Role::Sensitive).into_iter().map(|at| (at, share(&at)));
    let (at, share) = columns.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    (share > FREQUENT * confidence).then(|| {
        format!(
            "; a likely reason: the most frequent value of {} has a share of {:.1} %, and `confidence` is {confidence}",
            table.columns[at].name,
            100.0 * share
        )
    })
}
