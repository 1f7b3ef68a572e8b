//! The logo that was uploaded for a page. Its type was checked, and it can do nothing.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG},
    web::{Data, Path},
};

use crate::{
    actors::status_pages::StatusPage,
    fault::Fault,
    http::{Shared, document::is_known},
};

const POLICY: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

/// Where the logo of a page is, below its address.
pub(super) fn path(page: &StatusPage) -> Option<String> {
    let logo = page.logo.as_ref()?;
    Some(format!("/logo?v={}", logo.tag()))
}

pub(super) async fn show(
    request: HttpRequest,
    shared: Data<Shared>,
    slug: Path<String>,
) -> Result<HttpResponse, Fault> {
    let view = shared.status_pages.view();
    let logo = view.by_slug(&slug).and_then(|page| page.logo.clone());
    let logo = logo.ok_or_else(|| Fault::not_found("StatusPage", slug.as_str()))?;
    let tag = format!("\"{}\"", logo.tag());
    let is_known = is_known(request.headers(), &tag);
    let mut response = if is_known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((ETAG, tag))
        .insert_header((CACHE_CONTROL, "public, max-age=3600"));
    if is_known {
        return Ok(response.finish());
    }
    Ok(response
        .insert_header((CONTENT_TYPE, logo.media()))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(logo.bytes()))
}
