//! Pages about one website.

mod compatibility;
pub(super) mod dashboard;
mod data_access;
pub(super) mod day_chart;
mod definitions;
mod export;
mod installation;
mod new;
pub(super) mod period;
mod realtime;
mod reports;
mod settings;
pub(super) mod shared;
mod timeline;

use super::resource::creation;
use crate::http::{procedures::websites::WebsiteOut, routes::Route};

pub(super) fn routes() -> Vec<Route> {
    [
        creation::<new::NewWebsite>().into(),
        dashboard::routes(),
        export::routes(),
        realtime::routes(),
        reports::routes(),
        timeline::routes(),
        settings::routes(),
        definitions::routes(),
        installation::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

pub(super) fn site_name(website: &WebsiteOut) -> &str {
    website.name.as_deref().unwrap_or_default()
}
