//! A hospital that does not exist: generated stays with skewed ages, uneven postcodes and diagnoses that fit the patient.
//!
//! The same seed gives the same hospital. Patients come back: one in five has more than one stay.

use std::fmt::Write;

use reticent_engine::Generator;

/// The texts of a hospital's files.
pub(crate) struct Hospital {
    /// The stays, as CSV.
    pub stays: String,
    /// The policy.
    pub policy: String,
    /// By path, the taxonomies that the policy names.
    pub taxonomies: Vec<(&'static str, String)>,
}

/// Chapters of diagnoses; with each diagnosis how often it occurs, between which ages, and with which sexes.
const DIAGNOSES: &[(&str, &[Diagnosis])] = &[
    (
        "circulatory",
        &[
            Diagnosis("heart failure", 60, 55, 100, "FM"),
            Diagnosis("heart attack", 35, 45, 95, "FM"),
            Diagnosis("stroke", 40, 50, 100, "FM"),
            Diagnosis("atrial fibrillation", 45, 50, 100, "FM"),
        ],
    ),
    (
        "respiratory",
        &[
            Diagnosis("pneumonia", 55, 0, 100, "FM"),
            Diagnosis("asthma", 25, 3, 70, "FM"),
            Diagnosis("chronic bronchitis", 35, 45, 95, "FM"),
            Diagnosis("influenza", 20, 0, 100, "FM"),
        ],
    ),
    (
        "digestive",
        &[
            Diagnosis("appendicitis", 30, 6, 60, "FM"),
            Diagnosis("gallstones", 30, 25, 90, "FM"),
            Diagnosis("hernia", 25, 30, 90, "FM"),
        ],
    ),
    (
        "cancer",
        &[
            Diagnosis("breast cancer", 30, 35, 90, "F"),
            Diagnosis("prostate cancer", 28, 50, 95, "M"),
            Diagnosis("lung cancer", 22, 45, 90, "FM"),
            Diagnosis("colon cancer", 24, 45, 95, "FM"),
        ],
    ),
    (
        "injury",
        &[
            Diagnosis("hip fracture", 35, 65, 100, "FM"),
            Diagnosis("concussion", 25, 2, 60, "FM"),
            Diagnosis("burn", 8, 0, 70, "FM"),
        ],
    ),
    (
        "mental health",
        &[
            Diagnosis("depression", 30, 14, 90, "FM"),
            Diagnosis("schizophrenia", 10, 18, 70, "FM"),
            Diagnosis("alcohol dependence", 22, 20, 75, "FM"),
        ],
    ),
    (
        "infection",
        &[
            Diagnosis("HIV", 4, 18, 75, "FM"),
            Diagnosis("hepatitis C", 6, 20, 80, "FM"),
            Diagnosis("sepsis", 25, 0, 100, "FM"),
            Diagnosis("tuberculosis", 4, 5, 90, "FM"),
        ],
    ),
    ("birth", &[Diagnosis("childbirth", 90, 18, 44, "F"), Diagnosis("newborn care", 70, 0, 0, "FM")]),
    ("metabolism", &[Diagnosis("diabetes", 35, 10, 95, "FM"), Diagnosis("thyroid disorder", 15, 20, 90, "FM")]),
];

/// Name, frequency, youngest, oldest, sexes.
struct Diagnosis(&'static str, u64, u32, u32, &'static str);

/// Three regions of districts; each district has ten postcodes that start alike.
const REGIONS: &[(&str, &[(u32, u64)])] = &[
    ("river valley", &[(481, 30), (482, 22), (483, 14)]),
    ("the hills", &[(517, 9), (518, 7), (519, 4)]),
    ("coast", &[(642, 18), (643, 11)]),
];

struct Patient {
    id: u64,
    birth_year: u32,
    birth_day: u32,
    sex: char,
    postcode: u32,
}

impl Hospital {
    /// A hospital with so many stays.
    pub fn generate(stays: u32, seed: u64) -> Hospital {
        let mut chance = Generator::new(seed);
        let mut text = String::from("patient,born,sex,postcode,admitted,diagnosis,days\n");
        let mut patients: Vec<Patient> = Vec::new();
        for _ in 0..stays {
            let returning = !patients.is_empty() && chance.below(100) < 22;
            if !returning {
                patients.push(Patient::arrive(&mut chance, patients.len() as u64));
            }
            let at = if returning { chance.below(patients.len() as u64) as usize } else { patients.len() - 1 };
            stay(&mut text, &patients[at], &mut chance);
        }
        let taxonomies = vec![("taxonomies/postcode.csv", postcodes()), ("taxonomies/diagnosis.csv", diagnoses())];
        Hospital { stays: text, policy: POLICY.to_owned(), taxonomies }
    }
}

impl Patient {
    fn arrive(chance: &mut Generator, number: u64) -> Patient {
        let age = age(chance);
        let districts: Vec<(u32, u64)> = REGIONS.iter().flat_map(|(_, districts)| districts.iter().copied()).collect();
        let district = pick(chance, &districts);
        // Within a district the first postcodes are the town, the last ones the farms.
        let place = chance.below(10).min(chance.below(10));
        Patient {
            id: (number + 1) * 7919 % 9_999_991,
            birth_year: 2025 - age,
            birth_day: chance.below(365) as u32,
            sex: if chance.below(100) < 52 { 'F' } else { 'M' },
            postcode: district * 100 + place as u32,
        }
    }
}

/// Newborns, few children, adults of all ages, and most of all the old.
fn age(chance: &mut Generator) -> u32 {
    match chance.below(100) {
        0..5 => 0,
        5..13 => 1 + chance.below(17) as u32,
        13..45 => 18 + chance.below(40) as u32,
        // The sum of three dice is a hill around 73.
        _ => 52 + (chance.below(15) + chance.below(15) + chance.below(15)) as u32,
    }
}

fn stay(text: &mut String, patient: &Patient, chance: &mut Generator) {
    let age = 2025 - patient.birth_year;
    let fits = |Diagnosis(_, _, youngest, oldest, sexes): &&Diagnosis| {
        (*youngest..=*oldest).contains(&age) && sexes.contains(patient.sex)
    };
    let possible: Vec<(&str, u64)> = DIAGNOSES
        .iter()
        .flat_map(|(_, list)| list.iter())
        .filter(fits)
        .map(|diagnosis| (diagnosis.0, diagnosis.1))
        .collect();
    let diagnosis = pick(chance, &possible);
    let admitted = day_of_year(chance.below(365) as u32);
    let born = day_of_year(patient.birth_day);
    let days = 1 + chance.below(4) * (1 + u64::from(age) / 25) + chance.below(3);
    let _ = writeln!(
        text,
        "P{:07},{}-{born},{},{:05},2025-{admitted},{diagnosis},{days}",
        patient.id, patient.birth_year, patient.sex, patient.postcode
    );
}

fn pick<T: Copy>(chance: &mut Generator, weighted: &[(T, u64)]) -> T {
    let total: u64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mut drawn = chance.below(total.max(1));
    for (value, weight) in weighted {
        if drawn < *weight {
            return *value;
        }
        drawn -= weight;
    }
    weighted[0].0
}

/// Month and day of a day of a year without a 29th of February.
fn day_of_year(mut day: u32) -> String {
    for (month, length) in [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].iter().enumerate() {
        if day < *length {
            return format!("{:02}-{:02}", month + 1, day + 1);
        }
        day -= length;
    }
    "12-31".to_owned()
}

fn postcodes() -> String {
    let mut text = String::new();
    for (region, districts) in REGIONS {
        for (district, _) in *districts {
            for place in 0..10 {
                let _ = writeln!(text, "{:05};{district}xx;{region};*", district * 100 + place);
            }
        }
    }
    text
}

fn diagnoses() -> String {
    let mut text = String::new();
    for (chapter, list) in DIAGNOSES {
        for diagnosis in *list {
            let _ = writeln!(text, "{};{chapter};any diagnosis", diagnosis.0);
        }
    }
    text
}

const POLICY: &str = r#"# What the hospital says about its stays. Every column has a role; the requirement says what must hold.

[dataset]
name = "hospital"
owner = "patient"              # one patient may have several stays, and counts once

[columns.patient]
role = "identifier"            # never published

[columns.born]
type = "date"
intervals = ["year", "decade", ["1960-01-01", "1990-01-01"]]  # a year, a decade or a generation

[columns.sex]

[columns.postcode]
taxonomy = "taxonomies/postcode.csv"

[columns.admitted]
type = "date"
intervals = ["month", "quarter", "year"]

[columns.diagnosis]
role = "sensitive"
taxonomy = "taxonomies/diagnosis.csv"

[columns.days]
role = "other"
type = "number"

[requirement]
k = 5                          # nobody can be narrowed down to fewer than five people
confidence = 0.5               # no stay's diagnosis can be inferred with more than 50 % confidence

[release]
suppression = 0.02             # at most 2 % of the stays may be left out
seed = 2025                    # decides the order of the rows
"#;
