//! `compare`: rehearses a release with several settings, and shows which lose least for their risk.
//!
//! A choice is *outside* if it is weaker than the policy, or suppresses more. The others of the same policy and columns are compared: a
//! choice is *dominated* if another one has at most its risks and at most its loss, and less of one, or if an earlier one has the same. The
//! *recommended* choice is the one with the least loss that is not dominated.

mod page;

use std::path::Path;

use reticent::metrics::PURPOSE_LOSS;
use reticent::policy::{DEFAULT_ALGORITHMS, PolicyChanges};
use reticent::{Recipient, ReleaseName};
use reticent_ledger::{Entry, Ledger};
use reticent_report::{Comparison, comparison_html};

use crate::answer::{Choice, ChoiceResult, ChoiceState, CompareAnswer, MetricValue, RecodedAnswer};
use crate::context::Context;
use crate::dataset::{LoadedPolicy, load};
use crate::error::{Class, Error, Problem, Result};
use crate::ledger_access::LedgerAccess;
use crate::page_file::write_page;
use crate::publish::Rehearsals;
use crate::request::{CompareRequest, PublishRequest};
use crate::{POLICY, PolicySource, Workspace};

/// Values of `k` that are compared if the request lists none.
const K: [u64; 5] = [2, 3, 5, 10, 20];
/// Differences from the confidence bound of the policy that are compared, in percentage points.
const CONFIDENCE_STEPS: [i32; 4] = [-20, -10, 10, 20];
/// Confidence bounds that are compared if the request lists none and the policy has none, in percent.
const CONFIDENCE: [i32; 5] = [50, 60, 70, 80, 90];
/// Limits of suppression that are compared if the request lists none.
const SUPPRESSION: [f64; 3] = [0.0, 0.05, 0.1];

/// Settings that are rehearsed.
#[derive(Clone, Default, PartialEq)]
struct Settings {
    algorithm: Option<String>,
    changes: PolicyChanges,
}

/// Rehearses every choice. Publishes nothing.
pub(crate) fn compare(workspace: &Workspace, request: &CompareRequest, context: &Context) -> Result<CompareAnswer> {
    if let Some(path) = &request.html {
        if path.symlink_metadata().is_ok() {
            return Err(Problem::OutputExists { path: path.clone(), what: "file" }.into());
        }
        // Rehearsals can take long; find out first that the page could be written.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.metadata().map_err(Error::file("write the report to", path))?;
    }
    let folder = tempfile::tempdir().map_err(Error::file("write in", std::env::temp_dir()))?;
    let own = vec![workspace.policy.clone()];
    let policies: &Vec<PolicySource> = if request.policies.is_empty() { &own } else { &request.policies };
    let page = Comparison::default();
    let mut answer = CompareAnswer { choices: Vec::new(), assumptions: Vec::new(), html: None, page };
    for policy in policies {
        let workspace = Workspace { policy: policy.clone(), ..workspace.clone() };
        let loaded = load(policy)?;
        let ledger = LedgerAccess::new(&workspace, &loaded.policy, "comparing releases", context).open_to_rehearse()?;
        let starts_ledger = ledger.is_none();
        let name = match &request.name {
            Some(name) => name.clone(),
            None => free_name(ledger.as_ref())?,
        };
        drop(ledger);
        let rehearsing = Workspace { start_ledger: true, ..workspace.clone() };
        for columns in or_none(&request.columns) {
            let group = Group { workspace: &rehearsing, request, name: &name, columns, folder: folder.path(), context };
            let first = answer.choices.len();
            group.rehearse_all(&loaded, &mut answer)?;
            mark(&mut answer.choices[first..], &loaded);
            let recommended = |choice: &&mut Choice| choice.state == ChoiceState::Recommended;
            for choice in answer.choices[first..].iter_mut().filter(recommended) {
                choice.command = Some(command(&workspace, request, &name, starts_ledger, choice));
            }
        }
    }
    answer.page = page::page(request, &answer, context);
    if let Some(path) = &request.html {
        write_page(path, &comparison_html(&answer.page), false)?;
        answer.html = Some(path.clone());
    }
    Ok(answer)
}

/// Returns a name that no release has.
fn free_name(ledger: Option<&Ledger>) -> Result<ReleaseName> {
    let entries = ledger.map(Ledger::entries).transpose()?.unwrap_or_default();
    let is_taken = |name: &str| entries.iter().filter_map(Entry::release).any(|release| release.name == name);
    let numbered = (2..).map(|number| format!("next-{number}"));
    let mut names = ["next".to_owned()].into_iter().chain(numbered);
    let name = names.find(|name| !is_taken(name)).unwrap_or_else(|| "next".to_owned());
    Ok(ReleaseName::new(&name)?)
}

/// Returns every element of a list, or `None` if it is empty.
fn or_none<T: Clone>(given: &[T]) -> Vec<Option<T>> {
    if given.is_empty() { vec![None] } else { given.iter().cloned().map(Some).collect() }
}

/// Choices with the same policy and columns. Their data and history are read once, and their losses can be compared.
struct Group<'a> {
    workspace: &'a Workspace,
    request: &'a CompareRequest,
    name: &'a ReleaseName,
    columns: Option<Vec<String>>,
    folder: &'a Path,
    context: &'a Context,
}

impl Group<'_> {
    fn rehearse_all(&self, loaded: &LoadedPolicy, answer: &mut CompareAnswer) -> Result<()> {
        let publish = self.publish_request(&Settings::default());
        let rehearsals = match Rehearsals::new(self.workspace, &publish, self.context) {
            Err(error) if error.class() == Class::Refused => Err(error.to_string()),
            rehearsals => Ok(rehearsals?),
        };
        let is_listed = self.is_listed();
        let mut settings = if is_listed { self.listed() } else { vec![Settings::default()] };
        let mut at = 0;
        while at < settings.len() {
            self.context.progress("comparing", at as u64, settings.len() as u64);
            let choice = match &rehearsals {
                Ok(rehearsals) => self.rehearse(rehearsals, &settings[at], answer)?,
                Err(refusal) => Choice { error: Some(refusal.clone()), ..self.choice(&settings[at]) },
            };
            if at == 0 && !is_listed {
                let algorithm = choice.result.as_ref().map(|result| result.algorithm.clone());
                settings.extend(variations(loaded, algorithm.as_deref()));
            }
            answer.choices.push(choice);
            self.context.check()?;
            at += 1;
        }
        Ok(())
    }

    fn is_listed(&self) -> bool {
        let CompareRequest { policies, algorithms, k, confidence, suppression, columns, .. } = self.request;
        let lists = [algorithms.len(), k.len(), confidence.len(), suppression.len(), columns.len()];
        lists.iter().any(|length| *length > 0) || policies.len() > 1
    }

    /// Returns every combination of the listed settings.
    fn listed(&self) -> Vec<Settings> {
        let CompareRequest { algorithms, k, confidence, suppression, .. } = self.request;
        let mut settings = Vec::new();
        for algorithm in or_none(algorithms) {
            for k in or_none(k) {
                for confidence in or_none(confidence) {
                    for suppression in or_none(suppression) {
                        let confidence = confidence.map(|confidence| confidence.decimal());
                        let changes = PolicyChanges { k, confidence, suppression };
                        settings.push(Settings { algorithm: algorithm.clone(), changes });
                    }
                }
            }
        }
        settings
    }

    fn publish_request(&self, settings: &Settings) -> PublishRequest {
        PublishRequest {
            data: self.request.data.clone(),
            name: self.name.clone(),
            output: self.folder.join("release.csv"),
            recipients: self.request.recipients.clone(),
            ignore_history: self.request.ignore_history,
            columns: self.columns.clone(),
            algorithm: settings.algorithm.clone(),
            changes: settings.changes,
            time_limit: None,
            seed: self.request.seed,
        }
    }

    fn choice(&self, settings: &Settings) -> Choice {
        Choice {
            policy: self.workspace.policy.name(),
            algorithm: settings.algorithm.clone(),
            k: settings.changes.k,
            confidence: settings.changes.confidence,
            suppression: settings.changes.suppression,
            columns: self.columns.clone(),
            result: None,
            error: None,
            refusal: None,
            state: ChoiceState::Refused,
            command: None,
        }
    }

    /// Rehearses one choice. A refusal is a result, any other error is returned.
    fn rehearse(&self, rehearsals: &Rehearsals<'_>, settings: &Settings, answer: &mut CompareAnswer) -> Result<Choice> {
        let mut choice = self.choice(settings);
        match rehearsals.rehearse(&self.publish_request(settings)) {
            Ok(release) if release.verified.holds() => {
                for assumption in &release.assumptions {
                    if !answer.assumptions.contains(assumption) {
                        answer.assumptions.push(assumption.clone());
                    }
                }
                choice.result = Some(choice_result(release));
            }
            Ok(_) => choice.error = Some("the written file violates the requirement".to_owned()),
            Err(error) if error.class() == Class::Refused => {
                choice.error = Some(error.to_string());
                if let Error::Refused { remedies, .. } = error {
                    choice.refusal = Some(*remedies);
                }
            }
            Err(error) => return Err(error),
        }
        Ok(choice)
    }
}

/// Returns the settings of the policy with one of them changed. Changed thresholds use the algorithm of the first choice.
fn variations(loaded: &LoadedPolicy, algorithm: Option<&str>) -> Vec<Settings> {
    let policy = &loaded.policy;
    let mut settings = Vec::new();
    let mut add = |algorithm: Option<&str>, changes: PolicyChanges| {
        let varied = Settings { algorithm: algorithm.map(str::to_owned), changes };
        // A changed policy can be invalid, for example if it is weaker than its preset.
        let is_valid = changes.apply(&loaded.text).is_ok_and(|text| reticent::Policy::parse(&text).is_ok());
        if is_valid && !settings.contains(&varied) {
            settings.push(varied);
        }
    };
    let others = DEFAULT_ALGORITHMS.iter().filter(|id| Some(**id) != algorithm);
    others.for_each(|id| add(Some(id), PolicyChanges::default()));
    let own = policy.suppression.limit.to_f64();
    for suppression in SUPPRESSION.into_iter().filter(|limit| *limit != own).map(Some) {
        add(algorithm, PolicyChanges { suppression, ..PolicyChanges::default() });
    }
    // A smaller `k` than the one that `reidentification` needs changes nothing.
    let least = policy.shorthand.reidentification.map_or(0, |risk| (1.0 / risk) as u64);
    for k in K.into_iter().filter(|k| policy.shorthand.k != Some(*k) && *k >= least).map(Some) {
        add(algorithm, PolicyChanges { k, ..PolicyChanges::default() });
    }
    let has_sensitive = !loaded.schema.with_role(reticent::Role::Sensitive).is_empty();
    let percents: Vec<i32> = match policy.shorthand.confidence {
        Some(confidence) => CONFIDENCE_STEPS.iter().map(|step| (confidence * 100.0).round() as i32 + step).collect(),
        None if has_sensitive => CONFIDENCE.to_vec(),
        None => Vec::new(),
    };
    for percent in percents.into_iter().filter(|percent| (1..100).contains(percent)) {
        let confidence = Some(f64::from(percent) / 100.0);
        add(algorithm, PolicyChanges { confidence, ..PolicyChanges::default() });
    }
    settings
}

/// Sets the states of the choices of a group. Choices outside the policy are shown, and not compared with the others.
fn mark(choices: &mut [Choice], loaded: &LoadedPolicy) {
    let limit = loaded.policy.suppression.limit.to_f64();
    let is_within = |choice: &Choice| {
        let changes = PolicyChanges { k: choice.k, confidence: choice.confidence, suppression: choice.suppression };
        changes.weakened(&loaded.policy).is_none() && choice.suppression.is_none_or(|share| share <= limit)
    };
    let figures = |choice: &Choice| choice.result.as_ref().map(ChoiceResult::figures);
    let within: Vec<Option<[f64; 3]>> =
        choices.iter().map(|choice| figures(choice).filter(|_| is_within(choice))).collect();
    let at_most = |one: &[f64; 3], other: &[f64; 3]| one.iter().zip(other).all(|(one, other)| one <= other);
    for (at, choice) in choices.iter_mut().enumerate() {
        let Some(own) = &within[at] else {
            choice.state = if choice.result.is_some() { ChoiceState::Outside } else { ChoiceState::Refused };
            continue;
        };
        let beats = |(other_at, other): (usize, &Option<[f64; 3]>)| {
            other.as_ref().is_some_and(|other| at_most(other, own) && (other_at < at || !at_most(own, other)))
        };
        let is_dominated = within.iter().enumerate().any(beats);
        choice.state = if is_dominated { ChoiceState::Dominated } else { ChoiceState::Frontier };
    }
    let frontier = choices.iter_mut().filter(|choice| choice.state == ChoiceState::Frontier);
    let loss = |choice: &Choice| choice.result.as_ref().map_or(f64::INFINITY, |result| result.loss);
    if let Some(best) = frontier.min_by(|one, other| loss(one).total_cmp(&loss(other))) {
        best.state = ChoiceState::Recommended;
    }
}

/// Returns the command that publishes a choice.
fn command(
    workspace: &Workspace,
    request: &CompareRequest,
    name: &ReleaseName,
    starts_ledger: bool,
    choice: &Choice,
) -> String {
    let recipients: Vec<&str> = request.recipients.iter().map(Recipient::as_str).collect();
    let mut words = vec!["reticent".to_owned(), "publish".to_owned()];
    words.extend(request.data.files().iter().map(|data| shell_word(data)));
    let mut option = |name: &str, value: &str| words.extend([format!("--{name}"), shell_word(value)]);
    if choice.policy != Path::new(POLICY) {
        option("policy", &choice.policy.display().to_string());
    }
    let folders = [("ledger", &workspace.ledger), ("key", &workspace.key)];
    for (name, path) in folders.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?))) {
        option(name, &path.display().to_string());
    }
    option("name", name.as_str());
    option("to", &recipients.join(","));
    option("output", &format!("{}.csv", name.as_str()));
    if let Some(columns) = &choice.columns {
        option("columns", &columns.join(","));
    }
    if let Some(algorithm) = &choice.algorithm {
        option("algorithm", algorithm);
    }
    if let Some(k) = choice.k {
        option("k", &k.to_string());
    }
    let numbers = [("confidence", choice.confidence), ("suppression", choice.suppression)];
    for (name, number) in numbers.into_iter().filter_map(|(name, number)| Some((name, number?))) {
        option(name, &number.to_string());
    }
    if request.ignore_history {
        words.push("--ignore-history".to_owned());
    }
    if starts_ledger && !workspace.start_ledger {
        words.push("--new-ledger".to_owned());
    }
    words.join(" ")
}

/// Quotes a word for a shell if necessary.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn choice_result(answer: RecodedAnswer) -> ChoiceResult {
    let alone = answer.risk.confidence.iter().map(|column| column.highest).fold(None, highest);
    let audited = answer.audited.as_ref().and_then(|audited| audited.confidence.as_ref().map(|_| audited.upper));
    let identity = answer.audited.as_ref().and_then(|audited| audited.identity.as_ref());
    let reidentification = identity.map_or(answer.risk.highest_risk, |identity| identity.prosecutor.upper.value());
    ChoiceResult {
        published: answer.published,
        suppressed: answer.suppressed,
        classes: answer.classes,
        loss: answer.metric(PURPOSE_LOSS).unwrap_or(0.0),
        posterior: audited.into_iter().fold(alone, highest),
        reidentification,
        not_established: answer.not_established,
        fully_suppressed: answer.fully_suppressed,
        algorithm: answer.algorithm,
        guarantee: answer.guarantee,
        risk: answer.risk,
        metrics: answer
            .metrics
            .iter()
            .map(|metric| MetricValue { id: metric.id, value: metric.measure.value })
            .collect(),
        search_seconds: answer.seconds.search,
    }
}

fn highest(one: Option<f64>, other: f64) -> Option<f64> {
    Some(one.map_or(other, |one| one.max(other)))
}
