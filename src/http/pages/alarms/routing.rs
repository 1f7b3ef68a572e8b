//! Routing of a destination in the form of an alert: severities, quiet hours, rate limit, fallback.

use serde_json::{Value, json};

use super::fields::SEVERITIES;
use crate::{
    fault::Issue,
    http::pages::{form::text, prelude::*},
    pages::part::{Field, checkboxes, more},
};

const DAYS: [(&str, &str); 7] = [
    ("monday", "Monday"),
    ("tuesday", "Tuesday"),
    ("wednesday", "Wednesday"),
    ("thursday", "Thursday"),
    ("friday", "Friday"),
    ("saturday", "Saturday"),
    ("sunday", "Sunday"),
];

const QUIET_HOURS: [&str; 3] = ["quietHours.from", "quietHours.to", "quietHours.timezone"];
const RATE_LIMIT: [&str; 2] = ["rateLimit.messages", "rateLimit.minutes"];

fn name(at: usize, field: &str) -> String {
    format!("destinations.{at}.{field}")
}

/// The fields of the row `at` for a destination.
pub(super) fn fill(at: usize, to: &Value) -> Vec<(String, String)> {
    let (hours, limit) = (&to["quietHours"], &to["rateLimit"]);
    let mut fields: Vec<_> = [
        ("quietHours.from", &hours["from"]),
        ("quietHours.to", &hours["to"]),
        ("quietHours.timezone", &hours["timezone"]),
        ("rateLimit.messages", &limit["messages"]),
        ("rateLimit.minutes", &limit["minutes"]),
        ("fallback", &to["fallback"]),
    ]
    .map(|(field, value)| (name(at, field), text(value)))
    .into();
    for (field, all) in [
        ("severities", &to["severities"]),
        ("quietHours.days", &hours["days"]),
    ] {
        let all = all.as_array().into_iter().flatten();
        fields.extend(all.map(|one| (name(at, field), text(one))));
    }
    fields
}

/// Adds the settings of the row `at` to its destination; `place` counts the filled ones of `rows`. What is there already is
/// told what it has no more.
pub(super) fn read(
    one: &mut Value,
    (place, at): (usize, usize),
    rows: &[usize],
    (sent, issues): (&FormData, &mut Vec<Issue>),
) {
    let some = |field: &str| sent.some(&name(at, field));
    let is_there = some("id").is_some();
    let all = |field: &str| sent.all(&name(at, field)).collect::<Vec<_>>();
    let mut set = |field: &str, value: Option<Value>| match value {
        Some(value) => one[field] = value,
        None if is_there => one[field] = Value::Null,
        None => {}
    };
    let severities = all("severities");
    let is_said = is_there || !severities.is_empty();
    set("severities", is_said.then(|| json!(severities)));
    let has_hours = QUIET_HOURS[..2].iter().any(|field| some(field).is_some());
    let hours = has_hours.then(|| {
        let [from, to, zone] = QUIET_HOURS.map(some);
        let mut hours = json!({ "from": from.unwrap_or_default(), "to": to.unwrap_or_default() });
        if let Some(zone) = zone {
            hours["timezone"] = json!(zone);
        }
        let days = all("quietHours.days");
        if !days.is_empty() {
            hours["days"] = json!(days);
        }
        hours
    });
    set("quietHours", hours);
    let has_limit = RATE_LIMIT.iter().any(|field| some(field).is_some());
    let limit = has_limit.then(|| {
        let [messages, minutes] = RATE_LIMIT.map(|field| {
            let number = some(field).and_then(|text| text.parse::<u32>().ok());
            if number.is_none() {
                let field = name(place, field);
                issues.push(Issue::new("invalid_type", field, "must be a number"));
            }
            number
        });
        json!({ "messages": messages.unwrap_or(1), "minutes": minutes.unwrap_or(1) })
    });
    set("rateLimit", limit);
    let fallback = some("fallback").map(|chosen| json!(place_of(chosen, rows)));
    set("fallback", fallback);
}

/// A row that was chosen by its number, from 1, by its place among the filled ones; an id is itself.
fn place_of(chosen: &str, rows: &[usize]) -> String {
    let row = chosen
        .parse::<usize>()
        .ok()
        .and_then(|row| row.checked_sub(1));
    let place = row.and_then(|row| rows.iter().position(|at| *at == row));
    place.map_or_else(|| chosen.to_owned(), |place| (place + 1).to_string())
}

/// The settings of a row. `rows` are the filled ones, behind which there is an empty one.
pub(super) fn draw(
    (place, at): (usize, Option<usize>),
    rows: &[usize],
    sent: &FormData,
    problems: &Problems,
) -> Markup {
    let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
    let all = |field: &str| {
        let all = at.map(|at| sent.all(&name(at, field)).collect::<Vec<_>>());
        all.unwrap_or_default()
    };
    let fallback = place_of(value("fallback"), rows);
    let others = others(place, rows, sent);
    let others: Vec<(&str, &str)> = others
        .iter()
        .map(|(id, label)| (id.as_str(), label.as_str()))
        .collect();
    let [from, to, zone] = QUIET_HOURS.map(|field| name(place, field));
    let [messages, minutes] = RATE_LIMIT.map(|field| name(place, field));
    let fallback_name = name(place, "fallback");
    let line = |name, label, field: &str| Field::text(name, label).quiet().value(value(field));
    let is_wrong = ["severities", "quietHours", "rateLimit", "fallback"]
        .iter()
        .any(|field| problems.is_wrong(&name(place, field)));
    let is_set = !all("severities").is_empty()
        || !fallback.is_empty()
        || QUIET_HOURS
            .iter()
            .chain(&RATE_LIMIT)
            .any(|field| !value(field).is_empty());
    let inside = html! {
        (checkboxes(&name(place, "severities"), "Severities", "Leave empty for all.", SEVERITIES[1..].iter().copied(), &all("severities"), problems))
        (line(&from, "Quiet hours from", "quietHours.from").hint("Messages wait until the end, unless the alert is critical. Example: 22:00").draw(problems))
        (line(&to, "Quiet hours until", "quietHours.to").hint("Example: 07:00").draw(problems))
        (line(&zone, "Time zone", "quietHours.timezone").hint("Example: Europe/Berlin. Default: UTC.").draw(problems))
        (checkboxes(&name(place, "quietHours.days"), "Quiet days", "The days on which quiet hours begin. Leave empty for all.", DAYS, &all("quietHours.days"), problems))
        (line(&messages, "Rate limit (messages)", "rateLimit.messages").kind("number").hint("1 to 1,000. A summary follows for what is above.").draw(problems))
        (line(&minutes, "Rate limit (minutes)", "rateLimit.minutes").kind("number").hint("1 to 1,440.").draw(problems))
        (Field::text(&fallback_name, "Fallback").quiet().value(&fallback).hint("Gets what can't be delivered here, and nothing else.").select(&others, problems))
    };
    more("Routing", is_wrong || is_set, &inside)
}

/// What can be the fallback of a row: ids or places of the others, and their labels.
fn others(place: usize, rows: &[usize], sent: &FormData) -> Vec<(String, String)> {
    let mut others = vec![(String::new(), "None".to_owned())];
    for other in (0..=rows.len()).filter(|other| *other != place) {
        let id = rows.get(other).and_then(|at| sent.some(&name(*at, "id")));
        let id = id.map_or_else(|| (other + 1).to_string(), str::to_owned);
        others.push((id, format!("Notification channel {}", other + 1)));
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_row(at: usize, rows: &[usize], sent: &FormData) -> (Value, Vec<Issue>) {
        let (mut one, mut issues) = (json!({}), Vec::new());
        read(&mut one, (0, at), rows, (sent, &mut issues));
        (one, issues)
    }

    #[test]
    fn an_unchanged_row_keeps_its_settings() {
        let to = json!({
            "severities": ["critical", "info"],
            "quietHours": { "from": "22:00", "to": "07:00", "timezone": "Europe/Berlin", "days": ["friday"] },
            "rateLimit": { "messages": 5, "minutes": 60 }, "fallback": "id-of-another",
        });
        let sent = FormData::from(fill(3, &to));
        assert_eq!(read_row(3, &[3], &sent), (to, Vec::new()));
        let drawn = draw((0, Some(3)), &[3], &sent, &Problems::NONE).into_string();
        assert!(
            drawn.starts_with("<details class=\"behind\" open"),
            "{drawn}"
        );
        assert!(drawn.contains("value=\"critical\" checked"), "{drawn}");
        assert!(
            drawn.contains("name=\"destinations.0.quietHours.from\""),
            "{drawn}"
        );
    }

    #[test]
    fn an_empty_row_says_nothing_and_one_that_is_there_removes_its_settings() {
        assert_eq!(
            read_row(0, &[0], &FormData::default()),
            (json!({}), Vec::new())
        );
        let sent = FormData::default().and("destinations.0.id", "1");
        let none =
            json!({ "severities": [], "quietHours": null, "rateLimit": null, "fallback": null });
        assert_eq!(read_row(0, &[0], &sent), (none, Vec::new()));
    }

    #[test]
    fn a_fallback_that_was_chosen_by_its_row_is_found_when_another_row_is_empty() {
        let sent = FormData::default().and("destinations.0.fallback", "3");
        assert_eq!(read_row(0, &[0, 2], &sent).0, json!({ "fallback": "2" }));
        let limit = FormData::default().and("destinations.0.rateLimit.messages", "many");
        let (_, issues) = read_row(0, &[0], &limit);
        let fields: Vec<&str> = issues.iter().map(|issue| issue.field.as_str()).collect();
        let expected = RATE_LIMIT.map(|field| name(0, field));
        assert_eq!(fields, expected);
    }
}
