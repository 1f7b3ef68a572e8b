//! The page for every failure, within the frame if the caller is signed in. Other callers are redirected to the sign-in.

use std::borrow::Cow;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{AUTHORIZATION, VARY},
    },
};

use super::{answer, context, next};
use crate::{
    fault::{Fault, Kind},
    http::{
        console_paths,
        edge::RequestId,
        language::{VARIES, browsers_language},
        wire::Wire,
    },
    locale::Texts,
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
        return draw((Texts::ENGLISH, None), false, fault, id);
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
    // Within the console it is in the console's language.
    let texts = match &frame {
        Some(frame) => frame.language.texts(),
        None => browsers_language(request.headers()).texts(),
    };
    let is_sign_in = console_paths::leads_to_provider(request.path());
    draw((texts, frame.as_ref()), is_sign_in, fault, id)
}

/// The address of the sign-in, which leads back to the page.
fn sign_in_path(request: &HttpRequest) -> String {
    let is_page = [Method::GET, Method::HEAD].contains(request.method());
    let page = request.uri().path_and_query().filter(|_| is_page);
    next::with("/login", page.map_or("/", |page| page.as_str()))
}

fn draw(
    (texts, frame): (Texts, Option<&Frame>),
    is_sign_in: bool,
    fault: &Fault,
    id: &RequestId,
) -> HttpResponse {
    let (status, _) = Wire::Page.meaning(fault);
    let message = match &fault.kind {
        Kind::RateLimited(window) => {
            texts.problem_try_again(texts.label(&fault.message), window.retry_after)
        }
        _ => Cow::Borrowed(texts.label(&fault.message)),
    };
    let (title, main) = if is_sign_in {
        sign_in_failure(texts, &message, id.as_str())
    } else {
        failure(texts, status, &message, id.as_str())
    };
    let page = match frame {
        Some(frame) => framed_page(frame, title, &main),
        None => centered_page(texts.language(), title, &main),
    };
    let mut answer = Wire::Page.begin(fault, id);
    if frame.is_none() {
        answer.insert_header((VARY, VARIES));
    }
    answer::finish(&mut answer, page)
}
