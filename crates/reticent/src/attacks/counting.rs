//! Worlds are counted, and counts of worlds grow fast: none where they do not fit.

/// In how many ways some can be chosen of all.
pub(super) fn choose(all: u64, some: u64) -> Option<u128> {
    if some > all {
        return Some(0);
    }
    let fewer = some.min(all - some);
    let step = |ways: u128, at: u64| Some(ways.checked_mul(u128::from(all - fewer + at))? / u128::from(at));
    (1..=fewer).try_fold(1, step)
}

/// In how many orders so many can stand.
pub(super) fn factorial(number: u64) -> Option<u128> {
    (1..=u128::from(number)).try_fold(1u128, |product, factor| product.checked_mul(factor))
}
