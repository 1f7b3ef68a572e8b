//! `/share/…`: the dashboard of a public website for everybody, or of a share link for who has it. It asks what is public and
//! nothing else; the query function refuses the rest anyway.

mod link;

use chrono_tz::Tz;

use super::{
    dashboard::{self, Dashboard},
    period::{PeriodQuery, filtered_address},
};
use crate::{
    actors::shares::is_slug,
    analytics::catalogue::Field,
    http::{
        pages::{
            context::PublicContext, prelude::*, public_route, reader::Reader,
            stream::stream_embeddable,
        },
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
        origins: &[],
    };
    let reader = public.read_website(&site.id).await?;
    Ok(shown.answer(&public, reader))
}

/// The website whose dashboard strangers see, and where.
struct SharedWebsite<'a> {
    id: &'a str,
    name: &'a str,
    domain: &'a str,
    path: &'a str,
    /// Origins whose pages may embed it.
    origins: &'a [String],
}

impl SharedWebsite<'_> {
    fn answer(&self, public: &PublicContext, reader: Reader) -> HttpResponse {
        let asked = public.request.query_string();
        let panels = dashboard::panel_names();
        if let Some(address) = filtered_address(asked, self.path, &panels) {
            return answer::redirect(&address);
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
        let dashboard = Dashboard {
            id: self.id.to_owned(),
            name: self.name.to_owned(),
            domain: self.domain.to_owned(),
            path: self.path.to_owned(),
            period,
            annotations: Vec::new(),
            can_write: false,
            is_public: true,
            base: public.shared().urls.base.clone(),
        };
        let page = wide_page(self.name, &dashboard.draw_head());
        stream_embeddable(page, dashboard.parts(reader), self.origins)
    }
}
