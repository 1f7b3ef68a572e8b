//! The listener without encryption beside the one for all hosts: it answers authorities, and leads visitors to HTTPS.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{CACHE_CONTROL, CONTENT_TYPE, HOST, LOCATION},
    },
    web::{self, ServiceConfig},
};

use super::{Shared, custom_hosts::read_host};
use crate::actors::certificates::Certificates;

/// Where an authority looks for the answer to its challenge (RFC 8555, section 8.3).
const CHALLENGES: &str = "/.well-known/acme-challenge/";

pub(super) fn plain(config: &mut ServiceConfig, shared: &Arc<Shared>) {
    let certificates = shared.certificates.clone();
    config.default_service(web::to(move |request: HttpRequest| {
        let certificates = certificates.clone();
        async move {
            match certificates {
                Some(certificates) => answer(&request, &certificates).await,
                None => not_found(),
            }
        }
    }));
}

async fn answer(request: &HttpRequest, certificates: &Certificates) -> HttpResponse {
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
    let path = request.uri().path_and_query();
    let path = path.map_or("/", |path| path.as_str());
    HttpResponse::MovedPermanently()
        .insert_header((LOCATION, format!("https://{host}{path}")))
        .finish()
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
