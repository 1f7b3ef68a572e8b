//! Status pages: their list, one with its monitors, incidents and subscribers.

mod fields;
mod incident;
mod incidents;
mod list;
mod logo;
mod monitors;
mod report;
mod show;
mod subscribers;

use maud::PreEscaped;

use self::show::NewPage;
pub(super) use self::{
    incident::Incident,
    incidents::{is_open, load_incidents},
};
use super::resource::creation;
use crate::http::{
    pages::prelude::*,
    procedures::status_page::{
        bodies::StatusPageIdBody,
        pages,
        wire::{PageOut, WholePageOut},
    },
    status::markdown_html,
};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        creation::<NewPage>().into(),
        resource::routes::<WholePageOut>(),
        monitors::routes(),
        logo::routes(),
        subscribers::routes(),
        report::routes(),
        incident::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The public address of a page as a link. A private one leads to where members are signed in, which isn't its own domain.
fn draw_address(context: &PageContext, page: &PageOut) -> Markup {
    let address = address(context, page);
    let base = &context.shared().urls.base;
    let here = page
        .is_private()
        .then(|| format!("{base}/status/{}", page.fields.slug));
    html! { a href=(here.as_ref().unwrap_or(&address)) { (address) } }
}

fn address(context: &PageContext, page: &PageOut) -> String {
    let shared = context.shared();
    let owned = (
        &page.id.as_str().into(),
        &page.organization_id.as_str().into(),
    );
    page.fields
        .url(&shared.hosts.view(), &shared.urls.base, owned)
}

async fn load_page(context: &PageContext, id: &str) -> Result<WholePageOut, Fault> {
    let status_page_id = id.to_owned();
    context
        .ask(&pages::GET, StatusPageIdBody { status_page_id })
        .await
}

/// Markdown as readers of the page see it.
fn draw_markdown(text: &str) -> Markup {
    html! { div.said { (PreEscaped(markdown_html(text))) } }
}
