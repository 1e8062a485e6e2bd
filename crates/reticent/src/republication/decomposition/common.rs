//! Common parts of Decomposition and Decomposition+: groups by the primary sensitive column, and lists of the other columns.

use crate::data::table::Column;
use crate::data::taxonomy::{Code, Taxonomy, parse_number};
use crate::error::{Error, Result};
use crate::ratio::Ratio;
use crate::registry::{Arguments, Domain, Entry, ParameterDef};
use crate::republication::largest::{MethodRng, ValueBuckets};
use crate::republication::{List, Marginals, ReleaseGroup, RepublicationTask};

/// Maximum number of records of a value that are compared by their penalty. It bounds the time of a choice.
const MAX_CANDIDATES: usize = 16;

pub(in crate::republication) const PRIMARY: ParameterDef = ParameterDef {
    name: "primary",
    domain: Domain::Column,
    default: None,
    meaning: "sensitive column by which groups are formed; its values in a group are distinct",
};

pub(in crate::republication) const L: ParameterDef = ParameterDef {
    name: "l",
    domain: Domain::Each(1),
    default: None,
    meaning: "minimum number of listed values in a group, for every sensitive column",
};

pub(in crate::republication) const DIVERSITY: ParameterDef = ParameterDef {
    name: "diversity",
    domain: Domain::Word(&["distinct", "frequency"]),
    default: Some("distinct"),
    meaning: "lists of the other columns. distinct: the distinct values, with noise values if there are fewer than l. frequency: the true \
              values with their counts, none above 1/l of the group",
};

pub(in crate::republication) const MARGINALS: ParameterDef = ParameterDef {
    name: "marginals",
    domain: Domain::Word(&["off", "each", "joint"]),
    default: Some("off"),
    meaning: "marginal tables. each: counts of the values of each sensitive column. joint: counts of the combinations of all sensitive \
              columns, which expose noise values. Refused if a posterior exceeds the bound, or if this cannot be checked",
};

/// Returns the marginal tables that the arguments request.
pub(in crate::republication) fn marginals(arguments: &Arguments) -> Result<Marginals> {
    Ok(match arguments.word("marginals")? {
        "each" => Marginals::Each,
        "joint" => Marginals::Joint,
        _ => Marginals::Off,
    })
}

/// Returns the bound of the posterior for a column: 1/l.
pub(in crate::republication) fn promise(arguments: &Arguments, column: &str) -> Result<Option<Ratio>> {
    let l = arguments.thresholds("l")?.unwrap_or_default().iter().find(|(known, _)| known == column);
    Ok(l.map(|(_, l)| Ratio::new(1, *l as u64)))
}

/// Groups, and the remaining records by value of the primary column.
pub(in crate::republication) type FormedGroups = (Vec<Vec<u32>>, Vec<(Code, Vec<u32>)>);

/// The diversity requirements of the sensitive columns.
pub(in crate::republication) struct DiversityRule {
    /// Index of the primary column.
    pub primary: usize,
    /// Number of distinct primary values in a group.
    pub l: usize,
    /// Index and l of every other sensitive column.
    pub others: Vec<(usize, usize)>,
    /// True if the true values are listed with their counts, without noise.
    pub frequency: bool,
}

impl DiversityRule {
    pub(in crate::republication) fn new(
        task: &RepublicationTask<'_>,
        arguments: &Arguments,
        entry: &Entry,
    ) -> Result<DiversityRule> {
        let thresholds = arguments.thresholds("l")?.unwrap_or_default();
        let sensitive = task.sensitive();
        let name = |column: usize| task.table.columns[column].name.as_str();
        let invalid =
            |message: String| Error::Parameter { kind: entry.kind, id: entry.id.to_owned(), message, hint: None };
        let names = || sensitive.iter().map(|at| name(*at)).collect::<Vec<_>>().join(", ");
        if let Some((unknown, _)) = thresholds.iter().find(|(known, _)| !sensitive.iter().any(|at| name(*at) == known))
        {
            return Err(invalid(format!("`l` names {unknown}, which is not one of the sensitive columns {}", names())));
        }
        let l_of = |column: usize| thresholds.iter().find(|(known, _)| known == name(column)).map(|(_, l)| *l as usize);
        let named = arguments.word("primary")?;
        let Some(primary) = sensitive.iter().copied().find(|at| name(*at) == named) else {
            return Err(invalid(format!("the primary column {named} is not one of the sensitive columns {}", names())));
        };
        let missing = |column: usize| invalid(format!("`l` has no number for the sensitive column {}", name(column)));
        let l = l_of(primary).ok_or_else(|| missing(primary))?;
        let others = sensitive.iter().copied().filter(|column| *column != primary);
        let others =
            others.map(|column| Ok((column, l_of(column).ok_or_else(|| missing(column))?))).collect::<Result<_>>()?;
        Ok(DiversityRule { primary, l, others, frequency: arguments.word("diversity")? == "frequency" })
    }

    /// Forms groups by the largest-l rule. Returns the groups and the remaining records by value of the primary column.
    ///
    /// Records are taken from the end. Among records that are equally long postponed, the one with the lowest penalty is chosen.
    pub(in crate::republication) fn form_groups(
        &self,
        task: &RepublicationTask<'_>,
        records: Vec<u32>,
        times_postponed: &dyn Fn(u32) -> u32,
    ) -> FormedGroups {
        let values = task.table.columns[self.primary].tree.len();
        let mut buckets =
            ValueBuckets::new(values, records.into_iter().map(|at| (at, task.code(at as usize, self.primary))));
        let mut groups = Vec::new();
        while let Some(chosen) = buckets.next(self.l) {
            let mut group = Vec::with_capacity(self.l);
            for value in &chosen {
                let bucket = buckets.records(*value);
                let from = bucket.len().saturating_sub(MAX_CANDIDATES);
                let last = bucket.last().map_or(0, |at| times_postponed(*at));
                let mut best: Option<(usize, usize)> = None;
                for place in (from..bucket.len()).rev().filter(|place| times_postponed(bucket[*place]) == last) {
                    let penalty = self.penalty(task, bucket[place], &group);
                    if best.is_none_or(|(least, _)| penalty < least) {
                        best = Some((penalty, place));
                    }
                    if penalty == 0 {
                        break;
                    }
                }
                if let Some((_, place)) = best {
                    // Keeps the order of the others: the longest postponed stay last.
                    group.push(bucket.remove(place));
                }
            }
            buckets.put_back(&chosen);
            groups.push(group);
        }
        (groups, buckets.into_remaining())
    }

    /// Returns the number of columns in which a record repeats a value of a group that has too few distinct values.
    fn penalty(&self, task: &RepublicationTask<'_>, at: u32, group: &[u32]) -> usize {
        let repeats = |(column, l): &&(usize, usize)| {
            let value = task.code(at as usize, *column);
            let same = |member: &&u32| task.code(**member as usize, *column) == value;
            match self.frequency {
                true => group.iter().filter(same).count() * l >= self.l,
                false => group.len() < *l && group.iter().any(|member| same(&member)),
            }
        };
        self.others.iter().filter(repeats).count()
    }

    /// Creates a group with its lists. Returns the members as an error if there are not enough values to list.
    pub(in crate::republication) fn group_with_lists(
        &self,
        task: &RepublicationTask<'_>,
        members: Vec<u32>,
        linkable: &LinkableValues,
        chooser: &mut dyn NoiseChooser,
    ) -> std::result::Result<ReleaseGroup, Vec<u32>> {
        let mut lists = Vec::new();
        for column in task.sensitive() {
            let texts = members.iter().map(|at| task.value(*at as usize, column));
            let Some((_, l)) = self.others.iter().find(|(other, _)| *other == column) else {
                lists.push(List::new(texts));
                continue;
            };
            if self.frequency {
                let list = List::new(texts);
                if list.values.iter().any(|(_, times)| (*times as usize).saturating_mul(*l) > members.len()) {
                    return Err(members);
                }
                lists.push(list);
                continue;
            }
            let mut codes: Vec<Code> = members.iter().map(|at| task.code(*at as usize, column)).collect();
            codes.sort_unstable();
            let repeated = codes.windows(2).find(|two| two[0] == two[1]).map(|two| two[0]);
            let repeated_value = repeated.or_else(|| codes.first().copied()).unwrap_or(0);
            codes.dedup();
            if codes.len() < *l {
                let primary = members.iter().map(|at| task.code(*at as usize, self.primary));
                let mut candidates = linkable.linked_to(column, primary);
                candidates.retain(|value| codes.binary_search(value).is_err());
                while codes.len() < *l {
                    let Some(noise) = chooser.noise(column, repeated_value, &mut candidates) else {
                        return Err(members);
                    };
                    codes.push(noise);
                }
            }
            let tree = &task.table.columns[column].tree;
            let mut values: Vec<(String, u64)> = codes.iter().map(|code| (tree.value(*code).to_owned(), 1)).collect();
            values.sort_unstable();
            lists.push(List { values, is_set: true });
        }
        Ok(ReleaseGroup { members, lists })
    }
}

/// Linkable sensitive values: the values of a column that occur in the data with a primary value.
pub(in crate::republication) struct LinkableValues {
    by_column: Vec<(usize, Vec<Vec<Code>>)>,
}

impl LinkableValues {
    pub(in crate::republication) fn new(task: &RepublicationTask<'_>, rule: &DiversityRule) -> LinkableValues {
        let primaries = task.table.columns[rule.primary].tree.len();
        let of_column = |(column, _): &(usize, usize)| {
            let mut of: Vec<Vec<Code>> = vec![Vec::new(); primaries];
            let codes = &task.table.contingency.codes;
            let mut pairs: Vec<(Code, Code)> =
                codes[rule.primary].iter().copied().zip(codes[*column].iter().copied()).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs.into_iter().for_each(|(primary, value)| of[primary as usize].push(value));
            (*column, of)
        };
        LinkableValues { by_column: rule.others.iter().map(of_column).collect() }
    }

    /// Returns the values of a column that occur with one of these primary values, in ascending order.
    fn linked_to(&self, column: usize, primaries: impl Iterator<Item = Code>) -> Vec<Code> {
        let Some((_, of)) = self.by_column.iter().find(|(known, _)| *known == column) else { return Vec::new() };
        let mut values: Vec<Code> = primaries.flat_map(|primary| of[primary as usize].iter().copied()).collect();
        // The values are a few ascending runs, which a stable sort merges quickly.
        values.sort();
        values.dedup();
        values
    }
}

/// Strategy for choosing a noise value.
pub(in crate::republication) trait NoiseChooser {
    /// Removes and returns one of the candidate values of a column, or `None` if there are none.
    fn noise(&mut self, column: usize, repeated_value: Code, candidates: &mut Vec<Code>) -> Option<Code>;
}

/// Chooses a random noise value.
pub(in crate::republication) struct RandomNoise(pub MethodRng);

impl NoiseChooser for RandomNoise {
    fn noise(&mut self, _: usize, _: Code, candidates: &mut Vec<Code>) -> Option<Code> {
        if candidates.is_empty() {
            return None;
        }
        let at = self.0.below(candidates.len());
        Some(candidates.swap_remove(at))
    }
}

/// Chooses the noise value nearest to the repeated value.
///
/// The distance is the height of the lowest common ancestor in the taxonomy, or the difference of numbers.
pub(in crate::republication) struct NearestNoise<'t> {
    columns: Vec<Distances<'t>>,
}

/// Distances between the values of a column.
struct Distances<'t> {
    tree: &'t Taxonomy,
    /// Height by node.
    heights: Vec<f64>,
    /// Number by value, if the column has no taxonomy and the value is a number.
    numbers: Vec<Option<f64>>,
}

impl<'t> NearestNoise<'t> {
    pub(in crate::republication) fn new(task: &RepublicationTask<'t>) -> NearestNoise<'t> {
        let distances = |column: &'t Column| {
            let tree = &*column.tree;
            let has_no_taxonomy = tree.is_flat();
            let number = |value: &String| parse_number(value).filter(|_| has_no_taxonomy);
            Distances {
                tree,
                heights: (0..tree.nodes().len()).map(|node| f64::from(tree.height(node))).collect(),
                numbers: tree.values().iter().map(number).collect(),
            }
        };
        NearestNoise { columns: task.table.columns.iter().map(distances).collect() }
    }
}

impl Distances<'_> {
    /// Returns the distance between two values.
    fn between(&self, one: Code, other: Code) -> f64 {
        if let (Some(one), Some(other)) = (self.numbers[one as usize], self.numbers[other as usize]) {
            return (one - other).abs();
        }
        let tree = self.tree;
        let mut node = tree.leaf_of(one);
        while !tree.node(node).span.contains(&other) {
            match tree.node(node).parent {
                Some(parent) => node = parent,
                None => break,
            }
        }
        self.heights[node]
    }
}

impl NoiseChooser for NearestNoise<'_> {
    fn noise(&mut self, column: usize, repeated_value: Code, candidates: &mut Vec<Code>) -> Option<Code> {
        let far = |(at, value): (usize, &Code)| (self.columns[column].between(repeated_value, *value), *value, at);
        let nearest = candidates.iter().enumerate().map(far);
        let (_, _, at) = nearest.min_by(|one, two| one.0.total_cmp(&two.0).then(one.1.cmp(&two.1)))?;
        Some(candidates.remove(at))
    }
}
