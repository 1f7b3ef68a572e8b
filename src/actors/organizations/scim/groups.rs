//! Storing and forgetting groups, and what role they give.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::json;

use super::change::Change;
use crate::{
    actors::{
        audit::{self, Action, Entry},
        error::write_error,
        kit::{commit, handlers},
        organizations::{
            Decision, DeleteScimGroup, OrganizationError, Organizations, ScimGroup,
            SetScimGroupRole, StoreScimGroup, repo, scim_resources::MAX_GROUPS,
        },
    },
    ids::{ScimGroupId, ScimUserId},
};

handlers! { Organizations:
    decide StoreScimGroup => Organizations::store_scim_group;
    decide DeleteScimGroup => Organizations::delete_scim_group;
    decide SetScimGroupRole => Organizations::set_scim_group_role;
}

const TAKEN: OrganizationError =
    OrganizationError::ScimTaken("A group with this `displayName` already exists");

impl Organizations {
    fn store_scim_group(&mut self, message: StoreScimGroup) -> Decision<Arc<ScimGroup>> {
        let premises = self.provisioning(&message.by)?;
        let io = premises.run(self.env.clone(), async move |change| {
            change.store_group(message).await.map(Arc::new)
        });
        Ok(commit(io, |domain: &mut Self, (group, done)| {
            domain.adopt_scim(done);
            group
        }))
    }

    fn delete_scim_group(&mut self, message: DeleteScimGroup) -> Decision<()> {
        let premises = self.provisioning(&message.by)?;
        let io = premises.run(self.env.clone(), async move |change| {
            let group = change.find_group(message.group.as_str()).await?;
            repo::scim::delete_group(&**change.write, &group.id).await?;
            change.settle_roles(&group.members).await
        });
        Ok(commit(io, |domain: &mut Self, ((), done)| {
            domain.adopt_scim(done);
        }))
    }

    fn set_scim_group_role(&mut self, message: SetScimGroupRole) -> Decision<Arc<ScimGroup>> {
        let premises = self.scim_premises(&message.by, &message.organization)?;
        let io = premises.run(self.env.clone(), async move |change| {
            let mut group = change.find_group(message.group.as_str()).await?;
            for role in [group.role, message.role].into_iter().flatten() {
                change.require_authority(role)?;
            }
            let details = json!({ "name": group.name, "from": group.role, "to": message.role });
            group.role = message.role;
            repo::scim::update_group(&**change.write, &group).await?;
            change.settle_roles(&group.members).await?;
            let premises = change.premises;
            let (actor, action) = (premises.actor(), Action::ScimGroupRole);
            let entry = Entry::within(&premises.organization, actor, action, group.id.as_str());
            audit::record(change.write, premises.now_ms, entry.with(details)).await?;
            Ok(Arc::new(group))
        });
        Ok(commit(io, |domain: &mut Self, (group, done)| {
            domain.adopt_scim(done);
            group
        }))
    }
}

impl Change<'_> {
    /// The group as it is stored now.
    async fn find_group(&self, id: &str) -> Result<ScimGroup, OrganizationError> {
        let found = repo::scim::find_group(&**self.write, id).await?;
        let own = found.filter(|group| group.organization == self.premises.organization);
        own.ok_or(OrganizationError::NoSuchScimGroup)
    }

    async fn store_group(
        &mut self,
        message: StoreScimGroup,
    ) -> Result<ScimGroup, OrganizationError> {
        let (premises, write) = (self.premises, self.write);
        let before = match &message.before {
            None => None,
            Some(before) => {
                let stored = self.find_group(before.id.as_str()).await?;
                if stored.version != before.version {
                    return Err(OrganizationError::ScimChanged);
                }
                Some(stored)
            }
        };
        let sent = message.attributes;
        let group = ScimGroup {
            id: before
                .as_ref()
                .map_or_else(ScimGroupId::new, |before| before.id.clone()),
            organization: premises.organization.clone(),
            name: sent.display_name,
            external_id: sent.external_id,
            role: before.as_ref().and_then(|before| before.role),
            members: sent.members.into_iter().map(ScimUserId::from).collect(),
            version: before.as_ref().map_or(1, |before| before.version + 1),
            created_ms: before
                .as_ref()
                .map_or(premises.now_ms, |before| before.created_ms),
            updated_ms: premises.now_ms,
        };
        let stored = if before.is_some() {
            repo::scim::update_group(&**write, &group).await
        } else {
            let count = repo::scim::count_groups(&**write, &premises.organization).await?;
            if count >= MAX_GROUPS {
                return Err(OrganizationError::TooMany(
                    "The organization has 500 groups of its identity provider: delete some first",
                ));
            }
            repo::scim::insert_group(&**write, &group).await
        };
        stored.map_err(|error| write_error(error, TAKEN))?;
        let members = before.map(|before| before.members).unwrap_or_default();
        self.store_members(&group, &members).await?;
        Ok(group)
    }

    async fn store_members(
        &mut self,
        group: &ScimGroup,
        before: &BTreeSet<ScimUserId>,
    ) -> Result<(), OrganizationError> {
        let write = self.write;
        let added: Vec<_> = group.members.difference(before).collect();
        if !added.is_empty() {
            let known = repo::scim::list_users(&**write, &group.organization).await?;
            let known: BTreeSet<_> = known.into_iter().map(|user| user.id).collect();
            if added.iter().any(|user| !known.contains(*user)) {
                return Err(OrganizationError::ScimUnknownMember);
            }
        }
        for user in added {
            repo::scim::add_member(&**write, &group.id, user).await?;
        }
        for user in before.difference(&group.members) {
            repo::scim::remove_member(&**write, &group.id, user).await?;
        }
        let changed = group
            .members
            .symmetric_difference(before)
            .cloned()
            .collect();
        self.settle_roles(&changed).await
    }
}
