//! What ends when a person loses rights in an organization: open invitations to roles the person may no longer grant, and
//! API keys beyond the role that is left. Part of the transaction that takes the rights.

use serde_json::{Value, json};

use super::invitations::entry;
use crate::{
    actors::{
        audit::{self, Action, Actor},
        keys::{AffectedKey, LostRights, MakerKeys},
        organizations::{OrganizationError, invitation::Status, repo},
    },
    ids::InvitationId,
    store::state::Write,
};

/// What ended with a person's rights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostAccess {
    /// Keys that the person made and that went beyond the role that is left.
    pub keys: Vec<AffectedKey>,
    /// Open invitations that were canceled.
    pub invitations: Vec<InvitationId>,
}

impl LostAccess {
    /// What ended in several organizations.
    pub(in crate::actors::organizations) fn extend(&mut self, other: Self) {
        self.keys.extend(other.keys);
        self.invitations.extend(other.invitations);
    }

    /// The details of an entry in the audit log, with what ended.
    pub(in crate::actors::organizations) fn details(&self, mut details: Value) -> Value {
        if !self.keys.is_empty() {
            let keys = self.keys.iter();
            let keys = keys.map(|key| json!({ "id": key.id, "outcome": key.outcome.as_str() }));
            details["keys"] = keys.collect();
        }
        if !self.invitations.is_empty() {
            details["canceledInvitations"] = json!(self.invitations);
        }
        details
    }
}

/// Cancels the invitations and changes the keys.
pub(in crate::actors::organizations) async fn end_lost_access(
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
