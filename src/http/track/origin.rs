//! From which pages and addresses a website takes events without a key.

use std::net::IpAddr;

use actix_web::{
    HttpRequest,
    http::{
        Method,
        header::{ORIGIN, REFERER},
    },
};

use crate::{
    actors::websites::{Website, ingest_rules::DenyReason},
    fault::Fault,
};

/// The origin that a request comes from, as it says itself.
///
/// Browsers name no origin when they fetch an image; the page's address says it as well.
pub(super) fn read_origin(request: &HttpRequest) -> Option<&str> {
    let headers = request.headers();
    if let Some(origin) = headers.get(ORIGIN) {
        return Some(origin.to_str().unwrap_or_default());
    }
    let page = (request.method() == Method::GET)
        .then(|| headers.get(REFERER))
        .flatten()?;
    let page = page.to_str().unwrap_or_default();
    let authority = page.find("://").map_or(0, |at| at + 3);
    let end = page[authority..].find(['/', '?', '#']);
    Some(end.map_or(page, |end| &page[..authority + end]))
}

/// Checks origin, then address.
pub(super) fn check(
    website: &Website,
    request: &HttpRequest,
    address: Option<IpAddr>,
) -> Result<(), Fault> {
    website
        .ingest_rules
        .admits(read_origin(request), address)
        .map_err(|closed| match closed {
            DenyReason::OriginMissing | DenyReason::Origin => {
                Fault::forbidden("Origin not authorized").with_code("ORIGIN_NOT_AUTHORIZED")
            }
            DenyReason::Address => {
                Fault::forbidden("IP address not authorized").with_code("IP_NOT_AUTHORIZED")
            }
        })
}

/// Checks that a host is one that the website takes events from.
pub(super) fn check_host(website: &Website, host: &str) -> Result<(), Fault> {
    let said = format!("https://{host}");
    match website.ingest_rules.admits(Some(&said), None) {
        // Addresses have been checked, where there are rules for them.
        Ok(()) | Err(DenyReason::Address) => Ok(()),
        Err(DenyReason::OriginMissing | DenyReason::Origin) => {
            Err(Fault::forbidden("Origin not authorized").with_code("ORIGIN_NOT_AUTHORIZED"))
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn images_say_their_page_and_nothing_else_does() {
        let get = || TestRequest::get().insert_header((REFERER, "https://a.example/page?q"));
        let said =
            |request: TestRequest| read_origin(&request.to_http_request()).map(str::to_owned);
        assert_eq!(said(get()).as_deref(), Some("https://a.example"));
        let both = get().insert_header((ORIGIN, "https://b.example"));
        assert_eq!(said(both).as_deref(), Some("https://b.example"));
        let bare = TestRequest::get().insert_header((REFERER, "https://a.example"));
        assert_eq!(said(bare).as_deref(), Some("https://a.example"));
        assert_eq!(said(get().method(Method::POST)), None);
        assert_eq!(said(TestRequest::get()), None);
    }
}
