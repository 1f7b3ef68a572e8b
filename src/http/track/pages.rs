//! `POST /` and `POST /batch`: page events and outgoing links of the tracker.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload, Query},
};
use serde_json::json;

use super::authorize::Sender;
use crate::{
    events::{
        accept::{Context, batch, page},
        ledger::Reason,
    },
    fault::Fault,
    http::{Shared, auth::Caller},
};

/// A query parameter, decoded; nothing when it is empty.
pub(super) fn parameter(request: &HttpRequest, name: &str) -> Option<String> {
    Query::<Vec<(String, String)>>::from_query(request.query_string())
        .ok()?
        .into_inner()
        .into_iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

/// The client id of the routes that the tracker calls: in the query, else in a header.
pub(super) fn client_id(request: &HttpRequest) -> Option<String> {
    parameter(request, "client_id").or_else(|| {
        let header = request
            .headers()
            .get("databuddy-client-id")?
            .to_str()
            .ok()?;
        let header = header.trim();
        (!header.is_empty()).then(|| header.to_owned())
    })
}

pub(super) async fn one(
    request: HttpRequest,
    caller: Caller,
    shared: Data<Shared>,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    let sender = Sender::new(&shared, &request, &caller);
    let body = sender.read(payload).await?;
    let grant = sender.ask_website(client_id(&request).as_deref()).await?;
    let visit = sender.visit().await?;
    let context = Context {
        visit: &visit,
        target: grant.target(),
    };
    if let Some(request) = page::one_of_agent(&body.bytes, &context) {
        return sender.agent(request).await;
    }
    if sender.is_left_out(&visit, &grant) {
        return Ok(sender.ignored());
    }
    let (sort, accepted) = page::one(&body.bytes, &context)?;
    sender.append(vec![accepted]).await?;
    Ok(HttpResponse::Ok().json(json!({ "status": "success", "type": sort.as_str() })))
}

pub(super) async fn batch(
    request: HttpRequest,
    caller: Caller,
    shared: Data<Shared>,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    let sender = Sender::new(&shared, &request, &caller);
    let body = sender.receive(payload).await?;
    let grant = sender.ask_website(client_id(&request).as_deref()).await?;
    if sender.leaves_opted_out() {
        return Ok(sender.ignored());
    }
    let visit = sender.visit().await?;
    body.begin_turn(|| sender.id()).await;
    let context = Context {
        visit: &visit,
        target: grant.target(),
    };
    let batch = batch::accept(&body.bytes, &context)?;
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
