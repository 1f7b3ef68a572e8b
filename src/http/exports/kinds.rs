//! The kinds of exports. Each of them lists what a procedure lists.

use actix_web::HttpResponse;
use futures_util::stream;
use serde::Serialize;
use serde_json::Value;

use super::{
    About, attachment,
    file::{Format, Progress},
    flagd, piece,
    rows::{Answer, List, Rows},
    shlink,
};
use crate::{
    actors::links::Sort,
    analytics::export::Format as EventFormat,
    fault::Fault,
    http::{
        procedures::{
            Call, Handle, Input, Output, alarms, annotations, boards,
            bodies::IdBody,
            flags::{self, groups},
            funnels, goals, link_csv, link_folders, links, profiles, segments,
            status_page::{bodies::StatusPageIdBody, incidents, pages, subscribers},
            uptime, websites,
        },
        v1::export as events,
    },
};

/// Who has the things of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Owner {
    Organization,
    Website,
}

/// Something to export.
pub(in crate::http) struct Kind {
    /// Its name in addresses.
    pub(in crate::http) name: &'static str,
    /// Its name for people.
    pub(in crate::http) label: &'static str,
    pub(in crate::http) owner: Owner,
    content: Content,
}

enum Content {
    /// Rows in every format, and documents in formats of other programs.
    Rows(Rows, &'static [Document]),
    /// Clicks of short links, out of the event store.
    Clicks,
}

/// A file in a format of another program.
struct Document {
    format: &'static str,
    write: fn(Call, About) -> Answer<Value>,
}

impl Kind {
    /// The names of its formats.
    pub(in crate::http) fn formats(&self) -> impl Iterator<Item = &'static str> + use<> {
        let (own, others): (Vec<&str>, &'static [Document]) = match &self.content {
            Content::Rows(_, others) => (Format::ALL.map(Format::name).into(), others),
            Content::Clicks => (EventFormat::NAMES.into(), &[]),
        };
        own.into_iter()
            .chain(others.iter().map(|other| other.format))
    }

    /// The file in one of its formats.
    pub(super) async fn answer(
        &'static self,
        call: Call,
        about: About,
        format: &str,
    ) -> Result<HttpResponse, Fault> {
        let Content::Rows(rows, documents) = &self.content else {
            let dates = (about.start_date.as_deref(), about.end_date.as_deref());
            let organization = call.organization(about.organization_id.as_deref())?;
            let clicks =
                events::open_clicks(&call.shared, &call.caller, &organization, format, dates);
            return events::answer(clicks.await?).await;
        };
        if let Some(other) = documents.iter().find(|other| other.format == format) {
            let name = format!("{}-{}", self.name, other.format);
            let document = (other.write)(call.clone(), about).await?;
            return Ok(attachment(&call, &name, "json").json(document));
        }
        let format: Format = format.parse().unwrap_or(Format::Ndjson);
        let mut answer = attachment(&call, self.name, format.name());
        let progress = Progress::begin(call, about, *rows, format).await?;
        Ok(answer
            .content_type(format.media())
            .streaming(stream::unfold(progress, piece)))
    }
}

const fn kind(name: &'static str, label: &'static str, owner: Owner, content: Content) -> Kind {
    Kind {
        name,
        label,
        owner,
        content,
    }
}

const fn organization(name: &'static str, label: &'static str, list: List) -> Kind {
    let content = Content::Rows(Rows::All(list), &[]);
    kind(name, label, Owner::Organization, content)
}

const fn website(name: &'static str, label: &'static str, list: List) -> Kind {
    let content = Content::Rows(Rows::All(list), &[]);
    kind(name, label, Owner::Website, content)
}

/// What a procedure lists.
async fn ask<I: Input, O: Output>(
    call: Call,
    procedure: &'static Handle<I, Vec<O>>,
    input: I,
) -> Result<Vec<Value>, Fault> {
    values(procedure.call(call, input).await?)
}

fn values(rows: Vec<impl Serialize>) -> Result<Vec<Value>, Fault> {
    let rows = rows.iter().map(serde_json::to_value);
    rows.collect::<Result<_, _>>().map_err(Fault::internal)
}

/// The procedure that lists a kind, of an organization or of a website.
macro_rules! listed {
    (organization $handle:expr) => {
        |call, about| Box::pin(ask(call, &$handle, about.organization()))
    };
    (website $handle:expr) => {
        |call, about| Box::pin(async move { ask(call, &$handle, about.website()?).await })
    };
}

/// What a procedure lists of every status page.
macro_rules! of_pages {
    ($handle:expr) => {
        |call, about| {
            Box::pin(async move {
                let mut all = Vec::new();
                for page in pages::LIST.call(call.clone(), about.organization()).await? {
                    let status_page_id = page.id;
                    let body = StatusPageIdBody { status_page_id };
                    all.extend(ask(call.clone(), &$handle, body).await?);
                }
                Ok(all)
            })
        }
    };
}

pub(in crate::http) const KINDS: &[Kind] = &[
    organization("websites", "Websites", listed!(organization websites::LIST)),
    kind(
        "links",
        "Short links",
        Owner::Organization,
        Content::Rows(
            Rows::Pages(&link_csv::COLUMNS, |call, about, cursor| {
                Box::pin(async move {
                    let organization = about.organization().organization_id;
                    // What is created meanwhile comes at the end.
                    let page = (Sort::Oldest, cursor.rows);
                    values(links::list_page(&call, organization.as_deref(), page).await?)
                })
            }),
            &[Document {
                format: "shlink",
                write: |call, about| Box::pin(shlink::write(call, about)),
            }],
        ),
    ),
    organization(
        "link-folders",
        "Link folders",
        listed!(organization link_folders::LIST),
    ),
    kind(
        "clicks",
        "Clicks on short links",
        Owner::Organization,
        Content::Clicks,
    ),
    organization("monitors", "Monitors", |call, about| {
        Box::pin(async move { values(uptime::list_all(&call, about.organization())?) })
    }),
    organization("status-pages", "Status pages", |call, about| {
        Box::pin(async move {
            let mut all = Vec::new();
            for page in pages::LIST.call(call.clone(), about.organization()).await? {
                let status_page_id = page.id;
                let body = StatusPageIdBody { status_page_id };
                all.push(pages::GET.call(call.clone(), body).await?);
            }
            values(all)
        })
    }),
    organization(
        "incidents",
        "Incidents",
        of_pages!(incidents::LIST_INCIDENTS),
    ),
    organization(
        "subscribers",
        "Subscribers",
        of_pages!(subscribers::LIST_SUBSCRIBERS),
    ),
    organization("alerts", "Alerts", |call, about| {
        Box::pin(async move { values(alarms::list_all(&call, about.organization())?) })
    }),
    organization("boards", "Boards", |call, about| {
        Box::pin(async move {
            let mut all = Vec::new();
            for board in boards::LIST
                .call(call.clone(), about.organization())
                .await?
            {
                let body = IdBody { id: board.id };
                all.push(boards::GET_BY_ID.call(call.clone(), body).await?);
            }
            values(all)
        })
    }),
    kind(
        "flags",
        "Feature flags",
        Owner::Organization,
        Content::Rows(
            Rows::All(|call, about| {
                let scope = about.scope();
                let body = flags::ListBody {
                    scope,
                    status: None,
                };
                Box::pin(ask(call, &flags::LIST, body))
            }),
            &[Document {
                format: "flagd",
                write: |call, about| Box::pin(flagd::write(call, about)),
            }],
        ),
    ),
    website(
        "target-groups",
        "Target groups",
        listed!(website groups::LIST),
    ),
    website("goals", "Goals", listed!(website goals::LIST)),
    website("funnels", "Funnels", listed!(website funnels::LIST)),
    website("annotations", "Annotations", |call, about| {
        Box::pin(async move {
            let body = annotations::ListBody {
                website_id: about.website()?.website_id,
                chart_type: None,
                chart_context: None,
            };
            ask(call, &annotations::LIST, body).await
        })
    }),
    website("segments", "Segments", listed!(website segments::LIST)),
    kind(
        "users",
        "Users",
        Owner::Website,
        Content::Rows(
            Rows::Pages(&profiles::COLUMNS, |call, about, cursor| {
                Box::pin(async move {
                    let after = cursor
                        .last
                        .as_ref()
                        .and_then(|last| last["profileId"].as_str());
                    let website = about.website()?.website_id;
                    values(profiles::list_page(&call, &website, after.unwrap_or_default()).await?)
                })
            }),
            &[],
        ),
    ),
];
