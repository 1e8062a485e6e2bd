//! Tests of presets: what they expand to, and that keys of the policy are never weaker.

use super::*;
use crate::audit::Proof;
use crate::policy::presets::{LIST, find};

fn with(keys: &str) -> Result<Policy> {
    Policy::parse(&format!("[requirement]\n{keys}\n[columns.age]\n[columns.sick]\nrole = \"sensitive\"\n"))
}

#[track_caller]
fn wrong(keys: &str, line: usize, expect: &str) {
    let error = with(keys).unwrap_err().to_string();
    assert!(error.starts_with(&format!("policy line {line}: ")) && error.contains(expect), "{error}");
}

/// The thresholds as the sources state them.
#[test]
fn presets_set_the_thresholds_of_their_source() {
    let short = |id: &str| {
        let policy = with(&format!("preset = \"{id}\"")).unwrap();
        let Shorthand { k, confidence, reidentification } = policy.shorthand;
        assert_eq!(policy.preset.map(|preset| preset.id), Some(id));
        (k, confidence, reidentification, policy.audit)
    };
    assert_eq!(short("ema-0070"), (None, None, Some(0.09), Proof::Bounds));
    assert_eq!(short("health-canada-prci"), (None, None, Some(0.09), Proof::Bounds));
    assert_eq!(short("cms-cell-size"), (Some(11), None, None, Proof::Bounds));
    assert_eq!(short("wp29-05-2014"), (Some(12), Some(0.5), Some(0.09), Proof::Bounds));
    assert_eq!(LIST.len(), 4);
}

#[test]
fn a_preset_is_the_same_as_its_keys() {
    for preset in LIST {
        let (named, written) = (with(&format!("preset = \"{}\"", preset.id)), with(&preset.keys().join("\n")));
        let (named, written) = (named.unwrap(), written.unwrap());
        assert_eq!((named.shorthand, named.audit), (written.shorthand, written.audit), "{}", preset.id);
        for text in [preset.title, preset.summary, preset.source, preset.not_covered] {
            assert!(text.len() > 10, "{}", preset.id);
        }
        assert!(!preset.keys().is_empty() && !preset.mapping.is_empty(), "{}", preset.id);
        assert_eq!(find(preset.id), Some(preset));
    }
}

#[test]
fn keys_are_stricter_or_an_error() {
    assert_eq!(with("preset = \"cms-cell-size\"\nk = 20").unwrap().shorthand.k, Some(20));
    assert_eq!(with("preset = \"cms-cell-size\"\nk = 11").unwrap().shorthand.k, Some(11));
    wrong(
        "preset = \"cms-cell-size\"\nk = 10",
        3,
        "`requirement.k` is 10, but the preset cms-cell-size requires at least 11",
    );
    assert_eq!(with("reidentification = 0.05\npreset = \"ema-0070\"").unwrap().shorthand.reidentification, Some(0.05));
    wrong("reidentification = 0.1\npreset = \"ema-0070\"", 2, "is 0.1, but the preset ema-0070 requires at most 0.09");
    wrong("preset = \"wp29-05-2014\"\nconfidence = 0.6", 3, "is 0.6, but the preset wp29-05-2014 requires at most 0.5");
    assert_eq!(with("preset = \"ema-0070\"\naudit = \"exact\"").unwrap().audit, Proof::Exact);
    for weaker in ["estimate", "off"] {
        let keys = format!("preset = \"ema-0070\"\naudit = \"{weaker}\"");
        wrong(&keys, 3, &format!("is \"{weaker}\", but the preset ema-0070 requires \"bounds\" or stronger"));
    }
    // Without an audit in its source, a preset leaves the level of proof open.
    assert_eq!(with("preset = \"cms-cell-size\"\naudit = \"off\"").unwrap().audit, Proof::Off);
}

#[test]
fn an_unknown_preset_is_an_error_with_the_nearest_one() {
    wrong("preset = \"ema-70\"", 2, "must be one of: ema-0070, health-canada-prci, cms-cell-size, wp29-05-2014");
    wrong("preset = \"ema-007\"", 2, "did you mean `ema-0070`?");
    wrong("preset = 70", 2, "must be a text");
}

/// A method that publishes exact quasi-identifiers cannot satisfy the `k` of a preset.
#[test]
fn a_preset_with_k_does_not_fit_exact_quasi_identifiers() {
    let policy = |preset: &str| {
        Policy::parse(&format!(
            "[dataset]\nowner = \"id\"\n[columns.id]\n[columns.sick]\nrole = \"sensitive\"\n[requirement]\npreset = \"{preset}\"\n\
             [release]\nmethod = \"anatomy\"\n[release.options]\nl = 2\n"
        ))
    };
    let error = policy("cms-cell-size").unwrap_err().to_string();
    assert!(error.contains("`requirement.preset` cannot be satisfied"), "{error}");
    assert!(policy("ema-0070").is_ok());
}

#[test]
fn a_draft_with_a_preset_has_no_other_threshold() {
    let column = ColumnSketch {
        name: "age".to_owned(),
        rows: 10,
        empty: 0,
        values: None,
        distinct: 10,
        looks_like: Type::Number,
        format: None,
        quantiles: vec![1.0, 90.0],
    };
    for preset in LIST {
        let drafted = draft("people", std::slice::from_ref(&column), &DraftOptions::default()).with_preset(preset);
        let policy = Policy::parse(&drafted.toml).unwrap();
        assert_eq!(policy.preset, Some(preset));
        assert_eq!(policy.shorthand.k, preset.k, "{}", drafted.toml);
        assert!(drafted.toml.contains(preset.source) && drafted.toml.contains("\n[release]\n"), "{}", drafted.toml);
    }
}
