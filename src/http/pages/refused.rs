//! How pages tell what went wrong: one page for all of it, in its usual frame where somebody is signed in. Who is not signed in is
//! led to where they can.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, header::AUTHORIZATION},
};

use super::{answer, context, next};
use crate::{
    fault::{Fault, Kind},
    http::{edge::RequestId, wire::Wire},
    pages::{
        failure::failure,
        frame::{Frame, Place, bare, framed},
    },
};

/// What a failed request for a page is answered; without its frame when the request is gone.
pub(in crate::http) fn refused(
    request: Option<&HttpRequest>,
    fault: &Fault,
    id: &RequestId,
) -> HttpResponse {
    let Some(request) = request else {
        return written(None, fault, id);
    };
    let public = context::PublicContext::of(request).ok();
    let session = public
        .as_ref()
        .and_then(|public| Some((public, public.session()?)));
    let keyed = request.headers().contains_key("x-api-key")
        || request.headers().contains_key(AUTHORIZATION);
    if fault.kind == Kind::Unauthenticated && session.is_none() && !keyed {
        return answer::see(&sign_in(request));
    }
    let frame = session
        .map(|(public, session)| context::frame(&public.call, session, Place::Elsewhere, None));
    written(frame.as_ref(), fault, id)
}

/// Where to sign in, and from there back to the page.
fn sign_in(request: &HttpRequest) -> String {
    let is_page = [Method::GET, Method::HEAD].contains(request.method());
    let asked = request.uri().path_and_query().filter(|_| is_page);
    next::with("/login", asked.map_or("/", |asked| asked.as_str()))
}

fn written(frame: Option<&Frame>, fault: &Fault, id: &RequestId) -> HttpResponse {
    let (status, _) = Wire::Page.meaning(fault);
    let said = match &fault.kind {
        Kind::RateLimited(window) => format!(
            "{}. Try again in {} seconds.",
            fault.message, window.retry_after
        ),
        _ => fault.message.to_string(),
    };
    let (title, main) = failure(status, &said, id.as_str());
    let page = match frame {
        Some(frame) => framed(frame, title, &main),
        None => bare(title, &main),
    };
    answer::finish(&mut Wire::Page.begin(fault, id), page)
}
