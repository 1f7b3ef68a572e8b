//! `/push/<token>`: signs of life of programs that a push monitor watches. The token is the credential.

use std::time::Duration;

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Path},
};
use serde_json::json;

use super::{Host, Shared, routes::Route};
use crate::{
    actors::monitors::{RecordSignal, Signal},
    fault::Fault,
    store::limits::{Bucket, Demand, Identity, Rate},
};

/// How long the answer waits until the sign of life is stored.
const PATIENCE: Duration = Duration::from_secs(4);
/// Signs of life of one monitor.
const SIGNS: Rate = Rate {
    bucket: Bucket::Check,
    max: 60,
    window_ms: 60_000,
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = Vec::new();
    for method in [Method::GET, Method::POST] {
        let route = |path, service: fn(actix_web::Route) -> actix_web::Route| {
            Route::new(method.clone(), Host::Base, path, service)
                .tagged("Uptime")
                .answers(json!({ "type": "object", "required": ["success"], "properties": { "success": { "const": true } } }))
        };
        routes.extend([
            route("/push/{token}", |route| route.to(finish)).says(
                "Report a successful run",
                "The time since `/start`, if that was called, counts as its response time. The body is ignored.",
            ),
            route("/push/{token}/start", |route| route.to(start)).says(
                "Report the start of a run",
                "Doesn't change the status.",
            ),
            route("/push/{token}/fail", |route| route.to(fail)).says(
                "Report a failed run",
                "Counts as a failed check.",
            ),
        ]);
    }
    routes
}

async fn finish(token: Path<String>, shared: Data<Shared>) -> Result<HttpResponse, Fault> {
    beat(&shared, &token, Signal::Finish).await
}

async fn start(token: Path<String>, shared: Data<Shared>) -> Result<HttpResponse, Fault> {
    beat(&shared, &token, Signal::Start).await
}

async fn fail(token: Path<String>, shared: Data<Shared>) -> Result<HttpResponse, Fault> {
    beat(&shared, &token, Signal::Fail).await
}

async fn beat(shared: &Shared, token: &str, signal: Signal) -> Result<HttpResponse, Fault> {
    let organizations = shared.organizations.view();
    let found = shared.monitors.view().by_token(token).cloned();
    let live = found.filter(|one| organizations.is_live(&one.spec().organization));
    let found = live.map(|one| one.spec().id.clone());
    // What was asked for is a secret, or nothing.
    let id = found.ok_or_else(|| Fault::not_found("Schedule", ""))?;
    let identity = Identity::from_name("push", id.as_str());
    // There is no slot to hold: the demand bounds no concurrency.
    let _ = shared
        .admission
        .admit(Demand::new(identity).rate(Some(SIGNS)))
        .await?;
    let heard = shared.monitors.ask(RecordSignal { id, signal }).await;
    let stored = heard?;
    match tokio::time::timeout(PATIENCE, stored).await {
        Ok(Ok(())) => Ok(HttpResponse::Ok().json(json!({ "success": true }))),
        _ => Err(Fault::unavailable("Service temporarily unavailable")),
    }
}
