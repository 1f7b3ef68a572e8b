//! The audit log.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    http::{
        organizations::members,
        pages::prelude::*,
        procedures::audit::{self, EntryOut, ListBody},
    },
    pages::{
        part::{Field, empty, time},
        time::moment,
    },
};

/// Entries of a page.
const MAX: usize = 50;

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/audit", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let (action, before) = (context.parameter("action"), context.parameter("before"));
    let input = ListBody {
        limit: Some(MAX as u64),
        action: Some(action.clone()).filter(|action| !action.is_empty()),
        before: before.parse().ok(),
        ..ListBody::default()
    };
    let entries = context.ask(&audit::LIST, input).await?;
    let date_format = context.date_format().await?;
    let names = names(&context).await?;
    let main = draw(&entries, &action, &names, &date_format);
    Ok(context.show(NavItem::Audit, "Audit log", &main))
}

/// The names of the organization's members, by id.
async fn names(context: &PageContext) -> Result<BTreeMap<String, String>, Fault> {
    let listed = members::list_members(context.shared(), &context.session, None).await?;
    let names = listed
        .into_iter()
        .map(|member| (member.id, member.user.name));
    Ok(names.collect())
}

fn draw(
    entries: &[EntryOut],
    action: &str,
    names: &BTreeMap<String, String>,
    date_format: &DateFormat,
) -> Markup {
    let field = Field::text("action", "Action").value(action).quiet();
    let further = entries.last().filter(|_| entries.len() == MAX).map(|last| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        if !action.is_empty() {
            query.append_pair("action", action);
        }
        query.append_pair("before", &last.seq.to_string());
        format!("/console/audit?{}", query.finish())
    });
    html! {
        div.title-row { h1 { "Audit log" } }
        form.search method="get" action="/console/audit" {
            (field.example("key.create").draw(&Problems::NONE))
            button.button type="submit" { "Show" }
        }
        section.panel {
            @if entries.is_empty() { (empty("Nothing is logged", &html! { "Changes of keys, members, roles and settings stand here, with who made them." })) }
            @else { (table(entries, names, date_format)) }
        }
        @if let Some(address) = further { nav.bar aria-label="Pages" { a.button href=(address) { "Earlier" } } }
    }
}

fn table(
    entries: &[EntryOut],
    names: &BTreeMap<String, String>,
    date_format: &DateFormat,
) -> Markup {
    html! {
        div.scroll { table.table.report {
            caption.hide { "What was changed, the latest first" }
            thead { tr { th scope="col" { "When" } th scope="col" { "Who" } th scope="col" { "What" } th scope="col" { "Of what" } th scope="col" { "Details" } } }
            tbody { @for entry in entries { tr {
                td data-label="When" { @if let Some(at) = moment(&entry.created_at) { (time(at, &date_format.moment(at), date_format)) } }
                td data-label="Who" { @match entry.actor_id.as_ref() {
                    Some(id) => { (names.get(id).map_or(entry.actor_type.as_str(), String::as_str)) @if !names.contains_key(id) { " " code { (id) } } },
                    None => (entry.actor_type),
                } }
                td data-label="What" { (entry.action) }
                td data-label="Of what" { (entry.target_type) " " code { (entry.target_id) } }
                td data-label="Details" { @if entry.details.as_object().is_some_and(|details| !details.is_empty()) { details.long { summary { "Show" } pre { (pretty(&entry.details)) } } } }
            } } }
        } }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
