//! Where the documents of a page are.

use actix_web::{
    HttpRequest, HttpResponse,
    http::Method,
    web::{Data, Path, Query},
};

use serde_json::json;

use super::{answer, logo, private, schema, subscribe, subscription};
use crate::{
    fault::Fault,
    http::{
        Host, Shared,
        language::in_languages,
        page_cache::{ApiDocument, BadgeQuery, PageDocument},
        routes::{ErrorFormat, Route},
    },
};

type Service = fn(actix_web::Route) -> actix_web::Route;
type Answer = Result<HttpResponse, Fault>;

pub(in crate::http) fn routes() -> Vec<Route> {
    let all = [
        documents(),
        badges(),
        statuspage(),
        private::routes(),
        subscribe::routes(),
        subscription::routes(),
    ];
    all.into_iter().flatten().collect()
}

fn document(
    path: &'static str,
    media: &'static str,
    summary: &'static str,
    service: Service,
) -> Route {
    Route::new(Method::GET, Host::Base, path, service)
        .tagged("StatusPage")
        .says(
            summary,
            "Served from memory with an `ETag`, for every origin.",
        )
        .media(media)
        .or(304)
        .or(403)
}

/// Handlers of documents that are asked for by the page's name alone.
macro_rules! handlers {
    ($($name:ident: $document:expr,)*) => {$(
        async fn $name(request: HttpRequest, shared: Data<Shared>, slug: Path<String>) -> Answer {
            answer(&request, &shared, &slug, &$document)
        }
    )*};
}

handlers! {
    page: PageDocument::Page,
    rss: PageDocument::Rss,
    atom: PageDocument::Atom,
    feed: PageDocument::JsonFeed,
    calendar: PageDocument::Calendar,
    summary: PageDocument::Api(ApiDocument::Summary),
    status: PageDocument::Api(ApiDocument::Status),
    components: PageDocument::Api(ApiDocument::Components),
    incidents: PageDocument::Api(ApiDocument::Incidents),
    unresolved: PageDocument::Api(ApiDocument::Unresolved),
    maintenances: PageDocument::Api(ApiDocument::Maintenances),
    upcoming: PageDocument::Api(ApiDocument::Upcoming),
    active: PageDocument::Api(ApiDocument::Active),
}

fn documents() -> Vec<Route> {
    vec![
        in_languages(document(
            "/status/{slug}",
            "text/html",
            "Show a status page",
            |route| route.to(page),
        ))
        .error_format(ErrorFormat::Page),
        document(
            "/status/{slug}/logo",
            "image/png",
            "Show the logo that was uploaded",
            |route| route.to(logo::show),
        )
        .or_media(&["image/jpeg", "image/webp", "image/gif"]),
        in_languages(document(
            "/status/{slug}/feed.rss",
            "application/rss+xml",
            "Incidents as RSS",
            |route| route.to(rss),
        )),
        in_languages(document(
            "/status/{slug}/feed.atom",
            "application/atom+xml",
            "Incidents as Atom",
            |route| route.to(atom),
        )),
        in_languages(document(
            "/status/{slug}/feed.json",
            "application/feed+json",
            "Incidents as a JSON feed",
            |route| route.to(feed),
        ))
        .answers(schema::feed()),
        document(
            "/status/{slug}/maintenance.ics",
            "text/calendar",
            "Maintenance as a calendar",
            |route| route.to(calendar),
        ),
    ]
}

fn badges() -> Vec<Route> {
    let badge = |path, service: Service| {
        document(path, "image/svg+xml", "Draw a badge", service)
            .takes_as(
                "metric",
                "What it shows",
                json!({ "enum": ["status", "uptime", "response"], "default": "status" }),
            )
            .takes_as(
                "window",
                "The time range",
                json!({ "enum": ["24h", "7d", "30d", "90d"], "default": "90d" }),
            )
    };
    vec![
        badge("/status/{slug}/badge.svg", |route| route.to(whole_badge)),
        badge("/status/{slug}/monitors/{id}/badge.svg", |route| {
            route.to(one_badge)
        }),
    ]
}

async fn whole_badge(
    request: HttpRequest,
    shared: Data<Shared>,
    slug: Path<String>,
    query: Query<BadgeQuery>,
) -> Answer {
    let document = PageDocument::Badge(None, query.into_inner());
    answer(&request, &shared, &slug, &document)
}

async fn one_badge(
    request: HttpRequest,
    shared: Data<Shared>,
    path: Path<(String, String)>,
    query: Query<BadgeQuery>,
) -> Answer {
    let (slug, id) = path.into_inner();
    let document = PageDocument::Badge(Some(id), query.into_inner());
    answer(&request, &shared, &slug, &document)
}

fn json(path: &'static str, summary: &'static str, parts: &[&str], service: Service) -> Route {
    Route::new(Method::GET, Host::Base, path, service)
        .tagged("StatusPage")
        .says(
            summary,
            "In the shape of Statuspage's API v2; with `ETag`, for every origin.",
        )
        .answers(schema::document(parts))
        .or(304)
        .or(403)
}

fn statuspage() -> Vec<Route> {
    vec![
        json(
            "/status/{slug}/api/v2/summary.json",
            "Summary",
            &[
                "status",
                "components",
                "incidents",
                "scheduled_maintenances",
            ],
            |route| route.to(summary),
        ),
        json(
            "/status/{slug}/api/v2/status.json",
            "Overall status",
            &["status"],
            |route| route.to(status),
        ),
        json(
            "/status/{slug}/api/v2/components.json",
            "Monitors",
            &["components"],
            |route| route.to(components),
        ),
        json(
            "/status/{slug}/api/v2/incidents.json",
            "Incidents",
            &["incidents"],
            |route| route.to(incidents),
        ),
        json(
            "/status/{slug}/api/v2/incidents/unresolved.json",
            "Unresolved incidents",
            &["incidents"],
            |route| route.to(unresolved),
        ),
        json(
            "/status/{slug}/api/v2/scheduled-maintenances.json",
            "Maintenance",
            &["scheduled_maintenances"],
            |route| route.to(maintenances),
        ),
        json(
            "/status/{slug}/api/v2/scheduled-maintenances/upcoming.json",
            "Upcoming maintenance",
            &["scheduled_maintenances"],
            |route| route.to(upcoming),
        ),
        json(
            "/status/{slug}/api/v2/scheduled-maintenances/active.json",
            "Active maintenance",
            &["scheduled_maintenances"],
            |route| route.to(active),
        ),
    ]
}
