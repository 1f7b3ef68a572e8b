//! When an alarm goes off: the fields of each kind as people type them, and as `triggerConditions` takes them.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::condition_inputs::{Holds, inputs};
use crate::{
    fault::Issue,
    http::pages::form::FormData,
    pages::{
        frame::Choice,
        part::{Field, choice, tick, ticks},
        problem::Problems,
    },
};

fn name(field: &str) -> String {
    format!("triggerConditions.{field}")
}

/// Conditions as the form shows them.
pub(super) fn form(kind: &str, said: &Value, fields: &mut Vec<(String, String)>) {
    for &(field, .., holds) in inputs(kind) {
        let value = &said[field];
        let name = name(field);
        let mut push = |text: String| fields.push((name.clone(), text));
        match (holds, value) {
            (Holds::Json, Value::Array(_)) => push(value.to_string()),
            (Holds::Words, Value::Array(words)) => {
                let words = words.iter().filter_map(Value::as_str);
                push(words.collect::<Vec<_>>().join(", "));
            }
            (_, Value::Array(ids)) => ids
                .iter()
                .filter_map(Value::as_str)
                .for_each(|id| push(id.to_owned())),
            (Holds::Tick, Value::Bool(true)) => push("on".to_owned()),
            // Being down sets it off unless something else is named.
            (Holds::Tick, Value::Null) if field == "down" && sets_off(said) => {
                push("on".to_owned());
            }
            (_, Value::Number(number)) => push(number.to_string()),
            (_, Value::String(text)) => push(text.clone()),
            _ => {}
        }
    }
}

fn sets_off(said: &Value) -> bool {
    let others = ["consecutiveFailures", "certificateDays"];
    said["degraded"] != true && others.iter().all(|other| said[other].is_null())
}

/// What a form says of them; an empty field is not said.
pub(super) fn body(kind: &str, sent: &FormData, issues: &mut Vec<Issue>) -> Map<String, Value> {
    let mut said = Map::new();
    for &(field, .., holds) in inputs(kind) {
        let name = name(field);
        let some = sent.some(&name);
        let value = match holds {
            Holds::Tick => Some(json!(sent.is_on(&name))),
            Holds::Number => number(sent, &name, issues),
            Holds::Text | Holds::Among(_) => some.map(|text| json!(text)),
            Holds::Words => some.map(|_| json!(sent.words(&name))),
            Holds::Monitors => {
                let ids: Vec<&str> = sent.all(&name).collect();
                (!ids.is_empty()).then(|| json!(ids))
            }
            Holds::Json => some.and_then(|text| {
                let read = serde_json::from_str(text);
                if read.is_err() {
                    issues.push(Issue::new("invalid_type", name.as_str(), "must be JSON"));
                }
                read.ok()
            }),
        };
        said.extend(value.map(|value| (field.to_owned(), value)));
    }
    said
}

/// A number, a whole one where it is one.
fn number(sent: &FormData, name: &str, issues: &mut Vec<Issue>) -> Option<Value> {
    let text = sent.some(name)?;
    let whole = text.parse::<u32>().map(|whole| json!(whole));
    whole
        .ok()
        .or_else(|| Some(json!(sent.number::<f64>(name, issues)?)))
}

/// The names of the fields, as forms have them.
pub(super) fn names(kind: &str) -> Vec<String> {
    inputs(kind).iter().map(|(field, ..)| name(field)).collect()
}

/// The fields, with what is in them and what is wrong with them.
pub(super) fn draw(
    kind: &str,
    sent: &FormData,
    monitors: &[Choice],
    problems: &Problems,
) -> Markup {
    html! {
        @for &(field, label, hint, holds) in inputs(kind) {
            @let name = name(field);
            @let text = Field::text(&name, label).hint(hint).value(sent.raw(&name)).optional();
            @match holds {
                Holds::Tick => (tick(&name, label, sent.is_on(&name))),
                Holds::Among(among) => (choice(&name, label, among, sent.raw(&name))),
                Holds::Json => (text.lines(2, problems)),
                Holds::Monitors => @if !monitors.is_empty() {
                    (ticks(&name, label, hint, monitors.iter().map(|one| (one.id.as_str(), one.name.as_str())), &sent.all(&name).collect::<Vec<_>>(), problems))
                },
                _ => (text.draw(problems)),
            }
        }
        // A box has no place of its own for what is wrong with it.
        @for said in problems.beside("triggerConditions.down") { p.wrong { (said) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(kind: &str, said: &Value) -> Value {
        let mut fields = Vec::new();
        form(kind, said, &mut fields);
        let sent = FormData::from(fields);
        let mut issues = Vec::new();
        let body = body(kind, &sent, &mut issues);
        assert!(issues.is_empty(), "{issues:?}");
        Value::Object(body)
    }

    #[test]
    fn conditions_that_are_sent_as_they_were_shown_stay() {
        let all = [
            (
                "uptime",
                json!({ "down": false, "degraded": true, "certificateDays": 14, "tags": ["a", "b"], "monitorIds": ["m"] }),
            ),
            ("heartbeat", json!({ "monitorIds": ["m", "n"] })),
            (
                "traffic_drop",
                json!({ "factor": 0.25, "minimum": 10, "days": 14 }),
            ),
            ("error_rate", json!({ "threshold": 2.5, "recoverAt": 1 })),
            ("web_vital", json!({ "metric": "CLS", "threshold": 0.2 })),
            (
                "custom",
                json!({ "query": "events_by_date", "field": "pageviews", "granularity": "daily", "operator": "below", "threshold": 3,
                "filters": [{ "field": "path", "op": "eq", "value": "/" }] }),
            ),
        ];
        for (kind, said) in all {
            assert_eq!(again(kind, &said), said, "{kind}");
        }
        assert_eq!(again("uptime", &json!({}))["down"], true, "as usual");
    }

    #[test]
    fn what_cannot_be_read_is_said_of_its_field() {
        let sent = FormData::with([
            ("triggerConditions.threshold", "much".to_owned()),
            ("triggerConditions.filters", "path=/".to_owned()),
        ]);
        let mut issues = Vec::new();
        body("custom", &sent, &mut issues);
        let wrong: Vec<&str> = issues.iter().map(|issue| issue.field.as_str()).collect();
        assert_eq!(
            wrong,
            ["triggerConditions.threshold", "triggerConditions.filters"]
        );
    }
}
