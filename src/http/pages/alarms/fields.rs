//! The form of an alarm: its inputs, and as `alarms.create`, `alarms.update` and `alarms.backtest` take them.

use maud::{Markup, html};
use serde::{Deserialize as _, Serialize};
use serde_json::{Map, Value, json};

use super::{conditions, destinations};
use crate::{
    actors::alarms::{AlarmFields, check},
    fault::{Fault, Issue},
    http::pages::form::{Choices, FormData, Input, Inputs, Kind, Section, sound},
    pages::{
        frame::Choice,
        part::{hidden, more},
        problem::Problems,
        time::DateFormat,
    },
};

const ABOUT: Section = Section::plain(&[
    Input::line("name", "Name").required(),
    Input::choice(
        "websiteId",
        "About",
        &[("", "Everything of the organization")],
    ),
]);

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
    Input::of(Kind::Area(2), "description", "Description"),
]);

const MUTING: Section = Section::plain(&[Input::of(Kind::Windows, "mute", "When nobody is told")
    .hint("What goes on beyond a window is told at its end.")]);

const SWITCH: Section = Section::plain(&[Input::tick("enabled", "Switched on")]);

/// What a backtest needs.
const TRIGGER: &[Section] = &[ABOUT, conditions::SECTION, TIMING, SWITCH];
const WHOLE: &[Section] = &[ABOUT, conditions::SECTION, TIMING, MUTING, SWITCH];

fn kind_of(sent: &FormData) -> &str {
    sent.some("triggerType").unwrap_or("uptime")
}

/// Inputs of a kind that say beside themselves what is wrong with them.
pub(super) fn names(kind: &str) -> Vec<&'static str> {
    let mut names = Inputs::new(WHOLE, kind, &DateFormat::default()).names();
    names.push("destinations");
    // Boxes and choices say it too, below the conditions.
    names.extend(conditions::SECTION.inputs.iter().map(|input| input.name));
    names
}

/// An alarm as its form shows it.
pub(super) fn fill(alarm: &impl Serialize, date_format: &DateFormat) -> Result<FormData, Fault> {
    let mut alarm = serde_json::to_value(alarm).map_err(Fault::internal)?;
    let kind = alarm["triggerType"].as_str().unwrap_or_default().to_owned();
    let conditions = &mut alarm["triggerConditions"];
    if conditions::is_down_usual(conditions) {
        conditions["down"] = json!(true);
    }
    let mut fields = Vec::new();
    destinations::form(&alarm["destinations"], &mut fields);
    let form = Inputs::new(WHOLE, &kind, date_format).fill(&alarm)?;
    let form = form.and("triggerType", &kind);
    let add = |form: FormData, (name, value): (String, String)| form.and(&name, &value);
    Ok(fields.into_iter().fold(form, add))
}

/// An empty form of a kind.
pub(super) fn fresh(kind: &str) -> Result<FormData, Fault> {
    let usual = json!({ "triggerType": kind, "enabled": true, "triggerConditions": {} });
    fill(&usual, &DateFormat::default())
}

/// What a form says of an alarm but for whom it tells; what is empty is as usual.
pub(super) fn body(sent: &FormData) -> Result<Map<String, Value>, Fault> {
    let mut issues = Vec::new();
    let body = collect(TRIGGER, sent, &DateFormat::default(), &mut issues);
    sound(body, issues, "Invalid alarm")
}

fn collect(
    sections: &'static [Section],
    sent: &FormData,
    date_format: &DateFormat,
    issues: &mut Vec<Issue>,
) -> Map<String, Value> {
    let kind = kind_of(sent);
    let mut body = Inputs::new(sections, kind, date_format).collect(sent, issues);
    body.insert("triggerType".to_owned(), json!(kind));
    body.entry("triggerConditions").or_insert_with(|| json!({}));
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
    let mut body = collect(WHOLE, sent, date_format, &mut issues);
    let all = destinations::body(sent, &mut issues);
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
    websites: Vec<Choice>,
    monitors: Vec<Choice>,
    date_format: &DateFormat,
    problems: &Problems,
) -> Markup {
    let choices = Choices::default().with("websiteId", websites);
    let choices = choices.with(conditions::MONITORS, monitors);
    let kind = kind_of(sent);
    let draw = |sections| Inputs::new(sections, kind, date_format).draw(sent, &choices, problems);
    let timing = Inputs::new(&[TIMING], kind, date_format)
        .names()
        .into_iter();
    let is_unusual = timing
        .filter(|name| *name != "description")
        .any(|name| !problems.beside(name).is_empty())
        || MUTING.inputs[0].windows().is_used(sent, problems);
    html! {
        (hidden("triggerType", kind))
        (draw(&[ABOUT]))
        fieldset.field {
            legend { "When it goes off" }
            (draw(&[conditions::SECTION]))
            // A box has no place of its own for what is wrong with it.
            @for said in problems.beside("triggerConditions.down") { p.wrong { (said) } }
        }
        (destinations::draw(sent, problems))
        (more("Patience, repetition, windows and description", is_unusual, &html! { (draw(&[TIMING])) (draw(&[MUTING])) }))
        (draw(&[SWITCH]))
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
        let sent = fill(&alarm, &date_format).unwrap();
        assert_eq!(
            Value::Object(whole(&sent, &date_format, true).unwrap()),
            alarm
        );
        assert_eq!(body(&fresh("uptime").unwrap()).unwrap()["repeatAfter"], 240);
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let date_format = DateFormat::default();
        let much = json!({ "triggerType": "error_rate", "enabled": true, "triggerConditions": { "threshold": "much" } });
        let sent = fill(&much, &date_format)
            .unwrap()
            .and("mute.0.cron", "x")
            .and("mute.0.minutes", "5");
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
        let missing = fresh("uptime").unwrap();
        assert!(whole(&missing, &date_format, true).is_err());
        let told = whole(&missing, &date_format, false);
        assert!(told.is_ok(), "who may not is refused for that: {told:?}");
    }

    fn again(kind: &str, conditions: &Value) -> Value {
        let alarm = json!({ "triggerType": kind, "triggerConditions": conditions });
        let mut body = body(&fill(&alarm, &DateFormat::default()).unwrap()).unwrap();
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
        let sent = sent.and("triggerType", "custom");
        collect(TRIGGER, &sent, &DateFormat::default(), &mut issues);
        let wrong: Vec<&str> = issues.iter().map(|issue| issue.field.as_str()).collect();
        assert_eq!(
            wrong,
            ["triggerConditions.threshold", "triggerConditions.filters"]
        );
    }
}
