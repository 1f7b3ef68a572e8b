//! The API reference: the OpenAPI document as one page for each group of operations.

use maud::{Markup, html};
use serde_json::Value;

use super::{
    markdown::anchor,
    page::{API_PATH, Link},
    schema,
};

/// The page about types of queries, which the document lists apart.
pub(super) const QUERY_TYPES: &str = "Query types";

/// Operations that belong together.
pub(super) struct OperationGroup<'a> {
    pub(super) title: String,
    pub(super) operations: Vec<Operation<'a>>,
}

pub(super) struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    spec: &'a Value,
}

/// Operations by tag, untagged ones by the first word of their path, in the document's order. Copies below `/rpc` are left out.
pub(super) fn groups(document: &Value) -> Vec<OperationGroup<'_>> {
    let mut groups: Vec<OperationGroup<'_>> = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        let operations = item.as_object().into_iter().flatten();
        for (method, spec) in operations.filter(|(name, _)| *name != "servers") {
            let id = spec["operationId"].as_str().unwrap_or_default();
            if id.starts_with("rpc.") {
                continue;
            }
            let title = spec["tags"][0].as_str().unwrap_or_else(|| untagged(path));
            let operation = Operation { method, path, spec };
            match groups.iter_mut().find(|group| group.title == title) {
                Some(group) => group.operations.push(operation),
                None => groups.push(OperationGroup {
                    title: title.to_owned(),
                    operations: vec![operation],
                }),
            }
        }
    }
    groups
}

fn untagged(path: &str) -> &'static str {
    match path.split('/').nth(1) {
        Some("v1") => "Queries",
        Some("api") => "Sessions",
        _ => "Service",
    }
}

/// Every page of the reference behind its overview.
pub(super) fn links(groups: &[OperationGroup<'_>]) -> Vec<Link> {
    let titles = groups.iter().map(|group| group.title.as_str());
    titles
        .chain([QUERY_TYPES])
        .map(|title| Link::new(format!("{API_PATH}/{}", anchor(title)), title))
        .collect()
}

/// The overview.
pub(super) fn overview(document: &Value, groups: &[OperationGroup<'_>]) -> Markup {
    html! {
        p { "Every operation that this server answers, with its parameters, body and answer." }
        p {
            "API version " (text(&document["info"]["version"])) ". The same as a machine-readable document: "
            a href="/openapi.json" { "openapi.json" } " (OpenAPI " (text(&document["openapi"])) ")."
        }
        p { "Every call of a group is also served below " code { "/rpc" } "." }
        ul.cards {
            @for (link, group) in links(groups).iter().zip(groups.iter().map(Some).chain([None])) {
                li.panel {
                    a href=(link.path) { strong { (link.title) } }
                    p.dim.small {
                        @match group {
                            Some(group) => { (group.operations.len()) @if group.operations.len() == 1 { " operation" } @else { " operations" } }
                            None => "What POST /v1/query can answer",
                        }
                    }
                }
            }
        }
    }
}

impl<'a> Operation<'a> {
    pub(super) fn id(&self) -> String {
        let id = anchor(&format!("{} {}", self.method, self.path));
        // Another operation than the one of the path without it.
        if self.path.ends_with('/') {
            id + "-"
        } else {
            id
        }
    }

    pub(super) fn title(&self) -> String {
        format!("{} {}", self.method.to_ascii_uppercase(), self.path)
    }

    pub(super) fn summary(&self) -> &str {
        text(&self.spec["summary"])
    }

    fn draw(&self) -> Markup {
        let spec = self.spec;
        let parameters = spec["parameters"].as_array();
        html! {
            details.operation #(self.id()) {
                summary { b { (self.method.to_ascii_uppercase()) } " " code { (self.path) } " " (self.summary()) }
                p { (prose(&spec["description"])) }
                @if let Some(scopes) = spec["x-required-scopes"].as_array() {
                    p { "Scope: " @for scope in scopes { code { (text(scope)) } " " } }
                } @else if spec["security"].as_array().is_some_and(Vec::is_empty) {
                    p { "Public" }
                }
                @for parameter in parameters.into_iter().flatten() {
                    p {
                        code { (text(&parameter["name"])) } " "
                        @if parameter["required"] == true { span.dim.small { "required " } }
                        (prose(&parameter["description"]))
                    }
                }
                @for (title, schema) in self.schemas() {
                    h3 { (title) }
                    (schema::draw_fields(&format!("{} of {}", title.to_lowercase(), self.title()), schema))
                }
            }
        }
    }

    /// What it takes and what it answers.
    fn schemas(&self) -> Vec<(&'static str, &'a Value)> {
        let body = &self.spec["requestBody"]["content"]["application/json"]["schema"];
        let answer = &self.spec["responses"]["200"]["content"]["application/json"]["schema"];
        let all = [("Body", body), ("Answer", answer)];
        all.into_iter()
            .filter(|(_, schema)| !schema.is_null())
            .collect()
    }
}

/// The operations of a group, and the types that they name.
pub(super) fn group_page(document: &Value, group: &OperationGroup<'_>) -> Markup {
    let operations = &group.operations;
    let schemas = operations.iter().flat_map(Operation::schemas);
    let names = schema::named_types(document, schemas.map(|(_, schema)| schema));
    html! {
        @for operation in operations { (operation.draw()) }
        (schema::draw_types(document, &names))
    }
}

/// What every type of query answers.
pub(super) fn query_types(document: &Value) -> Markup {
    let types = document["x-query-types"].as_object();
    html! {
        p { "Every name that " code { "parameters" } " of " code { "POST /v1/query" } " takes. " a href="/docs/queries" { "Query API" } " defines the metrics." }
        div.scroll tabindex="0" role="region" aria-label="Table: query types" {
            table {
                thead { tr { th { "Type" } th { "What it answers" } th { "Fields" } th { "Filters" } } }
                tbody {
                    @for (name, config) in types.into_iter().flatten() {
                        tr #(anchor(name)) {
                            td { code { (name) } }
                            td { (prose(&config["meta"]["description"])) }
                            td { (list(&config["meta"]["outputFields"])) }
                            td { (list(&config["allowedFilters"])) }
                        }
                    }
                }
            }
        }
    }
}

fn list(values: &Value) -> String {
    let names = values.as_array().into_iter().flatten();
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    names.join(", ")
}

/// A description, whose backquotes are around code.
fn prose(value: &Value) -> Markup {
    html! {
        @for (place, part) in text(value).split('`').enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_are_shown_once_and_nothing_in_them_is_trusted() {
        let document = json!({
            "openapi": "3.1.1", "info": { "version": "1.0.0" },
            "paths": {
                "/v1/query": { "post": { "summary": "Run <script>", "security": [], "responses": {} } },
                "/websites/list": { "post": { "tags": ["Websites"], "x-required-scopes": ["read:data"], "responses": {} } },
                "/rpc/websites/list": { "post": { "operationId": "rpc.websites.list", "tags": ["Websites"], "responses": {} } },
            },
            "x-query-types": { "top_pages": { "allowedFilters": ["path"], "meta": { "outputFields": ["name"] } } },
        });
        let groups = groups(&document);
        let mut html = overview(&document, &groups).into_string();
        for group in &groups {
            html += &group_page(&document, group).into_string();
        }
        html += &query_types(&document).into_string();
        for part in [
            "Run &lt;script&gt;",
            "<code>/websites/list</code>",
            "<code>read:data</code>",
            "<tr id=\"top-pages\">",
            "href=\"/docs/api/websites\"",
        ] {
            assert!(html.contains(part), "{part}");
        }
        assert!(!html.contains("<code>/rpc/websites") && !html.contains("<script"));
    }
}
