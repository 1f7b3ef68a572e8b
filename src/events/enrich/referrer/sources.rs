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

/// What campaigns' media and click ids mean.
pub(super) const CAMPAIGNS: &str = include_str!("../../../../tables/campaigns.tsv");

struct Campaigns {
    media: HashMap<&'static str, &'static str>,
    clicks: HashMap<&'static str, Source>,
}

static KNOWN: LazyLock<Campaigns> = LazyLock::new(|| {
    let mut known = Campaigns {
        media: HashMap::new(),
        clicks: HashMap::new(),
    };
    for line in CAMPAIGNS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&'static str> = line.split('\t').collect();
        match fields[..] {
            ["medium", medium, channel] => {
                known.media.insert(medium, channel);
            }
            ["click", parameter, channel, name] => {
                known.clicks.insert(parameter, Source { name, channel });
            }
            _ => {}
        }
    }
    known
});

/// The channel that a campaign's medium means.
pub(super) fn by_medium(medium: &str) -> Option<&'static str> {
    let medium = medium.trim().to_ascii_lowercase();
    let known = KNOWN.media.get(medium.as_str()).copied();
    known.or_else(|| medium.starts_with("paid").then_some("paid"))
}

/// Who marks links with this parameter, and what that says: not every marked link is a paid one.
pub(super) fn by_click_id(name: &str) -> Option<Source> {
    KNOWN.clicks.get(name).copied()
}

/// The parameter as the tables spell it, if it is a click id at all.
pub(super) fn click_id(parameter: &str) -> Option<&'static str> {
    let lower = parameter.to_ascii_lowercase();
    KNOWN
        .clicks
        .get_key_value(lower.as_str())
        .map(|(key, _)| *key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_means_something() {
        let lines = |kind: &str| {
            CAMPAIGNS
                .lines()
                .filter(|line| line.starts_with(kind))
                .count()
        };
        assert_eq!(KNOWN.media.len(), lines("medium\t"));
        assert_eq!(KNOWN.clicks.len(), lines("click\t"));
        assert_eq!(
            lines("medium\t") + lines("click\t") + lines("#"),
            CAMPAIGNS.lines().count()
        );
    }
}
