//! `/share/{id}`: the dashboard of a public website, for everybody. It asks what is public and nothing else; the query function
//! refuses the rest anyway.

use chrono_tz::Tz;
use serde_json::json;

use super::{
    dashboard::{self, DashboardView},
    period::{PeriodQuery, filtered_address},
};
use crate::{
    analytics::catalogue::Field,
    http::{
        pages::{context::PublicContext, prelude::*, public_route},
        procedures::{bodies::IdBody, websites::lifecycle},
    },
    pages::frame::wide_page,
};

pub(super) fn routes() -> Vec<Route> {
    vec![public_route(page_route("/share/{id}", |route| {
        route.to(show)
    }))]
}

/// Whether a filter by this field can single out a person.
fn is_personal(field: &str) -> bool {
    field.starts_with("trait:") || Field::find(field).is_some_and(Field::is_personal)
}

async fn show(public: PublicContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let body = IdBody {
        id: id.into_inner(),
    };
    let site = public.ask(&lifecycle::GET_PUBLIC_SUMMARY, body).await?;
    let path = format!("/share/{}", site.id);
    let query = public.request.query_string();
    let panels = dashboard::panel_names();
    if let Some(address) = filtered_address(query, &path, &panels) {
        return Ok(answer::redirect(&address));
    }
    let date_format = DateFormat {
        zone: public.browsers_zone().unwrap_or(Tz::UTC),
        ..DateFormat::default()
    };
    let now_ms = public.shared().clock.now_ms();
    let mut period = PeriodQuery::read(query, &panels, date_format, now_ms);
    let count = period.view.filters.len();
    period
        .view
        .filters
        .retain(|filter| !is_personal(&filter.field));
    if period.view.filters.len() < count {
        period.problems =
            Problems::from_message("Filters that single out a person do not hold here.");
    }
    let bodies = dashboard::bodies(&period, true);
    let (answers, problems) = period.split(public.query(&site.id, json!(bodies)).await)?;
    let name = site.name.as_deref().unwrap_or(&site.domain);
    let view = DashboardView {
        id: &site.id,
        name,
        domain: &site.domain,
        path: &path,
        period: &period,
        answers: answers.as_ref(),
        problems: &problems,
        annotations: &[],
        can_write: false,
        is_public: true,
        base: &public.shared().urls.base,
    };
    Ok(answer::page(wide_page(name, &view.draw())))
}
