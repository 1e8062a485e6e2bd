//! The earth mover's distance as what it is: a transport problem, solved as a minimum-cost flow over ground distances.

/// The least cost of bringing `supply` to `demand` (equal sums), where moving one unit from i to j costs `cost(i, j)`.
pub fn least_cost(supply: &[u64], demand: &[u64], cost: impl Fn(usize, usize) -> u64) -> u64 {
    assert_eq!(supply.iter().sum::<u64>(), demand.iter().sum::<u64>());
    let (from, to) = (supply.len(), demand.len());
    let (mut left, mut open) = (supply.to_vec(), demand.to_vec());
    let mut flow = vec![vec![0u64; to]; from];
    let mut total = 0i64;
    while left.iter().any(|unit| *unit > 0) {
        let (path, price) = cheapest_path(&left, &open, &flow, &cost);
        let start = path[0];
        let end = path[path.len() - 1];
        let back =
            path.windows(2).enumerate().filter(|(step, _)| step % 2 == 1).map(|(_, pair)| flow[pair[1]][pair[0]]);
        let amount = back.chain([left[start], open[end]]).min().unwrap();
        for (step, pair) in path.windows(2).enumerate() {
            if step % 2 == 0 {
                flow[pair[0]][pair[1]] += amount;
            } else {
                flow[pair[1]][pair[0]] -= amount;
            }
        }
        left[start] -= amount;
        open[end] -= amount;
        total += price * amount as i64;
    }
    total as u64
}

/// The cheapest way from a source with something left to a place that still needs something: source, place, source, ...
/// where steps from a place back to a source undo a flow (Bellman and Ford).
fn cheapest_path(
    left: &[u64],
    open: &[u64],
    flow: &[Vec<u64>],
    cost: &impl Fn(usize, usize) -> u64,
) -> (Vec<usize>, i64) {
    let (from, to) = (left.len(), open.len());
    let mut sources: Vec<Option<(i64, Vec<usize>)>> = (0..from).map(|i| (left[i] > 0).then(|| (0, vec![i]))).collect();
    let mut places: Vec<Option<(i64, Vec<usize>)>> = vec![None; to];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, source) in sources.iter().enumerate() {
            let Some((price, path)) = source else { continue };
            for (j, place) in places.iter_mut().enumerate() {
                let there = price + cost(i, j) as i64;
                if place.as_ref().is_none_or(|(known, _)| there < *known) {
                    *place = Some((there, [path.as_slice(), &[j]].concat()));
                    changed = true;
                }
            }
        }
        for j in 0..to {
            let Some((price, path)) = places[j].clone() else { continue };
            for (i, source) in sources.iter_mut().enumerate().filter(|(i, _)| flow[*i][j] > 0) {
                let there = price - cost(i, j) as i64;
                if source.as_ref().is_none_or(|(known, _)| there < *known) {
                    *source = Some((there, [path.as_slice(), &[i]].concat()));
                    changed = true;
                }
            }
        }
    }
    let best = (0..to).filter(|j| open[*j] > 0).filter_map(|j| places[j].clone()).min_by_key(|(price, _)| *price);
    let (price, path) = best.unwrap();
    (path, price)
}

#[test]
fn moves_what_must_be_moved() {
    let apart = |i: usize, j: usize| i.abs_diff(j) as u64;
    assert_eq!(least_cost(&[3, 0, 0], &[1, 1, 1], apart), 3);
    assert_eq!(least_cost(&[1, 2, 3], &[1, 2, 3], apart), 0);
    assert_eq!(least_cost(&[0, 4], &[4, 0], apart), 4);
}

#[test]
fn is_no_dearer_than_any_other_plan() {
    // Every plan for three sources and three places, by brute force.
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
            // Swapping equal units gives nothing new; skipping some is enough to stay fast.
            if units[next] == units[at] {
                continue;
            }
        }
        units.swap(at, next);
        permute(units, at + 1, each);
        units.swap(at, next);
    }
}
