//! Tests that the JSON Schema describes every key that the reader accepts.

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::*;

/// Returns every subschema that may describe the value of a key.
fn subschemas<'a>(schema: &'a Value, key: &str) -> Vec<&'a Value> {
    let mut schemas: Vec<&Value> = schema["properties"].get(key).into_iter().collect();
    let more = &schema["additionalProperties"];
    if schemas.is_empty() && more.is_object() {
        schemas.push(more);
    }
    for way in ["oneOf", "anyOf", "allOf"] {
        schemas.extend(schema[way].as_array().into_iter().flatten().flat_map(|schema| subschemas(schema, key)));
    }
    let then = &schema["then"];
    if then.is_object() {
        schemas.extend(subschemas(then, key));
    }
    schemas
}

fn covers(schemas: &[&Value], value: &DeValue<'_>, path: &str) {
    match value {
        DeValue::Table(table) => {
            for (key, value) in table {
                let path = format!("{path}.{}", key.get_ref());
                let below: Vec<&Value> = schemas.iter().flat_map(|schema| subschemas(schema, key.get_ref())).collect();
                assert!(!below.is_empty(), "the JSON Schema does not describe {path}");
                assert!(below.iter().any(|schema| schema.get("description").is_some() || schema.get("type").is_some()));
                covers(&below, value.get_ref(), &path);
            }
        }
        DeValue::Array(items) => {
            let below: Vec<&Value> =
                schemas.iter().map(|schema| &schema["items"]).filter(|items| items.is_object()).collect();
            assert!(!below.is_empty(), "the JSON Schema accepts no list at {path}");
            for item in items.iter().filter(|item| item.get_ref().is_table()) {
                covers(&below, item.get_ref(), path);
            }
        }
        _ => {}
    }
}

fn check(text: &str) {
    let document = DeValue::Table(DeTable::parse(text).unwrap().into_inner());
    covers(&[&json_schema()], &document, "");
}

#[test]
fn describes_every_key_of_a_policy() {
    check(HOSPITAL);
    let sketch = |looks_like| ColumnSketch {
        name: format!("{looks_like:?}"),
        rows: 9,
        empty: 0,
        values: Some(vec![("a".to_owned(), 4), ("b".to_owned(), 5)]),
        distinct: 20,
        looks_like,
        format: None,
        quantiles: vec![0.0, 100.0],
    };
    check(&draft("d", &[sketch(Type::Text), sketch(Type::Number), sketch(Type::Date)], &DraftOptions::default()).toml);
}

#[test]
fn has_every_model_with_its_parameters() {
    let schema = json_schema();
    let listed = schema["properties"]["requirement"]["properties"]["models"]["items"]["oneOf"].as_array().unwrap();
    assert_eq!(listed.len(), crate::models::LIST.len());
    for (model, described) in crate::models::LIST.iter().zip(listed) {
        assert_eq!(described["properties"]["model"]["const"], model.entry.id);
        for parameter in model.entry.parameters {
            assert_eq!(described["properties"][parameter.name]["description"], parameter.meaning);
            let required = described["required"].as_array().unwrap().iter().any(|name| name == parameter.name);
            assert_eq!(required, parameter.default.is_none(), "{} {}", model.entry.id, parameter.name);
        }
    }
}

#[test]
fn takes_defaults_and_descriptions_from_the_list() {
    let schema = json_schema();
    let role = &schema["properties"]["columns"]["additionalProperties"]["properties"]["role"];
    assert_eq!(role["default"], "quasi-identifier");
    assert_eq!(role["enum"].as_array().map(Vec::len), Some(5));
    assert_eq!(schema["properties"]["release"]["properties"]["suppression"]["maximum"], 1);
    assert!(role["description"].as_str().is_some_and(|text| text.contains("never published")));
}
