//! The form of an alarm: its inputs, and as `alarms.create`, `alarms.update` and `alarms.backtest` take them.

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

const ABOUT: Section = Section::plain(&[
    Input::new(Kind::Hidden, "triggerType", "Kind").usual("uptime"),
    Input::line("name", "Name").required(),
    Input::choice(
        "websiteId",
        "About",
        &[("", "Everything of the organization")],
    ),
]);

const DESTINATIONS: Section = Section::plain(&[Input::new(
    Kind::Rows(&Destinations),
    "destinations",
    "Destinations",
)]);

const TIMING: Section = Section::plain(&[
    Input::number("for", "It has to hold for (s)")
        .hint("0 to 86,400; 0 by default.")
        .usual("0"),
    Input::number("recoverFor", "It has to be over for (s)")
        .hint("0 to 86,400; 0 by default.")
        .usual("0"),
    Input::number("repeatAfter", "Told again after (min)")
        .hint("Until somebody takes care of it; 0 = never, 240 by default.")
        .usual("240"),
    Input::number("groupWait", "The first message waits for others for (s)")
        .hint("0 to 600; 0 by default.")
        .usual("0"),
    Input::new(Kind::Area(2), "description", "Description"),
]);

const MUTING: Section = Section::plain(&[Input::new(Kind::Windows, "mute", "When nobody is told")
    .hint("What goes on beyond a window is told at its end.")]);

const SWITCH: Section = Section::plain(&[Input::checkbox("enabled", "Switched on")]);

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

/// Inputs with their problems beside them.
pub(super) fn names(inputs: &Inputs<'_>) -> Vec<&'static str> {
    let mut names = inputs.names();
    // Boxes and choices have theirs below the conditions.
    names.extend(conditions::SECTION.inputs.iter().map(|input| input.name));
    names
}

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
    value_or_issues(body, issues, "Invalid alarm")
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
            let message = "Somebody has to be told: say where";
            issues.push(Issue::new("missing", "destinations", message));
        }
    }
    value_or_issues(body, issues, "Invalid alarm")
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
    let timing = part(&[TIMING]).names().into_iter();
    let is_unusual = timing
        .filter(|name| *name != "description")
        .any(|name| !problems.beside(name).is_empty())
        || MUTING.inputs[0].windows().is_used(sent, problems);
    html! {
        (draw(&[ABOUT]))
        fieldset.field {
            legend { "When it goes off" }
            (draw(&[conditions::SECTION]))
            // A box cannot show its own problems.
            @for message in problems.beside("triggerConditions.down") { p.wrong { (message) } }
        }
        (draw(&[DESTINATIONS]))
        (more("Patience, repetition, windows and description", is_unusual, &html! { (draw(&[TIMING])) (draw(&[MUTING])) }))
        (draw(&[SWITCH]))
        p { button.button type="submit" name="backtest" value="1" formnovalidate { "What would it have done?" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs<'a>(kind: &'a str, date_format: &'a DateFormat) -> Inputs<'a> {
        Inputs::new(FORM, kind, date_format)
    }

    #[test]
    fn an_alarm_that_is_sent_as_it_was_shown_stays() {
        let alarm = json!({
            "name": "Shop", "description": null, "websiteId": "w", "enabled": true, "triggerType": "error_rate",
            "triggerConditions": { "threshold": 2.5 }, "for": 60, "recoverFor": 0, "repeatAfter": 0, "groupWait": 5,
            "destinations": [{ "id": "1", "type": "email", "identifier": "a@example.com", "config": {} }],
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
    fn everything_that_is_wrong_is_said_at_once() {
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
        for (kind, conditions) in all {
            assert_eq!(again(kind, &conditions), conditions, "{kind}");
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
        let sent = sent.and("triggerType", "custom");
        collect(TRIGGER, &sent, &DateFormat::default(), &mut issues);
        let wrong: Vec<&str> = issues.iter().map(|issue| issue.field.as_str()).collect();
        assert_eq!(
            wrong,
            ["triggerConditions.threshold", "triggerConditions.filters"]
        );
    }
}
