//! What happened to a flag.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::fields::pretty;
use crate::{
    fault::Fault,
    http::pages::context::PageContext,
    pages::{
        part::time,
        time::{DateFormat, moment},
    },
};

/// Changes that are shown.
const MAX: usize = 50;

#[derive(Deserialize)]
struct Change {
    #[serde(rename = "changeType")]
    kind: String,
    #[serde(rename = "changedBy")]
    author: Value,
    before: Option<Value>,
    after: Option<Value>,
    #[serde(rename = "createdAt")]
    at: String,
}

/// The last changes, the newest first, with the fields that each changed.
pub(super) async fn draw(
    context: &PageContext,
    id: &str,
    date_format: &DateFormat,
) -> Result<Markup, Fault> {
    let changes: Vec<Change> = context.ask("flags", "history", json!({ "id": id })).await?;
    Ok(html! {
        div.scroll { table.table.report {
            thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "Who" } th scope="col" { "Fields" } } }
            tbody { @for change in changes.iter().take(MAX) { tr {
                td { @if let Some(at) = moment(&change.at) { (time(at, &date_format.moment(at), date_format)) } }
                td data-label="What" { (change.kind.replace('_', " ")) }
                td data-label="Who" { (author(context, &change.author)) }
                td data-label="Fields" { @for (name, before, after) in changed(change) {
                    details.long { summary { (name) } pre { (before) " → " (after) } }
                } }
            } } }
        } }
    })
}

/// Who made a change: a person by name, else what it was.
fn author(context: &PageContext, by: &Value) -> String {
    let text = |name: &str| by[name].as_str().unwrap_or_default();
    let (kind, id) = (text("type"), text("id"));
    let view = context.shared().organizations.view();
    let person = view.person(&id.into()).filter(|_| kind == "user");
    person.map_or_else(|| format!("{kind} {id}"), |person| person.name.clone())
}

/// The fields that differ, with what they were and what they are.
fn changed(change: &Change) -> Vec<(&str, String, String)> {
    let (Some(Value::Object(before)), Some(Value::Object(after))) = (&change.before, &change.after)
    else {
        return Vec::new();
    };
    let differ = after
        .iter()
        .filter(|(name, value)| before.get(*name) != Some(value) && *name != "updatedAt");
    differ
        .map(|(name, value)| {
            (
                name.as_str(),
                before.get(name).map(pretty).unwrap_or_default(),
                pretty(value),
            )
        })
        .collect()
}
