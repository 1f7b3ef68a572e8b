//! What is left of a deleted organization goes from every store once its days of grace are over.
//!
//! Events first, then what each domain has of it, then the organization itself together with the receipt in its audit log. Every
//! step finds nothing to do when it is done again, so that whatever was cut off is taken up by the next turn.

use std::time::Duration;

use super::{
    Domains,
    ingest::{EraseOwner, IngestError},
    keys::{self, KeyError},
    kit::Unavailable,
    organizations::{DueForErasure, EraseOrganization, Erased, OrganizationError},
    websites::{self, WebsiteError},
};
use crate::access::authorize::Tenant;

/// How often it is looked for organizations whose time is over.
const TURN: Duration = Duration::from_hours(1);

/// Why an organization is not erased yet.
#[derive(Debug, thiserror::Error)]
pub enum ErasureError {
    /// Its row, or the list of those that are due.
    #[error(transparent)]
    Organizations(#[from] OrganizationError),
    /// Its events.
    #[error(transparent)]
    Events(#[from] IngestError),
    /// Its websites.
    #[error(transparent)]
    Websites(#[from] WebsiteError),
    /// Its keys.
    #[error(transparent)]
    Keys(#[from] KeyError),
}

/// Erases what is due, now and every hour.
pub async fn run(domains: Domains) {
    loop {
        if let Err(error) = erase_due(&domains).await {
            tracing::error!(%error, "a deleted organization is not erased yet; it is tried again in an hour");
        }
        tokio::time::sleep(TURN).await;
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

async fn erase(domains: &Domains, tenant: &Tenant) -> Result<(), ErasureError> {
    let organization = tenant.id.clone();
    let mut erased = Erased {
        events: erase_events(domains, tenant).await?,
        ..Erased::default()
    };
    let message = websites::EraseOwner {
        organization: organization.clone(),
    };
    erased.websites = domains.websites.ask(message).await?;
    let message = keys::EraseOwner {
        organization: organization.clone(),
    };
    erased.keys = domains.keys.ask(message).await?;
    let message = EraseOrganization {
        organization,
        erased,
    };
    Ok(domains.organizations.ask(message).await?)
}

/// Its events. What takes longer than anybody waits is finished all the same, and found done when asked for again.
async fn erase_events(domains: &Domains, tenant: &Tenant) -> Result<u64, IngestError> {
    loop {
        let message = EraseOwner {
            organization: tenant.key.0,
        };
        match domains.ingest.ask(message).await {
            Err(IngestError::Unavailable(Unavailable::Timeout(_))) => {}
            outcome => return outcome,
        }
    }
}
