//! What a flag is for somebody, and how that came about.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::{
    fields::{json_of, pretty},
    path,
};
use crate::{
    fault::Fault,
    http::{
        pages::{
            context::{PageContext, told},
            form::{FormData, sound},
        },
        procedures::flags::{self, ExplainOut},
    },
    pages::{part::Field, problem::Problems},
};

/// Who may be asked about: parameter, label.
const WHO: [(&str, &str); 4] = [
    ("userId", "User id"),
    ("email", "E-mail address"),
    ("organizationId", "Organization"),
    ("teamId", "Team"),
];

/// The question in the address, with its answer.
pub(super) async fn draw(context: &PageContext, id: &str) -> Result<Markup, Fault> {
    let mut asked: Vec<(&str, String)> =
        WHO.map(|(name, _)| (name, context.parameter(name))).into();
    asked.push(("properties", context.parameter("properties")));
    let is_asked = context.request.query_string().contains("userId=");
    let asked = FormData::with(asked);
    let mut problems = Problems::NONE;
    let mut found = None;
    if is_asked {
        match explained(context, id, &asked).await {
            Ok(explained) => found = Some(explained),
            Err(fault) => problems = told(fault)?.1,
        }
    }
    let properties = Field::text("properties", "Properties").optional();
    let properties = properties
        .hint("A JSON object: {\"plan\": \"pro\"}")
        .value(asked.raw("properties"));
    Ok(html! {
        form.form method="get" action=(path(id)) {
            @for said in problems.above(&["properties"]) { p.wrong role="alert" { (said) } }
            @for (name, label) in WHO { (Field::text(name, label).value(asked.raw(name)).optional().draw(&Problems::NONE)) }
            (properties.lines(2, &problems))
            p.send { button.button type="submit" { "Explain" } }
        }
        @if let Some(found) = found { (answer(&found)) }
    })
}

async fn explained(context: &PageContext, id: &str, asked: &FormData) -> Result<ExplainOut, Fault> {
    let mut issues = Vec::new();
    let properties = json_of(asked, "properties", &mut issues).unwrap_or_else(|| json!({}));
    let mut subject = json!({ "properties": sound(properties, issues, "Invalid context")? });
    for (name, _) in WHO {
        subject[name] = json!(asked.some(name));
    }
    let input = [("id", json!(id)), ("context", subject)];
    let input = input.map(|(name, value)| (name.to_owned(), value));
    let input = input.into_iter().collect();
    context.submit(&flags::EXPLAIN, input).await
}

fn answer(found: &ExplainOut) -> Markup {
    let trace = json!(found.trace);
    let steps = trace.as_array().map_or(&[][..], Vec::as_slice);
    let is_on = found.result["enabled"] == true;
    html! {
        dl.facts {
            dt { "It is" } dd { span.state.good[is_on] { (if is_on { "on" } else { "off" }) } @if !found.active { " (or would be: it is not active)" } }
            dt { "Value" } dd { code { (found.result["value"]) } }
            dt { "Because" } dd { (found.result["reason"].as_str().unwrap_or_default()) }
            @if let Some(variant) = found.result["variant"].as_str() { dt { "Variant" } dd { (variant) } }
        }
        @if !steps.is_empty() {
            ol.rows { @for step in steps { li { (told_of(step)) } } }
        }
    }
}

/// A step of the way to a decision, in words.
fn told_of(step: &Value) -> String {
    let text = |name: &str| step[name].as_str().unwrap_or_default();
    let matched = if step["matched"] == true {
        "matches, and decides"
    } else {
        "does not match"
    };
    let place = step["index"].as_u64().map_or(0, |index| index + 1);
    match text("step") {
        "dependency" if step["active"] == true => format!("The flag {} is active.", text("key")),
        "dependency" => format!("The flag {} is not active.", text("key")),
        "rule" => format!("Rule {place} {matched}."),
        "target_group" => format!("Rule {place} of the group {} {matched}.", text("name")),
        "rollout" => format!(
            "Its bucket is {} (of {}); the flag is on below {}.",
            step["bucket"],
            text("input"),
            step["percentage"]
        ),
        "variant" => format!(
            "Its bucket is {} (of {}): {}.",
            step["bucket"],
            text("input"),
            text("variant")
        ),
        _ => pretty(step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_in_words() {
        for (step, said) in [
            (
                json!({ "step": "rule", "index": 0, "matched": true }),
                "Rule 1 matches, and decides.",
            ),
            (
                json!({ "step": "dependency", "key": "a", "active": false }),
                "The flag a is not active.",
            ),
            (
                json!({ "step": "rollout", "bucket": 7, "input": "f:u", "percentage": 5 }),
                "Its bucket is 7 (of f:u); the flag is on below 5.",
            ),
        ] {
            assert_eq!(told_of(&step), said);
        }
        assert!(told_of(&json!({ "step": "other" })).contains("other"));
    }
}
