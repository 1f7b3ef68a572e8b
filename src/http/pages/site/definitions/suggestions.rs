//! Paths and names of events of a website, which complete what is typed into forms.

use serde_json::{Value, json};

use crate::http::pages::prelude::*;

/// The id of the list.
pub(super) const TARGETS: &str = "targets";
/// Values of each type.
const MAX: usize = 100;

/// The list; empty where nothing can be asked.
pub(super) async fn draw(context: &PageContext, site: &str) -> Markup {
    let body =
        json!({ "parameters": ["top_pages", "custom_events"], "preset": "last_30d", "limit": MAX });
    let answers = context.query(site, body).await.ok();
    let names = |kind: &str, column: &str| -> Vec<String> {
        let rows = answers
            .as_ref()
            .and_then(|answers| answers.rows::<Value>(kind).ok());
        let rows = rows.unwrap_or_default();
        let names = rows.iter().filter_map(|row| row[column].as_str());
        names.map(str::to_owned).collect()
    };
    html! {
        datalist id=(TARGETS) {
            @for path in names("top_pages", "path") { option value=(path) { "Page" } }
            @for name in names("custom_events", "name") { option value=(name) { "Event" } }
        }
    }
}
