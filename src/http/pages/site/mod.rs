//! Pages about one website.

mod dashboard;
mod data_access;
mod definitions;
mod export;
mod installation;
mod new;
mod period;
mod realtime;
mod reports;
mod settings;
mod share;
mod timeline;

use super::context::PageContext;
use crate::{
    fault::Fault,
    http::{
        procedures::{
            bodies::IdBody,
            websites::{self, WebsiteOut},
        },
        routes::Route,
    },
};

pub(super) fn routes() -> Vec<Route> {
    [
        new::routes(),
        dashboard::routes(),
        export::routes(),
        realtime::routes(),
        reports::routes(),
        timeline::routes(),
        settings::routes(),
        share::routes(),
        definitions::routes(),
        installation::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The website of a path, if the person may see it.
async fn website(context: &PageContext, id: &str) -> Result<WebsiteOut, Fault> {
    let body = IdBody { id: id.to_owned() };
    context.ask(&websites::GET_BY_ID, body).await
}

fn site_name(website: &WebsiteOut) -> &str {
    website.name.as_deref().unwrap_or_default()
}
