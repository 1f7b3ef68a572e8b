//! The website that a request names beside its body.

use actix_web::{HttpRequest, web::Query};

/// The header that names a website, which browsers' SDKs send.
const HEADER: &str = "databuddy-client-id";

/// The public client id in `website_id` or `client_id` of the query, else in the header. Every ingestion route takes each
/// of them.
pub(super) fn website_id(request: &HttpRequest) -> Option<String> {
    let filled = |value: &str| Some(value.trim().to_owned()).filter(|value| !value.is_empty());
    let query = Query::<Vec<(String, String)>>::from_query(request.query_string());
    let query = query.map_or_else(|_| Vec::new(), Query::into_inner);
    let parameter = |name: &str| {
        let found = query.iter().find(|(key, _)| key == name);
        found.and_then(|(_, value)| filled(value))
    };
    let header = || filled(request.headers().get(HEADER)?.to_str().ok()?);
    parameter("website_id")
        .or_else(|| parameter("client_id"))
        .or_else(header)
}
