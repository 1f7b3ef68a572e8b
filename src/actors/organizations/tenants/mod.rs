//! Organizations, their members, and how people come in and go out.
//!
//! What a role may do is looked up in the mailbox again, at the moment it counts: a person who was demoted meanwhile is
//! refused.

mod erasure;
pub(super) mod invitations;
pub(super) mod joining;
pub(super) mod lost_rights;
mod members;
mod organization;
mod roles;
mod second_factors;

use std::sync::Arc;

use super::{OrganizationError, Organizations, OrganizationsView, Person};
use crate::{
    access::{
        Permission, Role,
        plans::{Allowance, PlanResource, Plans},
    },
    actors::error::CommonError,
    ids::{OrganizationId, UserId},
};

/// How many members an organization's plan allows; `None` = as many as it likes.
pub(super) fn members_allowed(
    view: &OrganizationsView,
    plans: &Plans,
    organization: &OrganizationId,
) -> Option<Allowance> {
    let plan = &view.organization(organization.as_str())?.plan;
    plans.allowance(plan, PlanResource::Members)
}

/// Keys outlive the rights of the people who made them only if an owner says so.
fn check_keep_keys(own: Role, keep: bool) -> Result<(), OrganizationError> {
    if keep && !own.may(Permission::OwnersManage) {
        return Err(OrganizationError::Missing(Permission::OwnersManage));
    }
    Ok(())
}

impl Organizations {
    /// The role of a person who may do this in an organization.
    pub(super) fn require_permission(
        &self,
        permission: Permission,
        user: &UserId,
        organization: &OrganizationId,
    ) -> Result<Role, OrganizationError> {
        let role = self.role_in(user, organization)?;
        if role.may(permission) {
            return Ok(role);
        }
        Err(OrganizationError::Missing(permission))
    }

    /// The role of a person in an organization. Others get the error of one that does not exist.
    fn role_in(
        &self,
        user: &UserId,
        organization: &OrganizationId,
    ) -> Result<Role, OrganizationError> {
        let person = self.view.person(user);
        person
            .and_then(|person| person.role_in(organization.as_str()))
            .ok_or_else(|| CommonError::NoOrganization(organization.clone()).into())
    }

    fn member(
        &self,
        organization: &OrganizationId,
        named: &str,
    ) -> Result<(Arc<Person>, Role), OrganizationError> {
        let by_email = || self.view.person_by_email(&named.trim().to_lowercase());
        let person = self.view.person(&UserId::from(named)).or_else(by_email);
        person
            .and_then(|person| {
                let role = person.role_in(organization.as_str())?;
                Some((Arc::clone(person), role))
            })
            .ok_or_else(|| OrganizationError::NoSuchMember(named.to_owned()))
    }

    /// Refuses what would leave an organization without an owner.
    fn require_other_owner(
        &self,
        organization: &OrganizationId,
        role: Role,
    ) -> Result<(), OrganizationError> {
        if role == Role::Owner && self.view.owners(organization).len() < 2 {
            return Err(OrganizationError::LastOwner);
        }
        Ok(())
    }
}
