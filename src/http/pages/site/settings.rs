//! A website's settings: what it is called, who may send events, what is left out, who may see it, and its end.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, Refused, told},
            form::FormData,
            page, sent,
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, copied, hidden, notice, panel, tick},
        problem::Problems,
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        page("/console/site/{id}/settings", |route| route.to(show)),
        sent("/console/site/{id}/settings/name", |route| route.to(name)),
        sent("/console/site/{id}/settings/rules", |route| route.to(rules)),
        sent("/console/site/{id}/settings/public", |route| {
            route.to(public)
        }),
        sent("/console/site/{id}/settings/rotate", |route| {
            route.to(rotate)
        }),
        sent("/console/site/{id}/settings/delete", |route| {
            route.to(delete)
        }),
    ]
}

/// What the page needs of `websites.getById`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Website {
    id: String,
    client_id: String,
    name: String,
    domain: String,
    is_public: bool,
    settings: Value,
}

/// What somebody has typed into a form, and what is wrong with it.
#[derive(Default)]
struct Typed<'a> {
    sent: Option<&'a FormData>,
    problems: Problems,
}

impl<'a> Typed<'a> {
    /// What was typed into a field; what is stored, where its form was not sent.
    fn or(&self, name: &str, stored: &'a str) -> &'a str {
        let sent = self.sent.filter(|sent| sent.is_on(name));
        sent.map_or(stored, |sent| sent.raw(name))
    }
}

/// Lists of the rules: field, label, what it is for.
const LISTS: [(&str, &str, &str); 7] = [
    (
        "allowedOrigins",
        "Further origins that may send events",
        "Beside the domain: https://shop.example, *.example.com, localhost:3000, *.",
    ),
    (
        "allowedIps",
        "Only these addresses may send events",
        "Addresses and networks; empty = all.",
    ),
    (
        "excludedIps",
        "Leave out visits from these addresses",
        "Such as your own office; addresses and networks.",
    ),
    (
        "excludedCountries",
        "Leave out visits from these countries",
        "Codes or English names.",
    ),
    (
        "excludedPaths",
        "Leave out these paths",
        "* stands for anything: /admin/*.",
    ),
    (
        "excludedHosts",
        "Leave out these hosts",
        "staging.example.com, *.example.com.",
    ),
    (
        "ignoredTrackingOrigins",
        "Do not report refused events of these origins",
        "",
    ),
];

async fn found(context: &PageContext, id: &str) -> Result<Website, Fault> {
    context
        .ask("websites", "getById", json!({ "id": id }))
        .await
}

fn path(id: &str) -> String {
    format!("/console/site/{id}/settings")
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = found(&context, &id).await?;
    let done = context.parameter("done") == "1";
    let main = draw(&context, &website, done, &Typed::default());
    Ok(context.show_site(Place::Settings, &website.id, "Settings", &main))
}

/// What a change answers: the page with its news, or with what is wrong.
async fn changed(
    context: &PageContext,
    id: &str,
    sent: &FormData,
    outcome: Result<Value, Fault>,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(&format!("{}?done=1", path(id)))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let website = found(context, id).await?;
            let typed = Typed {
                sent: Some(sent),
                problems,
            };
            let main = draw(context, &website, false, &typed);
            Ok(context.again_site(refused, Place::Settings, &website.id, "Settings", &main))
        }
    }
}

fn draw(context: &PageContext, website: &Website, done: bool, typed: &Typed<'_>) -> Markup {
    let may_manage = context.may(Permission::WebsiteManage);
    html! {
        div.title-row { h1 { "Settings of " (website.name) } }
        @if done { (notice("good", &html! { "Saved." })) }
        @for said in typed.problems.above(&FIELDS) { (notice("bad", &html! { (said) })) }
        @if !context.may(Permission::WebsiteConfigure) {
            (notice("note", &html! { "Your role may look at these settings, and not change them." }))
        }
        div.grid {
            (panel("Name and domain", &named(website, typed)))
            (panel("Who may see it", &shared(context, website, may_manage)))
            (panel("Who may send events, and what is left out", &ruled(website, typed)))
            (panel("Client id", &client(website)))
            @if may_manage { (panel("Delete", &gone(website))) }
        }
    }
}

const FIELDS: [&str; 10] = [
    "name",
    "domain",
    "settings.allowedOrigins",
    "settings.allowedIps",
    "settings.excludedIps",
    "settings.excludedCountries",
    "settings.excludedPaths",
    "settings.excludedHosts",
    "settings.ignoredTrackingOrigins",
    "settings.retentionDays",
];

fn named(website: &Website, typed: &Typed<'_>) -> Markup {
    let action = format!("{}/name", path(&website.id));
    let form = Form {
        action: &action,
        send: "Save",
        problems: &Problems::NONE,
        fields: &FIELDS,
    };
    let name = Field::text("name", "Name").value(typed.or("name", &website.name));
    let domain = Field::text("domain", "Domain").value(typed.or("domain", &website.domain));
    form.around(&html! { (name.draw(&typed.problems)) (domain.draw(&typed.problems)) })
}

fn shared(context: &PageContext, website: &Website, may_manage: bool) -> Markup {
    let action = format!("{}/public", path(&website.id));
    let base = &context.shared().urls.base;
    let address = format!("{base}/v1/query?website_id={}", website.id);
    let (send, to) = if website.is_public {
        ("Make it private", "no")
    } else {
        ("Make it public", "yes")
    };
    let form = Form {
        action: &action,
        send,
        problems: &Problems::NONE,
        fields: &[],
    };
    html! {
        @if website.is_public {
            p { "Anybody may ask for what is public of it, without a key: numbers and lists, no single visits." }
            p { a href=(format!("/share/{}", website.id)) { "The dashboard that everybody sees" } }
            (copied("Where questions go", &address))
        } @else {
            p { "Only people of the organization see it." }
        }
        @if may_manage { (form.around(&hidden("public", to))) }
    }
}

fn ruled(website: &Website, typed: &Typed<'_>) -> Markup {
    let action = format!("{}/rules", path(&website.id));
    let form = Form {
        action: &action,
        send: "Save",
        problems: &Problems::NONE,
        fields: &FIELDS,
    };
    let list = |name: &str| {
        let list = website.settings[name].as_array();
        let lines = list.into_iter().flatten().filter_map(Value::as_str);
        lines.collect::<Vec<_>>().join("\n")
    };
    let days = website.settings["retentionDays"].as_u64();
    let days = days.map(|days| days.to_string()).unwrap_or_default();
    let kept = Field::text(
        "settings.retentionDays",
        "Days after which events are deleted",
    )
    .kind("number");
    let kept = kept
        .value(typed.or("settings.retentionDays", &days))
        .optional()
        .hint("0 = never; empty = as the installation says.");
    let everybody = website.settings["ignoreBotDetection"] == true;
    form.around(&html! {
        p.hint { "In every list: one entry a line." }
        @for (name, label, hint) in LISTS {
            @let lines = list(name);
            @let field = format!("settings.{name}");
            (Field::text(&field, label).value(typed.or(&field, &lines)).hint(hint).optional().lines(2, &typed.problems))
        }
        (kept.draw(&typed.problems))
        (tick("bots", "Count everybody as a person, bots too", everybody))
    })
}

fn client(website: &Website) -> Markup {
    let action = format!("{}/rotate", path(&website.id));
    html! {
        p { "Events come in under this id; it stands in the pages, and is no secret." }
        (copied("Client id", &website.client_id))
        form method="post" action=(action) data-confirm="The old id stops working at once. Go on?" {
            p { button.button type="submit" { "Give it a new one" } }
        }
    }
}

fn gone(website: &Website) -> Markup {
    let action = format!("{}/delete", path(&website.id));
    html! {
        p { "It stops taking events at once. An owner can bring it back for a while." }
        form.form method="post" action=(action) {
            (Field::text("sure", "Its domain, to be sure").hint(&website.domain).draw(&Problems::NONE))
            p { button.button.danger type="submit" { "Delete the website" } }
        }
    }
}

async fn name(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "id": *id, "name": sent.text("name"), "domain": sent.text("domain") });
    let outcome = context.ask("websites", "update", input).await;
    changed(&context, &id, &sent, outcome).await
}

async fn rules(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let mut settings = json!({ "ignoreBotDetection": sent.is_on("bots") });
    for (name, ..) in LISTS {
        let text = sent.raw(&format!("settings.{name}"));
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        settings[name] = json!(lines.collect::<Vec<_>>());
    }
    settings["retentionDays"] = match sent.text("settings.retentionDays") {
        "" => Value::Null,
        // What is no number is refused with its place.
        text => text
            .parse::<u32>()
            .map_or_else(|_| json!(text), |days| json!(days)),
    };
    let input = json!({ "id": *id, "settings": settings });
    let outcome = context.ask("websites", "updateSettings", input).await;
    changed(&context, &id, &sent, outcome).await
}

async fn public(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = json!({ "id": *id, "isPublic": sent.text("public") == "yes" });
    let outcome = context.ask("websites", "togglePublic", input).await;
    changed(&context, &id, &sent, outcome).await
}

async fn rotate(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let outcome = context
        .ask("websites", "rotateTracking", json!({ "id": *id }))
        .await;
    changed(&context, &id, &sent, outcome).await
}

async fn delete(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let website = found(&context, &id).await?;
    if !sent.text("sure").eq_ignore_ascii_case(&website.domain) {
        let problems = Problems::saying("The domain differs: nothing was deleted.");
        let typed = Typed {
            sent: None,
            problems,
        };
        let main = draw(&context, &website, false, &typed);
        let refused = Refused::INVALID;
        return Ok(context.again_site(refused, Place::Settings, &website.id, "Settings", &main));
    }
    let outcome: Result<Value, Fault> = context
        .ask("websites", "delete", json!({ "id": *id }))
        .await;
    match outcome {
        Ok(_) => Ok(answer::see("/")),
        refused => changed(&context, &id, &sent, refused).await,
    }
}
