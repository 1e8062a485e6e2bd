//! Owners of records: numbers instead of texts, only if an owner has several records, and independent of the threads.
//! With a key, owner links connect pseudonyms with combinations.

use std::collections::BTreeMap;

use proptest::prelude::*;
use reticent::{Counts, Links, Pseudonym};
use reticent_engine::{CountRequest, Embedded, Engine, Error, Generator, Options, OwnerKey};

use crate::support::{count_request, file, folder, naive_counts};

fn count(text: &str, threads: usize) -> reticent_engine::Result<Counts> {
    let options = Options { threads: Some(threads), block_bytes: 16, ..Options::default() };
    let engine = Embedded::from_csv(text.as_bytes(), options)?;
    engine.count(&CountRequest { owner: Some("who".to_owned()), ..count_request(&["a"]) })
}

/// The bytes 0 to 31.
fn key() -> OwnerKey {
    OwnerKey::new(std::array::from_fn(|at| at as u8))
}

/// Counts with a key, so that the counts contain owner links.
fn linked(text: &str, threads: usize) -> reticent_engine::Result<Counts> {
    let options = Options { threads: Some(threads), block_bytes: 16, ..Options::default() };
    let engine = Embedded::from_csv(text.as_bytes(), options)?;
    engine.count(&CountRequest { owner: Some("who".to_owned()), key: Some(key()), ..count_request(&["a"]) })
}

#[test]
fn owners_are_omitted_if_every_owner_has_one_row() {
    let counts = count("who,a\np,1\nq,1\nr,2\n", 2).unwrap();
    assert_eq!(counts.contingency.owners, None);
    assert_eq!(counts.contingency.weights, [2, 1]);
}

#[test]
fn rows_are_counted_per_owner_for_any_number_of_threads() {
    let mut text = "who,a\n".to_owned();
    for at in 0..500 {
        text += &format!("person {},{}\n", at % 120, at % 5);
    }
    let counts = count(&text, 1).unwrap();
    let owners = counts.contingency.owners.as_ref().unwrap();
    let mut rows_by_owner: BTreeMap<u32, u64> = BTreeMap::new();
    for (owner, weight) in owners.iter().zip(&counts.contingency.weights) {
        *rows_by_owner.entry(*owner).or_insert(0) += weight;
    }
    assert_eq!((rows_by_owner.len(), counts.contingency.rows(), counts.contingency.people()), (120, 500, 120));
    assert!(rows_by_owner.keys().copied().eq(0..120));
    for threads in 2..5 {
        assert_eq!(count(&text, threads).unwrap(), counts);
    }
}

#[test]
fn rows_without_an_owner_are_refused() {
    for error in [count, linked].map(|count| count("who,a\np,1\n,1\n ,2\n", 2).unwrap_err()) {
        assert!(matches!(&error, Error::OwnerMissing { rows: 2, column } if column == "who"), "{error}");
    }
}

#[test]
fn the_owner_column_may_also_be_counted() {
    let engine = Embedded::from_csv(b"who,a\np,1\np,2\n", Options::default()).unwrap();
    let counts = engine.count(&CountRequest { owner: Some("who".to_owned()), ..count_request(&["who", "a"]) }).unwrap();
    assert_eq!(counts.values, [vec!["p"], vec!["1", "2"]]);
    assert_eq!(counts.contingency.owners, Some(vec![0, 0]));
}

/// From Python: `hmac.new(bytes(range(32)), b"reticent owner\0" + text, "sha256").hexdigest()[:32]`. The second one was
/// also computed by `openssl dgst -sha256 -mac HMAC`.
const KNOWN: [(&str, Pseudonym); 4] = [
    ("", 0xe520_98a6_656d_6fe8_0f4b_ea58_d58a_b02d),
    ("Ada Lovelace", 0xbb6b_0b7d_12e1_ad54_c7b3_54c8_2dde_1129),
    ("Zoë", 0x4b67_6ac5_1b46_6234_e0d0_6a54_0225_5da1),
    (LONG, 0xde02_8743_67dc_dd32_f68c_e6c3_9c72_e19e),
];

/// 200 letters, more than the block size of the hash.
const LONG: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/// Ledgers store pseudonyms. If they changed, no owner could be matched with an earlier release.
#[test]
fn pseudonyms_never_change() {
    for (text, pseudonym) in KNOWN {
        assert_eq!(key().pseudonym(text.as_bytes()), pseudonym, "{text}");
    }
    assert_eq!(OwnerKey::new([255; 32]).pseudonym(b"Ada Lovelace"), 0xefad_df14_cf7b_9319_71ae_2da2_9041_0d20);
}

#[test]
fn links_contain_the_pseudonym_of_every_row() {
    let [_, (ada, first), (zoe, second), _] = KNOWN;
    let text = format!("who,a\n{ada},2\n {zoe} ,2\n\"{ada}\",1\n{ada} ,2\n");
    let counts = linked(&text, 1).unwrap();
    let expected = Links { pseudonyms: vec![second, first, first], cells: vec![1, 0, 1], records: vec![1, 1, 2] };
    assert_eq!(counts.links, Some(expected));
    assert_eq!(counts.contingency.codes, [[0, 1, 1]]);
    assert_eq!(counts.contingency.weights, [1, 1, 2]);
    assert_eq!(counts.contingency.owners, Some(vec![1, 0, 1]));
    let merged = counts.without_owners();
    assert_eq!((merged.codes, merged.weights, merged.owners), (vec![vec![0, 1]], vec![1, 3], None));
}

#[test]
fn links_do_not_add_owner_numbers_if_every_owner_has_one_row() {
    let counts = linked("who,a\np,1\nq,1\nr,2\n", 2).unwrap();
    assert_eq!(counts.contingency, count("who,a\np,1\nq,1\nr,2\n", 2).unwrap().contingency);
    assert_eq!(counts.contingency, counts.without_owners());
    assert_eq!(counts.links.unwrap().rows_by_cell(2), [2, 1]);
}

#[test]
fn links_need_an_owner_column_and_a_key() {
    let engine = Embedded::from_csv(b"who,a\np,1\np,2\n", Options::default()).unwrap();
    assert_eq!(engine.count(&CountRequest { key: Some(key()), ..count_request(&["a"]) }).unwrap().links, None);
    assert_eq!(count("who,a\np,1\np,2\n", 1).unwrap().links, None);
    assert_eq!(linked("who,a\n", 2).unwrap().links, Some(Links::default()));
    let counts =
        engine.count(&CountRequest { owner: Some("who".to_owned()), key: Some(key()), columns: Vec::new() }).unwrap();
    assert_eq!((counts.contingency.weights, counts.links.unwrap().records), (vec![2], vec![2]));
}

#[test]
fn another_key_makes_other_pseudonyms() {
    let engine = Embedded::from_csv(b"who,a\np,1\np,2\nq,2\n", Options::default()).unwrap();
    let links = |key: [u8; 32]| {
        let request =
            CountRequest { owner: Some("who".to_owned()), key: Some(OwnerKey::new(key)), ..count_request(&["a"]) };
        engine.count(&request).unwrap().links.unwrap()
    };
    let (one, other) = (links([1; 32]), links([2; 32]));
    assert!(one.pseudonyms.iter().all(|pseudonym| !other.pseudonyms.contains(pseudonym)));
    assert_eq!((one.people(), one.rows_by_cell(2)), (other.people(), other.rows_by_cell(2)));
}

#[test]
fn links_count_towards_the_memory_limit() {
    let mut text = "who,a\n".to_owned();
    (0..20_000).for_each(|at| text += &format!("{at},1\n"));
    let count = |memory: u64, key: Option<OwnerKey>| {
        let options = Options { threads: Some(1), memory, ..Options::default() };
        let engine = Embedded::from_csv(text.as_bytes(), options).unwrap();
        engine.count(&CountRequest { owner: Some("who".to_owned()), key, ..count_request(&["a"]) })
    };
    // A row needs at least 56 bytes: a pair of 32 bytes and its link of 24 bytes.
    let error = count(20_000 * 56, Some(key())).unwrap_err();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    assert!(count(20_000 * 56, None).is_ok());
    assert_eq!(count(20_000 * 80, Some(key())).unwrap().links.unwrap().len(), 20_000);
}

#[test]
fn debug_output_and_errors_contain_no_owner_and_no_key() {
    let text = "who,a\nAda Lovelace,1\nAda Lovelace,2\nEmmy Noether,2\n";
    let engine = Embedded::from_csv(text.as_bytes(), Options::default()).unwrap();
    let key = OwnerKey::new([171; 32]);
    let request = CountRequest { owner: Some("who".to_owned()), key: Some(key.clone()), ..count_request(&["a"]) };
    let counts = engine.count(&request).unwrap();
    let refused = linked(&format!("{text},3\n"), 1).unwrap_err();
    let output = format!("{engine:?} {request:?} {counts:?} {counts:#?} {key:?} {refused:?} {refused}").to_lowercase();
    assert!(output.contains("ownerkey(..)") && output.contains("links(3)"), "{output}");
    for forbidden in ["ada", "lovelace", "emmy", "noether", "171", "abab"] {
        assert!(!output.contains(forbidden), "{forbidden} in {output}");
    }
    for pseudonym in counts.links.unwrap().pseudonyms {
        assert!(!output.contains(&pseudonym.to_string()) && !output.contains(&format!("{pseudonym:x}")), "{output}");
    }
}

/// Rows whose first field names the owner.
type Rows = Vec<Vec<String>>;

fn names(width: usize) -> Vec<String> {
    (0..width).map(|at| if at == 0 { "who".to_owned() } else { format!("c{at}") }).collect()
}

fn csv_of(rows: &[Vec<String>], width: usize) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(names(width)).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.into_inner().unwrap()
}

/// The combinations without owners, and the links, computed by a simple loop over the rows.
fn naive(rows: &[Vec<String>], width: usize) -> (Counts, Links) {
    let trimmed: Rows = rows.iter().map(|row| row.iter().map(|text| text.trim().to_owned()).collect()).collect();
    let columns: Rows = trimmed.iter().map(|row| row[1..].to_vec()).collect();
    let mut cells = columns.clone();
    cells.sort();
    cells.dedup();
    let mut links: BTreeMap<(Pseudonym, u32), u32> = BTreeMap::new();
    for (row, columns) in trimmed.iter().zip(&columns) {
        let cell = cells.iter().position(|cell| cell == columns).unwrap();
        *links.entry((key().pseudonym(row[0].as_bytes()), cell as u32)).or_insert(0) += 1;
    }
    let links = Links {
        pseudonyms: links.keys().map(|(pseudonym, _)| *pseudonym).collect(),
        cells: links.keys().map(|(_, cell)| *cell).collect(),
        records: links.into_values().collect(),
    };
    (naive_counts(&names(width)[1..], &columns), links)
}

/// The counts of these rows with owners: without a key, and with a key.
fn count_without_and_with_key(rows: &[Vec<String>], width: usize, files: usize, options: &Options) -> [Counts; 2] {
    let folder = folder();
    for (at, part) in rows.chunks(rows.len().div_ceil(files).max(1)).enumerate() {
        file(&folder, &format!("{at}.csv"), csv_of(part, width));
    }
    let engine = Embedded::open(&[folder.path().to_str().unwrap().to_owned()], options.clone()).unwrap();
    [None, Some(key())].map(|key| {
        engine.count(&CountRequest { owner: Some("who".to_owned()), key, ..count_request(&names(width)[1..]) }).unwrap()
    })
}

/// The combinations of each owner with their weights, sorted. The arbitrary owner numbers are removed.
fn by_owner(counts: &Counts) -> Option<Vec<BTreeMap<Vec<u32>, u64>>> {
    let mut people: BTreeMap<u32, BTreeMap<Vec<u32>, u64>> = BTreeMap::new();
    for (at, owner) in counts.contingency.owners.as_ref()?.iter().enumerate() {
        let codes = counts.contingency.codes.iter().map(|codes| codes[at]).collect();
        people.entry(*owner).or_default().insert(codes, counts.contingency.weights[at]);
    }
    let mut people: Vec<_> = people.into_values().collect();
    people.sort();
    Some(people)
}

/// Compares the engine with the naive loop and returns the counts with links.
fn check(rows: &[Vec<String>], width: usize, files: usize, options: &Options) -> Counts {
    let [plain, linked] = count_without_and_with_key(rows, width, files, options);
    let (merged, links) = naive(rows, width);
    assert_eq!((&linked.names, &linked.values), (&merged.names, &merged.values));
    assert_eq!(linked.without_owners(), merged.contingency);
    assert!(linked.links.as_ref() == Some(&links), "links of {rows:?}");
    assert_eq!(links.rows_by_cell(merged.contingency.len()), merged.contingency.weights);
    assert_eq!((linked.contingency.rows(), linked.contingency.people()), (links.rows(), links.people()));
    // Sorted by codes and owner without duplicates, as without a key.
    assert_eq!(linked.contingency.combined(), linked.contingency);
    assert_eq!(by_owner(&linked), by_owner(&plain));
    let Counts { names, values, contingency, links } = plain;
    assert_eq!((names, values, links), (merged.names, merged.values, None));
    assert_eq!(
        (contingency.codes, contingency.owners.is_some()),
        (linked.contingency.codes.clone(), linked.contingency.owners.is_some())
    );
    linked
}

fn table() -> impl Strategy<Value = Rows> {
    let row = (
        prop::sample::select(vec!["p", "q", " p ", "Zoë", "o, p", "say \"p\"", "r1", "r2", "r3", LONG]),
        prop::sample::select(vec!["", "1", "2", "two words"]),
        prop::sample::select(vec!["x", "y", "é"]),
    );
    let row = row.prop_map(|(owner, a, b)| [owner, a, b].map(str::to_owned).to_vec());
    // In a few rows, all owners are often distinct. In many rows, they never are.
    prop_oneof![prop::collection::vec(row.clone(), 1..5), prop::collection::vec(row, 5..50)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn links_match_a_naive_loop_for_any_order_of_rows(
        rows in table(),
        files in 1usize..4,
        threads in 1usize..5,
        block_bytes in 1usize..60,
        seed in any::<u64>(),
    ) {
        let options = Options { threads: Some(threads), block_bytes, ..Options::default() };
        let counts = check(&rows, 3, files, &options);
        let mut shuffled = rows.clone();
        Generator::new(seed).shuffle(&mut shuffled);
        let options = Options { block_bytes: 4096, ..Options::default() };
        prop_assert!(check(&shuffled, 3, 1, &options) == counts);
    }
}

#[test]
fn links_are_right_for_every_width_of_packed_codes() {
    for (columns, values) in [(2, 5000), (9, 3000), (20, 200), (40, 17)] {
        let mut generator = Generator::new(columns);
        let mut rows: Rows = Vec::new();
        for _ in 0..1500 {
            let owner = format!("person {}", generator.below(600));
            let texts = (0..columns).map(|_| format!("v{}", generator.below(values)));
            rows.push(std::iter::once(owner).chain(texts).collect());
        }
        // Some combinations belong to several owners, and to several rows of one owner.
        for at in 0..300 {
            let mut copy = rows[at * 3].clone();
            copy[0] = if at % 2 == 0 { copy[0].clone() } else { format!("person {}", generator.below(600)) };
            rows.push(copy);
        }
        check(&rows, columns as usize + 1, 2, &Options { threads: Some(3), block_bytes: 4096, ..Options::default() });
    }
}
