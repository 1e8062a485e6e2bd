//! What Decomposition and Decomposition+ have in common: groups by the primary sensitive column, and what is listed of the others.

use super::largest::{Buckets, Drawn};
use super::{Group, List, Marginals, Task};
use crate::error::{Error, Result};
use crate::registry::{Arguments, Domain, Entry, Parameter};
use crate::share::Share;
use crate::table::Column;
use crate::taxonomy::{Code, Taxonomy, parse_number};

/// So many records of a value are looked at for the one that repeats least: choosing takes a constant time.
const WINDOW: usize = 16;

pub(super) const PRIMARY: Parameter = Parameter {
    name: "primary",
    domain: Domain::Column,
    default: None,
    meaning: "the sensitive column by which groups are formed: its values in a group are all different",
};

pub(super) const L: Parameter = Parameter {
    name: "l",
    domain: Domain::Each(1),
    default: None,
    meaning: "for every sensitive column, how many values a group lists at least",
};

pub(super) const DIVERSITY: Parameter = Parameter {
    name: "diversity",
    domain: Domain::Word(&["distinct", "frequency"]),
    default: Some("distinct"),
    meaning: "whether a group lists the different values of the other columns, with false ones where they are too few, or all true ones, \
              none of them more than 1/l of the group",
};

pub(super) const MARGINALS: Parameter = Parameter {
    name: "marginals",
    domain: Domain::Word(&["off", "each", "joint"]),
    default: Some("off"),
    meaning: "whether to publish besides how often each value is: each: column by column. joint: values of all sensitive columns together, \
              which undoes false values. Refused where it tells more than is promised, or that cannot be checked",
};

/// What the policy says of marginals.
pub(super) fn marginals(arguments: &Arguments) -> Result<Marginals> {
    Ok(match arguments.word("marginals")? {
        "each" => Marginals::Each,
        "joint" => Marginals::Joint,
        _ => Marginals::Off,
    })
}

/// The promise of both: 1/l of the column.
pub(super) fn promise(arguments: &Arguments, column: &str) -> Result<Option<Share>> {
    let l = arguments.thresholds("l")?.unwrap_or_default().iter().find(|(known, _)| known == column);
    Ok(l.map(|(_, l)| Share::new(1, *l as u64)))
}

/// Groups, and by value of the primary column the records left over.
pub(super) type Formed = (Vec<Vec<u32>>, Vec<(Code, Vec<u32>)>);

/// What is asked of the sensitive columns.
pub(super) struct Demand {
    /// The primary column, and how many different values a group has.
    pub primary: usize,
    pub l: usize,
    /// The others, by place in the table, each with its l.
    pub others: Vec<(usize, usize)>,
    /// Whether true values are listed as often as they are there.
    pub frequency: bool,
}

impl Demand {
    pub(super) fn of(task: &Task<'_>, arguments: &Arguments, entry: &Entry) -> Result<Demand> {
        let wanted = arguments.thresholds("l")?.unwrap_or_default();
        let sensitive = task.sensitive();
        let name = |column: usize| task.table.columns[column].name.as_str();
        let wrong =
            |message: String| Error::Parameter { kind: entry.kind, id: entry.id.to_owned(), message, hint: None };
        let names = || sensitive.iter().map(|at| name(*at)).collect::<Vec<_>>().join(", ");
        if let Some((stranger, _)) = wanted.iter().find(|(known, _)| !sensitive.iter().any(|at| name(*at) == known)) {
            return Err(wrong(format!("`l` names {stranger}, and the sensitive columns are {}", names())));
        }
        let l_of = |column: usize| wanted.iter().find(|(known, _)| known == name(column)).map(|(_, l)| *l as usize);
        let named = arguments.word("primary")?;
        let Some(primary) = sensitive.iter().copied().find(|at| name(*at) == named) else {
            return Err(wrong(format!("the primary column {named} is not among the sensitive columns {}", names())));
        };
        let missing = |column: usize| wrong(format!("`l` does not say how many values {} needs", name(column)));
        let l = l_of(primary).ok_or_else(|| missing(primary))?;
        let others = sensitive.iter().copied().filter(|column| *column != primary);
        let others =
            others.map(|column| Ok((column, l_of(column).ok_or_else(|| missing(column))?))).collect::<Result<_>>()?;
        Ok(Demand { primary, l, others, frequency: arguments.word("diversity")? == "frequency" })
    }

    /// Groups by the largest-l rule, and the records left over, by value of the primary column. Records are taken from the end, and
    /// among those that waited as long the one that repeats least is chosen.
    pub(super) fn form(&self, task: &Task<'_>, records: Vec<u32>, waited: &dyn Fn(u32) -> u32) -> Formed {
        let values = task.table.columns[self.primary].tree.len();
        let mut buckets = Buckets::of(values, records.into_iter().map(|at| (at, task.code(at as usize, self.primary))));
        let mut groups = Vec::new();
        while let Some(chosen) = buckets.next(self.l) {
            let mut group = Vec::with_capacity(self.l);
            for value in &chosen {
                let bucket = buckets.records(*value);
                let from = bucket.len().saturating_sub(WINDOW);
                let last = bucket.last().map_or(0, |at| waited(*at));
                let mut best: Option<(usize, usize)> = None;
                for place in (from..bucket.len()).rev().filter(|place| waited(bucket[*place]) == last) {
                    let penalty = self.penalty(task, bucket[place], &group);
                    if best.is_none_or(|(least, _)| penalty < least) {
                        best = Some((penalty, place));
                    }
                    if penalty == 0 {
                        break;
                    }
                }
                if let Some((_, place)) = best {
                    // Those that waited longest stay last.
                    group.push(bucket.remove(place));
                }
            }
            buckets.put_back(&chosen);
            groups.push(group);
        }
        (groups, buckets.left())
    }

    /// On how many columns a record repeats a value of a group that is short of different ones.
    fn penalty(&self, task: &Task<'_>, at: u32, group: &[u32]) -> usize {
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

    /// What is listed of a group; none when it cannot list enough.
    pub(super) fn list(
        &self,
        task: &Task<'_>,
        members: Vec<u32>,
        linkable: &Linkable,
        choose: &mut dyn Choose,
    ) -> std::result::Result<Group, Vec<u32>> {
        let mut lists = Vec::new();
        for column in task.sensitive() {
            let texts = members.iter().map(|at| task.value(*at as usize, column));
            let Some((_, l)) = self.others.iter().find(|(other, _)| *other == column) else {
                lists.push(List::of(texts));
                continue;
            };
            if self.frequency {
                let list = List::of(texts);
                if list.values.iter().any(|(_, times)| (*times as usize).saturating_mul(*l) > members.len()) {
                    return Err(members);
                }
                lists.push(list);
                continue;
            }
            let mut codes: Vec<Code> = members.iter().map(|at| task.code(*at as usize, column)).collect();
            codes.sort_unstable();
            let repeated = codes.windows(2).find(|two| two[0] == two[1]).map(|two| two[0]);
            let offending = repeated.or_else(|| codes.first().copied()).unwrap_or(0);
            codes.dedup();
            if codes.len() < *l {
                let primary = members.iter().map(|at| task.code(*at as usize, self.primary));
                let mut spare = linkable.of(column, primary);
                spare.retain(|value| codes.binary_search(value).is_err());
                while codes.len() < *l {
                    let Some(noise) = choose.noise(column, offending, &mut spare) else {
                        return Err(members);
                    };
                    codes.push(noise);
                }
            }
            let tree = &task.table.columns[column].tree;
            let mut values: Vec<(String, u64)> = codes.iter().map(|code| (tree.value(*code).to_owned(), 1)).collect();
            values.sort_unstable();
            lists.push(List { values, set: true });
        }
        Ok(Group { members, lists })
    }
}

/// Linkable sensitive values: by column and value of the primary one, the values that occur with it.
pub(super) struct Linkable {
    of: Vec<(usize, Vec<Vec<Code>>)>,
}

impl Linkable {
    pub(super) fn among(task: &Task<'_>, demand: &Demand) -> Linkable {
        let primaries = task.table.columns[demand.primary].tree.len();
        let of_column = |(column, _): &(usize, usize)| {
            let mut of: Vec<Vec<Code>> = vec![Vec::new(); primaries];
            let codes = &task.table.combos.codes;
            let mut pairs: Vec<(Code, Code)> =
                codes[demand.primary].iter().copied().zip(codes[*column].iter().copied()).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs.into_iter().for_each(|(primary, value)| of[primary as usize].push(value));
            (*column, of)
        };
        Linkable { of: demand.others.iter().map(of_column).collect() }
    }

    /// The values of a column that occur with one of these, ascending.
    fn of(&self, column: usize, primaries: impl Iterator<Item = Code>) -> Vec<Code> {
        let Some((_, of)) = self.of.iter().find(|(known, _)| *known == column) else { return Vec::new() };
        let mut values: Vec<Code> = primaries.flat_map(|primary| of[primary as usize].iter().copied()).collect();
        // A few ascending runs, which a stable sort only merges.
        values.sort();
        values.dedup();
        values
    }
}

/// How a false value is chosen.
pub(super) trait Choose {
    /// One of the spare values of a column, which is taken from them; none when there are none.
    fn noise(&mut self, column: usize, offending: Code, spare: &mut Vec<Code>) -> Option<Code>;
}

/// Any of them.
pub(super) struct AtRandom(pub Drawn);

impl Choose for AtRandom {
    fn noise(&mut self, _: usize, _: Code, spare: &mut Vec<Code>) -> Option<Code> {
        if spare.is_empty() {
            return None;
        }
        let at = self.0.below(spare.len());
        Some(spare.swap_remove(at))
    }
}

/// The one nearest to the value that repeats: by how high up the taxonomy both meet, or by how far numbers are apart.
pub(super) struct Nearest<'t> {
    columns: Vec<Distances<'t>>,
}

/// What distances between values of a column are known by.
struct Distances<'t> {
    tree: &'t Taxonomy,
    /// By node.
    heights: Vec<f64>,
    /// By value, where there is no taxonomy and it is a number.
    numbers: Vec<Option<f64>>,
}

impl<'t> Nearest<'t> {
    pub(super) fn of(task: &Task<'t>) -> Nearest<'t> {
        let distances = |column: &'t Column| {
            let tree = &*column.tree;
            let plain = tree.nodes().len() <= tree.len() + 1;
            let number = |value: &String| parse_number(value).filter(|_| plain);
            Distances {
                tree,
                heights: (0..tree.nodes().len()).map(|node| f64::from(tree.height(node))).collect(),
                numbers: tree.values().iter().map(number).collect(),
            }
        };
        Nearest { columns: task.table.columns.iter().map(distances).collect() }
    }
}

impl Distances<'_> {
    /// How far two values are apart.
    fn between(&self, one: Code, other: Code) -> f64 {
        if let (Some(one), Some(other)) = (self.numbers[one as usize], self.numbers[other as usize]) {
            return (one - other).abs();
        }
        let tree = self.tree;
        let mut node = tree.leaf_of(one);
        while !tree.node(node).codes.contains(&other) {
            match tree.node(node).parent {
                Some(parent) => node = parent,
                None => break,
            }
        }
        self.heights[node]
    }
}

impl Choose for Nearest<'_> {
    fn noise(&mut self, column: usize, offending: Code, spare: &mut Vec<Code>) -> Option<Code> {
        let far = |(at, value): (usize, &Code)| (self.columns[column].between(offending, *value), *value, at);
        let nearest = spare.iter().enumerate().map(far);
        let (_, _, at) = nearest.min_by(|one, two| one.0.total_cmp(&two.0).then(one.1.cmp(&two.1)))?;
        Some(spare.remove(at))
    }
}
