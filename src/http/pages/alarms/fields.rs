//! The form of an alarm: its fields as people type them, and as `alarms.create`, `alarms.update` and `alarms.backtest` take them.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{conditions, destinations};
use crate::{
    fault::Fault,
    http::pages::{
        form::{Sent, sound},
        windows::Windows,
    },
    pages::{
        frame::Choice,
        part::{Field, choice, hidden, more, tick},
        problem::Problems,
    },
};

/// Fields that are numbers: name, label, what it is for.
const NUMBERS: [(&str, &str, &str); 4] = [
    (
        "for",
        "It has to hold for (s)",
        "0 to 86,400; 0 by default.",
    ),
    (
        "recoverFor",
        "It has to be over for (s)",
        "0 to 86,400; 0 by default.",
    ),
    (
        "repeatAfter",
        "Told again after (min)",
        "Until somebody takes care of it; 0 = never, 240 by default.",
    ),
    (
        "groupWait",
        "The first message waits for others for (s)",
        "0 to 600; 0 by default.",
    ),
];

/// Fields of every kind that say beside themselves what is wrong with them.
const NAMES: [&str; 8] = [
    "name",
    "description",
    "for",
    "recoverFor",
    "repeatAfter",
    "groupWait",
    "destinations",
    "mute",
];

const MUTE: Windows = Windows {
    name: "mute",
    legend: "When nobody is told",
    hint: "What goes on beyond a window is told at its end.",
};

/// The same with those of a kind.
pub(super) fn names(kind: &str) -> Vec<String> {
    let own = NAMES.iter().map(|name| (*name).to_owned());
    own.chain(conditions::names(kind)).collect()
}

/// An alarm as its form shows it.
pub(super) fn form(alarm: &Value) -> Sent {
    let text = |name: &str| match &alarm[name] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    let plain = ["name", "description", "websiteId", "triggerType"];
    let numbers = NUMBERS.iter().map(|(name, ..)| *name);
    let mut fields: Vec<(String, String)> = plain
        .into_iter()
        .chain(numbers)
        .map(|name| (name.to_owned(), text(name)))
        .collect();
    if alarm["enabled"] == true {
        fields.push(("enabled".to_owned(), "on".to_owned()));
    }
    let kind = text("triggerType");
    conditions::form(&kind, &alarm["triggerConditions"], &mut fields);
    destinations::form(&alarm["destinations"], &mut fields);
    fields.extend(MUTE.form(&alarm["mute"]));
    Sent::from(fields)
}

/// An empty form of a kind.
pub(super) fn fresh(kind: &str) -> Sent {
    form(&json!({ "triggerType": kind, "enabled": true, "triggerConditions": {} }))
}

/// What a form says of an alarm but for whom it tells; what is empty is as usual.
pub(super) fn body(sent: &Sent) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let kind = sent.some("triggerType").unwrap_or("uptime");
    let conditions = conditions::body(kind, sent, &mut issues);
    let mut body = Map::new();
    for (name, ..) in NUMBERS {
        let usual = if name == "repeatAfter" { 240 } else { 0 };
        let said: Option<u32> = sent.number(name, &mut issues);
        body.insert(name.to_owned(), json!(said.unwrap_or(usual)));
    }
    let said = [
        ("name", json!(sent.text("name"))),
        ("description", json!(sent.some("description"))),
        ("websiteId", json!(sent.some("websiteId"))),
        ("enabled", json!(sent.is_on("enabled"))),
        ("triggerType", json!(kind)),
        ("triggerConditions", Value::Object(conditions)),
    ];
    body.extend(said.map(|(name, value)| (name.to_owned(), value)));
    sound(body, issues, "Invalid alarm")
}

/// The same with whom it tells.
pub(super) fn whole(sent: &Sent) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let all = destinations::body(sent, &mut issues);
    let mute = MUTE.body(sent, &mut issues);
    let mut body = body(sent)?;
    body.insert("mute".to_owned(), json!(mute));
    body.insert("destinations".to_owned(), json!(all));
    sound(body, issues, "Invalid alarm")
}

/// The fields, with what is in them and what is wrong with them.
pub(super) fn draw(
    sent: &Sent,
    websites: &[Choice],
    monitors: &[Choice],
    problems: &Problems,
) -> Markup {
    let kind = sent.some("triggerType").unwrap_or("uptime");
    let mut among = vec![("", "Everything of the organization")];
    among.extend(
        websites
            .iter()
            .map(|one| (one.id.as_str(), one.name.as_str())),
    );
    let unusual = NUMBERS
        .iter()
        .any(|(name, ..)| !problems.beside(name).is_empty())
        || MUTE.is_used(sent, problems);
    html! {
        (hidden("triggerType", kind))
        (Field::text("name", "Name").value(sent.raw("name")).draw(problems))
        (choice("websiteId", "About", &among, sent.raw("websiteId")))
        fieldset.field { legend { "When it goes off" } (conditions::draw(kind, sent, monitors, problems)) }
        (destinations::draw(sent, problems))
        (more("Patience, repetition, windows and description", unusual, &html! {
            @for (name, label, hint) in NUMBERS {
                (Field::text(name, label).kind("number").hint(hint).value(sent.raw(name)).optional().draw(problems))
            }
            (Field::text("description", "Description").value(sent.raw("description")).optional().lines(2, problems))
            (MUTE.draw(sent, problems))
        }))
        (tick("enabled", "Switched on", sent.is_on("enabled")))
        p { button.button type="submit" name="backtest" value="1" formnovalidate { "What would it have done?" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_that_is_sent_as_it_was_shown_stays() {
        let alarm = json!({
            "name": "Shop", "description": null, "websiteId": "w", "enabled": true, "triggerType": "error_rate",
            "triggerConditions": { "threshold": 2.5 }, "for": 60, "recoverFor": 0, "repeatAfter": 0, "groupWait": 5,
            "destinations": [{ "id": "1", "type": "email", "identifier": "a@example.com", "config": {} }],
            "mute": [{ "cron": "0 2 * * 0", "minutes": 60 }],
        });
        assert_eq!(Value::Object(whole(&form(&alarm)).unwrap()), alarm);
        assert_eq!(body(&fresh("uptime")).unwrap()["repeatAfter"], 240);
    }
}
