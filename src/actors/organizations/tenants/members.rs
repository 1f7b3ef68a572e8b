//! Members who go, by themselves or not.

use std::sync::Arc;

use serde_json::json;

use super::{check_keep_keys, lost_rights::end_membership};
use crate::{
    access::{Permission, Role},
    actors::{
        audit::{self, Action, Actor, Entry},
        keys::LostRights,
        kit::{commit, handlers},
        organizations::{
            Decision, OrganizationError, Organizations, Person, RemoveMember, RemovedMember,
        },
    },
};

handlers! { Organizations:
    decide RemoveMember => Organizations::remove_member;
}

impl Organizations {
    fn remove_member(&mut self, message: RemoveMember) -> Decision<RemovedMember> {
        let (person, role) = self.check_removal(&message)?;
        let (by, organization) = (message.by, message.organization);
        let (user, now_ms) = (person.id.clone(), self.env.clock.now_ms());
        let io = self.env.clone().write_with_keys(async move |write, keys| {
            let rights = LostRights {
                organization: &organization,
                user: &user,
                role: None,
                keep_keys: message.keep_keys,
            };
            let actor = Actor::User(by.clone());
            let lost = end_membership(write, keys, &actor, rights, now_ms).await?;
            let action = if user == by {
                Action::MemberLeave
            } else {
                Action::MemberRemove
            };
            let entry = Entry::within(&organization, actor, action, user.as_str());
            let details = lost.details(json!({ "role": role }));
            audit::record(write, now_ms, entry.with(details)).await?;
            Ok((organization, RemovedMember { user, lost }))
        });
        Ok(commit(io, |domain: &mut Self, (organization, removed)| {
            Arc::make_mut(&mut domain.view).leave(&removed.user, &organization);
            removed
        }))
    }

    /// The member, if they may be taken out.
    fn check_removal(
        &self,
        wanted: &RemoveMember,
    ) -> Result<(Arc<Person>, Role), OrganizationError> {
        let own = self.role_in(&wanted.by, &wanted.organization)?;
        let leaves = self.member(&wanted.organization, &wanted.member);
        let leaves = leaves.is_ok_and(|(person, _)| person.id == wanted.by);
        if !leaves && !own.may(Permission::MembersManage) {
            return Err(OrganizationError::Missing(Permission::MembersManage));
        }
        let (person, role) = self.member(&wanted.organization, &wanted.member)?;
        if !leaves && !own.may_assign(role) {
            return Err(OrganizationError::Missing(Permission::OwnersManage));
        }
        check_keep_keys(own, wanted.keep_keys)?;
        self.require_other_owner(&wanted.organization, role)?;
        Ok((person, role))
    }
}
