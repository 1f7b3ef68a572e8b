//! `GET /v1/export`: all that is stored of a website as a file, streamed.

use std::io;

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_DISPOSITION},
    web,
};
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;

use crate::{
    access::{Principal, authorize},
    analytics::{
        export::{ExportQuery, File, FileError, Format, Pages},
        range::{Range, parse_moment},
    },
    events::{statement::QueryError, store::EventStore},
    fault::{Fault, Issue},
    http::{Shared, auth::Caller},
    ids::WebsiteId,
};

#[derive(Debug, Deserialize)]
pub(super) struct ExportParameters {
    website_id: Option<String>,
    format: Option<String>,
    #[serde(alias = "startDate")]
    start_date: Option<String>,
    #[serde(alias = "endDate")]
    end_date: Option<String>,
}

/// What is to be written, and what its file is called.
pub(in crate::http) struct Export {
    pub(in crate::http) pages: Pages<EventStore>,
    pub(in crate::http) file: File,
    pub(in crate::http) format: Format,
    pub(in crate::http) filename: String,
}

/// The export that a caller asks for, if they may have it: everything of a website, for who may read all of it. It has every
/// event that was acknowledged before: a query waits a second for ClickHouse, a file that is kept waits for all.
pub(in crate::http) async fn open_export(
    shared: &Shared,
    caller: &Principal,
    website: &str,
    format: &str,
    (start, end): (Option<&str>, Option<&str>),
) -> Result<Export, Fault> {
    let view = shared.websites.view();
    let site = view.by_id(website).map(|website| website.site());
    let access = authorize::read_website(caller, site.as_ref())?;
    if access.public_only() {
        return Err(authorize::refuse_read(
            caller,
            "Only members of the organization may export its events",
        ));
    }
    let format = Format::named(format).ok_or_else(|| {
        let known = Format::ALL.map(|(name, _)| name).join(", ");
        wrong("format", format!("format must be one of {known}"))
    })?;
    let range = range(start, end)?;
    let now_ms = shared.clock.now_ms();
    let asked = ExportQuery {
        access,
        from: range.from,
        to: range.to,
    };
    let today = &crate::clock::iso_ms(now_ms)[..10];
    shared.events.ship_all().await.map_err(|failure| {
        let mut fault = Fault::unavailable(
            "Events that ClickHouse does not have yet would be missing. Try again later",
        );
        fault.cause = Some(failure.into());
        fault
    })?;
    Ok(Export {
        pages: Pages::new(shared.events.clone(), asked, now_ms),
        file: File::new(format).map_err(Fault::internal)?,
        format,
        filename: format!("events-{website}-{today}.{}", format.ending()),
    })
}

fn wrong(field: &str, message: String) -> Fault {
    Fault::issues(
        message.clone(),
        vec![Issue::new("invalid_value", field, message)],
    )
}

/// Days in UTC; everything when nothing is said.
fn range(start: Option<&str>, end: Option<&str>) -> Result<Range, Fault> {
    let moment = |field: &str, text: Option<&str>, usual: &str| {
        let found = parse_moment(text.unwrap_or(usual));
        found.ok_or_else(|| wrong(field, format!("{field} must be a date like 2025-01-31")))
    };
    let start = moment("startDate", start, "2000-01-01")?;
    let end = moment("endDate", end, "9999-12-31")?;
    Range::between(start, end, chrono_tz::Tz::UTC)
        .map_err(|error| wrong("endDate", error.to_string()))
}

pub(super) async fn export(
    caller: Caller,
    shared: web::Data<Shared>,
    query: web::Query<ExportParameters>,
) -> Result<HttpResponse, Fault> {
    let own = match &caller.principal {
        Principal::Key(key) => key.only_website().map(WebsiteId::as_str),
        Principal::Session(_) | Principal::Anonymous => None,
    };
    let named = query.website_id.as_deref().filter(|id| !id.is_empty());
    let website = named.or(own).unwrap_or_default();
    let dates = (query.start_date.as_deref(), query.end_date.as_deref());
    let format = query.format.as_deref().unwrap_or("csv");
    let mut export = open_export(&shared, &caller.principal, website, format, dates).await?;
    let begun = export.file.begin().map_err(Fault::internal)?;
    // What cannot be answered at all is refused before anything is sent.
    let first = export.pages.next().await.map_err(query_fault)?;
    let named = format!("attachment; filename=\"{}\"", export.filename);
    let media = export.format.media();
    let work = Work {
        next: first,
        file: Some(export.file),
        pages: export.pages,
        begun: Some(begun),
    };
    Ok(HttpResponse::Ok()
        .content_type(media)
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_DISPOSITION, named))
        .streaming(stream::unfold(work, piece)))
}

pub(in crate::http) fn query_fault(error: QueryError) -> Fault {
    let mut fault = Fault::unavailable("The query engine is not available");
    fault.cause = Some(error.into());
    fault
}

/// A file on its way.
struct Work {
    next: Option<Vec<Vec<crate::events::statement::Cell>>>,
    /// None behind the end.
    file: Option<File>,
    pages: Pages<EventStore>,
    begun: Option<Vec<u8>>,
}

type Piece = Result<Bytes, io::Error>;

/// The next piece. A failure in the middle breaks the transfer off: no client takes a part for the whole.
async fn piece(mut work: Work) -> Option<(Piece, Work)> {
    if let Some(begun) = work.begun.take().filter(|begun| !begun.is_empty()) {
        return Some((Ok(begun.into()), work));
    }
    let mut file = work.file.take()?;
    let Some(rows) = work.next.take() else {
        return Some((
            file.end().map(Bytes::from).map_err(|error| broken(&error)),
            work,
        ));
    };
    let (written, kept) = match web::block(move || (file.page(&rows), file)).await {
        Ok((Ok(written), file)) => (written, file),
        Ok((Err(error), _)) => return Some((Err(broken(&error)), work)),
        Err(error) => return Some((Err(io::Error::other(error.to_string())), work)),
    };
    work.file = Some(kept);
    match work.pages.next().await {
        Ok(next) => {
            work.next = next;
            Some((Ok(written.into()), work))
        }
        Err(error) => {
            tracing::warn!(%error, "an export was broken off");
            work.file = None;
            Some((Err(io::Error::other(error.to_string())), work))
        }
    }
}

fn broken(error: &FileError) -> io::Error {
    tracing::error!(%error, "an export was broken off");
    io::Error::other(error.to_string())
}
