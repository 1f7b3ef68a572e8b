//! Flags for clients of other products: the routes that they call, and whose flags a token opens.
//!
//! What they say and how they are answered is in [`crate::actors::flags::protocols`]. A token means the website that has it in its
//! setting `compatibility`. One that no website has is refused in the same words as one that opens something else.

mod posthog;
mod unleash;

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, http::header::CACHE_CONTROL};
use serde_json::{Map, Value, json};

use super::request;
use crate::{
    actors::flags::{ActiveFlags, protocols::Person},
    events::accept::protocols::Protocol,
    fault::Fault,
    http::{
        Host, Shared,
        edge::RequestId,
        procedures::flags::ContextBody,
        routes::{ErrorFormat, Route},
        wire::Wire,
    },
};

/// The routes of every protocol on a host.
const PROTOCOLS: [fn(Host) -> Vec<Route>; 2] = [unleash::routes, posthog::routes];

pub(in crate::http) fn routes(host: Host) -> Vec<Route> {
    let all = PROTOCOLS.iter().flat_map(|routes| routes(host));
    all.map(|route| {
        route
            .tagged(super::TAG)
            .error_format(ErrorFormat::As("CompatibilityError"))
    })
    .collect()
}

/// The flags of the website that has this token under one of these protocols.
async fn open(
    shared: &Shared,
    request: &HttpRequest,
    protocols: &[Protocol],
    token: Option<&str>,
) -> Result<Arc<ActiveFlags>, Fault> {
    let token = token.unwrap_or_default().trim();
    let id = {
        let websites = shared.websites.view();
        let mut found = protocols
            .iter()
            .filter_map(|protocol| websites.by_protocol(*protocol, token));
        let found = found.find(|(website, entry)| {
            entry.admits(None) && shared.serves_here(request.head(), &website.organization)
        });
        found.map(|(website, _)| website.id.clone())
    };
    // All unknown tokens share the window of their address.
    let client = id.as_ref().map_or("", |id| id.as_str());
    request::admit(shared, client, request).await?;
    if id.is_none() {
        let mut fault = Fault::unauthenticated();
        fault.message = "The token is unknown, or is not for this address".into();
        return Err(fault);
    }
    Ok(request::find_flags(shared, client).unwrap_or_default())
}

/// A refusal, in our words and beside them in those of the product.
fn refuse(request: &HttpRequest, fault: &Fault, beside: Value) -> HttpResponse {
    let beside = match beside {
        Value::Object(beside) => beside,
        _ => Map::new(),
    };
    Wire::Rest.write_beside(fault, &RequestId::from_request(request), beside)
}

/// An answer about a person, which no cache may keep.
fn answer(body: &impl serde::Serialize) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .json(body)
}

/// What is wrong, in one line.
fn sentence(fault: &Fault) -> String {
    match &fault.kind {
        crate::fault::Kind::Invalid { issues } if !issues.is_empty() => {
            format!(
                "{}: {}",
                fault.message,
                crate::fault::Issue::first_message(issues)
            )
        }
        _ => fault.message.to_string(),
    }
}

impl From<Person> for ContextBody {
    fn from(person: Person) -> Self {
        Self {
            user_id: person.user_id,
            email: person.email,
            organization_id: person.organization_id,
            team_id: person.team_id,
            properties: person.properties,
        }
    }
}

/// Any object of JSON, in the words of the product.
fn any_object(description: &str) -> Value {
    json!({ "type": "object", "additionalProperties": {}, "description": description })
}
