//! Telling of an incident, or of maintenance that is planned.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{found, path, said};
use crate::{
    fault::{Fault, Issue},
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::{FormData, sound},
            page, sent,
        },
        procedures::status_page::{
            incidents,
            wire::{ListedOut, PageOut, WholePageOut},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, choice, tick},
        problem::Problems,
        time::DateFormat,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let (incident, planned) = (
        "/console/status-page/{page}/incidents/new",
        "/console/status-page/{page}/maintenance/new",
    );
    vec![
        page(incident, |route| route.to(show)),
        sent(incident, |route| route.to(make)),
        page(planned, |route| route.to(show_planned)),
        sent(planned, |route| route.to(make_planned)),
    ]
}

/// How bad it is.
const SEVERITIES: [(&str, &str); 3] = [
    ("minor", "Minor: hardly anybody sees it"),
    ("major", "Major: many see it"),
    ("critical", "Critical: nothing works"),
];

/// How a monitor is affected.
const IMPACTS: [(&str, &str); 3] = [
    ("", "is not affected"),
    ("degraded", "works badly"),
    ("down", "does not work"),
];

const NAMES: [&str; 5] = ["title", "message", "startsAt", "endsAt", "verifyMinutes"];

fn monitor_name(monitor: &ListedOut) -> &str {
    let own = monitor.uptime_schedule.as_ref();
    let own = own.map(|own| own.name.as_ref().unwrap_or(&own.url));
    let said = monitor.fields.display_name.as_ref().or(own);
    said.map_or("Monitor", String::as_str)
}

/// The page that something is told on, and whether it is maintenance.
struct ReportTarget {
    page: PageOut,
    monitors: Vec<ListedOut>,
    planned: bool,
}

impl ReportTarget {
    async fn of(context: &PageContext, id: &str, planned: bool) -> Result<Self, Fault> {
        let WholePageOut { page, monitors } = found(context, id).await?;
        Ok(Self {
            page,
            monitors,
            planned,
        })
    }

    const fn title(&self) -> &'static str {
        if self.planned {
            "Plan maintenance"
        } else {
            "Tell of an incident"
        }
    }

    fn draw(&self, sent: &FormData, problems: &Problems) -> Markup {
        let last = if self.planned {
            "maintenance"
        } else {
            "incidents"
        };
        let action = format!("{}/{last}/new", path(&self.page.id));
        let form = Form {
            action: &action,
            send: "Tell everybody",
            problems,
            fields: &NAMES,
        };
        let text = |name, label, kind, hint| sent.field(name, label, kind, hint);
        html! {
            div.title-row { h1 { (self.title()) } a href=(path(&self.page.id)) { (self.page.fields.name) } }
            section.panel { (form.around(&html! {
                (text("title", "Title", "text", "What readers see first: what does not work, for whom.").draw(problems))
                @if self.planned {
                    (text("startsAt", "Begins", "datetime-local", "In your time zone.").draw(problems))
                    (text("endsAt", "Ends", "datetime-local", "").draw(problems))
                    (tick("automatic", "Begins and ends by itself at these times", sent.is_on("automatic")))
                    (text("verifyMinutes", "Then looked after for (minutes)", "number", "Only when it ends by itself.").optional().draw(problems))
                } @else { (choice("severity", "How bad it is", &SEVERITIES, sent.some("severity").unwrap_or("minor"))) }
                (self.affected(sent))
                (message(sent, problems))
            })) }
        }
    }

    fn affected(&self, sent: &FormData) -> Markup {
        html! {
            @if !self.monitors.is_empty() {
                fieldset.field {
                    legend { "Affected" }
                    @for one in &self.monitors {
                        @let name = format!("impact-{}", one.id);
                        (choice(&name, monitor_name(one), &IMPACTS, sent.raw(&name)))
                    }
                }
            }
        }
    }

    /// What a form says of it.
    fn body(&self, sent: &FormData, date_format: &DateFormat) -> Result<Map<String, Value>, Fault> {
        let hit = self.monitors.iter().filter_map(|one| {
            let impact = sent.some(&format!("impact-{}", one.id))?;
            Some(json!({ "statusPageMonitorId": one.id, "impact": impact }))
        });
        let mut issues = Vec::new();
        let mut body = vec![
            ("statusPageId", json!(self.page.id)),
            ("title", json!(sent.text("title"))),
            ("message", json!(sent.text("message"))),
            ("affectedMonitors", hit.collect()),
        ];
        if self.planned {
            for name in ["startsAt", "endsAt"] {
                body.push((name, json!(sent.moment(name, date_format, &mut issues))));
                if sent.some(name).is_none() {
                    issues.push(Issue::new("missing", name, "must be there"));
                }
            }
            let minutes: Option<u32> = sent.number("verifyMinutes", &mut issues);
            body.push(("automatic", json!(sent.is_on("automatic"))));
            body.push(("verifyMinutes", json!(minutes)));
        } else {
            let severity = sent.some("severity").unwrap_or("minor");
            body.push(("severity", json!(severity)));
        }
        let named = |(name, value): (&str, Value)| (name.to_owned(), value);
        let body = body.into_iter().map(named).collect();
        sound(body, issues, "Invalid maintenance")
    }
}

/// Where something is written for readers, with how they will see it once that was asked for.
pub(super) fn message(sent: &FormData, problems: &Problems) -> Markup {
    let field = Field::text("message", "What readers are told")
        .hint("Markdown: **bold**, lists, [links](https://example.com).");
    html! {
        (field.value(sent.raw("message")).lines(6, problems))
        p { button.button type="submit" name="preview" value="1" formnovalidate { "Show how it will look" } }
        @if wants_preview(sent) { div.preview #preview { p.dim { "Readers will see:" } (said(sent.raw("message"))) } }
    }
}

/// Whether a form was sent to see how it will look, and nothing else.
pub(super) fn wants_preview(sent: &FormData) -> bool {
    sent.is_on("preview")
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    ask(&context, &id, false).await
}

async fn show_planned(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    ask(&context, &id, true).await
}

async fn ask(context: &PageContext, id: &str, planned: bool) -> Result<HttpResponse, Fault> {
    let told = ReportTarget::of(context, id, planned).await?;
    let fresh = if planned {
        vec![("automatic", "on".to_owned())]
    } else {
        Vec::new()
    };
    let main = told.draw(&FormData::with(fresh), &Problems::NONE);
    Ok(context.show(Place::StatusPages, told.title(), &main))
}

async fn make(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    tell(&context, &id, &sent, false).await
}

async fn make_planned(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    tell(&context, &id, &sent, true).await
}

async fn tell(
    context: &PageContext,
    id: &str,
    sent: &FormData,
    planned: bool,
) -> Result<HttpResponse, Fault> {
    let about = ReportTarget::of(context, id, planned).await?;
    if wants_preview(sent) {
        let main = about.draw(sent, &Problems::NONE);
        return Ok(context.show(Place::StatusPages, about.title(), &main));
    }
    let date_format = context.date_format().await?;
    let made = match about.body(sent, &date_format) {
        Ok(body) => context.submit(&incidents::CREATE_INCIDENT, body).await,
        Err(fault) => Err(fault),
    };
    match made {
        Ok(made) => Ok(answer::see(&format!("{}/incident/{}", path(id), made.id))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = about.draw(sent, &problems);
            Ok(context.again(refused, Place::StatusPages, about.title(), &main))
        }
    }
}
