//! What is left of a deleted organization, website or link, and of people who are to be forgotten, goes from every
//! store once its days of grace are over.
//!
//! Events first, then what each domain has of it, then the organization itself together with the receipt in its audit
//! log. Every step can be repeated, so the next run continues an interrupted one.

use std::time::Duration;

use actix::{Context, Handler, Message, dev::ToEnvelope};

use super::{
    Domains,
    hosts::{self, HostError},
    ingest::{EraseOwner, ErasePerson, EraseThings, Ingest, IngestError},
    keys::{self, KeyError},
    kit::Live,
    links::{self, LinkError},
    organizations::{DueForErasure, EraseOrganization, ErasureCounts, OrganizationError},
    profiles::{self, FinishErasure, ProfileError},
    websites::{self, EraseWebsites, WebsiteError},
};
use crate::{access::authorize::Tenant, store::LastRun};

/// How often it is looked for organizations whose time is over.
const TURN: Duration = Duration::from_hours(1);

#[derive(Debug, thiserror::Error)]
pub enum ErasureError {
    /// Its row, or the list of those that are due.
    #[error(transparent)]
    Organizations(#[from] OrganizationError),
    #[error(transparent)]
    Events(#[from] IngestError),
    #[error(transparent)]
    Websites(#[from] WebsiteError),
    #[error(transparent)]
    Keys(#[from] KeyError),
    #[error(transparent)]
    Profiles(#[from] ProfileError),
    #[error(transparent)]
    Hosts(#[from] HostError),
    /// The list of deleted links, or a receipt.
    #[error(transparent)]
    Links(#[from] LinkError),
}

/// Erases what is due, now and every hour. Days of grace are over only by a clock that is plausible; who is to be
/// forgotten has none.
pub async fn run(domains: Domains, last_run: LastRun) {
    loop {
        if let Err(error) = erase_people(&domains).await {
            tracing::error!(%error, "a forgotten person's events are not erased yet; it is tried again in an hour");
        }
        match last_run.check() {
            Ok(()) => erase_by_age(&domains).await,
            Err(ahead) => tracing::error!("{ahead}"),
        }
        tokio::time::sleep(TURN).await;
    }
}

async fn erase_by_age(domains: &Domains) {
    if let Err(error) = erase_due(domains).await {
        tracing::error!(%error, "a deleted organization is not erased yet; it is tried again in an hour");
    }
    if let Err(error) = erase_websites(domains).await {
        tracing::error!(%error, "a deleted website is not erased yet; it is tried again in an hour");
    }
    if let Err(error) = erase_links(domains).await {
        tracing::error!(%error, "clicks of deleted links are not erased yet; it is tried again in an hour");
    }
}

/// Erases the organizations that were deleted long enough ago; how many.
///
/// # Errors
/// What stopped it; the rest is left for the next turn.
pub async fn erase_due(domains: &Domains) -> Result<usize, ErasureError> {
    let due = domains.organizations.ask(DueForErasure).await?;
    for tenant in &due {
        erase(domains, tenant).await?;
        tracing::info!(organization.id = %tenant.id, "a deleted organization was erased");
    }
    Ok(due.len())
}

/// Erases the clicks of links that were deleted long enough ago; of how many links.
///
/// # Errors
/// What stopped it; the rest is left for the next turn.
pub async fn erase_links(domains: &Domains) -> Result<usize, ErasureError> {
    let due = domains.links.ask(links::DueForErasure).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let keys = due.iter().map(|link| link.key.0).collect();
    let clicks = erased_from(domains, EraseThings { keys }).await?;
    let links = due.len();
    domains
        .links
        .ask(links::ReceiptForLinks { links: due })
        .await?;
    tracing::info!(links, clicks, "the clicks of deleted links were erased");
    Ok(links)
}

/// Erases the websites that were deleted long enough ago; how many.
///
/// # Errors
/// What stopped it; the rest is left for the next turn.
pub async fn erase_websites(domains: &Domains) -> Result<usize, ErasureError> {
    let due = domains.websites.ask(websites::DueForErasure).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let keys = due.iter().map(|website| website.key.0).collect();
    let events = erased_from(domains, EraseThings { keys }).await?;
    let count = due.len();
    let message = EraseWebsites { websites: due };
    domains.websites.ask(message).await?;
    tracing::info!(websites = count, events, "deleted websites were erased");
    Ok(count)
}

/// Erases the events of people who are to be forgotten; how many rows.
///
/// # Errors
/// What stopped it; the rest is left for the next turn.
pub async fn erase_people(domains: &Domains) -> Result<u64, ErasureError> {
    let mut all = 0;
    for erased in domains.profiles.ask(profiles::DueForErasure).await? {
        let person = erased.person.clone();
        let gone = erased_from(domains, ErasePerson { person }).await?;
        all += gone.values().sum::<u64>();
        domains.profiles.ask(FinishErasure { erased, gone }).await?;
    }
    Ok(all)
}

async fn erase(domains: &Domains, tenant: &Tenant) -> Result<(), ErasureError> {
    let organization = tenant.id.clone();
    let events = EraseOwner {
        organization: tenant.key.0,
    };
    let mut erased = ErasureCounts {
        events: erased_from(domains, events).await?,
        ..ErasureCounts::default()
    };
    let message = websites::EraseOwner {
        organization: organization.clone(),
    };
    erased.websites = domains.websites.ask(message).await?;
    let message = keys::EraseOwner {
        organization: organization.clone(),
    };
    erased.keys = domains.keys.ask(message).await?;
    let message = hosts::ForgetOwner {
        organization: organization.clone(),
    };
    domains.hosts.ask(message).await?;
    let message = EraseOrganization {
        organization,
        erased,
    };
    Ok(domains.organizations.ask(message).await?)
}

/// Has events erased. What takes longer than anybody waits is finished all the same, and found done when asked for again.
async fn erased_from<M, R>(domains: &Domains, message: M) -> Result<R, IngestError>
where
    R: Send + 'static,
    M: Message<Result = Result<R, IngestError>> + Clone + Send + 'static,
    Live<Ingest>: Handler<M>,
    Context<Live<Ingest>>: ToEnvelope<Live<Ingest>, M>,
{
    loop {
        match domains.ingest.ask(message.clone()).await {
            Err(error) if error.is_timeout() => {}
            outcome => return outcome,
        }
    }
}
