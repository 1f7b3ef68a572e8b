//! Why an ingestion request was refused and what to do about it, by code.
//!
//! The reader debugs a tracker or an SDK, mostly in a browser's network panel, with nothing else at hand.

/// Cause and remedy, a sentence each.
pub(super) fn find_remedy(code: &str) -> Option<(&'static str, &'static str)> {
    Some(match code {
        "INVALID_REQUEST_BODY" => (
            "The body is no JSON, or a field breaks a rule.",
            "Correct the fields that `errors` names and send the request again; nothing of it was stored.",
        ),
        "WEBSITE_MISSING_ORGANIZATION" => (
            "The website's organization was deleted, so its events have no owner.",
            "Use the tracking code of a website of an existing organization.",
        ),
        "AUTH_REQUIRED" => (
            "The request names no website and carries no valid API key.",
            "Send the website's client id in the query (`website_id` or `client_id`), or an API key with `track:events` \
             in the header `x-api-key`. A key that is sent has to be valid.",
        ),
        "EVENT_QUOTA_EXCEEDED" => (
            "The organization has used up the events of its plan.",
            "Choose a larger plan, or wait for the next period.",
        ),
        "MISSING_SCOPE" => (
            "The API key may not store events for this target.",
            "Give the key the scope `track:events`, for all websites or for this one.",
        ),
        "ORIGIN_NOT_AUTHORIZED" => (
            "The page's origin is neither the website's domain nor among its allowed origins.",
            "Add the origin to the website's allowed origins, or correct the website's domain.",
        ),
        "IP_NOT_AUTHORIZED" => (
            "The website takes events from listed addresses only, and the sender's is not among them.",
            "Add the sender's address or network to the website's allowed addresses.",
        ),
        "WEBSITE_NOT_FOUND" => (
            "No active website has this client id, or the key belongs to another organization.",
            "Copy the client id from the website's settings; after a rotation the old one stops working.",
        ),
        "WEBSITE_SCOPE_MISMATCH" => (
            "Without an API key, all events of a request are for one website, and these name several.",
            "Send one request for each website, or an API key that may store for all of them.",
        ),
        "PAYLOAD_TOO_LARGE" => (
            "The body, counted after decompression, or an event's properties exceed their limit.",
            "Send smaller batches; properties may have 32 KB an event.",
        ),
        "UNSUPPORTED_ENCODING" => (
            "The body is compressed in a way that is not understood.",
            "Send it as it is, or with one layer of gzip and `Content-Encoding: gzip`.",
        ),
        "RATE_LIMITED" => (
            "Too many requests in the last 60 seconds.",
            "Wait for as many seconds as `Retry-After` says, and send events in arrays.",
        ),
        "BILLING_CHECK_UNAVAILABLE" | "SERVICE_UNAVAILABLE" => (
            "The server cannot take events at the moment; nothing of the request was stored.",
            "Send it again after as many seconds as `Retry-After` says.",
        ),
        _ => return None,
    })
}
