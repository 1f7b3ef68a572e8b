//! The tables behind sources and channels.

use std::{collections::HashMap, sync::LazyLock};

/// Well-known hosts; `tables/MANIFEST.toml` says where they come from.
pub(super) const TABLE: &str = include_str!("../../../../tables/sources.tsv");

pub(super) static SOURCES: LazyLock<HashMap<&'static str, Source>> = LazyLock::new(|| {
    TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (host, rest) = line.split_once('\t')?;
            let (name, channel) = rest.split_once('\t')?;
            Some((host, Source { name, channel }))
        })
        .collect()
});

/// A well-known sender of visitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) name: &'static str,
    pub(super) channel: &'static str,
}

/// The sender behind a host name.
pub(super) fn known(host: &str) -> Option<Source> {
    if let Some(source) = SOURCES.get(host) {
        return Some(*source);
    }
    let domain = psl::domain(host.as_bytes())?;
    let text = std::str::from_utf8(domain.as_bytes()).ok()?;
    if let Some(source) = SOURCES.get(text) {
        return Some(*source);
    }
    // Only suffixes of registries: `google.github.io` is somebody's page.
    if domain.suffix().typ() != Some(psl::Type::Icann) {
        return None;
    }
    let (label, _) = text.split_once('.')?;
    SOURCES.get(format!("{label}.*").as_str()).copied()
}

/// `utm_source=google`, `=Google`, `=google.com` all mean Google.
pub(super) fn by_campaign_name(name: &str) -> Option<Source> {
    let lower = name.to_ascii_lowercase();
    known(&lower).or_else(|| {
        SOURCES
            .get(format!("{lower}.*").as_str())
            .or_else(|| SOURCES.get(format!("{lower}.com").as_str()))
            .or_else(|| {
                SOURCES
                    .values()
                    .find(|source| source.name.eq_ignore_ascii_case(&lower))
            })
            .copied()
    })
}

/// The channel that a campaign's medium means.
pub(super) fn by_medium(medium: &str) -> Option<&'static str> {
    let medium = medium.to_ascii_lowercase();
    Some(match medium.as_str() {
        "cpc" | "ppc" | "cpm" | "cpv" | "cpa" | "retargeting" | "sem" => "paid",
        _ if medium.starts_with("paid") => "paid",
        "email" | "e-mail" | "e_mail" | "mail" | "newsletter" => "email",
        "social" | "social-network" | "social-media" | "social_media" | "sm" => "social",
        "organic" => "search",
        "affiliate" | "affiliates" | "partner" => "affiliate",
        "display" | "banner" | "expandable" | "interstitial" => "display",
        "video" => "video",
        "audio" | "podcast" => "audio",
        "sms" => "sms",
        "push" | "notification" => "push",
        "referral" | "link" => "referral",
        _ => return None,
    })
}

/// Advertisers' click ids; networks that also mark unpaid links do not count as paid.
pub(super) fn by_click_id(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "gclid" | "gbraid" | "wbraid" => ("Google", "paid"),
        "msclkid" => ("Bing", "paid"),
        "fbclid" => ("Facebook", "social"),
        "ttclid" => ("TikTok", "social"),
        "twclid" => ("X", "social"),
        "li_fat_id" => ("LinkedIn", "social"),
        _ => return None,
    })
}
