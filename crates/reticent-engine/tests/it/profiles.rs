//! Profiles of columns: exact if the values are listed, otherwise bounded; independent of row order and threads.

use reticent::taxonomy::Type;
use reticent_engine::{Embedded, Engine, Generator, Options, Profile};

fn profile(text: &str, threads: usize, block_bytes: usize) -> Vec<Profile> {
    let options = Options { threads: Some(threads), block_bytes, ..Options::default() };
    Embedded::from_csv(text.as_bytes(), options).unwrap().values(None).unwrap()
}

#[test]
fn profiles_of_listed_columns_are_exact() {
    let found = profile("n,d,t,e\n1,2020-01-31,x,\n2,2020-01-31,,\n2,,3,\n", 2, 8);
    let types: Vec<Type> = found.iter().map(|profile| profile.inferred_type).collect();
    assert_eq!(types, [Type::Number, Type::Date, Type::Text, Type::Text]);
    assert_eq!(found[0].values, Some(vec![("1".to_owned(), 1), ("2".to_owned(), 2)]));
    assert_eq!((found[0].rows, found[0].empty, found[0].distinct), (3, 0, 2));
    assert_eq!(found[0].quantiles, [1.0, 2.0]);
    assert_eq!((found[1].empty, found[1].quantiles.len()), (1, 1));
    assert_eq!((found[3].empty, found[3].distinct), (3, 1));
}

#[test]
fn the_profile_of_a_table_without_rows_is_empty() {
    let found = profile("a,b\n", 2, 8);
    assert_eq!((found.len(), found[0].rows, found[0].distinct), (2, 0, 0));
    assert_eq!(found[0].values, Some(Vec::new()));
}

#[test]
fn profiles_of_unlisted_columns_do_not_depend_on_row_order_or_threads() {
    let mut lines: Vec<String> =
        (0..150_000u32).map(|at| format!("{},id{at},{}\n", f64::from(at % 140_000) / 4.0, at % 3)).collect();
    let first = profile(&("x,id,k\n".to_owned() + &lines.concat()), 1, 1 << 16);
    Generator::new(9).shuffle(&mut lines);
    let second = profile(&("x,id,k\n".to_owned() + &lines.concat()), 4, 1 << 14);
    assert_eq!(first, second);
    let (numbers, ids) = (&first[0], &first[1]);
    assert_eq!((numbers.distinct, numbers.distinct_is_bound, numbers.values.is_none()), (140_000, false, true));
    assert_eq!((numbers.inferred_type, ids.inferred_type, ids.distinct), (Type::Number, Type::Text, 150_000));
    assert!(numbers.quantiles.len() > 1000 && numbers.quantiles.len() <= 1024 && ids.quantiles.is_empty());
    assert!(numbers.quantiles.is_sorted());
    let middle = numbers.quantiles[numbers.quantiles.len() / 2];
    assert!((middle - 16_250.0).abs() < 600.0, "{middle}");
}

#[test]
fn a_column_of_numbers_with_one_text_has_type_text() {
    let mut text = "x\n".to_owned();
    for at in 0..70_000 {
        text += &format!("{at}\n");
    }
    text += "none\n";
    let found = profile(&text, 2, 4096);
    assert_eq!((found[0].inferred_type, found[0].distinct, found[0].quantiles.len()), (Type::Text, 70_001, 0));
}
