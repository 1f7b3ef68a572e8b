//! Pages below those of a website or of a board, which are alike in both places.

use super::prelude::*;
use crate::http::procedures::{boards, bodies::IdBody, dashboards::DashboardBody};

/// The website or the board that a page is about.
pub(super) trait Parent: 'static {
    /// The input of procedures that names it.
    const ID: &'static str;
    /// The right to change what belongs to it.
    const WRITE: Permission;

    /// Its name, if the person may see it.
    async fn name(context: &PageContext, id: &str) -> Result<String, Fault>;

    fn body(id: &str) -> DashboardBody;

    /// The way back to it, where the sidebar has none.
    fn back(_: &str) -> Markup {
        html! {}
    }

    /// A page within its frame.
    fn show(
        context: &PageContext,
        item: NavItem,
        id: &str,
        title: &str,
        main: &Markup,
    ) -> HttpResponse;
}

#[derive(Debug)]
pub(super) struct OfWebsite;

#[derive(Debug)]
pub(super) struct OfBoard;

impl Parent for OfWebsite {
    const ID: &'static str = "websiteId";
    const WRITE: Permission = Permission::WebsiteConfigure;

    async fn name(context: &PageContext, id: &str) -> Result<String, Fault> {
        Ok(context.website(id).await?.name.unwrap_or_default())
    }

    fn body(id: &str) -> DashboardBody {
        DashboardBody {
            website_id: Some(id.to_owned()),
            ..DashboardBody::default()
        }
    }

    fn show(
        context: &PageContext,
        item: NavItem,
        id: &str,
        title: &str,
        main: &Markup,
    ) -> HttpResponse {
        context.show_site(item, id, title, main)
    }
}

impl Parent for OfBoard {
    const ID: &'static str = "boardId";
    const WRITE: Permission = Permission::BoardWrite;

    fn back(id: &str) -> Markup {
        html! { p.lead { a href=(boards::BoardOut::path(&[id])) { "Back to board" } } }
    }

    async fn name(context: &PageContext, id: &str) -> Result<String, Fault> {
        let id = id.to_owned();
        let board = context.ask(&boards::GET_BY_ID, IdBody { id }).await?;
        Ok(board.fields.name)
    }

    fn body(id: &str) -> DashboardBody {
        DashboardBody {
            board_id: Some(id.to_owned()),
            ..DashboardBody::default()
        }
    }

    fn show(
        context: &PageContext,
        item: NavItem,
        _: &str,
        title: &str,
        main: &Markup,
    ) -> HttpResponse {
        context.show(item, title, main)
    }
}
