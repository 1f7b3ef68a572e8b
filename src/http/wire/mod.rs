//! The ways in which a failure is spelled, from one table: three for programs, and pages for people.
//!
//! Handlers, extractors, the JSON parser, fallbacks and inner middlewares all raise a [`Fault`] (or something of
//! actix that is read as one); the route tree says the style once, by [`Wire::speak`]. A panic below it is an
//! `Internal` fault. Causes are logged here, once, and never sent.

mod body;
pub(super) mod envelope;
mod framework_errors;
mod remedy;
mod table;
mod unread_body;

use std::{borrow::Cow, panic::AssertUnwindSafe};

use actix_web::{
    Error, HttpMessage, HttpRequest, HttpResponse, HttpResponseBuilder, ResponseError,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    error::InternalError,
    http::{StatusCode, header},
};
use futures_util::FutureExt;
use serde_json::{Map, Value};

use self::unread_body::UnreadBody;
use super::edge::RequestId;
use crate::{
    fault::{Fault, Kind, Window},
    scim::schemas::MEDIA,
};

/// A family of routes that spells failures alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Style A: procedures.
    Rpc,
    /// Style B: the analytics family and everything else on `{base_url}`.
    Rest,
    /// Ingestion errors, `{track_url}`.
    Track,
    /// SCIM, in its media type and with its keywords.
    Scim,
    /// Pages of the console: a readable page, or the way to sign in.
    Page,
}

/// Marks a request whose body came in the `{"json": …}` envelope: its failure leaves in one as well.
#[derive(Debug, Clone, Copy)]
pub struct Enveloped;

/// What families of routes have of their own where a request is refused.
#[derive(Debug, Clone, Copy)]
pub struct FailureHooks {
    /// Writes a page for people.
    pub page: fn(Option<&HttpRequest>, &Fault, &RequestId) -> HttpResponse,
    /// Fields that clients of a path look for whatever happens.
    pub beside: fn(&str) -> Map<String, Value>,
    /// Counts what a tracker sent and what was not taken.
    pub count: fn(&HttpRequest, &Fault),
}

impl ResponseError for Fault {
    fn status_code(&self) -> StatusCode {
        Wire::Rest.spell(&self.kind).0
    }

    fn error_response(&self) -> HttpResponse {
        // Outside of any styled scope; only reached when a route is registered without one.
        HttpResponse::new(self.status_code())
    }
}

impl Wire {
    /// Rewrites every failure below it in this style.
    pub async fn speak<B: MessageBody + 'static>(
        self,
        hooks: &FailureHooks,
        mut request: ServiceRequest,
        next: impl AsyncFnOnce(ServiceRequest) -> Result<ServiceResponse<B>, Error>,
    ) -> Result<ServiceResponse<BoxBody>, Error> {
        let id = RequestId::from_request(&request);
        let takes_envelopes =
            self == Self::Rpc && request.match_info().as_str().starts_with("/rpc/");
        let asked = takes_envelopes && envelope::asks(request.query_string());
        let kept = takes_envelopes.then(|| UnreadBody::take_payload(&mut request));
        let unread = async || match &kept {
            Some(_) if asked => true,
            Some(kept) => kept.is_enveloped().await,
            None => false,
        };
        let answer = AssertUnwindSafe(next(request)).catch_unwind().await;
        let response = match answer {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                let enveloped = unread().await;
                let fault = framework_errors::meaning(&error);
                return Err(styled(self.refuse(hooks, None, &fault, &id, enveloped)));
            }
            Err(panic) => {
                let fault = Fault::internal(anyhow::anyhow!(
                    "a handler panicked: {}",
                    panic_text(&*panic)
                ));
                return Err(styled(self.refuse(hooks, None, &fault, &id, false)));
            }
        };
        let Some(fault) = framework_errors::read_response(&response) else {
            return Ok(response.map_into_boxed_body());
        };
        if self == Self::Track {
            (hooks.count)(response.request(), &fault);
        }
        let read = response.request().extensions().contains::<Enveloped>();
        let enveloped = read || unread().await;
        let request = Some(response.request());
        let mut rewritten = self.refuse(hooks, request, &fault, &id, enveloped);
        if let Some(allow) = response.headers().get(header::ALLOW) {
            rewritten.headers_mut().insert(header::ALLOW, allow.clone());
        }
        drop(fault);
        Ok(response.into_response(rewritten))
    }

    /// The answer for a fault in a family of routes; the request is gone where it was not answered at all.
    fn refuse(
        self,
        hooks: &FailureHooks,
        request: Option<&HttpRequest>,
        fault: &Fault,
        id: &RequestId,
        enveloped: bool,
    ) -> HttpResponse {
        if self == Self::Page {
            return (hooks.page)(request, fault, id);
        }
        let beside = request.map(|request| (hooks.beside)(request.path()));
        self.answer(fault, id, enveloped, beside.unwrap_or_default())
    }

    /// The whole answer for a fault: status, headers and body. Logs what only we may know.
    pub fn write(self, fault: &Fault, id: &RequestId, enveloped: bool) -> HttpResponse {
        self.answer(fault, id, enveloped, Map::new())
    }

    /// Status and code of a fault in this style, for answers in another format.
    pub(super) fn meaning(self, fault: &Fault) -> (u16, &'static str) {
        let (status, code) = self.spell(&fault.kind);
        (status.as_u16(), fault.code.unwrap_or(code))
    }

    /// The same with further fields, for routes whose clients look for some whatever happens.
    pub fn write_beside(
        self,
        fault: &Fault,
        id: &RequestId,
        beside: Map<String, Value>,
    ) -> HttpResponse {
        self.answer(fault, id, false, beside)
    }

    /// Begins the answer for a fault, which is logged: its status, and when to come back.
    pub(super) fn begin(self, fault: &Fault, id: &RequestId) -> HttpResponseBuilder {
        log(fault, id);
        let mut response = HttpResponse::build(self.spell(&fault.kind).0);
        match &fault.kind {
            Kind::RateLimited(window) => rate_headers(&mut response, window),
            Kind::Unavailable { retry_after } => {
                response.insert_header((header::RETRY_AFTER, retry_after.as_secs().max(1)));
            }
            _ => {}
        }
        response
    }

    fn answer(
        self,
        fault: &Fault,
        id: &RequestId,
        enveloped: bool,
        beside: Map<String, Value>,
    ) -> HttpResponse {
        let (status, code) = self.spell(&fault.kind);
        if self == Self::Track
            && matches!(
                fault.kind,
                Kind::NotFound {
                    resource: "route",
                    ..
                }
            )
        {
            // What no tracker calls gets no words.
            log(fault, id);
            return HttpResponse::build(status).finish();
        }
        let mut response = self.begin(fault, id);
        if fault.kind == Kind::Unauthenticated {
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        let mut body = self.body(fault, status, code, id, enveloped);
        if let Some(body) = body.as_object_mut() {
            body.extend(beside);
        }
        if self == Self::Scim {
            response.insert_header((header::CONTENT_TYPE, MEDIA));
        }
        response.json(body)
    }
}

fn styled(response: HttpResponse) -> Error {
    InternalError::from_response("", response).into()
}

/// Writes the headers of a full window; `X-Request-ID` comes from the edge.
pub(super) fn rate_headers(response: &mut HttpResponseBuilder, window: &Window) {
    response
        .insert_header((header::RETRY_AFTER, window.retry_after))
        .insert_header(("X-RateLimit-Limit", window.limit))
        .insert_header(("X-RateLimit-Remaining", window.remaining))
        .insert_header(("X-RateLimit-Reset", window.reset_ms));
}

/// Logs what only we may know of a fault.
pub(super) fn log(fault: &Fault, id: &RequestId) {
    let cause = || {
        fault
            .cause
            .as_ref()
            .map_or_else(|| fault.to_string(), |cause| format!("{cause:#}"))
    };
    match fault.kind {
        Kind::Internal => {
            tracing::error!(request.id = id.as_str(), cause = cause(), "request failed");
        }
        Kind::Unavailable { .. } => {
            tracing::warn!(request.id = id.as_str(), cause = cause(), "request refused");
        }
        _ => {}
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> Cow<'_, str> {
    panic
        .downcast_ref::<&str>()
        .map(|text| Cow::Borrowed(*text))
        .or_else(|| {
            panic
                .downcast_ref::<String>()
                .map(|text| Cow::Borrowed(text.as_str()))
        })
        .unwrap_or(Cow::Borrowed("no text"))
}

#[cfg(test)]
mod tests;
