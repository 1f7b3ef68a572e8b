//! `POST /mcp`: tool calls that a customer's MCP server reports. No MCP is spoken here.

use actix_web::HttpResponse;
use serde_json::json;

use super::authorize::{Sender, no_credentials};
use crate::{access::Principal, events::accept::call, fault::Fault};

pub(super) async fn calls(sender: &Sender<'_>, named: Option<&str>) -> Result<HttpResponse, Fault> {
    // The public client id is no proof: these rows say what a server did.
    if !matches!(sender.principal, Principal::Key(_)) {
        return Err(no_credentials());
    }
    let read = sender.read().await.and_then(call::read);
    let grants = match &read {
        Ok(calls) => sender.ask_all(calls.website_ids(), named).await?,
        // Nothing to store, but the caller's right is checked first.
        Err(_) => sender.ask_all(std::iter::once(None), named).await?,
    };
    let calls = read?;
    let visit = sender.visit().await?;
    let accepted = calls.accept(&visit, |id| grants.target(id))?;
    let count = accepted.len();
    sender.append(accepted).await?;
    Ok(HttpResponse::Accepted().json(json!({ "status": "success", "count": count })))
}
