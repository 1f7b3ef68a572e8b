//! Lists that are read from storage, because they are seldom needed.

use super::{
    Invitation, LinkedIdentity, Membership, OrganizationError, OrganizationsView, Passkey,
    ScimGroup, ScimUser, SsoDomain, SsoProvider, repo, sso::ActiveProvider,
};
use crate::{
    actors::{kit::Handle, organizations::Organizations},
    clock::Clock,
    ids::{OrganizationId, UserId},
    store::StateDb,
};

/// Reads members and invitations; cheap to clone. Shows what has been answered for, at once.
#[derive(Debug, Clone)]
pub struct Records {
    db: StateDb,
    clock: Clock,
    people: Handle<Organizations>,
}

impl Records {
    pub fn new(db: StateDb, clock: Clock, people: Handle<Organizations>) -> Self {
        Self { db, clock, people }
    }

    pub async fn members(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<Membership>, OrganizationError> {
        Ok(repo::members::list(self.db.reader(), organization).await?)
    }

    /// The invitations of an organization, newest first, answered and expired ones too.
    pub async fn invitations(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<Invitation>, OrganizationError> {
        Ok(repo::invitations::list(self.db.reader(), organization).await?)
    }

    /// The accounts at providers that a person has linked, oldest first.
    pub async fn identities(
        &self,
        user: &UserId,
    ) -> Result<Vec<LinkedIdentity>, OrganizationError> {
        Ok(repo::identities::list(self.db.reader(), user).await?)
    }

    /// A person's passkeys, oldest first.
    pub async fn passkeys(&self, user: &UserId) -> Result<Vec<Passkey>, OrganizationError> {
        Ok(repo::passkeys::list(self.db.reader(), user).await?)
    }

    /// The passkey whose authenticator calls it this.
    pub async fn passkey_by_credential(
        &self,
        credential_id: &str,
    ) -> Result<Option<Passkey>, OrganizationError> {
        Ok(repo::passkeys::by_credential(self.db.reader(), credential_id).await?)
    }

    pub async fn invitation_by_token(
        &self,
        token: &str,
    ) -> Result<Option<Invitation>, OrganizationError> {
        Ok(repo::invitations::by_token(self.db.reader(), token).await?)
    }

    /// The invitations that a person may accept now. None while the address is not verified.
    pub async fn open_invitations(
        &self,
        user: &UserId,
    ) -> Result<Vec<Invitation>, OrganizationError> {
        let view: std::sync::Arc<OrganizationsView> = self.people.view();
        let person = view.person(user).filter(|person| person.email_verified);
        let Some(person) = person else {
            return Ok(Vec::new());
        };
        let now_ms = self.clock.now_ms();
        let open = repo::invitations::open_for(self.db.reader(), &person.email, now_ms).await?;
        let usable = |one: &Invitation| {
            view.organization(one.organization.as_str()).is_some() && view.may_still_grant(one)
        };
        Ok(open.into_iter().filter(usable).collect())
    }

    /// The people of an organization's identity provider, oldest first.
    pub async fn scim_users(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<ScimUser>, OrganizationError> {
        Ok(repo::scim::list_users(self.db.reader(), organization).await?)
    }

    pub async fn scim_user(
        &self,
        organization: &OrganizationId,
        id: &str,
    ) -> Result<Option<ScimUser>, OrganizationError> {
        Ok(repo::scim::find_user(self.db.reader(), organization, id).await?)
    }

    /// The groups of an organization's identity provider, oldest first.
    pub async fn scim_groups(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<ScimGroup>, OrganizationError> {
        Ok(repo::scim::list_groups(self.db.reader(), organization).await?)
    }

    /// A group of whichever organization.
    pub async fn scim_group(&self, id: &str) -> Result<Option<ScimGroup>, OrganizationError> {
        Ok(repo::scim::find_group(self.db.reader(), id).await?)
    }

    /// The domains of an organization, oldest first.
    pub async fn sso_domains(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<SsoDomain>, OrganizationError> {
        Ok(repo::sso_domains::list(self.db.reader(), organization).await?)
    }

    /// A domain of any organization.
    pub async fn sso_domain(&self, id: &str) -> Result<Option<SsoDomain>, OrganizationError> {
        Ok(repo::sso_domains::find(self.db.reader(), id).await?)
    }

    /// The domains whose records are looked for again, because the last check was before this time.
    pub async fn due_sso_domains(
        &self,
        before_ms: i64,
    ) -> Result<Vec<SsoDomain>, OrganizationError> {
        Ok(repo::sso_domains::list_due(self.db.reader(), before_ms).await?)
    }

    /// The providers of an organization, oldest first.
    pub async fn sso_providers(
        &self,
        organization: &OrganizationId,
    ) -> Result<Vec<SsoProvider>, OrganizationError> {
        Ok(repo::sso_providers::list(self.db.reader(), organization).await?)
    }

    /// A provider of any organization.
    pub async fn sso_provider(&self, id: &str) -> Result<Option<SsoProvider>, OrganizationError> {
        Ok(repo::sso_providers::find(self.db.reader(), id).await?)
    }

    /// A provider that may sign people in now.
    pub async fn active_sso_provider(&self, id: &str) -> Result<SsoProvider, OrganizationError> {
        let view = self.people.view();
        let active = ActiveProvider::find(self.db.reader(), &view, id).await?;
        Ok(active.provider)
    }

    /// The providers that sign in people with an address in this domain.
    pub async fn sso_providers_of_domain(
        &self,
        name: &str,
    ) -> Result<Vec<SsoProvider>, OrganizationError> {
        let verified = repo::sso_domains::find_verified(self.db.reader(), name).await?;
        let view = self.people.view();
        let Some(domain) = verified.filter(|domain| view.is_live(&domain.organization)) else {
            return Ok(Vec::new());
        };
        let mut providers = self.sso_providers(&domain.organization).await?;
        providers.retain(|provider| provider.fields.is_enabled);
        Ok(providers)
    }

    /// Whether an organization has this slug, a deleted one that may come back included.
    pub async fn is_slug_taken(&self, slug: &str) -> Result<bool, OrganizationError> {
        Ok(repo::tenants::is_slug_taken(self.db.reader(), slug).await?)
    }
}
