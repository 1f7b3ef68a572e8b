//! Who is calling: one [`Principal`] per request, left in the request's extensions before anything else looks.
//!
//! A key header that is present decides, on every route, also beside a cookie: an unknown, revoked or expired key
//! is 401 everywhere, and two differing keys are too (threats T8, T10). Without one a session cookie
//! decides; on unsafe methods its caller must come from our own origin and send JSON (threat T34), or a form to one of the
//! console's pages. Keys in query strings never count. An app's access token is shown like a key, and opens what its person allowed.

use std::{future::Ready, sync::Arc};

use actix_web::{
    Error, FromRequest, HttpMessage, HttpRequest,
    dev::{Payload, RequestHead, ServiceRequest},
    http::header::{
        AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue, ORIGIN,
        TRANSFER_ENCODING,
    },
};

use super::{Host, Shared, audience, console_paths, edge::Cors, file_bodies};
use crate::{
    access::{Principal, SessionGrant},
    actors::{
        hosts::CustomHost,
        keys::{KeyRejection, KeyUsed},
        oauth,
    },
    fault::{Classify as _, Fault, Kind},
};

/// How browsers say from where on the web a request comes.
const SITE: &str = "sec-fetch-site";

/// The caller of a request and the quota that comes with a key.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Who it is.
    pub principal: Principal,
    /// `(max, seconds)` of a key whose rate limiting is on.
    pub(super) quota: Option<(u32, u32)>,
}

impl Caller {
    pub(super) const ANONYMOUS: Self = Self {
        principal: Principal::Anonymous,
        quota: None,
    };

    /// The caller that authentication found.
    pub(super) fn from_service_request(request: &ServiceRequest) -> Self {
        request
            .extensions()
            .get()
            .cloned()
            .unwrap_or(Self::ANONYMOUS)
    }
}

impl FromRequest for Caller {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(request
            .extensions()
            .get()
            .cloned()
            .unwrap_or(Self::ANONYMOUS)))
    }
}

/// Why there is no caller.
#[derive(Debug)]
pub(super) enum Stopped {
    /// The request is refused.
    Refused(Fault),
    /// It is refused, because its key is unknown: it may be a guess.
    Guess(Fault),
}

impl From<Fault> for Stopped {
    fn from(refusal: Fault) -> Self {
        Self::Refused(refusal)
    }
}

/// Whether a request shows something that its caller is to be known by.
pub(super) fn is_shown(shared: &Shared, cors: &Cors, request: &ServiceRequest) -> bool {
    if !matches!(key(request.headers()), Ok(None)) {
        return true;
    }
    let name = session_cookie(shared.urls.is_https());
    !matches!(cors, Cors::Trackers) && cookie(request.headers(), name).is_some()
}

/// The access token of a request, if that is the one credential it shows. Apps call `{base_url}` alone; elsewhere a token is an
/// unknown key.
pub(super) fn access_token(host: Host, request: &ServiceRequest) -> Option<String> {
    if host != Host::Base {
        return None;
    }
    let shown = key(request.headers()).ok().flatten();
    shown.filter(|shown| oauth::is_access_token(shown))
}

/// Finds the person's app that an access token is of, or refuses.
pub(super) async fn authenticate_app(
    shared: &Shared,
    token: &str,
    path: &str,
) -> Result<Caller, Stopped> {
    let found = shared
        .oauth
        .authenticate(token, audience::from_path(path))
        .await;
    let grant = found.map_err(|error| Stopped::Refused(error.classify()))?;
    let grant = grant.ok_or_else(|| {
        let mut fault = Fault::unauthenticated();
        fault.message = "Access token is unknown, revoked, expired or for another resource".into();
        Stopped::Guess(fault)
    })?;
    Ok(Caller {
        principal: Principal::Key(grant),
        quota: None,
    })
}

/// Finds the caller or refuses.
pub(super) fn authenticate(
    shared: &Shared,
    cors: &Cors,
    request: &ServiceRequest,
) -> Result<Caller, Stopped> {
    let now = shared.clock.now_ms();
    if let Some(secret) = key(request.headers())? {
        let live =
            shared
                .keys
                .view()
                .authenticate(&secret, now)
                .map_err(|refusal| match refusal {
                    KeyRejection::Unknown => Stopped::Guess(refused()),
                    KeyRejection::Disabled | KeyRejection::Revoked | KeyRejection::Expired => {
                        Stopped::Refused(refused())
                    }
                })?;
        let organization = live.grant.organization.as_ref();
        if organization.is_some_and(|id| !shared.organizations.view().is_live(id)) {
            return Err(Stopped::Refused(refused()));
        }
        if live.use_is_due(now) {
            // A dropped mark only makes the time of the last use older.
            let _ = shared.keys.tell(KeyUsed {
                id: live.id().clone(),
                at_ms: now,
            });
        }
        return Ok(Caller {
            principal: Principal::Key(Arc::clone(&live.grant)),
            quota: live.quota(),
        });
    }
    if matches!(cors, Cors::Trackers) {
        // Ingestion takes keys and client ids; browsers send cookies of our other hosts along.
        return Ok(Caller::ANONYMOUS);
    }
    if let Some(host) = shared.custom_host(request.head()) {
        // Pages there are for everybody: nobody is signed in, and only forms of its own are taken.
        if !request.method().is_safe() && console_paths::owns(request.match_info().as_str()) {
            refuse_foreign_form(&own_host(shared, &host), request.headers())?;
        }
        return Ok(Caller::ANONYMOUS);
    }
    let token = cookie(request.headers(), session_cookie(shared.urls.is_https()));
    let mut session = token.and_then(|token| session(shared, request, token, now));
    if !request.method().is_safe() {
        let path = request.match_info().as_str();
        // A page that signs a person in unnoticed can watch what they do next.
        let sets_cookies = path.starts_with("/api/auth/");
        if console_paths::is_provider_logout(path) {
            // The provider calls, and its signature counts.
        } else if console_paths::owns(path) {
            refuse_foreign_form(cors, request.headers())?;
        } else if path.starts_with("/status/") {
            // Everyone's forms are taken there. A session counts with our own.
            session = session.filter(|_| refuse_foreign_form(cors, request.headers()).is_ok());
        } else if session.is_some() || sets_cookies {
            let takes_file = file_bodies::carries_file(request.method(), path);
            refuse_forgery(cors, request.headers(), takes_file)?;
        }
    }
    let Some(session) = session else {
        return Ok(Caller::ANONYMOUS);
    };
    Ok(Caller {
        principal: Principal::Session(session),
        quota: None,
    })
}

/// What a session's token allows in this request.
fn session(
    shared: &Shared,
    request: &ServiceRequest,
    token: &str,
    now: i64,
) -> Option<Arc<SessionGrant>> {
    let view = shared.organizations.view();
    let session = view.live_session(token, now)?;
    let person = view.person(&session.grant.user);
    let email = person.map(|person| person.email.as_str());
    let from = (request.peer_addr(), request.headers());
    let proxies = &shared.options.proxies;
    let is_admitted = shared.federation.admits(proxies, session, email, from);
    is_admitted.then(|| Arc::clone(&session.grant))
}

fn refused() -> Fault {
    let mut fault = Fault::unauthenticated();
    fault.message = "API key is unknown, revoked or expired".into();
    fault
}

/// The one key of a request, in any of its headers.
pub(super) fn key(headers: &HeaderMap) -> Result<Option<String>, Fault> {
    let plain = headers
        .get_all("x-api-key")
        .map(|value| value.to_str().ok());
    let bearer = headers
        .get_all(AUTHORIZATION)
        .filter_map(|value| value.to_str().ok())
        .filter_map(bearer);
    let mut found: Option<&str> = None;
    for candidate in plain.chain(bearer.map(Some)) {
        let candidate = candidate.ok_or_else(refused)?.trim();
        if found.is_some_and(|other| other != candidate) {
            let mut fault = Fault::unauthenticated();
            fault.message = "Two different API keys in one request".into();
            return Err(fault);
        }
        found = Some(candidate);
    }
    Ok(found.map(str::to_owned))
}

/// The credentials of an `Authorization: Bearer` header; other schemes are not ours.
fn bearer(value: &str) -> Option<&str> {
    let value = value.trim();
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

/// Name of the session cookie; the prefix makes browsers insist on `Secure`, `Path=/` and no `Domain`.
pub(super) const fn session_cookie(https: bool) -> &'static str {
    if https {
        "__Host-pharos_session"
    } else {
        "pharos_session"
    }
}

/// The value of a cookie.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(COOKIE)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(own, value)| (own == name && !value.is_empty()).then_some(value))
}

/// Refuses what a foreign page can make a browser send along with its cookies (threat T34): anything from another origin,
/// and the bodies that need no leave to be sent. JSON needs it, and so do the bytes of a file.
fn refuse_forgery(cors: &Cors, headers: &HeaderMap, takes_file: bool) -> Result<(), Fault> {
    if !is_same_site(cors, headers) {
        return Err(Fault::forbidden(
            "Cross-site request refused: the Origin is not ours",
        ));
    }
    if is_json(headers) || takes_file && has_type(headers, "application/octet-stream") {
        return Ok(());
    }
    let message = if takes_file {
        "Send the file with `Content-Type: application/octet-stream`"
    } else {
        "Send the body as JSON, with `Content-Type: application/json`"
    };
    Err(Fault::new(Kind::UnsupportedEncoding, message))
}

/// Refuses a form that does not name one of our own pages as its origin. Only browsers send forms, and they name it.
fn refuse_foreign_form(cors: &Cors, headers: &HeaderMap) -> Result<(), Fault> {
    let says = headers.contains_key(ORIGIN) || headers.contains_key(SITE);
    let types = ["application/x-www-form-urlencoded", "multipart/form-data"];
    let is_form = types.iter().any(|media| has_type(headers, media));
    if says && is_same_site(cors, headers) && is_form {
        return Ok(());
    }
    Err(Fault::forbidden(
        "Cross-site request refused: the form is not on one of our pages",
    ))
}

/// Whether the body is said to be JSON; one that is not there need not be.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(CONTENT_TYPE) else {
        let length = headers.get(CONTENT_LENGTH);
        let empty = length.is_none_or(|length| length == "0");
        return empty && !headers.contains_key(TRANSFER_ENCODING);
    };
    is_type(kind, "application/json")
}

/// Whether the body is said to be of this type.
pub(super) fn has_type(headers: &HeaderMap, media: &str) -> bool {
    let kind = headers.get(CONTENT_TYPE);
    kind.is_some_and(|kind| is_type(kind, media))
}

fn is_type(kind: &HeaderValue, media: &str) -> bool {
    let kind = kind.to_str().unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(media)
}

/// A host of an organization, whose pages are the only ones that count there.
fn own_host(shared: &Shared, host: &CustomHost) -> Cors {
    Cors::Own(vec![shared.hosts.view().url(host)])
}

/// Whether a browser says that a request for `{base_url}`, or for a host of an organization, comes from another site.
pub(super) fn is_foreign(shared: &Shared, head: &RequestHead) -> bool {
    let cors = match shared.custom_host(head) {
        Some(host) => own_host(shared, &host),
        None => shared.cors(Host::Base),
    };
    !is_same_site(&cors, head.headers())
}

/// Whether a browser says that the request comes from our own pages; what is no browser passes.
fn is_same_site(cors: &Cors, headers: &HeaderMap) -> bool {
    if let Some(origin) = headers.get(ORIGIN) {
        return origin.to_str().is_ok_and(|origin| cors.is_own(origin));
    }
    headers
        .get(SITE)
        .is_none_or(|site| site == "same-origin" || site == "none")
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut request = TestRequest::get();
        for (name, value) in pairs {
            request = request.append_header((*name, *value));
        }
        request.to_srv_request().headers().clone()
    }

    #[test]
    fn a_key_is_found_in_either_header_and_two_must_agree() {
        let found = |pairs: &[(&str, &str)]| key(&headers(pairs));
        assert_eq!(found(&[]).unwrap(), None);
        assert_eq!(
            found(&[("x-api-key", " svc_a ")]).unwrap().unwrap(),
            "svc_a"
        );
        assert_eq!(
            found(&[("authorization", "bEaReR svc_a")])
                .unwrap()
                .unwrap(),
            "svc_a"
        );
        assert_eq!(found(&[("authorization", "Basic dXNlcg==")]).unwrap(), None);
        assert_eq!(
            found(&[("x-api-key", "svc_a"), ("authorization", "Bearer svc_a")])
                .unwrap()
                .unwrap(),
            "svc_a"
        );
        assert_eq!(
            found(&[("x-api-key", "")]).unwrap().unwrap(),
            "",
            "present, so it decides"
        );
        assert!(found(&[("x-api-key", "svc_a"), ("authorization", "Bearer svc_b")]).is_err());
        assert!(found(&[("x-api-key", "svc_a"), ("x-api-key", "svc_b")]).is_err());
        assert!(found(&[("x-api-key", ""), ("authorization", "Bearer svc_b")]).is_err());
    }

    #[test]
    fn only_our_own_pages_may_act_with_a_cookie() {
        let cors = Cors::Own(vec!["https://pharos.example".into()]);
        for (pairs, passes) in [
            (&[][..], true),
            (&[("origin", "https://pharos.example")], true),
            (&[("origin", "https://evil.example")], false),
            (&[("origin", "null")], false),
            (
                &[
                    ("origin", "https://evil.example"),
                    ("sec-fetch-site", "same-origin"),
                ],
                false,
            ),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
        ] {
            assert_eq!(is_same_site(&cors, &headers(pairs)), passes, "{pairs:?}");
        }
    }

    #[test]
    fn a_body_that_needs_no_leave_is_refused() {
        for (pairs, passes) in [
            (&[][..], true),
            (&[("content-length", "0")], true),
            (&[("content-type", "application/json")], true),
            (&[("content-type", "Application/JSON; charset=utf-8")], true),
            (&[("content-type", "text/plain")], false),
            (&[("content-type", "text/plain; application/json")], false),
            (&[("content-type", "application/jsonp")], false),
            (
                &[("content-type", "application/x-www-form-urlencoded")],
                false,
            ),
            (
                &[("content-type", "multipart/form-data; boundary=a")],
                false,
            ),
            (&[("content-type", "")], false),
            (&[("content-length", "2")], false),
            (&[("transfer-encoding", "chunked")], false),
        ] {
            assert_eq!(is_json(&headers(pairs)), passes, "{pairs:?}");
        }
    }

    #[test]
    fn a_form_has_to_say_that_it_is_ours() {
        let cors = Cors::Own(vec!["https://pharos.example".into()]);
        let form = ("content-type", "application/x-www-form-urlencoded");
        let file = ("content-type", "multipart/form-data; boundary=a");
        for (pairs, passes) in [
            (&[form][..], false),
            (&[form, ("origin", "https://pharos.example")], true),
            (&[form, ("sec-fetch-site", "same-origin")], true),
            (&[file, ("origin", "https://pharos.example")], true),
            (&[file, ("origin", "https://evil.example")], false),
            (&[file], false),
            (&[form, ("sec-fetch-site", "same-site")], false),
            (&[form, ("origin", "null")], false),
            (&[form, ("origin", "https://evil.example")], false),
            (&[("origin", "https://pharos.example")], false),
            (
                &[
                    ("content-type", "text/plain"),
                    ("origin", "https://pharos.example"),
                ],
                false,
            ),
        ] {
            let refused = refuse_foreign_form(&cors, &headers(pairs));
            assert_eq!(refused.is_ok(), passes, "{pairs:?}");
        }
    }

    #[test]
    fn cookies_are_found_by_their_whole_name() {
        let headers = headers(&[(
            "cookie",
            "a=1; xpharos_session=no; pharos_session=yes==; b=2",
        )]);
        assert_eq!(cookie(&headers, "pharos_session"), Some("yes=="));
        assert_eq!(cookie(&headers, "session"), None);
    }
}
