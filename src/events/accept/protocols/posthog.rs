//! PostHog: single events, arrays and batches, plain, packed or in a form. Libraries of servers and browsers differ in whose
//! headers the request has, and in what a `distinct_id` means.

use std::{fmt, mem::take};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD},
};
use serde_json::json;

use super::{
    super::wire::{self, Body, Tree, fields},
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, Outcome, Person, Request,
    Route, SuggestedId, json,
};
use crate::events::tree::{Object, Text, Value};
use crate::fault::Fault;

pub(super) const ADAPTER: Adapter = Adapter {
    product: "PostHog",
    routes: &[Route {
        // `/batch` is an address of our own.
        also: &["/i/v0/e", "/e/", "/e", "/capture/", "/capture", "/batch/"],
        other_statuses: &[204],
        ..Route::post("/i/v0/e/", "Track events as PostHog's clients send them")
    }],
    suggested_id: SuggestedId::Key("phc_"),
    has_secret: false,
    has_form: true,
    find_claim: |request| {
        let named = ["token", "api_key"].into_iter();
        let mut named = named.filter_map(|name| request.parameter(name));
        named.next().map(Claim::new)
    },
    unwrap,
    read,
    success,
    failure,
    body,
};

/// What is in columns of ours, or says something about the library alone. Of `…*` all that begin so.
const NOT_KEPT: &[&str] = &[
    "$browser*",
    "$config_*",
    "$current_url",
    "$device*",
    "$distinct_id",
    "$exception_*",
    "$geoip_disable",
    "$host",
    "$initial_*",
    "$insert_id",
    "$ip",
    "$is_identified",
    "$is_server",
    "$lib_rate_limit*",
    "$os*",
    "$pageview_id",
    "$pathname",
    "$prev_pageview*",
    "$process_person_profile",
    "$raw_user_agent",
    "$recording_*",
    "$referrer",
    "$referring_domain",
    "$replay_*",
    "$screen_height",
    "$screen_width",
    "$sdk_debug*",
    "$search_engine",
    "$session_*",
    "$set*",
    "$time",
    "$timezone*",
    "$user_agent",
    "$user_id",
    "$viewport_*",
    "$web_vitals_*",
    "$window_id",
    "api_key",
    "distinct_id",
    "token",
];

/// What recordings and the library itself report; nothing is kept of it.
const DROPPED: &[&str] = &[
    "$$client_ingestion_warning",
    "$$heatmap",
    "$performance_event",
    "$snapshot",
    "$snapshot_items",
];

/// Source, medium, campaign, term and content.
const UTM: [&str; 5] = [
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
];

/// Libraries that run where the visitor is.
const AT_VISITOR: &[&str] = &[
    "web",
    "js",
    "posthog-js",
    "posthog-js-lite",
    "posthog-ios",
    "posthog-android",
    "posthog-react-native",
    "posthog-flutter",
];

fields! {
    /// An event, or what several have in common.
    Sent, required [name] {
        batch: Nested<Sent> = "batch",
        sent_at: Tree = "sent_at",
        api_key: Tree = "api_key",
        token: Tree = "token",
        name: Tree = "event",
        distinct_id: Tree = "distinct_id",
        own_distinct_id: Tree = "$distinct_id",
        properties: Tree = "properties",
        traits: Tree = "$set",
        timestamp: Tree = "timestamp",
        offset: Tree = "offset",
        uuid: Tree = "uuid",
    }
}

/// The body in a form: `data` is JSON, or Base64 of JSON that may be packed.
fn unwrap(body: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
    let is_form = body.starts_with(b"data=") || body.starts_with(b"compression=");
    if !is_form {
        return Ok(None);
    }
    let mut pairs = url::form_urlencoded::parse(body);
    let Some((_, data)) = pairs.find(|(name, _)| name == "data") else {
        return Err(json::missing("data"));
    };
    if data.trim_start().starts_with(['{', '[']) {
        return Ok(Some(data.into_owned().into_bytes()));
    }
    // A plus sign that was not escaped.
    let text = data.trim().replace(' ', "+");
    let bytes = STANDARD
        .decode(&text)
        .or_else(|_| STANDARD_NO_PAD.decode(&text));
    let bytes = bytes.map_err(|_| json::broken("`data` is neither JSON nor Base64"))?;
    Ok(Some(bytes))
}

fn read<'a>(request: &Request<'a>) -> Result<Batch<'a>, Fault> {
    if request.parameter("compression").as_deref() == Some("lz64") {
        let message = "LZ64 is not understood: update posthog-js, or set `disable_compression`";
        return Err(json::wrong("compression", message));
    }
    let beacon_sent = request.parameter("_").map(Value::String);
    let beacon_sent = beacon_sent
        .and_then(|text| json::to_number(&text))
        .map(Value::from);
    let mut batch = Batch::default();
    let mut whole = match wire::read::<Sent<'_>>(request.body)? {
        Body::One(wire::Item::Object(whole)) => *whole,
        Body::One(_) => return Err(json::no_object("")),
        all @ Body::Many(_) => Sent {
            batch: Some(all),
            ..Sent::default()
        },
    };
    let token = take(&mut whole.api_key).or(take(&mut whole.token));
    if let Some(token) = token.text() {
        batch.claim(Claim::new(token))?;
    }
    let sent = take(&mut whole.sent_at).filled().or(beacon_sent);
    let skew = json::skew(sent.as_ref(), request.received);
    let all = match whole.batch.take() {
        Some(Body::Many(all)) => all,
        Some(Body::One(_)) => return Err(json::wrong("batch", "`batch` must be an array")),
        None => {
            read_one(&mut batch, whole, request, skew, format_args!(""))?;
            return Ok(batch);
        }
    };
    batch.items.reserve(all.len());
    for (index, one) in all.into_iter().enumerate() {
        let wire::Item::Object(one) = one else {
            return Err(json::no_object(&format!("batch[{index}]")));
        };
        let place = format_args!("batch[{index}].");
        read_one(&mut batch, *one, request, skew, place)?;
    }
    Ok(batch)
}

/// An event of an export: what a client has sent.
///
/// # Errors
/// It lacks what every event has.
pub(in crate::events) fn read_exported(mut event: Object<'_>) -> Result<Vec<Item<'_>>, Fault> {
    let mut field = |name: &str| Tree(event.remove(name));
    let sent = Sent {
        batch: None,
        sent_at: Tree(None),
        api_key: field("api_key"),
        token: field("token"),
        name: field("event"),
        distinct_id: field("distinct_id"),
        own_distinct_id: field("$distinct_id"),
        properties: field("properties"),
        traits: field("$set"),
        timestamp: field("timestamp"),
        offset: field("offset"),
        uuid: field("uuid"),
    };
    let mut batch = Batch::default();
    let request = Request {
        method: "POST",
        path: "",
        query: "",
        body: &[],
        authorization: None,
        user_agent: None,
        received: 0,
    };
    read_one(&mut batch, sent, &request, 0, format_args!(""))?;
    Ok(batch.items)
}

/// What an event says about whose it is.
#[derive(Clone)]
struct Whose<'a> {
    distinct: Text<'a>,
    profile: Option<Text<'a>>,
    anonymous: Option<Text<'a>>,
    origin: Origin<'a>,
}

impl<'a> Whose<'a> {
    /// The person, who is that visitor.
    fn person(&self, anonymous: Option<Text<'a>>, traits: Object<'a>) -> Item<'a> {
        Item::Person(Box::new(Person {
            profile: self.distinct.clone(),
            anonymous,
            traits,
            origin: self.origin.clone(),
            ..Person::default()
        }))
    }
}

fn read_one<'a>(
    batch: &mut Batch<'a>,
    sent: Sent<'a>,
    request: &Request<'_>,
    skew: i64,
    place: fmt::Arguments<'_>,
) -> Result<(), Fault> {
    let mut properties = sent.properties.object();
    let token = sent.api_key.or(sent.token).text();
    let token = token.or_else(|| json::take_text(&mut properties, &["token", "api_key"]));
    if let Some(token) = token {
        batch.claim(Claim::new(token))?;
    }
    let name = sent.name.text();
    let name = name.ok_or_else(|| json::missing(format!("{place}event")))?;
    if DROPPED.contains(&&*name) {
        return Ok(());
    }
    let names = ["distinct_id", "$distinct_id"];
    let distinct = sent.distinct_id.or(sent.own_distinct_id).text();
    let distinct = distinct
        .or_else(|| json::take_text(&mut properties, &names))
        .ok_or_else(|| json::missing(format!("{place}distinct_id")))?;
    let mut traits = json::take_object(&mut properties, &["$set"]);
    traits.extend(sent.traits.object());
    let whose = find_whose(distinct, &properties, request);
    let is_of_person = matches!(
        &*name,
        "$identify" | "$create_alias" | "$merge_dangerously" | "$set"
    );
    if is_of_person {
        let person = name_person(&name, &mut properties, &whose, traits, place)?;
        batch.items.push(person);
        return Ok(());
    }
    if !traits.is_empty() && whose.profile.is_some() {
        batch.items.push(whose.person(None, traits));
    }
    let mut offset = sent.offset;
    let time = match sent.timestamp.filled() {
        Some(time) => Some(time),
        None => take(&mut offset)
            .filled()
            .and_then(|offset| json::to_number(&offset))
            .map(|offset| (request.received as f64 - offset).into()),
    };
    let mut input = Input {
        event_id: sent.uuid.text(),
        // An offset counts from when the request came.
        skew: if offset.0.is_some() { 0 } else { skew },
        time,
        ..Input::default()
    };
    fill(&mut input, name, properties, whose);
    batch.items.push(Item::event(input));
    Ok(())
}

/// A person, of an event that is nothing else.
fn name_person<'a>(
    name: &str,
    properties: &mut Object<'a>,
    whose: &Whose<'a>,
    traits: Object<'a>,
    place: fmt::Arguments<'_>,
) -> Result<Item<'a>, Fault> {
    match name {
        "$set" => Ok(whose.person(None, traits)),
        "$identify" => {
            let anonymous = json::take_text(properties, &["$anon_distinct_id"]);
            Ok(whose.person(anonymous, traits))
        }
        _ => {
            let alias = json::take_text(properties, &["alias"]);
            let alias = alias.ok_or_else(|| json::missing(format!("{place}properties.alias")))?;
            let library = properties.get("$lib").and_then(Value::as_str);
            // The library for Python names the former id first.
            if library == Some("posthog-python") {
                let person = Whose {
                    distinct: alias,
                    ..whose.clone()
                };
                return Ok(person.person(Some(whose.distinct.clone()), traits));
            }
            Ok(whose.person(Some(alias), traits))
        }
    }
}

fn find_whose<'a>(distinct: Text<'a>, properties: &Object<'a>, request: &Request<'_>) -> Whose<'a> {
    let text = |name: &str| properties.get(name).and_then(json::to_text);
    let says = |name: &str, value: bool| properties.get(name) == Some(&Value::Bool(value));
    let library = text("$lib");
    let at_visitor = match &library {
        Some(library) => AT_VISITOR.contains(&&**library),
        None => request
            .user_agent
            .is_some_and(|agent| agent.starts_with("Mozilla/")),
    };
    let is_server = says("$is_server", true) || !at_visitor;
    let user_agent = text("$raw_user_agent").or(text("$user_agent"));
    let origin = Origin {
        is_server,
        // In browsers, the header says more.
        user_agent: user_agent.filter(|_| is_server),
        address: text("$ip").and_then(|text| text.trim().parse().ok()),
    };
    let device = text("$device_id");
    let is_person = if is_server {
        !says("$process_person_profile", false)
    } else {
        says("$is_identified", true) || text("$user_id").is_some()
    };
    Whose {
        profile: is_person.then(|| distinct.clone()),
        anonymous: match device {
            Some(device) => Some(device),
            None if is_person && is_server => None,
            None => Some(distinct.clone()),
        },
        distinct,
        origin,
    }
}

fn fill<'a>(input: &mut Input<'a>, name: Text<'a>, mut properties: Object<'a>, whose: Whose<'a>) {
    let number = |name: &str| properties.get(name).and_then(json::to_number);
    let text = |name: &str| properties.get(name).and_then(json::to_text);
    input.kind = match &*name {
        "$pageview" => Kind::View,
        "$pageleave" => Kind::Exit {
            seconds: number("$prev_pageview_duration"),
            scroll: number("$prev_pageview_max_scroll_percentage").map(|share| share * 100.0),
        },
        "$web_vitals" => Kind::Vitals(vitals(&properties)),
        "$exception" => failure_of(&properties),
        _ => Kind::Custom,
    };
    let screen = text("$screen_name").map(|screen| format!("/{screen}").into());
    input.url = text("$current_url").or(screen);
    input.title = text("title").or(text("$title"));
    input.referrer = text("$referrer");
    input.language = text("$browser_language");
    input.timezone = text("$timezone");
    input.session = text("$session_id");
    let size =
        |width: &str, height: &str| json::size(properties.get(width), properties.get(height));
    input.screen = size("$screen_width", "$screen_height");
    input.viewport = size("$viewport_width", "$viewport_height");
    input.utm = UTM.map(text);
    if input.kind == Kind::View {
        properties.remove("title");
        properties.retain(|key, _| !key.starts_with("utm_"));
    }
    properties.retain(|key, _| is_kept(key));
    input.name = name;
    input.profile = whose.profile;
    input.anonymous = whose.anonymous;
    input.origin = whose.origin;
    input.properties = properties;
    let revenue = json::take(&mut input.properties, &["revenue", "$revenue"]);
    if let Some(revenue) = revenue {
        let currency = json::take(&mut input.properties, &["currency", "$currency"]);
        input.put_revenue(&revenue, currency.as_ref(), false);
    }
}

fn is_kept(key: &str) -> bool {
    let fits = |rule: &str| match rule.strip_suffix('*') {
        Some(start) => key.starts_with(start),
        None => key == rule,
    };
    // Most differ in the second letter, which is cheaper to look at than texts are to compare.
    let second = key.as_bytes().get(1);
    !NOT_KEPT
        .iter()
        .any(|rule| rule.as_bytes().get(1) == second && fits(rule))
}

fn vitals(properties: &Object<'_>) -> Vec<(&'static str, f64)> {
    let metrics = ["FCP", "LCP", "CLS", "INP"].into_iter();
    let value = |metric: &str| properties.get(&format!("$web_vitals_{metric}_value"));
    metrics
        .filter_map(|metric| Some((metric, json::to_number(value(metric)?)?)))
        .collect()
}

fn failure_of<'a>(properties: &Object<'a>) -> Kind<'a> {
    let first = properties.get("$exception_list").and_then(Value::as_array);
    let first = first.and_then(|all| all.first());
    let text = |listed: &str, own: &str| {
        let listed = first.and_then(|first| first.get(listed));
        listed
            .or_else(|| properties.get(own))
            .and_then(json::to_text)
    };
    let frames = first
        .and_then(|first| first.get("stacktrace"))
        .and_then(|trace| trace.get("frames"))
        .and_then(Value::as_array);
    let line = |frame: &Value<'_>| {
        let part = |name: &str| frame.get(name).and_then(json::to_text).unwrap_or_default();
        format!(
            "at {} ({}:{}:{})",
            part("function"),
            part("filename"),
            part("lineno"),
            part("colno")
        )
    };
    let kind = text("type", "$exception_type");
    Kind::Failure {
        message: text("value", "$exception_message")
            .or_else(|| kind.clone())
            .unwrap_or("Error".into()),
        kind,
        stack: frames.map(|frames| {
            frames
                .iter()
                .map(line)
                .collect::<Vec<_>>()
                .join("\n")
                .into()
        }),
    }
}

fn success(request: &Request<'_>, _: &Outcome) -> Answer {
    if request.parameter("beacon").as_deref() == Some("1") {
        return Answer::empty(204);
    }
    Answer::json(200, &json!({ "status": 1 }))
}

fn failure(_: &Request<'_>, failure: &Failure<'_>) -> Answer {
    // Clients know no 404: an unknown project key is one that proves nothing.
    let (status, kind, code) = match failure.status {
        401 | 404 => (401, "authentication_error", "invalid_api_key"),
        403 => (403, "authentication_error", "permission_denied"),
        429 => (429, "throttled_error", "throttled"),
        status @ 500.. => (status, "server_error", "error"),
        status => (status, "validation_error", "invalid_payload"),
    };
    let attribute = failure.issues.first().map(|issue| &issue.field);
    let body =
        json!({ "type": kind, "code": code, "detail": failure.sentence(), "attr": attribute });
    Answer::json(status, &body)
}

fn body() -> serde_json::Value {
    let event = json!({
        "type": "object", "additionalProperties": {},
        "properties": {
            "api_key": { "description": "The id of the website's setting `compatibility`; also `token`" },
            "event": { "description": "`$pageview`, `$identify`, …, or the name of a custom event" },
            "distinct_id": {}, "properties": {}, "timestamp": {}, "uuid": {},
        },
    });
    let batch = json!({
        "type": "object", "additionalProperties": {},
        "properties": { "api_key": {}, "batch": { "type": "array", "items": event }, "sent_at": {} },
    });
    json!({ "anyOf": [event, batch, { "type": "array", "items": event }] })
}
