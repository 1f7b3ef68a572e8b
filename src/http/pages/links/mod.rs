//! Short links: all of them, making and changing one, what became of it, and folders.

mod fields;
mod folders;
mod inputs;
mod list;
mod new;
mod show;

use std::collections::HashMap;

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::context::PageContext;
use crate::{
    analytics::{
        range::{Preset, Range},
        run::Period,
    },
    fault::Fault,
    http::{routes::Route, v1},
    ids::LinkId,
    pages::time::{DateFormat, moment},
};

pub(super) fn routes() -> Vec<Route> {
    [
        list::routes(),
        new::routes(),
        folders::routes(),
        show::routes(),
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

async fn folders(context: &PageContext) -> Result<Vec<Folder>, Fault> {
    context.ask("linkFolders", "list", json!({})).await
}

/// How often links of the organization that is worked in were followed in the last 30 days, by their ids; nothing where that cannot
/// be told.
async fn clicks(
    context: &PageContext,
    links: &[Link],
    date_format: &DateFormat,
) -> Option<HashMap<LinkId, u64>> {
    let organization = context.session.active_organization.as_ref()?;
    let ids: Vec<&str> = links.iter().map(|link| link.id.as_str()).collect();
    let now_ms = context.shared().clock.now_ms();
    let range = Range::preset(Preset::Last30d, now_ms, date_format.zone);
    let period = Period { range, now_ms };
    let caller = &context.call.caller;
    let clicks = v1::clicks(context.shared(), caller, organization, (&ids, period)).await;
    clicks.ok()
}
