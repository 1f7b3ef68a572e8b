//! The published document as it was last reviewed, a snapshot for each group.
//!
//! A procedure is served twice, at `/<group>/<name>` and at `/rpc/<group>/<name>`. The second is compared with the first
//! and left out, so that a change is read once.

use std::collections::{BTreeMap, BTreeSet};

use pharos::http::openapi;
use serde_json::{Map, Value, json};

use super::urls;

/// Where errors in an envelope are described, and where the same ones are without it.
const ENVELOPED: &str = "RpcErrorOrEnvelope";
const PLAIN: &str = "RpcError";

/// Columns that a value may take before it is broken up.
const WIDTH: usize = 140;

#[test]
fn procedures_below_rpc_are_those_of_their_groups_with_an_envelope() {
    let document = openapi::document(&urls());
    let paths = document["paths"].as_object().unwrap();
    let mut compared = 0;
    for (path, item) in paths {
        let Some(procedure) = path.strip_prefix("/rpc/") else {
            continue;
        };
        let plain = &plain_item(paths, procedure)["post"];
        let id = plain["operationId"].as_str().unwrap();
        let mut post = plain.clone();
        post["operationId"] = format!("rpc.{id}").into();
        assert_eq!(without_envelopes(&item["post"]), post, "{path}");
        compared += 1;

        let Some(get) = item.get("get") else {
            continue;
        };
        let mut by_query = plain.clone();
        by_query["operationId"] = format!("rpc.get.{id}").into();
        let body = take(&mut by_query, "requestBody");
        by_query["parameters"] = json!([{
            "name": "data", "in": "query", "required": body["required"],
            "description": "The input as JSON.", "content": body["content"],
        }]);
        // Nothing is sent whose type could be wrong.
        take(&mut by_query["responses"], "415");
        assert_eq!(without_envelopes(get), by_query, "{path}");
    }
    assert!(compared > 160, "{compared}");
    let responses = document["components"]["responses"].as_object().unwrap();
    for (name, response) in responses {
        if let Some(status) = name.strip_prefix(ENVELOPED) {
            let plain = &responses[&format!("{PLAIN}{status}")];
            assert_eq!(without_envelopes(response), *plain, "{name}");
        }
    }
}

#[test]
fn the_document_is_this() {
    let mut document = openapi::document(&urls());
    let mut groups = operations(&document);
    take(&mut document, "paths");
    let schemas = take(&mut document["components"], "schemas");
    let used: Vec<(String, BTreeSet<String>)> = groups
        .iter()
        .map(|(group, operations)| (group.clone(), used_schemas(operations, &schemas)))
        .collect();
    for (name, schema) in schemas.as_object().unwrap() {
        let mut users = used.iter().filter(|(_, names)| names.contains(name));
        let group = match (users.next(), users.next()) {
            (Some((group, _)), None) => group.clone(),
            _ => "shared".to_owned(),
        };
        let group = groups.entry(group).or_default();
        group.insert(format!("schema {name}"), schema.clone());
    }
    let responses = document["components"]["responses"].as_object_mut().unwrap();
    responses.retain(|name, _| !name.starts_with(ENVELOPED));
    // Those of the document's tags, what has none, and what several share.
    let tags = document["tags"].as_array().unwrap().len();
    assert_eq!(groups.len(), tags + 2, "{:?}", groups.keys());
    insta::assert_snapshot!("document", text(&document));
    for (group, parts) in groups {
        insta::assert_snapshot!(group, text(&Value::Object(parts)));
    }
}

/// Operations by their group, without those below `/rpc`, each with the host that serves it if it is another one.
fn operations(document: &Value) -> BTreeMap<String, Map<String, Value>> {
    let mut groups: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for (path, method, server) in super::operations(document) {
        if path.starts_with("/rpc/") {
            continue;
        }
        let mut operation = document["paths"][&path][&method].clone();
        if let Some(server) = server {
            operation["servers"] = json!([{ "url": server }]);
        }
        let group = operation["tags"][0].as_str().unwrap_or("without group");
        let group = group.to_lowercase().replace(' ', "_");
        let name = format!("{} {path}", method.to_uppercase());
        groups.entry(group).or_default().insert(name, operation);
    }
    groups
}

/// The schemas that a group names, itself or through others.
fn used_schemas(group: &Map<String, Value>, schemas: &Value) -> BTreeSet<String> {
    let mut open: Vec<&Value> = group.values().collect();
    let mut used = BTreeSet::new();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => open.extend(members.values()),
            Value::Array(items) => open.extend(items),
            Value::String(reference) => {
                if let Some(schema) = reference.strip_prefix("#/components/schemas/")
                    && used.insert(schema.to_owned())
                {
                    open.push(&schemas[schema]);
                }
            }
            _ => {}
        }
    }
    used
}

/// What is served at `/links/list` for `links/list`, at `/link-folders/list` for `linkFolders/list`.
fn plain_item<'a>(paths: &'a Map<String, Value>, procedure: &str) -> &'a Value {
    let (group, name) = procedure.split_once('/').unwrap();
    let mut kebab = String::new();
    for letter in group.chars() {
        if letter.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    let same = paths.get(&format!("/{procedure}"));
    same.unwrap_or_else(|| &paths[&format!("/{kebab}/{name}")])
}

/// Everything that is either itself or itself in an envelope, as itself.
fn without_envelopes(value: &Value) -> Value {
    match value {
        Value::Object(members) => match members.get("anyOf").and_then(Value::as_array) {
            Some(ways) if ways.len() == 2 && ways[1]["properties"]["json"] == ways[0] => {
                without_envelopes(&ways[0])
            }
            _ => members
                .iter()
                .map(|(name, member)| (name.clone(), without_envelopes(member)))
                .collect(),
        },
        Value::Array(items) => items.iter().map(without_envelopes).collect(),
        Value::String(text) => text.replace(ENVELOPED, PLAIN).into(),
        other => other.clone(),
    }
}

fn take(value: &mut Value, member: &str) -> Value {
    value.as_object_mut().unwrap().remove(member).unwrap()
}

/// JSON whose short values and lists of names keep to one line.
fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

fn write(value: &Value, depth: usize, out: &mut String) {
    let short = value.to_string();
    let (open, close, parts): (_, _, Vec<(String, &Value)>) = match value {
        _ if depth > 0 && depth * 2 + short.len() <= WIDTH => return out.push_str(&short),
        Value::Object(members) => {
            let named = |(name, member)| (format!("{}: ", Value::from(name)), member);
            let members = members.iter().map(|(name, member)| (name.as_str(), member));
            ('{', '}', members.map(named).collect())
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let items = items.iter().map(|item| (String::new(), item));
            ('[', ']', items.collect())
        }
        _ => return out.push_str(&short),
    };
    out.push(open);
    out.push('\n');
    for (name, part) in parts {
        out.push_str(&"  ".repeat(depth + 1));
        out.push_str(&name);
        write(part, depth + 1, out);
        out.push_str(",\n");
    }
    out.push_str(&"  ".repeat(depth));
    out.push(close);
}
