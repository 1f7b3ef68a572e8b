//! `GET /alarms/channels`: where alarms can be sent, and what each channel asks for.

use actix_web::{HttpResponse, http::Method, web::Data};
use serde_json::{Value, json};

use super::{
    Host, Shared,
    auth::Caller,
    routes::{Access, Route},
};
use crate::{access::Principal, actors::delivery::Definition, fault::Fault};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, Host::Base, "/alarms/channels", |route| route.to(list))
            .says(
                "List notification channels",
                "The types of destinations with what each asks for: `recipient` is the destination's `identifier`, `fields` are in `config`.",
            )
            .tagged("Alarms")
            .needs(Access::Known)
            .answers(schema()),
    ]
}

async fn list(caller: Caller, shared: Data<Shared>) -> Result<HttpResponse, Fault> {
    if matches!(caller.principal, Principal::Anonymous) {
        return Err(Fault::unauthenticated());
    }
    let view = shared.alarms.view();
    let channels = view.channels().all().into_iter();
    let channels: Vec<Value> = channels
        .map(|(name, channel)| show(name, channel))
        .collect();
    Ok(HttpResponse::Ok().json(channels))
}

fn show(name: &str, channel: &Definition) -> Value {
    let fields = channel.fields.iter().map(|field| {
        json!({
            "name": field.name, "label": field.label, "hint": field.hint, "choices": field.choices,
            "isRequired": !field.optional && field.choices.is_empty(), "isSecret": field.secret,
        })
    });
    json!({
        "type": name,
        "title": channel.title,
        "category": channel.category.into_str(),
        "recipient": { "label": channel.recipient.label, "hint": channel.recipient.hint },
        "fields": fields.collect::<Vec<_>>(),
    })
}

fn schema() -> Value {
    let text = json!({ "type": "string" });
    json!({ "type": "array", "items": {
        "type": "object", "required": ["type", "title", "category", "recipient", "fields"],
        "properties": {
            "type": text, "title": text,
            "category": { "enum": ["chat", "push", "incidents", "sms", "email", "tickets", "automation"] },
            "recipient": {
                "type": "object", "required": ["label", "hint"], "properties": { "label": text, "hint": text },
            },
            "fields": { "type": "array", "items": {
                "type": "object", "required": ["name", "label", "hint", "choices", "isRequired", "isSecret"],
                "properties": {
                    "name": text, "label": text, "hint": text, "choices": { "type": "array", "items": text },
                    "isRequired": { "type": "boolean" }, "isSecret": { "type": "boolean" },
                },
            } },
        },
    } })
}
