//! Scheduled reports of a website: who gets them, and what they look like.

mod list;
mod show;

use super::super::resource::{self, creation};
use crate::http::{procedures::scheduled_reports::ReportOut, routes::Route};

pub(super) fn routes() -> Vec<Route> {
    let mut routes: Vec<Route> = creation::<list::NewReport>().into();
    routes.extend(resource::routes::<ReportOut>());
    routes.extend(show::routes());
    routes
}
