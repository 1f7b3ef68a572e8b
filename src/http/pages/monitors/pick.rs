//! Which monitors a list shows, and what is done with those that are ticked.

use url::form_urlencoded::Serializer;

use super::status;
use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            uptime::{self, ListBody, MonitorIdBody},
            uptime_wire::ScheduleOut,
        },
    },
    pages::{
        number,
        part::{choice, hidden},
    },
};

const LIST: &str = "/console/monitors";

/// Values of the status filter.
const STATUSES: [(&str, &str); 8] = [
    ("", "All"),
    ("down", "Down"),
    ("degraded", "Degraded"),
    ("pending", "Pending"),
    ("up", "Up"),
    ("paused", "Paused"),
    ("maintenance", "Maintenance"),
    ("unknown", "Not checked yet"),
];

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/monitors/pause", |route| {
            route.to(|context: PageContext, sent: FormData| change(context, sent, true))
        }),
        form_route("/console/monitors/resume", |route| {
            route.to(|context: PageContext, sent: FormData| change(context, sent, false))
        }),
    ]
}

/// The filters of a list; an empty one filters nothing.
#[derive(Debug, Default)]
pub(super) struct MonitorFilter {
    status: String,
    group: String,
    tag: String,
}

impl MonitorFilter {
    pub(super) fn new(value: impl Fn(&str) -> String) -> Self {
        Self {
            status: value("status"),
            group: value("group"),
            tag: value("tag"),
        }
    }

    pub(super) fn matches(&self, monitor: &ScheduleOut) -> bool {
        let tags = monitor.fields.tags.as_deref().unwrap_or_default();
        (self.status.is_empty() || self.status == status(monitor).0)
            && (self.group.is_empty() || monitor.fields.group.as_ref() == Some(&self.group))
            && (self.tag.is_empty() || tags.contains(&self.tag))
    }

    fn pairs(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let pairs = [
            ("status", self.status.as_str()),
            ("group", &self.group),
            ("tag", &self.tag),
        ];
        pairs.into_iter().filter(|(_, value)| !value.is_empty())
    }

    /// The form that sets them, with the groups and tags of these monitors.
    pub(super) fn draw(&self, all: &[ScheduleOut]) -> Markup {
        let groups = all.iter().filter_map(|one| one.fields.group.as_deref());
        let tags = all.iter().flat_map(|one| one.fields.tags.iter().flatten());
        let among = |values: &mut dyn Iterator<Item = &str>, name, label, chosen: &str| {
            let mut values: Vec<(String, String)> =
                values.map(|one| (one.to_owned(), one.to_owned())).collect();
            values.sort_unstable();
            values.dedup();
            let values = values.iter();
            let values = values.map(|(value, label)| (value.as_str(), label.as_str()));
            let values: Vec<(&str, &str)> = [("", "All")].into_iter().chain(values).collect();
            html! { @if values.len() > 1 { (choice(name, label, &values, chosen)) } }
        };
        html! {
            form.search method="get" action=(LIST) {
                (choice("status", "Status", &STATUSES, &self.status))
                (among(&mut { groups }, "group", "Group", &self.group))
                (among(&mut tags.map(String::as_str), "tag", "Tag", &self.tag))
                button.button type="submit" { "Filter" }
                @if self.pairs().next().is_some() { a.button href=(LIST) { "Clear filters" } }
            }
        }
    }
}

/// The form of the boxes, which has the id `many`.
pub(super) fn draw_buttons(filter: &MonitorFilter) -> Markup {
    html! {
        form.many #many method="post" action="/console/monitors/pause" {
            @for (name, value) in filter.pairs() { (hidden(name, value)) }
            button.button.small type="submit" { "Pause selected" }
            button.button.small type="submit" formaction="/console/monitors/resume" { "Resume selected" }
        }
    }
}

/// What became of the boxes here or of suggestions, as the address of the list says it.
pub(super) fn outcome(context: &PageContext) -> Option<(&'static str, String)> {
    let count = |name: &str| context.parameter(name).parse::<u64>().ok();
    let mut all = ["created", "paused", "resumed"].into_iter();
    let (count, done) = all.find_map(|done| Some((count(done)?, done)))?;
    if count == 0 {
        let text = format!("Select at least one monitor that isn't {done} yet.");
        return Some(("warn", text));
    }
    let text = number::with_noun(count, "monitor", "monitors");
    Some(("good", format!("{text} {done}.")))
}

/// Pauses or resumes the ticked monitors, but for those that are already.
async fn change(context: PageContext, sent: FormData, pause: bool) -> Result<HttpResponse, Fault> {
    if !context.can(Permission::MonitorWrite) {
        return Err(Fault::forbidden("Your role can't change monitors"));
    }
    let all = context
        .ask(&uptime::LIST_SCHEDULES, ListBody::default())
        .await?;
    let procedure = if pause {
        &uptime::PAUSE_SCHEDULE
    } else {
        &uptime::RESUME_SCHEDULE
    };
    let mut count = 0_u32;
    let ticked: Vec<&str> = sent.all("monitor").collect();
    for one in all.iter().filter(|one| one.is_paused != pause) {
        if ticked.contains(&one.id.as_str()) {
            let schedule_id = one.id.clone();
            context
                .ask(procedure, MonitorIdBody { schedule_id })
                .await?;
            count += 1;
        }
    }
    let filter = MonitorFilter::new(|name| sent.text(name).to_owned());
    let done = if pause { "paused" } else { "resumed" };
    let query = Serializer::new(String::new())
        .append_pair(done, &count.to_string())
        .extend_pairs(filter.pairs())
        .finish();
    Ok(answer::redirect(&format!("{LIST}?{query}")))
}
