//! Share links of a website or a board: the list, a new one, and the page of one.

mod list;
mod show;

use super::{
    parent::{OfBoard, OfWebsite, Parent},
    prelude::*,
    resource::{self, creation},
};

/// Where the pages of share links are.
trait ShareRoutes: Parent {
    const LIST: &'static str;
    const NEW: &'static str;
    const ONE: &'static str;
    const DELETE: &'static str;
    const NAV_ITEM: NavItem;
    /// The right to share it.
    const SHARE: Permission = Self::WRITE;
}

impl ShareRoutes for OfWebsite {
    const LIST: &'static str = "/console/site/{id}/shares";
    const NEW: &'static str = "/console/site/{id}/shares/new";
    const ONE: &'static str = "/console/site/{id}/share/{share}";
    const DELETE: &'static str = "/console/site/{id}/share/{share}/delete";
    const NAV_ITEM: NavItem = NavItem::Settings;
    const SHARE: Permission = Permission::WebsiteManage;
}

impl ShareRoutes for OfBoard {
    const LIST: &'static str = "/console/board/{board}/shares";
    const NEW: &'static str = "/console/board/{board}/shares/new";
    const ONE: &'static str = "/console/board/{board}/share/{share}";
    const DELETE: &'static str = "/console/board/{board}/share/{share}/delete";
    const NAV_ITEM: NavItem = NavItem::Boards;
}

pub(super) fn routes() -> Vec<Route> {
    let mut routes = routes_of::<OfWebsite>();
    routes.extend(routes_of::<OfBoard>());
    routes
}

fn routes_of<P: ShareRoutes>() -> Vec<Route> {
    // `new` goes before the pattern of one.
    let mut routes: Vec<Route> = creation::<show::NewShare<P>>().into();
    routes.extend(resource::routes::<show::SharePage<P>>());
    routes.push(page_route(P::LIST, |route| route.to(list::show::<P>)));
    routes
}
