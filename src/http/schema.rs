//! JSON Schemas of types and of queries, for the OpenAPI document and for tools.

use schemars::{
    JsonSchema,
    generate::SchemaSettings,
    transform::{RecursiveTransform, ReplaceBoolSchemas},
};
use serde_json::{Value, json};

use crate::analytics::request::MAX_BATCH;

/// How schemas are generated from types, here and for tools.
///
/// A schema that takes any value is `{}` and not `true`: clients of MCP refuse a property that is no object.
pub(super) fn schema_settings() -> SchemaSettings {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    let mut without_booleans = ReplaceBoolSchemas::default();
    without_booleans.skip_additional_properties = true;
    settings
        .with_transform(without_booleans)
        .with_transform(RecursiveTransform(absent_by_default))
}

/// What may be left out is absent by default, rather than a null that its type does not have.
fn absent_by_default(schema: &mut schemars::Schema) {
    let nullable = match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        Some(kind) => kind == "null",
    };
    if !nullable && schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
}

/// The schema of a type, whole and in one piece.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let mut settings = schema_settings();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.to_value()
}

/// One body, or a batch of them.
pub(super) fn one_or_batch(more: &[Value]) -> Value {
    let batch = json!({
        "type": "array", "minItems": 1, "maxItems": MAX_BATCH, "items": json!({ "$ref": "#/components/schemas/QueryBody" }),
        "description": "A batch. A member that is refused says so in its place.",
    });
    let mut ways = vec![json!({ "$ref": "#/components/schemas/QueryBody" }), batch];
    ways.extend_from_slice(more);
    json!({ "anyOf": ways })
}
