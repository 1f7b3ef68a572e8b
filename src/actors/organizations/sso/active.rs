//! A provider that may sign people in now.

use sea_orm::ConnectionTrait;

use crate::{
    actors::organizations::{
        OrganizationError, OrganizationsView, Person, ProvenIdentity, SsoError, SsoProvider, repo,
        rules,
    },
    oidc::trusts,
};

#[derive(Debug)]
pub(crate) struct ActiveProvider {
    pub(crate) provider: SsoProvider,
    /// The domains that its organization has verified; never empty.
    pub(crate) domains: Vec<String>,
}

impl ActiveProvider {
    /// The provider with this ID, if it is on, its organization is there and has a verified domain.
    pub(crate) async fn find(
        db: &impl ConnectionTrait,
        view: &OrganizationsView,
        id: &str,
    ) -> Result<Self, OrganizationError> {
        let found = repo::sso_providers::find(db, id).await?;
        let provider = found
            .filter(|one| one.fields.is_enabled && view.is_live(&one.organization))
            .ok_or(OrganizationError::Sso(SsoError::NoProvider))?;
        let domains = repo::sso_domains::list(db, &provider.organization).await?;
        let verified = domains.into_iter().filter(|domain| domain.is_verified);
        let domains: Vec<_> = verified.map(|domain| domain.name).collect();
        if domains.is_empty() {
            return Err(OrganizationError::Sso(SsoError::NothingVerified));
        }
        Ok(Self { provider, domains })
    }

    /// Refuses a sign-in that waits, if the provider may not sign the person in any more.
    pub(crate) async fn recheck(
        db: &impl ConnectionTrait,
        view: &OrganizationsView,
        id: &str,
        person: &Person,
    ) -> Result<(), OrganizationError> {
        let active = Self::find(db, view, id).await;
        match active.and_then(|active| active.admit(person)) {
            Err(OrganizationError::Sso(
                SsoError::NoProvider | SsoError::NothingVerified | SsoError::OtherDomain,
            )) => Err(OrganizationError::NotWaiting),
            admitted => admitted,
        }
    }

    /// The address that the provider vouches for, as accounts are stored.
    pub(crate) fn vouched_address(
        &self,
        proven: &ProvenIdentity,
    ) -> Result<String, OrganizationError> {
        if proven.issuer != self.provider.fields.issuer {
            // It changed while the person was there.
            return Err(OrganizationError::Sso(SsoError::NoProvider));
        }
        let email = proven.identity.email.as_deref().and_then(rules::account);
        let email = email.ok_or(OrganizationError::NoAddress)?;
        if !proven.identity.email_verified {
            return Err(OrganizationError::AddressNotVerified);
        }
        if !trusts(&self.domains, &email) {
            return Err(OrganizationError::Sso(SsoError::OtherDomain));
        }
        Ok(email)
    }

    /// Refuses an account that the organization could not open by email, or whose owner never proved the address.
    pub(crate) fn admit(&self, person: &Person) -> Result<(), OrganizationError> {
        if !trusts(&self.domains, &person.email) {
            return Err(OrganizationError::Sso(SsoError::OtherDomain));
        }
        if !person.email_verified {
            return Err(OrganizationError::Sso(SsoError::Unproven));
        }
        Ok(())
    }
}
