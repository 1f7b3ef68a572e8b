//! Where a trusted proxy says that a client is.

use actix_web::http::header::HeaderValue;

use crate::events::enrich::geo::ProxyGeo;

/// What a trusted proxy says about a client's place.
pub(in crate::http) fn proxy_geo<'h>(place: Option<[Option<&'h HeaderValue>; 3]>) -> ProxyGeo<'h> {
    let text = |value: Option<&'h HeaderValue>| std::str::from_utf8(value?.as_bytes()).ok();
    let [country, region, city] = place.unwrap_or_default().map(text);
    ProxyGeo {
        country,
        region,
        city,
    }
}
