//! The form of a flag: its fields as people type them, and as `flags.create` and `flags.update` take them.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::rules;
use crate::{
    fault::{Fault, Issue},
    http::pages::form::{FormData, sound},
    pages::{
        part::{choice, more, tick},
        problem::Problems,
    },
};

/// Fields that are text: name, label, what it is for.
const TEXTS: [(&str, &str, &str); 3] = [
    ("name", "Name", ""),
    ("description", "Description", ""),
    (
        "environment",
        "Environment",
        "Where it counts; empty: everywhere.",
    ),
];

/// Further fields that are JSON: name, label, what it is for, and whether nothing is an empty list.
const JSONS: [(&str, &str, &str, bool); 2] = [
    (
        "variants",
        "Variants",
        "A JSON list: [{\"key\": \"a\", \"value\": \"blue\", \"weight\": 50}, {\"key\": \"b\", \"value\": \"green\", \"weight\": 50}]",
        true,
    ),
    (
        "payload",
        "Payload",
        "A JSON object that goes along: {\"limit\": 5}",
        false,
    ),
];

/// How it decides when no rule does.
const KINDS: [(&str, &str); 3] = [
    ("boolean", "On or off for everybody"),
    ("rollout", "On for a share"),
    ("multivariant", "One of several values"),
];

const STATUSES: [(&str, &str); 3] = [
    ("active", "Active"),
    ("inactive", "Inactive: off for everybody"),
    ("archived", "Archived: not used any more"),
];

const ROLLOUT_BY: [(&str, &str); 4] = [
    ("", "Everybody alone"),
    ("user", "By user"),
    ("organization", "By organization"),
    ("team", "By team"),
];

/// Fields that say beside themselves what is wrong with them.
pub(super) const NAMES: [&str; 9] = [
    "key",
    "name",
    "description",
    "environment",
    "rolloutPercentage",
    "rules",
    "variants",
    "payload",
    "dependencies",
];

/// A flag as its form shows it.
pub(super) fn form(flag: &Value) -> FormData {
    let text = |name: &str| flag[name].as_str().unwrap_or_default().to_owned();
    let mut fields = vec![
        ("key", text("key")),
        ("type", text("type")),
        ("status", text("status")),
        ("rolloutBy", text("rolloutBy")),
    ];
    fields.extend(TEXTS.iter().map(|(name, ..)| (*name, text(name))));
    for (name, _, _, is_list) in JSONS {
        let value = &flag[name];
        let is_nothing = value.is_null() || is_list && value.as_array().is_some_and(Vec::is_empty);
        let written = if is_nothing {
            String::new()
        } else {
            pretty(value)
        };
        fields.push((name, written));
    }
    let share = flag["rolloutPercentage"].as_u64();
    fields.push((
        "rolloutPercentage",
        share.map(|share| share.to_string()).unwrap_or_default(),
    ));
    let keys = flag["dependencies"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    fields.push(("dependencies", keys.collect::<Vec<_>>().join(", ")));
    for name in ["defaultValue", "persistAcrossAuth"] {
        if flag[name] == true {
            fields.push((name, "on".to_owned()));
        }
    }
    let rules = rules::form(&flag[rules::NAME]);
    let rules = rules
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()));
    FormData::with(fields.into_iter().chain(rules))
}

/// JSON for people.
pub(super) fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// What a form says of a flag, all but its key; an empty field is none.
pub(super) fn body(sent: &FormData) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let mut body = Map::new();
    for name in TEXTS.iter().map(|(name, ..)| *name).chain(["rolloutBy"]) {
        body.insert(name.to_owned(), json!(sent.some(name)));
    }
    for name in ["type", "status"] {
        if let Some(value) = sent.some(name) {
            body.insert(name.to_owned(), json!(value));
        }
    }
    for (name, _, _, is_list) in JSONS {
        let nothing = if is_list { json!([]) } else { Value::Null };
        let value = json_of(sent, name, &mut issues).unwrap_or(nothing);
        body.insert(name.to_owned(), value);
    }
    let rules = match sent.some(rules::NAME) {
        Some(_) => json_of(sent, rules::NAME, &mut issues).unwrap_or_default(),
        None => json!(rules::rows(sent)),
    };
    body.insert(rules::NAME.to_owned(), rules);
    let share: Option<u8> = sent.number("rolloutPercentage", &mut issues);
    body.insert("rolloutPercentage".to_owned(), json!(share));
    body.insert("dependencies".to_owned(), json!(sent.words("dependencies")));
    for name in ["defaultValue", "persistAcrossAuth"] {
        body.insert(name.to_owned(), json!(sent.is_on(name)));
    }
    sound(body, issues, "Invalid flag")
}

/// The JSON in a field, if something is there; where it breaks off is an issue.
pub(super) fn json_of(sent: &FormData, name: &str, issues: &mut Vec<Issue>) -> Option<Value> {
    let read = serde_json::from_str(sent.some(name)?);
    read.map_err(|error| issues.push(Issue::new("invalid", name, format!("is no JSON: {error}"))))
        .ok()
}

/// The fields, with what is in them and what is wrong with them.
pub(super) fn draw(sent: &FormData, problems: &Problems) -> Markup {
    let text = |name, label, kind, hint| {
        let field = sent.field(name, label, kind, hint);
        field.optional().draw(problems)
    };
    let area = |(name, label, hint, _): (_, _, _, bool)| {
        let field = sent.field(name, label, "text", hint);
        field.optional().lines(6, problems)
    };
    let uses = |names: &[&str]| {
        names
            .iter()
            .any(|name| sent.some(name).is_some() || !problems.beside(name).is_empty())
    };
    let [variants, payload] = JSONS;
    html! {
        (choice("type", "When no rule decides", &KINDS, sent.raw("type")))
        (tick("defaultValue", "On by default", sent.is_on("defaultValue")))
        (text("rolloutPercentage", "On for so many percent", "number", "0 to 100; for “on for a share”."))
        (rules::draw(sent, problems))
        (more("Variants and payload", uses(&["variants", "payload"]), &html! { (area(variants)) (area(payload)) }))
        (more("Name, state and further", uses(&["name", "description", "environment", "dependencies"]), &html! {
            @for (name, label, hint) in TEXTS { (text(name, label, "text", hint)) }
            (choice("status", "State", &STATUSES, sent.raw("status")))
            (choice("rolloutBy", "Who is in a share together", &ROLLOUT_BY, sent.raw("rolloutBy")))
            (text("dependencies", "Only while these flags are active", "text", "Keys, with commas between them."))
            (tick("persistAcrossAuth", "Visitors keep their answer when they sign in", sent.is_on("persistAcrossAuth")))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let flag = json!({
            "type": "rollout", "status": "active", "defaultValue": true, "name": "New", "description": null, "environment": "live",
            "rules": [{ "type": "user_id", "operator": "equals", "value": "u", "enabled": true }], "variants": [], "payload": { "a": 1 },
            "rolloutPercentage": 25, "rolloutBy": "team", "dependencies": ["a", "b"], "persistAcrossAuth": false,
        });
        assert_eq!(Value::Object(body(&form(&flag)).unwrap()), flag);
    }

    #[test]
    fn what_is_no_json_is_said_of_its_field() {
        let sent = FormData::with([
            ("rules", "[{]".to_owned()),
            ("rolloutPercentage", "300".to_owned()),
        ]);
        let problems = Problems::of(body(&sent).unwrap_err()).unwrap();
        assert!(
            problems.beside("rules")[0].contains("line 1"),
            "{problems:?}"
        );
        assert_eq!(problems.beside("rolloutPercentage").len(), 1);
        assert!(
            draw(&sent, &problems)
                .into_string()
                .contains("id=\"rules-wrong\"")
        );
    }
}
