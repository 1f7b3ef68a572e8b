//! The reference page: the OpenAPI document as one self-contained page, without scripts and without the network.

use std::fmt::Write as _;

use serde_json::Value;

/// What the page may load: its own style and nothing else.
pub const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE: &str = include_str!("docs.css");

/// A further section of the page: a title and HTML that is already escaped.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its heading, also in the contents.
    pub title: &'static str,
    /// Its body.
    pub html: String,
}

pub fn page(document: &Value, sections: &[Section]) -> String {
    let info = &document["info"];
    let groups = groups(document);
    let mut html = String::with_capacity(256 * 1024);
    // Writing to a string cannot fail.
    let _ = write!(
        html,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} reference</title><style>{STYLE}</style></head><body><nav><h1>{title} {version}</h1><ul>",
        title = text(&info["title"]),
        version = text(&info["version"]),
    );
    let titles = groups
        .iter()
        .map(|(title, _)| title.as_str())
        .chain(["Query types"]);
    for title in titles.chain(sections.iter().map(|section| section.title)) {
        let _ = write!(
            html,
            "<li><a href=\"#{}\">{}</a></li>",
            anchor(title),
            escape(title)
        );
    }
    let _ = write!(
        html,
        "</ul><p><a href=\"/openapi.json\">openapi.json</a></p></nav><main><p>{}</p>",
        text(&info["description"])
    );
    for (title, operations) in &groups {
        let _ = write!(
            html,
            "<section id=\"{}\"><h2>{}</h2>",
            anchor(title),
            escape(title)
        );
        for operation in operations {
            operation.write(&mut html);
        }
        html.push_str("</section>");
    }
    write_query_types(&document["x-query-types"], &mut html);
    for Section { title, html: body } in sections {
        let _ = write!(
            html,
            "<section id=\"{}\"><h2>{}</h2>{body}</section>",
            anchor(title),
            escape(title)
        );
    }
    html.push_str("</main></body></html>");
    html
}

struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    said: &'a Value,
}

impl Operation<'_> {
    fn write(&self, html: &mut String) {
        let Self { method, path, said } = self;
        let _ = write!(
            html,
            "<details><summary><b class=\"{method}\">{}</b> <code>{}</code> {}</summary><p>{}</p>",
            method.to_ascii_uppercase(),
            escape(path),
            text(&said["summary"]),
            text(&said["description"]),
        );
        if let Some(scopes) = said["x-required-scopes"].as_array() {
            let scopes: Vec<String> = scopes
                .iter()
                .map(|scope| format!("<code>{}</code>", text(scope)))
                .collect();
            let _ = write!(html, "<p>Scope: {}</p>", scopes.join(", "));
        } else if said["security"].as_array().is_some_and(Vec::is_empty) {
            html.push_str("<p>Public</p>");
        }
        for parameter in said["parameters"].as_array().into_iter().flatten() {
            let (name, description) = (text(&parameter["name"]), text(&parameter["description"]));
            let _ = write!(html, "<p><code>{name}</code> {description}</p>");
        }
        write_schema(
            "Body",
            &said["requestBody"]["content"]["application/json"]["schema"],
            html,
        );
        write_schema(
            "Answer",
            &said["responses"]["200"]["content"]["application/json"]["schema"],
            html,
        );
        html.push_str("</details>");
    }
}

fn write_schema(title: &str, schema: &Value, html: &mut String) {
    if !schema.is_null() {
        let pretty = serde_json::to_string_pretty(schema).unwrap_or_default();
        let _ = write!(html, "<h4>{title}</h4><pre>{}</pre>", escape(&pretty));
    }
}

fn write_query_types(types: &Value, html: &mut String) {
    html.push_str(
        "<section id=\"query-types\"><h2>Query types</h2><div class=\"wide\"><table><tr><th>Type<th>What it \
         answers<th>Columns<th>Filters</tr>",
    );
    for (name, config) in types.as_object().into_iter().flatten() {
        let _ = write!(
            html,
            "<tr><td><code>{}</code><td>{}<td>{}<td>{}</tr>",
            escape(name),
            text(&config["meta"]["description"]),
            list(&config["meta"]["outputFields"]),
            list(&config["allowedFilters"]),
        );
    }
    html.push_str("</table></div></section>");
}

/// Operations by tag, untagged ones by the first word of their path, in the document's order.
fn groups(document: &Value) -> Vec<(String, Vec<Operation<'_>>)> {
    let mut groups: Vec<(String, Vec<Operation<'_>>)> = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(name, _)| *name != "servers")
        {
            let title = operation["tags"][0]
                .as_str()
                .unwrap_or_else(|| untagged(path));
            let operation = Operation {
                method,
                path,
                said: operation,
            };
            match groups.iter_mut().find(|(own, _)| own == title) {
                Some((_, operations)) => operations.push(operation),
                None => groups.push((title.to_owned(), vec![operation])),
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

fn list(values: &Value) -> String {
    let names = values
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    names.map(escape).collect::<Vec<_>>().join(", ")
}

fn text(value: &Value) -> String {
    escape(value.as_str().unwrap_or_default())
}

fn anchor(title: &str) -> String {
    title
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_is_shown_and_nothing_is_trusted() {
        let document = json!({
            "info": { "title": "p<b>", "version": "1.0.0", "description": "d" },
            "paths": {
                "/v1/query": { "post": { "summary": "Run <script>", "security": [], "responses": {} } },
                "/websites/list": { "post": { "tags": ["Websites"], "x-required-scopes": ["read:data"], "responses": {} } },
            },
            "x-query-types": { "top_pages": { "allowedFilters": ["path"], "meta": { "outputFields": ["name"] } } },
        });
        let section = Section {
            title: "Definitions",
            html: "<p>visitors</p>".into(),
        };
        let html = page(&document, &[section]);
        for part in [
            "p&lt;b&gt;",
            "Run &lt;script&gt;",
            "<code>/websites/list</code>",
            "<code>read:data</code>",
            "top_pages",
            "href=\"#definitions\"",
            "<p>visitors</p>",
        ] {
            assert!(html.contains(part), "{part}");
        }
        for forbidden in ["<script", "http://", "https://", " src="] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
    }
}
