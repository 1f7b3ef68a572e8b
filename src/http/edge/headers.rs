//! Headers that every answer carries unless a handler knows better.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

const DEFAULTS: [(HeaderName, HeaderValue); 5] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
];

/// Adds what is missing.
pub(super) fn harden(headers: &mut HeaderMap, https: bool) {
    let is_embeddable = is_embeddable(headers);
    for (name, value) in DEFAULTS {
        // It knows no list of origins, and would deny what the policy allows.
        let denies = is_embeddable && name == X_FRAME_OPTIONS;
        if !denies && !headers.contains_key(&name) {
            headers.insert(name, value);
        }
    }
    if https {
        headers.insert(
            STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000"),
        );
    }
}

/// Whether a page's policy names origins that may embed it.
fn is_embeddable(headers: &HeaderMap) -> bool {
    let policy = headers.get(CONTENT_SECURITY_POLICY);
    let policy = policy.and_then(|policy| policy.to_str().ok());
    let ancestors = policy.and_then(|policy| policy.split_once("frame-ancestors "));
    ancestors.is_some_and(|(_, ancestors)| ancestors.starts_with("http"))
}
