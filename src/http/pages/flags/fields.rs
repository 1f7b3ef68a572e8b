//! The form of a flag: its inputs.

use serde::Serialize;

use super::rules::Rules;
use crate::http::pages::{
    form::{Empty, Kind},
    prelude::*,
};

/// How it decides when no rule does.
const KINDS: &[(&str, &str)] = &[
    ("boolean", "On or off for everybody"),
    ("rollout", "On for a share"),
    ("multivariant", "One of several values"),
];

const STATUSES: &[(&str, &str)] = &[
    ("active", "Active"),
    ("inactive", "Inactive: off for everybody"),
    ("archived", "Archived: not used any more"),
];

const ROLLOUT_BY: &[(&str, &str)] = &[
    ("", "Everybody alone"),
    ("user", "By user"),
    ("organization", "By organization"),
    ("team", "By team"),
];

/// Inputs of a new flag alone.
const NAMED: Section = Section::plain(&[
    Input::line("key", "Key")
        .hint("What programs ask for, such as new-checkout. It stays.")
        .required(),
    Input::choice("websiteId", "For", &[]),
]);

const DECISION: Section = Section::plain(&[
    Input::choice("type", "When no rule decides", KINDS).empty(Empty::Omit),
    Input::checkbox("defaultValue", "On by default"),
    Input::new(
        Kind::Number(255),
        "rolloutPercentage",
        "On for so many percent",
    )
    .hint("0 to 100; for “on for a share”."),
    Input::new(Kind::Rows(&Rules), "rules", "Rules"),
]);

const VALUES: Section = Section::behind(
    "Variants and payload",
    &[
        Input::new(Kind::Json(6), "variants", "Variants")
            .hint("A JSON list: [{\"key\": \"a\", \"value\": \"blue\", \"weight\": 50}, {\"key\": \"b\", \"value\": \"green\", \"weight\": 50}]")
            .empty(Empty::List),
        Input::new(Kind::Json(6), "payload", "Payload")
            .hint("A JSON object that goes along: {\"limit\": 5}"),
    ],
);

const FURTHER: Section = Section::behind(
    "Name, state and further",
    &[
        Input::line("name", "Name"),
        Input::line("description", "Description"),
        Input::line("environment", "Environment").hint("Where it counts; empty: everywhere."),
        Input::choice("status", "State", STATUSES).empty(Empty::Omit),
        Input::choice("rolloutBy", "Who is in a share together", ROLLOUT_BY),
        Input::new(
            Kind::Words,
            "dependencies",
            "Only while these flags are active",
        )
        .hint("Keys, with commas between them.")
        .empty(Empty::List),
        Input::checkbox(
            "persistAcrossAuth",
            "Visitors keep their answer when they sign in",
        ),
    ],
);

/// The inputs of a new flag.
pub(super) const NEW: &[Section] = &[NAMED, DECISION, VALUES, FURTHER];
/// The inputs of one that is there.
pub(super) const FORM: &[Section] = &[DECISION, VALUES, FURTHER];

/// JSON for people.
pub(super) fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        http::pages::form::{Choices, FormData, Inputs},
        pages::{problem::Problems, time::DateFormat},
    };

    fn inputs(date_format: &DateFormat) -> Inputs<'_> {
        Inputs::new(FORM, "", date_format)
    }

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let flag = json!({
            "type": "rollout", "status": "active", "defaultValue": true, "name": "New", "description": null, "environment": "live",
            "rules": [{ "type": "user_id", "operator": "equals", "value": "u", "enabled": true }], "variants": [], "payload": { "a": 1 },
            "rolloutPercentage": 25, "rolloutBy": "team", "dependencies": ["a", "b"], "persistAcrossAuth": false,
        });
        let date_format = DateFormat::default();
        let inputs = inputs(&date_format);
        let body = inputs.read(&inputs.fill(&flag).unwrap()).unwrap();
        assert_eq!(Value::Object(body), flag);
    }

    #[test]
    fn what_is_no_json_is_said_of_its_field() {
        let sent = FormData::with([
            ("rules", "[{]".to_owned()),
            ("rolloutPercentage", "300".to_owned()),
        ]);
        let date_format = DateFormat::default();
        let inputs = inputs(&date_format);
        let problems = Problems::from_fault(inputs.read(&sent).unwrap_err()).unwrap();
        assert!(
            problems.beside("rules")[0].contains("line 1"),
            "{problems:?}"
        );
        assert_eq!(problems.beside("rolloutPercentage").len(), 1);
        let drawn = inputs
            .draw(&sent, &Choices::default(), &problems)
            .into_string();
        assert!(drawn.contains("id=\"rules-wrong\""));
    }
}
