//! Demo data: a website of its own with synthetic events, which goes as it came.

use crate::{
    events::demo::DOMAIN,
    http::{
        pages::prelude::*,
        procedures::{
            bodies::{IdBody, OrganizationBody},
            websites::{WebsiteOut, lifecycle, samples},
        },
    },
    pages::{
        frame::site_path,
        part::{confirm, hidden},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        form_route("/console/demo", |route| route.to(explore)),
        form_route("/console/demo/remove", |route| route.to(remove)),
    ]
}

/// Whether a website is the demo.
pub(super) fn is_demo(website: &WebsiteOut) -> bool {
    website.domain == DOMAIN
}

/// The button that removes it.
pub(super) fn draw_removal(website: &WebsiteOut) -> Markup {
    confirm(
        "Remove demo data…",
        "This deletes the demo website and its synthetic events.",
        "/console/demo/remove",
        "Remove demo data",
        &hidden("id", &website.id),
    )
}

async fn explore(context: PageContext) -> Result<HttpResponse, Fault> {
    let website = context
        .ask(&samples::CREATE_DEMO, OrganizationBody::default())
        .await?;
    Ok(answer::redirect(&format!(
        "{}?preset=last_30d",
        site_path(&website.id)
    )))
}

async fn remove(context: PageContext, sent: FormData) -> Result<HttpResponse, Fault> {
    let website = context.website(sent.text("id")).await?;
    if !is_demo(&website) {
        return Err(Fault::invalid("Only a demo website can be removed here"));
    }
    let input = IdBody { id: website.id };
    context.change(&lifecycle::DELETE, input).await?;
    Ok(answer::redirect("/"))
}
