//! How the first organization comes to be.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{
    Installation, Organization, OrganizationError, OrganizationsView, Person, SecondFactors,
    messages::StoreInstallation, repo,
};
use crate::{
    access::{Member, Role, authorize::Tenant},
    actors::random,
    entities::{organization, user},
    ids::{OrganizationId, OrganizationKey, UserId},
    store::StateDb,
};

/// The rows of an organization and its owner.
#[derive(Debug)]
pub(super) struct InstallationRows {
    /// Whether the rows are there already and change.
    again: bool,
    organization: organization::Model,
    owner: user::Model,
}

/// Gives the draft its ids and numbers: new ones, or those of an `earlier` installation.
pub(super) fn rows(
    found: StoreInstallation,
    earlier: Option<(Arc<Organization>, Arc<Person>)>,
    now: DateTime<Utc>,
) -> Result<InstallationRows, OrganizationError> {
    let draft = found.draft;
    let called = draft.email.split('@').next().unwrap_or_default();
    let again = earlier.is_some();
    let (tenant, user) = if let Some((organization, person)) = earlier {
        (organization.tenant.clone(), person.id.clone())
    } else {
        let key = OrganizationKey(random::key()?);
        let id = OrganizationId::new();
        (Tenant { id, key }, UserId::new())
    };
    let owner = user::Model {
        id: user.into(),
        name: called.to_owned(),
        email: draft.email,
        password_hash: found.password_hash,
        email_verified: true,
        password_changed_at: None,
        language: None,
        break_glass: false,
        created_at: now,
        updated_at: now,
    };
    let organization = organization::Model {
        id: tenant.id.into(),
        key: tenant.key.0,
        name: draft.name,
        slug: draft.slug,
        plan: draft.plan,
        logo: None,
        avatar_seed: None,
        notifications: None,
        required_provider: None,
        created_at: now,
        deleted_at: None,
    };
    Ok(InstallationRows {
        again,
        organization,
        owner,
    })
}

/// Stores everything or nothing; another process may have been first.
pub(super) async fn save(
    db: StateDb,
    installation: InstallationRows,
) -> Result<InstallationRows, OrganizationError> {
    repo::write(db, async move |write| {
        let (organization, owner) = (
            installation.organization.clone(),
            installation.owner.clone(),
        );
        if installation.again {
            repo::tenants::install_again(&**write, organization, owner).await?;
        } else if repo::tenants::is_installed(&**write).await? {
            return Err(OrganizationError::AlreadyInstalled);
        } else {
            repo::tenants::install(&**write, organization, owner).await?;
        }
        Ok(installation)
    })
    .await
}

impl InstallationRows {
    pub(super) fn adopt(self, view: &mut OrganizationsView) -> Installation {
        let organization = view.insert_organization(self.organization.into());
        let membership = Member {
            organization: organization.tenant.id.clone(),
            role: Role::Owner,
        };
        let person = repo::people::person(self.owner, vec![membership], SecondFactors::default());
        let installation = Installation {
            organization: organization.tenant.clone(),
            user: person.id.clone(),
            email: person.email.clone(),
        };
        view.installed = true;
        view.people.insert(person.id.clone(), Arc::new(person));
        installation
    }
}
