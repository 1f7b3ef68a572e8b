//! `GET {links_url}/<slug>`: short links lead on at once, from memory (wire.md 7; contract, "Unknown short links").
//!
//! Known slugs do not pass the layers of other requests: nobody has to be authenticated, no body is read and no limit
//! counts, so the answer is made of the packed record, the request's headers and nothing else. Whatever is not a known
//! slug goes the usual way and is answered with a 404. The click goes into a bounded queue ([`clicks`]) that nobody waits
//! for.

mod agents;
mod choose;
pub mod clicks;
mod once;
mod pages;

use std::{sync::Arc, time::Instant};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    guard::{Guard, GuardContext},
    http::{
        StatusCode,
        header::{
            ACCEPT_LANGUAGE, CACHE_CONTROL, ETAG, HeaderMap, HeaderName, HeaderValue,
            IF_NONE_MATCH, LOCATION, REFERER, STRICT_TRANSPORT_SECURITY, USER_AGENT,
            X_CONTENT_TYPE_OPTIONS,
        },
    },
    web::{self, Data, ServiceConfig},
};

use self::{
    choose::{Outcome, Visitor},
    clicks::{Click, Series},
};
use super::{Shared, edge::RequestIds};
use crate::actors::links::Record;

/// What known slugs are counted under.
const ROUTE: &str = "/{slug}";
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const AGAIN: HeaderValue = HeaderValue::from_static("private, no-cache");
const NEVER: HeaderValue = HeaderValue::from_static("private, no-store");

/// What every redirect needs.
struct Door {
    shared: Arc<Shared>,
    ids: RequestIds,
    https: bool,
}

/// A packed record that the router has found.
#[derive(Clone)]
struct Known(Arc<[u8]>);

/// Whether a path is the slug of a link; what is found stays with the request.
struct IsKnown(Arc<Shared>);

impl Guard for IsKnown {
    fn check(&self, context: &GuardContext<'_>) -> bool {
        let path = context.head().uri.path();
        let Some(slug) = path.strip_prefix('/') else {
            return false;
        };
        let Some(packed) = self.0.links.view().packed(slug) else {
            return false;
        };
        context.req_data_mut().insert(Known(packed));
        true
    }
}

/// Registers known slugs, in front of everything else on the host.
pub(super) fn mount(config: &mut ServiceConfig, shared: &Arc<Shared>) {
    let door = Door {
        shared: Arc::clone(shared),
        ids: RequestIds::new(),
        https: shared.urls.is_https(),
    };
    config.service(
        web::resource(ROUTE)
            .guard(IsKnown(Arc::clone(shared)))
            .app_data(Data::new(door))
            .route(web::get().to(follow))
            .route(web::head().to(follow))
            .default_service(web::to(|| async {
                HttpResponse::MethodNotAllowed().finish()
            })),
    );
}

async fn follow(request: HttpRequest, door: Data<Door>) -> HttpResponse {
    let started = Instant::now();
    let known = request.extensions().get::<Known>().cloned();
    let record = known.as_ref().and_then(|known| Record::unpack(&known.0));
    let mut response = match record {
        Some(record) => answer(&request, &door, &record).await,
        // Only records that can be read are shown.
        None => HttpResponse::InternalServerError().finish(),
    };
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(door.ids.of(request.headers()).as_str()) {
        headers.insert(X_REQUEST_ID, id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if door.https {
        let a_year = HeaderValue::from_static("max-age=31536000");
        headers.insert(STRICT_TRANSPORT_SECURITY, a_year);
    }
    let took = started.elapsed();
    door.shared.metrics.request(ROUTE, response.status(), took);
    response
}

async fn answer(request: &HttpRequest, door: &Door, record: &Record<'_>) -> HttpResponse {
    let shared = &door.shared;
    let headers = request.headers();
    let address = shared
        .options
        .proxies
        .client_at(request.peer_addr(), headers);
    let user_agent = text(headers, &USER_AGENT);
    let now_ms = shared.clock.now_ms();
    let clicked = match record.more.as_ref().and_then(|more| more.max_clicks) {
        Some(_) => shared.clicks.count_of(record).await,
        None => 0,
    };
    let visitor = Visitor {
        now_ms,
        clicked,
        user_agent,
        languages: text(headers, &ACCEPT_LANGUAGE),
        address: address.0,
        is_preview: agents::is_preview(user_agent),
    };
    let outcome = choose::choose(record, &visitor, |address| shared.enricher.country(address));
    match outcome {
        Outcome::Ended(None) => pages::ended(request, &door.ids),
        Outcome::Ended(Some(url)) => redirect(url, NEVER),
        Outcome::Preview => pages::preview(shared, record).await,
        Outcome::To(url, tag) => {
            let tag = format!("\"{tag:016x}\"");
            let known = text(headers, &IF_NONE_MATCH);
            let same = known
                .split(',')
                .any(|known| known.trim().trim_start_matches("W/") == tag);
            let mut response = if same {
                HttpResponse::new(StatusCode::NOT_MODIFIED)
            } else {
                count(request, door, record, &visitor);
                redirect(url, AGAIN)
            };
            if let Ok(tag) = HeaderValue::from_str(&tag) {
                response.headers_mut().insert(ETAG, tag);
            }
            response.headers_mut().insert(CACHE_CONTROL, AGAIN);
            response
        }
    }
}

/// Leads on. What was stored was checked, so it is a header value.
fn redirect(url: &str, cache: HeaderValue) -> HttpResponse {
    let Ok(url) = HeaderValue::from_str(url) else {
        return HttpResponse::InternalServerError().finish();
    };
    let mut response = HttpResponse::new(StatusCode::FOUND);
    response.headers_mut().insert(LOCATION, url);
    response.headers_mut().insert(CACHE_CONTROL, cache);
    response
}

/// Puts the click into the queue, unless the visitor asks not to be counted or was counted a moment ago.
fn count(request: &HttpRequest, door: &Door, record: &Record<'_>, visitor: &Visitor<'_>) {
    let (shared, headers) = (&door.shared, request.headers());
    let asks = |name: &str| headers.get(name).is_some_and(|value| value == "1");
    let options = &shared.options;
    if (options.honour_gpc && asks("sec-gpc")) || (options.honour_dnt && asks("dnt")) {
        return;
    }
    let series = if visitor.is_preview || agents::only_looks(request.method(), headers) {
        Series::Machines
    } else {
        Series::People
    };
    shared.clicks.take(Click {
        organization: record.organization(),
        link: record.key(),
        at_ms: visitor.now_ms,
        address: visitor.address,
        user_agent: headers.get(USER_AGENT).cloned(),
        referrer: headers.get(REFERER).cloned(),
        has_language: headers.contains_key(ACCEPT_LANGUAGE),
        has_fetch_mode: headers.contains_key("sec-fetch-mode"),
        uri: request.uri().query().map(|_| request.uri().clone()),
        series,
        is_capped: record
            .more
            .as_ref()
            .is_some_and(|more| more.max_clicks.is_some()),
    });
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> &'h str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default()
}
