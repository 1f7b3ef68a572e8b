//! The routes that take an array of one website, all of it or nothing: `/vitals`, `/errors`, `/engagement`, `/events`.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{Data, Payload},
};

use super::{authorize::Sender, store};
use crate::{
    events::{
        accept::{Context, engagement, error, legacy, vital},
        store::Accepted,
    },
    fault::Fault,
    http::{Shared, auth::Caller},
};

type Accept = fn(&[u8], &Context<'_>) -> Result<Vec<Accepted>, Fault>;

pub(super) async fn vitals(
    request: HttpRequest,
    caller: Caller,
    shared: Data<Shared>,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    take(
        &request,
        &caller,
        &shared,
        payload,
        vital::accept,
        "web_vitals",
    )
    .await
}

pub(super) async fn errors(
    request: HttpRequest,
    caller: Caller,
    shared: Data<Shared>,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    take(&request, &caller, &shared, payload, error::accept, "error").await
}

pub(super) async fn engagement(
    request: HttpRequest,
    caller: Caller,
    shared: Data<Shared>,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    take(
        &request,
        &caller,
        &shared,
        payload,
        engagement::accept,
        "engagement",
    )
    .await
}

pub(super) async fn legacy(
    request: HttpRequest,
    caller: Caller,
    shared: Data<Shared>,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    take(
        &request,
        &caller,
        &shared,
        payload,
        legacy::accept,
        "custom_event",
    )
    .await
}

async fn take(
    request: &HttpRequest,
    caller: &Caller,
    shared: &Shared,
    payload: Payload,
    accept: Accept,
    kind: &str,
) -> Result<HttpResponse, Fault> {
    let sender = Sender::new(shared, request, caller);
    let named = sender.receive(payload).await?;
    let grant = sender.ask_website(named.as_deref()).await?;
    let bytes = sender.unpack()?;
    let visit = sender.visit().await?;
    if sender.is_left_out(&visit, &grant) {
        return Ok(sender.ignored());
    }
    sender.await_permit().await;
    let accepted = accept(
        bytes,
        &Context {
            visit: &visit,
            target: grant.target(),
        },
    )?;
    let count = accepted.len();
    sender.append(accepted).await?;
    Ok(store::counted(kind, count))
}
