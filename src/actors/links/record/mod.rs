//! The part of a link that redirects need, packed into so few bytes that a million links fit into memory.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;
use uuid::Uuid;

use super::{
    Link, QueryForwarding, app,
    model::{host_of, path_of},
};
use crate::{
    actors::unlocking,
    ids::{LinkId, OrganizationKey, WebsiteKey},
};

/// The version of the format. Rows that are of another one, or end early, are packed again whenever all are read.
const FORMAT: u8 = 2;

/// A link as redirects see it. Borrows from its packed form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record<'a> {
    format: u8,
    /// What it is found by: see [`link_key`](super::model::link_key).
    slug: &'a str,
    id: [u8; 16],
    key: u64,
    organization: u64,
    /// When it ends, Unix ms.
    pub expires_ms: Option<u64>,
    /// Where it leads, its `ref` included.
    pub target: &'a str,
    /// Part of the `ETag`; differs after every change.
    pub tag: u64,
    #[serde(borrow)]
    pub options: Option<RecordOptions<'a>>,
}

/// Settings that few links have. URLs carry their `ref`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordOptions<'a> {
    /// Where it leads when it has ended.
    pub expired: Option<&'a str>,
    /// Targets by platform.
    pub ios: Option<&'a str>,
    pub android: Option<&'a str>,
    /// Where it leads in a country, by code.
    #[serde(borrow)]
    pub countries: Vec<(&'a str, &'a str)>,
    /// Where it leads for readers of a language.
    #[serde(borrow)]
    pub languages: Vec<(&'a str, &'a str)>,
    #[serde(borrow)]
    pub variants: Vec<(&'a str, u32)>,
    pub max_clicks: Option<u64>,
    /// Whether it has a preview of its own.
    pub has_preview: bool,
    /// The address inside of the app that it opens on phones.
    pub app: Option<&'a str>,
    /// Identifies the password that visitors have to know.
    pub lock: Option<u64>,
    /// Status of the redirect; `None` = the usual one. This and what follows came later: records without options are as they
    /// were.
    pub status: Option<u16>,
    /// Whether the query of the short URL goes on to the target.
    pub forwarding: Option<QueryForwarding>,
}

impl<'a> Record<'a> {
    /// Reads a packed record; `None` if it is of another form.
    pub fn unpack(bytes: &'a [u8]) -> Option<Self> {
        postcard::from_bytes::<Self>(bytes)
            .ok()
            .filter(|record| record.format == FORMAT)
    }

    /// The slug of a packed record.
    pub(super) fn packed_slug(bytes: &[u8]) -> &str {
        let slug = bytes
            .split_first()
            .and_then(|(_, rest)| postcard::take_from_bytes::<&str>(rest).ok());
        slug.map_or("", |(slug, _)| slug)
    }

    /// Its path on its host.
    pub fn path(&self) -> &'a str {
        path_of(self.slug)
    }

    /// The id of the organization's host that it is on; `None` = the usual one.
    pub fn host(&self) -> Option<&'a str> {
        host_of(self.slug)
    }

    pub fn id(&self) -> LinkId {
        LinkId::from(self.uuid().to_string())
    }

    pub fn uuid(&self) -> Uuid {
        Uuid::from_bytes(self.id)
    }

    /// The link's number in event rows.
    pub fn key(&self) -> WebsiteKey {
        WebsiteKey(self.key as i64)
    }

    /// A target without the `ref` that joins a click with its session. Bots get this one.
    pub fn without_ref(&self, url: &str) -> String {
        let own = format!("ref={}", self.id());
        // Packing has put it last in the query.
        for mark in ["&", "?"] {
            if let Some((before, after)) = url.split_once(&format!("{mark}{own}")) {
                return format!("{before}{after}");
            }
        }
        url.to_owned()
    }

    /// Identifies the password that visitors have to know; `None` without a password.
    pub fn lock(&self) -> Option<u64> {
        self.options.as_ref()?.lock
    }

    /// The owner's number in event rows.
    pub fn organization(&self) -> OrganizationKey {
        OrganizationKey(self.organization as i64)
    }
}

/// Packs a checked link.
pub(super) fn pack(link: &Link, organization: OrganizationKey) -> Option<Vec<u8>> {
    let (id, fields) = (&link.id, &link.fields);
    let with_ref = |url: &str| referring(url, id);
    let each = |url: &Option<String>| url.as_deref().map(with_ref);
    let target = with_ref(fields.target_url.as_deref()?);
    let (expired, ios, android) = (
        fields.expired_redirect_url.clone(),
        each(&fields.ios_url),
        each(&fields.android_url),
    );
    let targets = |targets: &Option<std::collections::BTreeMap<String, String>>| {
        let targets = targets.iter().flatten();
        targets
            .map(|(code, url)| (code.clone(), with_ref(url)))
            .collect::<Vec<_>>()
    };
    let (countries, languages) = (targets(&fields.countries), targets(&fields.languages));
    let variants: Vec<(String, u32)> = fields
        .variants
        .iter()
        .flatten()
        .map(|variant| (with_ref(&variant.url), variant.weight))
        .collect();
    let has_preview = fields.og_title.is_some()
        || fields.og_description.is_some()
        || fields.og_image_url.is_some()
        || fields.og_video_url.is_some();
    let app = fields.deep_link_app;
    let app = app.and_then(|app| app::address(app, fields.target_url.as_deref()?));
    let is_down = fields.taken_down == Some(true);
    let options = RecordOptions {
        // A link that is taken down has no fallback either.
        expired: expired.as_deref().filter(|_| !is_down),
        ios: ios.as_deref(),
        android: android.as_deref(),
        countries: pairs(&countries),
        languages: pairs(&languages),
        variants: variants
            .iter()
            .map(|(url, weight)| (url.as_str(), *weight))
            .collect(),
        max_clicks: fields.max_clicks,
        has_preview,
        app: app.as_deref(),
        lock: link.password_hash.as_deref().map(unlocking::lock),
        status: fields.redirect_status,
        forwarding: fields.query_forwarding,
    };
    let key = link.key_text();
    let record = Record {
        format: FORMAT,
        slug: &key,
        id: *Uuid::parse_str(id.as_str()).ok()?.as_bytes(),
        key: link.key.0 as u64,
        organization: organization.0 as u64,
        expires_ms: expires(link),
        target: &target,
        tag: tag(link),
        options: (options != RecordOptions::default()).then_some(options),
    };
    postcard::to_stdvec(&record).ok()
}

/// When the link ends, Unix ms. A link that is taken down has ended long ago.
fn expires(link: &Link) -> Option<u64> {
    if link.fields.taken_down == Some(true) {
        return Some(0);
    }
    let text = link.fields.expires_at.as_deref()?;
    let moment = chrono::DateTime::parse_from_rfc3339(text).ok()?;
    moment.timestamp_millis().try_into().ok()
}

fn pairs(owned: &[(String, String)]) -> Vec<(&str, &str)> {
    let borrowed = owned
        .iter()
        .map(|(code, url)| (code.as_str(), url.as_str()));
    borrowed.collect()
}

/// The URL with `ref=<link id>`, which replaces any `ref`.
fn referring(url: &str, id: &LinkId) -> String {
    let Ok(mut parsed) = Url::parse(url) else {
        return url.to_owned();
    };
    let others: Vec<String> = parsed
        .query()
        .into_iter()
        .flat_map(|query| query.split('&'))
        .filter(|pair| !pair.is_empty() && pair.split('=').next() != Some("ref"))
        .map(str::to_owned)
        .collect();
    let query = others.into_iter().chain([format!("ref={id}")]);
    let query = query.collect::<Vec<_>>().join("&");
    parsed.set_query(Some(&query));
    parsed.into()
}

/// Differs after every change of the link.
fn tag(link: &Link) -> u64 {
    let fields = serde_json::to_vec(&link.fields).unwrap_or_default();
    let hash = Sha256::new().chain_update(link.id.as_str());
    let hash = hash.chain_update(fields);
    let password = link.password_hash.as_deref().unwrap_or_default();
    leading_u64(&hash.chain_update(password).finalize())
}

fn leading_u64(hash: &[u8]) -> u64 {
    let mut head = [0; 8];
    head.copy_from_slice(&hash[..8]);
    u64::from_be_bytes(head)
}

#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
