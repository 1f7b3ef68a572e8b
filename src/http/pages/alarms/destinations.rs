//! The destinations of an alert, as rows of its form. Empty rows are left out.

use serde_json::{Value, json};

use crate::{
    actors::delivery::ChannelKind,
    fault::Issue,
    http::pages::{
        form::{Rows, text},
        prelude::*,
    },
    pages::{
        frame::Choice,
        part::{Field, choice, hidden},
    },
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

/// Where a form gets its channels from.
pub(super) const CHANNELS: &str = "destinations.type";

/// The channels, those that work first.
pub(super) fn channels(sends_mail: bool) -> Vec<Choice> {
    let (email, mut rest): (Vec<ChannelKind>, Vec<ChannelKind>) = ChannelKind::ALL
        .iter()
        .partition(|kind| **kind == ChannelKind::Email);
    rest.splice(
        if sends_mail {
            0..0
        } else {
            rest.len()..rest.len()
        },
        email,
    );
    let choice = |kind: ChannelKind| {
        let title = kind.service().title;
        let is_missing = kind == ChannelKind::Email && !sends_mail;
        Choice {
            id: kind.as_str().to_owned(),
            name: if is_missing {
                format!("{title} – not configured")
            } else {
                title.to_owned()
            },
        }
    };
    rest.into_iter().map(choice).collect()
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
    fn draw(&self, sent: &FormData, choices: &Choices, problems: &Problems) -> Markup {
        let rows = filled(sent);
        let channels = choices.among(CHANNELS, &[]);
        let draw = |place, at| draw_row((place, at), sent, &channels, problems);
        html! {
            @for (place, at) in rows.iter().enumerate() { (draw(place, Some(*at))) }
            @if rows.len() < MAX { (draw(rows.len(), None)) }
            @for message in problems.exactly("destinations") { p.wrong { (message) } }
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
                    format!("“{line}” must have a colon"),
                )),
            }
        }
    }
    if let Some(id) = some("id") {
        one["id"] = json!(id);
    }
    one
}

fn draw_row(
    (place, at): (usize, Option<usize>),
    sent: &FormData,
    channels: &[(&str, &str)],
    problems: &Problems,
) -> Markup {
    let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
    let [kind, identifier, token, method, headers] =
        ["type", "identifier", "token", "method", "headers"].map(|field| name(place, field));
    let is_optional = place > 0 || at.is_some();
    let to = Field {
        optional: is_optional,
        quiet: true,
        hint: match (at, place) {
            (Some(_), _) => "Leave empty to remove this channel.",
            (None, 0) => "",
            (None, _) => "Leave empty if you need no other channel.",
        },
        ..Field::text(&identifier, "Recipient")
    };
    let more = !value("token").is_empty()
        || !value("headers").is_empty()
        || problems.is_wrong(&headers)
        || problems.is_wrong(&name(place, "config"));
    html! {
        fieldset.field {
            legend { @if is_optional && at.is_none() { "Another notification channel" } @else { "Notification channel " (place + 1) } }
            @if !value("id").is_empty() { (hidden(&name(place, "id"), value("id"))) }
            (Field::text(&kind, "Channel").value(value("type")).select(channels, problems))
            (to.value(value("identifier")).draw(problems))
            details.behind open[more] {
                summary { "Webhook and Telegram options" }
                div.form {
                    (Field::text(&token, "Telegram bot token").value(value("token")).optional().draw(problems))
                    (choice(&method, "Webhook method", &METHODS, value("method")))
                    @for message in problems.beside(&name(place, "config")) { p.wrong { (message) } }
                    (Field::text(&headers, "Webhook headers").hint("One per line. Example: X-Team: shop").value(value("headers")).optional().lines(2, problems))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_form_keeps_its_destinations_and_skips_empty_rows() {
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
        let drawn = Destinations
            .draw(&sent, &Choices::default(), &Problems::NONE)
            .into_string();
        assert!(
            drawn.contains("name=\"destinations.0.identifier\" type=\"text\" value=\"7\""),
            "{drawn}"
        );
        assert!(issues.is_empty());
    }
}
