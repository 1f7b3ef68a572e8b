//! The form of a new incident or maintenance.

use serde_json::{Map, Value, json};

use super::{draw_markdown, incident::Incident, load_page};
use crate::{
    http::{
        pages::{
            form::{Empty, Kind, Need},
            prelude::*,
            resource::creation,
        },
        procedures::status_page::{
            incidents,
            wire::{ListedOut, WholePageOut},
        },
    },
    pages::part::{Field, choice},
};

pub(super) fn routes() -> Vec<Route> {
    let planned = creation::<Report<true>>();
    creation::<Report<false>>()
        .into_iter()
        .chain(planned)
        .collect()
}

const SEVERITIES: &[(&str, &str)] = &[
    ("minor", "Minor: few people are affected"),
    ("major", "Major: many people are affected"),
    ("critical", "Critical: nothing works"),
];

const IMPACTS: [(&str, &str); 3] = [
    ("", "Not affected"),
    ("degraded", "Degraded"),
    ("down", "Outage"),
];

const FORM: &[Section] = &[Section::plain(&[
    Input::line("title", "Title")
        .hint("Example: Checkout is slow.")
        .required(),
    Input::new(Kind::Moment, "startsAt", "Starts")
        .hint("In your time zone.")
        .need(Need::Required)
        .empty(Empty::Missing)
        .only(&["maintenance"]),
    Input::new(Kind::Moment, "endsAt", "Ends")
        .need(Need::Required)
        .empty(Empty::Missing)
        .only(&["maintenance"]),
    Input::new(
        Kind::Checkbox(true),
        "automatic",
        "Start and complete automatically",
    )
    .only(&["maintenance"]),
    Input::number("verifyMinutes", "Verification time")
        .hint("Minutes after the end. Default: 0.")
        .only(&["maintenance"]),
    Input::choice("severity", "Severity", SEVERITIES)
        .usual("minor")
        .only(&["incident"]),
])];

fn monitor_name(monitor: &ListedOut) -> &str {
    let own = monitor.uptime_schedule.as_ref();
    let own = own.map(|own| own.name.as_ref().unwrap_or(&own.url));
    let name = monitor.fields.display_name.as_ref().or(own);
    name.map_or("Monitor", String::as_str)
}

struct Report<const PLANNED: bool>;

impl<const PLANNED: bool> Creation for Report<PLANNED> {
    type Resource = Incident;
    const PATH: &'static str = if PLANNED {
        "/console/status-page/{page}/maintenance/new"
    } else {
        "/console/status-page/{page}/incidents/new"
    };
    const TITLE: &'static str = if PLANNED {
        "Schedule maintenance"
    } else {
        "Report incident"
    };
    const SEND: &'static str = "Publish";
    const FORM: &'static [Section] = FORM;
    const PREVIEW: &'static str = "preview";
    const CREATE: Procedure = incidents::CREATE_INCIDENT.erase();

    fn kind<'a>(_: &'a PageContext, _: &'a FormData) -> &'a str {
        if PLANNED { "maintenance" } else { "incident" }
    }

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let WholePageOut { page, monitors } = load_page(draft.context, draft.key.id()).await?;
        let sent = draft.sent;
        let inputs = html! {
            (draft.inputs.draw(sent, &Choices::default(), problems))
            (affected(&monitors, sent))
            (message(sent, problems))
        };
        Ok(html! {
            div.title-row { h1 { (Self::TITLE) } a href=(WholePageOut::path(&[&page.id])) { (page.fields.name) } }
            section.panel { (Self::form(draft, problems, &inputs)) }
        })
    }

    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        let sent = draft.sent;
        let page = load_page(draft.context, draft.key.id()).await?;
        let hit = page.monitors.iter().filter_map(|one| {
            let impact = sent.some(&format!("impact-{}", one.id))?;
            Some(json!({ "statusPageMonitorId": one.id, "impact": impact }))
        });
        let mut body = draft.inputs.read(sent)?;
        let more = [
            ("statusPageId", json!(page.page.id)),
            ("message", json!(sent.text("message"))),
            ("affectedMonitors", hit.collect()),
        ];
        body.extend(more.map(|(name, value)| (name.to_owned(), value)));
        Ok(body)
    }
}

fn affected(monitors: &[ListedOut], sent: &FormData) -> Markup {
    html! {
        @if !monitors.is_empty() {
            fieldset.field {
                legend { "Affected" }
                @for one in monitors {
                    @let name = format!("impact-{}", one.id);
                    (choice(&name, monitor_name(one), &IMPACTS, sent.raw(&name)))
                }
            }
        }
    }
}

/// The input of a message for readers, with its preview once it was requested.
pub(super) fn message(sent: &FormData, problems: &Problems) -> Markup {
    let field = Field::text("message", "Message")
        .hint("Markdown: **bold**, lists, [links](https://example.com).");
    html! {
        (field.value(sent.raw("message")).lines(6, problems))
        p { button.button type="submit" name="preview" value="1" formnovalidate { "Preview" } }
        @if wants_preview(sent) { div.preview #preview { p.dim { "Preview" } (draw_markdown(sent.raw("message"))) } }
    }
}

/// Whether a form was sent for its preview.
pub(super) fn wants_preview(sent: &FormData) -> bool {
    sent.is_on("preview")
}
