//! Schemas of the OpenAPI document as tables of fields. A named type is described once on a page.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde_json::Value;

/// The name of the schema that another one refers to.
fn reference(schema: &Value) -> Option<&str> {
    let path = schema["$ref"].as_str()?;
    path.rsplit('/').next()
}

fn find<'a>(document: &'a Value, name: &str) -> &'a Value {
    &document["components"]["schemas"][name]
}

/// Every type that schemas refer to, directly or through others.
pub(super) fn named_types<'a>(
    document: &'a Value,
    schemas: impl IntoIterator<Item = &'a Value>,
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Value> = schemas.into_iter().collect();
    while let Some(value) = open.pop() {
        if let Some(name) = reference(value)
            && found.insert(name)
        {
            open.push(find(document, name));
        }
        match value {
            Value::Object(members) => open.extend(members.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

/// Types by their names.
pub(super) fn draw_types(document: &Value, names: &BTreeSet<&str>) -> Markup {
    html! {
        @if !names.is_empty() {
            h2 #types { "Types" }
            @for name in names {
                @let schema = find(document, name);
                details.operation id={ "type-" (name) } {
                    summary { code { (name) } }
                    @if let Some(text) = schema["description"].as_str() { p { (text) } }
                    (draw_fields(name, schema))
                }
            }
        }
    }
}

/// A schema of a body or an answer: its fields, or what it is. `about` names the table.
pub(super) fn draw_fields(about: &str, schema: &Value) -> Markup {
    let required = schema["required"].as_array();
    let is_required = |name: &str| {
        let mut names = required.into_iter().flatten();
        names.any(|required| required == name)
    };
    html! {
        @match schema["properties"].as_object() {
            Some(fields) => {
                div.scroll tabindex="0" role="region" aria-label={ "Table: fields of " (about) } {
                    table {
                        thead { tr { th { "Field" } th { "Type" } th { "Meaning" } } }
                        tbody {
                            @for (name, field) in fields {
                                tr {
                                    td { code { (name) } @if is_required(name) { br; span.dim.small { "required" } } }
                                    td { (draw_kind(field)) }
                                    td { (field["description"].as_str().unwrap_or_default()) }
                                }
                            }
                        }
                    }
                }
            }
            None => p { (draw_kind(schema)) },
        }
    }
}

/// What a value is, in a few words.
pub(super) fn draw_kind(schema: &Value) -> Markup {
    if let Some(name) = reference(schema) {
        return html! { a href={ "#type-" (name) } { (name) } };
    }
    for (union, word) in [("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")] {
        if let Some(kinds) = schema[union].as_array() {
            return html! {
                @for (at, kind) in kinds.iter().enumerate() { @if at > 0 { (word) } (draw_kind(kind)) }
            };
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return html! { @for value in values { code { (plain(value)) } " " } };
    }
    if let Some(value) = schema.get("const") {
        return html! { code { (plain(value)) } };
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => {
            html! { "list of " (draw_kind(&schema["items"])) }
        }
        Value::String(kind) => html! { (kind) },
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            html! { (kinds.join(" or ")) }
        }
        _ => html! { "any" },
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_type_is_a_table_and_what_it_refers_to_a_link() {
        let document = json!({ "components": { "schemas": {
            "Site": { "required": ["id"], "properties": {
                "id": { "type": "string", "description": "Its <id>" },
                "owner": { "anyOf": [{ "$ref": "#/components/schemas/Person" }, { "type": "null" }] },
                "tags": { "type": "array", "items": { "enum": ["a", "b"] } },
            } },
            "Person": { "type": ["string", "null"] },
        } } });
        let body = json!({ "$ref": "#/components/schemas/Site" });
        let names = named_types(&document, [&body]);
        assert_eq!(
            names.iter().copied().collect::<Vec<_>>(),
            ["Person", "Site"]
        );
        let html = draw_types(&document, &names).into_string();
        for part in [
            "id=\"type-Site\"",
            "<code>id</code><br><span class=\"dim small\">required</span>",
            "Its &lt;id&gt;",
            "<a href=\"#type-Person\">Person</a> or null",
            "list of <code>a</code> <code>b</code>",
            "<p>string or null</p>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        let body = draw_fields("body", &body).into_string();
        assert_eq!(body, "<p><a href=\"#type-Site\">Site</a></p>");
    }
}
