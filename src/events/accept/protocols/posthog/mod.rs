//! PostHog: single events, arrays and batches, plain, packed or in a form. Libraries of servers and browsers differ in whose
//! headers the request has, and in what a `distinct_id` means.

mod fill;
mod whose;

use std::{fmt, mem::take};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD},
};
use serde_json::json;

use self::{
    fill::fill,
    whose::{find_whose, name_person},
};
use super::{
    super::wire::{self, Body, Tree, fields},
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Outcome, Request, Route, SuggestedId,
    json,
};
use crate::events::tree::{Object, Value};
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

/// What recordings and the library itself report; nothing is kept of it.
const DROPPED: &[&str] = &[
    "$$client_ingestion_warning",
    "$$heatmap",
    "$performance_event",
    "$snapshot",
    "$snapshot_items",
];

fields! {
    /// An event, or what several have in common.
    Capture, required [name] {
        batch: Nested<Capture> = "batch",
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
    let mut whole = match wire::read::<Capture<'_>>(request.body)? {
        Body::One(wire::Item::Object(whole)) => *whole,
        Body::One(_) => return Err(json::no_object("")),
        all @ Body::Many(_) => Capture {
            batch: Some(all),
            ..Capture::default()
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
    let sent = Capture {
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

fn read_one<'a>(
    batch: &mut Batch<'a>,
    sent: Capture<'a>,
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
    let (time, skew) = match sent.timestamp.filled() {
        Some(time) => (Some(time), skew),
        None => (find_time(sent.offset, request), 0),
    };
    let mut input = Box::new(Input {
        event_id: sent.uuid.text(),
        skew,
        time,
        ..Input::default()
    });
    fill(&mut input, name, properties, whose);
    batch.items.push(Item::Event(input));
    Ok(())
}

/// The time of an event that says how many milliseconds it lies before the request, by our clock.
fn find_time<'a>(offset: Tree<'a>, request: &Request<'_>) -> Option<Value<'a>> {
    let offset = json::to_number(&offset.filled()?)?;
    Some((request.received as f64 - offset).into())
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
