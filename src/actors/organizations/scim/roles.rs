//! The roles that groups give.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{
    change::{Change, details},
    joining::USUAL_ROLE,
};
use crate::{
    access::Role,
    actors::{
        audit::{self, Action, Entry},
        keys::LostRights,
        organizations::{
            LostAccess, OrganizationError, Person, ScimGroup, ScimUser, repo,
            tenants::lost_rights::end_lost_access,
        },
    },
    ids::ScimUserId,
};

/// The highest role that groups give a user.
fn highest(groups: &[ScimGroup], user: &ScimUserId) -> Option<Role> {
    let own = groups.iter().filter(|group| group.members.contains(user));
    own.filter_map(|group| group.role).max()
}

impl Change<'_> {
    /// Gives these users the roles that the groups of the organization give now.
    pub(super) async fn settle_roles(
        &mut self,
        users: &BTreeSet<ScimUserId>,
    ) -> Result<(), OrganizationError> {
        if users.is_empty() {
            return Ok(());
        }
        let organization = &self.premises.organization;
        let groups = repo::scim::list_groups(&**self.write, organization).await?;
        let known = repo::scim::list_users(&**self.write, organization).await?;
        let mut known: BTreeMap<_, _> =
            known.into_iter().map(|one| (one.id.clone(), one)).collect();
        for id in users {
            let Some(mut user) = known.remove(id) else {
                continue;
            };
            let given = highest(&groups, id);
            if given == user.group_role {
                continue;
            }
            self.give_role(&mut user, given).await?;
            user.group_role = given;
            repo::scim::update_user(&**self.write, &user).await?;
        }
        Ok(())
    }

    /// Makes a user's role what the groups say; the usual one when they say nothing any more.
    async fn give_role(
        &mut self,
        user: &mut ScimUser,
        given: Option<Role>,
    ) -> Result<(), OrganizationError> {
        let role = given.unwrap_or(USUAL_ROLE);
        match self.premises.account(user) {
            (Some(person), Some(from)) => {
                let is_own = user.group_role == Some(Role::Owner);
                if from == role || from == Role::Owner && !is_own {
                    return Ok(());
                }
                self.require_authority(from)?;
                self.require_authority(role)?;
                if from == Role::Owner {
                    self.lose_owner()?;
                }
                self.owners += usize::from(role == Role::Owner);
                let person = Person::clone(person);
                self.store_role(user, person, (from, role)).await
            }
            _ if user.left_role.is_some() => {
                self.require_authority(role)?;
                user.left_role = Some(role);
                Ok(())
            }
            _ => {
                let open = self.open_invitations(user).await?;
                if !open.is_empty() {
                    self.require_authority(role)?;
                }
                for invitation in open {
                    repo::invitations::set_role(&**self.write, &invitation.id, role).await?;
                }
                Ok(())
            }
        }
    }

    async fn store_role(
        &mut self,
        user: &ScimUser,
        mut person: Person,
        (from, to): (Role, Role),
    ) -> Result<(), OrganizationError> {
        let (premises, write) = (self.premises, self.write);
        let (organization, now_ms) = (&premises.organization, premises.now_ms);
        repo::members::set_role(&**write, organization, &person.id, to).await?;
        repo::sessions::delete_all(&**write, &person.id, None).await?;
        let mut lost = LostAccess::default();
        if to < from {
            let rights = LostRights {
                organization,
                user: &person.id,
                role: Some(to),
                keep_keys: false,
            };
            let actor = premises.actor();
            lost = end_lost_access(write, self.keys, &actor, rights, now_ms).await?;
        }
        let action = Action::MemberRole;
        let entry = Entry::within(organization, premises.actor(), action, person.id.as_str());
        let told = details(user, json!({ "from": from, "to": to }), &lost);
        audit::record(write, now_ms, entry.with(told)).await?;
        for member in &mut person.memberships {
            if member.organization == *organization {
                member.role = to;
            }
        }
        self.take_in(person, true);
        Ok(())
    }
}
