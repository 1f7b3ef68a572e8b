//! Status pages: all of them, one with its monitors, what is said of incidents and maintenance, and who follows it.

mod fields;
mod incident;
mod incidents;
mod list;
mod monitors;
mod report;
mod show;
mod subscribers;

use maud::PreEscaped;

use self::show::NewPage;
use super::resource::creation;
use crate::http::{
    pages::prelude::*,
    procedures::status_page::{
        bodies::IdBody,
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
        subscribers::routes(),
        report::routes(),
        incident::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Where the world sees a page.
fn address(context: &PageContext, page: &PageOut) -> String {
    format!("{}/status/{}", context.shared().urls.base, page.fields.slug)
}

/// A page with all that is known of it.
async fn load_page(context: &PageContext, id: &str) -> Result<WholePageOut, Fault> {
    let status_page_id = id.to_owned();
    context.ask(&pages::GET, IdBody { status_page_id }).await
}

/// What was said, as readers of the page see it.
fn draw_markdown(text: &str) -> Markup {
    html! { div.said { (PreEscaped(markdown_html(text))) } }
}
