//! `POST /track`: custom events.

use actix_web::HttpResponse;

use super::{authorize::Sender, store};
use crate::{
    access::Principal,
    events::{accept::custom, ledger::Reason},
    fault::Fault,
};

pub(super) async fn track(sender: &Sender<'_>, named: Option<&str>) -> Result<HttpResponse, Fault> {
    // A website that is named beside the body is asked for before the body is looked at.
    let granted = match (sender.principal, named) {
        (Principal::Anonymous | Principal::Session(_), Some(id)) => {
            Some((id, sender.ask(named).await?))
        }
        _ => None,
    };
    let read = sender.read().await.and_then(custom::read);
    let ids = || read.iter().flat_map(custom::Body::website_ids);
    let grants = match (sender.principal, &read) {
        (Principal::Anonymous | Principal::Session(_), _) => sender.ask_one(ids, granted).await?,
        // With a key, events that name no website may belong to the organization.
        (Principal::Key(_), Ok(events)) if !events.is_empty() => {
            sender.ask_all(ids(), named).await?
        }
        // Nothing to store, but the caller's right is checked first.
        (Principal::Key(_), _) => {
            let nothing = std::iter::once(None);
            sender.ask_all(nothing, named).await?
        }
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
