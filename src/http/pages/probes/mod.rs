//! Probes: their list with a map, one with its settings, and the form of a new one.

mod show;

use self::show::NewProbe;
use super::resource::creation;
use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            bodies::OrganizationBody,
            probes::{self, NewProbeOut, ProbeOut, ProbeStatus},
        },
    },
    pages::{
        chart::{Place, places},
        part::{Heading, ListPage, copyable, notice, panel, resource_table, time},
        time::{ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![page_route(ProbeOut::LIST, |route| route.to(list))];
    routes.extend(creation::<NewProbe>());
    routes.extend(show::routes());
    routes
}

const fn describe(status: ProbeStatus) -> (&'static str, &'static str) {
    match status {
        ProbeStatus::New => ("", "Not connected yet"),
        ProbeStatus::Reporting => ("good", "Reporting"),
        ProbeStatus::Silent => ("bad", "Not reporting"),
        ProbeStatus::Revoked => ("", "Revoked"),
    }
}

fn draw_state(probe: &ProbeOut) -> Markup {
    let (class, label) = describe(probe.status);
    html! { span class={ "state " (class) } { (label) } }
}

fn last_seen(probe: &ProbeOut, date_format: &DateFormat, now_ms: i64) -> Markup {
    html! {
        @match probe.last_seen_at.as_deref().and_then(moment) {
            Some(at) => (time(at, &ago(at, now_ms), date_format)),
            None => "Never",
        }
    }
}

async fn list(context: PageContext) -> Result<HttpResponse, Fault> {
    let all = context
        .ask(&probes::LIST, OrganizationBody::default())
        .await?;
    let can_write = context.can(Permission::MonitorWrite);
    let page = ListPage {
        title: "Probes",
        create: can_write.then_some(("/console/probes/new", "Create probe")),
        none: "No probes yet",
        about: "A probe checks monitors from another location, and calls this server with the results.",
        live: None,
    };
    let date_format = context.date_format().await?;
    let now_ms = context.shared().clock.now_ms();
    let on_map: Vec<Place> = all.iter().filter_map(place).collect();
    let above = html! {
        @if !on_map.is_empty() { (panel("Locations", &places("Locations of probes", &on_map))) }
    };
    let table = (!all.is_empty()).then(|| draw_table(&all, &date_format, now_ms));
    let main = page.draw(&above, table);
    Ok(context.show(NavItem::Monitors, page.title, &main))
}

fn place(probe: &ProbeOut) -> Option<Place> {
    let (class, label) = describe(probe.status);
    Some(Place {
        label: format!("{}: {label}", probe.fields.name),
        at: (probe.fields.latitude?, probe.fields.longitude?),
        class,
        link: ProbeOut::path(&[&probe.id]),
    })
}

fn draw_table(all: &[ProbeOut], date_format: &DateFormat, now_ms: i64) -> Markup {
    let headings = [
        Heading::Text("Probe"),
        Heading::Text("Status"),
        Heading::Text("Last seen"),
        Heading::Number("Monitors"),
    ];
    let rows = html! {
        @for probe in all { tr {
            td { a.name href=(ProbeOut::path(&[&probe.id])) { (probe.fields.name) } }
            td data-label="Status" { (draw_state(probe)) }
            td data-label="Last seen" { (last_seen(probe, date_format, now_ms)) }
            td.num data-label="Monitors" { (probe.monitors) }
        } }
    };
    resource_table("Probes by name", &headings, &rows)
}

/// The page with a new token, which is shown once.
fn draw_token(context: &PageContext, title: &str, new: &NewProbeOut) -> HttpResponse {
    let main = html! {
        div.title-row { h1 { (title) } }
        (notice("good", &html! {
            p { strong { "Token created. " } "Copy it now. It isn't shown again." }
        }))
        section.panel {
            p { "Run this command in the other location:" }
            (copyable("Command", &new.command))
            p { a.button href=(ProbeOut::path(&[&new.probe.id])) { "View probe" } }
        }
    };
    context.show(NavItem::Monitors, title, &main)
}
