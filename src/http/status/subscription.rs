//! Links of subscribers of status pages and of recipients of reports: confirming and unsubscribing.
//!
//! Looking at a link changes nothing, because programs look at links in emails before people do. The button of the page posts, and
//! so does a mail program that unsubscribes with one click (RFC 8058).

use actix_web::{
    HttpResponse,
    http::{Method, StatusCode},
    web::{Data, Path},
};

use super::page::{escape, plain};
use crate::{
    actors::{
        dashboard::Dashboard,
        scheduled_reports::{Frequency, ScheduledReport, ScheduledReportError},
        status_pages::{Confirm, Leave, StatusPageError, SubscriptionScope},
    },
    fault::{Classify, Fault},
    http::{
        Host, Shared,
        routes::{ErrorFormat, Route},
    },
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
    escape(&format!("{}/subscriptions/{token}{rest}", shared.urls.base))
}

/// A page with one button.
fn button(shared: &Shared, title: &str, says: &str, (at, words): (&str, &str)) -> HttpResponse {
    let body = format!(
        "<p>{says}</p><form method=\"post\" action=\"{at}\"><button>{words}</button></form>"
    );
    plain(StatusCode::OK, title, &body, Some(&shared.urls.base))
}

fn made_up() -> HttpResponse {
    let body = "<p>It has expired. Subscribe again on the status page.</p>";
    plain(StatusCode::BAD_REQUEST, "Invalid link", body, None)
}

async fn leaving(shared: Data<Shared>, token: Path<String>) -> Answer {
    let says = if shared.status_pages.view().is_unsubscribe_link(&token) {
        "You get the updates of a status page."
    } else if shared.scheduled_reports.is_unsubscribe_link(&token) {
        "You get reports by email."
    } else {
        return Ok(made_up());
    };
    let at = address(&shared, &token, "");
    let words = (at.as_str(), "Unsubscribe");
    Ok(button(&shared, "Unsubscribe?", says, words))
}

async fn leave(shared: Data<Shared>, token: Path<String>) -> Answer {
    let token = token.into_inner();
    let left = || {
        let body = "<p>You get no more updates.</p>";
        Ok(plain(StatusCode::OK, "You are unsubscribed", body, None))
    };
    if shared.scheduled_reports.is_unsubscribe_link(&token) {
        shared.scheduled_reports.leave(&token).await?;
        return left();
    }
    match shared.status_pages.ask(Leave { token }).await {
        Ok(()) => left(),
        Err(StatusPageError::InvalidLink) => Ok(made_up()),
        Err(error) => Err(error.classify()),
    }
}

async fn confirming(shared: Data<Shared>, token: Path<String>) -> Answer {
    if let Some(report) = shared.scheduled_reports.find_by_link(&token).await? {
        return confirming_report(&shared, &token, &report).await;
    }
    let asked = shared.status_pages.view().confirmation_scope(&token).await;
    let Some(SubscriptionScope { page, components }) = asked? else {
        return Ok(made_up());
    };
    let of = match components {
        None => "everything on".to_owned(),
        Some(names) => {
            let names: Vec<String> = names.iter().map(|name| escape(name)).collect();
            format!("{} on", names.join(", "))
        }
    };
    let says = format!(
        "You get updates about {of} <strong>{}</strong>.",
        escape(&page)
    );
    let at = address(&shared, &token, "/confirm");
    let words = (at.as_str(), "Confirm subscription");
    Ok(button(&shared, "Confirm your subscription", &says, words))
}

async fn confirming_report(shared: &Shared, token: &str, report: &ScheduledReport) -> Answer {
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
    let name = escape(&name.unwrap_or_default());
    let often = match report.schedule.frequency {
        Frequency::Daily => "every day",
        Frequency::Weekly => "every week",
        Frequency::Monthly => "every month",
    };
    let says = format!("You get a report about <strong>{name}</strong> by email {often}.");
    let at = address(shared, token, "/confirm");
    let words = (at.as_str(), "Confirm subscription");
    Ok(button(shared, "Confirm email reports", &says, words))
}

async fn confirm(shared: Data<Shared>, token: Path<String>) -> Answer {
    let token = token.into_inner();
    let confirmed = |body: &str| Ok(plain(StatusCode::OK, "You are subscribed", body, None));
    match shared.scheduled_reports.confirm(&token).await {
        Ok(()) => {
            return confirmed(
                "<p>The first report comes when it is due. Every report has a link to unsubscribe.</p>",
            );
        }
        // It may be one of a status page.
        Err(ScheduledReportError::InvalidLink) => {}
        Err(error) => return Err(error.classify()),
    }
    match shared.status_pages.ask(Confirm { token }).await {
        Ok(()) => confirmed("<p>Every message has a link to unsubscribe.</p>"),
        Err(StatusPageError::InvalidLink) => Ok(made_up()),
        Err(error) => Err(error.classify()),
    }
}
