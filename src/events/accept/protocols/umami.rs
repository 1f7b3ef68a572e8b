//! Umami: a payload with its type, one a request or an array of them. Its visitors bring no id as a rule.

use serde_json::json;

use super::{
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, Outcome, Person, Request, Route,
    SuggestedId, json,
};
use crate::events::tree::{Object, Value};
use crate::fault::Fault;

const BATCH: &str = "/api/batch";
/// What the published client for servers calls itself, unless it is told a visitor's user agent.
const SERVER: &str = "Mozilla/5.0 Umami/";

pub(super) const ADAPTER: Adapter = Adapter {
    product: "Umami",
    routes: &[
        Route::post("/api/send", "Track an event as Umami's clients send it"),
        Route::post(BATCH, "Track several events as Umami's clients send them"),
    ],
    suggested_id: SuggestedId::ClientId,
    has_secret: false,
    has_form: false,
    find_claim: |_| None,
    unwrap: |_| Ok(None),
    read,
    success,
    failure,
    body,
};

fn read(request: &Request<'_>) -> Result<Batch, Fault> {
    let mut batch = Batch::default();
    let is_server = request
        .user_agent
        .is_none_or(|agent| agent.starts_with(SERVER));
    match json::read(request.body)? {
        Value::Array(all) if request.path == BATCH => {
            for (index, one) in all.into_iter().enumerate() {
                let prefix = format!("[{index}].");
                let (id, item) = read_one(one, is_server, &prefix)?;
                batch.claim(Claim::new(id))?;
                batch.items.push(item);
            }
        }
        one => {
            let (id, item) = read_one(one, is_server, "")?;
            batch.claim(Claim::new(id))?;
            batch.items.push(item);
        }
    }
    Ok(batch)
}

fn read_one(sent: Value, is_server: bool, prefix: &str) -> Result<(String, Item), Fault> {
    let Value::Object(mut sent) = sent else {
        return Err(json::no_object(prefix.trim_end_matches('.')));
    };
    let kind = json::take_text(&mut sent, &["type"]).unwrap_or_else(|| "event".to_owned());
    let Some(Value::Object(mut payload)) = json::take(&mut sent, &["payload"]) else {
        return Err(json::missing(format!("{prefix}payload")));
    };
    let id = json::take_text(&mut payload, &["website", "link", "pixel"])
        .ok_or_else(|| json::missing(format!("{prefix}payload.website")))?;
    let address = json::take_text(&mut payload, &["ip"]).and_then(|text| text.trim().parse().ok());
    let user_agent = json::take_text(&mut payload, &["userAgent"]);
    let origin = Origin {
        is_server: is_server && address.is_none() && user_agent.is_none(),
        user_agent,
        address,
    };
    let profile = json::take_text(&mut payload, &["id"]);
    let item = match kind.as_str() {
        "event" => Item::event(event(payload, profile, origin)),
        "performance" => Item::event(performance(payload, profile, origin)),
        "identify" => identify(payload, profile, origin),
        _ => {
            let message = "`type` must be `event`, `identify` or `performance`";
            return Err(json::wrong(format!("{prefix}type"), message));
        }
    };
    Ok((id, item))
}

fn event(mut payload: Object, profile: Option<String>, origin: Origin) -> Input {
    let mut take = |name: &str| json::take_text(&mut payload, &[name]);
    let (name, hostname, url) = (take("name"), take("hostname"), take("url"));
    let (title, referrer, language) = (take("title"), take("referrer"), take("language"));
    let (screen, tag) = (take("screen"), take("tag"));
    let seconds = json::take(&mut payload, &["timestamp"]).and_then(|time| json::to_number(&time));
    let mut input = Input {
        kind: if name.is_some() {
            Kind::Custom
        } else {
            Kind::View
        },
        name: name.unwrap_or_default(),
        url: match (url, hostname) {
            (Some(path), Some(host)) if path.starts_with('/') => {
                Some(format!("https://{host}{path}"))
            }
            (url, _) => url,
        },
        title,
        referrer,
        language,
        screen,
        profile,
        time: seconds.map(|seconds| (seconds * 1_000.0).into()),
        properties: json::take_object(&mut payload, &["data"]),
        origin,
        ..Input::default()
    };
    if let Some(tag) = tag {
        input.properties.insert("tag", tag.into());
    }
    if let Some(amount) = input.properties.get("revenue").cloned() {
        input.put_revenue(&amount, None, false);
    }
    input
}

/// What the tracker measured of a page.
fn performance(
    mut payload: Object,
    profile: Option<String>,
    origin: Origin,
) -> Input {
    let metrics = [
        ("lcp", "LCP"),
        ("inp", "INP"),
        ("cls", "CLS"),
        ("fcp", "FCP"),
        ("ttfb", "TTFB"),
    ];
    let measured = metrics.into_iter().filter_map(|(field, metric)| {
        let value = json::take(&mut payload, &[field])?;
        Some((metric, json::to_number(&value)?))
    });
    let kind = Kind::Vitals(measured.collect());
    Input {
        kind,
        ..event(payload, profile, origin)
    }
}

/// A person where the call names one; without an id, the data stay with an event of the visitor.
fn identify(mut payload: Object, profile: Option<String>, origin: Origin) -> Item {
    let traits = json::take_object(&mut payload, &["data"]);
    match profile {
        Some(profile) => Item::Person(Box::new(Person {
            profile,
            is_here: true,
            traits,
            origin,
            ..Person::default()
        })),
        None => Item::event(Input {
            name: "identify".to_owned(),
            properties: traits,
            origin,
            ..Input::default()
        }),
    }
}

fn success(request: &Request<'_>, outcome: &Outcome) -> Answer {
    if outcome.is_ignored {
        return Answer::json(200, &json!({ "beep": "boop" }));
    }
    let uuid = |number: u64| uuid::Uuid::from_u64_pair(number, number).to_string();
    let (session, visit) = (uuid(outcome.visitor), uuid(outcome.session));
    // Clients send it back as it is; nothing is read from it.
    let cache = format!("{session}.{visit}");
    let answer = if request.path == BATCH {
        json!({
            "size": outcome.count, "processed": outcome.count, "errors": 0, "details": [], "cache": cache,
        })
    } else {
        json!({ "cache": cache, "sessionId": session, "visitId": visit })
    };
    Answer::json(200, &answer)
}

fn failure(_: &Request<'_>, failure: &Failure<'_>) -> Answer {
    let code = match failure.status {
        400 | 404 => "bad-request",
        401 => "unauthorized",
        403 => "forbidden",
        413 => "payload-too-large",
        429 => "too-many-requests",
        _ => "server-error",
    };
    let error = json!({
        "error": { "message": failure.sentence(), "code": code, "status": failure.status },
    });
    Answer::json(failure.status, &error)
}

fn body() -> serde_json::Value {
    let one = json!({
        "type": "object", "additionalProperties": {},
        "properties": {
            "type": { "enum": ["event", "identify", "performance"] },
            "payload": {
                "type": "object", "additionalProperties": {},
                "properties": {
                    "website": { "type": "string", "description": "The id of the website's setting `compatibility`" },
                    "name": { "description": "Name of a custom event; without one it is a page view" },
                    "hostname": {}, "url": {}, "title": {}, "referrer": {}, "language": {}, "screen": {},
                    "id": { "description": "Your own id of the person" },
                    "data": { "description": "Properties, or traits of the person" },
                },
            },
        },
    });
    json!({ "anyOf": [one, { "type": "array", "items": one }] })
}
