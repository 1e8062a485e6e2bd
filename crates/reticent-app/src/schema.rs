//! `schema`: the JSON Schema of a policy, for editors.

/// Returns the JSON Schema of a policy.
pub fn schema() -> serde_json::Value {
    reticent::policy::json_schema()
}
