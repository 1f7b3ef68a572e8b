//! What a page event says beside the page: referrer, click ids, language, sizes.

use super::{
    super::{
        field::{Check, PATH},
        location,
        wire::Value,
    },
    Tracked,
};
use crate::events::{
    enrich::referrer::{self, Arrival},
    event::Event,
};

/// Characters of a language tag or a size.
const SHORT: usize = 64;

/// Says where the view came from.
pub(super) fn attribute(tracked: &Tracked<'_>, event: &mut Event, check: &mut Check, domain: &str) {
    let referrer = check.text("referrer", &tracked.referrer, PATH);
    let referrer = referrer.as_deref().unwrap_or_default();
    if !matches!(referrer, "" | "direct") && !location::is_referrer_url(referrer) {
        let message = "`referrer` must be a URL, \"direct\" or empty".to_owned();
        check.issue("invalid_url", "referrer", message);
    }
    event.click_id = click_id(tracked, event.click_id.take());
    let found = referrer::attribute(&Arrival {
        referrer,
        utm: &event.utm,
        click_id: event.click_id.as_deref(),
        page_host: event.host.as_deref().unwrap_or_default(),
        domain,
    });
    event.referrer = found.referrer;
    event.referrer_domain = found.domain;
    event.source = found.source;
    event.channel = found.channel;
}

/// The click id that counts: one of an advertiser before others, the address of the page before what the tracker kept.
fn click_id(tracked: &Tracked<'_>, in_address: Option<String>) -> Option<String> {
    let kept = [
        ("gclid", &tracked.gclid),
        ("msclkid", &tracked.msclkid),
        ("ttclid", &tracked.ttclid),
        ("twclid", &tracked.twclid),
        ("li_fat_id", &tracked.li_fat_id),
        ("fbclid", &tracked.fbclid),
    ];
    let mut kept = kept
        .into_iter()
        .filter(|(_, value)| matches!(value, Value::Text(id) if !id.is_empty()))
        .map(|(name, _)| name);
    match in_address {
        Some(own) if referrer::is_paid(&own) => Some(own),
        own => kept
            .clone()
            .find(|name| referrer::is_paid(name))
            .map(str::to_owned)
            .or(own)
            .or_else(|| kept.next().map(str::to_owned)),
    }
}

/// A language tag: letters, then groups of letters and digits.
pub(in crate::events::accept) fn language(value: &Value<'_>, check: &mut Check) -> Option<String> {
    let text = check.text("language", value, SHORT)?;
    let mut groups = text.split('-');
    let first = groups.next().unwrap_or_default();
    let fits = (2..=3).contains(&first.len())
        && first.chars().all(|letter| letter.is_ascii_alphabetic())
        && groups.all(|group| {
            (2..=8).contains(&group.len())
                && group.chars().all(|letter| letter.is_ascii_alphanumeric())
        });
    if !fits {
        let message = "`language` must be a language tag such as `en-GB`".to_owned();
        check.issue("invalid_language", "language", message);
        return None;
    }
    Some(text)
}

/// How the browser is connected. Browsers learn new words; an unknown one is ignored, not refused.
pub(super) fn connection(value: &Value<'_>) -> Option<String> {
    const KNOWN: [&str; 12] = [
        "bluetooth",
        "cellular",
        "ethernet",
        "none",
        "wifi",
        "wimax",
        "other",
        "unknown",
        "slow-2g",
        "2g",
        "3g",
        "4g",
    ];
    let Value::Text(text) = value else {
        return None;
    };
    let known = KNOWN.into_iter().find(|known| *known == text.trim())?;
    Some(known.to_owned())
}

/// `WxH`, both from 240 to 10000.
pub(in crate::events::accept) fn size(
    field: &str,
    value: &Value<'_>,
    check: &mut Check,
) -> Option<String> {
    let text = check.text(field, value, SHORT)?;
    let fits = text.split_once('x').is_some_and(|(width, height)| {
        [width, height].into_iter().all(|side| {
            side.bytes().all(|letter| letter.is_ascii_digit())
                && side
                    .parse::<u32>()
                    .is_ok_and(|side| (240..=10_000).contains(&side))
        })
    });
    if !fits {
        let message =
            format!("`{field}` must be a size such as `1920x1080`, each side 240 to 10000");
        check.issue("invalid_size", field, message);
        return None;
    }
    Some(text)
}
