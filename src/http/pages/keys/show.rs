//! One API key.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Key, SCOPES, Secret, path};
use crate::{
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
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

async fn found(context: &PageContext, id: &str) -> Result<Value, Fault> {
    context.ask("apikeys", "getById", json!({ "id": id })).await
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let key = found(&context, &id).await?;
    let date_format = context.date_format().await?;
    let form = form(&key, &date_format);
    let (title, main) = draw(&context, &key, &form, &Problems::NONE, &date_format)?;
    Ok(context.show(Place::Keys, &title, &main))
}

/// A key as its form shows it.
fn form(key: &Value, date_format: &DateFormat) -> FormData {
    let text = |name: &str| key[name].as_str().unwrap_or_default().to_owned();
    let ends = key["expiresAt"].as_str().and_then(moment);
    let mut fields = vec![
        ("name", text("name")),
        ("description", text("description")),
        (
            "expiresAt",
            ends.map(|at| date_format.field(at)).unwrap_or_default(),
        ),
    ];
    if key["enabled"] == true {
        fields.push(("enabled", "on".to_owned()));
    }
    let scopes = key["scopes"].as_array().into_iter().flatten();
    fields.extend(scopes.filter_map(|scope| Some(("scopes", scope.as_str()?.to_owned()))));
    FormData::with(fields)
}

fn draw(
    context: &PageContext,
    found: &Value,
    form: &FormData,
    problems: &Problems,
    date_format: &DateFormat,
) -> Result<(String, Markup), Fault> {
    let key = Key::deserialize(found).map_err(Fault::internal)?;
    let now_ms = context.shared().clock.now_ms();
    let own = path(&key.id);
    let below = |last: &str| format!("{own}/{last}");
    let is_over = key.revoked_at.is_some();
    let main = html! {
        div.title-row { h1 { (key.name) } (key.state(now_ms)) }
        @if context.parameter("done") == "1" { (notice("good", &html! { "Saved." })) }
        div.grid {
            div {
                (panel("Key", &facts(&key, found, date_format, now_ms)))
                (panel("Secret and end", &html! { div.rows {
                    @if !is_over {
                        (confirm("New secret…", "The old one stops at once. The new one is shown once.", &below("rotate"), "Make a new secret", &html! {}))
                        (confirm("Revoke…", "The key stops at once and for good; it stays in the list.", &below("revoke"), "Revoke it", &html! {}))
                    }
                    (confirm("Delete…", "The key stops at once and is gone from the list; the audit log remembers it.", &below("delete"), "Delete it", &html! {}))
                } }))
            }
            @if !is_over { (panel("Settings", &settings(&own, found, form, problems))) }
        }
    };
    Ok((key.name.clone(), main))
}

fn facts(key: &Key, found: &Value, date_format: &DateFormat, now_ms: i64) -> Markup {
    let at = |text: Option<&str>| {
        html! {
            @match text.and_then(moment) { Some(at) => (time(at, &date_format.moment(at), date_format)), None => "never" }
        }
    };
    html! {
        dl.facts {
            dt { "Begins with" } dd { code { (key.start) "…" } }
            dt { "Made" } dd { (at(Some(&key.created_at))) }
            dt { "Used last" } dd { (key.used(date_format, now_ms)) }
            dt { "Ends" } dd { (at(key.expires_at.as_deref())) }
            @if let Some(revoked) = key.revoked_at.as_deref() { dt { "Revoked" } dd { (at(Some(revoked))) } }
            @if let Some(places) = found["resources"].as_object() {
                @for (place, scopes) in places {
                    dt { (place) }
                    dd { (scopes.as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")) }
                }
            }
        }
    }
}

fn settings(action: &str, found: &Value, sent: &FormData, problems: &Problems) -> Markup {
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
        @if found["resources"].is_null() { (ticks("scopes", "It may", "", SCOPES, &scopes, problems)) }
        (Field::text("expiresAt", "Ends").kind("datetime-local").hint("In your time zone. Empty: never.").value(sent.raw("expiresAt")).optional().draw(problems))
        (tick("enabled", "Switched on", sent.is_on("enabled")))
    })
}

async fn change(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let key = found(&context, &id).await?;
    let date_format = context.date_format().await?;
    let changed: Result<Value, Fault> = async {
        let mut body = json!({
            "id": *id, "name": sent.text("name"), "description": sent.some("description"),
            "expiresAt": super::ends(&sent, &date_format)?, "enabled": sent.is_on("enabled"),
        });
        if key["resources"].is_null() {
            body["scopes"] = json!(sent.all("scopes").collect::<Vec<_>>());
        }
        context.ask("apikeys", "update", body).await
    }
    .await;
    match changed {
        Ok(_) => Ok(answer::see(&format!("{}?done=1", path(&id)))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let (title, main) = draw(&context, &key, &sent, &problems, &date_format)?;
            Ok(context.again(refused, Place::Keys, &title, &main))
        }
    }
}

async fn rotate(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let secret: Secret = context
        .ask("apikeys", "rotate", json!({ "id": *id }))
        .await?;
    let main = html! { div.title-row { h1 { "The key has a new secret" } } (secret.draw()) };
    Ok(context.show(Place::Keys, "The key has a new secret", &main))
}

async fn revoke(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let _: Value = context
        .ask("apikeys", "revoke", json!({ "id": *id }))
        .await?;
    Ok(answer::see(&path(&id)))
}

async fn delete(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let _: Value = context
        .ask("apikeys", "delete", json!({ "id": *id }))
        .await?;
    Ok(answer::see("/console/keys"))
}
