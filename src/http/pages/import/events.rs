//! An import of events: its upload, its plan, its progress and its result.

use actix_web::http::header::{HeaderValue, REFRESH};
use futures_util::StreamExt as _;

use super::{TITLE, report};
use crate::{
    actors::imports::Status,
    events::import::Format,
    fault::Issue,
    http::{
        pages::{form::Multipart, prelude::*},
        procedures::{
            bodies::WebsiteIdBody,
            imports::{self, CreateBody, ImportBody, ImportOut},
        },
        upload::store,
    },
    pages::{
        number,
        part::{Heading, notice, panel, resource_table, time},
    },
};

/// Seconds after which a page of what is going on is loaded again.
const REFRESHED: &str = "2";
/// Websites whose imports are listed, and imports of the list.
const MAX_WEBSITES: usize = 20;
const MAX_IMPORTS: usize = 20;

/// Creates an import, stores its file and has it planned.
pub(super) async fn upload(
    context: &PageContext,
    (format, filename): (Format, String),
    sent: &FormData,
    form: Multipart,
) -> Result<HttpResponse, Fault> {
    let Some(website) = sent.some("websiteId") else {
        let message = "Choose the website that gets the events";
        return Err(Fault::issues(
            message,
            vec![Issue::new("required", "websiteId", message)],
        ));
    };
    if filename.is_empty() {
        let message = "Choose a file";
        return Err(Fault::issues(
            message,
            vec![Issue::new("required", "content", message)],
        ));
    }
    let body = CreateBody {
        website_id: website.to_owned(),
        format,
        filename: filename.chars().take(200).collect(),
        size: None,
        digest: None,
    };
    let import = context.change(&imports::CREATE, body).await?;
    let id = || ImportBody {
        import_id: import.id.clone(),
    };
    let file = Box::pin(form.file());
    let stored = store(context.shared(), (&import.id.as_str().into(), 0), file).await;
    if let Err(fault) = stored {
        context.change(&imports::CANCEL, id()).await?;
        return Err(fault);
    }
    context.ask(&imports::PLAN, id()).await?;
    Ok(answer::redirect(&format!("/console/import/{}", import.id)))
}

pub(super) async fn show(
    context: PageContext,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let import = ImportBody {
        import_id: id.into_inner(),
    };
    let import = context.ask(&imports::GET, import).await?;
    let date_format = context.date_format().await?;
    let is_working = matches!(import.status, Status::Planning | Status::Importing);
    let mut page = context.show(NavItem::Import, TITLE, &draw_import(&import, &date_format));
    if is_working {
        page.headers_mut()
            .insert(REFRESH, HeaderValue::from_static(REFRESHED));
    }
    Ok(page)
}

pub(super) async fn apply(
    context: PageContext,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let import = ImportBody {
        import_id: id.into_inner(),
    };
    let import = context.change(&imports::APPLY, import).await?;
    Ok(answer::redirect(&format!("/console/import/{}", import.id)))
}

pub(super) async fn cancel(
    context: PageContext,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let import = ImportBody {
        import_id: id.into_inner(),
    };
    let import = context.change(&imports::CANCEL, import).await?;
    Ok(answer::redirect(&format!("/console/import/{}", import.id)))
}

/// The newest imports of events, of websites that the person may import into.
pub(super) async fn recent(context: &PageContext) -> Result<Markup, Fault> {
    let mut all = Vec::new();
    for website in context.websites().into_iter().take(MAX_WEBSITES) {
        let body = WebsiteIdBody {
            website_id: website.id.clone(),
        };
        // Who may not import sees none.
        if let Ok(imports) = context.ask(&imports::LIST, body).await {
            all.extend(
                imports
                    .into_iter()
                    .map(|import| (website.name.clone(), import)),
            );
        }
    }
    all.sort_by(|(_, one), (_, other)| other.created_at.cmp(&one.created_at));
    all.truncate(MAX_IMPORTS);
    if all.is_empty() {
        return Ok(html! {});
    }
    let date_format = context.date_format().await?;
    let rows = html! { @for (website, import) in &all { tr {
        td.wide data-label="File" { a href=(format!("/console/import/{}", import.id)) { (import.filename) } }
        td data-label="Format" { (import.format.label()) }
        td data-label="Website" { (website) }
        td data-label="Status" { (word(import.status)) }
        td.num data-label="Events" { (import.result.as_ref().map_or_else(String::new, |result| number::full(result.events))) }
        td data-label="Created" { (moment(&import.created_at, &date_format)) }
    } } };
    let text = Heading::Text;
    let headings = [
        text("File"),
        text("Format"),
        text("Website"),
        text("Status"),
        Heading::Number("Events"),
        text("Created"),
    ];
    Ok(panel(
        "Recent imports of events",
        &resource_table("Recent imports of events", &headings, &rows),
    ))
}

fn moment(text: &str, date_format: &DateFormat) -> Markup {
    let at = crate::pages::time::moment(text).unwrap_or_default();
    time(at, &date_format.moment(at), date_format)
}

const fn word(status: Status) -> &'static str {
    match status {
        Status::Uploading => "Uploading",
        Status::Planning => "Reading file",
        Status::Planned => "Planned",
        Status::Importing => "Importing",
        Status::Done => "Imported",
        Status::Failed => "Failed",
        Status::Cancelled => "Cancelled",
    }
}

fn draw_import(import: &ImportOut, date_format: &DateFormat) -> Markup {
    let path = format!("/console/import/{}", import.id);
    let share = import
        .size
        .filter(|size| *size > 0)
        .map_or(0.0, |size| import.read as f64 / size as f64 * 100.0);
    let is_working = matches!(import.status, Status::Planning | Status::Importing);
    let may_apply = import.status == Status::Planned
        || import.status == Status::Failed && import.plan.is_some();
    let events = import.plan.as_ref().map_or(0, |plan| plan.events);
    html! {
        h1 { (import.filename) }
        (notice(tone(import.status), &summary(import)))
        @if is_working {
            p { progress max="100" value=(format!("{share:.1}")) aria-label="Progress" {} }
            p.hint { (number::percent(share / 100.0)) " of the file is read. This page refreshes itself." }
        }
        p.send {
            @if may_apply {
                @let send = if import.status == Status::Failed { "Resume import".to_owned() } else { format!("Import {}", number::with_noun(events, "event", "events")) };
                form method="post" action=(format!("{path}/apply")) { button.button.first type="submit" { (send) } } " "
            }
            @if is_working || may_apply || import.status == Status::Uploading {
                form method="post" action=(format!("{path}/cancel")) { button.button type="submit" { "Cancel import" } } " "
            }
            a.button href="/console/import" { "Import another file" }
        }
        @let report = import.result.as_ref().filter(|_| import.status != Status::Planned).or(import.plan.as_ref());
        @if let Some(report) = report { (report::tables(report, date_format)) }
    }
}

const fn tone(status: Status) -> &'static str {
    match status {
        Status::Done => "good",
        Status::Failed => "bad",
        _ => "warn",
    }
}

fn summary(import: &ImportOut) -> Markup {
    let stored = import.result.as_ref().map_or(0, |result| result.events);
    let stored = number::with_noun(stored, "event", "events");
    html! { @match import.status {
        Status::Uploading => { "The file isn’t uploaded completely." }
        Status::Planning => { "The file is being read. Nothing is stored." }
        Status::Planned => { "Nothing is stored yet. Check what the file holds, then import it." }
        Status::Importing => { (stored) " stored so far." }
        Status::Done => {
            (stored) " imported."
            @if import.earlier > 0 { " " (number::full(import.earlier)) " of the same file were imported before." }
        }
        Status::Failed => { (import.failure.as_deref().unwrap_or("The import has failed.")) @if import.result.is_some() { " " (stored) " stored." } }
        Status::Cancelled => { "Cancelled. " (stored) " stored. Import the same file again to resume." }
    } }
}

/// The whole of a small file.
pub(super) async fn small_file(form: Multipart, most: usize) -> Result<Vec<u8>, Fault> {
    let mut whole = Vec::new();
    let mut file = Box::pin(form.file());
    while let Some(bytes) = file.next().await {
        whole.extend_from_slice(&bytes?);
        if whole.len() > most {
            return Err(super::too_large());
        }
    }
    Ok(whole)
}

/// The formats of events, for the form.
pub(super) fn formats() -> impl Iterator<Item = (&'static str, String)> {
    Format::ALL
        .iter()
        .map(|format| (format.name(), format!("{} (events)", format.label())))
}
