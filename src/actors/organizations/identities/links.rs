//! Linking and unlinking.

use std::sync::Arc;

use serde_json::json;

use crate::{
    actors::{
        audit::Action,
        kit::{commit, handlers},
        organizations::{
            Decision, LinkIdentity, OrganizationError, Organizations, ProvenIdentity, SignInMethod,
            SsoError, UnlinkIdentity, is_sso_provider,
            repo::{self, write},
            trail,
        },
    },
    ids::UserId,
    store::state::Write,
};

handlers! { Organizations:
    decide LinkIdentity => Organizations::link_identity;
    decide UnlinkIdentity => Organizations::unlink_identity;
}

impl Organizations {
    fn link_identity(&mut self, message: LinkIdentity) -> Decision<()> {
        let (session, now_ms) = (&message.session, self.env.clock.now_ms());
        let session = self.view.session_by_id(session);
        let session = session.ok_or(OrganizationError::SessionOver)?;
        let user = session.grant.user.clone();
        let proven = message.proven;
        let io = write(self.env.db.clone(), async move |write| {
            match repo::identities::find(&**write, &proven).await? {
                Some((_, owner)) if owner == user => return Ok(()),
                Some(_) => return Err(OrganizationError::LinkedElsewhere),
                None => {}
            }
            store(write, &user, &proven, now_ms).await?;
            record(write, &user, Action::IdentityLink, &proven.provider, now_ms).await
        });
        Ok(commit(io, |_, ()| ()))
    }

    fn unlink_identity(&mut self, message: UnlinkIdentity) -> Decision<()> {
        let UnlinkIdentity { user, identity } = message;
        self.signed_in(&user)?;
        let (owner, now_ms) = (user.clone(), self.env.clock.now_ms());
        let io = write(self.env.db.clone(), async move |write| {
            let linked = repo::identities::list(&**write, &owner).await?;
            let found = linked.iter().find(|one| one.id == identity);
            let provider = found
                .ok_or(OrganizationError::NoSuchIdentity)?
                .provider
                .clone();
            if is_sso_provider(&provider) {
                // Else who was removed from the organization could join anew.
                return Err(OrganizationError::Sso(SsoError::Linked));
            }
            repo::identities::delete(&**write, &identity).await?;
            if !repo::people::has_way_in(&**write, &owner).await? {
                return Err(OrganizationError::LastWayIn);
            }
            let method = SignInMethod::Provider(provider.clone());
            repo::sessions::delete_by_method(&**write, &owner, &method).await?;
            record(write, &owner, Action::IdentityUnlink, &provider, now_ms).await?;
            Ok(method)
        });
        Ok(commit(io, move |domain: &mut Self, method| {
            let view = Arc::make_mut(&mut domain.view);
            view.end_sessions(&user, |session| session.method == method);
        }))
    }
}

/// Stores a link, in the caller's transaction. A person has one account at a provider.
pub(super) async fn store(
    write: &Write,
    user: &UserId,
    proven: &ProvenIdentity,
    now_ms: i64,
) -> Result<(), OrganizationError> {
    let linked = repo::identities::list(&**write, user).await?;
    if linked.iter().any(|one| one.provider == proven.provider) {
        return Err(OrganizationError::AlreadyLinked);
    }
    Ok(repo::identities::insert(&**write, user, proven, now_ms).await?)
}

/// Writes a change of a link into the audit log.
pub(super) async fn record(
    write: &Write,
    user: &UserId,
    action: Action,
    provider: &str,
    now_ms: i64,
) -> Result<(), OrganizationError> {
    let details = json!({ "provider": provider });
    Ok(trail::record(write, user, (action, user.as_str()), Some(details), now_ms).await?)
}
