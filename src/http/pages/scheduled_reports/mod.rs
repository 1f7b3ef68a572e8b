//! Scheduled reports of a website or a board: who gets them, and what they look like.

mod list;
mod names;
mod show;

use super::{
    parent::{OfBoard, OfWebsite, Parent},
    prelude::*,
    resource::{self, creation},
};

/// Where the pages of scheduled reports are.
trait ReportRoutes: Parent {
    const LIST: &'static str;
    const ONE: &'static str;
    const DELETE: &'static str;
    const PREVIEW: &'static str;
    const NAV_ITEM: NavItem;
    /// What a report is made of.
    const ABOUT: &'static str;
}

impl ReportRoutes for OfWebsite {
    const LIST: &'static str = "/console/site/{id}/scheduled-reports";
    const ONE: &'static str = "/console/site/{id}/scheduled-report/{report}";
    const DELETE: &'static str = "/console/site/{id}/scheduled-report/{report}/delete";
    const PREVIEW: &'static str = "/console/site/{id}/scheduled-reports/preview";
    const NAV_ITEM: NavItem = NavItem::ScheduledReports;
    const ABOUT: &'static str = "Send visitors, top pages, sources and countries to an inbox or a channel: daily, weekly or monthly.";
}

impl ReportRoutes for OfBoard {
    const LIST: &'static str = "/console/board/{board}/scheduled-reports";
    const ONE: &'static str = "/console/board/{board}/scheduled-report/{report}";
    const DELETE: &'static str = "/console/board/{board}/scheduled-report/{report}/delete";
    const PREVIEW: &'static str = "/console/board/{board}/scheduled-reports/preview";
    const NAV_ITEM: NavItem = NavItem::Boards;
    const ABOUT: &'static str =
        "Send the numbers of all panels to an inbox or a channel: daily, weekly or monthly.";
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = routes_of::<OfWebsite>();
    routes.extend(routes_of::<OfBoard>());
    routes
}

fn routes_of<P: ReportRoutes>() -> Vec<Route> {
    let mut routes: Vec<Route> = creation::<list::NewReport<P>>().into();
    routes.extend(resource::routes::<show::ReportPage<P>>());
    routes.push(page_route(P::PREVIEW, |route| route.to(show::preview::<P>)));
    routes
}
