//! Subscribing: the form of the page, for people and for programs.
//!
//! Whether an address is subscribed already makes no visible difference: the same answer, the same work, the same
//! email.

use actix_web::{
    HttpMessage as _, HttpRequest, HttpResponse,
    http::{
        Method, StatusCode,
        header::{ACCEPT, CONTENT_TYPE},
    },
    web::{Bytes, Data, Path},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{header_contains, page};
use crate::{
    actors::status_pages::{StatusPage, Subscribe},
    fault::{Classify, Fault, Issue, Kind},
    http::{
        Host, Shared,
        edge::{ClientAddress, RequestId},
        routes::{ErrorFormat, Route},
        schema::schema,
        wire::Wire,
    },
    ids::StatusPageId,
    store::limits::{Bucket, Demand, Identity, Rate},
};

/// What one stranger, and everybody together on one page, may ask for.
const STRANGER: Rate = rate(10, 10 * 60_000);
const PAGE: Rate = rate(200, 3_600_000);
/// Emails that ask one address to confirm.
const ADDRESS: Rate = rate(5, 86_400_000);

const fn rate(max: u32, window_ms: i64) -> Rate {
    Rate {
        bucket: Bucket::Subscription,
        max,
        window_ms,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let service = |route: actix_web::Route| route.to(subscribe);
    vec![
        Route::new(Method::POST, Host::Base, "/status/{slug}/subscribe", service)
            .tagged("StatusPage")
            .says(
                "Subscribe to a page",
                "As a form or as JSON. Updates are sent once the address is confirmed. The answer is the same whether the address is \
                 known or not.",
            )
            .body(schema::<SubscriptionRequest>())
            .or_form(form_schema())
            .or_media(&["text/html"])
            .error_format(ErrorFormat::Page)
            .answers(json!({ "type": "object", "required": ["success"], "properties": { "success": { "const": true } } })),
    ]
}

fn form_schema() -> Value {
    json!({
        "type": "object", "required": ["address"],
        "properties": {
            "address": { "type": "string", "description": "An email address, or the address of a webhook." },
            "component": {
                "type": "array", "items": { "type": "string" },
                "description": "Ids of monitors on the page, one field each; all of them by default.",
            },
        },
    })
}

/// A request for a subscription.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
struct SubscriptionRequest {
    /// A mail address, or the address of a webhook.
    address: String,
    /// Ids of monitors on the page; all of them by default.
    #[serde(default)]
    components: Vec<String>,
}

impl SubscriptionRequest {
    fn parse_form(body: &[u8]) -> Self {
        let mut wanted = Self::default();
        for (name, value) in url::form_urlencoded::parse(body) {
            match name.as_ref() {
                "address" => wanted.address = value.into_owned(),
                "component" => wanted.components.push(value.into_owned()),
                _ => {}
            }
        }
        wanted
    }
}

async fn subscribe(
    request: HttpRequest,
    shared: Data<Shared>,
    slug: Path<String>,
    body: Bytes,
) -> Result<HttpResponse, Fault> {
    let view = shared.status_pages.view();
    let page = view.by_slug(&slug).cloned();
    let page = page.ok_or_else(|| Fault::not_found("StatusPage", slug.as_str()))?;
    let is_json = header_contains(&request, CONTENT_TYPE, "json");
    let wanted = if is_json {
        parse_json(&body)?
    } else {
        SubscriptionRequest::parse_form(&body)
    };
    let asked = ask(&request, &shared, &page.id, wanted).await;
    if is_json || header_contains(&request, ACCEPT, "application/json") {
        return asked.map(|()| HttpResponse::Ok().json(json!({ "success": true })));
    }
    Ok(match asked {
        Ok(()) => show_sent(&shared, &page),
        Err(fault) => show_refusal(&request, &shared, &page, &fault),
    })
}

fn parse_json(body: &[u8]) -> Result<SubscriptionRequest, Fault> {
    serde_json::from_slice(body).map_err(|error| {
        let issue = Issue::new("invalid", "", error.to_string());
        Fault::issues("Input validation failed", vec![issue])
    })
}

async fn ask(
    request: &HttpRequest,
    shared: &Shared,
    page: &StatusPageId,
    wanted: SubscriptionRequest,
) -> Result<(), Fault> {
    let contact = shared.status_pages.view().contact(&wanted.address);
    let contact = contact.map_err(|why| {
        let issue = Issue::new("invalid", "address", why);
        Fault::issues("This address cannot be used", vec![issue])
    })?;
    let address = request.extensions().get::<ClientAddress>().copied();
    let stranger = address.map_or_else(
        || Identity::from_name("subscribing", ""),
        |address| address.identity(&shared.secret, "subscribing"),
    );
    let admit = |identity, rate| {
        shared
            .admission
            .admit(Demand::new(identity).rate(Some(rate)))
    };
    // There is no slot to hold.
    let _ = admit(stranger, STRANGER).await?;
    let _ = admit(Identity::from_name("subscribing to", page.as_str()), PAGE).await?;
    let reader = Identity::keyed(&shared.secret, "subscriber", contact.address.as_bytes());
    if admit(reader, ADDRESS).await.is_err() {
        // The address has emails enough, and the requester need not know.
        return Ok(());
    }
    let message = Subscribe {
        page: page.clone(),
        contact,
        components: (!wanted.components.is_empty()).then_some(wanted.components),
    };
    let asked = shared.status_pages.ask(message).await;
    asked.map_err(Classify::classify)
}

fn show_sent(shared: &Shared, of: &StatusPage) -> HttpResponse {
    let back = page::escaped_address(&shared.urls.base, of);
    let body = format!(
        "<p>A message is on its way if the address can be reached. Confirm within 24 hours with the link in it.</p>\
         <p><a href=\"{back}\">Back to the status page</a></p>"
    );
    page::plain(StatusCode::OK, "Confirm your subscription", &body, None)
}

fn show_refusal(
    request: &HttpRequest,
    shared: &Shared,
    of: &StatusPage,
    fault: &Fault,
) -> HttpResponse {
    let why = match &fault.kind {
        Kind::Invalid { issues } => {
            let first = issues.first().filter(|issue| !issue.message.is_empty());
            first.map_or(&*fault.message, |issue| &issue.message)
        }
        Kind::RateLimited(_) => "too many requests, try again later",
        _ => "try again in a moment",
    };
    let back = page::escaped_address(&shared.urls.base, of);
    let why = page::escape(why);
    let body = format!(
        "<p role=\"alert\">You are not subscribed: {why}.</p><p><a href=\"{back}#subscribe\">Back to the status page</a></p>"
    );
    let begun = Wire::Rest.begin(fault, &RequestId::from_request(request));
    page::finish_plain(begun, "Not subscribed", &body, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_names_an_address_and_any_number_of_monitors() {
        let form = |text: &str| SubscriptionRequest::parse_form(text.as_bytes());
        assert_eq!(form("address=a%40b.c").address, "a@b.c");
        assert!(form("address=a%40b.c").components.is_empty());
        let two = ["x", "y"];
        assert_eq!(
            form("component=x&address=a&component=y&z=1").components,
            two
        );
        assert_eq!(form(""), SubscriptionRequest::default());
        let read = parse_json(br#"{"address":"a","components":["x"]}"#).unwrap();
        assert_eq!(read.components, ["x"]);
        assert!(parse_json(b"{}").is_err());
    }
}
