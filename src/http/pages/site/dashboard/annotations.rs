//! Annotations of the chart: what people wrote, and what happened to flags, monitors and deploys.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::PageContext,
            form::FormData,
            next, sent,
            site::{period::PeriodQuery, website},
        },
        procedures::{annotations, bodies::IdBody},
        routes::Route,
    },
    pages::{
        number,
        part::{hidden, time},
    },
};

/// Who is shown the form.
pub(super) const WRITING: Permission = Permission::WebsiteConfigure;

pub(super) fn routes() -> Vec<Route> {
    vec![
        sent("/console/site/{id}/notes", |route| route.to(write)),
        sent("/console/site/{id}/notes/delete", |route| route.to(remove)),
    ]
}

pub(in super::super) struct Annotation {
    id: String,
    pub(super) at_ms: i64,
    text: String,
    automatic: bool,
}

/// What questions about notes and new notes have in common: the website and the days of its chart.
fn input(website: &str, days: (&str, &str), granularity: &str) -> Map<String, Value> {
    let (first, last) = days;
    let range = json!({ "start_date": first, "end_date": last, "granularity": granularity });
    Map::from_iter([
        ("websiteId".to_owned(), json!(website)),
        ("chartType".to_owned(), json!("metrics")),
        ("chartContext".to_owned(), json!({ "dateRange": range })),
    ])
}

/// The notes of the days that are looked at, oldest first.
pub(super) async fn load(
    context: &PageContext,
    website: &str,
    asked: &PeriodQuery,
) -> Result<Vec<Annotation>, Fault> {
    let (first, last) = (asked.range.first.to_string(), asked.range.last.to_string());
    let input = input(website, (&first, &last), asked.granularity());
    let listed = context.submit(&annotations::LIST, input).await?;
    let mut notes: Vec<Annotation> = listed
        .into_iter()
        .filter_map(|one| {
            let day = one.fields.x_value.parse::<chrono::NaiveDate>().ok();
            let at_ms = match day {
                Some(day) => asked.noon(day),
                None => chrono::DateTime::parse_from_rfc3339(&one.fields.x_value)
                    .ok()?
                    .timestamp_millis(),
            };
            Some(Annotation {
                id: one.id,
                at_ms,
                text: one.fields.text,
                automatic: one.is_automatic,
            })
        })
        .collect();
    notes.sort_by_key(|note| note.at_ms);
    Ok(notes)
}

/// Notes that stand below the chart at once.
const MAX_SHOWN: usize = 8;

/// The notes below the chart, the last ones in sight, and a form for one more.
pub(super) fn draw(
    may_write: bool,
    asked: &PeriodQuery,
    notes: &[Annotation],
    path: &str,
) -> Markup {
    let back = asked.view.address(path);
    let (earlier, last) = notes.split_at(notes.len().saturating_sub(MAX_SHOWN));
    let list = |notes: &[Annotation]| {
        html! { ul.notes { @for note in notes { (one(note, may_write, asked, path)) } } }
    };
    html! {
        @if !earlier.is_empty() {
            details.behind { summary { (number::counted(earlier.len() as u64, "earlier note", "earlier notes")) } (list(earlier)) }
        }
        @if !last.is_empty() { (list(last)) }
        @if may_write {
            details.behind {
                summary { "Add a note" }
                form.inline method="post" action=(format!("{path}/notes")) {
                    (hidden("back", &back))
                    label.hide for="note-day" { "Day" }
                    input #note-day type="date" name="day" value=(asked.range.last) required;
                    label.hide for="note-text" { "Note" }
                    input #note-text name="text" placeholder="What happened?" maxlength="500" required;
                    button.button type="submit" { "Add" }
                }
            }
        }
    }
}

fn one(note: &Annotation, may_write: bool, asked: &PeriodQuery, path: &str) -> Markup {
    html! {
        li {
            (time(note.at_ms, &asked.date_format.moment(note.at_ms), &asked.date_format))
            span { (note.text) }
            @if note.automatic { span.dim { "automatic" } }
            @else if may_write {
                form method="post" action=(format!("{path}/notes/delete")) data-confirm="Delete this note?" {
                    (hidden("id", &note.id)) (hidden("back", &asked.view.address(path)))
                    button.button.small type="submit" { "Delete" }
                }
            }
        }
    }
}

async fn write(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let day = sent.text("day");
    let mut input = input(&id, (day, day), "daily");
    input.insert("annotationType".to_owned(), json!("line"));
    input.insert("xValue".to_owned(), json!(day));
    input.insert("text".to_owned(), json!(sent.text("text")));
    context.submit(&annotations::CREATE, input).await?;
    Ok(answer::see(next::safe(sent.raw("back"))))
}

async fn remove(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    website(&context, &id).await?;
    let id = sent.text("id").to_owned();
    context.ask(&annotations::DELETE, IdBody { id }).await?;
    Ok(answer::see(next::safe(sent.raw("back"))))
}
