//! Which other origins a browser may call us from (threat T35).
//!
//! The API answers with credentials only to our own and the operator's allowed origins; public routes
//! answer everyone, without credentials. Ingestion answers everyone and never looks at a cookie; there every answer
//! says what may be asked, elsewhere only the preflight's does.

use actix_web::http::{
    Method,
    header::{
        ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS,
        ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS,
        ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, CROSS_ORIGIN_RESOURCE_POLICY,
        HeaderMap, HeaderValue, ORIGIN, VARY,
    },
};

/// A host's cross-origin rule.
#[derive(Debug, Clone)]
pub enum Cors {
    /// These origins, with credentials; public paths for everyone, without.
    Own(Vec<String>),
    /// Everyone, without credentials.
    Anyone,
    /// Everyone, with credentials that are ignored: browsers send every beacon with credentials and drop it
    /// when the answer to the preflight does not allow them.
    Trackers,
}

/// Paths of `{base_url}` that pages of any origin may read.
const PUBLIC: [&str; 5] = [
    "/public/",
    "/ofrep/",
    "/status/",
    "/.well-known/",
    "/api/frontend/",
];
/// The same, whole: where clients of other products ask for flags, and apps for tokens.
const PUBLIC_PATHS: [&str; 8] = [
    "/api/frontend",
    "/flags/",
    "/flags",
    "/decide/",
    "/decide",
    // Apps in browsers register and get tokens by what they know, never by a cookie.
    "/oauth/register",
    "/oauth/token",
    "/oauth/revoke",
];
const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, OPTIONS, PUT, PATCH, DELETE");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "Content-Type, Authorization, If-None-Match, X-API-Key, X-Requested-With, X-Request-ID, databuddy-client-id, databuddy-sdk-name, \
     databuddy-sdk-version, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, x-umami-cache, x-umami-hostname, x-umami-website-id, \
     unleash-appname, unleash-connection-id, unleash-instanceid, unleash-interval, unleash-sdk, x-unleash-appname, \
     x-unleash-connection-id, x-unleash-sdk",
);
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "X-Request-ID, ETag, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset",
);

fn is_public(path: &str) -> bool {
    PUBLIC.iter().any(|prefix| path.starts_with(prefix)) || PUBLIC_PATHS.contains(&path)
}

impl Cors {
    /// Whether this origin may act with a session's cookie.
    pub fn is_own(&self, origin: &str) -> bool {
        matches!(self, Self::Own(origins) if origins.iter().any(|own| own.eq_ignore_ascii_case(origin)))
    }

    /// Whether a request is answered at the edge with 204: a browser's preflight, and on the ingestion host every
    /// `OPTIONS`.
    pub(super) fn answers(&self, method: &Method, headers: &HeaderMap) -> bool {
        let preflight =
            headers.contains_key(ORIGIN) && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        *method == Method::OPTIONS && (preflight || matches!(self, Self::Trackers))
    }

    /// What to answer a request from `origin` for `path`, beside everything else.
    pub(super) fn grant(&self, origin: Option<&HeaderValue>, path: &str) -> Grant {
        let Some(origin) = origin else {
            return Grant::NotAsked;
        };
        let own = origin.to_str().is_ok_and(|origin| self.is_own(origin));
        match self {
            _ if own => Grant::WithCredentials(origin.clone()),
            Self::Trackers => Grant::Tracker(origin.clone()),
            Self::Anyone => Grant::Anyone,
            Self::Own(_) if is_public(path) => Grant::Anyone,
            Self::Own(_) => Grant::Refused,
        }
    }
}

/// The decision for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Grant {
    NotAsked,
    WithCredentials(HeaderValue),
    /// The same, and every answer says what may be asked.
    Tracker(HeaderValue),
    Anyone,
    Refused,
}

impl Grant {
    /// Writes the decision into the answer, unless its handler has decided or keeps it to its own origin; `preflight` adds what a browser asks before
    /// the request.
    pub(super) fn write(self, headers: &mut HeaderMap, preflight: bool) {
        if headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
            return;
        }
        let says_all = preflight || matches!(self, Self::Tracker(_));
        let is_private = headers.contains_key(CROSS_ORIGIN_RESOURCE_POLICY);
        match self {
            Self::NotAsked => return,
            Self::Anyone if is_private => return,
            Self::Refused => {
                headers.append(VARY, HeaderValue::from_name(ORIGIN));
                return;
            }
            Self::Anyone => {
                headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"))
            }
            Self::WithCredentials(origin) | Self::Tracker(origin) => {
                headers.append(VARY, HeaderValue::from_name(ORIGIN));
                headers.insert(
                    ACCESS_CONTROL_ALLOW_CREDENTIALS,
                    HeaderValue::from_static("true"),
                );
                headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin)
            }
        };
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        if says_all {
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
        }
        if preflight {
            headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_origins_get_credentials() {
        let cors = Cors::Own(vec!["https://pharos.example".into()]);
        let grant = |origin: &'static str, path: &str| {
            cors.grant(Some(&HeaderValue::from_static(origin)), path)
        };
        let own = HeaderValue::from_static("https://pharos.example");
        assert_eq!(
            grant("https://pharos.example", "/v1/query"),
            Grant::WithCredentials(own)
        );
        for foreign in [
            "null",
            "https://pharos.example.evil.tld",
            "http://pharos.example",
            "https://evil.example",
        ] {
            assert_eq!(grant(foreign, "/v1/query"), Grant::Refused, "{foreign}");
            for path in [
                "/public/v1/flags/bulk",
                "/api/frontend",
                "/api/frontend/client/metrics",
                "/flags/",
            ] {
                assert_eq!(grant(foreign, path), Grant::Anyone, "{path}");
            }
            for path in ["/flags/list", "/api/client/features"] {
                assert_eq!(grant(foreign, path), Grant::Refused, "{path}");
            }
        }
        assert_eq!(cors.grant(None, "/v1/query"), Grant::NotAsked);
    }

    #[test]
    fn beacons_of_every_page_get_through() {
        let mut headers = HeaderMap::new();
        Cors::Trackers
            .grant(
                Some(&HeaderValue::from_static("https://shop.example")),
                "/batch",
            )
            .write(&mut headers, true);
        assert_eq!(
            headers.get(ACCESS_CONTROL_ALLOW_ORIGIN).unwrap(),
            "https://shop.example"
        );
        assert_eq!(
            headers.get(ACCESS_CONTROL_ALLOW_CREDENTIALS).unwrap(),
            "true"
        );
    }

    #[test]
    fn what_a_handler_has_granted_stands() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        Cors::Trackers
            .grant(
                Some(&HeaderValue::from_static("https://shop.example")),
                "/pharos.js",
            )
            .write(&mut headers, false);
        assert_eq!(headers.get(ACCESS_CONTROL_ALLOW_ORIGIN).unwrap(), "*");
        assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
        assert!(!headers.contains_key(VARY));
    }

    #[test]
    fn every_options_is_answered_where_events_go_in_and_preflights_elsewhere() {
        let (options, post) = (Method::OPTIONS, Method::POST);
        let mut headers = HeaderMap::new();
        assert!(Cors::Trackers.answers(&options, &headers));
        assert!(!Cors::Trackers.answers(&post, &headers));
        assert!(!Cors::Anyone.answers(&options, &headers));
        headers.insert(ORIGIN, HeaderValue::from_static("https://shop.example"));
        assert!(!Cors::Anyone.answers(&options, &headers));
        headers.insert(
            ACCESS_CONTROL_REQUEST_METHOD,
            HeaderValue::from_static("POST"),
        );
        assert!(Cors::Anyone.answers(&options, &headers));
        assert!(!Cors::Anyone.answers(&post, &headers));
    }

    #[test]
    fn everyone_gets_no_credentials() {
        let mut headers = HeaderMap::new();
        Cors::Anyone
            .grant(Some(&HeaderValue::from_static("null")), "/track")
            .write(&mut headers, true);
        assert_eq!(headers.get(ACCESS_CONTROL_ALLOW_ORIGIN).unwrap(), "*");
        assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
        assert!(headers.contains_key(ACCESS_CONTROL_ALLOW_HEADERS));
    }
}
