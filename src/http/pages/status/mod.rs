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
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::PageContext;
use crate::{
    fault::Fault,
    http::{routes::Route, status::markdown_html},
};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        new::routes(),
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

/// What lists and pages need of a status page; what its form needs is in [`fields`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    id: String,
    name: String,
    slug: String,
    monitor_count: usize,
}

impl Page {
    /// Where the world sees it.
    fn address(&self, context: &PageContext) -> String {
        format!("{}/status/{}", context.shared().urls.base, self.slug)
    }
}

/// A page with all that is known of it.
async fn found(context: &PageContext, id: &str) -> Result<Value, Fault> {
    let input = json!({ "statusPageId": id });
    context.ask("statusPage", "get", input).await
}

/// The same, as far as most need it.
async fn named(context: &PageContext, id: &str) -> Result<Page, Fault> {
    let page = found(context, id).await?;
    Page::deserialize(&page).map_err(Fault::internal)
}

/// What was said, as readers of the page see it.
fn said(text: &str) -> Markup {
    html! { div.said { (PreEscaped(markdown_html(text))) } }
}
