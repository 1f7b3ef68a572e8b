//! The dashboard of a website as strangers see it.

use std::future::ready;

use actix_web::http::header::{HeaderValue, VARY};

use super::{
    dashboard::{self, Dashboard},
    period::{PeriodQuery, filtered_address},
};
use crate::{
    analytics::catalogue::Field,
    http::{
        language,
        pages::{context::PublicContext, prelude::*, reader::Reader, stream::stream_embeddable},
    },
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
    /// Origins whose pages may embed it.
    pub(in crate::http::pages) origins: &'a [String],
}

impl SharedWebsite<'_> {
    pub(in crate::http::pages) fn answer(
        &self,
        public: &PublicContext,
        reader: Reader,
    ) -> HttpResponse {
        let asked = public.request.query_string();
        let panels = dashboard::panel_names();
        if let Some(address) = filtered_address(asked, self.path, &panels) {
            return answer::redirect(&address);
        }
        let date_format = public.browsers_format();
        let texts = date_format.texts;
        let now_ms = public.shared().clock.now_ms();
        let mut period = PeriodQuery::read(asked, &panels, date_format, now_ms);
        let count = period.view.filters.len();
        period
            .view
            .filters
            .retain(|filter| !is_personal(&filter.field));
        if period.view.filters.len() < count {
            let message = "Filters that single out a person do not hold here.";
            period.problems = Problems::from_message(texts.label(message));
        }
        let dashboard = Dashboard {
            id: self.id.to_owned(),
            name: self.name.to_owned(),
            domain: self.domain.to_owned(),
            path: self.path.to_owned(),
            period,
            can_write: false,
            is_public: true,
            base: public.shared().urls.base.clone(),
        };
        let page = wide_page(texts.language(), self.name, &dashboard.draw_head());
        let parts = dashboard.parts(reader, ready(Vec::new()));
        let mut answer = stream_embeddable(page, parts, self.origins);
        answer
            .headers_mut()
            .append(VARY, HeaderValue::from_static(language::VARIES));
        answer
    }
}
