//! `POST /ai-traffic`: what agents of artificial intelligence fetched, as the website's own server saw it.

use actix_web::HttpResponse;

use super::{authorize::Sender, origin};
use crate::{
    events::{accept::agent, event::Trust},
    fault::Fault,
};

pub(super) async fn accept_report(
    sender: &Sender<'_>,
    named: Option<&str>,
) -> Result<HttpResponse, Fault> {
    let read = sender.read().await.and_then(agent::read);
    let own = read.as_ref().ok().and_then(|body| body.website_id());
    let grant = sender.ask_website(own.or(named)).await?;
    sender.shared.enricher.ready().await;
    let target = grant.target();
    let report = read?.accept(&target, sender.trust(), sender.shared.clock.now_ms())?;
    // Without a key, no sender's word counts for another website's pages.
    if let (Trust::Client, Some(host), Some(website)) =
        (sender.trust(), report.host(), grant.website())
    {
        origin::check_host(website, host)?;
    }
    let Some(request) = report.request(&sender.shared.enricher, &target) else {
        sender.is_settled.set(true);
        return Ok(HttpResponse::NoContent().finish());
    };
    sender.append(vec![request]).await?;
    Ok(HttpResponse::Accepted().finish())
}
