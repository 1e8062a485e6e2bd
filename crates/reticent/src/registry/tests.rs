//! Tests of the argument getters: an unknown name is an error.

use super::{Argument, Arguments, Domain, Entry, Kind, ParameterDef};
use crate::error::{ArgumentFault, Error, Result};

const fn parameter(name: &'static str, domain: Domain, default: Option<&'static str>) -> ParameterDef {
    ParameterDef { name, domain, default, meaning: "for the test" }
}

const ENTRY: Entry = Entry {
    kind: Kind::Model,
    id: "tested",
    title: "Tested",
    summary: "",
    paper: "",
    protects_against: "",
    comparison: false,
    parameters: &[
        parameter("k", Domain::Whole(2), None),
        parameter("h", Domain::Number(0.0, 1.0), Some("0.5")),
        parameter("word", Domain::Word(&["one", "two"]), Some("one")),
        parameter("flag", Domain::Flag, Some("true")),
        parameter("column", Domain::Column, Some("")),
        parameter("bound", Domain::Number(0.0, 1.0), Some("")),
        parameter("on", Domain::Columns, Some("")),
        parameter("values", Domain::Thresholds, Some("")),
    ],
    evidence: &[],
};

fn given() -> Arguments {
    Arguments::default().set("k", Argument::Number(3.0))
}

fn fault<T: std::fmt::Debug>(result: Result<T>) -> ArgumentFault {
    match result {
        Err(Error::Argument { fault, .. }) => fault,
        other => panic!("{other:?}"),
    }
}

/// Returns the fault of every getter for a name.
fn faults(arguments: &Arguments, name: &str) -> [ArgumentFault; 9] {
    [
        fault(arguments.whole(name)),
        fault(arguments.number(name)),
        fault(arguments.word(name)),
        fault(arguments.flag(name)),
        fault(arguments.optional_whole(name)),
        fault(arguments.optional_number(name)),
        fault(arguments.optional_word(name)),
        fault(arguments.words(name)),
        fault(arguments.thresholds(name)),
    ]
}

#[test]
fn a_typo_is_an_error_in_every_getter() {
    let checked = given().checked(&ENTRY).unwrap();
    assert_eq!(faults(&checked, "typo"), [ArgumentFault::UnknownParameter; 9]);
}

#[test]
fn arguments_that_were_not_checked_cannot_be_read() {
    assert_eq!(faults(&given(), "k"), [ArgumentFault::Unchecked; 9]);
    let changed = given().checked(&ENTRY).unwrap().set("k", Argument::Number(0.0));
    assert_eq!(fault(changed.whole("k")), ArgumentFault::Unchecked);
}

#[test]
fn a_value_of_another_kind_is_an_error() {
    let checked = given().checked(&ENTRY).unwrap();
    assert_eq!(fault(checked.whole("h")), ArgumentFault::OtherKind);
    assert_eq!(fault(checked.number("word")), ArgumentFault::OtherKind);
    assert_eq!(fault(checked.word("flag")), ArgumentFault::OtherKind);
    assert_eq!(fault(checked.flag("k")), ArgumentFault::OtherKind);
    assert_eq!(fault(checked.words("values")), ArgumentFault::OtherKind);
    assert_eq!(fault(checked.thresholds("on")), ArgumentFault::OtherKind);
}

#[test]
fn values_and_defaults_are_read() {
    let checked = given().checked(&ENTRY).unwrap();
    assert_eq!((checked.whole("k"), checked.number("h")), (Ok(3), Ok(0.5)));
    assert_eq!((checked.word("word"), checked.flag("flag")), (Ok("one"), Ok(true)));
    assert_eq!((checked.optional_word("column"), checked.optional_number("bound")), (Ok(None), Ok(None)));
    assert_eq!((checked.words("on"), checked.thresholds("values")), (Ok(None), Ok(None)));
    assert_eq!(fault(checked.word("column")), ArgumentFault::NotGiven);
}

#[test]
fn a_default_that_cannot_be_read_is_an_error() {
    for default in ["many", "1"] {
        let parameters: &'static [ParameterDef] = Vec::leak(vec![parameter("k", Domain::Whole(2), Some(default))]);
        let checked = Arguments::default().checked(&Entry { parameters, ..ENTRY });
        assert!(matches!(checked, Err(Error::Parameter { .. })), "{checked:?}");
    }
}
