//! `schema`: the JSON Schema of a policy, for editors.

/// The JSON Schema of a policy.
pub fn schema() -> serde_json::Value {
    reticent::policy::json_schema()
}
