//! The monitors on a status page: putting them on it, how each is shown, taking them off.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{path, show::done};
use crate::{
    fault::{Fault, Issue},
    http::{
        pages::{
            context::PageContext,
            form::{FormData, sound},
            sent,
        },
        routes::Route,
    },
    pages::part::{empty, hidden},
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        sent("/console/status-page/{page}/monitors/add", |route| {
            route.to(add)
        }),
        sent("/console/status-page/{page}/monitors/remove", |route| {
            route.to(remove)
        }),
        sent("/console/status-page/{page}/monitors/set", |route| {
            route.to(set)
        }),
    ]
}

/// A monitor on the page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    id: String,
    uptime_schedule_id: String,
    display_name: Option<String>,
    hide_url: bool,
    hide_uptime_percentage: bool,
    hide_latency: bool,
    order: u32,
    group: Option<String>,
    automatic_incidents: Option<bool>,
    uptime_schedule: Option<Monitor>,
}

#[derive(Deserialize)]
struct Monitor {
    id: String,
    name: Option<String>,
    url: Option<String>,
}

impl Monitor {
    fn name(&self) -> &str {
        let named = [&self.name, &self.url];
        let mut named = named.into_iter().flatten().filter(|text| !text.is_empty());
        named.next().map_or("Monitor", String::as_str)
    }
}

impl Listed {
    fn name(&self) -> &str {
        let own = self.uptime_schedule.as_ref().map(Monitor::name);
        let said = self.display_name.as_deref();
        said.or(own).unwrap_or("A monitor that is gone")
    }
}

/// Who opens and closes incidents of a monitor.
const AUTOMATIC: [(&str, &str); 3] = [
    ("", "As the page says"),
    ("true", "Opens and closes incidents"),
    ("false", "Opens none"),
];

/// The monitors of a page, and a way to put others on it.
pub(super) async fn draw(
    context: &PageContext,
    page: &str,
    found: &Value,
    may: bool,
) -> Result<Markup, Fault> {
    let listed = Vec::<Listed>::deserialize(&found["monitors"]).map_err(Fault::internal)?;
    let others: Vec<Monitor> = if may {
        context.ask("uptime", "listSchedules", json!({})).await?
    } else {
        Vec::new()
    };
    let is_off = |one: &&Monitor| !listed.iter().any(|own| own.uptime_schedule_id == one.id);
    let others: Vec<&Monitor> = others.iter().filter(is_off).collect();
    let own = path(page);
    Ok(html! {
        @if listed.is_empty() { (empty("No monitor is shown", &html! {
            @if others.is_empty() { p { "First watch something." } a.button href="/console/monitors/new" { "Watch something" } }
            @else { "Put those on the page that its readers rely on." }
        })) }
        @else { div.rows { @for one in &listed { (row(one, &own, may)) } } }
        @if !others.is_empty() {
            form.search method="post" action=(format!("{own}/monitors/add")) {
                div.field {
                    label for="monitor" { "Put on the page" }
                    select #monitor name="monitor" { @for one in &others { option value=(one.id) { (one.name()) } } }
                }
                button.button type="submit" { "Put it there" }
            }
        }
    })
}

/// A monitor, with how it is shown behind its name.
fn row(one: &Listed, own: &str, may: bool) -> Markup {
    let text = |name: &str, label: &str, kind: &str, value: &str| {
        let id = format!("{name}-{}", one.id);
        html! { div.field { label for=(id) { (label) } input id=(id) name=(name) type=(kind) value=(value); } }
    };
    let tick = |name: &str, label: &str, on: bool| {
        let id = format!("{name}-{}", one.id);
        html! { p.tick { input id=(id) name=(name) type="checkbox" value="on" checked[on]; label for=(id) { (label) } } }
    };
    let automatic = one.automatic_incidents.map(|on| on.to_string());
    let automatic = automatic.unwrap_or_default();
    html! {
        @if !may { p { (one.name()) @if let Some(group) = &one.group { span.dim { " · " (group) } } } }
        @else { details.listed {
            summary { (one.name()) @if let Some(group) = &one.group { span.dim { " · " (group) } } }
            form.form method="post" action=(format!("{own}/monitors/set")) {
                (hidden("id", &one.id))
                (text("displayName", "Called on the page", "text", one.display_name.as_deref().unwrap_or_default()))
                (text("group", "Under the heading", "text", one.group.as_deref().unwrap_or_default()))
                (text("order", "Place", "number", &one.order.to_string()))
                (tick("hideUrl", "Do not show what is checked", one.hide_url))
                (tick("hideUptimePercentage", "Do not show percentages", one.hide_uptime_percentage))
                (tick("hideLatency", "Do not show response times", one.hide_latency))
                div.field {
                    @let id = format!("automatic-{}", one.id);
                    label for=(id) { "When it goes down, it" }
                    select id=(id) name="automaticIncidents" {
                        @for (value, label) in AUTOMATIC { option value=(value) selected[value == automatic] { (label) } }
                    }
                }
                p.send { button.button.first type="submit" { "Save" } }
            }
            form.plain method="post" action=(format!("{own}/monitors/remove")) {
                (hidden("monitor", &one.uptime_schedule_id))
                button.button.danger.small type="submit" { "Take it off the page" }
            }
        } }
    }
}

async fn add(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "statusPageId": *id, "uptimeScheduleId": sent.text("monitor") });
    let outcome: Result<Value, Fault> = context.ask("statusPage", "addMonitor", input).await;
    done(&context, &id, outcome, None).await
}

async fn remove(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "statusPageId": *id, "uptimeScheduleId": sent.text("monitor") });
    let outcome: Result<Value, Fault> = context.ask("statusPage", "removeMonitor", input).await;
    done(&context, &id, outcome, None).await
}

/// What a form says of how a monitor is shown.
fn said(sent: &FormData) -> Result<Value, Fault> {
    let mut issues: Vec<Issue> = Vec::new();
    let order: Option<u32> = sent.number("order", &mut issues);
    let order = sound(order, issues, "Invalid place")?;
    let automatic = sent.some("automaticIncidents").map(|text| text == "true");
    Ok(json!({
        "monitorId": sent.text("id"), "displayName": sent.some("displayName"), "group": sent.some("group"),
        "order": order.unwrap_or_default(), "hideUrl": sent.is_on("hideUrl"),
        "hideUptimePercentage": sent.is_on("hideUptimePercentage"), "hideLatency": sent.is_on("hideLatency"),
        "automaticIncidents": automatic,
    }))
}

async fn set(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let outcome: Result<Value, Fault> = async {
        let input = said(&sent)?;
        context
            .ask("statusPage", "updateMonitorSettings", input)
            .await
    }
    .await;
    done(&context, &id, outcome, None).await
}
