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
mod values;

pub(super) use self::{
    draw::Dashboard,
    lists::{List, SENT, panel_names},
    queries::{SERIES, kind},
};
pub(in crate::http::pages) use self::{
    draw::NO_DATA,
    queries::{ROWS, metrics_body},
    rows::draw_list,
    trend::{draw as draw_trend, draw_figure},
};
use super::{
    installation::load_state,
    period::{PeriodQuery, filtered_address},
    site_name,
};
use crate::{
    http::pages::{prelude::*, stream},
    pages::frame::{framed_page, site_path},
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![page_route("/console/site/{id}", |route| route.to(show))];
    routes.extend(annotations::routes());
    routes.extend(details::routes());
    routes.extend(values::routes());
    routes
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let path = site_path(&website.id);
    let panels = panel_names();
    let asked = context.request.query_string();
    if let Some(address) = filtered_address(asked, &path, &panels) {
        return Ok(answer::redirect(&address));
    }
    if asked.is_empty() && !load_state(&context, &website.id).await?.has_events {
        return Ok(answer::redirect(&format!("{path}/setup")));
    }
    let reader = context.read_website(&website.id).await?;
    let period = PeriodQuery::load(&context, &panels).await?;
    let dashboard = Dashboard {
        id: website.id.clone(),
        name: site_name(&website).to_owned(),
        domain: website.domain.clone(),
        path,
        period,
        can_write: context.can(annotations::WRITE),
        is_public: false,
        base: context.shared().urls.base.clone(),
    };
    let frame = context.frame(NavItem::Dashboard, Some(&website.id));
    let page = framed_page(&frame, &dashboard.name, &dashboard.draw_head());
    let (id, period) = (website.id, dashboard.period.clone());
    let annotations = async move {
        let loaded = annotations::load(&context, &id, &period).await;
        loaded.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "a dashboard has no annotations");
            Vec::new()
        })
    };
    Ok(stream::stream(page, dashboard.parts(reader, annotations)))
}
