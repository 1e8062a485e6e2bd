//! Check of a whole release: violating classes and the worst class.

use hashbrown::{HashMap, HashSet};

use super::{ClassSafety, JoinCheck};
use crate::contract::{Survey, Violation};
use crate::data::contingency::{ContingencyTable, Weight};
use crate::data::schema::Role;
use crate::data::taxonomy::Code;
use crate::error::Result;
use crate::release::classes::{Measured, for_each, for_each_while, people_in};
use crate::release::{PublishedColumn, Release};
use crate::witness::SENSITIVE_NOT_SHOWN;

impl JoinCheck<'_> {
    /// Judges all classes of a release of the new table.
    ///
    /// # Errors
    ///
    /// Returns an error if the check was cancelled or the join is too large.
    pub fn survey(&self, release: &Release) -> Result<Survey> {
        let contingency = &release.contingency;
        let plain = ContingencyTable {
            owners: if self.people { contingency.owners.clone() } else { None },
            ..contingency.clone()
        };
        let cells = self.cells(&plain, &release.columns);
        let records = ContingencyTable { owners: None, ..plain };
        let mut survey = Survey { violations: Vec::new(), worst: None, classes: 0, violating: 0 };
        let mut worst: Option<(ClassSafety, usize, Weight)> = None;
        let mut failing: Vec<(ClassSafety, usize, Weight)> = Vec::new();
        let mut violating: HashSet<usize> = HashSet::new();
        for_each(&records, &self.x, &cells.measured, |member, group| {
            let judged = self.worst(&cells, &self.key(release, member), group.counts, true);
            survey.classes += 1;
            if judged.safety.is_finite() && worst.is_none_or(|(known, ..)| judged.safety < known.safety) {
                worst = Some((judged, member, group.size));
            }
            if !judged.holds {
                violating.insert(member);
                failing.push((judged, member, group.size));
            }
        });
        self.check()?;
        if !failing.is_empty() {
            let classes: HashSet<Box<[Code]>> =
                violating.iter().map(|at| class_of(contingency, &self.x, *at)).collect();
            let members: Vec<bool> =
                (0..contingency.len()).map(|at| classes.contains(&class_of(contingency, &self.x, at))).collect();
            let chosen = contingency.filter(|at| members[at]);
            survey.violating = people_in(&chosen, &[], &Measured::new(&chosen, &[]), |_, _| true);
        }
        let order = |(judged, member, _): &(ClassSafety, usize, Weight)| (judged.is_unproved(), judged.safety, *member);
        failing.sort_by(|a, b| {
            let (one, two) = (order(a), order(b));
            one.0.cmp(&two.0).then(one.1.total_cmp(&two.1)).then(one.2.cmp(&two.2))
        });
        let mut people: HashMap<Box<[Code]>, Weight> = HashMap::new();
        if contingency.owners.is_some() {
            let people_only = Measured::new(contingency, &[]);
            for_each(contingency, &self.x, &people_only, |member, group| {
                people.insert(class_of(contingency, &self.x, member), group.size);
            });
        }
        let violation = |(judged, member, size): &(ClassSafety, usize, Weight)| Violation {
            witness: self.witness(release, *member, judged.x),
            people: people.get(&class_of(contingency, &self.x, *member)).copied().unwrap_or(*size),
            safety: judged.safety,
            explanation: self.explain(judged),
        };
        survey.violations = failing.iter().map(violation).collect();
        survey.worst = worst.as_ref().map(violation);
        Ok(survey)
    }

    /// By combination of a release: whether its class violates the constraint.
    ///
    /// # Errors
    ///
    /// Returns an error if the check was cancelled or the join is too large.
    pub fn violating(&self, release: &Release) -> Result<Vec<bool>> {
        let mut classes = HashSet::new();
        self.add_violating(release, &mut classes)?;
        let contingency = &release.contingency;
        Ok((0..contingency.len()).map(|at| classes.contains(&class_of(contingency, &self.x, at))).collect())
    }

    /// Adds the classes of a release that violate the constraint. Does not judge those that are known.
    ///
    /// # Errors
    ///
    /// Returns an error if the check was cancelled or the join is too large.
    pub(crate) fn add_violating(&self, release: &Release, known: &mut HashSet<Box<[Code]>>) -> Result<()> {
        let mut found = Vec::new();
        self.for_each_violating(release, known, |class| {
            found.push(class);
            true
        })?;
        known.extend(found);
        Ok(())
    }

    /// Returns true if a class of a release violates the constraint.
    ///
    /// # Errors
    ///
    /// Returns an error if the check was cancelled or the join is too large.
    pub(crate) fn is_violated(&self, release: &Release) -> Result<bool> {
        let mut found = false;
        self.for_each_violating(release, &HashSet::new(), |_| {
            found = true;
            false
        })?;
        Ok(found)
    }

    /// Visits the classes that violate the constraint and are not `known`, until `visit` returns false.
    fn for_each_violating(
        &self,
        release: &Release,
        known: &HashSet<Box<[Code]>>,
        mut visit: impl FnMut(Box<[Code]>) -> bool,
    ) -> Result<()> {
        let contingency = &release.contingency;
        let plain = ContingencyTable {
            owners: if self.people { contingency.owners.clone() } else { None },
            ..contingency.clone()
        };
        let cells = self.cells(&plain, &release.columns);
        let records = ContingencyTable { owners: None, ..plain };
        for_each_while(&records, &self.x, &cells.measured, |member, group| {
            let class = class_of(contingency, &self.x, member);
            known.contains(&class)
                || self.worst(&cells, &self.key(release, member), group.counts, false).holds
                || visit(class)
        });
        self.check()
    }

    fn explain(&self, judged: &ClassSafety) -> String {
        if judged.is_unproved() && self.repeated().is_some() {
            return "the classes of the earlier releases combine in too many ways to prove it".to_owned();
        }
        let explanation = self.constraint.explain(judged.safety);
        // Without a value on X, the figure of a repeated column is a bound.
        match judged.x == u32::MAX && self.repeated().is_some() {
            true => format!("{explanation} (a bound on the exact figure)"),
            false => explanation,
        }
    }

    fn key(&self, release: &Release, at: usize) -> Vec<u32> {
        let number = |(place, column): (usize, &usize)| {
            let of = &release.columns[*column];
            self.value(place, &of.tree, of.nodes[release.contingency.codes[*column][at] as usize])
        };
        self.varying.iter().enumerate().map(number).collect()
    }

    fn witness(&self, release: &Release, member: usize, x: u32) -> Vec<(String, String)> {
        let cell = |name: String, column: &PublishedColumn, code: Code| {
            let text = if column.role == Role::Sensitive { SENSITIVE_NOT_SHOWN } else { column.label(code) };
            (name, text.to_owned())
        };
        let mut cells: Vec<(String, String)> = self
            .x
            .iter()
            .map(|column| {
                let of = &release.columns[*column];
                cell(of.name.clone(), of, release.contingency.codes[*column][member])
            })
            .collect();
        for (at, code) in self.index().x_values(x) {
            let recorded = self.earlier[at.release - 1];
            let of = &recorded.release.columns[at.column];
            cells.push(cell(format!("{}.{}", recorded.name, of.name), of, code));
        }
        cells
    }
}

/// The codes of a combination in some columns.
fn class_of(contingency: &ContingencyTable, columns: &[usize], at: usize) -> Box<[Code]> {
    columns.iter().map(|column| contingency.codes[*column][at]).collect()
}
