//! One API key.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{SCOPES, draw_secret, last_use, path, state};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::apikeys::{
            self,
            wire::{IdBody, KeyDetails},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, confirm, notice, panel, tick, ticks, time},
        problem::Problems,
        time::{DateFormat, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/key/{key}", |route| route.to(show)),
        sent("/console/key/{key}", |route| route.to(change)),
        sent("/console/key/{key}/rotate", |route| route.to(rotate)),
        sent("/console/key/{key}/revoke", |route| route.to(revoke)),
        sent("/console/key/{key}/delete", |route| route.to(delete)),
    ]
}

async fn load_key(context: &PageContext, id: &str) -> Result<KeyDetails, Fault> {
    context.ask(&apikeys::GET_BY_ID, key_id(id)).await
}

fn key_id(id: &str) -> IdBody {
    IdBody { id: id.to_owned() }
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let key = load_key(&context, &id).await?;
    let date_format = context.date_format().await?;
    let form = form(&key, &date_format);
    let main = draw(&context, &key, &form, &Problems::NONE, &date_format);
    Ok(context.show(Place::Keys, &key.key.name, &main))
}

/// A key as its form shows it.
fn form(details: &KeyDetails, date_format: &DateFormat) -> FormData {
    let key = &details.key;
    let ends = key.expires_at.as_deref().and_then(moment);
    let mut fields = vec![
        ("name", key.name.clone()),
        (
            "description",
            details.description.clone().unwrap_or_default(),
        ),
        (
            "expiresAt",
            ends.map(|at| date_format.field(at)).unwrap_or_default(),
        ),
    ];
    if key.enabled {
        fields.push(("enabled", "on".to_owned()));
    }
    let scopes = key.scopes.iter();
    fields.extend(scopes.map(|scope| ("scopes", scope.as_str().to_owned())));
    FormData::with(fields)
}

fn draw(
    context: &PageContext,
    details: &KeyDetails,
    form: &FormData,
    problems: &Problems,
    date_format: &DateFormat,
) -> Markup {
    let key = &details.key;
    let now_ms = context.shared().clock.now_ms();
    let own = path(&key.id);
    let below = |last: &str| format!("{own}/{last}");
    let is_over = key.revoked_at.is_some();
    html! {
        div.title-row { h1 { (key.name) } (state(key, now_ms)) }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        div.grid {
            div {
                (panel("Key", &facts(details, date_format, now_ms)))
                (panel("Secret and end", &html! { div.rows {
                    @if !is_over {
                        (confirm("New secret…", "The old one stops at once. The new one is shown once.", &below("rotate"), "Make a new secret", &html! {}))
                        (confirm("Revoke…", "The key stops at once and for good; it stays in the list.", &below("revoke"), "Revoke it", &html! {}))
                    }
                    (confirm("Delete…", "The key stops at once and is gone from the list; the audit log remembers it.", &below("delete"), "Delete it", &html! {}))
                } }))
            }
            @if !is_over { (panel("Settings", &settings(&own, details, form, problems))) }
        }
    }
}

fn facts(details: &KeyDetails, date_format: &DateFormat, now_ms: i64) -> Markup {
    let key = &details.key;
    let places = details.resources.iter().flat_map(|resources| &resources.0);
    let at = |text: Option<&str>| {
        html! {
            @match text.and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => "never" }
        }
    };
    html! {
        dl.facts {
            dt { "Begins with" } dd { code { (key.start) "…" } }
            dt { "Made" } dd { (at(Some(&key.created_at))) }
            dt { "Used last" } dd { (last_use(key, date_format, now_ms)) }
            dt { "Ends" } dd { (at(key.expires_at.as_deref())) }
            @if let Some(revoked) = key.revoked_at.as_deref() { dt { "Revoked" } dd { (at(Some(revoked))) } }
            @for (place, scopes) in places {
                dt { (place) }
                dd { (scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(", ")) }
            }
        }
    }
}

fn settings(action: &str, details: &KeyDetails, sent: &FormData, problems: &Problems) -> Markup {
    let form = Form {
        action,
        send: "Save",
        problems,
        fields: &["name", "description", "scopes", "expiresAt"],
    };
    let scopes: Vec<&str> = sent.all("scopes").collect();
    form.around(&html! {
        (Field::text("name", "Name").value(sent.raw("name")).draw(problems))
        (Field::text("description", "Description").value(sent.raw("description")).optional().draw(problems))
        @if details.resources.is_none() { (ticks("scopes", "It may", "", SCOPES, &scopes, problems)) }
        (Field::text("expiresAt", "Ends").kind("datetime-local").hint("In your time zone. Empty: never.").value(sent.raw("expiresAt")).optional().draw(problems))
        (tick("enabled", "Switched on", sent.is_on("enabled")))
    })
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let key = load_key(&context, &id).await?;
    let date_format = context.date_format().await?;
    let changed = async {
        let mut body = Map::new();
        let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
        put("id", json!(*id));
        put("name", json!(sent.text("name")));
        put("description", json!(sent.some("description")));
        put("expiresAt", json!(super::ends(&sent, &date_format)?));
        put("enabled", json!(sent.is_on("enabled")));
        if key.resources.is_none() {
            put("scopes", json!(sent.all("scopes").collect::<Vec<_>>()));
        }
        context.submit(&apikeys::UPDATE, body).await
    }
    .await;
    match changed {
        Ok(_) => Ok(answer::see(&format!("{}?done=1", path(&id)))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let main = draw(&context, &key, &sent, &problems, &date_format);
            Ok(context.again(refused, Place::Keys, &key.key.name, &main))
        }
    }
}

async fn rotate(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let secret = context.ask(&apikeys::ROTATE, key_id(&id)).await?;
    let main = html! { div.title-row { h1 { "The key has a new secret" } } (draw_secret(&secret)) };
    Ok(context.show(Place::Keys, "The key has a new secret", &main))
}

async fn revoke(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    context.ask(&apikeys::REVOKE, key_id(&id)).await?;
    Ok(answer::see(&path(&id)))
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    context.ask(&apikeys::DELETE, key_id(&id)).await?;
    Ok(answer::see("/console/keys"))
}
