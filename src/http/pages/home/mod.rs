//! `/`: what needs attention, and all websites at a glance.

mod attention;
mod checklist;
mod demo;
mod websites;
mod welcome;

use futures_util::future::join;

pub(super) use self::welcome::draw_welcome;
use self::{attention::Attention, checklist::Checklist};
use crate::{
    http::{
        edge::RequestId,
        pages::{
            prelude::*,
            stream::{PartSender, in_turn, stream, wrapped},
        },
        procedures::{bodies::OrganizationBody, websites::charts::LIST_WITH_CHARTS},
    },
    pages::frame::framed_page,
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
    let date_format = context.date_format().await?;
    let frame = context.frame(NavItem::Home, None);
    let has_websites = !frame.websites.is_empty();
    let head = html! {
        div.title-row {
            h1 { "Home" }
            @if has_websites && context.can(Permission::WebsiteManage) {
                div.actions { a.button.first href="/console/sites/new" { "Add website" } }
            }
        }
    };
    let page = framed_page(&frame, "Home", &head);
    let request = RequestId::from_request(&context.request);
    let parts = in_turn(Texts::ENGLISH, request, |sender| async move {
        send_panels(&context, &date_format, &sender).await
    });
    let parts = wrapped("<div id=\"home\" data-live=\"30\">", parts, "</div>");
    Ok(stream(page, parts))
}

/// The panels in the order in which they are known: alerts and monitors are in memory, and the numbers of websites take queries.
/// The checklist needs both, and the websites wait for it, because it is above them.
async fn send_panels(
    context: &PageContext,
    date_format: &DateFormat,
    sender: &PartSender,
) -> Result<(), Fault> {
    let charts = context.ask(&LIST_WITH_CHARTS, OrganizationBody::default());
    let attention = async {
        let attention = Box::pin(Attention::load(context)).await;
        sender.send(attention.draw(date_format));
        attention
    };
    let (charts, attention) = Box::pin(join(charts, attention)).await;
    let charts = charts?;
    let checklist = Box::pin(Checklist::load(context, &charts, &attention)).await;
    if let Some(checklist) = checklist {
        sender.send(checklist.draw());
    }
    let list = websites::List {
        charts: &charts,
        can_add: context.can(Permission::WebsiteManage),
        now_ms: context.shared().clock.now_ms(),
    };
    sender.send(list.draw());
    Ok(())
}
