//! Filters, one event at a time.

use super::{
    question::{Question, earliest, page},
    sources,
};
use crate::{
    analytics::{
        catalogue::{About, Field, Subject, Values, country_code, country_name},
        request::{Filter, Op},
    },
    events::{
        enrich::bot::Signals,
        event::{AgentRequest, Bot, Call, Details, Event, Trust, identity},
    },
};

/// Whether the type of the question knows the field, for its caller.
pub(super) fn knows(asked: &Question<'_>, field: &Field) -> bool {
    let access = &asked.target.access;
    if field.name == "website_id" {
        let of_websites = asked.parameter.kind.subject == Subject::Website;
        return access.website().is_none() && of_websites || is_own_filter(asked, field);
    }
    if field.values == Values::Trait {
        return asked.parameter.kind.about == About::People && !access.public_only();
    }
    let personal = ["anonymous_id", "session_id", "profile_id"].contains(&field.name);
    let about = asked.parameter.kind.about;
    let common = matches!(about, About::People | About::Everyone) && COMMON.contains(&field.name);
    !(personal && access.public_only()) && (common || is_own_filter(asked, field))
}

fn is_own_filter(asked: &Question<'_>, field: &Field) -> bool {
    let own = asked.parameter.kind.own_filters;
    own.iter().any(|known| known.name == field.name)
}

const COMMON: &[&str] = &[
    "path",
    "referrer",
    "source",
    "channel",
    "host",
    "country",
    "region",
    "city",
    "timezone",
    "language",
    "device_type",
    "browser_name",
    "browser_version",
    "os_name",
    "os_version",
    "screen_resolution",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "profile_id",
    "anonymous_id",
    "session_id",
    "device_brand",
    "device_model",
    "click_id",
    "link_id",
    "bot_verdict",
    "bot_reason",
    "trust",
];

/// Whether the filter says anything about this field at all.
pub(in crate::analytics::tests) fn acts(asked: &Question<'_>, filter: &Filter) -> bool {
    let exact = matches!(filter.op, Op::Eq | Op::Ne | Op::In | Op::NotIn);
    let by_sameness = ["anonymous_id", "session_id", "website_id", "bot_reason"];
    let by_key = filter.field.name == "property_key" && !is_of_properties(asked);
    let by_sameness = by_key || by_sameness.contains(&filter.field.name);
    knows(asked, filter.field) && (exact || !by_sameness)
}

/// Whether rows are single properties: a filter on keys is about theirs then.
fn is_of_properties(asked: &Question<'_>) -> bool {
    let own = asked.parameter.kind.own_filters;
    own.iter().any(|field| field.columns == ["property_key"])
}

/// Whether a property passes the filters on keys.
pub(super) fn passes_key(asked: &Question<'_>, key: &str) -> bool {
    let filters = asked.request.filters.iter();
    let mut on_keys = filters.filter(|filter| filter.field.name == "property_key");
    on_keys.all(|filter| fits_any(filter, &[key.to_owned()]) != is_negative(filter.op))
}

/// Profiles with their plan: all others have none.
pub(in crate::analytics::tests) const PLANS: &[(&str, &str)] =
    &[("anna", "pro"), ("bob", "free"), ("carl", "pro")];

fn has_trait(asked: &Question<'_>, filter: &Filter, event: &Event) -> bool {
    let who = asked.profile(event);
    let known = |(id, _): &&(&str, &str)| Some(*id) == who.as_deref();
    let plan = PLANS.iter().find(known).map(|(_, plan)| *plan);
    plan.is_some_and(|plan| {
        let mut values = filter.values.iter();
        values.any(|value| match filter.op {
            Op::Contains | Op::NotContains => plan.contains(value),
            Op::StartsWith => plan.starts_with(value),
            Op::EndsWith => false,
            Op::Eq | Op::Ne | Op::In | Op::NotIn => plan == value,
        })
    })
}

/// Whether an event passes every filter that acts.
///
/// What is true of a whole visit is asked of its first page event, or of its first event if there is none; where it came
/// from is asked of its source.
pub(super) fn passes(asked: &Question<'_>, all: &[&Event], event: &Event) -> bool {
    let about_people = asked.parameter.kind.about == About::People;
    let visit = || -> Vec<&Event> {
        let same = |other: &&&Event| other.session == event.session;
        let visit: Vec<&Event> = all.iter().filter(same).copied().collect();
        let pages = visit.iter().copied().filter(|other| page(other).is_some());
        let pages: Vec<&Event> = pages.collect();
        if pages.is_empty() { visit } else { pages }
    };
    let filters = asked.request.filters.iter();
    let of_rows = |filter: &&Filter| {
        let of_keys = filter.field.name == "property_key" && is_of_properties(asked);
        acts(asked, filter) && filter.field.values != Values::Setting && !of_keys
    };
    filters.filter(of_rows).all(|filter| {
        if sources::is_asked_by(asked, filter.field) {
            let stored = sources::texts(asked, event, filter.field);
            fits_any(filter, &stored) != is_negative(filter.op)
        } else if about_people && event.session != 0 && is_of_visit(filter.field) {
            let stored = began(asked, filter, &visit());
            fits_any(filter, &stored) != is_negative(filter.op)
        } else {
            passes_one(asked, filter, event)
        }
    })
}

/// Whether it is true of a whole visit.
pub(super) fn is_of_visit(field: &Field) -> bool {
    OF_VISIT.contains(&field.name)
}

/// Fields that are true of a whole visit.
const OF_VISIT: &[&str] = &[
    "referrer",
    "source",
    "channel",
    "country",
    "region",
    "city",
    "timezone",
    "language",
    "device_type",
    "browser_name",
    "browser_version",
    "os_name",
    "os_version",
    "screen_resolution",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "device_brand",
    "device_model",
    "click_id",
    "link_id",
];

/// What a visit has under a field, in each of the places that the field looks at.
fn began(asked: &Question<'_>, filter: &Filter, visit: &[&Event]) -> Vec<String> {
    let places = texts(asked, visit[0], filter.field).len();
    let first = |place: usize| {
        earliest(visit, |event| {
            Some(texts(asked, event, filter.field).swap_remove(place))
        })
    };
    (0..places).map(|place| first(place).unwrap()).collect()
}

fn is_negative(op: Op) -> bool {
    matches!(op, Op::Ne | Op::NotContains | Op::NotIn)
}

fn passes_one(asked: &Question<'_>, filter: &Filter, event: &Event) -> bool {
    matches(asked, filter, event) != is_negative(filter.op)
}

/// Whether one of the stored texts fits one of the filter's values.
fn fits_any(filter: &Filter, stored: &[String]) -> bool {
    let mut values = filter.values.iter();
    values.any(|value| {
        stored.iter().any(|stored| match filter.field.name {
            "country" => is_country(filter.op, value, stored),
            name => fits(filter.op, name, value, stored),
        })
    })
}

/// Whether one of the values of the field fits one of the filter's.
fn matches(asked: &Question<'_>, filter: &Filter, event: &Event) -> bool {
    if filter.field.values == Values::Trait {
        return has_trait(asked, filter, event);
    }
    let mut values = filter.values.iter();
    match filter.field.name {
        "anonymous_id" => values.any(|value| is_hash(value, event.visitor)),
        "session_id" => values.any(|value| is_hash(value, event.session)),
        "website_id" => values.any(|value| {
            let of = |(key, id): (&crate::ids::WebsiteKey, &crate::ids::WebsiteId)| {
                key.0 == event.website && id.as_str() == value
            };
            asked.target.websites.iter().any(of)
        }),
        "property_key" => {
            let keys = property_keys(event);
            values.any(|value| keys.contains(value))
        }
        "bot_reason" => values.any(|value| reasons(event).contains(&value.as_str())),
        _ => fits_any(filter, &texts(asked, event, filter.field)),
    }
}

/// What was seen that speaks against a person, and what kind of bot it makes.
pub(super) fn reasons(event: &Event) -> Vec<&'static str> {
    let has = |name: &&str| event.bot_signals & Signals::named(name).unwrap() != 0;
    Signals::names().filter(has).collect()
}

fn fits(op: Op, field: &str, value: &str, stored: &str) -> bool {
    match op {
        Op::Contains | Op::NotContains => stored.contains(value),
        Op::StartsWith => stored.starts_with(value),
        Op::EndsWith => stored.ends_with(value),
        Op::Eq | Op::Ne | Op::In | Op::NotIn => {
            let nothing = match field {
                "referrer" | "source" | "channel" => "direct",
                _ => "unknown",
            };
            let value = match field {
                "path" if value.ends_with('/') => match value.trim_end_matches('/') {
                    "" => "/",
                    trimmed => trimmed,
                },
                _ => value,
            };
            stored == value || (stored.is_empty() && value.eq_ignore_ascii_case(nothing))
        }
    }
}

fn is_country(op: Op, value: &str, code: &str) -> bool {
    let Some(name) = country_name(code) else {
        let exact = matches!(op, Op::Eq | Op::Ne | Op::In | Op::NotIn);
        return exact && code.is_empty() && value.eq_ignore_ascii_case("unknown");
    };
    match op {
        Op::Contains | Op::NotContains => code.contains(value) || name.contains(value),
        Op::StartsWith => code.starts_with(value) || name.starts_with(value),
        Op::EndsWith => code.ends_with(value) || name.ends_with(value),
        Op::Eq | Op::Ne | Op::In | Op::NotIn => country_code(value) == Some(code),
    }
}

fn is_hash(value: &str, hash: u64) -> bool {
    identity(value) == hash || (hash != 0 && value.to_lowercase() == format!("{hash:016x}"))
}

/// Keys of the caller's properties.
pub(super) fn property_keys(event: &Event) -> Vec<String> {
    let object = event.properties.as_deref().map(serde_json::from_str);
    match object {
        Some(Ok(serde_json::Value::Object(object))) => object.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// What an event has under a field of texts; empty for nothing.
pub(super) fn texts(asked: &Question<'_>, event: &Event, field: &Field) -> Vec<String> {
    let of = |text: &Option<String>| vec![text.clone().unwrap_or_default()];
    match field.name {
        "path" => vec![event.path.clone()],
        "referrer" => vec![
            event.referrer.clone().unwrap_or_default(),
            event.referrer_domain.clone().unwrap_or_default(),
        ],
        "source" => of(&event.source),
        "channel" => of(&event.channel),
        "host" => of(&event.host),
        "country" => of(&event.country),
        "region" => of(&event.region),
        "city" => of(&event.city),
        "timezone" => of(&event.timezone),
        "language" => of(&event.language),
        "device_type" => of(&event.device_type),
        "browser_name" => of(&event.browser_name),
        "browser_version" => of(&event.browser_version),
        "os_name" => of(&event.os_name),
        "os_version" => of(&event.os_version),
        "screen_resolution" => of(&event.screen),
        "utm_source" => of(&event.utm.source),
        "utm_medium" => of(&event.utm.medium),
        "utm_campaign" => of(&event.utm.campaign),
        "utm_term" => of(&event.utm.term),
        "utm_content" => of(&event.utm.content),
        "device_brand" => of(&event.device_brand),
        "device_model" => of(&event.device_model),
        "click_id" => of(&event.click_id),
        "link_id" => of(&event.link),
        "bot_verdict" => vec![verdict(event).to_owned()],
        "product" => of(&agent(event).map(|agent| agent.product.clone())),
        "operator" => of(&agent(event).map(|agent| agent.operator.clone())),
        "purpose" => of(&agent(event).map(|agent| agent.purpose.clone())),
        "profile_id" => vec![asked.profile(event).unwrap_or_default()],
        "trust" => vec![match event.trust {
            Trust::Key => "key".to_owned(),
            Trust::Client => "client".to_owned(),
        }],
        "event_name" | "metric_name" | "error_type" | "agent" | "tool" => vec![event.name.clone()],
        "namespace" => of(&event.namespace),
        "message" => vec![match &event.details {
            Details::Error(failure) => failure.message.clone(),
            _ => String::new(),
        }],
        "href" => vec![outgoing(event).0.to_owned()],
        "text" => vec![outgoing(event).1.to_owned()],
        "client" => of(&call(event).client),
        "server_name" => of(&call(event).server_name),
        "environment" => of(&call(event).environment),
        "reason" => vec![match event.details {
            Details::Counter { .. } => event.name.clone(),
            _ => "stored".to_owned(),
        }],
        other => panic!("the oracle does not know the field `{other}`"),
    }
}

pub(super) fn verdict(event: &Event) -> &'static str {
    match event.bot {
        Bot::No => "person",
        Bot::Suspected => "suspected",
        Bot::Declared => "declared",
    }
}

/// The call of a tool; an empty one for everything else.
pub(super) fn call(event: &Event) -> Call {
    match &event.details {
        Details::Call(call) => (**call).clone(),
        _ => Call::default(),
    }
}

/// Who fetched a page, if it was no person.
pub(super) fn agent(event: &Event) -> Option<&AgentRequest> {
    match &event.details {
        Details::Agent(agent) => Some(agent),
        _ => None,
    }
}

/// Target and text of an outgoing link; empty for everything else.
pub(super) fn outgoing(event: &Event) -> (&str, &str) {
    match &event.details {
        Details::Outgoing { href, text } => (href, text),
        _ => ("", ""),
    }
}

/// Seconds on a page, for exits that know them.
pub(super) fn spent(event: &Event) -> Option<f64> {
    let page = page(event).filter(|_| event.name == "page_exit")?;
    page.time_on_page
        .filter(|spent| *spent > 0.0)
        .map(f64::from)
}
