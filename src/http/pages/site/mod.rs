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

use super::context::PageContext;
use crate::{
    fault::Fault,
    http::{
        procedures::websites::{self, IdBody, WebsiteOut},
        routes::Route,
    },
};

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

/// The website of a path, if the person may see it.
async fn website(context: &PageContext, id: &str) -> Result<WebsiteOut, Fault> {
    let body = IdBody { id: id.to_owned() };
    context.ask(&websites::GET_BY_ID, body).await
}

fn site_name(website: &WebsiteOut) -> &str {
    website.name.as_deref().unwrap_or_default()
}
