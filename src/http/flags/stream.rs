//! Changes of flags, pushed: an event says "ask again" and carries nothing else.

use std::{sync::Arc, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{CACHE_CONTROL, HeaderName},
    web,
};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{etag, request};
use crate::http::{Shared, edge::RequestId, wire::Wire};

/// How soon a change is pushed.
const LOOK: Duration = Duration::from_secs(1);
/// Looks after which a quiet stream says that it is still there.
const QUIET: u32 = 25;
/// After so many looks a stream ends, and its client reconnects: none is kept for ever.
const LOOKS: u32 = 3_600;
const LAST: HeaderName = HeaderName::from_static("last-event-id");

struct Watch {
    shared: Arc<Shared>,
    client: String,
    known: String,
    interval: Interval,
    looks: u32,
    quiet: u32,
    _place: OwnedSemaphorePermit,
}

pub(super) async fn stream(
    request: HttpRequest,
    client: web::Path<String>,
    shared: web::Data<Shared>,
) -> HttpResponse {
    let admitted = request::admit(&shared, &client, &request).await;
    let place = match admitted.and_then(|()| shared.streams.open()) {
        Ok(place) => place,
        Err(fault) => {
            let id = RequestId::from_request(&request);
            return Wire::Rest.write_beside(&fault, &id, serde_json::Map::new());
        }
    };
    let mut interval = interval(LOOK);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let last = request.headers().get(LAST);
    let last = last.and_then(|last| last.to_str().ok()).map(str::to_owned);
    let client = client.into_inner();
    let known = last.unwrap_or_else(|| now(&shared, &client));
    let watch = Watch {
        shared: Arc::clone(&shared),
        known,
        client,
        interval,
        looks: 0,
        // Says at once that it is there.
        quiet: QUIET,
        _place: place,
    };
    HttpResponse::Ok()
        .content_type("text/event-stream")
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(stream::unfold(watch, next))
}

fn now(shared: &Shared, client: &str) -> String {
    let shown = request::find_flags(shared, client).unwrap_or_default();
    etag::revision(&shown, shared.clock.now_ms())
}

type Piece = Result<Bytes, std::convert::Infallible>;

async fn next(mut watch: Watch) -> Option<(Piece, Watch)> {
    while watch.looks < LOOKS {
        watch.interval.tick().await;
        watch.looks += 1;
        watch.quiet += 1;
        let now = now(&watch.shared, &watch.client);
        if now != watch.known {
            watch.known = now;
            watch.quiet = 0;
            let tag = &watch.known;
            let event = format!(
                "id: {tag}\nevent: message\ndata: {{\"type\":\"refetchEvaluation\",\"etag\":\"{tag}\"}}\n\n"
            );
            return Some((Ok(event.into()), watch));
        }
        if watch.quiet > QUIET {
            watch.quiet = 0;
            return Some((Ok(Bytes::from_static(b": still here\n\n")), watch));
        }
    }
    None
}
