//! Documents of status pages that were drawn once and are shown until something changes: as text and packed, with their
//! tags.

use std::{
    io::Write as _,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use actix_web::http::header::HeaderValue;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use lru::LruCache;
use serde::Deserialize;

use crate::{ids::StatusPageId, locale::Language};

/// Documents that are remembered.
const MAX: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);

/// A document of a status page.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum PageDocument {
    Page,
    Rss,
    Atom,
    JsonFeed,
    Calendar,
    /// A badge, of a monitor by its id on the page where there is one.
    Badge(Option<String>, BadgeQuery),
    Api(ApiDocument),
}

/// What a badge says.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BadgeMetric {
    #[default]
    Status,
    Uptime,
    Response,
}

/// Of how long a time.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub(super) enum BadgeWindow {
    #[serde(rename = "24h")]
    Day,
    #[serde(rename = "7d")]
    Week,
    #[serde(rename = "30d")]
    Month,
    #[default]
    #[serde(rename = "90d")]
    All,
}

/// What the query string asks for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct BadgeQuery {
    #[serde(default)]
    pub(super) metric: BadgeMetric,
    #[serde(default)]
    pub(super) window: BadgeWindow,
}

/// A document in the shape of Statuspage's API v2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ApiDocument {
    Summary,
    Status,
    Components,
    Incidents,
    Unresolved,
    Maintenances,
    Upcoming,
    Active,
}

/// What is served: its media type, its bytes, and what it may do.
pub(super) struct RenderedDocument {
    pub(super) media: &'static str,
    pub(super) text: String,
    pub(super) policy: Option<String>,
}

impl RenderedDocument {
    pub(super) const fn new(media: &'static str, text: String) -> Self {
        Self {
            media,
            text,
            policy: None,
        }
    }
}

/// A document as it is sent.
#[derive(Debug)]
pub(super) struct CachedPage {
    /// What it was drawn from.
    print: u64,
    pub(super) media: HeaderValue,
    pub(super) policy: Option<HeaderValue>,
    pub(super) tag: HeaderValue,
    pub(super) plain: Bytes,
    pub(super) packed: Bytes,
}

impl CachedPage {
    fn compress(print: u64, document: RenderedDocument) -> Option<Self> {
        let hash = blake3::hash(document.text.as_bytes()).to_hex();
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(document.text.as_bytes()).ok()?;
        Some(Self {
            print,
            media: HeaderValue::from_static(document.media),
            policy: match document.policy {
                Some(policy) => Some(HeaderValue::try_from(policy).ok()?),
                None => None,
            },
            tag: HeaderValue::try_from(format!("\"{}\"", &hash[..32])).ok()?,
            packed: packer.finish().ok()?.into(),
            plain: document.text.into(),
        })
    }
}

/// A document of a page in a language, and where the page is.
pub(super) type PageKey = (StatusPageId, PageDocument, Language, String);

/// The documents that were drawn last.
pub struct PageCache(Mutex<LruCache<PageKey, Arc<CachedPage>>>);

impl Default for PageCache {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX)))
    }
}

impl std::fmt::Debug for PageCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PageCache(…)")
    }
}

impl PageCache {
    /// The document, if it was drawn from the same; drawn anew otherwise. `None` where there is no such document.
    pub(super) fn get(
        &self,
        key: PageKey,
        print: u64,
        draw: impl FnOnce() -> Option<RenderedDocument>,
    ) -> Option<Arc<CachedPage>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&key).cloned();
        if let Some(known) = known.filter(|known| known.print == print) {
            return Some(known);
        }
        let page = Arc::new(CachedPage::compress(print, draw()?)?);
        lock().put(key, Arc::clone(&page));
        Some(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_drawn_again_when_what_it_is_made_of_has_changed() {
        let page_cache = PageCache::default();
        let get_in = |language, print, text: Option<&str>| {
            let home = "https://status.example".to_owned();
            let key = (StatusPageId::from("p"), PageDocument::Page, language, home);
            let draw = || Some(RenderedDocument::new("text/html", text?.to_owned()));
            let page = page_cache.get(key, print, draw)?;
            Some(String::from_utf8(page.plain.to_vec()).unwrap())
        };
        let get = |print, text| get_in(Language::En, print, text);
        assert_eq!(get(1, Some("a")).as_deref(), Some("a"));
        assert_eq!(get(1, Some("b")).as_deref(), Some("a"));
        assert_eq!(get(2, Some("b")).as_deref(), Some("b"));
        assert_eq!(get(3, None), None, "what is not there is not remembered");
        assert_eq!(get(2, Some("c")).as_deref(), Some("b"));
        let german = get_in(Language::De, 2, Some("d"));
        assert_eq!(german.as_deref(), Some("d"), "each language has its own");
        assert_eq!(get(2, Some("c")).as_deref(), Some("b"));
    }
}
