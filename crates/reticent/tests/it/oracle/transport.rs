//! Earth mover's distance as a transportation problem, solved as a minimum-cost flow over ground distances.

/// Minimum cost to move `supply` to `demand` (equal sums). One unit from i to j costs `cost(i, j)`.
pub fn least_cost(supply: &[u64], demand: &[u64], cost: impl Fn(usize, usize) -> u64) -> u64 {
    assert_eq!(supply.iter().sum::<u64>(), demand.iter().sum::<u64>());
    let (from, to) = (supply.len(), demand.len());
    let (mut supply_left, mut demand_left) = (supply.to_vec(), demand.to_vec());
    let mut flow = vec![vec![0u64; to]; from];
    let mut total = 0i64;
    while supply_left.iter().any(|unit| *unit > 0) {
        let (path, price) = cheapest_path(&supply_left, &demand_left, &flow, &cost);
        let start = path[0];
        let end = path[path.len() - 1];
        let back =
            path.windows(2).enumerate().filter(|(step, _)| step % 2 == 1).map(|(_, pair)| flow[pair[1]][pair[0]]);
        let amount = back.chain([supply_left[start], demand_left[end]]).min().unwrap();
        for (step, pair) in path.windows(2).enumerate() {
            if step % 2 == 0 {
                flow[pair[0]][pair[1]] += amount;
            } else {
                flow[pair[1]][pair[0]] -= amount;
            }
        }
        supply_left[start] -= amount;
        demand_left[end] -= amount;
        total += price * amount as i64;
    }
    total as u64
}

/// Cheapest augmenting path from a source with remaining supply to a sink with remaining demand (Bellman-Ford): source, sink,
/// source, ... A step from a sink back to a source cancels flow.
fn cheapest_path(
    supply_left: &[u64],
    demand_left: &[u64],
    flow: &[Vec<u64>],
    cost: &impl Fn(usize, usize) -> u64,
) -> (Vec<usize>, i64) {
    let (from, to) = (supply_left.len(), demand_left.len());
    let mut sources: Vec<Option<(i64, Vec<usize>)>> =
        (0..from).map(|i| (supply_left[i] > 0).then(|| (0, vec![i]))).collect();
    let mut sinks: Vec<Option<(i64, Vec<usize>)>> = vec![None; to];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, source) in sources.iter().enumerate() {
            let Some((price, path)) = source else { continue };
            for (j, sink) in sinks.iter_mut().enumerate() {
                let new_price = price + cost(i, j) as i64;
                if sink.as_ref().is_none_or(|(known, _)| new_price < *known) {
                    *sink = Some((new_price, [path.as_slice(), &[j]].concat()));
                    changed = true;
                }
            }
        }
        for j in 0..to {
            let Some((price, path)) = sinks[j].clone() else { continue };
            for (i, source) in sources.iter_mut().enumerate().filter(|(i, _)| flow[*i][j] > 0) {
                let new_price = price - cost(i, j) as i64;
                if source.as_ref().is_none_or(|(known, _)| new_price < *known) {
                    *source = Some((new_price, [path.as_slice(), &[i]].concat()));
                    changed = true;
                }
            }
        }
    }
    let best = (0..to).filter(|j| demand_left[*j] > 0).filter_map(|j| sinks[j].clone()).min_by_key(|(price, _)| *price);
    let (price, path) = best.unwrap();
    (path, price)
}

#[test]
fn the_cost_of_simple_transports_is_right() {
    let distance = |i: usize, j: usize| i.abs_diff(j) as u64;
    assert_eq!(least_cost(&[3, 0, 0], &[1, 1, 1], distance), 3);
    assert_eq!(least_cost(&[1, 2, 3], &[1, 2, 3], distance), 0);
    assert_eq!(least_cost(&[0, 4], &[4, 0], distance), 4);
}

#[test]
fn no_transport_plan_is_cheaper() {
    // All plans for three sources and three sinks, by brute force.
    let mut random = crate::support::Random(11);
    for _ in 0..200 {
        let supply: Vec<u64> = (0..3).map(|_| random.below(4) as u64).collect();
        let mut units: Vec<usize> = (0..3).flat_map(|i| vec![i; supply[i] as usize]).collect();
        let mut demand = [0u64; 3];
        units.iter().for_each(|_| demand[random.below(3)] += 1);
        let costs: Vec<u64> = (0..9).map(|_| random.below(6) as u64).collect();
        let slots: Vec<usize> = (0..3).flat_map(|j| vec![j; demand[j] as usize]).collect();
        let mut best = u64::MAX;
        permute(&mut units, 0, &mut |units| {
            best = best.min(units.iter().zip(&slots).map(|(i, j)| costs[i * 3 + j]).sum());
        });
        assert_eq!(least_cost(&supply, &demand, |i, j| costs[i * 3 + j]), best, "{supply:?} {demand:?} {costs:?}");
    }
}

fn permute(units: &mut [usize], at: usize, each: &mut impl FnMut(&[usize])) {
    if at + 1 >= units.len() {
        return each(units);
    }
    for next in at..units.len() {
        if units[at + 1..=next].contains(&units[at]) && next > at {
            // A swap of equal units gives the same plan. Some of them are skipped to save time.
            if units[next] == units[at] {
                continue;
            }
        }
        units.swap(at, next);
        permute(units, at + 1, each);
        units.swap(at, next);
    }
}
