//! The settings of a website: name, rules of ingestion, sharing, client id, deletion.

use serde_json::json;

use super::site_name;
use crate::{
    http::{
        pages::{
            form::{Empty, Kind},
            prelude::*,
        },
        procedures::{
            bodies::IdBody,
            websites::{self, TogglePublicBody, UpdateBody, WebsiteOut},
        },
    },
    pages::part::{Field, checkbox, copyable, hidden, notice, panel},
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<WebsiteOut>();
    routes.extend([
        form_route("/console/site/{id}/settings/name", |route| {
            route.to(change_name)
        }),
        form_route("/console/site/{id}/settings/rules", |route| {
            route.to(change_rules)
        }),
        form_route("/console/site/{id}/settings/public", |route| {
            route.to(change_public)
        }),
        form_route("/console/site/{id}/settings/rotate", |route| {
            route.to(rotate)
        }),
        form_route("/console/site/{id}/settings/delete", |route| {
            route.to(delete)
        }),
    ]);
    routes
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
    Input::new(
        Kind::Line("number"),
        RETENTION,
        "Days after which events are deleted",
    )
    .hint("0 = never; empty = as the installation says."),
])];

const RETENTION: &str = "settings.retentionDays";

const fn list(name: &'static str, label: &'static str) -> Input {
    Input::new(Kind::Lines(2), name, label).empty(Empty::List)
}

impl Resource for WebsiteOut {
    const PATH: &'static str = "/console/site/{id}/settings";
    const NAV_ITEM: NavItem = NavItem::Settings;
    const WRITE: Option<Permission> = Some(Permission::WebsiteConfigure);
    const OTHERS: &'static [&'static str] = &["name", "domain", "settings"];

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        context.website(key.id()).await
    }

    fn title(&self) -> &'static str {
        "Settings"
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { "Settings of " (site_name(self)) } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let settings = self.settings.as_ref();
        let everybody = settings.is_some_and(|settings| settings.ignore_bot_detection);
        let bots = checkbox("bots", "Count everybody as a person, bots too", everybody);
        let can_manage = page.context.can(Permission::WebsiteManage);
        Ok(html! {
            @if !page.can_change { (notice("note", &html! { "Your role may look at these settings, and not change them." })) }
            div.grid {
                (panel("Name and domain", &draw_form(NAME, "name", self, page, &html! {})?))
                (panel("Who may see it", &draw_sharing(self, page, can_manage)))
                (panel("Who may send events, and what is left out", &draw_form(RULES, "rules", self, page, &bots)?))
                (panel("Client id", &draw_client_id(self, page)))
                @if can_manage { (panel("Delete", &draw_deletion(self, page))) }
            }
        })
    }
}

/// A form as it was sent, or else with its stored values.
fn draw_form(
    sections: &'static [Section],
    last: &str,
    website: &WebsiteOut,
    page: &Page<'_>,
    more: &Markup,
) -> Result<Markup, Fault> {
    let inputs = Inputs::new(sections, "", page.date_format);
    let stored = inputs.fill(website)?;
    let is_sent = inputs.names().iter().any(|name| page.sent.is_on(name));
    let filled = if is_sent { page.sent } else { &stored };
    let fields = inputs.draw(filled, &Choices::default(), page.problems);
    Ok(small_form(
        &page.below(last),
        "Save",
        &html! { (fields) (more) },
    ))
}

fn draw_sharing(website: &WebsiteOut, page: &Page<'_>, can_manage: bool) -> Markup {
    let base = &page.context.shared().urls.base;
    let address = format!("{base}/v1/query?website_id={}", website.id);
    let (send, to) = if website.is_public {
        ("Make it private", "no")
    } else {
        ("Make it public", "yes")
    };
    html! {
        @if website.is_public {
            p { "Anybody may ask for what is public of it, without a key: numbers and lists, no single visits." }
            p { a href=(format!("/share/{}", website.id)) { "The dashboard that everybody sees" } }
            (copyable("Where questions go", &address))
        } @else {
            p { "Only people of the organization see it." }
        }
        @if can_manage { (small_form(&page.below("public"), send, &hidden("public", to))) }
    }
}

fn draw_client_id(website: &WebsiteOut, page: &Page<'_>) -> Markup {
    html! {
        p { "Events come in under this id; it stands in the pages, and is no secret." }
        (copyable("Client id", &website.client_id))
        form method="post" action=(page.below("rotate")) data-confirm="The old id stops working at once. Go on?" {
            p { button.button type="submit" { "Give it a new one" } }
        }
    }
}

fn draw_deletion(website: &WebsiteOut, page: &Page<'_>) -> Markup {
    html! {
        p { "It stops taking events at once. An owner can bring it back for a while." }
        form.form method="post" action=(page.below("delete")) {
            (Field::text("sure", "Its domain, to be sure").hint(&website.domain).draw(&Problems::NONE))
            p { button.button.danger type="submit" { "Delete the website" } }
        }
    }
}

async fn change_name(form: Submission) -> Result<HttpResponse, Fault> {
    let body = UpdateBody {
        id: form.key.id().to_owned(),
        name: Some(form.sent.text("name").to_owned()),
        domain: Some(form.sent.text("domain").to_owned()),
    };
    let outcome = form.context.ask(&websites::UPDATE, body).await;
    form.finish_change::<WebsiteOut>(outcome).await
}

async fn change_rules(form: Submission) -> Result<HttpResponse, Fault> {
    let mut input =
        Inputs::new(RULES, "", &DateFormat::default()).collect(&form.sent, &mut Vec::new());
    let settings = &mut input["settings"];
    settings["ignoreBotDetection"] = json!(form.sent.is_on("bots"));
    // The procedure refuses other text.
    if let Ok(days) = form.sent.text(RETENTION).parse::<u32>() {
        settings["retentionDays"] = json!(days);
    }
    input.insert("id".to_owned(), json!(form.key.id()));
    let outcome = form.context.submit(&websites::UPDATE_SETTINGS, input).await;
    form.finish_change::<WebsiteOut>(outcome).await
}

async fn change_public(form: Submission) -> Result<HttpResponse, Fault> {
    let body = TogglePublicBody {
        id: form.key.id().to_owned(),
        is_public: form.sent.text("public") == "yes",
    };
    let outcome = form.context.ask(&websites::TOGGLE_PUBLIC, body).await;
    form.finish_change::<WebsiteOut>(outcome).await
}

async fn rotate(form: Submission) -> Result<HttpResponse, Fault> {
    let body = IdBody {
        id: form.key.id().to_owned(),
    };
    let outcome = form
        .context
        .ask(&websites::lifecycle::ROTATE_TRACKING, body)
        .await;
    form.finish_change::<WebsiteOut>(outcome).await
}

async fn delete(form: Submission) -> Result<HttpResponse, Fault> {
    let website = form.context.website(form.key.id()).await?;
    let outcome = async {
        if !form.sent.text("sure").eq_ignore_ascii_case(&website.domain) {
            return Err(Fault::invalid("The domain differs: nothing was deleted."));
        }
        let id = website.id.clone();
        form.context
            .change(&websites::lifecycle::DELETE, IdBody { id })
            .await?;
        Ok(Reply::Redirect("/".to_owned()))
    };
    form.finish::<WebsiteOut>(outcome.await).await
}
