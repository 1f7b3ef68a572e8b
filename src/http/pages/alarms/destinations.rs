//! The destinations of an alert, as rows of its form. Empty rows are left out.

use serde_json::{Value, json};

use super::routing;
use crate::{
    actors::delivery::{ChannelKind, Channels, Definition},
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

/// Settings that webhooks alone have.
const WEBHOOKS: [&str; 3] = ["headers", "method", "secret"];

/// Where a form gets its channels from.
pub(super) const CHANNELS: &str = "destinations.type";

/// The channels, those that work first.
pub(super) fn channels(channels: &Channels, sends_mail: bool) -> Vec<Choice> {
    let mut all = channels.all();
    let is_missing = |name: &str| name == ChannelKind::EMAIL && !sends_mail;
    all.sort_by_key(|(name, _)| {
        (
            is_missing(name),
            *name != ChannelKind::EMAIL,
            *name != ChannelKind::WEBHOOK,
        )
    });
    let choice = |(name, channel): (&str, &Definition)| {
        let (title, label) = (&channel.title, uncapitalized(&channel.recipient.label));
        let missing = if is_missing(name) {
            " – not configured"
        } else {
            ""
        };
        Choice {
            id: name.to_owned(),
            name: format!("{title} ({label}){missing}"),
        }
    };
    all.into_iter().map(choice).collect()
}

/// A label inside of a sentence. Abbreviations keep their letters.
fn uncapitalized(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first
            .to_lowercase()
            .chain([second])
            .chain(letters)
            .collect(),
        _ => label.to_owned(),
    }
}

fn name(at: usize, field: &str) -> String {
    format!("destinations.{at}.{field}")
}

/// What the names of a channel's own fields begin with.
fn own(at: usize, kind: &str) -> String {
    name(at, &format!("own.{kind}."))
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
                ("method", text(&to["config"]["method"])),
                ("headers", headers),
            ];
            fields.extend(row.map(|(field, value)| (name(at, field), value)));
            fields.extend(routing::fill(at, to));
            let (own, config) = (own(at, &text(&to["type"])), to["config"].as_object());
            let config = config.into_iter().flatten();
            let config = config.filter(|(field, _)| !WEBHOOKS.contains(&field.as_str()));
            fields.extend(config.map(|(field, value)| (format!("{own}{field}"), text(value))));
        }
        fields
    }

    fn read(&self, sent: &FormData, issues: &mut Vec<Issue>) -> Option<Value> {
        let rows = filled(sent);
        let all = rows.iter().copied().enumerate();
        Some(all.map(|row| read_row(row, &rows, sent, issues)).collect())
    }

    /// Filled rows first, which is how issues count them, and an empty one.
    fn draw(&self, sent: &FormData, choices: &Choices, problems: &Problems) -> Markup {
        let rows = filled(sent);
        let draw = |place, at| draw_row((place, at), &rows, sent, (choices, problems));
        html! {
            @for (place, at) in rows.iter().enumerate() { (draw(place, Some(*at))) }
            @if rows.len() < MAX { (draw(rows.len(), None)) }
            @for message in problems.exactly("destinations") { p.wrong { (message) } }
        }
    }
}

/// Reads a row; `place` counts the filled ones.
fn read_row(
    (place, at): (usize, usize),
    rows: &[usize],
    sent: &FormData,
    issues: &mut Vec<Issue>,
) -> Value {
    let some = |field: &str| sent.some(&name(at, field));
    let kind = some("type").unwrap_or("webhook");
    let mut one = json!({ "type": kind, "identifier": some("identifier"), "config": {} });
    for (field, value) in sent
        .below(&own(at, kind))
        .filter(|(_, value)| !value.is_empty())
    {
        one["config"][field] = json!(value);
    }
    if kind == ChannelKind::WEBHOOK {
        if let Some(method) = some("method") {
            one["config"]["method"] = json!(method);
        }
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
    routing::read(&mut one, (place, at), rows, (sent, issues));
    one
}

fn draw_row(
    (place, at): (usize, Option<usize>),
    rows: &[usize],
    sent: &FormData,
    (choices, problems): (&Choices, &Problems),
) -> Markup {
    let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
    let [kind, identifier] = ["type", "identifier"].map(|field| name(place, field));
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
    // An existing channel keeps its type.
    let is_there = !value("id").is_empty();
    let all = choices.channels().all().into_iter();
    let own = all.filter(|(name, channel)| {
        let has_settings = !channel.fields.is_empty() || channel.is_webhook();
        has_settings && (!is_there || *name == value("type"))
    });
    let own: Vec<_> = own.collect();
    let is_open = problems.is_wrong(&name(place, "config")) || is_there;
    let usual = if at.is_some() {
        ""
    } else {
        ChannelKind::WEBHOOK
    };
    let chosen = Some(value("type"))
        .filter(|kind| !kind.is_empty())
        .unwrap_or(usual);
    let channels = choices.among(CHANNELS, &[]);
    let channels = channels
        .into_iter()
        .filter(|(name, _)| !is_there || *name == chosen);
    html! {
        fieldset.field data-channels {
            legend { @if is_optional && at.is_none() { "Another notification channel" } @else { "Notification channel " (place + 1) } }
            @if is_there { (hidden(&name(place, "id"), value("id"))) }
            (Field::text(&kind, "Channel").value(chosen).select(&channels.collect::<Vec<_>>(), problems))
            (to.value(value("identifier")).draw(problems))
            @if !own.is_empty() {
                details.behind data-settings open[is_open] {
                    summary { "Channel settings" }
                    @for message in problems.beside(&name(place, "config")) { p.wrong { (message) } }
                    @for (kind, channel) in own { (draw_own((place, at), (kind, channel), sent, problems)) }
                }
            }
            (routing::draw((place, at), rows, sent, problems))
        }
    }
}

/// The fields that one channel has beside its recipient.
fn draw_own(
    (place, at): (usize, Option<usize>),
    (kind, channel): (&str, &Definition),
    sent: &FormData,
    problems: &Problems,
) -> Markup {
    let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
    let (method, headers) = (name(place, "method"), name(place, "headers"));
    html! {
        div.form data-channel=(kind) {
            p.title { (channel.title) }
            @for field in &channel.fields {
                @let from = at.map(|at| format!("{}{}", own(at, kind), field.name));
                @let value = from.as_deref().map_or("", |from| sent.raw(from));
                @let input = format!("{}{}", own(place, kind), field.name);
                @let drawn = Field { optional: true, quiet: !field.optional, hint: &field.hint, ..Field::text(&input, &field.label) }.value(value);
                @if field.choices.is_empty() { (drawn.draw(problems)) }
                @else {
                    @let among: Vec<(&str, &str)> = field.choices.iter().map(|one| (one.as_str(), one.as_str())).collect();
                    (drawn.select(&among, problems))
                }
            }
            @if channel.is_webhook() {
                (choice(&method, "Method", &METHODS, value("method")))
                (Field::text(&headers, "Headers").hint("One per line. Example: X-Team: shop").value(value("headers")).optional().lines(2, problems))
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
            { "id": "1", "type": "webhook", "identifier": "https://example.com/", "config": { "method": "PUT", "headers": { "x-a": "1: 2" } },
              "severities": ["critical"], "quietHours": null, "rateLimit": { "messages": 5, "minutes": 60 }, "fallback": "2" },
            { "id": "2", "type": "telegram", "identifier": "7", "config": { "token": "t" },
              "severities": [], "quietHours": { "from": "22:00", "to": "07:00" }, "rateLimit": null, "fallback": null },
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
