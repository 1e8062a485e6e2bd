//! The CSV source: whatever the bytes and wherever they are cut into blocks, it counts what a plain reader counts, or says
//! what is wrong without showing a cell.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = reticent_engine::count_csv_bytes(bytes, 1 << 20);
    let cut = reticent_engine::count_csv_bytes(bytes, 7);
    assert_eq!(whole.is_ok(), cut.is_ok(), "the size of blocks decides whether the text can be read");
    let (Ok(whole), Ok(cut)) = (whole, cut) else { return };
    assert_eq!(whole, cut, "the size of blocks decides what is counted");
    let total: u64 = whole.contingency.weights.iter().sum();
    let distinct: BTreeMap<Vec<u32>, u64> = (0..whole.contingency.len())
        .map(|at| (whole.contingency.codes.iter().map(|codes| codes[at]).collect(), whole.contingency.weights[at]))
        .collect();
    assert_eq!(distinct.len(), whole.contingency.len(), "a combination was counted twice");
    assert_eq!(distinct.values().sum::<u64>(), total);
});
