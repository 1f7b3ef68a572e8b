//! The outermost stage of a host.

use std::{sync::Arc, time::Instant};

use actix_web::{
    HttpMessage, HttpResponse,
    dev::ServiceRequest,
    error::InternalError,
    http::{
        Method, StatusCode,
        header::{HeaderMap, HeaderName, HeaderValue, ORIGIN},
    },
};
use tracing::Instrument;

use super::{Cors, Proxies, RequestId, RequestIds, cors::Grant, headers};
use crate::{
    http::{edge::Answer, metrics::Metrics},
    spans::Span,
};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What the edge of one host needs to know.
#[derive(Debug)]
pub struct EdgeOptions {
    /// Who may say where a request came from.
    pub proxies: Proxies,
    pub cors: Cors,
    /// Whether the public address is https.
    pub https: bool,
    /// Whether there are so many requests that each gets a span only when details are logged
    /// (`log.level = "debug"`). Failures say the request's id in any case.
    pub is_busy: bool,
}

/// The edge of one host.
#[derive(Debug)]
pub struct Edge {
    ids: RequestIds,
    options: EdgeOptions,
    metrics: Arc<Metrics>,
}

impl Edge {
    /// An edge that counts into `metrics`.
    pub fn new(options: EdgeOptions, metrics: Arc<Metrics>) -> Self {
        Self {
            ids: RequestIds::new(),
            options,
            metrics,
        }
    }

    pub fn cors(&self) -> &Cors {
        &self.options.cors
    }

    /// Names the request, finds the client's address, answers preflights, and finishes every answer.
    pub async fn observe(
        &self,
        request: ServiceRequest,
        next: impl AsyncFnOnce(ServiceRequest) -> Answer,
    ) -> Answer {
        let started = Instant::now();
        let id = self.ids.name(&request);
        let address = self.options.proxies.client(&request);
        request.extensions_mut().insert(id.clone());
        request.extensions_mut().insert(address);
        let origin = request.headers().get(ORIGIN);
        let grant = self
            .options
            .cors
            .grant(origin, request.match_info().as_str());
        let method = request.method().clone();
        if self.options.cors.answers(&method, request.headers()) {
            let mut response = request.into_response(HttpResponse::NoContent().finish());
            self.finish(response.headers_mut(), &id, grant, true);
            return Ok(response);
        }
        let span = if self.options.is_busy {
            tracing::debug_span!("request", request.id = id.as_str(), %method)
        } else {
            tracing::info_span!("request", request.id = id.as_str(), %method)
        };
        let traceparent = request.headers().get(TRACEPARENT);
        let traceparent = traceparent.and_then(|value| value.to_str().ok());
        let mut traced = Span::for_request(traceparent);
        let answer = traced.around(next(request).instrument(span.clone())).await;
        let _entered = span.enter();
        match answer {
            Ok(mut response) => {
                self.finish(response.headers_mut(), &id, grant, false);
                let route = response.request().match_pattern();
                trace(
                    &mut traced,
                    (&id, &method),
                    route.as_deref(),
                    response.status(),
                );
                self.record(&id, route.as_deref(), response.status(), started);
                Ok(response)
            }
            Err(error) => {
                // Middlewares below have spelled it already; only the headers are missing.
                let mut response = error.error_response();
                self.finish(response.headers_mut(), &id, grant, false);
                trace(&mut traced, (&id, &method), None, response.status());
                self.record(&id, None, response.status(), started);
                Err(InternalError::from_response("", response).into())
            }
        }
    }

    fn finish(&self, headers: &mut HeaderMap, id: &RequestId, grant: Grant, preflight: bool) {
        if let Ok(value) = HeaderValue::from_str(id.as_str()) {
            headers.insert(X_REQUEST_ID, value);
        }
        grant.write(headers, preflight);
        headers::harden(headers, self.options.https);
    }

    fn record(&self, id: &RequestId, route: Option<&str>, status: StatusCode, started: Instant) {
        let took = started.elapsed();
        let route = route.filter(|route| !route.is_empty()).unwrap_or("none");
        self.metrics.request(route, status, took);
        let (status, duration_ms) = (status.as_u16(), took.as_secs_f64() * 1_000.0);
        if status >= 500 {
            let id = id.as_str();
            tracing::warn!(request.id = id, route, status, duration_ms, "answered");
        } else {
            tracing::debug!(route, status, duration_ms, "answered");
        }
    }
}

/// What a trace says of a request: neither its path nor its query, which are the caller's.
fn trace(
    span: &mut Span,
    (id, method): (&RequestId, &Method),
    route: Option<&str>,
    status: StatusCode,
) {
    span.note("http.request.method", method.as_str());
    span.note(
        "http.route",
        route.filter(|route| !route.is_empty()).unwrap_or("none"),
    );
    span.note("http.response.status_code", status.as_u16());
    span.note("request.id", id.as_str());
    if status.is_server_error() {
        span.fail();
    }
}
