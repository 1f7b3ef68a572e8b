//! The choice of the console's colors.

use actix_web::http::header::REFERER;

use super::{cookies, next};
use crate::{http::pages::prelude::*, pages::frame::Theme};

pub(super) fn routes() -> Vec<Route> {
    vec![form_route("/console/theme", |route| route.to(choose_theme))]
}

async fn choose_theme(context: PageContext, sent: FormData) -> HttpResponse {
    let theme = Theme::parse(sent.text("theme")).unwrap_or_default();
    let mut answer = answer::start_redirect(&page_before(&context));
    cookies::keep(
        context.shared(),
        &mut answer,
        (cookies::THEME, theme.as_str()),
    )
    .finish()
}

/// The page that a form was sent from.
fn page_before(context: &PageContext) -> String {
    let headers = context.request.headers();
    let referrer = headers.get(REFERER).and_then(|value| value.to_str().ok());
    let path = referrer.and_then(|text| text.strip_prefix(context.shared().urls.base.as_str()));
    next::safe(path.unwrap_or("/")).to_owned()
}
