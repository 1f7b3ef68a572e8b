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
    country_map::draw as draw_country_map,
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
    http::{
        pages::{prelude::*, stream},
        procedures::websites::WebsiteOut,
    },
    pages::{
        frame::{framed_page, site_path},
        time::moment,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = vec![page_route("/console/site/{id}", |route| route.to(show))];
    routes.extend(annotations::routes());
    routes.extend(details::routes());
    routes.extend(values::routes());
    routes
}

/// How long a new website is likely to wait for its first event, milliseconds: two weeks.
const YOUNG_MS: i64 = 14 * 24 * 3_600_000;

fn is_young(website: &WebsiteOut, now_ms: i64) -> bool {
    let created = moment(&website.created_at);
    created.is_none_or(|created| now_ms - created < YOUNG_MS)
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let path = site_path(&website.id);
    let panels = panel_names();
    let asked = context.request.query_string();
    if let Some(address) = filtered_address(asked, &path, &panels) {
        return Ok(answer::redirect(&address));
    }
    // An older website opens without this question.
    let may_wait = asked.is_empty() && is_young(&website, context.shared().clock.now_ms());
    if may_wait && !load_state(&context, &website.id).await?.has_events {
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
