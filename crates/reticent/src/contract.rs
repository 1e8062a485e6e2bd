//! The contract of a privacy model: all that joins, searches and verification know of models.

mod bounds;
mod reading;

use crate::classes::{Group, Measured, Whole, for_each, people_in};
use crate::combos::Combos;
use crate::error::Result;
use crate::history::History;
use crate::registry::Entry;
use crate::schema::Role;
use crate::witness::UNSHOWN;

pub use bounds::Bounds;
pub use reading::{Breach, Reading};

/// Whether a class that satisfies a model keeps satisfying it when classes are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merging {
    /// Merged with any class at all. So the number of people in violating classes never grows by generalizing.
    WithAny,
    /// Merged with another class that satisfies it, as long as nobody is in both. So if all classes do, all do after
    /// generalizing.
    WithSatisfying,
    /// Not even then: where somebody has records in both classes, the merged class may violate it.
    Never,
}

/// What merging classes of these records does to a model's verdict.
///
/// Shares of people only add up while nobody is in two classes. Two people with flu in one class and one of them again, with
/// flu, in another: merged, flu is counted once less than the two classes together counted it, and another value's share grows.
pub fn merging_of(model: &dyn Model, combos: &Combos) -> Merging {
    match model.merging() {
        Merging::WithSatisfying if combos.owners.is_some() => Merging::Never,
        merging => merging,
    }
}

/// What a model says of one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Whether the class satisfies the model.
    pub holds: bool,
    /// The model's own measure, signed so that more is safer (a class size; minus a confidence). For scores and for
    /// finding the worst witness, never for the verdict.
    pub safety: f64,
}

/// Judges classes of one release.
pub type Judge<'a> = Box<dyn Fn(&Group<'_>) -> Judgement + Send + Sync + 'a>;

/// A privacy model with its parameters.
pub trait Model: std::fmt::Debug + Send + Sync {
    /// What it says about itself.
    fn entry(&self) -> &'static Entry;

    /// The model with its parameters, as a person would write it.
    fn title(&self) -> String;

    /// The columns whose values make the classes.
    fn by(&self) -> &[String];

    /// The columns that are measured in each class; none: people are counted.
    fn of(&self) -> &[String];

    /// What merging classes does to a verdict, where every person has one record; see [`merging_of`].
    fn merging(&self) -> Merging;

    /// The judge of the classes of a release that measures like `whole`.
    fn judge<'a>(&'a self, whole: &Whole<'_>) -> Result<Judge<'a>>;

    /// How a safety reads: `3 people, 5 needed`.
    fn explain(&self, safety: f64) -> String;

    /// The definition once more, over the records that were read back from the written file.
    fn naive(&self, reading: &Reading) -> Result<Vec<Breach>>;

    /// The classes of the joined history that violate the model, worst first.
    fn violations(&self, history: &History) -> Result<Vec<Violation>> {
        Ok(self.survey(history)?.violations)
    }

    /// The violations, and the worst class whether it violates or not.
    fn survey(&self, history: &History) -> Result<Survey> {
        let release = history.only(&self.title())?;
        let by = release.positions(self.by())?;
        let of = release.positions(self.of())?;
        let column = if let [only] = of.as_slice() { Some(&release.columns[*only]) } else { None };
        let measured = Measured::new(&release.combos, &of);
        let whole = measured.whole(&release.combos, column);
        let judge = self.judge(&whole)?;
        let mut survey = Survey { violations: Vec::new(), worst: None, classes: 0, violating: 0 };
        let mut worst: Option<(f64, usize, u64)> = None;
        let mut found: Vec<(f64, usize, u64)> = Vec::new();
        for_each(&release.combos, &by, &measured, |member, group| {
            let judgement = judge(&group);
            survey.classes += 1;
            if worst.is_none_or(|(safety, ..)| judgement.safety < safety) {
                worst = Some((judgement.safety, member, group.size));
            }
            if !judgement.holds {
                found.push((judgement.safety, member, group.size));
            }
        });
        let witness = |(safety, member, size): &(f64, usize, u64)| Violation {
            witness: by
                .iter()
                .map(|column| {
                    let published = &release.columns[*column];
                    let label = published.label(release.combos.codes[*column][*member]);
                    let shown = if published.role == Role::Sensitive { UNSHOWN } else { label };
                    (published.name.clone(), shown.to_owned())
                })
                .collect(),
            people: *size,
            safety: *safety,
            explanation: self.explain(*safety),
        };
        if !found.is_empty() {
            survey.violating = people_in(&release.combos, &by, &measured, |group| !judge(group).holds);
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        survey.violations = found.iter().map(witness).collect();
        survey.worst = worst.as_ref().map(witness);
        Ok(survey)
    }
}

/// A class that violates a model.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Violation {
    /// The published values that name the class.
    #[serde(serialize_with = "crate::witness::as_cells")]
    pub witness: Vec<(String, String)>,
    /// People in it.
    pub people: u64,
    /// The model's measure there; more is safer.
    pub safety: f64,
    /// What was measured and what is demanded.
    pub explanation: String,
}

/// What a model finds in a history.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Survey {
    /// Worst first.
    pub violations: Vec<Violation>,
    /// The worst class, whether it violates the model or not.
    pub worst: Option<Violation>,
    /// How many classes there are.
    pub classes: u64,
    /// People in violating classes.
    pub violating: u64,
}
