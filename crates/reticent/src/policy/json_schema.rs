//! JSON Schema of `reticent.toml`, for completion and validation in editors.
//!
//! It is generated from the key list that the reader uses, and from the lists of models, algorithms and republication methods.

use serde_json::{Map, Value, json};

use super::keys::{ALGORITHMS, CALENDAR, KeyShape, POLICY, PolicyKey, REQUIREMENT};
use super::presets::{self, Preset};
use crate::registry::{Domain, Entry, ParameterDef};
use crate::{algorithms, models, republication};

/// Returns the JSON Schema (draft 2020-12) of a policy.
pub fn json_schema() -> Value {
    let mut schema = table(POLICY);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("reticent.toml");
    schema["description"] =
        json!("Release policy of a data set: column roles, privacy requirement, production of releases.");
    schema["required"] = json!(["columns"]);
    // The guarantee of a republication method replaces the requirement.
    let any: Vec<Value> = REQUIREMENT.iter().map(|key| json!({ "required": [key.name] })).collect();
    schema["if"] = json!({ "properties": { "release": { "required": ["method"] } }, "required": ["release"] });
    schema["else"] = json!({ "properties": { "requirement": { "anyOf": any } }, "required": ["requirement"] });
    let algorithms = algorithms::LIST.iter().map(|listed| options_of(&listed.entry, "algorithm"));
    let methods = republication::LIST.iter().map(|listed| options_of(&listed.entry, "method"));
    schema["properties"]["release"]["allOf"] = algorithms.chain(methods).collect();
    schema
}

fn table(keys: &'static [PolicyKey]) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn property(key: &PolicyKey) -> Value {
    let mut property = shape(key.shape);
    property["description"] = json!(key.meaning);
    if let Ok(default) = serde_json::from_str::<Value>(key.default) {
        property["default"] = default;
    }
    property
}

fn shape(shape: KeyShape) -> Value {
    match shape {
        KeyShape::Text => json!({ "type": "string" }),
        KeyShape::Texts => json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }),
        KeyShape::Flag => json!({ "type": "boolean" }),
        KeyShape::Word(words) => json!({ "type": "string", "enum": words }),
        KeyShape::Whole(least) => json!({ "type": "integer", "minimum": least }),
        KeyShape::Share { zero, one } => share(zero, one),
        KeyShape::AboveZero => json!({ "type": "number", "exclusiveMinimum": 0 }),
        KeyShape::Groups => groups(),
        KeyShape::Pairs => pairs(),
        KeyShape::Levels => levels(),
        KeyShape::Range => json!({ "type": "array", "items": bound(), "minItems": 2, "maxItems": 2 }),
        KeyShape::Purpose => purpose(),
        KeyShape::Algorithm => named(algorithms::LIST.iter().map(|listed| &listed.entry)),
        KeyShape::Method => named(republication::LIST.iter().map(|listed| &listed.entry)),
        KeyShape::Preset => preset(),
        KeyShape::Table(keys) => table(keys),
        KeyShape::Named(keys) => json!({ "type": "object", "additionalProperties": table(keys) }),
        KeyShape::Models => json!({ "type": "array", "items": { "oneOf": model_list() } }),
        KeyShape::Options => json!({ "type": "object" }),
    }
}

fn share(zero: bool, one: bool) -> Value {
    let low = if zero { "minimum" } else { "exclusiveMinimum" };
    let high = if one { "maximum" } else { "exclusiveMaximum" };
    json!({ "type": "number", low: 0, high: 1 })
}

fn groups() -> Value {
    let names = json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true, "minItems": 2 });
    json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, names] } })
}

fn pairs() -> Value {
    let pair = json!({
        "type": "object",
        "additionalProperties": { "type": "string" },
        "minProperties": 2,
        "maxProperties": 2,
    });
    json!({ "type": "array", "items": pair })
}

fn bound() -> Value {
    json!({ "anyOf": [{ "type": "number" }, { "type": "string", "format": "date" }] })
}

fn levels() -> Value {
    let width = json!({ "type": "number", "exclusiveMinimum": 0, "description": "Width of the intervals." });
    let calendar = json!({ "enum": CALENDAR, "description": "Calendar unit, for dates." });
    let bounds = json!({ "type": "array", "items": bound(), "minItems": 1, "description": "Ascending bounds of the intervals." });
    json!({ "type": "array", "items": { "anyOf": [width, calendar, bounds] }, "minItems": 1 })
}

fn purpose() -> Value {
    let one_key = |name: &str, value: Value| {
        json!({
            "type": "object",
            "properties": { name: value },
            "required": [name],
            "additionalProperties": false,
        })
    };
    let classify = one_key("classify", json!({ "type": "string", "description": "Column to predict." }));
    let cluster = one_key("cluster", json!({ "type": "integer", "minimum": 2, "description": "Number of clusters." }));
    let queries = one_key("queries", json!({ "type": "string", "description": "File with count queries." }));
    json!({ "anyOf": [{ "const": "general" }, classify, cluster, queries] })
}

fn named<'a>(entries: impl Iterator<Item = &'a Entry>) -> Value {
    let named = |entry: &Entry| json!({ "const": entry.id, "title": entry.title, "description": entry.summary });
    json!({ "type": "string", "oneOf": entries.map(named).collect::<Vec<Value>>() })
}

fn preset() -> Value {
    let named = |preset: &Preset| json!({ "const": preset.id, "title": preset.title, "description": preset.summary });
    json!({ "type": "string", "oneOf": presets::LIST.iter().map(named).collect::<Vec<Value>>() })
}

fn model_list() -> Vec<Value> {
    models::LIST.iter().map(|listed| model(&listed.entry)).collect()
}

fn model(entry: &Entry) -> Value {
    let mut model = parameters(entry);
    model["title"] = json!(entry.title);
    model["description"] =
        json!(format!("{} Protects against: {}. {}", entry.summary, entry.protects_against, entry.paper));
    model["properties"]["model"] = json!({ "const": entry.id, "description": entry.summary });
    if let Some(required) = model["required"].as_array_mut() {
        required.insert(0, json!("model"));
    }
    model
}

/// Returns the schema of the options of one algorithm or method. It applies if the policy names it, or for the default algorithm.
fn options_of(entry: &Entry, key: &str) -> Value {
    let named = if entry.id == ALGORITHMS[0] { json!([]) } else { json!([key]) };
    let mut when = json!({ "properties": { key: { "const": entry.id } }, "required": named });
    if entry.id == ALGORITHMS[0] {
        when["not"] = json!({ "required": ["method"] });
    }
    json!({ "if": when, "then": { "properties": { "options": parameters(entry) } } })
}

fn parameters(entry: &Entry) -> Value {
    let properties: Map<String, Value> =
        entry.parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter_of(parameter))).collect();
    let required: Vec<&str> = entry
        .parameters
        .iter()
        .filter(|parameter| parameter.default.is_none())
        .map(|parameter| parameter.name)
        .collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn parameter_of(parameter: &ParameterDef) -> Value {
    let mut schema = domain(&parameter.domain);
    schema["description"] = json!(parameter.meaning);
    if let Some(default) = parameter.default.filter(|default| !default.is_empty()) {
        // Numbers and flags are valid JSON; words are not.
        schema["default"] = serde_json::from_str(default).unwrap_or_else(|_| json!(default));
    }
    schema
}

fn domain(domain: &Domain) -> Value {
    match domain {
        Domain::Whole(least) => json!({ "type": "integer", "minimum": least }),
        Domain::Number(low, high) if high.is_infinite() => json!({ "type": "number", "minimum": low }),
        Domain::Number(low, high) => json!({ "type": "number", "minimum": low, "maximum": high }),
        Domain::Word(words) => json!({ "type": "string", "enum": words }),
        Domain::Column => json!({ "type": "string" }),
        Domain::Columns => {
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "uniqueItems": true })
        }
        Domain::Thresholds => {
            json!({ "type": "object", "additionalProperties": { "type": "number", "minimum": 0, "maximum": 1 } })
        }
        Domain::Each(least) => {
            json!({ "type": "object", "additionalProperties": { "type": "integer", "minimum": least } })
        }
        Domain::Flag => json!({ "type": "boolean" }),
    }
}
