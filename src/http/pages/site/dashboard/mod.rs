//! A website's dashboard: the numbers of some days, how they went, and what is in them. Everything on it is one call of the query
//! function, with the lists that the panels show.

mod annotations;
mod country_map;
mod details;
mod draw;
mod labels;
mod lists;
mod queries;
mod rows;
mod trend;

use serde_json::json;

pub(super) use self::{
    draw::DashboardView,
    lists::{List, SENT, panel_names},
    queries::{SERIES, bodies, kind},
};
pub(in crate::http::pages) use self::{
    queries::{ROWS, metrics_body},
    rows::draw_list,
    trend::{draw as draw_trend, draw_figure},
};
use super::{
    installation::load_state,
    period::{PeriodQuery, filtered_address},
    site_name,
};
use crate::{http::pages::prelude::*, pages::frame::site_path};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![page_route("/console/site/{id}", |route| route.to(show))];
    routes.extend(annotations::routes());
    routes.extend(details::routes());
    routes
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let path = site_path(&website.id);
    let panels = panel_names();
    if let Some(address) = filtered_address(context.request.query_string(), &path, &panels) {
        return Ok(answer::redirect(&address));
    }
    let period = PeriodQuery::load(&context, &panels).await?;
    let answered = context.query(&website.id, json!(bodies(&period, false)));
    let (answers, problems) = period.split(answered.await)?;
    let is_blank = context.request.query_string().is_empty()
        && answers.as_ref().is_some_and(DashboardView::is_empty);
    if is_blank && !load_state(&context, &website.id).await?.has_events {
        return Ok(answer::redirect(&format!("{path}/setup")));
    }
    let annotations = annotations::load(&context, &website.id, &period).await?;
    let view = DashboardView {
        id: &website.id,
        name: site_name(&website),
        domain: &website.domain,
        path: &path,
        period: &period,
        answers: answers.as_ref(),
        problems: &problems,
        annotations: &annotations,
        can_write: context.can(annotations::WRITE),
        is_public: false,
        base: &context.shared().urls.base,
    };
    Ok(context.show_site(NavItem::Dashboard, &website.id, view.name, &view.draw()))
}
