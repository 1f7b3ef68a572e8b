//! The addresses that clients of other products send to: one handler for all of them, behind each the adapter that understands
//! its clients ([`crate::events::accept::protocols`]).
//!
//! The id that a client sends means the website that has it in its setting `compatibility`. One that no website has is answered
//! like any unknown website, whether the protocol is in use or not.

mod answer;
mod take;
mod visitor;

use actix_web::{
    HttpRequest,
    http::Method,
    web::{Data, Payload},
};
use serde_json::{Value, json};

use crate::{
    events::accept::protocols::{self, Protocol},
    http::{
        Host, Shared,
        auth::Caller,
        routes::{ErrorFormat, Route},
    },
};

/// The routes of every protocol.
pub(super) fn routes() -> Vec<Route> {
    let all = Protocol::ALL.iter();
    all.flat_map(|protocol| {
        let routes = protocol.adapter().routes.iter();
        routes.map(|route| make(*protocol, route))
    })
    .collect()
}

fn make(protocol: Protocol, route: &'static protocols::Route) -> Route {
    let adapter = protocol.adapter();
    let method = match route.method {
        "GET" => Method::GET,
        _ => Method::POST,
    };
    let is_get = method == Method::GET;
    let (status, media) = route.success;
    let handler = move |request: HttpRequest,
                        caller: Caller,
                        shared: Data<Shared>,
                        payload: Payload| async move {
        answer::answer(protocol, &request, &caller, &shared, payload).await
    };
    let mut made = Route::new(method, Host::Track, route.path, move |route| route.to(handler))
        .or(402)
        .or(403)
        .or(500)
        .says(
            route.summary,
            "Open for websites whose setting `compatibility` has the id that the client sends. Success means that everything of the \
             request is durable; nothing is kept of a request with a mistake.",
        )
        .error_format(ErrorFormat::As("CompatibilityError"));
    for path in route.also {
        made = made.also(path);
    }
    let parameters = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    made = made
        .takes_as(
            "parameters",
            "What the clients send beside the body, each by its own name",
            parameters,
        )
        .answers(json!({
            "type": "object", "additionalProperties": {},
            "description": "As the clients of the product read it",
        }));
    if !is_get {
        made = made.body((adapter.body)());
        if adapter.has_form {
            let fields = json!({ "type": "object", "additionalProperties": {} });
            made = made.or_form(fields);
        }
    }
    match media {
        "" => made = made.empty(),
        "application/json" => {}
        media if is_get => made = made.media(media),
        media => made = made.media(media).or_media(&["application/json"]),
    }
    made.status = status;
    for other in route.other_statuses {
        made = made.or(*other);
    }
    made
}

/// Failures in the words of other products.
pub(in crate::http) fn error_schema() -> Value {
    json!({
        "type": "object", "additionalProperties": {},
        "description": "A failure as the clients of the product read it",
    })
}
