//! `/share/…`: the dashboard of a public website for everybody, or of a share link for who has it. It asks what is public and
//! nothing else; the query function refuses the rest anyway.

mod link;

use chrono_tz::Tz;
use serde_json::{Value, json};

use super::{
    dashboard::{self, DashboardView},
    period::{PeriodQuery, filtered_address},
};
use crate::{
    actors::shares::is_slug,
    analytics::{catalogue::Field, run::Answers},
    http::{
        pages::{context::PublicContext, prelude::*, public_route},
        procedures::{bodies::IdBody, websites::lifecycle},
    },
    pages::frame::wide_page,
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        public_route(page_route("/share/{id}", |route| route.to(show))),
        public_route(form_route("/share/{id}", |route| route.to(link::unlock))),
    ]
}

/// Whether a filter by this field can single out a person.
fn is_personal(field: &str) -> bool {
    field.starts_with("trait:") || Field::find(field).is_some_and(Field::is_personal)
}

async fn show(public: PublicContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let id = id.into_inner();
    if is_slug(&id) {
        return link::show(&public, &id).await;
    }
    let site = public
        .ask(&lifecycle::GET_PUBLIC_SUMMARY, IdBody { id })
        .await?;
    let path = format!("/share/{}", site.id);
    let shown = SharedWebsite {
        id: &site.id,
        name: site.name.as_deref().unwrap_or(&site.domain),
        domain: &site.domain,
        path: &path,
    };
    let query = async |body| public.query(&site.id, body).await;
    Ok(match shown.draw(&public, query).await? {
        Drawn::Page(page) => answer::page(page),
        Drawn::Redirect(address) => answer::redirect(&address),
    })
}

/// The website whose dashboard strangers see, and where.
struct SharedWebsite<'a> {
    id: &'a str,
    name: &'a str,
    domain: &'a str,
    path: &'a str,
}

enum Drawn {
    Page(Markup),
    /// The address with the filter that a form names.
    Redirect(String),
}

impl SharedWebsite<'_> {
    async fn draw(
        &self,
        public: &PublicContext,
        query: impl AsyncFnOnce(Value) -> Result<Answers, Fault>,
    ) -> Result<Drawn, Fault> {
        let asked = public.request.query_string();
        let panels = dashboard::panel_names();
        if let Some(address) = filtered_address(asked, self.path, &panels) {
            return Ok(Drawn::Redirect(address));
        }
        let date_format = DateFormat {
            zone: public.browsers_zone().unwrap_or(Tz::UTC),
            ..DateFormat::default()
        };
        let now_ms = public.shared().clock.now_ms();
        let mut period = PeriodQuery::read(asked, &panels, date_format, now_ms);
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
        let (answers, problems) = period.split(query(json!(bodies)).await)?;
        let view = DashboardView {
            id: self.id,
            name: self.name,
            domain: self.domain,
            path: self.path,
            period: &period,
            answers: answers.as_ref(),
            problems: &problems,
            annotations: &[],
            can_write: false,
            is_public: true,
            base: &public.shared().urls.base,
        };
        Ok(Drawn::Page(wide_page(self.name, &view.draw())))
    }
}
