//! The test evaluation of a flag.

use serde_json::json;

use crate::{
    actors::flags::engine::Step,
    http::{
        pages::{context::form_problems, form::value_or_issues, prelude::*},
        procedures::flags::{self, ExplainOut, shapes::FlagOut},
    },
    pages::part::Field,
};

/// Parameters of the subject, with their labels.
const WHO: [(&str, &str); 4] = [
    ("userId", "User ID"),
    ("email", "Email"),
    ("organizationId", "Organization"),
    ("teamId", "Team"),
];

/// The form of the evaluation, with its result.
pub(super) async fn draw(context: &PageContext, id: &str) -> Result<Markup, Fault> {
    let mut query: Vec<(&str, String)> =
        WHO.map(|(name, _)| (name, context.parameter(name))).into();
    query.push(("properties", context.parameter("properties")));
    let is_asked = context.request.query_string().contains("userId=");
    let query = FormData::with(query);
    let mut problems = Problems::NONE;
    let mut found = None;
    if is_asked {
        match evaluate(context, id, &query).await {
            Ok(explained) => found = Some(explained),
            Err(fault) => problems = form_problems(fault)?.1,
        }
    }
    let properties = Field::text("properties", "Properties").optional();
    let properties = properties
        .hint("A JSON object. Example: {\"plan\": \"pro\"}")
        .value(query.raw("properties"));
    Ok(html! {
        form.form method="get" action=(FlagOut::path(&[id])) {
            @for message in problems.above(&["properties"]) { p.wrong role="alert" { (message) } }
            @for (name, label) in WHO { (Field::text(name, label).value(query.raw(name)).optional().draw(&Problems::NONE)) }
            (properties.lines(2, &problems))
            p.send { button.button type="submit" { "Test evaluation" } }
        }
        @if let Some(found) = found { (draw_answer(&found)) }
    })
}

async fn evaluate(context: &PageContext, id: &str, query: &FormData) -> Result<ExplainOut, Fault> {
    let mut issues = Vec::new();
    let properties = query
        .json("properties", &mut issues)
        .unwrap_or_else(|| json!({}));
    let mut subject =
        json!({ "properties": value_or_issues(properties, issues, "Invalid context")? });
    for (name, _) in WHO {
        subject[name] = json!(query.some(name));
    }
    let input = [("id", json!(id)), ("context", subject)];
    let input = input.map(|(name, value)| (name.to_owned(), value));
    let input = input.into_iter().collect();
    context.submit(&flags::EXPLAIN, input).await
}

fn draw_answer(found: &ExplainOut) -> Markup {
    let result = &found.result;
    let steps = found.trace.steps();
    html! {
        dl.facts {
            dt { "Result" } dd { span.state.good[result.enabled] { (if result.enabled { "On" } else { "Off" }) } @if !found.active { " (if the flag were active)" } }
            dt { "Value" } dd { code { (result.value) } }
            dt { "Reason" } dd { (json!(result.reason).as_str().unwrap_or_default()) }
            @if let Some(variant) = &result.variant { dt { "Variant" } dd { (variant) } }
        }
        @if !steps.is_empty() {
            ol.rows { @for step in steps { li { (describe_step(step)) } } }
        }
    }
}

/// A step of the evaluation, in words.
fn describe_step(step: &Step) -> String {
    let describe_match = |matched: &bool| {
        if *matched {
            "matches and decides"
        } else {
            "does not match"
        }
    };
    match step {
        Step::Dependency { key, active: true } => format!("Prerequisite {key} is active."),
        Step::Dependency { key, .. } => format!("Prerequisite {key} is not active."),
        Step::Rule { index, matched } => {
            format!("Rule {} {}.", index + 1, describe_match(matched))
        }
        Step::TargetGroup {
            name,
            index,
            matched,
            ..
        } => format!(
            "Rule {} of target group {name} {}.",
            index + 1,
            describe_match(matched)
        ),
        Step::Rollout {
            bucket,
            input,
            percentage,
        } => format!("Bucket {bucket} (of {input}). The flag is on below {percentage}."),
        Step::Variant {
            bucket,
            input,
            variant,
        } => format!("Bucket {bucket} (of {input}). Variant: {variant}."),
        Step::NoIdentifier => "The context has no ID to choose a bucket by.".to_owned(),
        Step::Default => "The default rule decides.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_sentence() {
        for (step, text) in [
            (
                Step::Rule {
                    index: 0,
                    matched: true,
                },
                "Rule 1 matches and decides.",
            ),
            (
                Step::Dependency {
                    key: "a".to_owned(),
                    active: false,
                },
                "Prerequisite a is not active.",
            ),
            (
                Step::Rollout {
                    bucket: 7,
                    input: "f:u".to_owned(),
                    percentage: 5,
                },
                "Bucket 7 (of f:u). The flag is on below 5.",
            ),
        ] {
            assert_eq!(describe_step(&step), text);
        }
        assert_eq!(describe_step(&Step::Default), "The default rule decides.");
    }
}
