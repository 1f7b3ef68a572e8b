//! Page events of the tracker: what `POST /` takes one of and `/batch` many.

pub(super) mod context;
mod outgoing;

use super::{
    Context, clean,
    field::{Check, EVENT_ID, ID},
    invalid, location,
    time::Texts,
    wire::{self, Item, Value, fields},
};
use crate::{
    events::{
        enrich::{Identity, bot::Fate},
        event::{Details, Event, Page},
        store::Accepted,
    },
    fault::{Fault, Issue},
};

const NAME: usize = 128;
const TITLE: usize = 512;
const TIME_ZONE: usize = 64;
const CAMPAIGN: usize = 128;
const PROPERTY_KEY: usize = 128;
/// Longest loading time, ms.
const SLOWEST: f32 = 60_000.0;
/// Longest stay, s.
const DAY: f32 = 86_400.0;

fields! {
    /// A page event or an outgoing link as sent.
    Tracked, required [event_id] {
        kind: Value = "type",
        event_id: Value = "eventId",
        name: Value = "name",
        anonymous_id: Value = "anonymousId",
        session_id: Value = "sessionId",
        profile_id: Value = "profileId",
        anonymize: Value = "anonymizeVisitorIds",
        timestamp: Value = "timestamp",
        referrer: Value = "referrer",
        path: Value = "path",
        title: Value = "title",
        screen: Value = "screen_resolution",
        viewport: Value = "viewport_size",
        language: Value = "language",
        timezone: Value = "timezone",
        connection: Value = "connection_type",
        time_on_page: Value = "time_on_page",
        scroll_depth: Value = "scroll_depth",
        interactions: Value = "interaction_count",
        page_count: Value = "page_count",
        utm_source: Value = "utm_source",
        utm_medium: Value = "utm_medium",
        utm_campaign: Value = "utm_campaign",
        utm_term: Value = "utm_term",
        utm_content: Value = "utm_content",
        gclid: Value = "gclid",
        msclkid: Value = "msclkid",
        fbclid: Value = "fbclid",
        ttclid: Value = "ttclid",
        twclid: Value = "twclid",
        li_fat_id: Value = "li_fat_id",
        load_time: Value = "load_time",
        dom_ready_time: Value = "dom_ready_time",
        ttfb: Value = "ttfb",
        render_time: Value = "render_time",
        href: Value = "href",
        text: Value = "text",
        properties: Raw = "properties",
    }
}

/// What an object of these routes is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Sort {
    /// A page event (`track`, the default).
    Track,
    /// A click on a link that leaves the website.
    OutgoingLink,
}

impl Sort {
    /// The name in `type`.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub(super) fn read(kind: &Value<'_>) -> Option<Self> {
        match kind {
            Value::Absent => Some(Self::Track),
            Value::Text(text) => [Self::Track, Self::OutgoingLink]
                .into_iter()
                .find(|sort| sort.as_str() == text),
            _ => None,
        }
    }
}

/// Reads the one object of `POST /`.
///
/// # Errors
/// It is no JSON object, of an unknown type, or breaks a rule.
pub fn accept(bytes: &[u8], context: &Context<'_>) -> Result<(Sort, Accepted), Fault> {
    let mut check = Check::new(None, context.visit.received);
    let tracked = match wire::read::<Tracked<'_>>(bytes)? {
        wire::Body::One(Item::Object(tracked)) => tracked,
        wire::Body::One(_) | wire::Body::Many(_) => {
            return Err(invalid(check.no_object().into_issues()));
        }
    };
    let Some(sort) = Sort::read(&tracked.kind) else {
        let message = "Unknown event type: `type` is `track` or `outgoing_link`";
        return Err(invalid(vec![Issue::new("unknown_type", "type", message)]));
    };
    let accepted = build(sort, &tracked, &mut check, context);
    check.finish((sort, accepted))
}

/// What becomes of the one object of `POST /` when a bot sends it: a page that an agent has seen is its request.
pub fn accept_from_agent(bytes: &[u8], context: &Context<'_>) -> Option<Accepted> {
    let fate = context.visit.fate(context.target.bots);
    let wire::Body::One(Item::Object(tracked)) = wire::read::<Tracked<'_>>(bytes).ok()? else {
        return None;
    };
    let check = Check::new(None, context.visit.received);
    seen_by_agent(fate, &tracked, check, context)
}

pub(super) fn seen_by_agent(
    fate: Fate,
    tracked: &Tracked<'_>,
    mut check: Check,
    context: &Context<'_>,
) -> Option<Accepted> {
    if !matches!(fate, Fate::Agent(_)) || Sort::read(&tracked.kind) != Some(Sort::Track) {
        return None;
    }
    let accepted = build(Sort::Track, tracked, &mut check, context);
    if !check.is_clean() {
        return None;
    }
    let event = context.visit.request_of_agent(accepted.event)?;
    // The event itself is ignored: it is not stored, and no duplicate of another.
    Some(Accepted {
        event,
        event_id: None,
    })
}

pub(super) fn build(
    sort: Sort,
    tracked: &Tracked<'_>,
    check: &mut Check,
    context: &Context<'_>,
) -> Accepted {
    check.require("eventId", &tracked.event_id);
    let event_id = check.text("eventId", &tracked.event_id, EVENT_ID);
    let anonymous = check.text("anonymousId", &tracked.anonymous_id, ID);
    let session = check.text("sessionId", &tracked.session_id, ID);
    let anonymize = check.anonymize(&tracked.anonymize);
    let mut event = Event {
        organization: context.target.access.organization().0,
        website: context.target.access.website().0,
        time: check.time(&tracked.timestamp, Texts::Refused),
        profile: check.text("profileId", &tracked.profile_id, ID),
        properties: check.properties(tracked.properties, PROPERTY_KEY),
        ..Event::default()
    };
    match sort {
        Sort::Track => page(tracked, &mut event, check, context),
        Sort::OutgoingLink => outgoing::fill(tracked, &mut event, check),
    }
    let identity = Identity {
        anonymous: anonymous.as_deref().unwrap_or_default(),
        session: session.as_deref().unwrap_or_default(),
        anonymize,
    };
    context.visit.stamp(&mut event, identity);
    Accepted { event, event_id }
}

fn page(tracked: &Tracked<'_>, event: &mut Event, check: &mut Check, context: &Context<'_>) {
    event.name = check.name("name", &tracked.name, NAME);
    check.require("path", &tracked.path);
    if let Value::Text(path) = &tracked.path
        && !location::is_page_url(&clean::line(path))
    {
        let message = "`path` must be the page's full http(s) URL".to_owned();
        check.issue("invalid_url", "path", message);
    }
    check.path(&tracked.path, event);
    event.title = check.text("title", &tracked.title, TITLE);
    event.timezone = check.text("timezone", &tracked.timezone, TIME_ZONE);
    event.language = context::language(&tracked.language, check);
    event.screen = context::size("screen_resolution", &tracked.screen, check);
    event.viewport = context::size("viewport_size", &tracked.viewport, check);
    for (slot, field, value) in [
        (&mut event.utm.source, "utm_source", &tracked.utm_source),
        (&mut event.utm.medium, "utm_medium", &tracked.utm_medium),
        (
            &mut event.utm.campaign,
            "utm_campaign",
            &tracked.utm_campaign,
        ),
        (&mut event.utm.term, "utm_term", &tracked.utm_term),
        (&mut event.utm.content, "utm_content", &tracked.utm_content),
    ] {
        // What the tracker says about the campaign goes before what is left of it in the address.
        if let Some(text) = check.text(field, value, CAMPAIGN) {
            *slot = Some(text);
        }
    }
    context::attribute(tracked, event, check, context.target.domain);
    event.details = Details::Page(Page {
        time_on_page: check.measure("time_on_page", &tracked.time_on_page, DAY),
        scroll_depth: check.measure("scroll_depth", &tracked.scroll_depth, 100.0),
        interactions: check.count("interaction_count", &tracked.interactions, 10_000),
        page_count: check
            .count("page_count", &tracked.page_count, 1_000)
            .or(Some(1)),
        load_time: check.measure("load_time", &tracked.load_time, SLOWEST),
        dom_ready_time: check.measure("dom_ready_time", &tracked.dom_ready_time, SLOWEST),
        ttfb: check.measure("ttfb", &tracked.ttfb, SLOWEST),
        render_time: check.measure("render_time", &tracked.render_time, SLOWEST),
        connection: context::connection(&tracked.connection),
    });
}

#[cfg(test)]
mod tests;
