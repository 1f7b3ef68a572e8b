//! Answers come out: what can be asked over HTTP, and how.

mod budget;
mod compile;
mod dates;
mod every_type;
mod injection;
mod memory;
mod paging;
mod places;
mod shapes;
mod sources;
mod targets;

use chrono::DateTime;
use serde_json::{Value, json};

/// Unix milliseconds of an RFC 3339 time.
fn ms(time: &str) -> i64 {
    DateTime::parse_from_rfc3339(time)
        .unwrap()
        .timestamp_millis()
}

/// A page view by a new visitor; `id` tells views apart.
fn view(id: impl std::fmt::Display, time: i64, path: &str) -> Value {
    json!({
        "eventId": format!("view-{id}"), "name": "screen_view", "anonymousId": format!("anon-{id}"),
        "sessionId": format!("session-{id}"), "timestamp": time, "path": format!("https://localhost{path}"),
    })
}

/// One column of rows as text.
fn column(rows: &[Value], name: &str) -> Vec<String> {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    rows.iter().map(|row| text(&row[name])).collect()
}
