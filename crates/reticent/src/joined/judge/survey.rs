//! A whole release judged: which of its classes violate a statement, and what can be told of the worst of them.

use hashbrown::{HashMap, HashSet};

use super::{Found, Joint};
use crate::classes::{Measured, for_each, people_in};
use crate::combos::{Combos, Weight};
use crate::contract::{Survey, Violation};
use crate::error::Result;
use crate::release::{PublishedColumn, Release};
use crate::schema::Role;
use crate::taxonomy::Code;
use crate::witness::UNSHOWN;

impl Joint<'_> {
    /// What can be told of a release made of the new table.
    pub fn survey(&self, release: &Release) -> Result<Survey> {
        let combos = &release.combos;
        let plain = Combos { owners: if self.people { combos.owners.clone() } else { None }, ..combos.clone() };
        let cells = self.cells(&plain, &release.columns);
        let records = Combos { owners: None, ..plain };
        let mut survey = Survey { violations: Vec::new(), worst: None, classes: 0, violating: 0 };
        let mut worst: Option<(Found, usize, Weight)> = None;
        let mut found: Vec<(Found, usize, Weight)> = Vec::new();
        let mut violating: HashSet<usize> = HashSet::new();
        for_each(&records, &self.x, &cells.measured, |member, group| {
            let judged = self.worst(&cells, &self.key(release, member), group.counts, true);
            survey.classes += 1;
            if judged.safety.is_finite() && worst.is_none_or(|(known, ..)| judged.safety < known.safety) {
                worst = Some((judged, member, group.size));
            }
            if !judged.holds {
                violating.insert(member);
                found.push((judged, member, group.size));
            }
        });
        self.check()?;
        if !found.is_empty() {
            let classes: HashSet<Vec<Code>> = violating.iter().map(|at| self.class(combos, *at)).collect();
            let members: Vec<bool> = (0..combos.len()).map(|at| classes.contains(&self.class(combos, at))).collect();
            let chosen = combos.filter(|at| members[at]);
            survey.violating = people_in(&chosen, &[], &Measured::new(&chosen, &[]), |_| true);
        }
        found.sort_by(|a, b| a.0.safety.total_cmp(&b.0.safety).then(a.1.cmp(&b.1)));
        let mut people: HashMap<Vec<Code>, Weight> = HashMap::new();
        if combos.owners.is_some() {
            let everybody = Measured::new(combos, &[]);
            for_each(combos, &self.x, &everybody, |member, group| {
                people.insert(self.class(combos, member), group.size);
            });
        }
        let violation = |(judged, member, size): &(Found, usize, Weight)| Violation {
            witness: self.witness(release, *member, judged.x),
            people: people.get(&self.class(combos, *member)).copied().unwrap_or(*size),
            safety: judged.safety,
            explanation: self.statement.explain(judged.safety),
        };
        survey.violations = found.iter().map(violation).collect();
        survey.worst = worst.as_ref().map(violation);
        Ok(survey)
    }

    /// By combination of a release: whether its class violates the statement.
    pub fn violating(&self, release: &Release) -> Result<Vec<bool>> {
        let combos = &release.combos;
        let plain = Combos { owners: if self.people { combos.owners.clone() } else { None }, ..combos.clone() };
        let cells = self.cells(&plain, &release.columns);
        let records = Combos { owners: None, ..plain };
        let mut classes: HashSet<Vec<Code>> = HashSet::new();
        for_each(&records, &self.x, &cells.measured, |member, group| {
            if !self.worst(&cells, &self.key(release, member), group.counts, false).holds {
                classes.insert(self.class(combos, member));
            }
        });
        self.check()?;
        Ok((0..combos.len()).map(|at| classes.contains(&self.class(combos, at))).collect())
    }

    fn class(&self, combos: &Combos, at: usize) -> Vec<Code> {
        self.x.iter().map(|column| combos.codes[*column][at]).collect()
    }

    fn key(&self, release: &Release, at: usize) -> Vec<u32> {
        let number = |(place, column): (usize, &usize)| {
            let of = &release.columns[*column];
            self.value(place, &of.tree, of.nodes[release.combos.codes[*column][at] as usize])
        };
        self.turning.iter().enumerate().map(number).collect()
    }

    fn witness(&self, release: &Release, member: usize, x: u32) -> Vec<(String, String)> {
        let cell = |name: String, column: &PublishedColumn, code: Code| {
            let shown = if column.role == Role::Sensitive { UNSHOWN } else { column.label(code) };
            (name, shown.to_owned())
        };
        let mut cells: Vec<(String, String)> = self
            .x
            .iter()
            .map(|column| {
                let of = &release.columns[*column];
                cell(of.name.clone(), of, release.combos.codes[*column][member])
            })
            .collect();
        for (at, code) in self.rest.x_values(x) {
            let held = self.earlier[at.release - 1];
            let of = &held.release.columns[at.column];
            cells.push(cell(format!("{}.{}", held.name, of.name), of, code));
        }
        cells
    }
}
