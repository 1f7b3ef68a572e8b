//! A website's settings: what it is called, who may send events, what is left out, who may see it, and its end.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::json;

use super::{site_name, website};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{
            answer,
            context::{PageContext, Refused, told},
            form::{Choices, Empty, FormData, Input, Inputs, Kind, Section},
            page, sent,
        },
        procedures::{
            bodies::IdBody,
            websites::{self, TogglePublicBody, UpdateBody, WebsiteOut},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, copied, hidden, notice, panel, tick},
        problem::Problems,
        time::DateFormat,
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

const NAME: &[Section] = &[Section::plain(&[
    Input::line("name", "Name").required(),
    Input::line("domain", "Domain").required(),
])];

const RULES: &[Section] = &[Section::plain(&[
    Input::note("In every list: one entry a line."),
    list(
        "settings.allowedOrigins",
        "Further origins that may send events",
    )
    .hint("Beside the domain: https://shop.example, *.example.com, localhost:3000, *."),
    list(
        "settings.allowedIps",
        "Only these addresses may send events",
    )
    .hint("Addresses and networks; empty = all."),
    list(
        "settings.excludedIps",
        "Leave out visits from these addresses",
    )
    .hint("Such as your own office; addresses and networks."),
    list(
        "settings.excludedCountries",
        "Leave out visits from these countries",
    )
    .hint("Codes or English names."),
    list("settings.excludedPaths", "Leave out these paths")
        .hint("* stands for anything: /admin/*."),
    list("settings.excludedHosts", "Leave out these hosts")
        .hint("staging.example.com, *.example.com."),
    list(
        "settings.ignoredTrackingOrigins",
        "Do not report refused events of these origins",
    ),
    Input::of(
        Kind::Line("number"),
        RETENTION,
        "Days after which events are deleted",
    )
    .hint("0 = never; empty = as the installation says."),
])];

const RETENTION: &str = "settings.retentionDays";

const fn list(name: &'static str, label: &'static str) -> Input {
    Input::of(Kind::Lines(2), name, label).empty(Empty::List)
}

fn path(id: &str) -> String {
    format!("/console/site/{id}/settings")
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = website(&context, &id).await?;
    let done = context.parameter("done") == "1";
    let main = draw(&context, &website, done, &Typed::default())?;
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
            let main = draw(context, &website, false, &typed)?;
            Ok(context.again_site(refused, Place::Settings, &website.id, "Settings", &main))
        }
    }
}

fn draw(
    context: &PageContext,
    website: &WebsiteOut,
    done: bool,
    typed: &Typed<'_>,
) -> Result<Markup, Fault> {
    let date_format = DateFormat::default();
    let fields: Vec<&str> = [NAME, RULES]
        .iter()
        .flat_map(|own| Inputs::new(own, "", &date_format).names())
        .collect();
    let everybody = website
        .settings
        .as_ref()
        .is_some_and(|settings| settings.ignore_bot_detection);
    let bots = tick("bots", "Count everybody as a person, bots too", everybody);
    let may_manage = context.may(Permission::WebsiteManage);
    Ok(html! {
        div.title-row { h1 { "Settings of " (site_name(website)) } }
        @if done { (notice("good", &html! { "Saved." })) }
        @for said in typed.problems.above(&fields) { (notice("bad", &html! { (said) })) }
        @if !context.may(Permission::WebsiteConfigure) {
            (notice("note", &html! { "Your role may look at these settings, and not change them." }))
        }
        div.grid {
            (panel("Name and domain", &draw_form(NAME, "name", website, typed, &html! {})?))
            (panel("Who may see it", &draw_sharing(context, website, may_manage)))
            (panel("Who may send events, and what is left out", &draw_form(RULES, "rules", website, typed, &bots)?))
            (panel("Client id", &draw_client_id(website)))
            @if may_manage { (panel("Delete", &draw_deletion(website))) }
        }
    })
}

/// A form with what was typed into it; with what is stored, where it was not sent.
fn draw_form(
    sections: &'static [Section],
    last: &str,
    website: &WebsiteOut,
    typed: &Typed<'_>,
    more: &Markup,
) -> Result<Markup, Fault> {
    let date_format = DateFormat::default();
    let inputs = Inputs::new(sections, "", &date_format);
    let stored = inputs.fill(website)?;
    let is_own = |sent: &&FormData| inputs.names().iter().any(|name| sent.is_on(name));
    let sent = typed.sent.filter(is_own).unwrap_or(&stored);
    let form = Form {
        action: &format!("{}/{last}", path(&website.id)),
        send: "Save",
        problems: &Problems::NONE,
        fields: &[],
    };
    Ok(form.around(&html! { (inputs.draw(sent, &Choices::default(), &typed.problems)) (more) }))
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
    let mut input = Inputs::new(RULES, "", &DateFormat::default()).collect(&sent, &mut Vec::new());
    let settings = &mut input["settings"];
    settings["ignoreBotDetection"] = json!(sent.is_on("bots"));
    // What is no number is refused with its place.
    if let Ok(days) = sent.text(RETENTION).parse::<u32>() {
        settings["retentionDays"] = json!(days);
    }
    input.insert("id".to_owned(), json!(*id));
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
    let outcome = context
        .ask(&websites::lifecycle::ROTATE_TRACKING, body)
        .await;
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
        let main = draw(&context, &website, false, &typed)?;
        let refused = Refused::INVALID;
        return Ok(context.again_site(refused, Place::Settings, &website.id, "Settings", &main));
    }
    let body = IdBody { id: id.to_string() };
    match context.ask(&websites::lifecycle::DELETE, body).await {
        Ok(_) => Ok(answer::see("/")),
        refused => answer_change(&context, &id, &sent, refused).await,
    }
}
