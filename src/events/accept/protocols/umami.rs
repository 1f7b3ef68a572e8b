//! Umami: a payload with its type, one a request or an array of them. Its visitors bring no id as a rule.

use std::{fmt, mem::take};

use serde::Serialize;
use serde_json::json;

use super::{
    super::wire::{self, Body, fields},
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, Outcome, PageView, Person,
    Request, Route, SuggestedId, json,
};
use crate::events::tree::Text;
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

fields! {
    Sent, required [payload] {
        kind: Tree = "type",
        payload: Nested<Payload> = "payload",
    }
}

fields! {
    Payload, required [website] {
        website: Tree = "website",
        link: Tree = "link",
        pixel: Tree = "pixel",
        ip: Tree = "ip",
        user_agent: Tree = "userAgent",
        id: Tree = "id",
        name: Tree = "name",
        hostname: Tree = "hostname",
        url: Tree = "url",
        title: Tree = "title",
        referrer: Tree = "referrer",
        language: Tree = "language",
        screen: Tree = "screen",
        tag: Tree = "tag",
        timestamp: Tree = "timestamp",
        data: Tree = "data",
        lcp: Tree = "lcp",
        inp: Tree = "inp",
        cls: Tree = "cls",
        fcp: Tree = "fcp",
        ttfb: Tree = "ttfb",
    }
}

fn read<'a>(request: &Request<'a>) -> Result<Batch<'a>, Fault> {
    let mut batch = Batch::default();
    let is_server = request
        .user_agent
        .is_none_or(|agent| agent.starts_with(SERVER));
    let mut put = |item: &mut wire::Item<Sent<'a>>, prefix: fmt::Arguments<'_>| {
        let (id, item) = read_one(item, is_server, prefix)?;
        batch.claim(Claim::new(id))?;
        batch.items.push(item);
        Ok::<_, Fault>(())
    };
    match wire::read::<Sent<'_>>(request.body)? {
        Body::Many(all) if request.path == BATCH => {
            for (index, mut one) in all.into_iter().enumerate() {
                put(&mut one, format_args!("[{index}]."))?;
            }
        }
        Body::Many(_) => return Err(json::no_object("")),
        Body::One(mut one) => put(&mut one, format_args!(""))?,
    }
    Ok(batch)
}

fn read_one<'a>(
    sent: &mut wire::Item<Sent<'a>>,
    is_server: bool,
    prefix: fmt::Arguments<'_>,
) -> Result<(Text<'a>, Item<'a>), Fault> {
    let wire::Item::Object(sent) = sent else {
        return Err(json::no_object(prefix.to_string().trim_end_matches('.')));
    };
    let Some(Body::One(wire::Item::Object(mut payload))) = sent.payload.take() else {
        return Err(json::missing(format!("{prefix}payload")));
    };
    let id = take(&mut payload.website).or(take(&mut payload.link));
    let id = id.or(take(&mut payload.pixel)).text();
    let id = id.ok_or_else(|| json::missing(format!("{prefix}payload.website")))?;
    let address = take(&mut payload.ip).text();
    let address = address.and_then(|text| text.trim().parse().ok());
    let user_agent = take(&mut payload.user_agent).text();
    let origin = Origin {
        is_server: is_server && address.is_none() && user_agent.is_none(),
        user_agent,
        address,
    };
    let kind = take(&mut sent.kind).text();
    let item = match kind.as_deref().unwrap_or("event") {
        "event" => Item::Event(event(&mut payload, origin)),
        "performance" => Item::Event(performance(&mut payload, origin)),
        "identify" => identify(*payload, origin),
        _ => {
            let message = "`type` must be `event`, `identify` or `performance`";
            return Err(json::wrong(format!("{prefix}type"), message));
        }
    };
    Ok((id, item))
}

fn event<'a>(payload: &mut Payload<'a>, origin: Origin<'a>) -> Box<Input<'a>> {
    let name = take(&mut payload.name).text();
    let seconds = take(&mut payload.timestamp).filled();
    let seconds = seconds.and_then(|time| json::to_number(&time));
    let url = take(&mut payload.url).text();
    let host = take(&mut payload.hostname).text();
    let mut input = Box::new(Input {
        kind: if name.is_some() {
            Kind::Custom
        } else {
            Kind::View
        },
        page: name.is_none().then(|| {
            Box::new(PageView {
                title: take(&mut payload.title).text(),
                referrer: take(&mut payload.referrer).text(),
                language: take(&mut payload.language).text(),
                screen: take(&mut payload.screen).text(),
                ..PageView::default()
            })
        }),
        name: name.unwrap_or_default(),
        url: match (url, host) {
            (Some(path), Some(host)) if path.starts_with('/') => {
                Some(["https://", &*host, &*path].concat().into())
            }
            (url, _) => url,
        },
        profile: take(&mut payload.id).text(),
        time: seconds.map(|seconds| (seconds * 1_000.0).into()),
        properties: take(&mut payload.data).object(),
        origin,
        ..Input::default()
    });
    if let Some(tag) = take(&mut payload.tag).text() {
        input.properties.insert("tag", tag.into());
    }
    if let Some(amount) = input.properties.get("revenue").cloned() {
        input.put_revenue(&amount, None, false);
    }
    input
}

/// What the tracker measured of a page.
fn performance<'a>(payload: &mut Payload<'a>, origin: Origin<'a>) -> Box<Input<'a>> {
    let metrics = [
        ("LCP", take(&mut payload.lcp)),
        ("INP", take(&mut payload.inp)),
        ("CLS", take(&mut payload.cls)),
        ("FCP", take(&mut payload.fcp)),
        ("TTFB", take(&mut payload.ttfb)),
    ];
    let measured = metrics.into_iter().filter_map(|(metric, value)| {
        let value = json::to_number(&value.filled()?)?;
        Some((metric, value))
    });
    let mut input = event(payload, origin);
    input.kind = Kind::Vitals(measured.collect());
    input
}

/// A person where the call names one; without an id, the data stay with an event of the visitor.
fn identify<'a>(payload: Payload<'a>, origin: Origin<'a>) -> Item<'a> {
    let traits = payload.data.object();
    match payload.id.text() {
        Some(profile) => Item::Person(Box::new(Person {
            profile,
            is_here: true,
            traits,
            origin,
            ..Person::default()
        })),
        None => Item::event(Input {
            name: "identify".into(),
            properties: traits,
            origin,
            ..Input::default()
        }),
    }
}

/// What clients send back as it is, in a cache of theirs; nothing is read from it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionAnswer {
    cache: String,
    session_id: String,
    visit_id: String,
}

fn success(request: &Request<'_>, outcome: &Outcome) -> Answer {
    if outcome.is_ignored {
        return Answer::json(200, &json!({ "beep": "boop" }));
    }
    let uuid = |number: u64| uuid::Uuid::from_u64_pair(number, number).to_string();
    let (session_id, visit_id) = (uuid(outcome.visitor), uuid(outcome.session));
    let cache = format!("{session_id}.{visit_id}");
    if request.path == BATCH {
        let answer = json!({
            "size": outcome.count, "processed": outcome.count, "errors": 0, "details": [], "cache": cache,
        });
        return Answer::json(200, &answer);
    }
    let answer = SessionAnswer {
        cache,
        session_id,
        visit_id,
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
