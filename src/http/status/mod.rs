//! `/status/<slug>`: what the world sees of a status page, for people and for programs. Made of memory alone.
//!
//! Every door answers `HEAD` and `If-None-Match`, may be read by pages of any origin, and is packed where the caller takes that.
//! A document is drawn once and shown until something that it says changes (`page_cache.rs`).

mod badge;
mod components;
mod feeds;
mod incidents;
mod logo;
mod markdown;
mod page;
mod private;
mod routes;
mod schema;
mod statuspage_api;
mod subscribe;
mod subscription;
#[cfg(test)]
mod tests;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{
        ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
        HeaderName, REFERRER_POLICY, VARY,
    },
    web::Data,
};

pub(super) use self::{markdown::html as markdown_html, routes::routes};
use super::{
    Shared,
    document::{accepts_gzip, is_known},
    language::chosen_language,
    page_cache::{PageDocument, RenderedDocument},
    private_pages,
};
use crate::{
    actors::status_pages::{Snapshot, StatusPage},
    fault::Fault,
    locale::{Language, Texts},
};

/// For how long an answer may be shown again without asking.
const FRESH: &str = "public, max-age=15";

impl PageDocument {
    /// Whether people read it. What programs read, and badges, are English.
    const fn has_languages(&self) -> bool {
        matches!(self, Self::Page | Self::Rss | Self::Atom | Self::JsonFeed)
    }

    const fn varies(&self) -> &'static str {
        if self.has_languages() {
            "accept-encoding, accept-language"
        } else {
            "accept-encoding"
        }
    }

    /// The language that it is shown in.
    fn language(&self, page: &StatusPage, request: &HttpRequest) -> Language {
        if !self.has_languages() {
            return Language::En;
        }
        let own = page.fields.language;
        own.unwrap_or_else(|| chosen_language(request))
    }

    /// The document of a page that is at this address.
    fn draw(&self, home: &str, seen: &Snapshot, texts: Texts) -> Option<RenderedDocument> {
        Some(match self {
            Self::Page => page::page(home, seen, texts),
            Self::Rss => feeds::rss(home, seen, texts),
            Self::Atom => feeds::atom(home, seen, texts),
            Self::JsonFeed => feeds::json(home, seen, texts),
            Self::Calendar => feeds::calendar(home, seen),
            Self::Badge(None, query) => badge::draw_page(seen, *query),
            Self::Badge(Some(id), query) => return badge::draw_monitor(seen, id, *query),
            Self::Api(api) => {
                RenderedDocument::new("application/json", api.answer(home, seen).to_string())
            }
        })
    }
}

fn header_contains(request: &HttpRequest, name: HeaderName, word: &str) -> bool {
    let value = request.headers().get(name);
    let value = value.and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.contains(word))
}

/// Finds the page, and answers with a document of it.
fn answer(
    request: &HttpRequest,
    shared: &Data<Shared>,
    slug: &str,
    what: &PageDocument,
) -> Result<HttpResponse, Fault> {
    let view = shared.status_pages.view();
    let page = view.by_slug(slug);
    let barrier = page.and_then(|page| private::barrier(request, shared, page));
    if let (Some(page), Some(barrier)) = (page, barrier) {
        let is_page = *what == PageDocument::Page;
        return Ok(private::refuse(request, shared, page, barrier, is_page));
    }
    let is_private = page.is_some_and(|page| !page.access().is_public());
    let found = page.and_then(|page| {
        let own = what.language(page, request);
        let home = private::home(request, shared, page);
        let draw = || what.draw(&home, &view.snapshot(page), own.texts());
        let key = (page.id.clone(), what.clone(), own, home.clone());
        shared.page_cache.get(key, view.fingerprint(page), draw)
    });
    let Some(drawn) = found else {
        if *what == PageDocument::Page && header_contains(request, ACCEPT, "text/html") {
            return Ok(page::unknown(chosen_language(request).texts()));
        }
        return Err(Fault::not_found("StatusPage", slug));
    };
    let known = drawn.tag.to_str().unwrap_or_default();
    let is_known = !is_private && is_known(request.headers(), known);
    let mut response = if is_known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((ETAG, drawn.tag.clone()))
        .insert_header((CACHE_CONTROL, FRESH))
        .insert_header((VARY, what.varies()));
    if is_known {
        return Ok(response.finish());
    }
    response.insert_header((CONTENT_TYPE, drawn.media.clone()));
    if let Some(policy) = &drawn.policy {
        response
            .insert_header((CONTENT_SECURITY_POLICY, policy.clone()))
            .insert_header((REFERRER_POLICY, page::NAMES_ORIGIN));
    }
    let mut response = if accepts_gzip(request) {
        response
            .insert_header((CONTENT_ENCODING, "gzip"))
            .body(drawn.packed.clone())
    } else {
        response.body(drawn.plain.clone())
    };
    if is_private {
        private_pages::keep_private(response.headers_mut());
    }
    Ok(response)
}
