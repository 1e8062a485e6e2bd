//! Faults between the recoding and the written file, which `verify` must detect in the records that were read back.

use reticent::contingency::ContingencyTable;
use reticent::requirement::Requirement;
use reticent::verify::{Expected, Verdict, verify};
use reticent::{Counts, Recoding, Release};

use crate::support::{Data, cut_at, quasi, quasi_tree, read_back, requirement, sensitive};

/// A correct release with its recoding and its requirement.
struct Good {
    recoding: Recoding,
    release: Release,
    requirement: Requirement,
}

const WORDS: &[&str] = &["k-anonymity k=3", "confidence-bounding h=0.67", "distinct-l-diversity l=2"];

/// Two classes of three on (job, sex), with two flu and one hiv each.
fn data() -> Data {
    let jobs = "any\n  professional\n    engineer\n    lawyer\n  artist\n    writer\n    dancer";
    Data::new(
        vec![quasi_tree("job", jobs), quasi("sex"), sensitive("ill")],
        &["engineer m flu", "engineer m flu", "lawyer m hiv", "writer f flu", "dancer f flu", "dancer f hiv"],
    )
}

fn good(data: &Data, words: &[&str]) -> Good {
    let table = data.table();
    let recoding = cut_at(&table, &[("job", &["professional", "artist"])]);
    let release = recoding.apply(&table).unwrap();
    Good { recoding, release, requirement: requirement(words, &data.schema()) }
}

impl Good {
    fn judge(&self, counts: Counts) -> reticent::Result<Verdict> {
        let expected = Expected { recoding: &self.recoding, rows: self.release.contingency.rows() };
        verify(counts, &expected, &self.requirement.models, None)
    }

    /// The correct release passes.
    fn passes(&self) {
        let verdict = self.judge(self.written()).unwrap();
        assert!(verdict.holds(), "{verdict:?}");
        assert_eq!(verdict.rows, self.release.contingency.rows());
        assert_eq!(verdict.models.len(), self.requirement.models.len());
    }

    /// The written records violate this model in this class.
    fn violates(&self, counts: Counts, model: &str, class: &[&str]) {
        let verdict = self.judge(counts).unwrap();
        assert!(!verdict.holds(), "the leak was not detected");
        let found =
            verdict.models.iter().filter(|(title, _)| title.contains(model)).flat_map(|(_, violations)| violations);
        let witness = |violation: &reticent::verify::ClassViolation| -> Vec<String> {
            violation.witness.iter().map(|(_, text)| text.clone()).collect()
        };
        let classes: Vec<Vec<String>> = found.map(witness).collect();
        assert!(classes.iter().any(|found| found == class), "{model} on {class:?} is not among {verdict:?}");
    }

    /// Verification returns an error, because the written records do not match the recoding.
    fn is_an_error(&self, counts: Counts) {
        let judged = self.judge(counts);
        assert!(matches!(judged, Err(reticent::Error::CannotCheck(_))), "{judged:?}");
    }

    /// The release as an engine reads it back, with one combination per record.
    fn written(&self) -> Counts {
        let mut counts = read_back(&self.release);
        let table = &self.release.contingency;
        let rows: Vec<usize> = (0..table.len()).flat_map(|at| vec![at; table.weights[at] as usize]).collect();
        counts.contingency = ContingencyTable {
            codes: table.codes.iter().map(|codes| rows.iter().map(|at| codes[*at]).collect()).collect(),
            weights: vec![1; rows.len()],
            owners: table.owners.as_ref().map(|owners| rows.iter().map(|at| owners[*at]).collect()),
        };
        counts
    }
}

/// Code of a text in a column that was read back.
fn code(counts: &Counts, column: usize, text: &str) -> u32 {
    counts.values[column].iter().position(|known| known == text).unwrap() as u32
}

/// Index of the first record with this text in this column.
fn record(counts: &Counts, column: usize, text: &str) -> usize {
    let code = code(counts, column, text);
    counts.contingency.codes[column].iter().position(|found| *found == code).unwrap()
}

#[test]
fn a_record_moved_to_another_class_is_detected() {
    let data = data();
    let good = good(&data, WORDS);
    good.passes();
    let mut counts = good.written();
    let moved = record(&counts, 0, "artist");
    let (job, sex) = (code(&counts, 0, "professional"), code(&counts, 1, "m"));
    counts.contingency.codes[0][moved] = job;
    counts.contingency.codes[1][moved] = sex;
    good.violates(counts, "3-anonymity", &["artist", "f"]);
}

#[test]
fn a_cell_with_another_value_is_detected() {
    let data = data();
    let good = good(&data, WORDS);
    good.passes();
    // One record has another value, which forms a class of one and leaves a class of two.
    let mut counts = good.written();
    let changed = record(&counts, 0, "artist");
    let sex = code(&counts, 1, "m");
    counts.contingency.codes[1][changed] = sex;
    good.violates(counts.clone(), "3-anonymity", &["artist", "m"]);
    good.violates(counts.clone(), "3-anonymity", &["artist", "f"]);
    good.violates(counts, "distinct", &["artist", "m"]);
}

#[test]
fn a_changed_sensitive_value_is_detected() {
    let data = data();
    let good = good(&data, WORDS);
    good.passes();
    let mut counts = good.written();
    let hiv = record(&counts, 2, "hiv");
    let class = [0, 1].map(|column| counts.values[column][counts.contingency.codes[column][hiv] as usize].clone());
    counts.contingency.codes[2][hiv] = code(&counts, 2, "flu");
    let class: Vec<&str> = class.iter().map(String::as_str).collect();
    good.violates(counts.clone(), "confidence", &class);
    good.violates(counts, "distinct", &class);
}

/// Only the confidence of one value exceeds its threshold.
#[test]
fn a_sensitive_value_just_above_its_threshold_is_detected() {
    let rows = ["engineer m flu", "engineer m gout", "lawyer m hiv", "writer f flu", "dancer f gout", "dancer f hiv"];
    let data = Data { rows: Data::new(data().cols, &rows).rows, ..data() };
    let good = good(&data, &["confidence-bounding values=hiv:0.5"]);
    good.passes();
    let mut counts = good.written();
    let gout = record(&counts, 2, "gout");
    counts.contingency.codes[2][gout] = code(&counts, 2, "hiv");
    let verdict = good.judge(counts).unwrap();
    assert_eq!(verdict.models[0].1.len(), 1, "two of three have hiv in one class: {verdict:?}");
}

#[test]
fn a_dropped_or_added_record_is_an_error() {
    let data = data();
    let good = good(&data, WORDS);
    good.passes();
    for at in 0..6 {
        let mut counts = good.written();
        counts.contingency = counts.contingency.filter(|kept| kept != at);
        good.is_an_error(counts);
    }
    let mut counts = good.written();
    counts.contingency.weights[0] += 1;
    good.is_an_error(counts);
    good.is_an_error(Counts { contingency: good.written().contingency.filter(|_| false), ..good.written() });
}

#[test]
fn a_label_outside_the_recoding_is_an_error() {
    let data = data();
    let good = good(&data, WORDS);
    good.passes();
    // A raw value, an unknown value, a name, an unknown sensitive value, an empty text, another case; on one record each.
    for (column, text) in [(0, "writer"), (0, "pilot"), (1, "Alice"), (2, "gout"), (2, ""), (1, "F")] {
        let mut counts = good.written();
        counts.values[column].push(text.to_owned());
        let unknown = counts.values[column].len() as u32 - 1;
        counts.contingency.codes[column][0] = unknown;
        good.is_an_error(counts);
    }
    // A label renamed in all records.
    let mut counts = good.written();
    let artist = code(&counts, 0, "artist") as usize;
    counts.values[0][artist] = "dancer".to_owned();
    good.is_an_error(counts);
}

#[test]
fn an_added_missing_or_renamed_column_is_an_error() {
    let data = data();
    let good = good(&data, WORDS);
    good.passes();
    // An identifier that must not be published.
    let mut counts = good.written();
    counts.names.push("name".to_owned());
    counts.values.push((0..6).map(|at| format!("person {at}")).collect());
    counts.contingency.codes.push((0..6).collect());
    good.is_an_error(counts);
    for (at, name) in [(0, "profession"), (1, "ill"), (2, "disease"), (0, "Job"), (0, "'=job")] {
        let mut counts = good.written();
        counts.names[at] = name.to_owned();
        good.is_an_error(counts);
    }
    // A missing column, and two exchanged columns.
    let mut counts = good.written();
    counts.names.pop();
    counts.values.pop();
    counts.contingency.codes.pop();
    good.is_an_error(counts);
    let mut counts = good.written();
    counts.names.swap(0, 1);
    counts.values.swap(0, 1);
    counts.contingency.codes.swap(0, 1);
    good.is_an_error(counts);
}

/// Three records of three people become three records of two people.
#[test]
fn a_person_with_two_records_in_a_class_is_detected() {
    let data = data().owned(&[0, 1, 2, 3, 4, 5]);
    let good = good(&data, &["k-anonymity k=3"]);
    good.passes();
    let mut counts = good.written();
    let [one, two] = {
        let job = code(&counts, 0, "artist");
        let members: Vec<usize> = (0..6).filter(|at| counts.contingency.codes[0][*at] == job).collect();
        [members[0], members[1]]
    };
    let owners = counts.contingency.owners.as_mut().unwrap();
    owners[two] = owners[one];
    good.violates(counts, "3-anonymity", &["artist", "f"]);
}

/// The apostrophe that neutralises a spreadsheet formula is not part of the text.
#[test]
fn an_apostrophe_before_a_formula_hides_no_violation() {
    let rows = ["engineer =m flu", "lawyer =m flu", "lawyer =m hiv", "writer f flu", "dancer f flu", "dancer f hiv"];
    let data = Data::new(data().cols, &rows);
    let good = good(&data, WORDS);
    good.passes();
    let mut counts = good.written();
    let at = code(&counts, 1, "=m") as usize;
    counts.values[1][at] = "'=m".to_owned();
    let verdict = good.judge(counts.clone()).unwrap();
    assert!(verdict.holds(), "{verdict:?}");
    let moved = record(&counts, 1, "'=m");
    counts.contingency.codes[0][moved] = code(&counts, 0, "artist");
    counts.contingency.codes[1][moved] = code(&counts, 1, "f");
    good.violates(counts, "3-anonymity", &["professional", "=m"]);
    // A text with and without the apostrophe is the same text. Two codes for it must not split or hide a class.
    let mut counts = good.written();
    counts.values[1].push("'=m".to_owned());
    let twin = counts.values[1].len() as u32 - 1;
    let split = record(&counts, 1, "=m");
    counts.contingency.codes[1][split] = twin;
    let judged = good.judge(counts);
    assert!(judged.is_err() || !judged.unwrap().holds(), "a record with a second spelling was not detected");
}

#[test]
fn two_spellings_of_a_sensitive_value_do_not_make_a_class_diverse() {
    let rows = ["engineer m =flu", "lawyer m hiv", "writer f =flu", "dancer f hiv"];
    let data = Data::new(data().cols, &rows);
    let good = good(&data, &["distinct-l-diversity l=2", "confidence-bounding h=0.5"]);
    good.passes();
    let mut counts = good.written();
    counts.values[2].push("'=flu".to_owned());
    let twin = counts.values[2].len() as u32 - 1;
    let hiv = record(&counts, 2, "hiv");
    counts.contingency.codes[2][hiv] = twin;
    let judged = good.judge(counts);
    assert!(
        judged.is_err() || !judged.as_ref().unwrap().holds(),
        "a class with only `=flu` and `'=flu` counts as diverse: {judged:?}"
    );
}
