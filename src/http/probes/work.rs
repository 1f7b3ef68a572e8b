//! The monitors of a probe, held back until they change.

use std::{sync::Arc, time::Duration};

use actix_web::{HttpResponse, http::header::CACHE_CONTROL, web};
use serde::Deserialize;
use tokio::time::Instant;

use super::caller::KnownProbe;
use crate::{actors::monitors::ProbeWork, fault::Fault, http::Shared};

/// How long an answer is held back.
const HOLD: Duration = Duration::from_secs(25);
/// How soon a change is noticed.
const LOOK: Duration = Duration::from_millis(200);
/// How far the server's clock may be set before probes are told, milliseconds.
const MAX_DRIFT_MS: i64 = 1_000;

#[derive(Debug, Deserialize)]
pub(super) struct Query {
    after: Option<String>,
}

pub(super) async fn work(
    known: KnownProbe,
    query: web::Query<Query>,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let after = query.into_inner().after.unwrap_or_default();
    let KnownProbe { probe, program, .. } = known;
    let poll = shared.probe_polls.begin(&probe.id);
    let inbox = &shared.probe_inbox;
    inbox.note_request(&probe.id, Some(&program)).await;
    let (begin, began_ms) = (Instant::now(), shared.clock.now_ms());
    let is_set = || {
        let expected_ms = began_ms + begin.elapsed().as_millis() as i64;
        (shared.clock.now_ms() - expected_ms).abs() > MAX_DRIFT_MS
    };
    let mut view = shared.monitors.view();
    let mut revision = view.probe_revision(&probe);
    while revision == after && begin.elapsed() < HOLD && !shared.stopping.is_cancelled() {
        if is_set() || poll.is_replaced() {
            break;
        }
        let _ = tokio::time::timeout(LOOK, poll.replaced()).await;
        inbox.note_request(&probe.id, Some(&program)).await;
        let now = shared.monitors.view();
        if Arc::ptr_eq(&now, &view) {
            continue;
        }
        view = now;
        let current = view.probes().by_id(probe.id.as_str());
        if current.is_none_or(|current| current.revoked_ms.is_some() || *current != probe) {
            // The next request decides who it is.
            break;
        }
        revision = view.probe_revision(&probe);
    }
    let monitors = (revision != after).then(|| view.probe_work(&probe));
    Ok(HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "no-store"))
        .json(ProbeWork {
            revision,
            now: shared.clock.now_ms(),
            monitors,
        }))
}
