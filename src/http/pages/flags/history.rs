//! The history of a flag.

use serde_json::Value;

use super::fields::pretty;
use crate::{
    actors::flags::{Author, ChangeKind},
    http::{
        pages::prelude::*,
        procedures::{
            bodies::IdBody,
            flags::{self, shapes::ChangeOut},
        },
    },
    pages::{part::time, time::moment},
};

/// Changes of the table.
const MAX: usize = 50;

/// The last changes, the newest first, with the fields that each changed.
pub(super) async fn draw(
    context: &PageContext,
    id: &str,
    date_format: &DateFormat,
) -> Result<Markup, Fault> {
    let id = id.to_owned();
    let changes = context.ask(&flags::HISTORY, IdBody { id }).await?;
    Ok(html! {
        div.scroll { table.table.report {
            thead { tr { th scope="col" { "Time" } th scope="col" { "Action" } th scope="col" { "Actor" } th scope="col" { "Changes" } } }
            tbody { @for change in changes.iter().take(MAX) { tr {
                td { @if let Some(at) = moment(&change.created_at) { (time(at, &date_format.moment(at), date_format)) } }
                td data-label="Action" { (describe_kind(change.change_type)) }
                td data-label="Actor" { (author_name(context, &change.changed_by)) }
                td data-label="Changes" { @for (name, before, after) in find_changed_fields(change) {
                    details.long { summary { (name) } pre { (before) " → " (after) } }
                } }
            } } }
        } }
    })
}

/// The author of a change: a person's name, or the kind of author.
fn author_name(context: &PageContext, author: &Author) -> String {
    match author {
        Author::User(id) => {
            let view = context.shared().organizations.view();
            let person = view.person(id);
            person.map_or_else(|| format!("User {id}"), |person| person.name.clone())
        }
        Author::ApiKey(id) => format!("API key {id}"),
        Author::Schedule(id) => format!("Schedule {id}"),
        Author::Dependency(key) => format!("Prerequisite {key}"),
    }
}

const fn describe_kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Created => "Created",
        ChangeKind::Updated => "Updated",
        ChangeKind::StatusChanged => "Status changed",
        ChangeKind::Archived => "Archived",
        ChangeKind::Restored => "Restored",
    }
}

/// The fields that differ, with their old and new values.
fn find_changed_fields(change: &ChangeOut) -> Vec<(&str, String, String)> {
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
