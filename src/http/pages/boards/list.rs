//! All boards.

use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            boards::{BoardOut, BoardSummaryOut, LIST},
            bodies::OrganizationBody,
        },
    },
    pages::{
        part::{Heading, ListPage, resource_table, time},
        time::{ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route(BoardOut::LIST, |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let boards = context.ask(&LIST, OrganizationBody::default()).await?;
    let can_write = context.can(Permission::BoardWrite);
    let page = ListPage {
        title: "Boards",
        create: can_write.then_some(("/console/boards/new", "Create board")),
        none: "No boards yet",
        about: if can_write {
            "A board puts panels of several websites, links, monitors and feature flags on one page."
        } else {
            "Members of the organization can create boards."
        },
        live: None,
    };
    let date_format = context.date_format().await?;
    let now_ms = context.shared().clock.now_ms();
    let table = (!boards.is_empty()).then(|| table(&boards, &date_format, now_ms));
    let main = page.draw(&html! {}, table);
    Ok(context.show(NavItem::Boards, page.title, &main))
}

fn table(boards: &[BoardSummaryOut], date_format: &DateFormat, now_ms: i64) -> Markup {
    let headings = [
        Heading::Text("Board"),
        Heading::Number("Panels"),
        Heading::Text("Updated"),
    ];
    let rows = html! {
        @for board in boards { tr {
            td {
                a.name href=(BoardOut::path(&[&board.id])) { (board.name) }
                @if let Some(text) = &board.description { span.dim { (text) } }
            }
            td.num data-label="Panels" { (board.panel_count) }
            td data-label="Updated" { @if let Some(at) = moment(&board.updated_at) { (time(at, &ago(at, now_ms), date_format)) } }
        } }
    };
    resource_table("Boards, newest first", &headings, &rows)
}
