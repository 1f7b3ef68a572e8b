//! Previews of a change: who of those who asked lately would get another value.

use serde_json::{Map, Value, json};

use crate::{
    actors::flags::engine::Decision,
    http::{
        pages::prelude::*,
        procedures::flags::insight::{self, PreviewChange, PreviewOut},
    },
    pages::{number, part::panel},
};

/// The name of the button that shows a preview.
pub(super) const BUTTON: &str = "preview";

/// The preview of a change.
pub(super) async fn run_preview(
    context: &PageContext,
    id: &str,
    change: Map<String, Value>,
) -> Result<Markup, Fault> {
    let input = [("id", json!(id)), ("change", Value::Object(change))];
    let input = input.map(|(name, value)| (name.to_owned(), value));
    let preview = context.submit(&insight::PREVIEW, input.into_iter().collect());
    Ok(panel("Preview", &draw(&preview.await?)))
}

fn draw(preview: &PreviewOut) -> Markup {
    let count = |count: usize| number::with_noun(count as u64, "context", "contexts");
    html! {
        @if preview.seen == 0 { p { "No evaluations since pharos started, so there is nothing to compare. Nothing is saved yet." } }
        @else {
            p {
                "The result changes for " strong { (preview.changed) } " of the last " (count(preview.seen))
                ": " (preview.turned_on) " turned on, " (preview.turned_off) " turned off. Nothing is saved yet."
            }
        }
        @if !preview.changes.is_empty() {
            div.scroll { table.table.report {
                thead { tr { th scope="col" { "User" } th scope="col" { "Before" } th scope="col" { "After" } } }
                tbody { @for change in &preview.changes { tr {
                    td { (describe_context(change)) }
                    td data-label="Before" { (draw_decision(&change.before)) }
                    td data-label="After" { (draw_decision(&change.after)) }
                } } }
            } }
        }
    }
}

/// The first of what is known of a person.
fn describe_context(change: &PreviewChange) -> String {
    let seen = &change.context;
    let known = [
        &seen.user_id,
        &seen.email,
        &seen.organization_id,
        &seen.team_id,
    ];
    let known = known.into_iter().flatten().next();
    known.cloned().unwrap_or_else(|| "Anonymous".to_owned())
}

fn draw_decision(decision: &Decision<'_>) -> Markup {
    html! {
        span.state.good[decision.enabled] { (if decision.enabled { "On" } else { "Off" }) }
        " " code { (json!(decision.value)) }
    }
}
