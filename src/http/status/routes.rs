//! Where the documents of a page are.

use actix_web::{
    HttpRequest, HttpResponse,
    http::Method,
    web::{Data, Path, Query},
};

use super::{What, answer, badge, doors::Api, subscribe, subscription};
use crate::{
    fault::Fault,
    http::{Host, Shared, routes::Route},
};

type Service = fn(actix_web::Route) -> actix_web::Route;
type Answer = Result<HttpResponse, Fault>;

pub(in crate::http) fn routes() -> Vec<Route> {
    let all = [
        documents(),
        badges(),
        statuspage(),
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
        .says(summary, "Made of memory; with `ETag`, for every origin.")
        .media(media)
}

/// Handlers of documents that are asked for by the page's name alone.
macro_rules! handlers {
    ($($name:ident: $what:expr,)*) => {$(
        async fn $name(request: HttpRequest, shared: Data<Shared>, slug: Path<String>) -> Answer {
            answer(&request, &shared, &slug, &$what)
        }
    )*};
}

handlers! {
    page: What::Page,
    rss: What::Rss,
    atom: What::Atom,
    feed: What::Feed,
    calendar: What::Calendar,
    summary: What::Api(Api::Summary),
    status: What::Api(Api::Status),
    components: What::Api(Api::Components),
    incidents: What::Api(Api::Incidents),
    unresolved: What::Api(Api::Unresolved),
    maintenances: What::Api(Api::Maintenances),
    upcoming: What::Api(Api::Upcoming),
    active: What::Api(Api::Active),
}

fn documents() -> Vec<Route> {
    vec![
        document(
            "/status/{slug}",
            "text/html",
            "Show a status page",
            |route| route.to(page),
        ),
        document(
            "/status/{slug}/feed.rss",
            "application/rss+xml",
            "Incidents as RSS",
            |route| route.to(rss),
        ),
        document(
            "/status/{slug}/feed.atom",
            "application/atom+xml",
            "Incidents as Atom",
            |route| route.to(atom),
        ),
        document(
            "/status/{slug}/feed.json",
            "application/feed+json",
            "Incidents as a JSON feed",
            |route| route.to(feed),
        ),
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
            .takes("metric", "`status` (default), `uptime` or `response`")
            .takes("window", "`24h`, `7d`, `30d` or `90d` (default)")
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
    said: Query<badge::Said>,
) -> Answer {
    let what = What::Badge(None, said.into_inner());
    answer(&request, &shared, &slug, &what)
}

async fn one_badge(
    request: HttpRequest,
    shared: Data<Shared>,
    path: Path<(String, String)>,
    said: Query<badge::Said>,
) -> Answer {
    let (slug, id) = path.into_inner();
    let what = What::Badge(Some(id), said.into_inner());
    answer(&request, &shared, &slug, &what)
}

fn statuspage() -> Vec<Route> {
    let json = |path, summary, service: Service| {
        Route::new(Method::GET, Host::Base, path, service)
            .tagged("StatusPage")
            .says(
                summary,
                "In the shape of Statuspage's API v2; with `ETag`, for every origin.",
            )
    };
    vec![
        json(
            "/status/{slug}/api/v2/summary.json",
            "Everything at once",
            |route| route.to(summary),
        ),
        json(
            "/status/{slug}/api/v2/status.json",
            "How all stands",
            |route| route.to(status),
        ),
        json(
            "/status/{slug}/api/v2/components.json",
            "Monitors",
            |route| route.to(components),
        ),
        json(
            "/status/{slug}/api/v2/incidents.json",
            "Incidents",
            |route| route.to(incidents),
        ),
        json(
            "/status/{slug}/api/v2/incidents/unresolved.json",
            "Incidents that are not over",
            |route| route.to(unresolved),
        ),
        json(
            "/status/{slug}/api/v2/scheduled-maintenances.json",
            "Maintenance",
            |route| route.to(maintenances),
        ),
        json(
            "/status/{slug}/api/v2/scheduled-maintenances/upcoming.json",
            "Maintenance that has not begun",
            |route| route.to(upcoming),
        ),
        json(
            "/status/{slug}/api/v2/scheduled-maintenances/active.json",
            "Maintenance that goes on",
            |route| route.to(active),
        ),
    ]
}
