//! The few pages of the links' host: small, without pictures and without anything of others.

mod app;
mod locked;
mod shell;

use std::borrow::Cow;

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType, RETRY_AFTER, VARY},
};
use serde_json::json;

use self::shell::{Shell, escape};
pub(super) use self::{
    app::opens,
    locked::{UnlockOutcome, asks},
};
use super::Answering;
use crate::{
    actors::links::{LinkFields, Record},
    http::{Shared, language},
    locale::Texts,
};

/// A link that has ended leads nowhere: 410, as a page or as JSON.
pub(super) fn ended(answering: &Answering<'_>) -> HttpResponse {
    let mut response = HttpResponse::Gone();
    response.insert_header((CACHE_CONTROL, "private, no-store"));
    if answering.wants_json() {
        return failure(response, answering, "This link has expired", "GONE");
    }
    let texts = answering.texts();
    let words = [texts.link_expired_heading(), texts.link_expired_help()];
    message(response, texts, &texts.link_expired_title(), &words)
}

/// Whether a link has ended cannot be said now: 503, as a page or as JSON.
pub(super) fn not_counted(answering: &Answering<'_>) -> HttpResponse {
    let mut response = HttpResponse::ServiceUnavailable();
    response.insert_header((CACHE_CONTROL, "private, no-store"));
    response.insert_header((RETRY_AFTER, "5"));
    let text =
        "The clicks of this link can't be counted at the moment. Try again in a few seconds.";
    if answering.wants_json() {
        return failure(response, answering, text, "SERVICE_UNAVAILABLE");
    }
    let texts = answering.texts();
    let words = [texts.link_busy_heading(), texts.link_busy_help()];
    message(response, texts, &texts.link_busy_title(), &words)
}

/// There is no such link, or not any more.
pub(super) fn unknown(texts: Texts) -> HttpResponse {
    let title = texts.link_unknown_title();
    let words = [title.clone(), texts.link_unknown_help()];
    message(HttpResponse::NotFound(), texts, &title, &words)
}

/// A page of a heading and a sentence.
fn message(
    response: HttpResponseBuilder,
    texts: Texts,
    title: &str,
    [heading, help]: &[Cow<'static, str>; 2],
) -> HttpResponse {
    let body = format!("<h1>{heading}</h1><p>{help}</p>");
    page(response, &Shell::titled(texts, title), &body)
}

/// A failure as programs read it.
fn failure(
    mut response: HttpResponseBuilder,
    answering: &Answering<'_>,
    text: &str,
    code: &str,
) -> HttpResponse {
    response.json(json!({
        "success": false, "error": text, "code": code, "requestId": answering.id.as_str(),
    }))
}

fn page(mut response: HttpResponseBuilder, shell: &Shell<'_>, body: &str) -> HttpResponse {
    response
        .insert_header((CONTENT_SECURITY_POLICY, shell.policy()))
        .insert_header((VARY, language::VARIES))
        .content_type(ContentType::html())
        .body(shell.around(body))
}

/// What agents draw a preview of. Its texts come from storage: previews are few.
pub(super) async fn preview(answering: &Answering<'_>, record: &Record<'_>) -> HttpResponse {
    let shared: &Shared = &answering.redirects.shared;
    let link = shared.links.view().by_id(record.id().as_str()).await;
    let Ok(Some(link)) = link else {
        let target = record.without_ref(record.target);
        return super::redirect(&target, super::status(record), super::AGAIN);
    };
    let address = shared.short_url(record.host(), record.path());
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "private, no-cache"));
    let head = draw_preview(&link.fields, &address);
    let name = link.fields.og_title.or(link.fields.name);
    let shell = Shell {
        head: &head,
        ..Shell::titled(answering.texts(), name.as_deref().unwrap_or_default())
    };
    page(response, &shell, "")
}

/// The texts of a preview. Its address is the link's own: agents would draw the target instead, and a link with a password
/// would give it away.
fn draw_preview(fields: &LinkFields, address: &str) -> String {
    let title = fields.og_title.as_ref().or(fields.name.as_ref());
    let card = fields
        .og_image_url
        .as_deref()
        .map(|_| "summary_large_image");
    let told = [
        ("og:title", title.map(String::as_str)),
        ("og:description", fields.og_description.as_deref()),
        ("og:image", fields.og_image_url.as_deref()),
        ("og:video", fields.og_video_url.as_deref()),
        ("og:url", Some(address)),
        ("og:type", Some("website")),
        ("twitter:card", card),
    ];
    let mut head = String::new();
    for (name, value) in told {
        if let Some(value) = value {
            head.extend([
                "<meta property=\"",
                name,
                "\" content=\"",
                &escape(value),
                "\">",
            ]);
        }
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_people_are_text() {
        let fields = LinkFields {
            og_title: Some("\"><script>alert(1)</script>".into()),
            og_description: Some("a & b".into()),
            ..LinkFields::default()
        };
        let page = draw_preview(&fields, "https://go.example/a");
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("content=\"a &amp; b\""), "{page}");
    }
}
