//! Where visits come from: the first referrer or campaign of each that is not the website itself.

use super::question::{Question, page};
use crate::{
    analytics::catalogue::{About, Field},
    events::event::Event,
};

/// Types whose rows are sources of visits, whatever they are grouped by.
pub(super) const TYPES: &[&str] = &[
    "traffic_sources",
    "top_referrers",
    "realtime_referrers",
    "traffic_channels",
    "social_referrals",
    "ai_referrals",
    "utm_sources",
    "utm_mediums",
    "utm_campaigns",
    "utm_terms",
    "utm_content",
    "utm_parameters",
    "revenue_by_referrer",
    "revenue_by_utm_source",
    "revenue_by_utm_medium",
    "revenue_by_utm_campaign",
];

const FIELDS: &[&str] = &[
    "referrer",
    "source",
    "channel",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
];

/// Whether the field says where a visit came from.
pub(super) fn is_of_source(field: &Field) -> bool {
    FIELDS.contains(&field.name)
}

/// Whether the field asks for the source of the visit, and not for what the event itself says.
pub(super) fn is_asked_by(asked: &Question<'_>, field: &Field) -> bool {
    asked.parameter.kind.about == About::People && is_of_source(field)
}

/// What the source of an event's visit has under a field, in each of the places that the field looks at.
pub(super) fn texts(asked: &Question<'_>, event: &Event, field: &Field) -> Vec<String> {
    let of = |text: fn(&Event) -> &Option<String>| source(asked, event, text);
    match field.name {
        "referrer" => vec![referrer(asked, event), domain(asked, event)],
        "source" => vec![of(|event| &event.source)],
        "channel" => vec![channel(asked, event)],
        "utm_source" => vec![of(|event| &event.utm.source)],
        "utm_medium" => vec![of(|event| &event.utm.medium)],
        "utm_campaign" => vec![of(|event| &event.utm.campaign)],
        "utm_term" => vec![of(|event| &event.utm.term)],
        "utm_content" => vec![of(|event| &event.utm.content)],
        name => panic!("`{name}` does not say where a visit came from"),
    }
}

/// One field of the source of an event's visit; empty when the visit came directly.
pub(super) fn source(
    asked: &Question<'_>,
    event: &Event,
    of: impl Fn(&Event) -> &Option<String>,
) -> String {
    first(asked, event, |one| of(one).clone().unwrap_or_default())
}

/// The domain of the referrer that the visit came from.
pub(super) fn domain(asked: &Question<'_>, event: &Event) -> String {
    first(asked, event, |one| {
        let domain = one.referrer_domain.clone().unwrap_or_default();
        if is_outside(asked, one) {
            domain
        } else {
            String::new()
        }
    })
}

fn referrer(asked: &Question<'_>, event: &Event) -> String {
    first(asked, event, |one| {
        let referrer = one.referrer.clone().unwrap_or_default();
        if is_outside(asked, one) {
            referrer
        } else {
            String::new()
        }
    })
}

/// The kind of source.
pub(super) fn channel(asked: &Question<'_>, event: &Event) -> String {
    first(asked, event, |one| match one.channel.as_deref() {
        None | Some("direct") => String::new(),
        Some(channel) => channel.to_owned(),
    })
}

/// Of the visit's first event that came from somewhere, page events before others; of several in the same millisecond the
/// smallest.
fn first(asked: &Question<'_>, event: &Event, of: impl Fn(&Event) -> String) -> String {
    let visit: Vec<&Event> = match event.session {
        0 => vec![event],
        session => {
            let visits = asked.visit_events();
            visits.filter(|one| one.session == session).collect()
        }
    };
    let came = visit.into_iter().filter(|one| came(asked, one));
    let places = came.map(|one| (page(one).is_none(), one.time, of(one)));
    places.min().map(|(.., text)| text).unwrap_or_default()
}

/// Whether the event has a referrer or a campaign that is not the website itself.
fn came(asked: &Question<'_>, event: &Event) -> bool {
    let has = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    let utm = &event.utm;
    let campaign = [
        &utm.source,
        &utm.medium,
        &utm.campaign,
        &utm.term,
        &utm.content,
    ];
    let from = [&event.referrer, &event.referrer_domain, &event.source];
    let by_channel = has(&event.channel) && event.channel.as_deref() != Some("direct");
    let from = from.into_iter().any(has) || by_channel;
    campaign.into_iter().any(has) || from && is_outside(asked, event)
}

/// Whether the referrer is neither the website's own domain nor one below it.
fn is_outside(asked: &Question<'_>, event: &Event) -> bool {
    let referrer = event.referrer.as_deref().unwrap_or_default();
    let host = referrer.split('/').next().unwrap_or_default();
    let Some(domain) = asked.target.domain.as_deref() else {
        let own = event.host.as_deref().unwrap_or_default();
        return host.is_empty() || host != own.strip_prefix("www.").unwrap_or(own);
    };
    host != domain && !host.ends_with(&format!(".{domain}"))
}
