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
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    header_contains,
    page::{self, Forms},
    private,
};
use crate::{
    actors::status_pages::{StatusPage, Subscribe},
    fault::{Classify, Fault, Issue, Kind},
    http::{
        Host, Shared, auth,
        edge::{ClientAddress, RequestId},
        language::{chosen_language, in_languages},
        private_pages,
        routes::{ErrorFormat, Route},
        schema::schema,
        wire::Wire,
    },
    ids::StatusPageId,
    locale::{Language, Texts},
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
        in_languages(Route::new(Method::POST, Host::Base, "/status/{slug}/subscribe", service))
            .tagged("StatusPage")
            .says(
                "Subscribe to a page",
                "As a form or as JSON. Updates are sent once the address is confirmed. The answer is the same whether the address is \
                 known or not.",
            )
            .body(schema::<SubscriptionRequest>())
            .or_form(form_schema())
            .or_media(&["text/html"])
            .or(403)
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
    let page = shared.status_pages.view().by_slug(&slug).cloned();
    let page = page.ok_or_else(|| Fault::not_found("StatusPage", slug.as_str()))?;
    let is_private = !page.access().is_public();
    // From another site a browser would ask with the address that lets it in.
    if is_private && auth::is_foreign(&shared, request.head()) {
        let message = "Cross-site request refused: subscribe on the page itself";
        return Err(Fault::forbidden(message));
    }
    if let Some(barrier) = private::barrier(&request, &shared, &page) {
        return Ok(private::refuse(&request, &shared, &page, barrier, true));
    }
    let mut answer = answer(&request, &shared, &page, &body).await?;
    if is_private {
        private_pages::keep_private(answer.headers_mut());
    }
    Ok(answer)
}

async fn answer(
    request: &HttpRequest,
    shared: &Shared,
    page: &StatusPage,
    body: &[u8],
) -> Result<HttpResponse, Fault> {
    let view = shared.status_pages.view();
    let is_json = header_contains(request, CONTENT_TYPE, "json");
    let wanted = if is_json {
        parse_json(body)?
    } else {
        SubscriptionRequest::parse_form(body)
    };
    let language = chosen_language(request);
    let asked = ask(request, shared, (&page.id, language), wanted).await;
    if is_json || header_contains(request, ACCEPT, "application/json") {
        return asked.map(|()| HttpResponse::Ok().json(json!({ "success": true })));
    }
    let texts = page.fields.texts(language);
    let back = private::home(request, shared, page);
    Ok(match asked {
        Ok(()) => show_sent(texts, &back),
        Err(fault) => show_refusal(request, texts, (&back, view.sends_mail()), &fault),
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
    (page, language): (&StatusPageId, Language),
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
        language,
        components: (!wanted.components.is_empty()).then_some(wanted.components),
    };
    let asked = shared.status_pages.ask(message).await;
    asked.map_err(Classify::classify)
}

fn show_sent(texts: Texts, back: &str) -> HttpResponse {
    let body = html! {
        p { (texts.subscribe_sent()) }
        p { a href=(back) { (texts.subscribe_back()) } }
    };
    let title = texts.subscribe_sent_title();
    page::plain(StatusCode::OK, texts, &title, &body, Forms::Nowhere)
}

fn show_refusal(
    request: &HttpRequest,
    texts: Texts,
    (back, sends_mail): (&str, bool),
    fault: &Fault,
) -> HttpResponse {
    let why = match &fault.kind {
        Kind::Invalid { issues } if issues.is_empty() => texts.subscribe_refused_full(),
        Kind::Invalid { .. } if sends_mail => texts.subscribe_refused_address(),
        Kind::Invalid { .. } => texts.subscribe_refused_webhook(),
        Kind::RateLimited(_) => texts.subscribe_refused_limit(),
        _ => texts.subscribe_refused_busy(),
    };
    let body = html! {
        p role="alert" { (why) }
        p { a href={ (back) "#subscribe" } { (texts.subscribe_back()) } }
    };
    let begun = Wire::Rest.begin(fault, &RequestId::from_request(request));
    page::finish_plain(
        begun,
        texts,
        &texts.subscribe_refused_title(),
        &body,
        Forms::Nowhere,
    )
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
