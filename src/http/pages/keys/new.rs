//! Making an API key; its secret is on the page that answers.

use actix_web::HttpResponse;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{SCOPES, draw_secret};
use crate::{
    fault::Fault,
    http::{
        pages::{
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::apikeys,
        routes::Route,
    },
    pages::{
        frame::{Choice, Place},
        part::{Field, Form, ticks},
        problem::Problems,
        time::DateFormat,
    },
};

const TITLE: &str = "Make a key";

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/keys/new", |route| route.to(show)),
        sent("/console/keys/new", |route| route.to(make)),
    ]
}

async fn show(context: PageContext) -> HttpResponse {
    let sent = FormData::with([("scopes", "read:data".to_owned())]);
    context.show(Place::Keys, TITLE, &draw(&context, &sent, &Problems::NONE))
}

fn draw(context: &PageContext, sent: &FormData, problems: &Problems) -> Markup {
    let websites = context.websites();
    let form = Form {
        action: "/console/keys/new",
        send: "Make it",
        problems,
        fields: &["name", "description", "scopes", "resources", "expiresAt"],
    };
    let text = |name, label, kind, hint| {
        let field = sent.field(name, label, kind, hint);
        field.optional().draw(problems)
    };
    let scopes: Vec<&str> = sent.all("scopes").collect();
    html! {
        div.title-row { h1 { (TITLE) } }
        section.panel { (form.around(&html! {
            (Field::text("name", "Name").hint("Who or what uses it.").value(sent.raw("name")).draw(problems))
            (text("description", "Description", "text", ""))
            (ticks("scopes", "It may", "As little as it needs.", SCOPES, &scopes, problems))
            (sites(&websites, sent, problems))
            (text("expiresAt", "Ends", "datetime-local", "In your time zone. Empty: never."))
        })) }
    }
}

fn sites(websites: &[Choice], sent: &FormData, problems: &Problems) -> Markup {
    let chosen: Vec<&str> = sent.all("resources").collect();
    let among = websites
        .iter()
        .map(|one| (one.id.as_str(), one.name.as_str()));
    html! {
        @if !websites.is_empty() {
            (ticks("resources", "Only for these websites", "None ticked: everywhere in the organization.", among, &chosen, problems))
        }
    }
}

/// What a form says of a new key.
fn body(
    context: &PageContext,
    sent: &FormData,
    date_format: &DateFormat,
) -> Result<Map<String, Value>, Fault> {
    let scopes: Vec<&str> = sent.all("scopes").collect();
    let websites: Vec<&str> = sent.all("resources").collect();
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("name", json!(sent.text("name")));
    put("description", json!(sent.some("description")));
    put("organizationId", json!(context.session.active_organization));
    if let Some(ends) = super::ends(sent, date_format)? {
        put("expiresAt", json!(ends));
    }
    if websites.is_empty() {
        put("scopes", json!(scopes));
    } else {
        let places = websites
            .iter()
            .map(|id| (format!("website:{id}"), json!(scopes)));
        put("resources", Value::Object(places.collect()));
    }
    Ok(body)
}

async fn make(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let date_format = context.date_format().await?;
    let made = async {
        let body = body(&context, &sent, &date_format)?;
        context.submit(&apikeys::CREATE, body).await
    }
    .await;
    match made {
        Ok(secret) => {
            let main = html! { div.title-row { h1 { "The key is made" } } (draw_secret(&secret)) };
            Ok(context.show(Place::Keys, "The key is made", &main))
        }
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            Ok(context.again(
                refused,
                Place::Keys,
                TITLE,
                &draw(&context, &sent, &problems),
            ))
        }
    }
}
