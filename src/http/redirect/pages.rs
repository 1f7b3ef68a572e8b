//! The few pages of the links' host.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType},
};
use serde_json::json;

use crate::{
    actors::links::{LinkFields, Record},
    http::{Shared, edge::RequestIds},
};

const ENDED: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Link ended</title>\
    <h1>This link has ended</h1><p>Whoever made it let it end. Ask them for a new one.</p></html>";
/// Pages have no scripts, no styles and no pictures of others.
const BARE: (actix_web::http::header::HeaderName, &str) = (
    CONTENT_SECURITY_POLICY,
    "default-src 'none'; frame-ancestors 'none'",
);

/// A link that has ended leads nowhere: 410, as a page or as JSON.
pub(super) fn ended(request: &HttpRequest, ids: &RequestIds) -> HttpResponse {
    let mut response = HttpResponse::Gone();
    response.insert_header((CACHE_CONTROL, "private, no-store"));
    if accepts_json(request) {
        let id = ids.of(request.headers());
        return response.json(json!({
            "success": false, "error": "This link has ended", "code": "GONE", "requestId": id.as_str(),
        }));
    }
    response
        .insert_header(BARE)
        .content_type(ContentType::html())
        .body(ENDED)
}

pub(super) fn accepts_json(request: &HttpRequest) -> bool {
    let accepts = request.headers().get(ACCEPT);
    accepts
        .and_then(|value| value.to_str().ok())
        .is_some_and(|text| text.contains("application/json"))
}

/// What agents draw a preview of. Its texts come from storage: previews are few.
pub(super) async fn preview(shared: &Shared, record: &Record<'_>) -> HttpResponse {
    let link = shared.links.view().by_id(record.id().as_str()).await;
    let Ok(Some(link)) = link else {
        return super::redirect(record.target, super::AGAIN);
    };
    HttpResponse::Ok()
        .insert_header(BARE)
        .insert_header((CACHE_CONTROL, "private, no-cache"))
        .content_type(ContentType::html())
        .body(drawn(&link.fields))
}

fn drawn(fields: &LinkFields) -> String {
    let title = fields.og_title.as_ref().or(fields.name.as_ref());
    let title = title.map_or("", String::as_str);
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>",
        escaped(title)
    );
    let told = [
        ("og:title", Some(title)),
        ("og:description", fields.og_description.as_deref()),
        ("og:image", fields.og_image_url.as_deref()),
        ("og:video", fields.og_video_url.as_deref()),
        ("og:url", fields.target_url.as_deref()),
        (
            "twitter:card",
            fields
                .og_image_url
                .as_deref()
                .map(|_| "summary_large_image"),
        ),
    ];
    for (name, value) in told {
        if let Some(value) = value {
            let value = escaped(value);
            page.extend(["<meta property=\"", name, "\" content=\"", &value, "\">"]);
        }
    }
    page.push_str("</head></html>");
    page
}

/// Text as it may stand in an attribute or between tags.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
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
        let page = drawn(&fields);
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("content=\"a &amp; b\""), "{page}");
    }
}
