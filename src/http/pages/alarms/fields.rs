//! The form of an alarm: its fields as people type them, and as `alarms.create`, `alarms.update` and `alarms.backtest` take them.

use maud::{Markup, html};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use super::{conditions, destinations};
use crate::{
    actors::alarms::{AlarmFields, check},
    fault::{Fault, Issue},
    http::pages::form::{FormData, Windows, sound},
    pages::{
        frame::Choice,
        part::{Field, choice, hidden, more, tick},
        problem::Problems,
        time::DateFormat,
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
pub(super) fn form(alarm: &Value, date_format: &DateFormat) -> FormData {
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
    fields.extend(MUTE.form(&alarm["mute"], date_format));
    FormData::from(fields)
}

/// An empty form of a kind.
pub(super) fn fresh(kind: &str) -> FormData {
    let usual = json!({ "triggerType": kind, "enabled": true, "triggerConditions": {} });
    form(&usual, &DateFormat::default())
}

/// What a form says of an alarm but for whom it tells; what is empty is as usual.
pub(super) fn body(sent: &FormData) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let body = said(sent, &mut issues);
    sound(body, issues, "Invalid alarm")
}

fn said(sent: &FormData, issues: &mut Vec<Issue>) -> Map<String, Value> {
    let kind = sent.some("triggerType").unwrap_or("uptime");
    let conditions = conditions::body(kind, sent, issues);
    let mut body = Map::new();
    for (name, ..) in NUMBERS {
        let usual = if name == "repeatAfter" { 240 } else { 0 };
        let said: Option<u32> = sent.number(name, issues);
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
    body
}

/// The same with whom it tells. Whoever `may` make alarms is told everything that is wrong at once, what cannot be read and what the
/// rules of alarms refuse; whoever may not is told that.
pub(super) fn whole(
    sent: &FormData,
    date_format: &DateFormat,
    may: bool,
) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let mut body = said(sent, &mut issues);
    let all = destinations::body(sent, &mut issues);
    body.insert(
        "mute".to_owned(),
        json!(MUTE.body(sent, date_format, &mut issues)),
    );
    let read = may.then(|| AlarmFields::deserialize(Value::Object(body.clone())));
    if let Some(Ok(read)) = read {
        let known: Vec<String> = issues.iter().map(|issue| issue.field.clone()).collect();
        let more = check(read).into_iter();
        // A field that cannot be read is not missing, too.
        issues.extend(more.filter(|issue| !known.contains(&issue.field)));
    }
    if may && all.is_empty() {
        let message = "Somebody has to be told: say where";
        issues.push(Issue::new("missing", "destinations", message));
    }
    body.insert("destinations".to_owned(), json!(all));
    sound(body, issues, "Invalid alarm")
}

/// The fields, with what is in them and what is wrong with them.
pub(super) fn draw(
    sent: &FormData,
    websites: &[Choice],
    monitors: &[Choice],
    date_format: &DateFormat,
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
            (MUTE.draw(sent, date_format, problems))
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
        let date_format = DateFormat::default();
        let sent = form(&alarm, &date_format);
        assert_eq!(
            Value::Object(whole(&sent, &date_format, true).unwrap()),
            alarm
        );
        assert_eq!(body(&fresh("uptime")).unwrap()["repeatAfter"], 240);
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let sent = fresh("error_rate")
            .and("triggerConditions.threshold", "much")
            .and("mute.0.cron", "x")
            .and("mute.0.minutes", "5");
        let date_format = DateFormat::default();
        let Err(fault) = whole(&sent, &date_format, true) else {
            panic!("it is taken")
        };
        let problems = Problems::of(fault).unwrap();
        for field in [
            "name",
            "triggerConditions.threshold",
            "mute.0",
            "destinations",
        ] {
            assert_eq!(problems.beside(field).len(), 1, "{field}: {problems:?}");
        }
        let missing = fresh("uptime");
        assert!(whole(&missing, &date_format, true).is_err());
        let told = whole(&missing, &date_format, false);
        assert!(told.is_ok(), "who may not is refused for that: {told:?}");
    }
}
