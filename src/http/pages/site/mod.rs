//! Pages about one website.

mod compatibility;
mod dashboard;
mod data_access;
mod day_chart;
mod definitions;
mod export;
mod installation;
mod new;
mod period;
mod realtime;
mod reports;
mod scheduled_reports;
mod settings;
mod share;
mod shares;
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
        share::routes(),
        shares::routes(),
        scheduled_reports::routes(),
        definitions::routes(),
        installation::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn site_name(website: &WebsiteOut) -> &str {
    website.name.as_deref().unwrap_or_default()
}
