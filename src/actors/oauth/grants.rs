//! What people allow, see and end.

use secrecy::SecretString;
use serde_json::json;

use super::{
    Approval, Grant, GrantRefusal, GrantsOf, ListedGrant, OAuthError, OAuthStore, apps,
    model::MAX_GRANTS,
    repo::{self, Kind, NewToken},
    rules::CODE_MS,
    store::new_secret,
};
use crate::{
    actors::{
        audit::{self, Action, Actor, Entry},
        error::CommonError,
    },
    ids::{GrantId, UserId},
    store::state::Write,
};

impl OAuthStore {
    /// Allows an app something, and gives the code for it.
    pub async fn approve(&self, approval: Approval) -> Result<SecretString, OAuthError> {
        if approval.scopes.is_empty() {
            return Err(OAuthError::NoScopes);
        }
        let (user, organization) = (&approval.user, &approval.organization);
        let role = self.current_role(user, organization, &approval.method);
        if role.is_none() {
            return Err(OAuthError::NotAMember);
        }
        let now_ms = self.clock.now_ms();
        let (code, digest) = new_secret(Kind::Code)?;
        let app = approval.app.clone();
        let bound_to = Some((approval.redirect_uri.clone(), approval.challenge.clone()));
        let grant = new_grant(approval, now_ms);
        let write = self.db.begin_blind().await?;
        repo::mark_app_used(&*write, app.id.as_str(), now_ms).await?;
        apps::prune(&write, now_ms).await?;
        if repo::count_grants(&*write, &grant.user).await? >= MAX_GRANTS {
            return Err(OAuthError::TooManyGrants);
        }
        match repo::insert_grant(&*write, &grant).await {
            Err(CommonError::State(error)) if error.is_orphan() => {
                // The app was forgotten, or the person has left.
                return Err(GrantRefusal::UnknownApp.into());
            }
            inserted => inserted?,
        }
        let token = NewToken {
            digest,
            grant: &grant.id,
            kind: Kind::Code,
            bound_to,
            expires_ms: now_ms + CODE_MS,
        };
        repo::insert_token(&*write, token).await?;
        let entry = entry(&grant, Actor::User(grant.user.clone()), Action::GrantCreate);
        let details = json!({
            "app": app.name,
            "clientId": app.id,
            "scopes": grant.scopes,
            "resource": grant.resource,
        });
        audit::record(&write, now_ms, entry.with(details)).await?;
        write.commit_quietly().await?;
        Ok(code)
    }

    /// What a person has allowed, or what an organization's members have, newest first.
    pub async fn list(&self, of: GrantsOf<'_>) -> Result<Vec<ListedGrant>, OAuthError> {
        let now_ms = self.clock.now_ms();
        let mut listed = repo::list_grants(self.db.reader(), of).await?;
        listed.retain(|one| now_ms < one.grant.expires_ms);
        Ok(listed)
    }

    pub async fn find_grant(&self, id: &str) -> Result<Option<Grant>, OAuthError> {
        Ok(repo::find_grant(self.db.reader(), id).await?)
    }

    /// Ends what a member has allowed, for those who manage the organization's keys.
    pub async fn end_of_member(&self, by: &UserId, grant: &Grant) -> Result<(), OAuthError> {
        let write = self.db.begin_blind().await?;
        let by = Actor::User(by.clone());
        self.end_in(&write, grant, by, "an administrator revoked it")
            .await?;
        Ok(write.commit_quietly().await?)
    }

    /// Ends a grant of this person. One of another person is unknown.
    pub async fn end(&self, user: &UserId, id: &GrantId) -> Result<(), OAuthError> {
        let write = self.db.begin_blind().await?;
        let grant = repo::find_grant(&*write, id.as_str()).await?;
        let grant = grant
            .filter(|grant| grant.user == *user)
            .ok_or_else(|| OAuthError::NotFound(id.clone()))?;
        let by = Actor::User(user.clone());
        self.end_in(&write, &grant, by, "its person revoked it")
            .await?;
        Ok(write.commit_quietly().await?)
    }

    /// Ends a grant in a transaction.
    pub(super) async fn end_in(
        &self,
        write: &Write,
        grant: &Grant,
        by: Actor,
        reason: &'static str,
    ) -> Result<(), OAuthError> {
        self.end_as(write, grant, by, (Action::GrantRevoke, reason))
            .await
    }

    /// Ends a grant because a secret of it was used twice: two hold it.
    pub(super) async fn end_reused(
        &self,
        write: &Write,
        grant: &Grant,
        reason: &'static str,
    ) -> Result<(), OAuthError> {
        let action = (Action::GrantReuse, reason);
        self.end_as(write, grant, Actor::Anonymous, action).await
    }

    async fn end_as(
        &self,
        write: &Write,
        grant: &Grant,
        by: Actor,
        (action, reason): (Action, &'static str),
    ) -> Result<(), OAuthError> {
        if repo::delete_grant(&**write, &grant.id).await? {
            let details = json!({ "reason": reason, "clientId": grant.app, "user": grant.user });
            let entry = entry(grant, by, action).with(details);
            audit::record(write, self.clock.now_ms(), entry).await?;
        }
        Ok(())
    }
}

/// What a person has just allowed. It ends with its code, unless the app gets tokens for it.
fn new_grant(approval: Approval, now_ms: i64) -> Grant {
    Grant {
        id: GrantId::new(),
        app: approval.app.id,
        organization: approval.organization,
        user: approval.user,
        method: approval.method,
        scopes: approval.scopes,
        resource: approval.resource,
        created_ms: now_ms,
        last_used_ms: None,
        expires_ms: now_ms + CODE_MS,
    }
}

/// The app that acts with a grant.
pub(super) fn app_of(grant: &Grant) -> Actor {
    Actor::App {
        user: grant.user.clone(),
        grant: grant.id.clone(),
    }
}

fn entry(grant: &Grant, by: Actor, action: Action) -> Entry {
    Entry::within(&grant.organization, by, action, grant.id.as_str())
}
