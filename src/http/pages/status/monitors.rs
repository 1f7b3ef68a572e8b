//! The monitors of a status page.

use serde_json::json;

use crate::{
    fault::Issue,
    http::{
        pages::{form::value_or_issues, prelude::*},
        procedures::{
            status_page::{
                bodies::{MonitorBody, SettingsBody},
                pages,
                wire::{ListedOut, WholePageOut},
            },
            uptime::{self, ListBody},
        },
    },
    pages::part::{empty, hidden},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/status-page/{page}/monitors/add", |route| {
            route.to(add)
        }),
        form_route("/console/status-page/{page}/monitors/remove", |route| {
            route.to(remove)
        }),
        form_route("/console/status-page/{page}/monitors/set", |route| {
            route.to(set)
        }),
    ]
}

/// The name of a monitor, or else its target.
fn monitor_name<'a>(name: Option<&'a str>, url: Option<&'a str>) -> &'a str {
    let mut named = [name, url].into_iter().flatten();
    named.find(|text| !text.is_empty()).unwrap_or("Monitor")
}

fn listed_name(listed: &ListedOut) -> &str {
    let own = listed.uptime_schedule.as_ref();
    let own = own.map(|own| monitor_name(own.name.as_deref(), Some(&own.url)));
    let name = listed.fields.display_name.as_deref();
    name.or(own).unwrap_or("Deleted monitor")
}

/// Whether a monitor opens and closes incidents.
const AUTOMATIC: [(&str, &str); 3] = [
    ("", "Page setting"),
    ("true", "Open and resolve"),
    ("false", "Never open"),
];

/// The monitors of a page, and a form that adds others.
pub(super) async fn draw(
    context: &PageContext,
    found: &WholePageOut,
    can_write: bool,
) -> Result<Markup, Fault> {
    let listed = &found.monitors;
    let mut others = if can_write {
        let all = ListBody::default();
        context.ask(&uptime::LIST_SCHEDULES, all).await?
    } else {
        Vec::new()
    };
    others.retain(|one| !listed.iter().any(|own| own.uptime_schedule_id == one.id));
    let own = WholePageOut::path(&[&found.page.id]);
    Ok(html! {
        @if listed.is_empty() { (empty("No monitors on this page", &html! {
            @if others.is_empty() { p { "Create a monitor first." } a.button href="/console/monitors/new" { "Create monitor" } }
            @else { "Add what your visitors rely on." }
        })) }
        @else { div.rows { @for one in listed { (row(one, &own, can_write)) } } }
        @if !others.is_empty() {
            form.search method="post" action=(format!("{own}/monitors/add")) {
                div.field {
                    label for="monitor" { "Monitor" }
                    select #monitor name="monitor" { @for one in &others { option value=(one.id) { (monitor_name(one.fields.name.as_deref(), one.fields.url.as_deref())) } } }
                }
                button.button type="submit" { "Add monitor" }
            }
        }
    })
}

/// A monitor, with its settings behind its name.
fn row(one: &ListedOut, own: &str, can_write: bool) -> Markup {
    let text = |name: &str, label: &str, kind: &str, value: &str| {
        let id = format!("{name}-{}", one.id);
        html! { div.field { label for=(id) { (label) } input id=(id) name=(name) type=(kind) value=(value); } }
    };
    let checkbox = |name: &str, label: &str, on: bool| {
        let id = format!("{name}-{}", one.id);
        html! { p.tick { input id=(id) name=(name) type="checkbox" value="on" checked[on]; label for=(id) { (label) } } }
    };
    let shown = &one.fields;
    let automatic = shown.automatic_incidents.map(|on| on.to_string());
    let automatic = automatic.unwrap_or_default();
    let monitor = one.uptime_schedule.as_ref();
    let is_unnamed = shown.hide_url
        && shown.display_name.is_none()
        && monitor.is_some_and(|own| own.name.is_none());
    html! {
        @if !can_write { p { (listed_name(one)) @if let Some(group) = &shown.group { span.dim { " · " (group) } } } }
        @else { details.listed {
            summary { (listed_name(one)) @if let Some(group) = &shown.group { span.dim { " · " (group) } } }
            form.form method="post" action=(format!("{own}/monitors/set")) {
                (hidden("id", &one.id))
                (text("displayName", "Display name", "text", shown.display_name.as_deref().unwrap_or_default()))
                @if is_unnamed { p.hint { "Visitors see “Unnamed monitor” until you set a name." } }
                (text("group", "Group", "text", shown.group.as_deref().unwrap_or_default()))
                (text("order", "Position", "number", &shown.order.to_string()))
                (checkbox("hideUrl", "Hide URL", shown.hide_url))
                (checkbox("hideUptimePercentage", "Hide uptime", shown.hide_uptime_percentage))
                (checkbox("hideLatency", "Hide response times", shown.hide_latency))
                div.field {
                    @let id = format!("automatic-{}", one.id);
                    label for=(id) { "Automatic incidents" }
                    select id=(id) name="automaticIncidents" {
                        @for (value, label) in AUTOMATIC { option value=(value) selected[value == automatic] { (label) } }
                    }
                }
                p.send { button.button.first type="submit" { "Save" } }
            }
            form.plain method="post" action=(format!("{own}/monitors/remove")) {
                (hidden("monitor", &one.uptime_schedule_id))
                button.button.danger.small type="submit" { "Remove" }
            }
        } }
    }
}

fn monitor_body(page: &str, sent: &FormData) -> MonitorBody {
    MonitorBody {
        status_page_id: page.to_owned(),
        uptime_schedule_id: sent.text("monitor").to_owned(),
    }
}

async fn add(form: Submission) -> Result<HttpResponse, Fault> {
    let input = monitor_body(form.key.id(), &form.sent);
    let outcome = form.context.ask(&pages::ADD_MONITOR, input).await;
    form.finish_change::<WholePageOut>(outcome).await
}

async fn remove(form: Submission) -> Result<HttpResponse, Fault> {
    let input = monitor_body(form.key.id(), &form.sent);
    let outcome = form.context.change(&pages::REMOVE_MONITOR, input).await;
    form.finish_change::<WholePageOut>(outcome).await
}

/// Reads the settings of a monitor on a page.
fn read_settings(sent: &FormData) -> Result<SettingsBody, Fault> {
    let mut issues: Vec<Issue> = Vec::new();
    let order: Option<u32> = sent.number("order", &mut issues);
    let order = value_or_issues(order, issues, "Invalid position")?;
    let automatic = sent.some("automaticIncidents").map(|text| text == "true");
    let checkboxes = ["hideUrl", "hideUptimePercentage", "hideLatency"];
    let checkboxes = checkboxes.map(|name| (name, json!(sent.is_on(name))));
    let fields = [
        ("displayName", json!(sent.some("displayName"))),
        ("group", json!(sent.some("group"))),
        ("order", json!(order.unwrap_or_default())),
        ("automaticIncidents", json!(automatic)),
    ];
    let fields = fields.into_iter().chain(checkboxes);
    Ok(SettingsBody {
        monitor_id: sent.text("id").to_owned(),
        fields: fields
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    })
}

async fn set(form: Submission) -> Result<HttpResponse, Fault> {
    let outcome = match read_settings(&form.sent) {
        Ok(input) => {
            form.context
                .ask(&pages::UPDATE_MONITOR_SETTINGS, input)
                .await
        }
        Err(fault) => Err(fault),
    };
    form.finish_change::<WholePageOut>(outcome).await
}
