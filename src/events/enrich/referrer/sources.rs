//! The tables behind sources and channels.

use std::{collections::HashMap, sync::LazyLock};

/// Well-known hosts; `tables/MANIFEST.toml` says where they come from.
pub(super) const TABLE: &str = include_str!("../../../../tables/sources.tsv");

pub(super) static SOURCES: LazyLock<HashMap<&'static str, Source>> =
    LazyLock::new(|| rows().collect());

/// Hosts with their source, in the order of the table.
fn rows() -> impl Iterator<Item = (&'static str, Source)> {
    let row = |line: &'static str| {
        let (host, rest) = line.split_once('\t')?;
        let (name, channel) = rest.split_once('\t')?;
        Some((host, Source { name, channel }))
    };
    TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(row)
}

/// A well-known sender of visitors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) name: &'static str,
    pub(super) channel: &'static str,
}

/// The sender behind a host name.
pub(super) fn find_source(host: &str) -> Option<Source> {
    if let Some(source) = SOURCES.get(host) {
        return Some(*source);
    }
    let domain = psl::domain(host.as_bytes())?;
    let text = std::str::from_utf8(domain.as_bytes()).ok()?;
    if let Some(source) = SOURCES.get(text) {
        return Some(*source);
    }
    // Only suffixes of registries: `google.github.io` is a user's page.
    if domain.suffix().typ() != Some(psl::Type::Icann) {
        return None;
    }
    let (label, _) = text.split_once('.')?;
    SOURCES.get(format!("{label}.*").as_str()).copied()
}

/// Sources by what campaigns call them: a name, or a host without what follows its first dot.
static CALLED: LazyLock<HashMap<String, Source>> = LazyLock::new(|| {
    let mut called = HashMap::new();
    let ends = [".*", ".com"];
    for end in ends {
        for (host, source) in rows() {
            if let Some(label) = host.strip_suffix(end).filter(|label| !label.contains('.')) {
                called.entry(label.to_owned()).or_insert(source);
            }
        }
    }
    // Of several rows with one name the first counts.
    for (_, source) in rows() {
        let name = source.name.to_ascii_lowercase();
        called.entry(name).or_insert(source);
    }
    called
});

/// `utm_source=google`, `=Google`, `=google.com` all mean Google.
pub(super) fn by_campaign_name(name: &str) -> Option<Source> {
    let lower = name.to_ascii_lowercase();
    find_source(&lower).or_else(|| CALLED.get(&lower).copied())
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
    fn campaigns_name_sources_in_several_ways() {
        for (name, expected) in [
            ("google", "search"),
            ("Google.com", "search"),
            ("google.de", "search"),
            ("chatgpt", "ai"),
            ("CHATGPT.com", "ai"),
            ("proton mail", "email"),
        ] {
            let found = by_campaign_name(name).map(|source| source.channel);
            assert_eq!(found, Some(expected), "{name}");
        }
        for stranger in [
            "goog",
            "oogle",
            "com",
            "",
            ".",
            "*",
            "mail.google",
            "spring newsletter",
        ] {
            assert_eq!(by_campaign_name(stranger), None, "{stranger}");
        }
        for (_, source) in rows() {
            let found = by_campaign_name(source.name).map(|found| found.channel);
            assert_eq!(found, Some(source.channel), "{source:?}");
        }
    }

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
