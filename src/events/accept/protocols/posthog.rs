//! PostHog: single events, arrays and batches, plain, packed or in a form. Libraries of servers and browsers differ in whose
//! headers the request has, and in what a `distinct_id` means.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, STANDARD_NO_PAD},
};
use serde_json::json;

use super::{
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, Outcome, Person, Request,
    Route, SuggestedId, json,
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

/// What is in columns of ours, or says something about the library alone. Of `…*` all that begin so.
const NOT_KEPT: &[&str] = &[
    "$browser*",
    "$config_*",
    "$current_url",
    "$device*",
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

fn read(request: &Request<'_>) -> Result<Batch, Fault> {
    if request.parameter("compression").as_deref() == Some("lz64") {
        let message = "LZ64 is not understood: update posthog-js, or set `disable_compression`";
        return Err(json::wrong("compression", message));
    }
    let beacon_sent = request.parameter("_").map(Value::String);
    let beacon_sent = beacon_sent
        .and_then(|text| json::to_number(&text))
        .map(Value::from);
    let mut whole = match json::read(request.body)? {
        Value::Object(whole) => whole,
        Value::Array(all) => Object::from_iter([("batch".to_owned(), Value::Array(all))]),
        _ => return Err(json::no_object("")),
    };
    let mut batch = Batch::default();
    let token = json::take_text(&mut whole, &["api_key", "token"]);
    if let Some(token) = token {
        batch.claim(Claim::new(token))?;
    }
    let sent = whole.get("sent_at").filter(|sent| !sent.is_null());
    let skew = json::skew(sent.or(beacon_sent.as_ref()), request.received);
    match json::take(&mut whole, &["batch"]) {
        Some(Value::Array(all)) => {
            for (index, one) in all.into_iter().enumerate() {
                let place = format!("batch[{index}]");
                let Value::Object(one) = one else {
                    return Err(json::no_object(&place));
                };
                read_one(&mut batch, one, request, skew, &format!("{place}."))?;
            }
        }
        Some(_) => return Err(json::wrong("batch", "`batch` must be an array")),
        None => read_one(&mut batch, whole, request, skew, "")?,
    }
    Ok(batch)
}

/// An event of an export: what a client has sent.
///
/// # Errors
/// It lacks what every event has.
pub(in crate::events) fn read_exported(event: Object) -> Result<Vec<Item>, Fault> {
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
    read_one(&mut batch, event, &request, 0, "")?;
    Ok(batch.items)
}

/// What an event says about whose it is.
#[derive(Clone)]
struct Whose {
    distinct: String,
    profile: Option<String>,
    anonymous: Option<String>,
    origin: Origin,
}

impl Whose {
    /// The person, who is that visitor.
    fn person(&self, anonymous: Option<String>, traits: Object) -> Item {
        Item::Person(Box::new(Person {
            profile: self.distinct.clone(),
            anonymous,
            traits,
            origin: self.origin.clone(),
            ..Person::default()
        }))
    }
}

fn read_one(
    batch: &mut Batch,
    mut sent: Object,
    request: &Request<'_>,
    skew: i64,
    place: &str,
) -> Result<(), Fault> {
    let mut properties = json::take_object(&mut sent, &["properties"]);
    let token = json::take_text(&mut sent, &["api_key", "token"])
        .or(json::take_text(&mut properties, &["token", "api_key"]));
    if let Some(token) = token {
        batch.claim(Claim::new(token))?;
    }
    let name = json::take_text(&mut sent, &["event"]);
    let name = name.ok_or_else(|| json::missing(format!("{place}event")))?;
    if DROPPED.contains(&name.as_str()) {
        return Ok(());
    }
    let distinct = json::take_text(&mut sent, &["distinct_id", "$distinct_id"])
        .or(json::take_text(
            &mut properties,
            &["distinct_id", "$distinct_id"],
        ))
        .ok_or_else(|| json::missing(format!("{place}distinct_id")))?;
    let mut traits = json::take_object(&mut properties, &["$set"]);
    traits.extend(json::take_object(&mut sent, &["$set"]));
    let whose = find_whose(distinct, &properties, request);
    let is_of_person = matches!(
        name.as_str(),
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
    let time = match json::take(&mut sent, &["timestamp"]) {
        Some(time) => Some(time),
        None => json::take(&mut sent, &["offset"])
            .and_then(|offset| json::to_number(&offset))
            .map(|offset| (request.received as f64 - offset).into()),
    };
    let mut input = Input {
        event_id: json::take_text(&mut sent, &["uuid"]),
        // An offset counts from when the request came.
        skew: if sent.contains_key("offset") { 0 } else { skew },
        time,
        ..Input::default()
    };
    fill(&mut input, name, properties, whose);
    batch.items.push(Item::event(input));
    Ok(())
}

/// A person, of an event that is nothing else.
fn name_person(
    name: &str,
    properties: &mut Object,
    whose: &Whose,
    traits: Object,
    place: &str,
) -> Result<Item, Fault> {
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

fn find_whose(distinct: String, properties: &Object, request: &Request<'_>) -> Whose {
    let text = |name: &str| properties.get(name).and_then(json::to_text);
    let says = |name: &str, value: bool| properties.get(name) == Some(&Value::Bool(value));
    let library = text("$lib");
    let at_visitor = match &library {
        Some(library) => AT_VISITOR.contains(&library.as_str()),
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

fn fill(input: &mut Input, name: String, mut properties: Object, whose: Whose) {
    let number = |name: &str| properties.get(name).and_then(json::to_number);
    let text = |name: &str| properties.get(name).and_then(json::to_text);
    input.kind = match name.as_str() {
        "$pageview" => Kind::View,
        "$pageleave" => Kind::Exit {
            seconds: number("$prev_pageview_duration"),
            scroll: number("$prev_pageview_max_scroll_percentage").map(|share| share * 100.0),
        },
        "$web_vitals" => Kind::Vitals(vitals(&properties)),
        "$exception" => failure_of(&properties),
        _ => Kind::Custom,
    };
    let screen = text("$screen_name").map(|screen| format!("/{screen}"));
    input.url = text("$current_url").or(screen);
    input.title = text("title").or(text("$title"));
    input.referrer = text("$referrer");
    input.language = text("$browser_language");
    input.timezone = text("$timezone");
    input.session = text("$session_id");
    let size = |side: &str| {
        let (width, height) = (format!("${side}_width"), format!("${side}_height"));
        json::size(properties.get(&width), properties.get(&height))
    };
    input.screen = size("screen");
    input.viewport = size("viewport");
    input.utm = ["source", "medium", "campaign", "term", "content"]
        .map(|part| text(&format!("utm_{part}")));
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
    !NOT_KEPT.iter().any(|rule| match rule.strip_suffix('*') {
        Some(start) => key.starts_with(start),
        None => key == *rule,
    })
}

fn vitals(properties: &Object) -> Vec<(&'static str, f64)> {
    let metrics = ["FCP", "LCP", "CLS", "INP"].into_iter();
    let value = |metric: &str| properties.get(&format!("$web_vitals_{metric}_value"));
    metrics
        .filter_map(|metric| Some((metric, json::to_number(value(metric)?)?)))
        .collect()
}

fn failure_of(properties: &Object) -> Kind {
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
    let line = |frame: &Value| {
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
            .unwrap_or_else(|| "Error".to_owned()),
        kind,
        stack: frames.map(|frames| frames.iter().map(line).collect::<Vec<_>>().join("\n")),
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
