//! Google Analytics 4 Measurement Protocol: events that servers send for a client, named by stream and secret in the query.

use std::fmt;

use serde_json::json;

use super::{
    super::wire::{self, Body, Tree, fields},
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Origin, Outcome, PageView, Person,
    Request, Route, SuggestedId, json,
};
use crate::events::tree::{Object, Text, Value};
use crate::fault::Fault;

const DEBUG: &str = "/debug/mp/collect";
/// Events of one request.
const MAX_EVENTS: usize = 25;

pub(super) const ADAPTER: Adapter = Adapter {
    product: "GA4 Measurement Protocol",
    routes: &[
        Route {
            success: (204, ""),
            ..Route::post(
                "/mp/collect",
                "Track events by the GA4 Measurement Protocol",
            )
        },
        Route::post(
            DEBUG,
            "Validate events of the GA4 Measurement Protocol without storing them",
        ),
    ],
    suggested_id: SuggestedId::Key("G-"),
    has_secret: true,
    has_form: false,
    find_claim: |request| {
        let id = request.parameter("measurement_id");
        let id = id.or_else(|| request.parameter("firebase_app_id"))?;
        let secret = request.parameter("api_secret");
        Some(Claim { id, secret })
    },
    unwrap: |_| Ok(None),
    read,
    success,
    failure,
    body,
};

fields! {
    Sent, required [events] {
        events: Nested<Event> = "events",
        client: Tree = "client_id",
        app_instance: Tree = "app_instance_id",
        user: Tree = "user_id",
        user_properties: Tree = "user_properties",
        timestamp: Tree = "timestamp_micros",
        place: Tree = "user_location",
        device: Tree = "device",
        address: Tree = "ip_override",
        user_agent: Tree = "user_agent",
    }
}

fields! {
    Event, required [name] {
        name: Tree = "name",
        params: Tree = "params",
        timestamp: Tree = "timestamp_micros",
    }
}

fn read<'a>(request: &Request<'a>) -> Result<Batch<'a>, Fault> {
    let Body::One(wire::Item::Object(whole)) = wire::read::<Sent<'_>>(request.body)? else {
        return Err(json::no_object(""));
    };
    let client = whole.client.or(whole.app_instance).text();
    let client = client.ok_or_else(|| json::missing("client_id"))?;
    let Some(Body::Many(events)) = whole.events else {
        return Err(json::missing("events"));
    };
    if events.len() > MAX_EVENTS {
        return Err(json::wrong("events", "A request has at most 25 events"));
    }
    let mut place = whole.place.object();
    let mut device = whole.device.object();
    let address = whole.address.text();
    let common = Input {
        anonymous: Some(client),
        profile: whole.user.text(),
        time: micros(whole.timestamp.filled()),
        page: (!device.is_empty()).then(|| {
            Box::new(PageView {
                language: json::take_text(&mut device, &["language"]),
                screen: json::take_text(&mut device, &["screen_resolution"]),
                ..PageView::default()
            })
        }),
        place: (!place.is_empty()).then(|| {
            let parts = ["country_id", "region_id", "city"];
            Box::new(parts.map(|part| json::take_text(&mut place, &[part])))
        }),
        origin: Origin {
            is_server: true,
            user_agent: whole.user_agent.text(),
            address: address.and_then(|text| text.trim().parse().ok()),
        },
        ..Input::default()
    };
    let mut batch = Batch {
        is_dry_run: request.path == DEBUG,
        ..Batch::default()
    };
    let traits = values(whole.user_properties.object());
    if let (Some(profile), false) = (&common.profile, traits.is_empty()) {
        batch.items.push(Item::Person(Box::new(Person {
            profile: profile.clone(),
            anonymous: common.anonymous.clone(),
            traits,
            origin: common.origin.clone(),
            ..Person::default()
        })));
    }
    for (index, event) in events.into_iter().enumerate() {
        let place = format_args!("events[{index}]");
        let wire::Item::Object(event) = event else {
            return Err(json::no_object(&place.to_string()));
        };
        let input = read_event(*event, common.clone(), place)?;
        batch.items.push(Item::event(input));
    }
    Ok(batch)
}

/// Microseconds as milliseconds.
fn micros(time: Option<Value<'_>>) -> Option<Value<'static>> {
    let micros = json::to_number(&time?)?;
    Some((micros / 1_000.0).floor().into())
}

/// `{"plan": {"value": "pro"}}` as `{"plan": "pro"}`.
fn values<'a>(properties: Object<'a>) -> Object<'a> {
    let value = |value: Value<'a>| match value {
        Value::Object(mut object) => object.remove("value").unwrap_or_default(),
        value => value,
    };
    properties
        .into_iter()
        .map(|(key, one)| (key, value(one)))
        .collect()
}

/// An event of an export.
///
/// # Errors
/// It has no name.
pub(in crate::events) fn read_exported<'a>(
    name: Text<'a>,
    params: Object<'a>,
    common: Input<'a>,
) -> Result<Input<'a>, Fault> {
    let event = Event {
        name: Tree(Some(name.into())),
        params: Tree(Some(params.into())),
        timestamp: Tree(None),
    };
    read_event(event, common, format_args!("event"))
}

fn read_event<'a>(
    event: Event<'a>,
    mut input: Input<'a>,
    place: fmt::Arguments<'_>,
) -> Result<Input<'a>, Fault> {
    let name = event.name.text();
    let name = name.ok_or_else(|| json::missing(format!("{place}.name")))?;
    let mut params = event.params.object();
    if let Some(time) = micros(event.timestamp.filled()) {
        input.time = Some(time);
    }
    let mut take = |name: &str| json::take_text(&mut params, &[name]);
    input.session = take("session_id").map(|session| {
        // Numbers of seconds, which other clients have too.
        let client = input.anonymous.as_deref().unwrap_or_default();
        format!("{client}.{session}").into()
    });
    input.url = take("page_location").or_else(|| take("page_path"));
    let (title, referrer, language) = (take("page_title"), take("page_referrer"), take("language"));
    let engaged = json::take(&mut params, &["engagement_time_msec"]);
    let engaged = engaged.as_ref().and_then(json::to_number);
    let value = params.get("value").cloned();
    let order = params.get("transaction_id").and_then(json::to_text);
    match &*name {
        "page_view" => input.kind = Kind::View,
        "user_engagement" => {
            input.kind = Kind::Exit {
                seconds: engaged.map(|milliseconds| milliseconds / 1_000.0),
                scroll: None,
            };
        }
        "click" => {
            if let Some(href) = json::take_text(&mut params, &["link_url"]) {
                input.kind = Kind::Link { href };
            }
        }
        "exception" => {
            input.kind = Kind::Failure {
                kind: None,
                message: json::take_text(&mut params, &["description"]).unwrap_or("Error".into()),
                stack: None,
            };
        }
        _ => {}
    }
    if input.kind.has_page() {
        let page = input.page.get_or_insert_default();
        page.title = title;
        page.referrer = referrer;
        page.language = language.or(page.language.take());
    }
    let is_refund = name == "refund";
    let is_paid = is_refund || name == "purchase";
    input.event_id = order
        .filter(|_| is_paid)
        .map(|order| format!("{name}:{order}").into());
    input.name = name;
    input.properties = params;
    if let Some(value) = value.filter(|_| is_paid) {
        input.put_revenue(&value, None, is_refund);
    }
    Ok(input)
}

fn success(request: &Request<'_>, _: &Outcome) -> Answer {
    if request.path == DEBUG {
        return Answer::json(200, &json!({ "validationMessages": [] }));
    }
    Answer::empty(204)
}

fn failure(request: &Request<'_>, failure: &Failure<'_>) -> Answer {
    let code = |code: &str| match code {
        "required" => "VALUE_REQUIRED",
        "too_many" | "too_long" => "EXCEEDED_MAX_ENTITIES",
        _ => "VALUE_INVALID",
    };
    let issues = failure.issues.iter();
    let mut messages: Vec<serde_json::Value> = issues
        .map(|issue| {
            json!({
                "fieldPath": issue.field, "description": issue.message, "validationCode": code(&issue.code),
            })
        })
        .collect();
    if messages.is_empty() {
        messages.push(json!({
            "fieldPath": "", "description": failure.message, "validationCode": "VALUE_INVALID",
        }));
    }
    // The check answers what is wrong with success; being refused is another matter.
    let is_verdict = request.path == DEBUG && matches!(failure.status, 400 | 413);
    let status = if is_verdict { 200 } else { failure.status };
    Answer::json(status, &json!({ "validationMessages": messages }))
}

fn body() -> serde_json::Value {
    json!({
        "type": "object", "additionalProperties": {},
        "description": "`measurement_id` of the query is the id of the website's setting `compatibility`, and `api_secret` its secret",
        "properties": {
            "client_id": {}, "user_id": {}, "timestamp_micros": {}, "user_properties": {},
            "user_agent": {}, "ip_override": {}, "user_location": {}, "device": {},
            "events": {
                "type": "array", "description": "25 at most",
                "items": {
                    "type": "object", "additionalProperties": {},
                    "properties": { "name": {}, "params": {} },
                },
            },
        },
    })
}
