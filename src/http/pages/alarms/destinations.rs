//! Whom an alarm tells: rows of a form, of which those with nothing in them are left out.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::{
    actors::delivery::ChannelKind,
    fault::Issue,
    http::pages::form::FormData,
    pages::{
        part::{Field, choice, hidden},
        problem::Problems,
    },
};

/// Destinations that an alarm has at most.
const MAX: usize = 10;

/// Methods of webhooks.
const METHODS: [(&str, &str); 4] = [
    ("POST", "POST"),
    ("GET", "GET"),
    ("PUT", "PUT"),
    ("PATCH", "PATCH"),
];

/// Kinds, with what their `identifier` is; email first.
fn kinds() -> Vec<(&'static str, &'static str)> {
    let rest = ChannelKind::ALL
        .iter()
        .filter(|kind| **kind != ChannelKind::Email);
    let kinds = [&ChannelKind::Email].into_iter().chain(rest);
    kinds
        .map(|kind| (kind.as_str(), kind.service().title))
        .collect()
}

fn name(at: usize, field: &str) -> String {
    format!("destinations.{at}.{field}")
}

/// Rows with something in them, by their place in the form.
fn filled(sent: &FormData) -> Vec<usize> {
    let is_filled = |at: &usize| sent.some(&name(*at, "identifier")).is_some();
    (0..MAX).filter(is_filled).collect()
}

/// Destinations as the form shows them.
pub(super) fn form(all: &Value, fields: &mut Vec<(String, String)>) {
    for (at, to) in all.as_array().into_iter().flatten().enumerate() {
        let mut push = |field: &str, value: &Value| {
            let text = value.as_str().unwrap_or_default();
            fields.push((name(at, field), text.to_owned()));
        };
        for field in ["id", "type", "identifier"] {
            push(field, &to[field]);
        }
        for field in ["token", "method"] {
            push(field, &to["config"][field]);
        }
        let headers = to["config"]["headers"].as_object().into_iter().flatten();
        let headers =
            headers.map(|(name, value)| format!("{name}: {}", value.as_str().unwrap_or_default()));
        push("headers", &json!(headers.collect::<Vec<_>>().join("\n")));
    }
}

/// What a form says of them.
pub(super) fn body(sent: &FormData, issues: &mut Vec<Issue>) -> Vec<Value> {
    let rows = filled(sent).into_iter().enumerate();
    rows.map(|(place, at)| {
        let some = |field: &str| sent.some(&name(at, field));
        let kind = some("type").unwrap_or("webhook");
        let mut config = Map::new();
        if kind == "telegram" {
            config.extend(some("token").map(|token| ("token".to_owned(), json!(token))));
        }
        if kind == "webhook" {
            config.extend(some("method").map(|method| ("method".to_owned(), json!(method))));
            let mut headers = Map::new();
            for line in sent.lines(&name(at, "headers")) {
                match line.split_once(':') {
                    Some((own, value)) => {
                        headers.insert(own.trim().to_owned(), json!(value.trim()));
                    }
                    None => issues.push(Issue::new(
                        "invalid",
                        name(place, "headers"),
                        format!("“{line}” has no colon"),
                    )),
                }
            }
            if !headers.is_empty() {
                config.insert("headers".to_owned(), Value::Object(headers));
            }
        }
        let mut one = json!({ "type": kind, "identifier": some("identifier"), "config": config });
        if let Some(id) = some("id") {
            one["id"] = json!(id);
        }
        one
    })
    .collect()
}

/// The rows: those with something in them first, so that they are where what is wrong with them says, and an empty one.
pub(super) fn draw(sent: &FormData, problems: &Problems) -> Markup {
    let rows = filled(sent);
    html! {
        @for (place, at) in rows.iter().enumerate() { (row(place, Some(*at), sent, problems)) }
        @if rows.len() < MAX { (row(rows.len(), None, sent, problems)) }
        @if rows.is_empty() { @for said in problems.beside("destinations") { p.wrong { (said) } } }
    }
}

fn row(place: usize, at: Option<usize>, sent: &FormData, problems: &Problems) -> Markup {
    let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
    let [kind, identifier, token, method, headers] =
        ["type", "identifier", "token", "method", "headers"].map(|field| name(place, field));
    let is = value("type");
    let to = Field {
        optional: place > 0 || at.is_some(),
        ..Field::text(&identifier, "Where")
    };
    let said = |name: &str| !problems.beside(name).is_empty();
    let more = !value("token").is_empty()
        || !value("headers").is_empty()
        || said(&headers)
        || said(&name(place, "config"));
    html! {
        fieldset.field {
            legend { @if at.is_some() { "Tells" } @else if place == 0 { "Whom it tells" } @else { "And" } }
            @if !value("id").is_empty() { (hidden(&name(place, "id"), value("id"))) }
            (choice(&kind, "What", &kinds(), is))
            (to.value(value("identifier")).draw(problems))
            @if place > 0 || at.is_some() { p.hint { "Empty: nobody." } }
            @for said in problems.beside(&name(place, "config")) { p.wrong { (said) } }
            details.behind open[more] {
                summary { "For webhooks and Telegram" }
                div.form {
                    (Field::text(&token, "Token of the Telegram bot").value(value("token")).optional().draw(problems))
                    (choice(&method, "Method of the webhook", &METHODS, value("method")))
                    (Field::text(&headers, "Headers of the webhook").hint("A line each: name: value").value(value("headers")).optional().lines(2, problems))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_stay_and_empty_rows_are_left_out() {
        let all = json!([
            { "id": "1", "type": "webhook", "identifier": "https://example.com/", "config": { "method": "PUT", "headers": { "x-a": "1: 2" } } },
            { "id": "2", "type": "telegram", "identifier": "7", "config": { "token": "t" } },
        ]);
        let mut fields = Vec::new();
        form(&all, &mut fields);
        let sent = FormData::from(fields.clone());
        let mut issues = Vec::new();
        assert_eq!(json!(body(&sent, &mut issues)), all);
        fields.retain(|(name, _)| name != "destinations.0.identifier");
        let sent = FormData::from(fields);
        assert_eq!(json!(body(&sent, &mut issues)), json!([all[1]]));
        let drawn = draw(&sent, &Problems::NONE).into_string();
        assert!(
            drawn.contains("name=\"destinations.0.identifier\" type=\"text\" value=\"7\""),
            "{drawn}"
        );
        assert!(issues.is_empty());
    }
}
