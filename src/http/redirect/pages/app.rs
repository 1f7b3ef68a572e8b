//! The page that opens an app on a phone, and the web page where there is no such app.

use actix_web::{HttpResponse, http::header::CACHE_CONTROL};

use super::{Shell, escape, page};
use crate::locale::Texts;

/// Tries the app; stays on the page when the app comes to the front, goes on to the web page when nothing happens.
const SCRIPT: &str = "var d=document,b=d.body.dataset,t=setTimeout(function(){location.replace(b.web)},1500);\
    d.addEventListener('visibilitychange',function(){if(d.hidden)clearTimeout(t)});location.href=b.app";

/// Opens an address in an app, or the web page. Without scripts the web page is shown.
pub(in super::super) fn opens(texts: Texts, app: &str, web: &str) -> HttpResponse {
    let (app, web) = (escape(app), escape(web));
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "private, no-cache"));
    let title = texts.link_app_title();
    let shell = Shell {
        head: &format!(
            "<noscript><meta http-equiv=\"refresh\" content=\"0;url={web}\"></noscript>"
        ),
        data: &format!(" data-app=\"{app}\" data-web=\"{web}\""),
        script: Some(SCRIPT),
        ..Shell::titled(texts, &title)
    };
    let body = format!(
        "<h1>{title}</h1><p><a href=\"{app}\">{}</a></p><p><a href=\"{web}\" rel=\"noreferrer\">{}</a></p>",
        texts.link_app_open(),
        texts.link_app_browser(),
    );
    page(response, &shell, &body)
}
