//! All alarms with their state.

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
        title: "Alarms",
        create: can_write.then_some(("/console/alarms/new", "Make an alarm")),
        none: "There is no alarm yet",
        about: "An alarm tells people when something is wrong, and when it is over: a monitor that is down, a page that nobody visits any more, errors that pile up.",
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
        own.map_or("everything", |one| &one.name).to_owned()
    };
    let headings = ["Alarm", "Of", "Tells", "Now"].map(Heading::Text);
    let rows = html! {
        @for alarm in alarms { tr {
            td { a.name href=(AlarmOut::path(&[&alarm.id])) { (alarm.fields.name) } span.dim { (about(alarm.fields.trigger_type)) } }
            td data-label="Of" { (site(alarm)) }
            td data-label="Tells" {
                @for (at, to) in alarm.destinations.iter().enumerate() { @if at > 0 { ", " } (to.kind.as_str()) }
                @if alarm.destinations.iter().any(|to| to.disabled.is_some()) { " " span.state.warn { "one is switched off" } }
            }
            td { (draw_state(alarm)) }
        } }
    };
    resource_table("Alarms, newest first", &headings, &rows)
}
