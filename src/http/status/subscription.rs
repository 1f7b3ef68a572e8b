//! Links of subscribers of status pages and of recipients of reports: confirming and unsubscribing.
//!
//! Looking at a link changes nothing, because programs look at links in emails before people do. The button of the page posts, and
//! so does a mail program that unsubscribes with one click (RFC 8058).

use actix_web::{
    HttpRequest, HttpResponse,
    http::{Method, StatusCode},
    web::{Data, Path},
};
use maud::html;

use super::page::{Forms, plain};
use crate::{
    actors::{
        dashboard::Dashboard,
        scheduled_reports::{ScheduledReport, ScheduledReportError},
        status_pages::{Confirm, Leave, StatusPageError, SubscriptionScope},
    },
    fault::{Classify, Fault},
    http::{
        Host, Shared,
        language::chosen_language,
        routes::{ErrorFormat, Route},
    },
    locale::Texts,
};

type Answer = Result<HttpResponse, Fault>;
type Service = fn(actix_web::Route) -> actix_web::Route;

const LEAVE: &str = "/subscriptions/{token}";
const CONFIRM: &str = "/subscriptions/{token}/confirm";

pub(super) fn routes() -> Vec<Route> {
    let route = |method, path, summary, description, service: Service| {
        Route::new(method, Host::Base, path, service)
            .tagged("StatusPage")
            .says(summary, description)
            .media("text/html")
            .or(400)
            .error_format(ErrorFormat::Page)
    };
    vec![
        route(
            Method::GET,
            LEAVE,
            "Show the unsubscribe page",
            "A page with a button. Opening it changes nothing.",
            |route| route.to(leaving),
        ),
        route(
            Method::POST,
            LEAVE,
            "Unsubscribe",
            "One click (RFC 8058), whatever the body. Answers the same when there is no such subscriber.",
            |route| route.to(leave),
        ),
        route(
            Method::GET,
            CONFIRM,
            "Show the confirmation page",
            "A page with a button. Opening it changes nothing.",
            |route| route.to(confirming),
        ),
        route(
            Method::POST,
            CONFIRM,
            "Confirm a subscription",
            "The subscriber gets updates from now on. The link expires after 24 hours.",
            |route| route.to(confirm),
        ),
    ]
}

fn address(shared: &Shared, token: &str, rest: &str) -> String {
    format!("{}/subscriptions/{token}{rest}", shared.urls.base)
}

/// Who looks at a link, and in which language.
struct Reader<'a> {
    shared: &'a Shared,
    texts: Texts,
}

impl<'a> Reader<'a> {
    fn new(shared: &'a Shared, request: &HttpRequest) -> Self {
        let texts = chosen_language(request).texts();
        Self { shared, texts }
    }

    /// A page with one button.
    fn button(&self, title: &str, says: &str, (at, words): (&str, &str)) -> HttpResponse {
        let body = html! {
            p { (says) }
            form method="post" action=(at) { button { (words) } }
        };
        let forms = Forms::To(&self.shared.urls.base);
        plain(StatusCode::OK, self.texts, title, &body, forms)
    }

    /// A page that says one thing.
    fn message(&self, status: StatusCode, title: &str, says: &str) -> HttpResponse {
        let body = html! { p { (says) } };
        plain(status, self.texts, title, &body, Forms::Nowhere)
    }

    fn made_up(&self) -> HttpResponse {
        let (title, help) = (self.texts.invalid_link(), self.texts.invalid_link_help());
        self.message(StatusCode::BAD_REQUEST, &title, &help)
    }

    fn left(&self) -> HttpResponse {
        let (title, says) = (self.texts.unsubscribed_title(), self.texts.unsubscribed());
        self.message(StatusCode::OK, &title, &says)
    }

    fn confirmed(&self, says: &str) -> HttpResponse {
        self.message(StatusCode::OK, &self.texts.confirmed_title(), says)
    }
}

async fn leaving(request: HttpRequest, shared: Data<Shared>, token: Path<String>) -> Answer {
    let reader = Reader::new(&shared, &request);
    let texts = reader.texts;
    let says = if shared.status_pages.view().is_unsubscribe_link(&token) {
        texts.unsubscribe_page()
    } else if shared.scheduled_reports.is_unsubscribe_link(&token) {
        texts.unsubscribe_report()
    } else {
        return Ok(reader.made_up());
    };
    let at = address(&shared, &token, "");
    let words = texts.unsubscribe_button();
    Ok(reader.button(&texts.unsubscribe_title(), &says, (&at, &words)))
}

async fn leave(request: HttpRequest, shared: Data<Shared>, token: Path<String>) -> Answer {
    let (reader, token) = (Reader::new(&shared, &request), token.into_inner());
    if shared.scheduled_reports.is_unsubscribe_link(&token) {
        shared.scheduled_reports.leave(&token).await?;
        return Ok(reader.left());
    }
    match shared.status_pages.ask(Leave { token }).await {
        Ok(()) => Ok(reader.left()),
        Err(StatusPageError::InvalidLink) => Ok(reader.made_up()),
        Err(error) => Err(error.classify()),
    }
}

async fn confirming(request: HttpRequest, shared: Data<Shared>, token: Path<String>) -> Answer {
    let reader = Reader::new(&shared, &request);
    let texts = reader.texts;
    if let Some(report) = shared.scheduled_reports.find_by_link(&token).await? {
        return confirming_report(&reader, &token, &report).await;
    }
    let asked = shared.status_pages.view().confirmation_scope(&token).await;
    let Some(SubscriptionScope { page, components }) = asked? else {
        return Ok(reader.made_up());
    };
    let says = match components {
        None => texts.confirm_page(&page),
        Some(names) => texts.confirm_components(&texts.list(&names), &page),
    };
    let at = address(&shared, &token, "/confirm");
    let words = texts.confirm_button();
    Ok(reader.button(&texts.confirm_title(), &says, (&at, &words)))
}

async fn confirming_report(reader: &Reader<'_>, token: &str, report: &ScheduledReport) -> Answer {
    let (shared, texts) = (reader.shared, reader.texts);
    let name = match &report.dashboard {
        Dashboard::Website(id) => {
            let websites = shared.websites.view();
            let website = websites.by_id(id.as_str());
            website.map(|website| website.name.clone())
        }
        Dashboard::Board(id) => {
            let board = shared.boards.get(id.as_str()).await?;
            board.map(|board| board.fields.name)
        }
    };
    let name = name.unwrap_or_default();
    let says = texts.confirm_report(&name, report.schedule.frequency.as_str());
    let at = address(shared, token, "/confirm");
    let words = texts.confirm_button();
    Ok(reader.button(&texts.confirm_report_title(), &says, (&at, &words)))
}

async fn confirm(request: HttpRequest, shared: Data<Shared>, token: Path<String>) -> Answer {
    let (reader, token) = (Reader::new(&shared, &request), token.into_inner());
    match shared.scheduled_reports.confirm(&token).await {
        Ok(()) => return Ok(reader.confirmed(&reader.texts.confirmed_report())),
        // It may be one of a status page.
        Err(ScheduledReportError::InvalidLink) => {}
        Err(error) => return Err(error.classify()),
    }
    match shared.status_pages.ask(Confirm { token }).await {
        Ok(()) => Ok(reader.confirmed(&reader.texts.confirmed_page())),
        Err(StatusPageError::InvalidLink) => Ok(reader.made_up()),
        Err(error) => Err(error.classify()),
    }
}
