//! All alarms as they stand.

use actix_web::HttpResponse;
use maud::{Markup, html};

use super::{about, path, state};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{context::PageContext, page},
        procedures::{
            alarms::{self, ListBody},
            alarms_wire::AlarmOut,
        },
        routes::Route,
    },
    pages::{
        frame::{Choice, Place},
        part::empty,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/alarms", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let alarms = context.ask(&alarms::LIST, ListBody::default()).await?;
    let websites = context.websites();
    let make = html! {
        @if context.may(Permission::AlarmWrite) { a.button.first href="/console/alarms/new" { "Make an alarm" } }
    };
    let main = html! {
        div.title-row {
            h1 { "Alarms" }
            @if !alarms.is_empty() { div.actions { (make) } }
        }
        section #alarms.panel data-live="30" {
            @if alarms.is_empty() {
                (empty("There is no alarm yet", &html! {
                    p { "An alarm tells people when something is wrong, and when it is over: a monitor that is down, a page that nobody visits any more, errors that pile up." }
                    (make)
                }))
            } @else { (table(&alarms, &websites)) }
        }
    };
    Ok(context.show(Place::Alarms, "Alarms", &main))
}

fn table(alarms: &[AlarmOut], websites: &[Choice]) -> Markup {
    let site = |alarm: &AlarmOut| {
        let own = websites
            .iter()
            .find(|one| Some(&one.id) == alarm.fields.website_id.as_ref());
        own.map_or("everything", |one| &one.name).to_owned()
    };
    html! {
        table.table.sites {
            caption.hide { "Alarms, newest first" }
            thead { tr {
                th scope="col" { "Alarm" }
                th scope="col" { "Of" }
                th scope="col" { "Tells" }
                th scope="col" { "Now" }
            } }
            tbody { @for alarm in alarms { tr {
                td { a.name href=(path(&alarm.id)) { (alarm.fields.name) } span.dim { (about(alarm.fields.trigger_type)) } }
                td data-label="Of" { (site(alarm)) }
                td data-label="Tells" {
                    @for (at, to) in alarm.destinations.iter().enumerate() { @if at > 0 { ", " } (to.kind.as_str()) }
                    @if alarm.destinations.iter().any(|to| to.disabled.is_some()) { " " span.state.warn { "one is switched off" } }
                }
                td { (state(alarm)) }
            } } }
        }
    }
}
