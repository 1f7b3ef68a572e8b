//! The inputs of a domain.

use crate::{
    http::{
        pages::{
            form::{Empty, Need},
            prelude::*,
        },
        procedures::{
            bodies::OrganizationBody, dashboards::DashboardBody, shares, status_page, websites,
        },
    },
    pages::frame::Choice,
};

const USES: &[(&str, &str)] = &[
    ("links", "Short links"),
    ("status", "Status page"),
    ("tracker", "Tracker (first-party script and events)"),
    ("share", "Shared dashboard"),
];

/// Inputs of a new domain.
pub(super) const NEW: &[Section] = &[Section::plain(&[
    Input::line("host", "Domain")
        .hint("A host name of your own. Example: go.example.com")
        .need(Need::Required),
    Input::choice("use", "Used for", USES),
    Input::choice("id", "Status page or share link", &[("", "None")])
        .hint("What the domain shows, if it is used for a status page or a shared dashboard.")
        .empty(Empty::Omit),
])];

/// Inputs of a domain for short links.
pub(super) const PAGES: &[Section] = &[Section::plain(&[
    Input::line("rootUrl", "Root URL").hint("Where the domain itself leads. Leave empty for a notice."),
    Input::line("unknownUrl", "Unknown slug URL")
        .hint("Where a slug leads that no link has. Leave empty for a notice."),
    Input::line("endedUrl", "Expired link URL")
        .hint("Where an expired link leads that has no fallback URL of its own. Leave empty for a notice."),
])];

/// The status pages and share links that a domain can serve.
pub(super) async fn choices(context: &PageContext) -> Result<Choices, Fault> {
    let all = OrganizationBody::default;
    let pages = context.ask(&status_page::pages::LIST, all()).await?;
    let mut served: Vec<Choice> = Vec::new();
    served.extend(pages.into_iter().map(|page| Choice {
        name: format!("Status page: {}", page.fields.name),
        id: page.id,
    }));
    for website in context.ask(&websites::LIST, all()).await? {
        let dashboard = DashboardBody::of_website(&website.id);
        let dashboard_name = website.name.as_deref().unwrap_or(&website.domain);
        for share in context.ask(&shares::LIST, dashboard).await? {
            served.push(Choice {
                name: format!("Dashboard of {dashboard_name}: {}", share.name),
                id: share.id,
            });
        }
    }
    Ok(Choices::default().with("id", served))
}
