//! All alerts with their state.

use super::{about, draw_state};
use crate::{
    http::{
        pages::prelude::*,
        procedures::{alarms, alarms_wire::AlarmOut, bodies::OrganizationBody},
    },
    pages::{
        frame::Choice,
        part::{Heading, ListPage, resource_table},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/alarms", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let alarms = context
        .ask(&alarms::LIST, OrganizationBody::default())
        .await?;
    let websites = context.websites();
    let can_write = context.can(Permission::AlarmWrite);
    let page = ListPage {
        title: "Alerts",
        create: can_write.then_some(("/console/alarms/new", "Create alert")),
        none: "No alerts yet",
        about: "An alert notifies you when a monitor is down, traffic changes or errors increase, and again when it is over.",
        live: Some("alarms"),
    };
    let table = (!alarms.is_empty()).then(|| table(&alarms, &websites));
    Ok(context.show(NavItem::Alerts, page.title, &page.draw(&html! {}, table)))
}

fn table(alarms: &[AlarmOut], websites: &[Choice]) -> Markup {
    let site = |alarm: &AlarmOut| {
        let own = websites
            .iter()
            .find(|one| Some(&one.id) == alarm.fields.website_id.as_ref());
        own.map_or("Entire organization", |one| &one.name)
            .to_owned()
    };
    let headings = ["Alert", "Scope", "Channels", "Status"].map(Heading::Text);
    let rows = html! {
        @for alarm in alarms { tr {
            td { a.name href=(AlarmOut::path(&[&alarm.id])) { (alarm.fields.name) } span.dim { (about(alarm.fields.trigger_type)) } }
            td data-label="Scope" { (site(alarm)) }
            td data-label="Channels" {
                @for (at, to) in alarm.destinations.iter().enumerate() { @if at > 0 { ", " } (to.kind.as_str()) }
                @if alarm.destinations.iter().any(|to| to.disabled.is_some()) { " " span.state.warn { "a channel is disabled" } }
            }
            td { (draw_state(alarm)) }
        } }
    };
    resource_table("Alerts, newest first", &headings, &rows)
}
