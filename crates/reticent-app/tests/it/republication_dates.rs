//! Republication methods publish calendar intervals that cover the dates of their groups, also the last day of a period.

use reticent_testkit::{Answer, Outcome, TestFolder};

const UNITS: [&str; 4] = ["month", "quarter", "year", "decade"];
const METHODS: [(&str, &str); 2] = [("m-invariance", "m = 2"), ("anatomy", "l = 2")];

/// Returns the last day of a published interval of dates: the day before its end, if it excludes the end.
fn excluded_end(interval: &str) -> &str {
    assert!(interval.starts_with('[') && interval.ends_with(')'), "{interval}");
    interval.trim_end_matches(')').rsplit(',').next().unwrap()
}

#[test]
fn the_last_day_of_a_period_is_covered() {
    // The first days after the periods of 1969-12-31 that the interval must not leave out.
    for unit in UNITS {
        for (method, options) in METHODS {
            let folder = TestFolder::from_policy(&format!(
                "[dataset]\nname = \"d\"\nowner = \"id\"\n[columns.id]\nrole = \"identifier\"\n[columns.born]\ntype = \"date\"\n\
                 intervals = [\"{unit}\"]\n[columns.ill]\nrole = \"sensitive\"\n\
                 [release]\nmethod = \"{method}\"\nform = \"generalized\"\nseed = 1\n[release.options]\n{options}\n"
            ));
            folder.write("d.csv", "id,born,ill\na,1969-12-31,flu\nb,1934-09-24,gout\n");
            folder.publish("d.csv", "one").output("one").run().passes().json();
            let rows = folder.rows("one/people.csv");
            let published: Vec<&String> = rows.iter().flatten().filter(|cell| cell.contains(',')).collect();
            assert_eq!(published.len(), 2, "{unit} {method}: {rows:?}");
            assert_eq!(excluded_end(published[0]), "1970-01-01", "{unit} {method}");
        }
    }
}
