//! `GET {links_url}/<slug>`: short links lead on at once, from memory.
//!
//! Known slugs do not pass the layers of other requests: there is no authentication, no body is read and no limit
//! counts, so the answer is made of the packed record, the request's headers, its query where the link passes that on, and
//! nothing else. Whatever is not a known
//! slug goes the usual way and is answered with a 404. The click goes into a bounded queue ([`clicks`](super::clicks)) that no visitor waits
//! for.

mod agents;
mod choose;
mod forward;
mod pages;
mod unlock;

use std::{borrow::Cow, sync::Arc, time::Instant};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    guard::{Guard, GuardContext},
    http::{
        StatusCode,
        header::{
            ACCEPT, ACCEPT_LANGUAGE, ALLOW, CACHE_CONTROL, ETAG, HeaderName, HeaderValue,
            IF_NONE_MATCH, LOCATION, REFERER, STRICT_TRANSPORT_SECURITY, USER_AGENT,
            X_CONTENT_TYPE_OPTIONS,
        },
    },
    web::{self, Data, ServiceConfig},
};

use self::{
    agents::ClientKind,
    choose::{Outcome, Visitor},
    pages::UnlockOutcome,
};
use super::{
    Shared, auth,
    clicks::{Click, dedup::Series},
    edge::{ClientAddress, RequestId, RequestIds, proxy_geo},
    language::browsers_language,
};
use crate::{
    actors::{hosts::HostUse, links::Record},
    locale::Texts,
};

/// Carries the pass of a link with a password, on the path of that link alone.
const COOKIE: &str = "pharos_link";
/// What known slugs are counted under.
const ROUTE: &str = "/{slug}";
/// Slugs that an import brought may have several segments.
const PATTERN: &str = "/{slug:.+}";
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const AGAIN: HeaderValue = HeaderValue::from_static("private, no-cache");
const NEVER: HeaderValue = HeaderValue::from_static("private, no-store");

/// What every redirect needs.
struct Redirects {
    shared: Arc<Shared>,
    ids: RequestIds,
    https: bool,
}

/// A packed record that the router has found.
#[derive(Clone)]
struct PackedRecord(Arc<[u8]>);

/// Whether a path is the slug of a link; what is found stays with the request.
struct IsLink(Arc<Shared>);

impl Guard for IsLink {
    fn check(&self, context: &GuardContext<'_>) -> bool {
        let path = context.head().uri.path();
        let Some(slug) = path.strip_prefix('/') else {
            return false;
        };
        let host = self.0.custom_host(context.head());
        if host
            .as_ref()
            .is_some_and(|host| host.serves != HostUse::Links)
        {
            return false;
        }
        let host = host.as_ref().map(|host| &host.id);
        let Some(packed) = self.0.links.view().packed(host, slug) else {
            return false;
        };
        context.req_data_mut().insert(PackedRecord(packed));
        true
    }
}

/// What is shown for an unknown slug: where the owner of the host says, or a page.
pub(super) fn unknown(request: &HttpRequest) -> HttpResponse {
    let shared = request.app_data::<Data<Shared>>();
    let host = shared.and_then(|shared| shared.custom_host(request.head()));
    let pages = host.as_ref().map(|host| &host.fields);
    let chosen = pages.and_then(|pages| match request.path() {
        "/" => pages.root_url.as_deref(),
        _ => pages.unknown_url.as_deref(),
    });
    if let Some(url) = chosen {
        return redirect(url, StatusCode::FOUND, NEVER);
    }
    pages::unknown(browsers_language(request.headers()).texts())
}

/// Registers known slugs, in front of everything else on the host.
pub(super) fn mount(config: &mut ServiceConfig, shared: &Arc<Shared>) {
    let redirects = Redirects {
        shared: Arc::clone(shared),
        ids: RequestIds::new(),
        https: shared.urls.links.starts_with("https://"),
    };
    config.service(
        web::resource(PATTERN)
            .guard(IsLink(Arc::clone(shared)))
            .app_data(Data::new(redirects))
            .route(web::get().to(follow))
            .route(web::head().to(follow))
            .route(web::post().to(unlock))
            .default_service(web::to(|| async {
                let mut response = HttpResponse::MethodNotAllowed();
                response.insert_header((ALLOW, "GET, HEAD, POST")).finish()
            })),
    );
}

/// A request that is being answered.
struct Answering<'r> {
    request: &'r HttpRequest,
    redirects: &'r Redirects,
    id: RequestId,
    address: ClientAddress,
}

impl Answering<'_> {
    fn text(&self, name: &HeaderName) -> &str {
        let value = self.request.headers().get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    fn wants_json(&self) -> bool {
        self.text(&ACCEPT).contains("application/json")
    }

    /// The texts of the language that the visitor asks for.
    fn texts(&self) -> Texts {
        browsers_language(self.request.headers()).texts()
    }

    /// What a trusted proxy says about the place.
    fn place(&self) -> Option<[Option<&HeaderValue>; 3]> {
        let options = &self.redirects.shared.options;
        options.place(self.request.peer_addr(), self.request.headers())
    }
}

async fn follow(request: HttpRequest, redirects: Data<Redirects>) -> HttpResponse {
    with_record(&request, &redirects, answer).await
}

async fn unlock(
    request: HttpRequest,
    redirects: Data<Redirects>,
    body: web::Payload,
) -> HttpResponse {
    let unlocking = async |answering: &Answering<'_>, record: &Record<'_>| {
        if record.lock().is_none() {
            let mut response = HttpResponse::MethodNotAllowed();
            return response.insert_header((ALLOW, "GET, HEAD")).finish();
        }
        unlock::answer(answering, record, body).await
    };
    with_record(&request, &redirects, unlocking).await
}

/// Answers for the record that the guard has found, with what every answer carries.
async fn with_record(
    request: &HttpRequest,
    redirects: &Redirects,
    answer: impl AsyncFnOnce(&Answering<'_>, &Record<'_>) -> HttpResponse,
) -> HttpResponse {
    let started = Instant::now();
    let known = request.extensions().get::<PackedRecord>().cloned();
    let record = known.as_ref().and_then(|known| Record::unpack(&known.0));
    let proxies = &redirects.shared.options.proxies;
    let answering = Answering {
        request,
        redirects,
        id: redirects.ids.read(request.headers()),
        address: proxies.client_at(request.peer_addr(), request.headers()),
    };
    let mut response = match record {
        Some(record) => answer(&answering, &record).await,
        // Only records that can be read are shown.
        None => HttpResponse::InternalServerError().finish(),
    };
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(answering.id.as_str()) {
        headers.insert(X_REQUEST_ID, id);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if redirects.https {
        let a_year = HeaderValue::from_static("max-age=31536000");
        headers.insert(STRICT_TRANSPORT_SECURITY, a_year);
    }
    let took = started.elapsed();
    redirects
        .shared
        .metrics
        .request(ROUTE, response.status(), took);
    response
}

async fn answer(answering: &Answering<'_>, record: &Record<'_>) -> HttpResponse {
    let shared = &answering.redirects.shared;
    let user_agent = answering.text(&USER_AGENT);
    let who = ClientKind::read(&shared.enricher, user_agent);
    let now_ms = shared.clock.now_ms();
    let clicked = match cap(record) {
        Some(_) => clicks_taken(answering, record).await,
        None => Ok(0),
    };
    let Ok(clicked) = clicked else {
        return pages::not_counted(answering);
    };
    let visitor = Visitor {
        now_ms,
        clicked,
        user_agent,
        languages: answering.text(&ACCEPT_LANGUAGE),
        address: answering.address.0,
        is_preview: who.is_preview,
        is_bot: who.is_bot,
        has_pass: has_pass(answering, record, now_ms),
    };
    let options = record.options.as_ref();
    if options.is_some_and(|options| !options.countries.is_empty()) {
        shared.enricher.ready().await;
    }
    let outcome = choose::choose(record, &visitor, |address| {
        shared
            .enricher
            .country_behind_proxy(address, &proxy_geo(answering.place()))
    });
    match outcome {
        Outcome::Ended(to) => ended(answering, to),
        Outcome::Preview => pages::preview(answering, record).await,
        Outcome::Locked => pages::asks(answering, UnlockOutcome::Nothing),
        Outcome::App(app, web) => match count(answering, record, &visitor).await {
            Ok(()) => {
                let web = forwarded(answering, record, web.into());
                pages::opens(answering.texts(), app, &web)
            }
            Err(stopped) => stopped.answer(answering, record),
        },
        Outcome::To(url, tag) => {
            let url = if who.is_bot {
                record.without_ref(url).into()
            } else {
                url.into()
            };
            let url = forwarded(answering, record, url);
            let tag = match &url {
                Cow::Borrowed(_) => tag,
                Cow::Owned(url) => choose::etag(record, url),
            };
            lead(answering, record, (&url, tag), &visitor).await
        }
    }
}

/// An address with the query of the short URL, where the link passes that on.
fn forwarded<'a>(
    answering: &Answering<'_>,
    record: &Record<'_>,
    url: Cow<'a, str>,
) -> Cow<'a, str> {
    let options = record.options.as_ref();
    let forwarding = options.and_then(|options| options.forwarding);
    let query = answering.request.uri().query();
    let more = forwarding
        .zip(query)
        .and_then(|(forwarding, query)| forward::with_query(&url, forwarding, query));
    more.map_or(url, Cow::Owned)
}

/// Clicks that count against a link's cap. The first to ask counts what is stored.
async fn clicks_taken(answering: &Answering<'_>, record: &Record<'_>) -> Result<u64, Stopped> {
    let shared = &answering.redirects.shared;
    let (view, key) = (shared.links.view(), record.key());
    if let Some(clicks) = view.counted_clicks(key).await.map_err(Stopped::away)? {
        return Ok(clicks);
    }
    let stored = shared
        .clicks
        .count_stored(record)
        .await
        .map_err(Stopped::away)?;
    view.begin_count(key, stored).await.map_err(Stopped::away)
}

/// Why a visitor of a link with a cap is not led on.
#[derive(Debug, Clone, Copy)]
enum Stopped {
    /// Others took the last clicks that the link had.
    Full,
    /// Clicks cannot be counted. A link that may have ended leads nowhere.
    NotCounted,
}

impl Stopped {
    fn away(error: impl std::fmt::Display) -> Self {
        tracing::warn!(%error, "clicks of a link that ends after some cannot be counted");
        Self::NotCounted
    }

    fn answer(self, answering: &Answering<'_>, record: &Record<'_>) -> HttpResponse {
        match self {
            Self::Full => {
                let more = record.options.as_ref();
                ended(answering, more.and_then(|more| more.expired))
            }
            Self::NotCounted => pages::not_counted(answering),
        }
    }
}

/// Whether the visitor has said the link's password lately.
fn has_pass(answering: &Answering<'_>, record: &Record<'_>, now_ms: i64) -> bool {
    let headers = answering.request.headers();
    record.lock().is_some()
        && auth::cookie(headers, COOKIE).is_some_and(|pass| {
            let view = answering.redirects.shared.links.view();
            view.accepts_pass(record, pass, now_ms)
        })
}

/// Clicks after which a link ends, if it does.
fn cap(record: &Record<'_>) -> Option<u64> {
    record.options.as_ref()?.max_clicks
}

fn ended(answering: &Answering<'_>, to: Option<&str>) -> HttpResponse {
    let host = match to {
        Some(_) => None,
        None => answering
            .redirects
            .shared
            .custom_host(answering.request.head()),
    };
    let pages = host.as_ref().map(|host| &host.fields);
    match to.or_else(|| pages?.ended_url.as_deref()) {
        Some(url) => redirect(url, StatusCode::FOUND, NEVER),
        None => pages::ended(answering),
    }
}

/// Leads to an address and counts the click; a client that knows the address already gets 304 and does not count.
async fn lead(
    answering: &Answering<'_>,
    record: &Record<'_>,
    (url, tag): (&str, u64),
    visitor: &Visitor<'_>,
) -> HttpResponse {
    let tag = format!("\"{tag:016x}\"");
    let mut known = answering.text(&IF_NONE_MATCH).split(',');
    let same = known.any(|known| known.trim().trim_start_matches("W/") == tag);
    let mut response = if same {
        HttpResponse::new(StatusCode::NOT_MODIFIED)
    } else {
        match count(answering, record, visitor).await {
            Ok(()) => redirect(url, status(record), AGAIN),
            Err(stopped) => return stopped.answer(answering, record),
        }
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response.headers_mut().insert(CACHE_CONTROL, AGAIN);
    response
}

/// How the link redirects. Browsers ask again even after a permanent redirect, because of [`AGAIN`].
fn status(record: &Record<'_>) -> StatusCode {
    let chosen = record.options.as_ref().and_then(|options| options.status);
    let chosen = chosen.and_then(|status| StatusCode::from_u16(status).ok());
    chosen.unwrap_or(StatusCode::FOUND)
}

/// Leads on. What was stored was checked, and what a visitor added was encoded, so it is a header value.
fn redirect(url: &str, status: StatusCode, cache: HeaderValue) -> HttpResponse {
    let Ok(url) = HeaderValue::from_str(url) else {
        return HttpResponse::InternalServerError().finish();
    };
    let mut response = HttpResponse::new(status);
    response.headers_mut().insert(LOCATION, url);
    response.headers_mut().insert(CACHE_CONTROL, cache);
    response
}

/// Puts the click into the queue, unless the visitor asks not to be counted or was counted a moment ago. Of a link with a cap it
/// takes one of the clicks that are left, or stops the visitor; that number says nothing about anybody, so it counts for those,
/// too, who ask not to be counted.
async fn count(
    answering: &Answering<'_>,
    record: &Record<'_>,
    visitor: &Visitor<'_>,
) -> Result<(), Stopped> {
    let (request, shared) = (answering.request, &answering.redirects.shared);
    let headers = request.headers();
    let asks = |name: &str| headers.get(name).is_some_and(|value| value == "1");
    let options = &shared.options;
    let is_private = (options.honour_gpc && asks("sec-gpc")) || (options.honour_dnt && asks("dnt"));
    let series = if visitor.is_preview || agents::is_prefetch(request.method(), headers) {
        Series::Looks
    } else if visitor.is_bot {
        Series::Bots
    } else {
        Series::People
    };
    let place = answering.place();
    let click = Click {
        organization: record.organization(),
        link: record.key(),
        id: record.uuid(),
        at_ms: visitor.now_ms,
        address: visitor.address,
        user_agent: headers.get(USER_AGENT).cloned(),
        referrer: headers.get(REFERER).cloned(),
        language: headers.get(ACCEPT_LANGUAGE).cloned(),
        place: place.map(|place| Box::new(place.map(Option::<&HeaderValue>::cloned))),
        has_fetch_mode: headers.contains_key("sec-fetch-mode"),
        uri: request.uri().query().map(|_| request.uri().clone()),
        series,
    };
    if let (Some(most), Series::People) = (cap(record), series)
        && (is_private || !shared.clicks.is_known(&click))
    {
        let view = shared.links.view();
        let taken = view.take_click(record.key(), most).await;
        if !taken.map_err(Stopped::away)? {
            return Err(Stopped::Full);
        }
    }
    if !is_private {
        shared.clicks.take(click);
    }
    Ok(())
}
