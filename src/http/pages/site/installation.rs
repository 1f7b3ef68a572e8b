//! The line for a website's pages, and whether its events arrive.

use serde::Deserialize;
use serde_json::json;

use super::{reports::moment, site_name};
use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            bodies::WebsiteIdBody,
            tracking::{self, TrackingOut},
            websites::WebsiteOut,
        },
    },
    pages::{
        number,
        part::{copyable, notice, panel, time},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/site/{id}/setup", |route| {
        route.to(show)
    })]
}

#[derive(Deserialize)]
struct Page {
    name: String,
    pageviews: u64,
}

async fn show(context: PageContext, id: web::Path<String>) -> Result<HttpResponse, Fault> {
    let website = context.website(&id).await?;
    let body = WebsiteIdBody {
        website_id: website.id.clone(),
    };
    let setup = context.ask(&tracking::IS_TRACKING_SETUP, body).await?;
    let now = json!({ "parameters": ["realtime_pages"], "preset": "today", "limit": 5 });
    let pages = context
        .query(&website.id, now)
        .await?
        .rows("realtime_pages");
    let date_format = context.date_format().await?;
    let track = &context.shared().urls.track;
    let main = html! {
        div.title-row { h1 { "Tracking of " (site_name(&website)) } }
        div #arrives data-live="4" aria-live="polite" { (draw_state(&website, &setup, &date_format)) (draw_recent_pages(&pages)) }
        div.grid {
            (panel("1. Put this line into the pages", &draw_snippet(&website, track)))
            (panel("2. Open one of them", &draw_first_visit(&website)))
            (panel("Without a script", &draw_alternatives(&website, track)))
        }
    };
    Ok(context.show_site(NavItem::Installation, &website.id, "Tracking", &main))
}

fn draw_state(website: &WebsiteOut, setup: &TrackingOut, date_format: &DateFormat) -> Markup {
    let kind = if setup.recent_events > 0 {
        "good"
    } else {
        "note"
    };
    html! {
        @if let Some(trouble) = &setup.tracking_issue {
            (notice(if trouble.severity == "critical" { "bad" } else { "warn" }, &html! {
                p { strong { "Events are refused. " } (trouble.message) }
                p { (trouble.fix) }
                p.dim.small {
                    (number::with_noun(trouble.count, "request", "requests")) " refused since yesterday"
                    @if let Some(at) = moment(&trouble.last_seen) { ", the last at " (time(at, &date_format.moment(at), date_format)) }
                }
            }))
        }
        (notice(kind, &html! {
            @if setup.has_events {
                p { strong { (setup.status_message) "." } }
            } @else {
                p { strong { "Waiting for the first event" } " of " (website.domain) "." }
                p.dim.small { "This page looks again by itself every few seconds; without JavaScript, reload it." }
            }
        }))
    }
}

/// The pages of the last minutes.
fn draw_recent_pages(pages: &Result<Vec<Page>, String>) -> Markup {
    html! {
        @match pages {
            Ok(pages) if pages.is_empty() => {},
            Ok(pages) => (panel("Seen in the last five minutes", &html! {
                ul { @for page in pages { li { (page.name) " " span.dim { (number::with_noun(page.pageviews, "view", "views")) } } } }
            })),
            Err(message) => (notice("warn", &html! { (message) })),
        }
    }
}

fn draw_snippet(website: &WebsiteOut, track: &str) -> Markup {
    let line = format!(
        "<script defer src=\"{track}/pharos.js\" data-client-id=\"{}\"></script>",
        website.client_id
    );
    html! {
        (copyable("Tracker snippet", &line))
        p { "Into the " code { "<head>" } " of every page, or of the one document of a single-page app. It sets no cookies and weighs less than five kilobytes." }
        p { a href="/docs#tracker" { "Every option and call of the script" } }
    }
}

fn draw_first_visit(website: &WebsiteOut) -> Markup {
    let address = format!("https://{}/", website.domain);
    html! {
        p { "Visit " a href=(address) rel="noopener noreferrer" target="_blank" { (address) } " in a browser that sends no “do not track me” signal." }
        p.dim { "Nothing arrives? Events from pages of other domains are refused; what was refused is listed above. Blockers in your own browser keep the script out: try without. On localhost add " code { "data-debug" } " to the line." }
    }
}

fn draw_alternatives(website: &WebsiteOut, track: &str) -> Markup {
    let pixel = format!(
        "<img src=\"{track}/px.jpg?client_id={}\" alt=\"\">",
        website.client_id
    );
    html! {
        p { "A picture counts a view where no script runs:" }
        (copyable("Tracking picture", &pixel))
        p { "Servers send events with an API key to " code { (track) "/track" } ". " a href="/docs" { "How" } }
    }
}
