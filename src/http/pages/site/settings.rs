//! A website's settings: what it is called, who may send events, what is left out, who may see it, and its end.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{site_name, website};
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
        procedures::{
            website_lives,
            websites::{self, IdBody, SettingsOut, TogglePublicBody, UpdateBody, WebsiteOut},
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
        sent("/console/site/{id}/settings/name", |route| {
            route.to(change_name)
        }),
        sent("/console/site/{id}/settings/rules", |route| {
            route.to(change_rules)
        }),
        sent("/console/site/{id}/settings/public", |route| {
            route.to(change_public)
        }),
        sent("/console/site/{id}/settings/rotate", |route| {
            route.to(rotate)
        }),
        sent("/console/site/{id}/settings/delete", |route| {
            route.to(delete)
        }),
    ]
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

/// A list of the rules: field, label, what it is for, and what is in it.
type List = (
    &'static str,
    &'static str,
    &'static str,
    fn(&SettingsOut) -> &[String],
);

const LISTS: [List; 7] = [
    (
        "allowedOrigins",
        "Further origins that may send events",
        "Beside the domain: https://shop.example, *.example.com, localhost:3000, *.",
        |settings| &settings.allowed_origins,
    ),
    (
        "allowedIps",
        "Only these addresses may send events",
        "Addresses and networks; empty = all.",
        |settings| &settings.allowed_ips,
    ),
    (
        "excludedIps",
        "Leave out visits from these addresses",
        "Such as your own office; addresses and networks.",
        |settings| &settings.excluded_ips,
    ),
    (
        "excludedCountries",
        "Leave out visits from these countries",
        "Codes or English names.",
        |settings| &settings.excluded_countries,
    ),
    (
        "excludedPaths",
        "Leave out these paths",
        "* stands for anything: /admin/*.",
        |settings| &settings.excluded_paths,
    ),
    (
        "excludedHosts",
        "Leave out these hosts",
        "staging.example.com, *.example.com.",
        |settings| &settings.excluded_hosts,
    ),
    (
        "ignoredTrackingOrigins",
        "Do not report refused events of these origins",
        "",
        |settings| &settings.ignored_tracking_origins,
    ),
];

fn path(id: &str) -> String {
    format!("/console/site/{id}/settings")
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = website(&context, &id).await?;
    let done = context.parameter("done") == "1";
    let main = draw(&context, &website, done, &Typed::default());
    Ok(context.show_site(Place::Settings, &website.id, "Settings", &main))
}

/// What a change answers: the page with its news, or with what is wrong.
async fn answer_change<O>(
    context: &PageContext,
    id: &str,
    sent: &FormData,
    outcome: Result<O, Fault>,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(&format!("{}?done=1", path(id)))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let website = website(context, id).await?;
            let typed = Typed {
                sent: Some(sent),
                problems,
            };
            let main = draw(context, &website, false, &typed);
            Ok(context.again_site(refused, Place::Settings, &website.id, "Settings", &main))
        }
    }
}

fn draw(context: &PageContext, website: &WebsiteOut, done: bool, typed: &Typed<'_>) -> Markup {
    let may_manage = context.may(Permission::WebsiteManage);
    html! {
        div.title-row { h1 { "Settings of " (site_name(website)) } }
        @if done { (notice("good", &html! { "Saved." })) }
        @for said in typed.problems.above(&FIELDS) { (notice("bad", &html! { (said) })) }
        @if !context.may(Permission::WebsiteConfigure) {
            (notice("note", &html! { "Your role may look at these settings, and not change them." }))
        }
        div.grid {
            (panel("Name and domain", &draw_name(website, typed)))
            (panel("Who may see it", &draw_sharing(context, website, may_manage)))
            (panel("Who may send events, and what is left out", &draw_rules(website, typed)))
            (panel("Client id", &draw_client_id(website)))
            @if may_manage { (panel("Delete", &draw_deletion(website))) }
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

fn draw_name(website: &WebsiteOut, typed: &Typed<'_>) -> Markup {
    let action = format!("{}/name", path(&website.id));
    let form = Form {
        action: &action,
        send: "Save",
        problems: &Problems::NONE,
        fields: &FIELDS,
    };
    let name = Field::text("name", "Name").value(typed.or("name", site_name(website)));
    let domain = Field::text("domain", "Domain").value(typed.or("domain", &website.domain));
    form.around(&html! { (name.draw(&typed.problems)) (domain.draw(&typed.problems)) })
}

fn draw_sharing(context: &PageContext, website: &WebsiteOut, may_manage: bool) -> Markup {
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

fn draw_rules(website: &WebsiteOut, typed: &Typed<'_>) -> Markup {
    let action = format!("{}/rules", path(&website.id));
    let form = Form {
        action: &action,
        send: "Save",
        problems: &Problems::NONE,
        fields: &FIELDS,
    };
    let settings = website.settings.as_ref();
    let days = settings.and_then(|settings| settings.retention_days);
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
    let everybody = settings.is_some_and(|settings| settings.ignore_bot_detection);
    form.around(&html! {
        p.hint { "In every list: one entry a line." }
        @for (name, label, hint, list) in LISTS {
            @let lines = settings.map(|settings| list(settings).join("\n")).unwrap_or_default();
            @let field = format!("settings.{name}");
            (Field::text(&field, label).value(typed.or(&field, &lines)).hint(hint).optional().lines(2, &typed.problems))
        }
        (kept.draw(&typed.problems))
        (tick("bots", "Count everybody as a person, bots too", everybody))
    })
}

fn draw_client_id(website: &WebsiteOut) -> Markup {
    let action = format!("{}/rotate", path(&website.id));
    html! {
        p { "Events come in under this id; it stands in the pages, and is no secret." }
        (copied("Client id", &website.client_id))
        form method="post" action=(action) data-confirm="The old id stops working at once. Go on?" {
            p { button.button type="submit" { "Give it a new one" } }
        }
    }
}

fn draw_deletion(website: &WebsiteOut) -> Markup {
    let action = format!("{}/delete", path(&website.id));
    html! {
        p { "It stops taking events at once. An owner can bring it back for a while." }
        form.form method="post" action=(action) {
            (Field::text("sure", "Its domain, to be sure").hint(&website.domain).draw(&Problems::NONE))
            p { button.button.danger type="submit" { "Delete the website" } }
        }
    }
}

async fn change_name(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let body = UpdateBody {
        id: id.to_string(),
        name: Some(sent.text("name").to_owned()),
        domain: Some(sent.text("domain").to_owned()),
    };
    let outcome = context.ask(&websites::UPDATE, body).await;
    answer_change(&context, &id, &sent, outcome).await
}

async fn change_rules(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let mut settings = json!({ "ignoreBotDetection": sent.is_on("bots") });
    for (name, ..) in LISTS {
        settings[name] = json!(sent.lines(&format!("settings.{name}")));
    }
    settings["retentionDays"] = match sent.text("settings.retentionDays") {
        "" => Value::Null,
        // What is no number is refused with its place.
        text => text
            .parse::<u32>()
            .map_or_else(|_| json!(text), |days| json!(days)),
    };
    let input = Map::from_iter([
        ("id".to_owned(), json!(*id)),
        ("settings".to_owned(), settings),
    ]);
    let outcome = context.submit(&websites::UPDATE_SETTINGS, input).await;
    answer_change(&context, &id, &sent, outcome).await
}

async fn change_public(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let body = TogglePublicBody {
        id: id.to_string(),
        is_public: sent.text("public") == "yes",
    };
    let outcome = context.ask(&websites::TOGGLE_PUBLIC, body).await;
    answer_change(&context, &id, &sent, outcome).await
}

async fn rotate(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let body = IdBody { id: id.to_string() };
    let outcome = context.ask(&website_lives::ROTATE_TRACKING, body).await;
    answer_change(&context, &id, &sent, outcome).await
}

async fn delete(
    context: PageContext,
    id: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let website = website(&context, &id).await?;
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
    let body = IdBody { id: id.to_string() };
    match context.ask(&website_lives::DELETE, body).await {
        Ok(_) => Ok(answer::see("/")),
        refused => answer_change(&context, &id, &sent, refused).await,
    }
}
