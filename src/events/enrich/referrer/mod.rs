//! Where a page view came from: source and channel out of referrer, campaign parameters and click ids.
//!
//! Hosts are compared whole or by registrable domain (public suffix list), never by substring: `google.evil.example`
//! is not Google. A referrer of the website itself is no source at all. Order of precedence: campaign medium, paid
//! click id, campaign source, referrer, click id of a network that also marks unpaid links, direct.

mod sources;

use self::sources::{SOURCES, Source, by_campaign_name, by_click_id, by_medium, known};
use super::super::event::Utm;

/// What a page event says about where its visitor came from.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// The referrer as sent; `""` and `direct` mean none.
    pub referrer: &'a str,
    /// Campaign parameters.
    pub utm: &'a Utm,
    /// Name of a click id that came along, such as `gclid`.
    pub click_id: Option<&'a str>,
    /// Host of the page.
    pub page_host: &'a str,
    /// The website's domain.
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
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or_default();
        let host = host.split_once(':').map_or(host, |(host, _)| host);
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let host = host
            .strip_prefix("www.")
            .map_or(host.clone(), str::to_owned);
        (!host.is_empty()).then_some(Self { host, path, is_app })
    }

    fn source(&self) -> Option<Source> {
        if self.is_app {
            return SOURCES.get(self.host.as_str()).copied();
        }
        known(&self.host)
    }

    fn domain(&self) -> &str {
        if self.is_app {
            &self.host
        } else {
            registrable(&self.host)
        }
    }
}

/// The part of a host name that somebody registered; the host itself for addresses and single labels.
pub fn registrable(host: &str) -> &str {
    if host.parse::<std::net::IpAddr>().is_ok() {
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
    let came_from = referrer.map(|referrer| {
        let source = referrer.source();
        (
            source.map_or(referrer.domain(), |source| source.name),
            source.map_or("referral", |source| source.channel),
        )
    });
    let campaign = arrival.utm.source.as_deref().map(|name| {
        let source = by_campaign_name(name);
        (
            source.map_or(name, |source| source.name),
            source.map_or("campaign", |source| source.channel),
        )
    });
    let medium = arrival.utm.medium.as_deref().and_then(by_medium);
    let best = campaign.or(came_from);
    if let Some(channel) = medium {
        let name = best.map(|(name, _)| name).or(arrival.utm.medium.as_deref());
        return answer(name.unwrap_or_default(), channel);
    }
    if let Some((name, channel)) = campaign {
        let paid = arrival
            .click_id
            .and_then(by_click_id)
            .is_some_and(|(_, channel)| channel == "paid");
        return answer(name, if paid { "paid" } else { channel });
    }
    // Trackers keep click ids for later pages; only a page that was come to from outside counts.
    let click = arrival.click_id.filter(|_| !internal).and_then(by_click_id);
    match (click, came_from) {
        (Some((name, "paid")), came_from) => {
            answer(came_from.map_or(name, |(name, _)| name), "paid")
        }
        (_, Some((name, channel))) | (Some((name, channel)), None) => answer(name, channel),
        (None, None) if internal => (None, None),
        (None, None) => (None, Some("direct".to_owned())),
    }
}

#[cfg(test)]
mod tests;
