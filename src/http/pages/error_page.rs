//! The page for every failure, within the frame if the caller is signed in. Other callers are redirected to the sign-in.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, header::AUTHORIZATION},
};

use super::{answer, context, next};
use crate::{
    fault::{Fault, Kind},
    http::{console_paths, edge::RequestId, wire::Wire},
    pages::{
        failure::{failure, sign_in_failure},
        frame::{Frame, NavItem, centered_page, framed_page},
    },
};

/// The answer to a failed request for a page; without its frame when the request is gone.
pub(in crate::http) fn error_response(
    request: Option<&HttpRequest>,
    fault: &Fault,
    id: &RequestId,
) -> HttpResponse {
    let Some(request) = request else {
        return draw(None, false, fault, id);
    };
    let public = context::PublicContext::new(request).ok();
    let session = public
        .as_ref()
        .and_then(|public| Some((public, public.session()?)));
    let keyed = request.headers().contains_key("x-api-key")
        || request.headers().contains_key(AUTHORIZATION);
    if fault.kind == Kind::Unauthenticated && session.is_none() && !keyed {
        return answer::redirect(&sign_in_path(request));
    }
    let frame =
        session.map(|(public, session)| context::frame(public, session, NavItem::Elsewhere, None));
    let is_sign_in = console_paths::leads_to_provider(request.path());
    draw(frame.as_ref(), is_sign_in, fault, id)
}

/// The address of the sign-in, which leads back to the page.
fn sign_in_path(request: &HttpRequest) -> String {
    let is_page = [Method::GET, Method::HEAD].contains(request.method());
    let page = request.uri().path_and_query().filter(|_| is_page);
    next::with("/login", page.map_or("/", |page| page.as_str()))
}

fn draw(frame: Option<&Frame>, is_sign_in: bool, fault: &Fault, id: &RequestId) -> HttpResponse {
    let (status, _) = Wire::Page.meaning(fault);
    let message = match &fault.kind {
        Kind::RateLimited(window) => format!(
            "{}. Try again in {} seconds.",
            fault.message, window.retry_after
        ),
        _ => fault.message.to_string(),
    };
    let (title, main) = if is_sign_in {
        sign_in_failure(&message, id.as_str())
    } else {
        failure(status, &message, id.as_str())
    };
    let page = match frame {
        Some(frame) => framed_page(frame, title, &main),
        None => centered_page(title, &main),
    };
    answer::finish(&mut Wire::Page.begin(fault, id), page)
}
