//! Plausible: one event a request, by long or short names. Its visitors bring no id.

use serde_json::json;

use super::{
    Adapter, Answer, Batch, Claim, Failure, Input, Item, Kind, Outcome, PageView, Request, Route,
    SuggestedId, json,
};
use crate::events::tree::{Object, Value};
use crate::fault::Fault;

pub(super) const ADAPTER: Adapter = Adapter {
    product: "Plausible",
    routes: &[Route {
        success: (202, "text/plain"),
        ..Route::post(
            "/api/event",
            "Track an event as Plausible's clients send it",
        )
    }],
    suggested_id: SuggestedId::Domain,
    has_secret: false,
    has_form: false,
    find_claim: |_| None,
    unwrap: |_| Ok(None),
    read,
    success,
    failure,
    body,
};

fn read<'a>(request: &Request<'a>) -> Result<Batch<'a>, Fault> {
    let Value::Object(mut sent) = json::read(request.body)? else {
        return Err(json::no_object(""));
    };
    let id = json::take_text(&mut sent, &["domain", "d"]).ok_or_else(|| json::missing("domain"))?;
    let name = json::take_text(&mut sent, &["name", "n"]).ok_or_else(|| json::missing("name"))?;
    let url = json::take_text(&mut sent, &["url", "u"]).ok_or_else(|| json::missing("url"))?;
    let referrer = json::take_text(&mut sent, &["referrer", "r"]);
    let mut input = Input {
        url: Some(url),
        properties: object(json::take(&mut sent, &["props", "p", "meta", "m"])),
        ..Input::default()
    };
    let interactive = json::take(&mut sent, &["interactive", "i"]);
    match &*name {
        "pageview" => input.kind = Kind::View,
        "engagement" => {
            let milliseconds = json::take(&mut sent, &["engagement_time", "e"]);
            let scroll = json::take(&mut sent, &["scroll_depth", "sd"]);
            input.kind = Kind::Exit {
                seconds: milliseconds
                    .and_then(|value| json::to_number(&value))
                    .map(|milliseconds| milliseconds / 1_000.0),
                // 255 is "unknown".
                scroll: scroll
                    .and_then(|value| json::to_number(&value))
                    .filter(|percent| *percent <= 100.0),
            };
        }
        "Outbound Link: Click" => {
            if let Some(href) = json::take_text(&mut input.properties, &["url"]) {
                input.kind = Kind::Link { href };
            }
        }
        _ => {}
    }
    input.name = name;
    if input.kind.has_page() {
        input.page = Some(Box::new(PageView {
            referrer,
            ..PageView::default()
        }));
    }
    let revenue = object(json::take(&mut sent, &["revenue", "$"]));
    if let Some(amount) = revenue.get("amount") {
        input.put_revenue(amount, revenue.get("currency"), false);
    }
    if interactive == Some(Value::Bool(false)) {
        input.properties.insert("interactive", false.into());
    }
    Ok(Batch {
        claim: Some(Claim::new(id)),
        items: vec![Item::event(input)],
        ..Batch::default()
    })
}

/// An object, which older clients send as JSON in a text.
fn object(value: Option<Value<'_>>) -> Object<'_> {
    let value = match value {
        Some(Value::String(text)) => Value::parse(text).ok(),
        value => value,
    };
    match value {
        Some(Value::Object(object)) => object,
        _ => Object::new(),
    }
}

fn success(_: &Request<'_>, outcome: &Outcome) -> Answer {
    Answer {
        header: outcome.is_ignored.then_some(("x-plausible-dropped", "1")),
        ..Answer::text(202, "ok")
    }
}

fn failure(_: &Request<'_>, failure: &Failure<'_>) -> Answer {
    let mut errors = serde_json::Map::new();
    for issue in failure.issues {
        let field = Some(issue.field.as_str()).filter(|field| !field.is_empty());
        errors.insert(
            field.unwrap_or("request").to_owned(),
            json!([issue.message]),
        );
    }
    if errors.is_empty() {
        let field = if failure.status == 404 {
            "domain"
        } else {
            "request"
        };
        errors.insert(field.to_owned(), json!([failure.message]));
    }
    Answer::json(failure.status, &json!({ "errors": errors }))
}

fn body() -> serde_json::Value {
    let text =
        |description: &str| json!({ "type": ["string", "null"], "description": description });
    json!({
        "type": "object", "additionalProperties": {},
        "description": "Each member also by its short name: `n`, `u`, `d`, `r`, `p`, `$`, `i`",
        "properties": {
            "domain": text("The id of the website's setting `compatibility`"),
            "name": text("`pageview`, `engagement`, or the name of a custom event"),
            "url": text("Address of the page"),
            "referrer": text("Where the visitor came from"),
            "props": { "description": "Properties, or JSON of them" },
            "revenue": { "description": "`amount` and `currency`" },
            "interactive": { "description": "`false` is kept as a property" },
        },
    })
}
