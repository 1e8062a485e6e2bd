//! Tests of the codes, data and texts of errors.

use std::collections::BTreeSet;

use super::{Error, Hint, KnowledgeFault, Obstacle, Outlook, Refusal, TableFault};

#[test]
fn codes_are_unique_and_kebab_case() {
    let codes = Error::codes();
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len(), "{codes:?}");
    let kebab = |code: &str| code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    assert!(codes.iter().all(|code| kebab(code)), "{codes:?}");
    for code in ["policy-invalid", "posterior-above-confidence", "background-knowledge-invalid", "stopped"] {
        assert!(codes.contains(&code), "{code}");
    }
    assert!(!codes.contains(&"cannot-check"));
}

#[test]
fn data_is_a_map_without_texts() {
    let unreachable = Refusal::RequirementUnreachable {
        requirement: "3-anonymity on zip".to_owned(),
        explanation: "2 people in the class, at least 3 required".to_owned(),
        witness: vec![("zip".to_owned(), "12345".to_owned())],
        outlook: Outlook::NothingHelps,
        examined: None,
    };
    let cases: [(Error, &str); 5] = [
        (unreachable.into(), r#"{"requirement":"3-anonymity on zip","outlook":"nothing-helps","examined":null}"#),
        (
            Obstacle::BackgroundKnowledgeInvalid { fault: KnowledgeFault::NotUnderstood { line: 3 } }.into(),
            r#"{"fault":{"kind":"not-understood","line":3}}"#,
        ),
        (Obstacle::ReleasesContradict {}.into(), "{}"),
        (Error::Table { fault: TableFault::NoRows }, r#"{"fault":"no-rows"}"#),
        (Error::Stopped, "{}"),
    ];
    for (error, data) in cases {
        assert_eq!(serde_json::to_string(&error).unwrap(), data, "{error}");
    }
}

#[test]
fn texts_are_made_from_the_data() {
    let above = Refusal::PosteriorAboveConfidence {
        column: "ill".to_owned(),
        people: 1,
        confidence: "1/3".to_owned(),
        earlier: vec!["may".to_owned(), "june".to_owned()],
        several_records: false,
    };
    let error = Error::from(above);
    let text = error.to_string();
    let start =
        "refused: the posterior of ill exceeds 33.3 % for 1 person, given this release together with may, june.";
    assert!(text.starts_with(start), "{text}");
    assert_eq!(error.code(), "posterior-above-confidence");
    assert!(error.hints().contains(&Hint::AuditHistory));
    let obstacle =
        Error::from(Obstacle::SharedColumnUnlinked { release: 3, name: "spring".to_owned(), column: "ill".to_owned() });
    assert_eq!((obstacle.code(), obstacle.hints()), ("shared-column-unlinked", vec![Hint::JudgeAlone]));
    let text = obstacle.to_string();
    assert!(text.starts_with("could not check") && text.contains("release 3 spring"), "{text}");
}
