//! The logo that was uploaded for a page. Its type was checked, and it can do nothing.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG},
    web::{Data, Path},
};

use crate::{
    fault::Fault,
    http::{Shared, document::is_known, private_pages},
};

use super::private;

const POLICY: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

pub(super) async fn show(
    request: HttpRequest,
    shared: Data<Shared>,
    slug: Path<String>,
) -> Result<HttpResponse, Fault> {
    let view = shared.status_pages.view();
    let nothing = || Fault::not_found("StatusPage", slug.as_str());
    let page = view.by_slug(&slug).ok_or_else(nothing)?;
    if let Some(barrier) = private::barrier(&request, &shared, page) {
        return Ok(private::forbid(&request, barrier));
    }
    let logo = page.logo.clone().ok_or_else(nothing)?;
    let is_private = !page.access().is_public();
    let tag = format!("\"{}\"", logo.tag());
    let is_known = !is_private && is_known(request.headers(), &tag);
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
    let mut response = response
        .insert_header((CONTENT_TYPE, logo.media()))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(logo.bytes());
    if is_private {
        private_pages::keep_private(response.headers_mut());
    }
    Ok(response)
}
