//! Annotations of the chart: those of people, and events of flags, monitors and deploys.

use serde_json::{Map, Value, json};

use crate::{
    http::{
        pages::{next, prelude::*, site::period::PeriodQuery},
        procedures::{annotations, bodies::IdBody},
    },
    pages::{
        number,
        part::{hidden, time},
    },
};

/// The right to write annotations.
pub(super) const WRITE: Permission = Permission::WebsiteConfigure;

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/site/{id}/notes", |route| route.to(create)),
        form_route("/console/site/{id}/notes/delete", |route| route.to(delete)),
    ]
}

pub(in crate::http::pages) struct Annotation {
    id: String,
    pub(super) at_ms: i64,
    pub(super) text: String,
    automatic: bool,
}

/// The input that lists and new annotations share: the website and the days of its chart.
fn input(website: &str, days: (&str, &str), granularity: &str) -> Map<String, Value> {
    let (first, last) = days;
    let range = json!({ "start_date": first, "end_date": last, "granularity": granularity });
    Map::from_iter([
        ("websiteId".to_owned(), json!(website)),
        ("chartType".to_owned(), json!("metrics")),
        ("chartContext".to_owned(), json!({ "dateRange": range })),
    ])
}

/// The annotations of the range, oldest first.
pub(super) async fn load(
    context: &PageContext,
    website: &str,
    period: &PeriodQuery,
) -> Result<Vec<Annotation>, Fault> {
    let (first, last) = (
        period.range.first.to_string(),
        period.range.last.to_string(),
    );
    let input = input(website, (&first, &last), period.granularity());
    let listed = context.submit(&annotations::LIST, input).await?;
    let mut notes: Vec<Annotation> = listed
        .into_iter()
        .filter_map(|one| {
            let day = one.fields.x_value.parse::<chrono::NaiveDate>().ok();
            let at_ms = match day {
                Some(day) => period.noon(day),
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

/// Annotations that are visible below the chart.
const MAX_SHOWN: usize = 8;

/// The annotations below the chart, with a form for a new one.
pub(super) fn draw(
    can_write: bool,
    period: &PeriodQuery,
    notes: &[Annotation],
    path: &str,
) -> Markup {
    let back = period.view.address(path);
    let (earlier, last) = notes.split_at(notes.len().saturating_sub(MAX_SHOWN));
    let list = |notes: &[Annotation]| {
        html! { ul.notes { @for note in notes { (draw_annotation(note, can_write, period, path)) } } }
    };
    html! {
        @if !earlier.is_empty() {
            details.behind { summary { (number::with_noun(earlier.len() as u64, "earlier annotation", "earlier annotations")) } (list(earlier)) }
        }
        @if !last.is_empty() { (list(last)) }
        @if can_write {
            details.behind {
                summary { "Add annotation" }
                form.inline method="post" action=(format!("{path}/notes")) {
                    (hidden("back", &back))
                    label.hide for="note-day" { "Date" }
                    input #note-day type="date" name="day" value=(period.range.last) required;
                    label.hide for="note-time" { "Time (optional)" }
                    input #note-time type="time" name="time";
                    label.hide for="note-text" { "Annotation" }
                    input #note-text name="text" placeholder="Example: Version 2 released" maxlength="500" required;
                    button.button type="submit" { "Add annotation" }
                }
            }
        }
    }
}

fn draw_annotation(note: &Annotation, can_write: bool, period: &PeriodQuery, path: &str) -> Markup {
    html! {
        li {
            (time(note.at_ms, &period.date_format.moment(note.at_ms), &period.date_format))
            span { (note.text) }
            @if note.automatic { span.dim { "automatic" } }
            @else if can_write {
                form method="post" action=(format!("{path}/notes/delete")) data-confirm="Delete this annotation?" {
                    (hidden("id", &note.id)) (hidden("back", &period.view.address(path)))
                    button.button.small type="submit" { "Delete" }
                }
            }
        }
    }
}

async fn create(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let (day, time) = (sent.text("day"), sent.text("time"));
    // Without a time it is about the whole day.
    let at_ms = context
        .date_format()
        .await?
        .parse_field(&format!("{day}T{time}"));
    let at = at_ms.map_or_else(|| day.to_owned(), crate::clock::iso_ms);
    let mut input = input(&id, (day, day), "daily");
    input.insert("annotationType".to_owned(), json!("line"));
    input.insert("xValue".to_owned(), json!(at));
    input.insert("text".to_owned(), json!(sent.text("text")));
    context.submit(&annotations::CREATE, input).await?;
    Ok(answer::redirect(next::safe(sent.raw("back"))))
}

async fn delete(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    context.website(&id).await?;
    let id = sent.text("id").to_owned();
    context.change(&annotations::DELETE, IdBody { id }).await?;
    Ok(answer::redirect(next::safe(sent.raw("back"))))
}
