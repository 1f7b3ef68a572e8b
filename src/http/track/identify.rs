//! `POST /identify`: who a visitor is.

use actix_web::HttpResponse;
use serde_json::json;

use super::authorize::Sender;
use crate::{
    access::Principal, actors::profiles::Identify, events::accept::identify, fault::Fault,
};

pub(super) async fn identify(
    sender: &Sender<'_>,
    named: Option<&str>,
) -> Result<HttpResponse, Fault> {
    let read;
    let grant = match (sender.principal, named) {
        // Who is named beside the body is asked before the body is looked at.
        (Principal::Anonymous | Principal::Session(_), Some(_)) => {
            let grant = sender.ask_website(named).await?;
            read = sender.read().await.and_then(identify::read);
            grant
        }
        (principal, _) => {
            read = sender.read().await.and_then(identify::read);
            let own = read.as_ref().ok().and_then(identify::Body::website_id);
            match principal {
                Principal::Key(_) => sender.ask(own.or(named)).await?,
                Principal::Anonymous | Principal::Session(_) => sender.ask_website(own).await?,
            }
        }
    };
    let visit = sender.visit().await?;
    // No event: nothing is counted.
    let is_bot = visit.fate(grant.target().bots).ignored().is_some();
    if is_bot || sender.opted_out() {
        return Ok(sender.ignored());
    }
    let read = read?;
    if !grant.names_website() {
        return Err(identify::missing_website());
    }
    let said = read.accept()?;
    let visitors = sender
        .shared
        .enricher
        .forms(&said.anonymous, said.anonymize, visit.received);
    let call = Identify {
        access: grant.access(),
        trust: sender.trust(),
        profile: said.profile,
        visitors,
        traits: said.traits,
        said_ms: None,
    };
    sender.shared.profiles.ask(call).await?;
    Ok(HttpResponse::Ok().json(json!({ "status": "success", "type": "identify" })))
}
