//! `/`: what needs attention, and all websites at a glance.

mod attention;
mod checklist;
mod demo;
mod websites;
mod welcome;

use futures_util::future::{join, try_join};

pub(super) use self::welcome::draw_welcome;
use self::{attention::Attention, checklist::Checklist};
use crate::http::{
    pages::prelude::*,
    procedures::{bodies::OrganizationBody, websites::charts::LIST_WITH_CHARTS},
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![
        page_route("/", |route| route.to(show)),
        page_route("/console", |route| route.to(show)),
    ];
    routes.extend(checklist::routes());
    routes.extend(demo::routes());
    routes
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    if context.session.active_organization.is_none() {
        return Ok(answer::page(draw_welcome(&context, "", &Problems::NONE)));
    }
    let charts = context.ask(&LIST_WITH_CHARTS, OrganizationBody::default());
    let attention = async { Ok(Box::pin(Attention::load(&context)).await) };
    let (charts, attention) = Box::pin(try_join(charts, attention)).await?;
    let (checklist, date_format) = join(
        Checklist::load(&context, &charts, &attention),
        context.date_format(),
    )
    .await;
    let date_format = date_format?;
    let list = websites::List {
        charts: &charts,
        can_add: context.can(Permission::WebsiteManage),
        now_ms: context.shared().clock.now_ms(),
    };
    let main = html! {
        div.title-row {
            h1 { "Home" }
            (list.draw_actions())
        }
        @if let Some(checklist) = checklist { (checklist.draw()) }
        div #home data-live="30" {
            (attention.draw(&date_format))
            (list.draw())
        }
    };
    Ok(context.show(NavItem::Home, "Home", &main))
}
