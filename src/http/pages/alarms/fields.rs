//! The form of an alert: its inputs, and as `alarms.create`, `alarms.update` and `alarms.backtest` take them.

use serde::{Deserialize as _, Serialize};
use serde_json::{Map, Value, json};

use super::{conditions, destinations::Destinations};
use crate::{
    actors::alarms::{AlarmFields, check},
    fault::Issue,
    http::pages::{
        form::{Kind, value_or_issues},
        prelude::*,
    },
    pages::part::more,
};

/// Severities with their labels, behind none.
pub(super) const SEVERITIES: &[(&str, &str)] = &[
    ("", "Not set"),
    ("critical", "Critical"),
    ("warning", "Warning"),
    ("info", "Info"),
];

const ABOUT: Section = Section::plain(&[
    Input::new(Kind::Hidden, "triggerType", "Kind").usual("uptime"),
    Input::line("name", "Name").required(),
    Input::choice("websiteId", "Scope", &[("", "Entire organization")]),
    Input::choice("severity", "Severity", SEVERITIES)
        .hint("Channels can be limited to severities. Default: counts as warning."),
]);

const DESTINATIONS: Section = Section::plain(&[Input::new(
    Kind::Rows(&Destinations),
    "destinations",
    "Destinations",
)]);

const TIMING: Section = Section::plain(&[
    Input::number("for", "Trigger after (seconds)")
        .hint("How long the condition must hold. 0 to 86,400. Default: 0.")
        .usual("0"),
    Input::number("recoverFor", "Resolve after (seconds)")
        .hint("How long the condition must be over. 0 to 86,400. Default: 0.")
        .usual("0"),
    Input::number("repeatAfter", "Repeat every (minutes)")
        .hint("Repeats until someone acknowledges the alert. 0 = never. Default: 240.")
        .usual("240"),
    Input::number("groupWait", "Group wait (seconds)")
        .hint("Collects alerts into the first message. 0 to 600. Default: 0.")
        .usual("0"),
    Input::new(Kind::Area(2), "description", "Description"),
]);

const MUTING: Section = Section::plain(&[Input::new(Kind::Windows, "mute", "Mute windows")
    .hint("No messages are sent in these windows. An alert that still fires is sent at the end.")]);

const SWITCH: Section = Section::plain(&[
    Input::checkbox("enabled", "Enabled"),
    Input::button("backtest", "Run backtest"),
]);

/// The inputs of a backtest.
const TRIGGER: &[Section] = &[ABOUT, conditions::SECTION, TIMING, SWITCH];
pub(super) const FORM: &[Section] = &[
    ABOUT,
    conditions::SECTION,
    DESTINATIONS,
    TIMING,
    MUTING,
    SWITCH,
];

/// An alarm as its form shows it.
pub(super) fn fill(alarm: &impl Serialize, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
    let mut alarm = serde_json::to_value(alarm).map_err(Fault::internal)?;
    let conditions = &mut alarm["triggerConditions"];
    if conditions::is_down_usual(conditions) {
        conditions["down"] = json!(true);
    }
    inputs.fill(&alarm)
}

/// An empty form of a kind.
pub(super) fn blank(inputs: &Inputs<'_>) -> Result<FormData, Fault> {
    let usual = json!({ "triggerType": inputs.kind, "enabled": true, "triggerConditions": {} });
    fill(&usual, inputs)
}

/// Reads a form for a backtest: everything but mute windows and destinations.
pub(super) fn read_trigger(sent: &FormData) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let body = collect(TRIGGER, sent, &DateFormat::default(), &mut issues);
    value_or_issues(body, issues, "Invalid alert")
}

fn collect(
    sections: &'static [Section],
    sent: &FormData,
    date_format: &DateFormat,
    issues: &mut Vec<Issue>,
) -> Map<String, Value> {
    let kind = sent.some("triggerType").unwrap_or("uptime");
    let mut body = Inputs::new(sections, kind, date_format).collect(sent, issues);
    body.entry("triggerConditions").or_insert_with(|| json!({}));
    body
}

/// The whole form. A person who `can_write` alarms gets everything that is wrong at once, unreadable fields and broken rules.
/// Everybody else is refused for the missing right.
pub(super) fn read(
    sent: &FormData,
    date_format: &DateFormat,
    can_write: bool,
) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let body = collect(FORM, sent, date_format, &mut issues);
    if can_write {
        let mut fields = body.clone();
        let destinations = fields.remove("destinations");
        if let Ok(read) = AlarmFields::deserialize(Value::Object(fields)) {
            let known: Vec<String> = issues.iter().map(|issue| issue.field.clone()).collect();
            let more = check(read).into_iter();
            // A field that cannot be read is not missing, too.
            issues.extend(more.filter(|issue| !known.contains(&issue.field)));
        }
        if destinations == Some(json!([])) {
            let message = "Add at least one notification channel";
            issues.push(Issue::new("missing", "destinations", message));
        }
    }
    value_or_issues(body, issues, "Invalid alert")
}

pub(super) fn draw(
    inputs: &Inputs<'_>,
    sent: &FormData,
    choices: &Choices,
    problems: &Problems,
) -> Markup {
    let part = |sections| Inputs {
        sections,
        ..*inputs
    };
    let draw = |sections| part(sections).draw(sent, choices, problems);
    let mut timing = TIMING.inputs.iter();
    let is_unusual = timing.any(|input| problems.is_wrong(input.name))
        || MUTING.inputs[0].windows().is_used(sent, problems);
    html! {
        (draw(&[ABOUT]))
        fieldset.field {
            legend { "Conditions" }
            (draw(&[conditions::SECTION]))
        }
        (draw(&[DESTINATIONS]))
        (more("Timing and muting", is_unusual, &html! { (draw(&[TIMING])) (draw(&[MUTING])) }))
        (draw(&[SWITCH]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs<'a>(kind: &'a str, date_format: &'a DateFormat) -> Inputs<'a> {
        Inputs::new(FORM, kind, date_format)
    }

    #[test]
    fn an_unchanged_form_keeps_the_alert() {
        let alarm = json!({
            "name": "Shop", "description": null, "websiteId": "w", "enabled": true, "triggerType": "error_rate",
            "triggerConditions": { "threshold": 2.5 }, "for": 60, "recoverFor": 0, "repeatAfter": 0, "groupWait": 5, "severity": "info",
            "destinations": [{ "id": "1", "type": "email", "identifier": "a@example.com", "config": {}, "severities": [], "quietHours": null, "rateLimit": null, "fallback": null }],
            "mute": [{ "cron": "0 2 * * 0", "minutes": 60 }],
        });
        let date_format = DateFormat::default();
        let sent = fill(&alarm, &inputs("error_rate", &date_format)).unwrap();
        assert_eq!(
            Value::Object(read(&sent, &date_format, true).unwrap()),
            alarm
        );
        let usual = blank(&inputs("uptime", &date_format)).unwrap();
        assert_eq!(read_trigger(&usual).unwrap()["repeatAfter"], 240);
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let date_format = DateFormat::default();
        let much = json!({ "triggerType": "error_rate", "enabled": true, "triggerConditions": { "threshold": "much" } });
        let sent = fill(&much, &inputs("error_rate", &date_format))
            .unwrap()
            .and("mute.0.cron", "x")
            .and("mute.0.minutes", "5");
        let Err(fault) = read(&sent, &date_format, true) else {
            panic!("it is taken")
        };
        let problems = Problems::from_fault(fault).unwrap();
        for field in [
            "name",
            "triggerConditions.threshold",
            "mute.0",
            "destinations",
        ] {
            assert_eq!(problems.beside(field).len(), 1, "{field}: {problems:?}");
        }
        let missing = blank(&inputs("uptime", &date_format)).unwrap();
        assert!(read(&missing, &date_format, true).is_err());
        let told = read(&missing, &date_format, false);
        assert!(told.is_ok(), "who may not is refused for that: {told:?}");
    }

    fn again(kind: &str, conditions: &Value) -> Value {
        let alarm = json!({ "triggerType": kind, "triggerConditions": conditions });
        let date_format = DateFormat::default();
        let sent = fill(&alarm, &inputs(kind, &date_format)).unwrap();
        let mut body = read_trigger(&sent).unwrap();
        body.remove("triggerConditions").unwrap()
    }

    #[test]
    fn an_unchanged_form_keeps_the_conditions() {
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
        for (kind, conditions) in all {
            assert_eq!(again(kind, &conditions), conditions, "{kind}");
        }
        assert_eq!(again("uptime", &json!({}))["down"], true, "as usual");
    }

    #[test]
    fn unreadable_values_are_reported_for_their_field() {
        let sent = FormData::with([
            ("triggerConditions.threshold", "much".to_owned()),
            ("triggerConditions.filters", "path=/".to_owned()),
        ]);
        let mut issues = Vec::new();
        let sent = sent.and("triggerType", "custom");
        collect(TRIGGER, &sent, &DateFormat::default(), &mut issues);
        let wrong: Vec<&str> = issues.iter().map(|issue| issue.field.as_str()).collect();
        assert_eq!(
            wrong,
            ["triggerConditions.threshold", "triggerConditions.filters"]
        );
    }
}
