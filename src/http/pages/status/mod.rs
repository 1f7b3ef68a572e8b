//! Status pages: all of them, one with its monitors, what is said of incidents and maintenance, and who follows it.

mod fields;
mod incident;
mod incidents;
mod list;
mod monitors;
mod new;
mod report;
mod show;
mod subscribers;

use maud::{Markup, PreEscaped, html};

use super::context::PageContext;
use crate::{
    fault::Fault,
    http::{
        procedures::status_page::{
            bodies::StatusPageIdBody,
            pages,
            wire::{PageOut, WholePageOut},
        },
        routes::Route,
        status::markdown_html,
    },
};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        new::routes().into(),
        show::routes(),
        monitors::routes(),
        subscribers::routes(),
        report::routes(),
        incident::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Where a status page is changed.
fn path(id: &str) -> String {
    format!("/console/status-page/{id}")
}

/// Where the world sees a page.
fn address(context: &PageContext, page: &PageOut) -> String {
    format!("{}/status/{}", context.shared().urls.base, page.fields.slug)
}

/// A page with all that is known of it.
async fn load_page(context: &PageContext, id: &str) -> Result<WholePageOut, Fault> {
    let status_page_id = id.to_owned();
    context
        .ask(&pages::GET, StatusPageIdBody { status_page_id })
        .await
}

/// What was said, as readers of the page see it.
fn draw_markdown(text: &str) -> Markup {
    html! { div.said { (PreEscaped(markdown_html(text))) } }
}
