//! Pages about one website.

mod behind;
mod dashboard;
mod days;
mod export;
mod new;
mod now;
mod reports;
mod settings;
mod setup;
mod share;
mod studies;
mod timeline;

use serde::Deserialize;
use serde_json::json;

use super::context::PageContext;
use crate::{fault::Fault, http::routes::Route};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = new::routes();
    routes.extend(dashboard::routes());
    routes.extend(export::routes());
    routes.extend(now::routes());
    routes.extend(reports::routes());
    routes.extend(timeline::routes());
    routes.extend(settings::routes());
    routes.extend(share::routes());
    routes.extend(studies::routes());
    routes.extend(setup::routes());
    routes
}

/// What pages need of a website.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Website {
    id: String,
    client_id: String,
    name: String,
    domain: String,
}

/// The website of a path, if the person may see it.
async fn website(context: &PageContext, id: &str) -> Result<Website, Fault> {
    context
        .ask("websites", "getById", json!({ "id": id }))
        .await
}
