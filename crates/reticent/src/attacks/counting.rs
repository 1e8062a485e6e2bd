//! Combinatorial counts of possible worlds; none if a count exceeds 128 bits.

/// Binomial coefficient: the number of ways to choose `some` of `all`.
pub(super) fn choose(all: u64, some: u64) -> Option<u128> {
    if some > all {
        return Some(0);
    }
    let smaller = some.min(all - some);
    let step = |ways: u128, at: u64| Some(ways.checked_mul(u128::from(all - smaller + at))? / u128::from(at));
    (1..=smaller).try_fold(1, step)
}

/// Factorial of `number`.
pub(super) fn factorial(number: u64) -> Option<u128> {
    (1..=u128::from(number)).try_fold(1u128, |product, factor| product.checked_mul(factor))
}
