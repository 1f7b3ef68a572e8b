//! What a caller may do at this moment: keys are revoked and people leave while an answer is written (threat T11).

use std::sync::Arc;

use crate::{
    access::{Permission, Principal, SessionGrant, authorize},
    http::Shared,
    ids::OrganizationId,
};

/// The caller with their current rights in the one organization of a chat; nothing when they may not have chats there any
/// more.
pub(super) fn current(
    shared: &Shared,
    caller: &Principal,
    organization: &OrganizationId,
    permission: Permission,
) -> Option<Principal> {
    let now_ms = shared.clock.now_ms();
    let organizations = shared.organizations.view();
    let caller = match caller {
        Principal::Anonymous => return None,
        // An app is an agent itself, and is not answered by another.
        Principal::Key(key) if key.is_app() => return None,
        Principal::Key(key) => {
            let keys = shared.keys.view();
            Principal::Key(Arc::clone(&keys.live(&key.id, now_ms)?.grant))
        }
        Principal::Session(session) => {
            let grant = organizations.grant(&session.id, now_ms)?;
            let mut memberships = grant.memberships.clone();
            memberships.retain(|member| member.organization == *organization);
            Principal::Session(Arc::new(SessionGrant {
                active_organization: Some(organization.clone()),
                memberships,
                ..SessionGrant::clone(&grant)
            }))
        }
    };
    let may = authorize::organization(&caller, permission, organization).is_ok();
    (may && organizations.is_live(organization)).then_some(caller)
}
