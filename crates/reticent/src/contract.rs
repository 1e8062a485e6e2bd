//! Interface of privacy models, as used by joins, searches and verification.

mod bounds;
mod reading;

use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::error::Result;
use crate::registry::Entry;
use crate::release::classes::{EquivalenceClass, Measured, Whole, for_each, people_in};
use crate::release::history::History;
use crate::release::record_sets::RecordSets;
use crate::witness::SENSITIVE_NOT_SHOWN;

pub use bounds::Bounds;
pub use reading::{ClassViolation, Reading};

/// Effect of merging equivalence classes on a model's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// A satisfying class merged with any class still satisfies the model. So generalization never increases the
    /// number of people in violating classes.
    WithAny,
    /// Two satisfying classes without a common person satisfy the model after merging. So if all classes satisfy the
    /// model, they do after generalization.
    WithSatisfying,
    /// Merging two satisfying classes can violate the model, for example if a person has records in both.
    Never,
}

/// Effect of merging classes of these records on a model's verdict.
///
/// Counts of people are additive only if no person is in two classes. Example: one class has two people with flu, and
/// another class has one of them again, with flu. The merged class counts that person once, so the ratio of another
/// value increases.
///
/// For a model of sets of records, merging keeps the support of every set, but a person's records outside the class matter too. So
/// generalization preserves the model only if all classes satisfy it.
pub fn merging_of(model: &dyn Model, contingency: &ContingencyTable) -> Merging {
    match model.merging() {
        Merging::WithSatisfying if contingency.owners.is_some() => Merging::Never,
        Merging::WithAny if contingency.owners.is_some() && model.record_sets().is_some() => Merging::WithSatisfying,
        merging => merging,
    }
}

/// Returns the minimum number of people in a satisfying class, for a model that depends on this number only. It exists because merging with
/// any class keeps such a class satisfying.
///
/// # Errors
///
/// Returns an error if the model cannot judge the measured column.
pub(crate) fn min_class_size(model: &dyn Model, contingency: &ContingencyTable) -> Result<Option<Weight>> {
    if !model.measured().is_empty() || model.merging() != Merging::WithAny {
        return Ok(None);
    }
    let judge = model.judge(&Measured::new(contingency, &[]).whole(contingency, None))?;
    let holds = |size| judge(&EquivalenceClass { size, counts: &[(0, size)] }).holds;
    let (mut fails, mut most) = (0, contingency.rows() + 1);
    while fails + 1 < most {
        let middle = fails + (most - fails) / 2;
        if holds(middle) { most = middle } else { fails = middle }
    }
    Ok(Some(most))
}

/// Judge for the classes of one release that also judges sets of records of a person.
pub(crate) struct ReleaseJudge<'a> {
    judge: Judge<'a>,
    sets: Option<RecordSets>,
    /// By combination: the smallest support of a set with a record of its class.
    least: Option<Vec<u64>>,
}

impl<'a> ReleaseJudge<'a> {
    /// Creates the judge for the classes on the columns `by`, with the counts `whole`.
    ///
    /// # Errors
    ///
    /// Returns an error if the model cannot judge the measured column, or if people have too many sets of records.
    pub(crate) fn new<M: Model + ?Sized>(
        model: &'a M,
        contingency: &ContingencyTable,
        by: &[usize],
        whole: &Whole<'_>,
    ) -> Result<ReleaseJudge<'a>> {
        let sets = model.record_sets();
        let least = sets.map(|sets| sets.least_supports(contingency, by)).transpose()?.flatten();
        Ok(ReleaseJudge { judge: model.judge(whole)?, sets, least })
    }

    /// Judges the class of the combination `member`.
    pub(crate) fn judge(&self, member: usize, class: &EquivalenceClass<'_>) -> Judgement {
        let judgement = (self.judge)(class);
        let (Some(sets), Some(least)) = (&self.sets, &self.least) else { return judgement };
        let least = least[member];
        Judgement { holds: judgement.holds && least >= sets.k, safety: judgement.safety.min(least as f64) }
    }
}

/// Verdict of a model on one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Whether the class satisfies the model.
    pub holds: bool,
    /// Measure of the model; a higher value is safer (class size, or minus a confidence). Used for scores and to find the
    /// worst witness, never for the verdict.
    pub safety: f64,
}

/// Function that judges the classes of one release.
pub type Judge<'a> = Box<dyn Fn(&EquivalenceClass<'_>) -> Judgement + Send + Sync + 'a>;

/// A privacy model with its parameters.
pub trait Model: std::fmt::Debug + Send + Sync {
    /// Catalogue entry of the model.
    fn entry(&self) -> &'static Entry;

    /// Title with parameters, for people.
    fn title(&self) -> String;

    /// Columns that define the classes.
    fn grouped_by(&self) -> &[String];

    /// Columns that are measured in each class. If empty, people are counted.
    fn measured(&self) -> &[String];

    /// Effect of merging classes if every person has one record; see [`merging_of`].
    fn merging(&self) -> Merging;

    /// Judge for the classes of a release with the counts `whole`.
    ///
    /// # Errors
    ///
    /// Returns an error if the model cannot judge the measured column.
    fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>>;

    /// Sets of records of one person that an attacker knows; `None` for a model of single classes.
    ///
    /// A class satisfies such a model if every set with a record of the class has at least `k` people. `judge` sees the class only.
    fn record_sets(&self) -> Option<RecordSets> {
        None
    }

    /// Explanation of a safety value, for example `3 people, 5 needed`.
    fn explain(&self, safety: f64) -> String;

    /// Naive definition of the model, on the records read back from the written file.
    ///
    /// # Errors
    ///
    /// Returns an error if a column of the model is missing.
    fn naive(&self, reading: &Reading) -> Result<Vec<ClassViolation>>;

    /// Classes that violate the model, worst first.
    ///
    /// # Errors
    ///
    /// Returns an error if the history does not have exactly one release, or a column is missing.
    fn violations(&self, history: &History) -> Result<Vec<Violation>> {
        Ok(self.survey(history)?.violations)
    }

    /// Violations, and the worst class even if it satisfies the model.
    ///
    /// # Errors
    ///
    /// Returns an error if the history does not have exactly one release, or a column is missing.
    fn survey(&self, history: &History) -> Result<Survey> {
        let release = history.require_single(&self.title())?;
        let by = release.positions(self.grouped_by())?;
        let of = release.positions(self.measured())?;
        let column = if let [only] = of.as_slice() { Some(&release.columns[*only]) } else { None };
        let measured = Measured::new(&release.contingency, &of);
        let whole = measured.whole(&release.contingency, column);
        let judge = ReleaseJudge::new(self, &release.contingency, &by, &whole)?;
        let mut survey = Survey { violations: Vec::new(), worst: None, classes: 0, violating: 0 };
        let mut worst: Option<(f64, usize, u64)> = None;
        let mut failing: Vec<(f64, usize, u64)> = Vec::new();
        for_each(&release.contingency, &by, &measured, |member, class| {
            let judgement = judge.judge(member, &class);
            survey.classes += 1;
            if worst.is_none_or(|(safety, ..)| judgement.safety < safety) {
                worst = Some((judgement.safety, member, class.size));
            }
            if !judgement.holds {
                failing.push((judgement.safety, member, class.size));
            }
        });
        let witness = |(safety, member, size): &(f64, usize, u64)| Violation {
            witness: by
                .iter()
                .map(|column| {
                    let published = &release.columns[*column];
                    let label = published.label(release.contingency.codes[*column][*member]);
                    let text = if published.role == Role::Sensitive { SENSITIVE_NOT_SHOWN } else { label };
                    (published.name.clone(), text.to_owned())
                })
                .collect(),
            people: *size,
            safety: *safety,
            explanation: self.explain(*safety),
        };
        if !failing.is_empty() {
            let violates = |member: usize, class: &EquivalenceClass<'_>| !judge.judge(member, class).holds;
            survey.violating = people_in(&release.contingency, &by, &measured, violates);
        }
        failing.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        survey.violations = failing.iter().map(witness).collect();
        survey.worst = worst.as_ref().map(witness);
        Ok(survey)
    }
}

/// A class that violates a model.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Violation {
    /// Published values that identify the class.
    #[serde(serialize_with = "crate::witness::as_cells")]
    pub witness: Vec<(String, String)>,
    /// Number of people in the class.
    pub people: u64,
    /// Measure of the model; a higher value is safer.
    pub safety: f64,
    /// Measured value and threshold, for people.
    pub explanation: String,
}

/// Result of judging all classes of a release.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Survey {
    /// Violating classes, worst first.
    pub violations: Vec<Violation>,
    /// Worst class, even if it satisfies the model.
    pub worst: Option<Violation>,
    /// Number of classes.
    pub classes: u64,
    /// Number of people in violating classes.
    pub violating: u64,
}
