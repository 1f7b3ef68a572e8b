//! Where a page view came from: source and channel out of referrer, campaign parameters and click ids.
//!
//! Hosts are compared whole or by registrable domain (public suffix list), never by substring: `google.evil.example`
//! is not Google. A referrer of the website itself is no source at all. Order of precedence: campaign medium, campaign
//! source (paid with a paid click id), click id of advertisers, affiliates and mailers, well-known referrer, click id of
//! networks that mark every link, referrer, direct.

mod sources;

use self::sources::{SOURCES, Source, by_campaign_name, by_click_id, by_medium, find_source};
use super::super::event::Utm;

/// What a page event says about where its visitor came from.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// The referrer as sent; `""` and `direct` mean none.
    pub referrer: &'a str,
    pub utm: &'a Utm,
    /// Name of a click id that came along, such as `gclid`.
    pub click_id: Option<&'a str>,
    pub page_host: &'a str,
    pub domain: &'a str,
}

/// The answer, as event rows hold it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attribution {
    /// Host and path of the referrer.
    pub referrer: Option<String>,
    /// Its registrable domain.
    pub domain: Option<String>,
    /// Name of the source; `None` = direct or internal.
    pub source: Option<String>,
    /// Kind of source; `None` = internal.
    pub channel: Option<String>,
}

/// A referrer taken apart.
struct Referrer<'a> {
    host: String,
    path: &'a str,
    is_app: bool,
}

impl<'a> Referrer<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_app = scheme.eq_ignore_ascii_case("android-app");
        if !is_app && !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https")
        {
            return None;
        }
        let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
        // Browsers take a backslash for a slash: what follows it is no host.
        let (authority, path) = rest.split_at(rest.find(['/', '\\']).unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or_default();
        let host = match host.rfind(']') {
            Some(end) => &host[..=end],
            None => host.split(':').next().unwrap_or_default(),
        };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let host = match host.strip_prefix("www.") {
            Some(rest) if rest.contains('.') => rest.to_owned(),
            _ => host,
        };
        (!host.is_empty()).then_some(Self { host, path, is_app })
    }

    fn source(&self) -> Option<Source> {
        if self.is_app {
            return SOURCES.get(self.host.as_str()).copied();
        }
        find_source(&self.host)
    }

    fn domain(&self) -> &str {
        if self.is_app {
            &self.host
        } else {
            registrable(&self.host)
        }
    }
}

/// The registered part of a host name; the host itself for addresses and single labels.
pub fn registrable(host: &str) -> &str {
    if host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok() {
        return host;
    }
    psl::domain_str(host).unwrap_or(host)
}

/// Says where a page view came from.
pub fn attribute(arrival: &Arrival<'_>) -> Attribution {
    let text = arrival.referrer.trim();
    let referrer = Referrer::parse(text);
    let internal = referrer
        .as_ref()
        .is_some_and(|referrer| is_own(&referrer.host, arrival));
    let referrer = referrer.filter(|_| !internal);
    let (source, channel) = source_and_channel(arrival, referrer.as_ref(), internal);
    Attribution {
        referrer: referrer
            .as_ref()
            .map(|referrer| format!("{}{}", referrer.host, referrer.path.trim_end_matches('/'))),
        domain: referrer
            .as_ref()
            .map(|referrer| referrer.domain().to_owned()),
        source,
        channel,
    }
}

fn is_own(host: &str, arrival: &Arrival<'_>) -> bool {
    let own = registrable(host);
    [arrival.page_host, arrival.domain].iter().any(|site| {
        let site = site.split_once(':').map_or(*site, |(site, _)| site);
        !site.is_empty() && own.eq_ignore_ascii_case(registrable(site))
    })
}

fn source_and_channel(
    arrival: &Arrival<'_>,
    referrer: Option<&Referrer<'_>>,
    internal: bool,
) -> (Option<String>, Option<String>) {
    let answer = |source: &str, channel: &str| (Some(source.to_owned()), Some(channel.to_owned()));
    // Trackers keep click ids for later pages; only a page that was come to from outside counts.
    let click = arrival.click_id.filter(|_| !internal).and_then(by_click_id);
    let known = referrer.and_then(Referrer::source);
    let came_from = known.map(|source| source.name);
    let came_from = came_from.or_else(|| referrer.map(Referrer::domain));
    let campaign = arrival.utm.source.as_deref().map(|name| {
        let source = by_campaign_name(name);
        (
            source.map_or(name, |source| source.name),
            source.map_or("campaign", |source| source.channel),
        )
    });
    if let Some(channel) = arrival.utm.medium.as_deref().and_then(by_medium) {
        let name = campaign.map(|(name, _)| name).or(came_from);
        return answer(
            name.or(arrival.utm.medium.as_deref()).unwrap_or_default(),
            channel,
        );
    }
    if let Some((name, channel)) = campaign {
        let paid = click.is_some_and(|click| click.channel == "paid");
        return answer(name, if paid { "paid" } else { channel });
    }
    let click = click.map(|click| {
        (
            click,
            ["paid", "affiliate", "email"].contains(&click.channel),
        )
    });
    match (click, known, came_from) {
        (Some((click, true)), _, _) => {
            let name = known.map_or(click.name, |known| known.name);
            answer(name, click.channel)
        }
        (_, Some(known), _) => answer(known.name, known.channel),
        (Some((click, false)), None, _) => answer(click.name, click.channel),
        (None, None, Some(domain)) => answer(domain, "referral"),
        (None, None, None) if internal => (None, None),
        (None, None, None) => (None, Some("direct".to_owned())),
    }
}

/// The first of a query's parameters that is a click id, as the tables spell it; one of an advertiser before others.
pub fn find_click_id(query: &str) -> Option<&'static str> {
    let ids = || {
        query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .filter(|(_, value)| !value.is_empty())
            .filter_map(|(key, _)| sources::click_id(key))
    };
    ids().find(|id| is_paid(id)).or_else(|| ids().next())
}

/// Whether a click id is one that only advertisements carry.
pub fn is_paid(click_id: &str) -> bool {
    by_click_id(click_id).is_some_and(|source| source.channel == "paid")
}

#[cfg(test)]
mod tests;
