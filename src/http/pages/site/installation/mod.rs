//! The script for a website's pages, and whether its events arrive.

mod snippets;

use serde::Deserialize;
use serde_json::json;

use super::reports::moment;
use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            bodies::WebsiteIdBody,
            tracking::{self, TrackingOut},
            websites::{WebsiteOut, samples},
        },
    },
    pages::{
        frame::site_path,
        number,
        part::{copyable, notice, panel, time},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![
        page_route("/console/site/{id}/setup", |route| route.to(show)),
        form_route("/console/site/{id}/setup/test", |route| {
            route.to(send_test_event)
        }),
    ]
}

#[derive(Deserialize)]
struct Page {
    name: String,
    pageviews: u64,
}

/// Whether any event of a website was ever stored.
pub(super) async fn load_state(context: &PageContext, id: &str) -> Result<TrackingOut, Fault> {
    let body = WebsiteIdBody {
        website_id: id.to_owned(),
    };
    context.ask(&tracking::IS_TRACKING_SETUP, body).await
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let setup = load_state(&context, &website.id).await?;
    let now = json!({ "parameters": ["realtime_pages"], "preset": "today", "limit": 5 });
    let pages = context
        .query(&website.id, now)
        .await?
        .rows("realtime_pages");
    let date_format = context.date_format().await?;
    let track = &context.shared().urls.track;
    let path = format!("{}/setup", site_path(&website.id));
    let main = html! {
        div.title-row {
            h1 { "Installation" }
            @if setup.has_events { div.actions { a.button.first href=(site_path(&website.id)) { "Open dashboard" } } }
        }
        div #arrives data-live="4" aria-live="polite" { (draw_state(&website, &setup, &date_format)) (draw_recent_pages(&pages)) }
        (panel("1. Add the script", &snippets::draw(&website, track, &path, &context.parameter("with"))))
        div.grid {
            (panel("2. Send an event", &draw_first_event(&website, &path, context.can(Permission::WebsiteConfigure))))
            (panel("Without the script", &draw_alternatives(&website, track)))
        }
    };
    Ok(context.show_site(NavItem::Installation, &website.id, "Installation", &main))
}

async fn send_test_event(
    context: PageContext,
    id: web::Path<String>,
) -> Result<HttpResponse, Fault> {
    let body = WebsiteIdBody {
        website_id: id.clone(),
    };
    context.ask(&samples::SEND_TEST_EVENT, body).await?;
    Ok(answer::redirect(&format!("{}/setup", site_path(&id))))
}

fn draw_state(website: &WebsiteOut, setup: &TrackingOut, date_format: &DateFormat) -> Markup {
    let kind = if setup.recent_events > 0 {
        "good"
    } else {
        "note"
    };
    html! {
        @if let Some(issue) = &setup.tracking_issue {
            (notice(if issue.severity == "critical" { "bad" } else { "warn" }, &html! {
                p { strong { "Events are rejected. " } (issue.message) }
                p { (issue.fix) }
                p.dim.small {
                    (number::with_noun(issue.count, "request", "requests")) " rejected since yesterday"
                    @if let Some(at) = moment(&issue.last_seen) { ", last at " (time(at, &date_format.moment(at), date_format)) }
                }
            }))
        }
        (notice(kind, &html! {
            @if setup.has_events {
                p { strong { (setup.status_message) "." } }
            } @else {
                p { strong { "Waiting for the first event" } " from " (website.domain) "." }
                p.dim.small { "This page refreshes itself. Without JavaScript, reload it." }
            }
        }))
    }
}

/// The pages of the last minutes.
fn draw_recent_pages(pages: &Result<Vec<Page>, String>) -> Markup {
    html! {
        @match pages {
            Ok(pages) if pages.is_empty() => {},
            Ok(pages) => (panel("Last 5 minutes", &html! {
                ul { @for page in pages { li { (page.name) " " span.dim { (number::with_noun(page.pageviews, "pageview", "pageviews")) } } } }
            })),
            Err(message) => (notice("warn", &html! { (message) })),
        }
    }
}

fn draw_first_event(website: &WebsiteOut, path: &str, can_send: bool) -> Markup {
    let address = format!("https://{}/", website.domain);
    html! {
        p { "Open " a href=(address) rel="noopener noreferrer" target="_blank" { (address) } " in a browser without Do Not Track and without an ad blocker." }
        @if can_send {
            p { "Or send a test event from here. It is a pageview of " code { "/pharos-test" } "." }
            (small_form(&format!("{path}/test"), "Send test event", &html! {}))
        }
        p.dim { "Nothing arrives? Rejected events are listed above. On localhost, add " code { "data-debug" } " to the script." }
    }
}

fn draw_alternatives(website: &WebsiteOut, track: &str) -> Markup {
    let pixel = format!(
        "<img src=\"{track}/px.jpg?client_id={}\" alt=\"\">",
        website.client_id
    );
    html! {
        p { "A tracking pixel counts pageviews where no script runs." }
        (copyable("Tracking pixel", &pixel))
        p { "Servers send events with an API key to " code { (track) "/track" } ". " a href="/docs#interface-for-clients" { "Server-side events" } }
    }
}
