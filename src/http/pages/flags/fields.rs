//! The form of a flag: its inputs.

use serde::Serialize;

use super::{preview, rules::Rules, variants::Variants};
use crate::http::pages::{
    form::{Empty, Kind},
    prelude::*,
};

/// The default rule.
const KINDS: &[(&str, &str)] = &[
    ("boolean", "On or off for everyone"),
    ("rollout", "Percentage rollout"),
    ("multivariant", "Multivariate"),
];

const STATUSES: &[(&str, &str)] = &[
    ("active", "Active"),
    ("inactive", "Inactive (off for everyone)"),
    ("archived", "Archived (no longer used)"),
];

const BUCKETING: &[(&str, &str)] = &[
    ("pharos", "pharos"),
    ("unleash", "Unleash (same users as in Unleash)"),
];

const ROLLOUT_BY: &[(&str, &str)] = &[
    ("", "Each user"),
    ("user", "By user"),
    ("organization", "By organization"),
    ("team", "By team"),
];

/// Inputs of a new flag alone.
const NAMED: Section = Section::plain(&[
    Input::line("key", "Key")
        .hint("What your code asks for. You can't change it later. Example: new-checkout")
        .required(),
    Input::choice("websiteId", "Scope", &[]),
]);

const DECISION: Section = Section::plain(&[
    Input::choice("type", "Default rule", KINDS).empty(Empty::Omit),
    Input::checkbox("defaultValue", "On by default"),
    Input::new(Kind::Number(255), "rolloutPercentage", "Rollout percentage")
        .hint("0 to 100. Used by a percentage rollout."),
    Input::new(Kind::Rows(&Rules), "rules", "Rules"),
]);

const VALUES: Section = Section::behind(
    "Variants and payload",
    &[
        Input::new(Kind::Rows(&Variants), "variants", "Variants"),
        Input::new(Kind::Json(6), "payload", "Payload")
            .hint("A JSON object that is returned with the value. Example: {\"limit\": 5}"),
    ],
);

const FURTHER: Section = Section::behind(
    "Details",
    &[
        Input::line("name", "Name"),
        Input::line("description", "Description"),
        Input::line("environment", "Environment")
            .hint("Where the flag applies. Leave empty for all. Example: production"),
        Input::choice("status", "Status", STATUSES).empty(Empty::Omit),
        Input::choice("rolloutBy", "Stickiness", ROLLOUT_BY),
        Input::choice("bucketing", "Bucketing", BUCKETING).empty(Empty::Omit),
        Input::line("bucketingGroup", "Unleash group ID")
            .hint("For Unleash bucketing. Default: the key."),
        Input::new(Kind::Words, "dependencies", "Prerequisites")
            .hint("Flags that must be active. Comma-separated keys.")
            .empty(Empty::List),
        Input::checkbox("persistAcrossAuth", "Keep the value when visitors sign in"),
    ],
);

/// The inputs of a new flag.
pub(super) const NEW: &[Section] = &[NAMED, DECISION, VALUES, FURTHER];
/// The inputs of one that is there.
pub(super) const FORM: &[Section] = &[
    DECISION,
    VALUES,
    FURTHER,
    Section::plain(&[Input::button(preview::BUTTON, "Preview change")]),
];

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
    fn an_unchanged_form_keeps_the_flag() {
        let flag = json!({
            "type": "rollout", "status": "active", "defaultValue": true, "name": "New", "description": null, "environment": "live",
            "rules": [{ "type": "user_id", "operator": "equals", "value": "u", "enabled": true }], "variants": [], "payload": { "a": 1 },
            "rolloutPercentage": 25, "rolloutBy": "team", "bucketing": "unleash", "bucketingGroup": "old-name", "dependencies": ["a", "b"], "persistAcrossAuth": false,
        });
        let date_format = DateFormat::default();
        let inputs = inputs(&date_format);
        let body = inputs.read(&inputs.fill(&flag).unwrap()).unwrap();
        assert_eq!(Value::Object(body), flag);
    }

    #[test]
    fn invalid_json_is_reported_for_its_field() {
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
