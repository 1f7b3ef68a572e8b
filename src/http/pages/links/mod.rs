//! Short links: all of them, making and changing one, what became of it, and folders.

mod fields;
mod folders;
mod inputs;
mod list;
mod new;
mod one;

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::visit::Visit;
use crate::{fault::Fault, http::routes::Route, pages::time::moment};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        new::routes(),
        folders::routes(),
        one::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Where a link's page is.
fn path(id: &str) -> String {
    format!("/console/link/{id}")
}

/// What lists and pages need of a link; what forms need is in [`fields`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    id: String,
    short_url: String,
    slug: String,
    name: Option<String>,
    target_url: Option<String>,
    folder_id: Option<String>,
    expires_at: Option<String>,
    taken_down: Option<bool>,
    has_password: bool,
    created_at: String,
}

impl Link {
    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.slug)
    }

    /// What is special about it, at a moment.
    fn marks(&self, now_ms: i64) -> Markup {
        let ends = self.expires_at.as_deref().and_then(moment);
        html! {
            @if self.taken_down == Some(true) { " " span.state.bad { "taken down" } }
            @if ends.is_some_and(|ends| ends <= now_ms) { " " span.state.warn { "expired" } }
            @if self.has_password { " " span.state { "password" } }
        }
    }
}

/// A folder with how many links are in it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Folder {
    id: String,
    name: String,
    slug: String,
    link_count: u64,
}

async fn folders(visit: &Visit) -> Result<Vec<Folder>, Fault> {
    visit.ask("linkFolders", "list", json!({})).await
}

/// How often links were followed in the last 30 days.
async fn clicks(visit: &Visit, link: &str) -> Option<u64> {
    let body = json!({ "parameters": ["link_total_clicks"], "preset": "last_30d" });
    let answers = visit.query_link(link, body).await.ok()?;
    let rows: Vec<Value> = answers.rows("link_total_clicks").ok()?;
    rows.first().map_or(Some(0), |row| row["total"].as_u64())
}
