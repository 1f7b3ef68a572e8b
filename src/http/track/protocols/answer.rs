//! A request of another product's client, and its answer in that product's words.

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::{
        Method, StatusCode,
        header::{AUTHORIZATION, HeaderName, USER_AGENT},
    },
    web::Payload,
};

use super::take;
use crate::{
    events::accept::protocols::{Answer, Failure, Outcome, Protocol, Request},
    fault::{Fault, Kind},
    http::{
        Shared,
        auth::Caller,
        edge::RequestId,
        track::{authorize::Sender, ledger},
        wire::Wire,
    },
};

/// A request as adapters look at it.
pub(super) fn view<'a>(request: &'a HttpRequest, body: &'a [u8], received: i64) -> Request<'a> {
    let header = |name: &HeaderName| request.headers().get(name)?.to_str().ok();
    Request {
        method: request.method().as_str(),
        path: request.path(),
        query: request.query_string(),
        body,
        authorization: header(&AUTHORIZATION),
        user_agent: header(&USER_AGENT),
        received,
    }
}

pub(super) async fn answer(
    protocol: Protocol,
    request: &HttpRequest,
    caller: &Caller,
    shared: &Shared,
    payload: Payload,
) -> HttpResponse {
    let adapter = protocol.adapter();
    let head = view(request, &[], shared.clock.now_ms());
    if request.method() == Method::HEAD {
        // A check whether there is something; no page was seen.
        let answer = (adapter.success)(&head, &Outcome::default());
        return write(status(&answer), answer);
    }
    let taken = {
        let sender = Sender::new(shared, request, caller);
        take::take(&sender, adapter, protocol, payload).await
    };
    match taken {
        Ok(outcome) => {
            let answer = (adapter.success)(&head, &outcome);
            write(status(&answer), answer)
        }
        Err(fault) => {
            ledger::refused(request, &fault);
            let (status_code, code) = Wire::Track.meaning(&fault);
            let answer = (adapter.failure)(
                &head,
                &Failure {
                    status: status_code,
                    code,
                    message: &fault.message,
                    issues: issues(&fault),
                },
            );
            let mut response = Wire::Track.begin(&fault, &RequestId::from_request(request));
            response.status(status_of(answer.status));
            write(response, answer)
        }
    }
}

fn issues(fault: &Fault) -> &[crate::fault::Issue] {
    match &fault.kind {
        Kind::Invalid { issues } => issues,
        _ => &[],
    }
}

fn status_of(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn status(answer: &Answer) -> HttpResponseBuilder {
    HttpResponse::build(status_of(answer.status))
}

fn write(mut response: HttpResponseBuilder, answer: Answer) -> HttpResponse {
    if let Some(header) = answer.header {
        response.insert_header(header);
    }
    if answer.media.is_empty() {
        return response.finish();
    }
    response.content_type(answer.media).body(answer.body)
}
