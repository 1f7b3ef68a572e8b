//! `GET /v1/export`: all that is stored of a website as a file, streamed.

use std::{collections::HashSet, io, sync::Arc};

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_DISPOSITION},
    web,
};
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;

use crate::{
    access::{
        Principal,
        authorize::{self, ReadAccess},
    },
    actors::links::LinksView,
    analytics::{
        export::{CLICKS, EVENTS, ExportQuery, File, FileError, Format, Pages, Table},
        range::{Range, parse_moment},
    },
    events::{
        statement::{Cell, QueryError},
        store::EventStore,
    },
    fault::{Fault, Issue},
    http::{Shared, auth::Caller},
    ids::{OrganizationId, WebsiteId, WebsiteKey},
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
    /// Whose links the rows name by their numbers.
    links: Option<(Arc<LinksView>, OrganizationId)>,
}

impl Export {
    /// The next rows.
    pub(in crate::http) async fn next(&mut self) -> Result<Option<Vec<Vec<Cell>>>, Fault> {
        let mut rows = self.pages.next().await.map_err(query_fault)?;
        if let (Some(rows), Some((links, organization))) = (&mut rows, &self.links) {
            name_links(rows, links, organization).await?;
        }
        Ok(rows)
    }
}

/// Puts the ids of links in the place of their numbers, which are in the first column. Those of deleted links stay empty.
async fn name_links(
    rows: &mut [Vec<Cell>],
    links: &LinksView,
    organization: &OrganizationId,
) -> Result<(), Fault> {
    let key = |row: &Vec<Cell>| match row.first() {
        Some(Cell::Int(key)) => Some(WebsiteKey(*key)),
        _ => None,
    };
    let keys: HashSet<WebsiteKey> = rows.iter().filter_map(key).collect();
    let ids = links.ids(organization, keys).await?;
    for row in rows {
        let id = key(row).and_then(|key| ids.get(&key));
        if let Some(first) = row.first_mut() {
            *first = id.map_or(Cell::Null, |id| Cell::Text(id.as_str().into()));
        }
    }
    Ok(())
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
    let name = format!("events-{website}");
    open(shared, (&EVENTS, access), (&name, format), (start, end)).await
}

/// The clicks on all short links of an organization, for who may read all of its events.
pub(in crate::http) async fn open_clicks(
    shared: &Shared,
    caller: &Principal,
    organization: &OrganizationId,
    format: &str,
    dates: (Option<&str>, Option<&str>),
) -> Result<Export, Fault> {
    let tenant = shared.organizations.view().tenant(organization.as_str());
    let access = authorize::read_organization(caller, tenant.as_ref())?;
    let mut export = open(shared, (&CLICKS, access), ("clicks", format), dates).await?;
    export.links = Some((shared.links.view(), organization.clone()));
    Ok(export)
}

async fn open(
    shared: &Shared,
    (table, access): (&'static Table, ReadAccess),
    (name, format): (&str, &str),
    (start, end): (Option<&str>, Option<&str>),
) -> Result<Export, Fault> {
    let format = Format::named(format).ok_or_else(|| {
        let known = Format::ALL.map(|(name, _)| name).join(", ");
        wrong("format", format!("format must be one of {known}"))
    })?;
    let range = range(start, end)?;
    let now_ms = shared.clock.now_ms();
    let asked = ExportQuery {
        table,
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
        file: File::new(table, format).map_err(Fault::internal)?,
        format,
        filename: format!("{name}-{today}.{}", format.ending()),
        links: None,
    })
}

fn wrong(field: &str, message: String) -> Fault {
    Fault::issues(
        message.clone(),
        vec![Issue::new("invalid_value", field, message)],
    )
}

/// Days in UTC; everything when nothing is said.
pub(in crate::http) fn range(start: Option<&str>, end: Option<&str>) -> Result<Range, Fault> {
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
    let opened = open_export(&shared, &caller.principal, website, format, dates);
    answer(opened.await?).await
}

/// The answer with the file.
pub(in crate::http) async fn answer(mut export: Export) -> Result<HttpResponse, Fault> {
    let begun = export.file.begin().map_err(Fault::internal)?;
    // What cannot be answered at all is refused before anything is sent.
    let next = export.next().await?;
    let named = format!("attachment; filename=\"{}\"", export.filename);
    let media = export.format.media();
    let work = Work {
        next,
        export: Some(export),
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
    next: Option<Vec<Vec<Cell>>>,
    /// None behind the end.
    export: Option<Export>,
    begun: Option<Vec<u8>>,
}

type Piece = Result<Bytes, io::Error>;

/// The next piece. A failure in the middle breaks the transfer off: no client takes a part for the whole.
async fn piece(mut work: Work) -> Option<(Piece, Work)> {
    if let Some(begun) = work.begun.take().filter(|begun| !begun.is_empty()) {
        return Some((Ok(begun.into()), work));
    }
    let mut export = work.export.take()?;
    let Some(rows) = work.next.take() else {
        let end = export.file.end().map(Bytes::from);
        return Some((end.map_err(|error| broken(&error)), work));
    };
    let (written, kept) = match web::block(move || (export.file.page(&rows), export)).await {
        Ok((Ok(written), export)) => (written, export),
        Ok((Err(error), _)) => return Some((Err(broken(&error)), work)),
        Err(error) => return Some((Err(io::Error::other(error.to_string())), work)),
    };
    export = kept;
    match export.next().await {
        Ok(next) => {
            work.next = next;
            work.export = Some(export);
            Some((Ok(written.into()), work))
        }
        Err(fault) => {
            tracing::warn!(error = %fault.message, "an export was broken off");
            Some((Err(io::Error::other(fault.message)), work))
        }
    }
}

fn broken(error: &FileError) -> io::Error {
    tracing::error!(%error, "an export was broken off");
    io::Error::other(error.to_string())
}
