//! Inputs of a request that are more than one field: headers, authentication, JSON assertions.

use serde_json::{Map, Value, json};

use crate::{
    fault::Issue,
    http::pages::{
        form::{Rows, text},
        prelude::*,
    },
    pages::part::{Field, choice, hidden},
};

const HEADERS: &str = "request.headers";
/// A hidden field for each stored header: what is missing in the lines is removed.
const STORED: &str = "request.headersStored";

/// Headers, one a line. The API never shows secret values: without a value, a stored one stays.
#[derive(Debug)]
pub(super) struct Headers;

impl Rows for Headers {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        let headers = value.as_object().into_iter().flatten();
        let stored = headers
            .clone()
            .map(|(name, _)| (STORED.to_owned(), name.clone()));
        let lines = headers.map(|(name, value)| format!("{name}: {}", text(value)));
        let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
        let lines = (HEADERS.to_owned(), lines.join("\n"));
        stored.chain([lines]).collect()
    }

    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let stored: Vec<&str> = sent.all(STORED).collect();
        let gone = stored.iter().map(|name| ((*name).to_owned(), Value::Null));
        let mut headers: Map<String, Value> = gone.collect();
        for line in sent.lines(HEADERS) {
            let Some((name, value)) = line.split_once(':') else {
                let message = format!("“{line}” has no colon");
                issues.push(Issue::new("invalid", HEADERS, message));
                continue;
            };
            let (name, value) = (name.trim(), value.trim());
            if value.is_empty() && stored.contains(&name) {
                headers.remove(name);
            } else {
                headers.insert(name.to_owned(), json!(value));
            }
        }
        let is_empty = headers.is_empty() && stored.is_empty();
        (!is_empty).then_some(Value::Object(headers))
    }

    fn is_used(&self, sent: &FormData) -> bool {
        sent.some(HEADERS).is_some()
    }

    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        let field = Field::text(HEADERS, "Headers").optional();
        let field = field.hint("One per line. Example: Accept: application/json. Secret values are hidden. Leave them empty to keep them.");
        html! {
            @for name in sent.all(STORED) { (hidden(STORED, name)) }
            (field.value(sent.raw(HEADERS)).lines(3, problems))
        }
    }
}

const AUTH: &str = "request.auth";
const TYPE: &str = "request.auth.type";
const USERNAME: &str = "request.auth.username";
const PASSWORD: &str = "request.auth.password";
const TOKEN: &str = "request.auth.token";
/// The stored type, whose secret stays unless another one is typed.
const STORED_TYPE: &str = "request.auth.stored";

/// Types of authentication.
const TYPES: [(&str, &str); 3] = [
    ("none", "None"),
    ("basic", "Basic authentication"),
    ("bearer", "Bearer token"),
];

/// The credentials of a request.
#[derive(Debug)]
pub(super) struct Authentication;

impl Rows for Authentication {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        let kind = value["type"].as_str().unwrap_or("none");
        let fields = [
            (TYPE, kind.to_owned()),
            (STORED_TYPE, kind.to_owned()),
            (USERNAME, text(&value["username"])),
        ];
        fields.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn read(&self, sent: &FormData, _: &mut Vec<Issue>) -> Option<Value> {
        let kind = sent.some(TYPE).filter(|kind| *kind != "none")?;
        let mut auth = json!({ "type": kind });
        let secret = if kind == "basic" {
            auth["username"] = json!(sent.text(USERNAME));
            ("password", PASSWORD)
        } else {
            ("token", TOKEN)
        };
        // Without a secret the stored one stays, unless its type was another.
        if !sent.raw(secret.1).is_empty() {
            auth[secret.0] = json!(sent.raw(secret.1));
        }
        Some(auth)
    }

    fn is_used(&self, sent: &FormData) -> bool {
        sent.some(TYPE).is_some_and(|kind| kind != "none")
    }

    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        let field = |name, label| Field::text(name, label).quiet();
        let secret = |name, label, kind: &str| {
            let is_stored = sent.text(STORED_TYPE) == kind;
            let hint = if is_stored {
                "Leave empty to keep it."
            } else {
                ""
            };
            let field = field(name, label).kind("password").fills("new-password");
            field.hint(hint).draw(&Problems::NONE)
        };
        let kind = sent.some(TYPE).unwrap_or("none");
        html! {
            fieldset.field {
                legend { "Authentication" }
                (choice(TYPE, "Type", &TYPES, kind))
                (hidden(STORED_TYPE, sent.raw(STORED_TYPE)))
                div.credentials.basic {
                    (field(USERNAME, "Username").value(sent.raw(USERNAME)).fills("off").draw(&Problems::NONE))
                    (secret(PASSWORD, "Password", "basic"))
                }
                div.credentials.bearer { (secret(TOKEN, "Token", "bearer")) }
                @for message in problems.beside(AUTH) { p.wrong { (message) } }
            }
        }
    }
}

const ASSERTIONS: &str = "expect.json";
/// Rows of a form, as many as a monitor has.
const MAX: usize = 20;

fn name(at: usize, field: &str) -> String {
    format!("{ASSERTIONS}.{at}.{field}")
}

/// A value as it is typed: JSON where it reads as such, else text.
fn typed(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or_else(|_| json!(value))
}

/// The same back.
fn written(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if typed(text) == *value => text.clone(),
        other => other.to_string(),
    }
}

/// What a JSON body has to say: paths with their values.
#[derive(Debug)]
pub(super) struct JsonAssertions;

impl JsonAssertions {
    /// Rows with a path, by their numbers.
    fn filled(sent: &FormData) -> Vec<usize> {
        let is_filled = |at: &usize| sent.some(&name(*at, "path")).is_some();
        (0..MAX).filter(is_filled).collect()
    }
}

impl Rows for JsonAssertions {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        let all = value.as_array().into_iter().flatten().enumerate();
        let row = |(at, one): (usize, &Value)| {
            [
                (name(at, "path"), text(&one["path"])),
                (name(at, "equals"), written(&one["equals"])),
            ]
        };
        all.flat_map(row).collect()
    }

    fn read(&self, sent: &FormData, _: &mut Vec<Issue>) -> Option<Value> {
        let row = |at: usize| {
            let mut one = json!({ "path": sent.text(&name(at, "path")) });
            if let Some(equals) = sent.some(&name(at, "equals")) {
                one["equals"] = typed(equals);
            }
            one
        };
        let rows: Vec<Value> = Self::filled(sent).into_iter().map(row).collect();
        (!rows.is_empty()).then_some(Value::Array(rows))
    }

    fn is_used(&self, sent: &FormData) -> bool {
        !Self::filled(sent).is_empty()
    }

    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        let filled = Self::filled(sent);
        let input = |place: usize, field: &str, label: &str, example: &str| {
            let value = filled
                .get(place)
                .map_or("", |at| sent.raw(&name(*at, field)));
            html! { input name=(name(place, field)) value=(value) placeholder=(example) aria-label=(format!("{label} of assertion {}", place + 1)); }
        };
        html! {
            fieldset.field {
                legend { "JSON assertions" }
                p.hint { "A path and its expected value. Without a value, the path must exist and not be false." }
                @for place in 0..(filled.len() + 2).min(MAX) {
                    div.inline {
                        (input(place, "path", "Path", "$.status"))
                        (input(place, "equals", "Value", "ok"))
                    }
                }
                @for message in problems.beside(ASSERTIONS) { p.wrong { (message) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(rows: &dyn Rows, value: &Value) -> Value {
        let sent = FormData::from(rows.fill(value));
        rows.read(&sent, &mut Vec::new()).unwrap_or_default()
    }

    #[test]
    fn json_assertions_stay_what_they_are() {
        let all = json!([
            { "path": "$.status", "equals": "ok" },
            { "path": "$.count", "equals": 5 },
            { "path": "$.code", "equals": "5" },
            { "path": "$.ready", "equals": true },
            { "path": "$.db" },
        ]);
        assert_eq!(again(&JsonAssertions, &all), all);
        assert_eq!(again(&JsonAssertions, &json!([])), Value::Null);
    }

    #[test]
    fn a_header_that_is_deleted_goes_and_a_secret_one_without_a_value_stays() {
        let stored = json!({ "Accept": "text/html", "Authorization": "", "X-Old": "1" });
        let mut sent = Headers.fill(&stored);
        assert_eq!(
            again(&Headers, &stored),
            json!({ "Accept": "text/html", "X-Old": "1" })
        );
        sent.retain(|(name, _)| name != HEADERS);
        sent.push((
            HEADERS.to_owned(),
            "Accept: */*\nAuthorization:\nX-New: 2".to_owned(),
        ));
        let body = Headers.read(&FormData::from(sent), &mut Vec::new());
        let wanted = json!({ "Accept": "*/*", "X-New": "2", "X-Old": null });
        assert_eq!(body, Some(wanted));
        let mut issues = Vec::new();
        let wrong = FormData::with([(HEADERS, "no colon".to_owned())]);
        Headers.read(&wrong, &mut issues);
        assert_eq!(issues[0].field, HEADERS);
    }

    #[test]
    fn a_secret_is_sent_only_when_it_was_typed() {
        let stored = json!({ "type": "basic", "username": "ada", "password": "" });
        assert_eq!(
            again(&Authentication, &stored),
            json!({ "type": "basic", "username": "ada" })
        );
        let fields = [(TYPE, "bearer".to_owned()), (TOKEN, "t0".to_owned())];
        let read = Authentication.read(&FormData::with(fields), &mut Vec::new());
        assert_eq!(read, Some(json!({ "type": "bearer", "token": "t0" })));
        assert_eq!(again(&Authentication, &Value::Null), Value::Null);
        let drawn = Authentication.draw(
            &FormData::from(Authentication.fill(&stored)),
            &Choices::default(),
            &Problems::NONE,
        );
        assert!(drawn.into_string().contains("Leave empty to keep it."));
    }
}
