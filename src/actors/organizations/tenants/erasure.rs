//! The end of a deleted organization: its row goes when all that belongs to it has gone, with a receipt in the audit log.

use serde_json::json;

use super::organization::{GRACE_MS, entry};
use crate::{
    access::authorize::Tenant,
    actors::{
        audit::{self, Action, Actor},
        delivery,
        error::CommonError,
        kit::handlers,
        organizations::{
            DueForErasure, EraseOrganization, OrganizationError, Organizations, OrganizationsEnv,
            repo,
        },
    },
};

handlers! { Organizations:
    commit DueForErasure => find_due;
    commit EraseOrganization => erase;
}

async fn find_due(
    env: OrganizationsEnv,
    _: DueForErasure,
) -> Result<Vec<Tenant>, OrganizationError> {
    let until_ms = env.clock.now_ms() - GRACE_MS;
    Ok(repo::tenants::list_deleted_until(env.db.reader(), until_ms).await?)
}

async fn erase(env: OrganizationsEnv, message: EraseOrganization) -> Result<(), OrganizationError> {
    let (organization, erased) = (message.organization, message.erased);
    let now_ms = env.clock.now_ms();
    let write = env.db.begin().await?;
    let found = repo::tenants::find_deleted(&*write, &organization).await?;
    let due = found.is_some_and(|(_, deleted_ms)| now_ms >= deleted_ms + GRACE_MS);
    if !due {
        return Err(CommonError::NoOrganization(organization).into());
    }
    delivery::forget(&write, &organization).await?;
    for provider in repo::sso_providers::list(&*write, &organization).await? {
        repo::identities::delete_by_provider(&*write, &provider.id).await?;
    }
    repo::tenants::erase(&*write, &organization).await?;
    let receipt = entry(Actor::System, Action::OrganizationErase, &organization);
    let receipt = receipt.with(json!({
        "events": erased.events, "websites": erased.websites, "keys": erased.keys,
    }));
    audit::record(&write, now_ms, receipt).await?;
    Ok(write.commit().await?)
}
