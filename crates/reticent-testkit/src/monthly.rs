//! A clinic that publishes the same table every month by a republication method.

use crate::{PublishCall, TestFolder};

/// Columns of the monthly table, for a policy.
pub const MONTHLY_COLUMNS: &str = "[dataset]\nname = \"clinic\"\nowner = \"patient\"\n[columns.patient]\n[columns.age]\n\
    type = \"number\"\n[columns.city]\ntaxonomy = \"city.csv\"\n[columns.illness]\nrole = \"sensitive\"\n";

const CITIES: &str = "Paris;France;*\nLyon;France;*\nOslo;Norway;*\nBergen;Norway;*\n";

/// Illnesses in the monthly table.
pub const ILLNESSES: [&str; 5] = ["asthma", "colic", "flu", "gout", "ulcer"];

const PAYS: [&str; 4] = ["fair", "high", "low", "poor"];

/// Returns a policy for the monthly table with a republication method and its options.
pub fn method_policy(method: &str, options: &str) -> String {
    format!("{MONTHLY_COLUMNS}[release]\nmethod = \"{method}\"\nseed = 7\n[release.options]\n{options}\n")
}

/// Returns the cells of a person: patient, age, city, illness, pay. They depend only on the number.
pub fn patient(number: usize) -> [String; 5] {
    let mix = |salt: usize, of: usize| (number * 7919 + salt * 104_729 + number / 3) % of;
    [
        format!("p{number}"),
        (20 + mix(1, 60)).to_string(),
        ["Paris", "Lyon", "Oslo", "Bergen"][mix(2, 4)].to_owned(),
        ILLNESSES[mix(3, 5)].to_owned(),
        PAYS[mix(4, 4)].to_owned(),
    ]
}

/// Returns the table of a month with these people, with or without the column `pay`.
pub fn month(people: impl IntoIterator<Item = usize>, pay: bool) -> String {
    let mut text = String::from(if pay { "patient,age,city,illness,pay\n" } else { "patient,age,city,illness\n" });
    for number in people {
        text += &patient(number)[..if pay { 5 } else { 4 }].join(",");
        text.push('\n');
    }
    text
}

/// Returns the people who are present in a month: some arrive, some leave, one returns.
pub fn present_in(month: usize) -> impl Iterator<Item = usize> {
    (0..40 + 5 * month).filter(move |person| person % 11 != month % 11 || *person < 5)
}

impl TestFolder {
    /// Creates a folder with a policy and the taxonomy of cities.
    pub fn monthly(policy: &str) -> TestFolder {
        let folder = TestFolder::from_policy(policy);
        folder.write("city.csv", CITIES);
        folder
    }

    /// Publishes `NAME.csv` to the public, as the folder `out-NAME`.
    pub fn publish_month(&self, name: &str) -> PublishCall<'_> {
        self.publish(&format!("{name}.csv"), name).output(&format!("out-{name}"))
    }
}
