//! Results of a probe: stored, then acknowledged.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Bytes},
};
use serde_json::json;

use super::caller::KnownProbe;
use crate::{
    actors::monitors::{ReportBatch, ReportsArrived, is_signed},
    fault::Fault,
    http::Shared,
};

const SIGNATURE: &str = "x-pharos-signature";

pub(super) async fn reports(
    known: KnownProbe,
    body: Bytes,
    request: HttpRequest,
    shared: web::Data<Shared>,
) -> Result<HttpResponse, Fault> {
    let signature = request.headers().get(SIGNATURE);
    let signature = signature.and_then(|value| value.to_str().ok());
    if !is_signed(&known.token, &body, signature.unwrap_or_default()) {
        return Err(Fault::forbidden("The signature of the results is wrong"));
    }
    let batch: ReportBatch = serde_json::from_slice(&body)
        .map_err(|error| Fault::invalid(format!("The results can't be read: {error}")))?;
    let acknowledged = shared.probe_inbox.take(&known.probe, batch).await?;
    let inbox = &shared.probe_inbox;
    inbox
        .note_request(&known.probe.id, Some(&known.program))
        .await;
    // What is not heard is read a little later.
    let _ = shared.monitors.tell(ReportsArrived);
    Ok(HttpResponse::Ok().json(json!({ "acknowledged": acknowledged })))
}
