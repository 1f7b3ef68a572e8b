//! `GET /v1/export/{kind}`: everything that people put in, in open forms.
//!
//! A kind of export is a row of [`KINDS`]. Rows are what the kind's procedure lists, with the caller's rights.

mod file;
mod flagd;
mod kinds;
mod rows;
mod shlink;

use std::{io, sync::Arc};

use actix_web::{
    HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, CONTENT_DISPOSITION},
    },
    web,
};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use self::file::Progress;
pub(super) use self::kinds::{KINDS, Kind, Owner};
use super::{
    Host, Shared,
    auth::Caller,
    procedures::{
        Call,
        bodies::{OrganizationBody, WebsiteIdBody},
        flags::ScopeBody,
    },
    routes::{Access, Route},
};
use crate::{
    access::Principal,
    clock::iso_ms,
    fault::{Fault, Issue},
};

/// Whose things are exported.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct About {
    #[serde(alias = "organizationId")]
    organization_id: Option<String>,
    #[serde(alias = "websiteId")]
    website_id: Option<String>,
    format: Option<String>,
    environment: Option<String>,
    #[serde(alias = "startDate")]
    start_date: Option<String>,
    #[serde(alias = "endDate")]
    end_date: Option<String>,
}

impl About {
    fn organization(self) -> OrganizationBody {
        OrganizationBody {
            organization_id: self.organization_id,
        }
    }

    fn website(self) -> Result<WebsiteIdBody, Fault> {
        let message = "`website_id` is required";
        let missing = || Fault::issues(message, vec![Issue::new("missing", "website_id", message)]);
        Ok(WebsiteIdBody {
            website_id: self.website_id.ok_or_else(missing)?,
        })
    }

    fn scope(self) -> ScopeBody {
        ScopeBody {
            organization_id: self.organization_id.filter(|_| self.website_id.is_none()),
            website_id: self.website_id,
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    let mut formats: Vec<&str> = KINDS.iter().flat_map(Kind::formats).collect();
    formats.sort_unstable();
    formats.dedup();
    vec![
        Route::new(Method::GET, Host::Base, "/v1/export/{kind}", |route| {
            route.to(export)
        })
        .says(
            "Export definitions",
            "Everything that people put in, as a file. `kind` is `websites`, `links`, `link-folders`, `clicks`, `flags`, `target-groups`, `monitors`, `status-pages`, `incidents`, `subscribers`, `alerts`, `boards`, `goals`, `funnels`, `annotations`, `segments` or `users`. Who may not read a kind's list gets no export of it.",
        )
        .tagged("Organizations")
        .needs(Access::Known)
        .takes_as(
            "format",
            "`csv`, `json` or `ndjson` (the default) for every kind; `shlink` for short links; `flagd` for flags; `parquet` and `txt` for clicks",
            json!({ "enum": formats, "default": "ndjson" }),
        )
        .takes("organization_id", "The organization; by default the key's, or the session's active one")
        .takes("website_id", "The website, for what belongs to one")
        .takes("environment", "Flags of this environment beside those of none, for `flagd`")
        .takes("start_date", "First day (UTC) of clicks, by default the first of all")
        .takes("end_date", "Last day (UTC) of clicks, by default today")
        .media("application/x-ndjson")
        .or_media(&[
            "text/csv",
            "application/json",
            "text/tab-separated-values",
            "application/vnd.apache.parquet",
        ]),
    ]
}

async fn export(
    caller: Caller,
    shared: web::Data<Shared>,
    kind: web::Path<String>,
    about: web::Query<About>,
) -> Result<HttpResponse, Fault> {
    if matches!(caller.principal, Principal::Anonymous) {
        return Err(Fault::unauthenticated());
    }
    let about = about.into_inner();
    let found = KINDS.iter().find(|known| *known.name == **kind);
    let kind = found.ok_or_else(|| Fault::not_found("export", &**kind))?;
    let format = about.format.as_deref().unwrap_or("ndjson");
    if !kind.formats().any(|known| known == format) {
        let known: Vec<&str> = kind.formats().collect();
        let message = format!("format must be one of {}", known.join(", "));
        let issue = Issue::new("invalid_value", "format", message.clone());
        return Err(Fault::issues(message, vec![issue]));
    }
    let format = format.to_owned();
    let call = Call {
        shared: Arc::clone(&shared),
        caller: caller.principal,
        address: None,
    };
    kind.answer(call, about, &format).await
}

/// An answer with a file.
fn attachment(call: &Call, name: &str, ending: &str) -> actix_web::HttpResponseBuilder {
    let today = &iso_ms(call.shared.clock.now_ms())[..10];
    let named = format!("attachment; filename=\"{name}-{today}.{ending}\"");
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_DISPOSITION, named));
    answer
}

/// The pieces of a file. A failure in the middle breaks the transfer off: no client takes a part for the whole.
async fn piece(mut progress: Progress) -> Option<(Result<Bytes, io::Error>, Progress)> {
    match progress.next().await {
        Ok(piece) => piece.map(|piece| (Ok(piece.into()), progress)),
        Err(fault) => {
            tracing::warn!(error = %fault.message, "an export was broken off");
            progress.stop();
            Some((Err(io::Error::other(fault.message)), progress))
        }
    }
}
