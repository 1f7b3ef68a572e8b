//! What a browser keeps in cookies of its own: the theme, and what a person has dismissed.

use actix_web::{
    HttpResponseBuilder,
    http::header::{REFERER, SET_COOKIE},
};

use super::{context::PublicContext, next};
use crate::{
    http::{auth, pages::prelude::*},
    pages::frame::Theme,
};

const THEME: &str = "pharos_theme";
const YEAR_S: u32 = 31_536_000;

pub(super) fn routes() -> Vec<Route> {
    vec![form_route("/console/theme", |route| route.to(choose_theme))]
}

/// The theme that the person chose in this browser.
pub(super) fn theme(public: &PublicContext) -> Theme {
    let chosen = read(public, THEME).and_then(Theme::parse);
    chosen.unwrap_or_default()
}

pub(super) fn read<'a>(public: &'a PublicContext, name: &str) -> Option<&'a str> {
    auth::cookie(public.request.headers(), name)
}

/// Adds a cookie to an answer, for a year. No script needs it.
pub(super) fn keep<'a>(
    public: &PublicContext,
    answer: &'a mut HttpResponseBuilder,
    (name, value): (&str, &str),
) -> &'a mut HttpResponseBuilder {
    let secure = if public.shared().urls.is_https() {
        "; Secure"
    } else {
        ""
    };
    let cookie =
        format!("{name}={value}; Path=/; Max-Age={YEAR_S}; SameSite=Lax; HttpOnly{secure}");
    answer.append_header((SET_COOKIE, cookie))
}

async fn choose_theme(context: PageContext, sent: FormData) -> HttpResponse {
    let theme = Theme::parse(sent.text("theme")).unwrap_or_default();
    let mut answer = answer::start_redirect(&page_before(&context));
    keep(&context, &mut answer, (THEME, theme.as_str())).finish()
}

/// The page that a form was sent from.
fn page_before(context: &PageContext) -> String {
    let headers = context.request.headers();
    let referrer = headers.get(REFERER).and_then(|value| value.to_str().ok());
    let path = referrer.and_then(|text| text.strip_prefix(context.shared().urls.base.as_str()));
    next::safe(path.unwrap_or("/")).to_owned()
}
