//! `POST /` and `POST /batch`: page events and outgoing links of the tracker.

use actix_web::HttpResponse;
use serde_json::json;

use super::authorize::Sender;
use crate::{
    events::{
        accept::{Context, batch, page},
        ledger::Reason,
    },
    fault::Fault,
};

pub(super) async fn accept_one(
    sender: &Sender<'_>,
    named: Option<&str>,
) -> Result<HttpResponse, Fault> {
    let grant = sender.ask_website(named).await?;
    let bytes = sender.read().await?;
    let visit = sender.visit().await?;
    let context = Context {
        visit: &visit,
        target: grant.target(),
    };
    if let Some(request) = page::accept_from_agent(bytes, &context) {
        return sender.agent(request).await;
    }
    if sender.is_left_out(&visit, &grant) {
        return Ok(sender.ignored());
    }
    let (sort, accepted) = page::accept(bytes, &context)?;
    sender.append(vec![accepted]).await?;
    Ok(HttpResponse::Ok().json(json!({ "status": "success", "type": sort.as_str() })))
}

pub(super) async fn batch(sender: &Sender<'_>, named: Option<&str>) -> Result<HttpResponse, Fault> {
    let grant = sender.ask_website(named).await?;
    let bytes = sender.unpack()?;
    if sender.leaves_opted_out() {
        return Ok(sender.ignored());
    }
    let visit = sender.visit().await?;
    sender.await_permit().await;
    let context = Context {
        visit: &visit,
        target: grant.target(),
    };
    let batch = batch::accept(bytes, &context)?;
    sender.count(Reason::Bot, batch.bots);
    sender.count(Reason::InvalidBody, batch.refused());
    sender.append(batch.accepted).await?;
    Ok(HttpResponse::Ok().json(json!({
        "status": "success",
        "batch": true,
        "processed": batch.results.len(),
        "batched": { "track": batch.track, "outgoing_link": batch.outgoing_link },
        "results": batch.results,
    })))
}
