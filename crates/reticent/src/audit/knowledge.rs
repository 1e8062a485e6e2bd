//! Background knowledge of an attacker: values of some people, and statements about counts and proportions of values.

mod parse;

use hashbrown::{HashMap, HashSet};

use super::attacker_view::{AttackerView, ViewPerson};
use crate::data::links::Pseudonym;
use crate::data::schema::Role;
use crate::error::{Error, KnowledgeFault, Obstacle, Result};
use crate::join::lossy::is_below;
use crate::ratio::Ratio;
use crate::release::Release;
use crate::release::history::History;
use reticent_inference::{Count, Value};

/// Background knowledge of an attacker, in addition to the releases.
#[derive(Debug, Clone, Default)]
pub struct BackgroundKnowledge {
    /// Known values of single people.
    pub known: Vec<KnownValue>,
    /// Statements about several people.
    pub statements: Vec<BackgroundStatement>,
    /// People that the knowledge names and that are only in releases outside the audited history.
    pub absent_people: HashSet<Pseudonym>,
}

/// A person named in a statement for whom the view has no posterior of the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum UncountedPerson {
    /// The class of a person whose releases do not show the column.
    Class(u32),
    /// A person outside the audited history.
    Elsewhere(Pseudonym),
}

/// A value that a person is known to have, or not to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownValue {
    /// The person.
    pub person: Pseudonym,
    /// Sensitive column.
    pub column: String,
    /// Label of the value.
    pub value: String,
    /// Whether the person has the value.
    pub has: bool,
}

/// A linear constraint on the number of people with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackgroundStatement {
    /// Bounds on the proportion of people with a value, among all people or those with a value of a quasi-identifier.
    Proportion {
        /// Sensitive column.
        column: String,
        /// Label of the value.
        value: String,
        /// Quasi-identifier and its value; `None` for all people.
        condition: Option<(String, String)>,
        /// Lower bound.
        lower: Ratio,
        /// Upper bound.
        upper: Ratio,
    },
    /// Bounds on the number of the given people with a value.
    Count {
        /// The people.
        people: Vec<Pseudonym>,
        /// Sensitive column.
        column: String,
        /// Label of the value.
        value: String,
        /// Lower bound.
        lower: u64,
        /// Upper bound.
        upper: u64,
    },
}

impl BackgroundKnowledge {
    /// Adds the knowledge to a view.
    ///
    /// # Errors
    ///
    /// Returns an error if a part cannot be applied. Ignoring that part would make the attacker weaker.
    pub(crate) fn apply(&self, view: &mut AttackerView, history: &History) -> Result<()> {
        let here = |column: &String| view.domain.columns.contains(column);
        let known: Vec<&KnownValue> = self.known.iter().filter(|known| here(&known.column)).collect();
        let statements = self.statements.iter().filter(|statement| here(statement.column()));
        let statements: Vec<&BackgroundStatement> = statements.collect();
        for known in known {
            if self.absent_people.contains(&known.person) {
                continue;
            }
            let with = tuples_with(view, &known.column, &known.value)?;
            let class_ids = isolate(view, known.person)?;
            if class_ids.len() > 1 {
                return Err(invalid(KnowledgeFault::SeveralRecords));
            }
            // If the column was not published about the person, the value implies nothing about other people.
            let at = view.domain.columns.iter().position(|name| *name == known.column).unwrap_or(0);
            for class_id in
                class_ids.into_iter().filter(|class_id| view.is_informative_for(*class_id, at)).collect::<Vec<_>>()
            {
                let class = &mut view.classes[class_id as usize];
                let possible = class.known.take().unwrap_or_else(|| view.domain.all_tuples());
                class.known = Some(possible.into_iter().filter(|value| with.contains(value) == known.has).collect());
            }
        }
        // Isolate all named people first, so that no class changes after a statement refers to it.
        for statement in &statements {
            match statement {
                BackgroundStatement::Count { people, .. } => {
                    people.iter().for_each(|person| drop(view.isolate_person(*person)))
                }
                BackgroundStatement::Proportion { condition: Some((column, value)), .. } => {
                    drop(classes_with(view, history, column, value)?)
                }
                BackgroundStatement::Proportion { condition: None, .. } => {}
            }
        }
        // By column and uncounted person: number of statements, and whether one of them also constrains counted people.
        let mut mentioned: HashMap<(&String, UncountedPerson), (usize, bool)> = HashMap::new();
        for (at, statement) in (0..).zip(statements) {
            // Greater than all sources of releases.
            let source = u32::MAX - at;
            let (count, uncounted) = statement.count(view, history, source, self)?;
            for person in uncounted {
                let (times, with_others) = mentioned.entry((statement.column(), person)).or_default();
                (*times, *with_others) = (*times + 1, *with_others || !count.cells.is_empty());
            }
            view.known_counts.push(count);
        }
        // Each statement allows any value for an uncounted person, so that two statements could assume different values.
        let twice = mentioned.into_iter().find(|(_, (times, with_others))| *times > 1 && *with_others);
        match twice {
            None => Ok(()),
            Some(((column, _), _)) => Err(invalid(KnowledgeFault::SeveralStatements { column: column.to_string() })),
        }
    }

    /// Checks that the releases contain the named columns and people, and that the known values are consistent.
    ///
    /// # Errors
    ///
    /// Returns an error if a column or a person is unknown, or if a person has two values.
    pub fn check(&self, history: &History) -> Result<()> {
        let known = sensitive_column_names(history);
        if self.columns().any(|name| !known.contains(name.as_str())) {
            return Err(column_unknown(known.into_iter().collect()));
        }
        let mut named: HashSet<Pseudonym> = self.people().collect();
        named.retain(|person| !self.absent_people.contains(person));
        if !named.is_empty() && !named.is_subset(&people_in(history)) {
            return Err(person_unknown());
        }
        let mut having: HashMap<(Pseudonym, &String), &String> = HashMap::new();
        for known in self.known.iter().filter(|known| known.has) {
            having.entry((known.person, &known.column)).or_insert(&known.value);
        }
        // A person has exactly one value.
        let contradicts = |known: &KnownValue| {
            let having = having.get(&(known.person, &known.column));
            having.is_some_and(|value| known.has != (**value == known.value))
        };
        if self.known.iter().any(contradicts) {
            return Err(invalid(KnowledgeFault::TwoValues));
        }
        Ok(())
    }

    /// Sensitive columns that the knowledge names.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        self.known.iter().map(|known| &known.column).chain(self.statements.iter().map(BackgroundStatement::column))
    }

    /// Returns whether a person is known to have a value. `None` if that is unknown.
    fn known_to_have(&self, person: Pseudonym, column: &str, value: &str) -> Option<bool> {
        let of_person = self.known.iter().filter(|known| known.person == person && known.column == column);
        let has = of_person.filter_map(|known| match (known.has, known.value == value) {
            (true, same) => Some(same),
            (false, true) => Some(false),
            (false, false) => None,
        });
        has.reduce(|one, other| one && other)
    }

    /// Returns whether the knowledge names any person.
    pub fn names_people(&self) -> bool {
        self.people().next().is_some()
    }

    /// People that the knowledge names.
    fn people(&self) -> impl Iterator<Item = Pseudonym> {
        let named = self.statements.iter().flat_map(BackgroundStatement::named_people);
        self.known.iter().map(|known| known.person).chain(named.copied())
    }

    /// Restricts the knowledge to the columns and people of a history, such as that of some recipients. Keeps statements about
    /// other people if a chain of statements connects them with people of the history.
    pub fn within(&self, history: &History) -> BackgroundKnowledge {
        if self.known.is_empty() && self.statements.is_empty() {
            return BackgroundKnowledge::default();
        }
        let (columns, there) = (sensitive_column_names(history), people_in(history));
        let is_shown = |column: &String| columns.contains(column.as_str());
        let statements: Vec<&BackgroundStatement> =
            self.statements.iter().filter(|statement| is_shown(statement.column())).collect();
        // Add statements until none of the rest names a person of the history or of a kept statement.
        let mut mentioned = there.clone();
        let mut kept = vec![false; statements.len()];
        while let Some(at) = (0..kept.len()).find(|at| !kept[*at] && statements[*at].mentions(&mentioned)) {
            kept[at] = true;
            mentioned.extend(statements[at].named_people());
        }
        let kept = statements.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(statement, _)| statement.clone());
        let mut part = BackgroundKnowledge { statements: kept.collect(), ..BackgroundKnowledge::default() };
        let mentioned: HashSet<Pseudonym> = part.people().collect();
        let wanted = |known: &&KnownValue| {
            is_shown(&known.column) && (there.contains(&known.person) || mentioned.contains(&known.person))
        };
        part.known = self.known.iter().filter(wanted).cloned().collect();
        part.absent_people = mentioned.into_iter().filter(|person| !there.contains(person)).collect();
        part
    }

    /// Returns whether a statement bounds a proportion.
    pub(crate) fn has_proportions(&self) -> bool {
        self.statements.iter().any(|statement| matches!(statement, BackgroundStatement::Proportion { .. }))
    }

    /// Describes the knowledge for the list of assumptions. Numbers are separate words, so that a public report can round them.
    pub fn descriptions(&self) -> Vec<String> {
        let mut descriptions = Vec::new();
        if !self.known.is_empty() {
            descriptions.push(format!(
                "the attacker has background knowledge about the values of named people, number of facts: {}",
                self.known.len()
            ));
        }
        if !self.statements.is_empty() {
            descriptions.push(format!(
                "the attacker has background knowledge about counts or proportions of values, number of statements: {}",
                self.statements.len()
            ));
        }
        descriptions
    }
}

impl BackgroundStatement {
    /// Sensitive column of the statement.
    fn column(&self) -> &String {
        match self {
            BackgroundStatement::Proportion { column, .. } | BackgroundStatement::Count { column, .. } => column,
        }
    }

    /// People that the statement names.
    fn named_people(&self) -> &[Pseudonym] {
        match self {
            BackgroundStatement::Count { people, .. } => people,
            BackgroundStatement::Proportion { .. } => &[],
        }
    }

    /// Returns whether the statement names any of these people, or bounds a proportion.
    fn mentions(&self, people: &HashSet<Pseudonym>) -> bool {
        matches!(self, BackgroundStatement::Proportion { .. })
            || self.named_people().iter().any(|person| people.contains(person))
    }

    /// Translates the statement into a count, and returns it with the uncounted people whose value is unknown.
    fn count(
        &self,
        view: &mut AttackerView,
        history: &History,
        source: u32,
        knowledge: &BackgroundKnowledge,
    ) -> Result<(Count, Vec<UncountedPerson>)> {
        match self {
            BackgroundStatement::Count { people, column, value, lower, upper } => {
                let all_absent = people.iter().all(|person| knowledge.absent_people.contains(person));
                let with = if all_absent { Vec::new() } else { tuples_with(view, column, value)? };
                let at = view.domain.columns.iter().position(|name| name == column).unwrap_or(0);
                let (mut cells, mut uncounted, mut lower, mut upper) = (Vec::new(), Vec::new(), *lower, *upper);
                for person in people {
                    let here = match knowledge.absent_people.contains(person) {
                        true => UncountedPerson::Elsewhere(*person),
                        false => match isolate(view, *person)?.as_slice() {
                            [class_id] => UncountedPerson::Class(*class_id),
                            _ => {
                                return Err(invalid(KnowledgeFault::SeveralRecords));
                            }
                        },
                    };
                    match here {
                        UncountedPerson::Class(class_id) if view.is_informative_for(class_id, at) => {
                            cells.extend(with.iter().map(|tuple| (class_id, *tuple)));
                        }
                        _ => {
                            let has = knowledge.known_to_have(*person, column, value);
                            exclude_person(has, &mut lower, &mut upper);
                            uncounted.extend(has.is_none().then_some(here));
                        }
                    }
                }
                Ok((Count { source, cells, lower, upper }, uncounted))
            }
            BackgroundStatement::Proportion { column, value, condition, lower, upper } => {
                let with = tuples_with(view, column, value)?;
                let mut class_ids: Vec<u32> = match condition {
                    None => (0..view.classes.len() as u32).collect(),
                    Some((column, value)) => classes_with(view, history, column, value)?,
                };
                // A person counts once. People for whom the column was not published may have the value, too.
                if view
                    .people
                    .iter()
                    .any(|one| one.classes.len() > 1 && one.classes.iter().any(|at| class_ids.contains(at)))
                {
                    return Err(invalid(KnowledgeFault::SeveralRecords));
                }
                let people: u64 = class_ids.iter().map(|class_id| view.classes[*class_id as usize].people).sum();
                let at = view.domain.columns.iter().position(|name| name == column).unwrap_or(0);
                let informative: Vec<u32> =
                    class_ids.iter().copied().filter(|class_id| view.is_informative_for(*class_id, at)).collect();
                let others: HashSet<u32> =
                    class_ids.iter().copied().filter(|class_id| !view.is_informative_for(*class_id, at)).collect();
                // Background knowledge may contain the values of some of the others.
                let named =
                    view.people.iter().filter(|one| one.classes.iter().any(|class_id| others.contains(class_id)));
                let has = |one: &ViewPerson| knowledge.known_to_have(one.pseudonym?, column, value);
                let open = view.people.iter().filter(|one| has(one).is_none()).flat_map(|one| &one.classes);
                let open: HashSet<u32> = open.copied().collect();
                let uncounted: Vec<UncountedPerson> =
                    others.intersection(&open).copied().map(UncountedPerson::Class).collect();
                let known: Vec<bool> = named.filter_map(has).collect();
                let having = known.iter().filter(|has| **has).count() as u64;
                let not_having = known.len() as u64 - having;
                class_ids = informative;
                let counted: u64 = class_ids.iter().map(|class_id| view.classes[*class_id as usize].people).sum();
                let cells =
                    class_ids.iter().flat_map(|class_id| with.iter().map(move |tuple| (*class_id, *tuple))).collect();
                if people == 0 {
                    return Err(invalid(KnowledgeFault::NobodyMeant));
                }
                let times = |ratio: &Ratio| u128::from(people) * ratio.numerator;
                let lower = times(lower).div_ceil(lower.denominator) as u64;
                let upper = (times(upper) / upper.denominator) as u64;
                if lower > upper {
                    return Err(invalid(KnowledgeFault::ShareImpossible));
                }
                let lower = lower.saturating_sub(people - counted - not_having);
                match upper.checked_sub(having) {
                    Some(upper) => Ok((Count { source, cells, lower, upper }, uncounted)),
                    None => Err(invalid(KnowledgeFault::ShareExceeded)),
                }
            }
        }
    }
}

/// Removes an uncounted person from the bounds of a count: by the known value, or else allowing either case.
fn exclude_person(has: Option<bool>, lower: &mut u64, upper: &mut u64) {
    match (has, upper.checked_sub(1)) {
        (Some(true), Some(fewer)) => (*lower, *upper) = (lower.saturating_sub(1), fewer),
        // More people have the value than the upper bound allows: no solution.
        (Some(true), None) => (*lower, *upper) = (1, 0),
        (Some(false), _) => {}
        (None, _) => *lower = lower.saturating_sub(1),
    }
}

/// Tuples with a value in a column.
fn tuples_with(view: &AttackerView, column: &str, value: &str) -> Result<Vec<Value>> {
    let at = view.domain.columns.iter().position(|name| name == column);
    let at = at.ok_or_else(|| column_unknown(view.domain.columns.iter().map(String::as_str).collect()))?;
    let found: Vec<Value> =
        view.domain.all_tuples().into_iter().filter(|tuple| view.domain.label(*tuple, at) == Some(value)).collect();
    if found.is_empty() {
        return Err(invalid(KnowledgeFault::ValueNotShown { column: column.to_owned() }));
    }
    Ok(found)
}

/// The error for an unknown column. It does not repeat the name, which may be a misplaced value.
fn column_unknown(mut known: Vec<&str>) -> Error {
    known.sort_unstable();
    invalid(KnowledgeFault::ColumnUnknown { columns: known.into_iter().map(str::to_owned).collect() })
}

fn isolate(view: &mut AttackerView, person: Pseudonym) -> Result<Vec<u32>> {
    view.isolate_person(person).ok_or_else(person_unknown)
}

/// Names of the sensitive columns of a history.
pub(super) fn sensitive_column_names(history: &History) -> HashSet<&str> {
    let columns = history.releases.iter().flat_map(|recorded| &recorded.release.columns);
    columns.filter(|column| column.role == Role::Sensitive).map(|column| column.name.as_str()).collect()
}

/// People in the linked releases of a history.
fn people_in(history: &History) -> HashSet<Pseudonym> {
    let links = history.releases.iter().filter_map(|recorded| recorded.links.as_ref());
    links.flat_map(|links| links.pseudonyms.iter().copied()).collect()
}

/// Isolates the people with a value of a quasi-identifier, and returns their classes.
///
/// # Errors
///
/// Returns an error if the releases do not show for every person whether they have the value, or contradict each other.
fn classes_with(view: &mut AttackerView, history: &History, column: &str, value: &str) -> Result<Vec<u32>> {
    let not_shown = || invalid(KnowledgeFault::NotShownForAll { column: column.to_owned() });
    // By person: whether the person has the value, if a release shows it.
    let mut has_value: HashMap<Pseudonym, Option<bool>> = HashMap::new();
    for recorded in &history.releases {
        let Some(links) = &recorded.links else { continue };
        for link in 0..links.len() {
            let Some(has) = record_has(&recorded.release, links.cells[link] as usize, column, value) else { continue };
            let known = has_value.entry(links.pseudonyms[link]).or_insert(has);
            if known.zip(has).is_some_and(|(one, other)| one != other) {
                return Err(invalid(KnowledgeFault::ReleasesDiffer { column: column.to_owned() }));
            }
            *known = known.or(has);
        }
    }
    let is_known = |person: Pseudonym| has_value.get(&person).copied().flatten().is_some();
    let is_informative = |person: &ViewPerson| {
        let columns = 0..view.domain.columns.len();
        person.classes.iter().any(|class_id| columns.clone().any(|at| view.is_informative_for(*class_id, at)))
    };
    let linked = view.people.iter().filter_map(|person| Some((person, person.pseudonym?)));
    if linked.clone().any(|(person, pseudonym)| is_informative(person) && !is_known(pseudonym)) {
        return Err(not_shown());
    }
    let people: HashSet<Pseudonym> =
        has_value.into_iter().filter(|(_, has)| *has == Some(true)).map(|(person, _)| person).collect();
    let mut class_ids = view.isolate_people(&people);
    // Releases without owner links: by group.
    for person in view.people.iter().filter(|person| person.pseudonym.is_none()) {
        let groups = person.groups().map(|group| &view.groups[group as usize]);
        for group in groups {
            let recorded = &history.releases[group.release];
            match record_has(&recorded.release, group.member, column, value) {
                None => {}
                // A group column does not show which member has the value.
                Some(_) if recorded.presentation.group_column.as_deref().is_some_and(|mark| mark != column) => {
                    return Err(not_shown());
                }
                Some(None) => return Err(not_shown()),
                Some(Some(true)) => class_ids.extend(&person.classes),
                Some(Some(false)) => {}
            }
        }
    }
    class_ids.sort_unstable();
    class_ids.dedup();
    Ok(class_ids)
}

/// Returns whether a record has a value of a quasi-identifier. `None` if the release does not show the column, and
/// `Some(None)` if the cell is generalized so that both is possible.
fn record_has(release: &Release, cell: usize, column: &str, value: &str) -> Option<Option<bool>> {
    let at = release.columns.iter().position(|one| one.name == column && one.role != Role::Sensitive)?;
    let published = &release.columns[at];
    let node = published.nodes[release.contingency.codes[at][cell] as usize];
    if is_below(&published.tree, node, value) {
        return Some(Some(true));
    }
    // A generalized cell that represents the value, or a part of it, may stand for it. A cell next to it does not.
    let may_be = published.tree.find(value).is_some_and(|wanted| published.tree.overlap(node, wanted));
    Some(if may_be || node == 0 { None } else { Some(false) })
}

fn person_unknown() -> Error {
    invalid(KnowledgeFault::PersonUnknown)
}

fn invalid(fault: KnowledgeFault) -> Error {
    Obstacle::BackgroundKnowledgeInvalid { fault }.into()
}
