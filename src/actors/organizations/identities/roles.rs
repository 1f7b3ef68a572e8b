//! Makes a person's memberships what their groups at a provider say, in the transaction of the sign-in.

use std::collections::BTreeMap;

use serde_json::json;

use crate::{
    access::{Member, Role, plans::Plans},
    actors::{
        audit::{self, Action, Actor, Entry},
        keys::{LostRights, MakerKeys},
        organizations::{
            OrganizationError, OrganizationsView, Person, repo,
            tenants::{lost_rights::end_lost_access, members_allowed},
        },
    },
    ids::OrganizationId,
    store::state::Write,
};

pub(super) struct RoleSync<'a> {
    pub(super) write: &'a Write,
    pub(super) keys: &'a MakerKeys,
    pub(super) view: &'a OrganizationsView,
    pub(super) plans: &'a Plans,
    /// The provider's name.
    pub(super) provider: &'a str,
    pub(super) now_ms: i64,
}

impl RoleSync<'_> {
    /// Gives and takes memberships; whether any has changed.
    pub(super) async fn run(
        &self,
        person: &mut Person,
        assigned: BTreeMap<OrganizationId, Option<Role>>,
    ) -> Result<bool, OrganizationError> {
        let mut changed = false;
        for (organization, role) in assigned {
            if self.view.organization(organization.as_str()).is_none() {
                tracing::warn!(
                    organization.id = %organization,
                    provider = self.provider,
                    "`auth.oidc` gives a role in an organization that does not exist"
                );
                continue;
            }
            let before = person.role_in(organization.as_str());
            let after = self.decide(person, &organization, before, role).await?;
            if after == before {
                continue;
            }
            self.store(person, &organization, before, after).await?;
            match after {
                Some(role) => set(&mut person.memberships, organization, role),
                None => person.leave(&organization),
            }
            changed = true;
        }
        Ok(changed)
    }

    /// The role that the person has from now on.
    async fn decide(
        &self,
        person: &Person,
        organization: &OrganizationId,
        before: Option<Role>,
        given: Option<Role>,
    ) -> Result<Option<Role>, OrganizationError> {
        let owners = self.view.owners(organization);
        let is_last = owners.iter().all(|owner| owner.id == person.id);
        if before == Some(Role::Owner) && given != Some(Role::Owner) && is_last {
            return Ok(before);
        }
        if given.is_none() && before.is_some() {
            let source = repo::members::find_provider(&**self.write, organization, &person.id);
            let is_ours = source.await?.as_deref() == Some(self.provider);
            return Ok(before.filter(|_| !is_ours));
        }
        Ok(given)
    }

    async fn store(
        &self,
        person: &Person,
        organization: &OrganizationId,
        before: Option<Role>,
        after: Option<Role>,
    ) -> Result<(), OrganizationError> {
        let (write, user) = (self.write, &person.id);
        let action = match (before, after) {
            (None, Some(role)) => {
                if let Some(allowance) = members_allowed(self.view, self.plans, organization) {
                    let members = repo::members::count_alone(&**write, organization).await?;
                    allowance.admit(members, 1)?;
                }
                repo::members::insert(&**write, organization, user, role, self.now_ms).await?;
                Action::MemberAdd
            }
            (_, Some(role)) => {
                repo::members::set_role(&**write, organization, user, role).await?;
                Action::MemberRole
            }
            (_, None) => {
                repo::members::delete(&**write, organization, user).await?;
                Action::MemberRemove
            }
        };
        if after.is_some() {
            let provider = self.provider;
            repo::members::set_provider(&**write, organization, user, provider).await?;
        }
        let mut details = json!({ "from": before, "to": after, "provider": self.provider });
        if before > after {
            let rights = LostRights {
                organization,
                user,
                role: after,
                keep_keys: false,
            };
            let lost =
                end_lost_access(write, self.keys, &Actor::System, rights, self.now_ms).await?;
            details = lost.details(details);
        }
        let entry = Entry::within(organization, Actor::System, action, user.as_str());
        audit::record(write, self.now_ms, entry.with(details)).await?;
        Ok(())
    }
}

fn set(memberships: &mut Vec<Member>, organization: OrganizationId, role: Role) {
    let mut own = memberships.iter_mut();
    match own.find(|member| member.organization == organization) {
        Some(member) => member.role = role,
        None => memberships.push(Member { organization, role }),
    }
}
