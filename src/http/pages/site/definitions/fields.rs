//! The form of a goal and of a funnel.

use serde_json::{Value, json};

use super::{
    filters::{self, Filters},
    suggestions::TARGETS,
};
use crate::{
    fault::Issue,
    http::pages::{
        form::{Empty, Kind, Rows, text},
        prelude::*,
    },
};

/// Steps of a funnel.
const MAX_STEPS: usize = 10;
/// Steps that a new funnel shows.
const USUAL_STEPS: usize = 3;

/// Types of steps.
const TYPES: &[(&str, &str)] = &[("PAGE_VIEW", "Page"), ("EVENT", "Event")];
/// Units that are counted.
const EACH: &[(&str, &str)] = &[("visitor", "Visitors"), ("session", "Sessions")];

const NAMES: Section = Section::plain(&[
    Input::line("name", "Name").required(),
    Input::choice("type", "Type", TYPES)
        .usual("PAGE_VIEW")
        .only(&["goal"]),
    Input::line("target", "Path or event name")
        .hint("* at the end matches anything. Example: /docs/*.")
        .required()
        .list(TARGETS)
        .only(&["goal"]),
    Input::new(Kind::Rows(&Steps), "steps", "Steps")
        .empty(Empty::List)
        .only(&["funnel"]),
]);

const WHOM: Section = Section::behind(
    "Filters",
    &[
        Input::choice("countBy", "Count by", EACH).usual("visitor"),
        Input::new(Kind::Number(u64::MAX), "windowSeconds", "Conversion window")
            .hint("Seconds. Default: the selected period.")
            .only(&["funnel"]),
        Input::checkbox("ignoreHistoricData", "Ignore events before creation"),
        Input::new(
            Kind::Rows(&Filters("Event filters")),
            filters::WHOLE,
            "Filters",
        ),
        Input::new(Kind::Area(2), "description", "Description"),
    ],
);

const SWITCH: Section = Section::plain(&[Input::new(Kind::Checkbox(true), "isActive", "Enabled")]);

/// The inputs of a new goal or funnel, which is in use without saying so.
pub(super) const NEW: &[Section] = &[NAMES, WHOM];
pub(super) const FORM: &[Section] = &[NAMES, WHOM, SWITCH];

fn name(at: usize, field: &str) -> String {
    format!("steps.{at}.{field}")
}

fn filled(sent: &FormData) -> Vec<usize> {
    let is_filled = |at: &usize| sent.some(&name(*at, "target")).is_some();
    (0..MAX_STEPS).filter(is_filled).collect()
}

/// `CUSTOM` is another name of `EVENT`.
pub(super) fn usual_type(kind: &Value) -> &str {
    match kind.as_str().unwrap_or_default() {
        "CUSTOM" => "EVENT",
        kind => kind,
    }
}

/// The steps of a funnel, as rows of a form.
#[derive(Debug)]
struct Steps;

impl Rows for Steps {
    fn fill(&self, value: &Value) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        for (at, step) in value.as_array().into_iter().flatten().enumerate() {
            fields.push((name(at, "type"), usual_type(&step["type"]).to_owned()));
            fields.push((name(at, "target"), text(&step["target"])));
            fields.push((name(at, "name"), text(&step["name"])));
            fields.extend(filters::fill(&name(at, "conditions"), &step["conditions"]));
        }
        fields
    }

    fn read(&self, sent: &FormData, _: &mut Vec<Issue>) -> Option<Value> {
        let steps = filled(sent).into_iter().map(|at| read_step(sent, at));
        Some(steps.collect())
    }

    /// Filled rows first, which is how issues count them, and an empty one.
    fn draw(&self, sent: &FormData, _: &Choices, problems: &Problems) -> Markup {
        let rows = filled(sent);
        let count = (rows.len() + 1).clamp(USUAL_STEPS, MAX_STEPS);
        html! {
            fieldset.field {
                legend { "Steps" }
                p.hint { "2 to 10 steps. * at the end of a path or event name matches anything. Example: /docs/*. Empty rows are ignored." }
                @for place in 0..count { (draw_step((rows.get(place).copied(), place), sent, problems)) }
                @for message in problems.exactly("steps") { p.wrong { (message) } }
            }
        }
    }
}

fn read_step(sent: &FormData, at: usize) -> Value {
    let some = |field: &str| sent.some(&name(at, field));
    let target = some("target").unwrap_or_default();
    let mut step = json!({
        "type": some("type").unwrap_or("PAGE_VIEW"), "target": target, "name": some("name").unwrap_or(target),
    });
    let conditions = filters::read(&name(at, "conditions"), sent);
    if !conditions.is_empty() {
        step["conditions"] = json!(conditions);
    }
    step
}

/// A row of the form, with what was sent in another.
fn draw_step((at, place): (Option<usize>, usize), sent: &FormData, problems: &Problems) -> Markup {
    let value = |field: &str| at.map_or("", |at| sent.raw(&name(at, field)));
    html! {
        div.inline {
            select name=(name(place, "type")) aria-label=(format!("Type of step {}", place + 1)) {
                @for (kind, label) in TYPES { option value=(kind) selected[*kind == value("type")] { (label) } }
            }
            input name=(name(place, "target")) value=(value("target")) placeholder="/pricing" list=(TARGETS) aria-label=(format!("Path or event of step {}", place + 1));
            input name=(name(place, "name")) value=(value("name")) placeholder="Name" aria-label=(format!("Name of step {}", place + 1));
        }
        (draw_conditions(sent, (at, place), problems))
        @if at.is_some() { @for message in problems.beside(&format!("steps[{place}]")) { p.wrong { (message) } } }
    }
}

/// The filters that an event has to pass to take a step, beside its name.
fn draw_conditions(
    sent: &FormData,
    (at, place): (Option<usize>, usize),
    problems: &Problems,
) -> Markup {
    let from = name(at.unwrap_or(MAX_STEPS), "conditions");
    let is_used = !filters::read(&from, sent).is_empty();
    html! {
        details.behind open[is_used] {
            summary { "Step " (place + 1) " conditions" }
            p.hint { "All conditions must match. Use " code { "property:name" } " for event properties." }
            (filters::draw_rows((&from, &name(place, "conditions")), sent, 1, problems))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        http::pages::form::{Choices, Inputs},
        pages::time::DateFormat,
    };

    fn resend(kind: &str, saved: &Value) -> Value {
        let date_format = DateFormat::default();
        let inputs = Inputs::new(FORM, kind, &date_format);
        let sent = inputs.fill(saved).unwrap();
        Value::Object(inputs.read(&sent).unwrap())
    }

    #[test]
    fn what_is_sent_as_it_was_shown_stays() {
        let goal = json!({
            "name": "Paid", "description": null, "type": "EVENT", "target": "paid", "countBy": "session", "filters": null,
            "ignoreHistoricData": true, "isActive": false,
        });
        assert_eq!(resend("goal", &goal), goal);
        let funnel = json!({
            "name": "Way", "description": "d", "countBy": "visitor", "windowSeconds": 60, "ignoreHistoricData": false, "isActive": true,
            "filters": [{ "field": "country", "operator": "equals", "value": "DE" }],
            "steps": [
                { "type": "PAGE_VIEW", "target": "/", "name": "Home" },
                { "type": "EVENT", "target": "paid", "name": "Paid", "conditions": [{ "field": "property:plan", "operator": "equals", "value": "pro" }] },
            ],
        });
        assert_eq!(resend("funnel", &funnel), funnel);
    }

    #[test]
    fn a_step_is_called_as_it_is_taken_unless_said() {
        let sent = FormData::with([
            ("steps.1.target", "/a".to_owned()),
            ("steps.1.type", "PAGE_VIEW".to_owned()),
        ]);
        let date_format = DateFormat::default();
        let inputs = Inputs::new(NEW, "funnel", &date_format);
        let body = inputs.read(&sent).unwrap();
        assert_eq!(
            body["steps"],
            json!([{ "type": "PAGE_VIEW", "target": "/a", "name": "/a" }])
        );
        assert!(!body.contains_key("isActive"));
        let drawn = inputs.draw(&sent, &Choices::default(), &Problems::NONE);
        let drawn = drawn.into_string();
        assert!(
            drawn.contains("name=\"steps.0.target\" value=\"/a\""),
            "{drawn}"
        );
    }
}
