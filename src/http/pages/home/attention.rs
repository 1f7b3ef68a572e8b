//! Firing alerts, monitors that are down, and open incidents.

use futures_util::future::{join_all, join3};

use crate::{
    actors::monitors::State,
    http::{
        pages::{
            monitors::monitor_name,
            prelude::*,
            status::{Incident, is_open, load_incidents},
        },
        procedures::{
            alarms,
            alarms_wire::AlarmOut,
            bodies::OrganizationBody,
            status_page::{pages, wire::IncidentOut},
            uptime,
            uptime_wire::{ScheduleOut, WholeOut},
        },
    },
    pages::{
        part::{panel, time},
        time::moment,
    },
};

/// What an organization watches. What the person may not see is not in it.
pub(super) struct Attention {
    pub(super) alarms: Vec<AlarmOut>,
    pub(super) monitors: Vec<ScheduleOut>,
    incidents: Vec<IncidentOut>,
}

/// Something that needs attention: its mark, name and address, what is known of it, and since when.
struct Item<'a> {
    class: &'static str,
    word: &'static str,
    name: &'a str,
    path: String,
    detail: &'a str,
    since: Option<&'a str>,
}

impl Attention {
    pub(super) async fn load(context: &PageContext) -> Self {
        let (alarms, monitors, pages) = Box::pin(join3(
            context.ask(&alarms::LIST, OrganizationBody::default()),
            context.ask(&uptime::LIST_SCHEDULES, uptime::ListBody::default()),
            context.ask(&pages::LIST, OrganizationBody::default()),
        ))
        .await;
        let pages = pages.unwrap_or_default();
        let incidents = join_all(pages.iter().map(|page| load_incidents(context, &page.id))).await;
        Self {
            alarms: alarms.unwrap_or_default(),
            monitors: monitors.unwrap_or_default(),
            incidents: incidents
                .into_iter()
                .flatten()
                .flatten()
                .filter(is_open)
                .collect(),
        }
    }

    fn items(&self) -> Vec<Item<'_>> {
        let enabled = self.alarms.iter().filter(|alarm| alarm.fields.enabled);
        let firing = enabled.flat_map(|alarm| {
            let standings = alarm.standings.iter();
            let standings = standings.filter(|one| one.status.is_firing());
            standings.map(|one| Item {
                class: "bad",
                word: "Alert firing",
                name: &alarm.fields.name,
                path: AlarmOut::path(&[&alarm.id]),
                detail: &one.evidence,
                since: one.since.as_deref(),
            })
        });
        let down = self.monitors.iter().filter(|monitor| {
            monitor.state == State::Down && !monitor.is_paused && !monitor.in_maintenance
        });
        let down = down.map(|monitor| Item {
            class: "bad",
            word: "Monitor down",
            name: monitor_name(monitor),
            path: WholeOut::path(&[&monitor.id]),
            detail: "",
            since: monitor.since.as_deref(),
        });
        let open = self.incidents.iter().map(|incident| Item {
            class: "warn",
            word: "Open incident",
            name: &incident.title,
            path: Incident::path(&[&incident.status_page_id, &incident.id]),
            detail: incident.status.as_str(),
            since: Some(&incident.created_at),
        });
        firing.chain(down).chain(open).collect()
    }

    /// The panel; nothing where nothing is watched.
    pub(super) fn draw(&self, date_format: &DateFormat) -> Markup {
        let items = self.items();
        let is_watching = !self.alarms.is_empty() || !self.monitors.is_empty();
        let list = html! {
            @if items.is_empty() { p { span.state.good { "No alerts firing, monitors down or open incidents" } } }
            @else { ul.attention { @for item in &items { (item.draw(date_format)) } } }
        };
        html! { @if is_watching || !items.is_empty() { (panel("Alerts and incidents", &list)) } }
    }
}

impl Item<'_> {
    fn draw(&self, date_format: &DateFormat) -> Markup {
        html! {
            li {
                span class={ "state " (self.class) } { (self.word) }
                a href=(self.path) { (self.name) }
                @if !self.detail.is_empty() { span.dim { (self.detail) } }
                @if let Some(at) = self.since.and_then(moment) { span.dim { "since " (time(at, &date_format.moment(at), date_format)) } }
            }
        }
    }
}
