//! The destinations of an alarm, as rows of its form. Empty rows are left out.

use serde_json::{Value, json};

use crate::{
    actors::delivery::ChannelKind,
    fault::Issue,
    http::pages::{
        form::{Rows, text},
        prelude::*,
    },
    pages::part::{Field, choice, hidden},
};

/// Destinations of an alarm.
const MAX: usize = 10;

/// Methods of webhooks.
const METHODS: [(&str, &str); 4] = [
    ("POST", "POST"),
    ("GET", "GET"),
    ("PUT", "PUT"),
    ("PATCH", "PATCH"),
];

/// Kinds with their titles; email first.
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

/// Rows with a recipient, by their numbers.
fn filled(sent: &FormData) -> Vec<usize> {
    let is_filled = |at: &usize| sent.some(&name(*at, "identifier")).is_some();
    (0..MAX).filter(is_filled).collect()
}

/// The destinations of an alarm, as rows of its form.
#[derive(Debug)]
pub(super) struct Destinations;

impl Rows for Destinations {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        for (at, to) in value.as_array().into_iter().flatten().enumerate() {
            let headers = to["config"]["headers"].as_object().into_iter().flatten();
            let headers = headers.map(|(name, value)| format!("{name}: {}", text(value)));
            let headers = headers.collect::<Vec<_>>().join("\n");
            let row = [
                ("id", text(&to["id"])),
                ("type", text(&to["type"])),
                ("identifier", text(&to["identifier"])),
                ("token", text(&to["config"]["token"])),
                ("method", text(&to["config"]["method"])),
                ("headers", headers),
            ];
            fields.extend(row.map(|(field, value)| (name(at, field), value)));
        }
        fields
    }

    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let rows = filled(sent).into_iter().enumerate();
        Some(rows.map(|row| read_row(row, sent, issues)).collect())
    }

    /// Filled rows first, which is how issues count them, and an empty one.
    fn draw(&self, sent: &FormData, problems: &Problems) -> Markup {
        let rows = filled(sent);
        html! {
            @for (place, at) in rows.iter().enumerate() { (draw_row(place, Some(*at), sent, problems)) }
            @if rows.len() < MAX { (draw_row(rows.len(), None, sent, problems)) }
            @if rows.is_empty() { @for message in problems.beside("destinations") { p.wrong { (message) } } }
        }
    }
}

/// Reads a row; `place` counts the filled ones.
fn read_row((place, at): (usize, usize), sent: &FormData, issues: &mut Vec<Issue>) -> Value {
    let some = |field: &str| sent.some(&name(at, field));
    let kind = some("type").unwrap_or("webhook");
    let mut one = json!({ "type": kind, "identifier": some("identifier"), "config": {} });
    let mut set = |field: &str| {
        if let Some(text) = some(field) {
            one["config"][field] = json!(text);
        }
    };
    match kind {
        "telegram" => set("token"),
        "webhook" => set("method"),
        _ => {}
    }
    if kind == "webhook" {
        for line in sent.lines(&name(at, "headers")) {
            match line.split_once(':') {
                Some((own, value)) => one["config"]["headers"][own.trim()] = json!(value.trim()),
                None => issues.push(Issue::new(
                    "invalid",
                    name(place, "headers"),
                    format!("“{line}” has no colon"),
                )),
            }
        }
    }
    if let Some(id) = some("id") {
        one["id"] = json!(id);
    }
    one
}

fn draw_row(place: usize, at: Option<usize>, sent: &FormData, problems: &Problems) -> Markup {
    let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
    let [kind, identifier, token, method, headers] =
        ["type", "identifier", "token", "method", "headers"].map(|field| name(place, field));
    let is = value("type");
    let to = Field {
        optional: place > 0 || at.is_some(),
        ..Field::text(&identifier, "Where")
    };
    let is_wrong = |name: &str| !problems.beside(name).is_empty();
    let more = !value("token").is_empty()
        || !value("headers").is_empty()
        || is_wrong(&headers)
        || is_wrong(&name(place, "config"));
    html! {
        fieldset.field {
            legend { @if at.is_some() { "Tells" } @else if place == 0 { "Whom it tells" } @else { "And" } }
            @if !value("id").is_empty() { (hidden(&name(place, "id"), value("id"))) }
            (choice(&kind, "What", &kinds(), is))
            (to.value(value("identifier")).draw(problems))
            @if place > 0 || at.is_some() { p.hint { "Empty: nobody." } }
            @for message in problems.beside(&name(place, "config")) { p.wrong { (message) } }
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
        let mut fields = Destinations.fill(&all);
        let sent = FormData::from(fields.clone());
        let mut issues = Vec::new();
        assert_eq!(Destinations.read(&sent, &mut issues), Some(all.clone()));
        fields.retain(|(name, _)| name != "destinations.0.identifier");
        let sent = FormData::from(fields);
        assert_eq!(Destinations.read(&sent, &mut issues), Some(json!([all[1]])));
        let drawn = Destinations.draw(&sent, &Problems::NONE).into_string();
        assert!(
            drawn.contains("name=\"destinations.0.identifier\" type=\"text\" value=\"7\""),
            "{drawn}"
        );
        assert!(issues.is_empty());
    }
}
