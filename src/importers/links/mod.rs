//! Short links of other products.

mod bitly;
mod dub;
mod kutt;
mod shlink;
mod yourls;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    Definition, ImportError, LinkDefinition, Plan, Source, record::Record, source::check_count,
    text::one_line,
};
use crate::actors::links::LinkFields;

/// A product whose exported links can be imported.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
)]
#[schemars(rename = "LinkImportFormat")]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum LinkFormat {
    /// CSV of the dashboard, or JSON of `GET /v4/groups/{guid}/bitlinks`.
    Bitly,
    /// CSV of the dashboard, or JSON of `GET /links`.
    Dub,
    /// JSON of `GET /api/v2/links`.
    Kutt,
    /// CSV of the web client, or JSON of `GET /rest/v3/short-urls`.
    Shlink,
    /// The table `yourls_url` as CSV or JSON, or JSON of the API's `stats`.
    Yourls,
}

impl LinkFormat {
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    pub const fn name(self) -> &'static str {
        self.into_str()
    }

    /// The name of the product.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Bitly => "Bitly",
            Self::Dub => "Dub",
            Self::Kutt => "Kutt",
            Self::Shlink => "Shlink",
            Self::Yourls => "YOURLS",
        }
    }

    /// # Errors
    /// The file cannot be read as an export of this product.
    pub fn read(self, source: &Source<'_>) -> Result<Plan, ImportError> {
        let mut links = Links::default();
        match self {
            Self::Bitly => bitly::read(source, &mut links),
            Self::Dub => dub::read(source, &mut links),
            Self::Kutt => kutt::read(source, &mut links),
            Self::Shlink => shlink::read(source, &mut links),
            Self::Yourls => yourls::read(source, &mut links),
        }?;
        links.finish(self.label())
    }
}

const MAX_NAME: usize = 255;
const MAX_TAGS: usize = 20;
const MAX_TAG: usize = 50;

/// Links that are read, with the clicks that they had.
#[derive(Debug, Default)]
struct Links {
    plan: Plan,
    clicks: u64,
    clicked: usize,
    /// Whether any record has a slug: otherwise it is no export of the product.
    has_slugs: bool,
}

impl Links {
    fn push(&mut self, at: &str, fields: LinkFields, clicks: Option<u64>) {
        let clicks = clicks.unwrap_or_default();
        if clicks > 0 {
            self.clicks = self.clicks.saturating_add(clicks);
            self.clicked += 1;
        }
        let link = LinkDefinition { fields };
        self.plan.push(at, Definition::Link(Box::new(link)));
    }

    /// Notes that a link, or something of it, is not carried.
    fn omit(&mut self, at: &str, slug: &str, reason: impl Into<String>) {
        self.plan.omit(at, format!("link {slug}"), reason);
    }

    /// What every product has: slug, target, title and tags; `None` if one of the first two is missing.
    fn basics(
        &mut self,
        record: &Record,
        slug: Option<String>,
        target: &[&str],
        title: &[&str],
    ) -> Option<LinkFields> {
        let at = &record.at;
        let Some(slug) = slug.filter(|slug| !slug.is_empty()) else {
            self.omit(at, "", "It has no slug");
            return None;
        };
        self.has_slugs = true;
        let Some(target) = record.text(target) else {
            self.omit(at, &slug, "It has no destination URL");
            return None;
        };
        let name = self.name(at, &slug, record.text(title));
        Some(LinkFields {
            slug: Some(slug),
            target_url: Some(target),
            name: Some(name),
            ..LinkFields::default()
        })
    }

    /// The title on one line and within the bound, by default the slug.
    fn name(&mut self, at: &str, slug: &str, title: Option<String>) -> String {
        let title = one_line(&title.unwrap_or_default(), usize::MAX);
        if title.is_empty() {
            return slug.to_owned();
        }
        if title.chars().count() > MAX_NAME {
            let reason = format!("Its title is cut to {MAX_NAME} characters");
            self.omit(at, slug, reason);
        }
        title.chars().take(MAX_NAME).collect()
    }

    /// Tags within the bounds of ours.
    fn tags(&mut self, at: &str, slug: &str, tags: Vec<String>) -> Option<Vec<String>> {
        let (kept, lost): (Vec<_>, Vec<_>) = tags
            .into_iter()
            .enumerate()
            .partition(|(place, tag)| *place < MAX_TAGS && tag.chars().count() <= MAX_TAG);
        if !lost.is_empty() {
            let lost: Vec<String> = lost.into_iter().map(|(_, tag)| tag).collect();
            let reason = format!(
                "A link has at most {MAX_TAGS} tags of {MAX_TAG} characters. Left out: {}",
                lost.join(", ")
            );
            self.omit(at, slug, reason);
        }
        let kept: Vec<String> = kept.into_iter().map(|(_, tag)| tag).collect();
        (!kept.is_empty()).then_some(kept)
    }

    fn finish(mut self, product: &str) -> Result<Plan, ImportError> {
        if !self.has_slugs {
            let message = format!("Nothing in the file has a slug. Is it an export of {product}?");
            return Err(ImportError::new(message));
        }
        check_count(self.plan.items.len())?;
        if self.clicks > 0 {
            let (clicks, links) = (self.clicks, self.clicked);
            let what = format!("{clicks} former clicks of {links} links");
            let reason = "Reports count clicks from now on, so sums of the past have no place";
            self.plan.omit("", what, reason);
        }
        Ok(self.plan)
    }
}

/// A short URL, with or without its scheme.
fn parse_short(short_url: &str) -> Option<Url> {
    if short_url.contains("://") {
        return Url::parse(short_url).ok();
    }
    Url::parse(&format!("https://{short_url}")).ok()
}

fn slug_of(short_url: &str) -> Option<String> {
    let url = parse_short(short_url)?;
    let slug = url.path().trim_matches('/');
    (!slug.is_empty()).then(|| slug.to_owned())
}

/// The domain of a link: what the file says, or that of its short URL.
fn domain_of(record: &Record, short_url: &[&str]) -> Option<String> {
    let named = record.text(&["domain"]).filter(|name| !name.is_empty());
    named.or_else(|| host_of(&record.text(short_url)?))
}

fn host_of(short_url: &str) -> Option<String> {
    parse_short(short_url)?.host_str().map(str::to_owned)
}

/// Whether a moment of the file is before now.
fn is_past(moment: &str, now_ms: i64) -> bool {
    let read = chrono::DateTime::parse_from_rfc3339(moment);
    read.is_ok_and(|moment| moment.timestamp_millis() <= now_ms)
}
