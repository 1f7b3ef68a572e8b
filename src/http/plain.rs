//! The listener without encryption beside the one for all hosts: it answers authorities, and leads visitors to HTTPS.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, CONTENT_TYPE, HOST, LOCATION, RETRY_AFTER as RETRY_AFTER_HEADER},
    },
    web::{self, ServiceConfig},
};

use super::{Shared, Tls, custom_hosts::read_host};
use crate::actors::certificates::Certificates;

/// Where an authority looks for the answer to its challenge (RFC 8555, section 8.3).
const CHALLENGES: &str = "/.well-known/acme-challenge/";

/// How long browsers wait that are told of a certificate to come, seconds.
const RETRY_AFTER: &str = "60";

/// Everything on the listener. `file` is the certificate of the settings, which serves hosts without one of their own.
pub(super) fn plain(config: &mut ServiceConfig, shared: &Arc<Shared>, file: Option<&Tls>) {
    let (certificates, file) = (shared.certificates.clone(), file.cloned());
    config.default_service(web::to(move |request: HttpRequest| {
        let (certificates, file) = (certificates.clone(), file.clone());
        async move {
            match certificates {
                Some(certificates) => answer(&request, &certificates, file.as_ref()).await,
                None => not_found(),
            }
        }
    }));
}

async fn answer(
    request: &HttpRequest,
    certificates: &Certificates,
    file: Option<&Tls>,
) -> HttpResponse {
    let host = request
        .headers()
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let Some(host) = host.and_then(read_host) else {
        return not_found();
    };
    if let Some(token) = request.uri().path().strip_prefix(CHALLENGES) {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return not_found();
        }
        return match certificates.find_http_challenge(&host, token).await {
            Ok(Some(answer)) => HttpResponse::Ok()
                .insert_header((CONTENT_TYPE, "application/octet-stream"))
                .insert_header((CACHE_CONTROL, "no-store"))
                .body(answer),
            Ok(None) => not_found(),
            Err(error) => {
                tracing::warn!(host, %error, "an authority's question is not answered");
                HttpResponse::ServiceUnavailable().finish()
            }
        };
    }
    if !certificates.is_verified(&host) {
        return not_found();
    }
    let has_own = certificates.find_version(&host).is_some();
    if !has_own && !file.is_some_and(|file| file.covers(&host)) {
        return not_ready();
    }
    let path = request.uri().path_and_query();
    let path = path.map_or("/", |path| path.as_str());
    HttpResponse::MovedPermanently()
        .insert_header((LOCATION, format!("https://{host}{path}")))
        .finish()
}

/// A handshake would fail now, and a browser would keep the redirect for long.
fn not_ready() -> HttpResponse {
    HttpResponse::ServiceUnavailable()
        .insert_header((RETRY_AFTER_HEADER, RETRY_AFTER))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((CONTENT_TYPE, "text/plain; charset=utf-8"))
        .body("This site has no certificate yet. Try again in a minute.\n")
}

fn not_found() -> HttpResponse {
    HttpResponse::NotFound()
        .insert_header((CONTENT_TYPE, "text/plain; charset=utf-8"))
        .body("Not found\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_in_lower_case_without_its_port() {
        assert_eq!(read_host("A.Example:8080").as_deref(), Some("a.example"));
        assert_eq!(read_host("a.example.").as_deref(), Some("a.example"));
        for odd in ["", "[::1]:80", "a/b", "a b", "a@b", "a:b", ":80", "a\tb"] {
            assert_eq!(read_host(odd), None, "{odd}");
        }
    }
}
