//! Published values of a group, and their loss after a change of the group.

use super::neighbours::NeighbourEffort;
use super::problem::Problem;
use super::random::mix;

/// Published values of a group. Losses are sums over the columns, for one record.
pub(super) trait Cover: Clone {
    /// Effort of the search for neighbours that suffices for this form.
    const NEIGHBOUR_EFFORT: NeighbourEffort;

    /// Published values of a group.
    fn of(problem: &Problem<'_>, members: &[u32]) -> Self;

    /// Adds a combination.
    fn insert(&mut self, problem: &Problem<'_>, combination: u32);

    /// Adds the combinations of another group.
    fn unite(&mut self, problem: &Problem<'_>, other: &Self);

    fn loss(&self, problem: &Problem<'_>) -> f64;

    /// Loss after adding a combination.
    fn loss_with(&self, problem: &Problem<'_>, combination: u32) -> f64;

    /// Loss of the group without each of its members.
    fn losses_without(&self, problem: &Problem<'_>, members: &[u32]) -> Vec<f64>;

    /// Whether both groups publish the same values.
    fn same(&self, problem: &Problem<'_>, other: &Self) -> bool;

    /// Hash of the published values.
    fn key(&self, problem: &Problem<'_>) -> u64;

    /// Loss of a group of two leaf codes in one column.
    fn code_loss(problem: &Problem<'_>, column: usize, one: u32, other: u32) -> f64;

    /// Loss of a group of two combinations, or, if it is not below `limit`, a number from the limit to the loss.
    #[inline]
    fn pair_loss_below(problem: &Problem<'_>, one: u32, other: u32, limit: f64) -> f64 {
        let mut loss = 0.0;
        for (column, (one, other)) in problem.row(one).iter().zip(problem.row(other)).enumerate() {
            if one != other {
                loss += Self::code_loss(problem, column, *one, *other);
                if loss >= limit {
                    break;
                }
            }
        }
        loss
    }

    /// Loss of a group of two combinations.
    fn pair_loss(problem: &Problem<'_>, one: u32, other: u32) -> f64 {
        Self::pair_loss_below(problem, one, other, f64::INFINITY)
    }
}

/// The lowest common node of each column.
#[derive(Clone)]
pub(super) struct NodeCover(Box<[u32]>);

impl Cover for NodeCover {
    // The level greedy search reads only the levels of the neighbours, so a few suffice.
    const NEIGHBOUR_EFFORT: NeighbourEffort = NeighbourEffort { sorts: 12, window: 6, kept: 16 };

    fn of(problem: &Problem<'_>, members: &[u32]) -> Self {
        NodeCover(problem.common_nodes(members).into())
    }

    fn insert(&mut self, problem: &Problem<'_>, combination: u32) {
        for (node, code) in self.0.iter_mut().zip(problem.row(combination)) {
            *node = problem.lift(*node, *code, *code + 1);
        }
    }

    fn unite(&mut self, problem: &Problem<'_>, other: &Self) {
        unite_nodes(problem, &mut self.0, &other.0);
    }

    fn loss(&self, problem: &Problem<'_>) -> f64 {
        self.0.iter().map(|node| problem.node(*node).loss).sum()
    }

    fn loss_with(&self, problem: &Problem<'_>, combination: u32) -> f64 {
        let lifted = self.0.iter().zip(problem.row(combination));
        lifted.map(|(node, code)| problem.node(problem.lift(*node, *code, *code + 1)).loss).sum()
    }

    fn losses_without(&self, problem: &Problem<'_>, members: &[u32]) -> Vec<f64> {
        let columns = problem.columns;
        if members.len() < 2 {
            return vec![0.0; members.len()];
        }
        // Row `at` has the common nodes of the members from `at` on.
        let mut suffixes = vec![0; members.len() * columns];
        let last = members.len() - 1;
        suffixes[last * columns..].copy_from_slice(&problem.common_nodes(&members[last..]));
        for at in (0..last).rev() {
            let (before, after) = suffixes.split_at_mut((at + 1) * columns);
            let nodes = &mut before[at * columns..];
            nodes.copy_from_slice(&after[..columns]);
            for (node, code) in nodes.iter_mut().zip(problem.row(members[at])) {
                *node = problem.lift(*node, *code, *code + 1);
            }
        }
        let suffix = |at: usize| &suffixes[at * columns..(at + 1) * columns];
        let mut losses = vec![NodeCover(suffix(1).into()).loss(problem)];
        let mut prefix = NodeCover::of(problem, &members[..1]);
        for (at, member) in members.iter().enumerate().take(last).skip(1) {
            let others = prefix.0.iter().zip(suffix(at + 1));
            losses.push(others.map(|(one, other)| problem.node(common_node(problem, *one, *other)).loss).sum());
            prefix.insert(problem, *member);
        }
        losses.push(prefix.loss(problem));
        losses
    }

    fn same(&self, _problem: &Problem<'_>, other: &Self) -> bool {
        self.0 == other.0
    }

    fn key(&self, _problem: &Problem<'_>) -> u64 {
        self.0.iter().fold(0, |hash, node| mix(hash ^ u64::from(*node)))
    }

    #[inline]
    fn code_loss(problem: &Problem<'_>, column: usize, one: u32, other: u32) -> f64 {
        problem.node(problem.lift(problem.leaves_of(column)[one as usize], other, other + 1)).loss
    }
}

fn common_node(problem: &Problem<'_>, one: u32, other: u32) -> u32 {
    if one == other {
        return one;
    }
    let other = problem.node(other);
    problem.lift(one, other.start, other.end)
}

fn unite_nodes(problem: &Problem<'_>, into: &mut [u32], other: &[u32]) {
    into.iter_mut().zip(other).for_each(|(node, other)| *node = common_node(problem, *node, *other));
}

/// The leaves of each column. A column with an order publishes the range from its first to its last leaf, other columns the leaves.
#[derive(Clone)]
pub(super) struct SetCover {
    /// (column, code, number of members), ascending.
    leaves: Vec<(u32, u32, u32)>,
    /// Loss by column.
    losses: Box<[f64]>,
}

impl SetCover {
    fn position(&self, column: usize, code: u32) -> Result<usize, usize> {
        self.leaves.binary_search_by_key(&(column as u32, code), |entry| (entry.0, entry.1))
    }

    /// Adds members with a code.
    fn add(&mut self, problem: &Problem<'_>, column: usize, code: u32, count: u32) {
        match self.position(column, code) {
            Ok(at) => self.leaves[at].2 += count,
            Err(at) => {
                self.leaves.insert(at, (column as u32, code, count));
                self.losses[column] = self.changed_loss(problem, column, None, None);
            }
        }
    }

    /// Entries of a column.
    fn entries(&self, column: usize) -> &[(u32, u32, u32)] {
        let start = self.leaves.partition_point(|entry| (entry.0 as usize) < column);
        let end = start + self.leaves[start..].partition_point(|entry| entry.0 as usize == column);
        &self.leaves[start..end]
    }

    /// Loss of a column without one code and with another.
    fn changed_loss(&self, problem: &Problem<'_>, column: usize, without: Option<u32>, with: Option<u32>) -> f64 {
        let codes = self.entries(column).iter().map(|entry| entry.1).filter(|code| Some(*code) != without);
        problem.codes_loss(column, codes.chain(with))
    }

    /// What the group publishes: the first and the last leaf of a column with an order, every leaf of other columns.
    fn published<'a>(&'a self, problem: &'a Problem<'_>) -> impl Iterator<Item = (u32, u32)> + 'a {
        (0..problem.columns).flat_map(move |column| {
            let codes = self.entries(column).iter().map(|entry| entry.1);
            let is_end = problem.ends(column, codes.clone());
            codes
                .filter(move |code| is_end.is_none_or(|ends| ends.contains(&Some(*code))))
                .map(move |code| (column as u32, code))
        })
    }
}

impl Cover for SetCover {
    // Clustering needs the neighbours themselves.
    const NEIGHBOUR_EFFORT: NeighbourEffort = NeighbourEffort { sorts: 16, window: 8, kept: 24 };

    fn of(problem: &Problem<'_>, members: &[u32]) -> Self {
        let codes = |member: &u32| (0u32..).zip(problem.row(*member)).map(|(column, code)| (column, *code, 1));
        let mut leaves: Vec<(u32, u32, u32)> = members.iter().flat_map(codes).collect();
        leaves.sort_unstable();
        leaves.dedup_by(|later, kept| {
            let equal = (later.0, later.1) == (kept.0, kept.1);
            kept.2 += if equal { later.2 } else { 0 };
            equal
        });
        let mut losses = vec![0.0; problem.columns].into_boxed_slice();
        for entries in leaves.chunk_by(|one, other| one.0 == other.0) {
            let column = entries[0].0 as usize;
            losses[column] = problem.codes_loss(column, entries.iter().map(|entry| entry.1));
        }
        SetCover { leaves, losses }
    }

    fn insert(&mut self, problem: &Problem<'_>, combination: u32) {
        problem.row(combination).iter().enumerate().for_each(|(column, code)| self.add(problem, column, *code, 1));
    }

    fn unite(&mut self, problem: &Problem<'_>, other: &Self) {
        other.leaves.iter().for_each(|(column, code, count)| self.add(problem, *column as usize, *code, *count));
    }

    fn loss(&self, _problem: &Problem<'_>) -> f64 {
        self.losses.iter().sum()
    }

    fn loss_with(&self, problem: &Problem<'_>, combination: u32) -> f64 {
        let mut loss = self.loss(problem);
        for (column, code) in problem.row(combination).iter().enumerate() {
            if self.position(column, *code).is_err() {
                loss += match problem.is_additive(column) {
                    true => problem.leaf_loss[column],
                    false => self.changed_loss(problem, column, None, Some(*code)) - self.losses[column],
                };
            }
        }
        loss
    }

    fn losses_without(&self, problem: &Problem<'_>, members: &[u32]) -> Vec<f64> {
        if members.len() < 2 {
            return vec![0.0; members.len()];
        }
        let loss = self.loss(problem);
        let only = |column: usize, code: u32| self.position(column, code).is_ok_and(|at| self.leaves[at].2 == 1);
        let saved_in = |column: usize, code: u32| match problem.is_additive(column) {
            true => problem.leaf_loss[column],
            false => self.losses[column] - self.changed_loss(problem, column, Some(code), None),
        };
        let saved = |member: &u32| -> f64 {
            let codes = problem.row(*member).iter().enumerate().filter(|(column, code)| only(*column, **code));
            codes.map(|(column, code)| saved_in(column, *code)).sum()
        };
        members.iter().map(|member| loss - saved(member)).collect()
    }

    fn same(&self, problem: &Problem<'_>, other: &Self) -> bool {
        self.published(problem).eq(other.published(problem))
    }

    fn key(&self, problem: &Problem<'_>) -> u64 {
        self.published(problem).fold(0, |hash, (column, code)| mix(hash ^ (u64::from(column) << 32 | u64::from(code))))
    }

    #[inline]
    fn code_loss(problem: &Problem<'_>, column: usize, one: u32, other: u32) -> f64 {
        match problem.is_additive(column) {
            _ if one == other => 0.0,
            true => problem.leaf_loss[column],
            false => problem.pair_loss(column, one.min(other), one.max(other)),
        }
    }
}
