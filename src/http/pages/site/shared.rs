//! The dashboard of a website as strangers see it.

use chrono_tz::Tz;
use serde_json::{Value, json};

use super::{
    dashboard::{self, DashboardView},
    period::{PeriodQuery, filtered_address},
};
use crate::{
    analytics::{catalogue::Field, run::Answers},
    http::pages::{context::PublicContext, prelude::*},
    pages::frame::wide_page,
};

/// Whether a filter by this field can single out a person.
fn is_personal(field: &str) -> bool {
    field.starts_with("trait:") || Field::find(field).is_some_and(Field::is_personal)
}

/// The website whose dashboard strangers see, and where.
pub(in crate::http::pages) struct SharedWebsite<'a> {
    pub(in crate::http::pages) id: &'a str,
    pub(in crate::http::pages) name: &'a str,
    pub(in crate::http::pages) domain: &'a str,
    pub(in crate::http::pages) path: &'a str,
}

pub(in crate::http::pages) enum Drawn {
    Page(Markup),
    /// The address with the filter that a form names.
    Redirect(String),
}

impl SharedWebsite<'_> {
    pub(in crate::http::pages) async fn draw(
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
