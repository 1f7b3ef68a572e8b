//! Status pages that not everyone sees: what others are answered, and the form of the password.

use std::sync::Arc;

use actix_web::{
    HttpMessage as _, HttpRequest, HttpResponse,
    http::{
        Method, StatusCode,
        header::{ACCEPT, LOCATION, SET_COOKIE},
    },
    web::{Bytes, Data, Path},
};
use maud::{Markup, html};
use serde_json::json;

use super::{header_contains, page};
use crate::{
    actors::{page_access::Barrier, status_pages::StatusPage},
    fault::{Fault, Kind},
    http::{
        Host, Shared,
        auth::Caller,
        edge::{ClientAddress, RequestId},
        guesses::Guessed,
        language::{chosen_language, in_languages},
        private_pages,
        procedures::{Call, status_page::is_member},
        routes::{ErrorFormat, Route},
        wire::Wire,
    },
    locale::Texts,
};

pub(super) fn routes() -> Vec<Route> {
    let form = json!({
        "type": "object", "required": ["password"],
        "properties": { "password": { "type": "string" } },
    });
    let route = Route::new(Method::POST, Host::Base, "/status/{slug}/unlock", |route| {
        route.to(unlock)
    });
    vec![
        in_languages(route)
            .tagged("StatusPage")
            .says(
                "Enter the password of a page",
                "As a form. The right password leads back to the page, with a cookie that is valid for one hour.",
            )
            .or_form(form)
            .redirects()
            .or(403)
            .error_format(ErrorFormat::Page),
    ]
}

/// What keeps the caller from a page.
pub(super) fn barrier(
    request: &HttpRequest,
    shared: &Data<Shared>,
    page: &StatusPage,
) -> Option<Barrier> {
    let access = page.access();
    if access.is_public() {
        return None;
    }
    let extensions = request.extensions();
    let caller = extensions.get::<Caller>().cloned();
    let address = extensions.get::<ClientAddress>().copied();
    let call = Call {
        shared: Arc::clone(shared),
        caller: caller.unwrap_or(Caller::ANONYMOUS).principal,
        address,
    };
    if is_member(&call, page) {
        return None;
    }
    let view = shared.status_pages.view();
    private_pages::barrier(shared, request.head(), address, access, |pass| {
        view.accepts_pass(page, pass)
    })
}

/// Where the documents of a page are for its reader. A private one stays on the host on which the reader may see it.
pub(super) fn home(request: &HttpRequest, shared: &Shared, page: &StatusPage) -> String {
    if page.access().is_public() || shared.custom_host(request.head()).is_some() {
        return shared.status_page_url(page);
    }
    format!("{}/status/{}", shared.urls.base, page.fields.slug)
}

/// What a visitor is answered instead of a document of a page; `is_page` if that is the one for people.
pub(super) fn refuse(
    request: &HttpRequest,
    shared: &Data<Shared>,
    page: &StatusPage,
    barrier: Barrier,
    is_page: bool,
) -> HttpResponse {
    if is_page && header_contains(request, ACCEPT, "text/html") {
        return AccessNotice::new(request, shared, page).draw(barrier, None);
    }
    forbid(request, barrier)
}

/// What a program is told. Pages of other origins don't read it: it depends on where the browser is, and who is signed in.
pub(super) fn forbid(request: &HttpRequest, barrier: Barrier) -> HttpResponse {
    let fault = Fault::forbidden(match barrier {
        Barrier::MembersOnly => {
            "Only members of the organization see this status page. Send an API key with `read:status_pages`."
        }
        Barrier::Address => "This status page can't be seen from your address",
        Barrier::Password => {
            "This status page has a password. Enter it on the page, or send an API key with `read:status_pages`."
        }
    });
    let mut answer = Wire::Rest.write(&fault, &RequestId::from_request(request), false);
    private_pages::keep_private(answer.headers_mut());
    answer
}

async fn unlock(
    request: HttpRequest,
    shared: Data<Shared>,
    slug: Path<String>,
    body: Bytes,
) -> Result<HttpResponse, Fault> {
    let view = shared.status_pages.view();
    let page = view.by_slug(&slug).cloned();
    let page = page.ok_or_else(|| Fault::not_found("StatusPage", slug.as_str()))?;
    let notice = AccessNotice::new(&request, &shared, &page);
    match barrier(&request, &shared, &page) {
        Some(Barrier::Password) => {}
        Some(barrier) => return Ok(notice.draw(barrier, None)),
        None => return Ok(notice.lead_back(None)),
    }
    let mut fields = url::form_urlencoded::parse(&body);
    let password = fields.find(|(name, _)| name == "password");
    let password = password.map(|(_, value)| value).unwrap_or_default();
    let guessed = Guessed {
        kinds: ["status page password", "first status page passwords"],
        id: page.id.as_str(),
    };
    let address = request.extensions().get::<ClientAddress>().copied();
    let pass = view.issue_pass(&page, password.as_ref().into());
    match private_pages::unlock(&shared, address, guessed, pass).await {
        Ok(Some(pass)) => {
            let cookie = private_pages::pass_cookie(&shared, &notice.place, &pass, false);
            Ok(notice.lead_back(Some(cookie)))
        }
        Ok(None) => Ok(notice.draw(Barrier::Password, None)),
        Err(fault) if matches!(fault.kind, Kind::RateLimited(_)) => {
            Ok(notice.draw(Barrier::Password, Some(&fault)))
        }
        Err(fault) => Err(fault),
    }
}

/// The page that a visitor sees in place of the one that was asked for. It says nothing of it.
struct AccessNotice<'a> {
    request: &'a HttpRequest,
    shared: &'a Shared,
    texts: Texts,
    /// The path of the page on `{base_url}`, and where the visitor sees it.
    path: String,
    place: String,
}

impl<'a> AccessNotice<'a> {
    fn new(request: &'a HttpRequest, shared: &'a Shared, page: &StatusPage) -> Self {
        let path = format!("/status/{}", page.fields.slug);
        Self {
            request,
            shared,
            texts: chosen_language(request).texts(),
            place: private_pages::place(shared, request, path.clone()),
            path,
        }
    }

    /// Draws the page, with the form of the password if that is what is missing; `fault` refused the last one.
    fn draw(&self, barrier: Barrier, fault: Option<&Fault>) -> HttpResponse {
        let (title, text) =
            private_pages::draw_notice(self.shared, self.texts, barrier, &self.path);
        let has_entered = *self.request.method() == Method::POST;
        let wrong = match fault {
            Some(_) => Some(self.texts.private_password_limit()),
            None => has_entered.then(|| self.texts.private_password_wrong()),
        };
        let body = html! {
            (text)
            @if barrier == Barrier::Password { (self.draw_form(wrong.as_deref())) }
        };
        let begun = match fault {
            Some(fault) => Wire::Rest.begin(fault, &RequestId::from_request(self.request)),
            None => HttpResponse::build(StatusCode::FORBIDDEN),
        };
        let mut response = page::finish_plain(begun, self.texts, &title, &body, page::Forms::Here);
        private_pages::keep_private(response.headers_mut());
        response
    }

    fn draw_form(&self, wrong: Option<&str>) -> Markup {
        let action = format!("{}/unlock", self.place.trim_end_matches('/'));
        html! {
            form method="post" action=(private_pages::with_query(&action, self.request)) {
                label for="password" { (self.texts.private_password_label()) }
                div.ask {
                    input #password name="password" type="password" required maxlength="128" autocomplete="off"
                        aria-describedby=[wrong.map(|_| "wrong")];
                    button { (self.texts.private_password_open()) }
                }
                @if let Some(wrong) = wrong { p #wrong role="alert" { (wrong) } }
            }
        }
    }

    fn lead_back(&self, cookie: Option<String>) -> HttpResponse {
        let mut response = HttpResponse::SeeOther();
        response.insert_header((
            LOCATION,
            private_pages::with_query(&self.place, self.request),
        ));
        if let Some(cookie) = cookie {
            response.insert_header((SET_COOKIE, cookie));
        }
        response.finish()
    }
}
