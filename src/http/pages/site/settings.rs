//! The settings of a website: name, rules of ingestion, sharing, client id, deletion.

use serde_json::json;

use super::{compatibility, site_name};
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
    routes.extend(compatibility::routes());
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
    Input::note("One entry per line."),
    list(
        "settings.allowedOrigins",
        "Additional allowed origins",
    )
    .hint("The website's domain is always allowed. Example: https://shop.example, *.example.com, localhost:3000."),
    list(
        "settings.allowedIps",
        "Allowed IP addresses",
    )
    .hint("IP addresses or CIDR ranges. Leave empty for all."),
    list(
        "settings.excludedIps",
        "Excluded IP addresses",
    )
    .hint("IP addresses or CIDR ranges. Example: your office."),
    list(
        "settings.excludedCountries",
        "Excluded countries",
    )
    .hint("Country codes or English names. Example: DE."),
    list("settings.excludedPaths", "Excluded paths")
        .hint("* matches anything. Example: /admin/*."),
    list("settings.excludedHosts", "Excluded hosts")
        .hint("Example: staging.example.com, *.example.com."),
    list(
        "settings.ignoredTrackingOrigins",
        "Ignored origins",
    )
    .hint("Data quality doesn't list their rejected events."),
    Input::new(
        Kind::Line("number"),
        RETENTION,
        "Data retention",
    )
    .hint("Days. 0 keeps events forever. Default: the setting of the installation."),
])];

const RETENTION: &str = "settings.retentionDays";

const fn list(name: &'static str, label: &'static str) -> Input {
    Input::new(Kind::Lines(2), name, label).empty(Empty::List)
}

impl Resource for WebsiteOut {
    const PATH: &'static str = "/console/site/{id}/settings";
    const NAV_ITEM: NavItem = NavItem::Settings;
    const WRITE: Option<Permission> = Some(Permission::WebsiteConfigure);

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        context.website(key.id()).await
    }

    fn title(&self) -> &'static str {
        "Settings"
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! { div.title-row { h1 { "Settings" } span.dim { (site_name(self)) } } }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let settings = self.settings.as_ref();
        let everybody = settings.is_some_and(|settings| settings.ignore_bot_detection);
        let bots = checkbox("bots", "Count bots as visitors", everybody);
        let can_manage = page.context.can(Permission::WebsiteManage);
        Ok(html! {
            @if !page.can_change { (notice("note", &html! { "You can view these settings. Your role can't change them." })) }
            div.grid {
                (panel("Name and domain", &draw_form(NAME, "name", self, page, &html! {})?))
                (panel("Visibility", &draw_sharing(self, page, can_manage)))
                (panel("Data collection", &draw_form(RULES, "rules", self, page, &bots)?))
                (panel("Client ID", &draw_client_id(self, page)))
                (panel("Clients of other products", &compatibility::draw(self, page)))
                @if can_manage { (panel("Danger zone", &draw_deletion(self, page))) }
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
    let is_sent = page.context.request.path() == page.below(last);
    let filled = if is_sent { page.sent } else { &stored };
    let fields = inputs.draw(filled, &Choices::default(), page.problems);
    Ok(small_form(
        &page.below(last),
        "Save changes",
        &html! { (fields) (more) },
    ))
}

fn draw_sharing(website: &WebsiteOut, page: &Page<'_>, can_manage: bool) -> Markup {
    let base = &page.context.shared().urls.base;
    let address = format!("{base}/v1/query?website_id={}", website.id);
    let (send, to) = if website.is_public {
        ("Make private", "no")
    } else {
        ("Make public", "yes")
    };
    html! {
        @if website.is_public {
            p { "Anyone with the link can see numbers and lists. Individual sessions stay private." }
            p { a href=(format!("/share/{}", website.id)) { "Open public dashboard" } }
            (copyable("Public query endpoint", &address))
        } @else {
            p { "Only members of your organization can see this website." }
        }
        @if can_manage { (small_form(&page.below("public"), send, &hidden("public", to))) }
        p { a href=(format!("/console/site/{}/shares", website.id)) { "Share links" } ", for people without an account" }
    }
}

fn draw_client_id(website: &WebsiteOut, page: &Page<'_>) -> Markup {
    html! {
        p { "Your pages send events with this ID. It isn't a secret." }
        (copyable("Client ID", &website.client_id))
        form method="post" action=(page.below("rotate")) data-confirm="The current client ID stops working immediately. Rotate it?" {
            p { button.button type="submit" { "Rotate client ID" } }
        }
    }
}

fn draw_deletion(website: &WebsiteOut, page: &Page<'_>) -> Markup {
    html! {
        p { "pharos stops accepting events immediately. An owner can restore the website for a limited time." }
        form.form method="post" action=(page.below("delete")) {
            (Field::text("sure", "Confirm domain").hint(&format!("Enter {} to confirm.", website.domain)).draw(&Problems::NONE))
            p { button.button.danger type="submit" { "Delete website" } }
        }
    }
}

async fn change_name(form: Submission) -> Result<HttpResponse, Fault> {
    let body = UpdateBody {
        id: form.key.id().to_owned(),
        name: Some(form.sent.text("name").to_owned()),
        domain: Some(form.sent.text("domain").to_owned()),
        compatibility: None,
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
            return Err(Fault::invalid(
                "The domain doesn't match. The website wasn't deleted.",
            ));
        }
        let id = website.id.clone();
        form.context
            .change(&websites::lifecycle::DELETE, IdBody { id })
            .await?;
        Ok(Reply::Redirect("/".to_owned()))
    };
    form.finish::<WebsiteOut>(outcome.await).await
}
