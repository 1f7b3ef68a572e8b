//! The audit log.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    actors::audit::Action,
    http::{
        organizations::members,
        pages::prelude::*,
        procedures::{
            audit::{self, EntryOut, ListBody},
            logged_actions,
        },
    },
    pages::{
        part::{choice, empty, time},
        problem::capitalize,
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

/// Every action that can be in the log, and its label: `Short link: create` of `short_link.create`.
fn actions() -> Vec<(String, String)> {
    let known = Action::ALL.iter().map(|action| action.as_str().to_owned());
    let known: BTreeSet<String> = known.chain(logged_actions()).collect();
    let label = |action: String| (action.clone(), describe(&action));
    let all = (String::new(), "All actions".to_owned());
    std::iter::once(all)
        .chain(known.into_iter().map(label))
        .collect()
}

fn describe(action: &str) -> String {
    capitalize(&action.replace('_', " ").replace('.', ": "))
}

fn draw(
    entries: &[EntryOut],
    action: &str,
    names: &BTreeMap<String, String>,
    date_format: &DateFormat,
) -> Markup {
    let actions = actions();
    let among: Vec<(&str, &str)> = actions
        .iter()
        .map(|(name, label)| (&**name, &**label))
        .collect();
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
            (choice("action", "Action", &among, action))
            button.button type="submit" { "Filter" }
        }
        section.panel {
            @if entries.is_empty() { (empty("No entries yet", &html! { "Every change of a key, member, role or resource appears here, with who made it." })) }
            @else { (table(entries, names, date_format)) }
        }
        @if let Some(address) = further { nav.bar aria-label="Pages" { a.button href=(address) { "Next" } } }
    }
}

fn table(
    entries: &[EntryOut],
    names: &BTreeMap<String, String>,
    date_format: &DateFormat,
) -> Markup {
    html! {
        div.scroll { table.table.report {
            caption.hide { "Changes, latest first" }
            thead { tr { th scope="col" { "Time" } th scope="col" { "Actor" } th scope="col" { "Action" } th scope="col" { "Resource" } th scope="col" { "Details" } } }
            tbody { @for entry in entries { tr {
                td data-label="Time" { @if let Some(at) = moment(&entry.created_at) { (time(at, &date_format.moment(at), date_format)) } }
                td data-label="Actor" { @match entry.actor_id.as_ref() {
                    Some(id) => { (names.get(id).map_or(entry.actor_type.as_str(), String::as_str)) @if !names.contains_key(id) { " " code { (id) } } },
                    None => (entry.actor_type),
                } }
                td data-label="Action" { (describe(&entry.action)) " " code { (entry.action) } }
                td data-label="Resource" { @if let Some(name) = entry.details["name"].as_str() { (name) " " } code { (entry.target_id) } }
                td data-label="Details" { @if entry.details.as_object().is_some_and(|details| !details.is_empty()) { details.long { summary { "Show details" } pre { (pretty(&entry.details)) } } } }
            } } }
        } }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
