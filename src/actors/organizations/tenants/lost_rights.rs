//! What ends when a person loses rights in an organization: open invitations to roles the person may no longer grant, and
//! API keys beyond the role that is left. Part of the transaction that takes the rights.

use serde_json::json;

use super::invitations::entry;
use crate::{
    actors::{
        audit::{self, Action, Actor},
        keys::{LostRights, MakerKeys},
        organizations::{
            LostAccess, OrganizationError, OrganizationsEnv, invitation::Status, repo,
        },
    },
    store::state::Write,
};

impl OrganizationsEnv {
    /// A transaction of changes to API keys too: after the commit, this process rereads them before it answers.
    pub(crate) async fn write_with_keys<T>(
        self,
        work: impl AsyncFnOnce(&Write, &MakerKeys) -> Result<T, OrganizationError>,
    ) -> Result<T, OrganizationError> {
        let Self { db, keys, .. } = self;
        let value = repo::write(db, async |write| work(write, &keys).await).await?;
        keys.refresh().await;
        Ok(value)
    }
}

/// Ends a membership with all that came with it; `lost` says whose, and whether keys stay.
pub(crate) async fn end_membership(
    write: &Write,
    keys: &MakerKeys,
    by: &Actor,
    lost: LostRights<'_>,
    now_ms: i64,
) -> Result<LostAccess, OrganizationError> {
    repo::members::delete(&**write, lost.organization, lost.user).await?;
    end_lost_access(write, keys, by, lost, now_ms).await
}

/// Cancels the invitations and changes the keys.
pub(crate) async fn end_lost_access(
    write: &Write,
    keys: &MakerKeys,
    by: &Actor,
    lost: LostRights<'_>,
    now_ms: i64,
) -> Result<LostAccess, OrganizationError> {
    let open = repo::invitations::pending_by(&**write, lost.organization, lost.user).await?;
    let mut invitations = Vec::new();
    for invitation in open {
        if lost
            .role
            .is_some_and(|role| role.may_assign(invitation.role))
        {
            continue;
        }
        let (id, status) = (&invitation.id, Status::Canceled);
        if repo::invitations::close(&**write, id, status, now_ms).await? {
            let entry = entry(&invitation, by.clone(), Action::InvitationCancel);
            let reason = "the inviter may no longer grant this role";
            let details = json!({ "role": invitation.role, "reason": reason });
            audit::record(write, now_ms, entry.with(details)).await?;
            invitations.push(invitation.id);
        }
    }
    let keys = keys.limit(write, by, lost, now_ms).await?;
    Ok(LostAccess { keys, invitations })
}
