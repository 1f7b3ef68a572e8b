//! Schemas of single values.

use serde_json::{Value, json};

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}
