//! The form of a goal and of a funnel: fields as people type them, and as `create` and `update` take them.

use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{filters, kind::Kind};
use crate::{
    fault::{Fault, Issue},
    http::pages::form::{FormData, sound},
    pages::{
        part::{Field, choice, more, tick},
        problem::Problems,
    },
};

/// Steps of a funnel.
const MAX_STEPS: usize = 10;
/// Steps that a new funnel shows.
const USUAL_STEPS: usize = 3;

/// What takes a step.
const TYPES: [(&str, &str); 2] = [("PAGE_VIEW", "Page"), ("EVENT", "Event")];
/// Whose steps belong together.
const EACH: [(&str, &str); 2] = [("visitor", "Visitors"), ("session", "Visits")];

/// Fields that say beside themselves what is wrong with them.
pub(super) const NAMES: [&str; 6] = [
    "name",
    "description",
    "target",
    "steps",
    "filters",
    "windowSeconds",
];

fn name(at: usize, field: &str) -> String {
    format!("steps.{at}.{field}")
}

fn filled(sent: &FormData) -> Vec<usize> {
    let is_filled = |at: &usize| sent.some(&name(*at, "target")).is_some();
    (0..MAX_STEPS).filter(is_filled).collect()
}

/// `CUSTOM` is another name of `EVENT`.
fn shown_type(kind: &Value) -> String {
    let kind = kind.as_str().unwrap_or_default();
    if kind == "CUSTOM" { "EVENT" } else { kind }.to_owned()
}

/// What is saved, as its form shows it.
pub(super) fn form(saved: &Value) -> FormData {
    let text = |value: &Value| match value {
        Value::Number(number) => number.to_string(),
        other => other.as_str().unwrap_or_default().to_owned(),
    };
    let plain = ["name", "description", "target", "countBy", "windowSeconds"];
    let mut fields: Vec<(String, String)> = plain
        .into_iter()
        .map(|name| (name.to_owned(), text(&saved[name])))
        .collect();
    fields.push(("type".to_owned(), shown_type(&saved["type"])));
    for (at, step) in saved["steps"].as_array().into_iter().flatten().enumerate() {
        fields.push((name(at, "type"), shown_type(&step["type"])));
        fields.push((name(at, "target"), text(&step["target"])));
        fields.push((name(at, "name"), text(&step["name"])));
        filters::form(&name(at, "conditions"), &step["conditions"], &mut fields);
    }
    for (field, usual) in [("ignoreHistoricData", false), ("isActive", true)] {
        if saved[field].as_bool().unwrap_or(usual) {
            fields.push((field.to_owned(), "on".to_owned()));
        }
    }
    filters::form(filters::WHOLE, &saved["filters"], &mut fields);
    FormData::from(fields)
}

/// What a form says of it. A new one is in use without saying so.
pub(super) fn body(kind: Kind, sent: &FormData, is_new: bool) -> Result<Map<String, Value>, Fault> {
    let mut issues: Vec<Issue> = Vec::new();
    let filters = filters::body(filters::WHOLE, sent);
    let mut body = Map::new();
    let mut say = |name: &str, value: Value| body.insert(name.to_owned(), value);
    say("name", json!(sent.text("name")));
    say("description", json!(sent.some("description")));
    say("countBy", json!(sent.some("countBy").unwrap_or("visitor")));
    say(
        "filters",
        if filters.is_empty() {
            Value::Null
        } else {
            json!(filters)
        },
    );
    say(
        "ignoreHistoricData",
        json!(sent.is_on("ignoreHistoricData")),
    );
    if !is_new {
        say("isActive", json!(sent.is_on("isActive")));
    }
    match kind {
        Kind::Goal => {
            say("type", json!(sent.some("type").unwrap_or("PAGE_VIEW")));
            say("target", json!(sent.text("target")));
        }
        Kind::Funnel => {
            say(
                "steps",
                json!(
                    filled(sent)
                        .into_iter()
                        .map(|at| step(sent, at))
                        .collect::<Vec<_>>()
                ),
            );
            let window: Option<u64> = sent.number("windowSeconds", &mut issues);
            say("windowSeconds", json!(window));
        }
    }
    sound(body, issues, "It cannot be read")
}

fn step(sent: &FormData, at: usize) -> Value {
    let some = |field: &str| sent.some(&name(at, field));
    let target = some("target").unwrap_or_default();
    let mut step = json!({
        "type": some("type").unwrap_or("PAGE_VIEW"), "target": target, "name": some("name").unwrap_or(target),
    });
    let conditions = filters::body(&name(at, "conditions"), sent);
    if !conditions.is_empty() {
        step["conditions"] = json!(conditions);
    }
    step
}

/// The fields, with what is in them and what is wrong with them.
pub(super) fn draw(kind: Kind, sent: &FormData, is_new: bool, problems: &Problems) -> Markup {
    let uses = sent.some("filters.0.field").is_some()
        || !problems.beside("filters").is_empty()
        || sent.some("windowSeconds").is_some();
    html! {
        (Field::text("name", "Name").value(sent.raw("name")).draw(problems))
        @if kind == Kind::Goal {
            (choice("type", "Reached by", &TYPES, sent.raw("type")))
            (Field::text("target", "Path of the page, or name of the event").hint("* at the end stands for anything: /docs/*").value(sent.raw("target")).draw(problems))
        } @else { (steps(sent, problems)) }
        (more("Whom it counts", uses, &html! {
            (choice("countBy", "Counts", &EACH, sent.raw("countBy")))
            @if kind == Kind::Funnel {
                (Field::text("windowSeconds", "All steps within (s)").kind("number").hint("Empty: as long as the days that are looked at.").value(sent.raw("windowSeconds")).optional().draw(problems))
            }
            (tick("ignoreHistoricData", "Nothing counts from before it was made", sent.is_on("ignoreHistoricData")))
            (filters::draw(sent, "Only events that pass", problems))
            (Field::text("description", "Description").value(sent.raw("description")).optional().lines(2, problems))
        }))
        @if !is_new { (tick("isActive", "In use", sent.is_on("isActive"))) }
    }
}

/// The steps: those with something in them first, so that they are where what is wrong with them says, and an empty one.
fn steps(sent: &FormData, problems: &Problems) -> Markup {
    let rows = filled(sent);
    let count = (rows.len() + 1).clamp(USUAL_STEPS, MAX_STEPS);
    html! {
        fieldset.field {
            legend { "Steps, in their order" }
            p.hint { "Two to ten. A page is its path, an event its name; * at the end stands for anything: /docs/*. Rows without one are left out." }
            @for place in 0..count {
                @let at = rows.get(place).copied();
                @let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
                div.inline {
                    select name=(name(place, "type")) aria-label=(format!("What takes step {}", place + 1)) {
                        @for (kind, label) in TYPES { option value=(kind) selected[kind == value("type")] { (label) } }
                    }
                    input name=(name(place, "target")) value=(value("target")) placeholder="/pricing" aria-label=(format!("Path or event of step {}", place + 1));
                    input name=(name(place, "name")) value=(value("name")) placeholder="called" aria-label=(format!("Name of step {}", place + 1));
                }
                (conditions(sent, (at, place), problems))
                @if at.is_some() { @for said in problems.beside(&format!("steps[{place}]")) { p.wrong { (said) } } }
            }
            @for said in problems.exactly("steps") { p.wrong { (said) } }
        }
    }
}

/// What an event has to be beside its name, to take the step at a place.
fn conditions(sent: &FormData, (at, place): (Option<usize>, usize), problems: &Problems) -> Markup {
    let from = name(at.unwrap_or(MAX_STEPS), "conditions");
    let is_used = !filters::body(&from, sent).is_empty();
    html! {
        details.behind open[is_used] {
            summary { "Only some of step " (place + 1) }
            p.hint { "All of them have to pass. Properties are " code { "property:name" } "." }
            (filters::rows((&from, &name(place, "conditions")), sent, 1, problems))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_as_it_was_shown_stays() {
        let goal = json!({
            "name": "Paid", "description": null, "type": "EVENT", "target": "paid", "countBy": "session", "filters": null,
            "ignoreHistoricData": true, "isActive": false,
        });
        assert_eq!(
            Value::Object(body(Kind::Goal, &form(&goal), false).unwrap()),
            goal
        );
        let funnel = json!({
            "name": "Way", "description": "d", "countBy": "visitor", "windowSeconds": 60, "ignoreHistoricData": false, "isActive": true,
            "filters": [{ "field": "country", "operator": "equals", "value": "DE" }],
            "steps": [
                { "type": "PAGE_VIEW", "target": "/", "name": "Home" },
                { "type": "EVENT", "target": "paid", "name": "Paid", "conditions": [{ "field": "property:plan", "operator": "equals", "value": "pro" }] },
            ],
        });
        assert_eq!(
            Value::Object(body(Kind::Funnel, &form(&funnel), false).unwrap()),
            funnel
        );
    }

    #[test]
    fn a_step_is_called_as_it_is_taken_unless_said() {
        let sent = FormData::with([
            ("steps.1.target", "/a".to_owned()),
            ("steps.1.type", "PAGE_VIEW".to_owned()),
        ]);
        let body = body(Kind::Funnel, &sent, true).unwrap();
        assert_eq!(
            body["steps"],
            json!([{ "type": "PAGE_VIEW", "target": "/a", "name": "/a" }])
        );
        assert!(!body.contains_key("isActive"));
        let drawn = draw(Kind::Funnel, &sent, true, &Problems::NONE).into_string();
        assert!(
            drawn.contains("name=\"steps.0.target\" value=\"/a\""),
            "{drawn}"
        );
    }
}
