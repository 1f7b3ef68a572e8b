//! `POST /track`: custom events.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};

use super::{
    authorize::{Sender, no_credentials},
    store,
};
use crate::{
    access::Principal,
    events::{accept::custom, ledger::Reason},
    fault::Fault,
    http::{Shared, auth::Caller},
};

pub(super) async fn track(
    request: HttpRequest,
    caller: Caller,
    shared: Data<Shared>,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    let sender = Sender::new(&shared, &request, &caller);
    let body = sender.read(payload).await?;
    let read = custom::read(&body.bytes);
    let query = super::pages::parameter(&request, "website_id");
    let named = read
        .as_ref()
        .ok()
        .and_then(|body| body.website_ids().flatten().next());
    let fallback = match sender.principal {
        // With a key, events that name no website may belong to the organization.
        Principal::Key(_) => query.as_deref(),
        Principal::Anonymous | Principal::Session(_) => {
            Some(query.as_deref().or(named).ok_or_else(no_credentials)?)
        }
    };
    let grants = match &read {
        Ok(events) if !events.is_empty() => sender.ask_all(events.website_ids(), fallback).await?,
        // Nothing to store, but the caller is told first whether it may.
        _ => sender.ask_all(std::iter::once(None), fallback).await?,
    };
    let mut events = read?;
    let visit = sender.visit().await?;
    let bots = events.leave_out_bots(&visit, |id| grants.target(id))?;
    sender.count(Reason::Bot, bots);
    if bots > 0 && events.is_empty() {
        return Ok(sender.ignored());
    }
    if sender.leaves_opted_out() {
        return Ok(sender.ignored());
    }
    let accepted = events.accept(&visit, |id| grants.target(id))?;
    let count = accepted.len();
    sender.append(accepted).await?;
    Ok(store::counted("custom_event", count))
}
