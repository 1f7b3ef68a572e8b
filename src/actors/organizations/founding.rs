//! How the first organization comes to be.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{
    Founded, OrganizationError, OrganizationsView,
    messages::Found,
    repo,
    view::{Organization, Person},
};
use crate::{
    access::{Member, Role, authorize::Tenant},
    actors::random,
    entities::{organization, user},
    ids::{OrganizationId, UserId},
    store::StateDb,
};

/// The rows of an organization and its owner.
#[derive(Debug)]
pub(super) struct Founding {
    organization: organization::Model,
    owner: user::Model,
}

/// Gives the draft its ids and numbers.
pub(super) fn rows(found: Found, now: DateTime<Utc>) -> Result<Founding, OrganizationError> {
    let draft = found.draft;
    let called = draft.email.split('@').next().unwrap_or_default();
    let owner = user::Model {
        id: UserId::new().into(),
        name: called.to_owned(),
        email: draft.email,
        password_hash: found.password_hash,
        created_at: now,
        updated_at: now,
    };
    let organization = organization::Model {
        id: OrganizationId::new().into(),
        key: random::key()?,
        name: draft.name,
        slug: draft.slug,
        plan: draft.plan,
        created_at: now,
        deleted_at: None,
    };
    Ok(Founding {
        organization,
        owner,
    })
}

/// Stores everything or nothing; another process may have been first.
pub(super) async fn save(db: StateDb, founding: Founding) -> Result<Founding, OrganizationError> {
    let write = db.begin().await?;
    if repo::is_installed(&*write).await? {
        return Err(OrganizationError::AlreadyInstalled);
    }
    let (organization, owner) = (founding.organization.clone(), founding.owner.clone());
    repo::insert_organization(&*write, organization, owner).await?;
    write.commit().await?;
    Ok(founding)
}

impl Founding {
    /// Takes the stored rows into memory.
    pub(super) fn adopt(self, view: &mut OrganizationsView) -> Founded {
        let organization = Arc::new(Organization::from(self.organization));
        let Tenant { id, .. } = organization.tenant.clone();
        let membership = Member {
            organization: id.clone(),
            role: Role::Owner,
        };
        let person: Person = repo::person(self.owner, vec![membership]);
        let founded = Founded {
            organization: organization.tenant.clone(),
            user: person.id.clone(),
            email: person.email.clone(),
        };
        view.installed = true;
        view.organizations.insert(id, organization);
        view.people.insert(person.id.clone(), Arc::new(person));
        founded
    }
}
